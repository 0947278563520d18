//! Links that fail: listed, or drawn at random among those that are left.

use super::End;
use crate::error::PlanError;
use crate::plan::random_order::in_random_order;
use crate::plan::{DrawnNumber, LinkDraw, LinkFailures, NamedLink};
use pantala_topology::{Link, LinkClass, Topology};
use std::collections::BTreeSet;

const DRAW_STREAM: u64 = 0x4661_696C_6564_4C6E;
/// The key of the scenario, which error messages name.
const KEY: &str = "topology.failed_links";

/// Returns the lower end of each link that fails.
///
/// # Errors
/// A [`PlanError`] if a listed link does not exist, or if more links are drawn than there are.
pub(super) fn find(
    failures: &LinkFailures,
    whole: &Topology,
    absent: &BTreeSet<End>,
) -> Result<BTreeSet<End>, PlanError> {
    let mut failed = BTreeSet::new();
    for (number, link) in failures.links.iter().enumerate() {
        let place = || (format!("{KEY}.links[{number}]"), quoted(&link.text()), String::new());
        failed.extend(listed(*link, whole, place)?);
    }
    if let Some(file) = &failures.file {
        for (place, link) in &file.links {
            let place = || (format!("{KEY}.file"), quoted(&file.name), format!("{place}: "));
            failed.extend(listed(*link, whole, place)?);
        }
    }
    if let Some(draw) = failures.draw {
        let left = whole.links().filter(|link| {
            link.class == draw.link_class
                && is_lower(link)
                && !absent.contains(&end(link))
                && !failed.contains(&end(link))
        });
        let drawn = drawn(draw, whole, &left.map(|link| end(&link)).collect::<Vec<_>>())?;
        failed.extend(drawn);
    }
    Ok(failed)
}

/// Returns the lower ends of the links of a name. `place` gives the key, its value, and the words
/// for a place in a file.
fn listed(
    link: NamedLink,
    whole: &Topology,
    place: impl Fn() -> (String, String, String),
) -> Result<Vec<End>, PlanError> {
    let router_of = |number: i64| u32::try_from(number).ok().filter(|&r| r < whole.routers());
    let ports = u16::try_from(whole.ports_per_router()).unwrap_or(u16::MAX);
    let (ends, message) = match link {
        NamedLink::Port([router, port]) => {
            let message = format!("router {router} has no link to a router at port {port}");
            let port = u16::try_from(port).ok().filter(|&port| port < ports);
            let link =
                router_of(router).zip(port).and_then(|(router, port)| whole.link(router, port));
            (link.iter().map(lower_end).collect::<Vec<_>>(), message)
        }
        NamedLink::Routers([one, other]) => {
            let message = format!("no link joins routers {one} and {other}");
            let link = |(one, other): (u32, u32)| {
                let links = (0..ports).filter_map(move |port| whole.link(one, port));
                links.filter(move |link| link.target_router == other)
            };
            let pair = router_of(one).zip(router_of(other));
            (pair.into_iter().flat_map(link).map(|link| lower_end(&link)).collect(), message)
        }
    };
    if ends.is_empty() {
        let (key, value, place) = place();
        let remedy = "list the links with `pantala topology ... --links FILE`";
        return Err(PlanError::new(&key, value, format!("{place}{message}"), remedy));
    }
    Ok(ends)
}

/// Returns the first links in a random order, so that a larger number adds links to those of a
/// smaller one.
fn drawn(draw: LinkDraw, whole: &Topology, left: &[End]) -> Result<Vec<End>, PlanError> {
    let class = draw.link_class.name();
    let two = whole.is_2d();
    if match draw.link_class {
        LinkClass::Terminal => true,
        LinkClass::Local => two,
        LinkClass::Row | LinkClass::Column => !two,
        LinkClass::Global => false,
    } {
        return Err(PlanError::new(
            &format!("{KEY}.link_class"),
            quoted(class),
            "is no link class of this topology",
            if two { "choose one of row, column, global" } else { "choose one of local, global" },
        ));
    }
    let wanted = match draw.number {
        DrawnNumber::Count(count) => count as usize,
        DrawnNumber::Share(share) => (share * left.len() as f64 + 0.5) as usize,
    };
    if wanted > left.len() {
        let message = format!("is more than the {} {class} links", left.len());
        return Err(PlanError::new(&format!("{KEY}.count"), wanted, message, "lower it"));
    }
    // The number of a link in the tables: router times the ports per router, plus port.
    let ports = whole.ports_per_router();
    let numbers: Vec<u32> =
        left.iter().map(|&(router, port)| router * ports + u32::from(port)).collect();
    let order = in_random_order(&numbers, draw.seed, DRAW_STREAM, 0);
    Ok(order[..wanted].iter().map(|&link| (link / ports, (link % ports) as u16)).collect())
}

impl NamedLink {
    /// The name in a scenario.
    fn text(&self) -> String {
        match self {
            Self::Port([router, port]) => format!("{router}:{port}"),
            Self::Routers([one, other]) => format!("{one}-{other}"),
        }
    }
}

/// A text of a scenario, as a message shows it.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn end(link: &Link) -> End {
    (link.source_router, link.source_port)
}

fn is_lower(link: &Link) -> bool {
    end(link) < (link.target_router, link.target_port)
}

fn lower_end(link: &Link) -> End {
    end(link).min((link.target_router, link.target_port))
}
