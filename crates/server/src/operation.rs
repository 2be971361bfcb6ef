//! The nineteen operations: their names and how they are charged.

/// How an operation is priced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tariff {
    /// The free quota pays first, then its price.
    FreeQuota,
    /// Its price.
    Priced,
    /// The sum of its items.
    Items,
}

macro_rules! operations {
    ($( $(#[$doc:meta])* $name:ident = $id:literal, $tariff:ident; )*) => {
        /// An operation of the API.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Operation {
            $( $(#[$doc])* $name, )*
        }

        impl Operation {
            /// All of them, in the order of the contract.
            pub const ALL: &'static [Operation] = &[$( Operation::$name, )*];

            /// The operation id of the contract.
            pub fn id(self) -> &'static str {
                match self {
                    $( Operation::$name => $id, )*
                }
            }

            /// How it is priced.
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
    SearchCompanies = "searchCompanies", FreeQuota;
    /// One company's identity.
    GetCompany = "getCompany", FreeQuota;
    /// A company's PAN.
    GetCompanyPan = "getCompanyPan", Priced;
    /// Identity, capital, directors and charges together.
    GetCompanyProfile = "getCompanyProfile", Priced;
    /// Financial years with ratios and growth.
    GetCompanyFinancials = "getCompanyFinancials", Priced;
    /// Directors, current and past.
    GetCompanyDirectors = "getCompanyDirectors", Priced;
    /// Charges, open and satisfied.
    GetCompanyCharges = "getCompanyCharges", Priced;
    /// Filings, credit ratings and provident fund.
    GetCompanyCompliance = "getCompanyCompliance", Priced;
    /// Public documents, paged.
    ListCompanyDocuments = "listCompanyDocuments", Priced;
    /// One director.
    GetDirector = "getDirector", Priced;
    /// A director's companies.
    ListDirectorCompanies = "listDirectorCompanies", Priced;
    /// Verifies a CIN, LLPIN or FCRN.
    VerifyCin = "verifyCin", Priced;
    /// Verifies a DIN.
    VerifyDin = "verifyDin", Priced;
    /// Verifies a GSTIN.
    VerifyGstin = "verifyGstin", Priced;
    /// Verifies a PAN.
    VerifyPan = "verifyPan", Priced;
    /// A GST registration with its returns.
    GetGst = "getGst", Priced;
    /// The GSTINs of a PAN.
    SearchByPan = "searchByPan", Priced;
    /// Verifies many identifiers.
    BulkVerify = "bulkVerify", Items;
    /// Fetches sections of many companies.
    BulkEnrich = "bulkEnrich", Items;
}

impl Operation {
    /// The operation with this id.
    pub fn from_id(id: &str) -> Option<Operation> {
        Operation::ALL.iter().copied().find(|operation| operation.id() == id)
    }

    /// The query parameters it takes.
    pub fn query_parameters(self) -> &'static [&'static str] {
        match self {
            Operation::SearchCompanies => &["q", "limit", "state", "status", "listed"],
            Operation::ListCompanyDocuments => &["page", "year"],
            Operation::BulkVerify | Operation::BulkEnrich => &["dry_run"],
            _ => &[],
        }
    }
}
