//! Coarse runs (`detail.coarsen`): one simulated packet stands for several packets of the machine.
//!
//! Only packets grow. Flits keep their size, so bandwidths, a head's time through a router and the
//! bytes of a buffer do not change. Cut-through routers forward a message of several packets as a
//! stream of flits, so its zero-load latency does not change either.
//! `docs/explanation/coarsening.md` derives this; this file checks the conditions.

use crate::error::{Faults, PlanError};
use crate::plan::communication;
use crate::plan::{DetailPlan, LatencyFrom, Plan};
use pantala_engine::transfer_time;
use pantala_fabric::config::{BufferUnit, FlowControl, RouterConfig, Serialization};
use pantala_mpi::{CoarsePackets, EagerCompletion, RendezvousCompletion};
use serde::Deserialize;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Returns the errors that `docs/coarsening.py` measured, by `coarsen`.
static KNOWN_ERRORS: LazyLock<BTreeMap<u32, KnownError>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("coarsen/known_errors.json")).expect("a file of this crate")
});

/// Differences between coarse runs and runs without coarsening in percent, over all cases of the
/// table in the documentation.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownError {
    cases: u32,
    /// Slowdowns: median and largest absolute difference.
    slowdown_median: f64,
    slowdown_most: f64,
    /// Slowdowns of two runs without coarsening and with different seeds.
    seeds_median: f64,
    seeds_most: f64,
    /// Communication times.
    communication_median: f64,
    communication_most: f64,
}

/// Returns a sentence with the known error of a coarse run, or `None` for other runs.
pub(crate) fn notice(plan: &Plan) -> Option<String> {
    let DetailPlan { coarsen } = plan.detail;
    let known = KNOWN_ERRORS.get(&coarsen).filter(|_| plan.detail.is_coarse())?;
    Some(format!(
        "Coarsened by {coarsen}: a packet of {} B stands for {coarsen} of {} B. Known error in {} cases: slowdowns {:.0} % in the \
         median and {:.0} % at most (two seeds: {:.0} % and {:.0} %), communication times {:.0} % and {:.0} %; see \
         docs/explanation/coarsening.md.",
        plan.packet_bytes,
        plan.packet_bytes / coarsen,
        known.cases,
        known.slowdown_median,
        known.slowdown_most,
        known.seeds_median,
        known.seeds_most,
        known.communication_median,
        known.communication_most
    ))
}

/// Returns the relation of coarse packets to the machine's packets, or `None` for other runs.
#[must_use]
pub fn grain(plan: &Plan) -> Option<CoarsePackets> {
    plan.detail.is_coarse().then(|| {
        let packet_bytes = plan.packet_bytes / plan.detail.coarsen;
        let flit = transfer_time(plan.flit_bytes.into(), plan.links.terminal.bandwidth_bytes_per_s);
        CoarsePackets {
            packet_bytes,
            packet_time: u64::from(packet_bytes / plan.flit_bytes) * flit,
            waits_for_heads: plan.router.serialization == Serialization::None,
        }
    })
}

/// Returns the simulated router, whose buffers are larger.
///
/// A packet starts on a link when the next buffer has room for all of it. A coarse packet thus
/// reserves room for its last part earlier than the machine's packets would. Each buffer grows by
/// this amount, in whole coarse packets, so a stream that never waited for credits does not wait
/// now.
pub(crate) fn router(plan: &Plan) -> RouterConfig {
    let mut router = plan.router.clone();
    if plan.detail.is_coarse() {
        let packet = plan.packet_bytes / plan.flit_bytes;
        let early = packet - packet / plan.detail.coarsen;
        for buffer in [&mut router.input_buffer, &mut router.output_buffer] {
            if *buffer > 0 {
                *buffer = (*buffer + early).next_multiple_of(packet);
            }
        }
    }
    router
}

/// Returns the buffers of [`router`], if they differ from the plan's.
pub(crate) fn buffers(plan: &Plan) -> BTreeMap<String, u32> {
    let RouterConfig { input_buffer, output_buffer, .. } = router(plan);
    let both = [("input", input_buffer), ("output", output_buffer)];
    both.into_iter()
        .filter(|_| plan.detail.is_coarse())
        .map(|(name, flits)| (name.to_owned(), flits))
        .collect()
}

/// Checks that a plan can be coarse.
///
/// # Errors
/// A [`PlanError`] for the first key that does not allow it, with the others.
pub(crate) fn check(plan: &Plan) -> Result<(), PlanError> {
    let DetailPlan { coarsen } = plan.detail;
    if !plan.detail.is_coarse() {
        return Ok(());
    }
    if ![2, 4, 8].contains(&coarsen) {
        return Err(PlanError::new(
            "detail.coarsen",
            coarsen,
            "must be 1, 2, 4 or 8",
            "give one of these",
        ));
    }
    let fine = plan.packet_bytes / coarsen;
    if plan.packet_bytes % coarsen != 0 || fine % plan.flit_bytes != 0 {
        let message = format!(
            "coarse packets would have fewer flits: a packet of {fine} B is not a whole number of flits"
        );
        return Err(PlanError::new(
            "flit_bytes",
            plan.flit_bytes,
            message,
            remedy("take a flit that divides the packet"),
        ));
    }
    let mut faults = Faults::default();
    for stage in stages(&plan.router) {
        faults.note(stage);
    }
    faults.note(check_speeds(plan));
    faults.note(check_buffers(plan));
    if plan.nic.responses {
        let message = format!(
            "each packet has a response, and a coarse run would have {coarsen} times fewer responses"
        );
        faults.note(Err(PlanError::new(
            "nic.responses",
            true,
            message,
            remedy("turn responses off"),
        )));
    }
    if plan.mpi.eager_completion == EagerCompletion::Injected {
        let message =
            format!("an eager send would complete up to {} packets too early", coarsen - 1);
        let how = remedy("set eager_completion to \"posted\"");
        faults.note(Err(PlanError::new("mpi.eager_completion", "\"injected\"", message, how)));
    }
    if plan.mpi.rendezvous_completion == RendezvousCompletion::Injected {
        let message =
            format!("a rendezvous would complete up to {} packets too early", coarsen - 1);
        let how = remedy("set rendezvous_completion to \"acknowledged\"");
        faults.note(Err(PlanError::new("mpi.rendezvous_completion", "\"injected\"", message, how)));
    }
    faults.result()?;
    check_messages(plan)
}

/// Appends the remedy that always helps to the key's own remedy.
fn remedy(own: &str) -> String {
    format!("{own}, or set detail to \"packet\"")
}

/// Checks the stages of the router that would change the latency of messages in coarse packets.
fn stages(router: &RouterConfig) -> impl Iterator<Item = Result<(), PlanError>> {
    let refused = |found: bool, key: &str, value: &str, message: &str, own: &str| {
        let fault = || PlanError::new(&format!("router.{key}"), value, message, remedy(own));
        if found { Err(fault()) } else { Ok(()) }
    };
    let gap = |key: &str, gap: u32| {
        let message =
            "a virtual channel pauses after each packet, and a coarse run has fewer packets";
        refused(gap > 0, key, &gap.to_string(), message, "set it to 0")
    };
    [
        refused(
            router.flow_control == FlowControl::Wormhole,
            "flow_control",
            "\"wormhole\"",
            "the simulation handles every flit, so larger packets would not make it faster",
            "set it to \"virtual_cut_through\"",
        ),
        refused(
            router.flow_control == FlowControl::StoreAndForward,
            "flow_control",
            "\"store_and_forward\"",
            "each link adds the time of a whole packet, and coarse packets take longer",
            "set it to \"virtual_cut_through\"",
        ),
        refused(
            router.buffer_unit == BufferUnit::Packet,
            "buffer_unit",
            "\"packet\"",
            "a short message would occupy the room of a coarse packet",
            "set it to \"flit\"",
        ),
        gap("input_vc_gap", router.input_vc_gap),
        gap("output_vc_gap", router.output_vc_gap),
    ]
    .into_iter()
}

/// Checks the links of routers without serialization. A message then waits for its last packet on
/// the slowest link of the path, which must be known.
fn check_speeds(plan: &Plan) -> Result<(), PlanError> {
    let terminal = plan.links.terminal.bandwidth_bytes_per_s;
    let slower =
        plan.links.by_class().into_iter().find(|(_, link)| link.bandwidth_bytes_per_s < terminal);
    let crossbar = plan.router.crossbar_bandwidth < terminal;
    if plan.router.serialization != Serialization::None || (slower.is_none() && !crossbar) {
        return Ok(());
    }
    let name =
        slower.map_or("the crossbar".to_owned(), |(class, _)| format!("{} links", class.name()));
    let verb = if slower.is_some() { "are" } else { "is" };
    let message = format!(
        "{name} {verb} slower than terminal links, so the end of a coarse packet is not known from its head"
    );
    Err(PlanError::new(
        "router.serialization",
        "\"none\"",
        message,
        remedy("set it to \"counted\""),
    ))
}

/// The messages of a job: those that fit one packet, all, and the packets of all.
#[derive(Clone, Copy)]
struct MessageCounts {
    small: u64,
    all: u64,
    packets: u64,
}

thread_local! {
    /// The counts of jobs of earlier plans, by all values that they depend on. Plans of a sweep
    /// differ in routing and placement only, and long programs take a second to walk through.
    static KNOWN: RefCell<BTreeMap<String, MessageCounts>> = const { RefCell::new(BTreeMap::new()) };
}
/// The most counts that are kept.
const MOST_KNOWN: usize = 256;

/// Counts the messages of a job of a plan in packets of `fine` bytes; `None` for a pattern.
fn message_counts(
    plan: &Plan,
    number: usize,
    fine: u64,
) -> Result<Option<MessageCounts>, PlanError> {
    let job = &plan.jobs[number];
    let of = (&job.name, &job.workload, job.ranks, &plan.mpi.collectives, plan.seed, fine);
    let key = serde_json::to_string(&of).ok();
    let known = key.as_ref().and_then(|key| KNOWN.with_borrow(|known| known.get(key).copied()));
    if known.is_some() {
        return Ok(known);
    }
    let Some(found) = communication::of_job(plan, number)? else { return Ok(None) };
    let mut counts = MessageCounts { small: 0, all: 0, packets: 0 };
    for (bytes, count) in found.sizes {
        counts.small += if bytes <= fine { count } else { 0 };
        counts.all += count;
        counts.packets += count * bytes.div_ceil(fine).max(1);
    }
    if let Some(key) = key {
        KNOWN.with_borrow_mut(|known| {
            if known.len() >= MOST_KNOWN {
                known.clear();
            }
            known.insert(key, counts);
        });
    }
    Ok(Some(counts))
}

/// Checks that jobs send messages of several packets. Messages of one packet do not become faster,
/// and they wait for coarse packets of other messages.
fn check_messages(plan: &Plan) -> Result<(), PlanError> {
    let fine = u64::from(plan.packet_bytes / plan.detail.coarsen);
    let mut faults = Faults::default();
    for (number, job) in plan.jobs.iter().enumerate() {
        let Some(MessageCounts { small, all, packets }) = message_counts(plan, number, fine)?
        else {
            continue;
        };
        if 2 * small <= packets {
            continue;
        }
        let message = format!(
            "{small} of the {all} messages of job {:?} fit one packet of {fine} B; coarsening would change neither them nor most of its packets",
            job.name
        );
        let own = "give it longer messages, or set detail to \"packet\"";
        faults.note(Err(PlanError::new(
            &format!("jobs[{number}].workload"),
            &job.application,
            message,
            own,
        )));
    }
    faults.result()
}

/// Checks that buffers hold at least two coarse packets.
fn check_buffers(plan: &Plan) -> Result<(), PlanError> {
    let coarsen = plan.detail.coarsen;
    let packet = plan.packet_bytes / plan.flit_bytes;
    let mut faults = Faults::default();
    // `room`: number of the machine's packets that the buffer holds.
    let short = |key: &str, value: u32, room: u32| {
        let holds = room / coarsen;
        let packets = if holds == 1 { "packet" } else { "packets" };
        let possible = [4, 2].into_iter().find(|&less| less < coarsen && room / less >= 2);
        let less = possible
            .map_or("set detail to \"packet\"".to_owned(), |less| format!("coarsen by {less}"));
        let message = format!(
            "holds {holds} coarse {packets} of {} B where it must hold two",
            plan.packet_bytes
        );
        PlanError::new(key, value, message, format!("enlarge it, or {less}"))
    };
    for (key, flits) in [
        ("router.input_buffer_flits", plan.router.input_buffer),
        ("router.output_buffer_flits", plan.router.output_buffer),
    ] {
        if flits > 0 && flits < 2 * packet {
            faults.note(Err(short(key, flits, flits / (packet / coarsen))));
        }
    }
    if plan.nic.latency_from == LatencyFrom::Nic && plan.nic.buffer_packets == 1 {
        faults.note(Err(short("nic.buffer_packets", 1, coarsen)));
    }
    faults.result()
}
