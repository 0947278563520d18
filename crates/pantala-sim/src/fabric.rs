//! The fabric's view of a resolved plan.

use crate::plan::*;
use crate::routings;
use pantala_engine::transfer_time;
use pantala_fabric::FabricConfig;
use pantala_fabric::config as fabric;
use pantala_fabric::config::LinkTiming;
use pantala_topology::LinkClass;

/// The fabric's view of a resolved plan.
///
/// # Panics
/// If the plan has not been resolved: its routing has no VCs then.
#[must_use]
pub fn fabric_config(plan: &Plan) -> FabricConfig {
    let timing = |link: &LinkPlan| LinkTiming::new(plan.flit_bytes, link.bandwidth_bytes_per_s, link.latency_ps);
    // A class that the topology does not have has no link whose timing could matter.
    let mut links = [timing(&plan.links.terminal); LinkClass::COUNT];
    for (class, link) in plan.links.by_class() {
        links[class as usize] = timing(link);
    }
    let router = &plan.router;
    let table = routings::table(plan);
    FabricConfig {
        packet_bytes: plan.packet_bytes,
        flit_bytes: plan.flit_bytes,
        links,
        router: fabric::RouterConfig {
            input_latency: router.input_latency_ps,
            output_latency: router.output_latency_ps,
            output_latency_at: match router.output_latency_at {
                OutputLatencyAt::Crossbar => fabric::OutputLatency::Crossbar,
                OutputLatencyAt::Link => fabric::OutputLatency::Link,
            },
            switching: match router.switching {
                Switching::Packet => fabric::Switching::Packet,
                Switching::Flit => fabric::Switching::Flit,
            },
            input_queue: match router.input_queue {
                InputQueue::Fifo => fabric::InputQueue::Fifo,
                InputQueue::VirtualOutput => fabric::InputQueue::VirtualOutput,
            },
            crossbar_flit: transfer_time(plan.flit_bytes.into(), router.crossbar_bandwidth_bytes_per_s),
            crossbar_delays_head: router.crossbar_delay == CrossbarDelay::Flit,
            crossbar_clock: match router.crossbar_clock {
                CrossbarClock::None => fabric::CrossbarClock::None,
                CrossbarClock::Flit => fabric::CrossbarClock::Flit,
            },
            crossbar_contention: match router.crossbar_contention {
                CrossbarContention::Port => fabric::CrossbarContention::Port,
                CrossbarContention::Vc => fabric::CrossbarContention::Vc,
                CrossbarContention::PortAndVc => fabric::CrossbarContention::PortAndVc,
            },
            input_vc_gap: router.input_vc_gap,
            output_vc_gap: router.output_vc_gap,
            credit_check: match router.credit_check {
                CreditCheck::Link => fabric::CreditCheck::Link,
                CreditCheck::Crossbar => fabric::CreditCheck::Crossbar,
            },
            arbiter: match router.arbiter {
                Arbiter::RoundRobin => fabric::Arbiter::RoundRobin,
                Arbiter::Age => fabric::Arbiter::Age,
                Arbiter::Lru => fabric::Arbiter::Lru,
                Arbiter::Random => fabric::Arbiter::Random,
                Arbiter::Islip => fabric::Arbiter::Islip,
            },
            buffer_unit: match router.buffer_unit {
                BufferUnit::Flit => fabric::BufferUnit::Flit,
                BufferUnit::Packet => fabric::BufferUnit::Packet,
            },
            input_buffer: router.input_buffer_flits,
            output_buffer: router.output_buffer_flits,
            hand_over: match router.hand_over {
                HandOver::Tail => fabric::HandOver::Tail,
                HandOver::Head => fabric::HandOver::Head,
                HandOver::Store => fabric::HandOver::Store,
            },
            link_decision: match router.link_decision {
                LinkDecision::AtStart => fabric::LinkDecision::AtStart,
                LinkDecision::AfterFlit => fabric::LinkDecision::AfterFlit,
            },
            credit_return: match router.credit_return {
                CreditReturn::Tail => fabric::Release::Tail,
                CreditReturn::Head => fabric::Release::Head,
                CreditReturn::Flit => fabric::Release::Flit,
            },
            output_release: match router.output_release {
                OutputRelease::Tail => fabric::Release::Tail,
                OutputRelease::Start => fabric::Release::Head,
                OutputRelease::Flit => fabric::Release::Flit,
            },
            credit_latency: match router.credit_latency {
                CreditLatency::Link => fabric::CreditLatency::Link,
                CreditLatency::LinkAndRouter => fabric::CreditLatency::LinkAndRouter,
                CreditLatency::Fixed => fabric::CreditLatency::Fixed,
            },
            credit_delay: router.credit_delay_ps,
        },
        virtual_channels: routings::virtual_channels(plan),
        routings: table.routings,
        routing_of: table.routing_of,
        responses: table.responses,
        nic_buffer: match plan.nic.latency_from {
            LatencyFrom::Created | LatencyFrom::Injected => 0,
            LatencyFrom::Nic => plan.nic.buffer_packets,
        },
        injection_vc: match plan.nic.injection_vc {
            InjectionVc::First => fabric::InjectionVc::First,
            InjectionVc::FirstFree => fabric::InjectionVc::FirstFree,
            InjectionVc::Random => fabric::InjectionVc::Random,
        },
        jobs: plan.jobs.len() as u16,
        seed: plan.seed,
        blocks: 0,
    }
}
