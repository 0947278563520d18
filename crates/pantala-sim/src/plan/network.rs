//! The network of a plan: its topology with the links that a file gives, without those that fail.

mod failures;
mod link_file;
pub mod ports;

use crate::error::PlanError;
use crate::plan::{TopologyKind, TopologyPlan};
use pantala_topology::Topology;
use std::collections::{BTreeMap, BTreeSet};

/// The lower end of a link: router and port.
type End = (u32, u16);

/// Returns the topology of a plan.
///
/// # Errors
/// As `resolve`.
pub fn topology(plan: &TopologyPlan) -> Result<Topology, PlanError> {
    resolve(&mut plan.clone())
}

/// Replaces a file of links and links to fail by the links themselves, and returns the topology.
///
/// # Errors
/// A [`PlanError`] if the parameters give no topology, or links are named that it cannot have.
pub(super) fn resolve(plan: &mut TopologyPlan) -> Result<Topology, PlanError> {
    if plan.kind == TopologyKind::Dragonfly2d
        && u64::from(plan.a) != u64::from(plan.rows) * u64::from(plan.columns)
    {
        return Err(PlanError::new(
            "topology.a",
            plan.a,
            format!("a group has {} rows of {} routers", plan.rows, plan.columns),
            "give rows times columns",
        ));
    }
    let file = plan.links_file.take();
    if let Some(file) = &file {
        let links = link_file::links(file, &plan.spec())?;
        plan.global_links = Some(links.global);
        fail(plan, links.absent);
    }
    if let Some(failures) = plan.link_failures.take() {
        let whole = plan.build_whole()?;
        let absent = plan.failed_ends().into_iter().collect();
        fail(plan, failures::find(&failures, &whole, &absent)?);
    }
    Ok(plan.build()?)
}

/// Adds links to those that have failed.
fn fail(plan: &mut TopologyPlan, more: BTreeSet<End>) {
    let known = plan.failed_links.iter().copied();
    let more = more.into_iter().map(|(router, port)| [router, u32::from(port)]);
    plan.failed_links = known.chain(more).collect::<BTreeSet<_>>().into_iter().collect();
}

/// Returns the number of directed links between routers by class.
pub(super) fn links_by_class(topology: &Topology) -> BTreeMap<String, u64> {
    let mut links: BTreeMap<String, u64> = BTreeMap::new();
    for link in topology.links() {
        *links.entry(link.class.name().to_owned()).or_default() += 1;
    }
    links
}

/// Returns the number of links that have failed by class: those of the whole network without the
/// `remaining` directed ones.
pub(super) fn failed_by_class(
    plan: &TopologyPlan,
    remaining: &BTreeMap<String, u64>,
) -> Result<BTreeMap<String, u64>, PlanError> {
    if plan.failed_links.is_empty() {
        return Ok(BTreeMap::new());
    }
    let whole = links_by_class(&plan.build_whole()?);
    let failed = whole.into_iter().map(|(class, all)| {
        let left = remaining.get(&class).copied().unwrap_or(0);
        (class, (all - left) / 2)
    });
    Ok(failed.filter(|(_, failed)| *failed > 0).collect())
}
