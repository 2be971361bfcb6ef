//! One example per operation: a request to the sandbox and its response, for the OpenAPI description.
//! A test compares each with the real response.

use serde_json::Value;

use crate::config::operation::Operation;

pub struct Example {
    /// The path with its query.
    pub path: &'static str,
    pub template: &'static str,
    /// For bulk calls.
    pub body: Option<Value>,
    /// The response with its envelope.
    pub response: Value,
}

macro_rules! examples {
    ($( $operation:ident $id:literal $template:literal $path:literal $body:expr; )*) => {
        impl Example {
            pub fn of(operation: Operation) -> Example {
                match operation {
                    $( Operation::$operation => Example {
                        path: $path,
                        template: $template,
                        body: $body.map(parse),
                        response: parse(include_str!(concat!("../../examples/", $id, ".json"))),
                    }, )*
                }
            }
        }
    };
}

const NO_BODY: Option<&str> = None;
const VERIFY_BODY: Option<&str> = Some(
    r#"{"items":[{"type":"gstin","value":"27ZZACK4368A1ZP","ref":"supplier 1"},{"value":"L17111MH1994PLC990011"},{"value":"what is this"}]}"#,
);
const ENRICH_BODY: Option<&str> = Some(
    r#"{"cins":["U72900KA2017PTC990462","U99999DL1956PTC990001"],"fields":["company.name","company.status","pan","capital"]}"#,
);
const MATCH_BODY: Option<&str> = Some(
    r#"{"items":[{"ref":"row 1","name":"M/S KALPANIK INDS LTD","state":"MH"},{"ref":"row 2","name":"Smt. Chaya Namuna"}],"limit":1}"#,
);

const WATCHLIST_BODY: Option<&str> = Some(r#"{"name":"Borrowers"}"#);
const RENAME_BODY: Option<&str> = Some(r#"{"name":"Borrowers 2026"}"#);
const MEMBERS_BODY: Option<&str> =
    Some(r#"{"members":["L17111MH1994PLC990011","99000104","27ZZDCK9534Q1ZN","what is this"]}"#);
const REMOVE_BODY: Option<&str> = Some(r#"{"members":["99000104","99000105"]}"#);
const SIMULATE_BODY: Option<&str> =
    Some(r#"{"cin":"L17111MH1994PLC990011","types":["company.status_changed","charge.created"]}"#);

const JOB_BODY: Option<&str> = Some(
    r#"{"operation":"bulkVerify","name":"suppliers","items":["L17111MH1994PLC990011",{"value":"99000101","type":"din","ref":"row 2"}]}"#,
);

const WEBHOOK_BODY: Option<&str> = Some(
    r#"{"url":"https://hooks.example.com/panji","description":"risk team","types":["company.status_changed","charge.created"]}"#,
);
const UPDATE_WEBHOOK_BODY: Option<&str> = Some(r#"{"types":null,"status":"disabled"}"#);
const REPLAY_BODY: Option<&str> = Some(r#"{"from_seq":1}"#);

examples! {
    SearchCompanies "searchCompanies" "/v1/companies/search" "/v1/companies/search?q=kalpanik%20ind&limit=2" NO_BODY;
    GetCompany "getCompany" "/v1/companies/{cin}" "/v1/companies/L17111MH1994PLC990011" NO_BODY;
    GetCompanyPan "getCompanyPan" "/v1/companies/{cin}/pan" "/v1/companies/L17111MH1994PLC990011/pan" NO_BODY;
    GetCompanyProfile "getCompanyProfile" "/v1/companies/{cin}/profile" "/v1/companies/U72900KA2017PTC990462/profile" NO_BODY;
    GetCompanyFinancials "getCompanyFinancials" "/v1/companies/{cin}/financials" "/v1/companies/U72900KA2017PTC990462/financials" NO_BODY;
    GetCompanyDirectors "getCompanyDirectors" "/v1/companies/{cin}/directors" "/v1/companies/U72900KA2017PTC990462/directors" NO_BODY;
    GetCompanyCharges "getCompanyCharges" "/v1/companies/{cin}/charges" "/v1/companies/U72900KA2017PTC990462/charges" NO_BODY;
    GetCompanyCompliance "getCompanyCompliance" "/v1/companies/{cin}/compliance" "/v1/companies/U72900KA2017PTC990462/compliance" NO_BODY;
    ListCompanyDocuments "listCompanyDocuments" "/v1/companies/{cin}/documents" "/v1/companies/L27100OR1986PLC990021/documents?year=2008" NO_BODY;
    GetDirector "getDirector" "/v1/directors/{din}" "/v1/directors/99000101" NO_BODY;
    ListDirectorCompanies "listDirectorCompanies" "/v1/directors/{din}/companies" "/v1/directors/99000101/companies" NO_BODY;
    VerifyCin "verifyCin" "/v1/verify/cin/{cin}" "/v1/verify/cin/L17111MH1994PLC990011" NO_BODY;
    VerifyDin "verifyDin" "/v1/verify/din/{din}" "/v1/verify/din/4990109" NO_BODY;
    VerifyGstin "verifyGstin" "/v1/verify/gstin/{gstin}" "/v1/verify/gstin/27ZZACK4368A1ZQ" NO_BODY;
    VerifyPan "verifyPan" "/v1/verify/pan/{pan}" "/v1/verify/pan/ZZACK4368A" NO_BODY;
    GetGst "getGst" "/v1/gst/{gstin}" "/v1/gst/24ZZSCB9125C1ZL" NO_BODY;
    SearchByPan "searchByPan" "/v1/search/pan/{pan}" "/v1/search/pan/ZZACK4368A" NO_BODY;
    BulkVerify "bulkVerify" "/v1/bulk/verify" "/v1/bulk/verify" VERIFY_BODY;
    BulkEnrich "bulkEnrich" "/v1/bulk/enrich" "/v1/bulk/enrich" ENRICH_BODY;
    GetAccount "getAccount" "/v1/account" "/v1/account" NO_BODY;
    GetUsage "getUsage" "/v1/usage" "/v1/usage?from=2026-03-01&to=2026-03-31&group_by=operation" NO_BODY;
    GetRequest "getRequest" "/v1/requests/{request_id}" "/v1/requests/req_01ARZ3NDEKTSV4RRFFQ69G5FAV" NO_BODY;
    CreateWebhook "createWebhook" "/v1/webhooks" "/v1/webhooks" WEBHOOK_BODY;
    ListWebhooks "listWebhooks" "/v1/webhooks" "/v1/webhooks" NO_BODY;
    GetWebhook "getWebhook" "/v1/webhooks/{id}" "/v1/webhooks/we_01ARZ3NDEKTSV4RRFFQ69G5FAV" NO_BODY;
    UpdateWebhook "updateWebhook" "/v1/webhooks/{id}" "/v1/webhooks/we_01ARZ3NDEKTSV4RRFFQ69G5FAV" UPDATE_WEBHOOK_BODY;
    DeleteWebhook "deleteWebhook" "/v1/webhooks/{id}" "/v1/webhooks/we_01ARZ3NDEKTSV4RRFFQ69G5FAV" NO_BODY;
    RotateWebhookSecret "rotateWebhookSecret" "/v1/webhooks/{id}/rotate" "/v1/webhooks/we_01ARZ3NDEKTSV4RRFFQ69G5FAV/rotate" NO_BODY;
    TestWebhook "testWebhook" "/v1/webhooks/{id}/test" "/v1/webhooks/we_01ARZ3NDEKTSV4RRFFQ69G5FAV/test" NO_BODY;
    ListWebhookAttempts "listWebhookAttempts" "/v1/webhooks/{id}/attempts" "/v1/webhooks/we_01ARZ3NDEKTSV4RRFFQ69G5FAV/attempts?limit=1" NO_BODY;
    ReplayWebhookEvents "replayWebhookEvents" "/v1/webhooks/{id}/replay" "/v1/webhooks/we_01ARZ3NDEKTSV4RRFFQ69G5FAV/replay" REPLAY_BODY;
    CreateJob "createJob" "/v1/jobs" "/v1/jobs" JOB_BODY;
    ListJobs "listJobs" "/v1/jobs" "/v1/jobs?limit=1" NO_BODY;
    GetJob "getJob" "/v1/jobs/{id}" "/v1/jobs/job_01ARZ3NDEKTSV4RRFFQ69G5FAV" NO_BODY;
    ApproveJob "approveJob" "/v1/jobs/{id}/approve" "/v1/jobs/job_01ARZ3NDEKTSV4RRFFQ69G5FAV/approve" NO_BODY;
    CancelJob "cancelJob" "/v1/jobs/{id}/cancel" "/v1/jobs/job_01ARZ3NDEKTSV4RRFFQ69G5FAV/cancel" NO_BODY;
    GetJobResults "getJobResults" "/v1/jobs/{id}/results" "/v1/jobs/job_01ARZ3NDEKTSV4RRFFQ69G5FAV/results?limit=2" NO_BODY;
    ListCompanyEvents "listCompanyEvents" "/v1/companies/{cin}/events" "/v1/companies/L17111MH1994PLC990011/events?limit=2" NO_BODY;
    MatchCompanies "matchCompanies" "/v1/companies/match" "/v1/companies/match" MATCH_BODY;
    CreateWatchlist "createWatchlist" "/v1/watchlists" "/v1/watchlists" WATCHLIST_BODY;
    ListWatchlists "listWatchlists" "/v1/watchlists" "/v1/watchlists" NO_BODY;
    GetWatchlist "getWatchlist" "/v1/watchlists/{id}" "/v1/watchlists/wl_01ARZ3NDEKTSV4RRFFQ69G5FAV" NO_BODY;
    RenameWatchlist "renameWatchlist" "/v1/watchlists/{id}" "/v1/watchlists/wl_01ARZ3NDEKTSV4RRFFQ69G5FAV" RENAME_BODY;
    DeleteWatchlist "deleteWatchlist" "/v1/watchlists/{id}" "/v1/watchlists/wl_01ARZ3NDEKTSV4RRFFQ69G5FAV" NO_BODY;
    AddWatchMembers "addWatchMembers" "/v1/watchlists/{id}/members" "/v1/watchlists/wl_01ARZ3NDEKTSV4RRFFQ69G5FAV/members" MEMBERS_BODY;
    ListWatchMembers "listWatchMembers" "/v1/watchlists/{id}/members" "/v1/watchlists/wl_01ARZ3NDEKTSV4RRFFQ69G5FAV/members?limit=2" NO_BODY;
    RemoveWatchMembers "removeWatchMembers" "/v1/watchlists/{id}/members" "/v1/watchlists/wl_01ARZ3NDEKTSV4RRFFQ69G5FAV/members" REMOVE_BODY;
    ListEvents "listEvents" "/v1/events" "/v1/events?after=0&limit=2" NO_BODY;
    SimulateEvents "simulateEvents" "/v1/sandbox/simulate" "/v1/sandbox/simulate" SIMULATE_BODY;
    GetCompanyNetwork "getCompanyNetwork" "/v1/companies/{cin}/network" "/v1/companies/ZZF-0093/network?depth=1" NO_BODY;
    FindPaths "findPaths" "/v1/network/paths" "/v1/network/paths?from=ZZF-0093&to=U17115GJ2009PTC990209" NO_BODY;
    GetCompanyFindings "getCompanyFindings" "/v1/companies/{cin}/findings" "/v1/companies/U45203UP2007PTC990186/findings" NO_BODY;
    SearchDirectors "searchDirectors" "/v1/directors/search" "/v1/directors/search?q=namuna%20udaharan&limit=2" NO_BODY;
    GetCompanyReport "getCompanyReport" "/v1/companies/{cin}/report" "/v1/companies/L17111MH1994PLC990011/report" NO_BODY;
}

impl Example {
    /// The value of a path or query parameter in the example.
    pub fn parameter(&self, name: &str) -> Option<Value> {
        let (path, query) = self.path.split_once('?').unwrap_or((self.path, ""));
        let in_path = self
            .template
            .split('/')
            .zip(path.split('/'))
            .find(|(part, _)| *part == format!("{{{name}}}"))
            .map(|(_, value)| Value::from(value));
        let in_query = || {
            let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            let (_, value) = pairs.into_iter().find(|(known, _)| *known == name)?;
            match name {
                "limit" | "page" | "depth" => value.parse::<i64>().ok().map(Value::from),
                _ => Some(Value::from(value.replace("%20", " "))),
            }
        };
        in_path.or_else(in_query)
    }
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).expect("examples are JSON; a test reads them all")
}
