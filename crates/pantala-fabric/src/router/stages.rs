//! The constants of the stages, computed once from the configuration.

use crate::config::{
    Arbiter, BufferUnit, CreditCheck, CrossbarClock, CrossbarContention, CrossbarDelay,
    FabricConfig, FlowControl, InjectionVc, InputQueue, LinkClock, LinkDecision, LinkOrder,
    OutputLatency, OutputRelease, Release, Serialization,
};
use crate::store::port::OutPort;
use crate::variant::{Model, Variant};
use pantala_engine::Time;
use pantala_routing::{Algorithm, Gateways, QueueMeasure, RoutingConfig, VcMap};
use pantala_topology::LinkClass;
use std::ops::Range;

/// Constants of the stages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stages {
    /// The choices of the router model.
    model: Model,
    /// The input latency of the head only.
    head_latency: Time,
    /// The rest of an input VC, and of a held output VC, between two packets.
    input_vc_gap: Time,
    output_vc_gap: Time,
    /// Whether NICs answer packets.
    responds: bool,
    /// The number of VCs on which a NIC may inject a host's packets.
    request_vcs: u8,
    /// Whether a packet that is sent ahead needs no room in the output buffer's account: see
    /// [`Self::new`].
    ahead_is_free: bool,
    /// Whether a packet that is sent ahead of a busy link leaves all queues that a routing reads as
    /// they are.
    ahead_is_unread: bool,
    /// The crossbar's clock period; zero: not clocked.
    pub(crate) crossbar_period: Time,
    /// One flit through the crossbar.
    pub(crate) crossbar_flit: Time,
    /// From the grant until the head is ready at the output.
    pub(crate) head_delay: Time,
    /// Store-and-forward: the delay of each further flit of a packet after its head.
    pub(crate) stored_flit: Time,
    /// The wait of an idle injection link before it decides.
    pub(crate) nic_idle: Time,
    /// From the end of the head on the injection link until it is in the router; and the time of
    /// one flit on that link.
    pub(crate) nic_reach: Time,
    pub(crate) nic_flit: Time,
    /// How far ahead of its link a packet may be sent if no other VC shares the link.
    pub(crate) far_ahead: Time,
    /// Flits of a full packet.
    pub(crate) full: u32,
    /// VCs of a port.
    pub(crate) vcs: u8,
    /// The VC after which it is the turn of VC 0.
    last_turn: u8,
    /// Whether any routing reads queues.
    pub(crate) adaptive: bool,
    /// Whether any routing reads queues at routers after the decision, too.
    pub(crate) per_hop_adaptive: bool,
    /// Whether all packets take minimal paths on a plain VC map.
    pub(crate) minimal: bool,
    /// Whether the source terminal chooses the gateway link of packets of any routing.
    pub(crate) by_source: bool,
    /// Whether all packets are ejected on one VC.
    pub(crate) one_ejection_vc: bool,
    /// Whether any routing learns.
    learning: bool,
    /// Whether heads that arrive are granted together, so that one without rivals need not wait.
    grants_together: bool,
    /// Whether every stage is that of the default model and a router's ports fit into one word. The
    /// routing may be any.
    pub(crate) default_model: bool,
}

impl Stages {
    /// Computes the constants of `config`.
    ///
    /// A packet that is sent ahead spends no time in the output buffer. It only reserves room there
    /// from its grant until its head is ready. In that time only a few other packets can win the
    /// same output, because each holds the crossbar for its flits. If the buffer has room for that
    /// many full packets, the reservation never decides anything and is left out. With virtual
    /// output queues nothing waits for room in the output buffer, so only a routing can read it.
    pub(crate) fn new(config: &FabricConfig, ports: u32) -> Self {
        let router = &config.router;
        let crossbar_flit = config.crossbar_flit();
        let crossbar_delay =
            if router.crossbar_delay == CrossbarDelay::Flit { crossbar_flit } else { 0 };
        let (idle_flits, head_flits) = match router.link_decision {
            LinkDecision::AtStart => (0, 1),
            LinkDecision::AfterFlit => (1, 0),
        };
        let at_crossbar = match router.output_latency_at {
            OutputLatency::Crossbar => router.output_latency,
            OutputLatency::Link => 0,
        };
        let head_delay = at_crossbar + crossbar_delay;
        let slowest = config.slowest_flit();
        let terminal = config.timing(LinkClass::Terminal);
        let promised = head_delay + idle_flits * slowest;
        let others =
            u64::from(config.flits(config.packet_bytes)) + promised / crossbar_flit.max(1) + 1;
        let roomy = router.output_buffer == 0
            || u64::from(router.output_buffer)
                >= others + u64::from(config.flits(config.packet_bytes));
        let model = Model {
            cut_through: router.flow_control != FlowControl::StoreAndForward
                && router.serialization == Serialization::Counted,
            stores: router.flow_control == FlowControl::StoreAndForward,
            virtual_output: router.input_queue == InputQueue::VirtualOutput,
            by_flits: router.flow_control == FlowControl::Wormhole,
            whole_packets: router.buffer_unit == BufferUnit::Packet,
            credit_return: router.credit_return,
            output_release: router.output_release,
            contention: router.crossbar_contention,
            arbiter: router.arbiter,
            gaps: router.input_vc_gap > 0 || router.output_vc_gap > 0,
            credit_at_crossbar: router.credit_check == CreditCheck::Crossbar,
            injection_vc: config.injection_vc,
            idle_flits: idle_flits as u8,
            head_flits: head_flits as u8,
            in_order: router.link_order == LinkOrder::Arrival,
            highest_vc: router.link_order == LinkOrder::HighestVc,
            links_clocked: router.link_clock == LinkClock::Flit,
            clocked: router.crossbar_clock == CrossbarClock::Flit,
            one_word: ports <= 64,
        };
        let mut stages = Self {
            model,
            default_model: false,
            head_latency: if router.input_vc_gap > 0 { router.input_latency } else { 0 },
            input_vc_gap: Time::from(router.input_vc_gap) * crossbar_flit,
            output_vc_gap: Time::from(router.output_vc_gap) * crossbar_flit,
            responds: config.responses.is_some(),
            request_vcs: match config.injection_vc {
                InjectionVc::First => 1,
                _ => {
                    config.responses.map_or(config.virtual_channels, |responses| responses.first_vc)
                }
            },
            ahead_is_free: roomy
                && (model.virtual_output
                    || router.flow_control != FlowControl::StoreAndForward
                        && router.output_release == OutputRelease::Start)
                && config.routings.iter().all(|r| r.ugal.queue == QueueMeasure::OutputAndCredits),
            ahead_is_unread: config.routings.iter().all(|r| {
                !r.algorithm.is_adaptive() || r.ugal.queue == QueueMeasure::OutputAndCredits
            }),
            crossbar_period: match router.crossbar_clock {
                CrossbarClock::None => 0,
                CrossbarClock::Flit => crossbar_flit,
            },
            crossbar_flit,
            head_delay,
            stored_flit: crossbar_delay,
            nic_idle: idle_flits * terminal.flit,
            nic_reach: terminal.latency + router.input_latency,
            nic_flit: terminal.flit,
            far_ahead: 4 * u64::from(config.flits(config.packet_bytes)) * slowest,
            full: config.flits(config.packet_bytes),
            vcs: config.virtual_channels,
            last_turn: match router.link_order {
                LinkOrder::LowestVc => 0,
                _ => config.virtual_channels - 1,
            },
            adaptive: config.routings.iter().any(|r| r.algorithm.is_adaptive()),
            per_hop_adaptive: config.routings.iter().any(|r| r.algorithm.per_hop_adaptive()),
            minimal: config
                .routings
                .iter()
                .all(|r| r.algorithm == Algorithm::Minimal && r.vc_map.is_plain_minimal())
                && config.routings.len() == 1,
            by_source: config.routings.iter().any(|r| r.gateways == Gateways::BySource),
            one_ejection_vc: one_ejection_vc(config),
            learning: config.routings.iter().any(|r| r.algorithm.learns()),
            grants_together: model.contention == CrossbarContention::PortAndVc
                && model.arbiter == Arbiter::Islip
                && !model.clocked
                && !model.virtual_output,
        };
        stages.default_model = stages.model == Model::DEFAULT && stages.ahead_is_free;
        stages
    }

    /// Returns the most flits that can take credits of a link between the grant of a packet that is
    /// sent ahead of a busy link and its start: the crossbar is busy with the packet, and until then
    /// it is granted less than the delay of a head before the start (see `router/link.rs`).
    /// A link that sends in the order of crossing decides any time ahead.
    pub(crate) fn taken_before_start(&self) -> i32 {
        if self.model.in_order {
            return i32::MAX / 4;
        }
        let granted = self.head_delay / self.crossbar_flit.max(1) + 1;
        let full = u64::from(self.full);
        let flits = if self.model.whole_packets {
            (granted + 1).saturating_mul(full)
        } else {
            granted + full
        };
        flits.min(i32::MAX as u64 / 4) as i32
    }

    /// Returns the VC whose turn it is after `vc`: the next one, or always the lowest.
    #[inline]
    pub(crate) const fn vc_after(&self, vc: u8) -> u8 {
        if vc >= self.last_turn { 0 } else { vc + 1 }
    }

    /// Returns until when a packet that starts at `start` keeps a link busy, and when its tail has
    /// left: not before it has come, at `tail`, and taken the time of a flit.
    #[inline(always)]
    pub(crate) fn time_on_link<F: Variant>(
        &self,
        start: Time,
        flits: u32,
        tail: Time,
        flit: Time,
    ) -> (Time, Time) {
        let end = start + Time::from(flits) * flit;
        (end, if self.cut_through::<F>() { end.max(tail + flit) } else { end })
    }

    /// Returns the choices of the model: constants, if the build is for one model.
    #[inline(always)]
    pub(crate) const fn model<F: Variant>(&self) -> Model {
        match F::MODEL {
            Some(model) => model,
            None => self.model,
        }
    }

    #[inline(always)]
    pub(crate) const fn cut_through<F: Variant>(&self) -> bool {
        self.model::<F>().cut_through
    }

    #[inline(always)]
    pub(crate) const fn stores<F: Variant>(&self) -> bool {
        self.model::<F>().stores
    }

    #[inline(always)]
    pub(crate) const fn virtual_output<F: Variant>(&self) -> bool {
        self.model::<F>().virtual_output
    }

    #[inline(always)]
    pub(crate) const fn by_flits<F: Variant>(&self) -> bool {
        self.model::<F>().by_flits
    }

    /// Returns the flits of a packet that start together, and so need credits together.
    #[inline(always)]
    pub(crate) const fn needed_to_start<F: Variant>(&self, flits: u32) -> u32 {
        if self.by_flits::<F>() { 1 } else { flits }
    }

    /// Returns the room that a packet of `flits` takes in a buffer.
    #[inline(always)]
    pub(crate) const fn room<F: Variant>(&self, flits: u32) -> u32 {
        if self.model::<F>().whole_packets { self.full } else { flits }
    }

    #[inline(always)]
    pub(crate) const fn credit_return<F: Variant>(&self) -> Release {
        self.model::<F>().credit_return
    }

    #[inline(always)]
    pub(crate) const fn output_release<F: Variant>(&self) -> OutputRelease {
        self.model::<F>().output_release
    }

    #[inline(always)]
    pub(crate) const fn holds_ports<F: Variant>(&self) -> bool {
        !matches!(self.model::<F>().contention, CrossbarContention::Vc)
    }

    #[inline(always)]
    pub(crate) const fn holds_vcs<F: Variant>(&self) -> bool {
        !matches!(self.model::<F>().contention, CrossbarContention::Port)
    }

    #[inline(always)]
    pub(crate) const fn head_latency<F: Variant>(&self) -> Time {
        if self.model::<F>().gaps { self.head_latency } else { 0 }
    }

    #[inline(always)]
    pub(crate) const fn input_vc_gap<F: Variant>(&self) -> Time {
        if self.model::<F>().gaps { self.input_vc_gap } else { 0 }
    }

    #[inline(always)]
    pub(crate) const fn output_vc_gap<F: Variant>(&self) -> Time {
        if self.model::<F>().gaps { self.output_vc_gap } else { 0 }
    }

    #[inline(always)]
    pub(crate) const fn credit_at_crossbar<F: Variant>(&self) -> bool {
        self.model::<F>().credit_at_crossbar
    }

    #[inline(always)]
    pub(crate) const fn injection_vc<F: Variant>(&self) -> InjectionVc {
        self.model::<F>().injection_vc
    }

    #[inline(always)]
    pub(crate) const fn responds(&self) -> bool {
        self.responds
    }

    /// Returns whether NICs inject on VC 0 only, so that one credit account per NIC is enough.
    #[inline(always)]
    pub(crate) const fn one_account<F: Variant>(&self) -> bool {
        matches!(self.model::<F>().injection_vc, InjectionVc::First) && !self.responds
    }

    /// Returns the VCs on which a NIC may inject a host's packets.
    #[inline(always)]
    pub(crate) const fn request_vcs<F: Variant>(&self) -> Range<u8> {
        0..if F::DEFAULT { 1 } else { self.request_vcs }
    }

    #[inline(always)]
    pub(crate) const fn ahead_is_free<F: Variant>(&self) -> bool {
        F::DEFAULT || self.ahead_is_free
    }

    #[inline(always)]
    pub(crate) const fn ahead_is_unread(&self) -> bool {
        self.ahead_is_unread
    }

    #[inline(always)]
    pub(crate) const fn idle_flits<F: Variant>(&self) -> Time {
        self.model::<F>().idle_flits as Time
    }

    #[inline(always)]
    pub(crate) const fn head_flits<F: Variant>(&self) -> Time {
        self.model::<F>().head_flits as Time
    }

    /// Returns whether links send in the order of crossing.
    #[inline(always)]
    pub(crate) const fn in_order<F: Variant>(&self) -> bool {
        self.model::<F>().in_order
    }

    /// Returns whether links take the highest VC first.
    #[inline(always)]
    pub(crate) const fn highest_vc<F: Variant>(&self) -> bool {
        self.model::<F>().highest_vc
    }

    /// Returns the VC that a link considers after `step` others, if it is the turn of VC `turn`.
    #[inline]
    pub(crate) fn vc_at_step<F: Variant>(&self, turn: usize, step: usize) -> usize {
        let vcs = usize::from(self.vcs);
        if self.highest_vc::<F>() { vcs - 1 - step } else { (turn + step) % vcs }
    }

    /// Returns whether links start packets at multiples of their flit times only.
    #[inline(always)]
    pub(crate) const fn links_clocked<F: Variant>(&self) -> bool {
        self.model::<F>().links_clocked
    }

    /// Returns the time from the grant until a head is ready for a link with this flit time.
    ///
    /// BookSim2 spends a step on the grant and a step on the crossing, and a link sends at the end
    /// of the cycle in which the second step ends. Here a grant takes no time, so the second step
    /// ends a crossbar flit time after the crossing. The link is busy from the start of that cycle
    /// on, but not from before the grant.
    #[inline(always)]
    pub(crate) const fn head_delay_to<F: Variant>(&self, flit: Time) -> Time {
        if self.has_clock::<F>(flit) {
            (self.head_delay + self.crossbar_flit).saturating_sub(flit)
        } else {
            self.head_delay
        }
    }

    /// Returns `time`, or the first multiple of a link's flit time from it on if the link has a
    /// clock.
    #[inline(always)]
    pub(crate) const fn link_slot<F: Variant>(&self, time: Time, flit: Time) -> Time {
        if self.has_clock::<F>(flit) { time.next_multiple_of(flit) } else { time }
    }

    /// Returns whether a link with this flit time has a clock. Without an internal speed-up, flits
    /// leave the crossbar at the rate of the link, and there is nothing to wait for.
    #[inline(always)]
    pub(crate) const fn has_clock<F: Variant>(&self, flit: Time) -> bool {
        self.links_clocked::<F>() && flit > self.crossbar_flit
    }

    #[inline(always)]
    pub(crate) const fn unclocked<F: Variant>(&self) -> bool {
        !self.model::<F>().clocked
    }

    /// Returns whether the ports of a router fit into one word.
    #[inline(always)]
    pub(crate) const fn one_word<F: Variant>(&self) -> bool {
        self.model::<F>().one_word
    }

    /// Returns whether the times of a port show that all packets in its output buffer are ready at
    /// `time`. Each packet occupies the crossbar for at least one flit, so the last packet was
    /// granted at least one flit before the crossbar becomes free.
    #[inline(always)]
    pub(crate) const fn heads_ready(&self, port: &OutPort, time: Time) -> bool {
        port.crossbar_free + self.head_delay <= time + self.crossbar_flit
    }

    /// Returns whether arriving heads are granted after the last arrival of a time, in a model that
    /// is not the default one: under iSLIP without a clock. Such a head enters no queue if nothing
    /// else wants its ports.
    #[inline(always)]
    pub(crate) const fn grants_together<F: Variant>(&self) -> bool {
        F::MODEL.is_none() && self.grants_together
    }

    #[inline(always)]
    pub(crate) const fn learning(&self) -> bool {
        self.learning
    }

    /// Returns `time`, or the first clock edge strictly after it if the crossbar is clocked.
    #[inline(always)]
    pub(crate) const fn edge_after<F: Variant>(&self, time: Time) -> Time {
        if self.unclocked::<F>() {
            time
        } else {
            (time / self.crossbar_period + 1) * self.crossbar_period
        }
    }
}

/// Returns whether every routing ejects all its packets on the same VC.
fn one_ejection_vc(config: &FabricConfig) -> bool {
    let vcs = |routing: &RoutingConfig| {
        let VcMap { inside, destination_minimal, destination_nonminimal, .. } = routing.vc_map;
        [inside, destination_minimal, destination_nonminimal].map(|vc| routing.first_vc + vc)
    };
    let mut all = config.routings.iter().flat_map(vcs);
    let first = all.next();
    all.all(|vc| Some(vc) == first) && config.routings.iter().all(|routing| !routing.vc_map.by_hop)
}
