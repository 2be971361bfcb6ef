//! An account set up through the commands, and its ledger read back through them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::load::Receipt;
use crate::program::{Program, wait_for};

/// A company and a director of the live register; neither exists.
pub const CIN: &str = "U17110MH2001PTC990501";
pub const NAME: &str = "Udaharan Textiles Private Limited";
pub const DIN: &str = "99000501";
/// What they are imported from.
pub const RECORDS: &str = concat!(
    r#"{"record":"company","cin":"U17110MH2001PTC990501","name":"Udaharan Textiles Private Limited","#,
    r#""status_text":"Active","as_of":"2026-01-10"}"#,
    "\n",
    r#"{"record":"director","din":"99000501","name":"Namuna Udaharan","status_text":"Approved","#,
    r#""as_of":"2026-01-10"}"#,
    "\n",
);

/// The most entries that one look at the history gives.
const ALL_ENTRIES: &str = "100000";

/// An account of a program's ledger.
#[derive(Clone, Debug)]
pub struct Account {
    program: Program,
    pub email: String,
}

/// An entry of the ledger.
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

    /// An account that is there already.
    pub fn of(program: &Program, email: &str) -> Account {
        Account { program: program.clone(), email: email.to_owned() }
    }

    /// An account with live credits, and a register that holds something to pay for.
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
        self.standing(mode)["balance"].as_i64().unwrap()
    }

    pub fn free_calls_used(&self, mode: &str) -> i64 {
        self.standing(mode)["free_calls_used_today"].as_i64().unwrap()
    }

    fn standing(&self, mode: &str) -> Value {
        let shown = self.program.json(&["credits", "show", "--account", &self.email]);
        let of_mode = shown.as_array().unwrap().iter().find(|standing| standing["mode"] == mode);
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

    /// The charges by request; no request is there twice.
    pub fn charges(&self) -> BTreeMap<String, i64> {
        let mut charges = BTreeMap::new();
        for entry in self.entries().into_iter().filter(|entry| entry.kind == "charge") {
            let twice = charges.insert(entry.reference.clone(), -entry.amount);
            assert_eq!(twice, None, "{} is charged twice", entry.reference);
        }
        charges
    }

    /// The requests whose charge was given back.
    pub fn refunds(&self) -> BTreeSet<String> {
        let entries = self.entries().into_iter();
        entries.filter(|entry| entry.kind == "refund").map(|entry| entry.reference).collect()
    }

    /// Makes sure that every answer a client received is in the ledger with its amount, and gives
    /// the charges whose answer nobody received.
    pub fn check_receipts(&self, receipts: &[Receipt]) -> Vec<String> {
        let mut charges = self.charges();
        for receipt in receipts {
            let charged = charges.remove(&receipt.request_id);
            assert_eq!(charged, Some(receipt.credits), "{} in the ledger", receipt.request_id);
        }
        charges.into_keys().collect()
    }

    /// Makes sure that what was granted paid for exactly the answers that clients received: a commit
    /// whose answer was lost with the connection is given back once it turns up.
    pub fn check_paid(&self, granted: i64, receipts: &[Receipt]) {
        let received: i64 = receipts.iter().map(|receipt| receipt.credits).sum();
        wait_for("what nobody received is given back", || {
            self.balance("live") == granted - received
        });
        let unheard: BTreeSet<String> = self.check_receipts(receipts).into_iter().collect();
        assert_eq!(unheard, self.refunds());
    }

    /// Makes sure that the ledger proves itself.
    pub fn audit(&self) {
        let audit = self.program.ok(&["ledger", "audit"]);
        assert!(audit.starts_with("The ledger is right"), "{audit}");
    }
}
