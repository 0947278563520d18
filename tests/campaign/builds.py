"""Other builds of the core, and other ways to run a plan, for the part on determinism."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pantala
from scenarios.record import ROOT, results

__all__ = ["PROCESSES", "OtherBuild", "other_core", "processes_program", "run_on_processes"]

#: The program that `make mpi` builds.
PROCESSES = ROOT / "target" / "mpi" / "release" / "pantala-processes"
_ANYONE = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def other_core() -> Path | None:
    """Returns the library that `PANTALA_CAMPAIGN_CORE` names: the core in another build."""
    named = os.environ.get("PANTALA_CAMPAIGN_CORE")
    return Path(named) if named else None


def processes_program() -> Path | None:
    """Returns the program for several processes; None without it (`make mpi`) or `mpirun`."""
    return PROCESSES if PROCESSES.exists() and shutil.which("mpirun") else None


class OtherBuild:
    """A process that runs scenarios with another build of the core.

    Args:
        core: the compiled library.
        scratch: an empty directory, for a package of links with that library in it.
    """

    def __init__(self, core: Path, scratch: Path) -> None:
        package = scratch / "pantala"
        package.mkdir(parents=True)
        for each in Path(pantala.__file__).parent.iterdir():
            if not each.name.startswith(("_core.abi3", "_core.cpython")):
                (package / each.name).symlink_to(each)
        (package / "_core.abi3.so").symlink_to(core.resolve())
        path = os.pathsep.join([str(scratch), str(ROOT / "tests")])
        self._worker = subprocess.Popen(
            [sys.executable, "-m", "campaign.builds", str(scratch)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": path},
        )

    def results(self, tables: Mapping[str, Any]) -> dict[str, str]:
        """Returns the `result_hash` of each part of a scenario, or the error under `error`."""
        assert self._worker.stdin is not None
        assert self._worker.stdout is not None
        self._worker.stdin.write(json.dumps(tables) + "\n")
        self._worker.stdin.flush()
        line = self._worker.stdout.readline()
        if not line:
            return {"error": f"the process ended with status {self._worker.wait()}"}
        found: dict[str, str] = json.loads(line)
        return found

    def close(self) -> None:
        """Ends the process."""
        assert self._worker.stdin is not None
        self._worker.stdin.close()
        self._worker.wait()


def run_on_processes(plan: Mapping[str, Any], count: int, scratch: Path) -> str | None:
    """Returns the `result_hash` of a plan on several processes, or the line of its error.

    None if the program refuses the plan, say of a routing that requires one process.
    """
    scratch.mkdir(parents=True)
    file, out = scratch / "plan.json", scratch / "run"
    file.write_text(json.dumps(plan))
    ended = subprocess.run(
        ["mpirun", "--oversubscribe", "-n", str(count), PROCESSES, "run", file, "--out", out],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env=os.environ | _ANYONE,
    )
    if ended.returncode == 2:
        return None
    if ended.returncode:
        own = [each for each in ended.stderr.splitlines() if each.startswith("pantala-processes")]
        return own[0] if own else f"status {ended.returncode}"
    return str(json.loads((out / "run.json").read_text())["result_hash"])


def _work(scratch: str) -> None:
    """Answers each scenario of standard input by a line of its hashes."""
    assert Path(pantala.__file__).is_relative_to(scratch), pantala.__file__
    for line in sys.stdin:
        try:
            found = results(json.loads(line), 1)
        except pantala.PantalaError as error:
            found = {"error": str(error)}
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    _work(sys.argv[1])
