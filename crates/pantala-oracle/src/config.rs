//! The times and sizes of the model.

use pantala_engine::Time;
use pantala_topology::LinkClass;

/// The times of a link class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkTimes {
    /// Time for which a flit occupies the link, in picoseconds.
    pub flit_time: Time,
    /// Latency of a flit after that, in picoseconds. Credits take the same time in the other
    /// direction.
    pub latency: Time,
}

/// The treatment of late flits. A flit is late if it becomes available only after its packet's hold
/// of the crossbar or of the link has ended. That happens if a packet arrives more slowly than it
/// leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LateFlits {
    /// The flit passes beside flits of packets of other VCs. This is the fabric's model: a packet's
    /// tail leaves a stage at `max(start + S t, the tail's availability + t)`, whichever packet
    /// holds the stage by then.
    #[default]
    Pass,
    /// The flit waits: a crossbar port or a link never carries two flits at once, and earlier
    /// packets go first. Hardware behaves like this. The difference from [`LateFlits::Pass`] is the
    /// error of the fabric's model.
    Queue,
}

/// The times and sizes of the model. Times are in picoseconds, sizes in flits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OracleConfig {
    /// Injection and ejection links.
    pub terminal: LinkTimes,
    /// Links between routers of one group, if groups are full meshes.
    pub local: LinkTimes,
    /// Links along rows, if groups are grids.
    pub row: LinkTimes,
    /// Links along columns, if groups are grids.
    pub column: LinkTimes,
    /// Links between groups.
    pub global: LinkTimes,
    /// Time from a flit's arrival until it is available in the input buffer (t_in).
    pub input_latency: Time,
    /// Time from a flit's crossing until it is available in the output buffer (t_out).
    pub output_latency: Time,
    /// Time that a flit takes to cross the crossbar (t_xbar).
    pub crossbar_flit_time: Time,
    /// Number of virtual channels per port.
    pub virtual_channels: u8,
    /// Capacity of each VC at the far end of each link (a router's input, a NIC's), at least one
    /// packet.
    pub input_buffer_flits: u32,
    /// Capacity of each output VC, at least one packet; 0 for unlimited.
    pub output_buffer_flits: u32,
    /// The treatment of late flits.
    pub late_flits: LateFlits,
}

impl OracleConfig {
    /// The network of Kang et al. (SC 2022): 25 GB/s links, a crossbar of four times that
    /// bandwidth, 128-byte flits, two VCs. It has no rows and columns; their links equal its local
    /// links.
    #[must_use]
    pub fn kang() -> Self {
        let link = |latency| LinkTimes { flit_time: 5_120, latency };
        Self {
            terminal: link(10_000),
            local: link(30_000),
            row: link(30_000),
            column: link(30_000),
            global: link(300_000),
            input_latency: 10_000,
            output_latency: 10_000,
            crossbar_flit_time: 1_280,
            virtual_channels: 2,
            input_buffer_flits: 120,
            output_buffer_flits: 120,
            late_flits: LateFlits::Pass,
        }
    }

    /// The times of links of `class`.
    #[must_use]
    pub fn link(&self, class: LinkClass) -> LinkTimes {
        match class {
            LinkClass::Terminal => self.terminal,
            LinkClass::Local => self.local,
            LinkClass::Row => self.row,
            LinkClass::Column => self.column,
            LinkClass::Global => self.global,
        }
    }
}
