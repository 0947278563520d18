"""The cube of a run: the windows of its links, summed once and kept beside the run.

The cube is a folder of three Parquet files, so that no view of the explorer scans the tables of the
run. ``groups`` has the sums between groups, ``links`` the windows of all links ordered by group,
``peaks`` the highest window of each link. ``cube.json`` is written last and says which files of
which version the cube was made from; a cube that does not agree with the run is made again.
"""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from pantala.analysis.link_busy import BUSY_STEPS, LEAST_PART, busy_windows
from pantala.catalogue.tables import TABLES
from pantala.core.extension import core
from pantala.errors import RunDirectoryError, first_line
from pantala.explorer.windows import joined_window
from pantala.files.atomic_file import write_table, write_text
from pantala.files.run_directory import EXPLORER_FOLDER, RUN_FILE, TABLES_FILE
from pantala.files.table_errors import UNREADABLE
from pantala.results.run import Run
from pantala.run_tables.exact_sums import exact_sum
from pantala.run_tables.link_classes import NETWORK
from pantala.run_tables.run_like import link_window_ns, table
from pantala.run_tables.skipped_time import skipped_between
from pantala.text.steps import announce

__all__ = ["MOST_ROWS", "MOST_WINDOWS", "Cube", "cube_of", "stamp_of"]

#: The file that says what the cube was made from.
_STAMP = "cube.json"
#: The form of the cube; it changes with its columns.
_FORM = 3
#: Windows of simulated time and rows of the cube at most. Windows are joined beyond that.
MOST_WINDOWS, MOST_ROWS = 1000, 16_000_000
#: Windows at most with those of skipped time, which have numbers but no rows.
_MOST_NUMBERED = 1 << 16
#: The tables that the cube is made from.
_FROM = ("link_windows", "link_jobs", "links", "port_windows")
#: Rows of a row group of `links`: a group is read without its neighbours.
_ROW_GROUP = 1 << 16


@dataclass(frozen=True)
class Cube:
    """The sums of a run over its links and windows.

    Attributes:
        window_ns: the length of a window of the cube in ns.
        joined: the number of windows of the run in a window of the cube.
        windows: the number of windows from 0 to the end of the run, with those of skipped time.
        groups: `window`, `source`, `target` (groups; equal for links inside a group), `class`,
            `job`, `busy_ns` and `stall_ns`, in the order of windows. Terminal links are left out.
        links: `group` (of the sender; of an injection link, of the receiver), `link`, `window`,
            `job`, `bytes`, `busy_ns` and `stall_ns`, in this order.
        peaks: a row per link with traffic or a stall: `link`, `peak_busy`, `peak_stall` (shares of
            a window), `peak_window`, `busy_ns` and `stall_ns`. A last window shorter than a tenth
            of the others is no peak.
    """

    window_ns: float
    joined: int
    windows: int
    groups: pl.LazyFrame
    links: pl.LazyFrame
    peaks: pl.LazyFrame


_FRAMES = ("groups", "links", "peaks")


def cube_of(run: Run) -> Cube:
    """Returns the cube of a run, made if it is missing or older than the run.

    If the run recorded no link windows, the cube has one window, the whole run. If the directory of
    the run cannot be written, the cube is in memory.

    Raises:
        RunDirectoryError: a table is damaged.
    """
    folder, stamp = run.path.resolve() / EXPLORER_FOLDER, stamp_of(run)
    if (kept := _kept(folder, stamp)) is not None:
        return kept
    announce("sums over links and windows")
    try:
        shape, frames = _made(run)
    except (*UNREADABLE, OSError) as error:
        if isinstance(error, RunDirectoryError):
            raise
        files = "link_windows.parquet, link_jobs.parquet or links.parquet"
        message = f"{files} is damaged: {first_line(error)}"
        raise RunDirectoryError(run.path, message, "give the command that wrote it again") from None
    try:
        _keep(folder, stamp | shape, frames)
    except OSError:
        return _cube(shape, {name: frame.lazy() for name, frame in frames.items()})
    return _kept(folder, stamp) or _cube(
        shape, {name: frame.lazy() for name, frame in frames.items()}
    )


def _cube(shape: dict[str, Any], frames: dict[str, pl.LazyFrame]) -> Cube:
    return Cube(
        window_ns=float(shape["window_ns"]),
        joined=int(shape["joined"]),
        windows=int(shape["windows"]),
        **frames,
    )


def stamp_of(run: Run) -> dict[str, Any]:
    """Returns what a cube depends on: form, version, and size and time of the run's files."""
    files = [TABLES[name].file for name in _FROM]
    return {
        "form": _FORM,
        "pantala": core().VERSION,
        "files": dict(_sizes(run.path, [RUN_FILE, TABLES_FILE, *files])),
    }


def _sizes(folder: Path, names: list[str]) -> Iterator[tuple[str, list[int]]]:
    for name in names:
        with contextlib.suppress(FileNotFoundError):
            state = (folder / name).stat()
            yield name, [state.st_size, state.st_mtime_ns]


def _kept(folder: Path, stamp: dict[str, Any]) -> Cube | None:
    """Returns the cube of a folder if it is that of the stamp."""
    try:
        found = json.loads((folder / _STAMP).read_text(encoding="utf-8"))
        if {key: found[key] for key in stamp} != stamp:
            return None
        frames = {name: pl.scan_parquet(folder / f"{name}.parquet", glob=False) for name in _FRAMES}
        for frame in frames.values():
            frame.collect_schema()
        return _cube(found, frames)
    except (OSError, ValueError, KeyError, TypeError, *UNREADABLE):
        return None


def _keep(folder: Path, stamp: dict[str, Any], frames: dict[str, pl.DataFrame]) -> None:
    """Writes a cube, its stamp last; after an error no part of a cube is left."""
    files = [folder / _STAMP, *(folder / f"{name}.parquet" for name in frames)]
    folder.mkdir(exist_ok=True)
    files[0].unlink(missing_ok=True)
    try:
        for name, frame in frames.items():
            rows = _ROW_GROUP if name == "links" else None
            write_table(folder / f"{name}.parquet", frame, row_group_size=rows)
        write_text(files[0], json.dumps(stamp, indent=1) + "\n")
    except OSError:
        with contextlib.suppress(OSError):
            for file in files:
                file.unlink(missing_ok=True)
            folder.rmdir()
        raise


def _made(run: Run) -> tuple[dict[str, Any], dict[str, pl.DataFrame]]:
    recorded, simulated = table(run, "link_windows"), float(run.document["simulated_ns"])
    length = link_window_ns(run)
    recorded_rows = 1
    if recorded is None:
        length = simulated or 1.0
    else:
        recorded_rows = int(recorded.select(pl.len()).collect().item())
    number = max(1, math.ceil(simulated / length - 1e-6))
    # Skipped time has no windows to join.
    recorded_time = number - skipped_between(run, 0.0, simulated) / length
    joined = max(
        math.ceil(recorded_time / MOST_WINDOWS - 1e-6),
        -(-number // _MOST_NUMBERED),
        -(-recorded_rows // MOST_ROWS),
    )
    window, windows = length * joined, -(-number // joined)
    links = (
        run.links.select("link", "class", "source_group", "target_group")
        .with_columns(group=pl.coalesce("source_group", "target_group"))
        .collect()
        .lazy()
    )
    place = joined_window(pl.col("window_start_ns"), window).cast(pl.UInt16).alias("window")
    found = busy_windows(run)
    parts = [
        part.with_columns(place)
        .group_by("link", "window", "job")
        .agg(pl.col("bytes").sum(), exact_sum("stall_ns"), found.busy_ns.alias("busy_ns"))
        .collect(engine="streaming")
        for part in found.parts
    ]
    # A joined window may lie in two parts.
    every = _of_jobs(pl.concat(parts), again=len(parts) > 1)
    every = every.lazy().join(links, on="link").sort("group", "link", "window", "job").collect()
    groups = (
        every.lazy()
        .filter(pl.col("class").is_in(NETWORK))
        .group_by("window", source="source_group", target="target_group", kind="class", job="job")
        .agg(pl.col("busy_ns", "stall_ns").sum())
        .rename({"kind": "class"})
        .sort("window", "source", "target", "class", "job")
        .collect()
    )
    width = pl.min_horizontal(pl.lit(window), simulated - pl.col("window") * window)
    long = (width >= LEAST_PART * window - 1e-6) | (pl.lit(windows) == 1)
    busy, stall = (
        pl.when(long).then(pl.col(name) / width).otherwise(0.0) for name in ("busy_ns", "stall_ns")
    )
    peaks = (
        every.lazy()
        .group_by("link", "window")
        .agg(pl.col("busy_ns", "stall_ns").sum())
        .with_columns(_busy=busy, _stall=stall)
        .sort("link", "window")
        .group_by("link")
        .agg(
            peak_busy=pl.col("_busy").max().clip(0, 1),
            peak_stall=pl.col("_stall").max().clip(0, 1),
            peak_window=pl.col("window").get(pl.col("_busy").arg_max()),
            busy_ns=pl.col("busy_ns").sum(),
            stall_ns=pl.col("stall_ns").sum(),
        )
        .sort("link")
        .collect()
    )
    kept = every.select("group", "link", "window", "job", "bytes", "busy_ns", "stall_ns")
    shape = {"window_ns": window, "joined": joined, "windows": windows}
    return shape, {"groups": groups, "links": kept, "peaks": peaks}


def _of_jobs(rows: pl.DataFrame, *, again: bool) -> pl.DataFrame:
    """Returns one row per link, window and job.

    A window without a job is busy with a packet that started before: it gets the job before it.
    """
    if rows["job"].null_count():
        order = rows.sort("link", "window", "job", nulls_last=True)
        job = pl.col("job").forward_fill().backward_fill().over("link")
        rows, again = order.with_columns(job), True
    if not again:
        return rows
    sums = pl.col("bytes").sum(), exact_sum("stall_ns"), exact_sum("busy_ns", BUSY_STEPS)
    return rows.group_by("link", "window", "job").agg(*sums)
