"""Tables of a report about links: the classes of links, and the hottest links."""

from __future__ import annotations

import polars as pl

from pantala.analysis.hottest_links import ALL_CLASSES, link_name
from pantala.analysis.link_load import SATURATED, is_rough, span_in_words
from pantala.report.reported_run import ReportedRun
from pantala.report.sentences import link_place
from pantala.report.tables import NONE, Cell, ReportTable
from pantala.run_tables.run_like import job_names
from pantala.text.amounts import PAGE, count

__all__ = ["classes_table", "hottest_table"]


def classes_table(reported: ReportedRun) -> ReportTable:
    """Returns the utilization of the links of each class while all jobs ran."""
    windows = reported.loads.window_ns is not None
    columns = ["class", "links", "mean utilization", "highest utilization"]
    if windows:
        columns += ["highest in a window", f"links above {PAGE.percent(SATURATED)} in a window"]
    table = ReportTable(
        f"Utilization of the links by class, {_span(reported)}.{_estimated(reported)}",
        [*columns, "mean stall, whole run"],
    )
    for name in ALL_CLASSES:
        links = reported.loads.links.filter(pl.col("class") == name)
        if links.is_empty():
            continue
        mean, most, peak, stalled = links.select(
            pl.col("utilization").mean(),
            pl.col("utilization").max().alias("most"),
            pl.col("peak_utilization").max(),
            pl.col("stall_share").mean(),
        ).row(0)
        cells = [Cell(name), Cell(count(links.height), links.height), _share(mean), _share(most)]
        if windows:
            saturated = links.filter(pl.col("saturated_windows") > 0).height
            cells += [_share(peak), Cell(count(saturated), saturated)]
        table.rows.append([*cells, _share(stalled)])
    return table


def hottest_table(reported: ReportedRun, explorer: str | None = None) -> ReportTable:
    """Returns the links of highest utilization while all jobs ran, of any class.

    Each row links to its link in the explorer, if its address is given.
    """
    names = job_names(reported.run)
    shares = list(names) if len(names) > 1 else []
    windows = reported.loads.window_ns is not None
    table = ReportTable(
        f"Hottest links, {_span(reported)}. Utilization is the share of that time in which the link"
        " was sending. What the link sent, and the shares of jobs in it, are of the same time;"
        " stalled is the share of the whole run in which a packet was ready, the link idle, and no"
        f" packet had credit.{_estimated(reported)}",
        [
            "link",
            "utilization",
            "class and ends",
            *["peak window", "from"] * windows,
            "stalled",
            "sent",
            *(f"{names[job]}'s share" for job in shares),
        ],
    )
    for link in reported.hottest.to_dicts():
        cells = [
            Cell(
                str(link["link"]),
                link["link"],
                link="" if explorer is None else f"{explorer}{link_place(link)}",
            ),
            _share(link["utilization"]),
            Cell(link_name(link)),
        ]
        if windows:
            start = link["peak_start_ns"]
            cells += [
                _share(link["peak_utilization"]),
                NONE if start is None else Cell(PAGE.duration(start, exact=True), start),
            ]
        cells += [_share(link["stall_share"]), Cell(PAGE.size(link["bytes"]), link["bytes"])]
        cells += [_share(link[f"job_{job}_share"]) for job in shares]
        table.rows.append(cells)
    return table


def _span(reported: ReportedRun) -> str:
    return span_in_words(reported.loads, len(reported.names))


def _estimated(reported: ReportedRun) -> str:
    """Returns a sentence if windows of the hottest links are rough estimates; else nothing."""
    rough = reported.loads.window_ns is not None and any(
        map(is_rough, reported.hottest.iter_rows(named=True))
    )
    return " Utilization in windows is estimated from bytes." if rough else ""


def _share(share: float | None) -> Cell:
    return NONE if share is None else Cell(PAGE.percent(share), share)
