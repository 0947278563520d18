"""`pantala metrics`: the metrics, their definitions, and their values in a run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pantala.cli import complete
from pantala.cli.tables import console, listing, say_caveats
from pantala.text.plain_text import say

if TYPE_CHECKING:
    from pantala.results.run import Run

__all__ = ["HELP", "metrics"]

#: The metric that is a name and not a number.
_BINDING = "binding_resource"

HELP = """List the metrics, print the definition of one, or the values of a run.

Without arguments, the command lists the metrics of runs and jobs, and the functions of
`pantala.metrics`. With [b]--run DIR[/b] it prints the metrics of the run and of each of its jobs,
or the one that is named, and the binding resource of each. An interference experiment has those
of all jobs together."""


def metrics(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME", help="One metric.", show_default=False, autocompletion=complete.metrics
        ),
    ] = None,
    run: Annotated[
        Path | None,
        typer.Option(
            "--run", metavar="DIR", help="A run directory.", autocompletion=complete.files
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Lists metrics, or prints a definition or values."""
    if run is not None:
        _values(run, name, as_json)
    elif name is not None:
        _definition(name, as_json)
    else:
        _list(as_json)


def _catalogue() -> list[dict[str, str]]:
    from pantala.metrics import all_functions, all_metrics

    of_runs = [
        {"name": each.name, "of": each.scope, "unit": "", "text": each.text, "source": ""}
        for each in all_metrics()
    ]
    functions = [
        {
            "name": each.name,
            "of": each.of,
            "unit": each.unit,
            "text": each.text,
            "source": each.source,
        }
        for each in all_functions()
    ]
    return of_runs + functions


def _list(as_json: bool) -> None:
    found = _catalogue()
    if as_json:
        say(json.dumps(found, indent=2))
        return
    numbers = listing(("metric", "of", "meaning"), title="Numbers of a run: --run, Run.metric")
    functions = listing(
        ("metric", "of", "unit", "meaning"), title="Functions of tables: pantala.metrics"
    )
    for each in found:
        if each["of"] in ("job", "run"):
            numbers.add_row(each["name"], each["of"], each["text"])
        else:
            text = f"{each['text'].split(': ', 1)[1]} ({each['source']})"
            functions.add_row(each["name"], each["of"], each["unit"], text)
    console().print(numbers)
    console().print(functions)


def _definition(name: str, as_json: bool) -> None:
    from pantala.analysis.slowdown import SLOWDOWN_COLUMNS
    from pantala.errors import UsageError, nearest
    from pantala.metrics import all_functions

    found = {each["name"]: each for each in _catalogue()}
    # Numbers of two runs, which `pantala compare` and Experiment.metric have.
    of_experiments = {
        column: {
            "name": column,
            "of": "interference experiments",
            "unit": "",
            "text": text,
            "source": "",
        }
        for column, (_, text) in SLOWDOWN_COLUMNS.items()
        if column.endswith("slowdown") and column not in found
    }
    found = {**of_experiments, **found}
    if name not in found:
        close = nearest(name, found)
        hint = f"did you mean '{close}'?" if close else "`pantala metrics` lists them"
        raise UsageError(f"there is no metric '{name}'; {hint}")
    entry = dict(found[name])
    definitions = {each.name: each.definition for each in all_functions()}
    if as_json:
        say(json.dumps(entry | {"definition": definitions.get(name, entry["text"])}, indent=2))
        return
    unit = f" ({entry['unit']})" if entry["unit"] else ""
    say(f"{name}{unit}, of {entry['of']}\n\n{definitions.get(name, entry['text'])}")
    if entry["source"]:
        say(f"\nSource: {entry['source']}.")


def _values(directory: Path, name: str | None, as_json: bool) -> None:
    from pantala.api.load import load
    from pantala.experiments.experiment import Experiment

    found = load(directory)
    run = found.together if isinstance(found, Experiment) else found
    say_caveats(found.caveats, aside=as_json)
    rows = list(_rows(run, name))
    if as_json:
        say(json.dumps(rows, indent=2))
        return
    shown = listing(("metric", "job", "value"), right=1)
    for row in rows:
        value = row["value"]
        text = "-" if value is None else str(value) if isinstance(value, str) else f"{value:,.6g}"
        shown.add_row(row["metric"], row["job"] or "", text)
    console().print(shown)


def _rows(run: Run, name: str | None) -> Iterator[dict[str, Any]]:
    """Yields metric, job and value; the job is None for a metric of the run.

    Raises:
        UsageError: there is no such metric.
    """
    from pantala.analysis.binding import bindings_of
    from pantala.metrics import all_metrics, value_of

    known = all_metrics()
    chosen = [each for each in known if name in (None, each.name)]
    if name in (None, _BINDING):
        for job, binding in bindings_of(run).items():
            yield {"metric": _BINDING, "job": job, "value": binding.resource}
    elif not chosen:
        value_of(run, str(name), None)  # raises the error that names the nearest metric
    for each in chosen:
        for job in run.job_names if each.scope == "job" else [None]:
            yield {"metric": each.name, "job": job, "value": value_of(run, each.name, job)}
