//! The interpreter: it turns the records of one rank into steps of the simulation.
//!
//! The survey before a run and the replay during it use the same interpreter, so they agree on the
//! number of every send, receive and communicator. What the survey has found, the replay gets as a
//! [`Guide`].

mod collectives;
mod messages;
mod waits;

use std::collections::HashMap;
use std::sync::Arc;

use pantala_engine::Time;

use super::data_types::DataTypes;
use super::functions::{Function, Meaning};
use super::handles;
use super::record::Record;
use super::requests::{LiveRequests, Slots};
use super::steps::{Combination, Event, FIRST_MADE, Local, Mode, SELF, Step, WORLD};
use crate::trace::bounds;

/// Picoseconds per nanosecond.
const PICOSECONDS: Time = 1_000;
/// The largest message. A larger one shows that the file is corrupt.
const LARGEST_MESSAGE: u64 = 1 << 48;

/// What the survey has found about the sends and receives of a rank, by ascending ordinal.
#[derive(Clone, Debug, Default)]
pub(super) struct Guide {
    /// Sends and receives that are left out.
    pub(super) skipped: Vec<u64>,
    /// Source and tag of receives with wildcards.
    pub(super) resolved: Vec<(u64, u32, i32)>,
}

/// A persistent request.
#[derive(Clone, Copy, Debug)]
enum Persistent {
    Send(Mode, messages::Envelope),
    Receive(messages::Envelope),
}

/// The state of one rank between its records.
#[derive(Clone, Debug)]
pub(super) struct Interpreter {
    ranks: u32,
    types: DataTypes,
    live: LiveRequests,
    slots: Slots,
    persistent: HashMap<i32, Persistent>,
    communicators: HashMap<u16, Local>,
    /// Number of communicators that calls have made, with those that the rank is not in.
    made: Local,
    /// Number of sends and receives so far.
    ordinal: u64,
    guide: Arc<Guide>,
    /// The places in the guide's lists.
    next_skipped: usize,
    next_resolved: usize,
    clock: RankClock,
    /// Number of waits for requests that no recorded call has made.
    pub(super) lost: u64,
    /// Whether calls of several threads have been seen.
    pub(super) threads: bool,
}

/// The largest step back of a clock that is taken for one of NTP, in ns.
const FURTHEST_BACK: u64 = 60_000_000_000;

/// The time of a rank between its start and its end, in ns of the file's clock.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RankClock {
    /// The end of Init, or the first time of the file.
    start: Option<u64>,
    /// The latest end of a call.
    last: u64,
    /// Computing that no step has told yet.
    pending: u64,
    /// All computing.
    pub(super) computing: u64,
    /// The thread and the end of the last call.
    latest: (u16, u64),
    /// How often the clock was set back, and the largest step, in ns.
    pub(super) set_back: (u64, u64),
    ended: bool,
}

impl RankClock {
    /// Takes the times of a record.
    ///
    /// A clock that was set back, as by NTP, goes on from there; the time between the two calls
    /// counts as zero.
    ///
    /// # Errors
    /// The times run far backwards, or the rank computes for longer than any run takes.
    fn follow(&mut self, record: &Record) -> Result<(), String> {
        let Some(times) = record.times() else { return Ok(()) };
        if self.ended {
            return Ok(());
        }
        let (thread, end) = self.latest;
        // The calls of several threads are not sorted.
        let backwards = if times.leave < times.enter {
            Some((times.enter, times.leave))
        } else if thread == record.thread && times.enter < end {
            Some((end, times.enter))
        } else {
            None
        };
        if let Some((before, after)) = backwards {
            let step = before - after;
            if step > FURTHEST_BACK {
                return Err(format!(
                    "the times run backwards, from {before} ns to {after} ns; the file is corrupt, \
                     or the clock of the traced node was set"
                ));
            }
            self.set_back = (self.set_back.0 + 1, self.set_back.1.max(step));
            self.last = self.last.min(times.enter);
        }
        let leave = times.leave.max(times.enter);
        self.latest = (record.thread, leave);
        if matches!(record.function, Function::Init | Function::Init_thread) {
            *self = Self {
                start: Some(leave),
                last: leave,
                latest: self.latest,
                set_back: self.set_back,
                ..Self::default()
            };
            return Ok(());
        }
        if self.start.is_none() {
            (self.start, self.last) = (Some(times.enter), times.enter);
        }
        let gap = times.enter.saturating_sub(self.last);
        self.pending = self.pending.saturating_add(gap);
        bounds::time("a computation", self.pending, PICOSECONDS, "ns")?;
        self.computing = self.computing.saturating_add(gap);
        self.last = self.last.max(times.enter);
        if record.function == Function::Finalize {
            self.ended = true;
        } else {
            self.last = self.last.max(leave);
        }
        Ok(())
    }

    /// The time from the start to the end.
    pub(super) fn duration(&self) -> u64 {
        self.start.map_or(0, |start| self.last.saturating_sub(start))
    }
}

/// The steps of a record, each after the computing before it.
struct Steps<'a> {
    steps: &'a mut Vec<Step>,
    clock: &'a mut RankClock,
}

impl Steps<'_> {
    #[inline]
    fn push(&mut self, step: Step) {
        if self.clock.pending > 0 {
            let time = self.clock.pending.saturating_mul(PICOSECONDS);
            self.steps.push(Step::Compute(time));
            self.clock.pending = 0;
        }
        self.steps.push(step);
    }
}

impl Interpreter {
    pub(super) fn new(ranks: u32, sizes: &[u32], guide: Arc<Guide>) -> Self {
        Self {
            ranks,
            types: DataTypes::new(sizes),
            live: LiveRequests::default(),
            slots: Slots::default(),
            persistent: HashMap::new(),
            communicators: HashMap::from([(handles::WORLD, WORLD), (handles::SELF, SELF)]),
            made: FIRST_MADE,
            ordinal: 0,
            guide,
            next_skipped: 0,
            next_resolved: 0,
            clock: RankClock::default(),
            lost: 0,
            threads: false,
        }
    }

    pub(super) const fn clock(&self) -> &RankClock {
        &self.clock
    }

    /// Whether requests are active in the simulation.
    pub(super) const fn is_active(&self) -> bool {
        self.slots.active() > 0
    }

    /// Adds the steps of a record.
    ///
    /// # Errors
    /// What is wrong with the record, in words.
    pub(super) fn follow(&mut self, record: &Record, steps: &mut Vec<Step>) -> Result<(), String> {
        self.threads |= record.thread != 0;
        if self.clock.ended {
            return Ok(());
        }
        let mut clock = self.clock;
        clock.follow(record)?;
        let mut out = Steps { steps, clock: &mut clock };
        let followed = self.act(record, &mut out);
        self.clock = clock;
        followed
    }

    fn act(&mut self, record: &Record, steps: &mut Steps<'_>) -> Result<(), String> {
        use Function as F;
        if let Meaning::Refused(reason) = record.function.declaration().meaning {
            return Err(format!("{} is not replayed: {reason}", record.function.mpi_name()));
        }
        match record.function {
            F::Send
            | F::Bsend
            | F::Ssend
            | F::Rsend
            | F::Isend
            | F::Ibsend
            | F::Issend
            | F::Irsend
            | F::Recv
            | F::Irecv
            | F::Sendrecv
            | F::Sendrecv_replace
            | F::Probe
            | F::Iprobe
            | F::Send_init
            | F::Bsend_init
            | F::Ssend_init
            | F::Rsend_init
            | F::Recv_init
            | F::Start
            | F::Startall => self.message(record, steps),
            F::Wait
            | F::Test
            | F::Waitall
            | F::Testall
            | F::Waitany
            | F::Testany
            | F::Waitsome
            | F::Testsome
            | F::Request_free
            | F::Cancel => self.wait(record, steps),
            F::Grequest_start => {
                self.complete_request(record);
                Ok(())
            }
            F::Barrier
            | F::Bcast
            | F::Reduce
            | F::Allreduce
            | F::Gather
            | F::Gatherv
            | F::Scatter
            | F::Scatterv
            | F::Allgather
            | F::Allgatherv
            | F::Alltoall
            | F::Alltoallv
            | F::Alltoallw
            | F::Reduce_scatter
            | F::Scan
            | F::Exscan => self.collective(record, steps),
            F::Finalize => {
                steps.push(Step::Finalize);
                Ok(())
            }
            F::Comm_free | F::Comm_disconnect => {
                let handle = handle(record, 0);
                // A communicator of no recorded call may be freed all the same.
                if handle >= handles::FIRST_COMMUNICATOR {
                    let freed = self.communicators.remove(&handle);
                    freed.into_iter().for_each(|local| steps.push(Step::Free(local)));
                }
                Ok(())
            }
            _ => {
                self.types.follow(record);
                self.make(record, steps)
            }
        }
    }

    /// The communicator with a number of the trace.
    fn local(&self, handle: u16) -> Result<Local, String> {
        self.communicators.get(&handle).copied().ok_or_else(|| {
            format!(
                "communicator {handle} comes from no recorded call; DUMPI does not record MPI-3 \
                 calls such as MPI_Comm_split_type"
            )
        })
    }

    /// The bytes of `count` elements of a type.
    #[inline]
    fn bytes(&self, count: i64, data_type: i64) -> Result<u64, String> {
        let Ok(count) = u64::try_from(count) else {
            return Err(format!("a count of {count} elements; the file is corrupt"));
        };
        if count == 0 {
            return Ok(0);
        }
        let size = self.types.size(data_type).ok_or_else(|| {
            format!("data type {data_type} has no size: no recorded call makes it")
        })?;
        match count.checked_mul(size) {
            Some(bytes) if bytes <= LARGEST_MESSAGE => Ok(bytes),
            _ => Err(format!("{count} elements of {size} bytes; the file is corrupt")),
        }
    }

    /// Calls that make a communicator or a group.
    fn make(&mut self, record: &Record, steps: &mut Steps<'_>) -> Result<(), String> {
        use Function as F;
        let old = |place: usize| self.local(handle(record, place));
        let combine = |how: Combination| Event::Combine {
            how,
            one: handle(record, 0),
            other: handle(record, 1),
            new: handle(record, 2),
        };
        let list = record.list(0);
        let places = || list.iter().filter_map(|place| u32::try_from(*place).ok()).collect();
        let pick = |keep: bool, places: Vec<u32>| Event::Pick {
            group: handle(record, 0),
            places,
            keep,
            new: handle(record, 2),
        };
        let (event, new) = match record.function {
            F::Comm_group => (Event::GroupOf { communicator: old(0)?, new: handle(record, 1) }, 0),
            F::Group_union => (combine(Combination::Union), 0),
            F::Group_intersection => (combine(Combination::Intersection), 0),
            F::Group_difference => (combine(Combination::Difference), 0),
            F::Group_incl => (pick(true, places()), 0),
            F::Group_excl => (pick(false, places()), 0),
            F::Group_range_incl => (pick(true, ranges(list, self.ranks)?), 0),
            F::Group_range_excl => (pick(false, ranges(list, self.ranks)?), 0),
            F::Comm_dup => (Event::Dup { old: old(0)? }, handle(record, 1)),
            F::Comm_split => {
                let color = record.number(1).and_then(|color| u32::try_from(color).ok());
                let key = record.number(2).unwrap_or(0) as i32;
                (Event::Split { old: old(0)?, color, key }, handle(record, 3))
            }
            F::Comm_create => {
                (Event::Create { old: old(0)?, group: handle(record, 1) }, handle(record, 2))
            }
            F::Cart_create => (Event::Cart { old: old(0)?, extents: places() }, handle(record, 3)),
            F::Cart_sub => {
                let stay = list.iter().map(|stays| *stays != 0).collect();
                (Event::CartSub { old: old(1)?, stay }, handle(record, 2))
            }
            F::Graph_create => {
                let nodes = record.number(2).and_then(|nodes| u32::try_from(nodes).ok());
                (Event::Graph { old: old(1)?, nodes: nodes.unwrap_or(0) }, handle(record, 4))
            }
            _ => return Ok(()),
        };
        if event.old().is_some() {
            if new >= handles::FIRST_COMMUNICATOR {
                self.communicators.insert(new, self.made);
            }
            self.made += 1;
        }
        steps.push(Step::Communicator(event));
        Ok(())
    }
}

/// The number at a place, as that of a communicator, a group or a type.
fn handle(record: &Record, place: usize) -> u16 {
    record.number(place).and_then(|number| u16::try_from(number).ok()).unwrap_or(0)
}

/// The places of ranges, each three numbers: first, last, stride.
fn ranges(list: &[i32], ranks: u32) -> Result<Vec<u32>, String> {
    let mut places = Vec::new();
    for range in list.chunks_exact(3) {
        let [first, last, stride] = [range[0], range[1], range[2]].map(i64::from);
        if stride == 0 {
            return Err("a range of ranks with stride 0; the file is corrupt".to_owned());
        }
        let mut place = first;
        while (place <= last && stride > 0) || (place >= last && stride < 0) {
            let known = u32::try_from(place).ok().filter(|place| *place < ranks);
            let Some(known) = known else {
                return Err(format!("a group has no rank {place}; the file is corrupt"));
            };
            if places.len() == ranks as usize {
                return Err("a group of more ranks than there are; the file is corrupt".to_owned());
            }
            places.push(known);
            place += stride;
        }
    }
    Ok(places)
}
