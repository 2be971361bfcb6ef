//! Identifiers that make a call fail or wait in test mode, so that clients can test their error
//! handling.

use std::borrow::Cow;

use crate::api::wire::IdentifierType;
use crate::http::error::{ApiError, ErrorCode};

/// How long the call with the slow company takes.
pub const SLOW_RESPONSE_MS: u64 = 10_000;

/// The effect of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// No effect; the sandbox does not contain it.
    NotFound,
    Fail(ErrorCode),
    /// The call responds after `SLOW_RESPONSE_MS`.
    Wait,
}

/// The values with one effect, at most one of each kind.
pub struct Simulation {
    pub cin: &'static str,
    pub din: Option<&'static str>,
    pub gstin: Option<&'static str>,
    pub pan: Option<&'static str>,
    pub effect: Effect,
    /// A description of the response; docs/sandbox.md has the same text.
    pub response: &'static str,
}

/// The digits of a value end in the HTTP status, or in a number like it.
pub const SIMULATIONS: [Simulation; 8] = [
    Simulation {
        cin: "U99999XX2000PTC000402",
        din: Some("99999402"),
        gstin: Some("27ZZZCX0402Z1ZX"),
        pan: Some("ZZZCX0402Z"),
        effect: Effect::Fail(ErrorCode::InsufficientCredits),
        response: "402 insufficient_credits",
    },
    Simulation {
        cin: "U99999XX2000PTC000404",
        din: Some("99999404"),
        gstin: Some("27ZZZCX0404Z1ZV"),
        pan: None,
        effect: Effect::NotFound,
        response: "404 company_not_found, director_not_found or gstin_not_found; a verification returns 200 with found false",
    },
    Simulation {
        cin: "U99999XX2000PTC000409",
        din: Some("99999409"),
        gstin: Some("27ZZZCX0409Z1ZQ"),
        pan: Some("ZZZCX0409Z"),
        effect: Effect::Fail(ErrorCode::IdempotencyInProgress),
        response: "409 idempotency_in_progress",
    },
    Simulation {
        cin: "U99999XX2000PTC000429",
        din: Some("99999429"),
        gstin: Some("27ZZZCX0429Z1ZM"),
        pan: Some("ZZZCX0429Z"),
        effect: Effect::Fail(ErrorCode::RateLimited),
        response: "429 rate_limited",
    },
    Simulation {
        cin: "U99999XX2000PTC000500",
        din: Some("99999500"),
        gstin: Some("27ZZZCX0500Z1ZY"),
        pan: Some("ZZZCX0500Z"),
        effect: Effect::Fail(ErrorCode::InternalError),
        response: "500 internal_error",
    },
    Simulation {
        cin: "U99999XX2000PTC000503",
        din: Some("99999503"),
        gstin: Some("27ZZZCX0503Z1ZV"),
        pan: Some("ZZZCX0503Z"),
        effect: Effect::Fail(ErrorCode::Unavailable),
        response: "503 unavailable",
    },
    Simulation {
        cin: "U99999XX2000PTC000529",
        din: Some("99999529"),
        gstin: Some("27ZZZCX0529Z1ZL"),
        pan: Some("ZZZCX0529Z"),
        effect: Effect::Fail(ErrorCode::Overloaded),
        response: "503 overloaded",
    },
    Simulation {
        cin: "U99999XX2000PTC000010",
        din: None,
        gstin: None,
        pan: None,
        effect: Effect::Wait,
        response: "a successful response after 10 seconds",
    },
];

impl Simulation {
    pub fn value(&self, kind: IdentifierType) -> Option<&'static str> {
        match kind {
            IdentifierType::Cin => Some(self.cin),
            IdentifierType::Din => self.din,
            IdentifierType::Gstin => self.gstin,
            IdentifierType::Pan => self.pan,
        }
    }
}

/// The effect of an identifier in its canonical form.
pub fn effect_of(kind: IdentifierType, id: &str) -> Effect {
    let simulation = SIMULATIONS.iter().find(|simulation| simulation.value(kind) == Some(id));
    simulation.map_or(Effect::NotFound, |simulation| simulation.effect)
}

/// The first effect among some identifiers.
pub fn first_effect<'a>(ids: impl IntoIterator<Item = (IdentifierType, Cow<'a, str>)>) -> Effect {
    let mut effects = ids.into_iter().map(|(kind, id)| effect_of(kind, &id));
    effects.find(|effect| *effect != Effect::NotFound).unwrap_or(Effect::NotFound)
}

/// The error of a code, in the same form as the real error.
pub fn error(code: ErrorCode) -> ApiError {
    let error = ApiError::new(code, format!("Simulated: {}", code.meaning()));
    match code {
        ErrorCode::IdempotencyInProgress => error.param("Idempotency-Key"),
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use panji_ids::{CompanyId, Din, Gstin, Pan};

    use super::*;

    #[test]
    fn every_value_is_well_formed_and_canonical() {
        for simulation in &SIMULATIONS {
            let cin = simulation.cin;
            assert_eq!(CompanyId::parse(cin).expect(cin).as_str(), cin);
            if let Some(din) = simulation.din {
                assert_eq!(Din::parse(din).expect(din).as_str(), din);
            }
            if let Some(gstin) = simulation.gstin {
                assert_eq!(Gstin::parse(gstin).expect(gstin).as_str(), gstin);
            }
            if let Some(pan) = simulation.pan {
                assert_eq!(Pan::parse(pan).expect(pan).as_str(), pan);
            }
            if let Effect::Fail(code) = simulation.effect {
                let expected = format!("{} {}", code.status().as_u16(), code.as_str());
                assert_eq!(simulation.response, expected);
            }
        }
    }

    #[test]
    fn the_documentation_has_the_same_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/sandbox.md");
        let page = std::fs::read_to_string(path).expect("docs/sandbox.md exists");
        let documented: Vec<String> = page
            .lines()
            .filter(|line| line.starts_with("| `U99999XX2000PTC"))
            .map(|line| line.replace('`', ""))
            .collect();
        let values = |simulation: &Simulation| {
            IdentifierType::ALL.map(|kind| simulation.value(kind).unwrap_or("–")).join(" | ")
        };
        let expected =
            SIMULATIONS.map(|entry| format!("| {} | {} |", values(&entry), entry.response));
        assert_eq!(documented, expected);
    }
}
