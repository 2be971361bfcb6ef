//! A call to begin with, which works in its mode: on a company that is held there.

use panji_store::ledger::Mode;

use crate::sandbox::DEMO_CIN;
use crate::state::App;

/// A call to paste into a terminal.
pub struct FirstCall {
    path: String,
    /// Whether it is for the live register and that holds no company.
    pub register_is_empty: bool,
}

impl FirstCall {
    /// Finds one. A register that does not answer is no reason not to show a key: any CIN can be
    /// verified.
    pub async fn find(app: &App, mode: Mode) -> FirstCall {
        let of_company = |cin: &str| format!("/v1/companies/{cin}");
        if mode == Mode::Test {
            return FirstCall { path: of_company(DEMO_CIN), register_is_empty: false };
        }
        let held = app.live.register.list_indexed("", 1).await;
        let register_is_empty = held.as_ref().is_ok_and(Vec::is_empty);
        let path = match held.unwrap_or_default().first() {
            Some(company) => of_company(&company.cin),
            None => format!("/v1/verify/cin/{DEMO_CIN}"),
        };
        FirstCall { path, register_is_empty }
    }

    /// The call with a key.
    pub fn curl(&self, public_url: &str, key: &str) -> String {
        format!("curl -H \"Authorization: Bearer {key}\" \\\n  {public_url}{}", self.path)
    }
}
