//! Companies to search: the real master files, or any number of synthetic ones.

use std::path::Path;

use anyhow::Context;
use panji_generate::Synthetic;
use panji_store::register::IndexedCompany;

/// The seed of the synthetic register.
const SEED: u64 = 20_260_722;
/// One in this many real companies gets a synthetic former name, because the master files have
/// none.
const RENAMED: usize = 20;

#[derive(Clone, Debug)]
pub struct Company {
    pub cin: String,
    pub name: String,
    pub former_names: Vec<String>,
    pub active: bool,
    pub listed: bool,
    pub state: String,
    /// The city of the registered office, if it is known.
    pub city: Option<String>,
    /// The PIN code of the registered office.
    pub pincode: Option<String>,
    /// The registered office in one line.
    pub address: String,
    pub former_cin: Option<String>,
}

impl Company {
    /// The form for the search index.
    pub fn indexed(&self) -> IndexedCompany {
        let names: Vec<String> = self
            .former_names
            .iter()
            .map(|name| format!("{{\"name\":\"{}\"}}", name.replace(['"', '\\'], "")))
            .collect();
        IndexedCompany {
            cin: self.cin.clone(),
            name: self.name.clone(),
            former_names: format!("[{}]", names.join(",")),
            former_cins: self.former_cin.as_ref().map_or("[]".into(), |cin| format!("[\"{cin}\"]")),
            kind: if self.cin.len() == 21 { "company" } else { "llp" }.to_owned(),
            status: if self.active { "active" } else { "struck_off" }.to_owned(),
            state_code: None,
            state: Some(self.state.clone()),
            incorporated_on: Some("2001-01-01".to_owned()),
            listed: Some(self.listed),
            city: self.city.clone(),
            pincode: self.pincode.clone(),
            class: Some(if self.cin.contains("PTC") { "private" } else { "public" }.to_owned()),
            nic_code: self.cin.get(1..6).filter(|_| self.cin.len() == 21).map(str::to_owned),
        }
    }
}

/// Fictitious companies.
pub fn synthetic(number: u64) -> impl Iterator<Item = Company> {
    let register = Synthetic::new(SEED);
    (0..number).map(move |index| {
        let company = register.company(index);
        Company {
            active: company.is_active(),
            city: Some(company.city().to_owned()),
            pincode: Some(company.pincode().to_owned()),
            address: company.address().to_owned(),
            former_cin: company.former_cin.clone(),
            former_names: company.former_names.into_iter().map(|former| former.name).collect(),
            cin: company.cin,
            name: company.name,
            listed: company.listed,
            state: company.state.to_owned(),
        }
    })
}

/// The companies of the real master files under a directory.
pub fn real(data: &Path) -> anyhow::Result<Vec<Company>> {
    let mut companies: Vec<Company> = Vec::new();
    for release in ["new_format", "old_format_masked"] {
        let directory = data.join("mca_master").join(release);
        let entries =
            std::fs::read_dir(&directory).with_context(|| directory.display().to_string())?;
        let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        files.sort();
        for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "csv")) {
            read_master(file, &mut companies).with_context(|| file.display().to_string())?;
        }
    }
    let mut seen = std::collections::HashSet::new();
    companies.retain(|company| seen.insert(company.cin.clone()));
    rename_some(&mut companies);
    Ok(companies)
}

fn read_master(file: &Path, companies: &mut Vec<Company>) -> anyhow::Result<()> {
    let bytes = std::fs::read(file)?;
    let text = String::from_utf8_lossy(&bytes);
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
    let headers = reader.headers()?.clone();
    let column = |names: &[&str]| {
        headers.iter().position(|header| {
            let header: String = header.chars().filter(char::is_ascii_alphanumeric).collect();
            names.contains(&header.to_ascii_lowercase().as_str())
        })
    };
    let cin = column(&["cin", "corporateidentificationnumber"]).unwrap_or(0);
    let name = column(&["companyname"]).unwrap_or(1);
    let status = column(&["companystatus"]);
    let listing = column(&["listingstatus"]);
    let office = column(&["registeredofficeaddress"]);
    for row in reader.records() {
        let row = row?;
        let cell =
            |at: Option<usize>| at.and_then(|at| row.get(at)).unwrap_or("").trim().to_owned();
        let (cin, name) = (cell(Some(cin)), cell(Some(name)));
        if cin.len() < 6 || name.len() < 2 || name.contains('\u{fffd}') {
            continue;
        }
        let status = cell(status).to_ascii_lowercase();
        let (address, city, pincode) = office_parts(&cell(office));
        companies.push(Company {
            address,
            city,
            pincode,
            former_cin: None,
            active: status.starts_with("acti") || status == "actv",
            listed: cell(listing).eq_ignore_ascii_case("listed") || cin.starts_with('L'),
            state: file.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into()),
            former_names: Vec::new(),
            cin,
            name,
        });
    }
    Ok(())
}

/// The address, the city and the PIN code of "street,city,district,state,403516-India". The older
/// release has no separate city.
fn office_parts(text: &str) -> (String, Option<String>, Option<String>) {
    let text = text.trim_end_matches("-India").trim();
    let pincode = text.len().checked_sub(6).and_then(|from| text.get(from..));
    let pincode = pincode.filter(|code| code.bytes().all(|byte| byte.is_ascii_digit()));
    let pincode = pincode.filter(|code| !code.starts_with('0')).map(str::to_owned);
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let city = match parts.as_slice() {
        [_, .., city, _, _, code] if Some(*code) == pincode.as_deref() && !city.is_empty() => {
            Some((*city).to_owned())
        }
        _ => None,
    };
    (text.split_whitespace().collect::<Vec<_>>().join(" "), city, pincode)
}

/// Gives some companies a former name: the first half of another company's words before the second
/// half of a third one's.
fn rename_some(companies: &mut [Company]) {
    let count = companies.len();
    for position in (0..count).step_by(RENAMED) {
        let words = |at: usize| -> Vec<String> {
            companies[at % count].name.split_whitespace().map(str::to_owned).collect()
        };
        let (first, second) = (words(position + 7_919), words(position + 15_013));
        let name = [&first[..first.len().div_ceil(2)], &second[second.len() / 2..]].concat();
        companies[position].former_names.push(name.join(" "));
    }
}
