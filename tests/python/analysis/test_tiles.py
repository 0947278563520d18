"""Tiles of Aries routers, and profiles of jobs: closed forms, sums, a run, the command."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import pantala as pt
from pantala import figures, metrics
from pantala.analysis.profile import call_profile
from pantala.analysis.tiles import (
    TILE_CLASSES,
    has_tiles,
    link_counters,
    tile_counters,
    tile_jobs,
    tile_kinds,
    tile_map,
)
from pantala.cli import app
from pantala.errors import UsageError
from pantala.figures.tiles import stalls_and_flits

FLIT_TIMES = {"terminal": 1000, "row": 2000, "column": 2000, "global": 4000}


def shape(**changes: Any) -> dict[str, Any]:
    """Returns the topology of a resolved plan: 12 routers of two nodes."""
    topology: dict[str, Any] = {"kind": "dragonfly_2d", "p": 2, "rows": 2, "columns": 2, "h": 2}
    topology |= {"g": 3, "links_per_row_pair": 1, "links_per_column_pair": 3} | changes
    topology["a"] = topology["rows"] * topology["columns"]
    return topology


def links_of(topology: dict[str, Any]) -> pl.DataFrame:
    """Returns links with the columns of `Run.links` that tiles read."""
    nodes, columns = topology["p"], topology["columns"]
    row = (columns - 1) * topology["links_per_row_pair"]
    column = (topology["rows"] - 1) * topology["links_per_column_pair"]
    classes = ["ejection"] * nodes + ["row"] * row + ["column"] * column
    classes += ["global"] * topology["h"]
    routers = range(topology["g"] * topology["rows"] * columns)
    rows: list[dict[str, Any]] = []
    for router in routers:
        ends: dict[str, Any] = {"target_router": None, "target_port": None}
        for port, name in enumerate(classes):
            source = {"source_router": router, "source_port": port}
            rows.append({"link": len(rows), "class": name, **source, **ends})
    for router in routers:
        for port in range(nodes):
            target = {"target_router": router, "target_port": port}
            nowhere = {"source_router": None, "source_port": None}
            rows.append({"link": len(rows), "class": "injection", **nowhere, **target})
    kinds = dict.fromkeys(
        ("link", "source_router", "source_port", "target_router", "target_port"), pl.UInt32
    )
    return pl.DataFrame(rows, schema_overrides=kinds)


def test_each_port_has_the_tile_of_the_documented_map() -> None:
    found = tile_map(links_of(shape()), shape()).filter(pl.col("router") == 5)
    assert found["tile"].to_list() == list(range(48))
    used = {row["tile"]: row["link_class"] for row in found.to_dicts() if row["link_class"]}
    assert used == {
        0: "row",
        **dict.fromkeys((15, 16, 17), "column"),
        **dict.fromkeys((30, 31), "global"),
        **dict.fromkeys((40, 42), "injection"),
        **dict.fromkeys((41, 43), "ejection"),
    }
    assert found.filter(tile=47).select("tile_row", "tile_column", "class").row(0) == (
        5,
        7,
        "processor",
    )
    assert found.group_by("class").len().sort("class").rows() == [
        ("processor", 8),
        ("rank-1", 15),
        ("rank-2", 15),
        ("rank-3", 10),
    ]


@pytest.mark.parametrize("machine", ["theta", "cori"])
def test_a_full_router_of_the_presets_uses_all_48_tiles(machine: str) -> None:
    topology = plan_of({"preset": machine}).resolve()["topology"]
    assert has_tiles(topology)
    one_group = topology | {"g": 1}
    found = tile_map(links_of(one_group), one_group)
    assert found["link"].null_count() == 0
    assert found["link"].n_unique() == found.height == 96 * 48


@settings(max_examples=20)
@given(
    st.integers(1, 4),
    st.integers(1, 3),
    st.integers(1, 4),
    st.integers(1, 10),
    st.lists(st.integers(0, 10**6), min_size=1, max_size=50),
)
def test_sums_over_tiles_are_sums_over_links(
    p: int, rows: int, columns: int, h: int, values: list[int]
) -> None:
    topology = shape(p=p, rows=rows, columns=columns, h=h)
    links = links_of(topology)
    counts = [values[each % len(values)] for each in range(links.height)]
    links = links.with_columns(
        packets=pl.Series(counts, dtype=pl.UInt64),
        bytes=pl.Series(counts, dtype=pl.UInt64) * 3,
        busy_ns=pl.Series(counts, dtype=pl.Float64) * 8.0,
        stall_ns=pl.Series(counts, dtype=pl.Float64) / 2,
    )
    counters = link_counters(links, FLIT_TIMES)
    mapped = tile_map(links, topology)
    tiles = tile_counters(mapped, counters)
    assert tiles.height == 48 * topology["g"] * rows * columns
    assert sorted(tiles["link"].drop_nulls()) == links["link"].to_list()
    for column in ("packets", "bytes", "flits", "stall_ns", "stalled_flits"):
        assert tiles[column].sum() == pytest.approx(counters[column].sum())
    jobs = links.select("link", "bytes", "stall_ns", job=pl.lit(0, pl.UInt16))
    assert tile_jobs(mapped, jobs, FLIT_TIMES)["bytes"].sum() == links["bytes"].sum()


def test_stalled_flits_are_stall_time_over_the_time_of_a_flit() -> None:
    links = links_of(shape()).filter(pl.col("class") == "global").head(2)
    values = pl.DataFrame(
        {"packets": [2, 0], "bytes": [90, 0], "busy_ns": [24.0, 0.0], "stall_ns": [12.0, 4.0]}
    )
    found = link_counters(links.hstack(values), FLIT_TIMES)
    assert found["flits"].to_list() == [6, 0]
    assert found["stalled_flits"].to_list() == [3.0, 1.0]
    assert found["stalls_to_flits"].to_list() == [0.5, None]


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"kind": "dragonfly"}, "tiles are for routers with rows and columns"),
        ({"p": 5}, "at most 4 nodes"),
        ({"columns": 17}, "16 row ports per router: a router has 15 rank-1 tiles"),
        ({"rows": 7}, "18 column ports per router: a router has 15 rank-2 tiles"),
        ({"h": 11}, "11 global ports per router: a router has 10 rank-3 tiles"),
    ],
)
def test_a_router_with_more_links_than_tiles_is_refused(changes: dict[str, Any], text: str) -> None:
    assert not has_tiles(shape(**changes))
    with pytest.raises(UsageError, match=text) as found:
        tile_map(links_of(shape()), shape(**changes))
    assert "\n" not in str(found.value)


def test_counters_of_serving_routers_count_a_router_once() -> None:
    counters = pl.DataFrame(
        {
            "router": [0, 0, 0, 1, 2],
            "class": ["rank-1", "rank-1", "rank-3", "rank-1", "rank-1"],
            "flits": [10, None, 0, 30, 1000],
            "stalled_flits": [5.0, None, 2.0, 0.0, 1000.0],
        }
    )
    ranks = pl.DataFrame({"router": [0, 0, 1]})
    assert metrics.counters_of_serving_routers(counters, ranks).rows() == [
        ("rank-1", 2, 20.0, 2.5, 0.125),
        ("rank-3", 1, 0.0, 2.0, None),
    ]
    by_router = metrics.counters_of_serving_routers(counters, ranks, by_router=True)
    assert by_router.select("router", "class", "stalls_to_flits").rows() == [
        (0, "rank-1", 0.5),
        (0, "rank-3", None),
        (1, "rank-1", 0.0),
    ]


def test_a_profile_of_calls_has_means_and_shares() -> None:
    calls = pl.DataFrame(
        {"call": ["send", "wait"], "calls": [4, 2], "bytes": [100, 0], "time_ns": [10.0, 40.0]}
    )
    ranks = pl.DataFrame({"start_ns": [0.0, 50.0], "end_ns": [60.0, 90.0]})
    assert call_profile(calls, ranks).rows() == [
        ("wait", 2, 0.0, 20.0, 0.4),
        ("send", 4, 25.0, 5.0, 0.1),
    ]
    running = ranks.with_columns(end_ns=pl.Series([60.0, None]))
    assert call_profile(calls, running)["share"].to_list() == [None, None]


def plan_of(machine: dict[str, Any], **record: object) -> pt.Scenario:
    halo = {"kind": "halo3d", "grid": [2, 2, 2], "message": "4 kB", "iterations": 1}
    jobs = [{"name": name, "ranks": 8, "workload": halo} for name in ("left", "right")]
    return pt.Scenario.from_dict(
        {
            "name": "tiles",
            "machine": machine,
            "routing": "minimal",
            "jobs": jobs,
            "record": record,
        }
    )


@cache
def aries_run() -> pt.Run:
    """Returns a run on a small machine of Aries routers: 12 routers of four nodes."""
    topology = shape(p=4, links_per_pair=4)
    record = {"windows": ["1 us", "2 us"], "split": ["kind"]}
    scenario = plan_of({"preset": "theta", "topology": topology}, ports=record)
    run = pt.run(scenario, out=Path(mkdtemp(prefix="pantala-tiles-")) / "run")
    assert isinstance(run, pt.Run)
    return run


def test_the_tiles_of_a_run_add_up_to_its_links() -> None:
    run = aries_run()
    links, tiles, jobs = (each.collect() for each in (run.links, run.tiles, run.tile_jobs))
    assert tiles.height == 48 * 12
    assert sorted(tiles["link"].drop_nulls()) == sorted(links["link"])
    assert tiles["bytes"].sum() == jobs["bytes"].sum() == links["bytes"].sum()
    assert tiles["packets"].sum() == links["packets"].sum()
    assert jobs["stall_ns"].sum() == pytest.approx(links["stall_ns"].sum())
    ports = run.port_windows.filter(pl.col("window_ns") == 1000).collect()
    assert tiles["flits"].sum() == ports["flits"].sum()
    kinds = tile_kinds(
        tile_map(links, run.plan["topology"]), ports, run.plan["derived"]["flit_time_ps"]
    )
    by_tile = kinds.group_by("router", "tile").agg(pl.col("flits").sum()).sort("router", "tile")
    used = tiles.filter(pl.col("link").is_not_null())
    assert by_tile["flits"].to_list() == used["flits"].to_list()
    with pytest.raises(UsageError, match="several window lengths"):
        tile_kinds(kinds, run.port_windows.collect(), FLIT_TIMES)


def test_a_job_has_the_counters_of_its_routers() -> None:
    run = aries_run()
    found = run.router_counters("left")
    assert found["class"].to_list() == sorted(TILE_CLASSES)
    routers = run.ranks.filter(pl.col("job") == 0).collect()["router"].unique()
    of_routers = run.tiles.filter(pl.col("router").is_in(routers.to_list()))
    total = of_routers.select(pl.col("flits").sum()).collect().item()
    assert (found["tiles"] * found["flits_mean"]).sum() == pytest.approx(total)
    kinds = run.router_counters("left", by_kind=True)
    assert (kinds["tiles"] * kinds["flits_mean"]).sum() == pytest.approx(total)
    assert run.router_counters("left", by_router=True)["router"].n_unique() == len(routers)
    with pytest.raises(UsageError, match="add job = one of left, right"):
        run.router_counters()


def test_machines_without_tiles_have_counters_by_link_class(tmp_path: Path) -> None:
    machine = {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 3}}
    run = pt.run(plan_of(machine), out=tmp_path / "run")
    assert isinstance(run, pt.Run)
    found = run.router_counters("left")
    assert set(found["class"]) == {"injection", "ejection", "local", "global"}
    with pytest.raises(UsageError, match="tiles are for routers with rows and columns"):
        run.tiles.collect()
    with pytest.raises(UsageError, match="tiles are for routers with rows and columns"):
        run.router_counters("left", by_kind=True)


def test_the_scatter_shows_tiles_by_class() -> None:
    run = aries_run()
    assert set(stalls_and_flits(run)["class"]) <= set(TILE_CLASSES)
    drawn = figures.stall_scatter(run)
    assert any(axes.get_xlabel() == "flits sent by a tile" for axes in drawn.axes)


def test_the_command_prints_calls_and_counters() -> None:
    run = aries_run()
    shown = CliRunner().invoke(app, ["profile", str(run.path), "left"])
    assert shown.exit_code == 0
    for word in ("left: 8 ranks", "MPI call", "wait", "rank-1", "processor", "stalls to flits"):
        assert word in shown.output
    text = CliRunner().invoke(app, ["profile", str(run.path), "--json"])
    assert [each["job"] for each in json.loads(text.stdout)] == ["left", "right"]
    kinds = CliRunner().invoke(app, ["profile", str(run.path), "left", "--by-kind", "--json"])
    (left,) = json.loads(kinds.stdout)
    assert left["counters"] == run.router_counters("left", by_kind=True).to_dicts()
    drawn = CliRunner().invoke(app, ["profile", str(run.path), "left", "--by-kind"])
    assert "response" in drawn.output
    assert "response" not in shown.output
    wrong = CliRunner().invoke(app, ["profile", str(run.path), "lef"])
    assert isinstance(wrong.exception, UsageError)
