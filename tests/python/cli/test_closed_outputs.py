"""Commands whose standard streams are closed, full, or have no reader."""

from __future__ import annotations

import os
import select
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import pantala as pt
from support import SMALL

PYTHON = shlex.quote(sys.executable)
PANTALA = f"{PYTHON} -m pantala"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a folder with a scenario, `small.toml`, its run, `run`, and an experiment, `pair`."""
    path = tmp_path_factory.mktemp("outputs")
    (path / "small.toml").write_text(SMALL)
    scenario = pt.Scenario.from_toml(path / "small.toml")
    pt.run(scenario, out=path / "run")
    pt.run(scenario.replace({"interference": True}), out=path / "pair")
    return path


#: Commands that print much and little.
COMMANDS = (
    "--help",
    "version",
    "presets",
    "metrics",
    "check small.toml",
    "metrics --run run --json",
    "status pair",
    "status pair --json",
    "run small.toml --overwrite --out again",
)


def ended(command: str, redirection: str, folder: Path) -> tuple[int, str, str]:
    line = f"exec {PANTALA} {command} {redirection}"
    done = subprocess.run(["sh", "-c", line], cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_a_reader_that_has_gone_ends_the_command_quietly(command: str, folder: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        ["sh", "-c", f"exec {PANTALA} {command}"],
        cwd=folder,
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(writing)
    assert done.returncode == 141
    assert not [line for line in done.stderr.splitlines() if "rror" in line or "Broken" in line]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_device_is_one_line(command: str, folder: Path) -> None:
    status, _, err = ended(command, "> /dev/full", folder)
    assert status == 1
    assert err.splitlines()[-1].startswith("pantala: standard output cannot be written: No space")
    assert "Traceback" not in err
    assert "Exception" not in err


@pytest.mark.parametrize("command", ["version", "run small.toml --out never"])
def test_a_closed_output_is_one_line_before_the_work(command: str, folder: Path) -> None:
    status, out, err = ended(command, ">&-", folder)
    assert (status, out) == (1, "")
    assert err.startswith("pantala: standard output is closed")
    assert err.count("\n") == 1
    assert not (folder / "never").exists()


@pytest.mark.parametrize("redirection", ["2>&-", "2> /dev/full", "<&- 2>&-"])
@pytest.mark.parametrize("command", ["version", "check small.toml"])
def test_a_closed_error_output_changes_nothing(
    command: str, redirection: str, folder: Path
) -> None:
    if "/dev/full" in redirection and not Path("/dev/full").exists():
        pytest.skip("no /dev/full on this system")
    assert ended(command, redirection, folder) == (0, ended(command, "", folder)[1], "")


def test_the_status_of_a_wrong_command_line_stays(folder: Path) -> None:
    assert ended("check absent.toml", "2>&-", folder) == (2, "", "")
    assert ended("no-such-command", "2>&1 >&- 2>&-", folder)[0] == 1


#: `pantala bench NAME --json`, which has a way of its own to print, without the simulation.
BENCH = """
import pantala.runs.benchmark
from pantala.cli import main

pantala.runs.benchmark.bench = lambda name: {"name": name}
main(["bench", "uniform-1056", "--json"])
"""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
def test_a_benchmark_alone_tells_of_a_full_device() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", BENCH], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 1
    assert done.stderr.startswith("pantala: standard output cannot be written")
    assert done.stderr.count("\n") == 1


def test_the_address_of_the_explorer_is_in_a_pipe_while_it_serves(folder: Path) -> None:
    command = [sys.executable, "-m", "pantala", "explore", "run", "--no-browser"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            ready, _, _ = select.select([server.stdout], [], [], 60)
            assert ready, "nothing was printed"
            assert server.stdout.readline().startswith("explorer: http://127.0.0.1:")
            assert server.poll() is None
        finally:
            server.send_signal(signal.SIGINT)
