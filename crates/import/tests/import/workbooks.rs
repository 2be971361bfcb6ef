//! Writes small spreadsheets in the form of real programs: shared strings, dates as days with a
//! style, equal cells once.

use std::io::Write;

type Rows = Vec<Vec<String>>;

fn zip(files: &[(&str, String)]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in files {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

/// A date as 19/04/2016 or 24.08.2016.
fn day_of(text: &str) -> Option<jiff::civil::Date> {
    let mut parts = text.split(['/', '.']);
    let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);
    jiff::civil::Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()
}

/// A workbook in the form of Excel.
pub fn xlsx(sheets: &[(&str, &Rows)]) -> Vec<u8> {
    let (mut strings, mut count) = (String::new(), 0);
    let (mut list, mut relations, mut parts) = (String::new(), String::new(), Vec::new());
    for (index, (name, rows)) in sheets.iter().enumerate() {
        let number = index + 1;
        list += &format!("<sheet name=\"{name}\" sheetId=\"{number}\" d:id=\"rId{number}\"/>");
        relations +=
            &format!("<Relationship Id=\"rId{number}\" Target=\"worksheets/sheet{number}.xml\"/>");
        let mut data = String::new();
        for (row, cells) in rows.iter().enumerate().filter(|(_, cells)| !cells.is_empty()) {
            data += &format!("<row r=\"{}\">", row + 1);
            for (column, cell) in cells.iter().enumerate().filter(|(_, cell)| !cell.is_empty()) {
                let reference = format!("{}{}", char::from(b'A' + column as u8), row + 1);
                let epoch = jiff::civil::date(1899, 12, 30);
                data += &match (day_of(cell), cell.parse::<f64>()) {
                    (Some(day), _) => {
                        let days = epoch.until(day).unwrap().get_days();
                        format!("<c r=\"{reference}\" s=\"1\"><v>{days}</v></c>")
                    }
                    (None, Ok(_)) => format!("<c r=\"{reference}\"><v>{cell}</v></c>"),
                    (None, Err(_)) => {
                        strings += &format!("<si><r><t>{}</t></r></si>", escaped(cell));
                        count += 1;
                        format!("<c r=\"{reference}\" t=\"s\"><v>{}</v></c>", count - 1)
                    }
                };
            }
            data += "</row>";
        }
        let sheet = format!("<worksheet><sheetData>{data}</sheetData></worksheet>");
        parts.push((format!("xl/worksheets/sheet{number}.xml"), sheet));
    }
    let styles = "<styleSheet><numFmts><numFmt numFmtId=\"164\" formatCode=\"dd\\-mm\\-yyyy\"/>\
        </numFmts><cellStyleXfs><xf numFmtId=\"14\"/></cellStyleXfs><cellXfs><xf numFmtId=\"0\"/>\
        <xf numFmtId=\"164\"/></cellXfs></styleSheet>";
    let mut files = vec![
        ("[Content_Types].xml", "<Types/>".to_owned()),
        ("xl/workbook.xml", format!("<workbook><workbookPr/><sheets>{list}</sheets></workbook>")),
        ("xl/_rels/workbook.xml.rels", format!("<Relationships>{relations}</Relationships>")),
        ("xl/styles.xml", styles.to_owned()),
        ("xl/sharedStrings.xml", format!("<sst>{strings}</sst>")),
    ];
    files.extend(parts.iter().map(|(name, sheet)| (name.as_str(), sheet.clone())));
    zip(&files)
}

/// A spreadsheet in the form of LibreOffice.
pub fn ods(sheets: &[(&str, &Rows)]) -> Vec<u8> {
    let mut tables = String::new();
    for (name, rows) in sheets {
        tables += &format!("<table:table table:name=\"{name}\">");
        for cells in *rows {
            tables += "<table:table-row>";
            for cell in cells {
                tables += &match (day_of(cell), cell.parse::<f64>()) {
                    (Some(day), _) => format!(
                        "<table:table-cell office:value-type=\"date\" office:date-value=\"{day}\">\
                         <text:p>{cell}</text:p></table:table-cell>"
                    ),
                    (None, Ok(_)) => format!(
                        "<table:table-cell office:value-type=\"float\" office:value=\"{cell}\">\
                         <text:p>shown otherwise</text:p></table:table-cell>"
                    ),
                    (None, Err(_)) => format!(
                        "<table:table-cell office:value-type=\"string\"><office:annotation>\
                         <text:p>a note</text:p></office:annotation><text:p>{}</text:p>\
                         </table:table-cell>",
                        escaped(cell)
                    ),
                };
            }
            tables +=
                "<table:table-cell table:number-columns-repeated=\"16000\"/></table:table-row>";
        }
        tables += "<table:table-row table:number-rows-repeated=\"1048000\"><table:table-cell \
                   table:number-columns-repeated=\"16384\"/></table:table-row></table:table>";
    }
    ods_of(&tables)
}

/// A spreadsheet with these tables in XML.
pub fn ods_of(tables: &str) -> Vec<u8> {
    let content = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><office:document-content><office:body>\
         <office:spreadsheet>{tables}</office:spreadsheet></office:body></office:document-content>"
    );
    let mimetype = "application/vnd.oasis.opendocument.spreadsheet".to_owned();
    zip(&[("mimetype", mimetype), ("content.xml", content)])
}
