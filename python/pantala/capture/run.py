"""The run of a program under the capture library."""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pantala.capture.build import built_library, is_open_mpi
from pantala.capture.collect import (
    OWNER,
    Captured,
    collect,
    jobs_of,
    not_in_use,
    refusal,
    remove,
    result_path,
)
from pantala.capture.launchers import kind_of, stand_ins
from pantala.capture.processes import ended_early, stop
from pantala.capture.reasons import NO_RANK, why_no_rank, why_not_loaded
from pantala.errors import UsageError
from pantala.system.process_marks import mark

__all__ = ["Clock", "capture"]

Clock = Literal["wall", "cpu"]
#: Open files that a launcher needs. Open MPI's mpirun waits for ever with 24 to 32 of them.
_FEWEST_FILES = 64
_BORDER = re.compile(r"(barrier|allreduce|pcontrol)(?::([1-9]\d*))?")


def capture(
    command: Sequence[str],
    out: str | Path,
    *,
    name: str | None = None,
    clock: Clock = "wall",
    start: str | None = None,
    end: str | None = None,
    overwrite: bool = False,
    keep: bool = False,
) -> tuple[Captured, ...]:
    """Runs a command and writes the calls of each MPI program in it as an operation file.

    Args:
        command: the command with its arguments, such as ``["mpirun", "-n", "8", "./app"]``, or a
            script with several of them.
        out: the folder for the files. One program becomes ``NAME.operations``, several become
            ``NAME-1.operations`` and so on, in the order of their start.
        name: the NAME of the files. Default: the name of `out`.
        clock: the clock of the computing between calls: wall-clock time, or the CPU time of the
            thread that calls MPI. With more ranks than processors, wall-clock time includes the
            time that a rank waits for a processor.
        start: the call after which the recording starts: ``"barrier:N"``, ``"allreduce:N"`` (the
            N-th of MPI_COMM_WORLD) or ``"pcontrol:N"``; the first without N. Default: MPI_Init.
        end: the call with which it ends, likewise. Default: MPI_Finalize.
        overwrite: whether to replace a capture in `out`.
        keep: whether to keep the files of the ranks, in ``NAME.ranks``.

    Raises:
        UsageError: the command cannot be run or fails, the folder is taken, or the capture does not
            follow a call of the program.
    """
    if not command:
        raise UsageError("capture: there is no command; add e.g. -- mpirun -n 8 ./app")
    program = shutil.which(command[0])
    if program is None:
        raise UsageError(f"{command[0]}: the command does not exist; check its name and PATH")
    folder = Path(out)
    stem = name or folder.absolute().name
    if Path(stem).name != stem:
        raise UsageError(f"capture: --name: {stem} is no name of a file; name the folder by --out")
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: is a file, not a folder; name another --out")
    for number in (1, 2):
        result_path(folder, stem, 0, number, overwrite=overwrite)
    borders = {"FROM": _border("from", start), "TO": _border("to", end)}
    _in_order(borders["FROM"], borders["TO"])
    _waits(command)
    _enough_files()
    library = built_library()
    _same_family(command[0], program)
    if (reason := why_not_loaded(library)) is not None:
        raise UsageError(reason)
    unfinished = folder / f"{stem}.unfinished"
    not_in_use(unfinished)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir()
        (unfinished / OWNER).write_text(mark(), encoding="utf-8")
        stand_ins(unfinished / "launchers", program)
    except OSError as error:
        message = f"{folder}: cannot be written: {error.strerror}; name another --out"
        raise UsageError(message) from None
    variables = {
        "LD_PRELOAD": ":".join(filter(None, [str(library), os.environ.get("LD_PRELOAD")])),
        "PANTALA_CAPTURE_LIBRARY": str(library),
        "PANTALA_CAPTURE_DIR": str(unfinished.absolute()),
        "PANTALA_CAPTURE_CLOCK": clock,
        **{f"PANTALA_CAPTURE_{key}": value for key, value in borders.items() if value},
    }
    status = _run(command, program, unfinished, variables)
    shutil.rmtree(unfinished / "launchers")
    (unfinished / OWNER).unlink(missing_ok=True)
    jobs = jobs_of(unfinished)
    found = refusal(unfinished)
    if found is not None:
        raise UsageError(f"capture: {found}{_salvage(folder, name, jobs)}")
    if status != 0:
        ending = f"ended with status {status}" if status > 0 else f"was killed by signal {-status}"
        reason = why_no_rank(command) if not jobs else None
        remedy = reason or "a capture needs a complete run"
        raise UsageError(f"capture: the program {ending}; {remedy}{_salvage(folder, name, jobs)}")
    if not jobs:
        shutil.rmtree(unfinished)
        raise UsageError(f"capture: no rank called MPI_Init; {why_no_rank(command) or NO_RANK}")
    made = tuple(
        collect(
            job,
            result_path(folder, stem, index, len(jobs), overwrite=overwrite),
            region=bool(start or end),
            from_start=start is not None,
            salvage=_salvage(folder, name, jobs),
        )
        for index, job in enumerate(jobs)
    )
    remove(unfinished, folder / f"{stem}.ranks" if keep else None)
    return made


def _border(option: str, text: str | None) -> str | None:
    """Returns a border of the recorded part as the library reads it."""
    if text is None:
        return None
    match = _BORDER.fullmatch(text)
    if match is None:
        raise UsageError(
            f"capture: --{option}: {text} is no call; name barrier, allreduce or pcontrol, and"
            " which one, e.g. barrier:2"
        )
    return f"{match[1]}:{match[2] or 1}"


def _in_order(start: str | None, end: str | None) -> None:
    """Refuses a part that ends before it starts, if both are calls of one kind."""
    if start is None or end is None:
        return
    (kind, first), (other, last) = (text.split(":") for text in (start, end))
    if kind == other and int(last) <= int(first):
        raise UsageError(f"capture: --to: {end} is not after --from {start}; name a later call")


def _waits(command: Sequence[str]) -> None:
    """Refuses a command that returns before its program runs."""
    if Path(command[0]).name == "sbatch" and not {"-W", "--wait"} & set(command):
        raise UsageError(
            "sbatch: returns before its job runs; add --wait, or capture in the batch script"
        )


def _enough_files() -> None:
    """Refuses a limit of open files with which a launcher may wait for ever."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= most < _FEWEST_FILES:
        raise UsageError(
            f"capture: at most {most} files may be open, and launchers of MPI need"
            f" {_FEWEST_FILES} or more; raise the limit, e.g. ulimit -n 1024"
        )


def _same_family(name: str, program: str) -> None:
    """Refuses a launcher of another MPI library than the one of the compiler."""
    kind = kind_of(program)
    if kind not in {"open_mpi", "hydra"} or is_open_mpi() == (kind == "open_mpi"):
        return
    own, other = ("Open MPI", "MPICH") if is_open_mpi() else ("MPICH", "Open MPI")
    raise UsageError(
        f"{name}: starts programs of {other}, and the MPI compiler is that of {own}; set MPICC to"
        f" the compiler of {other}, e.g. MPICC=mpicc.{'mpich' if own == 'Open MPI' else 'openmpi'}"
    )


def _salvage(folder: Path, name: str | None, jobs: list[Path]) -> str:
    """Returns the end of a message about a capture that left files."""
    if not jobs:
        return "; no operation file is written"
    named = f" --name {name}" if name else ""
    return (
        f"; no operation file is written; pantala capture salvage {folder}{named} makes one of what"
        " all ranks did before"
    )


def _run(command: Sequence[str], program: str, unfinished: Path, variables: dict[str, str]) -> int:
    """Runs the command and returns its exit status. It is stopped at a call that is refused."""
    launchers = unfinished / "launchers"
    own = launchers / Path(program).name
    path = f"{launchers.absolute()}:{os.environ.get('PATH', os.defpath)}"
    words = [str(own.absolute()) if own.exists() else command[0], *command[1:]]
    try:
        process = subprocess.Popen(words, env={**os.environ, **variables, "PATH": path})
    except OSError as error:
        raise UsageError(f"{command[0]}: cannot be run: {error.strerror}") from None
    try:
        if ended_early(process, lambda: refusal(unfinished) is not None):
            stop(process)
    except BaseException:
        stop(process)
        raise
    return process.wait()
