"""The page about the measured cases, as Markdown."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from validation.ember.bars import Comparison, time_limit
from validation.ember.cases import Case
from validation.tables import bar, pair, percent, table

__all__ = ["FIGURE", "PAGE", "SHIFTS", "CasePage", "Replayed", "case_row", "times"]

#: The file of the page.
PAGE = "made-validation-ember.md"

#: The file of the figure.
FIGURE = "validation-ember.svg"

#: The changes of a scenario that show how much a case depends on a nanosecond.
SHIFTS: tuple[Mapping[str, str], ...] = (
    {"mpi.send_overhead": "23 ns"},
    {"mpi.send_overhead": "25 ns"},
)

_TEXT = """# Validation: the tables of MPI jobs

`make validate` measures these tables, and `python -m validation ember --write` only these. Each
case is a load file of SST's Ember, run by the fork of Kang et al. (SC 2022), and by Pantala with
`machine.router = "sst_sc22"` and `mpi = "sst_sc22"`.
[Validation](validation.md#mpi-jobs-from-end-to-end) explains the cases and the bars.

![SST Ember and Pantala: times of PingPong, and errors of all cases](../_static/{figure})

Each pair gives SST's value, then Pantala's. *end* is the time at which the last rank leaves
MPI_Finalize, *communication* the mean communication time of an iteration. {met} of {bound} bars are
met. An error in italics has no bar; an error in bold misses its bar. Packets and bytes are those of
the whole run, headers and control messages included; one number means that both agree."""

_TIMES = """The times of each motif. *worst iteration* has the largest error of an iteration. It has
a bar only if each link carries at most one message at a time."""


_SENSITIVITY = """The error of the end of the run, with the sender's overhead of the preset and with
{changes}. Where packets of several messages meet, a shift of one nanosecond changes their order,
and the time of the run with it. So an error below this spread says nothing about the model."""


@dataclass(frozen=True)
class Replayed:
    """A case with its comparisons.

    Attributes:
        case: the case.
        compared: the comparisons.
        shifted: the errors of the end of the run with the changes of `SHIFTS`.
    """

    case: Case
    compared: Sequence[Comparison]
    shifted: Sequence[float] = ()

    def of(self, metric: str) -> Comparison | None:
        """Returns the comparison of a metric; None if it was not compared."""
        return next((each for each in self.compared if each.metric == metric), None)


@dataclass(frozen=True)
class CasePage:
    """The page about all cases."""

    replayed: Sequence[Replayed]

    @property
    def failures(self) -> list[str]:
        """The bars that are not met, one line each."""
        return [
            f"{item.case.name}: {each.metric}: theirs {each.theirs:.6g}, ours {each.ours:.6g}"
            for item in self.replayed
            for each in item.compared
            if not each.met
        ]

    def text(self) -> str:
        """Returns the text of the page."""
        bars = [each for item in self.replayed for each in item.compared if each.limit is not None]
        met = sum(each.met for each in bars)
        headings = ["case", "routing", "bar", "packets", "bytes", "end, µs", "", "communication"]
        headings += ["packet latency, ns", "", "links", "", "non-minimal"]
        shifts = [value for shift in SHIFTS for value in shift.values()]
        time_headings = ["case", "time", "SST / Pantala, ns", "", "worst iteration"]
        return (
            "\n\n".join(
                [
                    _TEXT.format(figure=FIGURE, met=met, bound=len(bars)),
                    table(headings, [case_row(item) for item in self.replayed], 2),
                    _TIMES,
                    table(time_headings, [row for item in self.replayed for row in times(item)], 2),
                    _SENSITIVITY.format(changes=" and ".join(shifts)),
                    table(["case", "preset", *shifts], map(_sensitivity, self.replayed), 1),
                    "",
                ]
            ).rstrip("\n")
            + "\n"
        )


def case_row(item: Replayed) -> list[str]:
    """Returns the cells of a case in the first table."""
    end, latency = item.of("simulated_end"), item.of("mean_packet_latency")
    hops, share = item.of("mean_link_hops"), item.of("nonminimal_share")
    assert end is not None
    assert latency is not None
    assert hops is not None
    communication = [each for each in item.compared if each.metric.endswith("total.comm.mean")]
    return [
        f"`{item.case.name}`",
        f"`{item.case.routing}`",
        bar(time_limit(item.case)),
        _count(item.of("packets")),
        _count(item.of("bytes")),
        pair(end.theirs, end.ours, 1),
        _error(end),
        "; ".join(_error(each) for each in communication),
        pair(latency.theirs, latency.ours, 0),
        _error(latency),
        pair(hops.theirs, hops.ours, 2),
        _error(hops),
        "" if share is None or not share.theirs + share.ours else pair(share.theirs, share.ours, 3),
    ]


def _sensitivity(item: Replayed) -> list[str]:
    """Returns the cells of a case in the table of shifted runs."""
    end = item.of("simulated_end")
    assert end is not None
    return [f"`{item.case.name}`", *(percent(error) for error in (end.error, *item.shifted))]


def times(item: Replayed) -> list[list[str]]:
    """Returns the rows of a case in the table of times."""
    rows = []
    for each in item.compared:
        motif, _, kind = each.metric.partition(".")
        name = f"`{item.case.name}`"
        if kind == "total.comm.mean":
            iterations = _iterations(item, motif)
            count = max(number for number, _, _ in iterations)
            values = pair(each.theirs / count, each.ours / count, 0)
            worst = max((error for _, _, error in iterations), key=lambda e: abs(e.error))
            rows.append([name, motif, values, _error(each), _error(worst)])
            rows += [[name, f"{motif}, {phase}", *cells] for phase, cells in _phases(iterations)]
        elif kind.endswith("one_way"):
            size = f"{int(kind.split('B.')[0]):,}"
            values = pair(each.theirs, each.ours, 1)
            rows.append([name, f"{motif}, {size} B, one way", values, _error(each), ""])
        elif kind.endswith("printed_latency"):
            values = pair(1e3 * each.theirs, 1e3 * each.ours, 0)
            rows.append([name, motif, values, _error(each), ""])
        elif re.fullmatch(r"Sweep3D\.iter\d+\.duration\.mean", each.metric):
            values = pair(each.theirs, each.ours, 0)
            number = each.metric.split(".")[1].removeprefix("iter")
            rows.append([name, f"{motif}, duration {number}", values, _error(each), ""])
    return rows


_Iteration = tuple[int, str, Comparison]


def _iterations(item: Replayed, motif: str) -> list[_Iteration]:
    """Returns the mean communication times of a motif's iterations: number, phase, comparison."""
    pattern = re.compile(rf"{re.escape(motif)}\.iter(\d+)\.(?:(\w+)\.)?comm\.mean")
    matches = [(pattern.fullmatch(each.metric), each) for each in item.compared]
    return [(int(found[1]), found[2] or "", each) for found, each in matches if found]


def _phases(iterations: Sequence[_Iteration]) -> list[tuple[str, list[str]]]:
    """Returns the cells of each phase of a motif that reports by phase."""
    rows = []
    for phase in dict.fromkeys(phase for _, phase, _ in iterations if phase):
        own = [each for _, name, each in iterations if name == phase]
        theirs, ours = (
            sum(values) / len(own) for values in ([e.theirs for e in own], [e.ours for e in own])
        )
        mean = Comparison(phase, "ns", theirs, ours)
        worst = max(own, key=lambda each: abs(each.error))
        rows.append((phase, [pair(theirs, ours, 0), _error(mean), _error(worst)]))
    return rows


def _count(compared: Comparison | None) -> str:
    """Returns a count that must be exact: one number if both agree."""
    assert compared is not None
    theirs, ours = f"{compared.theirs:,.0f}", f"{compared.ours:,.0f}"
    return theirs if compared.met else f"**{theirs} / {ours}**"


def _error(compared: Comparison) -> str:
    """Returns the error in italics where there is no bar, and in bold where a bar is not met."""
    mark = "*" if compared.limit is None else "" if compared.met else "**"
    return f"{mark}{percent(compared.error, relative=compared.relative)}{mark}"
