"""`pantala compare`: differences of plans and metrics, words that follow intervals, bad input."""

from __future__ import annotations

import json
import math
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pantala as pt
from hand_made_runs import write_run
from pages import Page
from pantala.analysis.statistics import independent_difference, mean_interval, spread_of
from pantala.comparison.compare import compare
from pantala.comparison.comparison import HEADLINES, Comparison
from pantala.comparison.differences import difference_of
from pantala.comparison.plans import plan_changes
from pantala.comparison.quantities import with_interval, with_spread
from pantala.errors import UsageError
from pantala.report.comparison import comparison_finding, render_comparison
from support import Ended
from sweeps import scenario

pytestmark = pytest.mark.native
Cli = Callable[..., Ended]
TIME = "communication_time_mean_ns"
P99 = "packet_latency_p99_ns"


@pytest.fixture(scope="module")
def sweeps(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Returns two experiments of 72 nodes with three seeds: minimal, and minimal and par."""
    folder = tmp_path_factory.mktemp("sweeps")
    paths = {"minimal": folder / "minimal", "both": folder / "both"}
    pt.sweep(scenario(), paths["minimal"], seeds=3, workers=1)
    axes = {"routing.algorithm": ["minimal", "par"]}
    pt.sweep(scenario(), paths["both"], axes=axes, seeds=[2, 3, 4], workers=1)
    return paths


def of(*paths: Path, **options: Any) -> Comparison:
    return compare({path.name: path for path in paths}, **options)


def words(found: Comparison, metric: str = TIME) -> dict[tuple[str, str], str]:
    return {(row.job, row.other): row.words for row in found.rows if row.metric == metric}


def test_single_runs_have_no_interval_and_say_so(tmp_path: Path) -> None:
    one = write_run(tmp_path / "one", {"a": {TIME: 100.0, P99: 50.0}, "b": {TIME: 10.0}})
    two = write_run(tmp_path / "two", {"a": {TIME: 112.0, P99: 50.0}, "b": {TIME: 5.0}})
    found = of(one, two)
    assert words(found) == {
        ("a", "two"): "12 % higher; no interval: one run each",
        ("b", "two"): "50 % lower; no interval: one run each",
    }
    assert words(found, P99)["a", "two"] == "equal; no interval: one run each"
    assert found.left_out == ()
    assert all(row.difference.significant is None for row in found.rows)
    assert "another seed can change the order" in render_comparison(found)


def test_runs_of_other_seeds_say_so(tmp_path: Path) -> None:
    one = write_run(tmp_path / "one", {"a": {TIME: 100.0}})
    two = write_run(tmp_path / "two", {"a": {TIME: 50.0}}, seed=9)
    found = of(one, two)
    (text,) = words(found).values()
    assert text == "50 % lower; no interval: no two seeds in common (seeds 1 and 9)"
    assert [(change.key, change.values) for change in found.plans] == [("seed", ("1", "9"))]


def test_truncated_runs_are_named_and_their_jobs_are_not_compared(tmp_path: Path) -> None:
    ended = {"a": {TIME: 100.0}, "b": {TIME: 100.0}}
    one = write_run(tmp_path / "one", ended)
    cut = write_run(
        tmp_path / "cut",
        {"a": {TIME: 90.0, "complete": True}, "b": {TIME: 30.0, "end_ns": None}},
        reason="duration",
    )
    found = of(one, cut)
    assert set(words(found)) == {("a", "cut")}, "a ended in both runs; b did not"
    assert not any(row.job == "" for row in found.rows), "metrics of the whole run are cut"
    assert [each.text for each in found.left_out] == [
        "cut (seed 1): truncated: reached its set duration (stop.duration) before every job had"
        " finished; only jobs that ended count",
        "cut (seed 1, job b): truncated: the job did not end",
    ]
    whole = of(one, cut, truncated=True)
    assert "truncated: the values do not cover" in words(whole)["b", "cut"]
    assert "truncated" not in words(whole)["a", "cut"]
    assert whole.left_out[0].text.endswith("compared all the same")
    only = write_run(tmp_path / "only", {"a": {TIME: 9.0}, "b": {TIME: 3.0}}, reason="stalled")
    with pytest.raises(UsageError, match=r"^nothing to compare: only \(seed 1\): truncated: stal"):
        of(one, only)


def test_a_sweep_with_a_failed_run_names_it(
    tmp_path: Path, sweeps: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from pantala.core.plan import Plan

    real = Plan.run

    def run(plan: Plan, *others: Any) -> Any:
        if plan["seed"] == 2:
            raise pt.SimulationError("stalled: ranks 0 and 1 wait for each other")
        return real(plan, *others)

    monkeypatch.setattr(Plan, "run", run)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        pt.sweep(scenario(), tmp_path / "torn", seeds=3, executor=pool)
    found = of(sweeps["minimal"], tmp_path / "torn")
    sentences = [each.text for each in found.left_out]
    assert sentences == [
        "torn (seed 2): failed: stalled: ranks 0 and 1 wait for each other",
        "minimal (seed 2): unmatched: torn has no values of this seed",
    ]
    assert set(words(found).values()) == {"equal in all 2 seeds"}
    assert "wait for each other" in render_comparison(found)


def test_sweeps_are_compared_in_pairs_of_seeds(sweeps: dict[str, Path]) -> None:
    found = of(sweeps["minimal"], sweeps["both"], where={"routing.algorithm": "par"})
    experiment = pt.Experiment(sweeps["both"])
    expected = experiment.differences(TIME, "routing.algorithm", "minimal")
    assert [change.key for change in found.plans] == [
        "routing.algorithm",
        "routing.virtual_channels",
    ]
    (row,) = [row for row in found.rows if (row.job, row.metric) == ("halo", TIME)]
    assert row.difference.basis == "paired"
    assert row.difference.seeds == (2, 3)
    assert row.difference.significant
    assert re.fullmatch(r"\d+ % higher \(\d+ to \d+ %; 2 seeds\), significant", row.words)
    assert [each.text for each in found.left_out] == [
        "minimal (seed 1): unmatched: both has no values of this seed",
        "both (seed 4): unmatched: minimal has no values of this seed",
    ]
    by_axis = of(sweeps["both"], by="routing.algorithm")
    (row,) = [row for row in by_axis.rows if (row.job, row.metric) == ("halo", TIME)]
    (mean, low) = expected.filter(name="halo").select("mean", "low").row(0)
    assert (row.difference.difference.mean, row.difference.difference.low) == (mean, low)
    assert row.other == "par"


def test_metrics_of_a_sweep_are_those_of_its_runs(sweeps: dict[str, Path]) -> None:
    experiment = pt.Experiment(sweeps["minimal"])
    found = of(sweeps["minimal"], sweeps["both"], where={"routing.algorithm": "minimal"})
    runs = [experiment.run(run) for run in experiment.cases["run"][1:]]
    for row in found.rows:
        values = [run.metric(row.metric, row.job or None) for run in runs]
        assert row.difference.base.mean == pytest.approx(sum(values) / 2)  # type: ignore[arg-type]
        assert row.words in ("equal in all 2 seeds",)
    assert {row.metric for row in found.rows} > {TIME, P99, "execution_time_ns", "simulated_ns"}
    assert not found.plans


def test_slowdowns_and_accepted_throughput_are_compared(tmp_path: Path) -> None:
    from small_runs import small_interference

    one = small_interference(tmp_path / "one")
    small_interference(tmp_path / "two")
    found = of(tmp_path / "one", tmp_path / "two", metrics=["slowdown"])
    assert [(row.job, row.part) for row in found.rows] == [
        ("fft3d", "together"),
        ("halo3d", "together"),
    ]
    assert found.rows[0].difference.base.mean == one.metric("slowdown", "fft3d")
    pattern = {"a": {TIME: None, "end_ns": None, "complete": False, "delivered_bytes": 800}}
    half = {"a": {**pattern["a"], "delivered_bytes": 400}}
    loads = of(
        write_run(tmp_path / "full", pattern, reason="finished"),
        write_run(tmp_path / "half", half, reason="finished"),
        metrics=["accepted_throughput"],
    )
    (row,) = loads.rows
    assert row.words.startswith("50 % lower")


def test_accepted_throughput_is_over_the_time_until_the_end_of_a_job(tmp_path: Path) -> None:
    pattern = {"a": {TIME: None, "end_ns": None, "complete": False, "delivered_bytes": 800}}
    whole, ended = (write_run(tmp_path / name, pattern) for name in ("whole", "ended"))
    document = json.loads((ended / "run.json").read_text())
    document["plan"]["jobs"][0]["end_ps"] = 500_000  # half of the run
    (ended / "run.json").write_text(json.dumps(document))
    (row,) = of(whole, ended, metrics=["accepted_throughput"]).rows
    assert row.words.startswith("100 % higher")


def test_a_slowdown_over_a_part_of_the_work_is_compared_if_asked_for_only(tmp_path: Path) -> None:
    from small_runs import scenario, small_interference

    small_interference(tmp_path / "base")
    cut = scenario("sampled").replace({"stop.duration": "60 us"})
    made = pt.run(cut, out=tmp_path / "cut", report=False)
    assert isinstance(made, pt.Experiment)
    compared = dict(made.slowdown.select("name", "compared").collect().iter_rows())
    assert compared["fft3d"] == "iterations"
    paths = tmp_path / "base", tmp_path / "cut"
    found = of(*paths)
    assert not any(row.metric == "slowdown" and row.job == "fft3d" for row in found.rows)
    assert "cut (seed 1, job fft3d): truncated: the job did not end" in [
        each.text for each in found.left_out
    ]
    with pytest.raises(UsageError, match="--truncated compares such values"):
        of(*paths, metrics=["slowdown"], jobs=["fft3d"])
    asked = of(*paths, metrics=["slowdown"], jobs=["fft3d"], truncated=True)
    assert [row.truncated for row in asked.rows] == [True]
    assert asked.rows[0].words.endswith("; truncated: the values do not cover all of the work")


def test_a_pattern_is_whole_in_a_run_that_lasts_as_long_as_its_plan_says(tmp_path: Path) -> None:
    jobs = {
        "pattern": {TIME: None, "end_ns": None, "complete": False, P99: 10.0},
        "job": {TIME: 5.0, "end_ns": None, "complete": False},
    }
    one, two = (write_run(tmp_path / name, jobs, reason="duration") for name in ("one", "two"))
    found = of(one, two)
    assert {row.job for row in found.rows} == {"pattern"}
    assert {each.job for each in found.left_out} == {"", "job"}
    cut = [write_run(tmp_path / name, jobs, reason="interrupted") for name in ("a", "b")]
    with pytest.raises(UsageError, match=r"was interrupted; only jobs that ended count; --truncat"):
        of(*cut)


def test_words_follow_the_interval() -> None:
    base = {seed: 100.0 + seed for seed in range(6)}
    higher = {seed: value + 10 + seed % 2 for seed, value in base.items()}
    either = {seed: value + (-1) ** seed for seed, value in base.items()}
    assert difference_of(TIME, base, higher).words.endswith("6 seeds), significant")
    assert difference_of(TIME, base, either).words.startswith("no significant difference (-")
    assert difference_of(TIME, base, base).words == "equal in all 6 seeds"
    apart = {seed + 100: value for seed, value in higher.items()}
    found = difference_of(TIME, base, apart)
    assert (found.basis, found.significant) == ("independent", True)
    assert "6 and 6 runs of other seeds" in found.words
    zero = difference_of("nonminimal_share", dict.fromkeys(range(3), 0.0), {0: 1.0, 1: 1.5, 2: 1.2})
    assert zero.relative is None
    assert zero.words.startswith("1.233 higher (")


@given(
    st.dictionaries(st.integers(0, 50), st.floats(1, 1e6), min_size=2, max_size=8),
    st.floats(0.5, 2),
)
def test_the_difference_of_swapped_sides_is_the_negative(
    base: dict[int, float], factor: float
) -> None:
    other = {seed: value * factor for seed, value in base.items()}
    there, back = difference_of(TIME, base, other), difference_of(TIME, other, base)
    assert there.difference.mean == -back.difference.mean
    assert there.difference.low == pytest.approx(-back.difference.high, rel=1e-9, abs=1e-6)
    assert there.significant == back.significant
    document = there.document()
    assert json.loads(json.dumps(document)) == document


def test_welchs_interval_is_the_textbook_one() -> None:
    # Means 2 and 5, variances 1 and 4, n = 3: standard error sqrt(5 / 3), 2.94 degrees of freedom.
    found = independent_difference([1, 2, 3], [3, 5, 7])
    assert found.mean == 3
    degrees = (5 / 3) ** 2 / ((1 / 3) ** 2 / 2 + (4 / 3) ** 2 / 2)
    assert degrees == pytest.approx(2.941, abs=1e-3)
    half = 3.2190 * math.sqrt(5 / 3)
    assert (found.low, found.high) == pytest.approx((3 - half, 3 + half), rel=1e-3)
    resampled = independent_difference([1, 2, 3], [3, 5, 7], method="bootstrap")
    assert 0 < resampled.low < 3 < resampled.high
    assert independent_difference([1], [2, 3]).high == math.inf
    assert independent_difference([1, 1], [2, 2]).excludes_zero


def test_differences_of_plans_have_the_scenarios_keys_and_units() -> None:
    plan: dict[str, Any] = {
        "name": "one",
        "seed": 1,
        "links": {"local": {"latency_ps": 90_000}},
        "jobs": [{"name": "a", "nodes": list(range(20))}, {"name": "b", "nodes": [1]}],
        "assumptions": ["x"],
    }
    other = {
        **plan,
        "name": "two",
        "assumptions": [],
        "links": {"local": {"latency_ps": 2_000_000}},
        "jobs": [plan["jobs"][1], {"name": "a", "nodes": [*range(19), 99]}],
    }
    found = plan_changes([[plan, other], [plan, plan]])
    assert [(each.key, each.values, each.scope) for each in found] == [
        ("machine.links.local.latency", ("90 ns", "2 us"), "in 1 of 2 cases"),
        ("jobs.a.nodes", ("20 items", "20 items, 1 of them other"), "in 1 of 2 cases"),
    ]


def test_values_of_plans_are_spelled_as_in_a_scenario() -> None:
    plans: list[dict[str, Any]] = [
        {"jobs": [], "stop": {"duration_ps": 0}, "topology": {"failed_links": []}},
        {
            "jobs": [],
            "stop": {"duration_ps": 10**8},
            "topology": {"failed_links": [[3, 5], [1, 2]]},
        },
    ]
    assert [(each.key, each.values) for each in plan_changes([plans])] == [
        ("stop.duration", ("none", "100 us")),
        ("machine.topology.failed_links", ("none", "3:5, 1:2")),
    ]


def test_the_tolerance_of_skipped_time_has_the_unit_of_a_scenario() -> None:
    plans = [
        {"jobs": [], "skip": {"tolerance_millionths": millionths, "minimum": 8}}
        for millionths in (10_000, 5_000)
    ]
    (found,) = plan_changes([plans])
    assert (found.key, found.values) == ("skip.tolerance", ("1 %", "0.5 %"))


def test_mean_and_interval_have_one_unit() -> None:
    text = with_interval(TIME, mean_interval([1500.0, 1510.0, 1520.0]))
    assert re.fullmatch("1[.]510 ± 0[.]025 \N{MICRO SIGN}s", text)
    assert with_interval("ranks", mean_interval([3.0])) == "3"


def test_a_finding_with_many_cases_counts(sweeps: dict[str, Path]) -> None:
    found = of(sweeps["both"], by="routing.algorithm")
    assert comparison_finding(found).startswith("par against minimal: halo's communication time is")
    assert "significant" in comparison_finding(found)


def test_the_command_prints_tables_and_json(cli: Cli, sweeps: dict[str, Path]) -> None:
    ended = cli("compare", sweeps["both"], "--by", "routing.algorithm")
    assert ended.status == 0
    assert "Differences of the plans" in ended.out
    assert "--all prints them" in ended.out
    ended = cli("compare", sweeps["both"], "--by", "routing.algorithm", "--json", "--bootstrap")
    document = json.loads(ended.out)
    assert [each["title"] for each in document["subjects"]] == ["minimal", "par"]
    assert document["method"] == "bootstrap"
    assert document["plan"][0]["values"] == {"minimal": "minimal", "par": "par"}
    assert {row["job"] for row in document["metrics"]} == {"halo", "noise", None}
    ended = cli("compare", sweeps["both"], "--by", "routing.algorithm", "--base", "par", "--json")
    document = json.loads(ended.out)
    assert [each["title"] for each in document["subjects"]] == ["par", "minimal"]


def test_the_page_is_one_file_with_all_figures(
    cli: Cli, sweeps: dict[str, Path], tmp_path: Path
) -> None:
    file = tmp_path / "page.html"
    ended = cli("compare", sweeps["both"], "--by", "routing.algorithm", "--out", file)
    assert (ended.status, ended.out.splitlines()[-1]) == (0, f"page: {file}")
    text = file.read_text(encoding="utf-8")
    page = Page(text)
    assert len(page.ids) == len(set(page.ids))
    assert all(link.startswith("#") for link in page.links), "the page fetches nothing"
    assert not page.open
    for key in ("differences", "seeds", "bars", "ranks", "latency", "traffic"):
        assert f'id="figure-{key}"' in text
    assert "seed 3, the median run of the base" in text or "the median run of the base" in text
    assert "prefers-color-scheme: dark" in text
    again = render_comparison(of(sweeps["both"], by="routing.algorithm"))
    assert again == text, "equal runs give an equal page"


def test_bad_input_is_one_line(cli: Cli, sweeps: dict[str, Path], tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", {"a": {}, "b": {}})
    other = write_run(tmp_path / "other", {"a": {}, "c": {}})
    none = write_run(tmp_path / "none", {"x": {}})
    old = write_run(tmp_path / "old", {"a": {}, "b": {}}, plan={"plan_version": 4})
    lacking = write_run(tmp_path / "lacking", {"a": {}, "b": {}}, without=(P99,))
    torn = write_run(tmp_path / "torn", {"a": {}})
    (torn / "run.json").write_text("{}")
    (tmp_path / "empty").mkdir()
    both = sweeps["both"]
    for words_, text in {
        (run, tmp_path / "empty"): "empty: holds no run and no experiment; name a directory that",
        (run, tmp_path / "nothing"): "nothing: does not exist; name a directory",
        (run, run): "is named twice; name each run once",
        (run,): "run: one alone has no difference; add another directory",
        (both,): "add another directory or --by AXIS (one of routing.algorithm)",
        (run, other): "the jobs differ: run has a, b, and other has a, c; --job a compares one job",
        (run, none): "the jobs differ: run has a, b, and none has x; name runs of equal jobs",
        (run, other, "--job", "b"): "other: --job b: has no such job; its jobs are a, c",
        (run, old): "was written by Pantala 0.1.0 with plan version 4, and this version compares",
        (
            run,
            lacking,
        ): f"of Pantala 0.1.0 has no column '{P99}'; give the command that wrote it again",
        (run, torn): "run.json is damaged: 'plan' is missing; give the command that wrote it again",
        (both, sweeps["minimal"]): "--where routing.algorithm=minimal",
        (both, run, "--by", "x"): "--by x: compares the cases of one experiment; name one",
        (both, run, "--base", "x"): "--base x: is a value of an axis; add --by AXIS",
        (
            both,
            "--by",
            "routing.algorithm",
            "--base",
            "x",
        ): "--base x: routing.algorithm has no such value; choose one of minimal, par",
        (both, "--by", "routing.algoritm"): "did you mean 'routing.algorithm'?",
        (both, run, "--where", "routing.algorithm=pra"): "has no value 'pra'; did you mean 'par'?",
        (both, run, "--where", "routing"): "--where routing: is not AXIS=VALUE; write",
        (both, run, "--where", "x=1"): "--where x: there is no such axis; the axes are: routing",
        (run, other, "--metric", "slowdwon"): "no metric 'slowdwon'; did you mean 'slowdown'?",
        (run, other, "--confidence", "95"): "confidence = 95.0: is not between 0 and 1",
        (run, other, "--out", "page.pdf"): "--out page.pdf: does not end in .html",
        (run, other, "--out", tmp_path / "no/p.html"): "there is no directory",
        (run, other, "--job", "a", "--metric", "slowdown"): "nothing to compare: no common job",
    }.items():
        ended = cli("compare", *words_)
        assert ended.status == 2, words_
        assert ended.err.count("\n") == 1, ended.err
        assert text in ended.err, (text, ended.err)


def test_experiments_of_other_versions_and_damaged_ones_are_refused_in_one_line(
    cli: Cli, sweeps: dict[str, Path], tmp_path: Path
) -> None:
    old, torn = tmp_path / "old", tmp_path / "torn"
    for copy in (old, torn):
        shutil.copytree(sweeps["minimal"], copy)
    file = old / "experiments" / "tiny" / "experiment.json"
    document = json.loads(file.read_text())
    file.write_text(json.dumps(document | {"made_by": [0, "0.0.1", 5]}))
    (torn / "experiments" / "tiny" / "cases.parquet").write_text("no table")
    for path, text in (
        (old, "experiment tiny is of Pantala 0.0.1 with results version 0, and this version"),
        (torn, "cases.parquet cannot be read"),
    ):
        ended = cli("compare", sweeps["both"], path, "--where", "routing.algorithm=par")
        assert (ended.status, ended.err.count("\n")) == (2, 1), ended.err
        assert text in ended.err
        assert "repeat pantala sweep" in ended.err


def test_three_runs_are_compared_with_the_first(cli: Cli, tmp_path: Path) -> None:
    times = {"one": 100.0, "two": 150.0, "three": 80.0}
    paths = [write_run(tmp_path / name, {"a": {TIME: time}}) for name, time in times.items()]
    found = of(*paths)
    assert words(found) == {
        ("a", "two"): "50 % higher; no interval: one run each",
        ("a", "three"): "20 % lower; no interval: one run each",
    }
    out = cli("compare", *paths, "--metric", TIME).out
    assert "one and two" in out
    assert "one and three" in out
    page = render_comparison(found)
    assert "compared with" in page
    assert page.count('<section id="') == 5


def test_one_of_several_experiments_is_named_by_its_path(
    cli: Cli, tmp_path: Path, sweeps: dict[str, Path]
) -> None:
    for name in ("one", "two"):
        pt.sweep(scenario().replace({"name": name}), tmp_path / "d", seeds=1, workers=1)
    ended = cli("compare", tmp_path / "d", sweeps["minimal"])
    assert ended.status == 2
    assert f"name one of {tmp_path}/d/experiments/one" in ended.err
    folder = tmp_path / "d" / "experiments"
    found = compare({"one": folder / "one", "two": folder / "two"})
    assert set(words(found).values()) == {"equal; no interval: one run each"}


def test_of_many_cases_the_main_metrics_are_compared_and_the_page_is_cut(
    cli: Cli, sweeps: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from pantala.comparison import compare as comparing
    from pantala.report import comparison as page

    whole = of(sweeps["both"], by="routing.algorithm")
    assert whole.note == ""
    monkeypatch.setattr(comparing, "_MANY_CASES", 1)
    monkeypatch.setattr(comparing, "_MOST_PLANS", 1)
    monkeypatch.setattr(page, "_MOST_TABLE", 3)
    found = compare({"one": sweeps["both"], "two": sweeps["both"]})
    assert {row.metric for row in found.rows} <= set(HEADLINES)
    assert found.note.startswith("Of 2 cases, only the main metrics are compared; --metric NAME")
    assert found.document()["note"] == found.note
    html = render_comparison(found)
    assert found.note in html
    assert f"The first 3 of {len(found.rows)} rows; --json has all." in html
    chosen = compare({"one": sweeps["both"], "two": sweeps["both"]}, metrics=["packet_hops"])
    assert ({row.metric for row in chosen.rows}, chosen.note) == ({"packet_hops"}, "")
    monkeypatch.setattr(comparing, "_MANY_CASES", 0)
    out = cli("compare", sweeps["minimal"], sweeps["both"], "--where", "routing.algorithm=minimal")
    assert "Of 1 case, only the main metrics are compared" in " ".join(out.out.split())


def test_cases_without_a_job_are_left_out_of_a_comparison_of_it(tmp_path: Path) -> None:
    def job(name: str) -> dict[str, Any]:
        workload = {"kind": "uniform_random", "iterations": 2, "message": "1 KiB"}
        return {"name": name, "ranks": 4, "workload": {**workload, "start_delay": "0 ns"}}

    cases = {
        "alone": {"jobs": [job("a")]},
        "two": {"jobs": [job("a"), job("b")]},
        "three": {"jobs": [job("a"), job("b"), job("c")]},
    }
    axes = [{"name": "mix", "cases": cases}]
    base = scenario().replace({"interference": False})
    pt.sweep(base, tmp_path, axes=axes, seeds=1, workers=1)
    found = of(tmp_path, by="mix", jobs=["b"])
    assert {(row.job, row.other) for row in found.rows} == {("b", "three")}
    assert [each.text for each in found.left_out] == [
        "alone (job b): missing: this case has no such job"
    ]
    with pytest.raises(UsageError, match="alone: --job c: has no such job"):
        of(tmp_path, by="mix", jobs=["c"])


def test_a_spread_is_that_of_the_values() -> None:
    found = spread_of([1000.0, 2000.0, 3000.0])
    assert (found.deviation, found.p95) == (1000.0, 2900.0)
    assert with_spread(TIME, 2000.0, found) == "2 ± 1 µs, p95 2.90 µs"
    assert spread_of([7.0]).deviation is None
    assert with_spread(TIME, 2000.0, spread_of([2000.0])) == "2.00 µs"


def test_spread_takes_the_place_of_intervals(sweeps: dict[str, Path], cli: Cli) -> None:
    metric = ("--metric", TIME)
    told = cli("compare", str(sweeps["both"]), "--by", "routing.algorithm", *metric, "--spread")
    assert ", p95 " in " ".join(told.out.split())
    document = of(sweeps["both"], by="routing.algorithm").document()
    values = [row["base"] for row in document["metrics"] if row["metric"] == TIME]
    assert values
    for each in values:
        assert each["deviation"] > 0
        assert each["mean"] < each["p95"] < each["mean"] + 3 * each["deviation"]
