"""The conversion in a process of its own: a damaged trace can crash the library of OTF2.

The process takes the arguments as JSON on standard input, and writes the conversion as JSON to
standard output.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path

from pantala.errors import UsageError
from pantala.files.atomic_file import scratch_folder
from pantala.system.memory import available_memory
from pantala.traces.otf2.convert import Conversion, convert

__all__ = ["convert_apart"]

_LEAST_MEMORY = 1 << 30


def convert_apart(
    trace: Path, out: Path, *, compute: bool, compute_scale: float, memory: int | None = None
) -> Conversion:
    """Converts a trace in OTF2 as `convert` does, in a process of its own.

    Args:
        trace: the anchor file, ``traces.otf2``.
        out: the operation file.
        compute: whether the time between calls is computing.
        compute_scale: a factor of that time.
        memory: bytes that the process may take; half of the free memory if not given.

    Raises:
        UsageError: what `convert` says; or the library crashed, or needs more memory.
    """
    if find_spec("otf2") is None:
        return convert(trace, out, compute=compute, compute_scale=compute_scale)  # says what to do
    request = {
        "trace": str(trace),
        "compute": compute,
        "compute_scale": compute_scale,
        "memory": memory or max(_LEAST_MEMORY, available_memory() // 2),
    }
    command = [sys.executable, "-c", f"import {__name__} as apart; apart.serve()"]
    # What a crash leaves in the folder goes with it.
    with scratch_folder(out.parent) as folder:
        request["out"] = str(folder / "operations")
        ended = subprocess.run(
            command, input=json.dumps(request), capture_output=True, text=True, check=False
        )
        try:
            answer = json.loads(ended.stdout)
        except ValueError:
            raise UsageError(
                f"{trace}: the library of OTF2 {_end(ended)}; the trace is damaged: check it with"
                " otf2-print"
            ) from None
        if "error" in answer:
            raise UsageError(answer["error"])
        Path(answer["file"]).replace(out)
    return Conversion(**{**answer, "file": out, "notes": tuple(answer["notes"])})


def _end(ended: subprocess.CompletedProcess[str]) -> str:
    """Returns how the process ended, in words."""
    if ended.returncode < 0:
        return f"crashed ({signal.Signals(-ended.returncode).name})"
    said = [line.strip() for line in ended.stderr.splitlines() if line.strip()]
    return f"ended with status {ended.returncode} ({said[-1] if said else 'without a message'})"


def serve() -> None:
    """Answers one request: what the process does."""
    import resource

    request = json.load(sys.stdin)
    limit = request.pop("memory")
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        made = convert(request.pop("trace"), request.pop("out"), **request)
        answer = {**asdict(made), "file": str(made.file)}
    except UsageError as error:
        answer = {"error": str(error)}
    json.dump(answer, sys.stdout)
