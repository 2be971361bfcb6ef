//! A series of changes of a company, as imports would record them. All fictitious.

use panji_store::Register;
use panji_store::register::{Company, Event};
use serde_json::{Value, json};

use crate::http::error::ApiError;

/// The director of the changes, who is in no sandbox record.
pub const DIRECTOR_DIN: &str = "99000990";
const DIRECTOR_NAME: &str = "Abhinay Kalpit";
const CHARGE_ID: &str = "990099001";
const LENDER: &str = "Udhaar Namuna Bank Limited";
/// The GSTIN of a company that has none in the sandbox.
const GSTIN: &str = "27ZZDCK9534Q1ZN";
/// Registrations of a company that are looked at.
const MAX_REGISTRATIONS: usize = 50;
const SOURCE: &str = "simulation";

/// One change of the series.
pub struct SimulatedChange {
    pub event_type: &'static str,
    resource: &'static str,
    record_key: String,
    pub subject: String,
    pub related: Option<String>,
    old_values: Option<Value>,
    new_values: Value,
}

impl SimulatedChange {
    /// The change as the register would record it.
    pub fn event(&self, seq: i64, day: &str, now_ms: i64) -> Event {
        Event {
            seq,
            event_type: self.event_type.to_owned(),
            resource: self.resource.to_owned(),
            record_key: self.record_key.clone(),
            subject: self.subject.clone(),
            related: self.related.clone(),
            old_values: self.old_values.as_ref().map(Value::to_string),
            new_values: Some(self.new_values.to_string()),
            as_of: Some(day.to_owned()),
            source: SOURCE.to_owned(),
            recorded_at: now_ms,
        }
    }
}

/// The company that changes, with its GST registrations.
pub struct SimulatedCompany {
    company: Company,
    gstins: Vec<String>,
    /// The registration that changes.
    gstin: String,
}

impl SimulatedCompany {
    pub async fn of(register: &Register, company: Company) -> Result<SimulatedCompany, ApiError> {
        let registrations = match register.find_company_pan(&company.cin).await? {
            Some(pan) => register.list_gst_registrations(&pan.pan).await?,
            None => Vec::new(),
        };
        let mut gstins: Vec<String> = registrations
            .into_iter()
            .map(|registration| registration.gstin)
            .take(MAX_REGISTRATIONS)
            .collect();
        if gstins.is_empty() {
            gstins.push(GSTIN.to_owned());
        }
        let gstin = gstins[0].clone();
        Ok(SimulatedCompany { company, gstins, gstin })
    }

    /// The members of watch lists that the events can match.
    pub fn subjects(&self) -> Vec<String> {
        let people = [self.company.cin.clone(), DIRECTOR_DIN.to_owned()];
        people.into_iter().chain(self.gstins.iter().cloned()).collect()
    }

    /// Lets the first registration that is watched change.
    pub fn prefer(&mut self, watched: &[String]) {
        if let Some(gstin) = self.gstins.iter().find(|gstin| watched.contains(gstin)) {
            self.gstin.clone_from(gstin);
        }
    }

    pub fn changes(&self) -> Vec<SimulatedChange> {
        let mut changes = self.early_changes();
        changes.extend(self.charge_changes());
        changes.extend(self.late_changes());
        changes
    }

    fn early_changes(&self) -> Vec<SimulatedChange> {
        vec![
            self.changed(
                "company.capital_changed",
                json!({ "authorised_capital": 100_000_000 }),
                json!({ "authorised_capital": 250_000_000 }),
            ),
            self.changed(
                "company.office_changed",
                json!({ "address": self.company.address, "city": self.company.city, "pincode": self.company.pincode }),
                json!({ "address": "7 Naya Marg, Kalpana Nagar", "city": "Pune", "pincode": "411001" }),
            ),
            self.appointment("director.appointed", None),
            self.record("filing.added", "filing", "DIR-12||2026-04-30|1", None, json!({
                "form_type": "DIR-12",
                "description": format!("Appointment of {DIRECTOR_NAME}"),
                "due_on": "2026-04-30",
                "filed_on": "2026-04-12",
            })),
        ]
    }

    fn charge_changes(&self) -> Vec<SimulatedChange> {
        let charge = |amount: i64, modified: Option<&str>, satisfied: Option<&str>| {
            json!({
                "lender": LENDER,
                "amount": amount,
                "created_on": "2026-04-20",
                "modified_on": modified,
                "satisfied_on": satisfied,
                "status": if satisfied.is_some() { "satisfied" } else { "open" },
            })
        };
        let created = charge(5_000_000_000, None, None);
        let modified = charge(8_000_000_000, Some("2026-06-02"), None);
        let satisfied = charge(8_000_000_000, Some("2026-06-02"), Some("2026-09-15"));
        vec![
            self.record("charge.created", "charge", CHARGE_ID, None, created.clone()),
            self.record("charge.modified", "charge", CHARGE_ID, Some(created), modified.clone()),
            self.record("charge.satisfied", "charge", CHARGE_ID, Some(modified), satisfied),
            self.gst(
                "gst_filing",
                "gst.return_filed",
                "|GSTR-3B|2026-05",
                None,
                json!({
                    "return_type": "GSTR-3B",
                    "period": "2026-05",
                    "financial_year": "2026-27",
                    "filed_on": "2026-06-19",
                    "status": "filed",
                }),
            ),
        ]
    }

    fn late_changes(&self) -> Vec<SimulatedChange> {
        let ceased = json!({ "ceased_on": null });
        vec![
            self.appointment("director.ceased", Some(ceased)),
            self.record("filing.overdue", "filing", "AOC-4|2025-26|2026-10-30|1",
                None,
                json!({ "form_type": "AOC-4", "financial_year": "2025-26", "due_on": "2026-10-30" })),
            self.gst("gst", "gst.status_changed", "",
                Some(json!({ "status": "active", "status_text": "Active" })),
                json!({ "status": "suspended", "status_text": "Suspended" })),
            self.changed(
                "company.status_changed",
                json!({ "status": self.company.status, "status_text": self.company.status_text }),
                json!({ "status": "under_strike_off", "status_text": "Under Process of Striking Off" }),
            ),
        ]
    }

    fn changed(&self, event_type: &'static str, old: Value, new: Value) -> SimulatedChange {
        SimulatedChange {
            event_type,
            resource: "company",
            record_key: self.company.cin.clone(),
            subject: self.company.cin.clone(),
            related: None,
            old_values: Some(old),
            new_values: new,
        }
    }

    fn record(
        &self,
        event_type: &'static str,
        resource: &'static str,
        key: &str,
        old_values: Option<Value>,
        new_values: Value,
    ) -> SimulatedChange {
        let cin = &self.company.cin;
        SimulatedChange {
            event_type,
            resource,
            record_key: format!("{cin}|{key}"),
            subject: cin.clone(),
            related: None,
            old_values,
            new_values,
        }
    }

    fn appointment(&self, event_type: &'static str, old: Option<Value>) -> SimulatedChange {
        let ceased_on = old.is_some().then_some("2026-08-31");
        let new = json!({
            "name": DIRECTOR_NAME,
            "designation": "director",
            "designation_text": "Director",
            "appointed_on": "2026-04-01",
            "ceased_on": ceased_on,
        });
        let change =
            self.record(event_type, "appointment", &format!("{DIRECTOR_DIN}|2026-04-01"), old, new);
        SimulatedChange { related: Some(DIRECTOR_DIN.to_owned()), ..change }
    }

    fn gst(
        &self,
        resource: &'static str,
        event_type: &'static str,
        key: &str,
        old_values: Option<Value>,
        new_values: Value,
    ) -> SimulatedChange {
        SimulatedChange {
            event_type,
            resource,
            record_key: format!("{}{key}", self.gstin),
            subject: self.gstin.clone(),
            related: None,
            old_values,
            new_values,
        }
    }
}
