"""What the console's tables should show: `pantala metrics --run` and the summary of a run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from campaign.recomputed import Job, Runs
from campaign.shown import numbers
from campaign.tables_of import Tables

__all__ = ["check_metrics", "check_summary"]

_ROW = re.compile(r"^ (\S+) +(.*?) +(\S+) *$")
#: Percentiles of many packets come from a histogram of three digits.
_HISTOGRAM = 0.0021
#: Metrics whose methods are longer than a query, which the laws of other tests hold.
_FREE = ("binding_resource", "request_response_latency")


def check_metrics(run: Tables, jobs: dict[str, Job], text: str) -> Iterator[tuple[str, str]]:
    """Yields the outcome of each value that `pantala metrics --run DIR` prints."""
    lines = [match.groups() for line in text.splitlines() if (match := _ROW.match(line))]
    for name, job, shown in lines:
        if name.startswith(_FREE) or name == "metric":
            yield "free", name
            continue
        of = jobs.get(job.strip())
        query = _OF_RUN.get(re.sub("^(local|row|column|global)_", "CLASS_", name))
        if of is not None:
            value = _job_metric(of, name)
        elif query is not None:
            kind = name.split("_", maxsplit=1)[0]
            inside = "'local', 'row', 'column'" if kind == "local" else f"'{kind}'"
            rows = run.rows(query.replace("CLASS", inside))
            value = rows[0][0]
        else:
            yield "wrong", f"a metric that no query explains: {name} {job}"
            continue
        if name == "packet_hops" or (name == "packets_delivered" and _skipped(run)):
            yield "free", name  # of the simulated time only, and when a hop ends
            continue
        found = numbers(shown)
        good = shown == "-" if value is None else bool(found) and found[0].shows(value, _HISTOGRAM)
        text_ = f"metric {name} of {job or 'the run'}: shows {shown!r}, computed {value!r}"
        yield ("right" if good else "wrong"), text_


def _skipped(run: Tables) -> bool:
    return bool(run.one("select count(*) from epochs where skipped"))


def _job_metric(job: Job, name: str) -> float | None:
    """Returns a metric of a job by its definition in docs/reference/metrics.md."""
    ended = job.row["end_ns"] is not None
    time = job.run_time if ended else None
    direct: dict[str, Callable[[], float | None]] = {
        "ranks": lambda: job.row["ranks"],
        "start_ns": lambda: job.row["start_ns"],
        "end_ns": lambda: job.row["end_ns"],
        "communication_time_mean_ns": lambda: job.communication("mean"),
        "communication_time_std_ns": lambda: job.communication("std"),
        "communication_time_max_ns": lambda: job.communication("max"),
        "mpi_bytes": lambda: job.mpi_bytes,
        "injected_bytes": lambda: job.injected,
        "packet_latency_mean_ns": lambda: job.packets("avg(latency_ns)"),
        "network_latency_mean_ns": lambda: job.packets("avg(delivered_ns - injected_ns)"),
        "message_latency_mean_ns": lambda: job.message_mean,
        "link_hops_mean": lambda: job.packets("avg(link_hops)"),
        "nonminimal_share": lambda: job.packets("avg(nonminimal::int)"),
        "execution_time_ns": lambda: time,
        "message_injection_rate_gb_per_s": lambda: _over(job.mpi_bytes, time),
        "link_injection_rate_gb_per_s": lambda: _over(job.injected, time),
    }
    if name in direct:
        return direct[name]()
    if match := re.match(r"(packet|network|message)_latency_p(\d\d)_ns$", name):
        return job.percentile(match[1], int(match[2]) / 100)
    if name == "packets" and job.exact:
        count = job.run.one("select count(*) from packets where job = $1", job.number)
        return float(count)
    if name == "delivered_bytes" and job.exact:
        found = job.run.one("select sum(bytes) from packets where job = $1", job.number)
        return float(found or 0)
    value = job.row[name]
    return None if value is None else float(value)


def _over(volume: float | None, time: float | None) -> float | None:
    return None if volume is None or not time else volume / time


_BETWEEN = "class not in ('injection', 'ejection')"
_OF_RUN = {
    "simulated_ns": "select max(x) from (select max(end_ns) x from jobs union all select max("
    "busy_ns / nullif(utilization, 0)) from links)",
    "packets_delivered": "select sum(packets + responses) from jobs",
    "packet_hops": "select sum(packets) from links where class <> 'injection'",
    "CLASS_utilization_mean": "select avg(utilization) from links where class in (CLASS)",
    "CLASS_utilization_max": "select max(utilization) from links where class in (CLASS)",
    "CLASS_stall_mean_ns": "select avg(stall_ns) from links where class in (CLASS)",
    "CLASS_load_bytes": "select sum(bytes) from links where class in (CLASS)",
    "CLASS_load_mean_bytes": "select avg(bytes) from links where class in (CLASS)",
    "CLASS_load_share": "select sum(bytes) filter (class = 'global') / nullif(sum(bytes), 0) from"
    f" links where {_BETWEEN}",
}


def check_summary(runs: Runs, text: str) -> Iterator[tuple[str, str]]:
    """Yields the outcome of each cell of the table of jobs that `pantala run` prints."""
    jobs, headings = runs.jobs(), list[str]()
    for line in text.splitlines():
        cells = [each.strip() for each in re.split(r" {2,}", line.strip())]
        if cells[0] == "job":
            headings = cells
        job = jobs.get(cells[0])
        if job is None or len(cells) != len(headings) or runs.alone:
            continue
        volume, injected = job.mpi_bytes, job.injected
        expected = {
            "end": job.row["end_ns"],
            "communication": job.communication("mean"),
            "maximum": job.communication("max"),
            "latency": job.packets("avg(latency_ns)"),
            "p99": job.percentile("packet", 0.99),
            "MPI GB": None if volume is None else volume / 1e9,
            "link GB": None if injected is None else injected / 1e9,
        }
        for heading, shown in zip(headings[1:], cells[1:], strict=True):
            if heading not in expected:
                yield "wrong", f"summary: a column that no query explains: {heading}"
                continue
            value = expected[heading]
            if value is None:
                good = not any(character.isdigit() for character in shown)
            else:
                found = numbers(shown)
                good = bool(found) and found[0].shows(float(value), _HISTOGRAM)
            text_ = f"summary of {job.name}, {heading}: shows {shown!r}, computed {value!r}"
            yield ("right" if good else "wrong"), text_
