//! The program of one rank.

use std::cell::Cell;
use std::sync::Arc;

use pantala_engine::{Stream, Time};
use pantala_mpi::{
    COMM_WORLD, Call, Incoming, Op, OperationStream, Outcome, Outgoing, Place, Source as Sender,
    TagSelect,
};

use crate::compiled::step::{Shared, Step};
use crate::compiled::view::{CounterValues, Failure, Mapping, View};
use crate::language::source::Span;
use crate::numbers::mersenne::Mersenne;
use crate::run::collectives::{GroupCall, Operation};
use crate::run::counters::{Counters, Stored};
use crate::run::job::Job;
use crate::run::log::{Log, Logger};
use crate::run::loops::{Frame, Marks};
use crate::run::requests::Requests;
use crate::run::statement_cache::Evaluated;

/// The purpose of the random stream of a task.
const PURPOSE: u64 = 0x6e63_7074_6c00_0001;

/// The result of a step that failed.
pub(super) type Stepped<T> = Result<T, Failure>;

/// The program of one rank.
#[derive(Clone, Debug)]
pub struct NcptlRank {
    pub(super) job: Arc<Job>,
    pub(super) rank: u32,
    /// The task that this rank executes.
    pub(super) task: i64,
    /// The next step.
    pub(super) at: usize,
    pub(super) frames: Vec<Frame>,
    pub(super) slots: Vec<Cell<i64>>,
    /// For each shared step the last result and its key.
    memos: Vec<Option<Memo>>,
    key: Vec<i64>,
    pub(super) doing: Doing,
    pub(super) counters: Counters,
    pub(super) stored: Vec<Stored>,
    pub(super) requests: Requests,
    /// Bytes and messages that the outstanding receives bring.
    pub(super) coming: (u64, u64),
    /// Bytes that the rank touches when the outstanding receives are complete.
    pub(super) touched_later: u64,
    /// Bytes that the rank touches when its blocking receive is complete.
    touched_now: u64,
    pub(super) mapping: Option<Arc<Mapping>>,
    pub(super) generator: Option<Mersenne>,
    random: Cell<Stream>,
    /// Depth of warm-ups: outputs and logs are suppressed.
    pub(super) quiet: u32,
    /// Number of effects so far: operations, outputs, draws. A repetition without effects is the
    /// last one.
    pub(super) activity: u64,
    /// The time that the program sees: that of the run, and what was skipped.
    pub(super) now: Time,
    skipped: Time,
    /// Marks of equal repetitions; `None` if nobody asks for them.
    pub(super) marks: Option<Marks>,
    pub(super) logger: Logger,
    state: State,
}

/// The last result of a shared step.
#[derive(Clone, Debug)]
struct Memo {
    key: Box<[i64]>,
    result: Arc<Evaluated>,
}

/// Whether the program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    New,
    Runs,
    Ended,
}

/// The statement whose operations the rank yields, and the place in it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Doing {
    /// Nothing: the next step follows.
    Nothing,
    /// Messages of the step.
    Messages { step: usize, sending: bool, partner: usize, copy: u64, touched: bool },
    /// Collectives of the step. Of each copy, the data are touched before the first call and after
    /// the last one.
    Collective { step: usize, call: usize, copy: u64, touched: bool },
    /// The wait for sends is over.
    WaitForReceives,
    /// All waits are over.
    Waited,
    /// The barrier before a timed loop.
    TimedStart,
    /// The barrier after a batch of a timed loop.
    TimedBarrier,
    /// The ranks agree on the number of repetitions.
    TimedAgreement,
}

impl NcptlRank {
    /// The program of a rank.
    #[must_use]
    pub fn new(job: Arc<Job>, rank: u32) -> Self {
        Self {
            rank,
            task: i64::from(rank),
            at: 0,
            frames: Vec::new(),
            slots: vec![Cell::new(0); job.code.slots],
            memos: vec![None; job.code.shared],
            key: Vec::new(),
            doing: Doing::Nothing,
            counters: Counters::default(),
            stored: Vec::new(),
            requests: Requests::default(),
            coming: (0, 0),
            touched_later: 0,
            touched_now: 0,
            mapping: None,
            generator: None,
            random: Cell::new(Stream::new(job.seed, PURPOSE, u64::from(rank))),
            quiet: 0,
            activity: 0,
            now: 0,
            skipped: 0,
            marks: None,
            logger: Logger::default(),
            state: State::New,
            job,
        }
    }

    /// Marks equal repetitions from now on.
    pub fn mark_repetitions(&mut self) {
        self.marks = Some(Marks::default());
    }

    /// Time has passed that the rank's clock has not.
    pub const fn skip(&mut self, time: Time) {
        self.skipped = self.skipped.saturating_add(time);
    }

    /// What the task has logged and printed so far.
    #[must_use]
    pub fn log(&self) -> Option<Log> {
        (!self.logger.is_empty()).then(|| self.logger.finished())
    }

    /// The values that expressions see; counters only if they are given.
    pub(super) fn view<'a>(&'a self, counters: Option<&'a CounterValues>) -> View<'a> {
        View {
            slots: &self.slots,
            tasks: i64::from(self.job.ranks),
            me: self.task,
            mapping: self.mapping.as_deref(),
            counters,
            random: Some(&self.random),
        }
    }

    /// The result of a shared step for the present values of its variables.
    pub(super) fn evaluated(&mut self, step: &Step, shared: &Shared) -> &Arc<Evaluated> {
        let mut key = std::mem::take(&mut self.key);
        self.job.key(shared, &self.slots, self.mapping.as_deref(), &mut key);
        let known = self.memos[shared.number].as_ref().is_some_and(|memo| *memo.key == *key);
        if !known {
            let result = self.job.evaluated(step, shared, &key, self.mapping.as_deref());
            self.memos[shared.number] = Some(Memo { key: key.as_slice().into(), result });
        }
        self.key = key;
        self.last_result(shared)
    }

    /// The last result of a shared step, which must have one.
    fn last_result(&self, shared: &Shared) -> &Arc<Evaluated> {
        match &self.memos[shared.number] {
            Some(memo) => &memo.result,
            None => unreachable!("a step is evaluated before its operations"),
        }
    }

    /// Stops the program for a reason.
    #[cold]
    fn abort(&mut self, failure: &Failure) -> Op {
        self.state = State::Ended;
        Op::Abort(self.job.located(failure.span, &failure.message))
    }

    fn advance(&mut self, outcome: &Outcome) -> Stepped<Option<Op>> {
        let job = Arc::clone(&self.job);
        let mut steps = 0u64;
        loop {
            let op = match self.doing {
                Doing::Nothing => match self.next_mark() {
                    None => None,
                    mark => return Ok(mark),
                },
                Doing::Messages { .. } => self.message(&job)?,
                Doing::Collective { .. } => self.collective(&job)?,
                Doing::WaitForReceives => self.wait_for_receives(),
                Doing::Waited => {
                    self.doing = Doing::Nothing;
                    let (bytes, messages) = std::mem::take(&mut self.coming);
                    self.counters.receive(bytes, messages);
                    let touched = std::mem::take(&mut self.touched_later);
                    self.touch_time(touched).map(Op::Compute)
                }
                Doing::TimedStart => {
                    self.start_batch();
                    None
                }
                Doing::TimedBarrier => Some(self.propose()),
                Doing::TimedAgreement => self.agree(outcome),
            };
            if op.is_some() {
                self.activity += 1;
                return Ok(op);
            }
            if !matches!(self.doing, Doing::Nothing) {
                continue;
            }
            let Some(step) = job.code.steps.get(self.at) else {
                self.state = State::Ended;
                self.logger.end_table()?;
                return self.neglected(&job).map(|()| None);
            };
            steps += 1;
            if steps > job.limits.steps {
                let message = format!(
                    "the loop goes on for {steps} steps without an MPI call or a computation"
                );
                return Err(Failure::new(self.place(&job), &message));
            }
            if let Some(op) = self.step(&job, step)? {
                self.activity += u64::from(!matches!(op, Op::IterationEnd));
                return Ok(Some(op));
            }
        }
    }

    /// The place of the present loop, or of the program.
    fn place(&self, job: &Job) -> Span {
        let starts = self.frames.last().map(Frame::step);
        match starts.and_then(|start| job.code.steps.get(start)) {
            Some(Step::Repeat(repeat)) => repeat.span,
            Some(Step::Timed(timed)) => timed.span,
            Some(Step::ForEach(.., span)) => *span,
            _ => Span::default(),
        }
    }

    fn neglected(&self, job: &Job) -> Stepped<()> {
        if self.requests.is_empty() {
            return Ok(());
        }
        let last = job.code.steps.iter().rev().find_map(|step| match step {
            Step::Messages(_, messages) => Some(messages.span),
            _ => None,
        });
        let message = format!(
            "task {} never awaits the completion of its asynchronous messages; \
             add 'all tasks await completion'",
            self.task
        );
        Err(Failure::new(last.unwrap_or_default(), &message))
    }

    /// The time for touching bytes; `None` if it is 0.
    pub(super) fn touch_time(&self, bytes: u64) -> Option<Time> {
        let time = u128::from(bytes) * u128::from(self.job.touch_per_byte_fs) / 1_000;
        (time > 0).then(|| Time::try_from(time).unwrap_or(Time::MAX))
    }

    /// The next message of a statement.
    #[inline]
    fn message(&mut self, job: &Job) -> Stepped<Option<Op>> {
        let Doing::Messages { step, mut sending, mut partner, mut copy, touched } = self.doing
        else {
            return Ok(None);
        };
        let Step::Messages(shared, messages) = &job.code.steps[step] else { return Ok(None) };
        let Evaluated::Exchange(exchange) = &**self.last_result(shared) else { return Ok(None) };
        if touched && !sending {
            // The blocking receive before is complete: the rank touches its data now.
            let bytes = std::mem::take(&mut self.touched_now);
            self.doing = Doing::Messages { step, sending, partner, copy, touched: false };
            return Ok(self.touch_time(bytes).map(Op::Compute));
        }
        loop {
            let kind = if sending { messages.sends } else { messages.receives };
            let peer = kind.and_then(|asynchronous| {
                let peer = if sending {
                    exchange.receiver(self.rank, partner)
                } else {
                    exchange.sender(self.rank, partner)
                };
                peer.map(|peer| (peer, asynchronous))
            });
            let Some((peer, asynchronous)) = peer else {
                if sending {
                    self.doing = Doing::Nothing;
                    return Ok(None);
                }
                (sending, partner, copy) = (true, 0, 0);
                continue;
            };
            let shape = exchange.shape(if sending { self.rank } else { peer });
            let bytes = shape.bytes;
            if shape.count == 0 {
                partner += 1;
                continue;
            }
            let tag = if sending { shape.tag } else { shape.receive_tag };
            let due = if sending { messages.touches.0 } else { messages.touches.1 };
            if sending && due && !touched {
                if let Some(time) = self.touch_time(bytes) {
                    self.doing = Doing::Messages { step, sending, partner, copy, touched: true };
                    return Ok(Some(Op::Compute(time)));
                }
            }
            copy += 1;
            if copy >= shape.count {
                (partner, copy) = (partner + 1, 0);
            }
            let own = peer == self.rank;
            if own && !sending && !asynchronous && messages.sends.is_some() {
                let message = format!(
                    "task {} sends a blocking message to itself; send it asynchronously",
                    self.task
                );
                return Err(Failure::new(messages.span, &message));
            }
            let communicator = COMM_WORLD;
            let outgoing = Outgoing { communicator, destination: peer, tag, bytes };
            let (source, tag) = (Sender::Rank(peer), TagSelect::Is(tag));
            let incoming = Incoming { communicator, source, tag, bytes };
            let request = match (asynchronous, sending) {
                (false, _) => None,
                (true, true) => self.requests.send(),
                (true, false) => self.requests.receive(),
            };
            let touched = !sending && !asynchronous && due && self.job.touch_per_byte_fs > 0;
            self.doing = Doing::Messages { step, sending, partner, copy, touched };
            if sending {
                self.counters.send(bytes);
            } else if asynchronous {
                self.coming = (self.coming.0.wrapping_add(bytes), self.coming.1 + 1);
                self.touched_later += if due { bytes } else { 0 };
            } else {
                self.counters.receive(bytes, 1);
                self.touched_now = if touched { bytes } else { 0 };
            }
            return Ok(Some(match (sending, asynchronous, request) {
                (true, false, _) => Op::Send(outgoing),
                (false, false, _) => Op::Recv(incoming),
                (true, true, Some(request)) => Op::Isend(outgoing, request),
                (false, true, Some(request)) => Op::Irecv(incoming, request),
                (_, true, None) => {
                    let message = "too many asynchronous messages are outstanding at once";
                    return Err(Failure::new(messages.span, &message));
                }
            }));
        }
    }

    /// The next collective of a statement.
    fn collective(&mut self, job: &Job) -> Stepped<Option<Op>> {
        let Doing::Collective { step, mut call, mut copy, mut touched } = self.doing else {
            return Ok(None);
        };
        let Step::Collective(shared, collective) = &job.code.steps[step] else { return Ok(None) };
        let Evaluated::Calls(calls) = &**self.last_result(shared) else { return Ok(None) };
        loop {
            let next = calls.calls.get(call).filter(|_| copy < calls.count);
            if touched == next.is_none() {
                touched = !touched;
                let touches = calls.touched.as_ref().filter(|who| who.has(self.rank, touched));
                if let Some(time) = touches.and_then(|who| self.touch_time(who.bytes)) {
                    self.doing = Doing::Collective { step, call, copy, touched };
                    return Ok(Some(Op::Compute(time)));
                }
            }
            let Some(next) = next else {
                let member = |call: &GroupCall| {
                    let members = call.members.as_ref();
                    members.is_none_or(|members| members.binary_search(&self.rank).is_ok())
                };
                if copy + 1 < calls.count && calls.calls.iter().any(member) {
                    (call, copy) = (0, copy + 1);
                    continue;
                }
                self.doing = Doing::Nothing;
                return Ok(None);
            };
            call += 1;
            let (communicator, me) = match &next.members {
                None => (COMM_WORLD, self.rank as usize),
                Some(members) => {
                    let Ok(me) = members.binary_search(&self.rank) else { continue };
                    let Some(place) = job.groups.place(next.set, self.rank) else {
                        let message = "the walk before the run has not found this set of tasks: \
                                       the program is too long; use fewer sets in collectives";
                        return Err(Failure::new(collective.span, &message));
                    };
                    (place + 1, me)
                }
            };
            let operation = match &next.operation {
                Operation::Same(call) => call.clone(),
                Operation::Pairs { bytes, targets, sources } => {
                    let size = targets.len();
                    let spread = |members: &[u32]| {
                        let mut sizes = vec![0; size];
                        for member in members {
                            sizes[*member as usize] += bytes;
                        }
                        sizes
                    };
                    let pairs = pantala_mpi::collectives::layout::Exchange {
                        send: spread(&targets[me]),
                        receive: spread(&sources[me]),
                    };
                    Call::Alltoallv { pairs: Arc::new(pairs) }
                }
            };
            self.doing = Doing::Collective { step, call, copy, touched };
            return Ok(Some(Op::Collective(communicator, operation)));
        }
    }

    fn wait_for_receives(&mut self) -> Option<Op> {
        self.doing = Doing::Waited;
        self.requests.wait_for_receives()
    }
}

impl OperationStream for NcptlRank {
    fn next(&mut self, now: Time, outcome: &Outcome) -> Option<Op> {
        self.now = now + self.skipped;
        match self.state {
            State::New => {
                self.counters.reset(now);
                self.state = State::Runs;
            }
            State::Runs => {}
            State::Ended => return None,
        }
        match self.advance(outcome) {
            Ok(op) => op,
            Err(failure) => Some(self.abort(&failure)),
        }
    }

    fn place(&self) -> Option<Place> {
        if self.state != State::Runs {
            return None;
        }
        let step = match self.doing {
            Doing::Messages { step, .. } | Doing::Collective { step, .. } => step,
            _ => self.at.checked_sub(1)?,
        };
        Some(Place::Line(self.job.line(self.job.code.steps.get(step)?.span()?)))
    }
}
