//! The phonetic key of a word, which is equal for the spellings of one Indian name.
//!
//! Soundex and similar algorithms were made for English surnames and give different keys for these
//! spellings. Here letters that writers exchange are in one class (`ksh` and `x`, `v`, `w` and `b`,
//! `ph` and `f`, `z` and `j`), aspiration is ignored (`th`, `dh`, `bh`), doubled letters count
//! once, and vowels count only in words with few consonants.

/// A word with this many consonants is identified by them alone.
const ENOUGH_CONSONANTS: usize = 3;

/// Sequences of letters that are one sound, the longest first.
const SOUNDS: &[(&str, &str)] = &[
    ("sch", "s"),
    ("ksh", "ks"),
    ("tch", "ks"),
    ("chh", "c"),
    ("sh", "s"),
    ("ch", "c"),
    ("ph", "f"),
    ("bh", "b"),
    ("gh", "g"),
    ("kh", "k"),
    ("ck", "k"),
    ("th", "t"),
    ("dh", "d"),
    ("jh", "j"),
    ("zh", "l"),
    ("rh", "r"),
    ("wh", "b"),
    ("jn", "g"),
    ("gn", "g"),
    ("gy", "g"),
    ("dg", "j"),
    ("mb", "nb"),
    ("mp", "np"),
    ("x", "ks"),
    ("q", "k"),
    ("v", "b"),
    ("z", "j"),
];

/// The key of a word in lower-case Latin letters and digits.
pub fn key(word: &str) -> String {
    let classes = classes(word.as_bytes());
    let consonants = classes.iter().filter(|class| !is_vowel(**class)).count();
    let last = classes.len().saturating_sub(1);
    let mut key = String::with_capacity(classes.len());
    for (position, class) in classes.iter().enumerate() {
        let is_counted = match *class {
            vowel if !is_vowel(vowel) => true,
            // All initial vowels are equal: Ishwar, Eshwar. Ranking distinguishes Umesh and Amesh.
            _ if position == 0 => {
                key.push('a');
                continue;
            }
            _ => consonants < ENOUGH_CONSONANTS && position != last,
        };
        if is_counted && !key.ends_with(char::from(*class)) {
            key.push(char::from(*class));
        }
    }
    key
}

/// The keys of a word: by its spelling and, if different, by its English pronunciation.
pub fn keys(word: &str) -> Vec<String> {
    let spelled = key(word);
    let spoken = key(&spoken(word));
    if spoken == spelled { vec![spelled] } else { vec![spelled, spoken] }
}

/// Letters of English words and their pronunciation, the longest first.
const SPOKEN: &[(&str, &str)] = &[
    ("ture", "char"),
    ("tion", "shan"),
    ("sion", "shan"),
    ("cial", "shal"),
    ("tial", "shal"),
    ("cian", "shan"),
    ("tech", "tek"),
    ("chem", "kem"),
    ("chr", "kr"),
    ("ight", "ait"),
    ("qu", "kv"),
    ("ge", "je"),
    ("gi", "ji"),
    ("gy", "ji"),
];

fn spoken(word: &str) -> String {
    let mut sounded = String::with_capacity(word.len());
    let mut rest = word;
    while let Some(letter) = rest.chars().next() {
        let rule = SPOKEN.iter().find(|(letters, _)| rest.starts_with(letters));
        match rule {
            Some((letters, sounds)) => {
                sounded.push_str(sounds);
                rest = &rest[letters.len()..];
            }
            None => {
                sounded.push(letter);
                rest = &rest[letter.len_utf8()..];
            }
        }
    }
    sounded
}

fn classes(word: &[u8]) -> Vec<u8> {
    let mut classes: Vec<u8> = Vec::with_capacity(word.len());
    let mut rest = word;
    while let Some(first) = rest.first() {
        let sound = SOUNDS.iter().find(|(letters, _)| rest.starts_with(letters.as_bytes()));
        if let Some((letters, class)) = sound {
            for class in class.bytes() {
                push(&mut classes, class);
            }
            rest = &rest[letters.len()..];
            continue;
        }
        match first {
            b'c' => {
                let soft = matches!(rest.get(1), Some(b'e' | b'i' | b'y'));
                push(&mut classes, if soft { b's' } else { b'k' });
            }
            // Between a vowel and a consonant, w only lengthens the vowel: Chowdhury, Choudhary.
            b'w' if classes.last().is_some_and(|last| is_vowel(*last))
                && !matches!(rest.get(1), Some(b'a' | b'e' | b'i' | b'o' | b'u' | b'y')) => {}
            b'w' => push(&mut classes, b'b'),
            // h counts only at the beginning.
            b'h' if !classes.is_empty() => {}
            b'a' => push(&mut classes, b'a'),
            b'e' | b'i' | b'y' => push(&mut classes, b'i'),
            b'o' | b'u' => push(&mut classes, b'u'),
            other => push(&mut classes, *other),
        }
        rest = &rest[1..];
    }
    classes
}

/// Doubled letters count once; of several vowels in a row only the first counts.
fn push(classes: &mut Vec<u8>, class: u8) {
    match classes.last() {
        Some(last) if *last == class => {}
        Some(last) if is_vowel(*last) && is_vowel(class) => {}
        _ => classes.push(class),
    }
}

fn is_vowel(class: u8) -> bool {
    matches!(class, b'a' | b'i' | b'u')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_name_have_the_same_key() {
        let alike: &[&[&str]] = &[
            &["lakshmi", "laxmi", "lakshmee", "lakshmy", "laksmi", "letchumi"],
            &["shree", "shri", "sri", "sree"],
            &["shiva", "siva", "shiv"],
            &["vikas", "bikash", "wikas", "vikash"],
            &["sophia", "sofia"],
            &["dharmendra", "dharmender", "darmendra"],
            &["krishna", "krushna", "crishna", "krishnaa"],
            &["ganesh", "ganes", "ganeesh"],
            &["meenakshi", "minaxi", "meenaxi"],
            &["jyothi", "jyoti"],
            &["chaudhary", "choudhari", "chowdhury"],
            &["zaveri", "javeri", "jhaveri"],
            &["gyan", "jnan", "gnan"],
            &["agarwal", "aggarwal", "agrawal"],
            &["mithra", "mitra"],
            &["sampath", "sanpat"],
            &["tamil", "tamizh"],
        ];
        for names in alike {
            let keys: Vec<String> = names.iter().map(|name| key(name)).collect();
            assert!(keys.iter().all(|key| *key == keys[0]), "{names:?} {keys:?}");
        }
    }

    #[test]
    fn english_words_have_a_key_of_their_pronunciation() {
        for (english, spoken) in [
            ("nation", "neshan"),
            ("texture", "texchar"),
            ("technic", "teknik"),
            ("genius", "jinias"),
            ("quick", "kvik"),
        ] {
            assert!(keys(english).contains(&key(spoken)), "{english} {spoken}");
        }
        assert_eq!(keys("lakshmi").len(), 1);
    }

    #[test]
    fn different_names_have_different_keys() {
        for (one, other) in
            [("mala", "mela"), ("ganesh", "dinesh"), ("rama", "rita"), ("tata", "bata"), ("a", "b")]
        {
            assert_ne!(key(one), key(other), "{one} {other}");
        }
    }
}
