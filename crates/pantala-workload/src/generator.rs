//! Generators: one rank of a pattern.

use pantala_engine::{NEVER, Stream, Time};
use pantala_fabric::{PacketOffer, Pull, TrafficClass};

use crate::injection::{Clock, Pace};
use crate::patterns::DestinationDistribution;

/// The data that the generators of one job share.
#[derive(Clone, Debug)]
pub(crate) struct PatternJob {
    pub(crate) distribution: DestinationDistribution,
    pub(crate) pace: Pace,
    /// The node of each rank.
    pub(crate) nics: Vec<u32>,
    pub(crate) packet_bytes: u32,
    pub(crate) job: u16,
    /// The start of the job.
    pub(crate) start: Time,
    /// The time from which no packet is created.
    pub(crate) end: Time,
}

/// One rank of a pattern, in one cache line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Generator {
    /// The creation time of the next packet, in ps.
    pub(crate) next: Time,
    pub(crate) clock: Clock,
    /// The random stream of destinations.
    pub(crate) draws: Stream,
    pub(crate) rank: u32,
    /// The index of the pattern's job.
    pub(crate) pattern_job: u16,
}

impl Generator {
    /// Returns the next packet, if its creation time has come.
    #[inline]
    pub(crate) fn pull(&mut self, pattern_job: &PatternJob, now: Time) -> Pull {
        if self.next > now {
            return if self.next == NEVER { Pull::Idle } else { Pull::Later(self.next) };
        }
        let created = self.next;
        let next = self.clock.after(&pattern_job.pace, created);
        self.next = if next >= pattern_job.end { NEVER } else { next };
        Pull::Packet(PacketOffer {
            destination: pattern_job.nics
                [pattern_job.distribution.destination(self.rank, &mut self.draws) as usize],
            bytes: pattern_job.packet_bytes,
            created,
            message: u32::MAX,
            number: 0,
            job: pattern_job.job,
            class: TrafficClass::PointToPoint,
        })
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_generator_is_a_cache_line() {
        assert!(size_of::<super::Generator>() <= 64);
    }
}
