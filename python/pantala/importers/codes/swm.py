"""Scalable workload models (SWM) of CODES: their JSON files as workloads of a scenario.

Facts about the models and their keys are from the sources of SWM-workloads (github.com/codes-org).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from pantala.importers.place import Place, read_text

__all__ = ["FILES", "REFUSED", "swm_workload"]

#: The JSON files that CODES reads, by the name in a workload file: folder in SWM-workloads, file.
FILES: Mapping[str, tuple[str, str]] = {
    "allreduce": ("allreduce", "allreduce_workload.json"),
    "allreduce32": ("allreduce", "allreduce32_workload.json"),
    "allreduce256": ("allreduce", "allreduce256_workload.json"),
    "incast": ("incast", "incast.json"),
    "incast1": ("incast", "incast1.json"),
    "incast2": ("incast", "incast2.json"),
    "lammps": ("lammps", "lammps_workload.json"),
    "lammps1": ("lammps", "lammps_workload1.json"),
    "milc": ("milc", "milc_skeleton.json"),
    "nearest_neighbor": ("nearest_neighbor", "skeleton.json"),
    "nekbone": ("nekbone", "workload.json"),
    "nekbone1": ("nekbone", "workload1.json"),
}
_WRITE = "write it as a Python or coNCePTuaL program"
#: Reason and remedy of the models that Pantala does not run.
REFUSED: Mapping[str, tuple[str, str]] = {
    "layered_allbcast": ("no built-in application broadcasts from each rank in layers", _WRITE),
    "many_to_many": ("no built-in application has its sources and targets", _WRITE),
    "many_to_many1": ("no built-in application has its sources and targets", _WRITE),
    "periodic_aggressor": ("no built-in application sends in bursts with pauses", _WRITE),
    "spread": ("no built-in application sends from one rank to all others", _WRITE),
}


@dataclass(frozen=True)
class _Model:
    """The JSON file of a model.

    Attributes:
        file: the file.
        name: the model's name in the workload file.
        ranks: the job's number of ranks.
        keys: the object ``jobs.cfg``.
    """

    file: Path
    name: str
    ranks: int
    keys: Mapping[str, Any]

    def count(self, key: str, default: int, least: int = 0) -> int:
        """Returns a whole number."""
        value = self.keys.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value < 2**32:
            raise self.error(key, "is not a whole number", f"write a number from {least} on")
        return value

    def counts(self, key: str) -> list[int]:
        """Returns a list of whole numbers from 1 on."""
        value = self.keys.get(key)
        if not isinstance(value, list) or not all(type(n) is int and n > 0 for n in value):
            raise self.error(key, "is not a list of numbers from 1 on", "write e.g. [4, 4, 4]")
        return value

    def number(self, key: str, default: float) -> float:
        """Returns a number above 0."""
        value = self.keys.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e18:
            raise self.error(key, "is not a number above 0", f"write e.g. {default:g}")
        return float(value)

    def flag(self, key: str, default: bool) -> bool:
        """Returns true or false, which may also be 1 or 0."""
        value = self.keys.get(key, default)
        if value not in (0, 1):
            raise self.error(key, "is neither true nor false", "write true or false")
        return bool(value)

    def computing(self) -> str:
        """Returns the time of `compute_delay` cycles."""
        cycles, frequency = self.count("compute_delay", 0), self.number("cpu_freq", 2e9)
        return f"{round(cycles * 1e12 / frequency)} ps"

    def grid(self) -> list[int]:
        """Returns the grid of ranks."""
        grid = self.counts("dimension_sizes")
        if len(grid) != self.count("dimension_cnt", 0):
            message = f"has {len(grid)} extents, but dimension_cnt is not {len(grid)}"
            raise self.error("dimension_sizes", message, "write one extent per dimension")
        return self.whole("dimension_sizes", grid)

    def whole(self, key: str, grid: list[int]) -> list[int]:
        """Returns a grid after a check that all ranks fill it."""
        if prod(grid) != self.ranks:
            message = f"has {prod(grid)} ranks, but the job has {self.ranks}"
            raise self.error(key, message, "write extents with this product")
        return grid

    def refuse(self, key: str, when: bool, message: str, remedy: str) -> None:
        """Raises an error about a key if a condition holds."""
        if when:
            raise self.error(key, message, remedy)

    def error(self, key: str, message: str, remedy: str) -> Exception:
        """Returns an error about a key of the file."""
        value = self.keys.get(key)
        shown = "is missing" if value is None else f"= {json.dumps(value)[:40]} {message}"
        return Place(str(self.file)).error(f"{self.name}: key {key} {shown}", remedy)


def swm_workload(name: str, ranks: int, folder: Path, place: Place) -> dict[str, Any]:
    """Returns a model as the workload of a scenario.

    Args:
        name: its name in the workload file.
        ranks: the job's number of ranks.
        folder: the folder with the JSON files, or with SWM's folders of such files.
        place: the line of the workload file.

    Raises:
        ScenarioError: the JSON file is missing or wrong, or Pantala does not run the model.
    """
    if name in REFUSED:
        reason, remedy = REFUSED[name]
        raise place.error(f"Pantala does not run the model {name}: {reason}", remedy)
    under, file = FILES[name]
    paths = [folder / file, folder / under / file, folder / name / file]
    path = next((each for each in paths if each.is_file()), None)
    if path is None:
        message = f"the model {name} needs {file}, which is not in {folder} or {folder / under}"
        raise place.error(message, "name its folder with --data")
    return _MODELS[under](_read(path, name, ranks))


def _read(path: Path, name: str, ranks: int) -> _Model:
    text = read_text(path, "a JSON file of SWM")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 0)
        message = f"is not JSON: {getattr(error, 'msg', error)}"
        raise Place(str(path), line).error(message, "correct the file") from None
    jobs = data.get("jobs") if isinstance(data, dict) else None
    keys = jobs.get("cfg") if isinstance(jobs, dict) else None
    if not isinstance(jobs, dict) or not isinstance(keys, dict):
        message = "has no object jobs with an object cfg"
        raise Place(str(path)).error(message, "name a file of SWM")
    size = jobs.get("size")
    if size != ranks:
        message = f"jobs.size is {json.dumps(size)}, but the job has {ranks} ranks"
        raise Place(str(path)).error(message, "write the same number in both files")
    return _Model(path, name, ranks, keys)


def _allreduce(model: _Model) -> dict[str, Any]:
    return {
        "kind": "allreduce_loop",
        "message": f"{model.count('msg_req_bytes', 1024, 1)} B",
        "iterations": model.count("iteration_cnt", 1, 1),
        "compute": model.computing(),
    }


def _incast(model: _Model) -> dict[str, Any]:
    target = model.count("dst_rank_id", 0)
    sources = model.keys.get("src_rank_id_interval")
    others = {0: [1, model.ranks - 1], model.ranks - 1: [0, model.ranks - 2]}
    message = "is not all ranks but the target, which is the first or the last"
    model.refuse("src_rank_id_interval", sources != others.get(target), message, _WRITE)
    for key, message in (
        ("blocking_comm", "makes the target receive one message after another"),
        ("scattered_start", "draws a start for each rank"),
        ("use_any_src", "receives from any rank"),
    ):
        model.refuse(key, model.flag(key, False), message, f"write false, or {_WRITE}")
    message = "computes between messages, which the motif does not"
    model.refuse("compute_delay", model.count("compute_delay", 0) > 0, message, "write 0")
    return {
        "kind": "ember.Incast",
        "messageSize": model.count("msg_req_bytes", 0),
        "incasttarget": target,
        "iterations": model.count("iteration_cnt", 1, 1),
    }


def _lammps(model: _Model) -> dict[str, Any]:
    speed = model.number("cpu_sim_speedup", 1.0)
    message = "makes the model compute, and Pantala has no times of its computing"
    model.refuse("cpu_sim_speedup", speed < 1e6, message, "write 1e6, which makes it negligible")
    return {
        "kind": "lammps",
        "replicas": [model.count(f"num_{axis}_replicas", 1, 1) for axis in "xyz"],
        "iterations": model.count("num_time_steps", 1, 1),
    }


def _milc(model: _Model) -> dict[str, Any]:
    grid = model.grid()
    message = "is not 4 dimensions"
    model.refuse("dimension_sizes", len(grid) != 4, message, "write four extents")
    _nearest(model)
    return {
        "kind": "milc_swm",
        "grid": grid,
        "sites": [1, 1, 1, 1],
        "site": f"{model.count('msg_size', 0, 1)} B",
        "iterations": model.count("iteration_cnt", 1, 1),
        "compute": model.computing(),
    }


def _nearest_neighbor(model: _Model) -> dict[str, Any]:
    grid = model.grid()
    model.refuse("dimension_sizes", len(grid) > 5, "has more than 5 dimensions", _WRITE)
    _nearest(model)
    message = "is false: the model then sends nothing"
    model.refuse("synchronous", not model.flag("synchronous", True), message, "write true")
    message = "waits for several exchanges at once"
    model.refuse("iterations_per_sync", model.count("iterations_per_sync", 1) != 1, message, _WRITE)
    dimensions = 3 if len(grid) <= 3 else 5
    return {
        "kind": "halo3d" if dimensions == 3 else "stencil5d",
        "grid": grid + [1] * (dimensions - len(grid)),
        "periodic": True,
        "message": f"{model.count('msg_size', 0, 1)} B",
        "exchange": "at_once",
        "iterations": model.count("iteration_cnt", 1, 1),
        "start_delay": "0 ns",
    }


def _nearest(model: _Model) -> None:
    """Checks that a rank exchanges only with the next ranks along each dimension, in order."""
    message = "is not 1: the model then has partners across edges and corners"
    distance = model.count("max_dimension_distance", 0)
    model.refuse("max_dimension_distance", distance != 1, message, f"write 1, or {_WRITE}")
    key = "randomize_communication_order"
    model.refuse(key, model.flag(key, False), "draws the order of the messages", "write false")


def _nekbone(model: _Model) -> dict[str, Any]:
    first, end, step = (model.count(key, 1, 1) for key in ("Pbegin", "Pend", "Pstep"))
    orders = range(first, end, step)
    model.refuse("Pend", not orders, "is not above Pbegin", "write a larger number")
    model.refuse("Pend", len(orders) > 1_000, "gives more than 1,000 orders", "write less")
    return {
        "kind": "nekbone",
        "grid": model.whole("Rx", [model.count(f"R{axis}", 1, 1) for axis in "xyz"]),
        "elements": [model.count(f"E{axis}", 1, 1) for axis in "xyz"],
        "orders": list(orders),
        "point": f"{model.count('ByteSizeOf1DOF', 1, 1)} B",
        "iterations": 2 * len(orders) * model.count("CGcount", 1, 1),
    }


_MODELS: Mapping[str, Callable[[_Model], dict[str, Any]]] = {
    "allreduce": _allreduce,
    "incast": _incast,
    "lammps": _lammps,
    "milc": _milc,
    "nearest_neighbor": _nearest_neighbor,
    "nekbone": _nekbone,
}
