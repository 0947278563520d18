//! A writer of DUMPI's binary files, from the declarations of the functions. Tests and the example
//! `dumpi_generate` use it.

use std::io::{self, Write};

use pantala_frontends::dumpi::Function;
use pantala_frontends::dumpi::functions::Kind;
use pantala_frontends::dumpi::record::Status;

/// An argument of a call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Argument {
    Number(i64),
    List(Vec<i32>),
    Lists(Vec<Vec<i32>>),
    Statuses(Vec<Status>),
    Text(&'static str),
    Texts(Vec<&'static str>),
}

impl From<i64> for Argument {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<&[i32]> for Argument {
    fn from(list: &[i32]) -> Self {
        Self::List(list.to_vec())
    }
}

/// Statuses that the program ignored.
pub(crate) const IGNORED: Argument = Argument::Statuses(Vec::new());

/// A status of a received message.
pub(crate) fn status(bytes: i32, source: i32, tag: i32) -> Argument {
    Argument::Statuses(vec![Status { bytes, source, tag, cancelled: false }])
}

const MAGIC: [u8; 8] = [0xFF, 0xAA, 0xDD, 0x44, 0x55, 0x4D, 0x50, 0x49];
/// Sizes of the predefined data types.
const SIZES: [u32; 28] =
    [0, 0, 1, 1, 1, 1, 4, 2, 2, 4, 4, 8, 8, 4, 8, 16, 0, 8, 8, 1, 0, 0, 8, 12, 12, 6, 8, 20];
/// Data types of the tests.
pub(crate) const BYTE: i64 = 5;
pub(crate) const INT: i64 = 9;
pub(crate) const WORLD: i64 = 2;

/// A writer of one rank's file.
pub(crate) struct Writer<W> {
    out: W,
    offset: u64,
    body: u64,
    called: Vec<u32>,
    pub(crate) ignored: Vec<u32>,
    /// Offsets in the index: 7, or fewer for older versions.
    pub(crate) generation: usize,
    /// Seconds and nanoseconds of the start and the end of the next call, if not the current time.
    pub(crate) stamps: Option<[(u16, u32); 2]>,
    /// The current time, in ns.
    pub(crate) now: u64,
    /// Whether records have times.
    pub(crate) timed: bool,
    pub(crate) thread: Option<u16>,
}

impl<W: Write> Writer<W> {
    /// Starts a file.
    pub(crate) fn new(mut out: W) -> io::Result<Self> {
        out.write_all(&MAGIC)?;
        out.write_all(&[0; 8])?;
        Ok(Self {
            out,
            offset: 16,
            body: 8,
            called: vec![0; 291],
            ignored: vec![0; 291],
            generation: 7,
            stamps: None,
            now: 5_000_000_000,
            timed: true,
            thread: None,
        })
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.offset += bytes.len() as u64;
        self.out.write_all(bytes)
    }

    /// Lets time pass on the rank.
    pub(crate) fn compute(&mut self, nanoseconds: u64) -> &mut Self {
        self.now += nanoseconds;
        self
    }

    /// Writes a call, which takes a microsecond.
    pub(crate) fn call(&mut self, function: Function, arguments: &[Argument]) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(64);
        if let Some(count) = self.called.get_mut(function as usize) {
            *count += 1;
        }
        bytes.extend((function as u16).to_be_bytes());
        let statuses = arguments
            .iter()
            .any(|argument| matches!(argument, Argument::Statuses(list) if !list.is_empty()));
        let mask = u8::from(statuses)
            | if self.timed { 8 } else { 0 }
            | if self.thread.is_some() { 64 } else { 0 };
        bytes.push(mask);
        if let Some(thread) = self.thread {
            bytes.extend(thread.to_be_bytes());
        }
        if self.timed {
            let end = self.now + 1_000;
            let stamp = |time: u64| ((time / 1_000_000_000) as u16, (time % 1_000_000_000) as u32);
            for (seconds, rest) in self.stamps.take().unwrap_or([stamp(self.now), stamp(end)]) {
                bytes.extend(seconds.to_be_bytes());
                bytes.extend(rest.to_be_bytes());
            }
            self.now = end;
        }
        let text = |bytes: &mut Vec<u8>, text: &str| {
            bytes.extend((text.len() as u32).to_be_bytes());
            bytes.extend(text.as_bytes());
        };
        let fields = function.declaration().fields;
        let number = |names: [&str; 2]| {
            let place = fields.iter().position(|field| names.contains(&field.name));
            place.and_then(|place| arguments.get(place))
        };
        let is_root = number(["commrank", "oldcommrank"]) == number(["root", "root"]);
        for (field, argument) in fields.iter().zip(arguments) {
            if field.at_root && !is_root {
                continue;
            }
            let element = |bytes: &mut Vec<u8>, element: i32| match field.kind {
                Kind::u1s => bytes.push(element as u8),
                Kind::u2s => bytes.extend((element as u16).to_be_bytes()),
                _ => bytes.extend(element.to_be_bytes()),
            };
            match (field.kind, argument) {
                (Kind::i4, Argument::Number(n)) => bytes.extend((*n as i32).to_be_bytes()),
                (Kind::i8, Argument::Number(n)) => bytes.extend(n.to_be_bytes()),
                (Kind::u1, Argument::Number(n)) => bytes.push(*n as u8),
                (Kind::u2, Argument::Number(n)) => bytes.extend((*n as u16).to_be_bytes()),
                (Kind::i4s | Kind::u1s | Kind::u2s, Argument::List(list)) => {
                    bytes.extend((list.len() as u32).to_be_bytes());
                    list.iter().for_each(|each| element(&mut bytes, *each));
                }
                (Kind::i4ss, Argument::Lists(lists)) => {
                    bytes.extend((lists.len() as u32).to_be_bytes());
                    for list in lists {
                        bytes.extend((list.len() as u32).to_be_bytes());
                        list.iter().for_each(|each| element(&mut bytes, *each));
                    }
                }
                (Kind::S, Argument::Statuses(list)) if statuses => {
                    bytes.extend((list.len() as u32).to_be_bytes());
                    for status in list {
                        bytes.extend(status.bytes.to_be_bytes());
                        bytes.extend(status.source.to_be_bytes());
                        bytes.extend([u8::from(status.cancelled), 0]);
                        bytes.extend(status.tag.to_be_bytes());
                    }
                }
                (Kind::S, _) => {}
                (Kind::text, Argument::Text(given)) => text(&mut bytes, given),
                (Kind::texts | Kind::arguments, Argument::Texts(given)) => {
                    bytes.extend((given.len() as u32).to_be_bytes());
                    given.iter().for_each(|each| text(&mut bytes, each));
                }
                (Kind::textss, Argument::Texts(given)) => {
                    bytes.extend(1_u32.to_be_bytes());
                    bytes.extend((given.len() as u32).to_be_bytes());
                    given.iter().for_each(|each| text(&mut bytes, each));
                }
                (kind, argument) => panic!("{function:?}: {argument:?} is no {kind:?}"),
            }
        }
        self.put(&bytes)
    }

    /// Writes the parts after the records, and returns the file.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        let mut bytes = Function::END_OF_STREAM.to_be_bytes().to_vec();
        let header = self.offset + bytes.len() as u64;
        bytes.extend([13, 0, 0]);
        bytes.extend(1_700_000_000_u64.to_be_bytes());
        for text in ["host", "user"] {
            bytes.extend((text.len() as u16).to_be_bytes());
            bytes.extend(text.as_bytes());
        }
        bytes.extend(0_u32.to_be_bytes());
        let footer = self.offset + bytes.len() as u64;
        bytes.extend(0xF007_FEE7_u64.to_be_bytes());
        self.called[290] = self.called[..290].iter().sum();
        for count in self.called.iter().chain(&self.ignored) {
            bytes.extend(count.to_be_bytes());
        }
        let counters = self.offset + bytes.len() as u64;
        bytes.extend(0_u32.to_be_bytes());
        let sizes = self.offset + bytes.len() as u64;
        bytes.extend((SIZES.len() as u32).to_be_bytes());
        SIZES.iter().for_each(|size| bytes.extend(size.to_be_bytes()));
        bytes.extend(MAGIC);
        let index = [sizes, 0, counters, header, self.body, footer, 0];
        for offset in &index[7 - self.generation..] {
            bytes.extend(offset.to_be_bytes());
        }
        self.put(&bytes)?;
        Ok(self.out)
    }

    // The calls that tests use most.

    pub(crate) fn init(&mut self) -> io::Result<()> {
        self.call(Function::Init, &[Argument::Texts(vec!["./app", "-n"])])
    }

    pub(crate) fn finalize(&mut self) -> io::Result<()> {
        self.call(Function::Finalize, &[])
    }

    /// A send, or with a request its start.
    pub(crate) fn send(
        &mut self,
        function: Function,
        bytes: i64,
        to: i64,
        tag: i64,
        request: Option<i64>,
    ) -> io::Result<()> {
        let mut arguments = [bytes, BYTE, to, tag, WORLD].map(Argument::Number).to_vec();
        arguments.extend(request.map(Argument::Number));
        self.call(function, &arguments)
    }

    pub(crate) fn recv(
        &mut self,
        bytes: i64,
        from: i64,
        tag: i64,
        status: Argument,
    ) -> io::Result<()> {
        let mut arguments = [bytes, BYTE, from, tag, WORLD].map(Argument::Number).to_vec();
        arguments.push(status);
        self.call(Function::Recv, &arguments)
    }

    pub(crate) fn wait(&mut self, request: i64, status: Argument) -> io::Result<()> {
        self.call(Function::Wait, &[request.into(), status])
    }

    pub(crate) fn waitall(&mut self, requests: &[i32]) -> io::Result<()> {
        self.call(Function::Waitall, &[(requests.len() as i64).into(), requests.into(), IGNORED])
    }

    pub(crate) fn collective(&mut self, function: Function, arguments: &[i64]) -> io::Result<()> {
        let arguments: Vec<Argument> = arguments.iter().copied().map(Argument::Number).collect();
        self.call(function, &arguments)
    }
}
