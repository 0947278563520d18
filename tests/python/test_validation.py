"""Measurements of another simulator, beside ours: the same file that makes the table in the documentation."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable
from types import ModuleType

import pytest

import pantala as pt
from pantala import benchmark
from support import ROOT, Ended

Cli = Callable[..., Ended]

pytestmark = pytest.mark.native


@pytest.fixture(scope="module")
def validation() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "pantala_validation", ROOT / "docs" / "_ext" / "pantala_validation.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look themselves up
    spec.loader.exec_module(module)
    return module


def test_sst_sc22_is_met(validation: ModuleType) -> None:
    points = list(validation.compare())
    required = {
        f"{routing}-{pattern}-{load}"
        for routing in ("minimal", "valiant_node")
        for pattern, loads in (("uniform", (0.1, 0.5)), ("next_group", (0.1, 0.5)))
        for load in loads
    } - {"minimal-next_group-0.5"}  # SST was not measured there
    assert required <= {point.name for point in points}
    for point in points:
        assert abs(point.error("accepted")) < 0.05, point
        assert abs(point.error("latency_mean_ns")) < 0.05, point
        assert abs(point.error("link_hops_mean")) < 0.05, point
        for key in ("latency_p50_ns", "latency_p99_ns"):
            assert abs(point.ours[key] - point.theirs[key]) < 0.05 * point.theirs[key] + 20, (key, point)
    page = validation.table(points)
    assert page.count("\n") == len(points) + 1
    assert "at most" in validation.summary(points)


def test_the_bench_is_a_point_of_the_curve(cli: Cli) -> None:
    ended = cli("bench", "uniform-1056", "--json")
    assert ended.status == 0, ended.err
    result = json.loads(ended.out)
    assert set(result) == set(benchmark.BenchResult.__annotations__)
    (point,) = pt.curve(preset="pantala", routing="minimal", pattern="uniform", loads=[0.5])
    assert (result["latency_mean_ns"], result["accepted"]) == (point["latency_mean_ns"], point["accepted"])
    assert result["events_per_packet_hop"] == result["events"] / result["packet_hops"]
    assert result["packet_hops_per_cpu_second"] > 100_000
