"""How much of each reader's code the damaged inputs reach.

The lines are those that can run in the files of a reader, without what writes the format and what
runs after the reading. Readers in Rust are built with the counters of LLVM (`-C
instrument-coverage`, `llvm-cov` of `rustup component add llvm-tools`), those in Python run under
coverage.py, if they are installed. Readers in processes of their own (Python programs, OTF2) are
not measured: their code runs where the tracer does not see it.

Each reader gets 20,000 inputs in Rust and 1,000 in Python, of the parts below, and should reach
nine tenths of its lines. "Least" names the file with the most lines that no input reached. What
damage cannot reach are errors of the system, limits of large inputs, and what front ends refuse of
each other.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from campaign.parts.readers_rust import ROOT, readers
from campaign.python_readers import READERS
from campaign.reader_files import NO_READING, PYTHON, RUST
from campaign.stretch import Stretch

TITLE = "Coverage of readers"
COLUMNS = {
    "inputs": "inputs",
    "lines": "lines",
    "reached": "reached",
    "share": "share (%)",
    "least": "least",
    "failures": "failures",
}
_RUST_INPUTS, _PYTHON_INPUTS = 20_000, 1_000
_PACKAGE = ROOT / "python" / "pantala"
_CRATES = ROOT / "crates"


@dataclass(frozen=True)
class Reached:
    """Lines of a file.

    Attributes:
        lines: that can run.
        reached: that ran.
    """

    lines: int
    reached: int


def run(stretch: Stretch) -> None:
    """Measures every reader once, a case each; a second stretch measures them again."""
    tools = _llvm()
    # What else runs with the counters, such as macros in a build, leaves its counts there.
    os.environ["LLVM_PROFILE_FILE"] = str(stretch.scratch / "unused.profraw")
    program: Path | None = None
    for _, (language, name) in stretch.round(plan()):
        row = f"{name} ({language})"
        if language == "Rust":
            if tools is None:
                stretch.state(row, share="not measured: no llvm-cov")
                continue
            program = program or _driver()
            _state(stretch, row, _RUST_INPUTS, of_rust(tools, program, name, stretch))
        elif not _has_coverage():
            stretch.state(row, share="not measured: no coverage.py")
        else:
            inputs = max(1, _PYTHON_INPUTS // READERS[name].every)
            _state(stretch, row, inputs, of_python(name, inputs, stretch))


def plan() -> list[tuple[str, str]]:
    """Returns the readers that are measured, with their languages."""
    return [("Python", name) for name in PYTHON] + [("Rust", name) for name in RUST]


def _state(stretch: Stretch, row: str, inputs: int, files: dict[str, Reached]) -> None:
    lines = sum(each.lines for each in files.values())
    reached = sum(each.reached for each in files.values())
    least = max(files, key=lambda name: files[name].lines - files[name].reached, default="")
    stretch.state(
        row,
        inputs=inputs,
        lines=lines,
        reached=reached,
        share=round(100 * reached / max(lines, 1), 1),
        failures=0,
    )
    if least:
        of = files[least]
        stretch.state(row, least=f"{least}: {of.reached} of {of.lines}")


def _llvm() -> Path | None:
    """Returns the folder of llvm-cov and llvm-profdata of this toolchain; None without them."""
    shown = subprocess.run(
        ["rustc", "--print", "target-libdir"], capture_output=True, text=True, check=False, cwd=ROOT
    )
    folder = Path(shown.stdout.strip()).parent / "bin"
    return folder if (folder / "llvm-cov").exists() else None


def _driver() -> Path:
    """Builds the driver of the readers in Rust with counters of its lines."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "coverage"
    subprocess.run(
        [
            *("cargo", "build", "--quiet", "--profile", "testing", "--locked"),
            *("--target-dir", target, "-p", "pantala-sim", "-p", "pantala-python"),
            *("--example", "damaged_inputs"),
        ],
        cwd=ROOT,
        check=True,
        env=os.environ | {"RUSTFLAGS": "-C instrument-coverage"},
    )
    return target / "testing/examples/damaged_inputs"


def of_rust(tools: Path, program: Path, name: str, stretch: Stretch) -> dict[str, Reached]:
    """Returns the lines of a reader in Rust that its inputs reach, by file."""
    assert name in readers(program)
    with tempfile.TemporaryDirectory(dir=stretch.scratch) as folder:
        raw, merged = Path(folder) / "raw", Path(folder) / "merged"
        subprocess.run(
            [program, name, str(stretch.seed), "0", str(_RUST_INPUTS)],
            check=True,
            stdout=subprocess.DEVNULL,
            env=os.environ | {"LLVM_PROFILE_FILE": str(raw)},
        )
        subprocess.run([tools / "llvm-profdata", "merge", "-o", merged, raw], check=True)
        shown = subprocess.run(
            [tools / "llvm-cov", "export", "-summary-only", f"-instr-profile={merged}", program],
            check=True,
            capture_output=True,
            text=True,
        )
    return rust_files(json.loads(shown.stdout), RUST[name])


def rust_files(told: dict[str, Any], wanted: tuple[str, ...]) -> dict[str, Reached]:
    """Returns the lines of the files below `crates` that patterns match, from llvm-cov's JSON."""
    found = {}
    for file in told["data"][0]["files"]:
        path = Path(file["filename"])
        if path.is_relative_to(_CRATES):
            place = path.relative_to(_CRATES)
            if any(place.match(pattern) for pattern in wanted):
                lines = file["summary"]["lines"]
                found[str(Path(*place.parts[2:]))] = Reached(lines["count"], lines["covered"])
    return found


def of_python(name: str, inputs: int, stretch: Stretch) -> dict[str, Reached]:
    """Returns the lines of a reader in Python that its inputs reach, by file."""
    files = [path for pattern in PYTHON[name] for path in sorted(_PACKAGE.glob(pattern))]
    with tempfile.TemporaryDirectory(dir=stretch.scratch) as folder:
        data, told, settings = (Path(folder) / name for name in ("data", "told.json", "settings"))
        settings.write_text("\n    ".join(["[report]\nexclude_also =", *NO_READING]) + "\n")
        tracer = [sys.executable, "-m", "coverage"]
        include = f"--include={','.join(map(str, files))}"
        work = [*tracer, "run", f"--data-file={data}", include, __file__, name]
        subprocess.run([*work, str(stretch.seed), str(inputs), folder], check=True)
        subprocess.run(
            [*tracer, "json", "-q", f"--rcfile={settings}", f"--data-file={data}", "-o", told],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        found: dict[str, Any] = json.loads(told.read_text())["files"]
    made = {}
    for file, each in found.items():
        counts = each["summary"]
        place = str(Path(file).resolve().relative_to(_PACKAGE))
        made[place] = Reached(counts["num_statements"], counts["covered_lines"])
    return made


def _has_coverage() -> bool:
    tried = subprocess.run(
        [sys.executable, "-m", "coverage", "--version"], capture_output=True, check=False
    )
    return tried.returncode == 0


def _work(name: str, seed: str, inputs: str, scratch: str) -> None:
    """Gives inputs to a reader, in the process that is traced."""
    from campaign.parts.readers_python import limit_memory, tried

    limit_memory()
    stretch = Stretch("coverage", int(seed), 0, Path(scratch), Path(scratch))
    for number in range(int(inputs)):
        tried(stretch, name, number * READERS[name].every, Path(scratch))


if __name__ == "__main__":
    _work(*sys.argv[1:])
