//! The operations of the API: ids, routes and tariffs.

use axum::http::Method;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tariff {
    /// Free within the daily quota, then priced.
    FreeQuota,
    /// A fixed price per call.
    Priced,
    /// The sum of the prices of its items.
    Items,
    /// Always free, whatever the balance.
    Free,
}

macro_rules! operations {
    ($( $(#[$doc:meta])* $name:ident = $id:literal, $path:literal, $tariff:ident; )*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Operation {
            $( $(#[$doc])* $name, )*
        }

        impl Operation {
            /// In the order of the contract.
            pub const ALL: &'static [Operation] = &[$( Operation::$name, )*];

            pub fn id(self) -> &'static str {
                match self {
                    $( Operation::$name => $id, )*
                }
            }

            pub fn path(self) -> &'static str {
                match self {
                    $( Operation::$name => $path, )*
                }
            }

            pub fn tariff(self) -> Tariff {
                match self {
                    $( Operation::$name => Tariff::$tariff, )*
                }
            }
        }
    };
}

operations! {
    /// Finds companies by name or number.
    SearchCompanies = "searchCompanies", "/v1/companies/search", FreeQuota;
    /// One company's identity.
    GetCompany = "getCompany", "/v1/companies/{cin}", FreeQuota;
    /// A company's PAN.
    GetCompanyPan = "getCompanyPan", "/v1/companies/{cin}/pan", Priced;
    /// Identity, capital, directors and charges together.
    GetCompanyProfile = "getCompanyProfile", "/v1/companies/{cin}/profile", Priced;
    /// Financial years with ratios and growth.
    GetCompanyFinancials = "getCompanyFinancials", "/v1/companies/{cin}/financials", Priced;
    /// Directors, current and past.
    GetCompanyDirectors = "getCompanyDirectors", "/v1/companies/{cin}/directors", Priced;
    /// Charges, open and satisfied.
    GetCompanyCharges = "getCompanyCharges", "/v1/companies/{cin}/charges", Priced;
    /// Filings, credit ratings and provident fund.
    GetCompanyCompliance = "getCompanyCompliance", "/v1/companies/{cin}/compliance", Priced;
    /// Public documents, paged.
    ListCompanyDocuments = "listCompanyDocuments", "/v1/companies/{cin}/documents", Priced;
    /// One director.
    GetDirector = "getDirector", "/v1/directors/{din}", Priced;
    /// A director's companies.
    ListDirectorCompanies = "listDirectorCompanies", "/v1/directors/{din}/companies", Priced;
    /// Verifies a CIN, LLPIN or FCRN.
    VerifyCin = "verifyCin", "/v1/verify/cin/{cin}", Priced;
    /// Verifies a DIN.
    VerifyDin = "verifyDin", "/v1/verify/din/{din}", Priced;
    /// Verifies a GSTIN.
    VerifyGstin = "verifyGstin", "/v1/verify/gstin/{gstin}", Priced;
    /// Verifies a PAN.
    VerifyPan = "verifyPan", "/v1/verify/pan/{pan}", Priced;
    /// A GST registration with its returns.
    GetGst = "getGst", "/v1/gst/{gstin}", Priced;
    /// The GSTINs of a PAN.
    SearchByPan = "searchByPan", "/v1/search/pan/{pan}", Priced;
    /// Verifies many identifiers.
    BulkVerify = "bulkVerify", "/v1/bulk/verify", Items;
    /// Fetches sections of many companies.
    BulkEnrich = "bulkEnrich", "/v1/bulk/enrich", Items;
    /// The account and the key of the caller.
    GetAccount = "getAccount", "/v1/account", Free;
    /// Calls and credits of a period.
    GetUsage = "getUsage", "/v1/usage", Free;
    /// One earlier request.
    GetRequest = "getRequest", "/v1/requests/{request_id}", Free;
    /// Creates a job from a list.
    CreateJob = "createJob", "/v1/jobs", Free;
    /// The account's jobs, paged.
    ListJobs = "listJobs", "/v1/jobs", Free;
    /// One job with its progress.
    GetJob = "getJob", "/v1/jobs/{id}", Free;
    /// Accepts the price of a job.
    ApproveJob = "approveJob", "/v1/jobs/{id}/approve", Free;
    /// Stops a job.
    CancelJob = "cancelJob", "/v1/jobs/{id}/cancel", Free;
    /// The results of a job.
    GetJobResults = "getJobResults", "/v1/jobs/{id}/results", Free;
    /// Creates a webhook.
    CreateWebhook = "createWebhook", "/v1/webhooks", Free;
    /// The account's webhooks.
    ListWebhooks = "listWebhooks", "/v1/webhooks", Free;
    /// One webhook.
    GetWebhook = "getWebhook", "/v1/webhooks/{id}", Free;
    /// Changes a webhook.
    UpdateWebhook = "updateWebhook", "/v1/webhooks/{id}", Free;
    /// Deletes a webhook.
    DeleteWebhook = "deleteWebhook", "/v1/webhooks/{id}", Free;
    /// Makes a new secret for a webhook.
    RotateWebhookSecret = "rotateWebhookSecret", "/v1/webhooks/{id}/rotate", Free;
    /// Sends a test to a webhook.
    TestWebhook = "testWebhook", "/v1/webhooks/{id}/test", Free;
    /// What was sent to a webhook.
    ListWebhookAttempts = "listWebhookAttempts", "/v1/webhooks/{id}/attempts", Free;
    /// Sends events to a webhook again.
    ReplayWebhookEvents = "replayWebhookEvents", "/v1/webhooks/{id}/replay", Free;
    /// Matches names with companies.
    MatchCompanies = "matchCompanies", "/v1/companies/match", Items;
    /// What imports changed about a company.
    ListCompanyEvents = "listCompanyEvents", "/v1/companies/{cin}/events", Priced;
    /// Creates a watch list.
    CreateWatchlist = "createWatchlist", "/v1/watchlists", Free;
    /// The account's watch lists.
    ListWatchlists = "listWatchlists", "/v1/watchlists", Free;
    /// One watch list.
    GetWatchlist = "getWatchlist", "/v1/watchlists/{id}", Free;
    /// Renames a watch list.
    RenameWatchlist = "renameWatchlist", "/v1/watchlists/{id}", Free;
    /// Deletes a watch list.
    DeleteWatchlist = "deleteWatchlist", "/v1/watchlists/{id}", Free;
    /// Adds members to a watch list.
    AddWatchMembers = "addWatchMembers", "/v1/watchlists/{id}/members", Free;
    /// The members of a watch list, paged.
    ListWatchMembers = "listWatchMembers", "/v1/watchlists/{id}/members", Free;
    /// Removes members from a watch list.
    RemoveWatchMembers = "removeWatchMembers", "/v1/watchlists/{id}/members", Free;
    /// The events of what the account watches.
    ListEvents = "listEvents", "/v1/events", Priced;
    /// Makes events in the sandbox.
    SimulateEvents = "simulateEvents", "/v1/sandbox/simulate", Free;
    /// Who is connected with a company.
    GetCompanyNetwork = "getCompanyNetwork", "/v1/companies/{cin}/network", Priced;
    /// Paths between two companies or people.
    FindPaths = "findPaths", "/v1/network/paths", Priced;
    /// What stands out about a company.
    GetCompanyFindings = "getCompanyFindings", "/v1/companies/{cin}/findings", Priced;
    /// Finds directors by name.
    SearchDirectors = "searchDirectors", "/v1/directors/search", Priced;
    /// The due-diligence report as a PDF.
    GetCompanyReport = "getCompanyReport", "/v1/companies/{cin}/report", Priced;
}

impl Operation {
    /// The operations that a job can run.
    pub const IN_JOBS: [Operation; 3] =
        [Operation::BulkVerify, Operation::BulkEnrich, Operation::MatchCompanies];

    /// The operations that a token of the reconciliation service may call.
    pub const IN_RECONCILIATION: [Operation; 2] =
        [Operation::MatchCompanies, Operation::BulkEnrich];

    pub fn from_id(id: &str) -> Option<Operation> {
        Operation::ALL.iter().copied().find(|operation| operation.id() == id)
    }

    /// The operation of a route and a method.
    pub fn at(method: &Method, template: &str) -> Option<Operation> {
        let fits =
            |operation: &&Operation| operation.path() == template && operation.method() == *method;
        Operation::ALL.iter().find(fits).copied()
    }

    /// Whether a call can be large or slow, so that the rate and the time of bulk calls apply.
    pub fn is_bulk(self) -> bool {
        self.tariff() == Tariff::Items
            || matches!(self, Operation::CreateJob | Operation::GetJobResults)
    }

    /// Whether a call sends a body.
    pub fn takes_body(self) -> bool {
        self.tariff() == Tariff::Items
            || matches!(
                self,
                Operation::CreateJob
                    | Operation::CreateWatchlist
                    | Operation::RenameWatchlist
                    | Operation::AddWatchMembers
                    | Operation::RemoveWatchMembers
                    | Operation::SimulateEvents
                    | Operation::CreateWebhook
                    | Operation::UpdateWebhook
                    | Operation::ReplayWebhookEvents
            )
    }

    /// The media type of the answer, if it is a file and not JSON.
    pub fn file_type(self) -> Option<&'static str> {
        (self == Operation::GetCompanyReport).then_some("application/pdf")
    }

    pub fn query_parameters(self) -> &'static [&'static str] {
        match self {
            Operation::SearchCompanies => &[
                "q",
                "limit",
                "page",
                "sort",
                "state",
                "status",
                "listed",
                "class",
                "kind",
                "nic",
                "city",
                "pincode",
                "incorporated_from",
                "incorporated_to",
            ],
            Operation::ListCompanyDocuments => &["page", "year"],
            Operation::ListCompanyEvents => &["before", "limit"],
            Operation::GetCompany
            | Operation::GetCompanyPan
            | Operation::GetCompanyProfile
            | Operation::GetCompanyFinancials
            | Operation::GetCompanyDirectors
            | Operation::GetCompanyCharges
            | Operation::GetCompanyCompliance
            | Operation::GetDirector
            | Operation::ListDirectorCompanies => &["as_of"],
            Operation::GetUsage => &["from", "to", "group_by"],
            Operation::GetCompanyNetwork => &["depth", "format"],
            Operation::FindPaths => &["from", "to"],
            Operation::BulkVerify | Operation::BulkEnrich | Operation::MatchCompanies => {
                &["dry_run"]
            }
            Operation::CreateJob => &[
                "operation",
                "fields",
                "type",
                "column",
                "type_column",
                "auto_approve",
                "max_credits",
                "name",
            ],
            Operation::ListJobs => &["page", "limit"],
            Operation::ListWatchMembers => &["after", "limit"],
            Operation::ListEvents => &["after", "watchlist", "types", "limit"],
            Operation::ListWebhookAttempts => &["before", "limit"],
            Operation::SearchDirectors => &["q", "limit"],
            Operation::GetJobResults => &["format", "page", "limit"],
            _ => &[],
        }
    }

    /// The version of the interface that added it; none for the first.
    pub fn since(self) -> Option<&'static str> {
        use Operation as Op;
        let added = matches!(
            self,
            Op::GetAccount
                | Op::GetUsage
                | Op::GetRequest
                | Op::CreateJob
                | Op::ListJobs
                | Op::GetJob
                | Op::ApproveJob
                | Op::CancelJob
                | Op::GetJobResults
                | Op::CreateWebhook
                | Op::ListWebhooks
                | Op::GetWebhook
                | Op::UpdateWebhook
                | Op::DeleteWebhook
                | Op::RotateWebhookSecret
                | Op::TestWebhook
                | Op::ListWebhookAttempts
                | Op::ReplayWebhookEvents
                | Op::MatchCompanies
                | Op::ListCompanyEvents
                | Op::CreateWatchlist
                | Op::ListWatchlists
                | Op::GetWatchlist
                | Op::RenameWatchlist
                | Op::DeleteWatchlist
                | Op::AddWatchMembers
                | Op::ListWatchMembers
                | Op::RemoveWatchMembers
                | Op::ListEvents
                | Op::SimulateEvents
                | Op::GetCompanyNetwork
                | Op::FindPaths
                | Op::GetCompanyFindings
                | Op::SearchDirectors
                | Op::GetCompanyReport
        );
        added.then_some("1.1.0")
    }

    /// The operation of a request that is refused before it is routed.
    pub fn of(method: &Method, path: &str) -> Option<Operation> {
        let fits = |template: &str| {
            template.split('/').count() == path.split('/').count()
                && template
                    .split('/')
                    .zip(path.split('/'))
                    .all(|(part, segment)| part.starts_with('{') || part == segment)
        };
        let fitting = Operation::ALL.iter().filter(|operation| fits(operation.path()));
        // As in the router, the route with the fewest parameters has priority.
        let path =
            fitting.map(|operation| operation.path()).min_by_key(|path| path.matches('{').count());
        Operation::at(method, path?)
    }

    pub fn method(self) -> Method {
        match self {
            Operation::BulkVerify
            | Operation::BulkEnrich
            | Operation::MatchCompanies
            | Operation::CreateJob
            | Operation::CreateWebhook
            | Operation::RotateWebhookSecret
            | Operation::TestWebhook
            | Operation::ReplayWebhookEvents
            | Operation::ApproveJob
            | Operation::CancelJob
            | Operation::CreateWatchlist
            | Operation::AddWatchMembers
            | Operation::SimulateEvents => Method::POST,
            Operation::RenameWatchlist | Operation::UpdateWebhook => Method::PATCH,
            Operation::DeleteWatchlist
            | Operation::RemoveWatchMembers
            | Operation::DeleteWebhook => Method::DELETE,
            _ => Method::GET,
        }
    }
}
