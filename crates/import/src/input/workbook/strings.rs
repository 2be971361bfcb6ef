//! The shared strings of an XLSX, to which cells refer by index.

use std::io::{self, Read};

use quick_xml::events::Event;

use super::xml::{Xml, add_reference, damaged};

/// The most bytes of all texts, which are in memory.
const MAX_BYTES: usize = 512 << 20;

#[derive(Default)]
pub struct Strings {
    text: String,
    /// The end of each string in `text`, in bytes.
    ends: Vec<usize>,
}

impl Strings {
    pub fn get(&self, index: usize) -> Option<&str> {
        let end = *self.ends.get(index)?;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        Some(&self.text[start..end])
    }

    pub fn read(source: impl Read) -> io::Result<Strings> {
        let mut xml = Xml::new(source);
        let mut strings = Strings::default();
        let (mut in_text, mut in_phonetic) = (false, false);
        loop {
            match xml.next()? {
                Event::Start(start) => match start.local_name().as_ref() {
                    "t" => in_text = !in_phonetic,
                    // The pronunciation of a text in Chinese characters.
                    "rPh" => in_phonetic = true,
                    _ => {}
                },
                Event::End(end) => match end.local_name().as_ref() {
                    "t" => in_text = false,
                    "rPh" => in_phonetic = false,
                    "si" => strings.ends.push(strings.text.len()),
                    _ => {}
                },
                Event::Text(text) if in_text => strings.text.push_str(&text),
                Event::CData(text) if in_text => strings.text.push_str(&text),
                Event::GeneralRef(reference) if in_text => {
                    add_reference(&reference, &mut strings.text);
                }
                Event::Eof => return Ok(strings),
                _ => {}
            }
            let bytes = strings.text.len() + strings.ends.len() * size_of::<usize>();
            if bytes > MAX_BYTES {
                let reason = format!("its texts have more than {} MiB", MAX_BYTES >> 20);
                return Err(damaged(&reason));
            }
        }
    }
}
