//! Blocks of groups that time passes in one after the other, inside one part of a machine.
//!
//! What crosses from group to group takes at least the latency of a global link. So all events of
//! one block of groups up to that far ahead can be handled before those of the next: nothing that
//! happens there meanwhile could have an effect here. The state of a large machine does not fit a
//! cache; that of a block does, and is used for a while before it has to leave.
//!
//! What is seen is the same for any number of blocks, but for the order in which hosts of different
//! groups are called: their times can go back by as much.

use crate::config::FabricConfig;
use crate::host::Host;
use crate::partition::{Kind, Partition};
use crate::probe::Probe;
use crate::store::port::{InPort, InVc, OutPort, OutVc};
use pantala_engine::{Time, Wheel};
use pantala_topology::{LinkClass, Topology};
use std::ops::Range;

/// About how much state of routers a block has. Measured: see docs/performance.md.
const BLOCK_BYTES: usize = 512 << 10;
/// Blocks are not worth it if time passes in smaller pieces, in picoseconds, ...
const LEAST_AHEAD: Time = 20_000;
/// ... nor if a link can carry fewer packets in a piece: what a block has in the cache would hardly
/// be used twice.
const LEAST_PACKETS: Time = 4;

/// Which group is in which block, and the events of the blocks that time does not pass in at the
/// moment.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    first_group: u32,
    groups_per_block: u32,
    /// How far a block may be ahead of another.
    ahead: Time,
    /// The block that time passes in; its wheel is the network's.
    current: u16,
    /// By block; an empty one in the current one's place. None if there is but one block.
    wheels: Vec<Wheel>,
}

impl Blocks {
    /// As many blocks as the size of these groups asks for.
    pub(crate) fn of(config: &FabricConfig, topology: &Topology, own: Range<u32>) -> Self {
        let ahead = config.lookahead();
        let packet =
            Time::from(config.flits(config.packet_bytes)) * config.timing(LinkClass::Local).flit;
        let groups = own.end - own.start;
        let routers = (groups * topology.routers_per_group()) as usize;
        let blocks = match config.blocks {
            _ if config.reads_everywhere() => 1,
            0 if ahead < LEAST_AHEAD.max(LEAST_PACKETS * packet) => 1,
            0 => (router_bytes(config, topology) * routers / BLOCK_BYTES) as u32,
            given => given,
        };
        let groups_per_block = groups.div_ceil(blocks.clamp(1, groups));
        let blocks = groups.div_ceil(groups_per_block) as usize;
        let wheels = if blocks > 1 {
            std::iter::repeat_with(Wheel::new).take(blocks).collect()
        } else {
            Vec::new()
        };
        Self { first_group: own.start, groups_per_block, ahead, current: 0, wheels }
    }

    /// The block of a group.
    pub(crate) fn of_group(&self, group: u32) -> u16 {
        ((group - self.first_group) / self.groups_per_block) as u16
    }

    /// Schedules an event in a block; `wheel` is the current one's.
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

    /// All wheels but the current block's.
    pub(crate) fn others_mut(&mut self) -> impl Iterator<Item = &mut Wheel> {
        self.wheels.iter_mut()
    }
}

/// About how much state a router has.
fn router_bytes(config: &FabricConfig, topology: &Topology) -> usize {
    let (ports, vcs) = (topology.ports_per_router() as usize, usize::from(config.virtual_channels));
    let words = (ports * vcs).div_ceil(64);
    ports
        * (size_of::<OutPort>()
            + size_of::<InPort>()
            + vcs * (size_of::<InVc>() + size_of::<OutVc>() + 8 * words))
}

impl<H: Host, P: Probe> Partition<H, P> {
    /// Handles every event before `until`, block by block.
    pub(crate) fn run_blocks<const F: bool>(&mut self, until: Time) {
        if self.blocks.wheels.is_empty() {
            self.run::<F>(until);
            return;
        }
        loop {
            let first = self.next_time();
            if first >= until {
                return;
            }
            let end = first.saturating_add(self.blocks.ahead).min(until);
            for block in 0..self.blocks.wheels.len() as u16 {
                self.enter(block);
                self.run::<F>(end);
                self.latest = self.latest.max(self.now);
            }
        }
    }

    /// From now on time passes in this block.
    #[inline]
    pub(crate) fn enter(&mut self, block: u16) {
        let current = std::mem::replace(&mut self.blocks.current, block);
        if current != block {
            std::mem::swap(&mut self.wheel, &mut self.blocks.wheels[usize::from(current)]);
            std::mem::swap(&mut self.wheel, &mut self.blocks.wheels[usize::from(block)]);
            self.wheel.forget_foreseen();
        }
    }

    /// The wheels of all blocks.
    pub(crate) fn wheels(&self) -> impl Iterator<Item = &Wheel> {
        std::iter::once(&self.wheel).chain(&self.blocks.wheels)
    }
}
