"""The binding resource of each job of a run, from its tables and its plan, and in words."""

from __future__ import annotations

from collections.abc import Mapping
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
from pantala.run_tables.run_like import RunLike, job_names, stop_ns

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


#: Jobs without a binding resource that the sentence names one by one.
_MANY = 4


def binding_in_words(bindings: Mapping[str | None, Binding]) -> str:
    """Returns the binding resources of all jobs as a sentence.

    For example: "NIC injection binds halo3d (94 % busy); no resource binds fft3d (at most 34 %
    busy: the global links)."

    Args:
        bindings: from `bindings_of`.
    """
    shown = {
        name: binding
        for name, binding in bindings.items()
        if name is not None and (binding.busiest or binding.resource)
    }
    free = [binding for binding in shown.values() if binding.resource is None]
    bound = {name: binding for name, binding in shown.items() if binding.resource is not None}
    if len(free) > _MANY:
        busiest = max(free, key=lambda binding: binding.shares[str(binding.busiest)])
        share, words = busiest.shares[str(busiest.busiest)], _WORDS[str(busiest.busiest)]
        sentences = [_phrase(binding, name) for name, binding in bound.items()]
        sentences += [
            f"no resource binds {len(free)} jobs (at most {_percent(share)} busy: {words})"
        ]
    else:
        sentences = [_phrase(binding, name) for name, binding in shown.items()]
    text = "; ".join(sentences)
    return f"{text[0].upper()}{text[1:]}." if sentences else ""


def _phrase(binding: Binding, name: str) -> str:
    resource = binding.resource
    if resource is None:
        busiest = str(binding.busiest)
        most = _percent(binding.shares[busiest])
        return f"no resource binds {name} (at most {most} busy: {_WORDS[busiest]})"
    place = _WORDS[resource]
    verb = "bind" if place.endswith(("links", "queues")) else "binds"
    if binding.by == "held_back":
        stalled = f"NIC injection stalls for {_percent(binding.held_back)} of the time"
        others = "and no link of the job is saturated"
        if resource not in ("crossbar", "queues"):
            others = "and links of this class that carry its bytes are saturated"
        return f"{place} {verb} {name} ({stalled}, {others})"
    share = binding.shares[resource]
    busy = _host(share, binding.computing) if resource == "host" else f"{_percent(share)} busy"
    return f"{place} {verb} {name} ({busy})"


def _host(share: float, computing: float | None) -> str:
    """Returns in words what the host does for a share of the time of its ranks."""
    messages = 0.0 if computing is None else share - computing
    work = [("compute", share - messages), ("work on messages", messages)]
    parts = [f"{what} for {_percent(part)}" for what, part in work if round(100 * part) > 0]
    return f"ranks {' and '.join(parts)} of their time"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


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
    return replace(binding, computing=computing)


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
