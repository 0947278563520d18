"""The launchers of MPI programs on PATH, and the scripts that stand in for them in a capture."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

__all__ = ["kind_of", "stand_ins"]

#: Names under which launchers are installed.
_NAMES = ("mpirun", "mpiexec", "orterun", "prterun", "srun", "mpiexec.hydra")
_FAMILIES = ("openmpi", "mpich", "hydra")
#: Words of the first lines of ``--version``, and the kind of launcher that prints them.
_KINDS = {
    "(Open MPI)": "open_mpi",
    "(OpenRTE)": "open_mpi",
    "PRRTE": "open_mpi",
    "HYDRA": "hydra",
    "Intel(R) MPI": "hydra",
    "slurm": "slurm",
}
#: Kinds of launchers by path.
_known: dict[str, str] = {}
_PROGRAM = Path(__file__).with_name("launcher.py")


def kind_of(path: str) -> str | None:
    """Returns the kind of a launcher: ``open_mpi``, ``hydra``, ``slurm``; None if it is none."""
    name = Path(path).name
    if name not in _NAMES and name.partition(".")[2] not in _FAMILIES:
        return None
    # srun tells its version only where it finds its configuration, which may come later.
    if path not in _known and (kind := _asked(path)) is not None:
        _known[path] = kind
    return _known.get(path)


def _asked(path: str) -> str | None:
    try:
        ended = subprocess.run([path, "--version"], capture_output=True, text=True, check=False,
                               timeout=60)  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    text = ended.stdout[:400]
    return next((kind for word, kind in _KINDS.items() if word in text), None)


def stand_ins(folder: Path, program: str) -> None:
    """Writes scripts for launchers into a new folder, to be put before PATH.

    Each starts the real launcher so that its ranks load the capture library.

    Args:
        folder: the folder.
        program: what is captured: if it is a launcher, it is the one of its name.
    """
    folder.mkdir()
    names = [*_NAMES, *(f"{name}.{family}" for name in _NAMES for family in _FAMILIES)]
    paths = {name: shutil.which(name) for name in names} | {Path(program).name: program}
    for name, path in paths.items():
        kind = kind_of(path) if path is not None else None
        if path is not None and kind is not None:
            stand_in(folder / name, str(Path(path).absolute()), kind)


def stand_in(script: Path, path: str, kind: str) -> None:
    """Writes the script for one launcher."""
    words = [sys.executable, "-I", "-S", str(_PROGRAM), path, kind]
    script.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
    script.chmod(0o755)
