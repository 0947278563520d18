"""The router of CODES and its routings: the cost of store-and-forward, the gain of its queues."""

from __future__ import annotations

from typing import Any

import pytest

import pantala as pt
from fake_core import FakeCore
from zero_load import WAYS, alone

native = pytest.mark.native

#: Values of yang2016 in ns: serialisation of a 4 KiB chunk, and latency of a link.
CHUNK = {"terminal": 4096 / 2**31 * 1e9, "local": 4096 / 2**31 * 1e9, "global": 4096 / 2**32 * 1e9}
ROUTER = 100.0


def accepted(routing: str, pattern: str, load: float, **changes: Any) -> dict[str, Any]:
    (point,) = pt.curve(
        preset="codes_dally",
        routing=routing,
        pattern=pattern,
        loads=[load],
        warmup="200 us",
        measure="200 us",
        changes=changes,
    )
    return dict(point)


@native
@pytest.mark.parametrize("way", WAYS)
def test_every_link_adds_one_serialisation(way: str) -> None:
    """T = sum(latency + S t) + R * router delay.

    In CODES the default latency of a link is the serialisation of one chunk.
    """
    routers, links = WAYS[way]
    expected = sum(2 * CHUNK[link] for link in ("terminal", *links, "terminal")) + routers * ROUTER
    # Times of 64 B flits and latencies round to the picosecond.
    assert alone({"preset": "codes_dally", "routing": "minimal"}, way) == pytest.approx(
        expected, abs=0.2
    )


@pytest.mark.slow
@native
def test_adaptive_beats_minimal_on_adversarial_traffic() -> None:
    """The 32 nodes of a group share one link, twice as fast as theirs: 2/32 of their bandwidth."""
    minimal, adp, padp = (
        accepted(name, "next_group", 0.9) for name in ("minimal", "codes_adp", "prog-adaptive")
    )
    assert minimal["accepted"] == pytest.approx(2 / 32, rel=0.02)
    assert 0.45 < adp["accepted"] < padp["accepted"] < 0.75
    assert adp["nonminimal_share"] > 0.8


@pytest.mark.slow
@native
def test_virtual_output_queues_saturate_at_a_higher_load() -> None:
    """An input queue has head-of-line blocking; virtual output queues have none."""
    virtual = accepted("minimal", "uniform", 1.0)["accepted"]
    fifo = accepted("minimal", "uniform", 1.0, **{"machine.router.input_queue": "fifo"})["accepted"]
    assert fifo < 0.8 < 0.85 < virtual


@native
def test_packets_that_arrive_together_are_routed_in_turn() -> None:
    """CODES diverts 25.9 % at load 0.1, where all nodes send at the same time.

    The queues are empty before each round. So nothing diverts unless a packet sees the others of
    its round.
    """
    point = accepted("prog-adaptive", "uniform", 0.1)
    assert point["nonminimal_share"] == pytest.approx(0.259, abs=0.02)


@native
def test_latency_excludes_source_queueing() -> None:
    """Above saturation the source queues grow without bound, but CODES' latency excludes them."""
    point = accepted("minimal", "next_group", 0.5)
    assert point["saturated"]
    assert point["latency_mean_ns"] == point["network_latency_mean_ns"]
    created = accepted("minimal", "next_group", 0.5, **{"machine.nic.latency_from": "created"})
    assert created["network_latency_mean_ns"] == point["network_latency_mean_ns"]
    assert created["latency_mean_ns"] > point["latency_mean_ns"]


@native
@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("credit_check", "link"),
        ("credit_return", "tail"),
        ("crossbar_clock", "flit"),
        ("arbiter", "lru"),
    ],
)
def test_virtual_output_queues_reject_other_stages(key: str, value: str) -> None:
    with pytest.raises(pt.ScenarioError, match=rf"machine\.router\.input_queue.*set {key} to"):
        accepted("minimal", "uniform", 0.1, **{f"machine.router.{key}": value})


@native
def test_a_credit_delay_of_zero_is_rejected() -> None:
    with pytest.raises(pt.ScenarioError, match=r"machine\.router\.credit_delay.*takes time"):
        accepted("minimal", "uniform", 0.1, **{"machine.router.credit_delay": "0 ns"})


def test_codes_names_of_routings_are_known(fake_core: FakeCore) -> None:
    for name, algorithm, channels in (
        ("minimal", "minimal", "codes"),
        ("nonminimal", "valiant_group", "codes"),
        ("prog-adaptive", "codes_padp", "ascending"),
    ):
        pt.curve(preset="codes_dally", routing=name, loads=[0.1])
        routing = fake_core.measured[-1][0]["routing"]
        assert (routing["algorithm"], routing["vc_map"]) == (algorithm, channels)


def test_credit_delay_has_an_effect_only_if_fixed() -> None:
    traffic = {"kind": "pattern", "pattern": "uniform", "load": 0.1}
    data = {
        "name": "credits",
        "machine": {"preset": "yang2016"},
        "jobs": [{"name": "traffic", "ranks": 2, "workload": traffic}],
        "stop": {"duration": "1 us"},
    }
    for model, delay in (("codes_dally", 3_725), ("pantala", 0)):
        scenario = pt.Scenario.from_dict(data, changes={"machine.router.model": model})
        assert scenario.plan()["router"]["credit_delay_ps"] == delay
