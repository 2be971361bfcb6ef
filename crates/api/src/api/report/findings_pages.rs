//! The findings with their evidence, what could not be checked, and how to read the report.

use panji_pdf::{Column, Document, PAGE_LEFT, PAGE_RIGHT};

use super::sheet::{
    BODY, Cell, LABEL, MUTED, SMALL, STRONG, WIDE, heading, mark, note, source_text, subheading,
    table, word,
};
use super::summary::severity_color;
use crate::api::wire::{CompanyFindings, Finding, enums};
use crate::locale::dates;

/// The most records of one finding that are printed.
const MAX_EVIDENCE: usize = 12;

pub fn write(document: &mut Document, findings: &CompanyFindings) {
    heading(document, "Findings");
    if findings.findings.is_empty() {
        note(document, "None of the rules that could be checked found anything.");
    }
    for finding in &findings.findings {
        write_finding(document, finding);
    }
    not_checked(document, findings);
    without_finding(document, findings);
    reading(document);
}

fn write_finding(document: &mut Document, finding: &Finding) {
    let sentence_height = document.height_of(WIDE, STRONG, &finding.sentence);
    document.keep_together(sentence_height + 60.0);
    let color = severity_color(finding);
    let what = match finding.kind.as_ref() {
        enums::CONTEXT => "Context".to_owned(),
        _ => format!("Risk, {}", finding.severity),
    };
    let width = mark(document, PAGE_LEFT, 0.0, &what, color);
    let name = format!("{} · confidence {}", word(&finding.code), finding.confidence);
    document.label(Column::left(PAGE_LEFT + width + 8.0, PAGE_RIGHT), 1.0, LABEL, &name);
    document.skip(17.0);
    document.paragraph(WIDE, STRONG, &finding.sentence);
    document.skip(2.0);
    let column = Column::left(PAGE_LEFT + 12.0, PAGE_RIGHT);
    for evidence in finding.evidence.iter().take(MAX_EVIDENCE) {
        let named = match (&evidence.name, &evidence.id) {
            (Some(name), Some(id)) => format!("{name} ({id}): "),
            (Some(text), None) | (None, Some(text)) => format!("{text}: "),
            (None, None) => String::new(),
        };
        let source = source_text(evidence.as_of.as_deref(), evidence.source.as_deref());
        let text = format!("{named}{} {source}", evidence.detail);
        document.keep_together(document.height_of(column, SMALL, &text));
        document.fill_disc((PAGE_LEFT + 4.0, 6.0), 1.6, MUTED);
        document.paragraph(column, SMALL, &text);
        document.skip(1.0);
    }
    if finding.evidence_total > MAX_EVIDENCE {
        let more = finding.evidence_total - MAX_EVIDENCE;
        document.paragraph(column, LABEL, &format!("{more} further records are not shown."));
    }
    document.skip(2.0);
    let rule = &finding.rule;
    let text = format!(
        "Rule: {} {} Not visible to the rule: {}",
        rule.threshold,
        rule.comes_from,
        lower(&rule.cannot_see)
    );
    document.paragraph(column, LABEL, &text);
    document.skip(10.0);
}

/// A sentence after a colon.
fn lower(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_lowercase().chain(letters).collect())
}

fn not_checked(document: &mut Document, findings: &CompanyFindings) {
    if findings.not_checked.is_empty() {
        return;
    }
    subheading(document, "What could not be checked");
    let columns =
        [("Rule", Column::left(PAGE_LEFT, 230.0)), ("Why", Column::left(235.0, PAGE_RIGHT))];
    let rows: Vec<Vec<Cell>> = findings
        .not_checked
        .iter()
        .map(|rule| vec![Cell::plain(word(&rule.code)), Cell::plain(&rule.reason)])
        .collect();
    table(document, &columns, &rows);
}

fn without_finding(document: &mut Document, findings: &CompanyFindings) {
    let quiet: Vec<String> = findings
        .checked
        .iter()
        .filter(|rule| rule.findings == 0)
        .map(|rule| word(&rule.code))
        .collect();
    if quiet.is_empty() {
        return;
    }
    subheading(document, "Checked without a finding");
    document.paragraph(WIDE, BODY, &format!("{}.", quiet.join("; ")));
}

fn reading(document: &mut Document) {
    heading(document, "How to read this report");
    for text in [
        "The report contains what was imported into the register from the sources named in it, as of their dates. It is not \
         an audit, and not a credit rating. Before a decision, compare the important facts with \
         the filings themselves.",
        "Values that are not known are marked as not known. This does not mean zero or none.",
        "A finding states facts with their sources. It is not proof of wrongdoing. Persons with \
         the same name are told apart by their DIN only.",
    ] {
        document.paragraph(WIDE, BODY, text);
        document.skip(4.0);
    }
    document.paragraph(
        WIDE,
        LABEL,
        "Amounts are in Indian rupees. 1 lakh is 1,00,000; 1 crore is 1,00,00,000. Financial years run from April to March.",
    );
}

/// The line at the foot of each page.
pub fn foot(findings: &CompanyFindings, page: usize, pages: usize) -> String {
    let day = dates::day(&findings.checked_on);
    format!("{} · report of {day} · page {page} of {pages}", findings.cin)
}
