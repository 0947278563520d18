//! The layout of an operation file that is read: what its header and its footer state.

use sha2::{Digest as _, Sha256};

use super::bytes::Bytes;
use super::fault::FileFault;
use super::format::{
    CHUNK_ENTRY_BYTES, END, FOOTER_BYTES, HASH_AND_END_BYTES, HEADER_BYTES, MAGIC,
    PACKED_FOOTER_BYTES, PACKED_VERSION, SECTIONS, VERSION, u32_at, u64_at,
};
use super::packed::Chunks;

/// A section: its first byte in the content, and the number of its entries.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Section {
    pub(super) first: u64,
    pub(super) count: u64,
}

/// What header and footer state.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) job_ranks: u32,
    pub(super) first_rank: u32,
    pub(super) sections: [Section; SECTIONS.len()],
    /// The hash of the content; zeros if the writer did not compute it.
    pub(super) hash: [u8; 32],
    packed: bool,
    header: [u8; HEADER_BYTES],
    /// The numbers of entries, as they stand in the footer.
    counts: Vec<u8>,
}

/// The hash of the content of a file, section by section.
pub(super) struct ContentHash {
    whole: Sha256,
    /// The hash of the present section of a packed file.
    section: Option<Sha256>,
}

impl ContentHash {
    /// Adds bytes of the present section.
    pub(super) fn update(&mut self, bytes: &[u8]) {
        self.section.as_mut().unwrap_or(&mut self.whole).update(bytes);
    }

    /// Ends the present section.
    pub(super) fn end_section(&mut self) {
        if let Some(section) = &mut self.section {
            self.whole.update(section.finalize_reset());
        }
    }
}

impl Layout {
    /// Reads header and footer of a file of `size` bytes. Returns the content, too, which is held
    /// in memory if a packed file has at most `loaded_bytes` of it.
    pub(super) fn read(
        bytes: Bytes,
        size: u64,
        loaded_bytes: u64,
    ) -> Result<(Self, Bytes), FileFault> {
        let content = |text: &str| Err(FileFault::Content(text.to_owned()));
        let mut header = [0; HEADER_BYTES];
        let start = size.min(HEADER_BYTES as u64) as usize;
        bytes.read(&mut header[..start], 0)?;
        if header[..8] != MAGIC {
            return content("is no operation file: its first bytes differ");
        }
        let version = u32_at(&header, 8);
        if [VERSION, PACKED_VERSION].contains(&version.swap_bytes()) {
            return content("has numbers in big-endian order; the format is little-endian");
        }
        let packed = match version {
            VERSION => false,
            PACKED_VERSION => true,
            _ => {
                return content(&format!(
                    "has version {version}; this Pantala reads versions {VERSION} and {PACKED_VERSION}"
                ));
            }
        };
        let footer_bytes = if packed { PACKED_FOOTER_BYTES } else { FOOTER_BYTES };
        let mut footer = vec![0; footer_bytes];
        let end = size.checked_sub(footer_bytes as u64).filter(|end| *end >= HEADER_BYTES as u64);
        if let Some(end) = end {
            bytes.read(&mut footer, end)?;
        }
        let (Some(end), true) = (end, footer.ends_with(&END)) else {
            return content(&format!(
                "is truncated: its {size} bytes do not end with a footer (its writer did not finish)"
            ));
        };
        let hash_at = footer_bytes - HASH_AND_END_BYTES;
        let mut counts: Vec<u64> = (0..SECTIONS.len()).map(|at| u64_at(&footer, 8 * at)).collect();
        let misfit = || {
            FileFault::Content(format!(
                "is corrupt at byte {end}: the sections of the footer do not fill {size} bytes"
            ))
        };
        let bytes = if packed {
            let table_bytes = u64_at(&footer, 8 * SECTIONS.len())
                .checked_mul(CHUNK_ENTRY_BYTES as u64)
                .filter(|table| *table <= end - HEADER_BYTES as u64)
                .ok_or_else(misfit)?;
            let mut table = vec![0; table_bytes as usize];
            bytes.read(&mut table, end - table_bytes)?;
            bytes.unpacked(Chunks::new(&table, &counts, end - table_bytes)?, loaded_bytes)?
        } else {
            counts[SECTIONS.len() - 1] = 0; // a plain file has no times
            bytes
        };
        let mut layout = Self {
            job_ranks: u32_at(&header, 12),
            first_rank: u32_at(&header, 16),
            sections: Default::default(),
            hash: [0; 32],
            packed,
            header,
            counts: footer[..8 * SECTIONS.len()].to_vec(),
        };
        layout.hash.copy_from_slice(&footer[hash_at..hash_at + 32]);
        let filled = layout.place(&counts).ok_or_else(misfit)?;
        if !packed && filled != end {
            return Err(misfit());
        }
        let ranks = u32_at(&header, 20);
        let last = layout.first_rank.checked_add(ranks);
        if u64::from(ranks) != counts[4] || last.is_none_or(|last| last > layout.job_ranks) {
            return Err(FileFault::at(12, "the numbers of ranks do not fit each other"));
        }
        Ok((layout, bytes))
    }

    /// Places the sections one after the other. Returns the byte after the last.
    fn place(&mut self, counts: &[u64]) -> Option<u64> {
        let mut at = HEADER_BYTES as u64;
        for ((section, entry), count) in self.sections.iter_mut().zip(SECTIONS).zip(counts) {
            *section = Section { first: at, count: *count };
            at = count.checked_mul(entry as u64).and_then(|bytes| at.checked_add(bytes))?;
        }
        Some(at)
    }

    /// Starts the hash of the content.
    pub(super) fn start_hash(&self) -> ContentHash {
        let whole = Sha256::new_with_prefix(self.header);
        ContentHash { whole, section: self.packed.then(Sha256::new) }
    }

    /// The hash of the content whose sections have ended.
    pub(super) fn end_hash(&self, mut hash: ContentHash) -> [u8; 32] {
        hash.whole.update(&self.counts);
        hash.whole.finalize().into()
    }
}
