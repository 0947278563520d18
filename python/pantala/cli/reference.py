"""`pantala routings`, `schema`, `version`: what there is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pantala.cli.tables import console

__all__ = ["ROUTINGS_HELP", "SCHEMA_HELP", "VERSION_HELP", "routings", "schema", "version"]

ROUTINGS_HELP = "List the routing algorithms: the rule of each, and the virtual channels that it needs."
SCHEMA_HELP = "Print the JSON Schema of a scenario, for editors."
VERSION_HELP = "Print the version."


def routings() -> None:
    """Lists the routing algorithms."""
    from rich.table import Table

    from pantala.routings import ROUTINGS

    table = Table()
    table.add_column("algorithm")
    table.add_column("VCs", justify="right")
    table.add_column("rule")
    for routing in ROUTINGS:
        table.add_row(routing.name, str(routing.virtual_channels), f"{routing.rule} {routing.source}")
    console().print(table)


def schema(
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write it to a file instead.")] = None,
) -> None:
    """Prints the JSON Schema of a scenario."""
    from pantala.errors import UsageError
    from pantala.scenario.json_schema import scenario_schema_text

    text = scenario_schema_text()
    if out is None:
        print(text, end="")
    else:
        try:
            out.parent.mkdir(parents=True, exist_ok=True)
            out.write_text(text, encoding="utf-8")
        except OSError as error:
            raise UsageError(f"{out}: cannot be written: {error.strerror}; name another --out") from None


def version() -> None:
    """Prints the version."""
    from pantala import __version__

    print(f"pantala {__version__}")
