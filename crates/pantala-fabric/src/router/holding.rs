//! NICs whose hosts keep packets after their delivery: the packets keep their room at the end of
//! the ejection link, so its credits return later and the link backs up into the router.

use crate::fabric::Fabric;
use crate::store::bounds::filled;
use crate::store::nics::Hold;
use crate::store::port::LinkEnd;
use crate::variant::{General, Variant};
use pantala_engine::Time;

impl Fabric {
    /// Lets the hosts of all NICs keep packets. Before the first event.
    pub(crate) fn hold_at_nics(&mut self) {
        let terminals = self.setup.partitions.terminals(self.setup.number);
        let hold = Hold { lent: vec![0; self.setup.vcs], ..Hold::default() };
        // SAFETY: the proof of NICs (store/bounds.rs).
        self.nics.holds = unsafe { filled((terminals.start as usize, terminals.len()), hold) };
        for terminal in terminals {
            let out = self.ejection(terminal);
            self.ports.out_ports[out].end = LinkEnd::HoldingNic;
        }
    }

    /// The output port of a NIC's ejection link.
    pub(crate) fn ejection(&self, terminal: u32) -> usize {
        self.setup.by_vcs.quotient(self.nics.nics[terminal as usize].target) as usize
    }

    /// The output VC and the room of a packet that arrives at its NIC, if hosts can keep packets.
    #[inline]
    pub(crate) fn lent_room<F: Variant>(&self, index: u32) -> Option<(u32, u32)> {
        if self.nics.holds.is_empty() {
            return None;
        }
        let packet = &self.packets[index];
        let out = self.ejection(packet.route.destination);
        let out_vc = out * self.setup.vcs + usize::from(packet.out_vc);
        Some((out_vc as u32, self.setup.stages.room::<F>(packet.flits.into())))
    }

    /// Returns the credits of a packet that leaves the end of its ejection link now.
    pub(crate) fn return_room<F: Variant>(
        &mut self,
        terminal: u32,
        (out_vc, room): (u32, u32),
        now: Time,
    ) {
        let out = self.setup.by_vcs.quotient(out_vc) as usize;
        let vc = out_vc as usize - out * self.setup.vcs;
        self.nics.holds[terminal as usize].lent[vc] -= i64::from(room);
        let back = now + self.ports.out_ports[out].credit_delay;
        self.credit::<F>(out_vc as usize, back, back, room);
    }

    /// Returns the credits of the oldest packets that a host has kept.
    #[cold]
    pub(crate) fn release(&mut self, terminal: u32, packets: u32, now: Time) {
        let here = self.nics.holds.holds(terminal as usize);
        assert!(here, "a host releases packets, but hosts of this network keep none");
        for _ in 0..packets {
            let Some(kept) = self.nics.holds[terminal as usize].kept.pop_front() else { return };
            self.return_room::<General>(terminal, kept, now);
        }
    }
}
