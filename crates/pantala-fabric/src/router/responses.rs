//! Responses: small packets that a NIC sends back for every packet that it delivers to its host.
//!
//! A response comes to be as its request is delivered, goes to the request's source, and ends
//! there: the host never sees it, and nothing answers it. It is routed as its request was, on
//! virtual channels of its own on every link, injection and ejection included, so that no request
//! waits for a buffer that a response holds, nor the other way about; what they share is the links'
//! and the crossbars' time.
//!
//! A NIC keeps its responses in a queue without bound: it takes every request that comes, whatever
//! its own injection link does, and so no request waits for a response either. Responses go before
//! the host's packets wherever they have credit; where flits move one by one, a packet that has
//! been begun is sent to its end before anything else, credit or not.
//!
//! A request's place in the slab becomes its response's: nothing is allocated.

use crate::host::Host;
use crate::partition::Partition;
use crate::probe::Probe;
use crate::router::nic::Launch;
use crate::store::packet::{NONE, Packet, PacketOrigin};
use crate::store::queue::Queue;
use pantala_engine::random::mix;
use pantala_engine::{NEVER, Time};
use pantala_routing::RouteState;
use std::ops::Range;

/// Tells a response's random word from that of its request, of which it is a function: what a NIC
/// answers does not change the draws of its host's packets.
const RESPONSE_SALT: u64 = 0x5265_7370_6F6E_7365;

/// The responses of a NIC.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Responses {
    /// Those that wait, in the order of their requests' deliveries.
    pub(crate) queue: Queue,
    /// How many have started on the injection link.
    sent: u64,
}

impl<H: Host, P: Probe> Partition<H, P> {
    /// Whether a packet is a response.
    #[inline]
    pub(crate) fn is_response(&self, packet: &Packet) -> bool {
        self.config
            .responses
            .is_some_and(|responses| packet.route.routing >= responses.first_routing)
    }

    /// Whether a response waits in a NIC.
    #[inline]
    pub(crate) fn has_response(&self, node: u32) -> bool {
        self.nic_responses[node as usize].queue.head != NONE
    }

    /// How many responses a NIC has sent.
    #[inline]
    pub(crate) fn responses_sent(&self, node: u32) -> u64 {
        self.nic_responses[node as usize].sent
    }

    /// The VCs that a NIC may inject responses on.
    fn response_vcs<const F: bool>(&self) -> Range<u8> {
        let first = self.config.responses.map_or(0, |responses| responses.first_vc);
        first..first + self.stages.request_vcs::<F>().end
    }

    /// A request has been delivered: its place becomes that of its response, which waits for the
    /// injection link.
    #[inline]
    pub(crate) fn answer(&mut self, index: u32, now: Time) {
        let Some(responses) = self.config.responses else { return };
        let node = self.packets[index].route.destination;
        let origin = self.packets.origin_mut(index);
        let source = std::mem::replace(&mut origin.source, node);
        *origin = PacketOrigin {
            created: now,
            accepted: origin.injected,
            injected: NEVER,
            message: NONE,
            ..*origin
        };
        let packet = &mut self.packets[index];
        packet.route.destination = source;
        packet.route.routing += responses.first_routing;
        packet.route.draw = mix(packet.route.draw ^ RESPONSE_SALT);
        self.nic_responses[node as usize].queue.push(&mut self.packets, index);
        self.responses_waiting += 1;
        let free = self.nics[node as usize].link_free;
        self.ensure_nic_wake(node, if free > now { free } else { now + self.stages.nic_idle });
    }

    /// The injection link is free: sends the response that has waited longest, if it has credit;
    /// whether it has.
    pub(crate) fn send_response<const F: bool>(&mut self, node: u32, now: Time) -> bool {
        let index = self.nic_responses[node as usize].queue.head;
        let Some(responses) = self.config.responses.filter(|_| index != NONE) else { return false };
        let (bytes, vcs) = (responses.bytes, self.response_vcs::<F>());
        let flits = self.config.flits(bytes);
        let needed = self.stages.needed_to_start::<F>(flits);
        let open = self.open_vcs::<F>(node, &vcs, needed, now);
        if open == 0 {
            self.await_credit::<F>(node, &vcs, needed, now);
            return false;
        }
        self.end_stall(node, now);
        let own = &mut self.nic_responses[node as usize];
        own.queue.pop(&mut self.packets);
        own.sent += 1;
        self.responses_waiting -= 1;
        let Packet { job, route: RouteState { destination, draw, routing, .. }, .. } =
            self.packets[index];
        let at = self.take_credit::<F>(node, open, needed, draw);
        self.packets.origin_mut(index).injected = now;
        let free = self.launch::<F>(
            index,
            node,
            &Launch { at, draw, destination, bytes, flits, job, routing },
            now,
        );
        self.wake_for_next::<F>(node, free);
        true
    }

    /// A response is at the node that sent its request.
    #[inline]
    pub(crate) fn take_response(&mut self, index: u32, now: Time) {
        self.responses_delivered += 1;
        self.probe.answered(&self.packets[index], self.packets.origin(index), now);
        self.packets.remove(index);
    }
}
