//! The sample API call on the overview and on the page of a new key.

use panji_api::app::App;
use panji_api::config::operation::Operation;
use panji_api::databases::sandbox::DEMO_CIN;
use panji_store::ledger::Mode;

pub struct FirstCall {
    path: String,
    /// The name of the company, if the call is for one in the live register.
    pub company: Option<String>,
    /// In credits.
    pub price: i64,
    /// Whether the call is in live mode and the live register contains no company.
    pub register_is_empty: bool,
}

impl FirstCall {
    /// Uses a company that is in the register. If the register is empty or does not respond,
    /// verifies a CIN, so that the page can be rendered.
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
        let indexed = app.live.register.list_indexed("", 1).await;
        let register_is_empty = indexed.as_ref().is_ok_and(Vec::is_empty);
        match indexed.unwrap_or_default().pop() {
            Some(company) => of_company(&company.cin, Some(company.name)),
            None => FirstCall {
                path: format!("/v1/verify/cin/{DEMO_CIN}"),
                company: None,
                price: app.config.prices.of(Operation::VerifyCin),
                register_is_empty,
            },
        }
    }

    pub fn curl(&self, public_url: &str, key: &str) -> String {
        format!("curl -H \"Authorization: Bearer {key}\" \\\n  {public_url}{}", self.path)
    }
}
