from __future__ import annotations

from importlib.resources import files
from itertools import combinations
from typing import Any

import pytest

import pantala as pt
from pantala.load_curve import curve_setup
from pantala.scenario.presets import merge, router_preset


@pytest.mark.parametrize("name", pt.machine_presets())
def test_a_machine_preset_is_a_machine(name: str) -> None:
    data: dict[str, Any] = {"name": "x", "machine": name, "routing": "ugal_n"}
    data["jobs"] = [
        {"name": "a", "ranks": 2, "workload": {"kind": "allreduce_loop", "message": "1 B", "iterations": 1}}
    ]
    assert pt.Scenario.from_dict(data).plan()["topology"]["kind"] == "dragonfly"


@pytest.mark.parametrize("name", pt.router_presets())
def test_a_router_model_is_a_router_and_a_curve(name: str) -> None:
    setup = curve_setup(preset=name)
    assert setup.scenario.machine.router.model == name
    assert setup.scenario.jobs[0].ranks == 1056
    assert setup.warmup > 0
    assert setup.measure > 0


def test_kang2022_has_the_numbers_of_the_paper() -> None:
    machine = pt.Machine.of("kang2022")
    shape = machine.topology
    assert (shape.p, shape.a, shape.h, shape.g, machine.nodes) == (4, 8, 4, 33, 1056)
    assert shape.wiring == "absolute"
    assert [str(link.latency) for link in (machine.links.terminal, machine.links.local, machine.links.global_)] == [
        "10 ns",
        "30 ns",
        "300 ns",
    ]
    assert {int(link.bandwidth) for link in (machine.links.terminal, machine.links.local, machine.links.global_)} == {
        25_000_000_000
    }
    assert (machine.packet, machine.flit) == (512, 128)
    assert machine.router.input_buffer.flits(512, 128) == machine.router.output_buffer.flits(512, 128) == 120


def test_every_number_of_a_machine_names_its_source() -> None:
    for entry in (files("pantala") / "presets" / "machines").iterdir():
        for line in entry.read_text(encoding="utf-8").splitlines():
            key, equals, rest = line.partition("=")
            if equals and not key.strip().startswith("#") and "kind" not in key:
                assert "#" in rest, f"{entry.name}: {line}"


def test_merge_goes_table_by_table_and_changes_nothing() -> None:
    below = {"a": {"b": 1, "c": 2}, "d": [1, 2]}
    above = {"a": {"c": 3}, "d": [4]}
    assert merge(below, above) == {"a": {"b": 1, "c": 3}, "d": [4]}
    assert below == {"a": {"b": 1, "c": 2}, "d": [1, 2]}


def test_presets_are_told_apart_by_their_stages_or_their_names() -> None:
    machines = {name: pt.Machine.of("kang2022", router=name) for name in pt.router_presets()}
    meanings = {name: router_preset(name)["curve"].get("routings", {}) for name in machines}
    told = [(machine.router.model_dump(exclude={"model"}), meanings[name]) for name, machine in machines.items()]
    assert all(one != other for one, other in combinations(told, 2))
