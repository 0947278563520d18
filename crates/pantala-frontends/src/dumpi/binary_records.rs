//! The records of a binary file, one after the other.

use std::io;
use std::sync::Arc;

use super::binary_file::{BinaryFile, read_error};
use super::functions::{Function, Kind, Meaning};
use super::record::{Record, Status, Times};
use crate::trace::blocks::Blocks;
use crate::trace::{Position, TraceError};

/// The version from which on a status has a tag.
const STATUS_TAGS: [u8; 3] = [0, 6, 3];
/// The version from which on request numbers have more than one dependable byte.
const WIDE_REQUESTS: [u8; 3] = [0, 6, 7];
/// Most elements of all lists of a record. An Alltoallw of a million ranks has fewer.
const MAX_ELEMENTS: u64 = 1 << 23;

/// Bits of the byte that tells which parts a record has.
mod mask {
    pub(super) const STATUSES: u8 = 3;
    pub(super) const CPU: u8 = 4;
    pub(super) const WALL: u8 = 8;
    pub(super) const THREAD: u8 = 64;
    pub(super) const COUNTERS: u8 = 128;
}

/// A reader of the records of a binary file. It keeps no file open.
#[derive(Clone, Debug)]
pub struct BinaryRecords {
    blocks: Blocks,
    status_tags: bool,
    wide_requests: bool,
    /// Whether the biases have been read.
    started: bool,
    ended: bool,
    cpu: Clock,
    wall: Clock,
}

/// A clock whose seconds have 16 bits, continued beyond them.
#[derive(Clone, Copy, Debug, Default)]
struct Clock {
    /// The last second, with the wraps before it.
    last: u64,
}

/// The nanoseconds of a second.
const SECOND: u32 = 1_000_000_000;

impl Clock {
    fn times(&mut self, enter: (u16, u32), leave: (u16, u32)) -> Result<Times, Wrong> {
        if let Some(wrong) = [enter.1, leave.1].into_iter().find(|rest| *rest >= SECOND) {
            let message = format!(
                "a time of {wrong} ns after the full second, of at most {}; the file is corrupt",
                SECOND - 1
            );
            return Err(Wrong::Content(message));
        }
        let mut time = |(seconds, rest)| self.nanoseconds(seconds, rest);
        Ok(Times { enter: time(enter), leave: time(leave) })
    }

    fn nanoseconds(&mut self, seconds: u16, nanoseconds: u32) -> u64 {
        const WRAP: u64 = 1 << 16;
        let mut now = self.last - self.last % WRAP + u64::from(seconds);
        // Calls of several threads are not sorted, so a small step back is no wrap.
        if now + WRAP / 2 < self.last {
            now += WRAP;
        } else if now > self.last + WRAP / 2 && now >= WRAP {
            now -= WRAP;
        }
        self.last = now;
        now * u64::from(SECOND) + u64::from(nanoseconds)
    }
}

/// A fault in a record: of the read, or of the content.
enum Wrong {
    Read(io::Error),
    Content(String),
}

impl From<io::Error> for Wrong {
    fn from(error: io::Error) -> Self {
        Self::Read(error)
    }
}

impl BinaryRecords {
    /// A reader of a file's records, in blocks of `block` bytes.
    #[must_use]
    pub fn new(file: &BinaryFile, block: usize) -> Self {
        Self {
            blocks: Blocks::new(Arc::clone(&file.path), file.body.clone(), block),
            status_tags: file.version >= STATUS_TAGS,
            wide_requests: file.version >= WIDE_REQUESTS,
            started: false,
            ended: false,
            cpu: Clock::default(),
            wall: Clock::default(),
        }
    }

    /// Reads the next record. Returns whether there was one.
    ///
    /// # Errors
    /// A [`TraceError`] if the file cannot be read or is corrupt.
    pub fn read(&mut self, record: &mut Record) -> Result<bool, TraceError> {
        if self.ended {
            return Ok(false);
        }
        let mut position = self.blocks.position();
        match self.parse(record, &mut position) {
            Ok(read) => Ok(read),
            Err(wrong) => {
                self.ended = true;
                let path = self.blocks.path();
                Err(match wrong {
                    Wrong::Read(error) => read_error(path, position, &error),
                    Wrong::Content(message) => {
                        TraceError::new(path, message).at(Position::Byte(position))
                    }
                })
            }
        }
    }

    fn parse(&mut self, record: &mut Record, position: &mut u64) -> Result<bool, Wrong> {
        if !self.started {
            self.blocks.take(8)?;
            self.started = true;
            *position += 8;
        }
        let number = self.u2()?;
        if number == Function::END_OF_STREAM {
            self.ended = true;
            self.blocks.close();
            return Ok(false);
        }
        let function = Function::numbered(number)
            .filter(|function| function.declaration().meaning != Meaning::NeverWritten)
            .ok_or_else(|| {
                Wrong::Content(format!("there is no function {number}; the file is corrupt"))
            })?;
        record.start(function, Position::Byte(*position));
        let mask = self.blocks.take(1)?[0];
        if mask & mask::THREAD != 0 {
            record.thread = self.u2()?;
        }
        if mask & mask::CPU != 0 {
            let [enter, leave] = self.stamps()?;
            record.cpu = Some(self.cpu.times(enter, leave)?);
        }
        if mask & mask::WALL != 0 {
            let [enter, leave] = self.stamps()?;
            record.wall = Some(self.wall.times(enter, leave)?);
        }
        if mask & mask::COUNTERS != 0 {
            let counters = self.blocks.take(1)?[0];
            self.blocks.skip(u64::from(counters) * 16)?;
        }
        self.arguments(record, mask & mask::STATUSES != 0)?;
        Ok(true)
    }

    fn arguments(&mut self, record: &mut Record, statuses: bool) -> Result<(), Wrong> {
        let fields = record.function.declaration().fields;
        let (mut me, mut root) = (None, None);
        for field in fields {
            if field.at_root && me != root {
                continue;
            }
            match field.kind {
                Kind::i4 => {
                    let mut number = self.i4()?;
                    match field.name {
                        "commrank" | "oldcommrank" => me = Some(number),
                        "root" => root = Some(number),
                        "request" if !self.wide_requests => number &= 0xFF,
                        _ => {}
                    }
                    record.numbers.push(number.into());
                }
                Kind::i8 => {
                    let bytes = self.blocks.take(8)?;
                    record.numbers.push(i64::from_be_bytes(std::array::from_fn(|at| bytes[at])));
                }
                Kind::u1 => record.numbers.push(self.blocks.take(1)?[0].into()),
                Kind::u2 => record.numbers.push(self.u2()?.into()),
                Kind::i4s => {
                    let narrow = !self.wide_requests && field.name == "requests";
                    self.list(record, 4, |bytes| {
                        let number = i32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
                        if narrow { number & 0xFF } else { number }
                    })?;
                    record.end_list();
                }
                Kind::u1s => {
                    self.list(record, 1, |bytes| bytes[0].into())?;
                    record.end_list();
                }
                Kind::u2s => {
                    self.list(record, 2, |bytes| u16::from_be_bytes([bytes[0], bytes[1]]).into())?;
                    record.end_list();
                }
                Kind::i4ss => {
                    for _ in 0..self.count(4)? {
                        self.list(record, 4, |bytes| {
                            i32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
                        })?;
                    }
                    record.end_list();
                }
                Kind::S if statuses => self.statuses(record)?,
                Kind::S => {}
                Kind::text => self.text()?,
                Kind::texts | Kind::arguments => self.texts()?,
                Kind::textss => {
                    for _ in 0..self.count(4)? {
                        self.texts()?;
                    }
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn u2(&mut self) -> io::Result<u16> {
        let bytes = self.blocks.take(2)?;
        Ok(u16::from_be_bytes([bytes[0], bytes[1]]))
    }

    #[inline]
    fn i4(&mut self) -> io::Result<i32> {
        let bytes = self.blocks.take(4)?;
        Ok(i32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    fn stamps(&mut self) -> io::Result<[(u16, u32); 2]> {
        let bytes = self.blocks.take(12)?;
        let stamp = |at: usize| {
            let seconds = u16::from_be_bytes([bytes[at], bytes[at + 1]]);
            let rest = [bytes[at + 2], bytes[at + 3], bytes[at + 4], bytes[at + 5]];
            (seconds, u32::from_be_bytes(rest))
        };
        Ok([stamp(0), stamp(6)])
    }

    /// The length of a list whose elements have at least `least` bytes.
    fn count(&mut self, least: u64) -> Result<u64, Wrong> {
        let count = u64::from(self.i4()? as u32);
        if count * least > self.blocks.remaining() || count > MAX_ELEMENTS {
            let message = format!("a list of {count} elements; the file is truncated or corrupt");
            return Err(Wrong::Content(message));
        }
        Ok(count)
    }

    fn list(
        &mut self,
        record: &mut Record,
        bytes: usize,
        element: impl Fn(&[u8]) -> i32,
    ) -> Result<(), Wrong> {
        for _ in 0..self.count(bytes as u64)? {
            record.push_element(element(self.blocks.take(bytes)?));
        }
        Ok(())
    }

    fn statuses(&mut self, record: &mut Record) -> Result<(), Wrong> {
        let bytes = if self.status_tags { 14 } else { 10 };
        for _ in 0..self.count(bytes)? {
            let (size, source) = (self.i4()?, self.i4()?);
            let cancelled = self.blocks.take(2)?[0] != 0;
            let tag = if self.status_tags { self.i4()? } else { -1 };
            record.statuses.push(Status { bytes: size, source, tag, cancelled });
        }
        Ok(())
    }

    fn text(&mut self) -> Result<(), Wrong> {
        let length = self.count(1)?;
        Ok(self.blocks.skip(length)?)
    }

    fn texts(&mut self) -> Result<(), Wrong> {
        for _ in 0..self.count(4)? {
            self.text()?;
        }
        Ok(())
    }
}
