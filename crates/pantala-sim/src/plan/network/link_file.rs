//! The links of a file, checked row by row.

use super::End;
use super::failures::quoted;
use crate::error::PlanError;
use crate::plan::{LinkFile, Place};
use pantala_topology::{DragonflySpec, LinkClass, Peer, Topology};
use std::collections::{BTreeMap, BTreeSet};

const KEY: &str = "topology.links_file";
/// The classes of links of nodes in the tables of a run.
const OF_NODES: [&str; 3] = ["terminal", "injection", "ejection"];
const CORRECT: &str = "correct the row, or the numbers of machine.topology";

/// The links of a file.
pub(super) struct Links {
    /// The global links in the order of their parallel indices per pair of groups: router and port
    /// of the lower end, then of the other.
    pub(super) global: Vec<[u32; 4]>,
    /// The lower ends of the links inside groups that the file lacks.
    pub(super) absent: BTreeSet<End>,
}

/// A row with a link between routers of the network.
struct Row<'a> {
    place: Place,
    source: End,
    target: End,
    class: Option<&'a str>,
    parallel_index: i64,
}

/// Returns the links of a file for a network with these groups.
///
/// # Errors
/// A [`PlanError`] that names the first row that does not fit the network or another row, or a fault
/// of the parameters.
pub(super) fn links(file: &LinkFile, spec: &DragonflySpec) -> Result<Links, PlanError> {
    let groups = Topology::with_global_links(spec, &[])?;
    let all = rows(file, &groups)?;
    let rows = once(file, &all)?;
    let named: BTreeSet<End> = rows.iter().flat_map(|row| [row.source, row.target]).collect();
    let mut absent: BTreeSet<End> = BTreeSet::new();
    for link in groups.links() {
        let (source, target) =
            ((link.source_router, link.source_port), (link.target_router, link.target_port));
        if source < target && !named.contains(&source) {
            absent.insert(source);
        }
    }
    let mut global: Vec<_> = rows
        .iter()
        .filter(|row| groups.class_of(row.source.0, row.source.1) == LinkClass::Global)
        .map(|row| {
            let (low, high) = (row.source.min(row.target), row.source.max(row.target));
            let pair = (groups.group_of(low.0), groups.group_of(high.0));
            (pair, row.parallel_index, [low.0, low.1.into(), high.0, high.1.into()])
        })
        .collect();
    global.sort_unstable();
    Ok(Links { global: global.into_iter().map(|(_, _, link)| link).collect(), absent })
}

/// Returns the rows with links between routers, each checked by itself and no two equal.
fn rows<'a>(file: &'a LinkFile, groups: &Topology) -> Result<Vec<Row<'a>>, PlanError> {
    let mut rows: Vec<Row<'_>> = Vec::new();
    let mut seen: BTreeMap<(End, End), Place> = BTreeMap::new();
    for (index, &source_router) in file.source_router.iter().enumerate() {
        let class = file.class.as_ref().and_then(|classes| classes.get(index)?.as_deref());
        if class.is_some_and(|class| OF_NODES.contains(&class)) {
            continue;
        }
        let place = file.first.after(index);
        let at = |column: &[Option<i64>]| column.get(index).copied().flatten();
        let given = [
            ("source_router", source_router),
            ("source_port", at(&file.source_port)),
            ("target_router", at(&file.target_router)),
            ("target_port", at(&file.target_port)),
        ];
        let mut numbers = [0; 4];
        for (number, (column, given)) in numbers.iter_mut().zip(given) {
            *number = match given {
                Some(given) if given >= 0 => given,
                Some(given) => return Err(no_number(file, place, &format!("{column} {given}"))),
                None => return Err(no_number(file, place, &format!("no {column}"))),
            };
        }
        let [source, target] = ends(numbers, groups)
            .map_err(|message| fault(file, &format!("{place} {message}"), CORRECT))?;
        let parallel_index = file.parallel_index.as_deref().and_then(at).unwrap_or(0);
        let row = Row { place, source, target, class, parallel_index };
        let misfit = misfit(&row, groups).or_else(|| {
            let before = seen.get(&(source, target))?;
            Some(format!("is the link of {before} again"))
        });
        if let Some(message) = misfit {
            return Err(fault(file, &format!("{place} {message}"), CORRECT));
        }
        seen.insert((source, target), place);
        rows.push(row);
    }
    if rows.is_empty() {
        return Err(fault(file, "has no links between routers", "name a table with links"));
    }
    Ok(rows)
}

/// Returns each link once. A file with both directions gives the rows from the lower end to the
/// higher.
fn once<'a, 'b>(file: &LinkFile, rows: &'b [Row<'a>]) -> Result<Vec<&'b Row<'a>>, PlanError> {
    let seen: BTreeSet<(End, End)> = rows.iter().map(|row| (row.source, row.target)).collect();
    let has_reverse = |row: &Row<'_>| seen.contains(&(row.target, row.source));
    let directed = rows.iter().any(has_reverse);
    let mut taken: BTreeMap<End, Place> = BTreeMap::new();
    for row in rows {
        let place = row.place;
        if directed && !has_reverse(row) {
            let message =
                format!("{place} has no row for the other direction, as other links have");
            let remedy = "give all links once, or all in both directions";
            return Err(fault(file, &message, remedy));
        }
        let ends = [row.source, row.target];
        for end in &ends[..if directed { 1 } else { 2 }] {
            if let Some(other) = taken.insert(*end, place) {
                let (router, port) = end;
                let message =
                    format!("{place} uses port {port} of router {router}, as does {other}");
                return Err(fault(file, &message, "give each port one link"));
            }
        }
    }
    Ok(rows.iter().filter(|row| !directed || row.source < row.target).collect())
}

/// Returns the two ends of a row, or what is wrong with them.
fn ends(numbers: [i64; 4], groups: &Topology) -> Result<[End; 2], String> {
    let [source_router, source_port, target_router, target_port] = numbers;
    let end = |router: i64, port: i64| {
        let Some(router) = u32::try_from(router).ok().filter(|&r| r < groups.routers()) else {
            let routers = groups.routers();
            return Err(format!("names router {router}, but there are {routers}, counted from 0"));
        };
        let ports = groups.ports_per_router();
        match u16::try_from(port).ok().filter(|&port| u32::from(port) < ports) {
            None => Err(format!("names port {port}, but a router has {ports}")),
            Some(port) if groups.class_of(router, port) == LinkClass::Terminal => {
                Err(format!("names port {port}, which belongs to a node"))
            }
            Some(port) => Ok((router, port)),
        }
    };
    Ok([end(source_router, source_port)?, end(target_router, target_port)?])
}

/// Returns what is wrong with a row by itself; `None` if it fits the network.
fn misfit(row: &Row<'_>, groups: &Topology) -> Option<String> {
    let ((router, port), (target_router, target_port)) = (row.source, row.target);
    let (class, other) =
        (groups.class_of(router, port), groups.class_of(target_router, target_port));
    let name = class.name();
    if let Some(given) = row.class.filter(|&given| given != name) {
        return Some(format!("has class {}, but port {port} is a {name} port", quoted(given)));
    }
    if class != other {
        let with = other.name();
        return Some(format!(
            "joins a {name} port with a {with} port (ports {port} and {target_port})"
        ));
    }
    if class == LinkClass::Global {
        let group = groups.group_of(router);
        return (group == groups.group_of(row.target.0))
            .then(|| format!("joins group {group} with itself by a global link"));
    }
    match groups.peer(router, port) {
        Peer::Port { router: there, port: back } if (there, back) != row.target => Some(format!(
            "is a {name} link that the group does not have: port {port} of router {router} leads to \
             port {back} of router {there}"
        )),
        _ => None,
    }
}

fn no_number(file: &LinkFile, place: Place, what: &str) -> PlanError {
    fault(file, &format!("{place} has {what}"), "give routers and ports from 0 on")
}

fn fault(file: &LinkFile, message: &str, remedy: &str) -> PlanError {
    PlanError::new(KEY, quoted(&file.name), message, remedy)
}
