"""The latencies of a job's recorded packets, counted by value.

An idle network delivers few different latencies, a busy one many. So those of a large table are
rounded, to more digits than a figure shows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from pantala.run_tables.remembered import remembered
from pantala.run_tables.run_like import RunLike, table

__all__ = ["EXACT_ROWS", "PacketLatencies", "packet_latencies"]

#: A table of at most so many packets has its latencies to the last digit.
EXACT_ROWS = 1 << 22

#: Bits of a rounded latency: an error of at most 1 in 65,536.
_BITS = 15


@dataclass(frozen=True, eq=False)
class PacketLatencies:
    """The latencies of some packets, in order.

    Attributes:
        values: the different latencies in ns, from the smallest, not empty.
        ends: for each value, the number of packets with this latency or a smaller one.
    """

    values: np.ndarray
    ends: np.ndarray

    def __len__(self) -> int:
        return int(self.ends[-1])

    def at(self, places: np.ndarray) -> np.ndarray:
        """Returns the latencies in ns at places from 0 in the order of all packets."""
        found: np.ndarray = self.values[np.searchsorted(self.ends, places, side="right")]
        return found

    def quantile(self, share: float) -> float:
        """Returns a quantile in ns, linear between the two nearest packets."""
        place = share * (len(self) - 1)
        below = int(place)
        low, high = self.at(np.array([below, min(below + 1, len(self) - 1)]))
        return float(low + (high - low) * (place - below))


def packet_latencies(run: RunLike, job: int) -> PacketLatencies | None:
    """Returns the latencies of a job's recorded packets; None without a packet.

    Of a table with more than `EXACT_ROWS` packets, latencies are rounded to `_BITS` bits.

    Args:
        run: the run.
        job: the number of the job.
    """
    return _by_job(run).get(job)


@remembered
def _by_job(run: RunLike) -> dict[int, PacketLatencies]:
    """Returns the latencies of all jobs in one pass over the packets."""
    packets = table(run, "packets")
    if packets is None:
        return {}
    latency = pl.col("latency_ns")
    if packets.select(pl.len()).collect().item() > EXACT_ROWS:
        step = pl.lit(2.0).pow((latency.log(2).floor() - _BITS).clip(lower_bound=-10))
        latency = pl.when(latency > 0).then((latency / step).round() * step).otherwise(latency)
    counted = (
        packets.select("job", latency)
        .group_by("job", "latency_ns")
        .len()
        .collect(engine="streaming")
        .sort("job", "latency_ns")
    )
    return {
        int(job): PacketLatencies(own["latency_ns"].to_numpy(), own["len"].cum_sum().to_numpy())
        for (job,), own in counted.partition_by("job", as_dict=True).items()
    }
