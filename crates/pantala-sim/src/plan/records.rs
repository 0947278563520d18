//! Checks of what a plan records of links: windows, filters, and memory.

use crate::error::PlanError;
use crate::plan::link_class::DirectedClass;
use crate::plan::{PacketRecord, Plan, PortSplit};
use pantala_engine::LONGEST_TIME;
use pantala_topology::{LinkClass, Topology};

/// The most memory that the records of links may take.
const MOST_BYTES: u64 = 8 << 30;

/// Bytes of a sum of port_windows, and of a count of the fabric.
const SUM: u64 = 160;
const CELL: u64 = 40;

/// Bytes of a sum of blame or of calls.
const SUM_OF_BLAME: u64 = 8;

/// The names of calls that a job uses, as far as memory is estimated.
const CALLS: u64 = 8;

/// Checks the records of links.
pub(crate) fn check_records(plan: &Plan, topology: &Topology, vcs: u8) -> Result<(), PlanError> {
    let record = &plan.record;
    let windows = [
        ("ports", record.ports.as_ref().map(|ports| &ports.windows_ps)),
        ("system", record.system.as_ref().map(|system| &system.windows_ps)),
        ("routers", record.routers.as_ref().map(|routers| &routers.windows_ps)),
    ];
    // A window of zero is refused before another one is divided by it.
    let all = windows.iter().filter_map(|(_, lengths)| *lengths).flatten().copied();
    let shortest = all.filter(|length| *length > 0).min();
    for (name, lengths) in windows {
        for (place, &length) in lengths.into_iter().flatten().enumerate() {
            let key = format!("record.{name}.windows_ps[{place}]");
            check_window(&key, length, shortest.unwrap_or(length), plan.stop.duration_ps)?;
        }
    }
    if let Some(ports) = &record.ports {
        check_routers("record.ports.routers", &ports.routers, topology)?;
        check_jobs("record.ports.jobs", &ports.jobs, plan)?;
        if !ports.jobs.is_empty() && !ports.split.contains(&PortSplit::Job) {
            return Err(PlanError::new(
                "record.ports.jobs",
                ports.jobs.len(),
                "has no effect: rows do not tell jobs apart",
                "add job to record.ports.split",
            ));
        }
        let known: Vec<&str> = classes(topology).map(DirectedClass::name).collect();
        if let Some(class) = ports.classes.iter().find(|class| !known.contains(&class.as_str())) {
            let message = "the machine has no such link class";
            let remedy = format!("choose among {}", known.join(", "));
            let class = class.escape_debug();
            return Err(PlanError::new("record.ports.classes", class, message, remedy));
        }
    }
    if let Some(routers) = &record.routers {
        check_routers("record.routers.routers", &routers.routers, topology)?;
        check_jobs("record.routers.jobs", &routers.jobs, plan)?;
    }
    check_packets(plan, topology)?;
    check_ranks(plan)?;
    check_blame(plan, topology)?;
    check_calls(plan)?;
    check_memory(plan, topology, u64::from(vcs))
}

/// Checks the choice of packets, and the windows of routing.
fn check_packets(plan: &Plan, topology: &Topology) -> Result<(), PlanError> {
    let (record, duration) = (&plan.record, plan.stop.duration_ps);
    check_jobs("record.packet_jobs", &record.packet_jobs, plan)?;
    check_routers("record.packet_routers", &record.packet_routers, topology)?;
    let (from, until) = (record.packet_from_ps, record.packet_until_ps);
    if until > 0 && until <= from {
        let message = format!("is not after packet_from, {from} ps, so no packet has a row");
        return Err(PlanError::new("record.packet_until_ps", until, message, "give a later time"));
    }
    for (key, time) in [("record.packet_from_ps", from), ("record.packet_until_ps", until)] {
        // A time from which no packet is left is the end of the run.
        let latest = if key.contains("from") { duration.saturating_sub(1) } else { duration };
        if duration > 0 && time > latest {
            let message = format!("is beyond the run of {duration} ps");
            return Err(PlanError::new(key, time, message, "give an earlier time"));
        }
    }
    let chooses = !record.packet_jobs.is_empty() || !record.packet_routers.is_empty();
    if record.packets == PacketRecord::Off && (record.packet_paths || chooses) {
        let message = "has no effect: record.packets is off, so no packet has a row";
        let remedy = "set record.packets to all or sampled, or leave the key out";
        let key = if record.packet_paths {
            "record.packet_paths"
        } else if record.packet_jobs.is_empty() {
            "record.packet_routers"
        } else {
            "record.packet_jobs"
        };
        let value = if record.packet_paths { "true" } else { "..." };
        return Err(PlanError::new(key, value, message, remedy));
    }
    for (key, windows) in [
        ("record.routing_windows_ps", record.routing_windows_ps),
        ("record.latency_windows_ps", record.latency_windows_ps),
        ("record.nic_windows_ps", record.nic_windows_ps),
        ("record.call_windows_ps", record.call_windows_ps),
    ] {
        if windows > 0 {
            check_window(key, windows, windows, duration)?;
        }
    }
    if record.nic_windows_ps > 0 && !plan.nic.responses {
        let message = "has no effect: NICs send no responses, so no latency ends at a NIC";
        let remedy = "set machine.nic.responses to true, or leave the key out";
        return Err(PlanError::new(
            "record.nic_windows_ps",
            record.nic_windows_ps,
            message,
            remedy,
        ));
    }
    Ok(())
}

/// Checks the records of messages and calls.
fn check_ranks(plan: &Plan) -> Result<(), PlanError> {
    let record = &plan.record;
    if record.unexpected && !record.messages {
        let message = "has no effect: record.messages is false, so no message has a row";
        let remedy = "set record.messages to true, or leave the key out";
        return Err(PlanError::new("record.unexpected", true, message, remedy));
    }
    let Some(events) = &record.call_events else { return Ok(()) };
    check_jobs("record.call_events.jobs", &events.jobs, plan)?;
    let chosen = |name: &String| events.jobs.is_empty() || events.jobs.contains(name);
    let jobs = plan.jobs.iter().filter(|job| chosen(&job.name));
    let most = jobs.map(|job| job.ranks).max().unwrap_or(0);
    match events.ranks.iter().find(|&&rank| rank >= most) {
        None => Ok(()),
        Some(rank) => {
            let message = format!("the chosen jobs have at most {most} ranks, numbered from 0");
            let remedy = format!("give numbers below {most}");
            Err(PlanError::new("record.call_events.ranks", rank, message, remedy))
        }
    }
}

fn check_window(key: &str, length: u64, shortest: u64, duration: u64) -> Result<(), PlanError> {
    if length == 0 || length > LONGEST_TIME {
        let message = format!("a window is from 1 to {LONGEST_TIME} ps long");
        return Err(PlanError::new(key, length, message, "give a time such as 10 us"));
    }
    if duration > 0 && length > duration {
        let message = format!("the window is longer than the run of {duration} ps");
        return Err(PlanError::new(key, length, message, "leave it out for the whole run"));
    }
    if length % shortest != 0 {
        let message = format!("is no multiple of the shortest window of the links, {shortest} ps");
        return Err(PlanError::new(key, length, message, "give a multiple of the shortest window"));
    }
    Ok(())
}

fn check_routers(key: &str, numbers: &[u32], topology: &Topology) -> Result<(), PlanError> {
    let count = topology.routers();
    match numbers.iter().find(|&&number| number >= count) {
        None => Ok(()),
        Some(number) => {
            let message = format!("there are {count} routers, numbered from 0");
            Err(PlanError::new(key, number, message, format!("give numbers below {count}")))
        }
    }
}

fn check_jobs(key: &str, names: &[String], plan: &Plan) -> Result<(), PlanError> {
    let known: Vec<&str> = plan.jobs.iter().map(|job| job.name.as_str()).collect();
    match names.iter().find(|name| !known.contains(&name.as_str())) {
        None => Ok(()),
        Some(name) => {
            let known: Vec<String> =
                known.iter().map(|name| name.escape_debug().to_string()).collect();
            let remedy = format!("choose among {}", known.join(", "));
            Err(PlanError::new(key, name.escape_debug(), "no job has this name", remedy))
        }
    }
}

fn classes(topology: &Topology) -> impl Iterator<Item = DirectedClass> + '_ {
    let has = |class: LinkClass| topology.has_class(class);
    LinkClass::ALL.into_iter().filter(move |class| has(*class)).flat_map(|class| {
        let injection = (class == LinkClass::Terminal).then_some(DirectedClass::Injection);
        injection.into_iter().chain([DirectedClass::of_output(class)])
    })
}

/// Refuses a record of blame that needs more memory than [`MOST_BYTES`]: a sum for each window,
/// link class and pair of jobs. A run without a duration has an unknown number of windows.
fn check_blame(plan: &Plan, topology: &Topology) -> Result<(), PlanError> {
    let Some(blame) = &plan.record.blame else { return Ok(()) };
    let windows = plan.stop.duration_ps.div_ceil(blame.window_ps.max(1)).max(1);
    let jobs = plan.jobs.len().max(1) as u64;
    let cells = jobs.saturating_mul(jobs).saturating_mul(classes(topology).count() as u64);
    let bytes = windows.saturating_mul(cells).saturating_mul(SUM_OF_BLAME);
    if blame.groups || blame.links > 0 {
        check_places(jobs, topology)?;
    }
    let what = format!("{windows} windows of {jobs} x {jobs} jobs");
    let key = ("record.blame.window_ps", blame.window_ps.to_string());
    check_bytes(bytes, &what, key, "give longer windows")
}

/// Refuses a record of blame by place that needs more memory than [`MOST_BYTES`]: a sum for each link
/// and pair of jobs. The cells of its windows are bounded.
fn check_places(jobs: u64, topology: &Topology) -> Result<(), PlanError> {
    let links = u64::from(topology.routers() * topology.ports_per_router() + topology.terminals());
    let bytes = links.saturating_mul(jobs.saturating_mul(jobs)).saturating_mul(SUM_OF_BLAME);
    let what = format!("{jobs} x {jobs} jobs at {links} links");
    let remedy = "set groups = false and links = 0, or run fewer jobs";
    check_bytes(bytes, &what, ("record.blame", "...".to_owned()), remedy)
}

/// Refuses windows of calls that need more memory than [`MOST_BYTES`]: a sum for each window, job and
/// call. A run without a duration has an unknown number of windows.
fn check_calls(plan: &Plan) -> Result<(), PlanError> {
    let length = plan.record.call_windows_ps;
    let windows = plan.stop.duration_ps.checked_div(length).unwrap_or(0);
    let sums = windows.saturating_mul(plan.jobs.len() as u64).saturating_mul(CALLS);
    let bytes = sums.saturating_mul(SUM_OF_BLAME);
    let key = ("record.call_windows_ps", length.to_string());
    check_bytes(bytes, &format!("{windows} windows"), key, "give longer windows")
}

/// Refuses what needs more memory than [`MOST_BYTES`].
fn check_bytes(
    bytes: u64,
    what: &str,
    (key, value): (&str, String),
    remedy: &str,
) -> Result<(), PlanError> {
    if bytes <= MOST_BYTES {
        return Ok(());
    }
    let (needed, most) = (gib(bytes), gib(MOST_BYTES));
    let message = format!("{what} need {needed:.1} GiB of memory, more than {most:.0} GiB");
    Err(PlanError::new(key, value, message, remedy))
}

fn gib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 30)
}

/// Refuses records that need more memory than [`MOST_BYTES`].
fn check_memory(plan: &Plan, topology: &Topology, vcs: u64) -> Result<(), PlanError> {
    let record = &plan.record;
    if record.ports.is_none() && record.system.is_none() && record.routers.is_none() {
        return Ok(());
    }
    let links = u64::from(topology.routers() * topology.ports_per_router() + topology.terminals());
    let jobs = plan.jobs.len().max(1) as u64;
    let rows = record.ports.as_ref().map_or(0, |ports| {
        let by = |split, number| if ports.split.contains(&split) { number } else { 1 };
        let lengths = ports.windows_ps.len().max(1) as u64;
        lengths * by(PortSplit::Vc, vcs) * by(PortSplit::Job, jobs) * by(PortSplit::Kind, 2)
    });
    let bytes = links * (vcs * jobs * 2 * CELL + rows * SUM);
    if bytes > MOST_BYTES {
        let message = format!(
            "the records of links need {:.1} GiB of memory, more than {:.0} GiB",
            gib(bytes),
            gib(MOST_BYTES)
        );
        let remedy = "leave out a split or a window, or run fewer jobs";
        return Err(PlanError::new("record.ports", "...", message, remedy));
    }
    Ok(())
}
