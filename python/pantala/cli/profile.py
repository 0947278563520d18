"""`pantala profile`: the MPI calls of a job, and the counters of its routers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from pantala.cli import complete
from pantala.cli.tables import console, say_caveats, table
from pantala.text.plain_text import say

__all__ = ["HELP", "profile"]

HELP = """Print the profile of a job: MPI calls, and counters of the routers that serve it.

With `record.rank_calls`, the calls have their shortest and longest time over ranks, and the rank
with the longest. The counters are means over the tiles (Aries) or links of a class on these
routers, as AutoPerf reports them. An interference experiment has the profiles of all jobs together.
Without JOB, the command prints the profile of every job."""


def profile(
    directory: Annotated[
        Path,
        typer.Argument(
            metavar="DIR",
            help="A run directory.",
            show_default=False,
            autocompletion=complete.files,
        ),
    ],
    job: Annotated[
        str | None, typer.Argument(metavar="JOB", help="One job.", show_default=False)
    ] = None,
    by_kind: Annotated[
        bool,
        typer.Option(
            "--by-kind",
            help="Counters of requests and of responses; needs Aries' tiles and record.ports with"
            ' split = ["kind"].',
        ),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON: a list with one object per job.")
    ] = False,
) -> None:
    """Prints the profile of a job."""
    from pantala.analysis.profile import profile as profile_of
    from pantala.api.load import load
    from pantala.experiments.experiment import Experiment

    found = load(directory)
    run = found.together if isinstance(found, Experiment) else found
    say_caveats(found.caveats, aside=as_json)
    jobs = [job] if job else run.job_names
    profiles = [profile_of(run, name, by_kind=by_kind) for name in jobs]
    if as_json:
        import json

        plain = [
            each | {key: each[key].to_dicts() for key in ("calls", "counters")} for each in profiles
        ]
        say(json.dumps(plain, indent=2))
        return
    from pantala.text.amounts import PLAIN, counted

    output = console()
    for each in profiles:
        by_rank = "slowest_rank" in each["calls"].columns
        calls = table(
            f"{each['job']}: {counted(each['ranks'], 'rank')} on"
            f" {counted(each['routers'], 'router')}",
            (
                *("MPI call", "calls", "mean bytes", "time per rank"),
                *(("shortest", "longest", "of rank") if by_rank else ()),
                "share",
            ),
            "Share: of the run time of all ranks.\n",
        )
        for call in each["calls"].iter_rows(named=True):
            share = call["share"]
            calls.add_row(
                call["call"],
                f"{call['calls']:,}",
                "-" if call["bytes_mean"] is None else f"{call['bytes_mean']:,.0f}",
                PLAIN.duration(call["time_mean_ns"]),
                *(_over_ranks(call) if by_rank else ()),
                "-" if share is None else f"{share:.1%}",
            )
        counters = table(
            "Counters of these routers, all traffic, means per tile or link",
            (
                "class",
                *(["kind"] if by_kind else []),
                "number",
                "flits",
                "stalled flits",
                "stalls to flits",
            ),
            "Number: of connected tiles, or of links; those without traffic count.\n",
        )
        for row in each["counters"].iter_rows(named=True):
            ratio = row["stalls_to_flits"]
            counters.add_row(
                row["class"],
                *([row["kind"]] if by_kind else []),
                f"{row['tiles']:,}",
                f"{row['flits_mean']:,.0f}",
                f"{row['stalled_flits_mean']:,.1f}",
                "-" if ratio is None else f"{ratio:.3f}",
            )
        if each["calls"].height:
            output.print(calls)
        else:
            output.print(f"{calls.title}\n\nIt makes no MPI calls.\n")
        output.print(counters)


def _over_ranks(call: dict[str, Any]) -> tuple[str, str, str]:
    """Returns the shortest and the longest time of a call, and the rank with the longest."""
    from pantala.text.amounts import PLAIN

    return (
        PLAIN.duration(call["time_min_ns"]),
        PLAIN.duration(call["time_max_ns"]),
        f"{call['slowest_rank']:,}",
    )
