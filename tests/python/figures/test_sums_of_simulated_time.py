"""Figures and captions of sums over windows, of which skipped time has none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from markupsafe import Markup

import pantala as pt
from pantala import figures
from pantala.report.page_figure import PageFigure
from pantala.report.reported_run import ReportedRun
from pantala.report.skipped_note import with_cuts

pytestmark = pytest.mark.native

SCENARIO: dict[str, Any] = {
    "name": "ring",
    "machine": {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}},
    "routing": "minimal",
    "jobs": [
        {
            "name": "training",
            "ranks": 16,
            "workload": {
                "kind": "allreduce_loop",
                "message": "16 KiB",
                "compute": "10 us",
                "iterations": 200,
            },
        }
    ],
    "record": {"packets": "off", "messages": False},
}


def _run(path: Path, windows: list[str], **changes: Any) -> pt.Run:
    ports = {"split": ["vc"], "windows": windows}
    scenario = pt.Scenario.from_dict(SCENARIO).replace({"record.ports": ports, **changes})
    made = pt.run(scenario, path, report=False, progress=False)
    assert isinstance(made, pt.Run)
    return made


@pytest.mark.parametrize("windows", [[], ["20 us"]])
def test_occupancy_is_the_mean_over_simulated_time(tmp_path: Path, windows: list[str]) -> None:
    full = _run(tmp_path / "full", windows)
    skips = _run(tmp_path / "skips", windows, skip="5 %")
    assert skips.document["skipped"]["simulated_share"] < 0.25
    expected, found = (figures.vc_occupancy_table(run) for run in (full, skips))
    assert found["vc"].to_list() == expected["vc"].to_list()
    assert found["mean_flits"].to_list() == pytest.approx(expected["mean_flits"].to_list(), rel=0.1)


def test_a_window_of_the_whole_run_is_as_long_as_its_sums(tmp_path: Path) -> None:
    """Rates and means over `window_ns` are those of the run in full."""
    records: dict[str, Any] = {"record.system": {}, "record.routers": {}}
    full = _run(tmp_path / "full", [], **records)
    skips = _run(tmp_path / "skips", [], skip="5 %", **records)
    for table, value in (("port_windows", "busy_ns"), ("router_windows", "bytes")):
        expected, found = (
            getattr(run, table)
            .select(pl.col(value).sum() / pl.col("window_ns").first())
            .collect()
            .item()
            for run in (full, skips)
        )
        assert found == pytest.approx(expected, rel=0.1)
    share = skips.document["skipped"]["simulated_share"]
    for table in ("port_windows", "router_windows", "system_windows"):
        lengths = getattr(skips, table).select(pl.col("window_ns").unique()).collect().to_series()
        simulated = share * skips.document["simulated_ns"]
        assert lengths.to_list() == pytest.approx([simulated])


def test_captions_of_sums_leave_skipped_time_out(tmp_path: Path) -> None:
    drawn = {
        key: PageFigure(key, "Sums.", svg=Markup("<svg/>"))
        for key in ("blame", "saturation", "ring")
    }
    skips = with_cuts(drawn, ReportedRun.of(_run(tmp_path / "skips", [], skip="5 %")))
    captions = {key: figure.caption for key, figure in skips.items()}
    said = "Sums. Skipped time does not count."
    assert captions == {"blame": said, "saturation": said, "ring": "Sums."}
    full = ReportedRun.of(_run(tmp_path / "full", []))
    assert with_cuts(drawn, full) == drawn
