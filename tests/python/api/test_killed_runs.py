"""`pantala run` that was killed: the same command writes what is missing, and leftovers go."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from pantala.api.load import load
from pantala.files.atomic_file import atomic_file, scratch_folder
from pantala.files.run_directory import OutputDirectory
from pantala.planning.probe import probe
from pantala.scenario import Scenario
from pantala.system.process_marks import mark, this_machine, was_left
from support import SMALL, Ended

Cli = Callable[..., Ended]

#: Runs a scenario and kills itself where the report would be written.
KILLED = """
import os, signal, sys
import pantala as pt
from pantala.api import run as execution

where, key, out = sys.argv[1:]

def kill(*_arguments, **_options):
    os.kill(os.getpid(), signal.SIGKILL)

if where == "report":
    execution.write_report = kill
elif where == "slowdown":
    import pantala.runs.interference as interference
    interference.slowdown_of = kill
else:
    from pantala.core.plan import Plan
    simulate = Plan.run
    def run(*arguments):
        simulate(*arguments)
        kill()
    Plan.run = run
scenario = pt.Scenario.from_toml("small.toml").replace({"interference": key == "interference"})
pt.run(scenario, out=out, progress=False)
"""


@pytest.fixture
def place(workdir: Path) -> Path:
    Path("small.toml").write_text(SMALL)
    return workdir


def kill_at(where: str, key: str, out: str = "run") -> None:
    """Runs the scenario in a process that is killed."""
    ended = subprocess.run([sys.executable, "-c", KILLED, where, key, out], check=False)
    assert ended.returncode == -9


@pytest.mark.parametrize(
    ("where", "key"),
    [("report", "plain"), ("report", "interference"), ("slowdown", "interference")],
)
def test_the_same_command_writes_the_missing_report(
    place: Path, cli: Cli, where: str, key: str
) -> None:
    kill_at(where, key)
    command = [
        "run",
        "small.toml",
        "--out",
        "run",
        "--set",
        f"interference={key != 'plain'}".lower(),
    ]
    assert not Path("run/report.html").exists()
    stored = {path: path.stat().st_mtime_ns for path in Path("run").rglob("jobs.parquet")}
    ended = cli(*command)
    assert ended.status == 0, ended.err
    assert "report: run/report.html\n" in ended.out
    assert Path("run/report.html").is_file()
    assert load("run").complete
    assert {path: path.stat().st_mtime_ns for path in stored} == stored, "nothing simulated again"
    # Now it is complete.
    assert cli(*command).err.splitlines()[-1].startswith("run: already holds a run; ")
    # Another scenario does not pass for this one.
    Path("run/report.html").unlink()
    ended = cli(*command, "--seed", "9")
    assert ended.status == 2
    assert "run: already holds " in ended.err


def test_what_a_killed_run_left_goes_with_the_next_command(place: Path, cli: Cli) -> None:
    kill_at("simulation", "plain")
    (left,) = Path().glob(".run~*.partial")
    assert (left / "run.json").is_file()
    (left / "run.json").unlink()  # killed earlier
    ended = cli("run", "small.toml", "--out", "other", "--no-report", "--quiet")
    assert ended.status == 0, ended.err
    assert not left.exists()
    assert sorted(path.name for path in Path().iterdir()) == ["other", "small.toml"]


def test_a_run_that_was_ready_is_removed_only_by_its_own_command(place: Path, cli: Cli) -> None:
    kill_at("simulation", "plain")
    (left,) = Path().glob(".run~*.partial")
    assert cli("run", "small.toml", "--out", "other", "--no-report", "-q").status == 0
    assert left.is_dir()
    assert cli("run", "small.toml", "--out", "run", "--no-report", "-q").status == 0
    assert not left.exists()


def test_directories_of_living_processes_and_of_other_machines_stay(tmp_path: Path) -> None:
    dead = subprocess.Popen(["true"])
    dead.wait()
    code = "0123456789ab.partial"
    others = [
        tmp_path / f".run~{mark()}~{code}",
        tmp_path / f".run~elsewhere~{dead.pid}~{code}",
        tmp_path / ".run.partial-1",  # of no form of ours
    ]
    gone = tmp_path / f".run~{this_machine()}~{dead.pid}~{code}"
    link = tmp_path / f".link~{this_machine()}~{dead.pid}~{code}"
    target = tmp_path / "target"
    for path in (*others, gone, target):
        path.mkdir()
        (path / "jobs.parquet").touch()
    link.symlink_to(target)
    long_ago = tmp_path / f".run~elsewhere~{dead.pid}~aaaaaaaaaaaa.partial"
    long_ago.mkdir()
    os.utime(long_ago, (1, 1))
    output = OutputDirectory(tmp_path / "run", overwrite=False)
    output.begin()
    output.discard()
    assert sorted(tmp_path.iterdir()) == sorted([*others, link, target])
    with atomic_file(tmp_path / "file") as half:
        half.touch()
    assert not link.is_symlink()
    assert (target / "jobs.parquet").is_file()


def test_files_and_scratch_folders_of_killed_processes_go(tmp_path: Path) -> None:
    code = (
        "import os, sys\nfrom pathlib import Path\n"
        "from pantala.files.atomic_file import scratch_folder, atomic_file\n"
        "with atomic_file(Path(sys.argv[1]) / 'x') as half, scratch_folder(half.parent) as place:\n"
        "    half.touch()\n    (place / 'y').touch()\n    os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False)
    assert len(list(tmp_path.iterdir())) == 2
    with scratch_folder(tmp_path) as scratch:
        assert list(tmp_path.iterdir()) == [scratch]
    assert not list(tmp_path.iterdir())


def test_a_probe_that_was_killed_leaves_nothing_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (
        "import os\nfrom pantala.files.atomic_file import temporary_folder\n"
        "with temporary_folder() as folder:\n    os.kill(os.getpid(), 9)\n"
    )
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=False)
    assert len(list(tmp_path.iterdir())) == 1
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert probe(Scenario.from_dict(tomllib.loads(SMALL)).resolved_plan(), 0.01) is not None
    assert not list(tmp_path.iterdir())


def test_marks_of_processes() -> None:
    assert not was_left(mark())
    assert not was_left("elsewhere~1")
    assert not was_left("nothing")
    dead = subprocess.Popen(["true"])
    dead.wait()
    assert was_left(f"{this_machine()}~{dead.pid}")


def test_an_old_run_that_a_killed_experiment_set_aside_goes(place: Path, cli: Cli) -> None:
    assert cli("run", "small.toml", "--out", "run", "--no-report", "-q").status == 0
    shutil.copytree("run", "first")
    from pantala.files.run_directory import set_aside

    aside = set_aside(Path("run"))
    assert aside is not None
    dead = subprocess.Popen(["true"])
    dead.wait()
    left = aside.rename(aside.name.replace(f"~{os.getpid()}~", f"~{dead.pid}~"))
    command = ("run", "small.toml", "--out", "run", "--set", "interference=true", "--overwrite")
    assert cli(*command, "--no-report", "-q").status == 0
    assert not left.exists()
