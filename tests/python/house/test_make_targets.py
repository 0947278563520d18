"""Every target of make that README and CONTRIBUTING name is run: by CI, or here in a copy."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support import ROOT

#: Targets that this file runs, with their variables, and the programs that they need.
HERE: dict[str, tuple[list[str], list[str]]] = {
    "fmt": ([], []),
    "generate": ([], []),
    "bench": (["BENCH=uniform-72"], []),
    "benches": (["BENCHES_FLAGS=uniform-72 --repeats 1"], []),
    "compare": (["BENCHES=uniform-72", "COMPARE_FLAGS=--repeats 1"], []),
    "validate": ([], []),
    "estimates": (["ESTIMATES_FLAGS=background-72"], []),
    "instructions": ([], ["valgrind"]),
    "scenarios": ([], []),
    "snapshots": ([], []),
    "stages": (["STAGES_FLAGS=--no-caches uniform-72"], ["valgrind"]),
    "mpi": ([], ["mpicc", "mpirun"]),
}

#: Targets that are run elsewhere than in `.ci/run` and here.
ELSEWHERE = {
    "test-all": "this file runs in it",
    "test-fast": "its tests are a part of those of 'make test'",
    "deny": "'make test-all' runs it",
    "memory": "'make test-all' runs it",
    "wheel": "'make test-all' runs it",
    "web": "it asks a registry of packages; test_bundle.py compares what it writes",
    "lock": "it asks a registry of packages, and tests use no network",
}


def named(page: str) -> set[str]:
    """Returns the targets that a page names in code."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return set(re.findall(r"(?:`|^\$ )make ([a-z-]+)", text, re.MULTILINE))


def targets() -> set[str]:
    """Returns the targets of the Makefile."""
    return set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE))


def run_by_ci() -> set[str]:
    """Returns the targets that `.ci/run` makes, with their prerequisites."""
    lines = re.findall(r"\bmake ([a-z -]+) </dev/null", (ROOT / ".ci/run").read_text())
    made = {target for line in lines for target in line.split()}
    rules = dict(re.findall(r"^([a-z-]+): ([a-z -]+?) *##", (ROOT / "Makefile").read_text(), re.M))
    return made | {needed for target in made for needed in rules.get(target, "").split()}


def test_every_named_target_is_run_somewhere() -> None:
    pages = named("README.md") | named("CONTRIBUTING.md")
    assert {"demo", "test", "docs"} <= named("README.md")
    assert pages <= targets()
    ci = run_by_ci()
    assert {"demo", "test", "build", "lint"} <= ci
    assert pages <= ci | set(HERE) | set(ELSEWHERE)
    assert len(ci) + len(HERE) + len(ELSEWHERE) == len({*ci, *HERE, *ELSEWHERE})


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Returns a copy of the checkout with an environment of its own, so that it may be changed."""
    folder = tmp_path_factory.mktemp("copy")
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    files = [Path(name) for name in names.split("\0") if name and (ROOT / name).is_file()]
    for name in [*files, *(path.relative_to(ROOT) for path in _built())]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
    _environment(folder)
    yield folder
    shutil.rmtree(folder)


def _built() -> list[Path]:
    return list((ROOT / "python/pantala").glob("_core*.so"))


def _environment(folder: Path) -> None:
    """Makes an environment that takes the third-party packages from this one."""
    venv = folder / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    (packages,) = venv.glob("lib/python*/site-packages")
    shared = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "shared.pth").write_text("\n".join([str(folder / "python"), *shared]) + "\n")
    for program in ("maturin", "ruff"):
        (venv / "bin" / program).symlink_to(Path(sys.executable).parent / program)
    (venv / "bin/pantala").write_text(f'#!/bin/sh\nexec "{venv}/bin/python" -m pantala "$@"\n')
    (venv / "bin/pantala").chmod(0o755)
    for name in (".run", ".tools", ".core"):
        (venv / name).touch()


@pytest.mark.full
@pytest.mark.native
@pytest.mark.parametrize(
    "target",
    [
        pytest.param(target, marks=pytest.mark.needs(*needs) if needs else [])
        for target, (_, needs) in HERE.items()
    ],
)
def test_a_target_succeeds(target: str, copy: Path) -> None:
    variables, _ = HERE[target]
    (copy / ".venv/.core").touch()  # `make stages` removes it; here its core serves as well
    environment = {name: value for name, value in os.environ.items() if "MAKE" not in name}
    ended = subprocess.run(
        ["make", target, *variables], cwd=copy, env=environment, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, f"{ended.stdout[-2000:]}\n{ended.stderr[-2000:]}"
    if target in {"fmt", "generate"}:
        assert _changed(copy) == []


def _changed(copy: Path) -> list[str]:
    """Returns the source files of the copy that differ from the checkout."""
    folders = ("crates", "docs", "examples", "mpi", "python", "schema", "tests", "tools")
    return [
        str(path.relative_to(copy))
        for folder in folders
        for path in (copy / folder).rglob("*")
        if path.suffix in {".rs", ".py", ".pyi", ".md", ".json", ".toml"}
        and path.read_bytes() != (ROOT / path.relative_to(copy)).read_bytes()
    ]
