//! Whether the order of a job's calls lets it end: its ranks on a network without delays.
//!
//! The ranks run on the MPI layer of a simulation, with its matching, protocol and collectives.
//! Computing takes no time, and every transmission is one packet that arrives after a nanosecond.
//! So a job costs its calls and messages, whatever their size. If nothing can happen any more and
//! ranks are left, they wait for each other: an MPI deadlock.
//!
//! Which message a receive of any source takes depends on times. The search takes one order of
//! many, so for programs with such receives a run can end otherwise. The network has room for all
//! packets, so NICs that hold packets (`short_buffers`) never stop each other here.

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::rc::Rc;

use pantala_engine::{NANOSECOND, Time};
use pantala_fabric::{Delivery, Pull, Wakes};
use pantala_mpi::{
    Blocked, Fault, MpiConfig, MpiLayer, Op, OperationStream, Outcome, Place, RankContext,
    RankSetup, Recording, Waits,
};
use serde::Serialize;

use crate::compute_noise::Noise;
use crate::job_spec::Workload;
use crate::programs::{JobOperations, RankOperations};

/// The largest packet: no transmission of a program has more bytes in one piece.
const PACKET: u32 = 1 << 30;
/// A threshold at which every message is eager.
const ALL_EAGER: u64 = 1 << 62;
/// Thresholds that are tried for the smallest that lets a job end.
const THRESHOLDS: usize = 8;
/// The name that keys the random streams of a program.
const NAME: &str = "job";

/// An error of a rank's program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FaultyCall {
    /// The rank.
    pub rank: u32,
    /// The call ("send", "allreduce").
    pub call: &'static str,
    /// The place of the call.
    pub place: Option<Place>,
    /// The fault.
    pub fault: String,
}

/// What came of a search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CallOrder {
    /// Whether the job ran to its end, or to a deadlock. Otherwise the search stopped at its bound.
    pub complete: bool,
    /// The number of operations that were executed.
    pub operations: u64,
    /// What the ranks wait for that are left.
    pub blocked: Vec<Blocked>,
    /// The errors of programs.
    pub faults: Vec<FaultyCall>,
    /// Whether the job ends if all messages are eager.
    pub ends_if_eager: bool,
    /// An eager threshold, in bytes, at which it ends.
    pub ends_at_threshold: Option<u64>,
}

/// Executes a job of `ranks` ranks, with at most `most` operations and as many packets and timers.
///
/// # Errors
/// A [`Fault`] if the workload is faulty or endless. Its key is relative to the workload.
pub fn call_order(
    workload: &Workload,
    ranks: u32,
    mpi: MpiConfig,
    most: u64,
) -> Result<CallOrder, Fault> {
    workload.check(ranks)?;
    let Workload::Programs(programs) = workload else {
        let text = "is synthetic traffic, which has no calls";
        return Err(Fault::new("kind", "pattern", text, "name a program"));
    };
    let at = |eager_threshold_bytes| {
        execute(programs, ranks, MpiConfig { eager_threshold_bytes, ..mpi }, most)
    };
    let mut found = at(mpi.eager_threshold_bytes);
    if found.blocked.is_empty() {
        return Ok(found);
    }
    let ends =
        |found: &CallOrder| found.complete && found.blocked.is_empty() && found.faults.is_empty();
    found.ends_if_eager = ends(&at(ALL_EAGER));
    let mut threshold = mpi.eager_threshold_bytes;
    let mut blocked = found.blocked.clone();
    for _ in 0..THRESHOLDS {
        let longer = longest_send(&blocked).filter(|bytes| *bytes > threshold);
        let (true, Some(bytes)) = (found.ends_if_eager, longer) else { break };
        threshold = bytes;
        let next = at(threshold);
        if ends(&next) {
            found.ends_at_threshold = Some(threshold);
            break;
        }
        blocked = next.blocked;
    }
    Ok(found)
}

/// The longest send that waits for its receive because it is longer than the eager threshold.
fn longest_send(blocked: &[Blocked]) -> Option<u64> {
    let waits = blocked.iter().filter(|b| b.waits == Waits::ToSend && !b.matched && !b.synchronous);
    waits.map(|b| b.bytes).max()
}

fn execute(programs: &JobOperations, ranks: u32, mpi: MpiConfig, most: u64) -> CallOrder {
    let left = Rc::new(Cell::new(most));
    let mut layer = MpiLayer::new(mpi, Recording::default(), PACKET);
    let setups = (0..ranks).map(|rank| RankSetup {
        nic: layer.add_nic(rank),
        program: Untimed {
            program: RankOperations::new(programs, rank, ranks, NAME, 0, Noise::default()),
            left: Rc::clone(&left),
        },
        communicators: programs.communicators(&RankContext::new(rank, ranks, NAME, 0)),
    });
    let setups = setups.collect();
    if let Err(error) = layer.add_job(0, 0, setups) {
        unreachable!("checked jobs are sound: {error}");
    }
    let events_left = Network::new(ranks).run(&mut layer, &left, most);
    let complete = events_left && left.get() > 0;
    let faults = layer.errors().iter().map(|error| FaultyCall {
        rank: error.rank,
        call: error.operation,
        place: error.place.clone(),
        fault: error.fault.to_string(),
    });
    CallOrder {
        complete,
        operations: most - left.get(),
        blocked: if complete { layer.blocked_report() } else { Vec::new() },
        faults: if complete { faults.collect() } else { Vec::new() },
        ends_if_eager: false,
        ends_at_threshold: None,
    }
}

/// A rank's program without its computing, up to the number of operations that all ranks share.
struct Untimed {
    program: RankOperations,
    left: Rc<Cell<u64>>,
}

impl OperationStream for Untimed {
    fn next(&mut self, now: Time, outcome: &Outcome) -> Option<Op> {
        let mut operation = self.program.next(now, outcome)?;
        self.left.set(self.left.get().checked_sub(1)?);
        while let Op::Compute(_) = operation {
            operation = self.program.next(now, &Outcome::Done)?;
        }
        Some(match operation {
            Op::Icompute(_, request) => Op::Icompute(1, request),
            operation => operation,
        })
    }

    fn place(&self) -> Option<Place> {
        self.program.place()
    }
}

/// A network on which every packet takes a nanosecond.
struct Network {
    /// Packets under way, in the order of their arrival.
    packets: VecDeque<(Time, u32, Delivery)>,
    /// Timers and pulls (false, true) by time.
    others: BinaryHeap<Reverse<(Time, bool, u32)>>,
    /// By NIC: the time of its next pull.
    pulls: Vec<Option<Time>>,
}

impl Network {
    fn new(ranks: u32) -> Self {
        Self {
            packets: VecDeque::new(),
            others: BinaryHeap::new(),
            pulls: vec![None; ranks as usize],
        }
    }

    /// Runs until nothing can happen any more. Returns false if that takes more than `most` events,
    /// or no operation is `left`.
    fn run<P: OperationStream>(
        &mut self,
        layer: &mut MpiLayer<P>,
        left: &Cell<u64>,
        most: u64,
    ) -> bool {
        let mut wakes = Wakes::default();
        for nic in 0..self.pulls.len() as u32 {
            layer.start(nic, &mut wakes);
            self.react(nic, 0, &mut wakes);
        }
        for _ in 0..most {
            if left.get() == 0 {
                return false;
            }
            let packet = self.packets.front().map(|(time, ..)| *time);
            let other = self.others.peek().map(|Reverse((time, ..))| *time);
            match (packet, other) {
                (None, None) => return true,
                (Some(at), other) if other.is_none_or(|other| at <= other) => {
                    let Some((now, nic, packet)) = self.packets.pop_front() else { return true };
                    layer.deliver(nic, &packet, now, &mut wakes);
                    self.react(nic, now, &mut wakes);
                }
                _ => {
                    let Some(Reverse((now, pulls, nic))) = self.others.pop() else { return true };
                    if !pulls {
                        layer.timer(nic, now, &mut wakes);
                    } else if self.pulls[nic as usize] == Some(now) {
                        self.pulls[nic as usize] = None;
                        self.pull(layer, nic, now, &mut wakes);
                    }
                    self.react(nic, now, &mut wakes);
                }
            }
        }
        self.packets.is_empty() && self.others.is_empty()
    }

    /// Sends what a NIC has now.
    fn pull<P: OperationStream>(
        &mut self,
        layer: &mut MpiLayer<P>,
        nic: u32,
        now: Time,
        wakes: &mut Wakes,
    ) {
        match layer.pull(nic, now, wakes) {
            Pull::Idle => {}
            Pull::Later(time) => self.pull_at(nic, time),
            Pull::Packet(offer) => {
                let delivery = Delivery {
                    source: nic,
                    bytes: offer.bytes,
                    created: offer.created,
                    message: offer.message,
                    number: offer.number,
                    job: offer.job,
                };
                self.packets.push_back((now + NANOSECOND, offer.destination, delivery));
                self.pull_at(nic, now);
            }
        }
    }

    fn pull_at(&mut self, nic: u32, time: Time) {
        let next = &mut self.pulls[nic as usize];
        if next.is_none_or(|known| known > time) {
            *next = Some(time);
            self.others.push(Reverse((time, true, nic)));
        }
    }

    fn react(&mut self, nic: u32, now: Time, wakes: &mut Wakes) {
        if std::mem::take(&mut wakes.nic) {
            self.pull_at(nic, now);
        }
        self.others.extend(wakes.timers.drain(..).map(|time| Reverse((time, false, nic))));
    }
}
