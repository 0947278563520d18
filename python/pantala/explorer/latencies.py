"""The latencies of recorded packets as histograms, by window and job."""

from __future__ import annotations

from typing import Any

import polars as pl

from pantala.explorer.cube import Cube
from pantala.results.run import Run
from pantala.run_tables.run_like import table

__all__ = ["BINS", "latencies"]

#: Bins of a decade of latency: a bin ends 12.2 % above its start.
BINS = 20


def latencies(run: Run, cube: Cube) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Returns the recorded packets by the window of their delivery, job and bin of latency.

    Returns:
        `window` (of the cube), `job`, `bin` and `packets`, in the order of windows. Bin b has the
        latencies from 10^(b/20) to 10^((b+1)/20) ns. The facts have `bins` (20), and `sample`: one
        packet in this many is recorded.
    """
    packets = table(run, "packets")
    if packets is None:
        return pl.DataFrame(), {"needs": "packets"}
    window = (pl.col("delivered_ns") / cube.window_ns + 1e-9).floor()
    # A packet that is delivered at the end of the run lies in the last window.
    frame = (
        packets.select(
            window=window.clip(0, cube.windows - 1).cast(pl.UInt16),
            job=pl.col("job").cast(pl.UInt16),
            bin=(pl.col("latency_ns").clip(1).log10() * BINS).floor().cast(pl.UInt16),
        )
        .group_by("window", "job", "bin")
        .agg(packets=pl.len().cast(pl.UInt32))
        .sort("window", "job", "bin")
        .collect()
    )
    record = run.plan["record"]
    sample = int(record["packet_sample"]) if record.get("packets") == "sampled" else 1
    return frame, {"bins": BINS, "sample": sample}
