//! The catalog: files of entries, each an English line and a Hindi line, with an empty line
//! between entries. Lines that begin with `#` are comments.

use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

/// The texts of the scripts.
const SCRIPT: &str = include_str!("../hindi/script.txt");

/// Words and sentences of lower layers, what several pages display, and the rest by page.
const FILES: &[&str] = &[
    include_str!("../hindi/words.txt"),
    include_str!("../hindi/sentences.txt"),
    include_str!("../hindi/common.txt"),
    include_str!("../hindi/layout.txt"),
    SCRIPT,
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
    HINDI.get_or_init(|| FILES.iter().copied().flat_map(entries).collect())
}

/// The English texts of the scripts that the page's own files have too.
const IN_SCRIPT_TOO: [&str; 3] = ["{0} credits", "Go to", "Docs"];

/// The texts of the scripts, in Hindi.
pub fn script_texts() -> BTreeMap<&'static str, &'static str> {
    let shared = IN_SCRIPT_TOO.into_iter().filter_map(|text| Some((text, *hindi().get(text)?)));
    entries(SCRIPT).chain(shared).collect()
}

pub fn entries(file: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut lines = file.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    std::iter::from_fn(move || Some((lines.next()?, lines.next()?)))
}
