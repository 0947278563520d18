//! The look-ahead of the event loop: the state of the events that come next is prefetched.
//!
//! In a large or saturated network hardly any of that state is in the cache. Its misses overlap if
//! they are asked for before the events need them. The wheel foresees the next dozen events, and
//! the loop prefetches what their numbers tell: a packet and its input, a port and its VCs.
//!
//! On a large machine the rest is missing, too: each step of a packet reads what the one before it
//! has found, the port, its queue, the packet at the head. So there is a second step. When the
//! bucket of an event opens, what the first step has asked for is there, and tells what comes next.

use crate::fabric::Fabric;
use crate::partition::agenda::Kind;
use crate::store::requests::bits;
use crate::variant::Variant;
use pantala_engine::Time;

impl Fabric {
    /// Moves to the next group of events, and prefetches the state of events that come soon after.
    #[inline(always)]
    pub(super) fn next_group<F: Variant>(&mut self, until: Time) -> Option<(Time, u8)> {
        match self.agenda.wheel.next_open_batch(until) {
            Some(found) => found,
            None => self.turn_to_group::<F>(until),
        }
    }

    #[inline(never)]
    fn turn_to_group<F: Variant>(&mut self, until: Time) -> Option<(Time, u8)> {
        let Self {
            setup,
            agenda,
            packets,
            ports,
            requests,
            nics,
            learning,
            observer,
            counters,
            ..
        } = self;
        let observer = observer.on::<F>();
        let foresee = |phase, id: u32, hint: u32| match phase {
            Kind::ARRIVE => {
                packets.prefetch(id);
                if setup.stages.learning() {
                    learning.prefetch(id);
                }
                ports.in_vcs.prefetch::<1>(hint as usize);
                ports.in_ports.prefetch::<1>(setup.by_vcs.quotient(hint) as usize);
                if let Some(observer) = &observer {
                    observer.prefetch_input(hint as usize);
                }
            }
            Kind::DELIVER => packets.prefetch_whole(id),
            Kind::LINK | Kind::CROSSBAR => {
                let id = id as usize;
                ports.out_ports.prefetch::<2>(id);
                // Enough for four VCs.
                ports.out_vcs.prefetch::<4>(id * setup.vcs);
                requests.waiting.prefetch::<1>(id * setup.vcs * setup.words);
                if let Some(observer) = &observer {
                    observer.prefetch_output(id, id * setup.vcs);
                }
            }
            Kind::NIC => nics.nics.prefetch::<2>(id as usize),
            _ => {}
        };
        if !agenda.blocks.large {
            return agenda.wheel.turn_to_batch(until, foresee, |_, _, _| {});
        }
        let virtual_output = setup.stages.virtual_output::<F>();
        let jobs = usize::from(setup.config.jobs);
        let foresee = |phase, id: u32, hint: u32| {
            foresee(phase, id, hint);
            match phase {
                Kind::LINK | Kind::CROSSBAR => {
                    if virtual_output {
                        ports.virtual_queues.prefetch::<2>(id as usize * setup.vcs);
                    }
                    if jobs > 1 {
                        counters.jobs.prefetch::<2>(id as usize * jobs);
                    }
                }
                Kind::NIC if jobs > 1 => counters.nic_jobs.prefetch::<1>(id as usize * jobs),
                _ => {}
            }
        };
        let announce = |phase, id: u32, _| {
            let (out, first) = (id as usize, id as usize * setup.vcs);
            if let (Kind::LINK | Kind::CROSSBAR, Some(observer)) = (phase, &observer) {
                observer.prefetch_known_output(out);
            }
            match phase {
                Kind::LINK => {
                    for vc in bits(ports.out_ports[out].queued.into()) {
                        ports.out_vcs[first + vc].queue.prefetch_head(packets);
                    }
                }
                Kind::CROSSBAR if virtual_output => {
                    for vc in bits(ports.out_ports[out].waiting.into()) {
                        ports.virtual_queues[first + vc].queue.prefetch_head(packets);
                    }
                }
                Kind::CROSSBAR => {
                    let port = &ports.out_ports[out];
                    let inputs = (port.router * setup.ports) as usize * setup.vcs;
                    for word in 0..setup.words {
                        let set = requests.waiting_word(setup, out, port.waiting, word);
                        for bit in bits(set).take(4) {
                            let in_vc = inputs + word * 64 + bit;
                            ports.in_vcs.prefetch::<1>(in_vc);
                            let in_port = setup.by_vcs.quotient(in_vc as u32);
                            ports.in_ports.prefetch::<1>(in_port as usize);
                        }
                    }
                }
                _ => {}
            }
        };
        agenda.wheel.turn_to_batch(until, foresee, announce)
    }
}
