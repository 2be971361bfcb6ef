//! The trailer of a page, in its last bytes: the number of the page, and a CRC-32 of everything
//! before it.
//!
//! SQLite calculates the checksum of a WAL frame before the VFS gets the page, as two sums over
//! pairs of words: `s += a + t; t += b + s`. Two more words after the CRC-32 balance the first two,
//! so that both sums are the same as with zeros in place of all four.

/// SQLite's default page size.
pub const PAGE: usize = 4_096;
/// The length of the file header.
pub const HEADER: usize = 100;

/// The bytes of a number or a CRC-32.
const WORD: usize = 4;
/// The start of a SQLite file.
const MAGIC: &[u8] = b"SQLite format 3\0";
/// Offsets in the header: the page size, in two bytes, and the reserved bytes per page.
const SIZE_AT: usize = 16;
const RESERVED_AT: usize = 20;

// SQLite sums the words of a frame in the byte order of the machine that began the WAL.
const _: () = assert!(cfg!(target_endian = "little"), "trailers are little-endian");

/// Where the pages of a file have trailers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Only in the database file: the format of Panji 1.0.
    InFile,
    /// In the database file and in the WAL.
    InWalToo,
}

impl Format {
    /// The bytes that SQLite reserves for the trailer at the end of each page.
    pub const fn reserved(self) -> usize {
        match self {
            Format::InFile => 2 * WORD,
            Format::InWalToo => 4 * WORD,
        }
    }

    /// The format with this number of reserved bytes.
    pub fn with_reserved(bytes: usize) -> Option<Format> {
        [Format::InFile, Format::InWalToo].into_iter().find(|format| format.reserved() == bytes)
    }

    /// Fills the reserved bytes with zeros.
    fn clear(self, page: &mut [u8; PAGE]) {
        page[PAGE - self.reserved()..].fill(0);
    }
}

/// What the start of a file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    WithChecksums(Format),
    /// A SQLite file whose pages have no checksums.
    WithoutChecksums,
    /// Not the start of a SQLite file; SQLite itself refuses it.
    Other,
}

impl Kind {
    pub fn of(header: &[u8; HEADER]) -> Kind {
        let size = u16::from_be_bytes([header[SIZE_AT], header[SIZE_AT + 1]]);
        match Format::with_reserved(usize::from(header[RESERVED_AT])) {
            _ if !header.starts_with(MAGIC) => Kind::Other,
            Some(format) if usize::from(size) == PAGE => Kind::WithChecksums(format),
            _ => Kind::WithoutChecksums,
        }
    }
}

/// The page as it is written to the file.
pub fn with_trailer(page: &[u8; PAGE], number: u32, format: Format) -> [u8; PAGE] {
    let mut page = *page;
    format.clear(&mut page);
    write_trailer(&mut page, number, format);
    page
}

/// The page as it is written to the WAL. It is the page as it is written to the file if its reserved
/// bytes are zero, as in a new page, or the trailer of an earlier content, as in a page that
/// SQLite has read: both are balanced. In any case SQLite's checksum of the frame stays right.
pub fn with_trailer_in_wal(page: &[u8; PAGE], number: u32) -> [u8; PAGE] {
    let mut page = *page;
    write_trailer(&mut page, number, Format::InWalToo);
    page
}

/// Whether the trailer of a page in the file is correct.
pub fn is_valid(page: &[u8; PAGE], number: u32, format: Format) -> bool {
    let at = PAGE - format.reserved();
    let crc = word(page, at + WORD);
    word(page, at) == number
        && crc == crc32fast::hash(&page[..at + WORD])
        && (format == Format::InFile
            || balance(number, crc) == [word(page, at + 2 * WORD), word(page, at + 3 * WORD)])
}

/// Whether the CRC-32 of a page in the WAL is correct.
pub fn is_valid_in_wal(page: &[u8; PAGE]) -> bool {
    let at = PAGE - Format::InWalToo.reserved() + WORD;
    word(page, at) == crc32fast::hash(&page[..at])
}

fn write_trailer(page: &mut [u8; PAGE], number: u32, format: Format) {
    let at = PAGE - format.reserved();
    let replaced = [word(page, at), word(page, at + WORD)];
    set_word(page, at, number);
    let crc = crc32fast::hash(&page[..at + WORD]);
    set_word(page, at + WORD, crc);
    if format == Format::InWalToo {
        let added = [number.wrapping_sub(replaced[0]), crc.wrapping_sub(replaced[1])];
        let [first, second] = balance(added[0], added[1]);
        for (at, value) in [(at + 2 * WORD, first), (at + 3 * WORD, second)] {
            set_word(page, at, word(page, at).wrapping_add(value));
        }
    }
}

/// The pair of words to add after a pair that was added, so that SQLite's sums stay the same: the
/// first pair adds `a` to `s` and `a + b` to `t`, and `t` is added to `s` again.
fn balance(a: u32, b: u32) -> [u32; 2] {
    let t = a.wrapping_add(b);
    [a.wrapping_add(t).wrapping_neg(), t.wrapping_neg()]
}

fn word(page: &[u8; PAGE], at: usize) -> u32 {
    let mut bytes = [0; WORD];
    bytes.copy_from_slice(&page[at..at + WORD]);
    u32::from_le_bytes(bytes)
}

fn set_word(page: &mut [u8; PAGE], at: usize, value: u32) {
    page[at..at + WORD].copy_from_slice(&value.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FORMATS: [Format; 2] = [Format::InFile, Format::InWalToo];

    /// The checksum of a WAL frame, as SQLite's file format defines it.
    fn frame_checksum(page: &[u8; PAGE], start: (u32, u32)) -> (u32, u32) {
        let (mut s, mut t) = start;
        for at in (0..PAGE).step_by(2 * WORD) {
            s = s.wrapping_add(word(page, at)).wrapping_add(t);
            t = t.wrapping_add(word(page, at + WORD)).wrapping_add(s);
        }
        (s, t)
    }

    proptest! {
        #[test]
        fn a_page_with_a_trailer_is_valid_until_a_bit_flips_or_it_moves(
            fill in any::<u8>(), number in any::<u32>(), bit in 0..PAGE * 8,
        ) {
            for format in FORMATS {
                let mut page = with_trailer(&[fill; PAGE], number, format);
                prop_assert!(is_valid(&page, number, format));
                prop_assert!(!is_valid(&page, number.wrapping_add(1), format));
                page[bit / 8] ^= 1 << (bit % 8);
                prop_assert!(!is_valid(&page, number, format));
            }
        }

        #[test]
        fn every_bit_of_a_trailer_is_verified(fill in any::<u8>(), number in any::<u32>()) {
            for format in FORMATS {
                let correct = with_trailer(&[fill; PAGE], number, format);
                for bit in (PAGE - format.reserved()) * 8..PAGE * 8 {
                    let mut page = correct;
                    page[bit / 8] ^= 1 << (bit % 8);
                    prop_assert!(!is_valid(&page, number, format), "bit {bit}");
                }
            }
        }

        #[test]
        fn the_trailer_of_a_page_does_not_change_the_checksum_of_the_frame(
            fill in any::<u8>(), rest in any::<[u8; 16]>(), number in any::<u32>(),
            start in any::<(u32, u32)>(),
        ) {
            let mut page = [fill; PAGE];
            page[PAGE - rest.len()..].copy_from_slice(&rest);
            let correct = with_trailer_in_wal(&page, number);
            prop_assert!(is_valid_in_wal(&correct));
            prop_assert_eq!(frame_checksum(&correct, start), frame_checksum(&page, start));
        }

        #[test]
        fn a_page_has_the_same_trailer_in_the_wal_and_in_the_file(
            fill in any::<u8>(), number in any::<u32>(), earlier in any::<Option<u32>>(),
        ) {
            let mut page = [fill; PAGE];
            Format::InWalToo.clear(&mut page);
            if let Some(earlier) = earlier {
                page = with_trailer(&page, earlier, Format::InWalToo);
                page[0] = !fill;
            }
            let in_file = with_trailer(&page, number, Format::InWalToo);
            prop_assert_eq!(with_trailer_in_wal(&page, number), in_file);
        }
    }

    #[test]
    fn an_empty_page_is_not_valid() {
        for format in FORMATS {
            assert!(!is_valid(&[0; PAGE], 0, format) && !is_valid(&[0; PAGE], 1, format));
        }
        assert!(!is_valid_in_wal(&[0; PAGE]));
    }
}
