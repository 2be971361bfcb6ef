//! The table of rules, with their thresholds in words.

use super::rule::Rule;
use super::{identity, money, people, status};
use crate::locale::amounts::short_rupees;

/// All rules, in the order in which they are checked.
pub fn rules() -> Vec<Rule> {
    of_the_company().into_iter().chain(of_people()).chain(of_identity()).collect()
}

fn of_the_company() -> [Rule; 5] {
    [
        Rule {
            code: "company_status",
            threshold: "The status is not active: for example struck off, under liquidation or dormant.".into(),
            basis: "The status that the Ministry of Corporate Affairs publishes.",
            cannot_see: "A change of the status after the date of the source.",
            check: status::company_status,
        },
        Rule {
            code: "overdue_filings",
            threshold: "A statutory filing was not made by the date of the source, although it was due before; severe if it was due three years before that date.".into(),
            basis: "Due dates of the Companies Act 2013 and the LLP Act 2008; three years as in section 164(2)(a).",
            cannot_see: "Filings made after the date of the source.",
            check: status::overdue_filings,
        },
        Rule {
            code: "charges_above_net_worth",
            threshold: "The sum of the open charges is above the net worth of the newest year; severe if it is more than twice the net worth.".into(),
            basis: "A choice of this service: lenders compare secured debt with net worth.",
            cannot_see: "What is still owed: a charge states the amount secured when it was made or modified, and several charges can secure one loan.",
            check: money::charges_above_net_worth,
        },
        Rule {
            code: "gst_cancelled_while_active",
            threshold: "The company is active, and a GST registration of its PAN is cancelled; a risk only if all known ones are.".into(),
            basis: "A choice of this service; cancellation is by section 29 of the CGST Act 2017.",
            cannot_see: "Registrations of the PAN that were not imported; why a registration was cancelled.",
            check: status::gst_cancelled_while_active,
        },
        Rule {
            code: "dormant_with_gst_returns",
            threshold: format!(
                "The company is dormant, and a GST return was filed within {} months.",
                status::RECENT_RETURNS_MONTHS
            )
            .into(),
            basis: "Section 455: a dormant company has no significant accounting transaction.",
            cannot_see: "The turnover in a return: it can be nil.",
            check: status::dormant_with_gst_returns,
        },
    ]
}

fn of_people() -> [Rule; 3] {
    [
        Rule {
            code: "director_disqualified",
            threshold: "The DIN of a current director is disqualified, surrendered, deactivated, disabled, lapsed or rejected.".into(),
            basis: "The status that the Ministry of Corporate Affairs publishes; section 164.",
            cannot_see: "A change of the status after the date of the source; the reason, where the source states none.",
            check: people::director_disqualified,
        },
        Rule {
            code: "directorships_in_struck_off_companies",
            threshold: format!(
                "A current director sits, or sat within {} years, on the board of a company that is published as struck off; the finding ends after that time.",
                people::DISQUALIFIED_MONTHS / 12
            )
            .into(),
            basis: "Section 164(2): five years from the default of a company. A company can be struck off for other reasons, and at its own request.",
            cannot_see: "The day of striking off, unless a source states it; whether the person was disqualified; companies that were not imported.",
            check: people::directorships_in_struck_off_companies,
        },
        Rule {
            code: "many_directorships",
            threshold: format!(
                "A current director sits on the boards of more than {} active companies, or more than {} active public companies.",
                people::MAX_COMPANIES,
                people::MAX_PUBLIC_COMPANIES
            )
            .into(),
            basis: "Section 165(1). Dormant companies, companies under section 8, LLPs and foreign companies do not count.",
            cannot_see: "Companies that were not imported; appointments whose end no source states; a private company that counts as public because it belongs to one.",
            check: people::many_directorships,
        },
    ]
}

fn of_identity() -> [Rule; 7] {
    let recent = identity::RECENT_MONTHS;
    [
        Rule {
            code: "companies_at_address",
            threshold: format!(
                "{} or more companies have their registered office at the same address.",
                identity::MANY_AT_ADDRESS
            )
            .into(),
            basis: "A choice of this service. A head office of a group and a provider of registered offices are common reasons.",
            cannot_see: "Addresses that are written too differently; companies that were not imported.",
            check: identity::companies_at_address,
        },
        Rule {
            code: "name_like_struck_off_company",
            threshold: "The name is the same as that of a struck-off company except for the legal form, or spelled nearly the same, and the two share no director.".into(),
            basis: "What rule 8 of the Companies (Incorporation) Rules 2014 treats as one name.",
            cannot_see: "Whether there is a connection: many companies have similar names by chance.",
            check: identity::name_like_struck_off_company,
        },
        Rule {
            code: "name_like_regulated_company",
            threshold: "The name is the same as, or nearly the same as, that of a company that is listed, or in finance or insurance by its industry code (NIC 64 to 66), and the two share no director.".into(),
            basis: "What rule 8 of the Companies (Incorporation) Rules 2014 treats as one name; a listing or the industry code is taken as a sign of regulation.",
            cannot_see: "Licences of SEBI, the Reserve Bank or IRDAI, which are not in the register; whether there is a connection.",
            check: identity::name_like_regulated_company,
        },
        Rule {
            code: "recent_name_change",
            threshold: format!("The name changed within {recent} months.").into(),
            basis: "A choice of this service.",
            cannot_see: "Changes whose day no source states.",
            check: identity::recent_name_change,
        },
        Rule {
            code: "recent_office_change",
            threshold: format!("The registered office changed within {recent} months.").into(),
            basis: "A choice of this service.",
            cannot_see: "Changes before the first import.",
            check: identity::recent_office_change,
        },
        Rule {
            code: "all_directors_changed",
            threshold: format!(
                "All current directors were appointed within {} months, others left within them, and the company is older.",
                people::RECENT_MONTHS
            )
            .into(),
            basis: "A choice of this service.",
            cannot_see: "Changes after the date of the source.",
            check: people::all_directors_changed,
        },
        Rule {
            code: "new_with_high_capital",
            threshold: format!(
                "The company was incorporated within {} months, and its paid-up capital is {} or more.",
                money::NEW_MONTHS,
                short_rupees(money::HIGH_CAPITAL as f64 / 100.0)
            )
            .into(),
            basis: "A choice of this service, similar to the paid-up capital up to which section 2(85) calls a company small.",
            cannot_see: "How the capital was paid: in cash or in kind.",
            check: money::new_with_high_capital,
        },
    ]
}
