"""Metrics of the binding resource: which part of the machine limits a job."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import polars as pl

from pantala.metrics.registry import metric
from pantala.run_tables.exact_sums import exact_sum
from pantala.run_tables.link_classes import NETWORK

__all__ = [
    "BUSY",
    "HELD_BACK",
    "HOST_BOUND",
    "RESOURCES",
    "SATURATED",
    "Binding",
    "binding_resource",
    "host_share",
    "nic_share",
    "traffic_utilization",
    "utilization_of",
    "utilization_sums",
]

#: A link is saturated in a window if its utilization there exceeds this value.
SATURATED = 0.95
#: The host binds a job that computes, or works on messages, for at least this share of its time.
HOST_BOUND = 0.5
#: A resource binds if it is busy for at least this share of the time in which a job uses it.
BUSY = 0.8
#: Two resources are equally busy if their shares differ by at most this value.
_EQUAL = 0.05
#: The network holds a job back if its injection links stall for at least this share of the time.
HELD_BACK = 0.2

#: Steps of a byte, in sums of bytes times utilization.
_BYTE_STEPS = 1024

#: The resources in the order in which a message meets them.
RESOURCES = ("host", "nic", "injection", *NETWORK, "ejection", "crossbar", "queues")

_OPERATIONAL = "Denning and Buzen, ACM Computing Surveys 10(3), 1978 (bottleneck of a system)"


@dataclass(frozen=True)
class Binding:
    """The resource that limits a job.

    Attributes:
        resource: one of `RESOURCES`; None if no resource binds.
        by: ``busy``: the resource is busy while the job uses it. ``held_back``: the resource is
            saturated in places, and the job's injection links stall for a lack of credits.
        shares: the share of time in which each resource is busy, by resource.
        held_back: the share of time in which the job's injection links stall.
        computing: the part of the host's share in which ranks compute; None if it is not known.
        whole_run: whether the shares of links are means over the whole run, because the run has no
            link windows. They hide saturation of short duration.
    """

    resource: str | None
    by: Literal["busy", "held_back", "nothing"]
    shares: Mapping[str, float]
    held_back: float
    computing: float | None = None
    whole_run: bool = False

    @property
    def busiest(self) -> str | None:
        """The busiest resource but the host, whether it binds or not."""
        others = {name: share for name, share in self.shares.items() if name != "host"}
        return max(others, key=lambda name: others[name]) if any(others.values()) else None


@metric(of="ranks", unit="", source="LogGP's overhead o: Alexandrov et al., SPAA 1995")
def host_share(
    ranks: pl.DataFrame, simulated_ns: float, *, send_ns: float = 0.0, receive_ns: float = 0.0
) -> float | None:
    """Host share: time of computing and of message overheads over the time of all ranks.

    Args:
        ranks: rows of `Run.ranks`, with `start_ns`, `end_ns`, `compute_time_ns`, `messages_sent`
            and `messages_received`.
        simulated_ns: the end of ranks that have not ended.
        send_ns: overhead of the host per message sent.
        receive_ns: overhead of the host per message received.

    Returns:
        The share from 0 to 1; None if no rank has started.
    """
    time = (pl.col("end_ns").fill_null(simulated_ns) - pl.col("start_ns")).sum()
    work = (
        pl.col("compute_time_ns").sum()
        + pl.col("messages_sent").sum() * send_ns
        + pl.col("messages_received").sum() * receive_ns
    )
    started = ranks.filter(pl.col("start_ns").is_not_null())
    row = started.select(time=time, work=work).row(0, named=True)
    return min(1.0, row["work"] / row["time"]) if row["time"] else None


@metric(of="ranks", unit="", source="LogGP's gaps g and G: Alexandrov et al., SPAA 1995")
def nic_share(
    ranks: pl.DataFrame, simulated_ns: float, *, gap_ns: float = 0.0, byte_ns: float = 0.0
) -> float | None:
    """NIC share: time in which NICs take messages from their hosts over the time of their ranks.

    A message of k bytes takes max(g, k G). Control messages are not counted, so the share is a
    lower bound.

    Args:
        ranks: rows of `Run.ranks`, with `node`, `start_ns`, `end_ns`, `messages_sent` and
            `bytes_sent`, which count messages to other nodes only: no NIC takes part in the others.
        simulated_ns: the end of ranks that have not ended.
        gap_ns: the gap per message g.
        byte_ns: the gap per byte G.

    Returns:
        The mean over nodes, from 0 to 1; None if no rank has started.
    """
    taken = pl.max_horizontal(pl.col("messages_sent") * gap_ns, pl.col("bytes_sent") * byte_ns)
    end = pl.col("end_ns").fill_null(simulated_ns).max()
    nodes = (
        ranks.filter(pl.col("start_ns").is_not_null())
        .group_by("node")
        .agg(taken=taken.sum(), time=end - pl.col("start_ns").min())
        .filter(pl.col("time") > 0)
    )
    share = nodes.select((pl.col("taken") / pl.col("time")).clip(0.0, 1.0).mean()).item()
    return None if share is None else float(share)


@metric(of="links", unit="", source=f"{_OPERATIONAL}: utilization, weighted by traffic")
def traffic_utilization(traffic: pl.LazyFrame | pl.DataFrame) -> pl.DataFrame:
    """Utilization along traffic: how busy links are in the places and windows of a job's bytes.

    The utilization of a link in a window counts as often as bytes of the job cross it then. Idle
    links, and times in which the job does not send, do not count.

    Args:
        traffic: one row per link, window and job: `job`, `class`, `bytes` and `stall_ns` of the
            job, `length_ns` of the window, `utilization` of the link in the window by all jobs.

    Returns:
        By `job` and `class`: `utilization`; `saturated_share`, the share of the job's bytes that
        cross a saturated link; `saturated_ns`, the time of saturation, summed over links;
        `stall_share`, the stall of the job over the length of its windows.
    """
    return utilization_of(utilization_sums(traffic.lazy()).collect())


def utilization_sums(traffic: pl.LazyFrame) -> pl.LazyFrame:
    """Returns the sums of `traffic_utilization` by job and class; those of parts add up."""
    sent, load = pl.col("bytes").cast(pl.Float64), pl.col("utilization").clip(0.0, 1.0)
    full = pl.col("utilization") > SATURATED
    return traffic.group_by("job", "class").agg(
        sent=sent.sum(),
        sent_load=exact_sum(sent * load, _BYTE_STEPS),
        sent_full=sent.filter(full).sum(),
        length_ns=exact_sum("length_ns"),
        saturated_ns=exact_sum(pl.col("length_ns").filter(full)),
        stall_ns=exact_sum("stall_ns"),
    )


def utilization_of(sums: pl.DataFrame) -> pl.DataFrame:
    """Returns the columns of `traffic_utilization` from its sums."""
    sends = pl.when(pl.col("sent") > 0)
    return sums.select(
        "job",
        "class",
        utilization=sends.then(pl.col("sent_load") / pl.col("sent")).otherwise(0.0),
        saturated_share=sends.then(pl.col("sent_full") / pl.col("sent")).otherwise(0.0),
        saturated_ns="saturated_ns",
        stall_share=(pl.col("stall_ns") / pl.col("length_ns")).clip(0.0, 1.0),
    ).sort("job", "class")


@metric(of="jobs", unit="", source=f"{_OPERATIONAL}; the thresholds are this project's")
def binding_resource(
    shares: Mapping[str, float],
    held_back: float = 0.0,
    saturated_ns: Mapping[str, float] | None = None,
) -> Binding:
    """Binding resource: the resource that limits a job: host, NIC, link class, crossbar or queues.

    1. The host binds if its share is at least `HOST_BOUND` (0.5).
    2. Else the busiest resource binds if its share is at least `BUSY` (0.8). If others are as busy
       (within 0.05), the one that a message meets first binds: it feeds the others.
    3. Else, if injection links stall for at least `HELD_BACK` (0.2) of the time, packets wait
       behind others that go to saturated links. The link class with the longest time of
       saturation binds. Without saturated links, the crossbar binds, with its queues; if `shares`
       has no crossbar, because the router has none or it is as wide as necessary, the queues.
    4. Else nothing binds: the job waits for latency, for its own dependencies or for its traffic
       source.

    Args:
        shares: the share of time in which a resource is busy, by name (`RESOURCES`). A link class
            has its `traffic_utilization`.
        held_back: the share of time in which injection links stall.
        saturated_ns: the time of saturation by link class.
    """
    others = {name: shares[name] for name in RESOURCES if name != "host" and name in shares}
    most = max(others.values(), default=0.0)
    if shares.get("host", 0.0) >= HOST_BOUND:
        return Binding("host", "busy", shares, held_back)
    if most >= BUSY:
        first = next(name for name, share in others.items() if share >= most - _EQUAL)
        return Binding(first, "busy", shares, held_back)
    if held_back >= HELD_BACK:
        full = {name: time for name, time in (saturated_ns or {}).items() if time > 0}
        inside = "crossbar" if "crossbar" in shares else "queues"
        origin = max(full, key=lambda name: full[name]) if full else inside
        return Binding(origin, "held_back", shares, held_back)
    return Binding(None, "nothing", shares, held_back)
