//! Reading a watch list of the account, and the way back to its page.

use axum::response::{IntoResponse, Redirect, Response};
use panji_api::http::encoding::encoded;
use panji_store::ledger::{Mode, Watchlist};
use serde::{Deserialize, Serialize};

use super::language::{amounts, t, t_with};
use super::page_error::PageError;
use super::session::SignedIn;

pub fn owner(signed_in: &SignedIn) -> (&str, Mode) {
    (signed_in.account_id(), signed_in.mode())
}

pub async fn find(signed_in: &SignedIn, id: &str) -> Result<Watchlist, PageError> {
    let found = signed_in.app.ledger.find_watchlist(owner(signed_in), id).await?;
    found.ok_or_else(no_list)
}

pub fn no_list() -> PageError {
    PageError::not_found(t("This watch list does not exist in this mode."))
}

/// Malformed values that a notice repeats.
const MAX_SHOWN: usize = 5;
/// Characters of each.
const MAX_SHOWN_VALUE: usize = 40;

/// What has been done to a list. Its page writes the notice: a link must not choose the words.
#[derive(Clone, Copy, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Done {
    #[default]
    Nothing,
    Renamed,
    Removed,
    Added,
    /// A word of another version.
    #[serde(other)]
    Unknown,
}

/// The query of a list's page.
#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
pub struct ListQuery {
    #[serde(skip_serializing_if = "is_default")]
    pub done: Done,
    /// Members that were added.
    #[serde(skip_serializing_if = "is_default")]
    pub added: i64,
    /// Values that were malformed.
    #[serde(skip_serializing_if = "is_default")]
    pub malformed: usize,
    /// The first of them.
    #[serde(skip_serializing_if = "is_default")]
    pub value: Vec<String>,
    /// The last member of the page before.
    #[serde(skip_serializing_if = "is_default")]
    pub after: String,
    /// What is searched for.
    #[serde(skip_serializing_if = "is_default")]
    pub q: String,
}

impl ListQuery {
    pub fn done(done: Done) -> ListQuery {
        ListQuery { done, ..ListQuery::default() }
    }

    pub fn added(added: i64) -> ListQuery {
        ListQuery { added, ..ListQuery::done(Done::Added) }
    }

    pub fn search(q: String) -> ListQuery {
        ListQuery { q, ..ListQuery::default() }
    }

    pub fn with_malformed(mut self, values: &[&str]) -> ListQuery {
        self.malformed = values.len();
        let shortened = |value: &&str| value.chars().take(MAX_SHOWN_VALUE).collect();
        self.value = values.iter().take(MAX_SHOWN).map(shortened).collect();
        self
    }

    pub fn notice(&self) -> Option<String> {
        match self.done {
            Done::Nothing | Done::Unknown => None,
            Done::Renamed => Some(t("The watch list was renamed.").to_owned()),
            Done::Removed => Some(t("The member was removed.").to_owned()),
            Done::Added => Some(self.added_notice()),
        }
    }

    fn added_notice(&self) -> String {
        let counted = amounts::counted(self.added, "member was", "members were");
        let mut notice = t_with("{0} added.", &[&counted]);
        if self.malformed > 0 {
            let count = i64::try_from(self.malformed).unwrap_or(i64::MAX);
            let counted = amounts::counted(count, "value is malformed", "values are malformed");
            let quoted = |value: &String| {
                format!("“{}”", value.chars().take(MAX_SHOWN_VALUE).collect::<String>())
            };
            let shown: Vec<String> = self.value.iter().take(MAX_SHOWN).map(quoted).collect();
            let shown = shown.join(", ");
            notice.push(' ');
            notice.push_str(&match self.malformed > MAX_SHOWN {
                true => t_with("{0}: {1} and others.", &[&counted, &shown]),
                false => t_with("{0}: {1}.", &[&counted, &shown]),
            });
        }
        notice
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Back to the page of a list.
pub fn to_list(id: &str, query: &ListQuery) -> Response {
    let fragment = if query.q.is_empty() { "" } else { "#add" };
    let mut address = format!("/console/watch/{}", encoded(id));
    let encoded_query = serde_html_form::to_string(query).unwrap_or_default();
    if !encoded_query.is_empty() {
        address.push('?');
        address.push_str(&encoded_query);
    }
    address.push_str(fragment);
    Redirect::to(&address).into_response()
}
