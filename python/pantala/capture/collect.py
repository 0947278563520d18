"""The files of a capture: one per rank, then one for each job."""

from __future__ import annotations

import shutil
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pantala.capture.matching import remove_lonely
from pantala.capture.notes import RANK_FILE, Notes, rank_of, read_notes
from pantala.capture.rank_file import read_rank_file, write_rank_file
from pantala.core import native
from pantala.core.call_order import deadlock_of_calls
from pantala.core.operation_codes import Code
from pantala.errors import UsageError
from pantala.files.atomic_file import atomic_file
from pantala.system.process_marks import mark, was_left

__all__ = [
    "OWNER",
    "Captured",
    "collect",
    "jobs_of",
    "merged",
    "not_in_use",
    "rank_paths",
    "refusal",
    "remove",
    "result_path",
]

_END = b"PANTEND\0"
#: The file that names the process of a capture that runs.
OWNER = "owner"


@dataclass(frozen=True)
class Captured:
    """The capture of a job.

    Attributes:
        file: the operation file.
        ranks: the number of ranks.
        operations: the number of operations of all ranks, computing included.
        bytes: the size of the file.
        iterations: the number of iterations of the loop that all ranks repeat, or that rank 0
            marks; 0 without them.
        notes: what the capture leaves out, with the number of calls and of ranks.
        deadlock: what a replay with the default eager threshold waits for, or up to where the order
            of calls was searched; empty if all calls end.
    """

    file: Path
    ranks: int
    operations: int
    bytes: int
    iterations: int
    notes: tuple[str, ...]
    deadlock: str = ""


def not_in_use(unfinished: Path) -> None:
    """Refuses the folder of a capture that still runs.

    Raises:
        UsageError: a process that has not ended writes there, or one of another machine did.
    """
    try:
        owner = (unfinished / OWNER).read_text(encoding="utf-8")
    except OSError:
        return
    if owner != mark() and not was_left(owner):
        machine, _, process = owner.rpartition("~")
        raise UsageError(
            f"{unfinished}: process {process} of {machine} captures there; wait for its end, or"
            " remove the folder if it has ended"
        )


def jobs_of(unfinished: Path) -> list[Path]:
    """Returns the folders of the jobs of a capture, in the order of their start."""
    return sorted(unfinished.glob("job-*"))


def result_path(out: Path, stem: str, index: int, jobs: int, *, overwrite: bool) -> Path:
    """Returns the operation file of a job of a capture.

    Raises:
        UsageError: the file exists and may not be replaced.
    """
    file = out / (f"{stem}.operations" if jobs == 1 else f"{stem}-{index + 1}.operations")
    if file.exists() and not overwrite:
        raise UsageError(f"{file}: exists; name another --out, or add --overwrite")
    return file


def rank_paths(job: Path) -> list[Path]:
    """Returns the operation files of the ranks of a job."""
    paths = (path for path in job.iterdir() if RANK_FILE.fullmatch(path.name))
    return sorted(path for path in paths if path.suffix == ".operations")


def collect(
    job: Path, file: Path, *, region: bool, from_start: bool, salvage: str = ""
) -> Captured:
    """Merges the files of the ranks of a job that ran to its end.

    Args:
        job: the folder with the files of the ranks.
        file: the file to write.
        region: whether the capture is of a part of the program.
        from_start: whether this part starts within the program.
        salvage: the end of a message about a rank that did not reach its end.

    Raises:
        UsageError: a file is missing or incomplete, or the calls of the ranks do not fit together.
    """
    notes = read_notes(job.glob("rank-*.note"))
    paths = rank_paths(job)
    size = _size(paths[0]) if paths else 0
    missing = sorted(set(range(size)) - {rank_of(path.name) for path in paths})
    if missing or not paths:
        raise UsageError(
            f"capture: rank {missing[0] if missing else 0} of {size} left no file in {job}; write"
            " to a folder that all hosts share"
        )
    for path in paths:
        _check_end(path, salvage)
    if notes.unreached is not None:
        raise UsageError(f"capture: {notes.unreached}")
    texts = notes.shown(size)
    if region:
        return merged(paths, file, (*_trimmed(paths, from_start=from_start), *texts))
    try:
        return merged(paths, file, texts)
    except UsageError:
        lonely = _trimmed(paths, from_start=False)
        if not lonely:
            raise
        return merged(paths, file, (*lonely, *texts))


def _trimmed(paths: list[Path], *, from_start: bool) -> tuple[str, ...]:
    """Removes halves of messages from the files of the ranks, and returns lines that say so."""
    ranks = sorted((read_rank_file(path) for path in paths), key=lambda each: each.rank)
    lonely = remove_lonely(ranks, from_start=from_start)
    for path, each in zip(paths, ranks, strict=True):
        write_rank_file(path, each)
    return lonely.shown()


def merged(paths: list[Path], file: Path, notes: Sequence[str]) -> Captured:
    """Merges the files of the ranks of a job, and checks that their calls fit together.

    Raises:
        UsageError: a file is damaged, or the calls do not fit together; no file is written.
    """
    size = _size(paths[0])
    try:
        with atomic_file(file) as half:
            made = native.merge_operation_files(paths, half, notes=notes)
            native.operation_file(str(half))
    except ValueError as error:
        raise UsageError(
            f"capture: {_fault(str(error))}; a replay would not end, so no operation file is"
            f" written; the files of the ranks are in {paths[0].parent}"
        ) from None
    iterations = made["iterations"] or _marked(paths[0])
    workload = {"kind": "operations", "path": str(file), "hash": made["hash"]}
    deadlock = deadlock_of_calls(workload, size)
    return Captured(
        file, size, made["operations"], made["bytes"], iterations, tuple(notes), deadlock
    )


def _fault(text: str) -> str:
    """Returns a fault of an operation file for the user of a capture, who writes no such file."""
    reason, _, remedy = text.rpartition("; ")
    if not remedy.startswith("complete the calls"):
        return text
    return (
        f"the calls of the ranks do not fit together: {reason}; capture another part of the program"
        " with --from and --to, or report a fault of the capture"
    )


def _marked(path: Path) -> int:
    """Returns the number of iterations that a rank marks."""
    return int((read_rank_file(path).records["code"] == Code.ITERATION).sum())


def remove(unfinished: Path, kept: Path | None) -> None:
    """Removes the files of the ranks, or moves them to `kept`."""
    if kept is None:
        shutil.rmtree(unfinished)
        return
    shutil.rmtree(kept, ignore_errors=True)
    unfinished.rename(kept)


def refusal(unfinished: Path) -> str | None:
    """Returns why the first job stopped at a call, if one did."""
    foreign = unfinished / "foreign.note"
    if foreign.exists():
        return foreign.read_text(errors="replace").splitlines()[0].removeprefix("refused: ")
    for job in jobs_of(unfinished):
        notes: Notes = read_notes(job.glob("rank-*.note"))
        if notes.refusal is not None:
            return notes.refusal
    return None


def _size(path: Path) -> int:
    """Returns the number of ranks of the job of a rank's file."""
    with path.open("rb") as file:
        start = file.read(32)
    if len(start) < 32:
        raise UsageError(f"{path}: the rank did not write its file; is the disk full?")
    size: int = struct.unpack_from("<I", start, 12)[0]
    return size


def _check_end(path: Path, salvage: str) -> None:
    with path.open("rb") as file:
        file.seek(0, 2)
        file.seek(max(0, file.tell() - len(_END)))
        if file.read() != _END:
            raise UsageError(
                f"capture: rank {rank_of(path.name)} did not reach MPI_Finalize; a capture needs a"
                f" complete run{salvage}"
            )
