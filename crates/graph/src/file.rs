//! The graph as one file: a header, the arrays with their lengths, little-endian, and a CRC-32 of all of it.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;

use crc32fast::Hasher;

use crate::base::{Base, Lists, Shared};
use crate::error::GraphError;

/// The name of the file in the directory of a generation.
pub(crate) const FILE: &str = "graph.bin";
const MAGIC: &[u8; 8] = b"PANJIGRF";
/// The version of the format and of what makes two offices or domains the same.
const VERSION: u32 = 2;
const BUFFER: usize = 1 << 20;
/// Values read at once.
const CHUNK: usize = 1 << 14;

/// Writes the graph; it is on the disk when this returns.
pub(crate) fn write(base: &Base, directory: &Path) -> Result<(), GraphError> {
    std::fs::create_dir_all(directory)?;
    let file = File::create(directory.join(FILE))?;
    let mut writer =
        Writer { file: BufWriter::with_capacity(BUFFER, file), checksum: Hasher::new() };
    writer.bytes(MAGIC)?;
    writer.bytes(&VERSION.to_le_bytes())?;
    writer.bytes(&base.seq.to_le_bytes())?;
    writer.array(&base.numbers, |number| number.to_le_bytes())?;
    for list in [&base.directors.offsets, &base.directors.values, &base.dins] {
        writer.array(list, |value| value.to_le_bytes())?;
    }
    for list in [&base.companies.offsets, &base.companies.values] {
        writer.array(list, |value| value.to_le_bytes())?;
    }
    for shared in [&base.offices, &base.domains] {
        writer.array(&shared.keys, |key| key.to_le_bytes())?;
        writer.array(&shared.members, |member| member.to_le_bytes())?;
    }
    writer.array(&base.former, |(one, other)| {
        (u64::from(*one) | u64::from(*other) << 32).to_le_bytes()
    })?;
    let Writer { mut file, checksum } = writer;
    file.write_all(&checksum.finalize().to_le_bytes())?;
    let file = file.into_inner().map_err(std::io::IntoInnerError::into_error)?;
    file.sync_all()?;
    Ok(File::open(directory)?.sync_all()?)
}

/// Reads the graph of a generation. A damaged one could give wrong results, so it is never used.
pub(crate) fn read(directory: &Path) -> Result<Base, GraphError> {
    let path = directory.join(FILE);
    let file = File::open(&path)?;
    let left = file.metadata()?.len();
    let damaged = || GraphError::Damaged { file: path.clone() };
    let mut reader =
        Reader { file: BufReader::with_capacity(BUFFER, file), checksum: Hasher::new(), left };
    if reader.bytes::<8>().ok_or_else(damaged)? != *MAGIC {
        return Err(damaged());
    }
    if u32::from_le_bytes(reader.bytes().ok_or_else(damaged)?) != VERSION {
        return Err(GraphError::OtherVersion { file: path });
    }
    let base = reader.base().ok_or_else(damaged)?;
    let Reader { mut file, checksum, .. } = reader;
    let mut trailer = Vec::new();
    file.read_to_end(&mut trailer)?;
    if trailer != checksum.finalize().to_le_bytes() || !base.is_consistent() {
        return Err(damaged());
    }
    Ok(base.with_lookup_tables())
}

struct Writer {
    file: BufWriter<File>,
    checksum: Hasher,
}

impl Writer {
    fn bytes(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.checksum.update(bytes);
        self.file.write_all(bytes)
    }

    fn array<T, const N: usize>(
        &mut self,
        values: &[T],
        encode: impl Fn(&T) -> [u8; N],
    ) -> std::io::Result<()> {
        self.bytes(&(values.len() as u64).to_le_bytes())?;
        let mut buffer = Vec::with_capacity(CHUNK * N);
        for chunk in values.chunks(CHUNK) {
            buffer.clear();
            chunk.iter().for_each(|value| buffer.extend_from_slice(&encode(value)));
            self.bytes(&buffer)?;
        }
        Ok(())
    }
}

struct Reader {
    file: BufReader<File>,
    checksum: Hasher,
    /// The bytes of the file that were not read yet.
    left: u64,
}

impl Reader {
    fn bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Some(bytes)
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Option<()> {
        self.left = self.left.checked_sub(bytes.len() as u64)?;
        self.file.read_exact(bytes).ok()?;
        self.checksum.update(&*bytes);
        Some(())
    }

    /// An array. A damaged length cannot ask for more memory than the file has bytes.
    fn array<T, const N: usize>(&mut self, decode: impl Fn([u8; N]) -> T) -> Option<Vec<T>> {
        let count = u64::from_le_bytes(self.bytes()?);
        if count.checked_mul(N as u64)? > self.left {
            return None;
        }
        let count = usize::try_from(count).ok()?;
        let mut values = Vec::with_capacity(count);
        let mut buffer = vec![0; CHUNK * N];
        while values.len() < count {
            let part = &mut buffer[..(count - values.len()).min(CHUNK) * N];
            self.fill(part)?;
            let (each, _) = part.as_chunks::<N>();
            values.extend(each.iter().map(|bytes| decode(*bytes)));
        }
        Some(values)
    }

    fn shared(&mut self) -> Option<Shared> {
        let keys = self.array(u64::from_le_bytes)?;
        Some(Shared::from_stored(keys, self.array(u32::from_le_bytes)?))
    }

    fn base(&mut self) -> Option<Base> {
        let seq = i64::from_le_bytes(self.bytes()?);
        let numbers = self.array(u128::from_le_bytes)?;
        let mut list = || self.array(u32::from_le_bytes);
        let directors = Lists { offsets: list()?, values: list()? };
        let dins = list()?;
        let companies = Lists { offsets: list()?, values: list()? };
        let (offices, domains) = (self.shared()?, self.shared()?);
        let former = self.array(|bytes| {
            let pair = u64::from_le_bytes(bytes);
            (pair as u32, (pair >> 32) as u32)
        })?;
        Some(Base {
            seq,
            numbers,
            directors,
            dins,
            companies,
            offices,
            domains,
            former,
            ..Base::default()
        })
    }
}
