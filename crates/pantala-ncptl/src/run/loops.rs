//! Loops of a rank's program: counted, over values, and for a time.
//!
//! A timed loop runs batches of 1, 10, 100, ... repetitions, at least two. After each, all ranks
//! synchronize and agree on its shortest time. The batches end when one takes a tenth of the wanted
//! time, or the time of the warm-up, a second if the program names none. Then as many repetitions
//! follow as fit into the wanted time. Times are in whole microseconds (`codegen_c_generic.py` of
//! the reference compiler, events EV_BTIME and EV_ETIME).
//!
//! A counted loop of at most five repetitions is unrolled before the program runs; of a longer one
//! the body is unrolled once. So tasks that change processors in it do so in each repetition, or in
//! the first one only (there, `n_for_count`).

use std::sync::Arc;

use pantala_engine::Time;
use pantala_mpi::{COMM_WORLD, Call, Contribution, IterationMark, Op, Operator, Outcome};

use crate::compiled::step::{Shared, Step, UNROLLED};
use crate::compiled::view::{Failure, Mapping};
use crate::run::counters::Stored;
use crate::run::job::Job;
use crate::run::rank::{Doing, NcptlRank, Stepped};
use crate::run::statement_cache::Evaluated;

/// Picoseconds per microsecond.
pub(super) const MICROSECOND: u128 = 1_000_000;
/// The warm-up of a timed loop if the program names none, in us.
const WARMUP: u64 = 1_000_000;
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
    /// The mapping with which each repetition starts; `None` if each starts with that of the last.
    mapping: Option<Option<Arc<Mapping>>>,
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
    /// The wanted time, and the time at which a batch is long enough, in us.
    wanted: u64,
    threshold: u64,
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
        let first = if warmup > 0 { warmup } else { count };
        let mapping = self.mapping_of(repeat.uniform, first);
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
            let value = value.integer(&view)?.max(0) as u64;
            Ok::<_, Failure>(value.saturating_mul(*unit))
        };
        let wanted = time(&timed.duration)?;
        let warmup = timed.warmup.as_ref().map_or(Ok(WARMUP), time)?;
        let threshold = (wanted / 10).min(warmup);
        let saved = self.save();
        let mapping = self.mapping_of(timed.uniform, u64::MAX);
        self.frames.push(Frame::Repeat(Counted {
            step,
            left: 1,
            activity: self.activity,
            warmup: Some(saved),
            timed: Some(Batches { wanted, threshold, size: 1, start: 0 }),
            marked: false,
            mapping,
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

    /// The mapping with which each repetition starts, of so many that are equal or not. That of the
    /// first if they are equal and not unrolled: the program assigns processors before it runs, once
    /// for all of them.
    fn mapping_of(&self, uniform: bool, repetitions: u64) -> Option<Option<Arc<Mapping>>> {
        (uniform && repetitions > UNROLLED).then(|| self.mapping.clone())
    }

    /// Another repetition of the innermost counted loop starts.
    fn start_body(&mut self) {
        let Some(Frame::Repeat(counted)) = self.frames.last() else { return };
        self.at = counted.step + 1;
        if let (Some(mapping), true) = (&counted.mapping, self.mapping.is_some()) {
            let mapping = mapping.clone();
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
            self.start_body();
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
        let mapping = self.mapping_of(repeat.uniform, count);
        match self.frames.last_mut() {
            Some(Frame::Repeat(counted)) if count > 0 => {
                (counted.left, counted.activity, counted.mapping) = (count, activity, mapping);
                self.start_body();
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

    /// Tells the others the time of the batch, in us.
    pub(super) fn propose(&mut self) -> Op {
        self.doing = Doing::TimedAgreement;
        let elapsed = self.batches().map_or(0, |batches| self.now.saturating_sub(batches.start));
        let value = elapsed / MICROSECOND as u64;
        let contribution = Contribution { operator: Operator::Min, value };
        Op::Valued(COMM_WORLD, Call::Allreduce { bytes: 8 }, contribution)
    }

    /// Starts the next batch, or the agreed number of repetitions.
    pub(super) fn agree(&mut self, outcome: &Outcome) -> Option<Op> {
        self.doing = Doing::Nothing;
        let elapsed = if let Outcome::Value(value) = outcome { *value } else { 0 };
        let Some(Frame::Repeat(counted)) = self.frames.last_mut() else { return None };
        let batches = counted.timed.as_mut()?;
        counted.activity = self.activity;
        if (elapsed < batches.threshold || batches.size == 1) && batches.size < MAX_BATCH {
            batches.size *= 10;
            batches.start = self.now;
            counted.left = batches.size;
            self.start_body();
            return None;
        }
        let fits = u128::from(batches.size) * u128::from(batches.wanted);
        let fits = fits.checked_div(elapsed.into()).unwrap_or(1).max(1);
        counted.left = u64::try_from(fits).unwrap_or(u64::MAX);
        counted.timed = None;
        if let Some(saved) = counted.warmup.take() {
            self.restore(saved);
        }
        self.start_body();
        None
    }
}
