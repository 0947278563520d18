"""docs/reference: the pages of tables, metrics, presets and commands."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any


def tables_page() -> str:
    """Returns the page of all tables of a run directory, from `pantala.catalogue.tables`."""
    from pantala.catalogue.tables import TABLES

    parts = [
        "# Tables",
        (
            "A run directory holds `run.json` and the Parquet files below. A time is in simulated"
            " nanoseconds from the start of the simulation, unless its description says that it is"
            " a duration. Sizes are in bytes. A table that was not recorded has no rows. [Read the"
            " results](../how-to/read-results.md) has examples."
        ),
    ]
    for found in TABLES.values():
        switch = f" Key: `{found.switch}`." if found.switch else ""
        rows = [
            (
                f"`{column.name}`",
                column.type + (", or null" if column.nullable else ""),
                column.unit,
                column.text,
            )
            for column in found.columns
        ]
        parts += [
            f"## {found.name}",
            f"`{found.file}`. {found.text}{switch}",
            table(("column", "type", "unit", "meaning"), rows),
        ]
    return page(parts)


def metrics_page() -> str:
    """Returns the page of the metrics."""
    from pantala.metrics import all_functions, all_metrics

    parts = [
        "# Metrics",
        "`Run.metric(name, job=...)` returns the value of a metric of a run or a job. The name ends"
        " in its unit. `pantala metrics` lists all metrics, and `pantala metrics --run DIR` prints"
        " their values.",
    ]
    for scope, words in (("job", "## Metrics of a job"), ("run", "## Metrics of a run")):
        rows = [
            (f"`{metric.name}`", metric.text) for metric in all_metrics() if metric.scope == scope
        ]
        parts += [words, table(("metric", "meaning"), rows)]
    parts += [
        "## Functions of tables",
        "`pantala.metrics` has these functions. They take rows of a run's tables, or numbers, and"
        " need no run. `pantala metrics NAME` prints a definition with arguments and errors.",
        table(
            ("function", "of", "unit", "meaning", "source"),
            [
                (
                    f"`{each.name}`",
                    each.of,
                    each.unit,
                    each.text.split(": ", 1)[1],
                    each.source,
                )
                for each in all_functions()
            ],
        ),
    ]
    return page(parts)


def presets_page() -> str:
    """Returns the page of all presets, with their values, sources and notes."""
    from pantala import Machine, machine_presets, mix_presets, router_presets
    from pantala.scenario.presets import example, mpi_presets, preset_text

    parts = [
        "# Presets",
        (
            "There are presets for machines (`machine.preset`), mixes of jobs (`jobs`), router"
            " models (`machine.router.model`) and host stacks (`mpi.preset`). A scenario replaces a"
            " value of a preset by setting its key. An asterisk marks an assumption: no paper"
            " states the value. The resolved plan lists assumptions below `assumptions` until the"
            " scenario sets another value."
        ),
    ]
    for name in machine_presets():
        nodes = f"{Machine.of(name).nodes:,} nodes."
        parts += [
            f"## {example(name)}",
            clean(f"{preset_text('machines', name)} {nodes}"),
            *_entries("machines", name),
        ]
    for name in mix_presets():
        parts += [
            f"## {name}",
            clean(preset_text("mixes", name)),
            *_entries("mixes", name),
        ]
    parts += [
        "## Router models",
        "[The router model](../explanation/fabric.md#choices-of-a-router) explains the keys.",
    ]
    for name in router_presets():
        parts += [
            f"### router: {name}",
            clean(preset_text("routers", name)),
            *_entries("routers", name),
        ]
    for name in mpi_presets():
        link = "[Host costs](../explanation/mpi.md#host-costs) explains the keys."
        parts += [
            f"## mpi: {name}",
            clean(f"{preset_text('mpi', name)} {link}"),
            *_entries("mpi", name),
        ]
    return page(parts)


def _entries(folder: str, name: str) -> list[str]:
    """Returns the values of a preset as a table, and its sources."""
    from pantala.scenario.presets import preset_entries, preset_source_texts

    rows = [
        (
            f"`{key}`",
            f"`{json.dumps(entry.value)}`",
            ", ".join(entry.sources) + (" *" if entry.assumed and folder != "routers" else ""),
            entry.note,
        )
        for key, entry in preset_entries(folder, name).items()
    ]
    sentence = "; ".join(
        f"*{source}*: {text}" for source, text in preset_source_texts(folder, name).items()
    )
    return [table(("key", "value", "source", "note"), rows), clean(f"Sources. {sentence}.")]


def commands_page() -> str:
    """Returns the page of all commands with their arguments and options."""
    import typer

    from pantala.cli import app

    group: Any = typer.main.get_command(app)
    parts = [
        "# Commands",
        (
            "Exit status: 0, the command succeeded; 1, the simulation or Pantala failed; 2, the"
            " input is wrong; 130, the command was interrupted; 141, the reader of the output has"
            " closed its pipe, as `| head` does. `pantala --debug COMMAND` shows the traceback of"
            " an error."
        ),
    ]
    for name, command in _commands(group):
        arguments = [item for item in command.params if item.param_type_name == "argument"]
        options = [
            item for item in command.params if item.param_type_name == "option" and not item.hidden
        ]
        words = " ".join(_argument(item) for item in arguments)
        parts += [
            f"## pantala {name}",
            f"```\npantala {name} {words} [OPTIONS]\n```".replace("  ", " "),
        ]
        parts.append(clean(command.help or ""))
        rows = [
            (f"`{item.metavar or item.name.upper()}`", item.help or "", "") for item in arguments
        ]
        rows += [(_option(item), item.help or "", _default(item)) for item in options]
        if rows:
            parts.append(table(("argument or option", "meaning", "default"), rows))
    return page(parts)


def _commands(group: Any) -> Iterable[tuple[str, Any]]:
    """Yields the commands of a group by name; commands of inner groups are ``study run``."""
    for name, command in group.commands.items():
        inner = getattr(command, "commands", None)
        if inner is None:
            yield name, command
        else:
            yield from ((f"{name} {below}", deeper) for below, deeper in _commands(command))


def page(parts: Iterable[str]) -> str:
    """Returns a page of paragraphs."""
    return "\n\n".join(part for part in parts if part) + "\n"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Returns a table in Markdown."""
    lines = [headings, ["---"] * len(headings), *([_cell(cell) for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(text: str) -> str:
    lines = re.sub(r"^- (\w+):", r"- `\1`:", text, flags=re.MULTILINE).replace("\n- ", "<br>- ")
    pieces = [clean(line) for line in lines.split("<br>")]
    return "<br>".join(" ".join(piece.split()) for piece in pieces).replace("|", "\\|")


def clean(text: str) -> str:
    """Returns a text as Markdown.

    Rich's marks and names with underscores become code. Less-than signs are escaped.
    """
    text = re.sub(r"\[b\](.*?)\[/b\]", r"`\1`", text).replace("``", "`")
    plain = re.split(r"(`[^`]*`)", text)
    for number in range(0, len(plain), 2):
        piece = plain[number].replace("<", "&lt;")
        plain[number] = re.sub(r"(?<![\w`])(\w*_\w+)", r"`\1`", piece)
    return "".join(plain)


# --- commands ---


def _argument(item: Any) -> str:
    name = item.metavar or item.name.upper()
    return str(name) if item.required else f"[{name}]"


def _option(item: Any) -> str:
    names = ", ".join(f"`{name}`" for name in item.opts)
    return names if item.is_flag else f"{names} {item.metavar or 'VALUE'}"


def _default(item: Any) -> str:
    if item.default is None or item.is_flag or not item.show_default:
        return ""
    return f"`{item.default}`"
