//! `q_adaptive`: learned routing (Kang et al.).

use super::Channels;

/// The VC map: the number of hops made, so at most five links.
pub(super) const CHANNELS: Channels = Channels::by_hop(5);
