"""Curves of load: settings, presets of simulators, and errors before any run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pantala as pt
from fake_core import FakeCore
from pantala.runs.curve_points import POINT_KEYS
from pantala.scenario.presets import router_preset
from support import Ended

Cli = Callable[..., Ended]
US = 1_000_000


def test_a_point_has_its_keys_in_order(fake_core: FakeCore, cli: Cli) -> None:
    ended = cli("curve", "--loads", "0.1,0.9", "--json")
    assert ended.status == 0, ended.err
    points = json.loads(ended.out)
    assert [tuple(point) for point in points] == [POINT_KEYS, POINT_KEYS]
    assert [(point["load"], point["saturated"]) for point in points] == [(0.1, False), (0.9, True)]


@pytest.mark.parametrize(
    ("preset", "warmup", "measure", "injection", "phase", "serialization"),
    [
        ("pantala", 20 * US, 80 * US, "bernoulli", "random", "counted"),
        ("sst_sc22", 3 * US, 4 * US, "periodic", "in", "none"),
    ],
)
def test_a_preset_sets_its_simulators_method(
    fake_core: FakeCore,
    preset: str,
    warmup: int,
    measure: int,
    injection: str,
    phase: str,
    serialization: str,
) -> None:
    pt.curve(preset=preset, loads=[0.3])
    plan, *times = fake_core.measured[0]
    workload = plan["jobs"][0]["workload"]
    assert times == [warmup, measure, 0]
    assert (workload["injection"], workload["phase"], workload["include_self"]) == (
        injection,
        phase,
        False,
    )
    assert plan["router"]["serialization"] == serialization
    assert plan["jobs"][0]["ranks"] == 1056


def test_a_preset_accepts_its_simulators_routing_names(
    fake_core: FakeCore, monkeypatch: pytest.MonkeyPatch
) -> None:
    pt.curve(preset="sst_merlin_2021", routing="valiant", loads=[0.3])
    routing = fake_core.measured[0][0]["routing"]
    assert (routing["algorithm"], routing["intra_group"]) == ("valiant_group", "valiant")

    def named(name: str) -> dict[str, Any]:
        preset = router_preset(name)
        preset["curve"]["routings"] = {
            "adaptive": {"algorithm": "ugal_g", "threshold": 1.5, "bias": "30 flits"}
        }
        return preset

    monkeypatch.setattr("pantala.runs.curve_setup.router_preset", named)
    pt.curve(routing="adaptive", loads=[0.3], changes={"routing.bias": "7 flits"})
    routing = fake_core.measured[1][0]["routing"]
    assert (routing["algorithm"], routing["threshold"], routing["bias_flits"]) == ("ugal_g", 1.5, 7)


def test_every_setting_can_be_changed(fake_core: FakeCore, cli: Cli) -> None:
    ended = cli(
        *(
            "curve",
            "--preset",
            "sst_sc22",
            "--routing",
            "ugal_n",
            "--pattern",
            "next_group",
            "--loads",
            "0.2",
        ),
        *(
            "--seed",
            "5",
            "--warmup",
            "1 us",
            "--measure",
            "2us",
            "--injection",
            "bernoulli",
            "--timeline",
            "1us",
        ),
        *(
            "--set",
            "machine.topology.g=9",
            "--set",
            "machine.router.arbiter=age",
            "--set",
            "workload.include_self=true",
        ),
        *("--set", "routing.threshold=1.5", "--json"),
    )
    assert ended.status == 0, ended.err
    plan, *times = fake_core.measured[0]
    assert times == [1 * US, 2 * US, 1 * US]
    assert (plan["seed"], plan["topology"]["g"], plan["jobs"][0]["ranks"]) == (5, 9, 288)
    assert (plan["router"]["arbiter"], plan["routing"]["threshold"]) == ("age", 1.5)
    workload = plan["jobs"][0]["workload"]
    assert (workload["pattern"], workload["injection"], workload["include_self"]) == (
        "next_group",
        "bernoulli",
        True,
    )
    assert json.loads(ended.out)[0]["timeline"] == [
        {"window_start_ns": 0.0, "accepted": 0.2, "nonminimal_share": 0.0}
    ]


def test_a_wrong_load_is_rejected_before_any_run(fake_core: FakeCore) -> None:
    with pytest.raises(pt.ScenarioError, match=r"load = 1.5"):
        pt.curve(loads=[0.1, 1.5])
    assert not fake_core.measured


def test_a_curve_is_drawn(fake_core: FakeCore, cli: Cli, workdir: Path) -> None:
    ended = cli("curve", "--loads", "0.1,0.5,0.9", "--plot", "curve.svg")
    assert ended.status == 0, ended.err
    assert Path("curve.svg").read_text().startswith("<?xml")
    assert "saturated" in ended.out


def test_the_bench_equals_the_curve_at_half_load(fake_core: FakeCore, cli: Cli) -> None:
    ended = cli("bench", "uniform-1056", "--json")
    assert ended.status == 0, ended.err
    result = json.loads(ended.out)
    assert list(result) == [
        "packets",
        "packet_hops",
        "events",
        "events_per_packet_hop",
        "cpu_seconds",
        "wall_seconds",
        "setup_seconds",
        "packet_hops_per_cpu_second",
        "bytes_per_node",
        "peak_rss_bytes",
        "latency_mean_ns",
        "accepted",
        "result_hash",
    ]
    assert result["events_per_packet_hop"] == 2.0
    assert result["packet_hops_per_cpu_second"] == 800.0
    point = pt.curve(loads=[0.5])[0]
    assert (point["latency_mean_ns"], point["accepted"]) == (
        result["latency_mean_ns"],
        result["accepted"],
    )
    assert fake_core.measured[0] == fake_core.measured[1]
    _plan, warmup, measure, _timeline = fake_core.measured[0]
    assert warmup + measure == 100 * US
    assert "result_hash" in cli("bench").out


def test_an_impossible_time_is_rejected(fake_core: FakeCore) -> None:
    for times, says in (
        ({"warmup": ""}, "warmup = '': is not a time"),
        ({"measure": "0 us"}, "measure = '0 us': must be more than zero"),
        ({"timeline": "1 ms"}, "timeline = '1 ms': is longer than the 100 us simulated"),
    ):
        with pytest.raises(pt.UsageError, match=says):
            pt.curve(loads=[0.1], **times)  # type: ignore[arg-type]
    assert not fake_core.measured


@pytest.mark.parametrize("place", ["curve.bmp", "absent/curve.svg"])
def test_an_unwritable_figure_is_rejected_before_any_run(
    fake_core: FakeCore, cli: Cli, place: str
) -> None:
    ended = cli("curve", "--loads", "0.1", "--plot", place)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith(f"{place}: ")
    assert not fake_core.measured


def test_an_error_names_the_key_of_set(fake_core: FakeCore, cli: Cli) -> None:
    ended = cli("curve", "--pattern", "unifrom")
    assert ended.err.startswith(
        "pantala curve: key workload.pattern = \"unifrom\": is not known; did you mean 'uniform'?"
    )


@pytest.mark.parametrize(
    ("preset", "nodes", "algorithm", "latency_from"),
    [
        ("kang2022", 1056, "minimal", "created"),
        ("prisacari2015(4,8,4)", 1056, "minimal", "created"),
        ("theta", 4392, "aries", "created"),
        ("yang2016", 1056, "codes_adp", "injected"),
    ],
)
def test_a_machine_is_measured_with_its_routers_method(
    fake_core: FakeCore, cli: Cli, preset: str, nodes: int, algorithm: str, latency_from: str
) -> None:
    ended = cli("curve", "--preset", preset, "--loads", "0.1")
    assert ended.status == 0, ended.err
    plan, *times = fake_core.measured[0]
    assert plan["jobs"][0]["ranks"] == nodes
    assert (plan["routing"]["algorithm"], plan["nic"]["latency_from"]) == (algorithm, latency_from)
    assert times[:2] == ([200 * US, 400 * US] if preset == "yang2016" else [20 * US, 80 * US])
    assert ended.out.startswith(
        f"{preset}: {'aries_ad0' if algorithm == 'aries' else algorithm} routing, uniform"
    )


def test_a_scenario_sets_machine_and_routing(fake_core: FakeCore, cli: Cli, small: Path) -> None:
    ended = cli("curve", small, "--loads", "0.1", "--set", "machine.router.arbiter=age")
    assert ended.status == 0, ended.err
    plan = fake_core.measured[0][0]
    assert (plan["topology"]["g"], plan["jobs"][0]["ranks"], plan["router"]["arbiter"]) == (
        9,
        72,
        "age",
    )
    assert cli("curve", small, "--loads", "0.1", "--routing", "par").out.startswith(
        "small: par routing, uniform traffic"
    )
    refused = cli("curve", small, "--preset", "theta")
    assert "has a machine of its own; give one of the two" in refused.err
    machine = pt.Machine.of("kang2022", topology={"p": 1, "a": 2, "h": 1})
    pt.curve(machine=machine, loads=[0.1])
    assert fake_core.measured[-1][0]["jobs"][0]["ranks"] == 6
    with pytest.raises(pt.UsageError, match="preset and machine: give one of the two"):
        pt.curve(preset="theta", machine=machine)


@pytest.mark.parametrize(
    ("options", "workload"),
    [
        (["shift", "--offset", "36"], {"offset": 36}),
        (
            ["hotspot", "--hotspots", "0,5", "--hotspot-share", "0.3"],
            {"hotspots": [0, 5], "hotspot_share": 0.3},
        ),
        (
            [
                "neighbor_3d",
                "--grid",
                "4,11,24",
                "--dimension",
                "1",
                "--message",
                "4 kB",
                "--periodic",
            ],
            {"grid": [4, 11, 24], "dimension": 1, "message_bytes": 4000, "periodic": True},
        ),
        (["uniform", "--include-self"], {"include_self": True}),
    ],
)
def test_every_key_of_a_pattern_is_an_option(
    fake_core: FakeCore, cli: Cli, options: list[str], workload: dict[str, Any]
) -> None:
    ended = cli("curve", "--loads", "0.1", "--pattern", *options)
    assert ended.status == 0, ended.err
    assert workload.items() <= fake_core.measured[0][0]["jobs"][0]["workload"].items()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (
            ["--offset", "3"],
            'key workload.offset = 3: has no effect under pattern = "uniform"; remove it, or set',
        ),
        (
            ["--hotspots", "a"],
            "--hotspots a: is not a list of whole numbers; write e.g. --hotspots 4,4,8",
        ),
        (
            ["--preset", "tehta"],
            "preset = 'tehta': is neither a router model nor a machine; did you mean 'theta'?",
        ),
        (["--preset", "prisacari2015(4,8)"], "takes 3 numbers: p, a, h"),
        (["--preset", "theta", "--routing", "ugal"], "choose one of minimal, valiant_group"),
    ],
)
def test_wrong_machines_and_patterns_are_rejected(
    fake_core: FakeCore, cli: Cli, options: list[str], says: str
) -> None:
    ended = cli("curve", *options)
    assert (ended.status, ended.err.count("\n"), says in ended.err) == (2, 1, True), ended.err


def test_a_timeline_is_readable_with_many_loads(
    fake_core: FakeCore, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = cli("curve", "--loads", "0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8", "--timeline", "1us").out
    assert "…" not in shown
    assert all(len(line) <= 80 for line in shown.splitlines())


def test_seeds_with_equal_results_count_as_one(cli: Any) -> None:
    # Every node sends to the node of the other half at equal times: nothing is drawn.
    what = "--routing minimal --pattern shift --offset 528 --injection periodic --loads 0.1"
    how = "--measure 1us --warmup 1us --seeds 3 --set workload.phase=in"
    command = ("curve", *what.split(), *how.split())
    shown = cli(*command)
    assert shown.status == 0, shown.err
    assert "At 0.1, seeds gave equal results." in shown.out
    [point] = json.loads(cli(*command, "--json").out)
    assert (point["seeds"], point["intervals"]["latency_mean_ns"]) == (1, None)
