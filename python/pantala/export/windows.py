"""Tables of windows as arrays with named axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from pantala.catalogue.tables import TABLES
from pantala.errors import UsageError, nearest

if TYPE_CHECKING:
    import xarray

    from pantala.results.run import Run

__all__ = ["AXES", "to_xarray"]

#: The axes of each table of windows.
AXES = {
    "link_windows": ("window_start_ns", "link", "job"),
    "job_windows": ("window_start_ns", "job"),
    "port_windows": ("window_ns", "window_start_ns", "link", "vc", "job", "kind"),
    "system_windows": ("window_ns", "window_start_ns", "class", "job"),
    "router_windows": ("window_ns", "window_start_ns", "router", "job"),
    "routing_windows": ("window_start_ns", "job"),
    "latency_windows": ("window_start_ns", "job", "kind"),
    "nic_windows": ("window_start_ns", "node"),
    "blame": ("window_start_ns", "class", "victim", "aggressor"),
    "blame_groups": (
        *("window_ns", "window_start_ns", "class", "source_group", "target_group"),
        *("victim", "aggressor"),
    ),
    "blame_links": ("window_ns", "window_start_ns", "link", "victim", "aggressor"),
    "call_windows": ("window_start_ns", "job", "call"),
}

#: The largest arrays, in values.
_MOST = 1 << 28

#: Endings of columns that are means, maxima or percentiles; where there is no row, they have no
#: value. The other columns are sums, and no row is zero.
_NO_SUM = (
    *("mean", "max", "mean_ns", "max_ns", "mean_flits", "max_flits", "share"),
    *("0_ns", "5_ns", "9_ns", "exact"),
)


def to_xarray(run: Run, table: str = "link_windows", *columns: str) -> xarray.Dataset:
    """Returns a table of windows as an xarray dataset.

    Each column is an array over the table's axes, such as window, link and job. An axis without a
    value, such as the job of rows for all jobs, is left out: of the whole dataset, or of columns
    whose values have no such axis, such as saturation in port_windows split by job. Units and
    meanings are attributes.

    Args:
        run: the run.
        table: the name of a table of windows.
        columns: the columns; all by default.

    Raises:
        UsageError: xarray is not installed, there is no such table or column, or the arrays would
            be too large.
        RunDirectoryError: the table cannot be read.
    """
    try:
        import xarray
    except ImportError:
        raise UsageError("xarray is not installed; run pip install 'pantala[xarray]'") from None
    if table not in AXES:
        raise UsageError(f"{table} is no table of windows; {_hint(table, list(AXES))}")
    described = {column.name: column for column in TABLES[table].columns}
    # The class of a link that is an axis is in the table of links.
    values = [name for name in described if name not in (*AXES[table], "class")]
    for name in columns:
        if name not in values:
            raise UsageError(f"{table} has no value {name}; {_hint(name, values)}")
    frame = getattr(run, table).collect()
    axes = [axis for axis in AXES[table] if frame[axis].null_count() < max(1, frame.height)]
    known = [np.unique(frame[axis].drop_nulls().to_numpy()) for axis in axes]
    shape = tuple(len(each) for each in known)
    chosen = columns or values
    size = int(np.prod(shape, dtype=np.int64)) * len(chosen)
    if size > _MOST:
        raise UsageError(
            f"{table} of {' x '.join(f'{n:,} {a}' for a, n in zip(axes, shape, strict=True))} gives"
            f" {size:,} values; name fewer columns, or filter the table with Polars"
        )
    there = pl.sum_horizontal(pl.col(axis).is_not_null() for axis in axes)

    def array(name: str) -> Any:
        empty = np.nan if name.endswith(_NO_SUM) else 0.0
        rows = frame.filter(pl.col(name).is_not_null())
        if axes:  # of the rows with a value, those that tell most axes apart
            rows = rows.filter(there == there.max())
        own = [axis for axis in axes if rows[axis].null_count() == 0]
        if rows.is_empty() and not frame.is_empty():
            empty = np.nan
        found = np.full(tuple(len(known[axes.index(axis)]) for axis in own), empty)
        places = tuple(
            np.searchsorted(known[axes.index(axis)], rows[axis].to_numpy()) for axis in own
        )
        found[places] = rows[name].cast(float).to_numpy()
        facts = {"units": described[name].unit, "long_name": described[name].text}
        return own, found, {key: text for key, text in facts.items() if text}

    return xarray.Dataset(
        {name: array(name) for name in chosen},
        coords={
            axis: (axis, each, {"units": described[axis].unit} if described[axis].unit else {})
            for axis, each in zip(axes, known, strict=True)
        },
        attrs={"run": run.name, "table": table, "description": TABLES[table].text},
    )


def _hint(name: str, known: list[str]) -> str:
    close = nearest(name, known)
    return f"did you mean '{close}'?" if close else f"choose among {', '.join(known)}"
