"""The tables of the paper: communication of the applications, and run times in production."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import polars as pl

from pantala.papers.chunduri2021.study.measures import cori_samples, produced
from pantala.papers.chunduri2021.study.platform import APPLICATIONS, PRODUCTION
from pantala.papers.chunduri2021.study.samples import calls, job_times, of_mode
from pantala.run_tables.exact_sums import exact_sum
from pantala.studies.evidence import Evidence

_NAMES = {
    "milc": "MILC",
    "milcreorder": "MILCREORDER",
    "nek5000": "Nek5000",
    "hacc": "HACC",
    "qbox": "Qbox",
    "rayleigh": "Rayleigh",
}
_NS_PER_MS = 1e6


def communication(e: Evidence) -> pl.DataFrame:
    """Returns the share of MPI and the three longest calls of each application alone."""
    rows = []
    for kind in APPLICATIONS:
        chosen = {"application": kind, "mode": "AD0"}
        times, spent = job_times(e, "isolated", chosen), calls(e, "isolated", chosen)
        if times.is_empty() or spent.is_empty():
            continue
        share = times.select((pl.col("mpi_ns") / pl.col("run_ns")).mean()).item()
        sums = spent.group_by("call").agg(exact_sum("time_ns"))
        longest = sums.sort("time_ns", "call", descending=[True, False]).head(3)
        total = sums["time_ns"].sum()
        shown = [
            f"{call} {100 * time / total:.2g} %"
            for call, time in longest.select("call", "time_ns").iter_rows()
        ]
        rows.append((_NAMES[kind], 100 * share, *(*shown, None, None, None)[:3]))
    schema: dict[str, type[pl.DataType]] = {
        "application": pl.String,
        "MPI (%)": pl.Float64,
        "first call": pl.String,
        "second call": pl.String,
        "third call": pl.String,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def run_times(e: Evidence) -> pl.DataFrame:
    """Returns mean and deviation of run times under AD0 and AD3, with what AD3 saves."""
    samples = {_NAMES[kind]: produced(e, kind) for kind in PRODUCTION}
    samples["MILC on Cori"] = cori_samples(e)
    rows = []
    for name, found in samples.items():
        first, second = (of_mode(found, mode) for mode in ("AD0", "AD3"))
        if first.is_empty() or second.is_empty():
            continue
        values = []
        for own in (first, second):
            mean, deviation = own.select(
                mean=pl.col("run_ns").mean(), deviation=pl.col("run_ns").std()
            ).row(0)
            values.append((mean, deviation))
        saved = [
            100 * (1 - _mean(second, column) / _mean(first, column))
            for column in ("run_ns", "mpi_ns")
        ]
        times = [None if each is None else each / _NS_PER_MS for pair in values for each in pair]
        rows.append((name, *times, *saved, first.height + second.height))
    schema: dict[str, type[pl.DataType]] = {
        "application": pl.String,
        "AD0 mean (ms)": pl.Float64,
        "AD0 deviation (ms)": pl.Float64,
        "AD3 mean (ms)": pl.Float64,
        "AD3 deviation (ms)": pl.Float64,
        "saved run time (%)": pl.Float64,
        "saved time in MPI (%)": pl.Float64,
        "samples": pl.Int64,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def _mean(rows: pl.DataFrame, column: str) -> float:
    return float(rows.select(pl.col(column).mean()).item())


TABLES: Mapping[str, Callable[[Evidence], pl.DataFrame]] = {
    "table-1": communication,
    "table-2": run_times,
}
