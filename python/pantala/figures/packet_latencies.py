"""The latencies of a job's recorded packets, counted by value.

A network delivers few different latencies, so a run with 10^8 packets has some thousand values.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from pantala.run_tables.run_like import RunLike, table

__all__ = ["PacketLatencies", "packet_latencies"]


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

    Args:
        run: the run.
        job: the number of the job.
    """
    packets = table(run, "packets")
    if packets is None:
        return None
    own = packets.filter(pl.col("job") == job).group_by("latency_ns").len()
    counted = own.collect(engine="streaming").sort("latency_ns")
    if counted.is_empty():
        return None
    return PacketLatencies(counted["latency_ns"].to_numpy(), counted["len"].cum_sum().to_numpy())
