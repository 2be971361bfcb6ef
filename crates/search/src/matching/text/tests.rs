//! Tests of reading names.

use super::*;

#[test]
fn names_are_read_as_lists_have_them() {
    let private = Some(Suffix::PrivateLimited);
    let limited = Some(Suffix::Limited);
    let cases: &[(&str, &str, Option<Suffix>, bool)] = &[
        ("Namuna Mills Private Limited", "Namuna Mills Private Limited", private, false),
        ("M/S NAMUNA MILLS P LTD", "NAMUNA MILLS Private Limited", private, false),
        ("M/SNAMUNA MILLS LTD", "NAMUNA MILLS Limited", limited, false),
        ("M/s. Namuna Mills (P) Ltd.", "Namuna Mills Private Limited", private, false),
        ("MS. Namuna Mills", "Namuna Mills", None, false),
        ("MS Namuna Mills", "MS Namuna Mills", None, false),
        ("C/O Namuna Mills", "Namuna Mills", None, false),
        ("Namuna Mills Ltd C/O Chaya Traders", "Namuna Mills Limited", limited, false),
        (
            "INFOTELNAMUNAENTERPRISESPL00108",
            "INFOTELNAMUNAENTERPRISES Private Limited",
            private,
            false,
        ),
        ("NAMUNAESTATESPRIVATELIMITED", "NAMUNAESTATES Private Limited", private, false),
        ("NAMUNA ESTATESPVT LTD", "NAMUNA ESTATES Private Limited", private, false),
        ("NAMUNA ESTATES PRIVATE LIM ITED", "NAMUNA ESTATES Private Limited", private, false),
        ("NAMUNA ESTATES PRI VATE LIMITED", "NAMUNA ESTATES Private Limited", private, false),
        (
            "SRI NAMUNASWAMY MINERAL EXPORTS PR",
            "SRI NAMUNASWAMY MINERAL EXPORTS Private Limited",
            private,
            true,
        ),
        ("NAMUNA MINERAL EXPORTS PVT L", "NAMUNA MINERAL EXPORTS Private Limited", private, true),
        ("NAMUNA MINERAL EXPORTS PVT LT", "NAMUNA MINERAL EXPORTS Private Limited", private, false),
        ("NAMUNA MINERAL EXPORTS LIMI", "NAMUNA MINERAL EXPORTS", None, true),
        ("NAMUNA GROUP LTD", "NAMUNA GROUP Limited", limited, false),
        ("NAMUNAGROUPLTD", "NAMUNAGROUP Limited", limited, false),
        ("THE M/S. NAMUNA MILLS LTD", "NAMUNA MILLS Limited", limited, false),
        ("NAMUNAMILLSLTDC/OCHAYATRADERS", "NAMUNAMILLS Limited", limited, false),
        ("NAMUNAESTATESPL, PUNE", "NAMUNAESTATES Private Limited", private, false),
        ("NAMUNA PRIVATE LIMIT ED PUNE", "NAMUNA Private Limited", private, false),
        ("Namuna Mills Pvt Ltd Mumbai", "Namuna Mills Private Limited", private, false),
        ("Namuna (I) Ltd", "Namuna (I) Limited", limited, false),
        ("NAMUNA MINERAL AND EXPORTS COR", "NAMUNA MINERAL AND EXPORTS COR", None, true),
        ("Namuna 2012", "Namuna 2012", None, false),
        ("Namuna Mills 000451", "Namuna Mills", None, false),
        ("Chaya LLP", "Chaya LLP", Some(Suffix::Llp), false),
        ("Chaya L.L.P.", "Chaya LLP", Some(Suffix::Llp), false),
        ("Private Limited", "Private Limited", limited, false),
    ];
    for (text, first, form, truncated) in cases {
        let read = read(text);
        let first_variant = read.variants.first().map(String::as_str);
        assert_eq!(
            (first_variant, read.form, read.truncated),
            (Some(*first), *form, *truncated),
            "{text}"
        );
    }
}

#[test]
fn words_after_the_legal_form_are_not_the_name() {
    let read = read("Namuna Mills Pvt Ltd Pune Branch");
    assert_eq!(read.variants, ["Namuna Mills Private Limited"]);
    assert_eq!(read.tail, "Pune Branch");
}

#[test]
fn a_truncated_text_is_also_searched_as_it_is() {
    let read = read("NAMUNA MINERAL EXPORTS PRI");
    assert_eq!(
        read.variants,
        ["NAMUNA MINERAL EXPORTS Private Limited", "NAMUNA MINERAL EXPORTS PRI"]
    );
}

#[test]
fn a_name_without_spaces_is_also_searched_without_the_and_and() {
    let read = read("THENAMUNAANDCHAYAMILLSLTD");
    assert!(read.variants.contains(&"namunaandchayamills Limited".to_owned()), "{read:?}");
    assert!(read.variants.contains(&"namunachayamills Limited".to_owned()), "{read:?}");
}

#[test]
fn any_text_is_accepted() {
    let long = "x".repeat(10_000);
    for text in
        ["", " ", "(", "M/S", "m/s m/s", "९९९", "é00123", "PL00108", "C/O", "🦀 ltd", "ltd", &long]
    {
        let read = read(text);
        assert!(read.variants.len() <= MAX_VARIANTS, "{text}");
    }
    assert!(read("...").variants.is_empty());
}
