//! The agenda of a partition: its events, in blocks of groups that time passes in one after the
//! other.
//!
//! An effect of one group on another takes at least the latency of a global link. So the loop
//! handles all events of one block up to that time ahead before the events of the next block. The
//! state of a large network does not fit into a cache. The state of a block does, and the loop uses
//! it for a while before it moves on.
//!
//! Results do not depend on the number of blocks. Only the order of calls to hosts of different
//! groups does: their times can go back by the latency of a global link.

use crate::config::FabricConfig;
use crate::store::nics::Nic;
use crate::store::port::{InPort, InVc, OutPort, OutVc};
use pantala_engine::{Time, Wheel};
use pantala_topology::{LinkClass, NetworkGraph};
use std::ops::Range;

/// The kind of an event, which is its phase within one time. The order within a phase does not
/// matter.
pub(crate) struct Kind;

impl Kind {
    /// A packet's head arrives in an input VC. Identity: the packet; hint: the input VC.
    pub(crate) const ARRIVE: u8 = 0;
    /// A packet is delivered at its NIC. Identity: the packet.
    pub(crate) const DELIVER: u8 = 1;
    /// A timer of a host. Identity: the NIC.
    pub(crate) const TIMER: u8 = 2;
    /// A link may start a packet. Identity: the output port.
    pub(crate) const LINK: u8 = 3;
    /// A NIC may start a packet. Identity: the NIC.
    pub(crate) const NIC: u8 = 4;
    /// A crossbar output may have become free. Identity: the output port.
    pub(crate) const CROSSBAR: u8 = 5;
}

/// Bytes of router state per block, approximately. See docs/appendix-performance.md for the
/// measurement.
const BLOCK_BYTES: usize = 512 << 10;
/// Bytes of router state, approximately, that a cache near the core holds at least in part. Machines
/// of 1,056 nodes have less, `theta` and those of 8,448 nodes more; other values were not tried.
const CACHED_BYTES: usize = 8 << 20;
/// The smallest window in ps for which blocks pay.
const LEAST_AHEAD: Time = 20_000;
/// The fewest packets per window and link for which blocks pay: otherwise the state of a block
/// would hardly be used twice.
const LEAST_PACKETS: Time = 4;

/// Which group is in which block, and the events of the blocks that time does not pass in at the
/// moment.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    first_group: u32,
    groups_per_block: u32,
    /// How far one block may be ahead of another, in ps.
    ahead: Time,
    /// Whether most of the state that an event needs comes from memory.
    pub(crate) large: bool,
    /// The current block. Its wheel is [`Agenda::wheel`].
    current: u16,
    /// Per block, its wheel, with an empty one for the current block. Empty if there is one block.
    wheels: Vec<Wheel>,
}

impl Blocks {
    /// Makes the number of blocks that fits the size of these groups.
    pub(crate) fn of(config: &FabricConfig, network: &NetworkGraph, own: Range<u32>) -> Self {
        let ahead = config.lookahead();
        let packet =
            Time::from(config.flits(config.packet_bytes)) * config.timing(LinkClass::Local).flit;
        let groups = own.end - own.start;
        let routers = network.routers_of_cells(own.clone()).len();
        let blocks = match config.blocks {
            _ if config.reads_everywhere() => 1,
            0 if ahead < LEAST_AHEAD.max(LEAST_PACKETS * packet) => 1,
            0 => (router_bytes(config, network) * routers / BLOCK_BYTES) as u32,
            given => given,
        };
        let groups_per_block = groups.div_ceil(blocks.clamp(1, groups));
        let blocks = groups.div_ceil(groups_per_block) as usize;
        let wheels = if blocks > 1 {
            std::iter::repeat_with(Wheel::new).take(blocks).collect()
        } else {
            Vec::new()
        };
        // A build that checks indices takes the second step on every network, so tests cover it.
        let large =
            cfg!(debug_assertions) || router_bytes(config, network) * routers > CACHED_BYTES;
        Self { first_group: own.start, groups_per_block, ahead, large, current: 0, wheels }
    }

    /// Returns the block of a group.
    pub(crate) fn of_group(&self, group: u32) -> u16 {
        ((group - self.first_group) / self.groups_per_block) as u16
    }

    /// Schedules an event in a block. `wheel` is the wheel of the current block.
    #[inline(always)]
    pub(crate) fn schedule(
        &mut self,
        wheel: &mut Wheel,
        block: u16,
        time: Time,
        kind: u8,
        id: u32,
    ) {
        if block == self.current {
            wheel.push(time, kind, id);
        } else {
            self.wheels[usize::from(block)].push(time, kind, id);
        }
    }

    /// As [`Self::schedule`], for an event at the next edge of a clock: see [`Wheel::push_tick`].
    #[inline(always)]
    fn schedule_at_edge(&mut self, wheel: &mut Wheel, block: u16, time: Time, kind: u8, id: u32) {
        let wheel =
            if block == self.current { wheel } else { &mut self.wheels[usize::from(block)] };
        wheel.push_tick(time, kind, id);
    }

    /// Schedules the arrival of a packet at an input VC.
    #[inline(always)]
    pub(crate) fn arrive(
        &mut self,
        wheel: &mut Wheel,
        block: u16,
        time: Time,
        packet: u32,
        at: u32,
    ) {
        let wheel =
            if block == self.current { wheel } else { &mut self.wheels[usize::from(block)] };
        wheel.push_with_hint(time, Kind::ARRIVE, packet, at);
    }
}

/// Returns the bytes of state of a router, approximately.
fn router_bytes(config: &FabricConfig, network: &NetworkGraph) -> usize {
    let (ports, vcs) = (network.ports_per_router() as usize, usize::from(config.virtual_channels));
    let words = (ports * vcs).div_ceil(64);
    ports
        * (size_of::<OutPort>()
            + size_of::<InPort>()
            + vcs * (size_of::<InVc>() + size_of::<OutVc>() + 8 * words))
}

/// The events of a partition: the timing wheels of its blocks, and the time.
#[derive(Debug)]
pub(crate) struct Agenda {
    /// The events of the block that time passes in.
    pub(crate) wheel: Wheel,
    /// The blocks of groups, and the events of the other blocks.
    pub(crate) blocks: Blocks,
    /// The time of the event handled last in this block.
    pub(crate) now: Time,
    /// The time of the event handled last in any block.
    pub(crate) latest: Time,
    /// The edge of the crossbars' clock after the event handled last that needed one.
    edge: Time,
    /// The end of the time to handle: no event at or after it is handled before all state has been
    /// read that someone reads between two calls of `advance`.
    pub(crate) until: Time,
    /// Wakes dropped because an earlier wake had replaced them.
    pub(crate) overtaken: u64,
    /// Decisions of links made ahead, without an event. How many depends on the calls of `advance`,
    /// so they count as events.
    pub(crate) ahead: u64,
}

impl Agenda {
    /// Returns an agenda without events.
    pub(crate) fn new(blocks: Blocks) -> Self {
        Self {
            wheel: Wheel::new(),
            blocks,
            now: 0,
            latest: 0,
            edge: 0,
            until: 0,
            overtaken: 0,
            ahead: 0,
        }
    }

    /// Schedules a link's decision, unless one is due earlier.
    #[inline]
    pub(crate) fn wake_link(&mut self, out: usize, port: &mut OutPort, time: Time) {
        if port.wake > time {
            port.wake = time;
            let Self { wheel, blocks, .. } = self;
            blocks.schedule(wheel, port.home, time, Kind::LINK, out as u32);
        }
    }

    /// Schedules an output's arbitration, unless one is due earlier.
    #[inline]
    pub(crate) fn wake_crossbar(&mut self, out: usize, port: &mut OutPort, time: Time) {
        if port.crossbar_wake > time {
            port.crossbar_wake = time;
            let Self { wheel, blocks, .. } = self;
            blocks.schedule(wheel, port.home, time, Kind::CROSSBAR, out as u32);
        }
    }

    /// As [`Self::wake_crossbar`], for the next edge of the crossbars' clock, which has `period`.
    #[inline]
    pub(crate) fn wake_crossbar_at_edge(
        &mut self,
        out: usize,
        port: &mut OutPort,
        period: Time,
        now: Time,
    ) {
        // One division for all arrivals between two edges. Between blocks, time can go back.
        if now.wrapping_sub(self.edge.wrapping_sub(period)) >= period {
            self.edge = (now / period + 1) * period;
        }
        let time = self.edge;
        if port.crossbar_wake > time {
            port.crossbar_wake = time;
            let Self { wheel, blocks, .. } = self;
            blocks.schedule_at_edge(wheel, port.home, time, Kind::CROSSBAR, out as u32);
        }
    }

    /// Schedules a NIC's pull, unless one is due earlier.
    #[inline]
    pub(crate) fn wake_nic(&mut self, terminal: u32, nic: &mut Nic, time: Time) {
        if nic.wake > time {
            nic.wake = time;
            self.wheel.push(time, Kind::NIC, terminal);
        }
    }

    /// Enters a block: time passes there from now on.
    #[inline]
    pub(crate) fn enter(&mut self, block: u16) {
        let Self { wheel, blocks, .. } = self;
        let current = std::mem::replace(&mut blocks.current, block);
        if current != block {
            std::mem::swap(wheel, &mut blocks.wheels[usize::from(current)]);
            std::mem::swap(wheel, &mut blocks.wheels[usize::from(block)]);
            wheel.forget_foreseen();
        }
    }

    /// Returns the wheels of all blocks.
    pub(crate) fn wheels(&self) -> impl Iterator<Item = &Wheel> {
        std::iter::once(&self.wheel).chain(&self.blocks.wheels)
    }

    /// Returns the number of events handled so far, those of dropped wakes included.
    pub(crate) fn events(&self) -> u64 {
        self.wheels().map(Wheel::popped).sum::<u64>() + self.ahead
    }

    /// Returns the wheels of all blocks, to change them.
    pub(crate) fn wheels_mut(&mut self) -> impl Iterator<Item = &mut Wheel> {
        std::iter::once(&mut self.wheel).chain(&mut self.blocks.wheels)
    }

    /// Returns the number of blocks that have a wheel of their own; zero if there is one block.
    pub(crate) fn blocks(&self) -> u16 {
        self.blocks.wheels.len() as u16
    }

    /// Returns how far ahead of the other blocks one may be, in ps.
    pub(crate) fn ahead(&self) -> Time {
        self.blocks.ahead
    }
}
