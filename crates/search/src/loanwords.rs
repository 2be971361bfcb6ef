//! English words in the scripts of India: सर्विसेज is "services".
//!
//! Indian scripts write them as they sound, and English spelling does not follow sound, so rules
//! cannot convert them. The table has them in Devanagari; a key of sounds makes it usable for other
//! scripts too.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::devanagari::transliterate;
use crate::scripts::Script;

/// English words of company names, each with its spellings in Devanagari.
const LOANWORDS: &str = "
    academy अकादमी एकेडमी अकैडमी; advertising एडवरटाइजिंग; agencies एजेंसीज एजेंसीस; agency एजेंसी;
    agri एग्री; agriculture एग्रीकल्चर; agro एग्रो; agrotech एग्रोटेक; air एयर; allied एलाइड;
    and एंड ऐंड एण्ड अँड; apparels अपैरल्स अपेरल्स; aqua एक्वा; art आर्ट; arts आर्ट्स; asia एशिया;
    associates एसोसिएट्स असोसिएट्स; association एसोसिएशन असोसिएशन; auto ऑटो; automation ऑटोमेशन;
    automobiles ऑटोमोबाइल्स; automotive ऑटोमोटिव; bank बैंक; beach बीच; beauty ब्यूटी;
    benefit बेनिफिट; beverages बेवरेजेज बेवरेजेस; bio बायो; biotech बायोटेक; blue ब्लू;
    brothers ब्रदर्स; builders बिल्डर्स; business बिजनेस बिज़नेस; cafe कैफे; capital कैपिटल;
    care केयर; cargo कार्गो; carriers कैरियर्स; cement सीमेंट; cements सीमेंट्स; center सेंटर;
    ceramics सिरेमिक्स; chemical केमिकल; chemicals केमिकल्स; chit चिट; chits चिट्स; city सिटी;
    clinic क्लिनिक; clothing क्लोदिंग; cloud क्लाउड; club क्लब; coal कोल; commerce कॉमर्स;
    commercial कमर्शियल; communication कम्युनिकेशन; communications कम्युनिकेशंस कम्युनिकेशन्स;
    company कंपनी कम्पनी; computer कंप्यूटर; computers कंप्यूटर्स;
    construction कंस्ट्रक्शन कन्स्ट्रक्शन; constructions कंस्ट्रक्शंस कंस्ट्रक्शन्स कन्स्ट्रक्शन्स;
    consultancy कंसल्टेंसी कन्सल्टन्सी; consultants कंसल्टेंट्स; consulting कंसल्टिंग;
    contractors कॉन्ट्रैक्टर्स; corporate कॉर्पोरेट; corporation कॉर्पोरेशन कारपोरेशन;
    creations क्रिएशंस क्रिएशन्स; creative क्रिएटिव; credit क्रेडिट; dairy डेयरी; data डेटा डाटा;
    design डिजाइन डिज़ाइन; designs डिजाइंस डिजाइन्स; developers डेवलपर्स डेव्हलपर्स;
    development डेवलपमेंट; diagnostics डायग्नोस्टिक्स; digital डिजिटल;
    distributors डिस्ट्रीब्यूटर्स; dream ड्रीम; earth अर्थ; east ईस्ट; eastern ईस्टर्न; eco इको;
    education एजुकेशन; electrical इलेक्ट्रिकल; electricals इलेक्ट्रिकल्स;
    electronics इलेक्ट्रॉनिक्स; elite एलीट; energy एनर्जी; engineering इंजीनियरिंग इंजिनियरिंग;
    engineers इंजीनियर्स; enterprise एंटरप्राइज; enterprises एंटरप्राइजेज एंटरप्राइजेस एंटरप्राइसेस;
    entertainment एंटरटेनमेंट; equipments इक्विपमेंट्स; estate एस्टेट इस्टेट; estates एस्टेट्स;
    events इवेंट्स; excel एक्सेल; exim एक्जिम; export एक्सपोर्ट; exports एक्सपोर्ट्स;
    express एक्सप्रेस; fabrics फैब्रिक्स; facility फैसिलिटी; farm फार्म; farmer फार्मर;
    farmers फार्मर्स; farms फार्म्स; fashion फैशन; fashions फैशंस फैशन्स; films फिल्म्स;
    finance फाइनेंस फायनान्स; financial फाइनेंशियल; fintech फिनटेक; food फूड; foods फूड्स; for फॉर;
    forex फॉरेक्स; foundation फाउंडेशन फाऊंडेशन; fresh फ्रेश; fund फंड; funds फंड्स;
    furniture फर्नीचर; future फ्यूचर; galaxy गैलेक्सी; garments गारमेंट्स; gas गैस; general जनरल;
    global ग्लोबल; goa गोवा गोआ; gold गोल्ड; golden गोल्डन; grand ग्रैंड; green ग्रीन; group ग्रुप;
    growth ग्रोथ; guest गेस्ट; health हेल्थ; healthcare हेल्थकेयर; heritage हेरिटेज; hi हाय हाई;
    holdings होल्डिंग्स; holiday हॉलिडे; holidays हॉलिडेज हॉलिडेस; home होम; homes होम्स;
    hospital हॉस्पिटल; hospitality हॉस्पिटैलिटी हॉस्पिटॅलिटी; hospitals हॉस्पिटल्स; hotel होटल;
    hotels होटल्स; house हाउस; housing हाउसिंग; ideal आइडियल; impex इम्पेक्स इंपेक्स;
    import इम्पोर्ट; india इंडिया इन्डिया; indian इंडियन; industrial इंडस्ट्रियल;
    industries इंडस्ट्रीज इंडस्ट्रीस; industry इंडस्ट्री; info इन्फो इंफो; information इन्फॉर्मेशन;
    infotech इन्फोटेक इंफोटेक; infra इंफ्रा इन्फ्रा;
    infrastructure इंफ्रास्ट्रक्चर इन्फ्रास्ट्रक्चर; infratech इंफ्राटेक; innovation इनोवेशन;
    innovations इनोवेशंस इनोवेशन्स; institute इंस्टीट्यूट; instruments इंस्ट्रूमेंट्स;
    insurance इंश्योरेंस; integrated इंटीग्रेटेड; interiors इंटीरियर्स; international इंटरनेशनल;
    investment इन्वेस्टमेंट इंवेस्टमेंट; investments इन्वेस्टमेंट्स; iron आयरन; it आईटी;
    jewellers ज्वेलर्स ज्वैलर्स; jewellery ज्वेलरी; labs लैब्स; laboratories लैबोरेटरीज; land लैंड;
    leasing लीजिंग; leather लेदर; leisure लेजर लीजर; life लाइफ; lifestyle लाइफस्टाइल; light लाइट;
    limited लिमिटेड लि; line लाइन; link लिंक; llp एलएलपी; logistics लॉजिस्टिक्स; machinery मशीनरी;
    management मैनेजमेंट; manpower मैनपावर; manufacturing मैन्युफैक्चरिंग; marine मरीन;
    market मार्केट; marketing मार्केटिंग; mart मार्ट; media मीडिया; medical मेडिकल;
    medicare मेडिकेयर; metal मेटल; metals मेटल्स; micro माइक्रो; mills मिल्स; mineral मिनरल;
    minerals मिनरल्स; mines माइंस; mining माइनिंग; mobile मोबाइल; modern मॉडर्न; motors मोटर्स;
    multi मल्टी; music म्यूजिक; national नेशनल; natural नेचुरल; nature नेचर; network नेटवर्क;
    networks नेटवर्क्स; new न्यू; north नॉर्थ; ocean ओशन; of ऑफ; oil ऑयल; one वन; online ऑनलाइन;
    orchid ऑर्किड; organic ऑर्गेनिक; organics ऑर्गेनिक्स; overseas ओवरसीज; packaging पैकेजिंग;
    paper पेपर; papers पेपर्स; park पार्क; people पीपल; pharma फार्मा;
    pharmaceuticals फार्मास्यूटिकल्स; pioneer पायनियर; plantations प्लांटेशंस प्लांटेशन्स;
    plastics प्लास्टिक्स; plus प्लस; polymers पॉलिमर्स; power पावर पॉवर; prime प्राइम;
    printers प्रिंटर्स; private प्राइवेट प्रायवेट प्रा; processing प्रोसेसिंग; producer प्रोड्यूसर;
    production प्रोडक्शन; productions प्रोडक्शंस प्रोडक्शन्स; products प्रोडक्ट्स;
    project प्रोजेक्ट; projects प्रोजेक्ट्स; promoters प्रमोटर्स; properties प्रॉपर्टीज प्रॉपर्टीस;
    property प्रॉपर्टी; publications पब्लिकेशंस पब्लिकेशन्स; publishers पब्लिशर्स; pure प्योर;
    quality क्वालिटी; real रियल; realtors रियल्टर्स; realty रियल्टी; research रिसर्च;
    resort रिसॉर्ट रिजॉर्ट; resorts रिसॉर्ट्स रिजॉर्ट्स; resources रिसोर्सेज रिसोर्सेस;
    restaurant रेस्टोरेंट; restaurants रेस्टोरेंट्स; retail रिटेल; royal रॉयल; rubber रबर;
    sales सेल्स; science साइंस; sciences साइंसेज साइंसेस; sea सी; securities सिक्योरिटीज;
    security सिक्योरिटी; seeds सीड्स; service सर्विस; services सर्विसेज सर्विसेस; shipping शिपिंग;
    silver सिल्वर; sky स्काई; smart स्मार्ट; software सॉफ्टवेयर; solar सोलर;
    solution सॉल्यूशन सोल्यूशन; solutions सॉल्यूशंस सॉल्यूशन्स सोल्यूशंस सोल्यूशन्स; sons संस सन्स;
    space स्पेस; spinning स्पिनिंग; sports स्पोर्ट्स; star स्टार; steel स्टील; steels स्टील्स;
    store स्टोर; stores स्टोर्स; studio स्टूडियो; studios स्टूडियोज; sugar शुगर; sun सन;
    supreme सुप्रीम; system सिस्टम; systems सिस्टम्स; tea टी; tech टेक; techno टेक्नो;
    technologies टेक्नोलॉजीज टेक्नोलॉजीस टेक्नॉलॉजीज टेक्नालजीस;
    technology टेक्नोलॉजी टेक्नॉलॉजी टेक्नालजी; telecom टेलीकॉम; textile टेक्सटाइल;
    textiles टेक्सटाइल्स; time टाइम; tourism टूरिज्म टूरिज़्म; tours टूर्स; tower टावर; trade ट्रेड;
    traders ट्रेडर्स; trading ट्रेडिंग; training ट्रेनिंग; transport ट्रांसपोर्ट;
    transports ट्रांसपोर्ट्स; travel ट्रैवल; travels ट्रैवल्स; trust ट्रस्ट; union यूनियन;
    unique यूनिक; united यूनाइटेड; universal यूनिवर्सल; urban अर्बन; valley वैली; value वैल्यू;
    venture वेंचर; ventures वेंचर्स; view व्यू; villas विलाज; vision विजन विज़न; water वाटर वॉटर;
    wealth वेल्थ; web वेब; wellness वेलनेस; west वेस्ट; wood वुड; works वर्क्स; world वर्ल्ड;
";

type Table = HashMap<String, &'static str>;

/// English words by their key of sounds. The second table merges the sounds that Tamil does not
/// distinguish.
static TABLES: LazyLock<(Table, Table)> = LazyLock::new(|| {
    let (mut distinct, mut folded) = (Table::new(), Table::new());
    for entry in LOANWORDS.split(';') {
        let mut words = entry.split_whitespace();
        let Some(english) = words.next() else { continue };
        for word in words {
            let latin = transliterate(word);
            distinct.entry(key(&latin, false)).or_insert(english);
            folded.entry(key(&latin, true)).or_insert(english);
        }
    }
    (distinct, folded)
});

/// The English word for a word that was transliterated to Latin letters.
pub fn english(latin: &str, script: Script) -> Option<&'static str> {
    match script {
        Script::Latin => None,
        Script::Indic => TABLES.0.get(&key(latin, false)).copied(),
        Script::Tamil => TABLES.1.get(&key(latin, true)).copied(),
    }
}

/// The sounds of a word: consonants without aspiration, vowels in three classes, no double sounds.
/// More exact than the key of names in `sound`: "services" must differ from the name Sarvesh.
fn key(latin: &str, folded: bool) -> String {
    let mut key = String::with_capacity(latin.len());
    let mut letters = latin.chars().peekable();
    let mut after_vowel = false;
    while let Some(letter) = letters.next() {
        let aspirated = letters.next_if_eq(&'h').is_some();
        let sound = match letter {
            's' if aspirated => 'x',
            'v' | 'w' => 'b',
            'p' if aspirated => 'f',
            'z' => 'j',
            'm' => 'n',
            'a' => 'a',
            'e' | 'i' | 'y' => 'i',
            'o' | 'u' => 'u',
            other => other,
        };
        let sound = match sound {
            'g' if folded => 'k',
            'd' if folded => 't',
            'b' | 'f' if folded => 'p',
            'c' | 'j' | 'x' if folded => 's',
            other => other,
        };
        let vowel = matches!(sound, 'a' | 'i' | 'u');
        if !(key.ends_with(sound) || vowel && after_vowel) {
            key.push(sound);
        }
        after_vowel = vowel;
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scripts::to_devanagari;

    #[test]
    fn loan_words_are_recognized_in_every_script() {
        let cases = [
            ("सर्विसेज", "services"),
            ("सॉल्यूशंस", "solutions"),
            ("प्राइवेट", "private"),
            ("સર્વિસીસ", "services"),
            ("సర్వీసెస్", "services"),
            ("இண்டஸ்ட்ரீஸ்", "industries"),
            ("ಟೆಕ್ನಾಲಜೀಸ್", "technologies"),
        ];
        for (text, word) in cases {
            let script = crate::scripts::script_of(text);
            let latin = transliterate(&to_devanagari(text));
            assert_eq!(english(&latin, script), Some(word), "{text} {latin}");
        }
    }

    #[test]
    fn names_are_not_taken_for_loan_words() {
        for name in ["सर्वेश", "लक्ष्मी", "गणेश", "मीना"]
        {
            assert_eq!(english(&transliterate(name), Script::Indic), None, "{name}");
        }
        assert_eq!(english("services", Script::Latin), None);
    }
}
