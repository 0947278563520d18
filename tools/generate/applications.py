"""docs/reference/applications.md: every application, its keys and its communication matrix."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

from generate.reference import clean, page
from generate.scenario_pages import keys, object_

#: The folder of the page's figures, relative to the page.
FIGURES = "made-applications"
#: The largest number of iterations in a figure. More iterations do not change the matrix.
_ITERATIONS = 8
_DOTS_PER_INCH = 80


def applications_page() -> str:
    """Returns the page: the docstring, the figure and the keys of every application."""
    from pantala import scenario_json_schema
    from pantala.workloads import APPLICATIONS

    schema = scenario_json_schema()
    parts = [
        "# Applications",
        (
            "A job's `workload` is one of these applications or [synthetic"
            " traffic](scenario/workloads.md#pattern). The defaults are the values of the papers,"
            ' so `workload = { kind = "fft3d" }` is enough. [`pantala workload'
            " show`](commands.md#pantala-workload-show) prints the totals of an application and"
            " draws its matrix, with other parameters and on other numbers of ranks. The figures"
            f" below show at most {_ITERATIONS} iterations."
        ),
    ]
    for kind, application in APPLICATIONS.items():
        table = keys(object_(schema["$defs"][application.__name__]), "applications.md")
        parts += [
            f"## {kind}",
            clean(inspect.getdoc(application) or "").replace("``", "`"),
            f"Default number of ranks: {application.paper_ranks:,}.",
            f"![Bytes from rank to rank of {kind}]({FIGURES}/{kind}.png)",
            table,
        ]
    return page(parts)


def draw_missing(directory: Path) -> list[Path]:
    """Draws the matrix of every application without a figure in a directory.

    To draw a figure again, delete it first.

    Returns:
        The new files.
    """
    from pantala.figures import communication_matrix, save
    from pantala.planning.communication import application_scenario, communication
    from pantala.workloads import APPLICATIONS

    directory.mkdir(parents=True, exist_ok=True)
    drawn = []
    for kind, application in APPLICATIONS.items():
        path = directory / f"{kind}.png"
        if path.is_file():
            continue
        fields = application.model_fields
        iterations = fields["iterations"]
        settings: dict[str, Any] = {
            "iterations": _ITERATIONS
            if iterations.is_required()
            else min(_ITERATIONS, iterations.default)
        }
        if "message" in fields and fields["message"].is_required():
            settings["message"] = "1 MB"
        scenario = application_scenario(kind, settings=settings)
        save(communication_matrix(communication(scenario)[0]), path, dpi=_DOTS_PER_INCH)
        drawn.append(path)
    return drawn
