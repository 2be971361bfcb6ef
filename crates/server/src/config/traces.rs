//! Settings of traces: where they are sent, under which name, and how many.

use hyper::Uri;
use serde::Deserialize;

/// All of a thousand.
const ALL: u32 = 1000;

/// Where traces are sent.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceSettings {
    /// The collector's address for traces; empty to make none.
    pub otlp_endpoint: String,
    /// What this service is called there.
    pub service_name: String,
    /// Of a thousand requests whose caller does not say, how many are traced.
    pub sample_per_thousand: u32,
}

impl TraceSettings {
    /// Says in a sentence what is wrong with them.
    pub fn check(&self) -> Result<(), String> {
        if self.sample_per_thousand > ALL {
            let given = self.sample_per_thousand;
            return Err(format!(
                "the setting tracing.sample_per_thousand must be 0 to {ALL}, not {given}"
            ));
        }
        if self.is_on() && self.service_name.is_empty() {
            return Err("the setting tracing.service_name must not be empty".into());
        }
        let address: Option<Uri> = self.otlp_endpoint.parse().ok();
        let usable = address.is_some_and(|address| {
            matches!(address.scheme_str(), Some("http" | "https")) && address.host().is_some()
        });
        match !self.is_on() || usable {
            true => Ok(()),
            false => Err("the setting tracing.otlp_endpoint must be an address, as \
                 http://127.0.0.1:4318/v1/traces"
                .into()),
        }
    }

    /// Whether there are traces at all.
    pub fn is_on(&self) -> bool {
        !self.otlp_endpoint.is_empty()
    }

    /// The share of requests that are traced, of 1.
    pub fn sample_ratio(&self) -> f64 {
        f64::from(self.sample_per_thousand) / f64::from(ALL)
    }
}
