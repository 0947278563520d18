"""Arguments and options of several commands."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from pantala.cli import complete
from pantala.system.permission import NO_PROGRAMS

__all__ = [
    "Coarsen",
    "MachinePreset",
    "NoPrograms",
    "OptionalScenarioFile",
    "Ranks",
    "RoutingName",
    "ScenarioFile",
    "Settings",
    "SizeLimit",
    "Skip",
    "Threads",
    "Variables",
    "Workers",
    "out_file",
    "paragraphs",
]


def paragraphs(text: str) -> str:
    """Returns a help text with each paragraph on one line, which the terminal then wraps."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def out_file(what: str) -> Any:
    """Returns the option --out of a command that writes a file; `what` is its help."""
    return typer.Option("--out", "-o", metavar="FILE", help=what, autocompletion=complete.files)


ScenarioFile = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="The scenario: a TOML file, a load file of SST's Ember, or a coNCePTuaL program.",
        show_default=False,
        autocompletion=complete.runnable,
    ),
]
OptionalScenarioFile = Annotated[
    Path | None,
    typer.Argument(
        metavar="FILE",
        help="A scenario file that describes the machine.",
        show_default=False,
        autocompletion=complete.scenarios,
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Set a key, e.g. routing.algorithm=minimal or machine.topology.g=9. Repeatable.",
    ),
]
RoutingName = Annotated[
    str | None,
    typer.Option(
        "--routing",
        metavar="NAME",
        help="Routing algorithm. Default: the scenario's; for a load file minimal.",
        autocompletion=complete.routings,
    ),
]
MachinePreset = Annotated[
    str | None,
    typer.Option(
        "--preset",
        metavar="NAME",
        help="Machine of a load file or a program. Default: kang2022.",
        autocompletion=complete.machines,
    ),
]
Variables = Annotated[
    list[str] | None,
    typer.Option(
        "--var",
        metavar="NAME=VALUE",
        help="Set a variable of a load file, or an option of a program. Repeatable.",
    ),
]
Ranks = Annotated[
    int | None,
    typer.Option("--ranks", "-n", metavar="N", help="Ranks of a coNCePTuaL program."),
]
Coarsen = Annotated[
    int | None,
    typer.Option(
        "--coarsen",
        metavar="N",
        help="Simulate packets that are N times as long (2, 4 or 8): faster and less exact.",
        autocompletion=complete.of(("2", "4", "8")),
    ),
]
Skip = Annotated[
    str | None,
    typer.Option(
        "--skip",
        metavar="ERROR",
        help="Skip time in which jobs repeat, once their iterations are known to this error, such"
        " as 1%. [b]auto[/b]: 1%, where that promises to save more than half.",
        autocompletion=complete.of(("1%", "2%", "5%", "auto")),
    ),
]
SizeLimit = Annotated[
    str | None,
    typer.Option(
        "--size-limit",
        metavar="SIZE",
        help="The most that the tables of a run may take. Default: 100 GB, and no more than is free"
        " on the disk. Pantala estimates their size before the run.",
    ),
]


def _refuse_programs(context: typer.Context, refused: bool) -> bool:
    """Sets the variable that refuses Python code, for this command and all that it starts."""
    if refused and not context.resilient_parsing:
        before = os.environ.get(NO_PROGRAMS)
        os.environ[NO_PROGRAMS] = "1"

        def restore() -> None:
            if before is None:
                os.environ.pop(NO_PROGRAMS, None)
            else:
                os.environ[NO_PROGRAMS] = before

        context.call_on_close(restore)
    return refused


NoPrograms = Annotated[
    bool,
    typer.Option(
        "--no-programs",
        help="Refuse to run Python code that FILE names, as PANTALA_NO_PROGRAMS=1 does. Such code"
        " runs with all your rights.",
        callback=_refuse_programs,
        is_eager=True,
    ),
]
Threads = Annotated[
    str,
    typer.Option(
        "--threads",
        "-t",
        metavar="N",
        help="Most threads to use; auto lets Pantala choose. Results do not depend on it.",
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        "-w",
        metavar="N",
        help="Number of processes at a time. Default: as many as cores and memory allow.",
    ),
]
