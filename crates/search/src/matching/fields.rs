//! What is known of an item and of a company.

/// An item to match; what is none is unknown.
#[derive(Clone, Copy, Debug, Default)]
pub struct MatchItem<'a> {
    /// The name as the list has it; may be empty if an identifier is given.
    pub name: &'a str,
    /// The letters or the name of a state.
    pub state: Option<&'a str>,
    pub city: Option<&'a str>,
    pub pincode: Option<&'a str>,
    pub address: Option<&'a str>,
    pub incorporated_year: Option<u16>,
    pub director: Option<&'a str>,
    /// The current numbers of the companies that the identifiers of the item name.
    pub identified: &'a [String],
    /// The number of a company that is compared in any case.
    pub compared: Option<&'a str>,
}

/// What the register knows of a company and the index does not.
#[derive(Clone, Debug, Default)]
pub struct CompanyDetails {
    /// The registered office in one line.
    pub address: Option<String>,
    /// The names of the directors; none if nothing is known.
    pub directors: Option<Vec<String>>,
    /// Whether these are all directors.
    pub all_directors: bool,
}
