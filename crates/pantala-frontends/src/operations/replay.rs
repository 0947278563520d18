//! The program of one rank: it executes the records of an operation file.

use std::collections::BTreeMap;
use std::sync::Arc;

use pantala_engine::Time;
use pantala_mpi::{Op, OperationStream, Outcome, Outgoing, Place, Request};

use super::bytes::Bytes;
use super::contents::Contents;
use super::fault::FileFault;
use super::format::{
    CHUNK_BYTES, HEADER_BYTES, MAX_DEPTH, RECORD_BYTES, Record, TIME_BYTES, TIMED, code, u64_at,
};

/// Files with more records have no summary of their sends.
const SUMMARY_RECORDS: u64 = 1 << 20;
/// Bytes of the windows of all ranks on a packed file that is not in memory, for each depth of
/// blocks. Every window costs a decompression.
const ALL_WINDOWS: usize = 32 << 20;
/// The smallest window, and the window on a plain file, in bytes.
const WINDOW_BYTES: usize = 2 << 10;

/// A block in execution.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// The block's number.
    block: u32,
    /// The block's first record.
    first: u64,
    /// The next record.
    at: u64,
    /// The record after the last.
    end: u64,
    /// How often the block still runs, this time included.
    times: u64,
}

/// The operations of one rank of a file.
#[derive(Clone, Debug)]
pub struct Replay {
    contents: Arc<Contents>,
    rank: u32,
    /// The innermost block.
    top: Frame,
    /// The blocks around it.
    around: Vec<Frame>,
    /// The number of the last iteration.
    iteration: Option<u32>,
    /// Records of a file that is not in memory, by depth: the first record, and bytes.
    windows: Vec<(u64, Vec<u8>)>,
    /// The number of the next time of computing, in a packed file.
    time: u64,
    /// Times of a file that is not in memory: the first one, and bytes.
    times: (u64, Vec<u8>),
}

impl Replay {
    /// The program of a rank that is in the file.
    #[must_use]
    pub fn new(contents: Arc<Contents>, rank: u32) -> Self {
        let block = contents.block_of(rank).unwrap_or(u32::MAX);
        let time = contents.first_time(rank);
        let mut replay = Self {
            contents,
            rank,
            top: Frame { block, first: 0, at: 0, end: 0, times: 1 },
            around: Vec::new(),
            iteration: None,
            windows: Vec::new(),
            time,
            times: (0, Vec::new()),
        };
        if let Some(frame) = replay.frame(block, 1) {
            replay.top = frame;
        }
        replay
    }

    fn frame(&self, number: u32, times: u64) -> Option<Frame> {
        let block = self.contents.block(number)?;
        let (first, end) = (block.first, block.first + block.count);
        Some(Frame { block: number, first, at: first, end, times })
    }

    /// The next record that is no run of a block.
    #[inline]
    fn step(&mut self) -> Result<Option<Record>, FileFault> {
        loop {
            let top = &mut self.top;
            if top.at == top.end {
                if top.times > 1 && top.first < top.end {
                    top.times -= 1;
                    top.at = top.first;
                    continue;
                }
                let Some(outer) = self.around.pop() else { return Ok(None) };
                self.top = outer;
                continue;
            }
            let record = self.read(self.top.at)?;
            self.top.at += 1;
            if record.code != code::RUN {
                return Ok(Some(record));
            }
            let inner = self.frame(record.request, record.first);
            let inner = inner
                .filter(|inner| inner.block < self.top.block && self.around.len() + 1 < MAX_DEPTH);
            let Some(inner) = inner else {
                return Err(self.fault("a block runs inside itself, or blocks nest too deep"));
            };
            self.around.push(std::mem::replace(&mut self.top, inner));
        }
    }

    #[inline]
    fn read(&mut self, record: u64) -> Result<Record, FileFault> {
        let offset = HEADER_BYTES as u64 + record * RECORD_BYTES as u64;
        match self.contents.bytes() {
            Bytes::Loaded(bytes) => {
                let bytes = bytes.get(offset as usize..).and_then(|rest| rest.first_chunk());
                bytes
                    .map(Record::from_bytes)
                    .ok_or_else(|| FileFault::at(offset, "the file ends here"))
            }
            Bytes::Paged(_) | Bytes::Packed(_) => self.read_window(record, offset),
        }
    }

    /// Reads a record through the window of its depth.
    fn read_window(&mut self, record: u64, offset: u64) -> Result<Record, FileFault> {
        let depth = self.around.len();
        if self.windows.len() <= depth {
            self.windows.resize_with(depth + 1, || (0, Vec::new()));
        }
        let (first, bytes) = &mut self.windows[depth];
        let place = record.wrapping_sub(*first).saturating_mul(RECORD_BYTES as u64) as usize;
        if let Some(found) = bytes.get(place..).and_then(|rest| rest.first_chunk()) {
            return Ok(Record::from_bytes(found));
        }
        // Blocks that run one after another are often neighbours, so the window goes on beyond one.
        let count = window(&self.contents, record, RECORD_BYTES, self.contents.records());
        bytes.resize(count * RECORD_BYTES, 0);
        if let Err(fault) = self.contents.bytes().read(bytes, offset) {
            bytes.clear();
            return Err(fault);
        }
        *first = record;
        let found = bytes.first_chunk().map(Record::from_bytes);
        found.ok_or_else(|| FileFault::at(offset, "the file ends here"))
    }

    /// The next time of computing.
    #[inline]
    fn next_time(&mut self) -> Result<Time, FileFault> {
        let number = self.time;
        let offset = self.contents.time_offset(number);
        let offset = offset.ok_or_else(|| self.fault("the times of computing end before"))?;
        self.time += 1;
        match self.contents.bytes() {
            Bytes::Loaded(bytes) => Ok(u64_at(bytes, offset as usize)),
            Bytes::Paged(_) | Bytes::Packed(_) => {
                let (first, held) = &mut self.times;
                let place = number.wrapping_sub(*first).saturating_mul(TIME_BYTES as u64) as usize;
                if place >= held.len() {
                    let count = window(&self.contents, number, TIME_BYTES, self.contents.times());
                    held.resize(count * TIME_BYTES, 0);
                    *first = number;
                    if let Err(fault) = self.contents.bytes().read(held, offset) {
                        held.clear();
                        return Err(fault);
                    }
                    return Ok(u64_at(held, 0));
                }
                Ok(u64_at(held, place))
            }
        }
    }

    /// A fault of the last record.
    #[cold]
    fn fault(&self, text: &str) -> FileFault {
        let record = self.top.at.saturating_sub(1);
        let offset = HEADER_BYTES as u64 + record * RECORD_BYTES as u64;
        FileFault::at(offset, format_args!("rank {}: {text}", self.rank))
    }

    /// The next operation, if it is one record of a file in memory.
    #[inline]
    fn common(&mut self) -> Option<Op> {
        let top = &mut self.top;
        if top.at == top.end {
            return None;
        }
        let Bytes::Loaded(bytes) = self.contents.bytes() else { return None };
        let offset = HEADER_BYTES + top.at as usize * RECORD_BYTES;
        let record: &[u8; RECORD_BYTES] = bytes.get(offset..)?.first_chunk()?;
        if matches!(record[0], code::RUN | code::SENDRECV) {
            return None;
        }
        if record[0] == code::COMPUTE && record[1] & TIMED != 0 {
            let offset = self.contents.time_offset(self.time)?;
            let time = u64_at(bytes, offset as usize);
            top.at += 1;
            self.time += 1;
            return Some(Op::Compute(time));
        }
        let op = self.contents.decode(&Record::from_bytes(record), &mut self.iteration).ok()?;
        top.at += 1;
        Some(op)
    }

    #[inline(never)]
    fn operation(&mut self) -> Result<Option<Op>, FileFault> {
        let Some(record) = self.step()? else { return Ok(None) };
        let op = if record.code == code::SENDRECV {
            if self.top.at == self.top.end {
                return Err(self.fault("a sendrecv lacks its receive"));
            }
            let receive = self.read(self.top.at)?;
            self.top.at += 1;
            Contents::sendrecv(&record, &receive)
        } else if record.code == code::COMPUTE && record.flags & TIMED != 0 {
            Ok(Op::Compute(self.next_time()?))
        } else {
            self.contents.decode(&record, &mut self.iteration)
        };
        op.map(Some).map_err(|text| self.fault(&text))
    }
}

/// The number of entries that a rank reads at once from the section of a file that is not in
/// memory, from an entry on: at most the rest of a chunk.
fn window(contents: &Contents, first: u64, entry: usize, entries: u64) -> usize {
    let ranks = contents.job_ranks().max(1) as usize;
    let bytes = match contents.bytes() {
        Bytes::Packed(_) => (ALL_WINDOWS / ranks).clamp(WINDOW_BYTES, CHUNK_BYTES),
        Bytes::Loaded(_) | Bytes::Paged(_) => WINDOW_BYTES,
    };
    let inside = (first % (CHUNK_BYTES / entry) as u64) as usize;
    let window = (bytes / entry).min(CHUNK_BYTES / entry - inside);
    window.min(usize::try_from(entries - first).unwrap_or(usize::MAX))
}

impl OperationStream for Replay {
    #[inline]
    fn next(&mut self, _: Time, _: &Outcome) -> Option<Op> {
        if let Some(op) = self.common() {
            return Some(op);
        }
        self.operation().unwrap_or_else(|fault| {
            self.around.clear();
            self.top.at = self.top.end;
            self.top.times = 1;
            Some(Op::Abort(format!("the operation file {fault}").into()))
        })
    }

    fn summary(&self) -> Option<Vec<(Op, u64)>> {
        if self.contents.records() > SUMMARY_RECORDS {
            return None;
        }
        let mut sums = Sums::default();
        let mut runs = BTreeMap::from([(self.contents.block_of(self.rank)?, 1)]);
        // Blocks run only blocks of lower numbers.
        while let Some((number, times)) = runs.pop_last() {
            let mut reader = self.clone();
            (reader.top, reader.around) = (reader.frame(number, 1)?, Vec::new());
            while reader.top.at < reader.top.end {
                match reader.summed()? {
                    Summed::Run(block, count) if block < number => {
                        let runs: &mut u64 = runs.entry(block).or_default();
                        *runs = runs.saturating_add(count.saturating_mul(times));
                    }
                    Summed::Run(..) => return None,
                    Summed::Op(op) => sums.add(op, times),
                    Summed::Nothing => {}
                }
            }
        }
        if sums.ordered { self.summary_in_order() } else { Some(sums.sent) }
    }

    fn place(&self) -> Option<Place> {
        self.executed()?.checked_sub(1).map(Place::Operation)
    }
}

/// What a summary sees of a record.
enum Summed {
    /// A block runs so many times.
    Run(u32, u64),
    Op(Op),
    Nothing,
}

/// The sends of a rank.
#[derive(Default)]
struct Sums {
    sent: Vec<(Op, u64)>,
    /// The messages of persistent requests.
    persistent: BTreeMap<Request, Outgoing>,
    /// Whether the meaning of operations depends on those before: the rank makes communicators or
    /// has persistent requests.
    ordered: bool,
}

impl Sums {
    fn add(&mut self, op: Op, times: u64) {
        match op {
            Op::CommDup(_) | Op::CommSplit(..) | Op::CommCreate(..) | Op::CommJoin(..) => {
                self.ordered = true;
                self.sent.push((op, times));
            }
            Op::CommFree(_) => self.sent.push((op, times)),
            Op::SendInit(outgoing, request) => {
                self.ordered = true;
                self.persistent.insert(request, outgoing);
            }
            Op::Start(request) => self.start(request, 1, times),
            Op::Startall { first, count } => self.start(first, count, times),
            _ => self.sent.push((op, times)),
        }
    }

    fn start(&mut self, first: Request, count: u32, times: u64) {
        let end = first.saturating_add(count);
        for (request, outgoing) in self.persistent.range(first..end) {
            self.sent.push((Op::Isend(*outgoing, *request), times));
        }
    }
}

impl Replay {
    /// The number of operations that the rank has executed; `None` for a large file.
    #[cold]
    fn executed(&self) -> Option<u64> {
        if self.contents.records() > SUMMARY_RECORDS {
            return None;
        }
        let mut reader = self.clone();
        let mut known = BTreeMap::new();
        let mut executed = 0u64;
        let frames: Vec<Frame> = self.around.iter().chain([&self.top]).copied().collect();
        for (depth, frame) in frames.iter().enumerate() {
            // The record that runs the next block in is not over.
            let inner = depth + 1 < frames.len();
            let whole = reader.operations(frame, frame.end, &mut known)?;
            let part = reader.operations(frame, frame.at - u64::from(inner), &mut known)?;
            executed = executed.checked_add(part)?;
            let runs = match depth.checked_sub(1).and_then(|outer| frames.get(outer)) {
                Some(outer) => reader.read(outer.at - 1).ok()?.first,
                None => 1,
            };
            executed = executed.checked_add(whole.checked_mul(runs.checked_sub(frame.times)?)?)?;
        }
        Some(executed)
    }

    /// The number of operations in the records of a block before `end`. `known` has those of whole
    /// blocks.
    fn operations(&mut self, of: &Frame, end: u64, known: &mut BTreeMap<u32, u64>) -> Option<u64> {
        let mut operations = 0u64;
        for at in of.first..end {
            let record = self.read(at).ok()?;
            let one = match record.code {
                code::RUN => {
                    let block = record.request;
                    let inside = match known.get(&block) {
                        Some(inside) => *inside,
                        None => {
                            let inner = self.frame(block, 1).filter(|_| block < of.block)?;
                            let inside = self.operations(&inner, inner.end, known)?;
                            known.insert(block, inside);
                            inside
                        }
                    };
                    inside.checked_mul(record.first)?
                }
                code::SENDRECV_RECEIVE => 0,
                _ => 1,
            };
            operations = operations.checked_add(one)?;
        }
        Some(operations)
    }

    /// Reads the next record of the innermost block.
    fn summed(&mut self) -> Option<Summed> {
        let record = self.read(self.top.at).ok()?;
        self.top.at += 1;
        if record.code == code::RUN {
            return Some(Summed::Run(record.request, record.first));
        }
        let op = if record.code == code::SENDRECV {
            let receive = Record { code: code::SENDRECV_RECEIVE, ..record };
            Contents::sendrecv(&record, &receive)
        } else {
            self.contents.decode(&record, &mut None)
        };
        let counts = |op: &Op| {
            op.sent().is_some()
                || matches!(
                    op,
                    Op::Collective(..)
                        | Op::Icollective(..)
                        | Op::CommDup(_)
                        | Op::CommSplit(..)
                        | Op::CommCreate(..)
                        | Op::CommJoin(..)
                        | Op::CommFree(_)
                        | Op::SendInit(..)
                        | Op::Start(_)
                        | Op::Startall { .. }
                )
        };
        Some(op.ok().filter(counts).map_or(Summed::Nothing, Summed::Op))
    }

    /// The summary with operations in their order. What repeats is there once.
    fn summary_in_order(&self) -> Option<Vec<(Op, u64)>> {
        let mut sums = Sums::default();
        let mut reader = self.clone();
        (reader.top, reader.around) =
            (self.frame(self.contents.block_of(self.rank)?, 1)?, Vec::new());
        let mut read = 0;
        loop {
            if reader.top.at == reader.top.end {
                let Some(outer) = reader.around.pop() else { return Some(sums.sent) };
                reader.top = outer;
                continue;
            }
            read += 1;
            if read > SUMMARY_RECORDS {
                return None;
            }
            let times = reader.top.times;
            match reader.summed()? {
                Summed::Run(_, 0) => {}
                Summed::Run(block, count) => {
                    if block >= reader.top.block || reader.around.len() + 1 >= MAX_DEPTH {
                        return None;
                    }
                    let inner = reader.frame(block, times.saturating_mul(count))?;
                    reader.around.push(std::mem::replace(&mut reader.top, inner));
                }
                Summed::Op(op) => sums.add(op, times),
                Summed::Nothing => {}
            }
        }
    }
}
