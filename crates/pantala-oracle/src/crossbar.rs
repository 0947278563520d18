//! The crossbar of a router: grants and crossing flits.

use pantala_engine::Time;
use pantala_engine::random::mix;

use crate::state::{Router, Stay};
use crate::{LateFlits, OracleConfig, OraclePacket};

impl Router {
    /// Grants the crossbar to every packet that can have it now. Returns the ends of their holds.
    ///
    /// Outputs contend for inputs in a round. Its start and direction are drawn for the router with
    /// the number `id` and the time: `draw = mix(now ^ mix("TurnOutp" ^ id))`. The lower half of
    /// `draw` gives the first output, its highest bit the direction.
    pub(crate) fn grant(
        &mut self,
        id: u32,
        config: &OracleConfig,
        packets: &[OraclePacket],
        now: Time,
    ) -> Vec<Time> {
        let requests = self.requests(config, packets, now);
        let mut ends = Vec::new();
        let draw = mix(now ^ mix(u64::from_be_bytes(*b"TurnOutp") ^ u64::from(id)));
        let outputs = self.outputs.len();
        let start = (draw % (1 << 32)) as usize * outputs / (1 << 32);
        for turn in 0..outputs {
            let step = if draw < 1 << 63 { turn } else { outputs - 1 - turn };
            let output = (start + step) % outputs;
            let vcs = usize::from(config.virtual_channels);
            let (all, first) = (self.inputs.len() * vcs, self.outputs[output].next_input);
            let turn = |index: usize| (index + all - first) % all;
            let winner = requests
                .iter()
                .filter(|request| request.output == output)
                .filter(|request| self.inputs[request.index / vcs].crossbar_held <= now)
                .min_by_key(|request| turn(request.index));
            if let Some(&Request { index, vc, .. }) = winner {
                let (port, input_vc) = (index / vcs, index % vcs);
                let stay = self.inputs[port].vcs[input_vc][0];
                let end = now + Time::from(stay.flits) * config.crossbar_flit_time;
                self.inputs[port].crossbar_held = end;
                self.crossing.push((port, input_vc));
                let out = &mut self.outputs[output];
                out.crossbar_held = end;
                out.next_input = (index + 1) % all;
                out.vcs[vc].taken += stay.flits;
                out.vcs[vc].queue.push_back(Stay::new(stay.packet, stay.hop, stay.flits, vc as u8));
                ends.push(end);
            }
        }
        ends
    }

    /// The packets that could cross without contention.
    fn requests(&self, config: &OracleConfig, packets: &[OraclePacket], now: Time) -> Vec<Request> {
        let vcs = usize::from(config.virtual_channels);
        let mut requests = Vec::new();
        for (port, input) in self.inputs.iter().enumerate() {
            for (input_vc, queue) in input.vcs.iter().enumerate() {
                let Some(stay) = queue.front() else { continue };
                let step = packets[stay.packet].route[stay.hop];
                let output = &self.outputs[usize::from(step.port)];
                let vc = usize::from(step.vc);
                let room = config.output_buffer_flits == 0
                    || output.vcs[vc].taken + stay.flits <= config.output_buffer_flits;
                let crossing = self.crossing.contains(&(port, input_vc));
                let free = input.crossbar_held <= now && output.crossbar_held <= now;
                if stay.available > 0 && !crossing && free && room {
                    requests.push(Request {
                        index: port * vcs + input_vc,
                        output: usize::from(step.port),
                        vc,
                    });
                }
            }
        }
        requests
    }

    /// Starts every flit that can cross now. Returns the (input port, VC) of each.
    pub(crate) fn cross(
        &mut self,
        config: &OracleConfig,
        packets: &[OraclePacket],
        now: Time,
    ) -> Vec<(usize, usize)> {
        let mut moved = Vec::new();
        for &(port, vc) in &self.crossing {
            let input = &mut self.inputs[port];
            let stay = &mut input.vcs[vc][0];
            let output = &mut self.outputs[usize::from(packets[stay.packet].route[stay.hop].port)];
            let turn = config.late_flits == LateFlits::Pass
                || (input.crossbar_busy <= now && output.crossbar_busy <= now);
            if stay.can_move(now) && turn {
                let end = now + config.crossbar_flit_time;
                stay.started += 1;
                stay.next_flit = end;
                input.crossbar_busy = end;
                output.crossbar_busy = end;
                moved.push((port, vc));
            }
        }
        moved
    }
}

/// A packet that requests the crossbar.
struct Request {
    /// Its input port and VC, as one number.
    index: usize,
    /// The requested output port.
    output: usize,
    /// The VC at the output.
    vc: usize,
}
