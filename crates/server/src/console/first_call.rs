//! A call to begin with, which works in its mode: on a company that is held there.

use panji_store::ledger::Mode;

use crate::app::App;
use crate::config::operation::Operation;
use crate::databases::sandbox::DEMO_CIN;

/// A call to paste into a terminal.
pub struct FirstCall {
    path: String,
    /// The company that it asks for, where that is one of the live register.
    pub company: Option<String>,
    /// What it costs.
    pub price: i64,
    /// Whether it is for the live register and that holds no company.
    pub register_is_empty: bool,
}

impl FirstCall {
    /// Finds one. A register that does not answer is no reason not to show a key: any CIN can be
    /// verified.
    pub async fn find(app: &App, mode: Mode) -> FirstCall {
        let of_company = |cin: &str, company: Option<String>| FirstCall {
            path: format!("/v1/companies/{cin}"),
            company,
            price: app.config.prices.of(Operation::GetCompany),
            register_is_empty: false,
        };
        if mode == Mode::Test {
            return of_company(DEMO_CIN, None);
        }
        let held = app.live.register.list_indexed("", 1).await;
        let register_is_empty = held.as_ref().is_ok_and(Vec::is_empty);
        match held.unwrap_or_default().pop() {
            Some(company) => of_company(&company.cin, Some(company.name)),
            None => FirstCall {
                path: format!("/v1/verify/cin/{DEMO_CIN}"),
                company: None,
                price: app.config.prices.of(Operation::VerifyCin),
                register_is_empty,
            },
        }
    }

    /// The call with a key.
    pub fn curl(&self, public_url: &str, key: &str) -> String {
        format!("curl -H \"Authorization: Bearer {key}\" \\\n  {public_url}{}", self.path)
    }
}
