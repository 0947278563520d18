//! The records of a text file that dumpi2ascii wrote.
//!
//! A record has a line for its start, a line for each argument and a line for its end. Lines before
//! the first and after the last record hold the header, the counts of the footer and the sizes of
//! data types, if dumpi2ascii was asked for them.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use super::functions::{Function, Kind};
use super::record::{Record, Status, Times};
use crate::trace::blocks::Blocks;
use crate::trace::{Position, TraceError};

/// The longest line, in bytes.
const LONGEST_LINE: usize = 64 << 20;

/// The functions by their names with `MPI_`.
static NAMES: LazyLock<HashMap<String, Function>> = LazyLock::new(|| {
    Function::ALL.iter().map(|function| (function.mpi_name(), *function)).collect()
});

/// A reader of the records of a text file. It keeps no file open.
#[derive(Clone, Debug)]
pub struct TextRecords {
    blocks: Blocks,
    /// The line that has been read last, without its end.
    line: Vec<u8>,
    /// Its number, from 1.
    number: u64,
    /// The sizes of data types that the lines before name, by number.
    pub sizes: Vec<u32>,
    /// The version in the header.
    pub version: Option<[u8; 3]>,
    /// Number of calls that were ignored, of the functions that the lines before name.
    pub ignored: u64,
    values: Values,
    ended: bool,
}

/// The arguments of a record, by the place of their fields.
type Values = Vec<Option<Value>>;

#[derive(Clone, Debug)]
enum Value {
    Number(i64),
    List(Vec<i32>),
    Statuses(Vec<Status>),
    Text,
}

impl TextRecords {
    /// A reader of a file, in blocks of `block` bytes.
    ///
    /// # Errors
    /// A [`TraceError`] if the file cannot be read.
    pub fn new(path: &Path, block: usize) -> Result<Self, TraceError> {
        let length = std::fs::metadata(path)
            .map_err(|error| TraceError::new(path, format!("cannot be read: {error}")))?
            .len();
        Ok(Self {
            blocks: Blocks::new(Arc::from(path), 0..length, block),
            line: Vec::new(),
            number: 0,
            sizes: Vec::new(),
            version: None,
            ignored: 0,
            values: Vec::new(),
            ended: false,
        })
    }

    /// Reads the next record. Returns whether there was one.
    ///
    /// # Errors
    /// A [`TraceError`] if the file cannot be read or is corrupt.
    pub fn read(&mut self, record: &mut Record) -> Result<bool, TraceError> {
        if self.ended {
            return Ok(false);
        }
        let read = self.parse(record);
        self.ended = !matches!(read, Ok(true));
        read
    }

    fn fault(&self, message: impl Into<String>) -> TraceError {
        TraceError::new(self.blocks.path(), message).at(Position::Line(self.number))
    }

    fn parse(&mut self, record: &mut Record) -> Result<bool, TraceError> {
        let (function, start) = loop {
            if !self.read_line()? {
                return Ok(false);
            }
            let line = String::from_utf8_lossy(&self.line);
            if let Some((name, rest)) = line.split_once(" entering at ") {
                let function = NAMES.get(name).copied();
                let start = Moment::parse(rest);
                match (function, start) {
                    (Some(function), Some(start)) => break (function, start),
                    _ if name.starts_with("MPI") => {
                        let message = format!(
                            "'{name}' is no function of DUMPI, or has no time of this form"
                        );
                        return Err(self.fault(message));
                    }
                    _ => continue,
                }
            }
            if let Some(rest) = line.strip_prefix("version=") {
                let mut parts = rest.split('.').map(|part| part.parse().ok());
                let mut next = || parts.next().flatten();
                self.version = Some([next(), next(), next()].map(|part| part.unwrap_or(0)));
            } else if let Some(count) = ignored_calls(&line) {
                self.ignored += count;
            } else if let Some((number, size)) = size_of_type(&line) {
                if self.sizes.len() <= number {
                    self.sizes.resize(number + 1, 0);
                }
                self.sizes[number] = size;
            }
        };
        record.start(function, Position::Line(self.number));
        let fields = function.declaration().fields;
        self.values.clear();
        self.values.resize(fields.len(), None);
        let end = loop {
            if !self.read_line()? {
                let message = format!("ends inside {}; the file is truncated", function.mpi_name());
                return Err(self.fault(message));
            }
            let line = String::from_utf8_lossy(&self.line);
            let end = line.split_once(" returning at ");
            if let Some((_, rest)) = end.filter(|(name, _)| NAMES.get(*name) == Some(&function)) {
                break Moment::parse(rest).ok_or_else(|| self.fault("has no time"))?;
            }
            let Some((name, value)) = argument(&line) else {
                return Err(self.fault("is no argument NAME=VALUE"));
            };
            let Some(place) = fields.iter().position(|field| field.name == name) else { continue };
            let value = Value::parse(fields[place].kind, value)
                .ok_or_else(|| self.fault(format!("{name} has no value of its type")))?;
            self.values[place] = Some(value);
        };
        record.thread = start.thread;
        let times = |enter: Option<u64>, leave: Option<u64>| {
            enter.zip(leave).map(|(enter, leave)| Times { enter, leave })
        };
        record.wall = times(start.wall, end.wall);
        record.cpu = times(start.cpu, end.cpu);
        let number = |names: [&str; 2]| {
            let place = fields.iter().position(|field| names.contains(&field.name))?;
            match self.values[place] {
                Some(Value::Number(number)) => Some(number),
                _ => None,
            }
        };
        // The text of other ranks has zeros for the arguments of the root.
        let is_root = number(["commrank", "oldcommrank"]) == number(["root", "root"]);
        for (field, value) in fields.iter().zip(self.values.drain(..)) {
            if field.at_root && !is_root {
                continue;
            }
            match value {
                Some(Value::Number(number)) => record.numbers.push(number),
                Some(Value::List(list)) => {
                    list.into_iter().for_each(|element| record.push_element(element));
                    record.end_list();
                }
                Some(Value::Statuses(statuses)) => record.statuses = statuses,
                Some(Value::Text) => {}
                None if field.at_root || matches!(field.kind, Kind::S | Kind::arguments) => {}
                None if matches!(field.kind, Kind::text | Kind::texts | Kind::textss) => {}
                None => {
                    let message =
                        format!("{} lacks the argument {}", function.mpi_name(), field.name);
                    return Err(TraceError::new(self.blocks.path(), message)
                        .at(Position::Line(self.number)));
                }
            }
        }
        Ok(true)
    }

    /// Reads a line. Returns whether there was one.
    fn read_line(&mut self) -> Result<bool, TraceError> {
        self.line.clear();
        self.number += 1;
        loop {
            let bytes = match self.blocks.peek() {
                Ok(bytes) => bytes,
                Err(error) => {
                    let message = format!("cannot be read: {error}");
                    return Err(self.fault(message));
                }
            };
            if bytes.is_empty() {
                return Ok(!self.line.is_empty());
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let taken = end.unwrap_or(bytes.len());
            self.line.extend_from_slice(&bytes[..taken]);
            let passed = taken as u64 + u64::from(end.is_some());
            self.blocks.skip(passed).map_err(|error| self.fault(error.to_string()))?;
            if self.line.len() > LONGEST_LINE {
                return Err(self.fault("is longer than 64 MiB"));
            }
            if end.is_some() {
                if self.line.last() == Some(&b'\r') {
                    self.line.pop();
                }
                return Ok(true);
            }
        }
    }
}

/// The times of a line that starts or ends a record: `walltime W, cputime C seconds in thread T.`
struct Moment {
    wall: Option<u64>,
    cpu: Option<u64>,
    thread: u16,
}

impl Moment {
    fn parse(text: &str) -> Option<Self> {
        // No value if the line has no such time, and none within it if the time is wrong.
        let time = |key: &str| {
            let after = text.split_once(key)?.1;
            let end = after.find([',', ' ']).unwrap_or(after.len());
            Some(nanoseconds(&after[..end]))
        };
        let thread = text.split_once("thread ").map_or("0", |(_, thread)| thread);
        let thread = thread.trim_end_matches('.').parse().ok()?;
        let (wall, cpu) = (time("walltime "), time("cputime "));
        if [wall, cpu].contains(&Some(None)) {
            return None;
        }
        let moment = Self { wall: wall.flatten(), cpu: cpu.flatten(), thread };
        (moment.wall.is_some() || moment.cpu.is_some()).then_some(moment)
    }
}

/// Seconds with a decimal fraction, in ns.
fn nanoseconds(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut digits: String = fraction.chars().take(9).collect();
    while digits.len() < 9 {
        digits.push('0');
    }
    let fraction: u64 = digits.parse().ok()?;
    whole.parse::<u64>().ok()?.checked_mul(1_000_000_000)?.checked_add(fraction)
}

/// The count of ignored calls in a line of the footer, except that of the total.
fn ignored_calls(line: &str) -> Option<u64> {
    let (name, rest) = line.split_once(" called ")?;
    if name == "MPI_ALL_FUNCTIONS" {
        return None;
    }
    rest.split_once(" ignored ")?.1.split(' ').next()?.parse().ok()
}

/// Number and size of a line `Datatype N (NAME) has size S`.
fn size_of_type(line: &str) -> Option<(usize, u32)> {
    let rest = line.strip_prefix("Datatype ")?;
    let number: u16 = rest.split(' ').next()?.parse().ok()?;
    Some((usize::from(number), rest.split_once(" has size ")?.1.parse().ok()?))
}

/// Name and value of a line `TYPE NAME[N]=VALUE`.
fn argument(line: &str) -> Option<(&str, &str)> {
    let (left, value) = line.split_once('=')?;
    let name = left.rsplit(' ').next()?;
    let name = name.split('[').next()?;
    Some((name, value))
}

impl Value {
    fn parse(kind: Kind, text: &str) -> Option<Self> {
        Some(match kind {
            Kind::i4 | Kind::i8 | Kind::u1 | Kind::u2 => Self::Number(first_number(text)?),
            Kind::i4s | Kind::u1s | Kind::u2s | Kind::i4ss => Self::List(numbers(text)?),
            Kind::S => Self::Statuses(statuses(text)?),
            Kind::text | Kind::texts | Kind::textss => Self::Text,
            // The count of arguments comes first, as a number of its own.
            Kind::arguments => Self::Text,
        })
    }
}

/// The number at the start of `9 (MPI_INT)` or `[2]`.
fn first_number(text: &str) -> Option<i64> {
    let text = text.trim_start_matches('[');
    let end = text.find([' ', ']', ',', '(']).unwrap_or(text.len());
    text[..end].parse().ok()
}

/// The numbers of `[1, 2 (NAME), [3, 4]]`.
fn numbers(text: &str) -> Option<Vec<i32>> {
    if text == "<IGNORED>" {
        return Some(Vec::new());
    }
    let elements = text.split(',').map(|element| element.trim_matches([' ', '[', ']']));
    let elements = elements.filter(|element| !element.is_empty());
    elements.map(|element| element.split([' ', '(']).next()?.parse().ok()).collect()
}

/// The statuses of `<IGNORED>` or `[{bytes=4, cancelled=0, source=0, tag=7, error=0}]`.
fn statuses(text: &str) -> Option<Vec<Status>> {
    text.split('{')
        .skip(1)
        .map(|status| {
            let value = |key: &str| -> Option<i32> {
                let after = status.split_once(key)?.1;
                let end = after.find([',', ' ', '}', '(']).unwrap_or(after.len());
                after[..end].parse().ok()
            };
            Some(Status {
                bytes: value("bytes=")?,
                source: value("source=")?,
                tag: value("tag=").unwrap_or(-1),
                cancelled: value("cancelled=").unwrap_or(0) != 0,
            })
        })
        .collect()
}
