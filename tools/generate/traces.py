"""docs/reference/traces.md: the replay of each call of a trace."""

from __future__ import annotations

import json
from itertools import groupby

from generate.reference import page, table

#: Rules of DUMPI that no row of the table tells.
RULES = (
    "A wait or a successful test waits for exactly the requests that the record names as complete.",
    "A receive from any rank takes the source and the tag of its status. Without a status "
    "it stays a receive from any rank, and messages may match in another order.",
    "A partner of `MPI_PROC_NULL` has no message. For MPICH's value, which equals "
    "`MPI_ANY_SOURCE`, the status or a missing message decides.",
    "A data type has the size of its latest definition. Types without a definition, such "
    "as those of Fortran, have the size in the file's table.",
    "The groups of communicators follow from the calls of all ranks.",
    "The clock of a rank starts at the end of its `Init`. If it was set back by at most a "
    "minute, the gap between the two calls counts as zero, with a warning; a larger step is "
    "refused.",
    "A request of a file (`File_iread` and the like) is left out, and so is its wait: DUMPI "
    "numbers such requests apart from those of messages.",
    "The calls of several threads are replayed one after the other, in the order of the records.",
    "DUMPI records no call of MPI-3 or later. A wait for the request of such a call is "
    "left out, with a warning. A communicator of such a call is refused.",
    "In a trace whose footers count calls with profiling off, messages without a recorded "
    "partner are left out, and so are the collectives of communicators whose ranks "
    "disagree. `pantala trace info` reports both. In any other trace they are an error.",
)


def traces_page() -> str:
    """Returns the page: for each meaning of a call, the calls with it."""
    from pantala.core.extension import core

    calls: list[tuple[str, str, str]] = [
        (name, meaning, text) for name, meaning, text in json.loads(core().dumpi_calls())
    ]
    order = ["replayed", "replayed as", "ignored", "refused"]
    ranked = sorted(calls, key=lambda call: (order.index(call[1]), call[2], call[0]))
    rows = []
    for (meaning, text), group in groupby(ranked, key=lambda call: call[1:]):
        names = ", ".join(f"`{name.removeprefix('MPI_')}`" for name, *_ in group)
        rows.append((names, meaning, text))
    return page(
        [
            "# Traces",
            (
                'A job with `kind = "trace"` replays recorded calls ([how-to](../how-to/traces.md),'
                " [keys](scenario/workloads.md#trace))."
            ),
            "## DUMPI",
            (
                "Each call of a DUMPI trace is replayed, replayed in another form, ignored, or"
                " refused. The names are without `MPI_`. A collective runs with the algorithms of"
                " [`mpi.collectives`](scenario/mpi.md#collectives) and at their cost. The time"
                " inside a call is left out, because the simulation makes its own. The time between"
                " two calls is computing."
            ),
            table(("calls", "replay", "as, or reason"), rows),
            "Further rules:",
            "\n".join(f"- {rule}" for rule in RULES),
        ]
    )
