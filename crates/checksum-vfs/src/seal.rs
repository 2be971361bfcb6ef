//! The last eight bytes of a page: its number, and a checksum of all that is before it.

/// The size of a page, SQLite's default.
pub const PAGE: usize = 4_096;
/// What SQLite is told to leave free at the end of each page.
pub const SEAL: usize = 8;

const CHECKSUM: usize = 4;

/// How a SQLite file begins.
const MAGIC: &[u8] = b"SQLite format 3\0";
/// The length of that beginning.
pub const HEADER: usize = 100;
/// Where a header has the size of the pages, in two bytes, and what is free at the end of each.
const SIZE_AT: usize = 16;
const FREE_AT: usize = 20;

/// Whether a file that begins like this is one of SQLite's, but without seals.
pub fn is_foreign(header: &[u8; HEADER]) -> bool {
    let size = u16::from_be_bytes([header[SIZE_AT], header[SIZE_AT + 1]]);
    let ours = usize::from(size) == PAGE && usize::from(header[FREE_AT]) == SEAL;
    header.starts_with(MAGIC) && !ours
}

/// The page as it is written to the file.
pub fn seal(page: &[u8; PAGE], number: u32) -> [u8; PAGE] {
    let mut sealed = *page;
    sealed[PAGE - SEAL..PAGE - CHECKSUM].copy_from_slice(&number.to_le_bytes());
    let checksum = crc32fast::hash(&sealed[..PAGE - CHECKSUM]);
    sealed[PAGE - CHECKSUM..].copy_from_slice(&checksum.to_le_bytes());
    sealed
}

/// Whether the page is as it was written, and where it was written.
pub fn is_whole(page: &[u8; PAGE], number: u32) -> bool {
    page[PAGE - SEAL..PAGE - CHECKSUM] == number.to_le_bytes()
        && page[PAGE - CHECKSUM..] == crc32fast::hash(&page[..PAGE - CHECKSUM]).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_sealed_page_is_whole_until_a_bit_flips_or_it_moves(
            fill in any::<u8>(), number in any::<u32>(), bit in 0..PAGE * 8,
        ) {
            let mut page = seal(&[fill; PAGE], number);
            prop_assert!(is_whole(&page, number));
            prop_assert!(!is_whole(&page, number.wrapping_add(1)));
            page[bit / 8] ^= 1 << (bit % 8);
            prop_assert!(!is_whole(&page, number));
        }
    }

    #[test]
    fn a_page_that_was_never_written_is_not_whole() {
        assert!(!is_whole(&[0; PAGE], 0) && !is_whole(&[0; PAGE], 1));
    }
}
