"""The commands by name; a module is imported when its command is in the command line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Annotated

import typer

from pantala.cli.arguments import paragraphs
from pantala.cli.given_once import Application

__all__ = ["COMMANDS", "command_line", "named_in"]

#: The module in this folder and the function of each command; `app` has commands of its own. The
#: module's ``NAME_HELP`` or ``HELP`` is the help text.
COMMANDS: Mapping[str, str] = MappingProxyType(
    {
        "run": "run:run",
        "sweep": "sweep:sweep",
        "status": "status:status",
        "compare": "compare:compare",
        "check": "check:check",
        "curve": "curve:curve",
        "bench": "bench:bench",
        "capture": "capture:app",
        "topology": "topology:topology",
        "report": "report:report",
        "explore": "explore:explore",
        "figure": "figure:figure",
        "export": "export:export",
        "metrics": "metrics:metrics",
        "profile": "profile:profile",
        "import": "import_file:app",
        "workload": "workload:app",
        "ncptl": "ncptl:app",
        "trace": "trace:app",
        "study": "study:app",
        "routings": "reference:routings",
        "presets": "reference:presets",
        "schema": "reference:schema",
        "version": "reference:version",
    }
)


def command_line(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """Returns the application with the commands of these names."""
    app = Application(
        name="pantala",
        help="Measure how much jobs on a Dragonfly network slow each other down, packet by packet.",
        no_args_is_help=True,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
    )
    app.callback()(_options)
    for name in names:
        place, _, function = COMMANDS[name].partition(":")
        module = vars(import_module(f"pantala.cli.{place}"))
        text = paragraphs(module.get(f"{name.upper()}_HELP") or module["HELP"])
        if isinstance(module[function], typer.Typer):
            app.add_typer(module[function], name=name, help=text)
        else:
            app.command(name, help=text)(module[function])
    return app


def named_in(line: Iterable[str]) -> Iterable[str]:
    """Returns the commands that a command line needs: the one that it names, or else all."""
    first = next(iter(line), "")
    return [first] if first in COMMANDS else COMMANDS


def _print_version(asked: bool) -> None:
    if asked:
        from pantala.cli.reference import version

        version()
        raise typer.Exit


def _options(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", is_eager=True, callback=_print_version
        ),
    ] = False,
) -> None:
    """The options of every command; `run_line` has already removed `--debug`."""
