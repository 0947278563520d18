//! From a plan with open ends to a plan resolved, and from that to what the fabric needs.

use crate::error::PlanError;
use crate::placement;
use crate::plan::*;
use pantala_engine::{Time, transfer_time};
use pantala_fabric::FabricConfig;
use pantala_fabric::config as fabric;
use pantala_fabric::config::LinkTiming;
use pantala_fabric::routing::{Algorithm, QueueMeasure, QueueScope as Scope, RoutingConfig, UgalConfig};
use pantala_topology::{LinkClass, Topology, Wiring};
use pantala_workload::WorkloadSpec;
use pantala_workload::motifs::bounded;

/// A plan resolved, with the topology it describes.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// Every default filled in.
    pub plan: Plan,
    /// Built from it.
    pub topology: Topology,
}

/// Reads a plan.
///
/// # Errors
/// A [`PlanError`] naming the place in the text if it is not a plan of [`PLAN_VERSION`].
pub fn parse(text: &str) -> Result<Plan, PlanError> {
    const REMEDY: &str = "write plans with `pantala check FILE --plan plan.json`";
    let value: serde_json::Value =
        serde_json::from_str(text).map_err(|e| PlanError::new("plan", "?", format!("not JSON: {e}"), REMEDY))?;
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
    serde_json::from_value(value).map_err(|e| PlanError::new("plan", "?", e.to_string(), REMEDY))
}

/// Checks a plan and fills in what it leaves open: node lists, VCs, derived figures. Resolving twice changes nothing.
///
/// # Errors
/// A [`PlanError`] for the first fault found.
pub fn resolve(mut plan: Plan) -> Result<Resolved, PlanError> {
    let wiring: Wiring = plan.topology.wiring.parse().map_err(PlanError::from)?;
    let topology = Topology::dragonfly(&plan.topology.spec(wiring))?;
    check_links(&plan)?;
    check_router(&plan)?;
    check_times(&plan)?;
    let channels = check_routing(&plan)?;
    if plan.routing.virtual_channels == 0 {
        plan.routing.virtual_channels = channels;
    }
    plan.mpi.check().map_err(|fault| PlanError::at("mpi", fault))?;
    check_jobs(&plan)?;
    placement::place(&mut plan.jobs, topology.nodes(), plan.seed)?;
    check_patterns(&plan, &topology)?;
    plan.topology.links_per_pair = topology.links_per_pair();
    plan.derived = Some(derive(&plan, &topology));
    Ok(Resolved { plan, topology })
}

fn links(plan: &Plan) -> [(&'static str, &LinkPlan); 3] {
    [("terminal", &plan.links.terminal), ("local", &plan.links.local), ("global", &plan.links.global)]
}

fn positive(key: &str, value: u64, unit: &str) -> Result<(), PlanError> {
    if value == 0 {
        return Err(PlanError::new(key, 0, "must be more than zero", format!("give a positive {unit}")));
    }
    Ok(())
}

fn check_links(plan: &Plan) -> Result<(), PlanError> {
    positive("flit_bytes", plan.flit_bytes.into(), "size")?;
    positive("packet_bytes", plan.packet_bytes.into(), "size")?;
    if flits_per_packet(plan) > u64::from(u16::MAX) {
        return Err(PlanError::new(
            "packet_bytes",
            plan.packet_bytes,
            format!("a packet has at most {} flits", u16::MAX),
            "take a smaller packet or a larger flit",
        ));
    }
    for (name, link) in links(plan) {
        check_bandwidth(&format!("links.{name}.bandwidth_bytes_per_s"), link.bandwidth_bytes_per_s, plan.flit_bytes)?;
        positive(&format!("links.{name}.latency_ps"), link.latency_ps, "latency: what crosses a link takes time")?;
    }
    let crossbar = plan.router.crossbar_bandwidth_bytes_per_s;
    check_bandwidth("router.crossbar_bandwidth_bytes_per_s", crossbar, plan.flit_bytes)
}

/// A flit takes a whole picosecond at least and ten seconds at most, at `bandwidth`.
fn check_bandwidth(key: &str, bandwidth: u64, flit_bytes: u32) -> Result<(), PlanError> {
    positive(key, bandwidth, "bandwidth")?;
    if transfer_time(flit_bytes.into(), bandwidth) == 0 {
        let message = format!("a flit of {flit_bytes} bytes would take less than a picosecond");
        return Err(PlanError::new(key, bandwidth, message, "lower the bandwidth or take a larger flit"));
    }
    if u64::from(flit_bytes) / bandwidth >= 10 {
        let message = format!("a flit of {flit_bytes} bytes would take ten seconds or more");
        return Err(PlanError::new(key, bandwidth, message, "raise the bandwidth or take a smaller flit"));
    }
    Ok(())
}

/// Times: none so long that sums of them could leave the clock, and a watchdog that outlasts what packets do need.
fn check_times(plan: &Plan) -> Result<(), PlanError> {
    positive("record.window_ps", plan.record.window_ps, "window")?;
    positive("record.packet_sample", plan.record.packet_sample.into(), "number")?;
    positive("stop.watchdog_ps", plan.stop.watchdog_ps, "time")?;
    let of_links = links(plan).map(|(name, link)| (format!("links.{name}.latency_ps"), link.latency_ps));
    let of_jobs = plan.jobs.iter().enumerate().map(|(index, job)| (format!("jobs[{index}].start_ps"), job.start_ps));
    let others = [
        ("router.input_latency_ps", plan.router.input_latency_ps),
        ("router.output_latency_ps", plan.router.output_latency_ps),
        ("record.window_ps", plan.record.window_ps),
        ("stop.duration_ps", plan.stop.duration_ps),
        ("stop.watchdog_ps", plan.stop.watchdog_ps),
    ];
    let others = others.map(|(key, time)| (key.to_owned(), time));
    for (key, time) in of_links.into_iter().chain(of_jobs).chain(others) {
        bounded(&key, time).map_err(|fault| PlanError::at("", fault))?;
    }
    let needed = longest_hop(plan);
    if plan.stop.watchdog_ps < needed {
        return Err(PlanError::new(
            "stop.watchdog_ps",
            plan.stop.watchdog_ps,
            "a packet may take longer from one router to the next, and would pass for stuck",
            format!("give at least {needed} ps"),
        ));
    }
    Ok(())
}

/// The longest that a packet may take from one router to the next without being stuck: its turn on the crossbar and on the
/// slowest link, there and, for the credits, back; with a margin of two for whoever is served before it.
fn longest_hop(plan: &Plan) -> Time {
    let flits = flits_per_packet(plan);
    let flit = |bandwidth: u64| transfer_time(plan.flit_bytes.into(), bandwidth);
    let on_links = links(plan).map(|(_, link)| {
        link.latency_ps.saturating_mul(2).saturating_add(flits.saturating_mul(flit(link.bandwidth_bytes_per_s)))
    });
    let router = &plan.router;
    let inside = router.input_latency_ps.saturating_add(router.output_latency_ps).saturating_mul(2);
    let crossbar = flits.saturating_mul(flit(router.crossbar_bandwidth_bytes_per_s));
    let longest = on_links.into_iter().max().unwrap_or(0);
    longest.saturating_add(inside).saturating_add(crossbar).saturating_mul(2)
}

fn check_router(plan: &Plan) -> Result<(), PlanError> {
    let packet = flits_per_packet(plan);
    let router = &plan.router;
    for (key, flits, unlimited) in [
        ("router.input_buffer_flits", router.input_buffer_flits, false),
        ("router.output_buffer_flits", router.output_buffer_flits, true),
    ] {
        if unlimited && flits == 0 {
            continue;
        }
        if u64::from(flits) < packet {
            return Err(PlanError::new(
                key,
                flits,
                format!("a buffer must hold a whole packet of {packet} flits (virtual cut-through)"),
                "enlarge the buffer or shrink the packet",
            ));
        }
        if flits > 1 << 30 {
            return Err(PlanError::new(key, flits, "more than any buffer has", "give at most 2^30 flits"));
        }
    }
    Ok(())
}

fn check_routing(plan: &Plan) -> Result<u8, PlanError> {
    let routing = &plan.routing;
    let Some(algorithm) = Algorithm::from_name(&routing.algorithm) else {
        let names: Vec<&str> = Algorithm::ALL.iter().map(|a| a.name()).collect();
        return Err(PlanError::new(
            "routing.algorithm",
            &routing.algorithm,
            "no such routing",
            format!("one of {}", names.join(", ")),
        ));
    };
    let needed = algorithm.channels().count;
    let given = routing.virtual_channels;
    if given != 0 && given < needed {
        return Err(PlanError::new(
            "routing.virtual_channels",
            given,
            format!("{} needs {needed} virtual channels to be free of deadlock", algorithm.name()),
            format!("give {needed} or more, or leave the key out"),
        ));
    }
    if given > 16 {
        return Err(PlanError::new("routing.virtual_channels", given, "at most 16 virtual channels", "give fewer"));
    }
    if !(routing.threshold.is_finite() && routing.threshold >= 0.0) {
        return Err(PlanError::new(
            "routing.threshold",
            routing.threshold,
            "not a factor",
            "give a number of 0 or more",
        ));
    }
    for (key, value) in [
        ("routing.candidates_minimal", routing.candidates_minimal),
        ("routing.candidates_nonminimal", routing.candidates_nonminimal),
    ] {
        if !(1..=16).contains(&value) {
            return Err(PlanError::new(key, value, "1 to 16 candidates", "give a number in that range"));
        }
    }
    Ok(needed)
}

fn check_jobs(plan: &Plan) -> Result<(), PlanError> {
    if plan.jobs.is_empty() {
        return Err(PlanError::new("jobs", "[]", "no jobs", "add at least one [[jobs]] table"));
    }
    if plan.jobs.len() > usize::from(u16::MAX) {
        return Err(PlanError::new("jobs", plan.jobs.len(), "too many jobs", "give at most 65,535"));
    }
    for (index, job) in plan.jobs.iter().enumerate() {
        if job.ranks == 0 {
            return Err(PlanError::new(
                &format!("jobs[{index}].ranks"),
                0,
                "a job has at least one rank",
                "give a positive number",
            ));
        }
        if plan.jobs[..index].iter().any(|other| other.name == job.name) {
            return Err(PlanError::new(
                &format!("jobs[{index}].name"),
                format!("{:?}", job.name),
                "another job has this name",
                "give every job its own: results and random streams are keyed by it",
            ));
        }
        job.workload.check(job.ranks).map_err(|fault| PlanError::at(&format!("jobs[{index}].workload"), fault))?;
    }
    let endless = plan.jobs.iter().all(|job| job.workload.is_endless());
    if endless && plan.stop.duration_ps == 0 {
        return Err(PlanError::new(
            "stop.duration_ps",
            0,
            "every job is a pattern, and patterns have no end",
            "set stop.duration",
        ));
    }
    Ok(())
}

/// Patterns that follow groups must find them on their nodes.
fn check_patterns(plan: &Plan, topology: &Topology) -> Result<(), PlanError> {
    for (index, job) in plan.jobs.iter().enumerate() {
        if let WorkloadSpec::Pattern(pattern) = &job.workload {
            let groups: Vec<u32> = job.nodes.iter().map(|&node| topology.group_of_node(node)).collect();
            pattern.law(&groups).map_err(|fault| PlanError::at(&format!("jobs[{index}].workload"), fault))?;
        }
    }
    Ok(())
}

fn flits_per_packet(plan: &Plan) -> u64 {
    u64::from(plan.packet_bytes.div_ceil(plan.flit_bytes.max(1)))
}

fn derive(plan: &Plan, topology: &Topology) -> Derived {
    let time = |bandwidth: u64| transfer_time(plan.flit_bytes.into(), bandwidth);
    let error = |bandwidth: u64| {
        let exact = f64::from(plan.flit_bytes) * 1e12 / bandwidth as f64;
        (time(bandwidth) as f64 / exact - 1.0) * 1e6
    };
    let bandwidths = FlitTimes {
        terminal: plan.links.terminal.bandwidth_bytes_per_s,
        local: plan.links.local.bandwidth_bytes_per_s,
        global: plan.links.global.bandwidth_bytes_per_s,
        crossbar: plan.router.crossbar_bandwidth_bytes_per_s,
    };
    let count = |class| topology.links().filter(|link| link.class == class).count() as u64;
    Derived {
        nodes: topology.nodes(),
        routers: topology.routers(),
        groups: topology.groups(),
        ports_per_router: topology.ports_per_router(),
        virtual_channels: plan.routing.virtual_channels,
        local_links: count(LinkClass::Local),
        global_links: count(LinkClass::Global),
        links_per_pair: topology.links_per_pair(),
        flits_per_packet: flits_per_packet(plan) as u32,
        flit_time_ps: bandwidths.map(time),
        flit_time_error_ppm: bandwidths.map(error),
    }
}

impl<T> FlitTimes<T> {
    fn map<U>(&self, f: impl Fn(T) -> U) -> FlitTimes<U>
    where
        T: Copy,
    {
        FlitTimes {
            terminal: f(self.terminal),
            local: f(self.local),
            global: f(self.global),
            crossbar: f(self.crossbar),
        }
    }
}

/// The fabric's view of a resolved plan.
///
/// # Panics
/// If the plan has not been resolved: its routing has no VCs then.
#[must_use]
pub fn fabric_config(plan: &Plan) -> FabricConfig {
    let timing = |link: &LinkPlan| LinkTiming::new(plan.flit_bytes, link.bandwidth_bytes_per_s, link.latency_ps);
    let router = &plan.router;
    let algorithm = Algorithm::from_name(&plan.routing.algorithm).expect("a resolved plan names a routing");
    FabricConfig {
        packet_bytes: plan.packet_bytes,
        flit_bytes: plan.flit_bytes,
        terminal: timing(&plan.links.terminal),
        local: timing(&plan.links.local),
        global: timing(&plan.links.global),
        router: fabric::RouterConfig {
            input_latency: router.input_latency_ps,
            output_latency: router.output_latency_ps,
            output_latency_at: match router.output_latency_at {
                OutputLatencyAt::Crossbar => fabric::OutputLatency::Crossbar,
                OutputLatencyAt::Link => fabric::OutputLatency::Link,
            },
            crossbar_flit: transfer_time(plan.flit_bytes.into(), router.crossbar_bandwidth_bytes_per_s),
            crossbar_delays_head: router.crossbar_delay == CrossbarDelay::Flit,
            crossbar_clock: match router.crossbar_clock {
                CrossbarClock::None => fabric::CrossbarClock::None,
                CrossbarClock::Flit => fabric::CrossbarClock::Flit,
            },
            arbiter: match router.arbiter {
                Arbiter::RoundRobin => fabric::Arbiter::RoundRobin,
                Arbiter::Age => fabric::Arbiter::Age,
                Arbiter::Lru => fabric::Arbiter::Lru,
            },
            input_buffer: router.input_buffer_flits,
            output_buffer: router.output_buffer_flits,
            hand_over: match router.hand_over {
                HandOver::Tail => fabric::HandOver::Tail,
                HandOver::Head => fabric::HandOver::Head,
            },
            link_decision: match router.link_decision {
                LinkDecision::AtStart => fabric::LinkDecision::AtStart,
                LinkDecision::AfterFlit => fabric::LinkDecision::AfterFlit,
            },
            credit_return: match router.credit_return {
                CreditReturn::Tail => fabric::Release::Tail,
                CreditReturn::Head => fabric::Release::Head,
            },
            output_release: match router.output_release {
                OutputRelease::Tail => fabric::Release::Tail,
                OutputRelease::Start => fabric::Release::Head,
            },
            credit_latency: match router.credit_latency {
                CreditLatency::Link => fabric::CreditLatency::Link,
                CreditLatency::LinkAndRouter => fabric::CreditLatency::LinkAndRouter,
            },
        },
        routing: RoutingConfig {
            algorithm,
            channels: algorithm.channels(),
            virtual_channels: plan.routing.virtual_channels,
            ugal: UgalConfig {
                threshold: plan.routing.threshold,
                bias: plan.routing.bias_flits,
                candidates_minimal: plan.routing.candidates_minimal,
                candidates_nonminimal: plan.routing.candidates_nonminimal,
                queue: match plan.routing.queue {
                    Queue::OutputAndCredits => QueueMeasure::OutputAndCredits,
                    Queue::Output => QueueMeasure::Output,
                    Queue::Credits => QueueMeasure::Credits,
                },
                scope: match plan.routing.queue_scope {
                    QueueScope::Port => Scope::Port,
                    QueueScope::Vc => Scope::Vc,
                },
            },
        },
        nic_buffer: match plan.nic.latency_from {
            LatencyFrom::Created => 0,
            LatencyFrom::Nic => plan.nic.buffer_packets,
        },
        jobs: plan.jobs.len() as u16,
        seed: plan.seed,
    }
}

/// The exact time of a whole packet on a terminal link, as used by generators: flits times the rounded flit time.
#[must_use]
pub fn packet_time(plan: &Plan) -> Time {
    flits_per_packet(plan) * transfer_time(plan.flit_bytes.into(), plan.links.terminal.bandwidth_bytes_per_s)
}
