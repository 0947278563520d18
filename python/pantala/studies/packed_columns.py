"""Columns of a pack: whole numbers in planes of bytes, so that many rows take little room.

Times in ns are whole numbers of ps, and most counts are small, but a table holds them in eight
bytes each. A column is written in the smallest of the forms that give its values back exactly:

- as it is;
- in planes: the lowest byte of each value in a column, the next one in another, as far as values
  reach. The upper planes hardly vary;
- against the bytes: a link is busy for its flits, and flits are bytes rounded up. So for each class
  of links, flits times the bytes of a flit, less the bytes, is a small number;
- left out: the utilization of a link is its busy time over the simulated time.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl

__all__ = ["decoded", "encoded", "parquet"]

_LEVEL = 19
#: The level at which forms are compared.
_TRIED_LEVEL = 3
#: Times in ns times this are whole numbers of ps; larger ones are not told apart by a float.
_PS = 1000
_MOST = 2.0**52
#: The columns that may be left out, or are compared: those of tables of links.
_RUN, _CLASS, _BYTES, _BUSY, _SHARE = "run", "class", "bytes", "busy_ns", "utilization"

#: How a column is written: its type, and what `_values` needs.
Form = dict[str, Any]


def encoded(
    frame: pl.DataFrame, simulated_ns: Mapping[str, float]
) -> tuple[pl.DataFrame, dict[str, Form]]:
    """Returns the rows of many runs in the columns of a pack, and the form of each column.

    Args:
        frame: the rows of a table, with the column ``run``.
        simulated_ns: the simulated time of each run.
    """
    parts: list[pl.DataFrame] = []
    forms: dict[str, Form] = {}
    for series in frame:
        name = series.name
        forms[name] = {"type": str(series.dtype)}
        of_busy = name == _SHARE and _BUSY in frame.columns
        if of_busy and _equal(_over_time(frame, simulated_ns), series):
            forms[name]["over_time"] = True
            continue
        written = [({}, series.to_frame()), *_forms(series, frame)]
        form, part = min(written, key=lambda each: len(parquet(each[1], _TRIED_LEVEL)))
        forms[name] |= form
        parts.append(part)
    return pl.concat(parts, how="horizontal"), forms


def decoded(
    packed: pl.DataFrame, forms: Mapping[str, Form], simulated_ns: Mapping[str, float]
) -> pl.DataFrame:
    """Returns the rows of `encoded`.

    Args:
        packed: the columns of a pack.
        forms: the form of each column, in order.
        simulated_ns: the simulated time of each run.

    Raises:
        ValueError: a form is not known.
        KeyError: a run or a form is not complete.
    """
    found: dict[str, pl.Series] = {}
    later = [name for name in forms if "against" in forms[name] or "over_time" in forms[name]]
    for name in [*(each for each in forms if each not in later), *later]:
        form = forms[name]
        if "over_time" in form:
            found[name] = _over_time(pl.DataFrame([found[_RUN], found[_BUSY]]), simulated_ns)
        elif "planes" in form:
            found[name] = _values(name, form, packed, found)
        else:
            found[name] = packed[name]
    return pl.DataFrame([found[name].alias(name) for name in forms])


def parquet(frame: pl.DataFrame, level: int = _LEVEL) -> bytes:
    """Returns rows as a file of Parquet."""
    file = io.BytesIO()
    frame.write_parquet(file, compression="zstd", compression_level=level)
    return file.getvalue()


def _equal(one: pl.Series, other: pl.Series) -> bool:
    """Returns whether two columns have the same values, of floats bit by bit."""
    if one.dtype != other.dtype or not one.is_null().equals(other.is_null()):
        return False
    if one.dtype != pl.Float64:
        return one.equals(other, null_equal=True)
    mine, others = (each.fill_null(0.0).to_numpy().view(np.int64) for each in (one, other))
    return bool((mine == others).all())


def _over_time(frame: pl.DataFrame, simulated_ns: Mapping[str, float]) -> pl.Series:
    """Returns the busy share of the simulated time, by the arithmetic of the core."""
    with np.errstate(over="ignore"):
        busy = np.rint(frame[_BUSY].to_numpy() * _PS)
    ps = {run: round(simulated_ns[run] * _PS) for run in frame[_RUN].unique()}
    of_run = frame[_RUN].replace_strict(ps, return_dtype=pl.Float64).to_numpy()
    return pl.Series(_SHARE, busy / np.maximum(of_run, 1.0))


def _forms(series: pl.Series, frame: pl.DataFrame) -> Iterator[tuple[Form, pl.DataFrame]]:
    """Yields the forms of whole numbers that give the values of a column back."""
    whole = _whole(series)
    if whole is None:
        return
    numbers, of_time = whole
    nulls = series.is_null() if series.null_count() else None
    tried: list[tuple[Form, np.ndarray]] = [({}, numbers)]
    known = {name: frame[name] for name in (_BYTES, _CLASS) if name in frame.columns}
    whole_rows = not any(each.null_count() for each in (series, *known.values()))
    if _BYTES in known and series.name != _BYTES and whole_rows:
        tried += _against_bytes(numbers, frame)
    for form, values in tried:
        part, planes = _planes(series.name, values, nulls)
        made = {**form, "planes": planes, "ps": of_time, "nulls": nulls is not None}
        made["signed"] = bool((values < 0).any())
        typed = {**made, "type": str(series.dtype)}
        if _equal(_values(series.name, typed, part, known), series):
            yield made, part


def _whole(series: pl.Series) -> tuple[np.ndarray, bool] | None:
    """Returns the values of a column as whole numbers, nulls as zero, and whether they are ps."""
    if series.dtype.is_integer():
        filled = series.fill_null(0)
        if filled.is_empty() or (filled.max() or 0) >= _MOST:  # type: ignore[operator]
            return None
        return filled.cast(pl.Int64).to_numpy(), False
    if series.dtype != pl.Float64 or series.is_empty():
        return None
    values = series.fill_null(0.0).to_numpy()
    if not (np.abs(values) < _MOST / _PS).all():
        return None
    return np.rint(values * _PS).astype(np.int64), True


def _against_bytes(numbers: np.ndarray, frame: pl.DataFrame) -> list[tuple[Form, np.ndarray]]:
    """Returns numbers less the bytes by the class of the link, in the unit of each class."""
    size = frame[_BYTES].cast(pl.Int64).to_numpy()
    left = np.zeros_like(numbers)
    units: dict[str, tuple[int, int]] = {}
    for group, rows in _by_class(frame):
        of_class = numbers[rows]
        unit = max(1, int(np.gcd.reduce(of_class)))
        flits = of_class // unit
        sent = flits > 0
        each = round(float(np.median(size[rows][sent] / flits[sent]))) if sent.any() else 1
        if not 0 < each * float(flits.max(initial=0)) < _MOST:
            each = 1
        units[group] = unit, each
        left[rows] = flits * each - size[rows]
    return [({"against": units}, left)]


def _by_class(columns: pl.DataFrame | Mapping[str, pl.Series]) -> Iterator[tuple[str, np.ndarray]]:
    """Yields each class of links, and its rows; all rows in a table without classes."""
    names = columns.columns if isinstance(columns, pl.DataFrame) else columns
    if _CLASS not in names:
        yield "", np.ones(len(columns[_BYTES]), dtype=bool)
        return
    classes = columns[_CLASS]
    for group in classes.unique().sort():
        yield str(group), (classes == group).to_numpy()


def _planes(name: str, values: np.ndarray, nulls: pl.Series | None) -> tuple[pl.DataFrame, int]:
    """Returns whole numbers as columns of bytes, and how many there are."""
    if (values < 0).any():
        values = (values << 1) ^ (values >> 63)
    count = max(1, (int(values.max()).bit_length() + 7) // 8)
    planes = [
        pl.Series(f"{name}.{plane}", (values >> 8 * plane & 0xFF).astype(np.uint8))
        for plane in range(count)
    ]
    missing = [] if nulls is None else [nulls.alias(f"{name}.null")]
    return pl.DataFrame([*planes, *missing]), count


def _values(
    name: str, form: Form, packed: pl.DataFrame, known: Mapping[str, pl.Series]
) -> pl.Series:
    """Returns the values of a column of whole numbers."""
    values = np.zeros(packed.height, dtype=np.int64)
    for plane in range(form["planes"]):
        values |= packed[f"{name}.{plane}"].to_numpy().astype(np.int64) << 8 * plane
    if form["signed"]:
        values = (values >> 1) ^ -(values & 1)
    if "against" in form:
        size = known[_BYTES].cast(pl.Int64).to_numpy()
        for group, rows in _by_class(known):
            unit, each = form["against"][group]
            values[rows] = (values[rows] + size[rows]) // each * unit
    series = pl.Series(name, values / _PS if form["ps"] else values)
    if form["nulls"]:
        present = ~packed[f"{name}.null"]
        series = pl.select(pl.when(present).then(series).alias(name)).to_series()
    return series.cast(_type(form["type"]))


def _type(name: str) -> pl.DataType:
    """Returns a type of numbers by its name."""
    for each in (*pl.datatypes.group.INTEGER_DTYPES, pl.Float64):
        if str(each) == name:
            found: pl.DataType = each()  # type: ignore[operator]
            return found
    raise ValueError(f"a column has the unknown type {name}")
