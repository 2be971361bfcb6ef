//! Watch lists, their members, and pages of events.

use panji_store::calendar::rfc3339;
use panji_store::ledger;
use serde::Serialize;
use utoipa::ToSchema;

use super::{Event, ItemError, enums};

/// A list of companies, directors and GST registrations whose events are collected.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Watchlist {
    /// The id of the list.
    #[schema(example = "wl_01ARZ3NDEKTSV4RRFFQ69G5FAV")]
    pub id: String,
    /// Your name for the list.
    pub name: String,
    /// The number of members.
    pub members: i64,
    /// When the list was created.
    pub created_at: String,
}

impl From<ledger::Watchlist> for Watchlist {
    fn from(stored: ledger::Watchlist) -> Watchlist {
        Watchlist {
            id: stored.id,
            name: stored.name,
            members: stored.members,
            created_at: rfc3339(stored.created_at),
        }
    }
}

/// The watch lists of an account.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Watchlists {
    /// The number of lists.
    pub total: i64,
    /// The lists, oldest first.
    pub watchlists: Vec<Watchlist>,
}

/// A watch list that was deleted.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DeletedWatchlist {
    /// The id of the list.
    pub id: String,
    /// Always true.
    pub deleted: bool,
}

/// The name of a watch list.
#[derive(Clone, Debug, ToSchema)]
pub struct WatchlistRequest {
    /// Your name for the list.
    #[schema(min_length = 1, max_length = 100)]
    pub name: String,
}

/// Members to add to a watch list, or to remove from it.
#[derive(Clone, Debug, ToSchema)]
pub struct WatchMembersRequest {
    /// CINs, LLPINs, FCRNs, DINs and GSTINs.
    #[schema(min_items = 1, max_items = 1000)]
    pub members: Vec<String>,
}

/// A member of a watch list.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct WatchMember {
    /// The CIN, LLPIN, FCRN, DIN or GSTIN.
    pub id: String,
    /// What it identifies.
    #[schema(value_type = enums::EventSubjectKind)]
    pub kind: String,
    /// When it was added.
    pub added_at: String,
}

/// One page of the members of a watch list.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct WatchMembers {
    /// The number of members of the list.
    pub total: i64,
    /// The members in the order of their identifiers.
    pub members: Vec<WatchMember>,
    /// The value of `after` for the next page; null on the last one.
    pub next_after: Option<String>,
}

/// What became of each member that was to be added or removed.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct WatchMemberResults {
    /// The list after the call.
    pub watchlist: Watchlist,
    /// How many members were added or removed.
    pub changed: i64,
    /// How many were on the list already, or were not on it.
    pub unchanged: i64,
    /// How many values are malformed.
    pub invalid: i64,
    /// The results in the order of the request.
    pub results: Vec<WatchMemberResult>,
}

/// What became of one member.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct WatchMemberResult {
    /// The value as it was sent.
    pub value: String,
    /// The identifier in its canonical form, for a former CIN the current one; null if it is malformed.
    pub id: Option<String>,
    /// What it identifies; null if it is malformed.
    #[schema(value_type = Option<enums::EventSubjectKind>)]
    pub kind: Option<&'static str>,
    /// What became of it.
    #[schema(value_type = enums::MemberResult)]
    pub result: &'static str,
    /// Why a value is malformed; null otherwise.
    pub error: Option<ItemError>,
}

/// One page of an account's events.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Events {
    /// The events in the order of their numbers.
    pub events: Vec<Event>,
    /// The value of `after` for the next page. It can be higher than the number of the last event: all
    /// events up to it have been looked at.
    pub next_after: i64,
    /// Whether there may be more events now.
    pub has_more: bool,
}

/// Which events are to be simulated.
#[derive(Clone, Debug, ToSchema)]
pub struct SimulateRequest {
    /// The company of the sandbox; a default one if left out.
    pub cin: Option<String>,
    /// Only events of these types, in the order of the script; all if left out.
    pub types: Option<Vec<String>>,
}

/// The events that a simulation made.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Simulation {
    /// The company's CIN, LLPIN or FCRN.
    pub cin: String,
    /// Whether the account watches the company, or a director or GST registration of the script, in test
    /// mode. Without it there are no events.
    pub watched: bool,
    /// The ids of the watch lists that have one of them.
    pub watchlists: Vec<String>,
    /// The events that were made, in order. They are read, and paid for with test credits, like others.
    pub events: Vec<SimulatedEvent>,
}

/// An event that a simulation made.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SimulatedEvent {
    /// The id of the event.
    pub id: String,
    /// Its number among the test events of the account.
    pub seq: i64,
    /// Its type.
    #[schema(value_type = enums::EventType)]
    pub r#type: String,
}
