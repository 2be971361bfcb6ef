//! Validates email addresses.

pub fn is_email(email: &str) -> bool {
    let well_formed = email.split_once('@').is_some_and(|(user, domain)| {
        !user.is_empty()
            && domain.contains('.')
            && !domain.starts_with('.')
            && !domain.ends_with('.')
    });
    let clean = email.len() <= 254 && !email.trim().chars().any(|c| c.is_whitespace() || c == '<');
    well_formed && clean
}
