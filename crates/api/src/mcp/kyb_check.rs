//! The prompt `kyb_check`: the steps of a check of a business partner, with their prices.

use rmcp::model::{
    ErrorData, GetPromptRequestParams, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role,
};

use crate::config::Prices;
use crate::config::operation::Operation;

const NAME: &str = "kyb_check";
const COMPANY: &str = "company";
const DESCRIPTION: &str = "Check an Indian business partner (know your business): identity, status, directors, charges, \
     financials, and what is not known.";
/// The longest name or number of a company, in characters.
const MAX_CHARACTERS: usize = 200;

pub fn prompt() -> Prompt {
    let company = PromptArgument::new(COMPANY)
        .with_description("The company: its name, or its CIN, LLPIN, FCRN, PAN or GSTIN.")
        .with_required(true);
    Prompt::new(NAME, Some(DESCRIPTION), Some(vec![company])).with_title("Know-your-business check")
}

pub fn get(
    request: &GetPromptRequestParams,
    prices: &Prices,
) -> Result<GetPromptResult, ErrorData> {
    if request.name != NAME {
        let message = format!("There is no such prompt: there is {NAME}.");
        return Err(ErrorData::invalid_params(message, None));
    }
    let company = request.arguments.as_ref().and_then(|arguments| arguments.get(COMPANY));
    let company = company.and_then(|company| company.as_str()).map(str::trim);
    let company = company
        .filter(|text| !text.is_empty() && text.chars().count() <= MAX_CHARACTERS)
        .ok_or_else(|| {
            let message = format!(
                "The argument {COMPANY} must be a name or a number of at most {MAX_CHARACTERS} characters."
            );
            ErrorData::invalid_params(message, None)
        })?;
    let message = PromptMessage::new_text(Role::User, text(company, prices));
    Ok(GetPromptResult::new(vec![message]).with_description(DESCRIPTION))
}

fn text(company: &str, prices: &Prices) -> String {
    let price = |operation: Operation| prices.of(operation);
    format!(
        "Check this Indian business partner with the tools of Panji: {company:?}\n\
         \n\
         1. If it is a name, call find_company ({search}). If more than one company fits, show the candidates \
         with state, city and status, and ask which one is meant. If it is a PAN or GSTIN, call verify \
         ({verify}) and then match_companies with it ({matching} an item).\n\
         2. Call company_profile with the CIN ({profile}): name, status, incorporation, registered office, \
         capital, directors, charges.\n\
         3. Call company_profile with the section compliance ({compliance}) and company_financials \
         ({financials}), and company_findings ({findings}).\n\
         4. For each current director whose other companies matter, call director with companies true \
         ({director} each). Ask first if there are more than five.\n\
         \n\
         Then report: identity and status; who runs it; open charges; the newest financial year, and the one \
         before it; the findings with their evidence; what does not fit together. Give the source and the date (as_of) of each \
         fact. Say plainly what is not known: coverage none or a null means unknown, not none and not zero. \
         State facts with dates and do not accuse. At the end, give the credits that were charged.\n\
         The prices in brackets are in credits.",
        search = price(Operation::SearchCompanies),
        verify = price(Operation::VerifyGstin),
        matching = price(Operation::MatchCompanies),
        profile = price(Operation::GetCompanyProfile),
        compliance = price(Operation::GetCompanyCompliance),
        financials = price(Operation::GetCompanyFinancials),
        findings = price(Operation::GetCompanyFindings),
        director = price(Operation::ListDirectorCompanies),
    )
}
