"""The run of a program under the capture library."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pantala.capture.build import built_library
from pantala.capture.collect import Captured, collect, rank_files
from pantala.errors import UsageError

__all__ = ["Clock", "capture"]

Clock = Literal["wall", "cpu"]
_LAUNCHERS = ("mpirun", "mpiexec", "orterun")


def capture(
    command: Sequence[str],
    out: str | Path,
    *,
    name: str | None = None,
    clock: Clock = "wall",
    overwrite: bool = False,
    keep: bool = False,
) -> Captured:
    """Runs an MPI program and writes its calls as an operation file.

    Args:
        command: the command with its arguments, such as ``["mpirun", "-n", "8", "./app"]``.
        out: the folder for the file.
        name: the file's name without ``.operations``. Default: the name of `out`.
        clock: the clock of the computing between calls: wall-clock time, or the CPU time of the
            thread that calls MPI. With more ranks than cores, wall-clock time includes the time
            that a rank waits for a core.
        overwrite: whether to replace a capture in `out`.
        keep: whether to keep the files of the ranks.

    Raises:
        UsageError: the command cannot be run or fails, the folder is taken, or the capture does not
            follow a call of the program.
    """
    if not command:
        raise UsageError("capture: there is no command; add e.g. -- mpirun -n 8 ./app")
    if shutil.which(command[0]) is None:
        raise UsageError(f"{command[0]}: the command does not exist; check its name and PATH")
    folder = Path(out)
    file = folder / f"{name or folder.absolute().name}.operations"
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: is a file, not a folder; name another --out")
    if file.exists() and not overwrite:
        raise UsageError(f"{file}: exists; name another --out, or add --overwrite")
    library = built_library()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for old in rank_files(folder):
            old.unlink()
    except OSError as error:
        message = f"{folder}: cannot be written: {error.strerror}; name another --out"
        raise UsageError(message) from None
    status = _run(command, library, folder, clock)
    return collect(folder, file, status, keep=keep)


def _run(command: Sequence[str], library: Path, folder: Path, clock: Clock) -> int:
    """Runs the command and returns its exit status."""
    variables = {
        "LD_PRELOAD": ":".join(filter(None, [str(library), os.environ.get("LD_PRELOAD")])),
        "PANTALA_CAPTURE_DIR": str(folder.absolute()),
        "PANTALA_CAPTURE_CLOCK": clock,
    }
    environment = dict(os.environ)
    if _is_open_mpi_4(command[0]):
        # Open MPI's launcher hands these to the ranks, also on other hosts, and does not load the
        # library itself.
        key = "OMPI_MCA_mca_base_env_list"
        handed = ";".join(f"{variable}={value}" for variable, value in variables.items())
        environment[key] = ";".join(filter(None, [os.environ.get(key), handed]))
    else:
        environment |= variables
    try:
        return subprocess.run(command, env=environment, check=False).returncode
    except OSError as error:
        raise UsageError(f"{command[0]}: cannot be run: {error.strerror}") from None


def _is_open_mpi_4(command: str) -> bool:
    """Returns whether a command is the launcher of Open MPI up to version 4."""
    if Path(command).name not in _LAUNCHERS:
        return False
    shown = subprocess.run([command, "--version"], capture_output=True, text=True, check=False)
    words = shown.stdout.split("\n", 1)[0].split()
    return "(Open" in words and words[-1].split(".")[0] in {"1", "2", "3", "4"}
