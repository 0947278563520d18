"""The study of Chunduri et al. (IPDPS 2021): its machine, its samples and its rules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pantala as pt
from pantala.papers import study
from pantala.papers.chunduri2021.study import samples

pytestmark = pytest.mark.native


@pytest.fixture(scope="module")
def descriptions() -> dict[str, Any]:
    return study("chunduri2021").descriptions(quick=False)


def axis(description: Any, column: str) -> list[Any]:
    found = next(each for each in description.axes if column in each.columns)
    return [point.shown[column] for point in found.points]


def test_an_application_has_thirty_samples_under_each_mode(descriptions: dict[str, Any]) -> None:
    """Jobs of an ensemble are samples; in production a run has one.

    The paper has more than 30. So have ensembles; production has just as many.
    """
    for name in ("production", "production_milc"):
        made = descriptions[name]
        assert len(axis(made, "placement")) * made.seeds == 30
    for name, jobs in (("ensembles", 16), ("rayleigh", 16), ("tiles", 16), ("large", 8)):
        made = descriptions[name]
        assert sum(job.count for job in made.base.jobs) == jobs
        assert jobs * len(axis(made, "placement")) * made.seeds > 30, name


def test_samples_beyond_three_deviations_are_left_out() -> None:
    times = [1.0] * 40 + [50.0]
    rows = pl.DataFrame({"kind": ["a"] * 41, "run_ns": times})
    assert samples.without_outliers(rows, ["kind"])["run_ns"].to_list() == [1.0] * 40
    equal = pl.DataFrame({"kind": ["a"] * 5, "run_ns": [0.1] * 5})
    assert samples.without_outliers(equal, ["kind"]).height == 5


def test_a_router_has_the_tiles_and_links_of_the_paper() -> None:
    scenario = pt.Scenario.from_dict(
        {
            "name": "theta",
            "machine": "theta",
            "jobs": [{"name": "a", "ranks": 2, "workload": {"kind": "network_kernel"}}],
        }
    )
    topology, links = scenario.resolve()["topology"], scenario.resolve()["links"]
    assert (topology["columns"] - 1, topology["p"], topology["g"]) == (15, 4, 12)
    assert topology["links_per_column_pair"] == 3
    network = (
        (topology["columns"] - 1)
        + topology["links_per_column_pair"] * (topology["rows"] - 1)
        + topology["h"]
    )
    assert network == 40
    rates = {name: links[name]["bandwidth_bytes_per_s"] for name in ("row", "column", "global")}
    assert (rates["row"], rates["column"], rates["global"]) == (5.25e9, 5.25e9, 4.69e9)


def test_the_flit_times_are_those_of_the_machine(descriptions: dict[str, Any]) -> None:
    plan = descriptions["isolated"].base.resolve()
    times = {name: time / 1000 for name, time in plan["derived"]["flit_time_ps"].items()}
    times |= dict.fromkeys(("injection", "ejection"), times.pop("terminal"))
    own = {name: times[name] for name in samples.FLIT_NS}
    assert own == pytest.approx(dict(samples.FLIT_NS), rel=1e-3)


@pytest.mark.parametrize(
    ("name", "low"),
    [("isolated_ad3_over_ad0", 1.0), ("ad2_over_ad0", 1.0), ("ad3_over_ad2", 1.0)],
)
def test_bounds_of_orders_have_no_tolerance(name: str, low: float) -> None:
    own = [each.holds[name] for each in study("chunduri2021").claims if name in each.holds]
    assert own == [(low, np.inf)]


def test_figures_tables_and_measures_ask_for_what_the_study_has(tmp_path: Path) -> None:
    campaign = pt.studies.Campaign(study("chunduri2021"), tmp_path, quick=False)
    verdicts = {str(each.verdict) for each in campaign.judgements()}
    assert verdicts == {"not run", "shown by test", "cannot be simulated"}
    assert len(list(campaign.figures())) == 14
    assert all(table.rows.is_empty() for table in campaign.tables())
