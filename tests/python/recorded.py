"""A small scenario with a record."""

from __future__ import annotations

import pantala as pt


def recorded_scenario(record: object, **workload_keys: object) -> pt.Scenario:
    workload = {"kind": "halo3d", "grid": [2, 2, 2], "message": "16 kB", "iterations": 2}
    workload |= workload_keys
    jobs = [{"name": name, "ranks": 8, "workload": workload} for name in ("ring", "other")]
    machine = {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}}
    tables = {"name": "records", "machine": machine, "routing": "minimal", "jobs": jobs}
    return pt.Scenario.from_dict({**tables, "record": record})
