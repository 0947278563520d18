"""The study of Yang et al.: claims, experiments, traces, and the measures on made-up results."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, cast

import numpy as np
import polars as pl
import pytest

import pantala as pt
from pantala.core import native
from pantala.core.plan import Plan
from pantala.errors import UsageError
from pantala.papers import study
from pantala.papers.yang2016.study import cells
from pantala.papers.yang2016.study.measures import MEASURES
from pantala.papers.yang2016.study.platform import PLACEMENTS, QUEUES, ROUTINGS, TRACES
from pantala.papers.yang2016.study.tables import TABLES
from pantala.planning.topology import link_table, summary, topology
from pantala.studies import StudyDefinition
from pantala.studies.evidence import Evidence

#: The numbers of the claims by section of the paper.
CLAIMS = {
    "2": [1],
    "3": [1, 2, 3],
    "41": [2, 3, 4, 5, 6, 10, 11],
    "42": [2, 3, 4, 5, 6, 8],
    "43": [1, 2, 3],
    "51": [1, 2, 4],
    "52": [1, 2, 3, 4, 5, 6],
    "53": [1, 2],
    "6": [1, 2, 3],
}


def yang2016() -> StudyDefinition:
    found = study("yang2016")
    assert isinstance(found, StudyDefinition)
    return found


# --- claims and experiments ---


def test_each_claim_of_the_paper_has_one_rule() -> None:
    expected = [f"YANG-{section}-{n:02}" for section, all_ in CLAIMS.items() for n in all_]
    assert [claim.id for claim in yang2016().claims] == expected
    assert sum(bool(claim.test) for claim in yang2016().claims) == 3


def test_the_example_of_the_topology_has_the_numbers_of_the_paper() -> None:
    example = topology({"a": 6, "p": 3, "h": 3})
    numbers = summary(example, link_table(example))
    assert (numbers["groups"], numbers["nodes"]) == ("19", "342")


def test_the_experiments_have_the_configurations_of_the_paper() -> None:
    full, quick = (yang2016().descriptions(quick=each) for each in (False, True))
    sizes = {name: [len(axis.points) for axis in each.axes] for name, each in full.items()}
    assert sizes == {
        "workload1": [2, 3, 50],
        "workload2": [2, 3, 50],
        "hybrid": [1, 3, 50],
        "sensing": [2, 3, 10],
        "variations": [7, 2, 3, 1],
        "intermediate": [1, 2, 3, 1],
    }
    assert {each.seeds for each in quick.values()} == {1}
    for varied in (full.pop("variations"), full.pop("intermediate")):
        assert set(varied.columns) == {"variation", *full["workload1"].columns}
    for name, each in full.items():
        assert each.base.machine.router.model == "codes_dally"
        assert each.base.machine.nodes == 1056
        assert [job.name for job in each.base.jobs] == list(cells.apps(name))
        assert {"placement", *cells.GRIDS[name], "seed"} == set(each.columns)
        assert bool(each.base.interference) == (name in cells.WITH_ALONE)


@pytest.mark.native
def test_hybrid_placement_keeps_amg_where_contiguous_placement_puts_it() -> None:
    nodes = {}
    for name in ("workload1", "hybrid"):
        description = yang2016().descriptions(quick=False)[name]
        for point in description.axes[0].points:
            plan = Plan(description.base.replace(dict(point.changes)).plan())
            nodes[point.shown["placement"]] = {job["name"]: job["nodes"] for job in plan["jobs"]}
    assert nodes["hybrid"]["amg"] == nodes["contiguous"]["amg"] == list(range(216))
    assert nodes["contiguous"]["multigrid"] == list(range(216, 341))
    assert nodes["hybrid"]["multigrid"] != sorted(nodes["hybrid"]["multigrid"])
    assert nodes["random"]["amg"] != sorted(nodes["random"]["amg"])


@pytest.mark.native
def test_the_links_of_a_class_are_those_of_the_machine() -> None:
    base = yang2016().descriptions(quick=False)["workload1"].base
    plan = base.plan()
    ports = pl.DataFrame(native.ports(plan["topology"])).sort("router", "port")
    assert ports.height == cells.ROUTERS * cells.PORTS
    number = np.arange(cells.ROUTERS * cells.PORTS + cells.NODES, dtype=float)
    for link_class in cells.CLASSES:
        expected = (ports["class"] == link_class).arg_true().to_list()
        assert cells.of_class(number, link_class).astype(int).tolist() == expected
    assert cells.injection(number)[0] == ports.height


# --- traces in place of generated applications ---

RING = Path("examples/traces/ring")


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    """Returns a made-up set of traces: a ring of eight ranks for each job."""
    for name in ("amg", "multigrid", "crystal_router"):
        shutil.copytree(Path(__file__).parents[3] / RING, tmp_path / "traces" / name)
    return tmp_path / "traces"


@pytest.mark.native
def test_traces_replace_the_applications(
    traces: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(TRACES, str(traces))
    found = yang2016().descriptions(quick=True)
    kinds = {
        name: [job["workload"]["kind"] for job in found[name].base.plan()["jobs"]]
        for name in ("workload1", "workload2")
    }
    assert kinds["workload1"] == ["trace"] * 3
    assert kinds["workload2"] == ["trace"] * 3
    sent = [
        sum(
            rank["bytes_sent"] for rank in native.communication(found[name].base.plan())[0]["ranks"]
        )
        for name in ("workload1", "workload2")
    ]
    assert sent[1] == 100 * sent[0]
    hybrid = found["hybrid"]
    scenario = hybrid.base.replace(dict(hybrid.axes[0].points[0].changes))
    run = pt.run(scenario, tmp_path / "run")
    assert isinstance(run, pt.Run)
    jobs = run.jobs.collect()
    assert jobs["ranks"].to_list() == [8, 8, 8]
    assert jobs["complete"].all()
    assert run.ranks.collect()["compute_time_ns"].sum() == 0


def test_a_folder_of_traces_that_is_missing_is_named(
    traces: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(traces / "multigrid")
    monkeypatch.setenv(TRACES, str(traces))
    with pytest.raises(UsageError, match=f"{TRACES} = .*: has no folder multigrid; put"):
        yang2016().descriptions(quick=True)


# --- statistics ---


def test_gini_is_zero_for_equal_links_and_largest_for_one() -> None:
    assert cells.gini(np.array([3.0, 3.0, 3.0])) == 0
    assert cells.gini(np.array([0.0, 0.0, 0.0, 5.0])) == pytest.approx(0.75)
    assert cells.gini(np.array([1.0, 3.0])) == pytest.approx(0.25)
    assert cells.gini(np.zeros(4)) == 0


def test_other_statistics_have_their_closed_forms() -> None:
    assert cells.most_over_mean(np.array([1.0, 3.0])) == 1.5
    assert cells.variation(np.array([1.0, 3.0])) == 0.5
    assert cells.tail(np.array([[1.0, 1.0, 1.0], [1.0, 1.0, np.nan]])).tolist() == [1, 1]
    assert cells.tail(np.array([0.0] * 99 + [7.0] * 3)) == np.inf
    assert cells.less(np.array(0.0), np.array(0.0)) == 0


def test_the_ratio_farthest_from_one_is_of_one_configuration() -> None:
    ratios = np.array([[1.2, 0.8], [0.9, 0.9], [1.05, 1.05]])
    assert cells.farthest_from_one(ratios).tolist() == [0.9, 0.9]


def test_the_representative_run_is_nearest_to_the_medians_of_all_applications() -> None:
    first, second = [10.0, 20.0, 30.0, 21.0], [5.0, 9.0, 5.0, 5.0]
    assert cells.representative(np.array([first, second])) == 3
    missing = np.array([[np.nan, 2.0, np.nan], [np.nan, 1.0, 3.0]])
    assert cells.representative(missing) == 1
    assert cells.representative(np.full((2, 3), np.nan)) == 0


# --- measures on made-up results ---

Times = Callable[[str, str, str, int], float]


class MadeUp:
    """Results without runs: frames by experiment and table."""

    def __init__(self, frames: Mapping[tuple[str, str], pl.DataFrame], seeds: Sequence[int]):
        self.frames, self.seeds = frames, list(seeds)

    def chosen(
        self, experiment: str, table: str, columns: Sequence[str], where: Mapping[str, Any]
    ) -> pl.DataFrame:
        frame = self.frames.get((experiment, table))
        if frame is None:
            return pl.DataFrame()
        for name, value in where.items():
            frame = frame.filter(pl.col(name) == value)
        return frame.select("seed", *columns)


def whole(experiment: str) -> str:
    """Returns the part that has all jobs: a run without interference is named as its scenario."""
    return "together" if experiment == "workload1" else f"yang2016-{experiment}"


def cases(experiment: str, seeds: Sequence[int]) -> list[dict[str, Any]]:
    grid = cells.GRIDS[experiment]
    return [
        dict(zip([*grid, "seed"], point, strict=True)) for point in product(*grid.values(), seeds)
    ]


def ranks(experiment: str, time: Times, part: str = "") -> pl.DataFrame:
    """Returns two ranks for each application; rank r is on node and router 10 * job + r."""
    names = (part.removeprefix("alone-"),) if part else cells.apps(experiment)
    return pl.DataFrame(
        [
            {
                **case,
                "part": part or whole(experiment),
                "job": job,
                "rank": rank,
                "node": 10 * job + rank,
                "router": 10 * job + rank,
                "bytes_sent": 100.0 * (1 + job),
                "communication_time_ns": time(name, *_of(case)),
            }
            for case in cases(experiment, (1, 2))
            for job, name in enumerate(names)
            for rank in range(2)
        ]
    )


def _of(case: Mapping[str, Any]) -> tuple[str, str, int]:
    placement, other, seed = case.values()
    return placement, other, seed


def measure(claim: str, frames: Mapping[tuple[str, str], pl.DataFrame]) -> dict[str, list[float]]:
    found = MEASURES[claim](cast("Evidence", MadeUp(frames, (1, 2))))
    return {name: np.asarray(each).round(12).tolist() for name, each in found.items()}


def test_an_increase_is_of_medians_seed_by_seed() -> None:
    def time(name: str, placement: str, routing: str, seed: int) -> float:
        bullied = name == "amg" and placement == "random" and routing != "minimal"
        return seed * (1.5 if bullied and seed == 1 else 1.1 if bullied else 1.0)

    frames = {("workload1", "ranks"): ranks("workload1", time)}
    found = measure("YANG-42-04", frames)
    assert found["adaptive"] == found["progressive"] == [0.5, 0.1]
    assert found["share_of_seeds"] == [1, 0]
    assert measure("YANG-42-03", frames)["ratio"] == [1, 1]
    assert measure("YANG-42-02", frames)["share_of_seeds"] == [0, 0]


def test_consistency_is_the_change_from_alone_to_together() -> None:
    def time(name: str, placement: str, routing: str, seed: int) -> float:
        if (placement, routing) == ("contiguous", "minimal"):
            return 1.02
        return 1.3 if name == "amg" else 0.9

    together = ranks("workload1", time)
    alone = [
        ranks("workload1", lambda *_: 1.0, part=f"alone-{name}") for name in cells.apps("workload1")
    ]
    found = measure("YANG-43-02", {("workload1", "ranks"): pl.concat([together, *alone])})
    assert found["change_there"] == [0.02, 0.02]
    assert found["least_more_elsewhere"] == [0.28, 0.28]


def test_each_way_of_sensing_has_its_increase() -> None:
    factor = dict(zip(QUEUES, (1.5, 1.25, 1.0), strict=True))

    def time(name: str, placement: str, queue: str, seed: int) -> float:
        return factor[queue] if placement == "random" else 1.0

    found = measure("YANG-43-03", {("sensing", "ranks"): ranks("sensing", time)})
    assert found == {QUEUES[0]: [0.5, 0.5], QUEUES[1]: [0.25, 0.25], QUEUES[2]: [0, 0]}


def test_hybrid_is_between_random_and_contiguous() -> None:
    def first(name: str, placement: str, routing: str, seed: int) -> float:
        return 2.0 if placement == "random" else 1.0

    def hybrid(name: str, placement: str, routing: str, seed: int) -> float:
        return 1.5 if name == "amg" else 2.1

    frames = {
        ("workload1", "ranks"): ranks("workload1", first),
        ("hybrid", "ranks"): ranks("hybrid", hybrid),
    }
    assert measure("YANG-6-01", frames)["multigrid"] == [1.05, 1.05]
    assert measure("YANG-6-02", frames) == {"saving": [0.25, 0.25], "share_of_seeds": [1, 1]}
    assert measure("YANG-6-03", frames) == {"increase": [0.5, 0.5]}


def test_multigrid_swings_least() -> None:
    def time(name: str, placement: str, routing: str, seed: int) -> float:
        return (1.1 if name == "multigrid" else 1.5) if placement == "random" else 1.0

    frames = {(name, "ranks"): ranks(name, time) for name in ("workload1", "workload2")}
    found = measure("YANG-53-01", frames)
    assert found == {"workload1": [0.4] * 2, "workload2": [0.4] * 2, "share_of_seeds": [1, 1]}


#: Links by number: of router 0, of 10, where MultiGrid is, and of 20, where CrystalRouter is.
LOCAL, GLOBAL = 4, 11
LOCAL_10, LOCAL_20 = 10 * cells.PORTS + 4, 20 * cells.PORTS + 4
GLOBAL_10, GLOBAL_20 = LOCAL_10 + 7, LOCAL_20 + 7
INJECTION = cells.ROUTERS * cells.PORTS


def links(
    experiment: str,
    values: Callable[[str, str], Mapping[tuple[int, int], float]],
    column: str = "bytes",
) -> pl.DataFrame:
    """Returns rows of links from (job, link) to value, for each configuration."""
    return pl.DataFrame(
        [
            {**case, "part": whole(experiment), "job": job, "link": link, column: value}
            for case in cases(experiment, (1, 2))
            for (job, link), value in values(case["placement"], _of(case)[1]).items()
        ]
    )


def test_saturation_that_one_configuration_has_more_of() -> None:
    def longest(placement: str, routing: str) -> dict[tuple[int, int], float]:
        first = (placement, routing) == ("contiguous", "minimal")
        return {(0, LOCAL): 8.0 if first else 2.0, (0, GLOBAL): 4.0 if first else 3.0}

    frames = {("workload1", "port_windows"): links("workload1", longest, "saturated_ns")}
    found = measure("YANG-41-02", frames)
    assert found["local_total"] == found["local_longest"] == [0.75, 0.75]
    assert found["global_total"] == [0.25, 0.25]
    assert measure("YANG-41-04", frames) == {"local": [0.75] * 2, "global": [0.25] * 2}


def test_global_saturation_that_becomes_local() -> None:
    def moved(placement: str, routing: str) -> dict[tuple[int, int], float]:
        first = routing == "minimal"
        return {(0, LOCAL): 1.0 if first else 3.0, (0, GLOBAL): 3.0 if first else 1.0}

    frames = {("workload2", "port_windows"): links("workload2", moved, "saturated_ns")}
    found = measure("YANG-51-02", frames)
    assert found["global_less"] == pytest.approx([2 / 3] * 2)
    assert found["local_share_more"] == [0.5, 0.5]


def test_traffic_on_fewer_links_is_less_even() -> None:
    def spread(placement: str, routing: str) -> dict[tuple[int, int], float]:
        if placement == "contiguous":
            return {(0, LOCAL): 6.0, (1, LOCAL): 2.0, (0, GLOBAL): 8.0}
        return {(0, LOCAL): 4.0, (0, LOCAL + 1): 4.0, (0, GLOBAL): 4.0, (0, GLOBAL + 1): 4.0}

    found = measure("YANG-41-06", {("workload1", "link_jobs"): links("workload1", spread)})
    assert found["local_most_over_mean"] == found["global_most_over_mean"] == [0.5, 0.5]
    assert found["local_gini"][0] > 0


def test_terminal_traffic_is_that_of_the_rank() -> None:
    def sent(placement: str, routing: str) -> dict[tuple[int, int], float]:
        more = 1.01 if placement == "random" else 1.0
        return {
            (job, INJECTION + 10 * job + rank): more * 100 * (1 + job)
            for job in range(3)
            for rank in range(2)
        }

    frames = {
        ("workload1", "link_jobs"): links("workload1", sent),
        ("workload1", "ranks"): ranks("workload1", lambda *_: 1.0),
    }
    found = measure("YANG-41-10", frames)
    assert found["off_rank"] == [0.01, 0.01]
    assert found["off_each_other"] == pytest.approx([1 / 201] * 2)


def test_bytes_of_other_jobs_at_the_routers_of_multigrid() -> None:
    def passing(placement: str, routing: str) -> dict[tuple[int, int], float]:
        foreign = 10.0 if placement == "random" else 2.0
        return {(0, LOCAL_10): foreign, (1, LOCAL_10): 100.0, (0, LOCAL): 50.0}

    frames = {
        ("workload2", "link_jobs"): links("workload2", passing),
        ("workload2", "ranks"): ranks("workload2", lambda *_: 1.0),
    }
    assert measure("YANG-52-05", frames) == {"contiguous_over_random": [0.2, 0.2]}


def test_a_change_of_the_busiest_link_has_no_sign() -> None:
    """MultiGrid's local link carries 30 % more, its global one 10 % less; CrystalRouter's 40 % less
    and 5 % more.
    """
    factors = {LOCAL_10: 1.3, GLOBAL_10: 0.9, LOCAL_20: 0.6, GLOBAL_20: 1.05}

    def passing(placement: str, routing: str) -> dict[tuple[int, int], float]:
        more = placement == "random"
        return {(0, link): 10.0 * (by if more else 1) for link, by in factors.items()}

    frames = {
        ("workload2", "link_jobs"): links("workload2", passing),
        ("workload2", "ranks"): ranks("workload2", lambda *_: 1.0),
    }
    assert measure("YANG-52-06", frames) == {"local": [-0.1] * 2, "global": [0.05] * 2}


def test_imbalance_is_of_traffic_and_of_saturation() -> None:
    def one(placement: str, routing: str) -> dict[tuple[int, int], float]:
        first = (placement, routing) == ("contiguous", "minimal")
        return {(0, start + n): 1.0 for start in (LOCAL, GLOBAL) for n in range(2 - first)}

    def other(placement: str, routing: str) -> dict[tuple[int, int], float]:
        return dict.fromkeys(one("random", routing), 1.0)

    frames = {("workload2", "link_jobs"): links("workload2", one)}
    even = {**frames, ("workload2", "port_windows"): links("workload2", other, "saturated_ns")}
    found = measure("YANG-51-04", even)
    assert found["local_most_over_mean"] == found["global_most_over_mean"] == [0.5, 0.5]
    assert found["saturation_local_most_over_mean"] == [0, 0]
    assert found["saturation_global_gini"] == [0, 0]
    assert len(found) == 8


def test_without_runs_every_measure_is_unknown() -> None:
    for claim in MEASURES:
        for values in measure(claim, {}).values():
            assert not np.isfinite(values).any(), claim


def test_the_grid_has_the_values_of_the_axes() -> None:
    assert cells.GRIDS["workload1"] == {"placement": PLACEMENTS, "routing.algorithm": ROUTINGS}


def test_the_rows_of_a_table_have_equal_seeds() -> None:
    """A seed that one configuration lacks counts in no row."""
    frames = {
        (name, "ranks"): ranks(name, lambda *case: 1e6 * float(case[3]))
        for name in ("workload1", "workload2", "hybrid")
    }
    alone = [
        ranks("workload1", lambda *_: 1e6, part=f"alone-{name}") for name in cells.apps("workload1")
    ]
    frames["workload1", "ranks"] = pl.concat([frames["workload1", "ranks"], *alone])
    found, remark = TABLES["times"](cast("Evidence", MadeUp(frames, (1, 2))))
    assert found["workload I (ms)"].drop_nulls().unique().to_list() == [1.5]
    assert remark == "Means over seeds 1 and 2."
    frames["workload2", "ranks"] = frames["workload2", "ranks"].filter(
        (pl.col("seed") == 1) | (pl.col("placement") == "random")
    )
    found, remark = TABLES["times"](cast("Evidence", MadeUp(frames, (1, 2))))
    for name in ("alone (ms)", "workload I (ms)", "workload II (ms)"):
        assert found[name].drop_nulls().unique().to_list() == [1]
    assert remark == "Seed 1."
