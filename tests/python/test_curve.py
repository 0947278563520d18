from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pantala as pt
from fake_core import FakeCore
from pantala.load_curve import POINT_KEYS
from pantala.scenario.presets import router_preset
from support import Ended

Cli = Callable[..., Ended]
US = 1_000_000


def test_a_point_has_the_keys_in_order(fake_core: FakeCore, cli: Cli) -> None:
    ended = cli("curve", "--loads", "0.1,0.9", "--json")
    assert ended.status == 0, ended.err
    points = json.loads(ended.out)
    assert [tuple(point) for point in points] == [POINT_KEYS, POINT_KEYS]
    assert [(point["load"], point["saturated"]) for point in points] == [(0.1, False), (0.9, True)]


@pytest.mark.parametrize(
    ("preset", "warmup", "measure", "injection", "phase", "hand_over"),
    [
        ("pantala", 20 * US, 80 * US, "bernoulli", "random", "tail"),
        ("sst_sc22", 3 * US, 4 * US, "periodic", "in", "head"),
    ],
)
def test_a_preset_has_the_habits_of_its_simulator(
    fake_core: FakeCore, preset: str, warmup: int, measure: int, injection: str, phase: str, hand_over: str
) -> None:
    pt.curve(preset=preset, loads=[0.3])
    plan, *times = fake_core.measured[0]
    workload = plan["jobs"][0]["workload"]
    assert times == [warmup, measure, 0]
    assert (workload["injection"], workload["phase"], workload["include_self"]) == (injection, phase, False)
    assert plan["router"]["hand_over"] == hand_over
    assert plan["jobs"][0]["ranks"] == 1056


def test_a_preset_knows_the_names_of_its_simulator(fake_core: FakeCore, monkeypatch: pytest.MonkeyPatch) -> None:
    pt.curve(preset="sst_merlin_2021", routing="valiant", loads=[0.3])
    routing = fake_core.measured[0][0]["routing"]
    assert (routing["algorithm"], routing["inside_group"]) == ("valiant_group", "beside")

    def named(name: str) -> dict[str, Any]:
        preset = router_preset(name)
        preset["curve"]["routings"] = {"adaptive": {"algorithm": "ugal_g", "threshold": 1.5, "bias": "30 flits"}}
        return preset

    monkeypatch.setattr("pantala.load_curve.router_preset", named)
    pt.curve(routing="adaptive", loads=[0.3], changes={"routing.bias": "7 flits"})
    routing = fake_core.measured[1][0]["routing"]
    assert (routing["algorithm"], routing["threshold"], routing["bias_flits"]) == ("ugal_g", 1.5, 7)


def test_everything_can_be_changed(fake_core: FakeCore, cli: Cli) -> None:
    ended = cli(
        *("curve", "--preset", "sst_sc22", "--routing", "ugal_n", "--pattern", "next_group", "--loads", "0.2"),
        *("--seed", "5", "--warmup", "1 us", "--measure", "2us", "--injection", "bernoulli", "--timeline", "1us"),
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
    assert (workload["pattern"], workload["injection"], workload["include_self"]) == ("next_group", "bernoulli", True)
    assert json.loads(ended.out)[0]["timeline"] == [{"window_start_ns": 0.0, "accepted": 0.2, "nonminimal_share": 0.0}]


def test_no_load_is_simulated_if_one_is_wrong(fake_core: FakeCore) -> None:
    with pytest.raises(pt.ScenarioError, match=r"load = 1.5"):
        pt.curve(loads=[0.1, 1.5])
    assert not fake_core.measured


def test_a_curve_is_drawn(fake_core: FakeCore, cli: Cli, workdir: Path) -> None:
    ended = cli("curve", "--loads", "0.1,0.5,0.9", "--plot", "curve.svg")
    assert ended.status == 0, ended.err
    assert Path("curve.svg").read_text().startswith("<?xml")
    assert "saturated" in ended.out


def test_the_bench_is_the_curve_at_half_load(fake_core: FakeCore, cli: Cli) -> None:
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
    assert (point["latency_mean_ns"], point["accepted"]) == (result["latency_mean_ns"], result["accepted"])
    assert fake_core.measured[0] == fake_core.measured[1]
    _plan, warmup, measure, _timeline = fake_core.measured[0]
    assert warmup + measure == 100 * US
    assert "result_hash" in cli("bench").out


def test_a_time_that_cannot_be(fake_core: FakeCore) -> None:
    for times, says in (
        ({"warmup": ""}, "warmup = '': is not a time"),
        ({"measure": "0 us"}, "measure = '0 us': must be more than zero"),
        ({"timeline": "1 ms"}, "timeline = '1 ms': is longer than the 100 us simulated"),
    ):
        with pytest.raises(pt.UsageError, match=says):
            pt.curve(loads=[0.1], **times)  # type: ignore[arg-type]
    assert not fake_core.measured


@pytest.mark.parametrize("place", ["curve.bmp", "absent/curve.svg"])
def test_a_figure_that_cannot_be_written_is_refused_at_once(fake_core: FakeCore, cli: Cli, place: str) -> None:
    ended = cli("curve", "--loads", "0.1", "--plot", place)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith(f"{place}: ")
    assert not fake_core.measured


def test_an_error_names_the_key_as_set_has_it(fake_core: FakeCore, cli: Cli) -> None:
    ended = cli("curve", "--pattern", "unifrom")
    assert ended.err.startswith(
        "pantala curve: key workload.pattern = \"unifrom\": is not known; did you mean 'uniform'?"
    )
