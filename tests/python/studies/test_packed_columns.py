"""Columns of packs: whole numbers in planes of bytes, exactly as they were."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pantala.studies.packed_columns import decoded, encoded, parquet

TIMES = {"a": 1000.125, "b": 333.0}
WHOLE = st.integers(-(2**53), 2**53)
FLOATS = st.one_of(st.floats(), st.integers(0, 2**50).map(lambda ps: ps / 1000))


def back(frame: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Returns the rows that a file and its forms, as JSON, give back."""
    packed, forms = encoded(frame, TIMES)
    read = pl.read_parquet(io.BytesIO(parquet(packed, 3)))
    return decoded(read, json.loads(json.dumps(forms)), TIMES), forms


@given(st.data())
def test_any_rows_come_back(data: st.DataObject) -> None:
    rows = data.draw(st.integers(0, 12))

    def column(values: st.SearchStrategy[Any]) -> list[Any]:
        return data.draw(st.lists(values, min_size=rows, max_size=rows))

    nothing = st.none() if data.draw(st.booleans()) else st.nothing()
    classes = st.one_of(st.sampled_from(["local", "global"]), nothing)
    sizes = st.one_of(st.integers(0, 2**60), nothing)
    frame = pl.DataFrame(
        {
            "run": pl.Series(column(st.sampled_from(["a", "b"])), dtype=pl.String),
            "class": pl.Series(column(classes), dtype=pl.String),
            "bytes": pl.Series(column(sizes), dtype=pl.UInt64),
            "flits": pl.Series(column(st.integers(0, 2**40)), dtype=pl.UInt64),
            "signed": pl.Series(column(WHOLE), dtype=pl.Int64),
            "maybe": pl.Series(column(st.none() | st.integers(0, 300)), dtype=pl.UInt32),
            "time_ns": pl.Series(column(FLOATS), dtype=pl.Float64),
            "maybe_ns": pl.Series(column(st.none() | FLOATS), dtype=pl.Float64),
            "busy_ns": pl.Series(column(st.integers(0, 2**50)), dtype=pl.Float64) / 1000,
            "utilization": pl.Series(column(st.floats(0, 1)), dtype=pl.Float64),
            "yes": pl.Series(column(st.booleans()), dtype=pl.Boolean),
        }
    )
    found, _ = back(frame)
    assert found.schema == frame.schema
    # NaN and the sign of zero count: their bytes are compared.
    assert parquet(found, 3) == parquet(frame, 3)


def test_a_table_of_links_holds_what_its_columns_do_not_say_together() -> None:
    """Busy times follow from the bytes but for a few flits, utilization from busy times."""
    draws = np.random.default_rng(1)
    count = 5_000
    flits = draws.integers(0, 50_000, count)
    classes = np.where(np.arange(count) % 3 == 0, "global", "local")
    per_flit = np.where(classes == "global", 3412, 1524)
    run = np.where(np.arange(count) < count // 2, "a", "b")
    busy_ps = flits * per_flit
    simulated = np.where(run == "a", 1_000_125, 333_000)
    frame = pl.DataFrame(
        {
            "run": run,
            "class": classes,
            "link": np.arange(count, dtype=np.uint32),
            "bytes": (flits * 16 - np.minimum(flits, draws.integers(0, 16, count))).astype("u8"),
            "busy_ns": busy_ps / 1000,
            "utilization": busy_ps / simulated,
        }
    )
    found, forms = back(frame)
    assert found.equals(frame)
    assert forms["utilization"] == {"type": "Float64", "over_time": True}
    assert forms["busy_ns"]["against"] == {"global": (3412, 16), "local": (1524, 16)}
    assert forms["busy_ns"]["planes"] == 1
    packed, _ = encoded(frame, TIMES)
    # Four bytes of random flits, and one of what the last flit lacks.
    assert len(parquet(packed)) < len(parquet(frame)) / 3


def test_a_form_of_another_kind_is_refused() -> None:
    frame = pl.DataFrame({"run": ["a"] * 300, "number": range(300)})
    packed, forms = encoded(frame, TIMES)
    assert forms["number"]["planes"] == 2
    forms["number"]["type"] = "Roman"
    with pytest.raises(ValueError, match="unknown type Roman"):
        decoded(packed, forms, TIMES)
