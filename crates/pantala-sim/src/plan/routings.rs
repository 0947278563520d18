//! The routings of a plan: their checks, their virtual channels, and the table of the fabric.
//!
//! The plan has a routing and may have another for all-to-all collectives. A job may replace
//! either. As with Cray's MPICH_GNI_ROUTING_MODE and MPICH_GNI_A2A_ROUTING_MODE, a job that
//! replaces the first keeps the plan's second. If NICs send responses, each routing has a copy for
//! responses. The virtual channels of responses follow those of requests.

use crate::error::{Faults, PlanError};
use crate::plan::form::*;
use pantala_fabric::config::{FlowControl, ResponseConfig};
use pantala_routing::MAX_VIRTUAL_CHANNELS;
use pantala_routing::{AriesConfig, QAdaptiveConfig, RoutingConfig, UgalConfig, VcMap};
use pantala_topology::Topology;
use serde::Serialize;

/// The routings of a plan for the fabric.
#[derive(Clone, Debug)]
pub struct Table {
    /// All different routings. Copies for responses follow in the same order.
    pub routings: Vec<RoutingConfig>,
    /// Index of the routing by job and traffic class.
    pub routing_of: Vec<u8>,
    /// The responses, if NICs send them.
    pub responses: Option<ResponseConfig>,
}

/// Returns every routing of a plan with its key.
fn all(plan: &mut Plan) -> Vec<(String, &mut RoutingPlan)> {
    let mut all = vec![("routing".to_owned(), &mut plan.routing)];
    all.extend(
        plan.routing_all_to_all.as_mut().map(|routing| ("routing_all_to_all".to_owned(), routing)),
    );
    for (index, job) in plan.jobs.iter_mut().enumerate() {
        all.extend(job.routing.as_mut().map(|routing| (format!("jobs[{index}].routing"), routing)));
        all.extend(
            job.routing_all_to_all
                .as_mut()
                .map(|routing| (format!("jobs[{index}].routing_all_to_all"), routing)),
        );
    }
    all
}

/// Checks every routing of a plan and fills in open numbers of virtual channels.
///
/// # Errors
/// A [`PlanError`] for the first fault, with the first fault of every other routing.
pub fn check(plan: &mut Plan, topology: &Topology) -> Result<(), PlanError> {
    let mut faults = Faults::default();
    for (key, routing) in all(plan) {
        faults.note(check_one(&key, routing, topology).map(|needed| {
            if routing.virtual_channels == 0 {
                routing.virtual_channels = needed;
            }
        }));
    }
    faults.result()?;
    let table = table(plan);
    if table.routings.len() > usize::from(u8::MAX) {
        let most = u8::MAX / if plan.nic.responses { 2 } else { 1 };
        let message = format!("more than {most} different routings");
        return Err(PlanError::new(
            "jobs",
            plan.jobs.len(),
            message,
            "give jobs the same routings",
        ));
    }
    check_responses(plan)?;
    let by_flits = plan.router.flow_control == FlowControl::Wormhole;
    if let Some((key, _)) = learners(plan).next().filter(|_| by_flits) {
        return Err(PlanError::new(
            &format!("{key}.algorithm"),
            "q_adaptive",
            "learns from whole packets, but with router.flow_control = \"wormhole\" each flit advances separately",
            "take another routing, or set router.flow_control to \"virtual_cut_through\"",
        ));
    }
    check_learning(plan)
}

/// Returns the routings of a plan that learn, with their keys.
fn learners(plan: &mut Plan) -> impl Iterator<Item = (String, &QAdaptivePlan)> {
    let learn = all(plan).into_iter().filter(|(_, routing)| routing.algorithm.learns());
    learn.map(|(key, routing)| (key, &routing.q_adaptive))
}

/// Checks that all learning routings agree: a router has one table for all jobs.
fn check_learning(plan: &mut Plan) -> Result<(), PlanError> {
    let mut learners = learners(plan);
    let Some((first, learning)) = learners.next() else {
        return Ok(());
    };
    match learners.find(|(_, other)| *other != learning) {
        None => Ok(()),
        Some((key, _)) => Err(PlanError::new(
            &format!("{key}.q_adaptive"),
            "...",
            format!(
                "differs from {first}.q_adaptive, but a router learns one table for all jobs, in one way"
            ),
            "give every q_adaptive routing the same keys",
        )),
    }
}

/// Returns key and path of the estimates that q_adaptive starts from, if a checked plan names a
/// file.
pub(crate) fn learned_tables(plan: &mut Plan) -> Option<(String, String)> {
    let (key, learning) = learners(plan).next()?;
    (!learning.table.is_empty())
        .then(|| (format!("{key}.q_adaptive.table"), learning.table.clone()))
}

/// Checks the responses: they are packets and have separate virtual channels.
fn check_responses(plan: &Plan) -> Result<(), PlanError> {
    let NicPlan { responses, response_bytes, .. } = plan.nic;
    if !responses {
        return Ok(());
    }
    if !(1..=plan.packet_bytes).contains(&response_bytes) {
        return Err(PlanError::new(
            "nic.response_bytes",
            response_bytes,
            format!("a response is a packet of 1 to {} bytes", plan.packet_bytes),
            "give a size in that range",
        ));
    }
    let requests = request_channels(plan);
    if requests > MAX_VIRTUAL_CHANNELS / 2 {
        return Err(PlanError::new(
            "nic.responses",
            responses,
            format!(
                "requests and responses need {requests} virtual channels each, and a port has at most {MAX_VIRTUAL_CHANNELS}"
            ),
            "turn responses off, or route with at most 8 virtual channels",
        ));
    }
    Ok(())
}

/// Checks a routing and returns the number of virtual channels that it needs.
fn check_one(at: &str, routing: &RoutingPlan, topology: &Topology) -> Result<u8, PlanError> {
    let fault = |key: &str, value: &dyn std::fmt::Display, message: &str, remedy: &str| {
        PlanError::new(&format!("{at}.{key}"), value, message, remedy)
    };
    let algorithm = routing.algorithm;
    if let Some(refusal) = algorithm.refusal(routing.vc_map, topology) {
        return Err(fault("algorithm", &algorithm.name(), &refusal.message, refusal.remedy));
    }
    let Some(vc_map) = algorithm.vc_map_for(routing.vc_map, topology.local_diameter() as u8) else {
        let message = format!("there is no such map for {}", algorithm.name());
        return Err(fault("vc_map", &word(routing.vc_map), &message, "leave the key out"));
    };
    if vc_map.count > MAX_VIRTUAL_CHANNELS {
        let message = format!(
            "it needs a virtual channel per hop, {} in all, and a port has at most {MAX_VIRTUAL_CHANNELS}",
            vc_map.count
        );
        let remedy = "let fewer links inside groups fail, or take another routing or vc_map";
        return Err(fault("algorithm", &algorithm.name(), &message, remedy));
    }
    let given = routing.virtual_channels;
    if given != 0 && given < vc_map.count {
        return Err(fault(
            "virtual_channels",
            &given,
            &format!(
                "{} needs {} virtual channels to be free of deadlock",
                algorithm.name(),
                vc_map.count
            ),
            &format!("give {} or more, or leave the key out", vc_map.count),
        ));
    }
    let inside = algorithm.descriptor().intra_groups;
    if !inside.contains(&routing.intra_group) {
        let takes: Vec<String> = inside.iter().map(|of| format!("\"{}\"", word(*of))).collect();
        let message = format!("{} does not take this path inside a group", algorithm.name());
        let remedy = match &takes[..] {
            [_] => "leave the key out".to_owned(),
            [most @ .., last] => format!("give {} or {last}", most.join(", ")),
            [] => String::new(),
        };
        return Err(fault("intra_group", &word(routing.intra_group), &message, &remedy));
    }
    Ok(vc_map.count)
}

/// Returns the virtual channels per port: the maximum over all routings of the plan, twice if NICs
/// send responses.
#[must_use]
pub fn virtual_channels(plan: &Plan) -> u8 {
    request_channels(plan) * if plan.nic.responses { 2 } else { 1 }
}

/// Returns the virtual channels of requests: the maximum over all routings of the plan.
fn request_channels(plan: &Plan) -> u8 {
    used(plan).iter().flatten().map(|routing| routing.virtual_channels).max().unwrap_or(1)
}

/// Returns the routings of every job by traffic class (point-to-point, all-to-all).
fn used(plan: &Plan) -> Vec<[&RoutingPlan; 2]> {
    plan.jobs
        .iter()
        .map(|job| {
            let own = job.routing.as_ref();
            let system = plan.routing_all_to_all.as_ref();
            [
                own.unwrap_or(&plan.routing),
                job.routing_all_to_all.as_ref().or(system).or(own).unwrap_or(&plan.routing),
            ]
        })
        .collect()
}

/// Returns the table of a checked plan's routings.
///
/// # Panics
/// If the plan has not been checked.
#[must_use]
pub fn table(plan: &Plan) -> Table {
    let mut distinct: Vec<&RoutingPlan> = Vec::new();
    let mut routing_of = Vec::new();
    for routing in used(plan).into_iter().flatten() {
        let place = distinct.iter().position(|other| *other == routing).unwrap_or_else(|| {
            distinct.push(routing);
            distinct.len() - 1
        });
        // `check` refuses plans with more routings.
        routing_of.push(place.min(usize::from(u8::MAX)) as u8);
    }
    let mut routings: Vec<RoutingConfig> =
        distinct.into_iter().map(|routing| compile(plan, routing)).collect();
    let responses = plan.nic.responses.then(|| ResponseConfig {
        bytes: plan.nic.response_bytes,
        first_vc: request_channels(plan),
        first_routing: routings.len().min(usize::from(u8::MAX)) as u8,
    });
    if let Some(responses) = responses {
        routings.extend(ResponseConfig::routings(&routings, responses.first_vc));
    }
    Table { routings, routing_of, responses }
}

/// Returns a choice as a plan spells it.
fn word(choice: impl Serialize) -> String {
    serde_json::to_value(choice)
        .ok()
        .and_then(|value| value.as_str().map(str::to_owned))
        .unwrap_or_default()
}

/// Converts a routing for the fabric.
fn compile(plan: &Plan, routing: &RoutingPlan) -> RoutingConfig {
    let algorithm = routing.algorithm;
    let router = &plan.router;
    let mut vc_map =
        algorithm.vc_map(routing.vc_map).expect("a checked plan has a map for its routing");
    if vc_map.by_hop {
        // The check has taken the number of hops from the paths of the network.
        vc_map = VcMap::by_hop(routing.virtual_channels);
    }
    let mut compiled = RoutingConfig {
        vc_map,
        local_order: routing.local_order,
        ugal: UgalConfig {
            threshold: routing.threshold,
            bias: routing.bias_flits,
            minimal_up_to: routing.minimal_up_to_flits,
            candidates_minimal: routing.candidates_minimal,
            candidates_nonminimal: routing.candidates_nonminimal,
            queue: routing.queue,
            scope: routing.queue_scope,
            tie: routing.tie,
        },
        intermediate: routing.intermediate,
        intra_group: routing.intra_group,
        aries: AriesConfig {
            shift: routing.aries.shift.clone(),
            add: routing.aries.add,
            levels: routing.aries.levels,
            full: router.input_buffer.saturating_add(router.output_buffer),
        },
        q_adaptive: QAdaptiveConfig {
            learning_rate_down: routing.q_adaptive.learning_rate_down,
            learning_rate_up: routing.q_adaptive.learning_rate_up,
            exploration: routing.q_adaptive.exploration,
            first_explorations: routing.q_adaptive.first_explorations,
            threshold_source: routing.q_adaptive.threshold_source,
            threshold_intermediate: routing.q_adaptive.threshold_intermediate,
            truncate: routing.q_adaptive.truncate,
        },
        ..RoutingConfig::new(algorithm)
    };
    compiled.choose_gateways(routing.gateways);
    compiled
}
