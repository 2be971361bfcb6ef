//! A search and its result.

use crate::rank::Match;

/// The order of the companies that were found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The best match first.
    #[default]
    Relevance,
    Name,
    /// By the day of incorporation; those without one are last, also for `Oldest`.
    Newest,
    Oldest,
}

impl Order {
    pub const ALL: [Order; 4] = [Order::Relevance, Order::Name, Order::Newest, Order::Oldest];

    pub fn as_str(self) -> &'static str {
        match self {
            Order::Relevance => "relevance",
            Order::Name => "name",
            Order::Newest => "newest",
            Order::Oldest => "oldest",
        }
    }

    /// Puts companies, best match first, into this order.
    pub(crate) fn sort(self, companies: &mut [Found]) {
        match self {
            Order::Relevance => {}
            Order::Name => companies.sort_by_cached_key(|found| found.name.to_lowercase()),
            Order::Newest => {
                companies.sort_by(|one, other| other.incorporated_on.cmp(&one.incorporated_on));
            }
            Order::Oldest => companies.sort_by_key(|found| {
                (found.incorporated_on.is_none(), found.incorporated_on.clone())
            }),
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct SearchRequest<'a> {
    /// A name or a company's number, or the beginning of one.
    pub text: &'a str,
    /// The most companies to return.
    pub limit: usize,
    /// Finds only companies of the state with this name.
    pub state: Option<&'a str>,
    /// Finds only companies with this status word.
    pub status: Option<&'a str>,
    /// Finds only listed, or only unlisted companies.
    pub listed: Option<bool>,
    /// The number of companies before the first to return.
    pub offset: usize,
    /// Other orders than by relevance are those of the best matches, up to the largest `total`.
    pub order: Order,
    /// Returns only the best matches, without the further ones that would fill the first page.
    pub best_only: bool,
    /// Finds only companies of this class.
    pub class: Option<&'a str>,
    /// Finds only companies of this kind: `company`, `llp` or `foreign_company`.
    pub kind: Option<&'a str>,
    /// Finds only companies whose industry's code begins with these digits.
    pub nic: Option<&'a str>,
    /// Finds only companies in this city, by its current name or another one.
    pub city: Option<&'a str>,
    /// Finds only companies with this PIN code.
    pub pincode: Option<&'a str>,
    /// Finds only companies incorporated on this day or later.
    pub incorporated_from: Option<&'a str>,
    /// Finds only companies incorporated on this day or earlier.
    pub incorporated_to: Option<&'a str>,
}

/// A company that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub cin: String,
    pub name: String,
    /// `company`, `llp` or `foreign_company`.
    pub kind: String,
    pub status: String,
    pub state: Option<String>,
    pub incorporated_on: Option<String>,
    pub listed: Option<bool>,
    /// The city of its registered office.
    pub city: Option<String>,
    /// The PIN code of its registered office.
    pub pincode: Option<String>,
    /// The former name that matched; none if the current name matched.
    pub matched_name: Option<String>,
    pub kind_of_match: Match,
    /// From 0 to 1.
    pub score: f64,
}

/// The companies of one search, best first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hits {
    /// The number of matches, up to a bound.
    pub total: usize,
    pub companies: Vec<Found>,
    /// Whether companies follow after these.
    pub has_more: bool,
    /// If there are no companies: the words, as typed, that are not similar to a word of any name.
    pub not_understood: Vec<String>,
    /// If there are no companies: whether the text has only a legal form, which is not searched.
    pub only_legal_form: bool,
}
