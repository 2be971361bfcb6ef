//! What the provider publishes about itself: its endpoints and its keys, kept for some time.

use std::sync::Arc;

use jsonwebtoken::jwk::Jwk;
use serde::Deserialize;
use serde_json::Value;

use super::{Sso, SsoError};

/// How long endpoints and keys are used without asking again.
const KEEP_MS: i64 = 3_600_000;
/// The least time between two requests for the keys because of an unknown key: anybody can send a token with one.
const REFETCH_MS: i64 = 30_000;
const MAX_KEYS: usize = 100;

/// The provider's endpoints (OpenID Connect Discovery).
#[derive(Debug, Deserialize)]
pub(super) struct Discovered {
    issuer: String,
    pub(super) authorization_endpoint: String,
    pub(super) token_endpoint: String,
    jwks_uri: String,
    pub(super) userinfo_endpoint: Option<String>,
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
}

impl Discovered {
    /// Whether the secret is sent in the header; this is also the default of the specification.
    pub(super) fn takes_basic_authentication(&self) -> bool {
        let methods = self.token_endpoint_auth_methods_supported.as_ref();
        methods.is_none_or(|methods| {
            methods.iter().any(|method| method == "client_secret_basic")
                || !methods.iter().any(|method| method == "client_secret_post")
        })
    }
}

#[derive(Default)]
pub(super) struct Cache {
    discovered: Option<(Arc<Discovered>, i64)>,
    keys: Arc<Vec<Jwk>>,
    /// When the keys were last requested, with or without success.
    keys_asked_at: Option<i64>,
}

impl Sso {
    pub(super) async fn discover(&self, now_ms: i64) -> Result<Arc<Discovered>, SsoError> {
        if let Some((discovered, at_ms)) = &self.lock_cache().discovered
            && now_ms - at_ms < KEEP_MS
        {
            return Ok(discovered.clone());
        }
        let issuer = &self.settings.issuer;
        let url = format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/'));
        let response = self.fetcher.get(&url, &[]).await?;
        let discovered: Discovered = serde_json::from_value(response)
            .map_err(|error| SsoError::Provider(format!("{url}: {error}")))?;
        if discovered.issuer != *issuer {
            let found = &discovered.issuer;
            return Err(SsoError::Provider(format!(
                "{url} is of the issuer {found:?}; sso.issuer must be the same"
            )));
        }
        let discovered = Arc::new(discovered);
        self.lock_cache().discovered = Some((discovered.clone(), now_ms));
        Ok(discovered)
    }

    /// The key that `choose` accepts. The keys are read again if there is none, because providers change
    /// their keys.
    pub(super) async fn find_key(
        &self,
        choose: impl Fn(&[Jwk]) -> Option<Jwk>,
        now_ms: i64,
    ) -> Result<Option<Jwk>, SsoError> {
        let (keys, age_ms) = {
            let cache = self.lock_cache();
            (cache.keys.clone(), cache.keys_asked_at.map(|at_ms| now_ms - at_ms))
        };
        let known = choose(&keys);
        let refetch = match age_ms {
            None => true,
            Some(age_ms) if known.is_none() => age_ms >= REFETCH_MS,
            Some(age_ms) => age_ms >= KEEP_MS,
        };
        if !refetch {
            return Ok(known);
        }
        let url = self.discover(now_ms).await?.jwks_uri.clone();
        self.lock_cache().keys_asked_at = Some(now_ms);
        let response = self.fetcher.get(&url, &[]).await?;
        let keys = Arc::new(read_keys(&response));
        self.lock_cache().keys = keys.clone();
        Ok(choose(&keys))
    }

    /// Asks the provider for its endpoints and keys; returns the number of keys.
    pub async fn count_keys(&self, now_ms: i64) -> Result<usize, SsoError> {
        self.find_key(|_| None, now_ms).await?;
        Ok(self.lock_cache().keys.len())
    }

    fn lock_cache(&self) -> std::sync::MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// The keys of a set; those that cannot be read are left out.
fn read_keys(set: &Value) -> Vec<Jwk> {
    let keys = set["keys"].as_array().map(Vec::as_slice).unwrap_or_default();
    let keys =
        keys.iter().take(MAX_KEYS).filter_map(|key| serde_json::from_value(key.clone()).ok());
    keys.collect()
}
