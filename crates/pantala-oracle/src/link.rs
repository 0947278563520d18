//! The sending side of a link: the next packet to start, and its flits.

use pantala_engine::Time;

use crate::state::{Nic, Output, Stay};
use crate::{LateFlits, OracleConfig};

impl Output {
    /// Starts the next packet on the link, if one can start now. Returns the end of its hold.
    pub(crate) fn start(&mut self, now: Time) -> Option<Time> {
        if self.link_held > now {
            return None;
        }
        let count = self.vcs.len();
        let vc = (0..count).map(|turn| (self.next_vc + turn) % count).find(|&vc| {
            let first = self.vcs[vc].queue.front();
            first.is_some_and(|stay| stay.available > 0 && self.may_start(stay, now))
        })?;
        self.next_vc = (vc + 1) % count;
        let stay = self.vcs[vc].queue.pop_front()?;
        self.vcs[vc].taken -= stay.flits;
        Some(self.send(stay, now))
    }

    /// Whether the rules let this packet start on a free link.
    fn may_start(&self, stay: &Stay, now: Time) -> bool {
        let room = self.vcs[usize::from(stay.vc)].credits >= stay.flits;
        let in_order = self.vcs[usize::from(stay.vc)].open <= now
            && self.leaving.iter().all(|ahead| ahead.vc != stay.vc);
        room && in_order
    }

    /// Gives the link to a packet from now on. Returns the end of its hold.
    fn send(&mut self, stay: Stay, now: Time) -> Time {
        self.vcs[usize::from(stay.vc)].credits -= stay.flits;
        self.link_held = now + Time::from(stay.flits) * self.link.flit_time;
        self.leaving.push(stay);
        self.link_held
    }

    /// Starts every flit that can go now. Returns the stay of each.
    pub(crate) fn follow(&mut self, config: &OracleConfig, now: Time) -> Vec<Stay> {
        let end = now + self.link.flit_time;
        let mut moved = Vec::new();
        for stay in &mut self.leaving {
            let turn = config.late_flits == LateFlits::Pass || self.link_busy <= now;
            if stay.can_move(now) && turn {
                stay.started += 1;
                stay.next_flit = end;
                self.link_busy = end;
                self.vcs[usize::from(stay.vc)].open = end;
                self.carried += 1;
                moved.push(*stay);
            }
        }
        self.leaving.retain(|stay| stay.started < stay.flits);
        moved
    }
}

impl Nic {
    /// Starts the first packet of the source queue, if it can start now. Returns it and the end of
    /// its hold.
    pub(crate) fn inject(&mut self, now: Time) -> Option<(Stay, Time)> {
        let stay = *self.queue.front()?;
        if self.injection.link_held > now || !self.injection.may_start(&stay, now) {
            return None;
        }
        self.queue.pop_front();
        Some((stay, self.injection.send(stay, now)))
    }
}
