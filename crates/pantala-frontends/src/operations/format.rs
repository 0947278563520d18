//! The layout of the operation file: sizes, codes, flags and the fields of a record.

/// The first bytes of a file.
pub const MAGIC: [u8; 8] = *b"PANTOPS\0";
/// The last bytes of a file.
pub const END: [u8; 8] = *b"PANTEND\0";
/// The version of plain files.
pub const VERSION: u32 = 1;
/// The version of packed files: compressed sections, and times of computing apart from records.
pub const PACKED_VERSION: u32 = 2;
/// Size of the header in bytes.
pub const HEADER_BYTES: usize = 32;
/// Size of a record in bytes.
pub const RECORD_BYTES: usize = 32;
/// Size of an entry in the table of lists.
pub const LIST_BYTES: usize = 16;
/// Size of an entry in the table of blocks.
pub const BLOCK_BYTES: usize = 16;
/// Size of an entry in the table of ranks.
pub const RANK_BYTES: usize = 32;
/// Size of an entry in the table of communicators.
pub const COMMUNICATOR_BYTES: usize = 32;
/// Size of a time in the section of times.
pub const TIME_BYTES: usize = 8;
/// The sizes of the entries of all sections, in their order.
pub const SECTIONS: [usize; 7] =
    [RECORD_BYTES, 8, LIST_BYTES, BLOCK_BYTES, RANK_BYTES, COMMUNICATOR_BYTES, TIME_BYTES];
/// The number of the section of records.
pub const RECORDS: usize = 0;
/// The number of the section of times.
pub const TIMES: usize = 6;
/// Size of the footer in bytes.
pub const FOOTER_BYTES: usize = 96;
/// Size of the footer of a packed file in bytes.
pub const PACKED_FOOTER_BYTES: usize = 104;
/// Bytes of the footer from the hash to the end.
pub const HASH_AND_END_BYTES: usize = 40;
/// Bytes of a section in a full chunk of a packed file.
pub const CHUNK_BYTES: usize = 32 << 10;
/// Size of an entry in the table of chunks.
pub const CHUNK_ENTRY_BYTES: usize = 16;
/// Blocks nest at most this deep.
pub const MAX_DEPTH: usize = 8;
/// No list, or all requests.
pub const NONE: u32 = u32::MAX;

/// The receive accepts any source.
pub const ANY_SOURCE: u8 = 1;
/// The receive accepts any tag.
pub const ANY_TAG: u8 = 2;
/// The requests are those of a list.
pub const SET: u8 = 4;
/// The collective is non-blocking.
pub const NON_BLOCKING: u8 = 8;
/// The time of the computing is the next one of the rank in the section of times.
pub const TIMED: u8 = 16;

/// How an iteration gets its number: from the record.
pub const EXPLICIT: i32 = 0;
/// How an iteration gets its number: the last one plus 1.
pub const NEXT: i32 = 1;
/// How an iteration gets its number: the last one.
pub const SAME: i32 = 2;

/// The codes of operations.
#[allow(missing_docs, reason = "the page of the format describes each")]
pub mod code {
    pub const COMPUTE: u8 = 1;
    pub const ICOMPUTE: u8 = 2;
    pub const SEND: u8 = 3;
    pub const SSEND: u8 = 4;
    pub const RSEND: u8 = 5;
    pub const BSEND: u8 = 6;
    pub const ISEND: u8 = 7;
    pub const ISSEND: u8 = 8;
    pub const RECV: u8 = 9;
    pub const IRECV: u8 = 10;
    pub const PROBE: u8 = 11;
    pub const IPROBE: u8 = 12;
    pub const SEND_INIT: u8 = 13;
    pub const RECV_INIT: u8 = 14;
    pub const START: u8 = 15;
    pub const STARTALL: u8 = 16;
    pub const FREE: u8 = 17;
    pub const WAIT: u8 = 18;
    pub const WAITALL: u8 = 19;
    pub const WAITANY: u8 = 20;
    pub const WAITSOME: u8 = 21;
    pub const TEST: u8 = 22;
    pub const TESTALL: u8 = 23;
    pub const TESTANY: u8 = 24;
    pub const TESTSOME: u8 = 25;
    pub const SENDRECV: u8 = 26;
    pub const SENDRECV_RECEIVE: u8 = 27;
    pub const POST: u8 = 28;
    pub const IPOST: u8 = 29;
    pub const BARRIER: u8 = 32;
    pub const BCAST: u8 = 33;
    pub const REDUCE: u8 = 34;
    pub const ALLREDUCE: u8 = 35;
    pub const REDUCE_SCATTER_BLOCK: u8 = 36;
    pub const REDUCE_SCATTER: u8 = 37;
    pub const ALLGATHER: u8 = 38;
    pub const ALLGATHERV: u8 = 39;
    pub const GATHER: u8 = 40;
    pub const GATHERV: u8 = 41;
    pub const SCATTER: u8 = 42;
    pub const SCATTERV: u8 = 43;
    pub const ALLTOALL: u8 = 44;
    pub const ALLTOALLV: u8 = 45;
    pub const SCAN: u8 = 46;
    pub const EXSCAN: u8 = 47;
    pub const COMM_DUP: u8 = 64;
    pub const COMM_SPLIT: u8 = 65;
    pub const COMM_CREATE: u8 = 66;
    pub const COMM_FREE: u8 = 67;
    pub const COMM_JOIN: u8 = 68;
    pub const ITERATION_START: u8 = 80;
    pub const ITERATION_END: u8 = 81;
    pub const ABORT: u8 = 82;
    pub const RUN: u8 = 96;
}

/// One record. The fields have the meanings that the code gives them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the page of the format describes each")]
pub struct Record {
    pub code: u8,
    pub flags: u8,
    pub communicator: u16,
    pub request: u32,
    pub peer: u32,
    pub tag: i32,
    pub first: u64,
    pub second: u64,
}

impl Record {
    /// The record as bytes.
    #[must_use]
    pub fn to_bytes(self) -> [u8; RECORD_BYTES] {
        let mut bytes = [0; RECORD_BYTES];
        (bytes[0], bytes[1]) = (self.code, self.flags);
        bytes[2..4].copy_from_slice(&self.communicator.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.request.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.peer.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.tag.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.first.to_le_bytes());
        bytes[24..].copy_from_slice(&self.second.to_le_bytes());
        bytes
    }

    /// The record of these bytes.
    #[inline]
    #[must_use]
    pub fn from_bytes(bytes: &[u8; RECORD_BYTES]) -> Self {
        let b = bytes;
        Self {
            code: b[0],
            flags: b[1],
            communicator: u16::from_le_bytes([b[2], b[3]]),
            request: u32::from_le_bytes([b[4], b[5], b[6], b[7]]),
            peer: u32::from_le_bytes([b[8], b[9], b[10], b[11]]),
            tag: i32::from_le_bytes([b[12], b[13], b[14], b[15]]),
            first: u64::from_le_bytes([b[16], b[17], b[18], b[19], b[20], b[21], b[22], b[23]]),
            second: u64::from_le_bytes([b[24], b[25], b[26], b[27], b[28], b[29], b[30], b[31]]),
        }
    }
}

/// A range of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The index of the first record in the file.
    pub first: u64,
    /// Number of records.
    pub count: u64,
}

/// The first bytes of a file: its version, and its ranks.
#[must_use]
pub fn header(version: u32, job_ranks: u32, ranks: &std::ops::Range<u32>) -> [u8; HEADER_BYTES] {
    let mut bytes = [0; HEADER_BYTES];
    bytes[..8].copy_from_slice(&MAGIC);
    for (at, number) in [version, job_ranks, ranks.start, ranks.len() as u32].iter().enumerate() {
        bytes[8 + 4 * at..12 + 4 * at].copy_from_slice(&number.to_le_bytes());
    }
    bytes
}

/// Reads a `u32` at an offset; 0 beyond the end.
pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|b| b.first_chunk()).map_or(0, |b| u32::from_le_bytes(*b))
}

/// Reads a `u64` at an offset; 0 beyond the end.
pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(|b| b.first_chunk()).map_or(0, |b| u64::from_le_bytes(*b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(pantala_testing::cases(256))]

        #[test]
        fn records_are_their_bytes(bytes: [u8; 32]) {
            prop_assert_eq!(Record::from_bytes(&bytes).to_bytes(), bytes);
        }
    }
}
