//! The times and sizes of the model.

use pantala_engine::Time;
use pantala_topology::LinkClass;

/// The times of one class of link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkTimes {
    /// How long a flit occupies the link, in picoseconds.
    pub flit_time: Time,
    /// How long it then travels, in picoseconds; credits take as long on their way back.
    pub latency: Time,
}

/// What happens to a flit that becomes available only after its packet's hold of the crossbar or of
/// the link has ended, which happens where a packet comes in more slowly than it goes out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LateFlits {
    /// It passes beside the flits of other VCs' packets. This is the fabric's model: a packet's
    /// tail leaves a stage at `max(start + S t, the tail's availability + t)`, whoever holds the
    /// stage by then.
    #[default]
    Pass,
    /// It waits for its turn: a crossbar port or a link never carries two flits at once, and
    /// earlier packets go first. This is what hardware would do; the difference to
    /// [`LateFlits::Pass`] is the price of the fabric's model.
    Queue,
}

/// The times and sizes of the model: times in picoseconds, sizes in flits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OracleConfig {
    /// Injection and ejection links.
    pub terminal: LinkTimes,
    /// Links between routers of one group that is a full mesh.
    pub local: LinkTimes,
    /// Links along the rows of a group that is a grid.
    pub row: LinkTimes,
    /// Links along its columns.
    pub column: LinkTimes,
    /// Links between groups.
    pub global: LinkTimes,
    /// From a flit's arrival until it is available in the input buffer (t_in).
    pub input_latency: Time,
    /// From a flit's crossing until it is available in the output buffer (t_out).
    pub output_latency: Time,
    /// How long a flit takes to cross the crossbar (t_xbar).
    pub crossbar_flit_time: Time,
    /// Virtual channels of every port.
    pub virtual_channels: u8,
    /// Room of every VC at the far end of every link (a router's input, a node's), at least one
    /// packet.
    pub input_buffer_flits: u32,
    /// Room of every output VC, at least one packet; 0 for no limit.
    pub output_buffer_flits: u32,
    /// What happens to flits that come late.
    pub late_flits: LateFlits,
}

impl OracleConfig {
    /// The network of Kang et al. (SC 2022): 25 GB/s links, a crossbar of four times that, 128-byte
    /// flits, two VCs. (Rows and columns, which it does not have, are like its local links.)
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
