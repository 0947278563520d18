//! [`LayerSetup`]: what does not change during a run.

use pantala_engine::Time;

use crate::coarse_packets::CoarsePackets;
use crate::config::{MpiConfig, NicOrder, Progress, Recording};
use crate::node_map::NodeMap;

/// The configuration of a layer, and what follows from it.
#[derive(Clone, Debug)]
pub(crate) struct LayerSetup {
    pub(crate) config: MpiConfig,
    pub(crate) recording: Recording,
    /// The NICs of nodes.
    pub(crate) nodes: NodeMap,
    /// Whether anything recorded tells which messages were unexpected.
    pub(crate) tells_unexpected: bool,
    /// Whether messages are summed by rank or by window.
    pub(crate) summarizes: bool,
    pub(crate) packet_bytes: u32,
    /// The packets of the machine that a packet stands for; `None` if it stands for itself.
    pub(crate) coarse_packets: Option<CoarsePackets>,
    pub(crate) paced: bool,
    pub(crate) costly_sends: bool,
    pub(crate) costly_receives: bool,
    pub(crate) costly_posts: bool,
    /// Time in which the NIC prepares a transmission, if its queue is first in, first out.
    pub(crate) nic_transmit: Time,
}

impl LayerSetup {
    /// # Panics
    /// If `packet_bytes` or the configuration's `control_bytes` is zero.
    pub(crate) fn new(
        config: MpiConfig,
        recording: Recording,
        packet_bytes: u32,
        nodes: NodeMap,
    ) -> Self {
        assert!(
            packet_bytes > 0 && config.control_bytes > 0,
            "packets and control messages have a size"
        );
        Self {
            config,
            recording,
            nodes,
            tells_unexpected: recording.unexpected || recording.rank_messages,
            summarizes: recording.rank_messages || recording.latency_window > 0,
            packet_bytes,
            coarse_packets: None,
            paced: config.paces(),
            costly_sends: config.sends_cost(),
            costly_receives: config.progress == Progress::Independent && config.receives_cost(),
            costly_posts: config.posts_cost(),
            nic_transmit: match config.nic_order {
                NicOrder::Fifo => config.nic_transmit_ps,
                NicOrder::GetsApart => 0,
            },
        }
    }

    /// Returns whether short messages need buffers.
    #[inline]
    pub(crate) const fn limits_buffers(&self) -> bool {
        self.config.short_buffers > 0
    }
}
