//! An account created with the commands, and its ledger read with them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::load::Receipt;
use crate::program::{Program, wait_for};

/// A company and a director of the live register; both are fictitious.
pub const CIN: &str = "U17110MH2001PTC990501";
pub const NAME: &str = "Udaharan Textiles Private Limited";
pub const DIN: &str = "99000501";
/// The records to import them from.
pub const RECORDS: &str = concat!(
    r#"{"record":"company","cin":"U17110MH2001PTC990501","name":"Udaharan Textiles Private Limited","#,
    r#""status_text":"Active","as_of":"2026-01-10"}"#,
    "\n",
    r#"{"record":"director","din":"99000501","name":"Namuna Udaharan","status_text":"Approved","#,
    r#""as_of":"2026-01-10"}"#,
    "\n",
);

/// The most entries of one history command.
const ALL_ENTRIES: &str = "100000";

#[derive(Clone, Debug)]
pub struct Account {
    program: Program,
    pub email: String,
}

#[derive(Clone, Debug)]
pub struct Entry {
    pub kind: String,
    pub amount: i64,
    pub reference: String,
}

impl Account {
    pub fn create(program: &Program, email: &str) -> Account {
        program.ok(&["account", "create", "--email", email, "--name", "Namuna Traders"]);
        Account { program: program.clone(), email: email.to_owned() }
    }

    /// An existing account.
    pub fn of(program: &Program, email: &str) -> Account {
        Account { program: program.clone(), email: email.to_owned() }
    }

    /// An account with live credits, and a register with a record to pay for.
    pub fn with_credits(program: &Program, credits: i64) -> Account {
        let imported = program.run_with_input(&["import", "-"], RECORDS);
        assert_eq!(imported.code, Some(0), "{imported:?}");
        let account = Account::create(program, "namuna@example.in");
        account.grant(credits);
        account
    }

    pub fn grant(&self, credits: i64) {
        let amount = credits.to_string();
        self.program.ok(&["credits", "grant", "--account", &self.email, "--amount", &amount]);
    }

    pub fn key(&self, mode: &str) -> String {
        self.program.ok(&["key", "create", "--account", &self.email, "--mode", mode])
    }

    /// The id of the newest key.
    pub fn newest_key_id(&self) -> String {
        let keys = self.program.json(&["key", "list", "--account", &self.email]);
        let keys = keys.as_array().unwrap();
        let newest = keys.iter().max_by_key(|key| key["id"].as_str().unwrap().to_owned());
        newest.unwrap()["id"].as_str().unwrap().to_owned()
    }

    pub fn balance(&self, mode: &str) -> i64 {
        self.snapshot(mode)["balance"].as_i64().unwrap()
    }

    pub fn free_calls_used(&self, mode: &str) -> i64 {
        self.snapshot(mode)["free_calls_used_today"].as_i64().unwrap()
    }

    fn snapshot(&self, mode: &str) -> Value {
        let shown = self.program.json(&["credits", "show", "--account", &self.email]);
        let of_mode = shown.as_array().unwrap().iter().find(|snapshot| snapshot["mode"] == mode);
        of_mode.unwrap().clone()
    }

    /// All live entries.
    pub fn entries(&self) -> Vec<Entry> {
        let arguments = ["credits", "history", "--account", &self.email, "--limit", ALL_ENTRIES];
        let history = self.program.json(&arguments);
        let entry = |entry: &Value| Entry {
            kind: entry["kind"].as_str().unwrap().to_owned(),
            amount: entry["amount"].as_i64().unwrap(),
            reference: entry["reference"].as_str().unwrap().to_owned(),
        };
        history.as_array().unwrap().iter().map(entry).collect()
    }

    /// The charges by request; panics if a request is charged twice.
    pub fn charges(&self) -> BTreeMap<String, i64> {
        let mut charges = BTreeMap::new();
        for entry in self.entries().into_iter().filter(|entry| entry.kind == "charge") {
            let twice = charges.insert(entry.reference.clone(), -entry.amount);
            assert_eq!(twice, None, "{} is charged twice", entry.reference);
        }
        charges
    }

    /// The requests whose charge was refunded.
    pub fn refunds(&self) -> BTreeSet<String> {
        let entries = self.entries().into_iter();
        entries.filter(|entry| entry.kind == "refund").map(|entry| entry.reference).collect()
    }

    /// Checks that every response a client received is in the ledger with its amount. Returns the
    /// charges whose response no client received.
    pub fn check_receipts(&self, receipts: &[Receipt]) -> Vec<String> {
        let mut charges = self.charges();
        for receipt in receipts {
            let charged = charges.remove(&receipt.request_id);
            assert_eq!(charged, Some(receipt.credits), "{} in the ledger", receipt.request_id);
        }
        charges.into_keys().collect()
    }

    /// Checks that the granted credits paid for exactly the responses that clients received. A commit
    /// whose response was lost is refunded once it is found.
    pub fn check_paid(&self, granted: i64, receipts: &[Receipt]) {
        let received: i64 = receipts.iter().map(|receipt| receipt.credits).sum();
        wait_for("lost responses are refunded", || self.balance("live") == granted - received);
        let undelivered: BTreeSet<String> = self.check_receipts(receipts).into_iter().collect();
        assert_eq!(undelivered, self.refunds());
    }

    /// Checks that the ledger passes its audit.
    pub fn audit(&self) {
        let audit = self.program.ok(&["ledger", "audit"]);
        assert!(audit.starts_with("The ledger is consistent"), "{audit}");
    }
}
