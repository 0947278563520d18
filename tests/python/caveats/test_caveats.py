"""What makes results approximate or partial stands first in every output that shows them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pantala as pt
from pantala.caveats import Absent, Facts, Overlap, beside_others, caveats_of, facts_of
from pantala.caveats.job_spans import JobSpan, job_spans
from pantala.report.reported_run import ReportedRun
from support import Ended
from sweeps import SCENARIO, scenario

Cli = Callable[..., Ended]


def job(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "workload": {"kind": "halo3d"}, **more}


def row(name: str, start: float, end: float | None, **more: Any) -> dict[str, Any]:
    sent = {"packets": 5, "injected_bytes": 10, "mpi_bytes": 10}
    return {"name": name, "start_ns": start, "end_ns": end, "complete": end is not None} | (
        sent | more
    )


def facts(
    jobs: list[dict[str, Any]], rows: list[dict[str, Any]], plan: dict[str, Any], **document: Any
) -> Facts:
    made = {"plan": {"seed": 1, "jobs": jobs, **plan}, "complete": True, "reason": "finished"}
    schema = {"end_ns": pl.Float64, "mpi_bytes": pl.Int64}
    return facts_of(
        made | {"simulated_ns": 100.0} | document, pl.DataFrame(rows, schema_overrides=schema)
    )


def test_a_job_that_repeats_or_has_an_end_or_is_a_pattern_is_not_unfinished() -> None:
    jobs = [
        job("ended"),
        job("cut"),
        job("again", repeat=True),
        job("set", end_ps=50_000),
        {"name": "traffic", "workload": {"kind": "pattern"}},
    ]
    rows = [row("ended", 0, 90), *(row(each["name"], 0, None) for each in jobs[1:])]
    found = facts(jobs, rows, {})
    assert found.unfinished == ("cut",)
    (caveat, _) = [
        each for each in caveats_of({"x": found}) if each.kind in ("unfinished", "one_seed")
    ]
    assert caveat.text.startswith("cut had not ended when the run did.")


def test_jobs_that_had_not_ended_are_told_of_their_own_runs() -> None:
    jobs = [job("a"), job("b")]
    first = facts(jobs, [row("a", 0, None), row("b", 0, 90)], {})
    second = facts(jobs, [row("a", 0, 90), row("b", 0, None)], {})
    among = {"x": first, "y": second, "z": second}
    texts = [each.text for each in caveats_of(among) if each.kind == "unfinished"]
    assert [text.split(" had not")[0] for text in texts] == ["x: a", "y, z: b"]


def test_many_sets_of_runs_with_jobs_that_had_not_ended_are_one_sentence() -> None:
    names = "abcdef"
    among = {
        f"run {name}": facts(
            [job(each) for each in names],
            [row(each, 0, None if each == name else 90) for each in names],
            {},
        )
        for name in names
    }
    (text,) = [each.text for each in caveats_of(among) if each.kind == "unfinished"]
    assert "had not ended when the run did, each in some of these runs." in text


def test_routings_that_learn_are_told_once_for_all_runs_whose_jobs_all_learn() -> None:
    cold = {"algorithm": "q_adaptive"}
    runs = {name: facts([job(name)], [row(name, 0, 90)], {"routing": cold}) for name in ("a", "b")}
    runs["c"] = facts([job("a")], [row("a", 0, 90)], {"routing": {"algorithm": "par"}})
    (text,) = [each.text for each in caveats_of(runs) if each.kind == "learning"]
    assert text.startswith("a, b: q_adaptive started without learned estimates")


def test_windows_of_the_record_beyond_the_end_of_the_run_are_told() -> None:
    record = {
        "window_ps": 10_000_000,  # the default
        "link_window_ps": 1_000_000_000,
        "ports": {"windows_ps": [50_000, 2_000_000]},
        "packets": "all",
        "packet_from_ps": 5_000_000,
    }
    found = facts([job("a")], [row("a", 0, 90)], {"record": record})
    assert Facts.from_dict(json.loads(json.dumps(found.to_dict()))) == found
    sentences = [each.text for each in caveats_of({"x": found}) if each.kind == "windows"]
    assert sentences == [
        "The run took 100 ns, less than the window of record.link_window (1 ms) and"
        " record.ports.windows (2 us): their tables have a single window; less than"
        " record.packet_from (5 us): no packet has a row. Give times within the run."
    ]
    for length in (10_000_000, 100_000_000):  # the defaults of small and of large machines
        default = {"window_ps": 10_000_000, "link_window_ps": length}
        assert facts([job("a")], [row("a", 0, 90)], {"record": default}).windows == ()
    inside = facts([job("a")], [row("a", 0, 90)], {"record": record}, simulated_ns=2e6)
    assert not [each for each in caveats_of({"x": inside}) if each.kind == "windows"]


@pytest.mark.native
def test_a_run_shorter_than_a_window_says_so_first(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(SCENARIO)
    given = ["--set", "stop.target=halo", "--set", "record.link_window=1 s"]
    ended = cli("run", tmp_path / "s.toml", *given, "--out", tmp_path / "out")
    assert ended.status == 0, ended.err
    assert "less than the window of record.link_window (1 s)" in " ".join(
        ended.out.replace("\u00a0", " ").split()
    )


def test_the_share_of_a_run_beside_another_job_and_the_remedy() -> None:
    jobs = [job("long"), job("short"), job("again", repeat=True), job("late", start_ps=90_000)]
    rows = [
        row("long", 0, 100),
        row("short", 0, 5),
        row("again", 0, None),
        row("late", 90, 98),
    ]
    found = facts(jobs, rows, {}, simulated_ns=110.0)
    sentence = {(each.job, each.other): (each.share, each.early) for each in found.overlaps}
    assert sentence["long", "short"] == (0.05, True)
    assert ("long", "again") not in sentence
    assert ("again", "long") not in sentence  # the run ends at the end of a window
    (caveat,) = [each for each in caveats_of({"x": found}) if each.kind == "overlap"]
    assert "short ran for 5.0 % of long's run (5.00 ns of 100 ns)" in caveat.text
    assert "set repeat = true for short" in caveat.text
    assert caveat.short == "short did not run during late's run, and 3 more pairs"
    (caveat,) = [
        each for each in caveats_of({"x": facts(jobs[:2], rows[:2], {})}) if each.kind == "overlap"
    ]
    assert caveat.short == "short ran for 5.0 % of long's run"


def spans(ends: dict[str, tuple[float, float]], simulated: float) -> dict[str, JobSpan]:
    """Returns the spans of jobs that end by themselves."""
    rows = {name: row(name, *times) for name, times in ends.items()}
    return job_spans([job(name) for name in ends], rows, simulated, "finished")


def test_a_job_runs_beside_the_union_of_the_others() -> None:
    after_each_other = {"long": (0.0, 100.0), "first": (0.0, 51.0), "second": (52.0, 120.0)}
    assert beside_others(spans(after_each_other, 120.0)) == {
        "long": 0.99,
        "first": 1.0,
        "second": 48 / 68,
    }
    together = {"long": (0.0, 100.0), "first": (0.0, 50.0), "second": (10.0, 40.0)}
    assert beside_others(spans(together, 100.0))["long"] == 0.5
    touching = {"long": (0.1, 0.7), "first": (0.1, 0.3), "second": (0.3, 0.7)}
    assert beside_others(spans(touching, 1.0))["long"] == 1.0


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=1, max_size=5))
def test_the_union_is_what_a_clock_counts(drawn: list[tuple[int, int]]) -> None:
    """Every unit of time in which another job runs counts once; one other job is as a pair."""
    times = {str(at): (float(one), float(one + two)) for at, (one, two) in enumerate(drawn)}
    ran = {name: set(range(int(start), int(end))) for name, (start, end) in times.items()}
    shares = beside_others(spans(times, 30.0))
    for name, mine in ran.items():
        others = set().union(*(ran[other] for other in ran if other != name))
        assert shares[name] == (len(mine & others) / len(mine) if mine else 1.0)
    if len(drawn) == 2:
        found = facts([job("0"), job("1")], [row(name, *times[name]) for name in "01"], {})
        pairs = {each.job: each.share for each in found.overlaps}
        assert shares == {"0": 1.0, "1": 1.0} | pairs


def test_a_report_says_for_how_much_of_its_run_a_job_had_others_beside_it() -> None:
    times = {"long": (0.0, 100.0), "first": (0.0, 30.0), "second": (20.0, 60.0)}
    rows = [row(name, *ends) for name, ends in times.items()]
    plan = {"jobs": [job(name) for name in times]}
    document = {"plan": plan, "simulated_ns": 100.0, "reason": "finished"}
    table = pl.DataFrame(rows).with_columns(job=pl.Series(range(3))).lazy()
    run: Any = SimpleNamespace(document=document, jobs=table)
    assert ReportedRun("x", run, {}, None).beside == {"long": "60\u00a0%"}
    assert ReportedRun("x", run, {}, None, targets=["first"]).beside == {}


def test_the_run_of_a_job_that_repeats_is_no_reason_for_a_caveat() -> None:
    """Jobs of a background and of a snapshot repeat: other jobs decide how long they run."""
    jobs = [job("mine", start_ps=60_000), job("background-1", repeat=True)]
    found = facts(jobs, [row("mine", 60, 96), row("background-1", 0, None)], {})
    ((share, lasting),) = [(each.share, each.lasting) for each in found.overlaps]
    assert (share, lasting) == (0.36, True)
    assert not [each for each in caveats_of({"x": found}) if each.kind == "overlap"]


def test_the_run_of_an_endless_job_lasts_until_the_run_ends() -> None:
    noise = {"name": "noise", "workload": {"kind": "pattern"}}
    rows = [row("late", 30, 95), row("noise", 0, None)]
    found = facts([job("late", start_ps=30_000), noise], rows, {})
    (caveat,) = [each for each in caveats_of({"x": found}) if each.kind == "overlap"]
    assert caveat.text == "late ran for 65 % of noise's run (65.0 ns of 100 ns)."


def test_jobs_that_sent_nothing_and_tables_that_start_cold() -> None:
    cold = {"algorithm": "q_adaptive", "q_adaptive": {"table": ""}}
    rows = [row("a", 0, 9), row("b", 0, 9, packets=0, injected_bytes=0, mpi_bytes=None)]
    found = facts([job("a"), job("b", routing={"algorithm": "par"})], rows, {"routing": cold})
    assert (found.silent, found.learning) == (("b",), ("a",))
    kinds = {each.kind: each.text for each in caveats_of({"x": found})}
    assert kinds["silent"].startswith(
        "b sent nothing during the run, so nothing was disturbed by it"
    )
    assert "b sent nothing" in kinds["silent"]
    both = facts([job("b"), job("c")], [rows[1], {**rows[1], "name": "c"}], {})
    (silent,) = [each.text for each in caveats_of({"x": both}) if each.kind == "silent"]
    assert silent == (
        "b and c sent nothing during the run, so nothing was disturbed by them. Check their starts,"
        " their loads and stop.duration."
    )
    assert kinds["learning"].startswith("q_adaptive of a started without learned estimates")
    warm = {"algorithm": "q_adaptive", "q_adaptive": {"table": "before"}}
    assert facts([job("a")], rows[:1], {"routing": warm}).learning == ()


def test_jobs_that_sent_nothing_are_told_of_the_runs_that_they_were_silent_in() -> None:
    """A sentence names a job and a run only if the job sent nothing in the run."""
    runs = {
        "still alone": Facts(jobs=("still",), silent=("still",)),
        "calm alone": Facts(jobs=("calm",), silent=("calm",)),
        "late alone": Facts(jobs=("late",)),
        "without late": Facts(jobs=("still", "calm"), silent=("still", "calm")),
        "together": Facts(jobs=("still", "calm", "late"), silent=("still", "calm", "late")),
    }
    end = "Check their starts, their loads and stop.duration."
    found = [each for each in caveats_of(runs) if each.kind == "silent"]
    assert [each.text for each in found] == [
        "still and calm sent nothing in all of their runs, so nothing was disturbed by them."
        f" {end}",
        "together: late sent nothing during the run, so nothing was disturbed by it. Check its"
        " start, its load and stop.duration.",
    ]
    assert [each.short for each in found] == [
        "sent nothing: still and calm (4 of 5 runs)",
        "sent nothing: late (1 of 5 runs)",
    ]
    two = {str(seed): runs["together"] for seed in range(2)}
    (one,) = [each.text for each in caveats_of(two) if each.kind == "silent"]
    assert one.startswith("still, calm and late sent nothing during the run, so nothing was")


def test_the_jobs_that_sent_nothing_in_several_sets_of_runs_are_few_sentences() -> None:
    names = [f"job{at}" for at in range(8)]
    runs = {f"{at}": Facts(jobs=tuple(names), silent=(name,)) for at, name in enumerate(names)}
    texts = [each.text for each in caveats_of(runs) if each.kind == "silent"]
    assert len(texts) == 5
    assert texts[0].startswith("0: job0 sent nothing during the run, so")
    assert texts[-1] == "4 more jobs sent nothing in some runs."


def test_facts_survive_json() -> None:
    found = Facts(("a",), 3, 2, "Coarsened", False, "duration", 5.0, ("a",), ("a",), (), ())
    found = Facts(**{**found.__dict__, "overlaps": (Overlap("a", "b", 1.0, 2.0, True),)})
    assert Facts.from_dict(found.to_dict()) == found


def test_a_set_of_runs_says_how_many_it_means() -> None:
    runs = {
        f"r{number}": Facts(seed=number, complete=number > 2, reason="duration")
        for number in range(12)
    }
    runs |= {"coarse": Facts(seed=1, coarsen=4, coarsened="Coarsened by 4: told.")}
    sentence = {each.kind: each for each in caveats_of(runs, absent=Absent(2, 3, 1, 20, 9))}
    assert sentence["coarse"].text == "1 of 13 runs: Coarsened by 4: told."
    assert sentence["cut_off"].text.startswith("3 of 13 runs: Each run ended at its set duration")
    assert sentence["absent"].text == (
        "Not in the results: 2 of 20 runs failed; 3 of 20 runs are not simulated yet;"
        " 1 of 9 cases are refused."
    )
    assert "one_seed" not in sentence


def test_seeds_with_equal_results_are_named() -> None:
    runs = {str(seed): Facts(seed=seed, result_hash="same") for seed in (1, 2, 3)}
    (caveat,) = caveats_of(runs, seeds=[["1", "2", "3"]])
    assert caveat.text.startswith("Seeds 1, 2 and 3 gave equal results (equal result_hash).")


def test_the_few_words_of_a_set_of_runs_are_of_the_same_things_as_its_sentences() -> None:
    """A footnote is of the runs, groups and pairs that the sentence is of, not of all runs."""
    runs = {
        f"{group}{seed}": Facts(
            seed=seed,
            result_hash=f"{group}" if group == "a" else f"{group}{seed}",
            overlaps=(Overlap("a2a", "stencil", 3.7 + seed, 10.0, False),) * (group == "b"),
            skipped=f"skipped: {seed} % was simulated" if group == "c" else "",
        )
        for group in "abc"
        for seed in (1, 2, 3)
    }
    seeds = [[f"{group}{seed}" for seed in (1, 2, 3)] for group in "abc"]
    found = caveats_of(runs, seeds=seeds)
    text = {each.kind: each.text for each in found}
    short = {each.kind: [one.short for one in found if one.kind == each.kind] for each in found}
    assert text["equal_seeds"].startswith("In 1 of 3 groups of seeds, seeds gave equal results")
    assert short["equal_seeds"] == ["seeds without effect in 1 of 3 groups of seeds"]
    assert text["overlap"].startswith("3 of 9 runs: At the least, stencil ran for 47 %")
    assert short["overlap"] == ["at the least, stencil ran for 47 % of a2a's run (3 of 9 runs)"]
    assert short["skipped"] == ["skipped (3 of 9 runs)", "", "", ""]
    assert text["skipped"].startswith("Some runs skipped time and others did not")


@pytest.mark.native
def test_a_coarse_sweep_says_so_in_every_output(cli: Cli, tmp_path: Path) -> None:
    coarse = scenario().replace({"detail.coarsen": 2, "jobs.halo.workload.message": "8 KiB"})
    pt.sweep(coarse, tmp_path / "sweep", seeds=2, workers=1)
    found = pt.Experiment(tmp_path / "sweep")
    assert found.caveats[0].kind == "coarse"
    (status,) = json.loads(cli("status", tmp_path / "sweep", "--json").out)
    assert status["caveats"][0]["kind"] == "coarse"
    assert cli("status", tmp_path / "sweep").out.splitlines()[1].startswith("Coarsened by 2")
    assert cli("report", tmp_path / "sweep").status == 0
    page = (tmp_path / "sweep" / "report.html").read_text()
    assert "<li>Coarsened by 2: " in page.split("<header>", 1)[1].split("<h1>", 1)[0]


#: One job whose run no seed changes: contiguous, minimal routing, no noise.
STILL = SCENARIO[: SCENARIO.index('[[jobs]]\nname = "noise"')].replace("random", "contiguous")


@pytest.mark.native
def test_seeds_without_effect_count_as_one_value_everywhere(cli: Cli, tmp_path: Path) -> None:
    file, out = tmp_path / "still.toml", tmp_path / "still"
    file.write_text(STILL)
    command = ("sweep", file, "--axis", "jobs.halo.placement=contiguous,random", "--seeds", "3")
    ended = cli(*command, "--out", out)
    assert ended.status == 0, ended.err
    assert "In 1 of 2 groups of seeds, seeds gave equal results (equal result_hash)." in ended.out
    found = pt.Experiment(out)
    value = "communication_time_mean_ns"
    by_placement = {row["jobs.halo.placement"]: row for row in found.intervals(value).to_dicts()}
    assert by_placement["contiguous"]["runs"] == 1
    assert by_placement["contiguous"]["repeated"] == 2
    assert by_placement["contiguous"]["high"] == float("inf")
    assert (by_placement["random"]["runs"], by_placement["random"]["repeated"]) == (3, 0)
    medians = found.medians(value)
    assert dict(medians.select("jobs.halo.placement", "runs").iter_rows()) == {
        "contiguous": 1,
        "random": 3,
    }
    paired = found.differences(value, "jobs.halo.placement", "contiguous")
    assert paired["runs"].to_list() == [3]  # the random side has three results
    assert "seeds gave equal results" in cli("status", out).out
    assert cli("report", out).status == 0
    page = (out / "report.html").read_text()
    assert "seeds gave equal results" in page.split("<h1>", 1)[0]
    compared = cli("compare", out, "--by", "jobs.halo.placement")
    assert "seeds gave equal results" in compared.out


@pytest.mark.native
def test_two_sides_without_an_effect_of_the_seed_have_no_interval(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "still.toml"
    file.write_text(STILL)
    axis = ("--axis", "machine.router.input_latency=10 ns,20 ns")
    command = ("sweep", file, *axis, "--seeds", "12", "--precision", "2%")
    ended = cli(*command, "--out", tmp_path / "still")
    assert ended.status == 0, ended.err
    assert "10 of 12 seeds: all gave equal results, so there is no interval" in ended.out
    text = cli("compare", tmp_path / "still", "--by", "machine.router.input_latency", "--json")
    rows = json.loads(text.out)["metrics"]
    assert {row["basis"] for row in rows} == {"single"}
    assert "10 seeds with equal results count as one" in rows[0]["words"]


@pytest.mark.native
def test_a_job_that_repeats_is_not_cut_off(cli: Cli, tmp_path: Path) -> None:
    repeated = scenario().replace({"jobs.noise.repeat": True, "interference": True})
    pt.sweep(repeated, tmp_path / "sweep", workers=1)
    found = pt.Experiment(tmp_path / "sweep")
    assert set(found.intervals("communication_time_mean_ns")["cut_off"]) == {0}
    run = pt.run(repeated, tmp_path / "run")
    page = (run.path / "report.html").read_text().replace("\u00a0", " ")
    assert "unfinished" not in page
    assert "the routing chose" not in page
    assert "bytes together than in all runs alone" in page or "as many bytes" in page


def test_a_job_that_starts_after_the_run_ran_beside_nobody_and_is_not_unfinished() -> None:
    rows = [row("early", 0, 90), row("late", 500, None, packets=0, injected_bytes=0, mpi_bytes=0)]
    found = facts([job("early"), job("late")], rows, {})
    assert (found.unfinished, found.silent) == ((), ("late",))
    spans = job_spans([job("early"), job("late")], {each["name"]: each for each in rows}, 100.0, "")
    assert beside_others(spans) == {"early": 0.0, "late": 0.0}


def test_a_run_alone_that_ends_with_the_run_together_blames_no_key() -> None:
    ends = facts([job("a")], [row("a", 0, 90)], {})
    cut = facts([job("b")], [row("b", 0, None)], {}, complete=False, reason="duration")

    def said(together: Facts) -> list[str]:
        made = caveats_of({"together": together, "alone-b": cut}, ask_for_seeds=False)
        return [each.text for each in made if each.kind == "cut_off"]

    (text,) = said(ends)
    assert "ended with the run of all jobs together after 100 ns" in text
    assert all("stop.duration" in text for text in said(cut))


@pytest.mark.native
def test_a_report_says_that_a_job_did_not_start(tmp_path: Path) -> None:
    late = {"jobs.noise.start": "1 s", "jobs.noise.repeat": True}
    run = pt.run(scenario().replace(late), tmp_path / "run")
    page = (run.path / "report.html").read_text()
    assert "did not start" in page
