"""Who slows whom: pairs, jobs left out, matrices, intervals over seeds, words."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pantala as pt
from pantala.analysis.attribution import (
    MEASURES,
    effect_in_words,
    effects_of,
    matrix_of,
    ratios_text,
    slowdown_in_words,
)
from pantala.analysis.slowdown import slowdowns_of
from pantala.analysis.statistics import mean_interval
from pantala.catalogue.job_sets import TOGETHER, pair_name, without_name
from pantala.errors import UsageError
from pantala.experiments.effects import effects_over, mean_slowdowns_over
from pantala.figures.effects import effect_matrix
from pantala.models.base import plain
from pantala.runs.parts import parts_of
from support import Ended
from sweeps import SCENARIO, scenario

Cli = Callable[..., Ended]
JOBS = ("a", "b", "c")
FACTORS = st.lists(st.floats(0.5, 4.0), min_size=6, max_size=6)

THIRD = """
[[jobs]]
name = "steady"
ranks = 16
placement = "random"
workload = { kind = "pattern", pattern = "uniform", load = 0.2 }
"""


def three(**changes: Any) -> pt.Scenario:
    """Returns three jobs: two that end and a pattern."""
    import tomllib

    return pt.Scenario.from_dict(tomllib.loads(SCENARIO + THIRD)).replace(changes)


def job_sets_of(factor: dict[tuple[str, str], float]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {TOGETHER: JOBS}
    found |= {pair_name(*pair): pair for pair in combinations(JOBS, 2)}
    return found | {without_name(job): tuple(set(JOBS) - {job}) for job in JOBS}


def made(factor: dict[tuple[str, str], float], **changes: Any) -> pl.DataFrame:
    """Returns slowdowns of a model in which each job multiplies another job's times by a factor."""
    rows = []
    for job_set, jobs in job_sets_of(factor).items():
        for job in sorted(jobs):
            beside = sorted(set(jobs) - {job})
            ratio = math.prod(factor[job, other] for other in beside)
            row = {"job_set": job_set, "beside": beside, "job": JOBS.index(job), "name": job}
            row |= {"compared": "run", "compared_iterations": None, **changes.get(job_set, {})}
            rows.append(row | dict.fromkeys(MEASURES, ratio))
    return pl.DataFrame(rows, infer_schema_length=None)


@given(FACTORS)
def test_both_methods_find_the_factors_of_independent_jobs(factors: list[float]) -> None:
    pairs = [(victim, other) for victim in JOBS for other in JOBS if victim != other]
    factor = dict(zip(pairs, factors, strict=True))
    effects = effects_of(made(factor))
    for method in ("pairs", "leave_one_out"):
        found = effects.filter(pl.col("method") == method, pl.col("measure") == "slowdown")
        assert found.select("victim", "aggressor").unique().height == 6
        for victim, other, effect in found.select("victim", "aggressor", "effect").iter_rows():
            assert effect == pytest.approx(factor[victim, other])
        matrix = matrix_of(effects.unique(subset=effects.columns[:4]), "slowdown", method)
        assert sorted(matrix.columns[1:]) == sorted(matrix["victim"]) == list(JOBS)


def test_all_matrices_have_the_order_of_the_plan() -> None:
    factor = {(one, other): 2.0 for one in JOBS for other in JOBS if one != other}
    effects = effects_of(made(factor))
    known = effects.unique(subset=effects.columns[:4], maintain_order=True).filter(
        (pl.col("victim") != "b") | (pl.col("measure") == "slowdown")  # b repeats
    )
    for measure in ("slowdown", "packet_latency_p99_slowdown"):
        assert matrix_of(known, measure).columns[1:] == list(JOBS)
    targets = known.filter(pl.col("victim").is_in(["b", "c"]))
    assert matrix_of(targets).columns[1:] == list(JOBS)
    assert matrix_of(targets)["victim"].to_list() == ["b", "c"]


def test_different_work_has_no_marginal_effect() -> None:
    factor = {(one, other): 2.0 for one in JOBS for other in JOBS if one != other}
    cut = {"compared": "iterations", "compared_iterations": 3}
    effects = effects_of(made(factor, **{without_name("c"): cut}))
    rows = effects.filter(
        pl.col("method") == "leave_one_out",
        pl.col("aggressor") == "c",
        pl.col("measure") == "slowdown",
    )
    assert rows["effect"].to_list() == [None, None]
    same = {TOGETHER: cut, **{without_name(job): cut for job in JOBS}}
    assert effects_of(made(factor, **same)).filter(pl.col("effect").is_null()).is_empty()


def test_intervals_are_over_seeds_and_words_follow_them() -> None:
    seeds = []
    for seed, (slow, none) in enumerate([(1.8, 0.9), (2.0, 1.1), (2.2, 1.0)]):
        factor = {(one, other): none for one in JOBS for other in JOBS if one != other}
        table = made(factor | {("a", "b"): slow}).filter(pl.col("job_set").str.starts_with("pair"))
        seeds.append(table.select(pl.lit(seed).alias("case"), pl.lit(seed).alias("seed"), pl.all()))
    effects = effects_over(pl.concat(seeds), ["seed"], "seed", 0.95, "student")
    timed = effects.filter(pl.col("measure") == "slowdown")
    slowed, beside = (
        timed.filter(pl.col("victim") == "a", pl.col("aggressor") == other).row(0, named=True)
        for other in ("b", "c")
    )
    expected = mean_interval([1.8, 2.0, 2.2])
    assert (slowed["runs"], slowed["mean"]) == (3, pytest.approx(2.0))
    assert (slowed["low"], slowed["high"]) == pytest.approx((expected.low, expected.high))
    assert (slowed["significant"], beside["significant"]) == (True, False)
    assert effect_in_words(slowed) == (
        "b slows a down as a pair: communication time 2.00 times (1.50 to 2.50)."
    )
    assert effect_in_words(beside) == (
        "No effect of c on a as a pair is shown: communication time 1.00 times (0.75 to 1.25)."
    )
    means = mean_slowdowns_over(pl.concat(seeds), ["seed"], "seed", 0.95, "student")
    row = means.filter(
        pl.col("measure") == "slowdown", pl.col("name") == "a", pl.col("beside") == ["b"]
    ).row(0, named=True)
    assert {key: row[key] for key in ("runs", "mean", "low", "high", "significant")} == {
        key: slowed[key] for key in ("runs", "mean", "low", "high", "significant")
    }
    assert slowdown_in_words(row) == (
        "a is slower beside b: communication time 2.00 times (1.50 to 2.50, 3 seeds)."
    )
    shown = row | {"beside": ["b", "c", "d", "e", "f"], "mean": 1.0, "significant": False}
    assert slowdown_in_words(shown) == (
        "No effect on a beside b, c, d and 2 more is shown: communication time 1.00 times (1.50 to"
        " 2.50, 3 seeds)."
    )
    one = effects_over(seeds[0], ["seed"], "seed", 0.95, "student")
    assert not one["significant"].any()
    assert "one seed" in effect_in_words(one.row(0, named=True))


def test_words_say_how_many_iterations_were_compared() -> None:
    factor = {(one, other): 2.0 for one in JOBS for other in JOBS if one != other}
    seeds = []
    for seed, number in enumerate([3, 5]):
        cut = {"compared": "iterations", "compared_iterations": number}
        table = made(factor, **{pair_name("a", "b"): cut})
        seeds.append(table.select(pl.lit(seed).alias("case"), pl.lit(seed).alias("seed"), pl.all()))
    found = mean_slowdowns_over(pl.concat(seeds), ["seed"], "seed", 0.95, "student")
    effects = effects_over(pl.concat(seeds), ["seed"], "seed", 0.95, "student")
    paired = pl.col("job_set").str.starts_with("pair")
    rows = found.filter(paired, pl.col("name") == "a", pl.col("measure") == "slowdown")
    said = {tuple(row["beside"]): slowdown_in_words(row) for row in rows.to_dicts()}
    assert said["b",].endswith(", 2 seeds), over 3 to 5 iterations.")
    assert said["c",].endswith(", 2 seeds).")
    pairs = effects.filter(pl.col("method") == "pairs", pl.col("measure") == "slowdown")
    texts = {(row["victim"], row["aggressor"]): effect_in_words(row) for row in pairs.to_dicts()}
    assert texts["b", "a"].endswith("(2.00 to 2.00), over 3 to 5 iterations.")
    assert texts["c", "a"].endswith("(2.00 to 2.00).")


@pytest.mark.parametrize("word", ["measure", "method"])
def test_an_unknown_measure_or_method_gets_the_nearest(word: str) -> None:
    effects = effects_of(slowdowns_of({}))
    with pytest.raises(pt.UsageError, match="did you mean"):
        matrix_of(effects, **{word: "pair" if word == "method" else "slowdwn"})


def test_without_runs_there_is_no_effect() -> None:
    assert effects_of(slowdowns_of({})).is_empty()


def names(scenario: pt.Scenario) -> dict[str, str | None]:
    return {part.name: part.as_long_as for part in parts_of(scenario, scenario.resolved_plan())}


@pytest.mark.native
def test_a_mode_adds_companies_and_runs_alone_of_their_length() -> None:
    assert names(three()) == {"tiny": None}
    together = {"alone-halo": None, "alone-noise": None, "together": None}
    alone = {"alone-steady": "together"}
    assert names(three(interference=True)) == together | alone
    assert names(three(interference="together")) == together | alone
    pairs = ["pair-halo+noise", "pair-halo+steady", "pair-noise+steady"]
    assert names(three(interference="pairs")) == (
        together
        | dict.fromkeys(pairs)
        | alone
        | {f"alone-steady-for-{pair}": pair for pair in pairs[1:]}
    )
    without = ["without-halo", "without-noise", "without-steady"]
    assert names(three(interference="leave_one_out")) == (
        together
        | dict.fromkeys(without)
        | alone
        | {f"alone-steady-for-{job_set}": job_set for job_set in without[:2]}
    )
    steady = {"kind": "pattern", "pattern": "uniform", "load": 0.1}
    found = names(three(**{"interference": "pairs", "jobs.noise.workload": steady}))
    assert found["pair-noise+steady"] == "together", "patterns never end by themselves"


@pytest.mark.native
def test_two_jobs_are_a_pair() -> None:
    every = [names(scenario().replace({"interference": mode})) for mode in (True, "pairs")]
    every.append(names(scenario().replace({"interference": "leave_one_out"})))
    assert every[0] == every[1] == every[2]


@pytest.mark.native
def test_the_key_is_checked_and_changes_no_plan() -> None:
    plans = [three(interference=mode).plan() for mode in (False, True, "pairs", "leave_one_out")]
    assert all(plan == plans[0] for plan in plans)
    with pytest.raises(
        pt.ScenarioError,
        match=r"key interference = \"pair\": is not known; did you mean 'pairs'\? choose one of"
        r" true, false, together, pairs, leave_one_out, or write \{ targets = \['JOB'\] \}$",
    ):
        three(interference="pair")
    wrong: object
    for wrong in (1, "yes", ["pairs"]):
        with pytest.raises(pt.ScenarioError, match=r"interference.* choose one of true, false"):
            three(interference=wrong)
    with pytest.raises(pt.ScenarioError, match=r"interference.*needs at least two jobs"):
        three(interference="pairs", jobs=[plain(three().jobs[0])])


@pytest.mark.native
def test_pairs_and_jobs_left_out_share_runs(tmp_path: Path) -> None:
    pairs = pt.run(three(interference="pairs"), tmp_path)
    assert isinstance(pairs, pt.Experiment)
    assert pairs.complete
    assert pairs.methods == ["pairs"]
    steady = pairs.parts["alone-steady-for-pair-noise+steady"].document["simulated_ns"]
    assert steady == pairs.parts["pair-noise+steady"].document["simulated_ns"]
    slowdowns = pairs.slowdowns().drop("case")
    rows = slowdowns.filter(pl.col("job_set") == TOGETHER).drop("job_set", "beside")
    assert rows.equals(pairs.slowdown.collect())
    assert slowdowns["compared"].null_count() == 0
    matrix = matrix_of(pairs.effects())
    assert matrix.columns == ["victim", "halo", "noise", "steady"]
    alone, pair = pairs.alone["halo"], pairs.parts["pair-halo+noise"]
    times = [run.metric("communication_time_mean_ns", job="halo") or 0 for run in (alone, pair)]
    assert matrix["noise"][0] == times[1] / times[0]
    page = (tmp_path / "report.html").read_text()
    assert "Slowdown of communication time by another job" in page

    stored = len(list((tmp_path / "runs").glob("*/*")))
    left_out = pt.run(three(interference="leave_one_out"), tmp_path)
    assert isinstance(left_out, pt.Experiment)
    assert len(list((tmp_path / "runs").glob("*/*"))) == stored, "pairs of three leave one out"
    assert set(left_out.effects()["method"]) == {"pairs", "leave_one_out"}
    with pytest.raises(pt.RunDirectoryError, match="already holds a run"):
        pt.run(three(interference="leave_one_out"), tmp_path)
    effect = matrix_of(left_out.effects(), method="leave_one_out")["noise"][0]
    together, without = left_out.together, left_out.parts["without-noise"]
    times = [
        run.metric("communication_time_mean_ns", job="halo") or 0 for run in (without, together)
    ]
    assert effect == pytest.approx(times[1] / times[0])


@pytest.mark.native
def test_commands_print_matrices(tmp_path: Path, cli: Cli) -> None:
    file = tmp_path / "three.toml"
    file.write_text(f'interference = "leave_one_out"\n{SCENARIO}{THIRD}')
    ended = cli("run", file, "--out", tmp_path / "run", "--no-report")
    assert ended.status == 0, ended.err
    assert re.search(r"communication time +by halo +by noise +by steady", ended.out)
    assert "with all jobs, over all jobs but" in " ".join(ended.out.split())
    ended = cli("sweep", file, "--seeds", "3", "--out", tmp_path / "sweep", "-w", "1")
    assert ended.status == 0, ended.err
    assert re.search(r"run time +by halo +by noise +by steady", ended.out)
    assert " in the mix" in ended.out
    experiment = pt.Experiment(tmp_path / "sweep")
    effects = experiment.effects().filter(pl.col("method") == "leave_one_out")
    assert set(effects["runs"]) == {3}
    mean = effects.filter(pl.col("victim") == "halo", pl.col("aggressor") == "noise")["mean"][0]
    assert f"{mean:.2f} (" in ended.out
    assert experiment.slowdowns().columns[:4] == ["case", "seed", "job_set", "beside"]


@pytest.mark.native
def test_an_experiment_without_interference_has_no_effects(tmp_path: Path) -> None:
    made = pt.sweep(scenario(), tmp_path, workers=1)
    assert made.slowdowns().is_empty()
    assert made.effects().is_empty()


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (0.9996, 1.0033, "1.00 to 1.00"),
        (0.9914, 1.0043, "0.99 to 1.00"),
        (1.0012, 1.0134, "1.0012 to 1.0134"),
        (1.02, 1.06, "1.02 to 1.06"),
        (1.0, 1.0, "1.00 to 1.00"),
    ],
)
def test_an_interval_that_excludes_one_does_not_seem_to_touch_it(
    low: float, high: float, text: str
) -> None:
    assert ratios_text(low, high) == text


def _patches(figure: Any, panel: int) -> list[tuple[Any, float]]:
    """Returns colour and strength of the coloured cells of a panel, from the last drawn."""
    cells = figure.axes[panel].patches
    return [(cell.get_facecolor()[:3], cell.get_alpha()) for cell in cells[1::2]]


def test_a_matrix_is_orange_where_slower_and_pale_where_the_interval_has_one() -> None:
    rows = [
        ("pairs", "a", "b", "slowdown", 5, 1.5, 1.4, 1.6, True),
        ("pairs", "b", "a", "slowdown", 5, 0.8, 0.7, 0.9, True),
        ("pairs", "b", "c", "slowdown", 5, 1.4, 0.9, 1.9, False),
    ]
    names = ["method", "victim", "aggressor", "measure", "runs", "mean", "low", "high"]
    effects = pl.DataFrame(rows, schema=[*names, "significant"], orient="row")
    figure = effect_matrix(effects)
    (slower, strong), (faster, weaker), (_, none) = _patches(figure, 0)
    assert slower[0] > slower[2], "orange"
    assert faster[2] > faster[0], "blue"
    assert strong == pytest.approx(0.6)
    assert weaker == pytest.approx(0.6 * 0.2 / 0.5)
    assert none == 0
    sentences = [text.get_text() for text in figure.axes[0].texts]
    assert sentences[0] == "1.50 \N{MULTIPLICATION SIGN}\n1.40 to 1.60"
    with pytest.raises(UsageError, match="there are no effects of jobs on each other; run"):
        effect_matrix(effects.clear())
    with pytest.raises(UsageError, match="there are no effects"):
        effect_matrix(effects, "leave_one_out")


@pytest.mark.native
def test_reports_and_the_command_draw_who_slows_whom(
    tmp_path: Path, cli: Callable[..., Ended]
) -> None:
    compared = three(interference="leave_one_out")
    pt.run(compared, tmp_path / "run")
    page = (tmp_path / "run" / "report.html").read_text()
    assert "It is the effect of removing the job of the column." in page
    assert "Which job slows which" in page
    ended = cli("figure", "effect-matrix", tmp_path / "run", "--out", tmp_path / "e.svg")
    assert ended.status == 0, ended.err
    shown = (tmp_path / "e.svg").read_text()
    assert all(job in shown for job in ("halo", "noise", "steady"))
    ended = cli("figure", "effect-matrix", tmp_path / "run" / "together")
    assert ended.status == 2
    assert "takes one interference experiment or one sweep" in ended.err
    pt.sweep(compared, tmp_path / "swept", seeds=2, workers=2)
    ended = cli("report", tmp_path / "swept")
    assert ended.status == 0, ended.err
    page = (tmp_path / "swept" / "report.html").read_text()
    assert "The effect of removing a job" in page
    assert 'id="effects"' in page
    pt.sweep(three(interference=True), tmp_path / "plain", seeds=1, workers=1)
    cli("report", tmp_path / "plain")
    assert 'id="effects"' not in (tmp_path / "plain" / "report.html").read_text()
