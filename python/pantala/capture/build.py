"""The capture library, built with the user's MPI compiler on first use."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
from pathlib import Path

from pantala.errors import UsageError
from pantala.files.atomic_file import atomic_file, scratch_folder
from pantala.files.private_folder import cache_folder

__all__ = ["built_library", "is_open_mpi"]

_SOURCES = Path(__file__).with_name("library")
_FLAGS = [
    *["-std=c11", "-D_GNU_SOURCE", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-pthread"],
    # A program with a tool of its own has functions of the same names: the library calls its own.
    "-Wl,-Bsymbolic-functions",
]
_WARNINGS = ["-Wall", "-Wno-deprecated-declarations"]
_NAME = "libpantala-capture.so"


def built_library() -> Path:
    """Returns the capture library; builds it if the cache does not have it.

    The compiler is ``$MPICC``, or else ``mpicc``. The cache is ``$XDG_CACHE_HOME/pantala``, or else
    ``~/.cache/pantala``. It has one library per MPI installation and version of the sources.

    Raises:
        UsageError: there is no compiler, it fails, or the cache cannot be written.
    """
    compiler = _compiler()
    path = shutil.which(compiler[0])
    if path is None:
        remedy = (
            "install an MPI library with its compiler (Debian: apt-get install libopenmpi-dev"
            " openmpi-bin), or set MPICC"
        )
        raise UsageError(f"{compiler[0]}: the MPI compiler is not installed; {remedy}")
    sources = sorted(_SOURCES.glob("*.[ch]"))
    digest = hashlib.sha256(" ".join([_command_of(compiler), *_FLAGS]).encode())
    for source in sources:
        digest.update(source.read_bytes())
    folder = cache_folder(f"capture-{digest.hexdigest()[:16]}", "the capture library")
    library = folder / _NAME
    if library.is_file():
        return library
    try:
        with atomic_file(library) as half:
            _compile(compiler, [each for each in sources if each.suffix == ".c"], half)
    except OSError as error:
        message = f"{folder}: the capture library cannot be written there: {error.strerror}"
        raise UsageError(f"{message}; set XDG_CACHE_HOME to a folder that can be written") from None
    return library


def is_open_mpi() -> bool:
    """Returns whether the MPI compiler is that of Open MPI, by the macros of its header."""
    text = "#include <mpi.h>\n"
    command = [*_compiler(), "-E", "-dM", "-x", "c", "-"]
    shown = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    return "#define OPEN_MPI " in shown.stdout


def _compiler() -> list[str]:
    return shlex.split(os.environ.get("MPICC", "")) or ["mpicc"]


def _command_of(compiler: list[str]) -> str:
    """Returns the command that an MPI compiler runs; it names the MPI installation."""
    shown = subprocess.run([*compiler, "-show"], capture_output=True, text=True, check=False)
    return f"{shutil.which(compiler[0])} {shown.stdout}"


def _compile(compiler: list[str], sources: list[Path], out: Path) -> None:
    command = [*compiler, *_FLAGS, *_WARNINGS, "-o", str(out), *map(str, sources)]
    # A compiler that is killed leaves its temporary files; `scratch_folder` clears them next time.
    with scratch_folder(out.parent) as scratch:
        environment = {**os.environ, "TMPDIR": str(scratch)}
        ended = subprocess.run(
            command, capture_output=True, text=True, check=False, env=environment
        )
    if ended.returncode != 0:
        lines = [line for line in ended.stderr.splitlines() if "error" in line.lower()]
        reason = (lines or ended.stderr.splitlines() or ["no message"])[0]
        raise UsageError(
            f"{compiler[0]}: the capture library does not compile: {reason}; it needs a compiler"
            " for C11 and an MPI library with version 3 of MPI"
        )
