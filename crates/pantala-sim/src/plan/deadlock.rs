//! The search for cycles in a plan's channel-dependency graph.
//!
//! Pantala searches every plan before it runs, and refuses a plan with a cycle. Two kinds of plans
//! with a cycle run with a warning: plans with `allow_deadlock`, and plans whose routing rule has a
//! known cycle ([`exception`]). The resolved plan holds the warning.

use crate::error::PlanError;
use crate::plan::Plan;
use crate::plan::fabric_config::fabric_config;
use crate::plan::resolve::{Resolved, resolve};
use pantala_fabric::FabricConfig;
use pantala_routing::MAX_VIRTUAL_CHANNELS;
use pantala_routing::dependencies::{Channel, Dependencies, Link, ascends, exception};
use pantala_topology::{Peer, Topology};
use serde::Serialize;
use std::sync::Arc;

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Search {
    /// Names of the plan's routings, without repetition.
    pub routings: Vec<String>,
    /// Virtual channels per port.
    pub virtual_channels: u8,
    /// Number of channels: virtual channels of all links, including injection and ejection links.
    pub channels: u64,
    /// Number of dependencies between channels.
    pub dependencies: u64,
    /// Channels of a cycle. Packets that hold a channel may request the next one, and packets that
    /// hold the last may request the first. Empty: the plan is free of deadlock.
    pub cycle: Option<Vec<CycleChannel>>,
    /// Name of the rule that has this cycle, if it is known.
    pub exception: Option<String>,
}

/// A channel of a cycle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CycleChannel {
    /// The sending router; the receiving router for injection.
    pub router: u32,
    /// Port of the link at that router.
    pub port: u16,
    /// Link class, or `injection` or `ejection`.
    pub class: String,
    /// The virtual channel.
    pub vc: u8,
    /// The receiving router; the sending router for ejection.
    pub to_router: u32,
}

impl CycleChannel {
    /// Converts a channel for output.
    fn new(channel: Channel, topology: &Topology) -> Self {
        let (router, port) = match channel.link {
            Link::Injection { terminal } => {
                (topology.router_of(terminal), topology.terminal_port_of(terminal))
            }
            Link::Output { router, port } => (router, port),
        };
        let to_router = match topology.peer(router, port) {
            Peer::Port { router, .. } => router,
            Peer::Terminal(_) | Peer::Unconnected => router,
        };
        Self { router, port, class: channel.class(topology).to_owned(), vc: channel.vc, to_router }
    }
}

/// Searches the graph of a plan, even if the plan may not run.
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
        exception: cycle
            .is_some()
            .then(|| known_exception(&config, &topology))
            .flatten()
            .map(str::to_owned),
        cycle: cycle.map(|cycle| {
            cycle.into_iter().map(|channel| CycleChannel::new(channel, &topology)).collect()
        }),
    })
}

/// Searches the graph of a plan with valid routings, and returns the warnings of the run. There is
/// nothing to search if a resolved plan is `known` that has the same topology, no cycle and all of
/// these routings.
///
/// # Errors
/// A [`PlanError`] if packets can wait for each other in a cycle, unless the plan allows it or the
/// cycle is known by name.
pub(crate) fn check(
    plan: &Plan,
    topology: &Arc<Topology>,
    known: Option<&Resolved>,
) -> Result<Vec<String>, PlanError> {
    let config = fabric_config(plan);
    if known.is_some_and(|known| covers(known, &config, topology)) {
        return Ok(Vec::new());
    }
    if ascends(&config.channel_use(), topology) {
        return Ok(Vec::new());
    }
    let Some(cycle) = Dependencies::of(&config.channel_use(), topology).cycle() else {
        return Ok(Vec::new());
    };
    let mut message =
        format!("packets can wait for each other in a cycle of {} virtual channels", cycle.len());
    if plan.topology.is_irregular() {
        message += &format!(": {}", in_words(&cycle, topology));
    }
    let why = match known_exception(&config, topology) {
        Some(name) => format!("as is known of {name}"),
        None if plan.allow_deadlock => "and allow_deadlock lets them".to_owned(),
        None => {
            return Err(PlanError::new(
                "routing",
                names(&config).join(", "),
                message,
                remedy(plan, &config, topology),
            ));
        }
    };
    Ok(vec![format!("{message}, {why}; if they do, the watchdog ends the run")])
}

/// Whether the dependencies of a configuration are among those of a plan without a cycle.
fn covers(known: &Resolved, config: &FabricConfig, topology: &Arc<Topology>) -> bool {
    let found = known.plan.derived.as_ref();
    if !Arc::ptr_eq(topology, &known.topology)
        || found.is_none_or(|derived| !derived.warnings.is_empty())
    {
        return false;
    }
    let other = fabric_config(&known.plan);
    other.virtual_channels == config.virtual_channels
        && other.injection_vc == config.injection_vc
        && match (other.responses, config.responses) {
            (None, None) => config.routings.iter().all(|routing| other.routings.contains(routing)),
            (one, two) => one == two && other.routings == config.routings,
        }
}

/// Channels that a message names.
const NAMED: usize = 6;

/// Returns the first channels of a cycle in words.
fn in_words(cycle: &[Channel], topology: &Topology) -> String {
    let words = cycle.iter().take(NAMED).map(|&channel| {
        let CycleChannel { router, to_router, class, vc, .. } =
            CycleChannel::new(channel, topology);
        format!("router {router} to {to_router} ({class}, VC {vc})")
    });
    let rest = cycle.len().saturating_sub(NAMED);
    let more = if rest > 0 { format!(", and {rest} more") } else { String::new() };
    words.collect::<Vec<_>>().join(", ") + &more
}

/// Returns what removes a cycle. Where links lack, it may lie on the paths around them: a virtual
/// channel per hop helps, if a port can have so many.
fn remedy(plan: &Plan, config: &FabricConfig, topology: &Topology) -> &'static str {
    if !topology.has_local_detours() {
        return "give all routings vc_map = \"ascending\" and one local_order, or set allow_deadlock = true";
    }
    let diameter = topology.local_diameter() as u8;
    let needed = config.routings.iter().map(|routing| routing.algorithm.max_hops(diameter)).max();
    let most = MAX_VIRTUAL_CHANNELS / if plan.nic.responses { 2 } else { 1 };
    if needed.is_some_and(|needed| needed <= most) {
        "set vc_map = \"by_hop\" for all routings, let other links fail, or set allow_deadlock = true"
    } else {
        "let fewer or other links fail, or set allow_deadlock = true"
    }
}

/// Returns the name of the rule that causes the cycle of a configuration, if it is known.
fn known_exception(config: &FabricConfig, topology: &Topology) -> Option<&'static str> {
    let name = config.routings.iter().find_map(exception)?;
    let mut others = config.clone();
    others.routings.retain(|routing| exception(routing).is_none());
    if let Some(responses) = &mut others.responses {
        // Half of the remaining routings are copies for responses.
        responses.first_routing = (others.routings.len() / 2) as u8;
    }
    (ascends(&others.channel_use(), topology)
        || Dependencies::of(&others.channel_use(), topology).cycle().is_none())
    .then_some(name)
}

/// Returns the names of the routings of requests, without repetition.
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
