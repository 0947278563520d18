"""The report's first sentence, computed from the tables."""

from __future__ import annotations

from typing import Any

import polars as pl

from pantala.figures.hottest import hottest_table
from pantala.figures.runs import job_names, job_row
from pantala.link_classes import INSIDE_GROUPS
from pantala.report.subject import Subject
from pantala.report.words import duration, join, percent

__all__ = ["finding", "hottest_sentence"]

# Closer to one than this, the difference is not worth a verb.
_UNCHANGED = 0.02


def finding(subject: Subject) -> str:
    """Say in plain words who slowed whom down and which link was the hottest."""
    sentences = [_slowdowns(subject.slowdown) if subject.slowdown is not None else _single(subject)]
    return " ".join([*sentences, hottest_sentence(subject)]).strip()


def _slowdowns(slowdown: pl.DataFrame) -> str:
    rows = [row for row in slowdown.to_dicts() if row["slowdown"] is not None]
    if not rows:
        return "No job communicated in every run, so there is no slowdown to tell."
    if slowdown.height == 2:
        names = slowdown["name"].to_list()
        parts = []
        for row in rows:
            other = names[1 - names.index(row["name"])]
            parts.append(_pair(row["name"], other, row["slowdown"]))
        text = "; ".join(parts) + "."
        return f"Beside{text.removeprefix('beside')}" if text.startswith("beside ") else text
    rows.sort(key=lambda row: -row["slowdown"])
    ratios = [f"{row['name']} {row['slowdown']:.2f} times" for row in rows]
    return f"In one another's company the jobs communicate longer than alone: {join(ratios)}."


def _pair(name: str, other: str, ratio: float) -> str:
    if abs(ratio - 1) < _UNCHANGED:
        return f"{other} leaves {name}'s communication time as it is ({ratio:.2f} times)"
    if ratio < 1:
        return f"beside {other}, {name} communicates {ratio:.2f} times as long as alone"
    return f"{other} makes {name} communicate {ratio:.2f} times as long as alone"


def _single(subject: Subject) -> str:
    rows = [job_row(subject.run, job) for job in job_names(subject.run)]
    told = [text for row in rows if (text := _communication(row))]
    if len(rows) == 1 or not told:
        told += [text for row in rows if (text := _latency(row))]
    if not told:
        return "No packet was delivered."
    text = "; ".join(told) + "."
    return text[0].upper() + text[1:] if told[0].startswith(("a rank", "half")) else text


def _communication(row: dict[str, Any]) -> str:
    mean, slowest = row["communication_time_mean_ns"], row["communication_time_max_ns"]
    if not mean:
        return ""
    return f"a rank of {row['name']} communicates for {duration(mean)} on average, the slowest for {duration(slowest)}"


def _latency(row: dict[str, Any]) -> str:
    half, tail = row["packet_latency_p50_ns"], row["packet_latency_p99_ns"]
    if half is None:
        return ""
    return f"half of {row['name']}'s packets take at most {duration(half)}, 99 % at most {duration(tail)}"


def hottest_sentence(subject: Subject) -> str:
    """Name the hottest link between routers, its load and whose bytes it carried most; empty if nothing moved."""
    links = hottest_table(subject.run, 1).to_dicts()
    if not links:
        return ""
    link = links[0]
    ends = f"from group {link['source_group']} to group {link['target_group']}"
    if link["class"] in INSIDE_GROUPS:
        ends = f"from router {link['source_router']} to router {link['target_router']} in group {link['source_group']}"
    text = f"The hottest link is the {link['class']} one {ends}, sending {percent(link['load'])} of the time"
    shares = {name: link[f"job_{job}_share"] for job, name in job_names(subject.run).items()}
    if len(shares) > 1 and all(share is not None for share in shares.values()):
        name = max(shares, key=lambda name: shares[name])
        text += f", {percent(shares[name])} of it for {name}"
    return text + "."
