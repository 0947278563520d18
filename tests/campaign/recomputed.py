"""Values of a run from its tables, by queries: the definitions are those of docs/reference.

Where a table of single packets, messages, ranks or links has the value, it comes from there and not
from a table of sums.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

from campaign.tables_of import Tables

__all__ = ["Job", "Runs", "busy_windows"]

Value = float | None


class Job:
    """The values of one job of one run."""

    def __init__(self, run: Tables, row: dict[str, Any]) -> None:
        self.run, self.row = run, row
        self.name: str = row["name"]
        self.number: int = row["job"]
        record = run.plan["record"]
        skipped = run.one("select count(*) from epochs where skipped")
        self.exact = (
            record["packets"] == "all"
            and not skipped
            and not any(
                record.get(key) for key in ("packet_jobs", "packet_routers", "packet_from_ps")
            )
            and not record.get("packet_until_ps")
        )
        self.skipped = bool(skipped)

    @property
    def simulated(self) -> float:
        """The simulated time."""
        return float(self.run.document["simulated_ns"])

    @property
    def end(self) -> float:
        """The end of the job: of its last rank, by its `end`, or by the end of the run."""
        return _stop(self) if self.row["end_ns"] is None else float(self.row["end_ns"])

    @property
    def run_time(self) -> float:
        """From the job's start to its end, or to the end of the run."""
        return self.end - float(self.row["start_ns"])

    @cached_property
    def is_pattern(self) -> bool:
        """Whether it is synthetic traffic."""
        return self.row["mpi_bytes"] is None

    def communication(self, how: str) -> Value:
        """Mean, standard deviation or maximum of the ranks' communication times."""
        function = {"mean": "avg", "std": "stddev_pop", "max": "max"}[how]
        if self.is_pattern:
            return None
        return self._value(f"select {function}(communication_time_ns) from ranks where job = $1")

    @property
    def mpi_bytes(self) -> Value:
        """Payload that the ranks sent."""
        if self.is_pattern:
            return None
        return self._value("select sum(bytes_sent) from ranks where job = $1")

    @property
    def injected(self) -> Value:
        """Bytes on injection links."""
        if self.run.plan["nic"]["responses"]:
            return float(self.row["injected_bytes"])
        return self._value(
            "select coalesce(sum(b.bytes), 0) from link_jobs b join links using (link)"
            " where class = 'injection' and job = $1"
        )

    def packets(self, what: str) -> Value:
        """A value over the delivered packets of the job."""
        names = {
            "avg(link_hops)": "link_hops_mean",
            "avg(nonminimal::int)": "nonminimal_share",
            "avg(latency_ns)": "packet_latency_mean_ns",
            "avg(delivered_ns - injected_ns)": "network_latency_mean_ns",
        }
        if not self.exact:
            value = self.row[names[what]]
            return None if value is None else float(value)
        return self._value(f"select {what} from packets where job = $1")

    def percentile(self, of: str, share: float) -> Value:
        """The least latency that at least `share` of packets or messages do not exceed."""
        column = "latency_ns" if of != "network" else "delivered_ns - injected_ns"
        table = "messages" if of == "message" else "packets"
        whole = self.exact if of != "message" else not self.skipped
        if not whole or (of == "message" and not self.run.plan["record"]["messages"]):
            value = self.row[f"{of}_latency_p{round(100 * share)}_ns"]
            return None if value is None else float(value)
        return self._value(f"select quantile_disc({column}, {share}) from {table} where job = $1")

    @property
    def message_mean(self) -> Value:
        """Mean message latency."""
        if self.skipped or not self.run.plan["record"]["messages"]:
            value = self.row["message_latency_mean_ns"]
            return None if value is None else float(value)
        return self._value("select avg(latency_ns) from messages where job = $1")

    @property
    def accepted(self) -> float:
        """Delivered bytes over what the injection links of its nodes can carry."""
        rate = self.run.plan["links"]["terminal"]["bandwidth_bytes_per_s"] / 1e9
        per_node = self.plan.get("ranks_per_node", 1)
        nodes = -(-self.row["ranks"] // per_node)
        time = self.run_time
        return float(self.row["delivered_bytes"]) / (nodes * rate * time) if time else 0.0

    @property
    def plan(self) -> dict[str, Any]:
        """The job's table of the plan."""
        found: dict[str, Any] = self.run.plan["jobs"][self.number]
        return found

    @cached_property
    def iterations(self) -> int:
        """How many iterations all of its ranks finished."""
        return int(
            self.run.one(
                "select count(*) from (select iteration from iterations where job = $1 group by"
                " iteration, phase, motif having count(distinct rank) = $2)",
                self.number,
                self.row["ranks"],
            )
        )

    def over(self, iterations: int, how: str) -> Value:
        """Communication time of the ranks over their first iterations, or the run time of these."""
        if how == "run time":
            return self._value(
                "select max(end_ns) - (select start_ns from jobs where job = $1) from iterations"
                f" where job = $1 and iteration < {iterations}"
            )
        function = {"mean": "avg", "std": "stddev_pop", "max": "max"}[how]
        return self._value(
            f"select {function}(t) from (select sum(communication_time_ns) t from iterations where"
            f" job = $1 and iteration < {iterations} group by rank)"
        )

    def calls(self) -> list[dict[str, Any]]:
        """Calls by time: means over ranks, share of the ranks' run time, extremes."""
        return self.run.records(
            "with all_ as (select sum(time_ns) t from calls where job = $1), spent as (select"
            " sum(end_ns - start_ns) t, count(*) n, bool_and(end_ns is not null) done from ranks"
            " where job = $1), each as (select call, min(time_ns) least, max(time_ns) most,"
            " count(*) n from rank_calls where job = $1 group by call)"
            " select c.call, c.time_ns / s.n as time_mean, case when s.done then c.time_ns / s.t"
            " end as share, c.calls, c.bytes / c.calls as size,"
            " case when e.n < s.n then 0 else e.least"
            " end as least, e.most, (select list(rank) from rank_calls r where r.job = $1 and"
            " r.call = c.call and r.time_ns = e.most) as ranks, c.time_ns / nullif(a.t, 0) as part"
            " from calls c cross join all_ a cross join spent s left join each e using (call)"
            " where c.job = $1 order by c.time_ns desc",
            self.number,
        )

    def counters(self) -> dict[str, dict[str, Any]]:
        """Counters of links of the routers that serve the job, means over links, by class."""
        flit = self.run.plan["derived"]["flit_time_ps"]
        times = " ".join(f"when '{name}' then {time / 1000!r}" for name, time in flit.items())
        rows = self.run.records(
            "with own as (select distinct router from ranks where job = $1 union select distinct"
            " l.target_router from packets p join links l on l.node = p.source_node and"
            " l.class = 'injection' where p.job = $1 union select distinct l.source_router from"
            " packets p join links l on l.node = p.destination_node and l.class = 'ejection'"
            " where p.job = $1)"
            " select class, count(*) n, avg(busy_ns / t) flits, avg(stall_ns / t) stalled,"
            f" sum(stall_ns / t) / nullif(sum(busy_ns / t), 0) ratio from (select *, case class"
            f" {times} else {flit['terminal'] / 1000!r} end t from links) where"
            " coalesce(source_router, target_router) in (select router from own) group by class",
            self.number,
        )
        return {row["class"]: row for row in rows}

    def _value(self, query: str) -> Value:
        value = self.run.one(query, self.number)
        return None if value is None else float(value)


class Runs:
    """What a report is about: one run, or the parts of an interference experiment."""

    def __init__(self, directory: Path) -> None:
        self.alone: dict[str, Tables] = {}
        if (directory / "run.json").exists():
            self.main = Tables(directory)
        else:
            self.main = Tables(directory / "together")
            for name in self.names:
                self.alone[name] = Tables(directory / f"alone-{name}")

    @property
    def names(self) -> list[str]:
        """The names of the jobs in order."""
        return [each["name"] for each in self.main.plan["jobs"]]

    def jobs(self, run: Tables | None = None) -> dict[str, Job]:
        """The jobs of a run by name."""
        tables = run or self.main
        rows = tables.records("select * from jobs order by job")
        return {row["name"]: Job(tables, row) for row in rows}

    def cases(self) -> dict[str, Job]:
        """The job of each row of a report's tables by the row's header."""
        found: dict[str, Job] = {}
        for name, job in self.jobs().items():
            if name in self.alone:
                found[f"{name} alone"] = self.jobs(self.alone[name])[name]
                found[f"{name} together"] = job
            else:
                found[f"{name} together" if self.alone else name] = job
        return found

    @cached_property
    def span(self) -> tuple[float, float, bool]:
        """The whole windows in which all jobs ran; the whole run, and False, if there are none."""
        window = self.main.plan["record"]["link_window_ps"] / 1000
        simulated = float(self.main.document["simulated_ns"])
        jobs = self.jobs().values()
        ends = [job.end if job.row["end_ns"] is not None else _stop(job) for job in jobs]
        start, end = max(job.row["start_ns"] for job in jobs), min(ends)
        first = -(-(start - 1e-6) // window) * window
        last = simulated if end >= simulated - 1e-6 else (end + 1e-6) // window * window
        return (first, last, True) if last > first else (0.0, simulated, False)

    @cached_property
    def loads(self) -> list[dict[str, Any]]:
        """Each link: utilization over `span`, its peak, saturated windows and stall."""
        start, end, _ = self.span
        window = self.main.plan["record"]["link_window_ps"] / 1000
        simulated = float(self.main.document["simulated_ns"])
        skipped = self.main.rows("select distinct start_ns, end_ns from epochs where skipped")
        lost = sum(max(0.0, min(end, till) - max(start, since)) for since, till in skipped)
        return self.main.records(
            f"with {busy_windows(self.main)},"
            " w as (from busy where s >= $1 - 1e-6 and s < $2 - 1e-6),"
            # A window that the end cuts counts with its own length, from a tenth of a window on.
            " u as (select w.*, case when least($3, $2 - w.s) >= 0.1 * $3 - 1e-6 and"
            " $2 - $1 >= $3 - 1e-6 then w.busy / least($3, $2 - w.s) end util from w),"
            " p as (select link, sum(b) b, sum(busy) busy, max(util) peak,"
            " count(*) filter (util > 0.95)"
            " full_, list(s) filter (util >= 0) at_, list(util) filter (util >= 0) utils from u"
            " group by link)"
            " select l.*, coalesce(p.b, 0) b, least(1, coalesce(p.busy, 0) / $5) u, p.peak,"
            " coalesce(p.full_, 0) full_, at_, utils,"
            " l.stall_ns / $4 stalled from links l left join p using (link)",
            start,
            end,
            window,
            simulated,
            end - start - lost or 1.0,
        )


def busy_windows(run: Tables) -> str:
    """Returns the query `busy` of a run: `link`, start `s`, bytes `b` and time `busy` of windows.

    Where port_windows has windows that fill those of link_windows, their busy time counts.
    """
    record = run.plan["record"]
    window = record["link_window_ps"]
    lengths = (record.get("ports") or {}).get("windows_ps") or []
    length = max((each for each in lengths if each and window % each == 0), default=0)
    start = f"(window_start_ns * 1000)::bigint // {window} * {window} / 1000"
    return (
        "sent as (select link, window_start_ns s, sum(bytes) b from link_windows group by all),"
        f" measured as (select link, {start} s, sum(busy_ns) t from port_windows"
        f" where abs(window_ns - {length / 1000}) < 1e-6 group by all),"
        " busy as (select link, s, coalesce(b, 0) b, case when link in"
        " (select link from measured) then coalesce(t, 0) else b * l.busy_ns / nullif(l.bytes, 0)"
        " end busy from (from sent full join (from measured where t > 0) using (link, s))"
        " join (select link, busy_ns, bytes from links) l using (link))"
    )


def _stop(job: Job) -> float:
    """Returns when a job without an end of its own stops."""
    end = job.plan.get("end_ps")
    return min(job.simulated, end / 1000) if end else job.simulated
