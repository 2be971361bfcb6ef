//! The data of a company in the index, for ranking and for the result.

use panji_store::register::IndexedCompany;

/// Separates the parts of a stored company; no name contains it.
const SEPARATOR: char = '\u{1f}';
/// Separates numbers in one part.
const NUMBER_SEPARATOR: &str = ",";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredCompany {
    pub cin: String,
    pub name: String,
    /// `company`, `llp` or `foreign_company`.
    pub kind: String,
    pub status: String,
    pub state: Option<String>,
    pub incorporated_on: Option<String>,
    pub listed: Option<bool>,
    /// The city of its registered office.
    pub city: Option<String>,
    /// The PIN code of its registered office.
    pub pincode: Option<String>,
    pub former_cins: Vec<String>,
    pub former_names: Vec<String>,
}

/// Kinds are stored as letters.
const KINDS: [(&str, &str); 3] = [("c", "company"), ("l", "llp"), ("f", "foreign_company")];

impl StoredCompany {
    pub fn new(company: &IndexedCompany) -> StoredCompany {
        let by_code = company.state_code.as_deref().and_then(panji_ids::cin_state);
        StoredCompany {
            cin: company.cin.clone(),
            name: company.name.clone(),
            kind: company.kind.clone(),
            status: company.status.clone(),
            state: by_code.map(str::to_owned).or_else(|| company.state.clone()),
            incorporated_on: company.incorporated_on.clone(),
            listed: company.listed,
            city: company.city.clone(),
            pincode: company.pincode.clone(),
            former_cins: company.former_numbers(),
            former_names: former_names(&company.former_names),
        }
    }

    pub fn encode(&self) -> Vec<u8> {
        let kind = KINDS.iter().find(|(_, kind)| *kind == self.kind);
        let listed = self.listed.map(|listed| if listed { "y" } else { "n" });
        let former_cins = self.former_cins.join(NUMBER_SEPARATOR);
        let fixed = [
            self.cin.as_str(),
            kind.map_or(self.kind.as_str(), |(letter, _)| *letter),
            &self.status,
            self.state.as_deref().unwrap_or_default(),
            self.incorporated_on.as_deref().unwrap_or_default(),
            listed.unwrap_or_default(),
            self.city.as_deref().unwrap_or_default(),
            self.pincode.as_deref().unwrap_or_default(),
            &former_cins,
            &self.name,
        ];
        let names = self.former_names.iter().map(String::as_str);
        let mut text = String::with_capacity(128);
        for (position, part) in fixed.into_iter().chain(names).enumerate() {
            if position > 0 {
                text.push(SEPARATOR);
            }
            text.extend(part.chars().filter(|character| *character != SEPARATOR));
        }
        text.into_bytes()
    }

    /// None if the bytes are damaged.
    pub fn decode(bytes: &[u8]) -> Option<StoredCompany> {
        let mut parts = std::str::from_utf8(bytes).ok()?.split(SEPARATOR);
        let mut next = || parts.next();
        let optional = |part: &str| (!part.is_empty()).then(|| part.to_owned());
        let cin = next()?.to_owned();
        let letter = next()?;
        let kind =
            KINDS.iter().find(|(known, _)| *known == letter).map_or(letter, |(_, kind)| *kind);
        Some(StoredCompany {
            cin,
            kind: kind.to_owned(),
            status: next()?.to_owned(),
            state: optional(next()?),
            incorporated_on: optional(next()?),
            listed: optional(next()?).map(|listed| listed == "y"),
            city: optional(next()?),
            pincode: optional(next()?),
            former_cins: next()?.split_terminator(NUMBER_SEPARATOR).map(str::to_owned).collect(),
            name: next()?.to_owned(),
            former_names: parts.map(str::to_owned).collect(),
        })
    }
}

fn former_names(json: &str) -> Vec<String> {
    #[derive(serde::Deserialize)]
    struct Former {
        name: String,
    }
    if json.len() <= 2 {
        return Vec::new();
    }
    let former: Vec<Former> = serde_json::from_str(json).unwrap_or_default();
    former.into_iter().map(|former| former.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_company_is_read_back_unchanged() {
        let mut stored = StoredCompany {
            cin: "AAB-1234".into(),
            name: "Namuna Ltd".into(),
            kind: "llp".into(),
            status: "active".into(),
            state: None,
            incorporated_on: Some("2001-02-03".into()),
            listed: Some(false),
            city: Some("Pune".into()),
            pincode: None,
            former_cins: vec!["AAB-1111".into(), "AAB-2222".into()],
            former_names: vec!["Chaya".into(), "Dhaga".into()],
        };
        assert_eq!(StoredCompany::decode(&stored.encode()), Some(stored.clone()));
        stored.kind = "other".into();
        stored.former_names.clear();
        stored.former_cins.clear();
        assert_eq!(StoredCompany::decode(&stored.encode()), Some(stored));
        assert_eq!(StoredCompany::decode(b"damaged"), None);
    }
}
