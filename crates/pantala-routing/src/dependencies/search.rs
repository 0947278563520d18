//! The search: an order of all channels that every dependency follows, or a cycle.

use super::channel::Number;
use super::graph::Graph;
use petgraph::visit::{DfsPostOrder, VisitMap, Visitable};
use std::collections::VecDeque;

/// Returns the channels of a cycle, each of which depends on the next; `None` if there is none. No
/// cycle through its channels is shorter.
///
/// The order is the reverse postorder of a depth-first search. The function then checks every
/// dependency against the order. If all follow it, there is no cycle, even if the search had a
/// fault.
pub(super) fn cycle(graph: &Graph) -> Option<Vec<Number>> {
    let channels = 0..graph.numbering.count() as Number;
    let mut place = vec![0u32; graph.numbering.count()];
    let mut places = channels.clone();
    let mut search = DfsPostOrder::empty(graph);
    for start in channels.clone() {
        if !search.finished.is_visited(&start) {
            search.move_to(start);
        }
        while let Some(channel) = search.next(graph) {
            place[channel as usize] = places.next_back().expect("a place for every channel");
        }
    }
    let leads_back = |held: &Number| {
        graph.asked(*held).any(|asked| place[asked as usize] <= place[*held as usize])
    };
    let on_cycle = channels.clone().find(leads_back)?;
    let mut cycle = through(graph, on_cycle, usize::MAX)
        .expect("a dependency against the order closes a cycle");
    let mut next = 0;
    while next < cycle.len() {
        match through(graph, cycle[next], cycle.len()) {
            Some(shorter) => (cycle, next) = (shorter, 0),
            None => next += 1,
        }
    }
    Some(cycle)
}

/// Returns the shortest cycle through a channel, if it has fewer than `most` channels.
fn through(graph: &Graph, start: Number, most: usize) -> Option<Vec<Number>> {
    let mut seen = graph.visit_map();
    let mut before = vec![Number::MAX; graph.numbering.count()];
    let mut queue = VecDeque::from([(start, 1)]);
    while let Some((channel, length)) = queue.pop_front() {
        if length >= most {
            return None;
        }
        for asked in graph.asked(channel) {
            if asked == start {
                let back = |&channel: &Number| (channel != start).then(|| before[channel as usize]);
                let mut cycle: Vec<Number> = std::iter::successors(Some(channel), back).collect();
                cycle.reverse();
                return Some(cycle);
            }
            if seen.visit(asked) {
                before[asked as usize] = channel;
                queue.push_back((asked, length + 1));
            }
        }
    }
    None
}
