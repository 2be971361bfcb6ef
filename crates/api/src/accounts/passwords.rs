//! Password strength, hashing and verification, with a limit on concurrent hashing.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use argon2::password_hash::phc::PasswordHash;
use argon2::{Argon2, PasswordHasher, PasswordVerifier};
use tokio::sync::Semaphore;
use zxcvbn::{Score, zxcvbn};

/// Each hash takes 19 MiB and tens of milliseconds.
const MAX_CONCURRENT_HASHES: usize = 2;
/// How long a request waits for a permit.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(5);
const MIN_CHARACTERS: usize = 8;
const MAX_CHARACTERS: usize = 200;

#[derive(Debug, thiserror::Error)]
pub enum PasswordError {
    /// The password is easy to guess; the sentence is advice for the user.
    #[error("{0}")]
    Weak(String),
    #[error("too many passwords are being hashed")]
    Busy,
    #[error("a password could not be hashed: {0}")]
    Failed(String),
}

/// Hashes and checks passwords on blocking threads.
pub struct Passwords {
    permits: Arc<Semaphore>,
}

impl Default for Passwords {
    fn default() -> Passwords {
        Passwords { permits: Arc::new(Semaphore::new(MAX_CONCURRENT_HASHES)) }
    }
}

impl Passwords {
    /// The argon2id hash of a new password, with default cost. `known` are words that an attacker
    /// would try first.
    pub async fn hash(&self, password: String, known: &[&str]) -> Result<String, PasswordError> {
        let known: Vec<String> = known.iter().map(|word| (*word).to_owned()).collect();
        let hashed = self.run_limited(move || {
            if let Some(sentence) = weakness(&password, &known) {
                return Err(PasswordError::Weak(sentence));
            }
            let hash: Result<PasswordHash, _> =
                Argon2::default().hash_password(password.as_bytes());
            hash.map(|hash| hash.to_string())
                .map_err(|error| PasswordError::Failed(error.to_string()))
        });
        hashed.await?
    }

    /// Whether a password matches a hash. Without a hash the same work is done, so that the
    /// response time does not reveal who has an account.
    pub async fn check(
        &self,
        password: String,
        hash: Option<String>,
    ) -> Result<bool, PasswordError> {
        self.run_limited(move || {
            let has_hash = hash.is_some();
            let hash = hash.unwrap_or_else(|| dummy_hash().to_owned());
            let Ok(hash) = PasswordHash::new(&hash) else { return false };
            Argon2::default().verify_password(password.as_bytes(), &hash).is_ok() && has_hash
        })
        .await
    }

    async fn run_limited<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, PasswordError> {
        let permit =
            tokio::time::timeout(QUEUE_TIMEOUT, self.permits.clone().acquire_owned()).await;
        let Ok(Ok(permit)) = permit else { return Err(PasswordError::Busy) };
        let done = tokio::task::spawn_blocking(move || {
            let done = work();
            drop(permit);
            done
        });
        done.await.map_err(|error| PasswordError::Failed(error.to_string()))
    }
}

/// A hash that no account has, for equal timing.
fn dummy_hash() -> &'static str {
    static HASH: OnceLock<String> = OnceLock::new();
    HASH.get_or_init(|| {
        let hash: Result<PasswordHash, _> = Argon2::default().hash_password(b"nobody's password");
        hash.map(|hash| hash.to_string()).unwrap_or_default()
    })
}

fn weakness(password: &str, known: &[String]) -> Option<String> {
    let length = password.chars().count();
    if length < MIN_CHARACTERS {
        return Some(format!("Use at least {MIN_CHARACTERS} characters."));
    }
    if length > MAX_CHARACTERS {
        return Some(format!("Use at most {MAX_CHARACTERS} characters."));
    }
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let strength = zxcvbn(password, &known);
    if strength.score() >= Score::Two {
        return None;
    }
    let advice = strength.feedback().and_then(|feedback| {
        let warning = feedback.warning().map(|warning| warning.to_string());
        warning.or_else(|| feedback.suggestions().first().map(ToString::to_string))
    });
    let advice = advice.unwrap_or_else(|| "Add one or two more words.".to_owned());
    Some(format!("This password is easy to guess. {advice}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_common_passwords_are_refused() {
        let known = ["asha@firm.example".to_owned(), "Panji".to_owned()];
        let refused = |password: &str| weakness(password, &known);
        for password in ["", "short", "password", "12345678", "qwertyuiop", "Password1"] {
            assert!(refused(password).is_some(), "{password}");
        }
        assert!(refused(&"a".repeat(201)).is_some());
        let fine = ["monsoon ledger nine", "correct horse battery staple", "vK3#pl9z!tq"];
        for password in fine {
            assert_eq!(refused(password), None, "{password}");
        }
    }

    #[tokio::test]
    async fn only_the_right_password_matches_and_a_missing_hash_never_does() {
        let passwords = Passwords::default();
        let hash = passwords.hash("monsoon ledger nine".into(), &[]).await;
        let hash = hash.expect("a strong password");
        assert!(hash.starts_with("$argon2id$"), "{hash}");
        let check = async |password: &str, hash: Option<&str>| {
            passwords.check(password.into(), hash.map(str::to_owned)).await.expect("a result")
        };
        assert!(check("monsoon ledger nine", Some(&hash)).await);
        assert!(!check("monsoon ledger ten", Some(&hash)).await);
        assert!(!check("nobody's password", None).await);
        assert!(!check("anything", Some("damaged")).await);
    }
}
