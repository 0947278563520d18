"""`pantala routings`, `presets`, `schema`, `version`: lists and reference data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

from pantala.cli.arguments import out_file
from pantala.cli.tables import console, listing
from pantala.text.plain_text import say

__all__ = [
    "PRESETS_HELP",
    "ROUTINGS_HELP",
    "SCHEMA_HELP",
    "VERSION_HELP",
    "presets",
    "routings",
    "schema",
    "version",
]

ROUTINGS_HELP = "List the routing algorithms, their rules and the virtual channels that they need."
PRESETS_HELP = "List the presets: published machines, mixes of jobs, and router models."
SCHEMA_HELP = "Print the JSON Schema of a scenario, for editors."
VERSION_HELP = "Print the version."

_SENTENCE_END = re.compile(r"(?<=[a-z0-9)`])\. (?=[A-Z])")


def routings() -> None:
    """Lists the routing algorithms."""
    from pantala.core.routings import ROUTINGS

    caption = (
        "VCs: virtual channels per port on a one-dimensional (1D) and a two-dimensional (2D)"
        " Dragonfly; -: the algorithm cannot run there"
    )
    table = listing(("algorithm", "VCs 1D", "2D", "rule"), caption=caption, right=2)
    for routing in ROUTINGS:
        there = routing.virtual_channels_2d
        channels = str(routing.virtual_channels), "-" if there is None else str(there)
        table.add_row(routing.name, *channels, f"{routing.rule} {routing.source}")
    console().print(table)


def presets() -> None:
    """Lists the presets."""
    from pantala.scenario import Machine, machine_presets, mix_presets, router_presets
    from pantala.scenario.presets import example, mix_preset, mpi_presets, preset_text

    def show(title: str, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        table = listing(headings, title=title, right=len(headings) - 2)
        for *cells, text in rows:
            table.add_row(*cells, _first_sentence(text))
        console().print(table)

    def with_text(folder: str, names: Iterable[str]) -> list[tuple[str, str]]:
        return [(name, preset_text(folder, name)) for name in names]

    sized, plain = ("name", "nodes", "description"), ("name", "description")
    machines = [
        (example(name), f"{Machine.of(name).nodes:,}", text)
        for name, text in with_text("machines", machine_presets())
    ]
    show("Machines, for machine.preset", sized, machines)
    mixes = with_text("mixes", mix_presets())
    ranks = {name: sum(job["ranks"] for job in mix_preset(name).values()) for name, _ in mixes}
    show("Mixes, for jobs", sized, [(name, f"{ranks[name]:,}", text) for name, text in mixes])
    routers = with_text("routers", router_presets())
    show("Routers, for machine.router.model and pantala curve --preset", plain, routers)
    show("Host costs of messages, for mpi.preset", plain, with_text("mpi", mpi_presets()))


def _first_sentence(text: str) -> str:
    first = _SENTENCE_END.split(text, maxsplit=1)[0]
    return f"{first[:1].upper()}{first[1:]}".removesuffix(".")


def schema(
    out: Annotated[
        Path | None,
        out_file("Write the schema to this file."),
    ] = None,
) -> None:
    """Prints the JSON Schema of a scenario."""
    from pantala.errors import UsageError
    from pantala.files.atomic_file import write_text
    from pantala.scenario.json_schema import scenario_schema_text

    text = scenario_schema_text()
    if out is None:
        say(text, end="")
    else:
        try:
            out.parent.mkdir(parents=True, exist_ok=True)
            write_text(out, text)
        except OSError as error:
            raise UsageError(
                f"{out}: cannot be written: {error.strerror}; name another --out"
            ) from None


def version() -> None:
    """Prints the version."""
    from pantala import __version__

    say(f"pantala {__version__}")
