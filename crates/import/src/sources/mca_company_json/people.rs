//! Directors and their appointments, derived from their roles. Only the number, name, status and
//! nationality of a person are read, and no other personal data of the portal.

use std::collections::BTreeMap;

use panji_ids::{CompanyId, Din, mask_pans};
use panji_store::register::{CoverageLevel, Director, Record};
use serde_json::{Map, Value};

use super::appointments::{Role, appointments_of};
use super::document::{Document, SOURCE};
use crate::values::date::DateOrder;
use crate::values::json_fields::Fields;
use crate::values::reason::Reason;
use crate::vocabulary;

/// A person of the list, with the roles of all entries under the same DIN.
struct Person {
    din: String,
    name: String,
    disqualified: bool,
    status_text: Option<String>,
    nationality: Option<String>,
    roles: Vec<Role>,
    problems: Vec<Reason>,
}

/// Reads the list of directors: one record per person, one per appointment, in whichever company it
/// is. The list is complete if an appointment is read from every entry.
pub fn read(
    list: &[&Map<String, Value>],
    document: &Document,
    results: &mut Vec<Result<Record, Reason>>,
) -> CoverageLevel {
    let first = results.len();
    let mut people: Vec<Person> = Vec::new();
    let mut by_din: BTreeMap<String, usize> = BTreeMap::new();
    for (index, entry) in list.iter().enumerate() {
        match read_person(index, entry, document) {
            Ok(person) => match by_din.get(&person.din) {
                Some(&index) => people[index].merge(person),
                None => {
                    by_din.insert(person.din.clone(), people.len());
                    people.push(person);
                }
            },
            Err(sentence) => results.push(Err(sentence)),
        }
    }
    for person in people {
        person.add_records(document, results);
    }
    let is_complete = results[first..].iter().all(Result::is_ok);
    if is_complete { CoverageLevel::Full } else { CoverageLevel::Partial }
}

impl Person {
    fn merge(&mut self, other: Person) {
        self.disqualified |= other.disqualified;
        self.status_text = self.status_text.take().or(other.status_text);
        self.nationality = self.nationality.take().or(other.nationality);
        self.roles.extend(other.roles);
        self.problems.extend(other.problems);
    }

    fn add_records(self, document: &Document, results: &mut Vec<Result<Record, Reason>>) {
        let label = format!("director {}", self.din);
        let cin = document.id.as_str();
        results.push(Ok(Record::Director(self.director())));
        // The portal lists everyone who ever signed for the company, but only the current roles. A
        // person without a role has left on an unknown day; an appointment would look current.
        let has_no_appointment = !self.roles.iter().any(|role| role.cin == cin);
        for appointment in appointments_of(&self.din, &self.name, self.roles) {
            results.push(Ok(Record::Appointment(appointment)));
        }
        if has_no_appointment {
            let fault = "without a role there; the day the appointment ended is not given";
            let kind = format!("a director is listed {fault}");
            results.push(Err(Reason::new(kind, format!("{label}: listed by {cin} {fault}"))));
        }
        results.extend(self.problems.into_iter().map(Err));
    }

    /// The portal's company page does not state the status of a DIN, only whether the holder is
    /// disqualified. If not, the status is still unknown.
    fn director(&self) -> Director {
        let disqualified = || self.disqualified.then(|| "DirectorDisqualified: Y".to_owned());
        let status = match &self.status_text {
            Some(text) => vocabulary::director_status(text),
            None if self.disqualified => "disqualified",
            None => "unknown",
        };
        Director {
            din: self.din.clone(),
            name: self.name.clone(),
            status: status.to_owned(),
            status_text: self.status_text.clone().or_else(disqualified),
            nationality: self.nationality.clone(),
            as_of: None,
            source: SOURCE.to_owned(),
        }
    }
}

fn read_person(
    index: usize,
    entry: &Map<String, Value>,
    document: &Document,
) -> Result<Person, Reason> {
    let fields = Fields::new(entry);
    let names = ["FirstName", "MiddleName", "LastName"].map(|part| fields.text(&[part]));
    let name = names.into_iter().flatten().collect::<Vec<_>>().join(" ");
    let label = format!("director {} of {}", index + 1, document.id);
    // The text may be a PAN: the portal writes it in the DIN field of a person without a DIN.
    let reject = |kind: &'static str, problem: String| {
        Reason::new(kind, mask_pans(&format!("{label}: {problem}")))
    };
    let Some(written) = fields.text(&["DIN"]) else {
        let problem = if name.is_empty() {
            "a placeholder without DIN and name"
        } else {
            "no DIN, so that the appointment has no key"
        };
        return Err(reject(problem, problem.to_owned()));
    };
    let din = Din::parse(&written).map_err(|error| {
        reject("the DIN of a director is invalid", format!("{written:?} as the DIN: {error}"))
    })?;
    if name.is_empty() {
        return Err(reject("a director has no name", format!("DIN {din} has no name")));
    }
    let mut person = Person {
        din: din.as_str().to_owned(),
        name,
        disqualified: fields.flag(&["DirectorDisqualified"]) == Some(true),
        status_text: fields.text(&["DINStatus", "dinStatus"]),
        nationality: None,
        roles: Vec::new(),
        problems: Vec::new(),
    };
    for role in fields.objects("MCAUserRole") {
        person.nationality =
            person.nationality.or_else(|| Fields::new(role).text(&["nationality"]));
        match read_role(role, &din, entry, document, &mut person.problems) {
            Ok(role) => person.roles.extend(role),
            Err(problem) => {
                let sentence = format!("director {din}: {}", problem.text);
                person.problems.push(Reason::new(problem.kind, mask_pans(&sentence)));
            }
        }
    }
    Ok(person)
}

/// Reads a role; none if it is not part of an appointment, such as a portal account (`FO User`),
/// which repeats appointments and may outlast them, or a subscriber or promoter, who founded the
/// company without an appointment.
fn read_role(
    role: &Map<String, Value>,
    din: &Din,
    person: &Map<String, Value>,
    document: &Document,
    problems: &mut Vec<Reason>,
) -> Result<Option<Role>, Reason> {
    let mut fields = Fields::new(role);
    let designation_text = fields.text(&["designation"]);
    let account = fields.text(&["personType"]).is_some_and(|kind| kind != "Signatory");
    let founder = designation_text.as_deref().is_some_and(|designation| {
        let designation = designation.to_ascii_lowercase();
        designation.ends_with("subscriber") || designation.ends_with("promoter")
    });
    if account || founder {
        return Ok(None);
    }
    let written = fields.text(&["cin"]).unwrap_or_default();
    let id = CompanyId::parse(&written).map_err(|error| {
        let fault = "which is not the number of a company";
        let kind = format!("a role in a company by a text {fault}");
        Reason::new(kind, format!("a role in {written:?}, {fault}: {error}"))
    })?;
    let cin = document.current_cin(id.as_str());
    let began = fields.day("roleEffectiveDate", DateOrder::MonthFirst);
    let designated_on = fields.day("currentDesignationDate", DateOrder::MonthFirst);
    let ceased_on = fields.day("cessationDate", DateOrder::MonthFirst);
    let association = fields.text(&["signatoryAssociationStatus"]);
    let mut begin = began.or_else(|| designated_on.clone());
    if begin.is_none() && cin == document.id.as_str() {
        begin = Fields::new(person).day("dateOfAppointment", DateOrder::MonthFirst);
    }
    problems.extend(fields.problems(&format!("director {din}, role in {cin}")));
    if ceased_on.is_none() && association.is_some_and(|text| !text.eq_ignore_ascii_case("active")) {
        let fault = "has ended, but the day is not given";
        return Err(Reason::new(format!("a role {fault}"), format!("the role in {cin} {fault}")));
    }
    if let (Some(begin), Some(end)) = (&begin, &ceased_on)
        && end < begin
    {
        let text = format!("the role in {cin} ended on {end}, before it began on {begin}");
        return Err(Reason::new("a role ended before it began", text));
    }
    Ok(Some(Role { cin, begin, designated_on, ceased_on, designation_text }))
}
