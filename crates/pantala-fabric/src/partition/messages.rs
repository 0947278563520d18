//! What parts of a machine send each other: packets and credits, feedback, and what hosts have to
//! say.
//!
//! It is posted while a part is ahead of others and taken when all have come as far: all of it
//! takes effect later than that ([`crate::FabricConfig::lookahead`]). In which order it is taken
//! does not matter; what one part posts to one other is taken in the order of posting.

use crate::host::Host;
use crate::partition::Partition;
use crate::probe::Probe;
use crate::store::packet::{Packet, PacketOrigin};
use pantala_engine::{NEVER, Time};
use pantala_routing::learning::{Sent, Trail};
use serde::{Deserialize, Serialize};

/// The port of a packet or credit is fetched this many places before its turn. It is in no cache.
const FETCHED_AHEAD: usize = 8;

/// A packet on a link, its head there at [`Packet::ready`].
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct PacketMessage {
    packet: Packet,
    origin: PacketOrigin,
    trail: Trail,
}

/// Credits on their way to an output VC: as many as `room`, from `first` to `last`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct CreditMessage {
    pub(crate) out_vc: u32,
    pub(crate) room: u32,
    pub(crate) first: Time,
    pub(crate) last: Time,
}

/// All that one part sends another in one go. Others may carry it ([`crate::Transport`]) and need not
/// know what is in it.
#[derive(Debug, Serialize, Deserialize)]
pub struct PartitionMessages<M> {
    packets: Vec<PacketMessage>,
    credits: Vec<CreditMessage>,
    feedback: Vec<Sent>,
    host: Vec<M>,
    /// When the first of it takes effect.
    earliest: Time,
}

impl<M> Default for PartitionMessages<M> {
    fn default() -> Self {
        Self {
            packets: Vec::new(),
            credits: Vec::new(),
            feedback: Vec::new(),
            host: Vec::new(),
            earliest: NEVER,
        }
    }
}

impl<M> PartitionMessages<M> {
    /// When the first of it takes effect; [`NEVER`] if there is none.
    pub(crate) const fn earliest(&self) -> Time {
        self.earliest
    }

    /// Bytes of memory held.
    pub(crate) fn memory(&self) -> usize {
        self.packets.capacity() * size_of::<PacketMessage>()
            + self.credits.capacity() * size_of::<CreditMessage>()
            + self.feedback.capacity() * size_of::<Sent>()
            + self.host.capacity() * size_of::<M>()
    }
}

impl<H: Host, P: Probe> Partition<H, P> {
    /// A packet is on a link to another part: it is of this one no more.
    #[inline(never)]
    pub(crate) fn post_packet(&mut self, part: u16, index: u32) {
        let (packet, origin) = (self.packets[index], *self.packets.origin(index));
        let trail = self.learning.trail(index);
        self.packets.remove(index);
        self.worms.post(packet.piece);
        let messages = &mut self.outbox[usize::from(part)];
        messages.earliest = messages.earliest.min(packet.ready);
        messages.packets.push(PacketMessage { packet, origin, trail });
    }

    /// Credits go back to another part.
    #[inline(never)]
    pub(crate) fn post_credit(&mut self, part: u16, credit: CreditMessage) {
        let messages = &mut self.outbox[usize::from(part)];
        messages.earliest = messages.earliest.min(credit.first);
        messages.credits.push(credit);
    }

    /// Feedback goes back to another part. No event comes of it.
    pub(crate) fn post_feedback(&mut self, part: u16, sent: Sent) {
        self.outbox[usize::from(part)].feedback.push(sent);
    }

    /// Puts what has been posted to a part, and what the hosts have for it, into `mail`, which is
    /// empty.
    pub(crate) fn post(&mut self, part: u16, messages: &mut PartitionMessages<H::Message>) {
        std::mem::swap(&mut self.outbox[usize::from(part)], messages);
        self.host.send_messages(part, &mut messages.host);
    }

    /// Takes what another part has posted, and leaves it empty.
    pub(crate) fn take(&mut self, from: u16, messages: &mut PartitionMessages<H::Message>) {
        if self.stages.default_model {
            self.take_as::<true>(from, messages);
        } else {
            self.take_as::<false>(from, messages);
        }
    }

    fn take_as<const F: bool>(&mut self, from: u16, messages: &mut PartitionMessages<H::Message>) {
        for said in messages.host.drain(..) {
            self.host.receive_message(from, said);
        }
        for (number, &PacketMessage { packet, origin, trail }) in
            messages.packets.iter().enumerate()
        {
            if let Some(soon) = messages.packets.get(number + FETCHED_AHEAD) {
                self.in_ports.prefetch::<1>(self.by_vcs.quotient(soon.packet.at) as usize);
            }
            let index = self.packets.reserve();
            self.packets[index] = packet;
            *self.packets.origin_mut(index) = origin;
            self.worms.take(packet.piece);
            if self.stages.learning() {
                self.learning.resume(index, trail);
            }
            let group = self.in_ports[self.by_vcs.quotient(packet.at) as usize].group;
            let block = self.blocks.of_group(group);
            self.blocks.arrive(&mut self.wheel, block, packet.ready, index, packet.at);
        }
        messages.packets.clear();
        for (number, &CreditMessage { out_vc, room, first, last }) in
            messages.credits.iter().enumerate()
        {
            if let Some(soon) = messages.credits.get(number + FETCHED_AHEAD) {
                self.out_vcs.prefetch::<1>(soon.out_vc as usize);
            }
            self.credit::<F>(out_vc as usize, first, last, room);
        }
        messages.credits.clear();
        for sent in messages.feedback.drain(..) {
            self.learning.expect(sent);
        }
        // The wheel may have looked beyond the new arrivals. It would fetch nothing for them.
        self.wheel.forget_foreseen();
        messages.earliest = NEVER;
    }
}
