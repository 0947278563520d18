//! The tables of a run: what each column says stands in the Python package's `schema.py` and in the docs made from it.

use crate::columns::{Table, ns};
use crate::peers::Peers;
use crate::plan::Plan;
use crate::q_tables;
use crate::recorder::{JobPackets, JobWindow};
use crate::results::{Carried, Results};
use crate::simulation::Simulation;
use pantala_engine::Time;
use pantala_fabric::FabricConfig;
use pantala_fabric::learning::{LearningSums, Via};
use pantala_mpi::{CallReport, LatencyStatistics, RankReport};
use pantala_topology::{LinkClass, Peer, Topology};

/// What tables are made of.
struct Run<'a> {
    plan: &'a Plan,
    topology: &'a Topology,
    config: &'a FabricConfig,
    simulated: Time,
    results: &'a Results,
}

/// Every table with its name, in a fixed order, of all that a simulation has come to.
#[must_use]
pub fn tables<Q: Peers>(simulation: &Simulation<Q>, results: &Results) -> Vec<(&'static str, Table)> {
    let run = &Run {
        plan: &simulation.plan,
        topology: simulation.network.topology(),
        config: simulation.network.config(),
        simulated: simulation.simulated(),
        results,
    };
    let mut reports = results.reports.clone();
    reports.sort_unstable_by_key(|report| (report.job, report.rank));
    let links = links(run);
    vec![
        ("jobs", jobs_table(run, &reports)),
        ("ranks", ranks_table(run, &reports)),
        ("calls", calls_table(run)),
        ("iterations", iterations_table(run)),
        ("messages", messages_table(run)),
        ("packets", packets_table(run)),
        ("links", links_table(run, &links)),
        ("link_jobs", link_jobs_table(&links)),
        ("link_windows", link_windows_table(run)),
        ("job_windows", job_windows_table(run)),
        ("q_tables", q_tables::as_table(&results.estimates)),
        ("q_learning", q_learning_table(run)),
    ]
}

/// Mean, standard deviation (of the population of ranks) and maximum; `None` for the ranks of a pattern, which have no
/// account.
fn spread(values: &[f64]) -> Option<(f64, f64, f64)> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
    (!values.is_empty()).then(|| (mean, variance.sqrt(), values.iter().copied().fold(0.0, f64::max)))
}

/// Mean and quantiles; null where nothing was counted.
fn latency_columns(table: Table, prefix: &str, statistics: &[Option<&LatencyStatistics>]) -> Table {
    let mean = statistics.iter().map(|s| s.and_then(LatencyStatistics::mean).map(|m| m / 1_000.0));
    let table = table.f64_or_null(&format!("{prefix}_latency_mean_ns"), mean);
    [("p50", 0.5), ("p95", 0.95), ("p99", 0.99)].into_iter().fold(table, |table, (name, q)| {
        let values = statistics.iter().map(|s| s.and_then(|s| s.quantile(q)).map(ns));
        table.f64_or_null(&format!("{prefix}_latency_{name}_ns"), values)
    })
}

fn jobs_table(run: &Run<'_>, reports: &[RankReport]) -> Table {
    let plan = run.plan;
    let packets = &run.results.jobs;
    let of_job = |job: usize| reports.iter().filter(move |r| usize::from(r.job) == job);
    let ends: Vec<Option<Time>> = (0..plan.jobs.len())
        .map(|job| {
            let finite = !plan.jobs[job].workload.is_endless();
            if finite { of_job(job).map(|r| r.end).try_fold(0, |latest, end| end.map(|e| latest.max(e))) } else { None }
        })
        .collect();
    let communication: Vec<Option<(f64, f64, f64)>> = (0..plan.jobs.len())
        .map(|job| spread(&of_job(job).map(|r| ns(r.account.communication())).collect::<Vec<_>>()))
        .collect();
    let table = Table::new()
        .u16("job", (0..plan.jobs.len()).map(|j| j as u16))
        .str("name", plan.jobs.iter().map(|j| j.name.as_str()))
        .u32("ranks", plan.jobs.iter().map(|j| j.ranks))
        .f64("start_ns", plan.jobs.iter().map(|j| ns(j.start_ps)))
        .f64_or_null("end_ns", ends.iter().map(|e| e.map(ns)))
        .bool("complete", ends.iter().map(Option::is_some))
        .f64_or_null("communication_time_mean_ns", communication.iter().map(|c| c.map(|c| c.0)))
        .f64_or_null("communication_time_std_ns", communication.iter().map(|c| c.map(|c| c.1)))
        .f64_or_null("communication_time_max_ns", communication.iter().map(|c| c.map(|c| c.2)))
        .u64("packets", packets.iter().map(|j| j.packets))
        .u64("bytes", packets.iter().map(|j| j.bytes));
    let all = |f: fn(&JobPackets) -> &LatencyStatistics| packets.iter().map(|j| Some(f(j))).collect::<Vec<_>>();
    let messages: Vec<_> = run.results.message_latency.iter().map(Option::as_ref).collect();
    let table = latency_columns(table, "packet", &all(|j| &j.latency));
    let table = latency_columns(table, "network", &all(|j| &j.network_latency));
    let table = latency_columns(table, "message", &messages);
    let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
    let table = table
        .f64_or_null("link_hops_mean", packets.iter().map(|j| share(j.hops, j.packets)))
        .f64_or_null("nonminimal_share", packets.iter().map(|j| share(j.nonminimal, j.packets)))
        .u64("responses", packets.iter().map(|j| j.responses));
    latency_columns(table, "pair", &all(|j| &j.pair_latency))
}

fn ranks_table(run: &Run<'_>, reports: &[RankReport]) -> Table {
    let topology = run.topology;
    let rows = || reports.iter();
    Table::new()
        .u16("job", rows().map(|r| r.job))
        .u32("rank", rows().map(|r| r.rank))
        .u32("node", rows().map(|r| r.node))
        .u32("router", rows().map(|r| topology.router_of(r.node)))
        .u32("group", rows().map(|r| topology.group_of_node(r.node)))
        .f64_or_null("start_ns", rows().map(|r| r.start.map(ns)))
        .f64_or_null("end_ns", rows().map(|r| r.end.map(ns)))
        .f64("communication_time_ns", rows().map(|r| ns(r.account.communication())))
        .f64("compute_time_ns", rows().map(|r| ns(r.account.compute)))
        .f64("send_ns", rows().map(|r| ns(r.account.send)))
        .f64("recv_ns", rows().map(|r| ns(r.account.recv)))
        .f64("wait_ns", rows().map(|r| ns(r.account.wait)))
        .f64("collective_ns", rows().map(|r| ns(r.account.collective)))
        .u64("messages_sent", rows().map(|r| r.account.messages_sent))
        .u64("bytes_sent", rows().map(|r| r.account.bytes_sent))
        .u64("peak_ingress_bytes", rows().map(|r| r.account.peak_ingress))
        .u64("messages_received", rows().map(|r| r.account.messages_received))
        .u64("bytes_received", rows().map(|r| r.account.bytes_received))
}

fn calls_table(run: &Run<'_>) -> Table {
    let calls = CallReport::summed(run.results.calls.clone());
    let rows = || calls.iter();
    Table::new()
        .u16("job", rows().map(|c| c.job))
        .str("call", rows().map(|c| c.call.as_str()))
        .u64("calls", rows().map(|c| c.calls))
        .u64("bytes", rows().map(|c| c.bytes))
        .f64("time_ns", rows().map(|c| ns(c.time)))
}

fn iterations_table(run: &Run<'_>) -> Table {
    let mut rows = run.results.iterations.clone();
    rows.sort_unstable_by_key(|r| (r.job, r.iteration, r.rank));
    let rows = || rows.iter();
    Table::new()
        .u16("job", rows().map(|r| r.job))
        .u32("rank", rows().map(|r| r.rank))
        .u32("iteration", rows().map(|r| r.iteration))
        .f64("start_ns", rows().map(|r| ns(r.start)))
        .f64("end_ns", rows().map(|r| ns(r.end)))
        .f64("communication_time_ns", rows().map(|r| ns(r.communication)))
}

fn messages_table(run: &Run<'_>) -> Table {
    let messages = &run.results.messages;
    let mut order: Vec<usize> = (0..messages.len()).collect();
    // A rank's messages in the order in which it posted them; a stable order whatever the order of delivery was.
    order.sort_by_key(|&i| {
        let m = &messages[i];
        (m.job, m.posted, m.source, m.destination, m.tag, m.delivered, m.bytes)
    });
    let rows = || order.iter().map(|&i| &messages[i]);
    Table::new()
        .u16("job", rows().map(|m| m.job))
        .u32("source_rank", rows().map(|m| m.source))
        .u32("destination_rank", rows().map(|m| m.destination))
        .i32("tag", rows().map(|m| m.tag))
        .u64("bytes", rows().map(|m| m.bytes))
        .str("protocol", rows().map(|m| m.protocol.name()))
        .f64("posted_ns", rows().map(|m| ns(m.posted)))
        .f64("delivered_ns", rows().map(|m| ns(m.delivered)))
        .f64("latency_ns", rows().map(|m| ns(m.delivered - m.posted)))
}

fn packets_table(run: &Run<'_>) -> Table {
    let mut rows = run.results.packets.clone();
    rows.sort_unstable();
    let rows = || rows.iter();
    Table::new()
        .u16("job", rows().map(|p| p.job))
        .u32("source_node", rows().map(|p| p.source))
        .u32("destination_node", rows().map(|p| p.destination))
        .u32("bytes", rows().map(|p| p.bytes))
        .f64("created_ns", rows().map(|p| ns(p.created)))
        .f64("injected_ns", rows().map(|p| ns(p.injected)))
        .f64("delivered_ns", rows().map(|p| ns(p.delivered)))
        .f64("latency_ns", rows().map(|p| ns(p.latency)))
        .u8("link_hops", rows().map(|p| p.hops))
        .bool("nonminimal", rows().map(|p| p.nonminimal))
}

/// One directed link with what it has carried.
struct LinkRow<'a> {
    link: u32,
    class: &'static str,
    flit: Time,
    source: Option<(u32, u32)>,
    target: Option<(u32, u32)>,
    node: Option<u32>,
    carried: &'a Carried,
}

/// Every link: outputs by router and port, then injection links by node. A link's number is `router * ports + port`, or
/// `routers * ports + node`.
fn links<'a>(run: &Run<'a>) -> Vec<LinkRow<'a>> {
    let Run { topology, config, results, .. } = *run;
    let ports = topology.ports_per_router();
    let mut outputs = results.outputs.iter();
    let mut rows = Vec::new();
    for router in 0..topology.routers() {
        for (port, carried) in (0..ports as u16).zip(&mut outputs) {
            let port_class = topology.class_of_port(port);
            let class = if port_class == LinkClass::Terminal { "ejection" } else { port_class.name() };
            let flit = config.timing(port_class).flit;
            let (target, node) = match topology.peer(router, port) {
                Peer::Node(node) => (None, Some(node)),
                Peer::Port { router, port } => (Some((router, u32::from(port))), None),
                Peer::Unconnected => continue,
            };
            rows.push(LinkRow {
                link: router * ports + u32::from(port),
                class,
                flit,
                source: Some((router, u32::from(port))),
                target,
                node,
                carried,
            });
        }
    }
    for (node, carried) in (0..topology.nodes()).zip(&results.injections) {
        let (router, port) = (topology.router_of(node), u32::from(topology.terminal_port_of(node)));
        rows.push(LinkRow {
            link: topology.routers() * ports + node,
            class: "injection",
            flit: config.timing(LinkClass::Terminal).flit,
            source: None,
            target: Some((router, port)),
            node: Some(node),
            carried,
        });
    }
    rows
}

fn links_table(run: &Run<'_>, rows: &[LinkRow<'_>]) -> Table {
    let topology = run.topology;
    let simulated = run.simulated.max(1);
    let busy = |r: &LinkRow| r.carried.counters.flits * r.flit;
    let rows = || rows.iter();
    let group = |end: Option<(u32, u32)>| end.map(|(router, _)| topology.group_of(router));
    Table::new()
        .u32("link", rows().map(|r| r.link))
        .str("class", rows().map(|r| r.class))
        .u32_or_null("source_router", rows().map(|r| r.source.map(|s| s.0)))
        .u32_or_null("source_port", rows().map(|r| r.source.map(|s| s.1)))
        .u32_or_null("source_group", rows().map(|r| group(r.source)))
        .u32_or_null("target_router", rows().map(|r| r.target.map(|t| t.0)))
        .u32_or_null("target_port", rows().map(|r| r.target.map(|t| t.1)))
        .u32_or_null("target_group", rows().map(|r| group(r.target)))
        .u32_or_null("node", rows().map(|r| r.node))
        .u64("packets", rows().map(|r| r.carried.counters.packets))
        .u64("bytes", rows().map(|r| r.carried.counters.bytes))
        .f64("busy_ns", rows().map(|r| ns(busy(r))))
        .f64("stall_ns", rows().map(|r| ns(r.carried.counters.stall)))
        .f64("load", rows().map(|r| busy(r) as f64 / simulated as f64))
}

fn link_jobs_table(rows: &[LinkRow<'_>]) -> Table {
    let used: Vec<(u32, u16, u64)> = rows
        .iter()
        .flat_map(|r| r.carried.jobs.iter().enumerate().map(|(job, bytes)| (r.link, job as u16, *bytes)))
        .filter(|(_, _, bytes)| *bytes > 0)
        .collect();
    Table::new()
        .u32("link", used.iter().map(|u| u.0))
        .u16("job", used.iter().map(|u| u.1))
        .u64("bytes", used.iter().map(|u| u.2))
}

fn link_windows_table(run: &Run<'_>) -> Table {
    let mut rows = run.results.link_windows.clone();
    rows.sort_unstable_by_key(|w| (w.start, w.link));
    let rows = || rows.iter();
    Table::new()
        .u32("link", rows().map(|w| w.link))
        .f64("window_start_ns", rows().map(|w| ns(w.start)))
        .u64("bytes", rows().map(|w| w.bytes))
}

fn job_windows_table(run: &Run<'_>) -> Table {
    let window = run.plan.record.window_ps;
    let simulated = run.simulated;
    let jobs = run.results.jobs.iter().enumerate();
    let rows: Vec<(u16, Time, JobWindow)> = jobs
        .flat_map(|(job, packets)| packets.windows.iter().map(move |w| (job as u16, w.number * window, *w)))
        .collect();
    let rows = || rows.iter();
    Table::new()
        .u16("job", rows().map(|r| r.0))
        .f64("window_start_ns", rows().map(|r| ns(r.1)))
        .f64("window_ns", rows().map(|r| ns((simulated.max(r.1 + 1) - r.1).min(window))))
        .u64("injected_bytes", rows().map(|r| r.2.injected_bytes))
        .u64("delivered_bytes", rows().map(|r| r.2.delivered_bytes))
        .u64("packets", rows().map(|r| r.2.packets))
        .f64_or_null(
            "latency_mean_ns",
            rows().map(|r| (r.2.packets > 0).then(|| r.2.latency_sum as f64 / r.2.packets as f64 / 1_000.0)),
        )
}

fn q_learning_table(run: &Run<'_>) -> Table {
    let window = run.plan.record.window_ps;
    let rows: Vec<(Time, Via, LearningSums)> = run
        .results
        .learning
        .iter()
        .flat_map(|w| Via::ALL.map(|via| (w.number * window, via, w.via[via as usize])))
        .filter(|(_, _, sums)| sums.updates > 0)
        .collect();
    let rows = || rows.iter();
    let mean = |sum: fn(&LearningSums) -> u64| rows().map(move |r| sum(&r.2) as f64 / r.2.updates as f64 / 1_000.0);
    Table::new()
        .f64("window_start_ns", rows().map(|r| ns(r.0)))
        .str("via", rows().map(|r| r.1.name()))
        .u64("updates", rows().map(|r| r.2.updates))
        .f64("feedback_mean_ns", mean(|sums| sums.feedback))
        .f64("estimate_mean_ns", mean(|sums| sums.estimate))
        .f64("error_mean_ns", mean(|sums| sums.error))
}
