"""The facts of a run that caveats are made of, from its plan and its results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from pantala.caveats.job_spans import JobSpan, job_spans
from pantala.core.job_end import ends_by_itself
from pantala.core.record_windows import long_windows, packets_from

if TYPE_CHECKING:
    import polars as pl

    from pantala.run_tables.run_like import RunLike

__all__ = ["Facts", "Overlap", "facts_of", "facts_of_run", "learns"]


@dataclass(frozen=True)
class Overlap:
    """The part of a job's run in which another job ran.

    Attributes:
        job: the job.
        other: the other job.
        shared_ns: the time in which both ran.
        run_ns: the job's run time.
        early: whether the other job ended by itself before the job: it can be made longer.
        lasting: whether the job repeats until the run ends. Then other jobs decide how long it
            runs.
    """

    job: str
    other: str
    shared_ns: float
    run_ns: float
    early: bool = False
    lasting: bool = False

    @property
    def share(self) -> float:
        """The shared time over the job's run time."""
        return self.shared_ns / self.run_ns if self.run_ns > 0 else 1.0


@dataclass(frozen=True)
class Facts:
    """What a reader must know of one run before using its numbers.

    Attributes:
        jobs: the names of the jobs.
        seed: the seed of the plan; None if it is not known.
        coarsen: the number of packets that a simulated packet stands for.
        coarsened: the core's statement about a coarse run; empty in full detail.
        complete: whether every job that the run waits for has ended.
        reason: why the run ended: finished, duration, interrupted, stalled or failed.
        simulated_ns: the simulated time.
        learning: the jobs whose routing started with estimates that it had not learned.
        unfinished: the jobs that end by themselves, and started, and did not end.
        silent: the jobs that sent nothing.
        captured: the jobs that replay a capture which lacks a part of its program, each with what
            it lacks.
        overlaps: for each job and other job, how long they ran together, if not all of the job's
            run.
        windows: the keys of record whose window is longer than the run, with the length in ns.
        packets_from_ns: the begin of the record of packets, if the run ended before it, else 0.
        result_hash: the hash of the results; empty if it is not known.
        skipped: the core's statement about a run that may skip time; empty if all is simulated.
        repeating: the jobs that repeat, each with its application and ranks; None if not known.
    """

    jobs: tuple[str, ...] = ()
    seed: int | None = None
    coarsen: int = 1
    coarsened: str = ""
    complete: bool = True
    reason: str = "finished"
    simulated_ns: float = 0.0
    learning: tuple[str, ...] = ()
    unfinished: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()
    captured: tuple[tuple[str, str], ...] = ()
    overlaps: tuple[Overlap, ...] = ()
    windows: tuple[tuple[str, float], ...] = ()
    packets_from_ns: float = 0.0
    result_hash: str = ""
    skipped: str = ""
    repeating: tuple[tuple[str, str], ...] | None = None

    def about(self, targets: Sequence[str] | None) -> Self:
        """Returns the facts without the overlaps of other jobs than the targets, if there are any.

        Args:
            targets: the jobs that are compared with their runs alone; None if all are.
        """
        if targets is None:
            return self
        return replace(self, overlaps=tuple(each for each in self.overlaps if each.job in targets))

    def to_dict(self) -> dict[str, Any]:
        """Returns the facts as JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Self:
        """Returns the facts that `to_dict` wrote; unknown keys are skipped."""
        known = {name: written[name] for name in cls.__dataclass_fields__ if name in written}
        for name in ("jobs", "learning", "unfinished", "silent"):
            known[name] = tuple(known.get(name, ()))
        known["captured"] = tuple((job, note) for job, note in known.get("captured", ()))
        known["windows"] = tuple((key, length) for key, length in known.get("windows", ()))
        if known.get("repeating") is not None:
            known["repeating"] = tuple((job, program) for job, program in known["repeating"])
        known["overlaps"] = tuple(Overlap(**each) for each in known.get("overlaps", ()))
        return cls(**known)


def facts_of(document: Mapping[str, Any], jobs: pl.DataFrame | None = None) -> Facts:
    """Returns the facts of a run.

    Args:
        document: run.json.
        jobs: the table jobs; None if it was not kept. Its facts are then missing.
    """
    plan = document["plan"]
    rows = {} if jobs is None else {row["name"]: row for row in jobs.iter_rows(named=True)}
    planned = plan.get("jobs") or ()
    simulated = float(document.get("simulated_ns", 0.0))
    spans = job_spans(planned, rows, simulated, str(document.get("reason")))
    return Facts(
        jobs=tuple(job["name"] for job in planned),
        seed=plan.get("seed"),
        coarsen=int((plan.get("detail") or {}).get("coarsen", 1)),
        coarsened=document.get("coarsened") or "",
        skipped=(document.get("skipped") or {}).get("text", ""),
        complete=bool(document["complete"]),
        reason=str(document.get("reason") or ""),
        simulated_ns=simulated,
        learning=tuple(job["name"] for job in planned if learns(plan, job)),
        unfinished=tuple(
            job["name"]
            for job in planned
            if ends_by_itself(job)
            and not rows.get(job["name"], {}).get("complete", True)
            and rows[job["name"]]["start_ns"] <= simulated
        ),
        silent=tuple(name for name, row in rows.items() if _is_silent(row)),
        captured=tuple(
            (job["name"], note)
            for job in planned
            for note in (job.get("workload") or {}).get("notes", ())
        ),
        overlaps=tuple(_overlaps(planned, spans)),
        windows=tuple(long_windows(plan.get("record") or {}, simulated)),
        packets_from_ns=packets_from(plan.get("record") or {}, simulated),
        result_hash=str(document.get("result_hash") or ""),
        repeating=tuple(
            (job["name"], f"{job.get('application', '')} {job.get('ranks', '')}")
            for job in planned
            if job.get("repeat")
        ),
    )


def facts_of_run(run: RunLike) -> Facts:
    """Returns the facts of a run with its tables.

    Raises:
        RunDirectoryError: the table jobs is damaged.
    """
    return facts_of(run.document, run.jobs.collect())


def learns(plan: Mapping[str, Any], job: Mapping[str, Any]) -> bool:
    """Returns whether a routing of the job starts with estimates that it has not learned."""
    routings = (
        job.get("routing") or plan.get("routing"),
        job.get("routing_all_to_all") or plan.get("routing_all_to_all"),
    )
    return any(
        routing is not None
        and routing.get("algorithm") == "q_adaptive"
        and not (routing.get("q_adaptive") or {}).get("table")
        for routing in routings
    )


def _is_silent(row: Mapping[str, Any]) -> bool:
    """Returns whether a job sent no message and no packet."""
    return not row["packets"] and not row["injected_bytes"] and not row["mpi_bytes"]


def _overlaps(
    planned: Sequence[Mapping[str, Any]], spans: Mapping[str, JobSpan]
) -> Iterator[Overlap]:
    """Yields the pairs of a job and another job that ran for a part of the job's run only."""
    jobs = {job["name"]: job for job in planned}
    for name, span in spans.items():
        lasting = bool(jobs[name].get("repeat")) and not jobs[name].get("end_ps")
        start, end, counted = span.start_ns, span.end_ns, span.counted_ns
        for other, beside in spans.items():
            begin = max(start, beside.start_ns)
            if other != name and max(0.0, min(counted, beside.end_ns) - begin) < counted - start:
                shared = max(0.0, min(end, beside.end_ns) - begin)
                early = beside.ended and beside.end_ns < counted
                yield Overlap(name, other, shared, end - start, early, lasting)
