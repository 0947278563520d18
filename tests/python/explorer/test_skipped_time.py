"""The view of time of runs that skipped time, each at other times."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pantala as pt
from chromium import chromium
from explored_pages import READY, brush, select, served
from pantala.experiments.experiment import Experiment
from pantala.run_tables.skipped_time import skipped_between, skipped_spans
from support import SMALL

pytestmark = [pytest.mark.native, pytest.mark.slow, pytest.mark.needs("chromium", "bash")]


def _rates(text: str) -> dict[str, float]:
    """Returns the means of the sentence by line, in GB/s."""
    sentence = re.search(r"Mean in the interval: (.*?)\.(?:\s|$)", text)
    assert sentence, text
    found = re.findall(r"(\w+(?: alone)?)\s([\d.]+)\sGB/s", sentence[1].replace("\u00a0", " "))
    return {name: float(value) for name, value in found}


def _rate(run: Any, job: int) -> float:
    """Returns the mean rate of a job over the simulated time of its run."""
    end = run.document["simulated_ns"]
    rows = run.job_windows.filter(pl.col("job") == job)
    sent: float = rows.select(pl.col("delivered_bytes").sum()).collect().item()
    return sent / float(end - skipped_between(run, 0, end))


def test_rates_are_of_the_time_that_the_own_run_simulated(tmp_path: Path) -> None:
    """A run alone that skipped more than the run together has no lower rate for it."""
    (tmp_path / "long.toml").write_text(re.sub(r"iterations = \d+", "iterations = 400", SMALL))
    scenario = pt.Scenario.from_toml(tmp_path / "long.toml").replace(
        {"skip": "20 %", "interference": {"targets": ["fft"]}, "record": {"window": "1 us"}}
    )
    made = pt.run(scenario, tmp_path / "run", report=False, progress=False)
    assert isinstance(made, Experiment)
    alone, together = made.alone["fft"], made.together
    assert skipped_spans(alone) != skipped_spans(together)
    with served(tmp_path / "run") as address, chromium() as page:
        page.size(1280, 900)
        page.open(address)
        page.until(READY)
        shown = _rates(page.value("document.querySelector('#time').innerText"))
        assert shown == {
            "fft alone": pytest.approx(_rate(alone, 0), rel=0.01),
            "fft": pytest.approx(_rate(together, 0), rel=0.01),
            "halo": pytest.approx(_rate(together, 1), rel=0.01),
        }
        # Links over time: cells of simulated windows only, and breaks that say what they are.
        cells = page.value("explorer.rows('heat')")["rows"]
        spans = skipped_spans(together)
        assert cells
        starts = sorted({row[2] for row in cells})
        length = min(after - before for before, after in itertools.pairwise(starts))
        assert not any(
            start <= row[2] and row[2] + length <= end for row in cells for start, end in spans
        )
        page.value("document.querySelector('#heat').scrollIntoView()")
        left, top, width = page.value(
            "(() => { const b = document.querySelector('#heat canvas').getBoundingClientRect();"
            " return [b.left, b.top, b.width]; })()"
        )
        tips = set()
        for place in range(round(left), round(left + width), 3):
            page.mouse("mouseMoved", place, top + 60)
            tips.add(page.value("document.querySelector('.tip')?.innerText ?? ''"))
        said = {tip.split("\n")[1] for tip in tips if "skipped, from" in tip}
        assert len(said) == len(spans)
        # Skipped time is a break of the axis: the place of the mouse is a time beyond it.
        (first, last), *_ = skipped_spans(together)
        end = together.document["simulated_ns"]
        brush(page, 0.9, 0.95)
        state = page.value("explorer.state()")
        assert state["from"] < state["to"] <= end
        assert state["from"] > first
        select(page, "{from: null, to: null}")
        assert page.errors == []
        assert last <= end
