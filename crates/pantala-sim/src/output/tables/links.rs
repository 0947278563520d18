//! The table `links`: its columns and how a run fills them.

use super::source::Run;
use crate::output::columns::{ns, table};
use crate::output::results::LinkTotals;
use crate::plan::link_class::DirectedClass;
use pantala_engine::Time;
use pantala_topology::{LinkClass, Peer, Topology};

table! {
    /// One row per directed link, including injection and ejection links: its ends and its traffic
    /// over the whole run.
    pub(super) links: LinkRow {
        /// Number of the directed link: the sending router times the ports per router, plus the
        /// port. Injection links have the numbers after all others, by node. All link tables use
        /// this number.
        link: u32,
        /// Link class: `injection`, `ejection`, `global`, and inside a group `local`, or `row` and
        /// `column` in two dimensions.
        class: &'static str,
        /// Router at the sending end; null for an injection link.
        source_router: Option<u32>,
        /// Port of that router; null for an injection link.
        source_port: Option<u32>,
        /// Group of that router; null for an injection link.
        source_group: Option<u32>,
        /// Router at the receiving end; null for an ejection link.
        target_router: Option<u32>,
        /// Port of that router; null for an ejection link.
        target_port: Option<u32>,
        /// Group of that router; null for an ejection link.
        target_group: Option<u32>,
        /// Number of the link among the parallel links between the same routers (or groups, for a
        /// global link), from 0; null for an injection or ejection link.
        parallel_index: Option<u32>,
        /// Node of an injection or ejection link; null for the others.
        node: Option<u32>,
        /// Packets sent over the link, including responses.
        packets: u64,
        /// Payload sent over the link, including the payload of responses.
        bytes: u64 [bytes],
        /// Duration of sending. A packet occupies whole flits.
        busy_ns: f64 [ns],
        /// Stall: duration in which a packet was ready, the link idle, and no packet had credit.
        stall_ns: f64 [ns],
        /// Stall as SST counts it (`output_port_stalls` of merlin): each stall from the last packet
        /// on that came into the output buffer meanwhile. Equal to `stall_ns` if packets wait in
        /// virtual output queues. Null for an injection link, and without `record.sst_stalls`.
        sst_stall_ns: Option<f64> [ns] = "record.sst_stalls",
        /// Utilization: `busy_ns` divided by the simulated time of the run.
        utilization: f64 [1],
    }
}

pub(super) fn rows(run: &Run<'_>) -> impl Iterator<Item = LinkRow> {
    let simulated = run.simulated.max(1) as f64;
    let recorded = run.plan.record.sst_stalls;
    let group = |end: Option<(u32, u32)>| end.map(|(router, _)| run.topology.group_of(router));
    links(run).map(move |link| {
        let counters = &link.totals.counters;
        let busy = counters.flits * link.flit;
        LinkRow {
            link: link.number,
            class: link.class,
            source_router: link.source.map(|(router, _)| router),
            source_port: link.source.map(|(_, port)| port),
            source_group: group(link.source),
            target_router: link.target.map(|(router, _)| router),
            target_port: link.target.map(|(_, port)| port),
            target_group: group(link.target),
            parallel_index: parallel_index(run.topology, &link),
            node: link.node,
            packets: counters.packets,
            bytes: counters.bytes,
            busy_ns: ns(busy),
            stall_ns: ns(counters.stall),
            sst_stall_ns: link.totals.sst_stall.filter(|_| recorded).map(ns),
            utilization: busy as f64 / simulated,
        }
    })
}

/// Returns the number of a link among its parallel links; none for a link of a node.
fn parallel_index(topology: &Topology, link: &Link<'_>) -> Option<u32> {
    let (router, port) = link.source?;
    topology.link(router, port as u16).map(|link| link.parallel_index)
}

/// One directed link with its traffic; ends are (router, port).
pub(super) struct Link<'a> {
    /// `router * ports + port`, or `routers * ports + node`.
    pub(super) number: u32,
    class: &'static str,
    /// Time of one flit on the link.
    flit: Time,
    source: Option<(u32, u32)>,
    target: Option<(u32, u32)>,
    node: Option<u32>,
    pub(super) totals: &'a LinkTotals,
}

/// Returns every link: outputs by router and port, then injection links by node.
pub(super) fn links<'a>(run: &'a Run<'_>) -> impl Iterator<Item = Link<'a>> {
    outputs(run).chain(injections(run))
}

fn outputs<'a>(run: &'a Run<'_>) -> impl Iterator<Item = Link<'a>> {
    let (topology, nodes) = (run.topology, run.plan.node_map());
    let ports = topology.ports_per_router();
    let places = (0..topology.routers())
        .flat_map(move |router| (0..ports as u16).map(move |port| (router, port)));
    places.zip(&run.results.outputs).filter_map(move |((router, port), totals)| {
        let port_class = topology.class_of(router, port);
        let (target, node) = match topology.peer(router, port) {
            Peer::Terminal(nic) => (None, Some(nodes.node_of(nic))),
            Peer::Port { router, port } => (Some((router, u32::from(port))), None),
            Peer::Unconnected => return None,
        };
        Some(Link {
            number: router * ports + u32::from(port),
            class: DirectedClass::of_output(port_class).name(),
            flit: run.config.timing(port_class).flit,
            source: Some((router, u32::from(port))),
            target,
            node,
            totals,
        })
    })
}

fn injections<'a>(run: &'a Run<'_>) -> impl Iterator<Item = Link<'a>> {
    let (topology, nodes) = (run.topology, run.plan.node_map());
    (0..topology.terminals()).zip(&run.results.injections).map(move |(nic, totals)| Link {
        number: topology.routers() * topology.ports_per_router() + nic,
        class: DirectedClass::Injection.name(),
        flit: run.config.timing(LinkClass::Terminal).flit,
        source: None,
        target: Some((topology.router_of(nic), u32::from(topology.terminal_port_of(nic)))),
        node: Some(nodes.node_of(nic)),
        totals,
    })
}
