//! The nodes and relations of the graph.

/// The characters of a company number in the order of their bytes; a shorter number is filled with the first.
const ALPHABET: &[u8] = b"\0-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
/// The longest number that fits; a CIN has 21 characters.
const MAX_CHARACTERS: usize = 24;

/// A CIN, LLPIN or FCRN in 16 bytes. Numbers are ordered like their texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct CompanyNumber(pub u128);

impl CompanyNumber {
    /// None for a text that is no company number.
    pub fn pack(text: &str) -> Option<CompanyNumber> {
        let bytes = text.as_bytes();
        if bytes.is_empty() || bytes.len() > MAX_CHARACTERS {
            return None;
        }
        let mut packed = 0u128;
        for at in 0..MAX_CHARACTERS {
            let digit = match bytes.get(at) {
                None => 0,
                Some(byte) => match byte {
                    b'-' => 1,
                    b'0'..=b'9' => 2 + u128::from(byte - b'0'),
                    b'A'..=b'Z' => 12 + u128::from(byte - b'A'),
                    _ => return None,
                },
            };
            packed = packed * ALPHABET.len() as u128 + digit;
        }
        Some(CompanyNumber(packed))
    }

    pub fn text(self) -> String {
        let mut bytes = [0; MAX_CHARACTERS];
        let mut rest = self.0;
        for byte in bytes.iter_mut().rev() {
            *byte = ALPHABET[(rest % ALPHABET.len() as u128) as usize];
            rest /= ALPHABET.len() as u128;
        }
        bytes.iter().take_while(|byte| **byte != 0).map(|byte| char::from(*byte)).collect()
    }
}

/// The highest DIN.
pub(crate) const MAX_DIN: u32 = 99_999_999;

/// A DIN as a number; none for a text that is no DIN.
pub(crate) fn pack_din(text: &str) -> Option<u32> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|din| digits && *din <= MAX_DIN)
}

/// A node: a company by its index, or a person by their DIN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Node {
    Company(u32),
    Director(u32),
}

/// The identifier of a node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NodeId {
    /// A CIN, LLPIN or FCRN.
    Company(String),
    /// A DIN of eight digits.
    Director(String),
}

impl NodeId {
    pub fn as_str(&self) -> &str {
        match self {
            NodeId::Company(text) | NodeId::Director(text) => text,
        }
    }
}

/// How two nodes are connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// A person has or had an appointment in a company.
    DirectorOf,
    /// Two companies have the same registered office.
    SameRegisteredOffice,
    /// Two companies use email addresses of the same domain.
    SameEmailDomain,
    /// The number of one company is a former number of the other.
    FormerCompany,
}

impl Relation {
    pub const ALL: [Relation; 4] = [
        Relation::DirectorOf,
        Relation::SameRegisteredOffice,
        Relation::SameEmailDomain,
        Relation::FormerCompany,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Relation::DirectorOf => "director_of",
            Relation::SameRegisteredOffice => "same_registered_office",
            Relation::SameEmailDomain => "same_email_domain",
            Relation::FormerCompany => "former_company",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_text_and_order() {
        let numbers =
            ["AAA-1204", "F00123", "F990103", "L17111MH1994PLC990011", "U72900KA2017PTC990462"];
        let packed: Vec<CompanyNumber> =
            numbers.iter().map(|text| CompanyNumber::pack(text).expect("a number")).collect();
        assert!(packed.is_sorted());
        assert_eq!(packed.iter().map(|number| number.text()).collect::<Vec<_>>(), numbers);
        for text in ["", "l17111", "A B", "1234567890123456789012345"] {
            assert_eq!(CompanyNumber::pack(text), None, "{text}");
        }
        assert_eq!(
            (pack_din("00000007"), pack_din("123456789"), pack_din("+1")),
            (Some(7), None, None)
        );
    }
}
