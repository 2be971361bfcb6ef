//! Changes that people make to a name when they type it.

use super::key::NormalizedName;
use super::random::Random;
use super::spellings::{ABBREVIATIONS, NEIGHBORS, SPELLINGS, SUFFIXES};

/// A name without its legal form, as written.
pub fn core(name: &str) -> String {
    let mut core = name.trim().trim_end_matches('.').to_uppercase();
    let ends = SUFFIXES.iter().flat_map(|(suffix, ways)| std::iter::once(suffix).chain(*ways));
    let mut ends: Vec<&&str> = ends.collect();
    ends.sort_by_key(|end| std::cmp::Reverse(end.len()));
    let end = ends.into_iter().find(|end| {
        let before = core.strip_suffix(end.trim_end_matches('.'));
        before.is_some_and(|before| before.len() > 1)
    });
    if let Some(end) = end {
        core.truncate(core.len() - end.trim_end_matches('.').len());
    }
    core.trim_matches([' ', '.', ',', '-']).to_owned()
}

/// The name with its legal form in another spelling; none if it has no legal form.
pub fn suffix(name: &str, random: &mut Random) -> Option<String> {
    let upper = name.trim().to_uppercase();
    let (suffix, ways) =
        SUFFIXES.iter().find(|(suffix, _)| upper.ends_with(&format!(" {suffix}")))?;
    Some(format!("{} {}", upper.strip_suffix(suffix)?.trim(), random.pick(ways)))
}

/// One typing mistake somewhere in a text.
pub fn typo(text: &str, random: &mut Random) -> Option<String> {
    let mut letters: Vec<char> = text.to_uppercase().chars().collect();
    let positions: Vec<usize> =
        (0..letters.len()).filter(|at| letters[*at].is_ascii_uppercase()).collect();
    if positions.is_empty() {
        return None;
    }
    let at = *random.pick(&positions);
    match random.below(12) {
        0..=1 if positions.contains(&(at + 1)) && letters[at] != letters[at + 1] => {
            letters.swap(at, at + 1)
        }
        2..=3 => drop(letters.remove(at)),
        4..=5 => letters.insert(at, letters[at]),
        6..=7 => {
            let (_, near) = NEIGHBORS.iter().find(|(letter, _)| *letter == letters[at])?;
            let near: Vec<char> = near.chars().collect();
            letters[at] = *random.pick(&near);
        }
        8..=9 => {
            let other = char::from(b'A' + random.below(26) as u8);
            if other == letters[at] {
                return None;
            }
            letters[at] = other;
        }
        10 => {
            let spaces: Vec<usize> = (0..letters.len()).filter(|at| letters[*at] == ' ').collect();
            if spaces.is_empty() {
                return None;
            }
            letters.remove(*random.pick(&spaces));
        }
        _ if at > 1 && positions.contains(&(at - 1)) => letters.insert(at, ' '),
        _ => return None,
    }
    Some(letters.into_iter().collect())
}

/// The fewest letters of a word with two mistakes.
const TWO_MISTAKES_FROM: usize = 6;

/// Two typing mistakes in one word of a name.
pub fn two_in_word(name: &str, random: &mut Random) -> Option<String> {
    replace_word(&core(name), random, |word, random| {
        if word.len() < TWO_MISTAKES_FROM || !word.bytes().all(|byte| byte.is_ascii_uppercase()) {
            return None;
        }
        let once = typo(word, random)?;
        let twice = typo(&once, random)?;
        (twice != word && !twice.contains(' ')).then_some(twice)
    })
}

/// The name with a word shortened.
pub fn abbreviation(name: &str, random: &mut Random) -> Option<String> {
    replace_word(&core(name), random, |word, random| {
        let (_, ways) = ABBREVIATIONS.iter().find(|(full, _)| *full == word)?;
        Some((*random.pick(ways)).to_owned())
    })
}

/// The name with a word in another spelling.
pub fn spelling(name: &str, random: &mut Random) -> Option<String> {
    replace_word(&core(name), random, |word, random| {
        let ways = SPELLINGS.iter().find(|ways| ways[0] == word)?;
        Some((*random.pick(&ways[1..])).to_owned())
    })
}

fn replace_word(
    text: &str,
    random: &mut Random,
    replace: impl Fn(&str, &mut Random) -> Option<String>,
) -> Option<String> {
    let upper = text.to_uppercase();
    let mut words: Vec<String> = upper.split_whitespace().map(str::to_owned).collect();
    if words.len() < 2 {
        return None;
    }
    let first = random.below(words.len());
    for offset in 0..words.len() {
        let at = (first + offset) % words.len();
        let bare = words[at].trim_matches(|letter: char| !letter.is_alphanumeric()).to_owned();
        if let Some(by) = replace(&bare, random) {
            words[at] = by;
            return Some(words.join(" "));
        }
    }
    None
}

/// The words in another order.
pub fn order(name: &str, random: &mut Random) -> Option<String> {
    let mut words: Vec<String> = core(name).split_whitespace().map(str::to_owned).collect();
    let plain = words.iter().all(|word| word.chars().all(char::is_alphabetic) && word.len() > 1);
    if !(2..=6).contains(&words.len()) || !plain {
        return None;
    }
    let before = words.clone();
    if words.len() == 2 || random.below(2) == 0 {
        let by = 1 + random.below(words.len() - 1);
        words.rotate_left(by);
    } else {
        let (one, other) = (random.below(words.len()), random.below(words.len()));
        words.swap(one, other);
    }
    (words != before).then(|| words.join(" "))
}

/// The initials of a name with or without dots, separate or together; none if it has none.
pub fn initials(name: &str, random: &mut Random) -> Option<String> {
    let core = core(name).to_uppercase();
    let words: Vec<&str> = core.split([' ', '.']).filter(|word| !word.is_empty()).collect();
    let is_initial =
        |word: &str| word.len() == 1 && word.bytes().all(|byte| byte.is_ascii_uppercase());
    let start = words.iter().position(|word| is_initial(word))?;
    let count = words[start..].iter().take_while(|word| is_initial(word)).count();
    if count < 2 || count + start == words.len() {
        return None;
    }
    let letters = &words[start..start + count];
    let ways = [
        letters.concat(),
        letters.join(" "),
        letters.join("."),
        format!("{}.", letters.join(".")),
        format!("{}.", letters.join(". ")),
    ];
    let written = random.pick(&ways).clone();
    let around = words[..start].iter().copied();
    let text = around.chain([written.as_str()]).chain(words[start + count..].iter().copied());
    let text = text.collect::<Vec<_>>().join(" ");
    (text != core).then_some(text)
}

/// The beginning of a name, like an incomplete input.
pub fn beginning(name: &str, random: &mut Random) -> Option<String> {
    let core = core(name);
    let letters: Vec<char> = core.chars().collect();
    if letters.len() < 6 {
        return None;
    }
    let least = (letters.len() * 2 / 5).max(4);
    let end = least + random.below(letters.len() - least);
    let text: String = letters[..end].iter().collect();
    let text = text.trim_end_matches(|letter: char| !letter.is_alphanumeric()).to_owned();
    // A beginning that ends with a legal word or a single letter is not realistic.
    let judged = NormalizedName::new(&text);
    (judged.legal == 0 && text.len() >= 4 && text.len() < core.len()).then_some(text)
}
