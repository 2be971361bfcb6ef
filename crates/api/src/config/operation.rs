//! The operations of the API: ids, routes and tariffs.

use axum::http::Method;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tariff {
    /// Free within the daily quota, then priced.
    FreeQuota,
    /// A fixed price per call, or per event.
    Priced,
    /// The sum of the prices of its items.
    Items,
    /// Always free, whatever the balance: there is no setting for its price.
    Free,
}

const FIRST_VERSION: &str = "1.0.0";

/// Defines the operations, by the version of the interface that added them: id, method, path, `with
/// body` where a call sends one, tariff, query parameters.
macro_rules! operations {
    ($( $version:tt {
        $(
            $(#[$doc:meta])*
            $name:ident = $id:literal, $method:ident $path:literal $(with $body:ident)?, $tariff:ident
            $(, [$($parameter:literal),*])?;
        )*
    } )*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Operation {
            $($( $(#[$doc])* $name, )*)*
        }

        impl Operation {
            /// In the order of the contract.
            pub const ALL: &'static [Operation] = &[$($( Operation::$name, )*)*];

            pub fn id(self) -> &'static str {
                match self {
                    $($( Operation::$name => $id, )*)*
                }
            }

            pub fn method(self) -> Method {
                match self {
                    $($( Operation::$name => Method::$method, )*)*
                }
            }

            pub fn path(self) -> &'static str {
                match self {
                    $($( Operation::$name => $path, )*)*
                }
            }

            /// Whether a call sends a body.
            pub fn takes_body(self) -> bool {
                match self {
                    $($( Operation::$name => !<[&str]>::is_empty(&[$(stringify!($body))?]), )*)*
                }
            }

            pub fn tariff(self) -> Tariff {
                match self {
                    $($( Operation::$name => Tariff::$tariff, )*)*
                }
            }

            pub fn query_parameters(self) -> &'static [&'static str] {
                match self {
                    $($( Operation::$name => &[$($($parameter),*)?], )*)*
                }
            }

            /// The version of the interface that added it; none for the first.
            pub fn since(self) -> Option<&'static str> {
                let version = match self {
                    $( $( Operation::$name )|* => $version, )*
                };
                (version != FIRST_VERSION).then_some(version)
            }
        }
    };
}

operations! {
    FIRST_VERSION {
        /// Finds companies by name or number.
        SearchCompanies = "searchCompanies", GET "/v1/companies/search", FreeQuota, [
            "q", "limit", "page", "sort", "state", "status", "listed", "class", "kind", "nic",
            "city", "pincode", "incorporated_from", "incorporated_to"
        ];
        /// One company's identity.
        GetCompany = "getCompany", GET "/v1/companies/{cin}", FreeQuota, ["as_of"];
        /// A company's PAN.
        GetCompanyPan = "getCompanyPan", GET "/v1/companies/{cin}/pan", Priced, ["as_of"];
        /// Identity, capital, directors and charges together.
        GetCompanyProfile = "getCompanyProfile", GET "/v1/companies/{cin}/profile", Priced, ["as_of"];
        /// Financial years with ratios and growth.
        GetCompanyFinancials = "getCompanyFinancials", GET "/v1/companies/{cin}/financials", Priced, ["as_of"];
        /// Directors, current and past.
        GetCompanyDirectors = "getCompanyDirectors", GET "/v1/companies/{cin}/directors", Priced, ["as_of"];
        /// Charges, open and satisfied.
        GetCompanyCharges = "getCompanyCharges", GET "/v1/companies/{cin}/charges", Priced, ["as_of"];
        /// Filings, credit ratings and provident fund.
        GetCompanyCompliance = "getCompanyCompliance", GET "/v1/companies/{cin}/compliance", Priced, ["as_of"];
        /// Public documents, paged.
        ListCompanyDocuments = "listCompanyDocuments", GET "/v1/companies/{cin}/documents", Priced, ["page", "year"];
        /// One director.
        GetDirector = "getDirector", GET "/v1/directors/{din}", Priced, ["as_of"];
        /// A director's companies.
        ListDirectorCompanies = "listDirectorCompanies", GET "/v1/directors/{din}/companies", Priced, ["as_of"];
        /// Verifies a CIN, LLPIN or FCRN.
        VerifyCin = "verifyCin", GET "/v1/verify/cin/{cin}", Priced;
        /// Verifies a DIN.
        VerifyDin = "verifyDin", GET "/v1/verify/din/{din}", Priced;
        /// Verifies a GSTIN.
        VerifyGstin = "verifyGstin", GET "/v1/verify/gstin/{gstin}", Priced;
        /// Verifies a PAN.
        VerifyPan = "verifyPan", GET "/v1/verify/pan/{pan}", Priced;
        /// A GST registration with its returns.
        GetGst = "getGst", GET "/v1/gst/{gstin}", Priced;
        /// The GSTINs of a PAN.
        SearchByPan = "searchByPan", GET "/v1/search/pan/{pan}", Priced;
        /// Verifies many identifiers.
        BulkVerify = "bulkVerify", POST "/v1/bulk/verify" with body, Items, ["dry_run"];
        /// Fetches sections of many companies.
        BulkEnrich = "bulkEnrich", POST "/v1/bulk/enrich" with body, Items, ["dry_run"];
    }
    "1.1.0" {
        /// The account and the key of the caller.
        GetAccount = "getAccount", GET "/v1/account", Free;
        /// Calls and credits of a period.
        GetUsage = "getUsage", GET "/v1/usage", Free, ["from", "to", "group_by"];
        /// One earlier request.
        GetRequest = "getRequest", GET "/v1/requests/{request_id}", Free;
        /// Creates a job from a list.
        CreateJob = "createJob", POST "/v1/jobs" with body, Free, [
            "operation", "fields", "type", "column", "type_column", "auto_approve", "max_credits",
            "name"
        ];
        /// The account's jobs, paged.
        ListJobs = "listJobs", GET "/v1/jobs", Free, ["page", "limit"];
        /// One job with its progress.
        GetJob = "getJob", GET "/v1/jobs/{id}", Free;
        /// Accepts the price of a job.
        ApproveJob = "approveJob", POST "/v1/jobs/{id}/approve", Free;
        /// Stops a job.
        CancelJob = "cancelJob", POST "/v1/jobs/{id}/cancel", Free;
        /// The results of a job.
        GetJobResults = "getJobResults", GET "/v1/jobs/{id}/results", Free, [
            "format", "page", "limit"
        ];
        /// Creates a webhook.
        CreateWebhook = "createWebhook", POST "/v1/webhooks" with body, Free;
        /// The account's webhooks.
        ListWebhooks = "listWebhooks", GET "/v1/webhooks", Free;
        /// One webhook.
        GetWebhook = "getWebhook", GET "/v1/webhooks/{id}", Free;
        /// Changes a webhook.
        UpdateWebhook = "updateWebhook", PATCH "/v1/webhooks/{id}" with body, Free;
        /// Deletes a webhook.
        DeleteWebhook = "deleteWebhook", DELETE "/v1/webhooks/{id}", Free;
        /// Makes a new secret for a webhook.
        RotateWebhookSecret = "rotateWebhookSecret", POST "/v1/webhooks/{id}/rotate", Free;
        /// Sends a test to a webhook.
        TestWebhook = "testWebhook", POST "/v1/webhooks/{id}/test", Free;
        /// What was sent to a webhook.
        ListWebhookAttempts = "listWebhookAttempts", GET "/v1/webhooks/{id}/attempts", Free, ["before", "limit"];
        /// Sends events to a webhook again.
        ReplayWebhookEvents = "replayWebhookEvents", POST "/v1/webhooks/{id}/replay" with body, Free;
        /// Matches names with companies.
        MatchCompanies = "matchCompanies", POST "/v1/companies/match" with body, Items, ["dry_run"];
        /// What imports changed about a company.
        ListCompanyEvents = "listCompanyEvents", GET "/v1/companies/{cin}/events", Priced, ["before", "limit"];
        /// Creates a watch list.
        CreateWatchlist = "createWatchlist", POST "/v1/watchlists" with body, Free;
        /// The account's watch lists.
        ListWatchlists = "listWatchlists", GET "/v1/watchlists", Free;
        /// One watch list.
        GetWatchlist = "getWatchlist", GET "/v1/watchlists/{id}", Free;
        /// Renames a watch list.
        RenameWatchlist = "renameWatchlist", PATCH "/v1/watchlists/{id}" with body, Free;
        /// Deletes a watch list.
        DeleteWatchlist = "deleteWatchlist", DELETE "/v1/watchlists/{id}", Free;
        /// Adds members to a watch list.
        AddWatchMembers = "addWatchMembers", POST "/v1/watchlists/{id}/members" with body, Free;
        /// The members of a watch list, paged.
        ListWatchMembers = "listWatchMembers", GET "/v1/watchlists/{id}/members", Free, ["after", "limit"];
        /// Removes members from a watch list.
        RemoveWatchMembers = "removeWatchMembers", DELETE "/v1/watchlists/{id}/members" with body, Free;
        /// The events of what the account watches.
        ListEvents = "listEvents", GET "/v1/events", Priced, [
            "after", "watchlist", "types", "limit"
        ];
        /// Makes events in the sandbox.
        SimulateEvents = "simulateEvents", POST "/v1/sandbox/simulate" with body, Free;
        /// Who is connected with a company.
        GetCompanyNetwork = "getCompanyNetwork", GET "/v1/companies/{cin}/network", Priced, ["depth", "format"];
        /// Paths between two companies or people.
        FindPaths = "findPaths", GET "/v1/network/paths", Priced, ["from", "to"];
        /// What stands out about a company.
        GetCompanyFindings = "getCompanyFindings", GET "/v1/companies/{cin}/findings", Priced;
        /// Finds directors by name.
        SearchDirectors = "searchDirectors", GET "/v1/directors/search", Priced, ["q", "limit"];
        /// The due-diligence report as a PDF.
        GetCompanyReport = "getCompanyReport", GET "/v1/companies/{cin}/report", Priced;
    }
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

    /// The media type of the response, if it is a file and not JSON.
    pub fn file_type(self) -> Option<&'static str> {
        (self == Operation::GetCompanyReport).then_some("application/pdf")
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
}
