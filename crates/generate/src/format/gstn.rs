//! The GST network's JSON: one taxpayer per line, and one list of returns per line.

use std::io::Write;

use jiff::civil::Date;

use crate::faults::Fault;
use crate::gst::{Place, Registration};

/// The months with returns, as year and month.
const MONTHS: [(i16, i8); 12] = [
    (2025, 4),
    (2025, 5),
    (2025, 6),
    (2025, 7),
    (2025, 8),
    (2025, 9),
    (2025, 10),
    (2025, 11),
    (2025, 12),
    (2026, 1),
    (2026, 2),
    (2026, 3),
];

/// Writes a taxpayer's line, with its fault.
pub(crate) fn write_taxpayer(
    line: &mut Vec<u8>,
    registration: &Registration,
    fault: Option<Fault>,
) {
    let mut gstin = registration.gstin.clone();
    if fault == Some(Fault::WrongCheckCharacter) {
        let wrong = if gstin.ends_with('0') { '1' } else { '0' };
        gstin.pop();
        gstin.push(wrong);
    }
    let Registration {
        legal_name, trade_name, status, taxpayer_type, constitution, nature, ..
    } = registration;
    let cancelled = registration.cancelled_on.map(slashes).unwrap_or_default();
    let none = if fault == Some(Fault::TaxpayerNotAvailable) { "NA" } else { "" };
    let cancelled = if cancelled.is_empty() { none } else { &cancelled };
    let start = line.len();
    let _ = write!(
        line,
        r#"{{"gstin":"{gstin}","lgnm":"{legal_name}","tradeNam":"{trade_name}","sts":"{status}","dty":"{taxpayer_type}","ctb":"{constitution}","rgdt":"{}","cxdt":"{cancelled}","ctj":"RANGE-{}","stj":"WARD {}","nba":["{nature}"],"pradr":"#,
        slashes(registration.registered_on),
        1 + registration.place.pincode.len() % 5,
        &registration.place.pincode[3..],
    );
    write_place(line, &registration.place, nature, fault);
    line.extend_from_slice(b",\"adadr\":[");
    for (number, place) in registration.more_places.iter().enumerate() {
        if number > 0 {
            line.push(b',');
        }
        write_place(line, place, nature, None);
    }
    let e_invoice = if registration.e_invoice { "Yes" } else { "No" };
    let _ = write!(line, "],\"einvoiceStatus\":\"{e_invoice}\"}}");
    if fault == Some(Fault::CutLine) {
        line.truncate(start + (line.len() - start) / 2);
    }
    line.push(b'\n');
}

fn write_place(line: &mut Vec<u8>, place: &Place, nature: &str, fault: Option<Fault>) {
    let Place { street, town, state, pincode } = place;
    if fault == Some(Fault::FlatAddress) {
        let _ = write!(
            line,
            r#"{{"adr":"{street}, {}, {}, {state}, {pincode}","ntr":"{nature}"}}"#,
            town.0, town.1
        );
        return;
    }
    let (number, street) = street.split_once(", ").unwrap_or(("", street));
    let (open, close) =
        if fault == Some(Fault::NatureAsList) { ("[\"", "\"]") } else { ("\"", "\"") };
    let _ = write!(
        line,
        r#"{{"addr":{{"bnm":"","st":"{street}","loc":"{}","bno":"{number}","dst":"{}","locality":"","pncd":"{pincode}","stcd":"{state}","flno":""}},"ntr":{open}{nature}{close}}}"#,
        town.0, town.1
    );
}

/// Writes the returns of a taxpayer, and returns how many there are. A duplicate follows the
/// others.
pub(crate) fn write_returns(
    line: &mut Vec<u8>,
    registration: &Registration,
    fault: Option<Fault>,
) -> u64 {
    let Registration { gstin, registered_on, .. } = registration;
    let _ = write!(line, r#"{{"gstin":"{gstin}","EFiledlist":["#);
    let mut count = 0;
    for (year, month) in MONTHS {
        // A taxpayer registered later had nothing to file.
        if (year, month) < (registered_on.year(), registered_on.month()) {
            continue;
        }
        for (kind, day) in [("GSTR1", 11), ("GSTR3B", 20)] {
            if count > 0 {
                line.push(b',');
            }
            let without_mark = count == 0 && fault == Some(Fault::NoValidMark);
            write_return(line, gstin, kind, (year, month), day, without_mark);
            count += 1;
        }
    }
    if fault == Some(Fault::ReturnTwice) && count > 0 {
        line.push(b',');
        write_return(line, gstin, "GSTR1", MONTHS[11], 11, false);
    }
    line.extend_from_slice(b"]}\n");
    count
}

fn write_return(
    line: &mut Vec<u8>,
    gstin: &str,
    kind: &str,
    (year, month): (i16, i8),
    day: i8,
    without_mark: bool,
) {
    let (next_year, next_month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    let valid = if without_mark { "" } else { "\"valid\":\"Y\"," };
    let state = &gstin[..2];
    let serial = &gstin[7..11];
    let check = &gstin[14..];
    let _ = write!(
        line,
        r#"{{{valid}"mof":"ONLINE","dof":"{day:02}-{next_month:02}-{next_year}","ret_prd":"{month:02}{year}","rtntype":"{kind}","arn":"ZZ{state}{month:02}{}{serial}{day:02}{check}","status":"Filed"}}"#,
        year % 100,
    );
}

fn slashes(day: Date) -> String {
    format!("{:02}/{:02}/{}", day.day(), day.month(), day.year())
}
