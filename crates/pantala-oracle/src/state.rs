//! The state of the network at one time.

use std::collections::VecDeque;

use pantala_engine::Time;
use pantala_topology::{Peer, Topology};

use crate::{LinkTimes, OracleConfig};

/// A packet's stay at one stage: in an input VC, in an output VC, or in the queue of a source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stay {
    pub(crate) packet: usize,
    /// Number of routers that the packet has left.
    pub(crate) hop: usize,
    pub(crate) flits: u32,
    /// The VC of its buffer.
    pub(crate) vc: u8,
    /// Number of flits that have become available here.
    pub(crate) available: u32,
    /// Number of flits that have started to leave.
    pub(crate) started: u32,
    /// Number of flits that have left.
    pub(crate) left: u32,
    /// The earliest start of the next flit after the previous one.
    pub(crate) next_flit: Time,
}

impl Stay {
    pub(crate) fn new(packet: usize, hop: usize, flits: u32, vc: u8) -> Self {
        Self { packet, hop, flits, vc, available: 0, started: 0, left: 0, next_flit: 0 }
    }

    /// Whether a flit waits to follow.
    pub(crate) fn can_move(&self, now: Time) -> bool {
        self.started < self.available && self.next_flit <= now
    }
}

/// The sending side of a link: one VC.
#[derive(Clone, Debug, Default)]
pub(crate) struct OutputVc {
    /// Packets that have not started on the link, in the order of their grants.
    pub(crate) queue: VecDeque<Stay>,
    /// Buffer space taken, in flits, from the grant until the head starts on the link.
    pub(crate) taken: u32,
    /// Free buffer space at the far end, in flits.
    pub(crate) credits: u32,
    /// Time until which a flit of this VC occupies the link.
    pub(crate) open: Time,
}

/// The sending side of a link: a router's output port, or a NIC's injection.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    pub(crate) peer: Peer,
    pub(crate) link: LinkTimes,
    pub(crate) vcs: Vec<OutputVc>,
    /// Time until which a packet holds the crossbar's output.
    pub(crate) crossbar_held: Time,
    /// Time until which a flit occupies the crossbar's output.
    pub(crate) crossbar_busy: Time,
    /// Time until which a packet holds the link.
    pub(crate) link_held: Time,
    /// Time until which a flit occupies the link.
    pub(crate) link_busy: Time,
    /// Packets that have started on the link and have flits left to start, the earliest first.
    pub(crate) leaving: Vec<Stay>,
    /// The first (input port, VC) in the next round.
    pub(crate) next_input: usize,
    /// The first VC in the next round.
    pub(crate) next_vc: usize,
    /// Number of flits carried.
    pub(crate) carried: u64,
}

impl Output {
    pub(crate) fn new(peer: Peer, link: LinkTimes, config: &OracleConfig) -> Self {
        let vc = OutputVc { credits: config.input_buffer_flits, ..OutputVc::default() };
        Self {
            peer,
            link,
            vcs: vec![vc; usize::from(config.virtual_channels)],
            crossbar_held: 0,
            crossbar_busy: 0,
            link_held: 0,
            link_busy: 0,
            leaving: Vec::new(),
            next_input: 0,
            next_vc: 0,
            carried: 0,
        }
    }

    /// The stay of `packet`, whether it has started on the link or not.
    pub(crate) fn stay(&mut self, packet: usize, hop: usize) -> Option<&mut Stay> {
        let queued = self.vcs.iter_mut().flat_map(|vc| vc.queue.iter_mut());
        queued.chain(&mut self.leaving).find(|stay| (stay.packet, stay.hop) == (packet, hop))
    }

    /// Whether all flits sent have been removed at the far end.
    pub(crate) fn is_at_rest(&self, config: &OracleConfig) -> bool {
        self.leaving.is_empty()
            && self.vcs.iter().all(|vc| {
                vc.queue.is_empty() && vc.taken == 0 && vc.credits == config.input_buffer_flits
            })
    }
}

/// A router's input port.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    /// Packets in order of arrival, by VC.
    pub(crate) vcs: Vec<VecDeque<Stay>>,
    /// Time until which a packet holds the crossbar's input.
    pub(crate) crossbar_held: Time,
    /// Time until which a flit occupies the crossbar's input.
    pub(crate) crossbar_busy: Time,
}

/// A router.
#[derive(Clone, Debug)]
pub(crate) struct Router {
    pub(crate) inputs: Vec<Input>,
    pub(crate) outputs: Vec<Output>,
    /// The (input port, VC) pairs whose first packet has been granted the crossbar, by time of the
    /// grant.
    pub(crate) crossing: Vec<(usize, usize)>,
}

impl Router {
    pub(crate) fn new(topology: &Topology, config: &OracleConfig, id: u32) -> Self {
        let ports = 0..topology.ports_per_router() as u16;
        let input = Input {
            vcs: vec![VecDeque::new(); usize::from(config.virtual_channels)],
            crossbar_held: 0,
            crossbar_busy: 0,
        };
        let output = |port| {
            Output::new(topology.peer(id, port), config.link(topology.class_of(id, port)), config)
        };
        Self {
            inputs: vec![input; ports.len()],
            outputs: ports.map(output).collect(),
            crossing: Vec::new(),
        }
    }

    pub(crate) fn is_at_rest(&self, config: &OracleConfig) -> bool {
        self.crossing.is_empty()
            && self.inputs.iter().all(|input| input.vcs.iter().all(VecDeque::is_empty))
            && self.outputs.iter().all(|output| output.is_at_rest(config))
    }
}

/// A NIC: its source queue and its injection link.
#[derive(Clone, Debug)]
pub(crate) struct Nic {
    pub(crate) queue: VecDeque<Stay>,
    pub(crate) injection: Output,
}

impl Nic {
    pub(crate) fn new(topology: &Topology, config: &OracleConfig, id: u32) -> Self {
        let peer =
            Peer::Port { router: topology.router_of(id), port: topology.terminal_port_of(id) };
        Self { queue: VecDeque::new(), injection: Output::new(peer, config.terminal, config) }
    }

    pub(crate) fn is_at_rest(&self, config: &OracleConfig) -> bool {
        self.queue.is_empty() && self.injection.is_at_rest(config)
    }
}
