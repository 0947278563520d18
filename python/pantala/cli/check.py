"""`pantala check`: is the scenario right, and what exactly would run?"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

__all__ = ["HELP", "check", "plan_text"]

HELP = """Check a scenario and show the resolved plan: every default, every rank's node, what follows from them.

Without --plan the plan goes to standard output, as JSON.
"""

_WIDTH = 110


def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The scenario, a TOML file.", show_default=False)],
    plan: Annotated[
        Path | None, typer.Option("--plan", metavar="FILE", help="Write the resolved plan to a file instead.")
    ] = None,
) -> None:
    """Checks a scenario file."""
    from pantala.errors import UsageError
    from pantala.scenario import Scenario

    scenario = Scenario.from_toml(file)
    text = plan_text(scenario.resolve())
    if plan is None:
        print(text)
    else:
        partial = plan.with_name(f".{plan.name}.partial-{os.getpid()}")
        try:
            partial.write_text(text + "\n", encoding="utf-8")
            partial.replace(plan)
        except OSError as error:
            raise UsageError(f"{plan}: cannot be written: {error.strerror}; name another --plan") from None
    jobs = f"{len(scenario.jobs)} job{'' if len(scenario.jobs) == 1 else 's'}"
    ranks = sum(job.ranks for job in scenario.jobs)
    print(f"{file}: right; {jobs}, {ranks:,} of {scenario.machine.nodes:,} nodes", file=sys.stderr)


def plan_text(plan: dict[str, Any]) -> str:
    """A plan as JSON to read: a key a line, lists of numbers side by side."""
    return _text(plan, 0)


def _text(value: Any, depth: int) -> str:
    plain = json.dumps(value, ensure_ascii=False)
    if len(plain) + 2 * depth <= _WIDTH and not (isinstance(value, dict) and depth == 0):
        return plain
    inner, outer = "  " * (depth + 1), "  " * depth
    if isinstance(value, dict):
        items = [f"{inner}{json.dumps(key)}: {_text(item, depth + 1)}" for key, item in value.items()]
        return "{\n" + ",\n".join(items) + f"\n{outer}}}"
    if isinstance(value, list) and not any(isinstance(item, dict | list) for item in value):
        lines, line = [], ""
        for item in (json.dumps(item, ensure_ascii=False) for item in value):
            if line and len(inner) + len(line) + len(item) + 2 > _WIDTH:
                lines.append(f"{inner}{line}")
                line = ""
            line += f"{', ' if line else ''}{item}"
        lines.append(f"{inner}{line}")
        return "[\n" + ",\n".join(lines) + f"\n{outer}]"
    if isinstance(value, list):
        return "[\n" + ",\n".join(f"{inner}{_text(item, depth + 1)}" for item in value) + f"\n{outer}]"
    return plain
