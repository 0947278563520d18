//! The ports of all routers, as data.

use crate::error::PlanError;
use crate::plan::TopologyPlan;
use pantala_topology::{LinkClass, Peer};

/// A port of a router.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortRow {
    /// The router.
    pub router: u32,
    /// The port.
    pub port: u16,
    /// The class of its link, also if it has none.
    pub class: LinkClass,
    /// The router at the far end of its link; `None` if it leads to a node or has no link.
    pub peer_router: Option<u32>,
    /// The port of that router.
    pub peer_port: Option<u16>,
    /// Whether its link has failed.
    pub failed: bool,
}

/// Returns the ports of a topology, by router and port.
///
/// # Errors
/// A [`PlanError`] if the parameters give no topology.
pub fn ports(plan: &TopologyPlan) -> Result<Vec<PortRow>, PlanError> {
    let mut plan = plan.clone();
    let topology = super::resolve(&mut plan)?;
    let whole = plan.build_whole()?;
    let ports = 0..topology.ports_per_router() as u16;
    let all = (0..topology.routers()).flat_map(|r| ports.clone().map(move |port| (r, port)));
    let row = |(router, port)| {
        let (peer_router, peer_port) = match topology.peer(router, port) {
            Peer::Port { router, port } => (Some(router), Some(port)),
            Peer::Terminal(_) | Peer::Unconnected => (None, None),
        };
        let had_link = matches!(whole.peer(router, port), Peer::Port { .. });
        PortRow {
            router,
            port,
            class: topology.class_of(router, port),
            peer_router,
            peer_port,
            failed: had_link && peer_router.is_none(),
        }
    };
    Ok(all.map(row).collect())
}
