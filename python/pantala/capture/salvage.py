"""The captures of programs that were killed: cut at the last point that all ranks passed."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from pantala.capture.collect import (
    Captured,
    jobs_of,
    merged,
    not_in_use,
    rank_paths,
    result_path,
)
from pantala.capture.matching import remove_lonely
from pantala.capture.notes import read_notes
from pantala.capture.rank_file import RankRecords, read_rank_file, write_rank_file
from pantala.core.operation_codes import Code
from pantala.errors import UsageError
from pantala.text.amounts import PLAIN

__all__ = ["salvage"]

_NON_BLOCKING = 8
#: The operations with a list.
_LISTED = [
    *(Code.REDUCE_SCATTER, Code.ALLGATHERV, Code.GATHERV, Code.SCATTERV, Code.ALLTOALLV),
    *(Code.COMM_SPLIT, Code.COMM_JOIN),
]


def salvage(
    out: str | Path, *, name: str | None = None, overwrite: bool = False
) -> tuple[Captured, ...]:
    """Makes operation files of what an unfinished capture recorded.

    Each job is cut after the last collective of MPI_COMM_WORLD that all its ranks completed.
    Messages of which only one half lies before the cut are left out.

    Args:
        out: the folder of the capture.
        name: the name of the capture. Default: the name of `out`.
        overwrite: whether to replace a capture in `out`.

    Raises:
        UsageError: the folder has no unfinished capture, its files are of different jobs or
            damaged, or the ranks have passed no collective together.
    """
    folder = Path(out)
    stem = name or folder.absolute().name
    unfinished = folder / f"{stem}.unfinished"
    jobs = jobs_of(unfinished) if unfinished.is_dir() else []
    if not jobs:
        others = sorted(path.stem for path in folder.glob("*.unfinished"))
        hint = f"name one with --name: {', '.join(others)}" if others else "nothing to salvage"
        raise UsageError(f"{folder}: has no unfinished capture named {stem}; {hint}")
    not_in_use(unfinished)
    files = [
        result_path(folder, stem, index, len(jobs), overwrite=overwrite)
        for index in range(len(jobs))
    ]
    made = tuple(_cut(job, file) for job, file in zip(jobs, files, strict=True))
    shutil.rmtree(unfinished)
    return made


def _cut(job: Path, file: Path) -> Captured:
    ranks = _ranks(job)
    cuts = [_collectives(each) for each in ranks]
    passed = min(len(each) for each in cuts)
    if passed == 0:
        raise UsageError(
            f"{job}: the ranks have passed no collective of MPI_COMM_WORLD together; capture a run"
            " that goes on for longer"
        )
    before = sum(len(each.records) for each in ranks)
    for each, ends in zip(ranks, cuts, strict=True):
        each.records = each.records[: ends[passed - 1] + 1]
    after = sum(len(each.records) for each in ranks)
    most = max(len(each) for each in cuts)
    note = (
        f"the program was cut off: the operations end after collective {passed:,} of all ranks (of"
        f" {most:,} that the foremost rank called), with {PLAIN.percent(after / before)} of the"
        " recorded operations"
    )
    lonely = remove_lonely(ranks)
    folder = job / "cut"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    paths = []
    for each in ranks:
        paths.append(folder / f"rank-{each.rank:06}.operations")
        write_rank_file(paths[-1], each)
    notes = read_notes(job.glob("rank-*.note"))
    return merged(paths, file, (note, *lonely.shown(), *notes.shown(len(ranks))))


def _ranks(job: Path) -> list[RankRecords]:
    """Returns the files of all ranks of a job."""
    paths = rank_paths(job)
    if not paths:
        raise UsageError(f"{job}: has no file of a rank; capture the program again")
    ranks = [read_rank_file(path) for path in paths]
    first = ranks[0]
    for path, each in zip(paths, ranks, strict=True):
        if (each.run, each.ranks) != (first.run, first.ranks):
            raise UsageError(
                f"{path}: is of another job than {paths[0].name}; keep the files of one job in a"
                " folder"
            )
    missing = sorted(set(range(first.ranks)) - {each.rank for each in ranks})
    if missing:
        raise UsageError(
            f"{job}: rank {missing[0]} of {first.ranks} left no file; capture into a folder that"
            " all hosts share"
        )
    return sorted(ranks, key=lambda each: each.rank)


def _collectives(file: RankRecords) -> Sequence[int]:
    """Returns the records of a rank that are collectives of all ranks, up to an open list."""
    import numpy as np

    records = file.records
    code = records["code"]
    called = (code >= Code.BARRIER) & (code <= Code.EXSCAN)
    called |= (code >= Code.COMM_DUP) & (code <= Code.COMM_CREATE)
    called &= (records["communicator"] == 0) & (records["flags"] & _NON_BLOCKING == 0)
    found = np.flatnonzero(called)
    known = len(file.lists)
    late = [at for at, each in enumerate(file.lists) if each is None]
    lost = np.zeros(len(records), bool)
    for field, codes in (("first", [Code.ALLTOALLV]), ("second", _LISTED)):
        named = records[field]
        lost |= np.isin(code, codes) & (np.isin(named, late) | (named >= known))
    if lost.any():
        found = found[found < np.flatnonzero(lost)[0]]
    ends: list[int] = found.tolist()
    return ends
