//! The search for companies.

use axum::http::{HeaderName, HeaderValue};
use panji_ids::{CompanyKind, Lei, cin_state};
use panji_import::vocabulary::{company_classes, company_statuses};
use panji_search::{Order, SearchRequest};

use super::call::Call;
use super::query::Query;
use super::wire;
use crate::http::error::{ApiError, ApiResult};

/// Present while the search index does not contain the whole register.
pub const INDEX_HEADER: HeaderName = HeaderName::from_static("panji-index");
/// The most companies on a page.
pub const MAX_LIMIT: i64 = 50;
pub const DEFAULT_LIMIT: i64 = 10;
/// The last page that is served.
const MAX_PAGES: i64 = 20;
/// The most characters of a city's name.
const MAX_CITY_CHARACTERS: usize = 100;
/// The most digits of an industry's code.
const NIC_DIGITS: usize = 5;
const PINCODE_DIGITS: usize = 6;

/// Find companies by name or number
///
/// Finds companies by a current or former name, also with spelling differences or in an Indian script,
/// optionally followed by a city or an address; or by a number anywhere in the text, or its beginning, or by an
/// LEI; best match first. A response without companies costs nothing, and neither do calls within the daily free quota.
#[utoipa::path(
    get,
    path = "/v1/companies/search",
    operation_id = "searchCompanies",
    tag = "Companies",
    params(
        ("q" = String, Query, description = "A name, or a CIN, LLPIN or FCRN, or the beginning of either, or an LEI; up to 200 characters."),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 50, description = "How many companies to return, 1 to 50; default 10."),
        ("page" = Option<i64>, Query, minimum = 1, maximum = 20, description = "The page, 1 to 20; default 1. Each page is a call of its own."),
        ("sort" = Option<String>, Query, description = "The order of the companies: `relevance`, the best match first (default), `name`, `newest` or `oldest`, by the day of incorporation. The last three sort the best 1,000 matches, over all pages."),
        ("state" = Option<String>, Query, description = "Only companies of this state, by its two letters in a CIN."),
        ("status" = Option<String>, Query, description = "Only companies with this status, such as `active`."),
        ("listed" = Option<bool>, Query, description = "Only listed or only unlisted companies."),
        ("class" = Option<String>, Query, description = "Only companies of this class, such as `private`."),
        ("kind" = Option<String>, Query, description = "Only companies of this kind, such as `llp`."),
        ("nic" = Option<String>, Query, description = "Only companies whose industry code (NIC) begins with these 1 to 5 digits."),
        ("city" = Option<String>, Query, description = "Only companies with their registered office in this city, by its current or an old name."),
        ("pincode" = Option<String>, Query, description = "Only companies with this PIN code."),
        ("incorporated_from" = Option<String>, Query, description = "Only companies incorporated on this day or later, such as `2020-04-01`."),
        ("incorporated_to" = Option<String>, Query, description = "Only companies incorporated on this day or earlier."),
    ),
    responses((status = 200, body = wire::SearchResults)),
)]
pub async fn search_companies(call: Call) -> ApiResult {
    let text = search_text(&call, "a company's name or CIN")?;
    let filters = Filters::read(&call.query)?;
    let call = call.check_funds().await?;
    let by_lei = match Lei::find(&text) {
        Some(lei) => call.register().find_lei_company(lei.as_str()).await?,
        None => None,
    };
    let request = filters.request(by_lei.as_deref().unwrap_or(&text));
    let search = call.dataset().search.clone();
    // Read before the search: if the build finishes in between, the header must not be missing for
    // an incomplete result.
    let building = search.building();
    let search_span = call.context.span("search");
    let hits = search.find(&request)?;
    drop(search_span);
    let progress = |companies| HeaderValue::from_str(&format!("building; companies={companies}"));
    let headers = building.and_then(|companies| Some((INDEX_HEADER, progress(companies).ok()?)));
    let (page, narrowed) = (filters.page, filters.narrow());
    // No page follows the last one that is served.
    let hits = panji_search::Hits { has_more: hits.has_more && page < MAX_PAGES, ..hits };
    let mut results = match &by_lei {
        Some(cin) => wire::SearchResults::of_lei(text, page, hits, narrowed, cin),
        None => wire::SearchResults::new(text, page, hits, narrowed),
    };
    if results.companies.is_empty() {
        return call.respond_free(headers.as_slice(), &results).await;
    }
    let cins: Vec<&str> = results.companies.iter().map(|found| found.cin.as_str()).collect();
    let leis = call.register().find_company_leis(&cins).await?;
    results.set_leis(leis);
    call.respond_with_headers(headers.as_slice(), &results).await
}

/// The parameters other than the text, checked.
struct Filters {
    limit: i64,
    page: i64,
    order: Order,
    /// The name of the state.
    state: Option<&'static str>,
    listed: Option<bool>,
    status: Option<String>,
    class: Option<String>,
    kind: Option<String>,
    nic: Option<String>,
    city: Option<String>,
    pincode: Option<String>,
    incorporated_from: Option<String>,
    incorporated_to: Option<String>,
}

impl Filters {
    fn read(query: &Query) -> Result<Filters, ApiError> {
        let (from, to) = (query.day("incorporated_from")?, query.day("incorporated_to")?);
        if let (Some(from), Some(to)) = (from, to)
            && from > to
        {
            let message =
                format!("incorporated_from must not be after incorporated_to, which is {to}.");
            return Err(ApiError::parameter("incorporated_from", message));
        }
        let kinds = CompanyKind::ALL.map(CompanyKind::name);
        Ok(Filters {
            limit: query.number("limit", 1..=MAX_LIMIT)?.unwrap_or(DEFAULT_LIMIT),
            page: query.number("page", 1..=MAX_PAGES)?.unwrap_or(1),
            order: order_of(query)?,
            state: query.get("state").map(state_of).transpose()?,
            listed: query.flag("listed")?,
            status: word(query, "status", &company_statuses())?,
            class: word(query, "class", &company_classes())?,
            kind: word(query, "kind", &kinds)?,
            nic: query.get("nic").map(nic_of).transpose()?,
            city: query.get("city").map(city_of).transpose()?,
            pincode: query.get("pincode").map(pincode_of).transpose()?,
            incorporated_from: from.map(|day| day.to_string()),
            incorporated_to: to.map(|day| day.to_string()),
        })
    }

    /// Whether some companies are excluded.
    fn narrow(&self) -> bool {
        let texts = [&self.status, &self.class, &self.kind, &self.nic, &self.city, &self.pincode];
        let dates = [&self.incorporated_from, &self.incorporated_to];
        let mut texts = texts.into_iter().chain(dates);
        self.state.is_some() || self.listed.is_some() || texts.any(Option::is_some)
    }

    fn request<'a>(&'a self, text: &'a str) -> SearchRequest<'a> {
        let size = |number: i64| usize::try_from(number).unwrap_or(0);
        SearchRequest {
            best_only: false,
            text,
            limit: size(self.limit),
            offset: size((self.page - 1) * self.limit),
            order: self.order,
            state: self.state,
            status: self.status.as_deref(),
            listed: self.listed,
            class: self.class.as_deref(),
            kind: self.kind.as_deref(),
            nic: self.nic.as_deref(),
            city: self.city.as_deref(),
            pincode: self.pincode.as_deref(),
            incorporated_from: self.incorporated_from.as_deref(),
            incorporated_to: self.incorporated_to.as_deref(),
        }
    }
}

fn order_of(query: &Query) -> Result<Order, ApiError> {
    let named = word(query, "sort", &Order::ALL.map(Order::as_str))?;
    let order = Order::ALL.into_iter().find(|order| Some(order.as_str()) == named.as_deref());
    Ok(order.unwrap_or_default())
}

/// The name of the state with these letters.
fn state_of(code: &str) -> Result<&'static str, ApiError> {
    let letters = code.to_ascii_uppercase();
    let two_letters = letters.len() == 2 && letters.bytes().all(|byte| byte.is_ascii_uppercase());
    cin_state(&letters).ok_or_else(|| {
        let message = match two_letters {
            true => format!("No state has the letters {letters}."),
            false => "state must be two letters of a CIN, such as MH.".to_owned(),
        };
        ApiError::parameter("state", message)
    })
}

/// A word of an enumeration.
fn word(query: &Query, name: &str, known: &[&str]) -> Result<Option<String>, ApiError> {
    match query.get(name) {
        None => Ok(None),
        Some(word) if known.contains(&word) => Ok(Some(word.to_owned())),
        Some(_) => {
            let message = format!("{name} must be one of {}.", known.join(", "));
            Err(ApiError::parameter(name, message))
        }
    }
}

fn nic_of(text: &str) -> Result<String, ApiError> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    match digits && (1..=NIC_DIGITS).contains(&text.len()) {
        true => Ok(text.to_owned()),
        false => Err(ApiError::parameter(
            "nic",
            format!(
                "nic must be the first 1 to {NIC_DIGITS} digits of an industry code, such as 1711."
            ),
        )),
    }
}

fn pincode_of(text: &str) -> Result<String, ApiError> {
    let digits: String = text.chars().filter(|character| *character != ' ').collect();
    let fits = digits.len() == PINCODE_DIGITS
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && !digits.starts_with('0');
    match fits {
        true => Ok(digits),
        false => Err(ApiError::parameter(
            "pincode",
            format!("pincode must have {PINCODE_DIGITS} digits, the first of them not 0."),
        )),
    }
}

fn city_of(text: &str) -> Result<String, ApiError> {
    let text = text.trim();
    let problem = if text.chars().count() > MAX_CITY_CHARACTERS {
        format!("city is longer than {MAX_CITY_CHARACTERS} characters: shorten it.")
    } else if text.chars().any(char::is_control) {
        "city has control characters: remove them.".to_owned()
    } else if !text.chars().any(char::is_alphabetic) {
        "city must be the name of a city, such as Pune.".to_owned()
    } else {
        return Ok(text.to_owned());
    };
    Err(ApiError::parameter("city", problem))
}

/// The text to look for, checked; `what` says what it can be.
pub fn search_text(call: &Call, what: &str) -> Result<String, ApiError> {
    let limit = call.app.config.limits.query_characters.get();
    let text = call.query.get("q").unwrap_or_default().trim();
    let problem = if text.is_empty() {
        format!("q is missing: give {what}.")
    } else if text.chars().count() > limit {
        format!("q is longer than {limit} characters: shorten it.")
    } else if text.chars().any(char::is_control) {
        "q has control characters: remove them.".to_owned()
    } else {
        return Ok(text.to_owned());
    };
    Err(ApiError::parameter("q", problem))
}
