"""`pantala status`: what an experiment has, and what is missing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from pantala.cli import complete
from pantala.cli.tables import console, facts, listing
from pantala.text.plain_text import say

__all__ = ["HELP", "status"]

HELP = """Show the runs of an experiment: done, running, missing and failed with the reason.

DIR is a directory of [b]pantala sweep[/b], of an interference experiment of [b]pantala run[/b], of
[b]pantala curve --out[/b], of a study or of a table of a paper. The command reads the index of DIR
only, so it is quick, also while runs are simulated.
"""


def status(
    directory: Annotated[
        Path,
        typer.Argument(
            metavar="DIR",
            help="A directory of pantala sweep, run, curve or study.",
            show_default=False,
            autocompletion=complete.files,
        ),
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON: a list with one object per experiment.")
    ] = False,
) -> None:
    """Shows the status of a directory."""
    from pantala.experiments.status import status as status_of_directory

    found = status_of_directory(directory)
    _add_slurm(found, directory)
    if as_json:
        import json

        say(json.dumps(found, indent=2))
        return
    from pantala.studies.campaign import MARK

    sweep = "study run" if (directory / MARK).is_file() else "sweep"
    for each in found:
        _show(each, "run" if each["kind"] == "interference" else sweep)


def _add_slurm(found: list[dict[str, Any]], directory: Path) -> None:
    """Adds what Slurm says about the tasks of a directory to the status of its sweeps."""
    from pantala.executors.slurm_arrays import slurm_status

    for each in found:
        if each["kind"] == "sweep":
            each["slurm"] = slurm_status(directory)


def _slurm_text(slurm: dict[str, Any]) -> str:
    """Returns a line about the tasks of Slurm."""
    jobs = f"job{'s' * (len(slurm['jobs']) != 1)} {', '.join(slurm['jobs'])}"
    if not slurm["answers"]:
        return f"{jobs}: Slurm does not answer here; give this command on a login node"
    reason = f" ({slurm['reasons'][0]})" if slurm["reasons"] else ""
    tasks = [f"{slurm['pending']:,} pending{reason}"] if slurm["pending"] else []
    tasks += [f"{slurm['running']:,} running"] if slurm["running"] else []
    runs = len(slurm["runs"])
    return f"{jobs}: {', '.join(tasks)} tasks; {runs:,} run{'s' * (runs != 1)}"


#: What an experiment is, by its kind; a sweep shows its axes.
_KINDS = {
    "interference": "interference experiment",
    "runs": "runs that no sweep lists now, such as those of a curve, a table, or a changed sweep",
}


def _show(found: dict[str, Any], command: str) -> None:
    """Prints the status of an experiment that a command of `pantala` has begun."""
    from pantala.errors import shortened
    from pantala.experiments.status import crossed_text
    from pantala.text.amounts import PLAIN, clock

    output = console()
    axes = crossed_text(found, " x ")
    title = f"{found['name']}: {_KINDS.get(found['kind']) or axes or 'one case'}"
    output.print(title, highlight=False, markup=False, soft_wrap=True)
    for caveat in found["caveats"]:
        output.print(caveat["text"], highlight=False, markup=False, soft_wrap=True)
    drawn = facts()
    done = f"{found['done']:,}"
    if found["runs"] is not None:
        done += f" of {found['runs']:,}"
    if found["done"]:
        done += f"; {clock(found['seconds'])} of simulation, {PLAIN.size(found['bytes'])}"
    drawn.add_row("done", done)
    for state in ("running", "missing", "failed"):
        if found[state]:
            drawn.add_row(state, f"{found[state]:,}")
    slurm = found.get("slurm")
    if slurm:
        drawn.add_row("Slurm", _slurm_text(slurm))
    if found["incomplete"]:
        drawn.add_row("incomplete", f"{found['incomplete']:,} done runs have a job without end")
    if found["refused"]:
        cases = f"{found['refused']:,} of {found['cases']:,} cases"
        drawn.add_row("refused", f"{cases} cannot be run and are not simulated")
    output.print(drawn)
    if found["failures"]:
        axis_names = list(found["axes"])
        failed = listing([*axis_names, "part", "reason"], title="Failed runs")
        for row in found["failures"]:
            values = (str(row[key]) for key in (*axis_names, "part"))
            failed.add_row(*values, shortened(row["reason"]))
        output.print(failed)
    if found["refused_cases"]:
        import polars as pl

        from pantala.experiments.cases_file import over_seeds

        columns = [*found["axes"], "reason"]
        refused = listing(columns, title="Refused cases")
        for row in over_seeds(pl.DataFrame(found["refused_cases"])).iter_rows(named=True):
            refused.add_row(*(str(row[key]) for key in columns))
        output.print(refused)
    if missing := found.get("parts_missing"):
        output.print(f"missing: {', '.join(missing)}", highlight=False, markup=False)
    if found["missing"]:
        text = f"To simulate the missing runs, give the command of pantala {command} again."
        if found["kind"] == "interference" and found["failed"]:
            text = "The missing runs come after the one that failed: mend the scenario first."
        if slurm:
            text = (
                "Tasks of Slurm have runs of this list and go on alone. The command of pantala"
                f" {command}, given again, waits for them and submits only the others."
            )
        output.print(text)
    elif found["missing"] is None:
        output.print("How many runs are missing is known to the command that began them only.")
