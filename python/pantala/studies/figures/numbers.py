"""The numbers of the figures of a study: a frame per figure, from the kept tables of its runs.

The first columns are those of panels, groups and series, in the raw words of the tables. A frame is
what the CSV file of the figure holds, and all that its drawing reads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import fsum
from typing import Any

import numpy as np
import polars as pl

from pantala.analysis.latency_mixture import LEVELS, mixture_quantile
from pantala.analysis.statistics import mean_interval
from pantala.errors import UsageError
from pantala.figures.link_shares import PANELS
from pantala.figures.steps import steps_of
from pantala.metrics.traffic import group_means
from pantala.studies.figures.cells import cells_of, check_one, seeds_of
from pantala.studies.figures.counter_numbers import COUNTER_NUMBERS
from pantala.studies.figures.rows import FigureRows

__all__ = ["NUMBERS", "OF_ROUTERS"]

#: The kinds of links between routers.
OF_ROUTERS = ("inside groups", "global")

#: The most steps of a line, and of one that shares its panel with those of other runs; with more,
#: windows are joined.
_MOST_STEPS, _MOST_SHARED = 240, 80
#: The columns of a window.
_WINDOW = ("window_start_ns", "window_ns")
#: The numbers of a box by the columns of latency_windows.
_BOX = ("p25_ns", "p50_ns", "p75_ns", "p95_ns", "p99_ns")
#: Those that the table of jobs has of the whole run, by its columns.
_OF_JOB = {f"{level}_ns": f"packet_latency_{level}_ns" for level in ("p50", "p95", "p99")}
#: The columns that name a job of a run.
_JOB = ("case", "part", "job")


def bars(figure: FigureRows) -> pl.DataFrame:
    """Returns the mean over seeds of a column of jobs, with its 95 % interval."""
    value = figure.entry.value or ""
    rows = figure.rows("jobs", value).filter(pl.col(value).is_not_null())
    found = []
    for cell, own in cells_of(figure, rows):
        check_one(cell, own.height, own["seed"].n_unique() if "seed" in own.columns else 1)
        interval = mean_interval(own[value].to_list())
        ends = (interval.low, interval.high) if interval.count > 1 else (None, None)
        found.append({**cell, value: interval.mean, "low": ends[0], "high": ends[1]})
        found[-1]["seeds"] = interval.count
    return pl.DataFrame(found, infer_schema_length=None)


def throughput(figure: FigureRows) -> pl.DataFrame:
    """Returns the delivered bytes per ns of each step of time, for each line."""
    length = figure.window_ns("window_ps")
    found = []
    for cell, own in cells_of(figure, figure.rows("job_windows", *_WINDOW, "delivered_bytes")):
        check_one(cell, own["run"].n_unique(), 1)
        if not figure.entry.pool:
            check_one(cell, own["job"].n_unique(), 1)
        starts, end = own["window_start_ns"].to_numpy(), _end(own)
        steps = steps_of(starts, length, end, _MOST_SHARED if figure.entry.pool else _MOST_STEPS)
        rates = steps.sums(starts, own["delivered_bytes"].to_numpy()) / steps.widths_ns
        found += _steps(cell, steps.edges_ns, gb_per_s=rates)
    return pl.DataFrame(found, infer_schema_length=None)


def latency_over_time(figure: FigureRows) -> pl.DataFrame:
    """Returns the mean latency of each step of time; null where no packet arrived."""
    length = figure.window_ns("window_ps")
    rows = figure.rows("job_windows", *_WINDOW, "packets", "latency_mean_ns")
    found = []
    for cell, own in cells_of(figure, rows.filter(pl.col("packets") > 0)):
        check_one(cell, own.select("run", "job").n_unique(), 1)
        starts, packets = own["window_start_ns"].to_numpy(), own["packets"].to_numpy()
        steps = steps_of(starts, length, _end(own), _MOST_STEPS)
        counts = steps.sums(starts, packets)
        sums = steps.sums(starts, own["latency_mean_ns"].to_numpy() * packets)
        means = np.divide(sums, counts, out=np.full(len(counts), np.nan), where=counts > 0)
        found += _steps(cell, steps.edges_ns, latency_mean_ns=means)
    return pl.DataFrame(found, infer_schema_length=None).fill_nan(None)


def packet_latency(figure: FigureRows) -> pl.DataFrame:
    """Returns quartiles, p95, p99 and mean of packet latency, means over seeds.

    A job whose run has several windows has the median, p95 and p99 of the table `jobs`, which are
    those of all its packets. Its quartiles, and all percentiles over several jobs, are estimated
    from those of each window (`pantala.analysis.latency_mixture`).
    """
    rows = figure.rows("latency_windows", "kind", "count", "mean_ns", *LEVELS)
    rows = rows.filter(pl.col("kind") == "packet", pl.col("count") > 0)
    whole = figure.rows("jobs", "packets", *_OF_JOB.values())
    found = []
    for cell, every in cells_of(figure, rows):
        seeds = []
        for own in seeds_of(every):
            check_one(cell, own["run"].n_unique(), 1)
            if not figure.entry.pool:
                check_one(cell, own["job"].n_unique(), 1)
            counts = own["count"].to_numpy().astype(float)
            # The order of NumPy's sums, and so the last digit, differs between machines.
            mean = fsum(own["mean_ns"].to_numpy() * counts) / float(counts.sum())
            numbers = dict(zip(_BOX, _quantiles(own, counts), strict=True))
            job = whole.join(own.select(_JOB).unique(), on=_JOB, how="semi", nulls_equal=True)
            if job.height == 1 and job["packets"].item() == counts.sum():
                numbers |= {name: job[column].item() for name, column in _OF_JOB.items()}
            seeds.append([*numbers.values(), mean])
        means = np.mean(seeds, axis=0).tolist()
        numbers = dict(zip([*_BOX, "mean_ns"], means, strict=True))
        found.append({**cell, **numbers, "seeds": len(seeds)})
    return pl.DataFrame(found, infer_schema_length=None)


def rank_boxes(figure: FigureRows) -> pl.DataFrame:
    """Returns extremes, quartiles and mean over ranks of communication time or longest latency."""
    value = figure.entry.value or ""
    if value == "latency_max_ns":
        every = figure.rows("rank_messages", "direction", value)
        rows = every.filter(pl.col("direction") == "received", pl.col(value).is_not_null())
    else:
        rows = figure.rows("ranks", value)
    shares = {"min_ns": 0, "p25_ns": 0.25, "p50_ns": 0.5, "p75_ns": 0.75, "max_ns": 1}
    found = []
    for cell, every in cells_of(figure, rows):
        seeds = []
        for own in seeds_of(every):
            check_one(cell, own.select("run", "job").n_unique(), 1)
            times = own[value].to_numpy()
            seeds.append([*np.quantile(times, list(shares.values())), times.mean()])
        means = np.mean(seeds, axis=0).tolist()
        found.append({**cell, **dict(zip([*shares, "mean_ns"], means, strict=True))})
        found[-1]["seeds"] = len(seeds)
    return pl.DataFrame(found, infer_schema_length=None)


def routers_over_time(figure: FigureRows) -> pl.DataFrame:
    """Returns the bytes of each job in each step of time at the routers that serve one job."""
    ids = ["case", "part"]
    served = figure.rows("ranks", "router").select(*ids, "router").unique()
    windows = figure.of_runs("router_windows", *_WINDOW, "router", "job", "bytes")
    lengths = figure.plan["record"]["routers"]["windows_ps"]
    if lengths:
        windows = windows.filter(pl.col("window_ns") <= min(lengths) / 1000)
    rows = windows.join(served, on=[*ids, "router"], how="semi")
    names = {number: job["name"] for number, job in enumerate(figure.plan["jobs"])}
    found = []
    for cell, own in cells_of(figure, rows):
        check_one(cell, own["run"].n_unique(), 1)
        length = float(own["window_ns"].max())  # type: ignore[arg-type]
        steps = steps_of(own["window_start_ns"].to_numpy(), length, _end(own), _MOST_STEPS)
        for job, name in names.items():
            of_job = own.filter(pl.col("job") == job)
            if of_job.is_empty():
                continue
            sums = steps.sums(of_job["window_start_ns"].to_numpy(), of_job["bytes"].to_numpy())
            found += _steps(
                {**cell, "source": name}, steps.edges_ns, gb_per_s=sums / steps.widths_ns
            )
    return pl.DataFrame(found, infer_schema_length=None)


def group_ring(figure: FigureRows) -> pl.DataFrame:
    """Returns the mean stall of the links from group to group."""
    return _groups(figure, figure.entry.value or "")


def link_load_map(figure: FigureRows) -> pl.DataFrame:
    """Returns the mean load or stall of the links from group to group."""
    return _groups(figure, figure.entry.value or "")


def link_shares(figure: FigureRows) -> pl.DataFrame:
    """Returns the value of every link, from the smallest to the largest of each kind."""
    value = figure.entry.value or ""
    if value == "saturated_ns":
        found = _saturated(figure)
        links = figure.links().join(found, on=["case", "part", "link"], how="left")
        links = links.with_columns(pl.col(value).fill_null(0.0))
        if classes := figure.plan["record"]["ports"]["classes"]:
            links = links.filter(pl.col("class").is_in(classes))
    else:
        links = figure.links(value)
    frames = []
    for cell, own in cells_of(figure, links):
        check_one(cell, own["run"].n_unique(), 1)
        frames += _of_kinds(cell, own, value, list(PANELS))
    return pl.concat(frames) if frames else pl.DataFrame()


def router_traffic(figure: FigureRows) -> pl.DataFrame:
    """Returns the bytes of each link from a router that serves a job to another router."""
    ids = ["case", "part"]
    links = figure.links("bytes").rename({"source_router": "router"})
    frames = []
    for cell, own in cells_of(figure, figure.rows("ranks", "router")):
        check_one(cell, own.select("run", "job").n_unique(), 1)
        served = links.join(own.select(*ids, "router").unique(), on=[*ids, "router"], how="semi")
        frames += _of_kinds(cell, served, "bytes", OF_ROUTERS)
    return pl.concat(frames) if frames else pl.DataFrame()


#: The function of each kind.
NUMBERS: Mapping[str, Callable[[FigureRows], pl.DataFrame]] = {
    "bars": bars,
    "throughput": throughput,
    "latency-over-time": latency_over_time,
    "packet-latency": packet_latency,
    "rank-boxes": rank_boxes,
    "routers-over-time": routers_over_time,
    "group-ring": group_ring,
    "link-load-map": link_load_map,
    "link-shares": link_shares,
    "router-traffic": router_traffic,
    **COUNTER_NUMBERS,
}


def _of_kinds(
    cell: Mapping[str, Any], links: pl.DataFrame, value: str, kinds: Sequence[str]
) -> list[pl.DataFrame]:
    """Returns the values of the links of each kind, rising, with the share of links up to each."""
    given = [pl.lit(each).alias(name) for name, each in cell.items()]
    share = (pl.int_range(pl.len()) + 1) / pl.len()
    return [
        links.filter(pl.col("class").is_in(PANELS[kind]))
        .sort(value, "link")
        .select(*given, pl.lit(kind).alias("links"), "link", value, share=share)
        for kind in kinds
    ]


def _end(windows: pl.DataFrame) -> float:
    return float((windows["window_start_ns"] + windows["window_ns"]).to_numpy().max())


def _steps(
    cell: Mapping[str, Any], edges: np.ndarray, **values: np.ndarray
) -> list[dict[str, Any]]:
    columns = {"start_ns": edges[:-1], "end_ns": edges[1:], **values}
    rows = zip(*(each.tolist() for each in columns.values()), strict=True)
    return [{**cell, **dict(zip(columns, row, strict=True))} for row in rows]


def _quantiles(rows: pl.DataFrame, counts: np.ndarray) -> Sequence[float]:
    """Returns the quantiles of a box, over all windows and jobs of the rows."""
    if rows.height == 1:
        return [float(rows[name][0]) for name in _BOX]
    values = rows.select(list(LEVELS)).to_numpy()
    return [mixture_quantile(counts, values, LEVELS[name]) for name in _BOX]


def _groups(figure: FigureRows, value: str) -> pl.DataFrame:
    found = []
    for cell, own in cells_of(figure, figure.links(value)):
        check_one(cell, own["run"].n_unique(), 1)
        number = int(own.select(pl.max_horizontal("source_group", "target_group").max()).item()) + 1
        matrix = group_means(own, number, pl.col(value))
        found += [
            {**cell, "from_group": source, "to_group": target, value: float(matrix[source, target])}
            for source, target in np.argwhere(np.isfinite(matrix)).tolist()
        ]
    return pl.DataFrame(found, infer_schema_length=None)


def _saturated(figure: FigureRows) -> pl.DataFrame:
    """Returns the saturation time of each link in each run.

    Raises:
        UsageError: the runs recorded only parts of links.
    """
    whole = [pl.col(name).is_null() for name in ("vc", "job", "kind")]
    columns = ("link", "window_ns", "vc", "job", "kind", "saturated_ns")
    windows = figure.of_runs("port_windows", *columns).filter(*whole)
    if windows.is_empty():
        raise UsageError(
            "port_windows has no row for whole links; remove record.ports.split and run again"
        )
    # Windows of several lengths cover the same time.
    longest = pl.col("window_ns") == pl.col("window_ns").max().over("case", "part")
    ids = ["case", "part", "link"]
    return windows.filter(longest).group_by(ids).agg(pl.col("saturated_ns").sum())
