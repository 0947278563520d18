//! The congestion view of a router: the output queues that its routing reads.

use crate::FabricConfig;
use crate::config::CreditCheck;
use crate::store::account::PendingPool;
use crate::store::account::space_of;
use crate::store::port::OutVc;
use crate::store::port::PortReading;
use crate::store::port::VirtualQueue;
use crate::variant::Variant;
use pantala_engine::{NEVER, ProvenArray, Time};
use pantala_routing::{CongestionView, QueueMeasure};
use std::marker::PhantomData;

/// The output queues of one router, as its routing reads them.
pub(crate) struct RouterCongestionView<'a, F: Variant> {
    pub(crate) out_vcs: &'a mut ProvenArray<OutVc>,
    pub(crate) virtual_queues: &'a ProvenArray<VirtualQueue>,
    pub(crate) readings: &'a mut ProvenArray<PortReading>,
    pub(crate) pool: &'a mut PendingPool,
    /// The router.
    pub(crate) router: u32,
    pub(crate) ports: u32,
    pub(crate) vcs: usize,
    pub(crate) config: &'a FabricConfig,
    pub(crate) now: Time,
    pub(crate) variant: PhantomData<F>,
}

impl<F: Variant> CongestionView for RouterCongestionView<'_, F> {
    #[inline]
    fn queue(&mut self, port: u16, vc: Option<u8>, measure: QueueMeasure) -> i64 {
        self.queue_at(self.router, port, vc, measure)
    }

    fn queue_at(&mut self, router: u32, port: u16, vc: Option<u8>, measure: QueueMeasure) -> i64 {
        let first = (router * self.ports + u32::from(port)) as usize * self.vcs;
        let credits_full = self.config.router.input_buffer as i32;
        let space_full = space_of(self.config.router.output_buffer);
        let range = match vc {
            Some(vc) => first + usize::from(vc)..first + usize::from(vc) + 1,
            None => first..first + self.vcs,
        };
        // The default model takes credits at the link and has no other queue before it.
        if F::DEFAULT && measure == QueueMeasure::OutputAndCredits {
            let flits_of = |index: usize| {
                let out_vc = &mut self.out_vcs[index];
                credits_full - out_vc.credits.at(self.pool, self.now) + out_vc.unsent
            };
            return range.map(flits_of).sum::<i32>().into();
        }
        let readable = vc.is_none() && measure == QueueMeasure::OutputAndCredits;
        if readable && !self.readings.is_empty() {
            return self.read_port((router * self.ports + u32::from(port)) as usize);
        }
        let mut flits = 0;
        for index in range {
            let out_vc = &mut self.out_vcs[index];
            let waiting = if self.virtual_queues.is_empty() {
                0
            } else {
                i64::from(self.virtual_queues[index].room)
            };
            // Flits granted to this VC whose credits are not back. A packet that is sent ahead of
            // its link has already taken its credits.
            let unsent = if self.config.router.credit_check == CreditCheck::Crossbar {
                0
            } else {
                out_vc.unsent
            };
            let sum = i64::from(credits_full - out_vc.credits.at(self.pool, self.now) + unsent);
            flits += match measure {
                QueueMeasure::OutputAndCredits => sum + waiting,
                QueueMeasure::Output => {
                    i64::from(space_full - out_vc.space.at(self.pool, self.now)) + waiting
                }
                QueueMeasure::Credits => {
                    (sum - i64::from(space_full - out_vc.space.at(self.pool, self.now))).max(0)
                }
            };
        }
        flits
    }
}

impl<F: Variant> RouterCongestionView<'_, F> {
    /// Returns the flits that hold or wait for room behind a port, if inputs queue by output.
    #[inline]
    fn read_port(&mut self, port: usize) -> i64 {
        if self.now >= self.readings[port].until {
            self.read_port_anew(port);
        }
        self.readings[port].flits
    }

    #[inline(never)]
    fn read_port_anew(&mut self, port: usize) {
        let full = self.config.router.input_buffer as i32;
        let mut reading = PortReading { flits: 0, until: NEVER };
        for index in port * self.vcs..(port + 1) * self.vcs {
            let credits = &mut self.out_vcs[index].credits;
            let held = full - credits.at(self.pool, self.now);
            reading.flits += i64::from(held + self.virtual_queues[index].room);
            reading.until = reading.until.min(credits.due());
        }
        self.readings[port] = reading;
    }
}
