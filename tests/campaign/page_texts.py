"""What the sentences of a report may say: each number in them, by where it stands.

A number of a sentence must show one of the values that queries give for such a sentence: times,
shares, rates and counts apart. Constants of the house's own text are listed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from campaign.recomputed import Runs, busy_windows
from campaign.shown import Page, Shown, numbers

__all__ = ["check_texts"]

#: Text with numbers that are no results: citations, names of percentiles, thresholds.
_CONSTANTS = re.compile(
    r"SC ?\d\d\d?\d?|Figs?\. \d+( and \d+)?|IPDPS ?\d*|\bp\d\d(\.\d+)?\b|\d\dth|\b99 ?%|\b95 ?%"
    r"|within [12] ?%|\bless than 1 ?%|0\.1 ?%|half|\bfirst\b"
)
_KINDS_OF_PLAN = {
    "dd": "the plan", "title": "the name", "h1": "the name", "dt": "the names", "h3": "titles",
}  # fmt: skip

#: Texts without numbers of the plan, apart from windows.
_RESULTS = ("p finding", "p where")


def check_texts(runs: Runs, page: Page) -> Iterator[tuple[str, str]]:
    """Yields the outcome of each number of the texts: `right`, `input` or `wrong`, and where."""
    names = sorted({*runs.names, str(runs.main.plan["name"])}, key=len, reverse=True)
    results, inputs = _results(runs), _inputs(runs)
    provenance = [str(each) for each in runs.main.document["provenance"].values()]
    provenance.append(str(runs.main.document["pantala"]))
    for tag, text in [*page.texts, *(("caption", table.caption) for table in page.tables)]:
        if text in provenance:
            continue
        plain = re.sub(
            r"between ([\d.,]+) and ([\d.,]+.)(\ws)", r"\1 \3 and \2\3", _without(text, names)
        )
        plain, error = re.subn(r"estimated error of run times.*", "", plain)
        if error:
            yield "free", "estimated error of run times"  # its method is in skipping.md
        plan = tag.split()[0] in _KINDS_OF_PLAN or "summary" in tag
        for number in numbers(_CONSTANTS.sub(" ", plain)):
            where = f"{tag}: {number.text.strip()!r} in {text[:90]!r}"
            if not plan and number.any_of(results[number.kind]):
                yield "right", where
            elif tag not in _RESULTS and _of_plan(number, inputs):
                yield "input", where
            else:
                yield "wrong", f"a number that no query explains: {where}"


def _without(text: str, names: list[str]) -> str:
    """Returns a text without the names of jobs."""
    for name in names:
        text = re.sub(rf"(?<![\w.]){re.escape(name)}(?![\w%])", "JOB", text)
    return text


def _results(runs: Runs) -> dict[str, list[float]]:
    """Returns the values that sentences may show, by kind."""
    times: list[float] = [runs.span[1] - runs.span[0]]
    shares: list[float] = [0.0, 1.0]
    plain: list[float] = [float(len(runs.names)), float(len(runs.alone) + 1)]
    everyone = [
        (run, job) for run in (runs.main, *runs.alone.values()) for job in runs.jobs(run).values()
    ]
    for run, job in everyone:
        times += [float(run.document["simulated_ns"]), job.run_time, job.end, job.row["start_ns"]]
        for how in ("mean", "max"):
            times.append(job.communication(how) or 0.0)
        for share in (0.5, 0.99):
            times.append(job.percentile("packet", share) or 0.0)
        times.append(job.packets("avg(latency_ns)") or 0.0)
        shares += _busy(job)
        plain += [job.accepted, job.row["ranks"], job.plan.get("workload", {}).get("load", 0.0)]
    jobs = runs.jobs()
    for job in jobs.values():
        for other in jobs.values():
            common = min(job.end, other.end) - max(job.row["start_ns"], other.row["start_ns"])
            times.append(max(0.0, common))
            shares.append(max(0.0, common) / job.run_time if job.run_time else 0.0)
        if job.name in runs.alone:
            alone = runs.jobs(runs.alone[job.name])[job.name]
            for one, two in (
                (job.communication("mean"), alone.communication("mean")),
                (job.run_time, alone.run_time),
                (job.packets("avg(latency_ns)"), alone.packets("avg(latency_ns)")),
                (alone.accepted, job.accepted),
                (job.percentile("packet", 0.99), alone.percentile("packet", 0.99)),
            ):
                if one and two:
                    plain.append(one / two)
            common = min(alone.iterations, job.iterations)
            plain += [common, alone.iterations, job.iterations]
            for how in ("mean", "max", "run time") if common else ():
                one, two = job.over(common, how), alone.over(common, how)
                times += [one or 0.0, two or 0.0]
                plain += [one / two] if one and two else []
    shares += _blamed(runs)
    hottest = sorted((each for each in runs.loads if each["b"]), key=lambda e: (-e["u"], e["link"]))
    for link in [each for each in hottest if each["u"] > hottest[0]["u"] - 1e-9]:
        shares += [link["u"], min(1.0, link["peak"] or 0.0)]
        times += link["at_"] or []
        ends = ("source_group", "target_group", "source_router", "target_router", "node")
        plain += [link[end] for end in ends if link[end] is not None]
        shares += [
            share
            for (share,) in runs.main.rows(
                "select bytes / sum(bytes) over () from link_jobs where link = $1", link["link"]
            )
        ]
    full = [each for each in runs.loads if each["full_"]]
    between = [each for each in runs.loads if each["class"] not in ("injection", "ejection")]
    plain += [len(full), *(sum(e["class"] == c["class"] for e in full) for c in full)]
    sent = sum(each["bytes"] > 0 for each in between)
    plain += [sent, min(sent, 60)]
    # Of many pairs of jobs that did not overlap, some are named and the others counted.
    plain += range(len(runs.names) ** 2 if len(runs.names) > 4 else 0)
    record = runs.main.plan["record"]
    windows = {record.get("window_ps", 0), record["link_window_ps"], 10_000_000} - {0}
    simulated = float(runs.main.document["simulated_ns"])
    for window in (each / 1000 for each in windows):
        times += [at * window for at in range(int(simulated // window) + 2)]
        times.append(simulated % window)
    plain += _epochs(runs, times, shares)
    return {"time": times, "share": shares, "": plain, "size": [], "rate": []}


def _busy(job: Any) -> list[float]:
    """Returns how busy resources are while a job uses them: links along its bytes, and the host."""
    run = job.run
    window = run.plan["record"]["link_window_ps"] / 1000
    rows = run.rows(
        f"with {busy_windows(run)}, u as (select w.link, window_start_ns s, job, w.bytes b,"
        " busy.busy / least($2, $3 - window_start_ns) util, class from link_windows w join busy on"
        " busy.link = w.link and busy.s = w.window_start_ns join links l on l.link = w.link)"
        " select sum(b * least(util, 1)) / nullif(sum(b), 0) from u where job = $1 group by class",
        job.number,
        window,
        job.simulated,
    )
    host = run.rows(
        "select sum(compute_time_ns) / nullif(sum(coalesce(end_ns, $2) - start_ns), 0) from ranks"
        " where job = $1",
        job.number,
        job.simulated,
    )
    flit, stalled = (
        run.plan["derived"]["flit_time_ps"],
        run.rows(
            "select sum(w.stall_ns) / nullif(count(*) * $2, 0) from link_windows w join links using"
            " (link) where class = 'injection' and job = $1",
            job.number,
            window,
        ),
    )
    found = [value for (value,) in (*rows, *host, *stalled) if value is not None]
    # The crossbar is busy for its own flit time where a link is for its one.
    return found + [value * flit["crossbar"] / flit["terminal"] for value in found]


def _blamed(runs: Runs) -> list[float]:
    """Returns the shares of each job's waiting that another job causes.

    Where no class of links has more than half of such a share, the sentence gives the largest one.
    """
    queries = (
        "select sum(wait_ns) / nullif(sum(sum(wait_ns)) over (partition by victim), 0) from"
        " blame group by victim, aggressor",
        "select max(wait) / sum(wait) from (select victim, aggressor, class, sum(wait_ns) wait"
        " from blame group by all) group by victim, aggressor having max(wait) <= sum(wait) / 2"
        " and sum(wait) > 0",
    )
    return [
        share
        for run in (runs.main, *runs.alone.values())
        for query in queries
        for (share,) in run.rows(query)
        if share is not None
    ]


def _epochs(runs: Runs, times: list[float], shares: list[float]) -> list[float]:
    """Adds what sentences on skipped time show; returns counts."""
    for run in (runs.main, *runs.alone.values()):
        spans = run.rows("select distinct start_ns, end_ns, skipped from epochs")
        whole = sum(end - start for start, end, _ in spans)
        lost = sum(end - start for start, end, skipped in spans if skipped)
        times += [lost, whole - lost]
        if whole:
            shares += [lost / whole, 1 - lost / whole]
        for error, mean, change in run.rows(
            "select iteration_error_ns, iteration_mean_ns, change from epochs"
        ):
            shares += [error / mean] if error is not None and mean else []
            shares += [abs(change)] if change is not None else []
    return [
        count
        for run in (runs.main, *runs.alone.values())
        for (count,) in run.rows("select iterations from epochs where iterations is not null")
    ]


def _inputs(runs: Runs) -> list[float]:
    """Returns all numbers of the plan, and sums of them that pages show."""
    found: list[float] = [0.0, 1.0]

    def take(value: Any) -> None:
        if isinstance(value, dict):
            for each in value.values():
                take(each)
        elif isinstance(value, list):
            found.append(len(value))
            for each in value:
                take(each)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            found.append(float(value))
        elif isinstance(value, str):
            found.extend(number.value for number in numbers(value))

    take(json.loads(json.dumps(runs.main.plan)))
    topology = runs.main.plan["topology"]
    found.append(topology["p"] * topology["a"] * topology["g"])
    found.append(len(runs.names))
    return found


def _of_plan(number: Shown, inputs: list[float]) -> bool:
    """Returns whether a number is a key of the plan: there, times are in ps, shares are shares."""
    scales = {"time": (1e-3, 1e-6), "rate": (1e-9,), "size": (1.0,), "share": (1.0,)}
    return any(
        number.any_of(value * scale for value in inputs)
        for scale in scales.get(number.kind, (1.0, 8e-9, 1e-12))
    )
