//! Settings of traces: the collector, the service name and the sampling rate.

use hyper::Uri;
use serde::Deserialize;

use super::error::TracesError;

pub(super) const PER_THOUSAND: u32 = 1000;

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
    pub fn check(&self) -> Result<(), TracesError> {
        if self.sample_per_thousand > PER_THOUSAND {
            return Err(TracesError::Sample { given: self.sample_per_thousand });
        }
        if self.is_on() && self.service_name.is_empty() {
            return Err(TracesError::NoServiceName);
        }
        let address: Option<Uri> = self.otlp_endpoint.parse().ok();
        let usable = address.is_some_and(|address| {
            matches!(address.scheme_str(), Some("http" | "https")) && address.host().is_some()
        });
        match !self.is_on() || usable {
            true => Ok(()),
            false => Err(TracesError::Endpoint),
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
