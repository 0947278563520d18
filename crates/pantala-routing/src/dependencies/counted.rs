//! The dependencies of a routing whose VCs count local hops ([`VcMap::by_local_hop`]).
//!
//! A packet that holds the channel of a local link has made as many hops, for its VCs, as the VC
//! says. After a global link it may have made more or fewer. So the walk keeps a front for each VC
//! that the next local hop can have, and passes each segment once per front.

use super::segments::{Front, Groups, Walk};
use crate::{Segment, SegmentVcs, VcMap};
use pantala_topology::LinkClass;
use std::collections::BTreeMap;

use super::channel::Link;

impl Walk<'_> {
    /// Adds the dependencies of all paths.
    pub(super) fn walk_counted(&mut self, paths: &[Vec<Segment>]) {
        for path in paths {
            let mut fronts = BTreeMap::from([(0, self.injected())]);
            let mut globals = 0;
            for segment in path {
                let mut next = BTreeMap::new();
                let leaves = matches!(segment, Segment::Leave { .. });
                for (vc, mut front) in fronts {
                    let first = SegmentVcs { local: vc, global: globals };
                    let later = SegmentVcs { local: vc + 1, global: globals };
                    let on = match *segment {
                        Segment::Within { .. } => self.within(&front, (vc, vc + 1)),
                        Segment::Leave { target, back, .. } => {
                            if back {
                                front.forget();
                            }
                            self.leave(&front, (first, later), target)
                        }
                        Segment::BreakOff { .. } => {
                            unreachable!("no routing that counts its hops decides again")
                        }
                        Segment::Eject { vc } => self.eject(&front, vc),
                    };
                    self.share_out(&on, (vc, globals + u8::from(leaves)), &mut next);
                }
                (fronts, globals) = (next, globals + u8::from(leaves));
            }
        }
    }

    /// Adds the packets of a front to those of `next`, by the VC of their next local hop. Packets
    /// without a local hop in the segment have had VC `vc` before them.
    fn share_out(&self, on: &Front, (vc, globals): (u8, u8), next: &mut BTreeMap<u8, Front>) {
        for (number, groups) in on.avoided.iter().enumerate() {
            if *groups == Groups::None {
                continue;
            }
            let channel = self.graph.numbering.channel(number as u32);
            let inside = match channel.link {
                Link::Injection { .. } => false,
                Link::Output { router, port } => {
                    self.topology.class_of(router, port) != LinkClass::Global
                }
            };
            let made = match on.hops.get(number) {
                Some(made) => *made,
                None if inside => 1 << (channel.vc - self.rules.first_vc + 1 - vc),
                None => 1,
            };
            for hops in (0..u8::BITS as u8).filter(|hops| made >> hops & 1 == 1) {
                let front = next
                    .entry((vc + hops).max(VcMap::least_local(globals)))
                    .or_insert_with(|| self.empty());
                front.avoided[number].add(*groups);
                if !on.sought.is_empty() {
                    front.sought.resize(on.sought.len(), 0);
                    let words = number * self.words..(number + 1) * self.words;
                    let sought = front.sought[words.clone()].iter_mut().zip(&on.sought[words]);
                    sought.for_each(|(all, new)| *all |= new);
                }
            }
        }
    }
}
