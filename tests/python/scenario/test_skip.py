"""Skipped time: the key, what a run says of it, and what is compared."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

import pantala as pt
from pantala.analysis.link_load import link_loads
from pantala.analysis.slowdown import slowdown_of
from pantala.core.plan import Plan
from pantala.errors import UsageError
from pantala.explorer.sql import filled, queries_of
from pantala.explorer.subject import _skipped, subject_of
from pantala.figures.throughput import throughput
from pantala.run_tables.skipped_time import skipped_between, skipped_spans, without_skipped
from support import SMALL, Ended

Cli = Callable[..., Ended]

native = pytest.mark.native

#: Two jobs that repeat for long.
LONG = re.sub(r"iterations = \d+", "iterations = 400", SMALL)


@pytest.fixture
def long(tmp_path: Path) -> Path:
    path = tmp_path / "long.toml"
    path.write_text(LONG)
    return path


@pytest.mark.parametrize(
    ("text", "millionths", "minimum"),
    [
        ('skip = "1 %"\n', 10_000, 8),
        ('skip = "0.25%"\n', 2_500, 8),
        ('skip = { tolerance = "50 %", minimum = 3 }\n', 500_000, 3),
    ],
)
def test_values_of_the_key(text: str, millionths: int, minimum: int, tmp_path: Path) -> None:
    path = tmp_path / "skip.toml"
    path.write_text(text + LONG)
    plan = pt.Scenario.from_toml(path).plan()
    assert plan["skip"] == {"tolerance_millionths": millionths, "minimum": minimum}
    assert "skip" not in pt.Scenario.from_toml(path).replace({"skip": None}).plan()


def test_a_plan_without_it_has_no_such_key(long: Path) -> None:
    scenario = pt.Scenario.from_toml(long)
    assert "skip" not in scenario.plan()
    assert "skip" not in scenario.resolve()
    assert scenario.replace({"skip": "2 %"}).plan()["skip"]["tolerance_millionths"] == 20_000


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        (["skip=1"], "key skip"),
        (['skip="much"'], 'skip.tolerance = "much": is not a percentage; write a percentage'),
        (['skip="0 %"'], "must be at least 0.0001 % and at most 50 %"),
        (['skip="-1 %"'], "is not a percentage"),
        (['skip="0.00005 %"'], "must be at least 0.0001 % and at most 50 %"),
        (['skip="51 %"'], "must be at least 0.0001 % and at most 50 %"),
        (["skip={tolerance=0.01}"], "skip.tolerance = 0.01: is not text; put it in quotes"),
        (['skip={tolerance="1 %",minimum=0}'], "skip.minimum = 0: must be at least 2"),
        (["skip={minimum=4}"], "skip.tolerance: is missing"),
        (['skip="1 %"', 'record.packets="all"'], "every packet must be simulated"),
        (['skip="1 %"', 'stop.duration="50 us"'], "is not longer than 9 windows"),
        (
            ['skip="1 %"', 'jobs=[{name="a",ranks=8,workload={kind="ember.Null"}}]'],
            "no job repeats",
        ),
    ],
)
@native
def test_other_values_are_one_line(cli: Cli, long: Path, settings: list[str], says: str) -> None:
    options = [word for setting in settings for word in ("--set", setting)]
    ended = cli("check", long, *options)
    assert (ended.status, ended.err.count("\n")) == (2, 1), ended.err
    assert says in ended.err, ended.err


def test_times_without_skipped_ones() -> None:
    spans = [(100.0, 300.0), (400.0, 450.0)]
    times = pl.Series([0.0, 100, 200, 300, 350, 500]).to_numpy()
    assert list(without_skipped(spans, times)) == [0, 100, 100, 100, 150, 250]
    assert list(without_skipped([], times)) == list(times)


@native
def test_a_run_that_skips_says_so_first(cli: Cli, long: Path, tmp_path: Path) -> None:
    out = tmp_path / "skip"
    ended = cli("run", long, "--skip", "20%", "--out", out)
    assert ended.status == 0, ended.err
    first = ended.out.split("\n", 1)[0]
    assert first.startswith("Skipped: "), ended.out
    assert "estimated error of run times (95 %)" in first
    document = json.loads((out / "run.json").read_text())
    assert next(iter(document)) == "skipped"
    assert document["skipped"]["jumps"] >= 1
    assert document["skipped"]["simulated_share"] < 0.9
    page = (out / "report.html").read_text()
    body = page.split("<header>", 1)[1].lstrip()
    assert re.match(r'<ul class="caveats" aria-label="Read first">\s*<li>Skipped: ', body)
    run = pt.load(out)
    assert isinstance(run, pt.Run)
    (start, end), *_ = skipped_spans(run)
    windows = run.job_windows.collect()
    assert windows.filter(
        pl.col("window_start_ns").is_between(start, end, closed="left")
    ).is_empty()
    labels = [axes.get_xlabel() for axes in throughput(run).axes]
    assert any("skipped time cut out" in label for label in labels)


@native
def test_only_runs_of_one_kind_give_a_slowdown(long: Path, tmp_path: Path) -> None:
    def run(name: str, **changes: Any) -> pt.Run:
        scenario = pt.Scenario.from_toml(long).replace(changes)
        made = pt.run(scenario, tmp_path / name, report=False, progress=False)
        assert isinstance(made, pt.Run)
        return made

    skips, full = run("skips", skip="20 %"), run("full")
    name = skips.job_names[0]
    with pytest.raises(UsageError, match="alone skips time and the run together does not"):
        slowdown_of(full, {name: skips})
    rows = slowdown_of(skips, {name: skips}).filter(pl.col("name") == name)
    assert rows["compared"].item() == "run"
    assert rows["alone_iterations"].item() == 400
    assert rows["slowdown"].item() == 1.0


@native
def test_auto_skips_where_it_is_worth_it(cli: Cli, long: Path, tmp_path: Path) -> None:
    ended = cli("run", long, "--skip", "auto", "--out", tmp_path / "long", "--no-report", "--quiet")
    assert ended.status == 0, ended.err
    plan = json.loads((tmp_path / "long" / "run.json").read_text())["plan"]
    assert plan["skip"] == {"tolerance_millionths": 10_000, "minimum": 8}
    short = tmp_path / "short.toml"
    short.write_text(SMALL)
    ended = cli(
        "run", short, "--skip", "auto", "--out", tmp_path / "short", "--no-report", "--quiet"
    )
    assert ended.status == 0, ended.err
    assert "skip" not in json.loads((tmp_path / "short" / "run.json").read_text())["plan"]


@native
def test_auto_says_why_it_skips_nothing(cli: Cli, tmp_path: Path) -> None:
    short, never = tmp_path / "short.toml", tmp_path / "never.toml"
    short.write_text(re.sub(r"iterations = \d+", "iterations = 120", SMALL))
    never.write_text(SMALL)
    for file, why in (
        (short, "about 60 % of the time of job 'fft' would have to be simulated, more than half"),
        (never, "no job repeats: none has a loop of at least three equal iterations"),
    ):
        line = f"skip: all of the time will be simulated, because {why}"
        for given in (("run", "--dry-run"), ("sweep", "--seeds", "3", "--dry-run")):
            command, *options = given
            ended = cli(command, file, "--skip", "auto", *options)
            assert ended.status == 0, ended.err
            assert ended.err.count(line) == 1, ended.err
        ended = cli("check", file, "--set", 'skip={ tolerance = "1 %", if_worth = true }')
        assert ended.err.count(line) == 1
    # A resolved plan says it still.
    plan = pt.Scenario.from_toml(short).replace({"skip": {"tolerance": "1 %", "if_worth": True}})
    with pytest.warns(pt.ScenarioWarning, match="about 60 %"):
        resolved = plan.resolved_plan()
    assert Plan(resolved.document).document == resolved.document


def skipped_run(cli: Cli, file: Path, out: Path, *given: str) -> pt.Run:
    """Returns the run of a scenario that skips at 20 %."""
    assert cli("run", file, "--skip", "20%", "--out", out, "--no-report", *given).status == 0
    run = pt.load(out)
    assert isinstance(run, pt.Run)
    return run


@native
def test_a_job_that_ended_has_delivered_what_it_injected(
    cli: Cli, long: Path, tmp_path: Path
) -> None:
    jobs = skipped_run(cli, long, tmp_path / "run").jobs.collect()
    assert jobs["complete"].all()
    assert jobs["delivered_bytes"].to_list() == jobs["injected_bytes"].to_list()


#: Bulk transfers with pauses and handshakes: samples begin and end inside of messages.
BURSTS = """
def program(mpi):
    right, left = (mpi.rank + 1) % mpi.size, (mpi.rank - 1) % mpi.size
    for _ in range(400):
        with mpi.iteration():
            mpi.waitall([mpi.irecv(left, 20000), mpi.isend(right, 20000)])
            mpi.compute("3 us")
            mpi.allreduce(64)
"""


@native
def test_links_carry_what_ranks_send(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "bursts.py").write_text(BURSTS)
    workload = {"kind": "python", "file": str(tmp_path / "bursts.py")}
    job = {"name": "bursts", "ranks": 8, "placement": "random", "workload": workload}
    topology = {"p": 2, "a": 4, "h": 2, "g": 9}
    scenario = pt.Scenario.from_dict(
        {
            "name": "bursts",
            "machine": {"preset": "kang2022", "topology": topology},
            "routing": "minimal",
            "jobs": [job],
        }
    )
    by_class = []
    for name, given in (("full", scenario), ("skipped", scenario.replace({"skip": "1 %"}))):
        run = pt.run(given, tmp_path / name)
        assert isinstance(run, pt.Run)
        links = run.links.collect().group_by("class").agg(pl.col("bytes", "packets").sum())
        by_class.append({row[0]: row[1:] for row in links.iter_rows()})
    full, skipped = by_class
    assert skipped["injection"][0] == pytest.approx(full["injection"][0], rel=1e-3)
    for of_class, (sent, packets) in full.items():
        assert skipped[of_class] == (
            pytest.approx(sent, rel=0.01),
            pytest.approx(packets, rel=0.01),
        )


@native
def test_the_explorer_says_what_was_skipped(cli: Cli, long: Path, tmp_path: Path) -> None:
    run = skipped_run(cli, long, tmp_path / "run")
    (sentence,) = _skipped(run)
    assert re.fullmatch(r"The time from .* to .* was skipped\. It has no windows, and .*", sentence)
    # The page takes these spans off the time of an interval.
    spans = subject_of(run).facts(0)["skipped"]
    assert spans == skipped_spans(run)
    assert all(start < end for start, end in spans)


@native
def test_loads_of_links_are_those_of_the_whole_run(cli: Cli, long: Path, tmp_path: Path) -> None:
    run = skipped_run(cli, long, tmp_path / "run")
    loads, links = link_loads(run), run.links.collect()
    assert (loads.start_ns, loads.end_ns) == (0.0, float(run.document["simulated_ns"]))
    for column in ("bytes", "utilization"):
        assert loads.links[column].to_list() == links[column].to_list()
    assert loads.links["peak_utilization"].drop_nulls().len() > 0
    # The query that the explorer shows gives the same.
    span = {"from": 0, "to": loads.end_ns, "window": loads.window_ns, "end": loads.end_ns}
    values = {"dir": run.path, **span, "time": None, "sampled": 1, "most": 5}
    found = duckdb.execute(filled("hottest", values, queries_of(run))).fetchall()
    highest = loads.links.sort("utilization", "link", descending=[True, False]).head(5)
    wanted = highest.select("link", "utilization", "peak_utilization", "stall_share").rows()
    assert [row[0] for row in found] == [row[0] for row in wanted]
    for row, expected in zip(found, wanted, strict=True):
        assert row[1:] == pytest.approx(expected[1:])


@native
def test_queries_of_the_explorer_cut_skipped_time_out(cli: Cli, long: Path, tmp_path: Path) -> None:
    out = tmp_path / "explored"
    run = skipped_run(cli, long, out, "--set", 'record="explore"')
    end = float(run.document["simulated_ns"])
    time = end - skipped_between(run, 0, end)
    assert time < 0.9 * end
    routers = run.links.filter(pl.col("source_router").is_not_null()).collect()
    values = {"dir": out, "from": 0, "to": end, "time": time, "router": 0}
    found = duckdb.execute(filled("router", values))
    names = [column[0] for column in found.description]
    rows = pl.DataFrame(found.fetchall(), names, orient="row")
    windows = run.link_windows.filter(pl.col("link").is_in(rows["link"].unique().to_list()))
    by_link = windows.group_by("link").agg(pl.col("bytes").sum()).collect()
    rate = {
        row["link"]: row["busy_ns"] / row["bytes"] for row in routers.to_dicts() if row["bytes"]
    }
    for link, sent in by_link.iter_rows():
        if link in rate:
            load = rows.filter(pl.col("link") == link)["load"].sum()
            assert load == pytest.approx(sent * rate[link] / time)


#: Sixteen ranks in a ring, in the forms of jobs that repeat.
RING = """
all tasks reset their counters then
for each rep in {1, ..., 300} {
  all tasks t asynchronously send a 4 kilobyte message to task (t+1) mod num_tasks then
  all tasks await completion then
  all tasks compute for 5 microseconds
} then
task 0 logs elapsed_usecs as "time".
"""
PROGRAM = """
def program(mpi):
    for _ in range(300):
        with mpi.iteration():
            mpi.irecv((mpi.rank - 1) % mpi.size, "4 KiB")
            mpi.isend((mpi.rank + 1) % mpi.size, "4 KiB")
            mpi.compute("5 us")
            mpi.waitall()
"""
LOAD = """
[JOB_ID] 0
[NID_LIST] 0-15
[MOTIF] Init
[MOTIF] Halo3D pex=4 pey=2 pez=2 nx=16 ny=16 nz=16 iterations=300
[MOTIF] Fini
"""


def _looping(tmp_path: Path, kind: str) -> pt.Scenario:
    """A scenario whose only job is of a kind."""
    if kind == "ember":
        (tmp_path / "job.load").write_text(LOAD)
        return pt.Scenario.from_ember(tmp_path / "job.load").replace(
            {"machine": {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}}}
        )
    workload: dict[str, Any] = {"kind": kind, "file": str(tmp_path / f"ring.{kind}")}
    if kind == "ncptl":
        (tmp_path / "ring.ncptl").write_text(RING)
    else:
        workload = {"kind": "python", "file": str(tmp_path / "ring.py")}
        (tmp_path / "ring.py").write_text(PROGRAM)
    job = {"name": "ring", "ranks": 16, "placement": "random", "workload": workload}
    machine = {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}}
    return pt.Scenario.from_dict(
        {"name": "ring", "machine": machine, "routing": "ugal_n", "jobs": [job]}
    )


@native
@pytest.mark.parametrize("kind", ["ncptl", "python", "ember"])
def test_what_repeats_is_skipped(tmp_path: Path, kind: str) -> None:
    scenario = _looping(tmp_path, kind).replace({"record": {"window": "20 us"}})

    def run(name: str, **changes: Any) -> pt.Run:
        made = pt.run(scenario.replace(changes), tmp_path / name, report=False, progress=False)
        assert isinstance(made, pt.Run)
        return made

    skips, full = run("skips", skip="5 %"), run("full")
    assert skips.document["skipped"]["jumps"] >= 1, skips.document["skipped"]["text"]
    assert skips.document["skipped"]["simulated_share"] < 0.5
    ends = [made.jobs.collect()["end_ns"].item() for made in (skips, full)]
    assert ends[0] == pytest.approx(ends[1], rel=0.02)
    sent = [made.ranks.collect()["bytes_sent"].to_list() for made in (skips, full)]
    assert sent[0] == sent[1]
    if kind == "ncptl":
        # Marks of repetitions are no iterations, and the program's clock has the skipped time.
        assert skips.iterations.collect().is_empty()
        times = [
            float((made.path / "program_logs.txt").read_text().split()[-1])
            for made in (skips, full)
        ]
        assert times[0] == pytest.approx(times[1], rel=0.02)
        assert times[1] == pytest.approx(ends[1] / 1e3, rel=0.01)
