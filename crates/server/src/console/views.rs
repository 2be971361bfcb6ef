//! Views: a page that is made of the API's answers keeps them for a day, so that reloading it and
//! coming back to it are free, and more can be added to it.

use std::collections::HashMap;

use futures_util::future::join_all;
use panji_store::calendar::now_ms;
use panji_store::ledger::{ViewKey, ViewPart};

use super::api_call::{Answered, ApiCalls};
use super::problem::Problem;
use super::session::SignedIn;
use crate::config::operation::Operation;

/// A call that a part of a page needs.
pub struct Part {
    /// Its name within the page.
    pub name: String,
    /// The operation.
    pub operation: Operation,
    /// The path with its query.
    pub path: String,
}

/// The answers of one page, for one account and mode.
pub struct View<'a> {
    signed_in: &'a SignedIn,
    subject: String,
    answers: HashMap<String, Answered>,
    /// Until when the answers are kept, by the one that goes first.
    pub kept_until: Option<i64>,
    /// Whether something was left out because it is being asked for already.
    pub under_way: bool,
}

impl<'a> View<'a> {
    /// What is kept of a subject.
    pub async fn open(signed_in: &'a SignedIn, subject: String) -> Result<View<'a>, Problem> {
        let key = key(signed_in, &subject);
        let kept = signed_in.app.ledger.list_view_answers(key, now_ms()).await?;
        let good = kept.iter().filter(|kept| kept.status < 400);
        let kept_until = good.map(|kept| kept.expires_at).min();
        let mut answers = HashMap::new();
        for kept in kept {
            let Some(operation) = Operation::ALL.iter().find(|one| one.id() == kept.operation)
            else {
                continue;
            };
            let body = kept.body.as_bytes();
            let answer = Answered::read(signed_in, *operation, kept.path, kept.status, body)?;
            answers.insert(kept.part, answer);
        }
        Ok(View { signed_in, subject, answers, kept_until, under_way: false })
    }

    /// Whether a good answer is there for a part.
    pub fn holds(&self, name: &str) -> bool {
        self.answers.get(name).is_some_and(|answer| !answer.failed())
    }

    /// Takes a part's answer out, to show it.
    pub fn take(&mut self, name: &str) -> Option<Answered> {
        self.answers.remove(name)
    }

    /// Asks for those parts that are not there, all at the same time, and keeps the answers.
    pub async fn ask(&mut self, calls: &ApiCalls, parts: Vec<Part>) -> Result<(), Problem> {
        let claimed = self.claim(parts).await?;
        if claimed.is_empty() {
            return Ok(());
        }
        let signed_in = self.signed_in;
        let asked = claimed.into_iter().map(|part| async move {
            let answer = calls.get(signed_in, part.operation, part.path).await;
            (part.name, answer)
        });
        let (mut answered, mut problem) = (Vec::new(), None);
        for (name, answer) in join_all(asked).await {
            match answer {
                Ok(answer) => answered.push((name, answer)),
                Err(error) => problem = Some(error),
            }
        }
        let rows: Vec<(&str, u16, &str)> = answered
            .iter()
            .map(|(name, answer)| (name.as_str(), answer.status, answer.json.as_str()))
            .collect();
        let key = key(signed_in, &self.subject);
        let until = signed_in.app.ledger.store_view_answers(key, &rows, now_ms()).await?;
        if answered.iter().any(|(_, answer)| !answer.failed()) {
            self.kept_until.get_or_insert(until);
        }
        self.answers.extend(answered);
        problem.map_or(Ok(()), Err)
    }

    /// The parts that nobody has asked for.
    async fn claim(&mut self, parts: Vec<Part>) -> Result<Vec<Part>, Problem> {
        let mut claimed = Vec::new();
        for part in parts {
            if self.holds(&part.name) {
                continue;
            }
            let row =
                ViewPart { part: &part.name, operation: part.operation.id(), path: &part.path };
            let key = key(self.signed_in, &self.subject);
            match self.signed_in.app.ledger.claim_view_part(key, row, now_ms()).await? {
                true => claimed.push(part),
                false => self.under_way = true,
            }
        }
        Ok(claimed)
    }
}

/// Runs what pays for answers to its end. A request is dropped when its browser goes away, as after a
/// second click, and what was charged by then would not be kept.
pub async fn run_to_end<T: Send + 'static>(
    work: impl Future<Output = Result<T, Problem>> + Send + 'static,
) -> Result<T, Problem> {
    tokio::spawn(work).await.map_err(|error| Problem::internal(error.to_string()))?
}

fn key<'a>(signed_in: &'a SignedIn, subject: &'a str) -> ViewKey<'a> {
    ViewKey { account_id: signed_in.account_id(), mode: signed_in.mode(), subject }
}
