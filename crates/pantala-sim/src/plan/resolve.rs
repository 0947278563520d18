//! The checks of a plan, and the values that they fill in.

use crate::error::{Faults, PlanError};
use crate::plan::coarsen;
use crate::plan::deadlock;
use crate::plan::fabric_config::fabric_config;
use crate::plan::form::*;
use crate::plan::network;
use crate::plan::placement;
use crate::plan::q_tables;
use crate::plan::ranges;
use crate::plan::records;
use crate::plan::routings;
use crate::plan::skipping;
use pantala_engine::{Time, transfer_time};
use pantala_fabric::config::{
    Arbiter, BufferUnit, CreditCheck, CreditLatency, CrossbarClock, CrossbarContention,
    CrossbarDelay, FlowControl, InputQueue, LinkClock, LinkDecision, LinkOrder, Release,
    RouterConfig, Serialization,
};
use pantala_mpi::NicOrder;
use pantala_routing::learning::QTable;
use pantala_topology::Topology;
use pantala_workload::WorkloadSpec;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A resolved plan and its topology.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The plan with all values filled in.
    pub plan: Plan,
    /// The topology of the plan.
    pub topology: Arc<Topology>,
    /// The estimates that q_adaptive starts from, if the plan names a file.
    pub estimates: Option<QTable>,
}

/// Reads a plan.
///
/// # Errors
/// A [`PlanError`] that names the place in the text if it is not a plan of [`PLAN_VERSION`].
pub fn parse(text: &str) -> Result<Plan, PlanError> {
    const REMEDY: &str = "write plans with `pantala check FILE --plan plan.json`";
    // Most plans have no fault. The reader below takes longer and finds its place.
    let plan = serde_json::from_str::<Plan>(text).ok();
    if let Some(plan) = plan.filter(|plan| plan.plan_version == PLAN_VERSION) {
        return Ok(plan);
    }
    let value: serde_json::Value = serde_json::from_str(text)
        .map_err(|e| PlanError::new("plan", "?", format!("not JSON: {e}"), REMEDY))?;
    match value.get("plan_version").and_then(serde_json::Value::as_u64) {
        Some(version) if version == u64::from(PLAN_VERSION) => {}
        other => {
            let value = other.map_or("absent".to_owned(), |v| v.to_string());
            return Err(PlanError::new(
                "plan_version",
                value,
                format!("this version of Pantala reads plans of version {PLAN_VERSION}"),
                REMEDY,
            ));
        }
    }
    crate::plan::reading::read(&value, REMEDY)
}

/// Checks a plan and fills in node lists, virtual channels and derived values. Resolving a resolved
/// plan changes nothing.
///
/// # Errors
/// A [`PlanError`] for the first fault, with the faults of independent checks.
pub fn resolve(plan: Plan) -> Result<Resolved, PlanError> {
    resolve_from(plan, None)
}

impl Resolved {
    /// Resolves a plan that was made of this one, as [`resolve`] does. The topology and the search
    /// for cycles are not repeated where the plans agree on them.
    ///
    /// # Errors
    /// As [`resolve`].
    pub fn resolve_changed(&self, plan: Plan) -> Result<Self, PlanError> {
        resolve_from(plan, Some(self))
    }
}

fn resolve_from(mut plan: Plan, known: Option<&Resolved>) -> Result<Resolved, PlanError> {
    ranges::check(&plan)?;
    if plan.nic.response_bytes == 0 {
        plan.nic.response_bytes = plan.flit_bytes;
    }
    let topology = match known {
        Some(known) if known.plan.topology == plan.topology => Arc::clone(&known.topology),
        _ => Arc::new(network::resolve(&mut plan.topology)?),
    };
    let mut faults = Faults::default();
    faults.note(check_links(&plan));
    faults.note(check_router(&plan));
    if faults.is_empty() {
        faults.note(check_watchdog(&plan)); // computes with links and times
    }
    faults.note(routings::check(&mut plan, &topology));
    faults.note(check_jobs(&plan));
    faults.note(check_mpi(&plan));
    faults.note(coarsen::check(&plan));
    faults.result()?;
    complete_patterns(&mut plan);
    let nodes = plan.node_map();
    placement::place_jobs(&mut plan, placement::Shape::of(&topology, nodes))?;
    check_patterns(&plan, &topology)?;
    if plan.topology.global_links.is_none() {
        plan.topology.links_per_pair = topology.links_per_pair();
    }
    plan.record.resolve(nodes.nodes(topology.terminals()));
    let estimates = load_estimates(&mut plan, &topology)?;
    let mut derived = derive(&plan, &topology)?;
    records::check_records(&plan, &topology, derived.virtual_channels)?;
    (derived.skip_share, derived.skip_declined) = skipping::resolve(&mut plan)?;
    derived.warnings = deadlock::check(&plan, &topology, known)?;
    derived.coarsened = coarsen::notice(&plan);
    derived.simulated_buffer_flits = coarsen::buffers(&plan);
    derived.q_table_sha256 = estimates.as_ref().map(q_tables::fingerprint);
    plan.derived = Some(derived);
    Ok(Resolved { plan, topology, estimates })
}

/// Returns the estimates that q_adaptive starts from, if the plan names a file.
fn load_estimates(plan: &mut Plan, topology: &Topology) -> Result<Option<QTable>, PlanError> {
    let Some((key, path)) = routings::learned_tables(plan) else {
        return Ok(None);
    };
    let config = fabric_config(plan);
    let untrained = QTable::untrained(&config.routings, config.link_latencies(), topology);
    q_tables::load(&key, &path, &untrained).map(Some)
}

fn check_links(plan: &Plan) -> Result<(), PlanError> {
    if flits_per_packet(plan) > u64::from(u16::MAX) {
        return Err(PlanError::new(
            "packet_bytes",
            plan.packet_bytes,
            format!("a packet has at most {} flits", u16::MAX),
            "take a smaller packet or a larger flit",
        ));
    }
    check_classes(plan)?;
    for (class, link) in plan.links.by_class() {
        let name = class.name();
        check_bandwidth(
            &format!("links.{name}.bandwidth_bytes_per_s"),
            link.bandwidth_bytes_per_s,
            plan.flit_bytes,
        )?;
    }
    let crossbar = plan.router.crossbar_bandwidth;
    check_bandwidth("router.crossbar_bandwidth_bytes_per_s", crossbar, plan.flit_bytes)
}

/// Checks that the plan has the link classes of its topology.
fn check_classes(plan: &Plan) -> Result<(), PlanError> {
    let two = plan.topology.kind == TopologyKind::Dragonfly2d;
    let LinksPlan { local, row, column, .. } = &plan.links;
    for (name, link, wanted) in [("local", local, !two), ("row", row, two), ("column", column, two)]
    {
        if link.is_some() == wanted {
            continue;
        }
        let of = if two { "two dimensions" } else { "one dimension" };
        let key = format!("links.{name}");
        return Err(if wanted {
            PlanError::new(
                &key,
                "absent",
                format!("a Dragonfly of {of} has {name} links"),
                "give their bandwidth and latency",
            )
        } else {
            PlanError::new(
                &key,
                "given",
                format!("a Dragonfly of {of} has no {name} links"),
                "leave the key out",
            )
        });
    }
    Ok(())
}

/// Checks that a flit takes between one picosecond and ten seconds at `bandwidth`.
fn check_bandwidth(key: &str, bandwidth: u64, flit_bytes: u32) -> Result<(), PlanError> {
    if transfer_time(flit_bytes.into(), bandwidth) == 0 {
        let message = format!("a flit of {flit_bytes} bytes would take less than a picosecond");
        return Err(PlanError::new(
            key,
            bandwidth,
            message,
            "lower the bandwidth or take a larger flit",
        ));
    }
    if u64::from(flit_bytes) / bandwidth >= 10 {
        let message = format!("a flit of {flit_bytes} bytes would take ten seconds or more");
        return Err(PlanError::new(
            key,
            bandwidth,
            message,
            "raise the bandwidth or take a smaller flit",
        ));
    }
    Ok(())
}

/// Checks that the watchdog's time exceeds the longest time of a hop.
fn check_watchdog(plan: &Plan) -> Result<(), PlanError> {
    let needed = in_round_numbers(longest_hop(plan));
    if plan.stop.watchdog_ps >= needed {
        return Ok(());
    }
    let slowest = plan.links.by_class().into_iter().max_by_key(|(_, link)| link.latency_ps);
    let link = slowest.map_or(String::new(), |(class, link)| {
        format!(" (latency of the {} links: {} ps)", class.name(), link.latency_ps)
    });
    Err(PlanError::new(
        "stop.watchdog_ps",
        plan.stop.watchdog_ps,
        format!("a packet may need {needed} ps for a hop{link}, and would count as stuck"),
        format!("set stop.watchdog to {needed} ps or more"),
    ))
}

/// Rounds a time up to two digits.
fn in_round_numbers(time: Time) -> Time {
    let unit = 10_u64.pow(time.checked_ilog10().unwrap_or(0).saturating_sub(1));
    time.div_ceil(unit).saturating_mul(unit)
}

/// Returns the longest time of a hop without a deadlock: router, crossbar and slowest link, with
/// the return of the credits. A factor of two allows for packets that go first.
fn longest_hop(plan: &Plan) -> Time {
    let flits = flits_per_packet(plan);
    let flit = |bandwidth: u64| transfer_time(plan.flit_bytes.into(), bandwidth);
    let on_links = plan.links.by_class().into_iter().map(|(_, link)| {
        link.latency_ps
            .saturating_mul(2)
            .saturating_add(flits.saturating_mul(flit(link.bandwidth_bytes_per_s)))
    });
    let router = &plan.router;
    let inside = router.input_latency.saturating_add(router.output_latency).saturating_mul(2);
    let crossbar =
        flits.saturating_mul(flit(router.crossbar_bandwidth)).saturating_add(router.credit_delay);
    let longest = on_links.max().unwrap_or(0);
    longest.saturating_add(inside).saturating_add(crossbar).saturating_mul(2)
}

fn check_router(plan: &Plan) -> Result<(), PlanError> {
    let packet = flits_per_packet(plan) / u64::from(plan.detail.coarsen);
    let router = &plan.router;
    for (key, flits, unlimited) in [
        ("router.input_buffer_flits", router.input_buffer, false),
        ("router.output_buffer_flits", router.output_buffer, true),
    ] {
        if unlimited && flits == 0 {
            continue;
        }
        let by_flits = router.flow_control == FlowControl::Wormhole && flits > 0;
        if u64::from(flits) < packet && !by_flits {
            return Err(PlanError::new(
                key,
                flits,
                format!(
                    "a buffer must hold a whole packet of {packet} flits (virtual cut-through)"
                ),
                "enlarge the buffer or shrink the packet",
            ));
        }
    }
    if router.output_vc_gap > 0 && router.crossbar_contention == CrossbarContention::Port {
        return Err(PlanError::new(
            "router.output_vc_gap",
            router.output_vc_gap,
            "packets do not hold output virtual channels where they contend for ports",
            "give 0, or a crossbar_contention of \"vc\" or \"port_and_vc\"",
        ));
    }
    if router.arbiter == Arbiter::Islip {
        let contends = router.crossbar_contention == CrossbarContention::PortAndVc;
        let because =
            "it matches input ports with output ports once output virtual channels are allocated";
        require(
            "arbiter",
            ["islip", "round_robin"],
            because,
            &[("crossbar_contention", contends, "port_and_vc")],
        )?;
    }
    let fixed = router.credit_latency == CreditLatency::Fixed;
    if fixed != (router.credit_delay > 0) {
        let (message, remedy) = if fixed {
            (
                "must be more than zero: a credit takes time to return",
                "give a delay of more than zero",
            )
        } else {
            (
                "has no effect: credits have the latency of their link",
                "leave it out, or set credit_latency to \"fixed\"",
            )
        };
        return Err(PlanError::new("router.credit_delay_ps", router.credit_delay, message, remedy));
    }
    if router.flow_control == FlowControl::Wormhole {
        check_wormhole(router)?;
    }
    if router.flow_control == FlowControl::StoreAndForward {
        let counted = router.serialization == Serialization::Counted;
        let because = "a packet moves on only after its tail has arrived";
        let fits = [("serialization", counted, "counted")];
        require("flow_control", ["store_and_forward", "virtual_cut_through"], because, &fits)?;
    }
    if router.link_order == LinkOrder::Arrival {
        check_link_order(router)?;
    }
    if router.link_clock == LinkClock::Flit {
        let fits = [("link_order", router.link_order == LinkOrder::Arrival, "arrival")];
        let because = "a packet gets its flit time on the link when it crosses";
        require("link_clock", ["flit", "none"], because, &fits)?;
    }
    if router.input_queue == InputQueue::VirtualOutput {
        check_virtual_output(router)
    } else {
        Ok(())
    }
}

/// Checks the keys of wormhole routers. A packet owns an output virtual channel until its last flit
/// has crossed, and no key counts packets.
fn check_wormhole(router: &RouterConfig) -> Result<(), PlanError> {
    let contends = router.crossbar_contention == CrossbarContention::PortAndVc;
    let fits = [
        ("input_queue", router.input_queue == InputQueue::Fifo, "fifo"),
        ("crossbar_contention", contends, "port_and_vc"),
        ("serialization", router.serialization == Serialization::Counted, "counted"),
        ("link_decision", router.link_decision == LinkDecision::AtStart, "at_start"),
        ("buffer_unit", router.buffer_unit == BufferUnit::Flit, "flit"),
    ];
    let because = "each flit advances separately, on virtual channels that its packet holds";
    require("flow_control", ["wormhole", "virtual_cut_through"], because, &fits)
}

/// Checks the keys of routers whose links send in the order of crossing. A packet that waited for
/// credits in the output buffer would hold up those behind it.
fn check_link_order(router: &RouterConfig) -> Result<(), PlanError> {
    let fits = [
        ("credit_check", router.credit_check == CreditCheck::Crossbar, "crossbar"),
        ("input_queue", router.input_queue == InputQueue::Fifo, "fifo"),
    ];
    let because = "packets leave in the order in which they have crossed";
    require("link_order", ["arrival", "round_robin"], because, &fits)
}

/// Checks the keys of routers with virtual output queues. They have no crossbar keys and take
/// credits before the link.
fn check_virtual_output(router: &RouterConfig) -> Result<(), PlanError> {
    let fits = [
        ("credit_check", router.credit_check == CreditCheck::Crossbar, "crossbar"),
        ("credit_return", router.credit_return == Release::Head, "head"),
        ("crossbar_clock", router.crossbar_clock == CrossbarClock::None, "none"),
        ("crossbar_delay", router.crossbar_delay == CrossbarDelay::None, "none"),
        ("crossbar_contention", router.crossbar_contention == CrossbarContention::Port, "port"),
        ("input_vc_gap", router.input_vc_gap == 0, "0"),
        ("arbiter", router.arbiter == Arbiter::RoundRobin, "round_robin"),
    ];
    let because = "packets bypass the crossbar and move when the link has credits";
    require("input_queue", ["virtual_output", "fifo"], because, &fits)
}

/// Checks the keys that `key` requires: their names, whether they hold, and the required values.
/// The remedy names the second of `names` as the alternative value of `key`.
fn require(
    key: &str,
    names: [&str; 2],
    because: &str,
    fits: &[(&str, bool, &str)],
) -> Result<(), PlanError> {
    let [given, instead] = names;
    match fits.iter().find(|(_, fits, _)| !fits) {
        None => Ok(()),
        Some((other, _, only)) => Err(PlanError::new(
            &format!("router.{key}"),
            format!("{given:?}"),
            format!("{because}: {other} = {only}"),
            format!("set {other} to {only}, or {key} to {instead:?}"),
        )),
    }
}

/// Checks the keys of MPI that exclude each other.
fn check_mpi(plan: &Plan) -> Result<(), PlanError> {
    let mpi = &plan.mpi;
    if mpi.nic_order == NicOrder::Fifo || mpi.gap_ps == 0 && mpi.gap_per_byte_fs == 0 {
        return Ok(());
    }
    let (key, value) = match mpi.gap_ps {
        0 => ("mpi.gap_per_byte_fs", mpi.gap_per_byte_fs),
        gap => ("mpi.gap_ps", gap),
    };
    Err(PlanError::new(
        key,
        value,
        "the gaps of LogGP do not apply to a NIC that sends gets apart",
        "remove it, or set mpi.nic_order to \"fifo\"",
    ))
}

fn check_jobs(plan: &Plan) -> Result<(), PlanError> {
    if plan.jobs.is_empty() {
        return Err(PlanError::new("jobs", "[]", "no jobs", "add at least one [[jobs]] table"));
    }
    if plan.jobs.len() > usize::from(u16::MAX) {
        return Err(PlanError::new(
            "jobs",
            plan.jobs.len(),
            "too many jobs",
            "give at most 65,535",
        ));
    }
    let mut faults = Faults::default();
    for index in 0..plan.jobs.len() {
        faults.note(check_job(plan, index));
    }
    for name in &plan.stop.target {
        faults.note(check_target(plan, name));
    }
    if faults.is_empty() && !plan.awaited().contains(&true) && plan.stop.duration_ps == 0 {
        let message = "no job ends by itself: patterns and repeated jobs do not";
        faults.note(Err(PlanError::new("stop.duration_ps", 0, message, "set stop.duration")));
    }
    faults.result()
}

/// Checks that a target is a job that ends by itself.
fn check_target(plan: &Plan, name: &str) -> Result<(), PlanError> {
    let message = match plan.jobs.iter().find(|job| job.name == name) {
        None => "is not the name of a job",
        Some(job) if !job.ends_by_itself() => "does not end by itself",
        Some(_) => return Ok(()),
    };
    let remedy = "name jobs without pattern, repeat and end";
    Err(PlanError::new("stop.target", format!("{name:?}"), message, remedy))
}

fn check_job(plan: &Plan, index: usize) -> Result<(), PlanError> {
    let job = &plan.jobs[index];
    check_ranks_per_node(index, job)?;
    check_time(index, job)?;
    check_order(index, job)?;
    if plan.jobs[..index].iter().any(|other| other.name == job.name) {
        return Err(PlanError::new(
            &format!("jobs[{index}].name"),
            format!("{:?}", job.name),
            "another job has this name",
            "give each job its own name: results and random streams use it",
        ));
    }
    job.workload
        .check(job.ranks)
        .map_err(|fault| PlanError::at(&format!("jobs[{index}].workload"), fault))
}

/// Checks the end and the repetition of a job.
fn check_time(index: usize, job: &JobPlan) -> Result<(), PlanError> {
    let key = |name: &str| format!("jobs[{index}].{name}");
    if job.end_ps > 0 && job.end_ps <= job.start_ps {
        let message = format!("is not after the start of the job ({} ps)", job.start_ps);
        return Err(PlanError::new(&key("end_ps"), job.end_ps, message, "set a later end"));
    }
    if !job.repeat || !job.workload.is_endless() {
        return Ok(());
    }
    let message = "a pattern never ends, so it cannot repeat";
    Err(PlanError::new(&key("repeat"), true, message, "leave it out"))
}

/// Checks that the order of a contiguous job's nodes has no first node by number.
fn check_order(index: usize, job: &JobPlan) -> Result<(), PlanError> {
    match job.placement {
        PlacementPlan::Contiguous { first_node: Some(first), numbering: Some(_) } => {
            let key = format!("jobs[{index}].placement.first_node");
            let message = "is a node's number, but numbering puts the nodes into another order";
            Err(PlanError::new(&key, first, message, "remove first_node or numbering"))
        }
        _ => Ok(()),
    }
}

/// Checks that a pattern has one rank per node.
fn check_ranks_per_node(index: usize, job: &JobPlan) -> Result<(), PlanError> {
    if job.ranks_per_node == 1 || !job.workload.is_endless() {
        return Ok(());
    }
    Err(PlanError::new(
        &format!("jobs[{index}].ranks_per_node"),
        job.ranks_per_node,
        "a pattern has one rank per node",
        "leave it out, or run a motif",
    ))
}

/// Fills in the open values of patterns.
fn complete_patterns(plan: &mut Plan) {
    for job in &mut plan.jobs {
        if let WorkloadSpec::Pattern(pattern) = &mut job.workload {
            pattern.complete(job.ranks);
        }
    }
}

/// Checks the nodes of patterns that depend on groups.
fn check_patterns(plan: &Plan, topology: &Topology) -> Result<(), PlanError> {
    let nodes = plan.node_map();
    let group = |node: u32| topology.group_of_terminal(nodes.first_nic(node));
    for (index, job) in plan.jobs.iter().enumerate() {
        if let WorkloadSpec::Pattern(pattern) = &job.workload {
            let groups: Vec<u32> = job.nodes.iter().map(|&node| group(node)).collect();
            pattern
                .destination_distribution(&groups, plan.packet_bytes)
                .map_err(|fault| PlanError::at(&format!("jobs[{index}].workload"), fault))?;
        }
    }
    Ok(())
}

pub(crate) fn flits_per_packet(plan: &Plan) -> u64 {
    u64::from(plan.packet_bytes.div_ceil(plan.flit_bytes.max(1)))
}

fn derive(plan: &Plan, topology: &Topology) -> Result<Derived, PlanError> {
    let time = |bandwidth: u64| transfer_time(plan.flit_bytes.into(), bandwidth);
    let error = |bandwidth: u64| {
        let exact = f64::from(plan.flit_bytes) * 1e12 / bandwidth as f64;
        (time(bandwidth) as f64 / exact - 1.0) * 1e6
    };
    let mut bandwidths: Vec<(&str, u64)> = plan
        .links
        .by_class()
        .iter()
        .map(|(class, link)| (class.name(), link.bandwidth_bytes_per_s))
        .collect();
    bandwidths.push(("crossbar", plan.router.crossbar_bandwidth));
    let links = network::links_by_class(topology);
    let (least, most) = topology.links_between_groups();
    Ok(Derived {
        nodes: plan.node_map().nodes(topology.terminals()),
        routers: topology.routers(),
        groups: topology.groups(),
        ports_per_router: topology.ports_per_router(),
        virtual_channels: routings::virtual_channels(plan),
        failed_links: network::failed_by_class(&plan.topology, &links)?,
        links,
        links_per_pair: least,
        most_links_per_pair: (most > least).then_some(most),
        flits_per_packet: flits_per_packet(plan) as u32,
        flit_time_ps: bandwidths
            .iter()
            .map(|&(name, rate)| (name.to_owned(), time(rate)))
            .collect(),
        flit_time_error_ppm: bandwidths
            .iter()
            .map(|&(name, rate)| (name.to_owned(), error(rate)))
            .collect(),
        coarsened: None,
        skip_share: None,
        skip_declined: None,
        simulated_buffer_flits: BTreeMap::new(),
        q_table_sha256: None,
        warnings: Vec::new(),
    })
}
