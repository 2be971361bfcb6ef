//! The catalogue: files of entries, each an English line and a Hindi line, with an empty line
//! between entries. Lines that begin with `#` are comments.

use std::collections::HashMap;
use std::sync::OnceLock;

/// Words and sentences of lower layers, what several pages display, and the rest by page.
const FILES: [&str; 24] = [
    include_str!("../hindi/words.txt"),
    include_str!("../hindi/sentences.txt"),
    include_str!("../hindi/common.txt"),
    include_str!("../hindi/frame.txt"),
    include_str!("../hindi/account.txt"),
    include_str!("../hindi/bulk.txt"),
    include_str!("../hindi/company.txt"),
    include_str!("../hindi/credits.txt"),
    include_str!("../hindi/director.txt"),
    include_str!("../hindi/forms.txt"),
    include_str!("../hindi/go.txt"),
    include_str!("../hindi/keys.txt"),
    include_str!("../hindi/log_in.txt"),
    include_str!("../hindi/members.txt"),
    include_str!("../hindi/network.txt"),
    include_str!("../hindi/operator.txt"),
    include_str!("../hindi/overview.txt"),
    include_str!("../hindi/requests.txt"),
    include_str!("../hindi/review.txt"),
    include_str!("../hindi/search.txt"),
    include_str!("../hindi/status.txt"),
    include_str!("../hindi/usage.txt"),
    include_str!("../hindi/watch.txt"),
    include_str!("../hindi/webhooks.txt"),
];

pub fn hindi() -> &'static HashMap<&'static str, &'static str> {
    static HINDI: OnceLock<HashMap<&'static str, &'static str>> = OnceLock::new();
    HINDI.get_or_init(|| FILES.into_iter().flat_map(entries).collect())
}

pub fn entries(file: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut lines = file.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    std::iter::from_fn(move || Some((lines.next()?, lines.next()?)))
}
