//! The verification of ID tokens (OpenID Connect Core, 3.1.3.7).

use jsonwebtoken::jwk::{Jwk, PublicKeyUse};
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey, Validation, decode, decode_header};
use panji_store::ledger::equal_in_constant_time;
use serde_json::{Map, Value};

use super::{Sso, SsoError};

/// Signatures with a public key. Never a shared secret (HS256): the public key could be used as one.
const ALGORITHMS: [Algorithm; 9] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
];
/// By how much the clocks may differ.
const LEEWAY_SECONDS: u64 = 60;
const MAX_TOKEN_BYTES: usize = 64 * 1024;

impl Sso {
    /// The claims of an ID token: signed by the provider, for this service, for this attempt, and not expired.
    pub(super) async fn verify(
        &self,
        token: &str,
        nonce: &str,
        now_ms: i64,
    ) -> Result<Map<String, Value>, SsoError> {
        let invalid = |reason: &str| SsoError::Token(reason.to_owned());
        if token.len() > MAX_TOKEN_BYTES {
            return Err(invalid("it is too long"));
        }
        let header = decode_header(token).map_err(|error| SsoError::Token(error.to_string()))?;
        if !ALGORITHMS.contains(&header.alg) {
            return Err(invalid("its algorithm is not allowed"));
        }
        let (kid, algorithm) = (header.kid.as_deref(), header.alg);
        let key = self.find_key(|keys| choose(keys, kid, algorithm), now_ms).await?;
        let key = key.ok_or_else(|| invalid("it is signed with an unknown key"))?;
        let key =
            DecodingKey::from_jwk(&key).map_err(|error| SsoError::Token(error.to_string()))?;
        let mut validation = Validation::new(algorithm);
        validation.leeway = LEEWAY_SECONDS;
        validation.validate_nbf = true;
        validation.set_issuer(&[&self.settings.issuer]);
        validation.set_audience(&[&self.settings.client_id]);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        let decoded = decode::<Map<String, Value>>(token, &key, &validation);
        let claims = decoded.map_err(|error| SsoError::Token(error.to_string()))?.claims;
        self.check_party(&claims)?;
        let given = claims.get("nonce").and_then(Value::as_str).unwrap_or_default();
        if !equal_in_constant_time(nonce, given) {
            return Err(invalid("it belongs to another attempt to log in"));
        }
        Ok(claims)
    }

    /// A token for several parties must name this service as the one that it was issued to.
    fn check_party(&self, claims: &Map<String, Value>) -> Result<(), SsoError> {
        let party = claims.get("azp").and_then(Value::as_str);
        let several = claims.get("aud").and_then(Value::as_array).is_some_and(|aud| aud.len() > 1);
        let named = party.is_some_and(|party| party == self.settings.client_id);
        match named || (party.is_none() && !several) {
            true => Ok(()),
            false => Err(SsoError::Token("it was issued to another client".to_owned())),
        }
    }
}

/// The key with this id that fits the algorithm; without an id, the only one that fits.
fn choose(keys: &[Jwk], kid: Option<&str>, algorithm: Algorithm) -> Option<Jwk> {
    let mut fitting = keys.iter().filter(|key| {
        let common = &key.common;
        let signs =
            common.public_key_use.as_ref().is_none_or(|usage| *usage == PublicKeyUse::Signature);
        let named = kid.is_none() || common.key_id.as_deref() == kid;
        let same_algorithm = common
            .key_algorithm
            .is_none_or(|named| Algorithm::try_from(named).is_ok_and(|named| named == algorithm));
        signs && named && same_algorithm && family(key) == Some(algorithm.family())
    });
    let first = fitting.next()?;
    (kid.is_some() || fitting.next().is_none()).then(|| first.clone())
}

fn family(key: &Jwk) -> Option<AlgorithmFamily> {
    DecodingKey::from_jwk(key).ok().map(|key| key.family())
}
