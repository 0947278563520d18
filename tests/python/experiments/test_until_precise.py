"""The key `until_precise` of experiments: runs that continue until their throughput is known."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pantala as pt
from pantala.analysis.steady_state import Estimate
from pantala.analysis.steady_throughput import merged, throughputs_of
from pantala.errors import ScenarioError, ScenarioWarning, UsageError
from pantala.store.run_store import RunStore
from pantala.store.until_precise import UntilPrecise
from support import Ended


def scenario(load: float = 1.0, first: str = "50 us", **more: Any) -> dict[str, Any]:
    """Returns endless traffic of a Dragonfly of 42 nodes, each group to the third after it."""
    return {
        "name": "shift",
        "seed": 1,
        "machine": {"preset": "prisacari2015(2,3,2)"},
        "routing": {"algorithm": "minimal"},
        "jobs": [
            {
                "name": "traffic",
                "ranks": 42,
                "placement": "contiguous",
                "workload": {
                    "kind": "pattern",
                    "pattern": "shift",
                    "offset": 18,
                    "load": load,
                    "injection": "periodic",
                    "phase": "random",
                },
            }
        ],
        "stop": {"duration": first},
        **more,
    }


def experiment(longest: str = "200 us", **more: Any) -> dict[str, Any]:
    """Returns an experiment of two loads."""
    return {
        "scenario": scenario(),
        "axes": {"jobs.0.workload.load": [1.0, 0.1]},
        "until_precise": {"precision": "1%", "longest": longest},
        **more,
    }


def two_jobs() -> list[dict[str, Any]]:
    """Returns two jobs of endless uniform traffic."""
    workload = {"kind": "pattern", "pattern": "uniform", "load": 0.1}
    return [
        {"name": name, "ranks": 21, "placement": "contiguous", "workload": workload}
        for name in ("one", "other")
    ]


def accepted(made: pt.Experiment) -> list[float]:
    return made.throughputs().sort("case")["accepted"].to_list()


@pytest.mark.native
def test_runs_continue_until_they_are_precise(tmp_path: Path) -> None:
    made = pt.sweep(experiment(), tmp_path / "one", workers=1)
    found = made.throughputs().sort("case")
    assert found["accepted"].to_list() == pytest.approx([1 / 6, 0.1], rel=0.02)
    assert found["steady"].all()
    assert (found["relative"] <= 0.01).all()
    assert found["name"].to_list() == ["traffic", "traffic"]
    assert "imprecise" not in {each.kind for each in made.caveats}
    # Another number of workers, and other cases beside it, change nothing.
    two = pt.sweep(experiment(), tmp_path / "two", workers=2)
    assert two.throughputs().equals(made.throughputs())
    assert two.runs["result_hash"].to_list() == made.runs["result_hash"].to_list()


@pytest.mark.native
def test_seeds_and_equal_runs(tmp_path: Path) -> None:
    several = pt.sweep(experiment(), tmp_path, seeds=2, workers=1)
    assert several.throughputs()["seed"].to_list() == [1, 2, 1, 2]
    runs = set(several.cases["run"])
    again = pt.sweep(experiment(), tmp_path, workers=1)
    assert set(again.cases["run"]) < runs


@pytest.mark.native
def test_a_run_has_an_identity_of_its_own_option(tmp_path: Path) -> None:
    runs = [
        set(pt.sweep(each, tmp_path / str(number), workers=1).cases["run"])
        for number, each in enumerate(
            [
                experiment(),
                experiment("250 us"),
                {**experiment(), "keep": ["links"]},
            ]
        )
    ]
    assert runs[0] == runs[2]
    assert not runs[0] & runs[1]


@pytest.mark.native
def test_an_extended_run_equals_one_long_run(tmp_path: Path) -> None:
    tables = {
        "scenario": scenario(first="20 us", routing={"algorithm": "valiant_group"}),
        "until_precise": {"precision": "1%", "longest": "60 us"},
    }
    made = pt.sweep(tables, tmp_path / "sweep", workers=1)
    row = made.throughputs().row(0, named=True)
    assert 40_000 < row["simulated_ns"] <= 60_000
    changes = {"stop.duration": f"{row['simulated_ns']} ns", "record.window": "50 ns"}
    whole = pt.Scenario.from_dict(tables["scenario"]).replace(changes)
    once = pt.sweep(whole, tmp_path / "once", keep=made.document["keep"], workers=1)
    assert once.runs["result_hash"].to_list() == made.runs["result_hash"].to_list()
    assert once.throughputs().equals(made.throughputs())
    run = once.together
    late = run.job_windows.filter(pl.col("window_start_ns") >= row["warm_up_ns"]).collect()
    carried = 42 * 5 * (row["simulated_ns"] - row["warm_up_ns"])
    assert late["delivered_bytes"].sum() / carried == pytest.approx(row["accepted"], rel=0.01)


@pytest.mark.native
def test_every_job_becomes_precise(tmp_path: Path) -> None:
    tables = {
        "scenario": scenario(jobs=two_jobs()),
        "until_precise": {"precision": "2%", "longest": "1 ms"},
    }
    found = pt.sweep(tables, tmp_path, workers=1).throughputs()
    assert found["name"].to_list() == ["one", "other"]
    assert found["accepted"].to_list() == pytest.approx([0.1, 0.1], rel=0.03)
    assert (found["relative"] <= 0.02).all()


@pytest.mark.native
def test_a_run_ends_at_its_limits(tmp_path: Path) -> None:
    short = experiment("5 us", scenario=scenario(first="5 us"))
    made = pt.sweep(short, tmp_path / "short", workers=1)
    found = made.throughputs()
    (caveat,) = (each for each in made.caveats if each.kind == "imprecise")
    number = found.filter(~(pl.col("steady") & (pl.col("relative") <= 0.01))).height
    assert caveat.text.startswith(
        f"{number} of 2 runs ended at the longest time or the most packets"
    )
    assert found["simulated_ns"].to_list() == [5_000, 5_000]
    assert found["relative"].max() > 0.01
    few = experiment(scenario=scenario(first="5 us"))
    few["until_precise"]["most_packets"] = 100
    found = pt.sweep(few, tmp_path / "few", workers=1).throughputs()
    assert found["simulated_ns"].to_list() == [5_000, 5_000]


@pytest.mark.native
def test_a_damaged_run_is_simulated_again(tmp_path: Path) -> None:
    made = pt.sweep(experiment(), tmp_path, workers=1)
    before = accepted(made)
    path = RunStore(tmp_path).path(made.cases["run"][0]) / "run.json"
    path.write_text(path.read_text()[:-40])
    with pytest.warns(ScenarioWarning, match="1 stored run removed"):
        again = pt.sweep(experiment(), tmp_path, workers=1)
    assert accepted(again) == before
    assert json.loads(path.read_text())["complete"]


@pytest.mark.native
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"stop": {}}, "stop.duration: is missing"),
        ({"interference": True, "jobs": two_jobs()}, "not jobs alone and together"),
    ],
)
def test_a_scenario_that_cannot_continue_is_refused(
    change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ScenarioError, match=message):
        pt.sweep(experiment(scenario=scenario(**change)), tmp_path)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (3, "is not a table"),
        ({"precision": "1%"}, "until_precise: key longest: is missing"),
        ({"precision": 2.0, "longest": "1 ms"}, "precision = 2.0: is not between 0 and 1"),
        ({"precision": "1%", "longest": "1 ms", "most": 3}, "most"),
    ],
)
def test_a_wrong_key_is_named(value: object, message: str, tmp_path: Path) -> None:
    with pytest.raises((ScenarioError, UsageError), match=message):
        pt.sweep(experiment(until_precise=value), tmp_path)


@pytest.mark.native
def test_throughputs_need_their_table(tmp_path: Path) -> None:
    made = pt.sweep(
        pt.Scenario.from_dict(scenario(first="5 us")), tmp_path, keep=["jobs"], workers=1
    )
    with pytest.raises(UsageError, match="job_windows"):
        made.throughputs()


@pytest.mark.parametrize(
    ("half_width", "warm_up", "steady", "factor"),
    [
        (0.011, 0, True, 1.1 * 1.21),  # the square of the missing factor, plus a tenth
        (0.011, 0.25, True, 0.25 + 0.75 * 1.1 * 1.21),
        (0.0101, 0.5, True, 1.2),
        (0.2, 0, True, 1.5),
        (0.02, 0.4, False, 1.5),
    ],
)
def test_a_run_is_extended_to_the_expected_length(
    half_width: float, warm_up: float, steady: bool, factor: float
) -> None:
    found = Estimate(1.0, half_width, warm_up, steady)
    assert UntilPrecise(0.01, 10**9, 10**9).factor(found) == pytest.approx(factor)


def test_windows_are_merged_to_less_than_twice_their_first_number() -> None:
    delivered = [(number, 10 + number % 3) for number in range(2_001) if number != 7]
    assert merged(delivered[:450], 451).tolist() == [
        0 if n == 7 else 10 + n % 3 for n in range(451)
    ]
    series = merged(delivered, 2_001)
    assert len(series) == 400
    assert series[0] == np.mean([11, 12, 10, 11, 12])  # windows 1 to 5
    assert series[1] == np.mean([10, 0, 12, 10, 11])


def throughput(job: dict[str, Any], rows: dict[int, int], **more: Any) -> dict[str, Any]:
    """Returns the throughput of a job on two nodes: bytes by window of 1 us, 300 us simulated."""
    plan = {
        "record": {"window_ps": 1_000_000},
        "links": {"terminal": {"bandwidth_bytes_per_s": 10**9}},
        "jobs": [{"name": "a", "nodes": [3, 4], "workload": {"kind": "pattern"}} | job],
    }
    windows = pl.DataFrame(
        {
            "job": [0] * len(rows),
            "window_start_ns": [1e3 * number for number in rows],
            "delivered_bytes": list(rows.values()),
        }
    )
    return throughputs_of(plan, windows, 300_000.0, **more).row(0, named=True)


@given(
    st.lists(st.integers(500, 1_500), min_size=80, max_size=120),
    st.integers(0, 999_999),
    st.integers(0, 179),  # the longest job ends with the run
)
def test_a_throughput_is_of_the_time_in_which_the_job_runs(
    amounts: list[int], within: int, before: int
) -> None:
    """A later start and an end move the series: windows that the job fills count, no others."""
    alone = throughput({"end_ps": len(amounts) * 1_000_000}, dict(enumerate(amounts)))
    moved = dict(enumerate(amounts, before + 1))
    noise = {before: 1, before + len(amounts) + 1: 1}
    start, end = before * 1_000_000 + within + 1, (before + len(amounts) + 1) * 1_000_000
    assert throughput({"start_ps": start, "end_ps": end}, moved | noise) == alone
    ends = {"kind": "halo3d"}
    found = throughput({"start_ps": start, "workload": ends}, moved | noise, ends={0: end / 1000})
    assert found == alone


def test_a_job_that_runs_too_short_or_ends_at_an_unknown_time_has_no_throughput() -> None:
    rows = dict.fromkeys(range(300), 400)
    assert throughput({}, rows)["accepted"] == pytest.approx(0.2)
    assert throughput({"start_ps": 20_000_000, "end_ps": 60_000_000}, rows)["accepted"] is None
    assert throughput({"workload": {"kind": "halo3d"}}, rows)["accepted"] is None
    assert throughput({"workload": {"kind": "halo3d"}}, rows, ends={})["accepted"] is not None
    assert throughput({"workload": {"kind": "halo3d"}, "repeat": True}, rows)["accepted"]


@pytest.mark.native
def test_the_throughput_of_a_job_that_starts_late_and_ends_early(tmp_path: Path) -> None:
    """It is that of the whole time in which the job sends, as its slowdown table has it."""
    late = {**two_jobs()[0], "start": "20 us", "end": "60 us"}
    jobs = [late, two_jobs()[1]]
    told = scenario(first="100 us", jobs=jobs, record={"window": "500 ns"})
    keep = ["jobs", "job_windows"]
    made = pt.sweep(pt.Scenario.from_dict(told), tmp_path, keep=keep, workers=1)
    found = made.throughputs()
    assert found["accepted"].to_list() == pytest.approx([0.1, 0.1], rel=0.05)
    assert found["warm_up_ns"].max() < 40_000


STEADY = """
name = "steady"
until_precise = { precision = "2%", longest = "60 us" }
[scenario]
machine = "prisacari2015(2,3,2)"
routing = "minimal"
stop = { duration = "50 us" }
[[scenario.jobs]]
name = "traffic"
ranks = 42
workload = { kind = "pattern", pattern = "uniform", load = 0.1 }
[axes]
"jobs.0.workload.load" = [0.1, 0.2]
"""


@pytest.mark.native
def test_the_command_prints_throughputs(tmp_path: Path, cli: Callable[..., Ended]) -> None:
    """Patterns have no communication time, so there is no empty column of it."""
    file = tmp_path / "steady.toml"
    file.write_text(STEADY)
    ended = cli("sweep", file, "--out", tmp_path / "out")
    assert ended.status == 0, ended.err
    assert "communication" not in ended.out
    lines = ended.out.splitlines()
    at = lines.index(next(line for line in lines if line.startswith("Throughputs")))
    rows = [line.split() for line in lines[at:] if " traffic " in line]
    found = pt.Experiment(tmp_path / "out").throughputs().to_dicts()
    assert [row[3] for row in rows] == [f"{each['accepted']:.4f}" for each in found]
    assert [row[6] for row in rows] == ["yes" if each["steady"] else "no" for each in found]


def test_the_longest_time_is_not_below_the_duration(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"longest = 10 us: is below stop\.duration = 50 us"):
        pt.sweep(experiment("10 us"), tmp_path / "sweep")
