"""Distribution of packet latency per job."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from matplotlib.figure import Figure

from pantala.errors import UsageError
from pantala.figures.packet_latencies import packet_latencies
from pantala.figures.quantile_boxes import QuantileBox, quantile_boxes
from pantala.figures.runs import Case, Given, cases
from pantala.run_tables.run_like import RunLike, job_row

__all__ = ["packet_latency"]


def packet_latency(
    given: Given,
    alone: Mapping[str, RunLike] | None = None,
    jobs: Collection[str] = (),
) -> Figure:
    """Draws packet latency per job: quartiles, median, mean, p95 and p99.

    The figure follows Kang et al. (SC22), Fig. 6. Median, mean and percentiles come from the jobs
    table and cover every packet. The quartiles come from the packets table; without recorded
    packets the boxes are left out.

    Args:
        given: one run, or several runs and experiments by title.
        alone: the run of each job alone, by name; only for one run.
        jobs: only these jobs; all by default.

    Raises:
        UsageError: no job delivered a packet, or there is no such job.
    """
    found = [(case, _numbers(case)) for case in cases(given, alone, jobs)]
    rows = [(case, numbers) for case, numbers in found if numbers]
    if not rows:
        raise UsageError("figure packet-latency: no packet was delivered; name another run")
    boxes = [
        QuantileBox(case.label, case.name, case.colour, case.alone, numbers)
        for case, numbers in rows
    ]
    return quantile_boxes(boxes, "packet latency")


def _numbers(case: Case) -> dict[str, float]:
    """Returns the latencies of one job in ns; empty if it delivered no packet."""
    row = job_row(case.run, case.job)
    numbers = {key: row[f"packet_latency_{key}_ns"] for key in ("mean", "p50", "p95", "p99")}
    if any(value is None for value in numbers.values()):
        return {}
    if (latencies := packet_latencies(case.run, case.job)) is not None:
        numbers |= {"q1": latencies.quantile(0.25), "q3": latencies.quantile(0.75)}
    return numbers
