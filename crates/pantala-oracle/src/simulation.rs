//! The event calendar and the movement of flits.

use std::collections::{BTreeMap, BTreeSet};

use pantala_engine::Time;
use pantala_topology::{Peer, Topology};

use crate::check::check;
use crate::state::{Nic, Output, Router, Stay};
use crate::{OracleConfig, OracleError, OraclePacket};

/// The delivery of a packet. Times are in picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OracleDelivery {
    /// Time at which its head started on the injection link.
    pub injected: Time,
    /// Time at which its head arrived at the destination.
    pub head_arrival: Time,
    /// Time at which its tail arrived at the destination.
    pub delivered: Time,
}

/// The results of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OracleRun {
    /// By packet, in the order of the input.
    pub deliveries: Vec<OracleDelivery>,
    /// Flits carried by each injection link, by NIC.
    pub injection_flits: Vec<u64>,
    /// Flits carried by each router's output links, by router and then by port.
    pub output_flits: Vec<Vec<u64>>,
}

/// Carries `packets`, flit by flit, until all have arrived.
///
/// Packets of one source join its queue in the order of creation, and in the order of the input if
/// they are created together.
///
/// # Errors [`OracleError::Packet`] if a packet's NICs, length or route are invalid, before
/// anything moves. [`OracleError::Stalled`] if packets block each other for ever.
///
/// # Panics If the oracle itself overfills a buffer, or loses a flit or a credit.
pub fn simulate(
    topology: &Topology,
    config: &OracleConfig,
    packets: &[OraclePacket],
) -> Result<OracleRun, OracleError> {
    check(topology, config, packets)?;
    let mut simulation = Simulation::new(topology, config, packets);
    for (index, packet) in packets.iter().enumerate() {
        simulation.schedule(packet.created, Event::Created { packet: index });
    }
    let mut now = 0;
    while let Some((&time, _)) = simulation.calendar.first_key_value() {
        now = time;
        let mut places = BTreeSet::new();
        // An event can cause another one at the same time. So decisions follow after all events of
        // a time.
        while let Some(events) = simulation.calendar.remove(&now) {
            for event in events {
                places.extend(simulation.apply(event, now));
            }
        }
        for place in places {
            simulation.decide(place, now);
        }
    }
    simulation.finish(now)
}

/// A place at which decisions are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Nic(u32),
    Router(u32),
}

/// An event.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// A packet joins the queue of its source.
    Created { packet: usize },
    /// A flit becomes available in a router's input buffer.
    AtInput { router: u32, port: u16, stay: Stay },
    /// A flit of the first packet of an input VC has crossed the crossbar.
    Crossed { router: u32, port: u16, vc: usize },
    /// A flit becomes available in a router's output buffer.
    AtOutput { router: u32, port: u16, packet: usize, hop: usize },
    /// A flit arrives at its packet's destination.
    AtNic { packet: usize },
    /// Credits return to the sending side of a link.
    Credits { place: Place, port: u16, vc: usize, flits: u32 },
    /// A hold ends, or the next flit can follow.
    Look(Place),
}

struct Simulation<'a> {
    topology: &'a Topology,
    config: &'a OracleConfig,
    packets: &'a [OraclePacket],
    calendar: BTreeMap<Time, Vec<Event>>,
    nics: Vec<Nic>,
    routers: Vec<Router>,
    arrived: Vec<u32>,
    deliveries: Vec<OracleDelivery>,
}

impl<'a> Simulation<'a> {
    fn new(topology: &'a Topology, config: &'a OracleConfig, packets: &'a [OraclePacket]) -> Self {
        Self {
            topology,
            config,
            packets,
            calendar: BTreeMap::new(),
            nics: (0..topology.terminals()).map(|id| Nic::new(topology, config, id)).collect(),
            routers: (0..topology.routers()).map(|id| Router::new(topology, config, id)).collect(),
            arrived: vec![0; packets.len()],
            deliveries: vec![OracleDelivery::default(); packets.len()],
        }
    }

    fn schedule(&mut self, time: Time, event: Event) {
        self.calendar.entry(time).or_default().push(event);
    }

    /// Applies an event. Returns the place where it can change decisions.
    fn apply(&mut self, event: Event, now: Time) -> Option<Place> {
        match event {
            Event::Created { packet } => {
                let OraclePacket { source, flits, injection_vc, .. } = self.packets[packet];
                let stay = Stay { available: flits, ..Stay::new(packet, 0, flits, injection_vc) };
                self.nics[source as usize].queue.push_back(stay);
                Some(Place::Nic(source))
            }
            Event::AtInput { router, port, stay } => {
                self.arrive(router, port, stay);
                Some(Place::Router(router))
            }
            Event::Crossed { router, port, vc } => {
                self.crossed(router, port, vc, now);
                Some(Place::Router(router))
            }
            Event::AtOutput { router, port, packet, hop } => {
                let output = &mut self.routers[router as usize].outputs[usize::from(port)];
                let stay = output.stay(packet, hop).expect("a flit has followed nobody");
                stay.available += 1;
                Some(Place::Router(router))
            }
            Event::AtNic { packet } => {
                self.deliver(packet, now);
                None
            }
            Event::Credits { place, port, vc, flits } => {
                self.output(place, port).vcs[vc].credits += flits;
                Some(place)
            }
            Event::Look(place) => Some(place),
        }
    }

    fn output(&mut self, place: Place, port: u16) -> &mut Output {
        match place {
            Place::Nic(terminal) => &mut self.nics[terminal as usize].injection,
            Place::Router(router) => &mut self.routers[router as usize].outputs[usize::from(port)],
        }
    }

    /// A flit becomes available in an input buffer.
    fn arrive(&mut self, router: u32, port: u16, stay: Stay) {
        let queue =
            &mut self.routers[router as usize].inputs[usize::from(port)].vcs[usize::from(stay.vc)];
        match queue.iter_mut().find(|here| (here.packet, here.hop) == (stay.packet, stay.hop)) {
            Some(here) => here.available += 1,
            None => queue.push_back(Stay { available: 1, ..stay }),
        }
        let held: u32 = queue.iter().map(|here| here.available - here.left).sum();
        assert!(
            held <= self.config.input_buffer_flits,
            "router {router} port {port} holds {held} flits"
        );
    }

    /// A flit arrives at its destination. The tail returns the credits.
    fn deliver(&mut self, packet: usize, now: Time) {
        let OraclePacket { destination, flits, ref route, .. } = self.packets[packet];
        let delivery = &mut self.deliveries[packet];
        if self.arrived[packet] == 0 {
            delivery.head_arrival = now;
        }
        self.arrived[packet] += 1;
        if self.arrived[packet] == flits {
            delivery.delivered = now;
            let vc = usize::from(route[route.len() - 1].vc);
            let place = Place::Router(self.topology.router_of(destination));
            let port = self.topology.terminal_port_of(destination);
            let credits = Event::Credits { place, port, vc, flits };
            self.schedule(now + self.config.terminal.latency, credits);
        }
    }

    /// A flit has crossed the crossbar. The tail removes its packet from the input buffer and
    /// returns the credits.
    fn crossed(&mut self, router: u32, port: u16, vc: usize, now: Time) {
        let here = &mut self.routers[router as usize];
        let queue = &mut here.inputs[usize::from(port)].vcs[vc];
        queue[0].left += 1;
        let Stay { packet, hop, flits, left, .. } = queue[0];
        if left == flits {
            queue.pop_front();
            here.crossing.retain(|&crossing| crossing != (usize::from(port), vc));
            let (place, port) = match self.topology.peer(router, port) {
                Peer::Terminal(terminal) => (Place::Nic(terminal), port),
                Peer::Port { router, port } => (Place::Router(router), port),
                Peer::Unconnected => unreachable!("a packet has come from nowhere"),
            };
            let latency = self.output(place, port).link.latency;
            self.schedule(now + latency, Event::Credits { place, port, vc, flits });
        }
        let step = self.packets[packet].route[hop];
        let event = Event::AtOutput { router, port: step.port, packet, hop };
        self.schedule(now + self.config.output_latency, event);
    }

    /// Makes all decisions at a place until nothing moves any more: links first, then the crossbar.
    fn decide(&mut self, place: Place, now: Time) {
        let config = self.config;
        match place {
            Place::Nic(id) => {
                while let Some((stay, end)) = self.nics[id as usize].inject(now) {
                    self.deliveries[stay.packet].injected = now;
                    self.schedule(end, Event::Look(place));
                }
                self.follow(place, 0, now);
            }
            Place::Router(id) => loop {
                let mut moved = false;
                for port in 0..self.topology.ports_per_router() as u16 {
                    moved |= self.follow(place, port, now);
                    if let Some(end) = self.output(place, port).start(now) {
                        self.schedule(end, Event::Look(place));
                        moved = true;
                    }
                }
                moved |= self.cross(id, now);
                for end in self.routers[id as usize].grant(id, config, self.packets, now) {
                    self.schedule(end, Event::Look(place));
                    moved = true;
                }
                if !moved {
                    break;
                }
            },
        }
    }

    /// Starts flits through the crossbar. Returns whether any started.
    fn cross(&mut self, router: u32, now: Time) -> bool {
        let moved = self.routers[router as usize].cross(self.config, self.packets, now);
        let end = now + self.config.crossbar_flit_time;
        for &(port, vc) in &moved {
            self.schedule(end, Event::Crossed { router, port: port as u16, vc });
        }
        !moved.is_empty()
    }

    /// Starts flits on a link. Returns whether any started.
    fn follow(&mut self, place: Place, port: u16, now: Time) -> bool {
        let config = self.config;
        let output = self.output(place, port);
        let (peer, link) = (output.peer, output.link);
        let moved = output.follow(config, now);
        for &stay in &moved {
            let arrival = now + link.flit_time + link.latency;
            match peer {
                Peer::Terminal(_) => self.schedule(arrival, Event::AtNic { packet: stay.packet }),
                Peer::Port { router, port } => {
                    let hop = stay.hop + usize::from(matches!(place, Place::Router(_)));
                    let stay = Stay::new(stay.packet, hop, stay.flits, stay.vc);
                    self.schedule(
                        arrival + config.input_latency,
                        Event::AtInput { router, port, stay },
                    );
                }
                Peer::Unconnected => unreachable!("a packet goes nowhere"),
            }
            self.schedule(now + link.flit_time, Event::Look(place));
        }
        !moved.is_empty()
    }

    /// Checks that nothing was lost, and collects the results.
    fn finish(self, now: Time) -> Result<OracleRun, OracleError> {
        let missing = |&packet: &usize| self.arrived[packet] < self.packets[packet].flits;
        let undelivered: Vec<usize> = (0..self.packets.len()).filter(missing).collect();
        if !undelivered.is_empty() {
            return Err(OracleError::Stalled { time: now, undelivered });
        }
        assert!(
            self.nics.iter().all(|terminal| terminal.is_at_rest(self.config)),
            "a node has lost a flit or a credit"
        );
        assert!(
            self.routers.iter().all(|router| router.is_at_rest(self.config)),
            "a router has lost a flit or a credit"
        );
        let carried = |output: &Output| output.carried;
        Ok(OracleRun {
            deliveries: self.deliveries,
            injection_flits: self
                .nics
                .iter()
                .map(|terminal| carried(&terminal.injection))
                .collect(),
            output_flits: self
                .routers
                .iter()
                .map(|router| router.outputs.iter().map(carried).collect())
                .collect(),
        })
    }
}
