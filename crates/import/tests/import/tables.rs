//! Lists in other forms: JSON of the open data portal, spreadsheets, other encodings and
//! separators, the monthly lists, and files that are not lists.

use panji_import::Report;

use crate::workbooks::{ods, xlsx};
use crate::{Bench, sums};

const MASTER_2023: &str = "CIN,CompanyName,CompanyROCcode,CompanyCategory,CompanySubCategory,\
    CompanyClass,AuthorizedCapital,PaidupCapital,CompanyRegistrationdate_date,\
    Registered_Office_Address,Listingstatus,CompanyStatus,CompanyStateCode,\
    CompanyIndian/Foreign Company,nic_code,CompanyIndustrialClassification\n\
    U01110GA2020PTC990001,CAFÉ NAMUNA PRIVATE LIMITED,ROC Goa,Company limited by shares,\
    Non-government company,Private,100000.00,50000.00,2020-08-18,\"9 NADI MARG,PANAJI,North Goa,Goa,\
    403001-India\",Unlisted,Active,goa,Indian,01110,Agriculture\n\
    U01110GA2021PTC990002,TARA \"STAR\" PRIVATE LIMITED,ROC Goa,Company limited by shares,\
    Non-government company,Private,200000.00,1.00,2021-02-03,\"1 TARA BHAVAN,MARGAO,South Goa,Goa,\
    403601-India\",Unlisted,Strike Off,goa,Indian,01110,Agriculture\n";

const NEW_COMPANIES: &str = "CIN,COMPANY NAME,DATE OF REGISTRATION,MONTH NAME,ROC,STATE,CATEGORY,\
    COMPANY TYPE,CLASS,AUTHORIZED CAPITAL (in Thousand Rs.),PAIDUP CAPITAL (in Thousand Rs.),\
    ACTIVITY CODE,ACTIVITY DESCRIPTION,REGISTERED OFFICE ADDRESS,EMAIL,INC-29\n\
    U72900GA2016PTC990011,NAYA NAMUNA PRIVATE LIMITED,19/04/2016,April,ROC Goa,Goa,\
    Company limited by shares,Non-government company,Private,100,10.5,72900,Business Services,\
    \"5 NAYA MARG, PANAJI, GOA 403001\",naya@example.in,N\n\
    U72900GA2016PTC990012,DO ANK PRIVATE LIMITED,02/04/2016,April,ROC Goa,Goa,\
    Company limited by shares,Non-government company,Private,100,10,72,Business Services,\
    \"6 NAYA MARG, PANAJI, GOA 403001\",,N\n";

const NEW_LLPS: &str = "LLPIN,LLP Name,Date of Incorporation,ROC Location,State,District,\
    No. of Partners,No. of Designated Partners,Obligation of Contribution(Rs.),\
    Industrial Activity Code,Activity Description,Address,Email\n\
    AAZ-9911,NAMUNA ADVISORS LLP,24.08.2016,ROC Goa,Goa,North Goa,3,2,100000,74140,\
    Business Services,\"7 NAYA MARG, PANAJI, GOA 403001\",llp@example.in\n";

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// Checks that the two companies of the master were imported.
fn check_master(bench: &Bench, report: &Report) {
    assert_eq!(sums(report), [2, 2, 0, 0, 0, 0], "{report:?} {:?}", bench.rejected());
    assert_eq!(report.failures, [] as [String; 0]);
    let company = bench.company("U01110GA2020PTC990001");
    assert_eq!(company.name, "CAFÉ NAMUNA PRIVATE LIMITED");
    assert_eq!(company.incorporated_on, some("2020-08-18"));
    assert_eq!(company.authorised_capital, Some(10_000_000));
    assert_eq!((company.pincode, company.nic_code), (some("403001"), some("01110")));
    assert_eq!((company.as_of, company.source.as_str()), (some("2021-02-03"), "mca_master_2023"));
    assert_eq!(bench.company("U01110GA2021PTC990002").name, "TARA \"STAR\" PRIVATE LIMITED");
}

/// The cells of a CSV text without line ends in its cells.
fn cells(csv: &str) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for line in csv.lines() {
        let (mut row, mut cell, mut quoted) = (Vec::new(), String::new(), false);
        for character in line.chars() {
            match character {
                // Names in the fixtures contain quotes, but never at the start or end of a cell.
                '"' if cell.is_empty() && !quoted => quoted = true,
                '"' if quoted => quoted = false,
                ',' if !quoted => row.push(std::mem::take(&mut cell)),
                character => cell.push(character),
            }
        }
        row.push(cell);
        rows.push(row);
    }
    rows
}

#[test]
fn a_response_of_the_open_data_portal_is_read() {
    let rows = cells(MASTER_2023);
    let fields: Vec<_> = rows[0]
        .iter()
        .map(|name| {
            let id = name.to_lowercase().replace([' ', '/'], "_");
            serde_json::json!({"name": name, "id": id, "type": "keyword"})
        })
        .collect();
    let record = |row: &Vec<String>| -> serde_json::Value {
        let members = fields.iter().zip(row);
        members
            .map(|(field, cell)| (field["id"].as_str().unwrap().to_owned(), cell.clone()))
            .collect()
    };
    let records: Vec<_> = rows[1..].iter().map(record).collect();
    let response = serde_json::json!({
        "index_name": "4dbe5667-7b6b-41d7-82af-211562424d9a", "title": "Company Master Data",
        "status": "ok", "total": 2, "count": 2, "limit": "10", "offset": "0",
        "records": records, "field": fields,
    });
    for text in [response.to_string(), serde_json::to_string_pretty(&response).unwrap()] {
        let mut bench = Bench::new();
        let path = bench.file("response.json", text);
        let report = bench.import(&path);
        check_master(&bench, &report);
    }
    let mut bench = Bench::new();
    let path =
        bench.file("refused.json", r#"{"index_name":"x","records":null,"message":"Key expired"}"#);
    let report = bench.import(&path);
    assert!(report.failures[0].contains("\"Key expired\""), "{:?}", report.failures);
}

#[test]
fn other_encodings_line_ends_and_separators_are_read() {
    let tabs = |separator: &str| -> String {
        let quote = |cell: &String| match cell.contains(separator) {
            true => format!("\"{cell}\""),
            false => cell.clone(),
        };
        let line = |row: Vec<String>| row.iter().map(quote).collect::<Vec<_>>().join(separator);
        cells(MASTER_2023).into_iter().map(line).collect::<Vec<_>>().join("\r\n") + "\r\n"
    };
    let utf_16 = |text: &str, mark: [u8; 2], to_bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        mark.into_iter().chain(text.encode_utf16().flat_map(to_bytes)).collect()
    };
    let files: [(&str, Vec<u8>); 7] = [
        ("little.txt", utf_16(&tabs("\t"), [0xFF, 0xFE], u16::to_le_bytes)),
        ("big.csv", utf_16(MASTER_2023, [0xFE, 0xFF], u16::to_be_bytes)),
        ("semicolons.csv", tabs(";").into_bytes()),
        ("declared.csv", format!("sep=;\r\n{}", tabs(";")).into_bytes()),
        ("tabs.tsv", tabs("\t").into_bytes()),
        ("bars.txt", tabs("|").into_bytes()),
        ("mac.csv", MASTER_2023.replace('\n', "\r").into_bytes()),
    ];
    for (name, content) in files {
        let mut bench = Bench::new();
        let path = bench.file(name, content);
        let report = bench.import(&path);
        check_master(&bench, &report);
    }
}

#[test]
fn a_spreadsheet_is_read_with_all_its_sheets() {
    let empty: Vec<Vec<String>> = Vec::new();
    let mut companies = vec![vec!["Companies registered in April 2016".to_owned()], Vec::new()];
    companies.extend(cells(NEW_COMPANIES));
    let notes = vec![vec!["Notes".to_owned()], vec!["All amounts are provisional".to_owned()]];
    let sheets = [
        ("Indian Companies", &companies),
        ("LLP", &cells(NEW_LLPS)),
        ("Sheet3", &empty),
        ("Notes", &notes),
    ];
    for (name, content) in [("list.xlsx", xlsx(&sheets)), ("list.ods", ods(&sheets))] {
        let mut bench = Bench::new();
        let path = bench.file(name, content);
        let report = bench.import(&path);
        assert_eq!(sums(&report), [3, 3, 0, 0, 0, 0], "{name} {report:?} {:?}", bench.rejected());
        assert_eq!(report.failures, [] as [String; 0], "{name}");
        assert_eq!(report.skipped_sheets.len(), 1, "{:?}", report.skipped_sheets);
        assert!(report.skipped_sheets[0].contains("sheet \"Notes\": the content"));
        let company = bench.company("U72900GA2016PTC990011");
        assert_eq!(company.incorporated_on, some("2016-04-19"), "{name}");
        assert_eq!(company.paid_up_capital, Some(1_050_000));
        let llp = bench.company("AAZ-9911");
        assert_eq!((llp.incorporated_on, llp.members), (some("2016-08-24"), Some(3)));
        assert_eq!(bench.import(&path).known_files, 2, "the sheets are known again");
    }
}

#[test]
fn the_line_of_a_rejected_row_is_the_row_of_its_sheet() {
    let mut rows = cells(MASTER_2023);
    rows.insert(1, Vec::new());
    rows[3][0] = "U01110GA2021PTC99OOO2".to_owned();
    let mut bench = Bench::new();
    let path = bench.file("master.xlsx", xlsx(&[("Sheet1", &rows)]));
    let report = bench.import(&path);
    assert_eq!(sums(&report), [2, 1, 0, 0, 0, 1]);
    assert_eq!(bench.rejected()[0].0, 4);
    assert!(bench.rejects.0[0].file.ends_with("master.xlsx"), "{:?}", bench.rejects.0);
}

#[test]
fn a_damaged_or_oversized_spreadsheet_is_refused() {
    let mut bench = Bench::new();
    let whole = xlsx(&[("Sheet1", &cells(MASTER_2023))]);
    let truncated = bench.file("truncated.xlsx", &whole[..whole.len() / 2]);
    let empty = bench.file("empty.xlsx", xlsx(&[("One", &Vec::new()), ("Two", &Vec::new())]));
    let sheet = |cells: &str| {
        format!(
            "<table:table table:name=\"S\"><table:table-row{cells}</table:table-row></table:table>"
        )
    };
    let text = "<text:p>x</text:p></table:table-cell>";
    let wide = format!("><table:table-cell table:number-columns-repeated=\"16384\">{text}");
    let long = format!(" table:number-rows-repeated=\"99999999\"><table:table-cell>{text}");
    let wide = bench.file("wide.ods", crate::workbooks::ods_of(&sheet(&wide)));
    let long = bench.file("long.ods", crate::workbooks::ods_of(&sheet(&long)));
    for (path, words) in [
        (truncated, "damaged, perhaps by an incomplete download"),
        (empty, "all its sheets are empty"),
        (wide, "more than 1000 columns"),
        (long, "more than 1048576 rows"),
    ] {
        let report = bench.import(&path);
        assert_eq!(report.failures.len(), 1, "{words}: {:?}", report.failures);
        assert!(report.failures[0].contains(words), "{words}: {:?}", report.failures);
        assert_eq!(report.new, 0);
    }
}

#[test]
fn the_list_of_new_companies_is_imported() {
    let mut bench = Bench::new();
    let path = bench.file("april.csv", NEW_COMPANIES);
    let report = bench.import(&path);
    assert_eq!(sums(&report), [2, 2, 0, 0, 0, 0]);
    let company = bench.company("U72900GA2016PTC990011");
    assert_eq!((company.status.as_str(), company.status_text), ("unknown", None));
    assert_eq!((company.class, company.category), (some("private"), some("limited_by_shares")));
    assert_eq!(company.sub_category, some("non_government"));
    assert_eq!(company.authorised_capital, Some(10_000_000), "it is given in thousands");
    assert_eq!((company.email, company.nic_code), (some("naya@example.in"), some("72900")));
    assert_eq!((company.as_of, company.source.as_str()), (some("2016-04-19"), "mca_new_companies"));
    let division = bench.company("U72900GA2016PTC990012");
    assert_eq!(division.nic_code, None, "72 is a division, not 00072");
    assert_eq!(report.unreadable_cells["industry code"], 1);
    let unused: Vec<&str> = report.unused_columns.keys().map(String::as_str).collect();
    assert_eq!(unused, ["INC-29", "MONTH NAME"]);
}

#[test]
fn the_list_of_new_llps_and_the_llp_master_are_imported() {
    let mut bench = Bench::new();
    let path = bench.file("llps.csv", NEW_LLPS);
    let report = bench.import(&path);
    assert_eq!(sums(&report), [1, 1, 0, 0, 0, 0], "{:?}", bench.rejected());
    let llp = bench.company("AAZ-9911");
    assert_eq!((llp.kind.as_str(), llp.members), ("llp", Some(3)));
    assert_eq!((llp.district, llp.state_code), (some("North Goa"), some("GA")));
    assert_eq!((llp.as_of, llp.source.as_str()), (some("2016-08-24"), "mca_new_llps"));
    let unused: Vec<&str> = report.unused_columns.keys().map(String::as_str).collect();
    assert_eq!(unused, ["No. of Designated Partners", "Obligation of Contribution(Rs.)"]);

    let master = "LLPIN,LLP Name,Number of Partners,Number of Designated Partners,ROC Code,\
        Date of Incorporation,Registered Address,Email Id,\
        \"Previous firm/ company details, if applicable\",Total Obligation of Contribution,\
        Main division of business activity to be carried out in India,Description of main division,\
        Date of last financial year end date for which Statement of Accounts and Solvency filed,\
        Date of last financial year end date for which Annual Return filed,LLP Status\n\
        AAZ-9911,NAMUNA ADVISORS LLP,4,2,RoC-Goa,24/08/2016,\"7 NAYA MARG, PANAJI 403001\",\
        llp@example.in,,100000,74,Other business activities,31/03/2019,31/03/2020,Active\n";
    let path = bench.file("llp_master.csv", master);
    let options = panji_import::Options {
        as_of: Some("2020-12-31".parse().unwrap()),
        ..panji_import::Options::default()
    };
    let report = bench.import_with(&path, &options);
    assert_eq!(sums(&report), [1, 0, 1, 0, 0, 0], "{:?}", bench.rejected());
    let llp = bench.company("AAZ-9911");
    assert_eq!((llp.status.as_str(), llp.members), ("active", Some(4)));
    assert_eq!(llp.last_balance_sheet_on, some("2019-03-31"));
    assert_eq!(llp.last_annual_return_year, some("2019-20"));
    assert_eq!((llp.nic_code, llp.source.as_str()), (None, "mca_llp_master"), "74 is a division");
}

#[test]
fn the_release_of_2015_is_imported_completely() {
    let master = "CORPORATE_IDENTIFICATION_NUMBER,DATE_OF_REGISTRATION,COMPANY_NAME,COMPANY_STATUS,\
        COMPANY_CLASS,COMPANY_CATEGORY,AUTHORIZED_CAPITAL,PAIDUP_CAPITAL,REGISTERED_STATE,\
        REGISTRAR_OF_COMPANIES,PRINCIPAL_BUSINESS_ACTIVITY,REGISTERED_OFFICE_ADDRESS,SUB_CATEGORY\n\
        U01110GA2014PTC990021,05-02-2014,PURANA NAMUNA PRIVATE LIMITED,ACTIVE,Private,\
        Company limited by shares,1000000,500000,Goa,RoC-Goa,Agriculture,\
        \"9 NADI MARG, PANAJI, GOA 403001\",Indian Non-Government Company\n";
    let mut bench = Bench::new();
    let path = bench.file("goa_2015.csv", master);
    let report = bench.import(&path);
    assert_eq!(sums(&report), [1, 1, 0, 0, 0, 0], "{:?}", bench.rejected());
    assert!(report.unused_columns.is_empty(), "{:?}", report.unused_columns);
    let company = bench.company("U01110GA2014PTC990021");
    assert_eq!(company.sub_category_text, some("Indian Non-Government Company"));
    assert_eq!(company.nic_description, some("Agriculture"));
    assert_eq!((company.as_of, company.source.as_str()), (some("2014-02-05"), "mca_master_2015"));
}

#[test]
fn a_header_with_a_duplicate_column_is_refused() {
    let mut bench = Bench::new();
    let duplicate = MASTER_2023.replace("CompanyCategory,", "CompanyStatus,");
    let path = bench.file("duplicate.csv", duplicate);
    let report = bench.import(&path);
    assert_eq!((report.read, report.failures.len()), (0, 1));
    let words =
        "two columns that mean the same, \"CompanyStatus\" and \"CompanyStatus\": remove one";
    assert!(report.failures[0].contains(words), "{:?}", report.failures);
}

#[test]
fn the_error_of_an_unknown_file_says_what_is_missing_or_what_to_do() {
    let mut bench = Bench::new();
    let sales = bench.file("sales.csv", "CIN;Company Name;Turnover\nU1;A;5\n");
    let old = bench.file("old.xls", b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1and more");
    let page =
        bench.file("page.xls", "<html><body><table><tr><td>CIN</td></tr></table></body></html>");
    let print = bench.file("print.pdf", "%PDF-1.4\n%\u{E2}\n");
    let empty = bench.file("empty.csv", "\n \r\n");
    for (path, words) in [
        (
            sales,
            "nearest is mca_new_companies, of which these are missing: Date of Registration; these \
                 are not known: Turnover",
        ),
        (
            old,
            "old Excel file (.xls), or one with a password: open it in a spreadsheet program and save",
        ),
        (page, "a web page, perhaps under the name of a spreadsheet"),
        (print, "this is a PDF"),
        (empty, "the file is empty"),
    ] {
        let report = bench.import(&path);
        assert_eq!(report.failures.len(), 1, "{words}");
        assert!(report.failures[0].contains(words), "{words}: {:?}", report.failures);
    }
}

#[test]
fn reasons_are_counted_by_kind_in_plain_words_and_without_values() {
    let mut bench = Bench::new();
    let lines = [
        r#"{"record":"gst","gstin":"27ZZDCK9534Q1ZN"}"#,
        r#"{"record":"gst","gstin":"27ZZDCK9534Q1ZN","trade_name":"Asha"}"#,
        r#"{"record":"director","din":"9900010A","name":"Asha Udaharan"}"#,
        r#"{"record":"director","din":"990B0102","name":"Asha Udaharan"}"#,
        r#"{"record":"company","cin":"U17110MH2001PTC990501","name":"A","former_names":"Asha"}"#,
        r#"{"record":"ship","name":"Asha"}"#,
        r#"{"name":"Asha"}"#,
        "Asha",
    ];
    let path = bench.file("own.jsonl", lines.join("\n"));
    let report = bench.import(&path);
    let counted: Vec<(&str, u64)> =
        report.by_reason.iter().map(|(kind, count)| (kind.as_str(), *count)).collect();
    let expected = [
        ("a list is needed where there is a text", 1),
        ("din: a character is not allowed at its position", 2),
        ("the field legal_name is missing", 2),
        ("the field record is missing, which says the kind of the record", 1),
        ("the kind of record is not known", 1),
        ("this is not JSON", 1),
    ];
    assert_eq!(counted, expected);
    assert!(bench.rejects.0.iter().all(|reject| !reject.reason.contains("Asha")));
    let example = &report.examples["din: a character is not allowed at its position"];
    assert_eq!(
        (example.line, example.reason.as_str()),
        (3, "din: character 8 must be a digit, found A")
    );
}
