"""Every integer key at the maximum of its range: the scenario resolves, or one line refuses it.

One process tries all of them, with a limit of memory and of CPU time. If a case exhausts them, the
process ends, and the test names the case.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

import pytest

from pantala.scenario.json_schema import scenario_schema_text
from scenarios.draw import Drawing, accepted
from scenarios.values import Values
from support import ROOT

pytestmark = pytest.mark.native

BASE = tomllib.loads("""
name = "small"
routing = { algorithm = "minimal" }
machine = { preset = "kang2022", topology = { p = 2, a = 4, h = 2, g = 9 } }

[[jobs]]
name = "a"
ranks = 8
workload = { kind = "allreduce_loop", message = "1 kB", iterations = 2 }
""")
#: Changes of the base under which a key can have an effect, tried in turn.
CONTEXTS: tuple[dict[str, Any], ...] = (
    {},
    {"routing": {"algorithm": "aries_ad1"}},
    {"routing": {"algorithm": "q_adaptive"}, "allow_deadlock": True},
    {"routing": {"algorithm": "par"}},
    {"mpi": {"short_buffers": 4}},
    {"machine": {**BASE["machine"], "router": {"crossbar_contention": "vc"}}},
    {
        "machine": {
            "preset": "theta",
            "topology": {"p": 2, "rows": 2, "columns": 3, "h": 2, "g": 4, "links_per_pair": 0},
        }
    },
    {
        "machine": {
            "preset": "kang2022",
            "topology": {**BASE["machine"]["topology"], "global_arrangement": "random"},
        }
    },
)
#: Tables that need files or are tried by a test of their own.
APART = frozenset({"jobs", "snapshot"})
#: Kinds of workloads that need files.
FILES = frozenset({"operations", "trace", "python", "ncptl"})
#: GB of address space, and seconds of CPU for all cases.
LIMITS = (6, 300)

WORKER = f"""
import json, resource, sys, warnings
resource.setrlimit(resource.RLIMIT_AS, ({LIMITS[0]} << 30,) * 2)
resource.setrlimit(resource.RLIMIT_CPU, ({LIMITS[1]},) * 2)
warnings.simplefilter("ignore")
import pantala as pt
for line in sys.stdin:
    said = ""
    for tables in json.loads(line):
        try:
            pt.Scenario.from_dict(tables).resolve()
            said = ""
        except pt.ScenarioError as error:
            said = str(error)
        except Exception as error:
            said = f"{{type(error).__name__}}: {{error}}"
        if "has no effect" not in said and "is not a key" not in said:
            break
    print(json.dumps(said), flush=True)
"""


def maxima(values: Values, schema: Mapping[str, Any]) -> Iterator[Any]:
    """Yields the values with an integer at its maximum that a key can have."""
    _, schema = values.resolved(schema)
    for choice in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        yield from maxima(values, choice)
    if schema.get("type") == "integer" and "maximum" in schema:
        yield schema["maximum"]
    if schema.get("type") == "array":
        sides = [list(maxima(values, side)) for side in schema.get("prefixItems", ())]
        if sides and all(sides):
            yield [side[0] for side in sides]
            yield [sides[0][0], *(1 for _ in sides[1:])]
        for value in maxima(values, schema.get("items", {})):
            yield [value]


def paths(
    values: Values, keys: Mapping[str, Any], path: tuple[str | int, ...]
) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Yields the paths of keys with a maximum, and the value."""
    for key, schema in keys.items():
        for value in maxima(values, schema):
            yield (*path, key), value
        _, table = values.table(schema)
        if table is not None and key not in APART and key != "workload":
            yield from paths(values, table["properties"], (*path, key))


def changed(base: dict[str, Any], path: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    tables = deepcopy(base)
    at: Any = tables
    for step in path[:-1]:
        at = at[step] if isinstance(step, int) else at.setdefault(step, {})
    at[path[-1]] = value
    return tables


def workloads(drawing: Drawing) -> Iterator[dict[str, Any]]:
    """Yields a small scenario for each kind of workload."""
    kinds: dict[str, str] = drawing.schema["$defs"]["Workload"]["discriminator"]["mapping"]
    for kind, reference in kinds.items():
        if kind in FILES:
            continue
        table = reference.rsplit("/", 1)[-1]
        draws = random.Random(kind)
        for _ in range(200):
            ranks = draws.choice((1, 2, 4, 8, 9, 12, 16, 24, 27, 32, 64))
            values = Values(draws, drawing.schema, ["a"], ranks)
            made = drawing._workload(table, drawing.schema["$defs"][table], values)
            job = {"name": "a", "ranks": ranks, "workload": {"kind": kind, **made}}
            tables = {**BASE, "jobs": [job], "stop": {"duration": "8 us"}}
            if accepted(tables):
                yield tables
                break


def cases() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yields each case: its name and the scenarios to try until the key has an effect."""
    schema = json.loads(scenario_schema_text())
    values = Values(random.Random(1), schema, ["a"], 8)
    keys = schema["properties"]
    job = {key: each for key, each in schema["$defs"]["Job"]["properties"].items() if key != "name"}
    for path, value in (*paths(values, keys, ()), *paths(values, job, ("jobs", 0))):
        tried = []
        for context in CONTEXTS:
            tried.append(changed({**BASE, **context}, path, value))
        yield f"{'.'.join(map(str, path))} = {value}", tried
    for placement in (
        {"kind": "compact", "groups": 2**32 - 1},
        {"kind": "dispersed", "groups": 2**32 - 1},
        {"kind": "contiguous", "first_node": 2**32 - 1},
        {"kind": "nodes", "nodes": [2**32 - 1] * 8},
    ):
        yield f"placement = {placement}", [changed(BASE, ("jobs", 0, "placement"), placement)]
    for tables in workloads(Drawing(schema, 1)):
        kind = tables["jobs"][0]["workload"]["kind"]
        table = schema["$defs"]["Workload"]["discriminator"]["mapping"][kind].rsplit("/", 1)[-1]
        for key, each in schema["$defs"][table]["properties"].items():
            for value in maxima(values, each):
                path = ("jobs", 0, "workload", key)
                yield f"{kind}: {key} = {value}", [changed(tables, path, value)]


def test_every_key_at_its_maximum_resolves_or_is_refused_in_a_line() -> None:
    every = list(cases())
    assert len(every) > 250
    text = "".join(f"{json.dumps(tables)}\n" for _, tables in every)
    ended = subprocess.run(
        [sys.executable, "-c", WORKER], input=text, capture_output=True, text=True, cwd=ROOT
    )
    said = [json.loads(line) for line in ended.stdout.splitlines()]
    if len(said) < len(every):
        pytest.fail(f"{every[len(said)][0]}: the process ended: {ended.stderr[-500:]}")
    wrong = [
        f"{name}: {message}"
        for (name, _), message in zip(every, said, strict=True)
        if message
        and (
            not message.startswith("scenario: key ")
            or "\n" in message
            or "--plan plan.json" in message  # a plan that the core cannot read
        )
    ]
    assert wrong == []
    reached = sum("has no effect" not in each and "is not a key" not in each for each in said)
    assert reached >= len(every) - 8
