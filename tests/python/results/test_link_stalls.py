"""Stalls as Pantala and as SST count them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl
import pytest

import pantala as pt

pytestmark = pytest.mark.native

SCENARIO = """
name = "stalls"
seed = 1
stop.duration = "40 us"
record.sst_stalls = true
[machine]
preset = "kang2022"
topology = {{ p = 2, a = 4, h = 2, g = 9 }}
router.model = "{router}"
[routing]
algorithm = "ugal_n"
[[jobs]]
name = "ur"
ranks = 72
workload.kind = "pattern"
workload.pattern = "uniform"
workload.load = 0.95
"""


def links(
    directory: Path, router: str, changes: Mapping[str, object] | None = None
) -> pl.DataFrame:
    file = directory / "scenario.toml"
    file.write_text(SCENARIO.format(router=router), encoding="utf-8")
    scenario = pt.Scenario.from_toml(file, changes=changes)
    run = pt.run(scenario, out=directory / "run", report=False)
    assert isinstance(run, pt.Run)
    return run.links.collect()


def test_sst_counts_a_part_of_each_stall(tmp_path: Path) -> None:
    found = links(tmp_path, "sst_sc22")
    injection = pl.col("class") == "injection"
    assert found.filter(injection)["sst_stall_ns"].null_count() == found.filter(injection).height
    between = found.filter(~injection)
    assert between["sst_stall_ns"].null_count() == 0
    assert (between["sst_stall_ns"] <= between["stall_ns"]).all()
    assert 0 < between["sst_stall_ns"].sum() < between["stall_ns"].sum()


def test_both_are_one_with_virtual_output_queues(tmp_path: Path) -> None:
    found = links(tmp_path, "codes_dally").filter(pl.col("class") != "injection")
    assert found["stall_ns"].sum() > 0
    assert found["sst_stall_ns"].to_list() == found["stall_ns"].to_list()


def test_without_the_record_the_column_is_empty_and_the_results_are_as_before(
    tmp_path: Path,
) -> None:
    (tmp_path / "on").mkdir()
    (tmp_path / "off").mkdir()
    with_it = links(tmp_path / "on", "sst_sc22")
    without = links(tmp_path / "off", "sst_sc22", {"record.sst_stalls": False})
    assert without["sst_stall_ns"].null_count() == without.height
    assert without.drop("sst_stall_ns").equals(with_it.drop("sst_stall_ns"))
