"""`pantala study`: directory, points on disk, commands, and a tiny run of prisacari2015."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import cast

import numpy as np
import polars as pl
import pytest

import pantala as pt
from pantala.analysis.steady_state import Estimate
from pantala.errors import RunDirectoryError, UsageError
from pantala.papers import studies, study
from pantala.papers.prisacari2015 import model
from pantala.papers.prisacari2015.claims import Verdict, claims, inside, verdict_of
from pantala.papers.prisacari2015.evidence import Evidence, Result
from pantala.papers.prisacari2015.runs import (
    ANY,
    CONFIGURATIONS,
    MINIMAL,
    PATTERNS,
    QUICK_SIZES,
    RANDOMISED,
    RESTRICTED,
    SIZES,
    Configuration,
    Size,
    Spec,
    process_grid,
    specs,
)
from pantala.papers.prisacari2015.study import run_specs
from pantala.papers.prisacari2015.verdicts import _RULES, judge
from pantala.store.run_store import RunStore
from pantala.studies import Options, Outcome
from pantala.studies.directory import StudyDirectory
from pantala.studies.simulate import Point, Record, _factor, merged, simulate
from pantala.text.units import Duration
from support import Ended

Cli = Callable[..., Ended]


# --- the list of runs ---


def test_the_sizes_agree_with_the_paper() -> None:
    assert (SIZES[0].nodes, SIZES[-1].nodes) == (42, 16_512)
    assert QUICK_SIZES[-1].nodes == 2_550
    assert all(size.balanced for size in SIZES[1:])
    assert [size.routers for size in SIZES[-3:]] == [876, 1_386, 2_064]


@pytest.mark.parametrize("quick", [True, False])
def test_every_run_has_its_own_name_and_a_scenario(quick: bool) -> None:
    runs = specs(quick=quick)
    assert len({spec.key for spec in runs}) == len(runs)
    sizes = QUICK_SIZES if quick else SIZES
    for size, pattern, configuration in product(sizes, PATTERNS, CONFIGURATIONS):
        assert Spec(size, pattern, configuration) in runs
    for spec in runs:
        if spec.size.p <= 3:
            scenario = spec.scenario(1)
            assert scenario.machine.topology.g == spec.size.groups
            assert scenario.jobs[0].workload.load == 1.0  # type: ignore[union-attr]


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_neighbours_in_z_are_more_than_h_groups_apart(size: Size) -> None:
    x, y, z = process_grid(size)
    assert x * y * z == size.nodes
    assert x >= y
    assert size.h < x * y / size.group_nodes < size.h + 1
    # One more plane would bring them closer.
    assert size.nodes / (z + 1) <= size.h * size.group_nodes


def test_variants_change_the_named_keys() -> None:
    base = Spec(SIZES[1], "shift", RESTRICTED)
    machine = base.scenario(1).machine
    half = replace(base, variant="half_latency").scenario(1).machine
    assert 2 * half.links.global_.latency == machine.links.global_.latency
    assert 2 * half.router.input_latency == machine.router.input_latency
    fast = replace(base, variant="speedup").scenario(1).machine
    assert int(fast.router.crossbar_bandwidth) == 2 * int(machine.router.crossbar_bandwidth)
    assert replace(base, variant="oldest_first").scenario(1).machine.router.arbiter == "age"
    without = (
        Spec(SIZES[1], "bit_complement", MINIMAL, "no_middle")
        .scenario(1)
        .resolve()["jobs"][0]["nodes"]
    )
    assert sorted(set(range(72)) - set(without)) == list(range(32, 40))


# --- the model ---


def test_the_equations_agree_with_the_paper() -> None:
    size = Size(8, 16, 8)
    assert model.remote_links(size) == 129 * 128
    assert model.bounds(size) == (1 / 16, 1 / 8)
    assert model.estimate(size) == 3 / 32
    assert model.direct(size) == 1 / 128


@pytest.mark.native
@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("variant", ["", "open_grid"])
def test_the_models_traffic_equals_the_cores(pattern: str, variant: str, tmp_path: Path) -> None:
    if variant and pattern != "neighbor_3d":
        pytest.skip("applies only to patterns on a grid")
    spec = Spec(SIZES[0], pattern, MINIMAL, variant)
    changes = {"record.packets": "all", "jobs.0.workload.load": 0.02, "stop.duration": "40 us"}
    scenario = spec.scenario(1).replace(changes)
    run = pt.run(scenario, tmp_path / "run", report=False)
    assert isinstance(run, pt.Run)
    routers = [(pl.col(f"{end}_node") // 2).alias(end) for end in ("source", "destination")]
    packets = {(s, t): n for s, t, n in run.packets.group_by(routers).len().collect().iter_rows()}
    flows = model.flows_of(spec, np.arange(spec.size.nodes))
    assert set(packets) == set(zip(flows.source.tolist(), flows.target.tolist(), strict=True))
    each = sum(packets.values()) / flows.rate.sum()
    for source, target, rate in zip(flows.source, flows.target, flows.rate, strict=True):
        assert packets[int(source), int(target)] == pytest.approx(each * rate, rel=0.2)


# --- claims ---


def test_every_claim_has_a_rule_and_a_text() -> None:
    assert {claim.id for claim in claims()} == set(_RULES)
    assert len(claims()) == 21
    for claim in claims():
        assert re.fullmatch(r"PRIS-[2-4]-\d\d", claim.id)
        assert claim.kind in ("headline", "result", "structure")
        assert all((claim.where, claim.statement.endswith("."), claim.paper, claim.holds))


@pytest.mark.parametrize(
    ("value", "low", "high", "unit", "within"),
    [
        (0.33, 0.33, 0.43, 0.01, True),
        (0.43, 0.33, 0.43, 0.01, True),
        (0.325, 0.33, 0.43, 0.01, True),  # 33 %, as the paper prints it; halves round up
        (0.3249, 0.33, 0.43, 0.01, False),
        (0.4349, 0.33, 0.43, 0.01, True),
        (0.435, 0.33, 0.43, 0.01, False),
        (0.29, 0.33, 0.43, 0.01, False),
        (0.37, 0.33, 0.43, 0.01, True),
        (8.06, 8, 8, 1, True),
        (8.5, 8, 8, 1, False),
    ],
)
def test_a_value_is_checked_against_the_papers_range(
    value: float, low: float, high: float, unit: float, within: bool
) -> None:
    assert inside(value, low, high, unit) is within


def test_a_verdict_combines_two_conditions() -> None:
    assert [
        verdict_of(*each) for each in ((True, True), (True, False), (False, True), (False, False))
    ] == [
        Verdict.HOLDS,
        Verdict.HOLDS,
        Verdict.DIRECTION,
        Verdict.FAILS,
    ]
    assert verdict_of(False) is Verdict.FAILS  # no weaker condition
    assert [str(each) for each in Verdict] == [
        "holds",
        "holds in direction",
        "does not hold",
        "not tested",
    ]


def made_up(
    values: Mapping[Configuration, Sequence[float]], patterns: Sequence[str] = tuple(PATTERNS)
) -> Evidence:
    """Returns evidence with given throughputs per size from (2, 3, 2) on, for every pattern."""
    record = {"precise": True, "steady": True, "half_width": 0.0}
    return Evidence(
        [
            Result(
                Spec(size, pattern, each),
                record | {"accepted": value},
                cast(model.Prediction, None),
                value,
            )
            for each, accepted in values.items()
            for pattern in patterns
            for size, value in zip(SIZES, accepted, strict=False)
        ]
    )


@pytest.mark.parametrize(
    ("claim", "values", "verdict"),
    [
        ("PRIS-4-06", {ANY: [0.33, 0.36, 0.43]}, "holds"),
        (
            "PRIS-4-06",
            {ANY: [0.29, 0.36, 0.37]},
            "holds in direction",
        ),  # outside 33 to 43 %, by less than 5 points
        ("PRIS-4-06", {ANY: [0.36, 0.464]}, "holds in direction"),
        ("PRIS-4-06", {ANY: [0.27, 0.36]}, "does not hold"),
        ("PRIS-4-07", {ANY: [0.325, 0.425]}, "holds"),
        ("PRIS-4-07", {ANY: [0.287, 0.36]}, "holds in direction"),
        ("PRIS-4-07", {ANY: [0.27]}, "does not hold"),
        ("PRIS-4-12", {RESTRICTED: [0.44, 0.4, 0.35, 0.29]}, "holds"),
        ("PRIS-4-12", {RESTRICTED: [0.44, 0.4, 0.35, 0.31]}, "holds in direction"),
        ("PRIS-4-12", {RESTRICTED: [0.5]}, "does not hold"),
        (
            "PRIS-4-02",
            {RESTRICTED: [0.2, 0.3, 0.2, 0.2015]},
            "holds",
        ),  # (2, 3, 2) is not balanced; a point is known to 1 %
        ("PRIS-4-02", {RESTRICTED: [0.2, 0.3, 0.2, 0.205]}, "holds in direction"),
        ("PRIS-4-02", {RESTRICTED: [0.2, 0.3, 0.2, 0.21]}, "does not hold"),
        ("PRIS-4-08", {RESTRICTED: [0.3, 0.3, 0.3, 0.3, 0.3, 0.149, 0.1]}, "holds"),
        ("PRIS-4-08", {RESTRICTED: [0.3, 0.3, 0.3, 0.3, 0.3, 0.155, 0.1]}, "holds in direction"),
        ("PRIS-4-08", {RESTRICTED: [0.3, 0.3, 0.3, 0.3, 0.3, 0.17, 0.1]}, "does not hold"),
        ("PRIS-4-08", {RESTRICTED: [0.3, 0.3]}, "not tested"),
        (
            "PRIS-3-08",
            {RESTRICTED: [0.5, 0.5, 0.3, 0.2]},
            "holds",
        ),  # bounds for p = 3 and 4: 1/6 to 1/3, 1/8 to 1/4
        ("PRIS-3-08", {RESTRICTED: [0.5, 0.5, 0.16, 0.2]}, "holds in direction"),
        ("PRIS-3-08", {RESTRICTED: [0.5, 0.5, 0.14, 0.2]}, "does not hold"),
        (
            "PRIS-4-10",
            {RESTRICTED: [0.3] * 4 + [0.1, 0.1], RANDOMISED: [0.3] * 4 + [0.2, 0.21]},
            "holds",
        ),
        (
            "PRIS-4-10",
            {RESTRICTED: [0.3] * 4 + [0.1, 0.1], RANDOMISED: [0.3] * 4 + [0.2, 0.27]},
            "holds in direction",
        ),
        (
            "PRIS-4-10",
            {RESTRICTED: [0.3] * 4 + [0.1, 0.1], RANDOMISED: [0.3] * 4 + [0.2, 0.1]},
            "does not hold",
        ),
        (
            "PRIS-4-11",
            {ANY: [0.4] * 4, RANDOMISED: [0.3] * 4, RESTRICTED: [0.2] * 4, MINIMAL: [0.1] * 4},
            "holds",
        ),
        (
            "PRIS-4-11",
            {
                ANY: [0.4] * 4,
                RANDOMISED: [0.3] * 3 + [0.2],
                RESTRICTED: [0.2] * 3 + [0.3],
                MINIMAL: [0.1] * 4,
            },
            "holds in direction",
        ),
        (
            "PRIS-4-11",
            {
                ANY: [0.4] * 3 + [0.05],
                RANDOMISED: [0.3] * 4,
                RESTRICTED: [0.2] * 4,
                MINIMAL: [0.1] * 4,
            },
            "does not hold",
        ),
    ],
)
def test_verdicts_of_made_up_results(
    claim: str, values: dict[Configuration, list[float]], verdict: str
) -> None:
    assert judge(claim, made_up(values)).verdict == verdict


# --- points ---


def tiny(key: str = "tiny", load: float = 1.0, longest: int = 200) -> Point:
    scenario = Spec(SIZES[0], "shift", MINIMAL).scenario(1).replace({"jobs.0.workload.load": load})
    return Point(key, scenario, Duration(50 * 10**6), Duration(longest * 10**6))


def without_times(record: Record) -> Record:
    return {key: value for key, value in record.items() if key != "wall_seconds"}


@pytest.mark.slow
@pytest.mark.native
def test_points_are_kept_and_equal_for_any_number_of_workers(tmp_path: Path) -> None:
    points = [tiny("a"), tiny("b", 0.1)]
    one = simulate(points, tmp_path / "one", 1)
    two = simulate(points, tmp_path / "two", 2)
    assert list(one) == ["a", "b"]
    assert {key: without_times(r) for key, r in one.items()} == {
        key: without_times(r) for key, r in two.items()
    }
    assert one["a"]["accepted"] == pytest.approx(1 / 6, rel=0.02)
    assert one["b"]["accepted"] == pytest.approx(0.1, rel=0.01)
    kept: list[bool] = []
    again = simulate(points, tmp_path / "one", 1, lambda _record, was: kept.append(was))
    assert again == one
    assert kept == [True, True]


@pytest.mark.native
def test_a_stale_or_incomplete_point_runs_again(tmp_path: Path) -> None:
    first = simulate([tiny()], tmp_path, 1)["tiny"]
    path = RunStore(tmp_path).path(first["run"]) / "run.json"
    path.write_text(path.read_text()[:-40])
    kept: list[bool] = []

    def tell(_record: Record, was: bool) -> None:
        kept.append(was)

    again = simulate([tiny()], tmp_path, 1, tell)["tiny"]
    assert without_times(again) == without_times(first)
    changed = simulate([tiny(load=0.1)], tmp_path, 1, tell)["tiny"]
    longer = simulate([tiny(longest=300)], tmp_path, 1, tell)["tiny"]
    assert kept == [False, False, False]
    assert len({first["run"], changed["run"], longer["run"]}) == 3
    assert json.loads(path.read_text())["measured"] | {"key": "tiny", "run": again["run"]} == again


@pytest.mark.native
def test_points_of_one_plan_share_a_run_with_experiments(tmp_path: Path) -> None:
    records = simulate([tiny("a"), tiny("b")], tmp_path, 1)
    assert records["a"]["run"] == records["b"]["run"]
    assert (records["a"]["key"], records["b"]["key"]) == ("a", "b")
    scenario = tiny().scenario.replace({"stop.duration": "10 us"})
    made = pt.sweep(scenario, tmp_path, workers=1)
    assert made.runs["state"].to_list() == ["done"]
    assert len(list(RunStore(tmp_path).stored())) == 2


@pytest.mark.native
def test_an_extended_point_equals_one_long_run(tmp_path: Path) -> None:
    scenario = Spec(SIZES[0], "shift", RESTRICTED).scenario(1)
    record = Point("long", scenario, Duration(20 * 10**6), Duration(60 * 10**6)).measure()
    assert 40_000 < record["simulated_ns"] <= 60_000
    changes = {
        "stop.duration": f"{record['simulated_ns']} ns",
        "record.window": "50 ns",
        "record.link_windows": False,
    }
    run = pt.run(scenario.replace(changes), tmp_path / "run", report=False)
    assert isinstance(run, pt.Run)
    assert run.jobs.collect()["delivered_bytes"][0] == record["delivered_bytes"]
    late = run.job_windows.filter(pl.col("window_start_ns") >= record["warm_up_ns"]).collect()
    carried = 42 * 5 * (record["simulated_ns"] - record["warm_up_ns"])
    assert late["delivered_bytes"].sum() / carried == pytest.approx(record["accepted"], rel=0.01)


@pytest.mark.native
def test_an_imprecise_point_is_marked(tmp_path: Path) -> None:
    scenario = Spec(SIZES[0], "shift", RESTRICTED).scenario(1)
    record = Point("short", scenario, Duration(5 * 10**6), Duration(5 * 10**6)).measure()
    assert record["simulated_ns"] == 5_000
    assert not record["precise"]


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
    assert _factor(Estimate(1.0, half_width, warm_up, steady)) == pytest.approx(factor)


def test_windows_are_merged_to_less_than_twice_their_first_number() -> None:
    delivered = [(number, 10 + number % 3) for number in range(2_001) if number != 7]
    assert merged(delivered[:450], 451).tolist() == [
        0 if n == 7 else 10 + n % 3 for n in range(451)
    ]
    series = merged(delivered, 2_001)
    assert len(series) == 400
    assert series[0] == np.mean([11, 12, 10, 11, 12])  # windows 1 to 5
    assert series[1] == np.mean([10, 0, 12, 10, 11])


# --- the directory ---


def test_an_existing_directory_is_rejected(tmp_path: Path) -> None:
    settings = {"study": "x", "seed": 1}
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").touch()
    (tmp_path / "file").touch()
    for name, message in [("other", "something else"), ("file", "not a directory")]:
        with pytest.raises(RunDirectoryError, match=message):
            StudyDirectory(tmp_path / name, settings, overwrite=True)
    place = StudyDirectory(tmp_path / "study", settings, overwrite=False)
    assert not place.resumed
    place.begin()
    store = RunStore(place.target)
    store.path("abc").mkdir(parents=True)
    again = StudyDirectory(tmp_path / "study", settings, overwrite=False)
    assert again.resumed
    again.begin()
    assert list(store.stored()) == ["abc"]
    with pytest.raises(RunDirectoryError, match=r"other settings \(seed = 1\)"):
        StudyDirectory(tmp_path / "study", {**settings, "seed": 2}, overwrite=False)
    again.finish({"finding": "none"})
    with pytest.raises(RunDirectoryError, match="already holds a study"):
        StudyDirectory(tmp_path / "study", settings, overwrite=False)
    StudyDirectory(tmp_path / "study", settings, overwrite=True).begin()
    assert not (tmp_path / "study" / "study.json").exists()
    assert list(store.stored()) == []


# --- the whole study, with one size ---


#: The shortest possible times.
_SHORT = Duration(200 * 10**6)


@pytest.fixture(scope="module")
def small_study(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """Returns the study with only the smallest network and the shortest points."""
    runs = [Spec(SIZES[0], pattern, each) for pattern, each in product(PATTERNS, CONFIGURATIONS)]
    out = tmp_path_factory.mktemp("studies") / "prisacari2015"
    with pytest.MonkeyPatch.context() as patch:
        point = Spec.point
        patch.setattr(
            Spec,
            "point",
            lambda spec, seed, quick: replace(point(spec, seed, quick=quick), longest=_SHORT),
        )
        return run_specs(runs, Options(out, quick=True))


@pytest.mark.slow
@pytest.mark.native
def test_a_study_writes_all_its_files(small_study: Outcome) -> None:
    directory = small_study.directory
    found = pl.read_parquet(directory / "results.parquet")
    assert found.height == 12
    assert found["nodes"].unique().to_list() == [42]
    assert found.filter(pl.col("accepted") > 0.5).is_empty()
    row = found.row(
        by_predicate=(pl.col("pattern") == "shift") & (pl.col("routing") == "minimal"), named=True
    )
    assert row["exact"] == pytest.approx(1 / 6)
    assert row["accepted"] == pytest.approx(1 / 6, rel=0.02)
    assert json.loads((directory / "results.json").read_text())[0]["run"] == found["run"][0]
    text = json.loads((directory / "claims.json").read_text())
    assert [entry["id"] for entry in text] == [claim.id for claim in claims()]
    verdicts = {entry["id"]: entry["verdict"] for entry in text}
    assert verdicts["PRIS-2-02"] == verdicts["PRIS-3-02"] == "holds"
    assert verdicts["PRIS-3-01"] == "holds in direction"  # exact but for a constant
    assert verdicts["PRIS-4-08"] == verdicts["PRIS-3-08"] == "not tested"
    # A truncated point counts by extrapolation, which is not a measurement.
    assert verdicts["PRIS-4-01"] == "holds in direction"
    assert "Extrapolated from the time simulated" in next(
        each["reason"] for each in text if each["id"] == "PRIS-4-01"
    )
    names = {path.name for path in (directory / "figures").iterdir()}
    assert names == {
        f"figure-3{letter}.{kind}" for letter in ("", *"abcdef") for kind in ("svg", "png")
    }
    assert len(small_study.claims) == 21


@pytest.mark.slow
@pytest.mark.native
def test_the_page_needs_no_other_file(small_study: Outcome) -> None:
    page = small_study.page.read_text(encoding="utf-8")
    assert not re.search(r"""(src|href)=["'](?!#)""", page)
    assert page.count("<svg") == 6
    assert all(claim.id in page for claim in claims())
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))


@pytest.mark.slow
@pytest.mark.native
def test_repeating_a_study_gives_equal_files(small_study: Outcome) -> None:
    directory = small_study.directory
    before = {name: (directory / name).read_bytes() for name in ("results.parquet", "claims.json")}
    (directory / "study.json").unlink()  # interrupted after the runs
    (directory / "claims.json").unlink()
    runs = [Spec(SIZES[0], pattern, each) for pattern, each in product(PATTERNS, CONFIGURATIONS)]
    with pytest.MonkeyPatch.context() as patch:
        point = Spec.point
        patch.setattr(
            Spec,
            "point",
            lambda spec, seed, quick: replace(point(spec, seed, quick=quick), longest=_SHORT),
        )
        lines: list[str] = []
        run_specs(
            runs,
            Options(directory, quick=True, progress=lambda _done, _all, line: lines.append(line)),
        )
    assert all(line.endswith("kept") for line in lines)
    assert {name: (directory / name).read_bytes() for name in before} == before


# --- the commands ---


def test_studies_are_listed() -> None:
    assert [each.name for each in studies()] == ["kang2022", "prisacari2015", "yang2016"]
    with pytest.raises(UsageError, match="did you mean 'prisacari2015'"):
        study("prisacari")


def test_study_list_prints_the_studies(cli: Cli) -> None:
    shown = cli("study", "list")
    assert shown.status == 0
    assert "prisacari2015" in shown.out
    assert cli("study", "run", "--help").status == 0


def test_bad_input_is_one_line(cli: Cli, workdir: Path) -> None:
    Path("taken").mkdir()
    (Path("taken") / "notes.txt").touch()
    for words, message in [
        (["prisacari2014"], "did you mean 'prisacari2015'?"),
        (["prisacari2015", "--workers", "0"], "--workers 0: must be at least 1"),
        (["prisacari2015", "--jobs", "2"], "No such option: --jobs"),
        (["prisacari2015", "-j", "2"], "No such option: -j"),
        (["prisacari2015", "--seed", "-1"], "--seed -1"),
        (["prisacari2015", "--out", "taken"], "something else in it; choose another --out"),
        (
            ["prisacari2015", "--out", "taken", "--overwrite"],
            "something else in it; choose another --out",
        ),
    ]:
        ended = cli("study", "run", *words)
        assert (ended.status, ended.out) == (2, ""), ended
        assert message in ended.err
        assert ended.err.count("\n") == 1
    assert [path.name for path in Path("taken").iterdir()] == ["notes.txt"]
