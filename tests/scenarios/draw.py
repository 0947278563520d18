"""Draws valid scenarios of small machines: a base that runs, and keys that it accepts.

Machines, routings, placements, workloads and front ends take turns. Then keys are added one by one,
the rarest first, and those that the scenario refuses are left out.
"""

from __future__ import annotations

import random
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

import pantala as pt
from pantala.core.routings import ROUTINGS
from scenarios.values import Values

__all__ = ["Drawing"]

#: Machines of at most 72 nodes. Presets bring their router, links and defaults.
MACHINES: tuple[dict[str, Any], ...] = (
    {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}},
    {"preset": "kang2022", "topology": {"p": 3, "a": 3, "h": 2, "g": 4, "links_per_pair": 2}},
    {"preset": "booksim2", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}},
    {"preset": "caminos", "topology": {"p": 2, "a": 4, "h": 2, "g": 5}},
    {"preset": "wang2020_1d", "topology": {"p": 2, "a": 4, "h": 2, "g": 6, "links_per_pair": 1}},
    {"preset": "prisacari2015(2,4,2)"},
    {
        "preset": "theta",
        "topology": {"p": 2, "rows": 2, "columns": 3, "h": 2, "g": 4, "links_per_pair": 0},
    },
    {
        "preset": "wang2020_2d",
        "topology": {"p": 2, "rows": 2, "columns": 2, "h": 2, "g": 5, "links_per_pair": 0},
    },
    {"preset": "yang2016", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}},
)
#: Models that replace the router of a machine, in turn; None keeps it.
ROUTERS = (
    None,
    "pantala",
    "sst_sc22",
    "codes_dally",
    None,
    "booksim2",
    "caminos",
    "sst_merlin_2021",
)
PLACEMENTS: tuple[Any, ...] = (
    "random",
    "contiguous",
    "compact",
    "dispersed",
    "hybrid",
    "random_routers",
    "random_groups",
    {"kind": "contiguous", "numbering": "random_groups"},
    {"kind": "compact", "groups": 2},
)
#: Files by the table that names them, relative to the root of the project.
FILES: dict[str, list[Any]] = {
    "Ncptl": ["ping_pong", "nearest_neighbor", "cosmoflow", "lammps", "milc", "nekbone"],
    "PythonProgram": ["nearest_neighbor", "cosmoflow", "lammps", "milc", "nekbone"],
    "Trace": ["examples/traces/ring", "examples/traces/binomial_tree.goal"],
}
RANKS = (4, 6, 8, 9, 12, 16, 18, 24, 27, 32, 64)
#: Keys that are drawn apart, or need files of their own.
APART = frozenset(
    {
        ("Scenario", "name"),
        ("Scenario", "jobs"),
        ("Scenario", "interference"),
        ("Job", "name"),
        ("Job", "workload"),
        ("Machine", "preset"),
        ("Router", "model"),
        ("QAdaptive", "table"),
        ("Topology", "kind"),
        ("Topology", "links_file"),
        ("PythonProgram", "time_limit"),
        ("PythonProgram", "memory_limit"),
        ("PythonProgram", "operations_limit"),
    }
)
_TRIES = 60


class Drawing:
    """Scenarios in the order of their numbers.

    Args:
        schema: the JSON Schema of a scenario.
        seed: the seed of all draws.
    """

    def __init__(self, schema: Mapping[str, Any], seed: int) -> None:
        self.schema = schema
        self.draws = random.Random(seed)
        #: How often each key was given, by its table and name.
        self.given: Counter[tuple[str, str]] = Counter()
        mapping = schema["$defs"]["Workload"]["discriminator"]["mapping"]
        left_out = {"operations"}  # a file of a run
        self.kinds = [kind for kind in mapping if kind not in left_out]
        self.draws.shuffle(self.kinds)
        self.algorithms = [each.name for each in ROUTINGS]
        self._turn = 0

    def scenario(self, number: int, keys: int) -> dict[str, Any] | None:
        """Returns the tables of a scenario with about so many keys beside its base, or None."""
        machine = deepcopy(MACHINES[number % len(MACHINES)])
        router = ROUTERS[number // 2 % len(ROUTERS)]
        if router is not None:
            machine["router"] = {"model": router}
        base: dict[str, Any] = {
            "name": f"drawn-{number}",
            "seed": self.draws.randint(1, 9),
            "machine": machine,
            "routing": {"algorithm": self.algorithms[number % len(self.algorithms)]},
            "stop": {"duration": self.draws.choice(("8 us", "20 us", "40 us"))},
            "jobs": [],
        }
        for place in range(self.draws.choice((1, 2, 2, 3))):
            job = self._job(base, f"job{place}")
            if job is not None:
                base["jobs"].append(job)
        if not base["jobs"]:
            return None
        if number % 7 == 3:
            self._accept(base, {**base, "mpi": "sst_sc22"})
        if number % 5 == 4 and len(base["jobs"]) > 1:
            self._accept(base, {**base, "interference": True})
        for _ in range(keys):
            self._add_key(base)
        return base

    def _job(self, base: dict[str, Any], name: str) -> dict[str, Any] | None:
        kind = self.kinds[self._turn % len(self.kinds)]
        self._turn += 1
        table = self._table_of(kind)
        schema = self.schema["$defs"][table]
        for _ in range(_TRIES):
            ranks = self.draws.choice(RANKS)
            values = Values(self.draws, self.schema, [name], ranks)
            workload = {"kind": kind} | self._workload(table, schema, values)
            job: dict[str, Any] = {"name": name, "workload": workload}
            if kind != "trace":
                job["ranks"] = ranks
            if self.draws.random() < 0.7:
                job["placement"] = self.draws.choice(PLACEMENTS)
            tables = {**base, "jobs": [*base["jobs"], job]}
            for free in ({}, {"allow_deadlock": True}):
                if accepted({**tables, **free}):
                    base |= free
                    self.given.update((table, key) for key in workload)
                    return job
        return None

    def _workload(self, table: str, schema: Mapping[str, Any], values: Values) -> dict[str, Any]:
        keys = schema["properties"]
        found: dict[str, Any] = {}
        for key in schema.get("required", ()):
            if key != "kind" and key not in ("file", "path"):
                found[key] = values.draw(keys[key])
        if table in FILES:
            stem = self.draws.choice(FILES[table])
            ending = {"Ncptl": "ncptl", "PythonProgram": "py"}.get(table)
            path = f"examples/programs/{stem}.{ending}" if ending else stem
            found["path" if table == "Trace" else "file"] = path
        if "iterations" in keys:
            found["iterations"] = self.draws.choice((1, 2, 3))
        if "start_delay" in keys:
            found["start_delay"] = "0 ns"
        if "load" in found:
            found["load"] = self.draws.choice((0.1, 0.3, 0.6))
        for key in ("message", "messageSize", "gradient"):
            if key in keys and self.draws.random() < 0.8 and "examples" in keys[key]:
                found[key] = values.draw(keys[key])
        return found

    def _table_of(self, kind: str) -> str:
        mapping: dict[str, str] = self.schema["$defs"]["Workload"]["discriminator"]["mapping"]
        return mapping[kind].rsplit("/", 1)[-1]

    def _add_key(self, base: dict[str, Any]) -> None:
        """Gives one of the rarest keys that the scenario does not have, if it accepts it."""
        free = list(self._free("Scenario", self.schema, (), base))
        self.draws.shuffle(free)
        free.sort(key=lambda each: self.given[each[:2]])
        table, key, path, schema = free[min(int(self.draws.expovariate(0.25)), len(free) - 1)]
        jobs = [job["name"] for job in base["jobs"]]
        ranks = base["jobs"][path[1]].get("ranks", 8) if path[:1] == ("jobs",) else 8
        values = Values(self.draws, self.schema, jobs, ranks)
        # A key that is refused every time comes later.
        self.given[table, key] += 1
        for _ in range(3):
            changed = deepcopy(base)
            at: Any = changed
            for step in path:
                if isinstance(at, dict) and not isinstance(at.get(step), dict | list):
                    at[step] = {}
                at = at[step]
            at[key] = self._value(key, schema, values)
            if self._accept(base, changed):
                return

    def _value(self, key: str, schema: Mapping[str, Any], values: Values) -> Any:
        if key == "algorithm":
            return self.draws.choice(self.algorithms)
        if key == "placement":
            return self.draws.choice(PLACEMENTS)
        return values.draw(schema)

    def _accept(self, base: dict[str, Any], changed: dict[str, Any]) -> bool:
        if not accepted(changed):
            return False
        base.clear()
        base.update(changed)
        return True

    def _free(
        self, table: str, schema: Mapping[str, Any], path: tuple[Any, ...], given: Any
    ) -> Iterator[tuple[str, str, tuple[Any, ...], Mapping[str, Any]]]:
        """Yields the keys that a table and the tables below it do not have."""
        values = Values(self.draws, self.schema, [])
        for key, inner in schema["properties"].items():
            if (table, key) == ("Scenario", "jobs"):
                job = self.schema["$defs"]["Job"]
                for number, each in enumerate(given["jobs"]):
                    yield from self._free("Job", job, ("jobs", number), each)
                    kind = self._table_of(each["workload"]["kind"])
                    below = (*path, "jobs", number, "workload")
                    yield from self._free(kind, self.schema["$defs"][kind], below, each["workload"])
                continue
            if (table, key) in APART or "const" in inner:
                continue
            name, keys = values.table(inner)
            there = given.get(key)
            if keys is not None and (isinstance(there, dict) or (there is None and key in _OPENED)):
                yield from self._free(name, keys, (*path, key), there or {})
            elif key not in given:
                yield table, key, path, inner


#: Tables whose keys are drawn one by one although the scenario does not have the table.
_OPENED = frozenset({"machine", "topology", "links", "router", "nic", "mpi", "record", "stop"})
_OPENED |= {
    "routing",
    "q_adaptive",
    "aries",
    "collectives",
    "terminal",
    "local",
    "global",
    "detail",
}


def accepted(tables: Mapping[str, Any]) -> bool:
    """Returns whether Pantala would run a scenario."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            pt.Scenario.from_dict(tables).resolve()
        except pt.PantalaError:
            return False
    return True
