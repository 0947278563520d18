"""The study of Chunduri et al. (IPDPS 2021): its machine, its samples, and its measures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pantala as pt
from pantala.papers import study
from pantala.papers.chunduri2021.study import counter_measures, measures, samples
from pantala.studies.evidence import Evidence

pytestmark = pytest.mark.native


@pytest.fixture(scope="module")
def descriptions() -> dict[str, Any]:
    return study("chunduri2021").descriptions(quick=False)


def axis(description: Any, column: str) -> list[Any]:
    found = next(each for each in description.axes if column in each.columns)
    return [point.shown[column] for point in found.points]


def test_an_application_has_thirty_samples_under_each_mode(descriptions: dict[str, Any]) -> None:
    """Jobs of an ensemble are samples; in production a run has one."""
    for name in ("production", "production_milc"):
        made = descriptions[name]
        assert len(axis(made, "placement")) * made.seeds >= 30
    for name, jobs in (("ensembles", 16), ("rayleigh", 16), ("tiles", 16), ("large", 8)):
        made = descriptions[name]
        assert sum(job.count for job in made.base.jobs) == jobs
        assert jobs * len(axis(made, "placement")) * made.seeds >= 30, name


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


class Rows:
    """An experiment with given tables, for `Evidence`."""

    def __init__(self, **tables: pl.DataFrame) -> None:
        self.tables = tables
        self.runs = pl.DataFrame({"seed": [1, 2], "part": ["together"] * 2}).with_columns(
            result_hash=pl.col("seed").cast(pl.String)
        )

    def table(self, name: str) -> pl.LazyFrame:
        return self.tables[name].lazy()


def jobs(times: dict[tuple[str, int], float], **axes: str) -> pl.DataFrame:
    """Returns rows of jobs by mode and seed: two alike and a job of the background."""
    return pl.DataFrame(
        {
            "seed": seed,
            "mode": mode,
            "job": number,
            "name": name,
            "complete": name != "background-1",
            "start_ns": 0.0,
            "end_ns": time,
            "communication_time_mean_ns": time / 2,
            **axes,
        }
        for (mode, seed), time in times.items()
        for number, name in enumerate(("target", "background-1"))
    )


def test_a_saving_is_of_the_samples_of_a_seed(descriptions: dict[str, Any]) -> None:
    times = {("AD0", 1): 100.0, ("AD3", 1): 90.0, ("AD0", 2): 200.0, ("AD3", 2): 220.0}
    rows = jobs(times, application="milc", placement="2 groups")
    e = Evidence(descriptions, {"production_milc": Rows(jobs=rows)})  # type: ignore[dict-item]
    found = measures.improvement("milc")(e)
    np.testing.assert_allclose(found["saving"], [0.1, -0.1])
    np.testing.assert_allclose(found["mpi_saving"], [0.1, -0.1])
    other = measures.improvement("qbox")(e)
    assert np.isnan(other["saving"]).all()


def test_an_application_that_lacks_a_mode_has_no_scores(descriptions: dict[str, Any]) -> None:
    times = {("AD0", 1): 120.0, ("AD1", 1): 115.0, ("AD2", 1): 110.0, ("AD3", 1): 100.0}
    whole = Rows(jobs=jobs(times, application="qbox", placement="compact"))
    part = Rows(
        jobs=jobs({("AD3", 1): 70.0, ("AD3", 2): 80.0}, application="milc", placement="compact")
    )
    alone = Evidence(descriptions, {"ensembles": whole})  # type: ignore[dict-item]
    both = Evidence(descriptions, {"ensembles": whole, "tiles": part})  # type: ignore[dict-item]
    for measure in (measures.best_of_modes, measures.second_of_modes):
        expected = measure(alone)
        assert {name: list(each) for name, each in measure(both).items()} == {
            name: pytest.approx(list(each), nan_ok=True) for name, each in expected.items()
        }
    assert measures.best_of_modes(both)["mean_below_ad0"][0] > 1


def test_the_computing_of_hacc_counts_in_production(descriptions: dict[str, Any]) -> None:
    times = {("AD0", 1): 1e6, ("AD3", 1): 1e6}
    rows = jobs(times, application="hacc", placement="2 groups")
    e = Evidence(descriptions, {"production": Rows(jobs=rows)})  # type: ignore[dict-item]
    found = samples.job_times(e, "production", {"application": "hacc"})
    assert found["run_ns"].to_list() == [1e6 + 1_240_000 - 1_000] * 2


def test_the_change_of_the_default_compares_stalls_and_ratios(
    descriptions: dict[str, Any],
) -> None:
    whole = 10.5 * 4.69  # the times of so many flits are whole picoseconds, as those of tables are
    rows = pl.DataFrame(
        {
            "seed": seed,
            "mode": mode,
            "class": name,
            "flits": 1000,
            "bytes": 1,
            "stall_ns": stall * whole * samples.FLIT_NS[name],
        }
        for seed in (1, 2)
        for mode, stall in (("AD0", 8.0), ("AD3", 6.0))
        for name in ("row", "global", "injection")
    )
    e = Evidence(descriptions, {"default_theta": Rows(system_windows=rows)})  # type: ignore[dict-item]
    found = counter_measures.default_on_theta(e)
    np.testing.assert_allclose(found["stalls_saving"], [0.25, 0.25])
    np.testing.assert_allclose(found["ratio_saving"], [0.25, 0.25])
    np.testing.assert_allclose(found["injected_change"], [0, 0])


def test_percentiles_of_nodes_are_compared_one_by_one(descriptions: dict[str, Any]) -> None:
    rows = pl.concat(
        pl.DataFrame(
            {
                "seed": seed,
                "mode": mode,
                "request_response_latency_mean_ns": [factor * each for each in range(1, 1001)],
            }
        )
        for seed in (1, 2)
        for mode, factor in (("AD0", 1.0), ("AD3", 0.8))
    )
    e = Evidence(descriptions, {"default_cori": Rows(nic_windows=rows)})  # type: ignore[dict-item]
    found = counter_measures.default_on_cori(e)
    np.testing.assert_allclose(found["least_saving"], [0.2, 0.2])
    np.testing.assert_allclose(found["p99_99_saving"], [0.2, 0.2])


def test_figures_tables_and_measures_ask_for_what_the_study_has(tmp_path: Path) -> None:
    campaign = pt.studies.Campaign(study("chunduri2021"), tmp_path, quick=False)
    verdicts = {str(each.verdict) for each in campaign.judgements()}
    assert verdicts == {"not run", "shown by test", "cannot be simulated"}
    assert len(list(campaign.figures())) == 14
    assert all(table.rows.is_empty() for table in campaign.tables())
