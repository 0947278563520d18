"""Commands that only print, and the files that `topology` writes."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import polars as pl
import pytest

import pantala as pt
from fake_core import FakeCore
from small_runs import small_run
from support import SMALL, Ended

Cli = Callable[..., Ended]


def test_help_names_every_command(cli: Cli) -> None:
    shown = cli("--help")
    assert shown.status == 0
    commands = (
        "run check curve bench topology report study workload routings presets schema version"
    )
    for command in commands.split():
        assert command in shown.out
        assert cli(command, "--help").status == 0


@pytest.mark.slow
def test_routings_schema_and_version_print(cli: Cli, workdir: Path) -> None:
    assert all(routing.name in cli("routings").out for routing in pt.ROUTINGS)
    assert json.loads(cli("schema").out) == pt.scenario_json_schema()
    assert cli("schema", "--out", "a/schema.json") == Ended(0, "", "")
    assert json.loads(Path("a/schema.json").read_text()) == pt.scenario_json_schema()
    assert cli("version").out == f"pantala {pt.__version__}\n"


def test_presets_are_listed_with_their_nodes(cli: Cli) -> None:
    shown = cli("presets").out
    for name in (*pt.machine_presets(), *pt.router_presets()):
        assert name in shown
    for nodes in ("1,056", "4,608", "8,448", "13,056"):
        assert nodes in shown


@pytest.mark.native
def test_two_dimensions_are_shown_with_rows_and_columns(cli: Cli) -> None:
    shown = cli(
        "topology",
        "--p",
        "2",
        "--rows",
        "2",
        "--columns",
        "3",
        "--h",
        "2",
        "--g",
        "3",
        "--port-assignment",
        "round_robin",
    )
    assert shown.status == 0, shown.err
    for words in (
        "7: 2 terminal, 2 row, 1 column, 2 global",
        "rows and columns per group",
        "absolute, round_robin",
    ):
        assert words in shown.out
    changed = cli(
        "topology",
        "--preset",
        "theta",
        "--links-per-column-pair",
        "1",
        "--g",
        "2",
        "--links-per-pair",
        "1",
    )
    assert "34: 4 terminal, 15 row, 5 column, 10 global" in changed.out


def test_deadlock_prints_one_line_per_routing(fake_core: FakeCore, cli: Cli, small: Path) -> None:
    found = cli("topology", small, "--deadlock")
    assert (found.status, found.out) == (
        0,
        (
            "minimal: free of deadlock: no cycle; 1,234 channels, 56,789 dependencies, 3 virtual"
            " channels per port\n"
        ),
    )
    found = cli(
        "topology", "--preset", "theta", "--deadlock", "--routing", "aries_ad3", "--routing", "par"
    )
    assert [line.partition(":")[0] for line in found.out.splitlines()] == ["aries_ad3", "par"]
    found = cli("topology", small, "--deadlock", "--routing", "booksim_ugal")
    assert found.status == 1
    assert found.out.splitlines()[1:] == [
        "  local link from router 0 to router 1 (port 2), virtual channel 0",
        "  global link from router 1 to router 0 (port 5), virtual channel 0",
    ]
    assert "booksim_ugal: can deadlock (known exception: booksim_ugal): " in found.out


def test_deadlock_accepts_other_values(
    fake_core: FakeCore, cli: Cli, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[dict[str, Any]] = []
    text = fake_core.deadlock

    def deadlock(plan_json: str) -> str:
        asked.append(json.loads(plan_json))
        return text(plan_json)

    monkeypatch.setattr(fake_core, "deadlock", deadlock)
    settings = ("--set", "routing.vc_map=booksim2", "--set", "machine.nic.responses=true")
    for what in (
        (small,),
        ("--preset", "booksim2"),
        ("--preset", "booksim2", "--routing", "minimal"),
    ):
        assert cli("topology", *what, "--deadlock", *settings).err == ""
        assert {plan["routing"]["vc_map"] for plan in asked} == {"booksim2"}
        assert all(plan["nic"]["responses"] for plan in asked)
    assert [plan["routing_all_to_all"]["vc_map"] for plan in asked[1:]] == ["booksim2"] * (
        len(pt.ROUTINGS) + 1
    )


def test_deadlock_of_every_routing_names_those_that_cannot_run(
    fake_core: FakeCore, cli: Cli
) -> None:
    found = cli("topology", "--preset", "theta", "--deadlock")
    assert found.status == 1, "booksim_ugal has a cycle"
    sentences = [line for line in found.out.splitlines() if not line.startswith(" ")]
    assert [line.partition(":")[0] for line in sentences] == [
        routing.name for routing in pt.ROUTINGS
    ]
    assert "q_adaptive: cannot run on this machine: its table has no place for rows" in sentences
    assert found.err == ""


def test_check_accepts_other_values(fake_core: FakeCore, cli: Cli, tmp_path: Path) -> None:
    small, plan = tmp_path / "small.toml", tmp_path / "plan.json"
    small.write_text(SMALL)
    found = cli("check", str(small), "--plan", str(plan), "--set", "routing.algorithm=par")
    assert found.status == 0
    assert json.loads(plan.read_text())["routing"]["algorithm"] == "par"
    found = cli("check", str(small), "--set", "routing.algorithm=bias(16,0)")
    assert found.status == 2
    assert "shift must be 0 to 15" in found.err


def test_check_prints_the_assumptions(fake_core: FakeCore, cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "theta.toml"
    job = (
        "[[jobs]]\nname = 'a'\nranks = 4\nworkload = { kind = 'uniform_random', iterations = 1,"
        " message = '1 kB' }\n"
    )
    file.write_text(f"name = 'x'\nmachine = 'theta'\n{job}")
    checked = cli("check", file, "--json")
    assert checked.status == 0, checked.err
    text = json.loads(checked.out)["assumptions"]
    valid = f"{file}: valid; 1 job, 4 of 4,392 nodes; {len(text)} assumptions"
    assert checked.err.startswith(f"{valid} (--assumptions lists them)\na run takes ")
    listed = cli("check", file, "--assumptions").err
    assert listed.startswith(f"{valid}:\n")
    assert "  machine.links.row.latency: a backplane\n" in listed


WARNINGS = ["packets can wait for each other", "and there is more"]


@pytest.mark.parametrize(
    ("command", "source"),
    [
        (["check", "FILE"], "FILE"),
        (["check", "FILE", "--plan", "plan.json"], "FILE"),
        (["run", "FILE"], "FILE"),
        (["run", "FILE", "--quiet"], "FILE"),
        (["run", "FILE", "--set", "interference=true"], "FILE"),
        (["curve", "--loads", "0.1,0.5,0.9"], "pantala curve"),
        (["curve", "--loads", "0.1", "--json"], "pantala curve"),
    ],
    ids=" ".join,
)
def test_every_warning_of_a_plan_is_one_line(
    fake_core: FakeCore,
    cli: Cli,
    workdir: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: list[str],
    source: str,
) -> None:
    Path("FILE").write_text(SMALL)
    monkeypatch.setattr(
        "pantala.api.run.write_report", lambda _: None
    )  # of the stand-in's runs there is none
    monkeypatch.setattr("pantala.report.finding.finding_of", lambda _: "found")
    ended = cli(*command)
    assert (ended.status, "warning" in ended.err) == (0, False), ended.err
    fake_core.warnings = WARNINGS
    ended = cli(*command, *(["--overwrite"] if command[0] == "run" else []))
    assert ended.status == 0, ended.err
    said = [line for line in ended.err.splitlines() if "warning" in line]
    assert said == [f"{source}: warning: {text}" for text in WARNINGS]
    assert WARNINGS[0] not in ended.out.partition('"warnings"')[0]


def test_warnings_can_become_errors(fake_core: FakeCore, workdir: Path, small: Path) -> None:
    scenario = pt.Scenario.from_toml(small)
    fake_core.warnings = WARNINGS[:1]
    with pytest.warns(pt.ScenarioWarning) as warned:
        pt.run(scenario, report=False)
    text = warned.pop(pt.ScenarioWarning).message
    assert isinstance(text, pt.ScenarioWarning)
    assert (text.source, text.message, str(text)) == (
        str(small),
        WARNINGS[0],
        f"{small}: {WARNINGS[0]}",
    )
    with pytest.raises(pt.ScenarioWarning):  # as pytest has it, and `python -W error`
        pt.run(scenario, out="other")
    assert not Path("other").exists()


def test_other_warnings_pass_unchanged(
    fake_core: FakeCore, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def warn(*_: Any, **__: Any) -> None:
        warnings.warn("old", DeprecationWarning, stacklevel=1)

    monkeypatch.setattr("pantala.runs.load_curve.curve", warn)
    with pytest.warns(DeprecationWarning, match="old"):
        cli("curve")


def test_topology_is_shown_and_written(fake_core: FakeCore, cli: Cli, workdir: Path) -> None:
    ended = cli(
        "topology",
        "--p",
        "2",
        "--a",
        "4",
        "--h",
        "2",
        "--g",
        "3",
        "--links",
        "l.parquet",
        "--graphml",
        "g.xml",
    )
    assert ended.status == 0, ended.err
    assert "12" in ended.out
    links = pl.read_parquet("l.parquet")
    assert links.height == 3 * 4 * 3
    graph = ElementTree.parse("g.xml").getroot()
    space = "{http://graphml.graphdrawing.org/xmlns}"
    assert len(list(graph.iter(f"{space}node"))) == 12
    assert len(list(graph.iter(f"{space}edge"))) == links.height // 2
    assert (
        cli(
            "topology", "--p", "2", "--a", "4", "--h", "2", "--g", "3", "--links", "no/l.parquet"
        ).status
        == 2
    )
    assert (
        cli(
            "topology", "--p", "2", "--a", "4", "--h", "2", "--g", "3", "--graphml", "no/g.xml"
        ).status
        == 2
    )


@pytest.mark.slow
def test_report_rewrites_the_page(cli: Cli, tmp_path: Path) -> None:
    small_run(tmp_path / "run")
    assert cli("report", tmp_path / "run").out == f"report: {tmp_path}/run/report.html\n"
    assert "<html" in (tmp_path / "run" / "report.html").read_text()


@pytest.mark.slow
def test_the_module_runs_as_a_command_and_survives_a_broken_pipe() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "pantala", "version"], capture_output=True, text=True, check=True
    )
    assert shown.stdout.startswith("pantala ")
    pipe = f"{sys.executable} -m pantala schema | head -c 1"
    ended = subprocess.run(["sh", "-c", pipe], capture_output=True, text=True, check=True)
    assert ended.stderr == ""


def test_version_is_also_an_option(cli: Cli) -> None:
    assert cli("--version") == cli("version")


def test_every_command_is_registered_once() -> None:
    from pantala.cli import app

    names = [each.name for each in app.registered_commands] + [
        each.name for each in app.registered_groups
    ]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    "command",
    [
        "presets",
        "routings",
        "workload list",
        "workload table yang2016",
        "workload table wang2020",
        "bench --list",
        "study list",
    ],
)
def test_tables_are_readable_at_any_width(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, measured_once: None, command: str
) -> None:
    for columns in (40, 60, 80, 100, 130, None):
        if columns is None:  # a pipe
            monkeypatch.delenv("COLUMNS")
        else:
            monkeypatch.setenv("COLUMNS", str(columns))
        shown = cli(*command.split())
        assert shown.status == 0, shown.err
        assert "…" not in shown.out, f"a cell is truncated at {columns}"
        assert max(len(line.rstrip()) for line in shown.out.splitlines()) <= (columns or 200)


def test_no_report_writes_no_report(
    fake_core: FakeCore, cli: Cli, workdir: Path, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pantala.report.finding.finding_of", lambda _: "found")
    ended = cli("run", small, "--no-report", "--out", "there")
    assert ended.status == 0, ended.err
    assert "report:" not in ended.out
    assert not Path("there/report.html").exists()
    assert Path("there/run.json").exists()


def test_an_existing_directory_is_rejected_with_a_free_name(
    fake_core: FakeCore, cli: Cli, workdir: Path, small: Path
) -> None:
    for name in ("there", "there-2"):
        assert cli("run", small, "--quiet", "--no-report", "--out", name).status == 0
    taken = (
        "already holds a run; add --overwrite (overwrite=True) to replace it, or another --out,"
        " e.g."
    )
    assert cli("run", small, "--no-report", "--out", "there").err == f"there: {taken} there-3\n"


@pytest.mark.native
def test_check_names_the_program_of_a_job_in_python(cli: Cli) -> None:
    ended = cli("check", Path(__file__).parents[3] / "examples" / "python_program.toml")
    assert ended.status == 0, ended.err
    (row,) = [line.split() for line in ended.out.splitlines() if line.startswith("  halo ")]
    assert row[1] == "halo_allreduce"
