"""The end-to-end case of `make compare`: one load file for SST's fork and for Pantala.

A stand-in replaces SST. It runs the script that the adapter writes, on a checkout of the fork that
has stand-ins for its scripts.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import pantala as pt
from compare import __main__ as command
from compare.ember import LOAD_FILE, Study, study
from compare.process import Failed, Process
from compare.runs import Settings
from compare.sst_study import SstStudy
from compare.study_runs import PantalaStudy, StudyRun, measure_study
from pantala.runs.benchmark import bench_scenario
from simulator_stand_ins import fork, program, sst_with_ember

SMALL = """\
[JOB_ID] 0
[NID_LIST] 5,0
[MOTIF] Init
[MOTIF] Halo3D pex=2 pey=1 pez=1 nx=4 ny=4 nz=4 iterations=1 computetime=0
[MOTIF] Fini
[NUM_CORES] 1
"""


@pytest.fixture(scope="module")
def made() -> Study:
    return study()


def small(made: Study) -> Study:
    return Study(SMALL, made.preset, made.model, made.routing, 1_056, {}, {}, {})


def test_the_load_file_is_the_benchmark(made: Study, tmp_path: Path) -> None:
    made.write(tmp_path)
    read = pt.Scenario.from_ember(
        tmp_path / LOAD_FILE,
        preset=made.preset,
        changes={"routing.algorithm": made.routing, "machine.router.model": made.model},
    ).resolved_plan()
    bench = bench_scenario("study-1056", "sst_sc22").resolved_plan()
    for table in ("topology", "links", "router", "routing", "mpi", "packet_bytes", "flit_bytes"):
        assert read[table] == bench[table], table
    halo, random = read["jobs"]
    assert [read.nodes(name) for name in ("job0", "job1")] == [
        bench.nodes(name) for name in ("halo3d", "random")
    ]
    assert halo["workload"] == bench["jobs"][0]["workload"]
    planned = bench["jobs"][1]["workload"]
    for key in ("iterations", "message_bytes", "compute_ps"):
        assert random["workload"][key] == planned[key]
    listed = [line.split()[1] for line in made.text.splitlines() if line.startswith("[NID_LIST]")]
    assert sorted(int(node) for line in listed for node in line.split(",")) == list(range(1_056))


def test_sst_runs_the_load_file(made: Study, tmp_path: Path) -> None:
    checkout = fork(tmp_path / "fork")
    directory = tmp_path / "run"
    directory.mkdir()
    path = program(tmp_path, sst_with_ember("2.4670 ms"), "sst")
    run = SstStudy(checkout).run(path, made, directory, 60)
    assert run.packet_hops == 4_200_000
    assert run.simulated_us == pytest.approx(2_467.0)
    assert 0 < run.simulation_cpu_seconds <= run.cpu_seconds
    assert run.report_cpu_seconds is None
    seen = json.loads((directory / "seen.json").read_text())
    assert seen["options"]["algoRting"] == "q-adaptive"
    assert (seen["options"]["qlr1"], seen["options"]["qthld2"]) == ("0.2", "0.35")
    assert (seen["options"]["io_level"], seen["options"]["statsFile"]) == ("0", "statistics.csv")
    assert (seen["shape"], seen["link_bw"]) == ("4:8:1:33", "25000000000B/s")
    assert (seen["packetSize"], seen["nic"]) == ("512B", "512B")
    assert (seen["link_lat_global"], seen["host"]) == ("300000ps", "as shipped")
    assert seen["motifs"] == ["Init", "Halo3D", "Fini", "Init", "Random", "Fini", "Null"]


@pytest.mark.parametrize(
    ("printed", "text"),
    [
        ("Run loop time:  1.0 seconds\n", "no 'simulated time"),
        ("simulated time: 2 ms\n", "printed nothing like"),
    ],
)
def test_output_without_a_result_fails(tmp_path: Path, printed: str, text: str) -> None:
    (tmp_path / "statistics.csv").write_text(
        "ComponentName, StatisticName, Sum.u64\nrouter0, send_packet_count, 70\n"
    )
    with pytest.raises(Failed, match=text):
        SstStudy(tmp_path).read(tmp_path, Process(printed, 2.0, 2.0))


def test_pantala_reports_in_a_process_of_its_own(made: Study, tmp_path: Path) -> None:
    run = PantalaStudy().run(sys.executable, small(made), tmp_path, 120)
    assert run.packet_hops > 0
    assert 0 <= run.simulation_cpu_seconds < run.cpu_seconds
    assert run.report_cpu_seconds is not None
    assert (tmp_path / "run" / "report.html").is_file()
    assert run.with_report == run.cpu_seconds + run.report_cpu_seconds


class Fixed:
    """A simulator with given runs; it fails after the last."""

    def __init__(self, key: str, *cpu: float) -> None:
        self.key, self.title, self.left = key, key.capitalize(), list(cpu)

    def run(self, path: str, study: Study, directory: Path, timeout: float) -> StudyRun:
        if not self.left:
            raise Failed("it stands still")
        return StudyRun(4e6, 2_467.0, self.left.pop(0), 0.5, 1.0)


def test_the_runs_alternate(made: Study) -> None:
    ours, theirs = Fixed("pantala", 2.0, 3.0, 4.0), Fixed("sst", 20.0, 60.0, 40.0)
    rows = measure_study(made, (ours, ""), (theirs, ""), Settings())
    assert [run.cpu_seconds for run in rows[1].before] == [2.0, 3.0, 4.0]
    assert rows[1].ratio(lambda run: run.cpu_seconds) == 10.0
    assert rows[1].ratio(lambda run: run.with_report) == 8.0
    assert rows[0].runs[0].setup_cpu_seconds == 1.5
    rows = measure_study(
        made, (Fixed("pantala", 2.0, 2.0, 2.0), ""), (Fixed("sst"), ""), Settings()
    )
    assert [(len(row.runs), row.missing) for row in rows] == [
        (3, ""),
        (0, "failed: it stands still"),
    ]


def test_the_table_of_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "PantalaStudy", lambda: Fixed("pantala", 2.0))
    options = ["--sst-sc22", program(tmp_path, sst_with_ember("2.4670 ms"), "sst")]
    options += ["--sst-sc22-source", str(fork(tmp_path / "fork")), "--repeats", "1"]
    ended = CliRunner().invoke(command.app, ["study-1056", *options])
    assert ended.exit_code == 0, ended.output
    assert "study-1056, end to end: 1,056 nodes, q_adaptive, one Ember load file" in ended.stdout
    rows = [line.split() for line in ended.stdout.splitlines()]
    assert any(row[:3] == ["Pantala", "2,467", "us"] for row in rows)
    assert any(row[:6] == ["SST,", "fork", "of", "SC", "2022", "2,467"] for row in rows)
    assert "SST, fork of SC 2022: it takes" in ended.stdout
    assert "SST: no path given" in ended.stdout
    assert "failed" not in ended.stdout


def test_pantala_is_measured_without_sst(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "PantalaStudy", lambda: Fixed("pantala", 2.0))
    ended = CliRunner().invoke(command.app, ["study-1056", "--repeats", "1"])
    assert ended.exit_code == 0, ended.output
    assert "Pantala" in ended.stdout
    assert "SST, fork of SC 2022: no path given. To install: build" in ended.stdout
    monkeypatch.setattr(command, "PantalaStudy", lambda: Fixed("pantala", 2.0))
    options = ["--sst-sc22", program(tmp_path, "", "sst"), "--repeats", "1"]
    ended = CliRunner().invoke(command.app, ["study-1056", *options])
    assert ended.exit_code == 0, ended.output
    assert "SST_SC22_SOURCE=DIRECTORY" in ended.stdout


def test_a_directory_without_the_scripts_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "paths.toml"
    file.write_text(f"sst_sc22_source = '{tmp_path}'\n")
    for options in (["--sst-sc22-source", str(tmp_path)], ["--paths", str(file)]):
        ended = CliRunner().invoke(command.app, ["study-1056", *options])
        assert ended.exit_code == 2
        assert "the directory has no tests/config/emberLoad_df1056.py" in ended.stderr
    assert command.sources(str(fork(tmp_path / "fork")), file) == tmp_path / "fork"
