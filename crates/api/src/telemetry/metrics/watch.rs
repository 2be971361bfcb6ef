//! The metrics of events on their way to those who watch.

use prometheus::{IntCounter, IntCounterVec, Registry};

use super::{counter, counters};

pub struct WatchMetrics {
    /// Events stored for accounts by this node.
    pub events: IntCounter,
    deliveries: IntCounterVec,
}

/// The result of a delivery to a webhook.
#[derive(Clone, Copy, Debug)]
pub enum DeliveryResult {
    Delivered,
    /// It is tried again later.
    Failed,
    /// It failed, and the webhook was disabled.
    Disabled,
    /// The balance does not cover it: it waits.
    Unpaid,
    /// The event was deleted because of its age.
    Expired,
}

impl DeliveryResult {
    const ALL: [DeliveryResult; 5] = [
        DeliveryResult::Delivered,
        DeliveryResult::Failed,
        DeliveryResult::Disabled,
        DeliveryResult::Unpaid,
        DeliveryResult::Expired,
    ];

    fn as_str(self) -> &'static str {
        match self {
            DeliveryResult::Delivered => "delivered",
            DeliveryResult::Failed => "failed",
            DeliveryResult::Disabled => "disabled",
            DeliveryResult::Unpaid => "unpaid",
            DeliveryResult::Expired => "expired",
        }
    }
}

impl WatchMetrics {
    pub fn new(registry: &Registry) -> Result<WatchMetrics, prometheus::Error> {
        let deliveries = counters(
            registry,
            "panji_webhook_deliveries_total",
            "Deliveries of events to webhooks, by result; each attempt counts.",
            &["result"],
        )?;
        // A counter that is there from the start can be compared with its later values.
        for result in DeliveryResult::ALL {
            deliveries.with_label_values(&[result.as_str()]);
        }
        let events = counter(
            registry,
            "panji_watched_events_total",
            "Events stored for the accounts that watch their subjects.",
        )?;
        Ok(WatchMetrics { events, deliveries })
    }

    pub fn count_deliveries(&self, result: DeliveryResult, count: usize) {
        self.deliveries.with_label_values(&[result.as_str()]).inc_by(count as u64);
    }
}
