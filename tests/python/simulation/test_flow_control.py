"""Wormhole flow control and iSLIP: compatible settings, and their effect on throughput."""

from __future__ import annotations

from typing import Any

import pytest

import pantala as pt

native = pytest.mark.native

_SMALL = {"machine.topology": {"p": 2, "a": 4, "h": 2, "g": 9}}


def _measured(preset: str, load: float, **changes: Any) -> dict[str, Any]:
    changes = _SMALL | {f"machine.router.{key}": value for key, value in changes.items()}
    (point,) = pt.curve(
        preset=preset, loads=[load], changes=changes, warmup="2 us", measure="4 us", drain=True
    )
    return dict(point)


@native
@pytest.mark.parametrize(
    ("key", "value", "only"),
    [
        ("crossbar_contention", "vc", "port_and_vc"),
        ("serialization", "none", "counted"),
        ("link_decision", "after_flit", "at_start"),
        ("buffer_unit", "packet", "flit"),
    ],
)
def test_wormhole_needs_matching_router_stages(key: str, value: str, only: str) -> None:
    changes = {"flow_control": "wormhole", "arbiter": "round_robin", "output_vc_gap": 0, key: value}
    says = (
        r'machine\.router\.flow_control = "wormhole": each flit advances separately'
        rf".*set {key} to {only}"
    )
    with pytest.raises(pt.ScenarioError, match=says):
        _measured("booksim2", 0.1, **changes)


@native
@pytest.mark.parametrize(
    ("key", "value", "only"),
    [("credit_check", "link", "crossbar"), ("input_queue", "virtual_output", "fifo")],
)
def test_links_in_the_order_of_arrival_take_credits_before(key: str, value: str, only: str) -> None:
    changes = {"flow_control": "virtual_cut_through", key: value}
    says = (
        r'machine\.router\.link_order = "arrival": packets leave in the order in which they have'
        rf" crossed.*set {key} to {only}"
    )
    with pytest.raises(pt.ScenarioError, match=says):
        _measured("booksim2", 0.1, **changes)


@native
def test_a_link_with_a_clock_sends_in_the_order_of_arrival() -> None:
    says = (
        r'machine\.router\.link_clock = "flit": a packet gets its flit time on the link when it'
        r" crosses.*set link_order to arrival"
    )
    with pytest.raises(pt.ScenarioError, match=says):
        _measured("booksim2", 0.1, link_order="round_robin")


@native
def test_islip_matches_ports() -> None:
    with pytest.raises(pt.ScenarioError, match=r'machine\.router\.arbiter = "islip".*port_and_vc'):
        _measured("pantala", 0.1, arbiter="islip")


@native
def test_q_adaptive_requires_virtual_cut_through() -> None:
    with pytest.raises(
        pt.ScenarioError, match=r'routing\.algorithm = "q_adaptive": learns from whole packets'
    ):
        pt.curve(preset="booksim2", routing="q_adaptive", loads=[0.1], changes=_SMALL)


@native
def test_wormhole_buffers_can_be_shorter_than_a_packet() -> None:
    point = _measured("booksim2", 0.05, input_buffer="3 flits")
    assert 0 < point["accepted"] < 0.05
    with pytest.raises(
        pt.ScenarioError, match=r"machine\.router\.input_buffer.*a whole packet of 4 flits"
    ):
        _measured("booksim2", 0.05, input_buffer="3 flits", flow_control="virtual_cut_through")


@native
def test_wormhole_and_islip_lower_throughput_of_a_slow_crossbar() -> None:
    """BookSim2's router with an internal speed-up of 1.

    Whole packets give the highest throughput, and flits with one iteration of iSLIP the lowest.
    """
    changes = {"crossbar_bandwidth": "1 GB/s", "input_latency": "2 ns"}
    whole = _measured(
        "booksim2", 0.7, **changes, flow_control="virtual_cut_through", arbiter="round_robin"
    )
    by_flits = _measured("booksim2", 0.7, **changes, arbiter="round_robin")
    matched = _measured("booksim2", 0.7, **changes)
    assert whole["accepted"] > by_flits["accepted"] > matched["accepted"]


@native
def test_moving_flits_do_not_trigger_the_watchdog() -> None:
    """A packet of 4,096 flits takes 512 round trips of 8 credits, 100 us, after its head."""
    changes = {
        "machine.packet": "4096 B",
        "machine.router.input_buffer": "8 flits",
        "stop.watchdog": "20 us",
    }
    (point,) = pt.curve(
        preset="booksim2",
        loads=[0.001],
        measure="200 us",
        changes=_SMALL | changes,
        drain=True,
        pattern="next_group",
    )
    assert point["packets"] > 0
