"""The commands that the part `kill` disturbs: their inputs, their lines, the values they give."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import polars as pl

__all__ = ["VICTIMS", "Victim", "broken_files", "is_temporary", "prepare"]

Values = dict[str, str]
ROOT = Path(__file__).resolve().parents[2]
PANTALA = Path(sys.executable).with_name("pantala")

_TINY = """\
name = "tiny"
interference = true
routing = "ugal_g"
record = { window = "1 us" }
machine = { preset = "kang2022", topology = { p = 2, a = 4, h = 2, g = 9 } }

[[jobs]]
name = "left"
ranks = 16
workload = { kind = "fft3d", grid = [4, 4], points = 32, iterations = 1, start_delay = "0 ns" }

[[jobs]]
name = "right"
ranks = 16
workload = { kind = "halo3d", grid = [2, 2, 4], message = "4 KiB", iterations = 2 }
"""


@dataclass(frozen=True)
class Victim:
    """A command.

    Attributes:
        line: its words after `pantala`; it starts in a folder with the inputs and writes below
            `out`.
        values: returns what it made, from the folder `out`, without clocks and names of machines.
        store: whether its output is a store, which several processes can share.
        workers: whether it starts processes, one of which can be killed alone.
    """

    line: str
    values: Callable[[Path], Values]
    store: bool = False
    workers: bool = False


def prepare(folder: Path) -> set[str]:
    """Makes the inputs of all commands in a folder; returns the commands that cannot run here."""
    folder.mkdir(parents=True)
    (folder / "tiny.toml").write_text(_TINY)
    shutil.copytree(ROOT / "examples/study", folder / "study")
    subprocess.run(
        [PANTALA, "run", "tiny.toml", "--out", "experiment", "--no-report", "--quiet"],
        cwd=folder,
        check=True,
    )
    if not (shutil.which("mpicc") and shutil.which("mpirun")):
        return {"capture"}
    source = ROOT / "tests/mpi_programs/ping_pong.c"
    subprocess.run(["mpicc", "-o", folder / "ping_pong", source], check=True)
    return set()


def is_temporary(name: str) -> bool:
    """Returns whether a name says that its file is unfinished."""
    return name.startswith(".") or name.endswith((".partial", ".scratch"))


def broken_files(out: Path) -> list[str]:
    """Returns the files below a folder that look whole and are not, with the reason."""
    return [
        f"{path.relative_to(out)}: {reason}"
        for path in sorted(out.rglob("*"))
        if path.is_file()
        and not path.is_symlink()
        and not any(is_temporary(part) for part in path.relative_to(out).parts)
        and not _unfinished(path.relative_to(out))
        and (reason := _broken(path))
    ]


def _unfinished(path: Path) -> bool:
    """Returns whether a file is of a run or a capture in progress, or is a lease."""
    parts = set(path.parts)
    return bool({"partial", "leases"} & parts) or any(p.endswith(".unfinished") for p in parts)


def _broken(path: Path) -> str:
    """Returns why a file is not whole; empty if it is."""
    try:
        data = path.read_bytes()
        kind = path.suffix
        if kind in (".json", ".jsonl"):
            # The last line of a log may be cut off: its readers leave it out.
            lines = data.splitlines()[:-1] if kind == ".jsonl" else [data]
            for line in lines:
                json.loads(line)
        elif kind == ".parquet":
            pl.read_parquet(path)
        elif kind == ".zip":
            with zipfile.ZipFile(path) as archive:
                if bad := archive.testzip():
                    return f"damaged member {bad}"
        elif kind == ".html" and not data.rstrip().endswith(b"</html>"):
            return "ends before </html>"
        elif kind == ".graphml":
            ElementTree.fromstring(data)
        elif kind == ".operations" and not data.endswith(b"PANTEND\0"):
            return "ends before its mark"
    except FileNotFoundError:  # removed meanwhile by its owner
        return ""
    except Exception as error:
        return f"{type(error).__name__}: {error}".splitlines()[0]
    return ""


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()[:16]


def _table(frame: pl.DataFrame) -> str:
    """Returns a digest of the values of a table."""
    return _digest(frame.write_json().encode())


def _runs(out: Path) -> Values:
    """Returns the plan and the results of each finished run below a folder."""
    found: Values = {}
    for path in sorted(out.glob("*/runs/*/*/run.json")):
        run: dict[str, Any] = json.loads(path.read_text())
        found[path.parent.name] = _digest(
            json.dumps([run[key] for key in ("plan", "result_hash", "complete", "tables")]).encode()
        )
    return found


def _sweep(out: Path) -> Values:
    import pantala as pt

    experiment = pt.Experiment(out / "sweep")
    runs = experiment.runs.select("case", "run", "state", "result_hash", "simulated_ns")
    tables = {name: _table(experiment.table(name).collect()) for name in ("jobs", "ranks", "links")}
    return {**_runs(out), "listed": _table(runs), **tables}


def _interference(out: Path) -> Values:
    said = json.loads((out / "run/interference.json").read_text())
    return {
        **_runs(out),
        "experiment": _digest(json.dumps(said).encode()),
        "slowdown": _table(pl.read_parquet(out / "run/slowdown.parquet")),
    }


def _study(out: Path) -> Values:
    told = subprocess.run(
        [PANTALA, "study", "claims", "study", "--quick", "--out", "out/study", "--json"],
        cwd=out.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    return {**_runs(out), "claims": _digest(told.stdout.encode())}


def _files(out: Path) -> Values:
    return {path.name: _digest(path.read_bytes()) for path in sorted(out.iterdir())}


def _capture(out: Path) -> Values:
    """Returns the calls of a capture; the computing between them differs each time."""
    from pantala.workloads.operation_file import operations_summary

    found = operations_summary(str(out / "capture/capture.operations"))
    kept = ("ranks", "operations", "calls", "call_bytes", "communicators", "matrix")
    return {"calls": json.dumps({key: found[key] for key in kept})}


VICTIMS = {
    "sweep": Victim(
        "sweep tiny.toml --axis routing.algorithm=minimal,ugal_g --seeds 2 --workers 2"
        " --out out/sweep",
        _sweep,
        store=True,
        workers=True,
    ),
    "interference": Victim("run tiny.toml --out out/run", _interference, store=True),
    "study": Victim(
        "study run study --quick --workers 2 --out out/study", _study, store=True, workers=True
    ),
    "report": Victim("report experiment --out out/report.html", _files),
    "compare": Victim(
        "compare experiment/together experiment/alone-left --job left --out out/page.html", _files
    ),
    "export": Victim("export experiment/together --format graphml --out out/run.graphml", _files),
    "capture": Victim(
        "capture --out out/capture -- mpirun --allow-run-as-root --oversubscribe -n 2 ./ping_pong",
        _capture,
        workers=True,
    ),
}
