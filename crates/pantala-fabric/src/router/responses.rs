//! Responses: small packets that a NIC sends for every packet that it delivers to its host.
//!
//! A NIC creates a response when it delivers a request. The response goes to the request's source
//! and ends there: the host does not see it, and nothing answers it. A response has the same
//! routing as its request, on virtual channels of its own on every link, injection and ejection
//! included. So no request waits for a buffer that a response holds, or the reverse. They share the
//! time of links and crossbars.
//!
//! A NIC has an unbounded queue of responses. It accepts every request, whatever the state of its
//! injection link, so no request waits for a response there either. Responses go before the host's
//! packets if they have credit. Under wormhole flow control, a packet whose first flit has been
//! sent is sent to its end before anything else.
//!
//! A response takes over the packet record of its request, so nothing is allocated.

use crate::fabric::Fabric;
use crate::host::Host;
use crate::partition::Partition;
use crate::probe::Probe;
use crate::router::nic::Launch;
use crate::store::packet::{NONE, Packet, PacketOrigin};
use crate::variant::Variant;
use pantala_engine::random::mix;
use pantala_engine::{NEVER, Time};
use pantala_routing::RouteState;
use std::ops::Range;

/// Salt of a response's random word, which is a function of its request's word. So responses do not
/// change the draws of the host's packets.
const RESPONSE_SALT: u64 = 0x5265_7370_6F6E_7365;

impl Fabric {
    /// Returns whether a packet is a response.
    #[inline]
    pub(crate) fn is_response(&self, packet: &Packet) -> bool {
        self.setup
            .config
            .responses
            .is_some_and(|responses| packet.route.routing >= responses.first_routing)
    }

    /// Returns the VCs that a NIC may inject responses on.
    fn response_vcs<F: Variant>(&self) -> Range<u8> {
        let first = self.setup.config.responses.map_or(0, |responses| responses.first_vc);
        first..first + self.setup.stages.request_vcs::<F>().end
    }

    /// Answers a delivered request: its record becomes the response, which waits for the injection
    /// link.
    #[inline]
    pub(crate) fn answer(&mut self, index: u32, now: Time) {
        let Some(responses) = self.setup.config.responses else { return };
        let terminal = self.packets[index].route.destination;
        let origin = self.packets.origin_mut(index);
        let source = std::mem::replace(&mut origin.source, terminal);
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
        self.nics.responses[terminal as usize].queue.push(&mut self.packets, index);
        self.counters.responses_waiting += 1;
        let free = self.nics.nics[terminal as usize].link_free;
        self.ensure_nic_wake(
            terminal,
            if free > now { free } else { now + self.setup.stages.nic_idle },
        );
    }
}

impl<H: Host, P: Probe> Partition<H, P> {
    /// Sends the response that has waited longest, if it has credit; returns whether it has. The
    /// injection link must be free.
    pub(crate) fn send_response<F: Variant>(&mut self, terminal: u32, now: Time) -> bool {
        let index = self.fabric.nics.responses[terminal as usize].queue.head;
        let Some(responses) = self.fabric.setup.config.responses.filter(|_| index != NONE) else {
            return false;
        };
        let (bytes, vcs) = (responses.bytes, self.fabric.response_vcs::<F>());
        let flits = self.fabric.setup.config.flits(bytes);
        let needed = self.fabric.setup.stages.needed_to_start::<F>(flits);
        let open = self.fabric.open_vcs::<F>(terminal, &vcs, needed, now);
        let job = self.fabric.packets[index].job;
        if open == 0 {
            self.fabric.await_credit::<F>(terminal, &vcs, needed, job, now);
            return false;
        }
        self.fabric.end_nic_stall::<F>(terminal, now);
        let own = &mut self.fabric.nics.responses[terminal as usize];
        own.queue.pop(&mut self.fabric.packets);
        own.sent += 1;
        self.fabric.counters.responses_waiting -= 1;
        let Packet { job, route: RouteState { destination, draw, routing, .. }, .. } =
            self.fabric.packets[index];
        let at =
            self.fabric.nics.take_credit::<F>(&self.fabric.setup, terminal, open, needed, draw);
        self.fabric.packets.origin_mut(index).injected = now;
        let free = self.fabric.launch::<F>(
            index,
            terminal,
            &Launch { at, draw, destination, bytes, flits, job, routing },
            now,
        );
        self.wake_for_next::<F>(terminal, free);
        true
    }

    /// Takes a response at the NIC that sent its request.
    #[inline]
    pub(crate) fn take_response<F: Variant>(&mut self, index: u32, now: Time) {
        self.fabric.counters.responses_delivered += 1;
        let Fabric { observer, packets, .. } = &mut self.fabric;
        observer.answered::<F>(&mut self.probe, packets, index, now);
        self.fabric.packets.remove(index);
    }
}
