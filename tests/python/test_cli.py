"""Commands that only tell, and the files that `topology` writes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import polars as pl

import pantala as pt
from fake_core import FakeCore
from fake_run import fake_run
from support import Ended

Cli = Callable[..., Ended]


def test_help_names_every_command(cli: Cli) -> None:
    shown = cli("--help")
    assert shown.status == 0
    for command in ("run", "check", "curve", "bench", "topology", "report", "routings", "schema", "version"):
        assert command in shown.out
        assert cli(command, "--help").status == 0


def test_routings_schema_version(cli: Cli, workdir: Path) -> None:
    assert all(routing.name in cli("routings").out for routing in pt.ROUTINGS)
    assert json.loads(cli("schema").out) == pt.scenario_json_schema()
    assert cli("schema", "--out", "a/schema.json") == Ended(0, "", "")
    assert json.loads(Path("a/schema.json").read_text()) == pt.scenario_json_schema()
    assert cli("version").out == f"pantala {pt.__version__}\n"


def test_topology_is_shown_and_written(fake_core: FakeCore, cli: Cli, workdir: Path) -> None:
    ended = cli(
        "topology", "--p", "2", "--a", "4", "--h", "2", "--g", "3", "--links", "l.parquet", "--graphml", "g.xml"
    )
    assert ended.status == 0, ended.err
    assert "12" in ended.out
    links = pl.read_parquet("l.parquet")
    assert links.height == 3 * 4 * 3
    graph = ElementTree.parse("g.xml").getroot()
    space = "{http://graphml.graphdrawing.org/xmlns}"
    assert len(list(graph.iter(f"{space}node"))) == 12
    assert len(list(graph.iter(f"{space}edge"))) == links.height // 2
    assert cli("topology", "--p", "2", "--a", "4", "--h", "2", "--g", "3", "--links", "no/l.parquet").status == 2
    assert cli("topology", "--p", "2", "--a", "4", "--h", "2", "--g", "3", "--graphml", "no/g.xml").status == 2


def test_report_is_made_anew(cli: Cli, tmp_path: Path) -> None:
    fake_run(tmp_path / "run")
    assert cli("report", tmp_path / "run").out == f"report: {tmp_path}/run/report.html\n"
    assert "<html" in (tmp_path / "run" / "report.html").read_text()


def test_the_command_is_also_a_module_and_a_broken_pipe_is_no_fault() -> None:
    shown = subprocess.run([sys.executable, "-m", "pantala", "version"], capture_output=True, text=True, check=True)
    assert shown.stdout.startswith("pantala ")
    pipe = f"{sys.executable} -m pantala schema | head -c 1"
    ended = subprocess.run(["bash", "-c", pipe], capture_output=True, text=True, check=True)
    assert ended.stderr == ""
