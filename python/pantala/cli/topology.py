"""`pantala topology`: what a machine is wired to, as numbers and as files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from pantala.cli.tables import console, facts

__all__ = ["HELP", "topology"]

HELP = """Show how a Dragonfly is wired, and write its links: as a Parquet table, or as GraphML.

Either of a preset ([b]--preset kang2022[/b]) or of its own numbers ([b]--p 2 --a 4 --h 2 --g 9[/b]); numbers beside a
preset change it.
"""


def topology(
    preset: Annotated[str | None, typer.Option("--preset", help="A machine preset, as kang2022.")] = None,
    p: Annotated[int | None, typer.Option("--p", help="Nodes a router.")] = None,
    a: Annotated[int | None, typer.Option("--a", help="Routers a group.")] = None,
    h: Annotated[int | None, typer.Option("--h", help="Global links a router.")] = None,
    g: Annotated[int | None, typer.Option("--g", help="Groups.")] = None,
    links_per_pair: Annotated[
        int | None, typer.Option("--links-per-pair", help="Global links between two groups; 0: as many as fit.")
    ] = None,
    wiring: Annotated[str | None, typer.Option("--wiring", help="absolute, palmtree, circulant or random.")] = None,
    mirrored: Annotated[bool, typer.Option("--mirrored", help="Palmtree as CAMINOS has it.")] = False,
    wiring_seed: Annotated[int | None, typer.Option("--wiring-seed", help="Seed of the random wiring.")] = None,
    links: Annotated[
        Path | None, typer.Option("--links", metavar="FILE", help="Write the link table, a Parquet file.")
    ] = None,
    graphml: Annotated[
        Path | None, typer.Option("--graphml", metavar="FILE", help="Write the routers and links as GraphML.")
    ] = None,
) -> None:
    """Shows and writes a topology."""
    from pantala import topology as wiring_of

    given: dict[str, Any] = {
        "p": p,
        "a": a,
        "h": h,
        "g": g,
        "links_per_pair": links_per_pair,
        "wiring": wiring,
        "mirrored": mirrored or None,
        "wiring_seed": wiring_seed,
    }
    chosen = wiring_of.topology({key: value for key, value in given.items() if value is not None}, preset)
    table = wiring_of.link_table(chosen)
    written = []
    if links is not None:
        wiring_of.write_links(chosen, links)
        written.append(links)
    if graphml is not None:
        wiring_of.write_graphml(chosen, graphml)
        written.append(graphml)
    summary = facts()
    for key, value in wiring_of.summary(chosen, table).items():
        summary.add_row(key, value)
    output = console()
    output.print(summary)
    for path in written:
        output.print(f"written: {path}", highlight=False, markup=False, soft_wrap=True)
