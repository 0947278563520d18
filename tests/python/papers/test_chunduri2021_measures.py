"""The measures of the study of Chunduri et al. (IPDPS 2021), from small tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from pantala.papers import study
from pantala.papers.chunduri2021.study import (
    counter_measures,
    ensemble_measures,
    measures,
    samples,
)
from pantala.studies.evidence import Evidence

pytestmark = pytest.mark.native


@pytest.fixture(scope="module")
def descriptions() -> dict[str, Any]:
    return study("chunduri2021").descriptions(quick=False)


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
    for measure in (
        ensemble_measures.best_of_modes,
        ensemble_measures.second_of_modes,
        ensemble_measures.third_of_modes,
    ):
        expected = measure(alone)
        assert {name: list(each) for name, each in measure(both).items()} == {
            name: pytest.approx(list(each), nan_ok=True) for name, each in expected.items()
        }
    assert ensemble_measures.best_of_modes(both)["mean_below_ad0"][0] > 1
    np.testing.assert_allclose(ensemble_measures.best_of_modes(both)["applications"], [1, np.nan])
    assert ensemble_measures.third_of_modes(both)["ad0_over_ad1"][0] > 0
    unequal = Rows(
        jobs=pl.concat(
            [
                whole.tables["jobs"],
                jobs({("AD3", 1): 900.0}, application="qbox", placement="dispersed"),
            ]
        )
    )
    more = Evidence(descriptions, {"ensembles": unequal})  # type: ignore[dict-item]
    assert ensemble_measures.best_of_modes(more)["mean_below_ad0"][0] > 1


def test_the_computing_of_hacc_counts_in_production(descriptions: dict[str, Any]) -> None:
    times = {("AD0", 1): 1e6, ("AD3", 1): 1e6}
    rows = jobs(times, application="hacc", placement="2 groups")
    e = Evidence(descriptions, {"production": Rows(jobs=rows)})  # type: ignore[dict-item]
    found = samples.job_times(e, "production", {"application": "hacc"})
    assert found["run_ns"].to_list() == [1e6 + 1_240_000 - 1_000] * 2


#: A time of which the flit times of all classes take a whole number of picoseconds, as in tables.
WHOLE = 10.5 * 4.69
#: Windows of the start-up and of steady traffic.
START_UP, STEADY = (0.0, 95_000.0), (100_000.0, 495_000.0)


def system_windows(
    stalls: dict[tuple[str, float], float], flits: dict[str, int] | None = None, **axes: str
) -> pl.DataFrame:
    """Returns rows of two seeds: stalled flits by mode and window, flits by mode."""
    return pl.DataFrame(
        {
            "seed": seed,
            "mode": mode,
            "window_start_ns": start,
            "class": name,
            "flits": (flits or {}).get(mode, 1000),
            "bytes": 1,
            "stall_ns": stall * WHOLE * samples.FLIT_NS[name],
            **axes,
        }
        for seed in (1, 2)
        for (mode, start), stall in stalls.items()
        for name in samples.FLIT_NS
    )


@pytest.mark.parametrize("burst", [0.0, 1000.0])
def test_the_change_of_the_default_compares_steady_stalls_and_ratios(
    descriptions: dict[str, Any], burst: float
) -> None:
    """What AD0 stalls until the warm-up is over does not count."""
    stalls = {("AD0", start): burst for start in START_UP}
    stalls |= {("AD3", start): 0.0 for start in START_UP}
    stalls |= {
        (mode, start): each for mode, each in (("AD0", 8.0), ("AD3", 6.0)) for start in STEADY
    }
    e = Evidence(descriptions, {"default_theta": Rows(system_windows=system_windows(stalls))})  # type: ignore[dict-item]
    found = counter_measures.default_on_theta(e)
    np.testing.assert_allclose(found["stalls_saving"], [0.25, 0.25])
    np.testing.assert_allclose(found["ratio_saving"], [0.25, 0.25])
    np.testing.assert_allclose(found["injected_change"], [0, 0])


@pytest.mark.parametrize("burst", [1.0, 100.0])
def test_percentiles_of_nodes_are_compared_one_by_one(
    descriptions: dict[str, Any], burst: float
) -> None:
    rows = pl.concat(
        pl.DataFrame(
            {
                "seed": seed,
                "mode": mode,
                "window_start_ns": start,
                "request_response_latency_mean_ns": [factor * each for each in range(1, 1001)],
            }
        )
        for seed in (1, 2)
        for mode, steady in (("AD0", 1.0), ("AD3", 0.8))
        for start in (*START_UP, *STEADY)
        for factor in [burst if mode == "AD0" and start in START_UP else steady]
    )
    e = Evidence(descriptions, {"default_cori": Rows(nic_windows=rows)})  # type: ignore[dict-item]
    found = counter_measures.default_on_cori(e)
    np.testing.assert_allclose(found["least_saving"], [0.2, 0.2])
    np.testing.assert_allclose(found["p99_99_saving"], [0.2, 0.2])


def test_counters_are_compared_by_class_of_tile(descriptions: dict[str, Any]) -> None:
    stalls = {("AD0", 0.0): 8.0, ("AD3", 0.0): 6.0}
    rows = system_windows(
        stalls, {"AD0": 1000, "AD3": 900}, application="milc", placement="compact"
    )
    e = Evidence(descriptions, {"large": Rows(system_windows=rows)})  # type: ignore[dict-item]
    stalled, sent = counter_measures.less_stalls(e), counter_measures.fewer_flits(e)
    assert {*stalled} == {"row_saving", "column_saving", "global_saving", "processor_saving"}
    assert {*sent} == {"row_saving", "column_saving", "global_saving"}
    for each in stalled.values():
        np.testing.assert_allclose(each, [0.25, 0.25])
    for each in sent.values():
        np.testing.assert_allclose(each, [0.1, 0.1])


def test_flits_of_hacc_are_counted_by_class_of_tile(descriptions: dict[str, Any]) -> None:
    """Compact ensembles have runs under one mode only, so they do not count."""
    rows = pl.DataFrame(
        {"seed": 1, "application": "hacc", "mode": mode, "placement": place}
        | {"link": link, "class": name, "source_router": link, "target_router": 99}
        | {"busy_ns": flits * WHOLE * samples.FLIT_NS[name], "stall_ns": 0.0}
        for mode, place, flits in (
            ("AD0", "dispersed", 10),
            ("AD3", "dispersed", 12),
            ("AD0", "compact", 500),
        )
        for link, name in enumerate(samples.FLIT_NS)
    )
    e = Evidence(descriptions, {"tiles": Rows(links=rows)})  # type: ignore[dict-item]
    found = counter_measures.more_flits(e)
    names = ("row", "column", "global", "processor")
    assert {*found} == {f"{name}_increase" for name in names}
    for each in found.values():
        np.testing.assert_allclose(each, [0.2, np.nan])


def test_a_placement_without_runs_under_both_modes_does_not_count(
    descriptions: dict[str, Any],
) -> None:
    both = {("AD0", 0.0): 8.0, ("AD3", 0.0): 6.0}
    rows = pl.concat(
        [
            system_windows(both, application="milc", placement="dispersed"),
            system_windows({("AD0", 0.0): 80.0}, application="milc", placement="compact"),
        ]
    )
    e = Evidence(descriptions, {"large": Rows(system_windows=rows)})  # type: ignore[dict-item]
    np.testing.assert_allclose(counter_measures.less_stalled(e)["stalls_saving"], [0.25, 0.25])
    times = {("AD0", 1): 100.0, ("AD3", 1): 90.0}
    runs = pl.concat(
        [
            jobs(times, application="milc", placement="2 groups"),
            jobs({("AD0", 1): 300.0}, application="milc", placement="12 groups"),
        ]
    )
    e = Evidence(descriptions, {"production_milc": Rows(jobs=runs)})  # type: ignore[dict-item]
    np.testing.assert_allclose(measures.improvement("milc")(e)["saving"], [0.1, np.nan])


def test_a_seed_with_fewer_placements_than_others_does_not_count(
    descriptions: dict[str, Any],
) -> None:
    both = {("AD0", 1): 100.0, ("AD3", 1): 90.0, ("AD0", 2): 100.0, ("AD3", 2): 50.0}
    first = {key: time for key, time in both.items() if key[1] == 1}
    runs = pl.concat(
        [
            jobs(both, application="milc", placement="2 groups"),
            jobs(first, application="milc", placement="12 groups"),
        ]
    )
    e = Evidence(descriptions, {"production_milc": Rows(jobs=runs)})  # type: ignore[dict-item]
    np.testing.assert_allclose(measures.improvement("milc")(e)["saving"], [0.1, np.nan])


def test_more_nodes_are_compared_on_equal_numbers_of_groups(descriptions: dict[str, Any]) -> None:
    """The time in MPI is half of the run time in these rows."""
    own = {"2 groups": 1.0, "12 groups": 1.0, "5 groups": 50.0, "6 groups": 50.0}
    spans = {"milc-128": (2, 6, 12), "milc": (2, 5, 12), "milc-512": (2, 6, 12)}
    factor = {"milc-128": 100.0, "milc": 80.0, "milc-512": 40.0}
    made = {
        name: pl.concat(
            jobs(
                {("AD0", 1): factor[name] * own[f"{span} groups"]},
                application=name,
                placement=f"{span} groups",
            )
            for span in spans[name]
        )
        for name in spans
    }
    sizes = Rows(jobs=pl.concat([made["milc-128"], made["milc-512"]]))
    e = Evidence(
        descriptions,
        {"production_milc": Rows(jobs=made["milc"]), "production_sizes": sizes},  # type: ignore[dict-item]
    )
    found = measures.strong_scaling(e)
    np.testing.assert_allclose(found["less_at_256"], [0.2, np.nan])
    np.testing.assert_allclose(found["less_at_512"], [0.5, np.nan])


def test_a_lone_job_is_told_from_a_full_machine(descriptions: dict[str, Any]) -> None:
    """AD3 may take as long as AD0 on an empty machine, and no less."""
    full = jobs({("AD0", 1): 100.0, ("AD3", 1): 90.0}, application="milc", placement="compact")
    times = {("AD0", 1): 100.0, ("AD3", 1): 110.0}
    alone = pl.concat(
        [
            jobs(times, application="milc-512", placement="compact"),
            jobs({**times, ("AD3", 1): 80.0}, application="milc-512", placement="dispersed"),
        ]
    )
    e = Evidence(descriptions, {"large": Rows(jobs=full), "isolated": Rows(jobs=alone)})  # type: ignore[dict-item]
    found = ensemble_measures.full_and_empty(e)
    np.testing.assert_allclose(found["ensemble_saving"], [0.1, np.nan])
    np.testing.assert_allclose(found["isolated_ad3_over_ad0"], [0.95, np.nan])
    np.testing.assert_allclose(found["isolated_compact"], [1.1, np.nan])
    np.testing.assert_allclose(found["isolated_dispersed"], [0.8, np.nan])


def test_shares_and_calls_of_mpi_are_of_both_placements(descriptions: dict[str, Any]) -> None:
    """The share of MPI is a half in these rows; Wait is first where the job is compact."""
    where = {"application": "milc"}
    times = {("AD0", 1): 100.0, ("AD0", 2): 100.0}
    rows = jobs(times, **where, placement="compact")
    other = jobs(times, **where, placement="dispersed").with_columns(
        communication_time_mean_ns=pl.col("end_ns") * 0.7
    )
    spent = {
        "compact": {"wait": 6.0, "allreduce": 5.0, "isend": 1.0},
        "dispersed": {"wait": 6.0, "allreduce": 9.0, "isend": 1.0},
    }
    calls = pl.DataFrame(
        {"seed": seed, "mode": "AD0", "placement": place, "job": 0, "call": call, "time_ns": time}
        | where
        for seed, places in ((1, ("compact", "dispersed")), (2, ("compact",)))
        for place in places
        for call, time in spent[place].items()
    )
    second = pl.concat([rows, other.filter(pl.col("seed") == 1)])
    e = Evidence(descriptions, {"isolated": Rows(jobs=second, calls=calls)})  # type: ignore[dict-item]
    found = measures.shares_of_mpi(e)
    np.testing.assert_allclose(found["milc"], [0.6, np.nan])
    np.testing.assert_allclose(found["milc_calls"], [1.0, np.nan])
    assert np.isnan(found["qbox_calls"]).all()
    swapped = calls.with_columns(
        time_ns=pl.when(pl.col("call") == "wait").then(20.0).otherwise("time_ns")
    )
    e = Evidence(descriptions, {"isolated": Rows(jobs=second, calls=swapped)})  # type: ignore[dict-item]
    np.testing.assert_allclose(measures.shares_of_mpi(e)["milc_calls"], [1 / 3, np.nan])


def spanning(groups: dict[int, int], ratios: dict[int, float], **axes: str) -> Rows:
    """Returns runs of jobs on one router each: the groups and the tiles' ratio, by job."""
    own = {"seed": 1, "mode": "AD3", "application": "milc", **axes}
    rows = [
        {**own, "job": job, "name": f"target-{job}", "complete": True, "start_ns": 0.0}
        | {"end_ns": 1.0, "communication_time_mean_ns": 1.0}
        for job in groups
    ]
    ranks = [
        {**own, "job": job, "router": job, "group": group}
        for job, count in groups.items()
        for group in range(count)
    ]
    links = [
        {**own, "link": job, "class": "row", "source_router": job, "target_router": 99}
        | {"busy_ns": 1.0, "stall_ns": ratios[job]}
        for job in groups
    ]
    return Rows(jobs=pl.DataFrame(rows), ranks=pl.DataFrame(ranks), links=pl.DataFrame(links))


def test_production_is_compared_with_ensembles_on_as_many_groups(
    descriptions: dict[str, Any],
) -> None:
    def together(*of_runs: Rows) -> Rows:
        return Rows(
            **{name: pl.concat(each.tables[name] for each in of_runs) for name in of_runs[0].tables}
        )

    spans = {1: 0.0, 2: 0.4, 5: 9.0, 12: 0.6}
    produced = together(
        *(spanning({0: n}, {0: ratio}, placement=f"{n} groups") for n, ratio in spans.items())
    )
    compact = spanning({0: 1, 1: 2, 2: 2}, {0: 0.0, 1: 0.1, 2: 0.1}, placement="compact")
    dispersed = spanning({0: 12, 1: 12}, {0: 0.5, 1: 0.5}, placement="dispersed")
    e = Evidence(
        descriptions,
        {"production_milc": produced, "tiles": together(compact, dispersed)},  # type: ignore[dict-item]
    )
    found = counter_measures.beside_others(e)
    np.testing.assert_allclose(found["compact_difference"], [0.2 - 0.05, np.nan])
    np.testing.assert_allclose(found["dispersed_difference"], [0.1, np.nan])
    e = Evidence(descriptions, {"production_milc": produced, "tiles": compact})  # type: ignore[dict-item]
    assert np.isnan(counter_measures.beside_others(e)["dispersed_difference"]).all()
