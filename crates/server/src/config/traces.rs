//! Settings of traces: the collector, the service name and the sampling rate.

use hyper::Uri;
use serde::Deserialize;

const PER_THOUSAND: u32 = 1000;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceSettings {
    /// The collector's URL for traces; empty to send none.
    pub otlp_endpoint: String,
    pub service_name: String,
    /// How many of a thousand requests are traced; a request that belongs to a caller's trace
    /// follows that trace.
    pub sample_per_thousand: u32,
}

impl TraceSettings {
    /// The error is one sentence for the operator.
    pub fn check(&self) -> Result<(), String> {
        if self.sample_per_thousand > PER_THOUSAND {
            let given = self.sample_per_thousand;
            return Err(format!(
                "the setting tracing.sample_per_thousand must be 0 to {PER_THOUSAND}, not {given}"
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
            false => Err("the setting tracing.otlp_endpoint must be a URL such as \
                 http://127.0.0.1:4318/v1/traces"
                .into()),
        }
    }

    pub fn is_on(&self) -> bool {
        !self.otlp_endpoint.is_empty()
    }

    /// The share of requests that are traced, from 0 to 1.
    pub fn sample_ratio(&self) -> f64 {
        f64::from(self.sample_per_thousand) / f64::from(PER_THOUSAND)
    }
}
