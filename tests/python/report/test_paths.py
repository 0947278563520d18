"""The sentences on longer paths, and on how much of a longer latency is waiting."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

import pantala as pt
from pantala.report.finding import finding_of
from pantala.report.paths import paths_sentence, waiting_share
from pantala.report.reported_run import ReportedRun
from pantala.report.sentences import cause_sentences

pytestmark = pytest.mark.native


def _pair(out: Path, routing: str) -> pt.Experiment:
    """Runs a small allreduce beside an exchange that sends the packets of both around itself."""
    made = pt.run(
        pt.Scenario.from_dict(
            {
                "name": "pair",
                "machine": {
                    "preset": "kang2022",
                    "topology": {"p": 2, "a": 4, "h": 2, "g": 9},
                },
                "routing": routing,
                "interference": True,
                "record": {"blame": {"window": "10 us"}},
                "jobs": [
                    {
                        "name": "solver",
                        "ranks": 24,
                        "placement": "random",
                        "workload": {
                            "kind": "allreduce_loop",
                            "message": "64 B",
                            "iterations": 10,
                            "compute": "5 us",
                            "start_delay": "0 ns",
                        },
                    },
                    {
                        "name": "bully",
                        "ranks": 36,
                        "placement": "random",
                        "workload": {"kind": "ember.Alltoall", "bytes": 8192, "iterations": 2},
                    },
                ],
            }
        ),
        out,
        report=False,
    )
    assert isinstance(made, pt.Experiment)
    return made


@pytest.fixture(scope="module")
def adaptive(tmp_path_factory: pytest.TempPathFactory) -> pt.Experiment:
    return _pair(tmp_path_factory.mktemp("paths") / "adaptive", "par")


def _row(run: pt.Run, name: str) -> dict[str, float]:
    return run.jobs.filter(pl.col("name") == name).collect().row(0, named=True)


def test_longer_paths_are_named_with_their_lengths(adaptive: pt.Experiment) -> None:
    text = paths_sentence(ReportedRun.of(adaptive))
    assert text in finding_of(adaptive)
    together, alone = _row(adaptive.together, "solver"), _row(adaptive.alone["solver"], "solver")
    found = re.search(r"solver ([\d.]+) instead of ([\d.]+)", text)
    assert found, text
    assert [float(each) for each in found.groups()] == [
        pytest.approx(row["link_hops_mean"], abs=0.005) for row in (together, alone)
    ]
    more = together["nonminimal_share"] - alone["nonminimal_share"]
    assert ("are not on minimal ones" in text) == (more >= 0.05)


def test_waiting_that_is_a_part_of_the_rise_is_said_to_be(adaptive: pt.Experiment) -> None:
    reported = ReportedRun.of(adaptive)
    (text, *_) = [each.text for each in cause_sentences(reported) if each.text.startswith("solver")]
    blame = adaptive.together.blame.filter(pl.col("victim") == 0, pl.col("aggressor") != 0)
    waits = blame.select(pl.col("wait_ns").sum()).collect().item()
    together, alone = _row(adaptive.together, "solver"), _row(adaptive.alone["solver"], "solver")
    rise = together["packet_latency_mean_ns"] - alone["packet_latency_mean_ns"]
    share = waits / (rise * together["packets"])
    assert ("of the rise of its mean packet latency" in text) == (share < 0.75)
    if found := re.search(r"Waiting for other jobs is ([\d.]+) % of the rise", text):
        assert float(found[1]) == pytest.approx(100 * share, abs=1)


def test_minimal_paths_are_no_longer_than_alone(tmp_path: Path) -> None:
    assert paths_sentence(ReportedRun.of(_pair(tmp_path / "minimal", "minimal"))) == ""


def test_of_skipped_time_the_share_of_waiting_is_not_known(
    adaptive: pt.Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported = ReportedRun.of(adaptive)
    assert "of the rise" in waiting_share(reported, 0, 1.0)
    monkeypatch.setitem(reported.run.document, "skipped", {"simulated_share": 0.5})
    assert waiting_share(reported, 0, 1.0) == ""
