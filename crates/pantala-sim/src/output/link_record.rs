//! The records of links in windows: from the counts of the fabric to the rows of port_windows,
//! system_windows and router_windows.
//!
//! The fabric counts in the shortest window. Every other window is a multiple of it and sums its
//! counts.

use crate::plan::link_class::DirectedClass;
use crate::plan::{Plan, PortRecord, PortSplit, RouterRecord, SystemRecord};
use pantala_engine::{NEVER, Time};
use pantala_fabric::{BufferDetail, LinkCount, TrafficCount, TrafficDetail, WatchedLink};
use pantala_topology::{Peer, Topology};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Window {
    /// The length of all windows of its kind.
    pub(crate) length: Time,
    pub(crate) start: Time,
    /// Its end, earlier than its length says if the run ends.
    pub(crate) end: Time,
}

impl Window {
    /// Moves the window later. A window of the whole run only ends later: its length is the
    /// simulated time, to which its sums belong.
    pub(crate) const fn shift(&mut self, by: Time) {
        if self.start > 0 {
            self.start += by;
        }
        self.end += by;
    }

    /// The simulated time of the window: the last one may be shorter than others.
    pub(crate) const fn lasts(&self) -> Time {
        let span = self.end - self.start;
        if span < self.length { span } else { self.length }
    }

    /// The last time in the window.
    pub(crate) const fn last(&self) -> Time {
        if self.end > self.start { self.end - 1 } else { self.start }
    }
}

/// The flits beyond a link in a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DownstreamOccupancy {
    /// Their integral over time, in flit ps.
    pub(crate) integral: u128,
    pub(crate) most: u32,
    /// The time without room for a full packet, in ps.
    pub(crate) full: Time,
}

/// What a row of port_windows sums.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PortSum {
    pub(crate) traffic: TrafficCount,
    pub(crate) downstream: Option<DownstreamOccupancy>,
}

/// A row of port_windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PortWindow {
    pub(crate) window: Window,
    pub(crate) link: u32,
    pub(crate) vc: Option<u8>,
    pub(crate) job: Option<u16>,
    pub(crate) response: Option<bool>,
    pub(crate) sum: PortSum,
}

/// A row of system_windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ClassWindow {
    pub(crate) window: Window,
    pub(crate) class: DirectedClass,
    pub(crate) job: Option<u16>,
    pub(crate) links: u32,
    pub(crate) traffic: TrafficCount,
    pub(crate) full: Time,
}

/// A row of router_windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RouterWindow {
    pub(crate) window: Window,
    pub(crate) router: u32,
    pub(crate) job: u16,
    pub(crate) packets: u64,
    pub(crate) bytes: u64,
}

/// Where the rows of windows go.
pub(crate) struct LinkRows<'a> {
    pub(crate) ports: &'a mut Vec<PortWindow>,
    pub(crate) classes: &'a mut Vec<ClassWindow>,
    pub(crate) routers: &'a mut Vec<RouterWindow>,
}

/// A directed link, as a row names it.
#[derive(Clone, Copy, Debug)]
struct Link {
    number: u32,
    class: DirectedClass,
    router: u32,
}

type PortSums = Windowed<PortKey, PortSum>;
/// Traffic and saturated time by class and job.
type ClassSums = Windowed<(DirectedClass, Option<u16>), (TrafficCount, Time)>;
/// Packets and bytes by router and job.
type RouterSums = Windowed<(u32, u16), (u64, u64)>;
type PortKey = (u32, Option<u8>, Option<u16>, Option<bool>);

/// Sums in windows of several lengths.
#[derive(Debug)]
struct Windowed<K, V> {
    /// Per length, the sums of the current window.
    lengths: Vec<(Time, BTreeMap<K, V>)>,
}

impl<K: Ord + Copy, V: Default> Windowed<K, V> {
    /// `lengths`: none means the whole run.
    fn new(lengths: &[u64]) -> Self {
        let lengths = if lengths.is_empty() { &[NEVER][..] } else { lengths };
        Self { lengths: lengths.iter().map(|length| (*length, BTreeMap::new())).collect() }
    }

    fn add(&mut self, key: K, mut add: impl FnMut(&mut V)) {
        for (_, sums) in &mut self.lengths {
            add(sums.entry(key).or_default());
        }
    }

    /// Ends the windows that end up to `now`, or all at the end of a run. `of` is a time in them.
    fn flush(&mut self, of: Time, now: Time, ends: bool, mut row: impl FnMut(Window, K, V)) {
        for (length, sums) in &mut self.lengths {
            let start = of - of % *length;
            let end = start.saturating_add(*length);
            if ends || end <= now {
                let window = Window {
                    length: if *length == NEVER { now } else { *length },
                    start,
                    end: end.min(now),
                };
                for (key, sum) in std::mem::take(sums) {
                    row(window, key, sum);
                }
            }
        }
    }
}

/// The records of links of the partitions here.
#[derive(Debug)]
pub(crate) struct LinkRecord {
    /// The length of the shortest window.
    base: Time,
    /// The end of the current window.
    pub(crate) ends: Time,
    ports: Option<(PortRecord, Vec<u16>, PortSums)>,
    system: Option<(SystemRecord, ClassSums)>,
    routers: Option<(RouterRecord, Vec<u16>, RouterSums)>,
    /// Per class, the number of links of the whole machine.
    links: [u32; DirectedClass::ALL.len()],
}

impl LinkRecord {
    /// Returns the records of a plan, if it has any.
    pub(crate) fn of(plan: &Plan, topology: &Topology) -> Option<Self> {
        let record = &plan.record;
        let windows = [
            record.ports.as_ref().map(|ports| &ports.windows_ps),
            record.system.as_ref().map(|system| &system.windows_ps),
            record.routers.as_ref().map(|routers| &routers.windows_ps),
        ];
        if windows.iter().all(Option::is_none) {
            return None;
        }
        let numbers = |names: &[String]| -> Vec<u16> {
            let number = |name| plan.jobs.iter().position(|job| &job.name == name);
            names.iter().filter_map(number).map(|number| number as u16).collect()
        };
        let base = windows.into_iter().flatten().flatten().copied().min().unwrap_or(NEVER);
        Some(Self {
            base,
            ends: base,
            ports: record
                .ports
                .clone()
                .map(|of| (of.clone(), numbers(&of.jobs), Windowed::new(&of.windows_ps))),
            system: record.system.clone().map(|of| (of.clone(), Windowed::new(&of.windows_ps))),
            routers: record
                .routers
                .clone()
                .map(|of| (of.clone(), numbers(&of.jobs), Windowed::new(&of.windows_ps))),
            links: links_by_class(topology),
        })
    }

    /// Returns which traffic the fabric must tell apart for these records.
    pub(crate) fn traffic(&self) -> TrafficDetail {
        match (&self.ports, &self.routers) {
            (Some((of, ..)), _)
                if of.split.contains(&PortSplit::Vc) || of.split.contains(&PortSplit::Kind) =>
            {
                TrafficDetail::Vcs
            }
            (None, None) => TrafficDetail::Classes,
            _ => TrafficDetail::Links,
        }
    }

    /// Returns what the fabric must count of the buffer behind a link.
    pub(crate) fn buffer(&self, topology: &Topology, link: WatchedLink) -> BufferDetail {
        match (&self.ports, &self.system) {
            (Some((of, ..)), _) if of_record(of, named(topology, link)) => {
                if of.split.contains(&PortSplit::Vc) {
                    BufferDetail::Vcs
                } else {
                    BufferDetail::All
                }
            }
            (_, Some((of, _))) if !of.by_job => BufferDetail::Full,
            _ => BufferDetail::Nothing,
        }
    }

    /// Takes a count of the current window.
    pub(crate) fn take(&mut self, topology: &Topology, link: WatchedLink, count: LinkCount) {
        let link = named(topology, link);
        if let Some((record, jobs, sums)) = &mut self.ports {
            take_port(record, jobs, sums, link, count);
        }
        if let Some((of, sums)) = &mut self.system {
            match count {
                LinkCount::Traffic { job, traffic, .. } => {
                    sums.add((link.class, of.by_job.then_some(job)), |sum| sum.0.add(&traffic));
                }
                // Flits beyond a link alone make no row: the window may start after the last job.
                LinkCount::Downstream { vc: None, full, .. } | LinkCount::Full(full)
                    if !of.by_job && full > 0 =>
                {
                    sums.add((link.class, None), |sum| sum.1 += full);
                }
                LinkCount::Downstream { .. } | LinkCount::Full(_) => {}
            }
        }
        if let Some((of, jobs, sums)) = &mut self.routers {
            if let LinkCount::Traffic { job, traffic, .. } = count {
                if link.class != DirectedClass::Injection
                    && among(&of.routers, link.router)
                    && among(jobs, job)
                    && traffic.packets > 0
                {
                    sums.add((link.router, job), |sum| {
                        *sum = (sum.0 + traffic.packets, sum.1 + traffic.bytes);
                    });
                }
            }
        }
    }

    /// Ends the current window at `now` after its counts; at the end of a run, all windows. The
    /// next window of the shortest length ends at `next`.
    pub(crate) fn close(&mut self, now: Time, next: Option<Time>, rows: LinkRows<'_>) {
        // A time in the window that ends.
        let of = if self.base == NEVER { 0 } else { self.ends - self.base };
        let ends = next.is_none();
        // Windows without a count up to the next one end, too.
        let until = next.map_or(now, |next| next - self.base);
        if let Some((_, _, sums)) = &mut self.ports {
            sums.flush(of, until, ends, |window, (link, vc, job, response), sum| {
                rows.ports.push(PortWindow { window, link, vc, job, response, sum });
            });
        }
        let links = self.links;
        if let Some((_, sums)) = &mut self.system {
            sums.flush(of, until, ends, |window, (class, job), (traffic, full)| {
                let links = links[class as usize];
                rows.classes.push(ClassWindow { window, class, job, links, traffic, full });
            });
        }
        if let Some((_, _, sums)) = &mut self.routers {
            sums.flush(of, until, ends, |window, (router, job), (packets, bytes)| {
                rows.routers.push(RouterWindow { window, router, job, packets, bytes });
            });
        }
        self.ends = next.unwrap_or(NEVER);
    }

    /// Returns the end of the window after the current one; or, if nothing goes on, of the window
    /// of the next event.
    pub(crate) const fn after(&self, goes_on: bool, next_event: Time) -> Time {
        if goes_on { self.ends } else { next_event - next_event % self.base }
            .saturating_add(self.base)
    }
}

fn take_port(record: &PortRecord, jobs: &[u16], sums: &mut PortSums, link: Link, count: LinkCount) {
    if !of_record(record, link) {
        return;
    }
    let splits = |split| record.split.contains(&split);
    match count {
        LinkCount::Traffic { vc, job, response, traffic } => {
            if splits(PortSplit::Job) && !among(jobs, job) {
                return;
            }
            let key = (
                link.number,
                splits(PortSplit::Vc).then_some(vc),
                splits(PortSplit::Job).then_some(job),
                splits(PortSplit::Kind).then_some(response),
            );
            sums.add(key, |sum| sum.traffic.add(&traffic));
        }
        // Room belongs to a link and a VC, not to a job or a kind. So these counts have rows of
        // their own if rows are split.
        LinkCount::Downstream { vc, integral, most, full } => {
            if vc.is_none() || splits(PortSplit::Vc) {
                sums.add((link.number, vc, None, None), |sum| {
                    let downstream = sum.downstream.get_or_insert_default();
                    downstream.integral += integral;
                    downstream.most = downstream.most.max(most);
                    downstream.full += full;
                });
            }
        }
        LinkCount::Full(_) => {}
    }
}

/// Whether a record has rows of a link.
fn of_record(record: &PortRecord, link: Link) -> bool {
    among(&record.routers, link.router)
        && (record.classes.is_empty() || record.classes.iter().any(|c| c == link.class.name()))
}

/// Whether a filter has a value; an empty one has all.
fn among<T: PartialEq>(filter: &[T], value: T) -> bool {
    filter.is_empty() || filter.contains(&value)
}

fn named(topology: &Topology, link: WatchedLink) -> Link {
    let ports = topology.ports_per_router();
    match link {
        WatchedLink::Output(out) => {
            let number = out as u32;
            let class = topology.class_of(number / ports, (number % ports) as u16);
            Link { number, class: DirectedClass::of_output(class), router: number / ports }
        }
        WatchedLink::Injection(node) => Link {
            number: topology.routers() * ports + node,
            class: DirectedClass::Injection,
            router: topology.router_of(node),
        },
    }
}

fn links_by_class(topology: &Topology) -> [u32; DirectedClass::ALL.len()] {
    let mut links = [0; DirectedClass::ALL.len()];
    links[DirectedClass::Injection as usize] = topology.terminals();
    for router in 0..topology.routers() {
        for port in 0..topology.ports_per_router() as u16 {
            if topology.peer(router, port) != Peer::Unconnected {
                links[DirectedClass::of_output(topology.class_of(router, port)) as usize] += 1;
            }
        }
    }
    links
}
