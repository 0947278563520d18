"""Studies as data: claims, their verdicts, and a study of a user's folder from runs to JSON."""

from __future__ import annotations

import json
import math
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import pantala as pt
from pantala.analysis.statistics import mean_interval
from pantala.errors import RunDirectoryError, ScenarioError, UsageError
from pantala.experiments.axes import Point
from pantala.papers import studies
from pantala.studies import Campaign, StudyDefinition, Verdict, read_study
from pantala.studies.campaign import check_measures
from pantala.studies.claim import Claim, read_claims
from pantala.studies.evidence import Evidence
from pantala.studies.job_names import known_jobs
from pantala.studies.judgement import coverage, judge
from pantala.studies.study_page import render_study
from support import ROOT, Ended

Cli = Callable[..., Ended]

CLAIM = {"id": "A-1", "where": "IV", "kind": "result", "statement": "It is so.", "paper": "0.3"}


def claim(**keys: object) -> Claim:
    return Claim.model_validate({**CLAIM, **keys})


def verdict(of: Claim, **measures: list[float]) -> Verdict:
    return judge(of, {name: np.array(values) for name, values in measures.items()}).verdict


# --- the rule ---

RULED = claim(holds={"gain": (0.2, 0.4)}, direction={"gain": (0.0, math.inf)})


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.29, 0.30, 0.31], Verdict.HOLDS),
        ([0.30, 0.30, 0.30], Verdict.HOLDS),
        ([0.59, 0.60, 0.61], Verdict.DIRECTION),
        ([-0.59, -0.60, -0.61], Verdict.FAILS),
        ([0.05, 0.30, 0.55], Verdict.UNDECIDED),
        ([-0.15, 0.05, 0.13], Verdict.UNDECIDED),  # outside the range, and its sign is not known
        ([0.30], Verdict.ONE_SEED),
        ([0.30, math.nan], Verdict.ONE_SEED),
        ([math.nan, math.nan], Verdict.NOT_RUN),
    ],
)
def test_the_verdict_follows_from_interval_and_bounds(
    values: list[float], expected: Verdict
) -> None:
    assert verdict(RULED, gain=values) is expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.3, Verdict.HOLDS), (0.6, Verdict.DIRECTION), (-0.6, Verdict.FAILS)],
)
def test_one_seed_has_a_verdict_if_the_study_says_why(value: float, expected: Verdict) -> None:
    assert judge(RULED, {"gain": np.array([value])}, one_seed=True).verdict is expected


def test_a_sign_leaves_out_zero() -> None:
    more = claim(holds={"x": (0, math.inf)})
    assert verdict(more, x=[0.0, 0.0]) is Verdict.FAILS
    assert verdict(more, x=[0.01, 0.02]) is Verdict.HOLDS
    assert verdict(claim(holds={"x": (-math.inf, 0)}), x=[0.0, 0.0]) is Verdict.FAILS
    assert verdict(claim(holds={"x": (0, 1)}), x=[0.0, 0.0]) is Verdict.HOLDS


def test_without_a_direction_a_claim_holds_or_does_not() -> None:
    assert verdict(claim(holds={"x": (0, 1)}), x=[2, 2.1]) is Verdict.FAILS


def test_every_measure_counts() -> None:
    both = claim(holds={"x": (0, 1), "y": (0, 1)}, direction={"y": (0, math.inf)})
    assert verdict(both, x=[0.5, 0.6], y=[0.5, 0.6]) is Verdict.HOLDS
    assert verdict(both, x=[0.5, 0.6], y=[2, 2.1]) is Verdict.DIRECTION
    assert verdict(both, x=[0.5, 0.6], y=[0.5, 1.6]) is Verdict.UNDECIDED
    # A seed without one of the measures does not count.
    assert judge(both, {"x": np.array([0.5, 0.6]), "y": np.array([0.5, np.nan])}).seeds == 1


def test_seeds_with_an_infinite_value_are_told() -> None:
    """A ratio to nothing is no missing run: the verdict says that it does not count."""
    lost = judge(RULED, {"gain": np.array([0.3, np.inf, 0.31])})
    assert lost.words.endswith(", 1 of 3 seeds infinite")
    assert lost.seeds == 2
    nothing = judge(RULED, {"gain": np.array([np.inf, -np.inf])})
    assert nothing.words == "no value, 2 of 2 seeds infinite"
    assert "infinite" not in judge(RULED, {"gain": np.array([0.3, np.nan, 0.31])}).words
    repeats = judge(RULED, {"gain": np.array([0.3, 0.31, np.inf])}, repeated=[2])
    assert "infinite" not in repeats.words


def test_measures_without_bounds_are_shown() -> None:
    found = judge(RULED, {"gain": np.array([0.3, 0.3]), "time": np.array([1.0, 3.0])})
    places = {each.name: each.place for each in found.measured}
    assert places == {"gain": "inside", "time": ""}
    assert found.measured[1].interval.mean == 2.0


def test_measures_without_bounds_are_of_the_seeds_of_the_verdict() -> None:
    """Otherwise the means of two measures would not have the difference of a third one."""
    nan = math.nan
    measures = {
        "gain": np.array([0.3, 0.32, nan, nan]),
        "before": np.array([1.0, 3.0, 8.0, nan]),
        "elsewhere": np.array([nan, nan, 5.0, nan]),
        "one": np.array([7.0]),
    }
    found = {each.name: each.interval for each in judge(RULED, measures).measured}
    assert (found["before"].mean, found["before"].count) == (2.0, 2)
    assert (found["elsewhere"].mean, found["one"].mean) == (5.0, 7.0)


def test_a_claim_can_be_shown_by_a_test_or_not_at_all() -> None:
    assert judge(claim(test="tests/a.py::b"), {}).verdict is Verdict.TEST
    assert judge(claim(unjudged="a photo"), {}).verdict is Verdict.UNJUDGED
    assert judge(RULED, {"gain": np.array([0.3])}).words == "one seed, inside"
    assert judge(RULED, {"gain": np.array([0.5])}).words == "one seed, outside"
    partly = claim(holds={"x": (0, 1)}, partly="the other half")
    assert judge(partly, {"x": np.array([0.5, 0.5])}).words == "holds (partly judged)"


@given(
    st.lists(st.integers(-100, 100).map(lambda n: n / 100), min_size=2, max_size=6),
    st.integers(-100, 100).map(lambda n: n / 100),
    st.integers(0, 100).map(lambda n: n / 100),
)
def test_the_verdict_is_that_of_the_interval(values: list[float], low: float, width: float) -> None:
    """Property: a range holds if and only if it contains the bootstrap interval."""
    high = low + width
    interval = mean_interval(values, method="bootstrap")
    found = verdict(claim(holds={"x": (low, high)}), x=values)
    inside = low - 1e-9 <= interval.low and interval.high <= high + 1e-9
    apart = interval.high < low - 1e-9 or interval.low > high + 1e-9
    expected = Verdict.HOLDS if inside else Verdict.FAILS if apart else Verdict.UNDECIDED
    assert found is expected


@pytest.mark.parametrize("seeds", [3, 5])
def test_intervals_of_few_seeds_contain_the_mean_as_often_as_said(seeds: int) -> None:
    random, draws = np.random.default_rng(3), 600
    hits = 0
    for _ in range(draws):
        interval = mean_interval(random.normal(size=seeds).tolist(), method="bootstrap")
        hits += interval.low <= 0 <= interval.high
    expected = coverage(seeds)
    assert abs(hits / draws - expected) < 3 * math.sqrt(expected * (1 - expected) / draws)
    assert coverage(2) == 0.5 < coverage(4) <= coverage(7) < coverage(1000) < 0.95


# --- files ---

EXAMPLE = ROOT / "examples" / "study"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(EXAMPLE, tmp_path / "mine"))


def changed(folder: Path, file: str, old: str, new: str) -> StudyDefinition:
    path = folder / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    return read_study("mine", folder)


def test_the_quick_version_has_fewer_cases(folder: Path) -> None:
    study = read_study("mine", folder)
    sizes = {
        quick: [len(axis.points) for axis in study.descriptions(quick=quick)["beside"].axes]
        for quick in (False, True)
    }
    assert sizes == {False: [2, 4], True: [1, 1]}


@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        ("study.toml", "title =", "titel =", "titel"),
        ("study.toml", '["par"]', '["pare"]', "quick.only.routing.algorithm"),
        ("study.toml", "routing.algorithm", "routing.algoritm", "did you mean"),
        ("beside.toml", "keep", "kepe", "did you mean 'keep'?"),
        ("measures.py", '"slowdown", {', '"slowdon", {', "column 'slowdon': there is none"),
        ("measures.py", '("minimal", "par")', '("minimal", "pra")', "did you mean 'par'?"),
        ("measures.py", '"beside", ', '"besides", ', "experiment 'besides'"),
        ("measures.py", '"name": "fft"', '"name": "ftf"', "name 'ftf': there is none; did you"),
        ("measures.py", '"name": "fft"', '"job_set": "togehter"', "did you mean 'together'?"),
        (
            "measures.py",
            '"slowdown", {"routing.algorithm": routing, "name": "fft"}',
            '"packets", {"part": "alone-ftf"}, "jobs"',
            "part 'alone-ftf': there is none; did you mean 'alone-fft'?",
        ),
        ("measures.py", '"fft"}', '"fft"}, "jbos"', "table 'jbos': there is none; did you mean"),
        ("measures.py", '"fft"}', '"fft"}, "ranks"', "table ranks: is not kept"),
        (
            "measures.py",
            "return evidence",
            'evidence.rows("besides")\n    return evidence',
            "experiment 'besides': there is none; did you mean 'beside'?",
        ),
        (
            "measures.py",
            "return evidence",
            'evidence.rows("beside", "ranks")\n    return evidence',
            "table ranks: is not kept",
        ),
        ("measures.py", "return evidence", '{}["a"]\n    return evidence', "EX-1: KeyError: 'a'"),
        ("measures.py", 'return {"slowdown"', 'return "slowdown" or {"x"', "returns no dictionary"),
        ("measures.py", "np.max([", "np.array([[1.0]]) + np.max([", "not one value per seed"),
        ("measures.py", 'return {"slowdown"', 'return {"slow"', "does not return the measure"),
        ("measures.py", '"EX-2"', '"EX-7"', "measures.py: MEASURES['EX-2']: is missing"),
        ("measures.py", "MEASURES:", "1 / 0\nMEASURES:", "ZeroDivisionError"),
        ("measures.py", "MEASURES:", "MEASURES = 3  #", "is not a dictionary of functions"),
        ("measures.py", "return evidence", "1 / 0\n    return evidence", "ZeroDivisionError"),
        (
            "measures.py",
            '{"slowdown": np.max',
            '{"slowdown": [[1], [1, 2]] or np.max',
            "ValueError",
        ),
        ("claims.toml", "[[claims]]", "[[claim]]", "did you mean 'claims'?"),
        ("claims.toml", 'kind = "headline"', 'kind = "main"', "claims[0].kind"),
        ("claims.toml", "[1.0, 2.0]", "[2.0, 1.0]", "is no range"),
        ("claims.toml", "[1.0, 2.0]", "[inf, inf]", "holds no number"),
        ("claims.toml", "test =", "direction.x = [0.0, 1.0]\ntest =", "a rule for runs"),
        ("claims.toml", 'id = "EX-2"', 'id = "EX-1"', "two have the id 'EX-1'"),
        ("claims.toml", "holds.slowdown", "hold.slowdown", "did you mean 'holds'?"),
        ("claims.toml", "test =", 'unjudged = "so"\ntest =', "write exactly one"),
    ],
)
def test_faults_are_found_before_the_runs(
    folder: Path, file: str, old: str, new: str, says: str
) -> None:
    with pytest.raises((UsageError, ScenarioError)) as error:
        check_measures(changed(folder, file, old, new))
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_a_fault_of_the_file_of_measures_is_of_no_claim(folder: Path) -> None:
    with pytest.raises(UsageError) as error:
        check_measures(changed(folder, "measures.py", '"EX-2"', '"EX-7"'))
    assert str(error.value).startswith(str(folder / "measures.py"))


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({}, ["fft", "halo"]),
        ({"jobs": ["fft"]}, ["fft", "halo"]),
        ({"jobs": [{"name": "other", "ranks": 2}]}, ["fft", "halo", "other"]),
        ({"jobs": "mix"}, None),
        ({"jobs.halo.count": 2}, None),
        ({"background.load": 0.5}, None),
    ],
)
def test_names_of_jobs_are_known_unless_a_run_decides_them(
    folder: Path, change: dict[str, object], names: list[str] | None
) -> None:
    description = read_study("mine", folder).descriptions(quick=False)["beside"]
    axis = replace(description.axes[0], points=(Point({"a": 1}, change),))
    assert known_jobs(replace(description, axes=(axis,))) == names


def test_claims_need_their_file(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r"claims\.toml"):
        read_claims(tmp_path / "claims.toml")


# --- from runs to verdicts ---


@pytest.mark.native
def test_a_study_of_a_folder_runs_and_is_taken_up_again(
    folder: Path, tmp_path: Path, cli: Cli
) -> None:
    out = tmp_path / "out"
    before = cli("study", "claims", folder, "--out", out)
    assert before.status == 0, before.err
    assert "1 headline claim: 1 not run" in before.out
    listed = cli("study", "run", folder, "--out", out, "--dry-run")
    assert "beside: 2 x 4 = 8 cases, 16 runs" in listed.out
    assert not out.exists()

    made = cli("study", "run", folder, "--out", out, "--workers", "1")
    assert made.status == 0, made.err
    assert "1 headline claim: 1 holds" in made.out
    again = cli("study", "run", folder, "--out", out)
    assert "to simulate" not in again.out

    found = json.loads(cli("study", "claims", folder, "--out", out, "--json").out)
    assert [each["verdict"] for each in found["claims"]] == [
        "holds",
        "does not hold",
        "shown by test",
    ]
    first = found["claims"][0]
    assert first["seeds"] == 4
    experiment = pt.Experiment(out, "beside")
    slowdowns = experiment.slowdowns().drop_nulls("slowdown")
    worst = slowdowns.group_by("seed").max()["slowdown"].mean()
    assert first["measures"]["slowdown"]["mean"] == pytest.approx(worst)
    assert found["counts"]["headline"] == {"holds": 1}
    assert found["runs"] == {"beside": 16}
    descriptions = read_study("mine", folder).descriptions(quick=False)
    evidence = Evidence(descriptions, {"beside": experiment})
    chosen = evidence.chosen("beside", "jobs", ("name", "end_ns"), {"part": "together"})
    whole = evidence.rows("beside", "jobs").filter(pl.col("part") == "together")
    assert_frame_equal(chosen, whole.select("seed", "name", "end_ns"))
    assert evidence.chosen("beside", "jobs", ("name",), {}).height > chosen.height
    assert Evidence(descriptions, {}).chosen("beside", "jobs", ("name",), {}).is_empty()
    with pytest.raises(UsageError, match="column 'nam': there is none; did you mean 'name'"):
        evidence.chosen("beside", "jobs", ("nam",), {})


@pytest.mark.native
def test_the_page_begins_with_what_limits_it(folder: Path, tmp_path: Path, cli: Cli) -> None:
    out = tmp_path / "out"
    nothing = cli("study", "report", folder, "--out", out)
    assert nothing.status == 2
    assert "holds no run" in nothing.err
    path = folder / "claims.toml"
    path.write_text(path.read_text().replace("It is", "<b>It</b>").replace("72 nodes", "<b>72"))
    assert cli("study", "run", folder, "--out", out, "--workers", "1").status == 0
    made = cli("study", "report", folder, "--out", out, "--page", tmp_path / "page.html")
    assert made.out == f"report: {tmp_path / 'page.html'}\n"
    text = (tmp_path / "page.html").read_text()
    assert 'class="caveats"' not in text
    assert "With 4 seeds an interval contains the true mean in about 79 % of cases" in text
    verdicts = re.findall(r">(EX-\d)</th>\s*<td[^>]*>(?:<strong>)?([^<]+)", text)
    assert [words for _, words in verdicts] == ["holds", "does not hold", "shown by test"]
    assert "<b>72" not in text
    assert text.count("<figure") == 1
    other = changed(folder, "beside.toml", "seeds = 4", "seeds = 5")
    again = render_study(Campaign(other, out, quick=False))
    assert "beside: Not in the results: 4 of 20 runs are not simulated yet." in again
    told = cli("study", "claims", folder, "--out", out)
    assert told.out.startswith("beside: Not in the results: 4 of 20 runs are not simulated yet.")


@pytest.mark.native
def test_a_measure_without_a_value_is_not_called_not_run(
    folder: Path, tmp_path: Path, cli: Cli
) -> None:
    out = tmp_path / "out"
    changed(folder, "beside.toml", '"minimal"\n', '"minimal"\nstop = { duration = "20 us" }\n')
    before = cli("study", "claims", folder, "--out", out)
    assert "1 headline claim: 1 not run" in before.out
    made = cli("study", "run", folder, "--out", out, "--workers", "1")
    assert made.status == 0, made.err
    assert "1 headline claim: 1 no value" in made.out
    changed(folder, "beside.toml", "seeds = 4", "seeds = 5")
    assert "1 headline claim: 1 not run" in cli("study", "claims", folder, "--out", out).out


@pytest.mark.native
def test_verdicts_say_that_they_are_of_an_earlier_experiment(
    folder: Path, tmp_path: Path, cli: Cli
) -> None:
    out = tmp_path / "out"
    assert cli("study", "run", folder, "--out", out, "--workers", "1").status == 0
    changed(folder, "beside.toml", "64 KiB", "32 KiB")  # of halo, so fft alone is as before
    told = cli("study", "claims", folder, "--out", out)
    assert "beside: 8 of 16 runs are of an earlier form of the experiment" in told.out
    changed(folder, "beside.toml", "32 KiB", "64 KiB")
    assert "earlier" not in cli("study", "claims", folder, "--out", out).out
    fewer = changed(folder, "beside.toml", "seeds = 4", "seeds = 3")  # no other runs
    assert Campaign(fewer, out, quick=False).caveats == []
    axis = '[[axes]]\n"jobs.*.placement" = ["random"]\n[[axes]]\n"routing'
    changed(folder, "beside.toml", '[[axes]]\n"routing', axis)
    for command in ("claims", "report", "figures"):
        other = cli("study", command, folder, "--out", out)
        assert other.status == 2
        assert "its runs have the axes routing.algorithm, seed, and the study" in other.err
        assert "give pantala study run" in other.err
    again = cli("study", "run", folder, "--out", out, "--workers", "1")
    assert again.status == 0, again.err
    assert "earlier" not in again.out


@pytest.mark.native
def test_seeds_without_effect_count_once(folder: Path, tmp_path: Path, cli: Cli) -> None:
    path = folder / "beside.toml"
    fixed = [placement(range(16)), placement(range(16, 64))]
    text = path.read_text().replace("[[scenario.jobs]]", "[[scenario.jobs]]\nplacement = PLACE")
    for each in fixed:
        text = text.replace("PLACE", each, 1)
    path.write_text(text.replace('"minimal", "par"', '"minimal"'))
    changed(folder, "measures.py", '("minimal", "par")', '("minimal",)')
    changed(folder, "measures.py", 'slowdown(evidence, "par")', "1.2")
    (folder / "study.toml").write_text(
        (folder / "study.toml").read_text().replace('["par"]', '["minimal"]')
    )
    made = cli("study", "run", folder, "--out", tmp_path / "out", "--workers", "1")
    assert made.status == 0, made.err
    assert "1 headline claim: 1 one seed" in made.out


@pytest.mark.native
def test_seeds_count_once_for_a_claim_whose_cases_do_not_depend_on_them(
    folder: Path, tmp_path: Path, cli: Cli
) -> None:
    """Other cases of the study do: the seeds differ, and the values of the claim are one value."""
    path = folder / "beside.toml"
    text = path.read_text()
    fixed = f'"jobs.fft.placement" = {placement(range(16))}'
    other = f'"jobs.halo.placement" = {placement(range(16, 64))}'
    cases = f'name = "where"\ncases.fixed = {{ {fixed}, {other} }}\ncases.random = {{}}\n'
    path.write_text(f"{text}\n[[axes]]\n{cases}")
    # Minimal routing draws nothing.
    changed(folder, "measures.py", '("minimal", "par")], axis', '("minimal",)], axis')
    for where in ("fixed", "random"):
        old = '"routing.algorithm": routing,' if where == "fixed" else '"where": "fixed",'
        study = changed(
            folder, "measures.py", old, f'"routing.algorithm": routing, "where": "{where}",'
        )
        made = cli("study", "run", folder, "--out", tmp_path / "out", "--workers", "1")
        assert made.status == 0, made.err
        (first, *_) = Campaign(study, tmp_path / "out", quick=False).judgements()
        assert first.seeds == (1 if where == "fixed" else 4)
        assert (first.verdict is Verdict.ONE_SEED) == (where == "fixed")


def test_seeds_that_repeat_others_do_not_count() -> None:
    measures = {"gain": np.array([0.3, 0.3, 0.31]), "time": np.array([1.0, 1.0, 3.0])}
    found = judge(RULED, measures, repeated=[1])
    assert (found.seeds, [each.interval.mean for each in found.measured]) == (2, [0.305, 2.0])
    assert judge(RULED, measures, repeated=[1, 2]).verdict is Verdict.ONE_SEED


def placement(nodes: range) -> str:
    return f'{{ kind = "nodes", nodes = {list(nodes)} }}'


@pytest.mark.native
def test_a_study_without_an_axis_of_seeds_has_one(folder: Path, tmp_path: Path, cli: Cli) -> None:
    changed(folder, "beside.toml", "seeds = 4\n", "")
    made = cli("study", "run", folder, "--out", tmp_path / "out", "--workers", "1")
    assert made.status == 0, made.err
    assert "1 headline claim: 1 one seed" in made.out


@pytest.mark.native
def test_runs_are_repeated_and_a_difference_is_found(
    folder: Path, tmp_path: Path, cli: Cli
) -> None:
    out = tmp_path / "out"
    nothing = cli("study", "verify", folder, "--quick", "--out", out)
    assert nothing.status == 2
    assert "holds no run" in nothing.err
    cli("study", "run", folder, "--quick", "--out", out, "--workers", "1")
    same = cli("study", "verify", folder, "--quick", "--out", out)
    assert same.status == 0, same.err
    assert "2 runs repeated, with the same results" in same.out
    for index in (out / "index").glob("*.jsonl"):
        lines = [json.loads(line) for line in index.read_text().splitlines()]
        text = "".join(json.dumps({**each, "result_hash": "0"}) + "\n" for each in lines)
        index.write_text(text)
    other = cli("study", "verify", folder, "--quick", "--out", out, "--runs", "1")
    assert other.status == 1
    assert "of 1 run, 1 gave other results" in other.out


@pytest.mark.native
def test_the_quick_version_judges_nothing(folder: Path, tmp_path: Path, cli: Cli) -> None:
    out = tmp_path / "out"
    made = cli("study", "run", folder, "--quick", "--out", out, "--workers", "1")
    assert made.status == 0, made.err
    assert made.out.startswith("Quick version: one seed, one routing; no verdict.\n")
    # A routing of the claim is left out, so the table leaves out the claim.
    assert "1 headline claim: 1 not run" in made.out
    assert "EX-1" not in made.out
    refused = cli("study", "run", folder, "--out", out)
    assert refused.status == 2
    assert "holds the quick version of the study mine" in refused.err


def test_a_directory_of_a_newer_form_is_refused(folder: Path, tmp_path: Path) -> None:
    mark = {"study": "mine", "quick": False, "format": 99, "pantala": "9.0"}
    (tmp_path / "campaign.json").write_text(json.dumps(mark))
    with pytest.raises(RunDirectoryError, match=r"newer Pantala \(9\.0\)"):
        Campaign(read_study("mine", folder), tmp_path, quick=False)
    for damaged in ("{", "[]", json.dumps({**mark, "format": "x"}), '{"study": "mine"}'):
        (tmp_path / "campaign.json").write_text(damaged)
        with pytest.raises(RunDirectoryError, match="is damaged"):
            Campaign(read_study("mine", folder), tmp_path, quick=False)


@pytest.mark.parametrize("name", [each.name for each in studies()])
def test_the_measures_of_each_paper_can_be_asked_before_the_runs(name: str) -> None:
    found = next(each for each in studies() if each.name == name)
    check_measures(found)
    assert found.descriptions(quick=True)


@pytest.mark.parametrize("name", [each.name for each in studies()])
def test_the_tests_that_show_a_claim_exist(name: str) -> None:
    found = next(each for each in studies() if each.name == name)
    for claim in found.claims:
        file, _, test = claim.test.partition("::")
        if file:
            text = (ROOT / file).read_text(encoding="utf-8")
            assert re.search(rf"\b(def|fn) {test.partition('[')[0]}\b", text), claim.test


def test_a_long_study_goes_in_stretches(folder: Path, tmp_path: Path, cli: Cli) -> None:
    run = ("study", "run", folder, "--out", tmp_path / "out")
    wrong = cli(*run, "--experiment", "besides")
    assert (wrong.status, "did you mean 'beside'?" in wrong.err) == (2, True)
    part = cli(*run, "--seeds", "1", "--experiment", "beside", "--workers", "1")
    assert part.status == 0, part
    assert "one seed" in part.out
    claims = cli("study", "claims", folder, "--out", tmp_path / "out")
    assert "12 of 16 runs" in claims.out
    page = render_study(Campaign(read_study("mine", folder), tmp_path / "out", quick=False))
    assert "Measured: the value of one seed [bounds of the claim]." in page
    assert "interval" not in page.split("<figure")[0]


ENDLESS = """
until_precise = {{ precision = "2%", longest = "100 us" }}
axes = {{ "jobs.0.workload.load" = [0.1, 0.2] }}
keep = ["{keep}"]

[scenario]
name = "endless"
machine = "prisacari2015(2,3,2)"
routing = "minimal"
stop = {{ duration = "20 us" }}

[[scenario.jobs]]
name = "traffic"
ranks = 42
workload = {{ kind = "pattern", pattern = "uniform", load = 0.1 }}
"""


@pytest.mark.native
def test_runs_that_are_precise_give_verdicts_on_their_throughput(tmp_path: Path, cli: Cli) -> None:
    """A study of one seed, whose measure reads the table of steady throughputs."""
    folder = tmp_path / "endless"
    folder.mkdir()
    (folder / "study.toml").write_text(
        """
        title = "Endless traffic"
        source = "A paper"
        quick = "Quick version: shorter runs."
        one_seed = "Each run continues until it is known to 2 %."
        [experiments.load]
        file = "load.toml"
        quick = { until_precise = { longest = "30 us" } }
        """
    )
    (folder / "load.toml").write_text(ENDLESS.format(keep="jobs"))
    bounds = {"accepted": (0.19, 0.21)}
    written = "".join(f'{key} = "{value}"\n' for key, value in CLAIM.items())
    holds = "".join(f"holds.{key} = {list(value)}\n" for key, value in bounds.items())
    (folder / "claims.toml").write_text(f"[[claims]]\n{written}{holds}")
    (folder / "measures.py").write_text(
        "def accepted(e):\n"
        "    load = {'jobs.0.workload.load': 0.2}\n"
        "    return {'accepted': e.cell('load', 'accepted', load, 'throughputs')}\n\n\n"
        "MEASURES = {'A-1': accepted}\n"
    )
    made = cli("study", "run", folder, "--out", tmp_path / "out", "--workers", "1")
    assert made.status == 0, made.err
    assert "1 result claim: 1 holds" in made.out
    assert "Each run continues until it is known to 2 %." in made.out
    small = read_study("endless", folder).descriptions(quick=True)["load"].until_precise
    assert small is not None
    assert small.longest_ps == 30_000_000
    # The runs repeat with the same results, though they are then made at once.
    again = cli("study", "verify", folder, "--out", tmp_path / "out", "--runs", "2")
    assert again.status == 0, again.out
