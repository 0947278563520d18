//! The text form of GOAL.
//!
//! ```text
//! num_ranks 2
//! rank 0 {
//! a: calc 5000 cpu 1
//! b: send 1024b to 1 tag 7
//! c: recv 8b from -1 tag -1 cpu 0 nic 0
//! c requires b
//! c irequires a
//! }
//! rank 1 { recv 1024b from 0 tag 7 send 8b to 0 }
//! ```
//!
//! This reader accepts more than `txt2bin` does: comments anywhere, statements without line breaks,
//! attributes in any order, and dependencies on labels that are defined later in the same rank.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use super::GoalSchedule;
use super::labels::Labels;
use super::operations::{ANY, Tags, calc, receive, send};
use super::scanner::{Scanner, Token};
use crate::graph::Task;
use crate::graph::pages::GraphsWriter;
use crate::graph::stored::{Dependency, MAX_TASKS, StoredGraph};
use crate::graph::task::{NO_PROCESSOR, Processor};
use crate::trace::{Position, TraceError};

/// Marks a label that has not been defined yet, with its number among these.
const FORWARD: u32 = 1 << 31;

/// Reads a schedule in text form. `file` names it in messages.
///
/// # Errors
/// What is wrong with the text, and in which line.
pub fn read_text(file: &Path, source: impl Read) -> Result<GoalSchedule, TraceError> {
    let mut parser = Parser {
        scanner: Scanner::new(source),
        token: Token::End,
        previous: 1,
        ranks: 0,
        tasks: Vec::new(),
        dependencies: Vec::new(),
        labels: Labels::default(),
        label: Vec::new(),
        forward: Vec::new(),
        forward_labels: HashMap::new(),
        tags: Tags::default(),
        place: None,
    };
    parser.schedule().map_err(|message| {
        let error = TraceError::new(file, message);
        match parser.place {
            Some(Place::Rank(rank)) => error.of_rank(rank),
            Some(Place::Line(line)) => error.at(Position::Line(line)),
            None => error.at(Position::Line(parser.scanner.line())),
        }
    })
}

/// Whether a file that begins with these bytes is a schedule in text form.
pub(super) fn is_text(start: &[u8]) -> bool {
    let mut scanner = Scanner::new(start);
    scanner.next() == Ok(Token::Word) && scanner.word() == b"num_ranks"
}

/// The place of an error, if it is not the line of the last token.
#[derive(Clone, Copy, Debug)]
enum Place {
    Line(u64),
    Rank(u32),
}

struct Parser<R> {
    scanner: Scanner<R>,
    /// The next token.
    token: Token,
    /// The line of the token before.
    previous: u64,
    ranks: u32,
    /// The tasks of the present rank.
    tasks: Vec<Task>,
    dependencies: Vec<Dependency>,
    labels: Labels,
    /// The label of the present statement.
    label: Vec<u8>,
    /// The labels that are used before they are defined, each with the line of its first use.
    forward: Vec<(Box<[u8]>, u64)>,
    forward_labels: HashMap<Box<[u8]>, u32>,
    tags: Tags,
    /// The place of the error, if it is not the line of the last token.
    place: Option<Place>,
}

impl<R: Read> Parser<R> {
    fn schedule(&mut self) -> Result<GoalSchedule, String> {
        self.advance()?;
        if self.token == Token::End {
            return Err("the file is empty; a schedule begins with num_ranks N".to_owned());
        }
        self.keyword("num_ranks")?;
        let ranks = self.number("the number of ranks")?;
        self.ranks = u32::try_from(ranks)
            .ok()
            .filter(|ranks| *ranks > 0 && *ranks <= 1 << 31)
            .ok_or_else(|| {
                self.before(format!("num_ranks {ranks}: a schedule has 1 to {} ranks", 1u32 << 31))
            })?;
        let mut graphs = GraphsWriter::default();
        for rank in 0..self.ranks {
            if self.token == Token::End {
                return Err(format!(
                    "the file ends before rank {rank}; num_ranks promises {} ranks",
                    self.ranks
                ));
            }
            self.keyword("rank")?;
            let found = self.number("the number of the rank")?;
            if found != u64::from(rank) {
                return Err(self.before(format!(
                    "rank {found} comes where rank {rank} is expected; ranks come in order, each \
                     once"
                )));
            }
            let graph = self.rank(rank)?;
            graphs.add(&graph).map_err(|message| self.of_rank(rank, message))?;
        }
        match self.token {
            Token::End => Ok(GoalSchedule {
                graphs: Arc::new(graphs.finish()),
                file_bytes: 0,
                renumbered_tags: self.tags.numbered(),
                fault: None,
            }),
            _ => Err(format!("rank {} was the last one; nothing follows it", self.ranks - 1)),
        }
    }

    fn rank(&mut self, rank: u32) -> Result<StoredGraph, String> {
        self.mark(b'{')?;
        self.labels.clear();
        self.forward.clear();
        self.forward_labels.clear();
        self.dependencies.clear();
        while self.token != Token::Mark(b'}') {
            if self.token != Token::Word {
                let found = self.found();
                return Err(format!(
                    "{found} where send, recv, calc, a label or the end of rank {rank} is expected"
                ));
            }
            self.statement()?;
        }
        self.advance()?;
        self.resolve()?;
        let tasks = std::mem::take(&mut self.tasks);
        self.tasks.reserve(tasks.len());
        StoredGraph::new(tasks, &self.dependencies).map_err(|cycle| {
            self.place = Some(Place::Rank(rank));
            let name = |task: &u32| self.labels.name(*task).unwrap_or_default();
            let mut names: Vec<String> = cycle.iter().take(20).map(name).collect();
            names.push(if cycle.len() > 20 { "...".to_owned() } else { names[0].clone() });
            format!(
                "operations wait for each other: {}; a rank's dependencies have no cycle",
                names.join(" requires ")
            )
        })
    }

    /// Replaces the labels that were used before their definition.
    fn resolve(&mut self) -> Result<(), String> {
        if self.forward.is_empty() {
            return Ok(());
        }
        let mut found = Vec::with_capacity(self.forward.len());
        for (label, line) in &self.forward {
            let Some(task) = self.labels.get(label) else {
                self.place = Some(Place::Line(*line));
                let label = String::from_utf8_lossy(label);
                return Err(format!("this rank has no operation with the label {label}"));
            };
            found.push(task);
        }
        for dependency in &mut self.dependencies {
            for task in [&mut dependency.dependent, &mut dependency.prerequisite] {
                if *task & FORWARD != 0 {
                    *task = found[(*task & !FORWARD) as usize];
                }
            }
        }
        Ok(())
    }

    /// An operation or a dependency. The present token is a word.
    fn statement(&mut self) -> Result<(), String> {
        let mut word = std::mem::take(&mut self.label);
        word.clear();
        word.extend_from_slice(self.scanner.word());
        self.label = word;
        self.advance()?;
        match self.token {
            Token::Mark(b':') => {
                self.advance()?;
                let task = self.tasks.len() as u32;
                if !self.labels.insert(&self.label, task) {
                    let label = String::from_utf8_lossy(&self.label);
                    let label = label.into_owned();
                    let message = format!("the label {label} is already in use; labels are unique");
                    return Err(self.before(message));
                }
                if self.token != Token::Word {
                    let found = self.found();
                    return Err(format!("{found} where send, recv or calc is expected"));
                }
                let kind = Kind::of(self.scanner.word());
                let kind = kind.ok_or_else(|| self.expected("send, recv or calc"))?;
                self.advance()?;
                self.operation(kind)
            }
            Token::Word if matches!(self.scanner.word(), b"requires" | b"irequires") => {
                let at_start = self.scanner.word() == b"irequires";
                let label = std::mem::take(&mut self.label);
                let dependent = self.labelled(&label)?;
                self.label = label;
                self.advance()?;
                if self.token != Token::Word {
                    return Err(self.expected("a label"));
                }
                self.label.clear();
                self.label.extend_from_slice(self.scanner.word());
                let label = std::mem::take(&mut self.label);
                let prerequisite = self.labelled(&label)?;
                self.label = label;
                if self.dependencies.len() >= MAX_TASKS {
                    return Err(format!("a rank has at most {MAX_TASKS} dependencies"));
                }
                self.dependencies.push(Dependency { dependent, prerequisite, at_start });
                self.advance()
            }
            _ => match Kind::of(&self.label) {
                Some(kind) => self.operation(kind),
                None => Err(format!(
                    "{} after {}; allowed are send, recv, calc, a label with a colon, and LABEL \
                     requires LABEL",
                    self.found(),
                    String::from_utf8_lossy(&self.label)
                )),
            },
        }
    }

    /// The task of a label, or its number among the labels without definition so far.
    fn labelled(&mut self, label: &[u8]) -> Result<u32, String> {
        if let Some(task) = self.labels.get(label) {
            return Ok(task);
        }
        if let Some(&number) = self.forward_labels.get(label) {
            return Ok(FORWARD | number);
        }
        let number = self.forward.len() as u32;
        if number >= FORWARD {
            return Err("too many labels are used before their definition".to_owned());
        }
        self.forward.push((label.into(), self.scanner.line()));
        self.forward_labels.insert(label.into(), number);
        Ok(FORWARD | number)
    }

    /// The operation after its keyword.
    fn operation(&mut self, kind: Kind) -> Result<(), String> {
        if self.tasks.len() >= MAX_TASKS {
            return Err(format!("a rank has at most {MAX_TASKS} operations"));
        }
        let size = self.number(if kind == Kind::Calc { "a time in ns" } else { "a size" })?;
        let mut peer = None;
        if kind != Kind::Calc {
            self.keyword("b").map_err(|fault| format!("{fault} (write the size as {size}b)"))?;
            self.keyword(if kind == Kind::Send { "to" } else { "from" })?;
            peer = self.number_or_any("a rank")?;
        }
        // A number that does not fit is no rank either; u32::MAX is none.
        let peer = peer.map(|peer| u32::try_from(peer).unwrap_or(u32::MAX));
        let attributes = self.attributes(kind)?;
        let (tag, cpu) = (attributes.tag.unwrap_or(Some(0)), attributes.cpu.unwrap_or(0));
        // As in `txt2bin`, the lower 32 bits of a tag count, and all ones are any.
        let tag = tag.map(|tag| tag as u32).filter(|tag| *tag != ANY);
        let of_schedule = (self.ranks, &mut self.tags);
        let task = match kind {
            Kind::Calc => calc(size, cpu),
            Kind::Send => send(size, peer, tag, cpu, of_schedule),
            Kind::Receive => receive(size, peer, tag, cpu, of_schedule),
        };
        let task = task.map_err(|message| self.before(message))?;
        self.tasks.push(task);
        Ok(())
    }

    fn attributes(&mut self, kind: Kind) -> Result<Attributes, String> {
        let mut found = Attributes::default();
        while self.token == Token::Word {
            let repeated = match (self.scanner.word(), kind) {
                (b"tag", Kind::Send | Kind::Receive) => found.tag.is_some(),
                (b"cpu", _) => found.cpu.is_some(),
                (b"nic", Kind::Send | Kind::Receive) => found.nic.is_some(),
                _ => break,
            };
            let name = [self.scanner.word()[0]];
            self.advance()?;
            if repeated {
                return Err(self.before("an attribute is given twice".to_owned()));
            }
            match &name {
                b"t" => found.tag = Some(self.number_or_any("a tag")?),
                b"c" => found.cpu = Some(self.processor()?),
                _ => found.nic = Some(self.number("a NIC")?),
            }
        }
        Ok(found)
    }

    fn processor(&mut self) -> Result<Processor, String> {
        let number = self.number("a CPU")?;
        let processor = Processor::try_from(number).ok().filter(|number| *number < NO_PROCESSOR);
        processor.ok_or_else(|| {
            let most = NO_PROCESSOR - 1;
            self.before(format!("a CPU has a number from 0 to {most}, not {number}"))
        })
    }

    fn number(&mut self, what: &str) -> Result<u64, String> {
        match self.token {
            Token::Number(number) => {
                self.advance()?;
                Ok(number)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// A number, or `None` for -1.
    fn number_or_any(&mut self, what: &str) -> Result<Option<u64>, String> {
        if self.token != Token::Mark(b'-') {
            return self.number(what).map(Some);
        }
        self.advance()?;
        match self.number(what)? {
            1 => Ok(None),
            number => Err(self.before(format!("-{number} where {what} or -1 (any) is expected"))),
        }
    }

    fn keyword(&mut self, keyword: &str) -> Result<(), String> {
        if self.token == Token::Word && self.scanner.word() == keyword.as_bytes() {
            return self.advance();
        }
        Err(self.expected(keyword))
    }

    fn mark(&mut self, mark: u8) -> Result<(), String> {
        if self.token == Token::Mark(mark) {
            return self.advance();
        }
        Err(self.expected(&format!("'{}'", mark as char)))
    }

    fn expected(&self, what: &str) -> String {
        format!("{} where {what} is expected", self.found())
    }

    /// The present token in words.
    fn found(&self) -> String {
        match self.token {
            Token::Word => format!("'{}'", String::from_utf8_lossy(self.scanner.word())),
            Token::Number(number) => format!("{number}"),
            Token::Mark(mark) => format!("'{}'", mark as char),
            Token::End => "the end of the file".to_owned(),
        }
    }

    /// An error about the tokens before the present one.
    fn before(&mut self, message: String) -> String {
        self.place = Some(Place::Line(self.previous));
        message
    }

    /// An error about a rank.
    fn of_rank(&mut self, rank: u32, message: String) -> String {
        self.place = Some(Place::Rank(rank));
        message
    }

    fn advance(&mut self) -> Result<(), String> {
        self.previous = self.scanner.line();
        self.token = self.scanner.next()?;
        Ok(())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Send,
    Receive,
    Calc,
}

impl Kind {
    fn of(word: &[u8]) -> Option<Self> {
        match word {
            b"send" => Some(Self::Send),
            b"recv" => Some(Self::Receive),
            b"calc" => Some(Self::Calc),
            _ => None,
        }
    }
}

/// The attributes of an operation. A tag of `Some(None)` is any.
#[derive(Clone, Copy, Debug, Default)]
struct Attributes {
    tag: Option<Option<u64>>,
    cpu: Option<Processor>,
    nic: Option<u64>,
}
