"""The files of CODES' MPI replay: jobs, nodes, workloads, and the scenario made."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pantala as pt
from pantala.importers.codes import CodesFiles, CodesScenario
from pantala.importers.codes import codes_scenario as read_codes
from pantala.importers.codes.swm import FILES
from pantala.importers.scenario_text import scenario_text
from pantala.scenario.machine import machine_of_preset
from support import Ended

Cli = Callable[..., Ended]

TERMINAL_BANDWIDTH = int(machine_of_preset("kang2022", "--preset").links.terminal.bandwidth)

MILC = {
    "app": "milc",
    "iteration_cnt": 120,
    "compute_delay": 100,
    "dimension_cnt": 4,
    "dimension_sizes": [2, 2, 3, 3],
    "msg_size": 497664,
    "max_dimension_distance": 1,
    "randomize_communication_order": False,
    "cpu_freq": 4e9,
}
NEIGHBOR = {
    "iteration_cnt": 5,
    "dimension_cnt": 2,
    "dimension_sizes": [4, 3],
    "msg_size": 32768,
    "max_dimension_distance": 1,
    "synchronous": True,
}
NEKBONE = {"Rx": 2, "Ry": 2, "Rz": 3, "Ex": 10, "Ey": 10, "Ez": 10}
NEKBONE |= {"Pbegin": 8, "Pend": 12, "Pstep": 3, "CGcount": 100, "ByteSizeOf1DOF": 8}
INCAST = {"msg_req_bytes": 16, "dst_rank_id": 0, "src_rank_id_interval": [1, 11]}
LAMMPS: dict[str, Any] = {f"num_{axis}_replicas": 3 for axis in "xyz"} | {"num_time_steps": 30}
LAMMPS |= {"cpu_sim_speedup": 1e6, "cpu_freq": 4e9}


def codes_scenario(files: CodesFiles, **options: Any) -> CodesScenario:
    """Reads files for the machine of the default preset."""
    return read_codes(files, TERMINAL_BANDWIDTH, **options)


def write(folder: Path, text: str, name: str = "jobs.conf") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def model(folder: Path, name: str, ranks: int, keys: dict[str, Any]) -> dict[str, Any]:
    """Returns the workload of a job that runs a model of SWM."""
    write(folder, json.dumps({"jobs": {"size": ranks, "cfg": keys}}), FILES[name][1])
    files = CodesFiles(write(folder, f"{ranks} {name} 0 0\n"))
    tables = codes_scenario(files).tables
    pt.Scenario.from_dict(tables)
    workload: dict[str, Any] = tables["jobs"][0]["workload"]
    return workload


def test_two_jobs_become_a_scenario(tmp_path: Path) -> None:
    write(tmp_path, json.dumps({"jobs": {"size": 36, "cfg": MILC}}), FILES["milc"][1])
    files = CodesFiles(
        write(tmp_path, "4\tsynthetic2 1 200\n\n36\tmilc\t1\t0 \r\n"),
        allocation=write(tmp_path, "9 3 \t5 1\n\n" + " ".join(map(str, range(10, 46))), "a.conf"),
        timer=write(tmp_path, "1 5000\n0 9000\n", "timer.conf"),
    )
    made = codes_scenario(files)
    scenario = pt.Scenario.from_dict(made.tables)
    traffic, milc = scenario.jobs
    assert traffic.placement == pt.NodesPlacement(nodes=(9, 3, 5, 1))
    assert milc.placement == pt.ContiguousPlacement(first_node=10)
    assert (str(traffic.start), str(milc.start)) == ("5 us", "0 ns")
    # 1,024 B every 200 ns are 5.12 GB/s of 25 GB/s.
    assert traffic.workload == pt.Pattern(
        pattern="shift", load=0.2048, offset=1, injection="periodic"
    )
    assert milc.workload == pt.MilcSwm(
        grid=(2, 2, 3, 3),
        sites=(1, 1, 1, 1),
        site="497664 B",
        iterations=120,
        compute="25 ns",
    )
    plan = scenario.plan()["jobs"][1]["workload"]
    assert plan["points"] == [[1, 1, 1, 1]]
    assert plan["point_bytes"] == 497664
    assert tomllib.loads(scenario_text(made.tables)) == made.tables


def test_a_timer_stops_synthetic_jobs_only(tmp_path: Path) -> None:
    write(tmp_path, "", "b0000.bin")
    files = CodesFiles(
        write(tmp_path, "3 synthetic1 0 100\n2 b 0 0\n"),
        timer=write(tmp_path, "1 5000\n1 5000\n", "timer.conf"),
    )
    with pytest.warns(pt.ScenarioWarning, match=r"timer\.conf:2: this line stops nothing: CODES"):
        traffic, trace = codes_scenario(files).tables["jobs"]
    assert (traffic["start"], "start" in trace) == ("5000 ns", False)


def test_the_commands_text_is_the_scenario(cli: Cli, tmp_path: Path) -> None:
    file = write(tmp_path, "8 synthetic1 0 400\n8 synthetic6 0 400\n")
    out = tmp_path / "made.toml"
    cli("import", "codes", str(file), "--duration", "10 us", "--out", str(out))
    scenario = pt.Scenario.from_toml(out)
    assert [job.name for job in scenario.jobs] == ["synthetic1", "synthetic6"]
    assert scenario.jobs[1].placement == pt.ContiguousPlacement(first_node=8)
    assert scenario.jobs[1].workload == pt.Pattern(
        pattern="shift", load=0.1024, offset=4, injection="periodic"
    )
    refused = cli("import", "codes", str(file), "--duration", "10 us", "--out", str(out))
    assert refused.status == 2
    assert "exists; name another --out, or add --overwrite" in refused.err


def test_models_of_swm_become_applications(tmp_path: Path) -> None:
    assert model(tmp_path, "nearest_neighbor", 12, NEIGHBOR) == {
        "kind": "halo3d",
        "grid": [4, 3, 1],
        "periodic": True,
        "message": "32768 B",
        "exchange": "at_once",
        "iterations": 5,
        "start_delay": "0 ns",
    }
    four = NEIGHBOR | {"dimension_cnt": 4, "dimension_sizes": [2, 2, 2, 2]}
    assert model(tmp_path, "nearest_neighbor", 16, four)["grid"] == [2, 2, 2, 2, 1]
    nekbone = model(tmp_path, "nekbone", 12, NEKBONE)
    assert (nekbone["orders"], nekbone["iterations"]) == ([8, 11], 400)
    assert model(tmp_path, "lammps1", 12, LAMMPS)["replicas"] == [3, 3, 3]
    assert model(tmp_path, "incast", 12, INCAST)["incasttarget"] == 0
    loop = {"iteration_cnt": 10, "msg_req_bytes": 8, "compute_delay": 1000, "cpu_freq": 1e9}
    assert model(tmp_path, "allreduce32", 32, loop) == {
        "kind": "allreduce_loop",
        "message": "8 B",
        "iterations": 10,
        "compute": "1000000 ps",
    }


def test_the_json_file_may_lie_in_a_folder_of_swm(tmp_path: Path) -> None:
    (tmp_path / "data" / "milc").mkdir(parents=True)
    text = json.dumps({"jobs": {"size": 36, "cfg": MILC}})
    write(tmp_path / "data" / "milc", text, "milc_skeleton.json")
    files = CodesFiles(write(tmp_path, "36 milc\n36 milc\n"), data=tmp_path / "data")
    made = codes_scenario(files).tables
    assert [job["name"] for job in made["jobs"]] == ["milc-0", "milc-1"]


def test_arguments_of_a_program_of_union_become_arguments(tmp_path: Path) -> None:
    program = (
        '# bytes is "no option" and comes from "--none" or "-n" with default 1\n'
        'reps is "Repetitions" and comes from "--reps" or "-r" with default 10.\n'
        'MaxBytes is "Largest" and comes from "--maxbytes" or "-m" with default 1K.\n'
        "For reps repetitions task 0 sends a maxbytes byte message to task 1.\n"
    )
    path = write(tmp_path, program, "latency.ncptl")
    argv = {"latency": {"argc": 5, "argv": ["latency", "--reps", "100", "-m", "1M"]}}
    write(tmp_path, json.dumps(argv), "conceptual.json")
    made = codes_scenario(CodesFiles(write(tmp_path, "2 conceptual-latency 0 0\n"))).tables
    assert made["jobs"][0]["name"] == "latency"
    assert made["jobs"][0]["workload"] == {
        "kind": "ncptl",
        "file": str(path),
        "arguments": {"reps": 100, "maxbytes": 2**20},
    }


def test_a_prefix_of_a_trace_is_a_trace(tmp_path: Path) -> None:
    write(tmp_path, "", "dumpi-2014-0000.bin")
    made = codes_scenario(CodesFiles(write(tmp_path, "27 dumpi-2014- 0 0\n"))).tables
    assert made["jobs"][0]["name"] == "dumpi-2014"
    assert made["jobs"][0]["workload"] == {"kind": "trace", "path": str(tmp_path / "dumpi-2014")}


#: The text of a workload file, the number of the line at fault (0 for the file), and a part of the
#: message.
FAULTS = [
    ("", 0, "the workload file has no jobs; write e.g. `36 milc 0 0`"),
    ("36\n", 1, "has 1 fields instead of 4"),
    ("8 synthetic1 0\n", 1, "has 3 fields instead of 4, or 2 in older files"),
    ("x milc 0 0\n", 1, "the number of ranks: x is not a whole number from 0 on"),
    ("99999999999 milc 0 0\n", 1, "the number of ranks: 99999999999 is not a whole number"),
    ("0 milc 0 0\n", 1, "the job has 0 ranks"),
    ("8 synthetic1 0 100\n8 synthetic1 2 100\n", 2, "qos_level 2 differs from 0 at line 1"),
    ("8 synthetic1 0 nan\n", 1, "mean_interval: nan is not a number of nanoseconds"),
    ("8 synthetic1 0 0\n", 1, "synthetic1 has mean_interval 0; write the nanoseconds"),
    ("8 synthetic1 0 10\n", 1, "are 4.1 times the bandwidth of a node's link; write a mean_interv"),
    ("7 synthetic6 0 100\n", 1, "synthetic6 pairs the halves of a job, but the job has 7 ranks"),
    ("8 synthetic7 0 100\n", 1, "synthetic7 is not a synthetic workload of CODES"),
    ("8 synthetic4 0 100\n", 1, "Pantala does not run synthetic4: it is a stencil in two"),
    ("8 spread 0 0\n", 1, "Pantala does not run the model spread: no built-in application"),
    ("8 mlic 0 0\n", 1, "mlic: is no workload of CODES, and mlic0000.bin does not exist; did you"),
    ("8 traces/df- 0 0\n", 1, "traces/df-0000.bin does not exist; write the prefix"),
    ("36 milc 0 0\n", 1, "the model milc needs milc_skeleton.json, which is not in"),
    ("8 conceptual-ping 0 0\n", 1, "the program ping needs ping.ncptl, which is not in"),
    ("8 synthetic1 0 100\n", 0, "all jobs are synthetic, and no job ends by itself; add e.g. --d"),
]


@pytest.mark.parametrize(("text", "line", "message"), FAULTS)
def test_a_fault_of_a_workload_file_has_its_line(
    tmp_path: Path, text: str, line: int, message: str
) -> None:
    path = write(tmp_path, text)
    with pytest.raises(pt.ScenarioError) as raised:
        codes_scenario(CodesFiles(path))
    start = f"{path}:{line}: " if line else f"{path}: "
    assert str(raised.value).startswith(start), raised.value
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("kind", "text", "line", "message"),
    [
        ("allocation", "0 1 2\n", 0, "has 1 line, but the workload file has 2 jobs"),
        ("allocation", "0 1 2\n3 4\n5\n", 3, "has 3 lines, but the workload file has 2 jobs"),
        ("allocation", "0 1 2\n3 4 5\n", 2, "has 3 nodes, but the job has 2 ranks"),
        ("allocation", "0 1 2\n3 2\n", 2, "names node 2 also at line 1"),
        ("allocation", "0 1 0\n3 2\n", 1, "names node 0 twice"),
        ("allocation", "0 1 -2\n3 4\n", 1, "a node: -2 is not a whole number"),
        ("allocation", "0 1 2\n3 2000\n", 2, "job b uses node 2000, but the machine kang2022 has"),
        ("timer", "1000 2000\n0 0\n", 1, "the job pauses from 1000 to 2000 ns"),
        ("timer", "0\n0 0\n", 1, "has 1 fields instead of 2"),
        ("period", "0\n2 0:100\n", 2, "announces 2 changes and has 1"),
        ("period", "0\n1 5:100\n", 2, "5:100: the interval changes during the run"),
        ("period", "0\n1 5\n", 2, "5: is not time:interval"),
    ],
)
def test_a_fault_of_another_file_has_its_line(
    tmp_path: Path, kind: str, text: str, line: int, message: str
) -> None:
    path = write(tmp_path, text, f"{kind}.conf")
    write(tmp_path, "", "b0000.bin")
    files = CodesFiles(write(tmp_path, "3 synthetic1 0 100\n2 b 0 0\n"), **{kind: path})
    with pytest.raises(pt.ScenarioError) as raised:
        codes_scenario(files, duration="10 us").check_nodes(1056, "kang2022")
    start = f"{path}:{line}: " if line else f"{path}: "
    assert str(raised.value).startswith(start), raised.value
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("name", "ranks", "keys", "message"),
    [
        ("milc", 36, {"dimension_sizes": [2, 2, 3, 4]}, "has 48 ranks, but the job has 36"),
        ("milc", 36, {"dimension_sizes": [6, 6]}, "has 2 extents, but dimension_cnt is not 2"),
        ("milc", 36, {"dimension_sizes": "2"}, 'dimension_sizes = "2" is not a list of numbers'),
        ("milc", 36, {"msg_size": 0}, "msg_size = 0 is not a whole number; write a number from 1"),
        ("milc", 36, {"max_dimension_distance": 2}, "max_dimension_distance = 2 is not 1"),
        ("milc", 36, {"randomize_communication_order": True}, "draws the order of the messages"),
        ("milc", 36, {"cpu_freq": 0}, "cpu_freq = 0 is not a number above 0"),
        ("incast", 12, {"blocking_comm": True}, "makes the target receive one message after"),
        ("incast", 12, {"src_rank_id_interval": [1, 3]}, "is not all ranks but the target"),
        ("nearest_neighbor", 12, {"synchronous": False}, "is false: the model then sends nothing"),
        ("lammps", 12, {"cpu_sim_speedup": 1}, "makes the model compute, and Pantala has no times"),
        ("nekbone", 12, {"Pend": 8}, "Pend = 8 is not above Pbegin"),
        ("nekbone", 12, {"Pend": 2**31}, "Pend = 2147483648 gives more than 1,000 orders"),
    ],
)
def test_a_model_that_pantala_lacks_is_refused(
    tmp_path: Path, name: str, ranks: int, keys: dict[str, Any], message: str
) -> None:
    base: dict[str, dict[str, Any]] = {
        "milc": MILC,
        "incast": INCAST,
        "lammps": LAMMPS,
        "nekbone": NEKBONE,
    }
    with pytest.raises(pt.ScenarioError) as raised:
        model(tmp_path, name, ranks, base.get(name, NEIGHBOR) | keys)
    assert str(raised.value).startswith(f"{tmp_path / FILES[name][1]}: {name}: key ")
    assert message in str(raised.value)


def test_wrong_json_has_its_line(tmp_path: Path) -> None:
    jobs = CodesFiles(write(tmp_path, "36 milc 0 0\n"))
    path = write(tmp_path, '{\n"jobs": {"size": 36\n"cfg": {}}}', "milc_skeleton.json")
    with pytest.raises(pt.ScenarioError, match=f"{path}:3: is not JSON: Expecting ','"):
        codes_scenario(jobs)
    write(tmp_path, '{"jobs": {"size": 8, "cfg": {}}}', "milc_skeleton.json")
    with pytest.raises(pt.ScenarioError, match=r"jobs\.size is 8, but the job has 36 ranks"):
        codes_scenario(jobs)
    write(tmp_path, "[]", "milc_skeleton.json")
    with pytest.raises(pt.ScenarioError, match="has no object jobs with an object cfg"):
        codes_scenario(jobs)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["ping", "400"], "400 is not an option of a coNCePTuaL program; a skeleton written in C"),
        (["ping", "--rep", "4"], "ping.ncptl has no option --rep; did you mean --reps?"),
        (["ping", "--reps", "x"], "--reps x is not a whole number; write e.g. 100, 64K or 1E6"),
        (["ping", "--reps"], "is not a whole number"),
        ("ping", "argv is not a list of text"),
    ],
)
def test_wrong_arguments_of_a_program_are_refused(
    tmp_path: Path, argv: object, message: str
) -> None:
    text = 'reps is "Repetitions" and comes from "--reps" or "-r" with default 10.\n'
    write(tmp_path, text, "ping.ncptl")
    file = write(tmp_path, json.dumps({"ping": {"argv": argv}}), "conceptual.json")
    with pytest.raises(pt.ScenarioError) as raised:
        codes_scenario(CodesFiles(write(tmp_path, "2 conceptual-ping 0 0\n")))
    assert str(raised.value).startswith(f"{file}: ping: ")
    assert message in str(raised.value)


def test_an_unknown_preset_is_refused(cli: Cli, tmp_path: Path) -> None:
    file = write(tmp_path, "36 synthetic1 0 400\n")
    ended = cli("import", "codes", str(file), "--duration", "10 us", "--preset", "kang2023")
    assert ended.status == 2
    assert ended.err == "--preset kang2023: is not a preset; did you mean 'kang2022'?\n"
