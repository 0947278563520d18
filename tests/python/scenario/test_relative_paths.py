"""Files of a scenario lie beside its file, or in the current directory."""

from __future__ import annotations

from pathlib import Path

import pytest

import pantala as pt
from pantala.errors import ScenarioError
from pantala.scenario.relative_paths import with_paths_beside

PROGRAM = 'Task 0 sends a static_file_data("size.txt",1) byte message to task 1.\n'


def scenario(folder: Path, file: str = "program.ncptl") -> Path:
    path = folder / "scenario.toml"
    path.write_text(
        f"""
        name = "beside"
        routing = "minimal"
        [machine]
        preset = "kang2022"
        topology = {{ p = 2, a = 4, h = 2, g = 9 }}
        [[jobs]]
        name = "own"
        ranks = 2
        workload = {{ kind = "ncptl", file = "{file}" }}
        """
    )
    return path


def test_a_file_lies_beside_the_scenario_or_in_the_current_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    for folder in (there, here):
        folder.mkdir()
        (folder / "program.ncptl").write_text("All tasks synchronize.\n")
    monkeypatch.chdir(here)
    path = scenario(there)

    def file() -> str:
        return str(pt.Scenario.from_toml(path).plan()["jobs"][0]["workload"]["file"])

    assert file() == str(there / "program.ncptl")
    (there / "program.ncptl").unlink()
    assert file() == "program.ncptl"
    (here / "program.ncptl").unlink()
    with pytest.raises(ScenarioError, match="beside the scenario file or in the current directory"):
        file()


def test_only_files_of_jobs_are_looked_for(tmp_path: Path) -> None:
    for name in ("a", "run-0000.bin", "q.parquet", "x[1]"):
        (tmp_path / name).write_text("")
    tables = {
        "name": "a",
        "routing": {"q_adaptive": {"table": "q.parquet"}},
        "jobs": [
            {"name": "a", "workload": {"file": "a", "arguments": {"file": "a"}}},
            {"workload": [{"path": "run"}, {"path": "missing"}, {"path": "/a"}, {"path": "x[1]"}]},
            {"placement": {"nodes": {"file": "a"}}},
        ],
    }
    there = str(tmp_path)
    assert with_paths_beside(tables, tmp_path) == {
        "name": "a",
        "routing": {"q_adaptive": {"table": f"{there}/q.parquet"}},
        "jobs": [
            {"name": "a", "workload": {"file": f"{there}/a", "arguments": {"file": "a"}}},
            {
                "workload": [
                    {"path": f"{there}/run"},
                    {"path": "missing"},
                    {"path": "/a"},
                    {"path": f"{there}/x[1]"},
                ]
            },
            {"placement": {"nodes": {"file": f"{there}/a"}}},
        ],
    }


@pytest.mark.native
def test_the_plan_holds_the_data_that_a_program_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "program.ncptl").write_text(PROGRAM)
    (tmp_path / "size.txt").write_text("300\n")
    monkeypatch.chdir("/")
    plan = pt.Scenario.from_toml(scenario(tmp_path)).resolved_plan()
    assert plan["jobs"][0]["workload"]["data"] == {"size.txt": "300\n"}
    (tmp_path / "size.txt").unlink()
    (tmp_path / "run").mkdir()
    run = plan.run(tmp_path / "run")
    assert run["counters"]["packets_delivered"] == 1
    with pytest.raises(ScenarioError, match=r"cannot read 'size\.txt'"):
        pt.Scenario.from_toml(scenario(tmp_path)).resolve()
