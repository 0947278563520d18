"""Zero-load latency: agreement with the closed form of each simulator, to the picosecond."""

from __future__ import annotations

import pytest

from validation.peers import booksim2, caminos
from zero_load import WAYS, alone

pytestmark = pytest.mark.native

#: Latency of a link in BookSim2 and CAMINOS, cycles.
CYCLES = {"local": 10, "global": 100}
#: The same in kang2022, ns.
KANG = {"local": 30.0, "global": 300.0}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("flits", [1, 4])
@pytest.mark.parametrize("speedup", [1, 2])
def test_booksim2_has_its_closed_form(way: str, flits: int, speedup: int) -> None:
    """2 + R * (3 or 1) + sum(L + 1) + 2 + (S - 1).

    A router takes three cycles, or one with an internal speed-up of 2. Then links start flits at
    whole cycles, and the packets here, which are made between them, wait for the first.
    """
    routers, links = WAYS[way]
    expected = (
        2
        + routers * {1: 3, 2: 1}[speedup]
        + sum(CYCLES[link] + 1 for link in links)
        + 2
        + (flits - 1)
    )
    call = {"preset": "booksim2", "routing": "min", "changes": booksim2(flits, speedup, 256)}
    waits = alone(call, way) - expected
    assert waits == 0 if speedup == 1 else 0 <= waits < 1


def test_booksim2_prints_its_closed_form() -> None:
    """BookSim2's own output for packets of four flits, without and with internal speed-up."""
    printed = {
        "one router": (10, 8),
        "local": (24, 20),
        "global": (114, 110),
        "local, global": (128, 122),
        "local, global, local": (142, 134),
    }
    for way, latencies in printed.items():
        for speedup, latency in enumerate(latencies, start=1):
            call = {"preset": "booksim2", "routing": "min", "changes": booksim2(4, speedup, 256)}
            waits = alone(call, way) - latency
            assert waits == 0 if speedup == 1 else 0 <= waits < 1


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("crossbar_delay", [2, 4])
def test_caminos_has_its_closed_form(way: str, crossbar_delay: int) -> None:
    """1 + R * crossbar delay + sum(L) + 1 + (S - 1), for messages of four phits."""
    routers, links = WAYS[way]
    expected = 1 + routers * crossbar_delay + sum(CYCLES[link] for link in links) + 1 + 3
    call = {"preset": "caminos", "routing": "min", "changes": caminos(crossbar_delay, 4, 1)}
    assert alone(call, way) == pytest.approx(
        expected, abs=2.5e-3
    )  # a picosecond for each terminal link: none is not allowed


@pytest.mark.parametrize("way", WAYS)
def test_pantala_has_its_closed_form(way: str) -> None:
    """The formula of `docs/explanation/fabric.md`, with a crossbar four times as fast as a link."""
    routers, links = WAYS[way]
    flit = 5.12
    wires = [10.0, *(KANG[link] for link in links), 10.0]
    expected = (
        sum(latency + flit for latency in wires) + routers * (10.0 + flit / 4 + 10.0) + 3 * flit
    )
    assert alone({"preset": "pantala", "routing": "minimal"}, way) == pytest.approx(
        expected, abs=5e-4
    )


@pytest.mark.parametrize("way", ["one router", "local, global"])
@pytest.mark.parametrize("delay", ["flit", "none"])
@pytest.mark.parametrize("bandwidth", [100.0, 10.0])
@pytest.mark.parametrize("flow_control", ["virtual_cut_through", "store_and_forward"])
def test_the_crossbar_has_its_part_of_the_closed_forms(
    way: str, delay: str, bandwidth: float, flow_control: str
) -> None:
    """The formulas of `docs/explanation/fabric.md`: t_xbar is 0 with `crossbar_delay = "none"`."""
    routers, links = WAYS[way]
    flit, crossbar = 5.12, 128 / bandwidth
    wires = [10.0, *(KANG[link] for link in links), 10.0]
    added = crossbar if delay == "flit" else 0.0
    if flow_control == "store_and_forward":
        expected = sum(wires) + len(wires) * 4 * flit + routers * (20.0 + 4 * added)
    else:
        expected = sum(wires) + len(wires) * flit + routers * (20.0 + added)
        expected += 3 * max(flit, crossbar)
    changes = {
        "machine.router.flow_control": flow_control,
        "machine.router.crossbar_delay": delay,
        "machine.router.crossbar_bandwidth": f"{bandwidth:g} GB/s",
    }
    call = {"preset": "pantala", "routing": "minimal", "changes": changes}
    assert alone(call, way) == pytest.approx(expected, abs=1e-2)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("preset", ["sst_sc22", "sst_merlin_2021"])
def test_sst_has_its_closed_form(way: str, preset: str) -> None:
    """A flit time before each link, router latencies after it, the rest of a crossbar cycle.

    Only the head counts.
    """
    routers, links = WAYS[way]
    flit, cycle = 5.12, 1.28
    inside = sum(flit + 10.0 + KANG[link] + 10.0 for link in links)
    least = (flit + 10.0 + 10.0) + inside + (flit + 10.0 + 10.0)
    assert least < alone({"preset": preset, "routing": "minimal"}, way) <= least + routers * cycle
