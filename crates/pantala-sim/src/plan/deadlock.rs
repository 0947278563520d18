//! Whether a plan's packets can wait for each other in a cycle: its channel-dependency graph,
//! searched.
//!
//! Every plan that is run has been searched. A plan with a cycle is refused, unless its key
//! `allow_deadlock` says otherwise or the cycle is that of a rule known by name ([`exception`]):
//! those run with a warning, which stands in the resolved plan.

use crate::error::PlanError;
use crate::plan::Plan;
use crate::plan::fabric_config::fabric_config;
use crate::plan::resolve::{Resolved, resolve};
use pantala_fabric::FabricConfig;
use pantala_routing::dependencies::{Channel, Dependencies, Link, ascends, exception};
use pantala_topology::{Peer, Topology};
use serde::Serialize;

/// What a search has found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Search {
    /// The plan's routings, each name once.
    pub routings: Vec<String>,
    /// VCs a port.
    pub virtual_channels: u8,
    /// Channels of the network: VCs of all links, injection and ejection included.
    pub channels: u64,
    /// Dependencies between them.
    pub dependencies: u64,
    /// Channels each of which is asked for by packets that may hold the one before, and the first
    /// by those that may hold the last; none: the plan is free of deadlock.
    pub cycle: Option<Vec<CycleChannel>>,
    /// The name under which the cycle is known.
    pub exception: Option<String>,
}

/// A channel of a cycle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CycleChannel {
    /// The router that the link leaves; for injection the one that it reaches.
    pub router: u32,
    /// The link's port there.
    pub port: u16,
    /// Class of the link, `injection` or `ejection`.
    pub class: String,
    /// The VC.
    pub vc: u8,
    /// The router that the link reaches; for ejection the one that it leaves.
    pub to_router: u32,
}

impl CycleChannel {
    /// A channel as it is told.
    fn new(channel: Channel, topology: &Topology) -> Self {
        let (router, port) = match channel.link {
            Link::Injection { node } => (topology.router_of(node), topology.terminal_port_of(node)),
            Link::Output { router, port } => (router, port),
        };
        let to_router = match topology.peer(router, port) {
            Peer::Port { router, .. } => router,
            Peer::Node(_) | Peer::Unconnected => router,
        };
        Self { router, port, class: channel.class(topology).to_owned(), vc: channel.vc, to_router }
    }
}

/// Searches the graph of a plan, which need not be allowed to run.
///
/// # Errors
/// A [`PlanError`] for the first other fault of the plan.
pub fn search(mut plan: Plan) -> Result<Search, PlanError> {
    plan.allow_deadlock = true;
    let Resolved { plan, topology, .. } = resolve(plan)?;
    let config = fabric_config(&plan);
    let graph = Dependencies::of(&config.channel_use(), &topology);
    let cycle = graph.cycle();
    Ok(Search {
        routings: names(&config),
        virtual_channels: config.virtual_channels,
        channels: graph.channels(),
        dependencies: graph.count(),
        exception: cycle.is_some().then(|| known(&config, &topology)).flatten().map(str::to_owned),
        cycle: cycle.map(|cycle| {
            cycle.into_iter().map(|channel| CycleChannel::new(channel, &topology)).collect()
        }),
    })
}

/// Checks a plan whose routings are right; gives the warnings that it shall run with.
///
/// # Errors
/// A [`PlanError`] if packets could wait for each other in a cycle, and neither the plan allows it
/// nor it is known by name.
pub(crate) fn check(plan: &Plan, topology: &Topology) -> Result<Vec<String>, PlanError> {
    let config = fabric_config(plan);
    if ascends(&config.channel_use(), topology) {
        return Ok(Vec::new());
    }
    let Some(cycle) = Dependencies::of(&config.channel_use(), topology).cycle() else {
        return Ok(Vec::new());
    };
    let message =
        format!("packets can wait for each other in a cycle of {} virtual channels", cycle.len());
    let why = match known(&config, topology) {
        Some(name) => format!("as is known of {name}"),
        None if plan.allow_deadlock => "and allow_deadlock lets them".to_owned(),
        None => {
            return Err(PlanError::new(
                "routing",
                names(&config).join(", "),
                message,
                "give all routings vc_map = \"ascending\" and one local_order, or set allow_deadlock = true",
            ));
        }
    };
    Ok(vec![format!("{message}, {why}; if they do, the watchdog ends the run")])
}

/// The name under which the cycle of a configuration is known: that of a rule without which it
/// would have none.
fn known(config: &FabricConfig, topology: &Topology) -> Option<&'static str> {
    let name = config.routings.iter().find_map(exception)?;
    let mut others = config.clone();
    others.routings.retain(|routing| exception(routing).is_none());
    if let Some(responses) = &mut others.responses {
        // Half of those that are left are the responses' twins of the other half.
        responses.first_routing = (others.routings.len() / 2) as u8;
    }
    (ascends(&others.channel_use(), topology)
        || Dependencies::of(&others.channel_use(), topology).cycle().is_none())
    .then_some(name)
}

/// The routings of requests by name, each once.
fn names(config: &FabricConfig) -> Vec<String> {
    let requests =
        config.responses.map_or(config.routings.len(), |responses| responses.first_routing.into());
    let mut names: Vec<String> = Vec::new();
    for routing in &config.routings[..requests] {
        let name = routing.algorithm.name();
        if names.iter().all(|other| other != name) {
            names.push(name.to_owned());
        }
    }
    names
}
