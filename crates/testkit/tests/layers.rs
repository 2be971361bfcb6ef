//! Checks the structure of the crates by the `use` lines and the paths in their files: layers use only the
//! layers below, and files do not import each other in cycles.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The layers of the API's crate, from the lowest to the highest; modules of one line do not use each other.
const API: &[&[&str]] = &[
    &["config", "locale"],
    &["telemetry"],
    &["databases"],
    &["accounts"],
    &["payments", "http", "webhooks"],
    &["app"],
    &["deliveries"],
    &["api"],
    &["workers", "events"],
    &["mcp"],
];

/// The layers of the pages.
const WEB: &[&[&str]] = &[&["console"], &["docs"]];

/// The layers of the program.
const SERVER: &[&[&str]] = &[&["serve"], &["doctor"], &["command"]];

/// The layers of the import crate. Within the last one, the loader decides the order.
const IMPORT: &[&[&str]] = &[
    &["values", "vocabulary"],
    &["input"],
    &["sources"],
    &["unknown"],
    &["format"],
    &["duplicates", "report", "batches", "run", "import_cache", "leis", "listed", "load"],
];

/// The most files of one folder that may import each other in a cycle.
const MAX_CYCLE: usize = 3;

type Module = Vec<String>;
type Uses = BTreeMap<Module, BTreeSet<Module>>;

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn files_under(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the sources are there") {
        let path = entry.expect("a file").path();
        if path.is_dir() {
            files.extend(files_under(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
    files
}

/// The module of a file: `api/wire/mod.rs` is `api::wire`; the root of the crate is empty.
fn module_of(relative: &Path) -> Module {
    let mut module: Module =
        relative.with_extension("").iter().map(|part| part.to_string_lossy().into()).collect();
    if module.last().is_some_and(|last| last == "mod") {
        module.pop();
    }
    if module == ["lib"] || module == ["main"] {
        module.clear();
    }
    module
}

/// The text without comments and without the tests at its end.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// The paths of a `use` tree: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn expand(tree: &str) -> Vec<String> {
    let Some((prefix, group)) = tree.split_once('{') else { return vec![tree.to_owned()] };
    let group = group.strip_suffix('}').unwrap_or(group);
    let (mut paths, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, character) in group.char_indices().chain([(group.len(), ',')]) {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let member = &group[start..at];
                paths.extend(expand(member).into_iter().map(|path| format!("{prefix}{path}")));
                start = at + 1;
            }
            _ => {}
        }
    }
    paths.retain(|path| !path.ends_with("::"));
    paths
}

/// Every path in a file that starts with `crate`, `super` or `self`.
fn paths(text: &str) -> Vec<String> {
    let mut paths = Vec::new();
    let mut rest = String::new();
    for statement in text.split_inclusive(';') {
        let start = statement.rfind("use ").filter(|at| {
            let before = statement[..*at].trim_end();
            before.is_empty() || before.ends_with(['}', ';', ')', ']']) || before.ends_with("pub")
        });
        match start {
            Some(at) => {
                let tree = statement[at + 4..].trim_end_matches(';');
                paths.extend(expand(&tree.split_whitespace().collect::<String>()));
                rest.push_str(&statement[..at]);
            }
            None => rest.push_str(statement),
        }
    }
    let words = rest.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
    paths.extend(words.filter(|word| word.contains("::")).map(str::to_owned));
    paths
}

/// The modules that each file of a crate uses.
fn uses(name: &str) -> Uses {
    let source = crates().join(name).join("src");
    let files = files_under(&source);
    let known: BTreeMap<Module, String> = files
        .iter()
        .map(|file| {
            let relative = file.strip_prefix(&source).expect("a file of this crate");
            (module_of(relative), std::fs::read_to_string(file).expect("a source file is text"))
        })
        .collect();
    let mut uses = Uses::new();
    for (module, text) in &known {
        let used = uses.entry(module.clone()).or_default();
        for path in paths(&code(text)) {
            let mut parts = path.split("::").peekable();
            let mut target = match parts.next() {
                Some("crate") => Module::new(),
                Some("self") => module.clone(),
                Some("super") => module[..module.len().saturating_sub(1)].to_vec(),
                _ => continue,
            };
            while parts.next_if_eq(&"super").is_some() {
                target.pop();
            }
            target.extend(parts.map(str::to_owned));
            while !target.is_empty() && !known.contains_key(&target) {
                target.pop();
            }
            if target != *module {
                used.insert(target);
            }
        }
    }
    uses
}

fn check_layers(name: &str, layers: &[&[&str]]) {
    let rank = |module: &Module| {
        let found = layers.iter().position(|layer| layer.contains(&module[0].as_str()));
        found.unwrap_or_else(|| panic!("{name}: {} is in no layer: add it", module[0]))
    };
    let mut checked = 0;
    for (module, used) in &uses(name) {
        for target in used.iter().filter(|target| !module.is_empty() && !target.is_empty()) {
            let (from, to) = (rank(module), rank(target));
            assert!(
                to < from || module[0] == target[0] || (to == from && to + 1 == layers.len()),
                "{name}: {} uses {}, which is not below it",
                module.join("::"),
                target.join("::")
            );
            checked += 1;
        }
    }
    assert!(checked > 20, "{name}: only {checked} uses were found");
}

/// The modules that each module reaches, in any number of steps.
fn reachable(uses: &Uses) -> Uses {
    let mut reachable = uses.clone();
    loop {
        let before: usize = reachable.values().map(BTreeSet::len).sum();
        for module in uses.keys() {
            let next: BTreeSet<Module> = reachable[module]
                .iter()
                .filter_map(|target| reachable.get(target))
                .flatten()
                .cloned()
                .collect();
            reachable.get_mut(module).expect("it is a key").extend(next);
        }
        if reachable.values().map(BTreeSet::len).sum::<usize>() == before {
            return reachable;
        }
    }
}

#[test]
fn the_api_the_pages_and_the_program_use_only_the_layers_below() {
    check_layers("api", API);
    check_layers("web", WEB);
    check_layers("server", SERVER);
}

#[test]
fn the_import_uses_only_the_layers_below() {
    check_layers("import", IMPORT);
}

#[test]
fn a_source_of_the_import_does_not_use_the_other_sources() {
    let mut sources = 0;
    for (module, used) in uses("import") {
        let [layer, source, ..] = &module[..] else { continue };
        if layer != "sources" || ["source", "symbols"].contains(&source.as_str()) {
            continue;
        }
        sources += 1;
        for target in used.iter().filter(|target| target.len() > 1 && target[0] == "sources") {
            let shared = ["source", "symbols", "filing_list", "json_documents", source];
            assert!(shared.contains(&target[1].as_str()), "{module:?} uses {target:?}");
        }
    }
    assert!(sources > 5, "only {sources} files of sources were found");
}

#[test]
fn files_import_each_other_only_in_small_cycles_within_a_folder() {
    for name in [
        "ids",
        "generate",
        "checksum-vfs",
        "pdf",
        "store",
        "generations",
        "search",
        "graph",
        "import",
        "api",
        "web",
        "server",
    ] {
        let mut uses = uses(name);
        // A folder's `mod.rs` declares its modules; that is not a use.
        uses.remove(&Module::new());
        for (module, used) in &mut uses {
            used.retain(|target| !target.is_empty() && !target.starts_with(module));
        }
        let reachable = reachable(&uses);
        for module in uses.keys() {
            let cycle: Vec<&Module> = uses
                .keys()
                .filter(|other| {
                    reachable[module].contains(*other) && reachable[*other].contains(module)
                })
                .collect();
            let folder = |module: &Module| module[..module.len() - 1].to_vec();
            let one_folder = cycle.iter().all(|other| folder(other) == folder(module));
            assert!(
                cycle.len() <= MAX_CYCLE && (one_folder || cycle.is_empty()),
                "{name}: these files import each other in a cycle: {cycle:?}"
            );
        }
    }
}
