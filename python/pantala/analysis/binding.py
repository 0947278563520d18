"""The binding resource of each job of a run, from its tables and its plan, and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from pantala.analysis.link_pass import link_sums
from pantala.analysis.nic_traffic import through_nics
from pantala.metrics.binding import (
    Binding,
    binding_resource,
    host_share,
    nic_share,
    utilization_of,
)
from pantala.run_tables.run_like import RunLike, job_names, stop_ns, table

__all__ = ["binding_in_words", "bindings_of"]

#: The resources in words.
_WORDS: Mapping[str, str] = {
    "host": "the host",
    "nic": "the NIC's message rate",
    "injection": "NIC injection",
    "ejection": "NIC ejection",
    "crossbar": "the crossbar",
    "queues": "the routers' queues",
    "local": "the local links",
    "row": "the row links",
    "column": "the column links",
    "global": "the global links",
}


def bindings_of(run: RunLike) -> dict[str | None, Binding]:
    """Returns the binding resource of each job by its name, and of the whole run under None.

    Link windows show when a link is busy. Without them, utilization is the mean over the whole
    run, which hides saturation of short duration.
    """
    names, sums = job_names(run), link_sums(run)
    found, ranks = utilization_of(sums.by_job), through_nics(run)
    result: dict[str | None, Binding] = {
        name: _binding(
            run, ranks.filter(pl.col("job") == job), found.filter(pl.col("job") == job), (job,)
        )
        for job, name in names.items()
    }
    every = found if len(names) == 1 else utilization_of(sums.together)
    result[None] = _binding(run, ranks, every, tuple(names))
    return result


#: Jobs with one binding resource, or without one, that the sentence names one by one.
_MANY = 4


def binding_in_words(bindings: Mapping[str | None, Binding]) -> str:
    """Returns the binding resources of all jobs as a sentence.

    For example: "NIC injection binds halo3d (94 % busy); no resource binds fft3d (at most 34 %
    busy: the global links)." More than four jobs with one resource are counted and not named.

    Args:
        bindings: from `bindings_of`.
    """
    kinds: dict[tuple[str | None, str], dict[str, Binding]] = {}
    for name, binding in bindings.items():
        if name is not None and (binding.busiest or binding.resource):
            kinds.setdefault((binding.resource, binding.by), {})[name] = binding
    many = {key for key, jobs in kinds.items() if len(jobs) > _MANY}
    sentences = [
        _phrase(name, [binding])
        for name, binding in bindings.items()
        if name is not None and any(name in jobs for key, jobs in kinds.items() if key not in many)
    ]
    # A resource that binds stands before jobs that none binds.
    for key in sorted(many, key=lambda key: key[0] is None):
        sentences.append(_phrase(f"{len(kinds[key])} jobs", list(kinds[key].values())))
    text = "; ".join(sentences)
    return f"{text[0].upper()}{text[1:]}." if sentences else ""


def _phrase(jobs: str, bindings: Sequence[Binding]) -> str:
    """Returns what binds a job, or several jobs of one kind: one resource, by one rule."""
    first, resource = bindings[0], bindings[0].resource
    over = " over the whole run" if first.whole_run else ""
    if resource is None:
        most = max(bindings, key=lambda binding: binding.shares[str(binding.busiest)])
        busy, place = _percent([most.shares[str(most.busiest)]]), _WORDS[str(most.busiest)]
        return f"no resource binds {jobs} (at most {busy} busy{over}: {place})"
    place = _WORDS[resource]
    verb = "bind" if place.endswith(("links", "queues")) else "binds"
    if first.by == "held_back":
        share = _percent([binding.held_back for binding in bindings])
        others = "and no link of the job is saturated"
        if resource not in ("crossbar", "queues"):
            others = "and links of this class that carry its bytes are saturated"
        if len(bindings) > 1:
            others = others.replace("the job", "the jobs").replace("its", "their")
        return f"{place} {verb} {jobs} (NIC injection stalls for {share} of the time, {others})"
    if resource == "host":
        return f"{place} {verb} {jobs} ({_host(bindings)})"
    over = "" if resource == "nic" else over
    share = _percent([binding.shares[resource] for binding in bindings])
    return f"{place} {verb} {jobs} ({share} busy{over})"


def _host(bindings: Sequence[Binding]) -> str:
    """Returns in words what the host does for a share of the time of its ranks."""
    shares = [binding.shares["host"] for binding in bindings]
    messages = [
        0.0 if binding.computing is None else share - binding.computing
        for binding, share in zip(bindings, shares, strict=True)
    ]
    computing = [share - part for share, part in zip(shares, messages, strict=True)]
    work = [("compute", computing), ("work on messages", messages)]
    parts = [f"{what} for {_percent(part)}" for what, part in work if round(100 * max(part)) > 0]
    return f"ranks {' and '.join(parts)} of their time"


def _percent(shares: Sequence[float]) -> str:
    """Returns the least and the largest share in per cent, or one number if they are equal."""
    low, high = (f"{100 * share:.0f}" for share in (min(shares), max(shares)))
    return f"{high} %" if low == high else f"{low} to {high} %"


def _binding(
    run: RunLike, ranks: pl.DataFrame, found: pl.DataFrame, jobs: tuple[int, ...]
) -> Binding:
    plan: Mapping[str, Any] = run.document["plan"]
    simulated = max(stop_ns(run, job) for job in jobs)
    sums = found.group_by("class").agg(
        pl.col("utilization", "stall_share").max(), pl.col("saturated_ns").sum()
    )
    rows = {row["class"]: row for row in sums.iter_rows(named=True)}
    shares: dict[str, float] = {name: row["utilization"] for name, row in rows.items()}
    crossbar = _crossbar(plan["router"])
    if crossbar and shares:
        shares["crossbar"] = max(
            share * _bandwidth(plan, name) / crossbar for name, share in shares.items()
        )
    computing = None
    if any(plan["jobs"][job]["workload"]["kind"] != "pattern" for job in jobs):
        mpi = plan["mpi"]
        host = host_share(
            ranks,
            simulated,
            send_ns=mpi["send_overhead_ps"] / 1000,
            receive_ns=mpi["receive_overhead_ps"] / 1000,
        )
        nic = nic_share(
            ranks.drop("messages_sent", "bytes_sent").rename(
                {"nic_messages": "messages_sent", "nic_bytes": "bytes_sent"}
            ),
            simulated,
            gap_ns=mpi["gap_ps"] / 1000,
            byte_ns=mpi["gap_per_byte_fs"] / 1e6,
        )
        computing = host_share(ranks, simulated)
        shares |= {"host": host or 0.0, "nic": nic or 0.0}
    held_back = rows["injection"]["stall_share"] if "injection" in rows else 0.0
    binding = binding_resource(
        shares, held_back, {name: row["saturated_ns"] for name, row in rows.items()}
    )
    whole_run = table(run, "link_windows") is None
    return replace(binding, computing=computing, whole_run=whole_run)


def _crossbar(router: Mapping[str, Any]) -> float | None:
    """Returns the bandwidth of a crossbar's port in bytes per second.

    It is None if the router has no crossbar, or one as wide as necessary.
    """
    if router.get("input_queue") == "virtual_output" or router.get("crossbar_contention") == "vc":
        return None
    return router.get("crossbar_bandwidth_bytes_per_s")


def _bandwidth(plan: Mapping[str, Any], link_class: str) -> float:
    name = "terminal" if link_class in ("injection", "ejection") else link_class
    return float(plan["links"][name]["bandwidth_bytes_per_s"])
