"""The whole path with the compiled core: examples, seeds, interruption, curve and bench."""

from __future__ import annotations

import json
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal
from xml.etree import ElementTree

import polars as pl
import pytest

import pantala as pt
from pantala.api.load import load
from pantala.catalogue.tables import TABLES
from pantala.core.plan import Plan
from pantala.core.routings import RoutingInfo
from pantala.planning.deadlock import on_machine
from pantala.runs.progress import ProgressLine
from pantala.scenario.presets import machine_preset
from pantala.text.units import Duration
from support import ROOT, SMALL, Ended

Cli = Callable[..., Ended]
EXAMPLES = ROOT / "examples"
FAST = {"machine.topology": {"p": 2, "a": 4, "h": 2, "g": 9}}
GRID = {"kind": "dragonfly_2d", "p": 2, "rows": 2, "columns": 3, "h": 2}

pytestmark = pytest.mark.native


def content(directory: Path) -> dict[str, Any]:
    """Returns the files of a run directory: bytes of the tables, run.json without provenance."""
    files: dict[str, Any] = {path.name: path.read_bytes() for path in directory.glob("*.parquet")}
    document = json.loads((directory / "run.json").read_text())
    del document["provenance"]
    return files | {"run.json": document}


def test_results_are_equal_for_any_number_of_threads(workdir: Path) -> None:
    scenario = pt.Scenario.from_toml(EXAMPLES / "quickstart.toml").replace({"interference": False})
    for threads in (1, 2, 5):
        pt.run(scenario, f"on-{threads}", threads=threads, report=False)
        assert content(Path(f"on-{threads}")) == content(Path("on-1"))
        provenance = json.loads(Path(f"on-{threads}/run.json").read_text())["provenance"]
        assert provenance["threads"] == threads
        assert provenance["events"] > 0
    settings: tuple[Literal["auto"] | int, ...] = (1, 3, "auto")
    curves = [
        pt.curve(loads=[0.4, 0.2], measure="2 us", warmup="1 us", threads=threads)
        for threads in settings
    ]
    assert curves[0] == curves[1] == curves[2]


def test_auto_uses_one_thread_on_a_small_machine(workdir: Path) -> None:
    scenario = pt.Scenario.from_toml(EXAMPLES / "quickstart.toml").replace({"interference": False})
    pt.run(scenario, "small", threads="auto", report=False)
    assert json.loads(Path("small/run.json").read_text())["provenance"]["threads"] == 1


@pytest.mark.slow
@pytest.mark.parametrize("example", ["quickstart", "patterns"])
def test_the_small_examples_run(cli: Cli, workdir: Path, example: str) -> None:
    ended = cli("run", EXAMPLES / f"{example}.toml", "--out", "here")
    assert ended.status == 0, ended.err
    assert "<html" in Path("here/report.html").read_text()
    result = load("here")
    assert result.complete
    run = result.together if isinstance(result, pt.Experiment) else result
    assert run.document["conservation"] == {"packets": True, "flits": True, "credits": True}
    if isinstance(result, pt.Experiment):
        assert (result.metric("slowdown", job="training") or 0) > 1


@pytest.mark.parametrize("example", sorted(path.stem for path in EXAMPLES.glob("*.toml")))
def test_every_example_resolves_and_resolving_again_changes_nothing(example: str) -> None:
    scenario = pt.Scenario.from_toml(EXAMPLES / f"{example}.toml")
    resolved = scenario.resolve()
    assert Plan(resolved).document == resolved
    assert all(len(job["nodes"]) == job["ranks"] for job in resolved["jobs"])
    nodes = [node for job in resolved["jobs"] for node in job["nodes"]]
    assert len(set(nodes)) == len(nodes)
    assert resolved["derived"]["nodes"] == scenario.machine.nodes


def test_the_python_example_runs(workdir: Path) -> None:
    table = runpy.run_path(str(EXAMPLES / "python_api.py"))["main"](workdir)
    assert table["routing"].to_list() == ["minimal", "valiant_node", "ugal_g"]
    hops = dict(zip(table["routing"], table["link_hops_mean"], strict=True))
    assert hops["valiant_node"] > hops["minimal"]


def test_every_table_has_its_schema(small: Path, workdir: Path) -> None:
    run = pt.run(pt.Scenario.from_toml(small).replace({"record.packets": "all"}), report=False)
    assert isinstance(run, pt.Run)
    for name in TABLES:
        assert (run.path / TABLES[name].file).is_file()
        assert dict(getattr(run, name).collect_schema()) == TABLES[name].polars_schema, name
    rows = run.document["tables"]
    assert {name: getattr(run, name).select(pl.len()).collect().item() for name in rows} == rows
    for metric in run.metrics():
        value = run.metric(metric.name, job="fft" if metric.scope == "job" else None)
        none = metric.name.startswith(
            ("row_", "column_", "request_response_")
        )  # one dimension, no responses
        assert (value is None) if none else isinstance(value, int | float), metric.name


def test_equal_seeds_give_equal_results(small: Path, workdir: Path) -> None:
    scenario = pt.Scenario.from_toml(small)
    for out in ("first", "second"):
        pt.run(scenario, out=out, report=False)
    pt.run(scenario.replace({"seed": 2}), out="other", report=False)
    assert content(Path("first")) == content(Path("second"))
    first, other = content(Path("first")), content(Path("other"))
    assert first["ranks.parquet"] != other["ranks.parquet"]
    assert first["run.json"]["result_hash"] != other["run.json"]["result_hash"]


def test_a_run_alone_uses_the_nodes_of_the_run_together(small: Path, workdir: Path) -> None:
    experiment = pt.run(pt.Scenario.from_toml(small).replace({"interference": True}), report=False)
    assert isinstance(experiment, pt.Experiment)
    together = {job["name"]: job["nodes"] for job in experiment.together.plan["jobs"]}
    assert {
        name: run.plan["jobs"][0]["nodes"] for name, run in experiment.alone.items()
    } == together
    assert experiment.slowdown.collect()["slowdown"].min() > 0.5  # type: ignore[operator]


def test_ctrl_c_keeps_the_partial_run(workdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(self: ProgressLine, progress: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ProgressLine, "update", interrupt)
    text = SMALL[: SMALL.index("[[jobs]]")] + "[stop]\nduration = '100 ms'\n"
    text += (
        "[[jobs]]\nname = 'x'\nranks = 72\nworkload = { kind = 'pattern', pattern = 'uniform', load"
        " = 0.5 }\n"
    )
    Path("endless.toml").write_text(text)
    with pytest.raises(pt.Interrupted) as stopped:
        pt.run(pt.Scenario.from_toml("endless.toml"), out="here")
    assert stopped.value.directory == Path("here")
    run = pt.Run("here")
    assert not run.complete
    assert run.document["reason"] == "interrupted"
    assert (run.metric("packets") or 0) > 0


def test_a_duration_stops_a_run(small: Path, workdir: Path) -> None:
    run = pt.run(pt.Scenario.from_toml(small).replace({"stop.duration": "1 us"}), report=False)
    assert isinstance(run, pt.Run)
    assert run.document["reason"] == "duration"
    assert run.document["simulated_ns"] == 1000.0
    assert run.jobs.collect()["end_ns"].to_list() == [None, None]


@pytest.mark.parametrize("preset", pt.router_presets())
def test_latency_of_a_curve_rises_with_load(preset: str) -> None:
    warmup, measure = (
        ("200 us", "400 us") if preset == "codes_dally" else ("2 us", "4 us")
    )  # its packets are 4 KiB
    points = pt.curve(
        preset=preset,
        loads=[0.1, 0.5],
        warmup=warmup,
        measure=measure,
        timeline=warmup,
        changes=FAST,
    )
    low, high = points
    assert [point["load"] for point in points] == [0.1, 0.5]
    assert not low["saturated"]
    assert abs(low["accepted"] - 0.1) < 0.02
    assert (high["latency_mean_ns"] or 0) > (low["latency_mean_ns"] or 0) > 100
    assert low["nonminimal_share"] == 0.0
    assert len(low["timeline"]) == 3


@pytest.mark.parametrize("routing", pt.ROUTINGS, ids=lambda routing: routing.name)
def test_every_routing_needs_the_documented_channels(routing: RoutingInfo) -> None:
    shapes = {"dragonfly": FAST["machine.topology"], "dragonfly_2d": GRID}
    document = {"dragonfly": routing.virtual_channels, "dragonfly_2d": routing.virtual_channels_2d}
    for kind, shape in shapes.items():
        scenario = on_machine({"preset": "kang2022", "topology": shape}, routing.name)
        if document[kind] is None:
            with pytest.raises(pt.ScenarioError, match=r"key routing\.algorithm = "):
                scenario.resolve()
        else:
            assert scenario.resolve()["derived"]["virtual_channels"] == document[kind], kind


@pytest.mark.slow
def test_two_dimensions_have_row_and_column_links(small: Path, workdir: Path) -> None:
    changes = {
        "machine.topology": GRID,
        "machine.links.column.latency": "40 ns",
        "routing": "ugal_n",
    }
    scenario = pt.Scenario.from_toml(small).replace(
        changes | {"jobs.0.routing_all_to_all": "aries_ad3"}
    )
    run = pt.run(scenario)
    assert isinstance(run, pt.Run)
    assert run.complete
    assert run.document["conservation"] == {"packets": True, "flits": True, "credits": True}
    classes = dict(run.links.group_by("class").len().collect().iter_rows())
    assert classes == {"injection": 156, "ejection": 156, "row": 156, "column": 78, "global": 156}
    assert run.plan["links"]["local"] is None
    loads = [run.metric(f"{name}_utilization_mean") or 0 for name in ("row", "column", "local")]
    assert loads[2] == pytest.approx((2 * loads[0] + loads[1]) / 3), (
        "a group has twice as many row links as column links"
    )
    assert (workdir / "runs" / "small" / "report.html").stat().st_size > 0


@pytest.mark.parametrize("preset", pt.machine_presets())
def test_every_machine_runs_its_own_routing(preset: str) -> None:
    routing = machine_preset(preset).get("routing", {}).get("algorithm", "minimal")
    job = {
        "name": "a",
        "ranks": 64,
        "workload": {"kind": "uniform_random", "iterations": 1, "message": "1 kB"},
    }
    data = {"name": "x", "machine": preset, "routing": routing, "jobs": [job]}
    plan = pt.Scenario.from_dict(data).resolve()
    machine = pt.Machine.of(preset)
    ports = machine.topology.ports()
    assert plan["derived"]["nodes"] == machine.nodes
    assert plan["derived"]["ports_per_router"] == sum(ports.values())
    pairs = machine.topology.g * (machine.topology.g - 1)
    assert plan["derived"]["links"]["global"] == pairs * machine.topology.links_per_pair
    for name in machine.topology.inside:
        assert plan["derived"]["links"][name] == machine.topology.routers * ports[name]
    service = {node for first, last in machine.service_ranges() for node in range(first, last + 1)}
    assert not service & set(plan["jobs"][0]["nodes"])


def test_too_few_virtual_channels_are_rejected() -> None:
    changes = FAST | {"routing.virtual_channels": 1}
    with pytest.raises(pt.ScenarioError, match=r"key routing.virtual_channels = 1: ") as refused:
        pt.curve(routing="valiant_node", loads=[0.1], changes=changes)
    assert refused.value.remedy


def test_the_number_of_links_of_kang2022(cli: Cli, workdir: Path) -> None:
    ended = cli(
        "topology", "--preset", "kang2022", "--links", "links.parquet", "--graphml", "links.graphml"
    )
    assert ended.status == 0, ended.err
    links = pl.read_parquet("links.parquet")
    assert dict(links.group_by("class").len().iter_rows()) == {"local": 264 * 7, "global": 33 * 32}
    assert Path("links.graphml").stat().st_size > 0


@pytest.mark.parametrize("global_arrangement", ["absolute", "palmtree", "circulant", "random"])
@pytest.mark.parametrize(("groups", "parallel"), [(9, {1}), (5, {2}), (4, {2})])
def test_every_global_arrangement_connects_every_two_groups(
    cli: Cli, workdir: Path, global_arrangement: str, groups: int, parallel: set[int]
) -> None:
    numbers = (
        "--p",
        "2",
        "--a",
        "4",
        "--h",
        "2",
        "--g",
        str(groups),
        "--links-per-pair",
        "0",
        "--global-arrangement",
        global_arrangement,
    )
    ended = cli("topology", *numbers, "--links", "l.parquet", "--graphml", "l.graphml")
    assert ended.status == 0, ended.err
    links = pl.read_parquet("l.parquet").filter(pl.col("class") == "global")
    pairs = links.group_by("source_group", "target_group").len()
    assert pairs.height == groups * (groups - 1)
    assert set(pairs["len"]) == parallel
    ends = {
        row[:4]
        for row in links.select(
            "source_router", "source_port", "target_router", "target_port"
        ).rows()
    }
    assert ends == {(there, its, here, port) for here, port, there, its in ends}, (
        "every link needs its reverse link"
    )
    space = "{http://graphml.graphdrawing.org/xmlns}"
    edges = list(ElementTree.parse("l.graphml").getroot().iter(f"{space}edge"))
    assert len(edges) == links.height // 2 + groups * 6


def test_flit_times_are_whole_picoseconds() -> None:
    derived = pt.Scenario.from_toml(EXAMPLES / "quickstart.toml").resolve()["derived"]
    assert derived["flit_time_ps"] == {
        "terminal": 5120,
        "local": 5120,
        "global": 5120,
        "crossbar": 1280,
    }
    assert set(derived["flit_time_error_ppm"].values()) == {0.0}
    assert Duration(derived["flit_time_ps"]["local"]) == Duration.parse("5.12 ns")


@pytest.mark.slow
def test_a_known_deadlock_gives_a_warning(workdir: Path, cli: Cli) -> None:
    """The core's warning about BookSim2's ugal reaches command line, run directory and report."""
    Path("known.toml").write_text(
        SMALL.replace('"minimal"', '{ algorithm = "booksim_ugal", vc_map = "booksim2" }')
    )
    ended = cli("run", "known.toml", "--out", "here", "--quiet")
    (line,) = ended.err.splitlines()
    source, _, text = line.partition(": warning: ")
    assert (ended.status, source) == (0, "known.toml")
    assert text.startswith(
        "packets can wait for each other in a cycle of 6 virtual channels, as is known of"
        " booksim_ugal"
    )
    assert pt.Run("here").plan["derived"]["warnings"] == [text]
    assert f"{text}." in Path("here/report.html").read_text(encoding="utf-8")
    assert cli("check", "known.toml", "--plan", "plan.json").err.startswith(
        f"{line}\nknown.toml: valid; "
    )
    small = ("--set", "machine.topology.g=9", "--loads", "0.1", "--measure", "1 us")
    ended = cli("curve", "--preset", "booksim2", "--routing", "ugal", *small)
    assert (ended.status, ended.err.splitlines()) == (0, [f"pantala curve: warning: {text}"])


@pytest.mark.slow
def test_a_possible_deadlock_is_rejected(workdir: Path, cli: Cli) -> None:
    jobs = SMALL.replace(
        'name = "fft"', 'name = "fft"\nrouting = { algorithm = "minimal", vc_map = "booksim2" }'
    )
    Path("two.toml").write_text(jobs.replace('routing = "minimal"', 'routing = "ugal_g"', 1))
    ended = cli("run", "two.toml")
    assert (ended.status, ended.out) == (2, "")
    assert "packets can wait for each other in a cycle" in ended.err
    assert "allow_deadlock = true" in ended.err
    ended = cli("run", "two.toml", "--quiet", "--set", "allow_deadlock=true")
    assert ended.status == 0
    assert "and allow_deadlock lets them; if they do, the watchdog ends the run" in ended.err
