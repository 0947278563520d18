//! The exchange of messages between partitions: posting them, and taking the messages of others.

use crate::fabric::Fabric;
use crate::host::Host;
use crate::partition::Partition;
use crate::partition::messages::{CreditMessage, FabricMessages, PacketMessage, PartitionMessages};
use crate::partition::setup::Setup;
use crate::probe::Probe;
use crate::store::packet::Packet;
use crate::variant::{General, Plain, Variant, Watched};
use pantala_engine::NEVER;
use pantala_routing::learning::Sent;

/// The port of a packet or credit is in no cache, so it is fetched this many messages ahead.
const FETCHED_AHEAD: usize = 8;

impl Fabric {
    /// Posts a packet that is on a link to another partition.
    #[inline(never)]
    pub(crate) fn post_packet<F: Variant>(&mut self, to: u16, index: u32) {
        let path = self.observer.on::<F>().and_then(|observer| observer.left_partition(index));
        let (packet, origin) = (self.packets[index], *self.packets.origin(index));
        let hop_feedback = self.learning.hop_feedback(index);
        self.packets.remove(index);
        self.worms.post(packet.piece);
        let outbox = &mut self.outbox[usize::from(to)];
        if let Some(path) = path {
            outbox.paths.push((outbox.packets.len(), path));
        }
        outbox.post_packet(PacketMessage { packet, origin, hop_feedback });
    }

    /// Posts credits for another partition.
    #[inline(never)]
    pub(crate) fn post_credit(&mut self, to: u16, credit: CreditMessage) {
        self.outbox[usize::from(to)].post_credit(credit);
    }

    /// Posts feedback for another partition. Feedback causes no event.
    pub(crate) fn post_feedback(&mut self, to: u16, sent: Sent) {
        self.outbox[usize::from(to)].feedback.push(sent);
    }

    /// Returns whether the numbers in a packet from another partition are numbers of this network.
    /// The arrays of the hot path do not check them (store/bounds.rs).
    fn fits(&self, packet: &Packet) -> bool {
        let Setup { config, topology, .. } = &self.setup;
        let route = &packet.route;
        self.ports.in_vcs.holds(packet.at as usize)
            && packet.job < config.jobs
            && config
                .routings
                .get(usize::from(route.routing))
                .is_some_and(|routing| routing.fits(topology, route))
    }

    /// Takes the messages of another partition and leaves them empty.
    fn take<F: Variant>(&mut self, messages: &mut FabricMessages) {
        let mut paths = messages.paths.drain(..).peekable();
        for (number, &PacketMessage { packet, origin, hop_feedback }) in
            messages.packets.iter().enumerate()
        {
            if let Some(soon) = messages.packets.get(number + FETCHED_AHEAD) {
                self.ports
                    .in_ports
                    .prefetch::<1>(self.setup.by_vcs.quotient(soon.packet.at) as usize);
            }
            assert!(self.fits(&packet), "a packet of another network: {packet:?}");
            let index = self.packets.reserve();
            self.packets[index] = packet;
            *self.packets.origin_mut(index) = origin;
            self.worms.take(packet.piece);
            if self.setup.stages.learning() {
                self.learning.resume(index, hop_feedback);
            }
            if let Some(observer) = self.observer.on::<F>() {
                if let Some((_, path)) = paths.next_if(|(place, _)| *place == number) {
                    observer.entered_partition(index, &path);
                }
            }
            let group = self.ports.in_ports[self.setup.by_vcs.quotient(packet.at) as usize].group;
            let block = self.agenda.blocks.of_group(group);
            self.agenda.blocks.arrive(
                &mut self.agenda.wheel,
                block,
                packet.ready,
                index,
                packet.at,
            );
        }
        drop(paths);
        messages.packets.clear();
        for (number, &CreditMessage { out_vc, room, first, last }) in
            messages.credits.iter().enumerate()
        {
            if let Some(soon) = messages.credits.get(number + FETCHED_AHEAD) {
                self.ports.out_vcs.prefetch::<1>(soon.out_vc as usize);
            }
            assert!(self.ports.out_vcs.holds(out_vc as usize), "credits of another network");
            self.credit::<F>(out_vc as usize, first, last, room);
        }
        messages.credits.clear();
        for sent in messages.feedback.drain(..) {
            self.learning.expect(sent);
        }
        // The wheel may have looked beyond the new arrivals. It would fetch nothing for them.
        self.agenda.wheel.forget_foreseen();
        messages.earliest = NEVER;
    }
}

impl<H: Host, P: Probe> Partition<H, P> {
    /// Moves the messages of the fabric and of the hosts for a partition into `messages`, which is
    /// empty.
    pub(crate) fn post(&mut self, to: u16, messages: &mut PartitionMessages<H::Message>) {
        std::mem::swap(&mut self.fabric.outbox[usize::from(to)], &mut messages.fabric);
        self.host.send_messages(to, &mut messages.host);
    }

    /// Takes the messages of another partition and leaves them empty.
    pub(crate) fn take(&mut self, from: u16, messages: &mut PartitionMessages<H::Message>) {
        for message in messages.host.drain(..) {
            self.host.receive_message(from, message);
        }
        if !self.fabric.setup.stages.default_model {
            self.fabric.take::<General>(&mut messages.fabric);
        } else if self.fabric.observer.records {
            self.fabric.take::<Watched>(&mut messages.fabric);
        } else {
            self.fabric.take::<Plain>(&mut messages.fabric);
        }
    }
}
