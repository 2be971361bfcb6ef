//! A register whose index lacks some companies, so that lists can have names of absent ones.

use std::collections::HashSet;
use std::path::Path;

use panji_bench::companies::Company;
use panji_bench::golden::perturb;
use panji_bench::report::print_progress;
use panji_search::{Generations, IndexKind, Search, build_from, state_name};

/// One in this many companies is left out of the index.
const LEFT_OUT: usize = 20;

pub struct SplitRegister {
    pub title: String,
    pub search: Search,
    /// The companies in the index.
    pub present: Vec<Company>,
    /// The companies that are not in it.
    pub absent: Vec<Company>,
    /// The letters of the present names.
    names: HashSet<String>,
    _temporary: tempfile::TempDir,
}

impl SplitRegister {
    /// Builds the index in a directory, or opens the one that is there.
    pub fn build(
        title: &str,
        mut companies: Vec<Company>,
        work: Option<&Path>,
    ) -> anyhow::Result<SplitRegister> {
        for company in &mut companies {
            company.state = state_of(company);
        }
        let (mut present, mut absent) = (Vec::new(), Vec::new());
        for (at, company) in companies.into_iter().enumerate() {
            if at % LEFT_OUT == LEFT_OUT - 1 { &mut absent } else { &mut present }.push(company);
        }
        // Without its legal form, which lists lose, a name must be nobody else's.
        let names: HashSet<String> = present.iter().map(|company| letters(&company.name)).collect();
        absent.retain(|company| !names.contains(&letters(&company.name)));
        let temporary = tempfile::tempdir()?;
        let directory = work.unwrap_or(temporary.path());
        let generations = Generations::open(directory)?;
        if generations.current().is_none() {
            let indexed = present.iter().map(|company| {
                let mut indexed = company.indexed();
                indexed.incorporated_on = year_of(company).map(|year| format!("{year}-04-01"));
                indexed
            });
            let built = build_from(&generations, indexed)?;
            print_progress(&format!(
                "{title}: {} companies, built in {:.1} s",
                present.len(),
                built.seconds
            ));
        }
        let search = Search::open(IndexKind::Companies, directory)?;
        let title = title.to_owned();
        Ok(SplitRegister { title, search, present, absent, names, _temporary: temporary })
    }

    /// The first former name of a company that is not the present name of another.
    pub fn former_name<'a>(&self, company: &'a Company) -> Option<&'a str> {
        let former = company.former_names.first()?;
        (!self.names.contains(&letters(former))).then_some(former)
    }
}

/// The letters and digits of a name without its legal form.
fn letters(name: &str) -> String {
    perturb::core(name).chars().filter(|c| c.is_alphanumeric()).collect()
}

/// The year in a CIN.
pub fn year_of(company: &Company) -> Option<u16> {
    company.cin.get(8..12).filter(|_| company.cin.len() == 21)?.parse().ok()
}

/// The state by the letters of the CIN, or by the name of the file.
fn state_of(company: &Company) -> String {
    let letters = company.cin.get(6..8).filter(|_| company.cin.len() == 21);
    if let Some(state) = letters.and_then(state_name) {
        return state.to_owned();
    }
    let stem = company.state.trim_start_matches("Demo_").split('_').next().unwrap_or_default();
    let mut spaced = String::new();
    for letter in stem.chars() {
        if letter.is_uppercase() && !spaced.is_empty() {
            spaced.push(' ');
        }
        spaced.push(letter);
    }
    state_name(&spaced).map_or(company.state.clone(), str::to_owned)
}
