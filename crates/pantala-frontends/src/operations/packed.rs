//! Packed sections: chunks of a section, byte by byte in columns, compressed.
//!
//! Neighbouring entries differ in few bytes. A chunk holds first the lowest byte of all its entries,
//! then the next byte of all, and so on, so that equal bytes stand together.

use std::cell::RefCell;
use std::io::{self, Write};

use sha2::{Digest as _, Sha256};
use zstd::bulk::{Compressor, Decompressor};

use super::fault::FileFault;
use super::format::{
    CHUNK_BYTES, CHUNK_ENTRY_BYTES, HEADER_BYTES, SECTIONS, TIME_BYTES, TIMES, u32_at, u64_at,
};

/// The level of compression. Higher ones make captures hardly smaller.
const LEVEL: i32 = 6;

/// The place of a chunk.
#[derive(Clone, Copy, Debug)]
struct Place {
    offset: u64,
    bytes: u32,
}

/// A section that is written.
#[derive(Debug, Default)]
struct Open {
    /// The last bytes, which fill no chunk yet.
    held: Vec<u8>,
    hash: Sha256,
    /// Size of the section so far.
    bytes: u64,
}

/// Writes packed sections, several at a time.
pub(super) struct Packer {
    header: [u8; HEADER_BYTES],
    compressor: Compressor<'static>,
    offset: u64,
    sections: [Open; SECTIONS.len()],
    /// The table of chunks.
    table: Vec<u8>,
    scratch: Vec<u8>,
}

impl std::fmt::Debug for Packer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Packer").field("offset", &self.offset).finish_non_exhaustive()
    }
}

impl Packer {
    /// Starts a file.
    pub(super) fn new(header: [u8; HEADER_BYTES], sink: &mut impl Write) -> io::Result<Self> {
        sink.write_all(&header)?;
        Ok(Self {
            header,
            compressor: Compressor::new(LEVEL)?,
            offset: HEADER_BYTES as u64,
            sections: Default::default(),
            table: Vec::new(),
            scratch: Vec::new(),
        })
    }

    /// Adds whole entries to a section.
    pub(super) fn add(
        &mut self,
        section: usize,
        mut bytes: &[u8],
        sink: &mut impl Write,
    ) -> io::Result<()> {
        let open = &mut self.sections[section];
        open.hash.update(bytes);
        open.bytes += bytes.len() as u64;
        loop {
            let open = &mut self.sections[section];
            let taken = bytes.len().min(CHUNK_BYTES - open.held.len());
            open.held.extend_from_slice(&bytes[..taken]);
            bytes = &bytes[taken..];
            if open.held.len() < CHUNK_BYTES {
                return Ok(());
            }
            self.end_chunk(section, sink)?;
        }
    }

    fn end_chunk(&mut self, section: usize, sink: &mut impl Write) -> io::Result<()> {
        let mut held = std::mem::take(&mut self.sections[section].held);
        if section == TIMES {
            divide(&mut held);
        }
        self.scratch.clear();
        into_columns(&held, SECTIONS[section], &mut self.scratch);
        let packed = self.compressor.compress(&self.scratch)?;
        sink.write_all(&packed)?;
        self.table.extend(self.offset.to_le_bytes());
        self.table.extend((packed.len() as u32).to_le_bytes());
        self.table.extend((section as u32).to_le_bytes());
        self.offset += packed.len() as u64;
        held.clear();
        self.sections[section].held = held;
        Ok(())
    }

    /// Writes the last chunks, their table and the footer up to the hash. Returns the hash and the
    /// size of the file so far.
    pub(super) fn finish(mut self, sink: &mut impl Write) -> io::Result<([u8; 32], u64)> {
        for section in 0..SECTIONS.len() {
            if !self.sections[section].held.is_empty() {
                self.end_chunk(section, sink)?;
            }
        }
        sink.write_all(&self.table)?;
        let chunks = (self.table.len() / CHUNK_ENTRY_BYTES) as u64;
        let mut content = Sha256::new();
        content.update(self.header);
        let mut counts = Vec::new();
        for (open, entry) in self.sections.into_iter().zip(SECTIONS) {
            content.update(open.hash.finalize());
            counts.extend((open.bytes / entry as u64).to_le_bytes());
        }
        content.update(&counts);
        counts.extend(chunks.to_le_bytes());
        sink.write_all(&counts)?;
        let size = self.offset + self.table.len() as u64 + counts.len() as u64;
        Ok((content.finalize().into(), size))
    }
}

/// Divides times by their largest common divisor, which becomes the first entry.
fn divide(bytes: &mut Vec<u8>) {
    let times: Vec<u64> = bytes.chunks_exact(TIME_BYTES).map(|time| u64_at(time, 0)).collect();
    let unit = times.iter().fold(0, |unit, time| divisor(unit, *time)).max(1);
    bytes.clear();
    bytes.extend(unit.to_le_bytes());
    bytes.extend(times.iter().flat_map(|time| (time / unit).to_le_bytes()));
}

/// The largest common divisor; 0 divides by everything.
fn divisor(mut one: u64, mut other: u64) -> u64 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

/// Appends the bytes of entries of a size, column by column.
fn into_columns(bytes: &[u8], entry: usize, columns: &mut Vec<u8>) {
    columns.reserve(bytes.len());
    for column in 0..entry {
        columns.extend(bytes.iter().skip(column).step_by(entry));
    }
}

/// The entries of a size whose bytes stand column by column.
fn from_columns(columns: &[u8], entry: usize) -> Vec<u8> {
    let entries = columns.len() / entry;
    let mut bytes = vec![0; columns.len()];
    for (number, column) in columns.chunks_exact(entries.max(1)).enumerate() {
        for (at, byte) in column.iter().enumerate() {
            bytes[at * entry + number] = *byte;
        }
    }
    bytes
}

/// The chunks of a packed file.
#[derive(Debug)]
pub(super) struct Chunks {
    sections: [Section; SECTIONS.len()],
    /// The size of the content without header and footer.
    bytes: u64,
}

/// A packed section.
#[derive(Debug, Default)]
struct Section {
    /// The first byte in the content, and the byte after the last.
    first: u64,
    end: u64,
    chunks: Vec<Place>,
}

thread_local! {
    /// A state of the decompression is large, so a thread keeps one.
    static UNPACK: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

impl Chunks {
    /// The chunks of a table, which ends at byte `end` of the file.
    pub(super) fn new(table: &[u8], counts: &[u64], end: u64) -> Result<Self, FileFault> {
        let wrong = |text: &str| FileFault::Content(format!("is corrupt: {text}"));
        let mut sections: [Section; SECTIONS.len()] = Default::default();
        for entry in table.chunks_exact(CHUNK_ENTRY_BYTES) {
            let place = Place { offset: u64_at(entry, 0), bytes: u32_at(entry, 8) };
            let section = sections.get_mut(u32_at(entry, 12) as usize);
            let section = section.ok_or_else(|| wrong("a chunk is of no section"))?;
            let last = place.offset.checked_add(place.bytes.into());
            if place.offset < HEADER_BYTES as u64 || last.is_none_or(|last| last > end) {
                return Err(wrong("a chunk lies outside the chunks of the file"));
            }
            section.chunks.push(place);
        }
        let mut at = HEADER_BYTES as u64;
        for ((section, entry), count) in sections.iter_mut().zip(SECTIONS).zip(counts) {
            let bytes = count.checked_mul(entry as u64);
            let whole = bytes
                .filter(|bytes| bytes.div_ceil(CHUNK_BYTES as u64) == section.chunks.len() as u64);
            let whole = whole.ok_or_else(|| wrong("the chunks do not fill their sections"))?;
            (section.first, section.end) = (at, at + whole);
            at = section.end;
        }
        Ok(Self { sections, bytes: at - HEADER_BYTES as u64 })
    }

    /// The size of the content without header and footer.
    pub(super) const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Fills a buffer with the content from an offset on. `read` reads bytes of the file.
    pub(super) fn read(
        &self,
        mut buffer: &mut [u8],
        mut offset: u64,
        read: impl Fn(&mut [u8], u64) -> Result<(), FileFault>,
    ) -> Result<(), FileFault> {
        while !buffer.is_empty() {
            let number = self.sections.iter().position(|section| offset < section.end);
            let number = number.ok_or_else(|| FileFault::at(offset, "it ends here"))?;
            let section = &self.sections[number];
            let inside = offset - section.first;
            let chunk = (inside / CHUNK_BYTES as u64) as usize;
            let first = chunk as u64 * CHUNK_BYTES as u64;
            let size = (section.end - section.first - first).min(CHUNK_BYTES as u64) as usize;
            let bytes = unpacked(section.chunks[chunk], number, size, &read)?;
            let from = (inside - first) as usize;
            let taken = buffer.len().min(size - from);
            buffer[..taken].copy_from_slice(&bytes[from..from + taken]);
            buffer = &mut buffer[taken..];
            offset += taken as u64;
        }
        Ok(())
    }
}

/// The content of a chunk with `size` bytes.
fn unpacked(
    place: Place,
    section: usize,
    size: usize,
    read: impl Fn(&mut [u8], u64) -> Result<(), FileFault>,
) -> Result<Vec<u8>, FileFault> {
    let wrong = |text: &str| FileFault::at(place.offset, text);
    let unit = if section == TIMES { TIME_BYTES } else { 0 };
    let most = zstd::zstd_safe::compress_bound(size + unit);
    if place.bytes as usize > most {
        return Err(wrong("a chunk is too long"));
    }
    let mut packed = vec![0; place.bytes as usize];
    read(&mut packed, place.offset)?;
    let columns = UNPACK.with_borrow_mut(|unpack| {
        let unpack = match unpack {
            Some(unpack) => unpack,
            None => unpack.insert(Decompressor::new()?),
        };
        unpack.decompress(&packed, size + unit)
    });
    let columns = columns.map_err(|_| wrong("a chunk cannot be decompressed"))?;
    if columns.len() != size + unit {
        return Err(wrong("a chunk has a wrong size"));
    }
    let mut bytes = from_columns(&columns, SECTIONS[section]);
    if section == TIMES {
        let unit = u64_at(&bytes, 0);
        bytes.drain(..TIME_BYTES);
        for time in bytes.chunks_exact_mut(TIME_BYTES) {
            let product = u64_at(time, 0).saturating_mul(unit);
            time.copy_from_slice(&product.to_le_bytes());
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(pantala_testing::cases(256))]

        #[test]
        fn columns_are_turned_back(
            entries in prop::collection::vec(any::<[u8; 16]>(), 0..40),
        ) {
            let bytes = entries.concat();
            let mut columns = Vec::new();
            into_columns(&bytes, 16, &mut columns);
            prop_assert_eq!(from_columns(&columns, 16), bytes);
        }

        #[test]
        fn times_are_divided_exactly(
            times in prop::collection::vec(0u64..1 << 30, 1..40), unit in 1u64..2_000,
        ) {
            let times: Vec<u64> = times.iter().map(|time| time * unit).collect();
            let mut bytes: Vec<u8> = times.iter().flat_map(|time| time.to_le_bytes()).collect();
            divide(&mut bytes);
            let words: Vec<u64> = bytes.chunks_exact(8).map(|word| u64_at(word, 0)).collect();
            prop_assert!(words[0] % unit == 0 || times.iter().all(|time| *time == 0));
            let back: Vec<u64> = words[1..].iter().map(|word| word * words[0]).collect();
            prop_assert_eq!(back, times);
        }
    }
}
