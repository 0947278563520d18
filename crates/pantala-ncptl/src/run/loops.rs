//! Loops of a rank's program: counted, over values, and for a time.
//!
//! A timed loop runs batches of 1, 10, 100, ... repetitions. After each, all ranks synchronize and
//! agree on the number of repetitions that fit into the wanted time: the minimum of their
//! estimates. The batches end when one takes a tenth of the wanted time, at most a second, or the
//! time of the warm-up.

use std::sync::Arc;

use pantala_engine::Time;
use pantala_mpi::{COMM_WORLD, Call, Contribution, IterationMark, Op, Operator, Outcome};

use crate::compiled::step::{Shared, Step};
use crate::compiled::view::{Failure, Mapping};
use crate::run::counters::Stored;
use crate::run::job::Job;
use crate::run::rank::{Doing, NcptlRank, Stepped};
use crate::run::statement_cache::Evaluated;

/// Picoseconds per microsecond.
pub(super) const MICROSECOND: u128 = 1_000_000;
/// The longest warm-up of a timed loop if the program names none, in ps.
const LONGEST_WARMUP: u128 = 1_000_000 * MICROSECOND;
/// The greatest number of repetitions of a batch.
const MAX_BATCH: u64 = 1_000_000_000_000_000;

/// A loop that runs.
#[derive(Clone, Debug)]
pub(super) enum Frame {
    /// A counted loop, or the batches of a timed one.
    Repeat(Counted),
    /// A loop over values.
    Each(Each),
}

/// A loop over values.
#[derive(Clone, Debug)]
pub(super) struct Each {
    step: usize,
    values: Arc<Evaluated>,
    piece: usize,
    place: u64,
    /// Whether its repetitions are marked.
    marked: bool,
}

/// A counted loop.
#[derive(Clone, Debug)]
pub(super) struct Counted {
    step: usize,
    left: u64,
    /// The activity before the present repetition.
    activity: u64,
    /// The warm-up, and what to restore after it.
    warmup: Option<Saved>,
    timed: Option<Batches>,
    /// Whether its repetitions are marked, after the warm-up.
    marked: bool,
    /// The mapping with which each repetition starts.
    mapping: Option<Arc<Mapping>>,
}

/// The marks of equal repetitions.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Marks {
    /// The number of loops that the rank has come to.
    loops: usize,
    /// The number of the next repetition.
    next: u32,
    /// Whether a repetition is about to start.
    due: bool,
}

/// The state of counters before a warm-up.
#[derive(Clone, Debug)]
struct Saved {
    counters: Stored,
    stored: Vec<Stored>,
}

/// The batches of a timed loop.
#[derive(Clone, Debug)]
struct Batches {
    wanted: u128,
    threshold: u128,
    size: u64,
    start: Time,
}

impl Frame {
    /// The step of the loop.
    pub(super) const fn step(&self) -> usize {
        match self {
            Self::Repeat(counted) => counted.step,
            Self::Each(each) => each.step,
        }
    }
}

fn barrier() -> Op {
    Op::Collective(COMM_WORLD, Call::Barrier)
}

impl NcptlRank {
    /// The start of a repetition, if one is due.
    pub(super) fn next_mark(&mut self) -> Option<Op> {
        let marks = self.marks.as_mut().filter(|marks| marks.due)?;
        let (iteration, motif) = (marks.next, IterationMark::UNSEEN);
        (marks.due, marks.next) = (false, iteration.saturating_add(1));
        Some(Op::IterationStart(IterationMark { iteration, motif, phase: None }))
    }

    /// Whether the repetitions of the loop that starts at a step are marked: it is the next one of
    /// those that the job knows. Then numbers go on with its first.
    fn starts_marked(&mut self, job: &Job, step: usize) -> bool {
        if self.marks.is_none() || !job.repeats(step) {
            return false;
        }
        let plain = |frame: &Frame| matches!(frame, Frame::Each(each) if !each.marked);
        if !self.frames.iter().all(plain) {
            return false;
        }
        let Some(marks) = &mut self.marks else { return false };
        let Some(known) = job.repetitions.get(marks.loops) else { return false };
        (marks.loops, marks.next) = (marks.loops + 1, known.first);
        true
    }

    /// A repetition starts with the next step.
    const fn mark_start(&mut self, marked: bool) {
        if let Some(marks) = &mut self.marks {
            marks.due |= marked;
        }
    }

    fn save(&mut self) -> Saved {
        self.quiet += 1;
        Saved { counters: self.counters.store(self.now), stored: self.stored.clone() }
    }

    fn restore(&mut self, saved: Saved) {
        self.quiet -= 1;
        self.counters.restore(&saved.counters, self.now);
        self.stored = saved.stored;
    }

    /// Starts a counted loop.
    pub(super) fn start_repeat(&mut self, job: &Job, step: usize) -> Stepped<Option<Op>> {
        let Step::Repeat(repeat) = &job.code.steps[step] else { return Ok(None) };
        let view = self.view(None);
        let count = repeat.count.integer(&view)?.max(0) as u64;
        let warmup = match &repeat.warmup {
            Some(warmup) => warmup.integer(&view)?.max(0) as u64,
            None => 0,
        };
        let activity = self.activity;
        let marked = self.starts_marked(job, step);
        let mapping = self.mapping.clone();
        let counted =
            |left, warmup| Counted { step, left, activity, warmup, timed: None, marked, mapping };
        if warmup > 0 {
            let saved = self.save();
            self.frames.push(Frame::Repeat(counted(warmup, Some(saved))));
            return Ok(None);
        }
        if count > 0 {
            self.frames.push(Frame::Repeat(counted(count, None)));
            self.mark_start(marked);
        } else {
            self.at = repeat.after;
        }
        Ok((repeat.warmup.is_some() && repeat.synchronizes).then(barrier))
    }

    /// Starts a loop over values.
    pub(super) fn start_each(&mut self, shared: &Shared, step: &Step) -> Stepped<()> {
        let values = Arc::clone(self.evaluated(step, shared));
        if let Evaluated::Failed(failure) = &*values {
            return Err(failure.clone());
        }
        let step = self.at - 1;
        let job = Arc::clone(&self.job);
        let marked = self.starts_marked(&job, step);
        self.frames.push(Frame::Each(Each { step, values, piece: 0, place: 0, marked }));
        self.next_value();
        Ok(())
    }

    /// Sets the variable of the innermost loop to its next value, or leaves the loop.
    fn next_value(&mut self) {
        let Some(Frame::Each(each)) = self.frames.last_mut() else { return };
        let Step::ForEach(_, slot, _, after, _) = &self.job.code.steps[each.step] else { return };
        let Evaluated::Values(pieces) = &*each.values else { return };
        while let Some(piece) = pieces.get(each.piece) {
            if each.place < piece.len() {
                self.slots[usize::from(*slot)].set(piece.value(each.place));
                each.place += 1;
                self.at = each.step + 1;
                let marked = each.marked;
                self.mark_start(marked);
                return;
            }
            (each.piece, each.place) = (each.piece + 1, 0);
        }
        self.at = *after;
        self.frames.pop();
    }

    /// Starts a loop for a time.
    pub(super) fn start_timed(&mut self, job: &Job, step: usize) -> Stepped<Option<Op>> {
        let Step::Timed(timed) = &job.code.steps[step] else { return Ok(None) };
        let inside = |frame: &Frame| matches!(frame, Frame::Repeat(Counted { timed: Some(_), .. }));
        if self.frames.iter().any(inside) {
            return Err(Failure::new(timed.span, &"a timed loop cannot contain another one"));
        }
        let view = self.view(None);
        let time = |(value, unit): &(crate::compiled::expression::Expr, u64)| {
            let value = value.integer(&view)?.max(0) as u128;
            Ok::<_, Failure>(value * u128::from(*unit) * MICROSECOND)
        };
        let wanted = time(&timed.duration)?;
        let threshold = match &timed.warmup {
            Some(warmup) => time(warmup)?,
            None => (wanted / 10).min(LONGEST_WARMUP),
        };
        let saved = self.save();
        self.frames.push(Frame::Repeat(Counted {
            step,
            left: 1,
            activity: self.activity,
            warmup: Some(saved),
            timed: Some(Batches { wanted, threshold, size: 1, start: 0 }),
            marked: false,
            mapping: self.mapping.clone(),
        }));
        self.doing = Doing::TimedStart;
        Ok(Some(barrier()))
    }

    /// The first batch of a timed loop starts now.
    pub(super) fn start_batch(&mut self) {
        self.doing = Doing::Nothing;
        let (now, activity) = (self.now, self.activity);
        if let Some(Frame::Repeat(Counted { timed: Some(batches), activity: before, .. })) =
            self.frames.last_mut()
        {
            batches.start = now;
            *before = activity;
        }
    }

    /// Another repetition of the innermost counted loop starts. Equal ones start with the mapping
    /// of the first: the program assigns processors before it runs, once for all of them.
    fn start_body(&mut self, job: &Job) {
        let Some(Frame::Repeat(counted)) = self.frames.last() else { return };
        self.at = counted.step + 1;
        let uniform = match &job.code.steps[counted.step] {
            Step::Repeat(repeat) => repeat.uniform,
            Step::Timed(timed) => timed.uniform,
            _ => false,
        };
        if uniform && self.mapping.is_some() {
            let mapping = counted.mapping.clone();
            self.set_mapping(mapping);
        }
    }

    /// The end of a loop's body.
    pub(super) fn end_of_body(&mut self, job: &Job) -> Stepped<Option<Op>> {
        let activity = self.activity;
        let counted = match self.frames.last_mut() {
            Some(Frame::Repeat(counted)) => counted,
            Some(Frame::Each(each)) => {
                let marked = each.marked;
                self.next_value();
                return Ok(marked.then_some(Op::IterationEnd));
            }
            None => return Ok(None),
        };
        counted.left -= 1;
        if counted.left > 0 && counted.activity != activity {
            counted.activity = activity;
            let marked = counted.marked && counted.warmup.is_none();
            self.start_body(job);
            self.mark_start(marked);
            return Ok(marked.then_some(Op::IterationEnd));
        }
        if counted.warmup.is_some() && counted.timed.is_some() {
            let step = counted.step;
            if !self.requests.is_empty() {
                let Step::Timed(timed) = &job.code.steps[step] else { return Ok(None) };
                let message = "a timed loop leaves asynchronous messages outstanding; \
                               await their completion in its body";
                return Err(Failure::new(timed.span, &message));
            }
            self.doing = Doing::TimedBarrier;
            return Ok(Some(barrier()));
        }
        let (step, marked) = (counted.step, counted.marked);
        let Some(saved) = counted.warmup.take() else {
            self.frames.pop();
            return Ok(marked.then_some(Op::IterationEnd));
        };
        self.restore(saved);
        let Step::Repeat(repeat) = &job.code.steps[step] else { return Ok(None) };
        let count = repeat.count.integer(&self.view(None))?.max(0) as u64;
        let synchronizes = repeat.synchronizes;
        match self.frames.last_mut() {
            Some(Frame::Repeat(counted)) if count > 0 => {
                (counted.left, counted.activity) = (count, activity);
                self.start_body(job);
                self.mark_start(marked);
            }
            _ => {
                self.frames.pop();
            }
        }
        Ok(synchronizes.then(barrier))
    }

    /// The batches of the innermost loop.
    fn batches(&self) -> Option<&Batches> {
        match self.frames.last() {
            Some(Frame::Repeat(counted)) => counted.timed.as_ref(),
            _ => None,
        }
    }

    /// Proposes how many repetitions fit into the wanted time.
    pub(super) fn propose(&mut self) -> Op {
        self.doing = Doing::TimedAgreement;
        let value = self.batches().map_or(1, |batches| {
            let elapsed = u128::from(self.now.saturating_sub(batches.start)).max(1);
            let fits = u128::from(batches.size) * batches.wanted / elapsed;
            u64::try_from(fits).unwrap_or(u64::MAX).max(1)
        });
        let contribution = Contribution { operator: Operator::Min, value };
        Op::Valued(COMM_WORLD, Call::Allreduce { bytes: 8 }, contribution)
    }

    /// Starts the next batch, or the agreed number of repetitions.
    pub(super) fn agree(&mut self, job: &Job, outcome: &Outcome) -> Option<Op> {
        self.doing = Doing::Nothing;
        let fits = if let Outcome::Value(value) = outcome { (*value).max(1) } else { 1 };
        let Some(Frame::Repeat(counted)) = self.frames.last_mut() else { return None };
        let batches = counted.timed.as_mut()?;
        let step = counted.step;
        counted.activity = self.activity;
        // A batch takes the time `size * wanted / fits`.
        let long_enough = u128::from(batches.size).saturating_mul(batches.wanted)
            >= u128::from(fits).saturating_mul(batches.threshold);
        if !long_enough && batches.size < MAX_BATCH {
            batches.size *= 10;
            batches.start = self.now;
            counted.left = batches.size;
            self.start_body(job);
            return None;
        }
        counted.left = fits;
        counted.timed = None;
        if let Some(saved) = counted.warmup.take() {
            self.restore(saved);
        }
        self.start_body(job);
        match &job.code.steps[step] {
            Step::Timed(timed) if timed.synchronizes => Some(barrier()),
            _ => None,
        }
    }
}
