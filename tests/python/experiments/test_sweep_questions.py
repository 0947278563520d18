"""Sweeps that a reader could misunderstand: repeated points, zipped axes, jobs that are cut off."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

import pantala as pt
from pantala.comparison.subject import open_subject
from pantala.comparison.values import values_of
from pantala.core.plan import Plan
from pantala.errors import ProgramError, UnwritableError, UsageError, shortened
from pantala.experiments.description import KEEP, describe
from pantala.experiments.expand import Expansion
from pantala.experiments.runner import Sweep
from pantala.figures.effects import effect_matrix
from pantala.store.identity import run_id
from support import Ended
from sweeps import SCENARIO, scenario

pytestmark = pytest.mark.native
Cli = Callable[..., Ended]

VALUE = "communication_time_mean_ns"
ZIPPED = [{"routing.algorithm": ["minimal", "par"], "jobs.*.placement": ["random", "contiguous"]}]


@pytest.fixture(scope="module")
def zipped(tmp_path_factory: pytest.TempPathFactory) -> pt.Experiment:
    folder = tmp_path_factory.mktemp("zipped")
    made: pt.Experiment = pt.sweep(
        scenario(), folder, axes=ZIPPED, seeds=3, keep=["ranks"], workers=1
    )
    return made


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.toml"
    path.write_text(SCENARIO)
    return path


def copies() -> pt.Scenario:
    """Returns a scenario whose second job has two copies."""
    return scenario().replace({"jobs.noise.count": 2, "jobs.noise.ranks": 8})


@pytest.mark.parametrize(
    ("axes", "seeds", "said"),
    [
        ({"routing.algorithm": ["par", "minimal", "par"]}, None, r'algorithm = "par": appears tw'),
        ({"jobs.halo.workload.iterations": [1, 1.0]}, None, r"iterations = 1.0: appears twice"),
        ({}, [1, 2, 1], r"seeds: seed = 1: appears twice; give each value once"),
    ],
)
def test_a_value_that_is_there_twice_would_narrow_the_intervals(
    axes: dict[str, Any], seeds: list[int] | None, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        describe(scenario(), axes=axes, seeds=seeds)
    describe(scenario(), axes=[{"routing.algorithm": ["par", "par"], "seed": [1, 2]}])


def test_arrays_are_axes() -> None:
    made = describe(
        scenario(),
        axes={
            "jobs.halo.workload.iterations": np.arange(1, 3),
            "jobs.noise.workload.iterations": [np.int64(3)],
        },
        seeds=np.array([4, 5]),  # type: ignore[arg-type]
    )
    cases = Expansion(made)
    assert [cases.parts(number)[0].plan["seed"] for number in range(4)] == [4, 5, 4, 5]
    assert made.document()["axes"][0]["points"][1]["changes"] == {
        "jobs.halo.workload.iterations": 2
    }


def test_a_pivot_of_several_parts_needs_one_of_them(tmp_path: Path) -> None:
    """A median over jobs alone and together has no meaning."""
    both = scenario().replace({"interference": True})
    made = pt.sweep(both, tmp_path, axes={"routing.algorithm": ["minimal", "par"]}, workers=1)
    asked: dict[str, Any] = {"rows": "name", "columns": "routing.algorithm"}
    with pytest.raises(UsageError, match="give part = one of alone-halo, alone-noise, together"):
        made.pivot(VALUE, **asked)
    with pytest.raises(UsageError, match=r"part = 'togther': .*did you mean 'together'"):
        made.pivot(VALUE, **asked, part="togther")
    rows = made.table("jobs").filter(pl.col("part") == "together", pl.col("name") == "halo")
    values = dict(rows.select("routing.algorithm", VALUE).collect().iter_rows())
    (halo,) = made.pivot(VALUE, **asked, part="together").filter(name="halo").to_dicts()
    assert halo == {"name": "halo"} | values
    parts = made.pivot(VALUE, rows=["name", "part"], columns="routing.algorithm")
    assert parts.height == 4


def test_a_star_means_the_jobs_of_the_scenario_with_all_copies() -> None:
    cases = Expansion(describe(copies(), axes={"jobs.*.placement": ["contiguous", "random"]}))
    plans = [cases.parts(number)[0].plan for number in range(2)]
    assert [len(plan["jobs"]) for plan in plans] == [3, 3]
    assert {job["placement"]["kind"] for job in plans[0]["jobs"]} == {"contiguous"}
    filled = scenario().replace({"background": {"share": 1.0}})
    cases = Expansion(describe(filled, axes={"jobs.*.placement": ["contiguous"]}))
    assert len(cases.parts(0)[0].plan["jobs"]) > 2


def test_an_axis_of_jobs_names_all_copies_or_one() -> None:
    cases = Expansion(describe(copies(), axes={"jobs": ["halo+noise", "halo+noise-2"]}))
    found = [[job["name"] for job in cases.parts(number)[0].plan["jobs"]] for number in range(2)]
    assert found == [["halo", "noise-1", "noise-2"], ["halo", "noise-2"]]
    cases = Expansion(describe(copies(), axes={"jobs": ["halo+nois"]}))
    with pytest.raises(UsageError, match="did you mean 'noise'"):
        cases.parts(0)


def test_jobs_that_do_not_fit_together_name_the_axis_that_leaves_some_out() -> None:
    many = scenario().replace({"jobs.noise.ranks": 64})
    for seeds in (None, 2):
        cases = Expansion(describe(many, axes={"jobs": ["halo", "halo+noise"]}, seeds=seeds))
        with pytest.raises(pt.ScenarioError) as error:
            cases.listed(0)
        text = str(error.value)
        assert 'jobs="halo"' in text
        assert "jobs = 96 ranks: more ranks than the machine's 72 nodes" in text
        assert "all jobs are placed before the axis jobs leaves some out" in text
        assert "set its workload in named cases" in text
    with pytest.raises(pt.ScenarioError) as error:
        Expansion(describe(many, seeds=2)).listed(0)
    assert "axis jobs" not in str(error.value)


def test_a_program_that_fails_names_its_case(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("def program(mpi, n=0):\n    mpi.compute(1 / n)\n")
    base = scenario().replace(
        {"jobs.halo.workload": {"kind": "python", "file": str(program), "function": "program"}}
    )
    axes = {"jobs.halo.workload.arguments.n": [1, 0]}
    for seeds in (None, 2):
        cases = Expansion(describe(base, axes=axes, seeds=seeds))
        with pytest.raises(ProgramError, match=r"experiment: case jobs.*n=0.*ZeroDivisionError"):
            cases.parts(len(cases) - 1)


def test_zipped_axes_have_differences(zipped: pt.Experiment, cli: Cli) -> None:
    """The keys that are zipped with an axis change with it, so they cannot tell pairs apart."""
    found = zipped.differences(VALUE, "routing.algorithm", "minimal")
    assert found["jobs.*.placement"].to_list() == ["contiguous"] * 2
    assert found["runs"].to_list() == [3, 3]
    values = zipped.table("jobs").filter(pl.col("name") == "halo").sort("case").collect()[VALUE]
    expected = float(np.mean(values.to_numpy()[3:] - values.to_numpy()[:3]))
    assert found.row(0, named=True)["mean"] == pytest.approx(expected)
    ended = cli("compare", zipped.path, "--by", "routing.algorithm", "--job", "halo")
    assert ended.status == 0, ended.err
    assert "par against minimal" in ended.out
    assert "3 seeds" in ended.out


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda e: e.intervals(VALUE, over="sed"), "no column 'sed'; did you mean 'seed'"),
        (lambda e: e.medians(VALUE, over="sed"), "did you mean 'seed'"),
        (lambda e: e.effects(over="sed"), "did you mean 'seed'"),
        (lambda e: e.intervals(VALUE, method="boot"), "choose one of student, bootstrap"),
        (lambda e: e.intervals("name"), "column 'name' has no numbers"),
        (lambda e: e.intervals("communication_time_ns", table="ranks"), "several rows per run"),
        (lambda e: e.outliers("communication_time_ns", table="ranks"), "several rows per run"),
        (
            lambda e: e.differences(
                "communication_time_ns", "routing.algorithm", "par", table="ranks"
            ),
            "several rows per run",
        ),
        (lambda e: e.differences(VALUE, "seed", 1), "is the axis whose values are compared"),
        (lambda e: e.representative(job="hallo"), "did you mean 'halo'"),
    ],
)
def test_questions_without_an_answer_are_refused(
    zipped: pt.Experiment, ask: Callable[[pt.Experiment], object], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        ask(zipped)


def test_an_experiment_without_seeds_has_intervals_of_one_run(tmp_path: Path) -> None:
    made = pt.sweep(scenario(), tmp_path, workers=1)
    assert made.intervals(VALUE)["runs"].to_list() == [1, 1]
    assert made.medians("communication_time_ns", table="ranks")["runs"].to_list() == [1]
    assert made.effects().is_empty()


def cut() -> pt.Scenario:
    """Returns an interference experiment in which the second job repeats until the first ends."""
    changes = {"interference": "leave_one_out", "jobs.noise.repeat": True, "stop.target": ["halo"]}
    return scenario().replace(changes)


def test_jobs_that_are_cut_off_have_slowdowns_in_a_sweep(tmp_path: Path) -> None:
    """Their slowdown is over the iterations that ended in both runs, so these are kept."""
    assert describe(scenario().replace({"interference": True})).keep == KEEP
    assert describe(cut(), keep=["links"]).keep == ("jobs", "links")
    made = pt.sweep(cut().replace({"jobs.halo.workload.iterations": 4}), tmp_path, workers=1)
    assert made.document["keep"] == [*KEEP, "iterations"]
    rows = {row["name"]: row for row in made.slowdowns().to_dicts()}
    assert rows["noise"]["compared"] == "iterations"
    assert rows["noise"]["slowdown"] > 0
    times = made.intervals(VALUE).filter(pl.col("part") == "together")
    assert dict(times.select("name", "cut_off").iter_rows()) == {
        "halo": 0,
        "noise": 0,
    }  # it repeats


@pytest.mark.parametrize(("jobs", "low", "high"), [(8, 1.1, 1.3), (3, 1.0011, 1.0052)])
def test_a_matrix_has_room_for_each_cell(jobs: int, low: float, high: float) -> None:
    rows = [
        ("pairs", victim, f"aggressor-{number}", measure, runs, 1.2, low, high, True)
        for victim in ("a", "b")
        for number in range(jobs)
        for measure in ("slowdown", "run_time_slowdown")
        for runs in (1 if number == 7 else 5,)
    ]
    names = ["method", "victim", "aggressor", "measure", "runs", "mean", "low", "high"]
    figure = effect_matrix(pl.DataFrame(rows, schema=[*names, "significant"], orient="row"))
    renderer: Any = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    figure.draw(renderer)
    for axes in figure.axes:
        boxes = [text.get_window_extent(renderer) for text in axes.texts]
        assert len(boxes) == 2 * jobs
        assert not any(
            one.overlaps(other) for number, one in enumerate(boxes) for other in boxes[:number]
        )
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["a", "b"]


def test_a_disk_that_fills_while_a_run_is_written_fails_no_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Plan.run

    def run(plan: Plan, *more: Any) -> dict[str, Any]:
        if plan["seed"] == 2:
            raise UnwritableError(
                "links.parquet: no space", "No space left on device (os error 28)"
            )
        return real(plan, *more)

    monkeypatch.setattr(Plan, "run", run)
    with pytest.raises(
        pt.RunDirectoryError, match=r"\(os error 28\); finished runs are kept; make"
    ):
        pt.sweep(scenario(), tmp_path, seeds=3, workers=1)
    states = pt.Experiment(tmp_path).runs["state"].to_list()
    assert states[:2] == ["done", "missing"]
    monkeypatch.setattr(Plan, "run", real)
    assert pt.sweep(scenario(), tmp_path, seeds=3, workers=1).runs["state"].eq("done").all()


@pytest.mark.parametrize(
    "damaged",
    [lambda whole: whole[:100], lambda whole: whole[:60] + bytes([whole[60] ^ 1]) + whole[61:]],
    ids=["cut", "one bit"],
)
def test_a_damaged_table_of_many_runs_is_made_again(
    tmp_path: Path, cli: Cli, damaged: Callable[[bytes], bytes]
) -> None:
    before = pt.sweep(scenario(), tmp_path, seeds=3, workers=1).table("jobs").collect()
    (table,) = (tmp_path / "tables" / "jobs").glob("*.parquet")
    table.write_bytes(damaged(table.read_bytes()))
    assert pt.Experiment(tmp_path).table("jobs").collect().equals(before)
    assert cli("report", tmp_path).status == 0
    pt.sweep(scenario(), tmp_path, seeds=3, workers=1)
    (table,) = (tmp_path / "tables" / "jobs").glob("*.parquet")
    assert pl.read_parquet(table).height == before.height
    assert pt.Experiment(tmp_path).table("jobs").collect().equals(before)


def test_a_script_without_a_guard_of_its_main_module_runs_once(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import pantala as pt, tomllib\n"
        "print('begins')\n"
        f"scenario = pt.Scenario.from_dict(tomllib.loads('''{SCENARIO}'''))\n"
        "made = pt.sweep(scenario, 'out', seeds=4, workers=2)\n"
        "print(made.runs['state'].to_list())\n"
    )
    ended = subprocess.run(
        [sys.executable, script.name], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == f"begins\n{['done'] * 4}\n"
    assert ended.stderr == ""


def test_a_comparison_of_nothing_prints_no_table(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pantala.errors import SimulationError

    real = Plan.run

    def run(plan: Plan, *more: Any) -> dict[str, Any]:
        if plan["routing"]["algorithm"] == "par":
            raise SimulationError("stalled")
        return real(plan, *more)

    monkeypatch.setattr(Plan, "run", run)
    axes = {"routing.algorithm": ["minimal", "ugal_g", "par"]}
    pt.sweep(scenario(), tmp_path, axes=axes, workers=1)
    ended = cli("compare", tmp_path, "--by", "routing.algorithm")
    assert "minimal and par: nothing to compare" in ended.out
    assert "par (seed 1): failed: stalled" in ended.out
    assert re.search(r"routing.algorithm +minimal +ugal_g +\(no run\)", ended.out)


def test_rows_over_seeds_are_in_the_order_of_the_cases(zipped: pt.Experiment) -> None:
    columns = ["routing.algorithm", "jobs.*.placement", "part", "name"]
    first, second = (tuple(values[place] for values in ZIPPED[0].values()) for place in (0, 1))
    expected = [(*case, "tiny", name) for case in (first, second) for name in ("halo", "noise")]
    assert zipped.medians(VALUE).select(columns).rows() == expected
    assert zipped.intervals(VALUE).select(columns).rows() == expected
    assert zipped.representative(VALUE).select(columns).rows() == expected
    others = zipped.differences(VALUE, "routing.algorithm", "minimal")
    assert others["name"].to_list() == ["halo", "noise"]


def test_zipped_keys_are_one_axis(zipped: pt.Experiment, cli: Cli) -> None:
    shown = cli("status", zipped.path).out
    assert "tiny: 2 routing.algorithm, jobs.*.placement x 3 seeds\n" in shown
    (text,) = json.loads(cli("status", zipped.path, "--json").out)
    assert text["crossed"][0] == {"columns": list(ZIPPED[0]), "points": 2}


def test_values_of_jobs_that_are_cut_off_have_a_mark(tmp_path: Path, cli: Cli, file: Path) -> None:
    words = ["sweep", file, "--set", "stop.duration=2 us", "--out", tmp_path / "out"]
    ended = cli(*words, "--seeds", "2", "--precision", "90%", "--workers", "1")
    assert ended.status == 0, ended.err
    assert re.search(r"halo +[0-9.]+ us\* ", ended.out)
    assert "*: of a job that did not end in some run" in ended.out
    assert "of jobs of which some did not end)" in ended.out


def test_a_long_diagnosis_is_shortened() -> None:
    assert shortened("short") == "short"
    text = shortened("rank 1 waits. " * 100)
    assert len(text) <= 200
    assert text.endswith("waits. ...")


def test_a_sweep_takes_the_runs_of_pantala_run(tmp_path: Path) -> None:
    """Tables that a sweep does not keep change no other table, so they are not in the identity."""
    both = scenario().replace({"interference": True})
    pt.run(both, tmp_path, report=False)
    made = Sweep(describe(both, seeds=2), tmp_path)
    assert len(made.missing) == 3, "of the second seed only"
    made.run(workers=1)
    experiment = pt.Experiment(tmp_path)
    loaded = pt.Experiment(tmp_path)
    first = experiment.slowdowns().filter(pl.col("case") == 0)["slowdown"]
    assert first.to_list() == loaded.slowdown.collect()["slowdown"].to_list()
    assert loaded.together.messages.collect().height > 0, "the run keeps its own tables"
    recorded = both.replace({"record.messages": True})
    assert [run_id(part.plan) for part in Expansion(describe(recorded)).parts(0)] == [
        run_id(part.plan) for part in Expansion(describe(both)).parts(0)
    ]
    packets = Expansion(describe(both.replace({"record.packets": "all"}), keep=["packets"]))
    assert run_id(packets.parts(0)[0].plan) not in experiment.cases["run"]


def test_experiments_of_other_tables_share_runs_and_keep_both(tmp_path: Path) -> None:
    one = pt.sweep({"name": "one", "scenario": scenario(), "keep": ["messages"]}, tmp_path)
    two = pt.sweep({"name": "two", "scenario": scenario(), "keep": ["links"]}, tmp_path)
    assert one.cases["run"].to_list() == two.cases["run"].to_list()
    assert one.table("messages").collect().height > 0
    assert two.table("links").collect().height > 0
    assert (
        Sweep(
            describe({"name": "one", "scenario": scenario(), "keep": ["messages"]}), tmp_path
        ).missing
        == []
    )


def test_a_run_with_fewer_tables_is_not_taken_for_one_with_more(tmp_path: Path) -> None:
    both = scenario().replace({"interference": True})
    pt.run(both.replace({"record.messages": False}), tmp_path / "few", report=False)
    assert not pt.Experiment(tmp_path / "few").together.messages.collect().height
    pt.run(both, tmp_path / "few", report=False, overwrite=True)
    assert pt.Experiment(tmp_path / "few").together.messages.collect().height


def test_times_of_jobs_without_an_end_are_no_differences(tmp_path: Path, cli: Cli) -> None:
    """They are as long as their runs; their latencies can be compared."""
    repeats = scenario().replace({"jobs.noise.repeat": True, "jobs.halo.workload.iterations": 20})
    axes = {"routing.algorithm": ["minimal", "par"]}
    made: pt.Experiment = pt.sweep(repeats, tmp_path, axes=axes, seeds=3, workers=1)
    axis = "routing.algorithm"
    for value, said in ((VALUE, False), ("packet_latency_mean_ns", True)):
        rows = made.differences(value, axis, base="minimal").filter(pl.col("name") == "noise")
        assert rows["endless"].to_list() == [3] * rows.height
        assert (rows["significant"].null_count() == 0) is said
        other = made.differences(value, axis, base="minimal").filter(pl.col("name") == "halo")
        assert other["endless"].to_list() == [0] * other.height
        assert other["significant"].null_count() == 0
    means = made.intervals(VALUE).filter(pl.col("name") == "noise")
    assert means.select("cut_off", "endless").unique().rows() == [(0, 3)]
    compared = cli("compare", str(tmp_path), "--by", axis, "--all")
    lines = compared.out.splitlines()
    of_noise = [line for line in lines if " noise " in line]
    assert any("packet_latency_mean_ns" in line for line in of_noise)
    assert not any("communication_time" in line for line in of_noise)
    assert sum("(job noise): endless:" in line for line in lines) == 2


def test_a_job_without_an_end_has_whole_latencies_if_its_run_was_not_stopped(
    tmp_path: Path,
) -> None:
    repeats = scenario().replace({"jobs.noise.repeat": True})
    pt.run(repeats, out=tmp_path, report=False)
    file = tmp_path / "run.json"
    document = json.loads(file.read_text())
    for complete, reason in ((True, "finished"), (False, "interrupted")):
        file.write_text(json.dumps(document | {"complete": complete, "reason": reason}))
        values = values_of(open_subject("a", tmp_path)).filter(pl.col("job") == "noise")
        whole = dict(values.select("metric", "whole").iter_rows())
        assert whole["packet_latency_mean_ns"] is complete
        assert not whole["communication_time_mean_ns"]
