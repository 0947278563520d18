"""Lists of applications that run one after another in a job."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pantala as pt
from pantala.planning.communication import communication

HALO = {"kind": "halo3d", "grid": [2, 2, 3], "message": "20 kB", "iterations": 2}
SUM = {"kind": "allreduce_loop", "message": "8 B", "iterations": 3}
NOISE = {"kind": "pattern", "pattern": "uniform", "load": 0.1}


def scenario(*workload: object) -> dict[str, Any]:
    job = {"name": "a", "ranks": 12, "workload": list(workload)}
    return {"name": "sequence", "machine": "kang2022", "routing": "minimal", "jobs": [job]}


def test_applications_of_a_list_run_one_after_another(tmp_path: Path) -> None:
    made = pt.Scenario.from_dict(scenario(HALO, SUM), changes={"jobs.a.workload.1.iterations": 2})
    assert made == pt.Scenario(
        name="sequence",
        machine="kang2022",
        routing="minimal",
        jobs=(
            pt.Job(
                name="a",
                ranks=12,
                workload=(
                    pt.Halo3d(grid=(2, 2, 3), message="20 kB", iterations=2),
                    pt.AllreduceLoop(message="8 B", iterations=2),
                ),
            ),
        ),
    )
    assert made.jobs[0].application == "halo3d, allreduce_loop"
    run = pt.run(made, out=tmp_path / "run")
    assert isinstance(run, pt.Run)
    rows = run.iterations.filter(pl.col("rank") == 5).sort("start_ns").collect()
    assert list(rows["motif"]) == [0, 0, 1, 1]
    assert list(rows["iteration"]) == [0, 1, 0, 1]
    assert rows["phase"].null_count() == 4
    # Nothing lies between two applications.
    assert list(rows["start_ns"])[1:] == list(rows["end_ns"])[:-1]
    parts = [communication(pt.Scenario.from_dict(scenario(part)))[0] for part in (HALO, SUM)]
    assert communication(pt.Scenario.from_dict(scenario(HALO, SUM)))[0].total_bytes == sum(
        part.total_bytes for part in parts
    )


@pytest.mark.parametrize(
    ("workload", "says"),
    [
        ([HALO, SUM | {"massage": "1 B"}], 'workload[1].massage = "1 B": unknown key; did you'),
        ([HALO | {"grid": [2, 5, 1]}], "workload[0].grid = [2, 5, 1]: the grid has 10 cells"),
        ([HALO, NOISE], 'workload[1].kind = "pattern": is a pattern, which never ends, in a list'),
        ([{"iterations": 2}], "workload[0].kind: has no kind; add kind = '...'"),
        ([3], "workload[0] = 3: is not a table"),
        (["halo3"], 'workload[0] = "halo3": is not a table; write { kind = "halo3d" }'),
        ([], "workload = []: is empty; add an application to the list"),
    ],
)
def test_faults_name_the_place_in_the_list(workload: list[object], says: str) -> None:
    with pytest.raises(pt.ScenarioError) as refused:
        pt.Scenario.from_dict(scenario(*workload)).resolve()
    assert f"jobs[0].{says}" in str(refused.value)
    assert "\n" not in str(refused.value)
