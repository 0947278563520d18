"""The page of the applications: what each is, its parameters, and its communication matrix."""

from __future__ import annotations

import inspect
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from generate.reference import clean, keys, object_, page

#: So many iterations are drawn: a matrix changes no more, or is long even.
_ITERATIONS = 8


def applications_page(figures: dict[str, str]) -> str:
    """Every application, its docstring and keys; `figures` has the file of its matrix by name,
    where there is one.
    """
    from pantala import scenario_json_schema
    from pantala.scenario.workload import APPLICATIONS

    schema = scenario_json_schema()
    parts = [
        "# Applications",
        (
            "What a job's `workload` can be besides [synthetic traffic](scenario.md#pattern)."
            ' Defaults are the papers\': `workload = { kind = "fft3d" }` is enough. [`pantala'
            " workload show`](commands.md#pantala-workload-show) prints totals and draws the matrix"
            " of any of them, with other parameters and on other numbers of ranks."
        ),
    ]
    for kind, application in APPLICATIONS.items():
        name = application.__name__
        parts += [f"## {kind}", clean(inspect.getdoc(application) or "").replace("``", "`")]
        parts.append(f"For {application.paper_ranks:,} ranks, if no others are asked for.")
        if kind in figures:
            parts.append(
                f"```{{figure}} {figures[kind]}\n:alt: Bytes from rank to rank of {kind}\n:width:"
                " 90%\n```"
            )
        table = keys(object_(schema["$defs"][name]))
        parts.append(table.replace("](#", "](scenario.md#"))
    return page(parts)


def draw(directory: Path) -> dict[str, str]:
    """Draws the matrices of a few iterations, those that are not there yet; nothing if the core is
    not built.
    """
    if find_spec("pantala._core") is None:
        return {}
    from pantala.communication import application_scenario, communication
    from pantala.errors import ScenarioError
    from pantala.figures import communication_matrix, save
    from pantala.scenario.workload import APPLICATIONS

    directory.mkdir(parents=True, exist_ok=True)
    drawn = {}
    for kind, application in APPLICATIONS.items():
        field = application.model_fields["iterations"]
        few = _ITERATIONS if field.is_required() else min(_ITERATIONS, field.default)
        settings: dict[str, Any] = {"iterations": few}
        if (
            application.model_fields.get("message") is not None
            and application.model_fields["message"].is_required()
        ):
            settings["message"] = "1 MB"
        path = directory / f"{kind}.png"
        if not path.is_file():
            try:
                save(
                    communication_matrix(
                        communication(application_scenario(kind, settings=settings))[0]
                    ),
                    path,
                )
            except ScenarioError as error:
                raise RuntimeError(f"the matrix of {kind} cannot be drawn: {error}") from error
        drawn[kind] = f"made-applications/{kind}.png"
    return drawn
