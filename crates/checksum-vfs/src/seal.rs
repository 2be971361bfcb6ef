//! The last eight bytes of a page: its number, and a checksum of everything before it.

/// SQLite's default page size.
pub const PAGE: usize = 4_096;
/// Bytes that SQLite reserves at the end of each page.
pub const SEAL: usize = 8;

const CHECKSUM: usize = 4;

/// The start of a SQLite file.
const MAGIC: &[u8] = b"SQLite format 3\0";
/// The length of the file header.
pub const HEADER: usize = 100;
/// Offsets in the header: the page size, in two bytes, and the reserved bytes per page.
const SIZE_AT: usize = 16;
const FREE_AT: usize = 20;

/// Whether this is the header of a SQLite file without checksums.
pub fn has_no_checksums(header: &[u8; HEADER]) -> bool {
    let size = u16::from_be_bytes([header[SIZE_AT], header[SIZE_AT + 1]]);
    let sealed = usize::from(size) == PAGE && usize::from(header[FREE_AT]) == SEAL;
    header.starts_with(MAGIC) && !sealed
}

/// The page as it is written to the file.
pub fn seal(page: &[u8; PAGE], number: u32) -> [u8; PAGE] {
    let mut sealed = *page;
    sealed[PAGE - SEAL..PAGE - CHECKSUM].copy_from_slice(&number.to_le_bytes());
    let checksum = crc32fast::hash(&sealed[..PAGE - CHECKSUM]);
    sealed[PAGE - CHECKSUM..].copy_from_slice(&checksum.to_le_bytes());
    sealed
}

/// Whether the checksum and the number of the page are correct.
pub fn is_valid(page: &[u8; PAGE], number: u32) -> bool {
    page[PAGE - SEAL..PAGE - CHECKSUM] == number.to_le_bytes()
        && page[PAGE - CHECKSUM..] == crc32fast::hash(&page[..PAGE - CHECKSUM]).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_sealed_page_is_valid_until_a_bit_flips_or_it_moves(
            fill in any::<u8>(), number in any::<u32>(), bit in 0..PAGE * 8,
        ) {
            let mut page = seal(&[fill; PAGE], number);
            prop_assert!(is_valid(&page, number));
            prop_assert!(!is_valid(&page, number.wrapping_add(1)));
            page[bit / 8] ^= 1 << (bit % 8);
            prop_assert!(!is_valid(&page, number));
        }
    }

    #[test]
    fn an_empty_page_is_not_valid() {
        assert!(!is_valid(&[0; PAGE], 0) && !is_valid(&[0; PAGE], 1));
    }
}
