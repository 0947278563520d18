"""`tools/check-wheel`: a wheel in an empty environment, without a compiler and without network.

Small wheels with a stand-in for the package replace the built one.
"""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from support import ROOT

#: A command that answers as `pantala` does, and refuses a path with a compiler.
COMMAND = """\
import shutil, sys
from pathlib import Path

def main():
    assert shutil.which("cc") is None and shutil.which("cargo") is None
    if sys.argv[1] == "run":
        assert sys.argv[2].endswith("examples/quickstart.toml")
        Path("quickstart").mkdir()
        Path("quickstart", "report.html").touch()
    else:
        print("asked:", sys.argv[1])
"""


def wheel(directory: Path, *needed: str) -> Path:
    """Writes a wheel with a stand-in for the package; returns its directory."""
    info = "pantala-0.1.0.dist-info"
    metadata = ["Metadata-Version: 2.1", "Name: pantala", "Version: 0.1.0"]
    metadata += [f"Requires-Dist: {name}" for name in needed]
    files = {
        "pantala_stand_in.py": COMMAND,
        f"{info}/METADATA": "\n".join(metadata) + "\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": "[console_scripts]\npantala = pantala_stand_in:main\n",
    }
    files[f"{info}/RECORD"] = "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"])
    directory.mkdir()
    with zipfile.ZipFile(directory / "pantala-0.1.0-py3-none-any.whl", "w") as packed:
        for name, text in files.items():
            packed.writestr(name, text)
    return directory


def check(directory: Path) -> subprocess.CompletedProcess[str]:
    """Runs the check where pip has no index."""
    environment = os.environ | {"PYTHON": sys.executable, "PIP_NO_INDEX": "1"}
    return subprocess.run(
        [ROOT / "tools" / "check-wheel", directory],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.full
def test_a_wheel_runs_the_quickstart_without_a_compiler(tmp_path: Path) -> None:
    ended = check(wheel(tmp_path / "wheels"))
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines() == [
        "asked: --version",
        "check-wheel: pantala-0.1.0-py3-none-any.whl runs the quickstart",
    ]


@pytest.mark.full
def test_the_check_is_skipped_by_name_without_dependencies(tmp_path: Path) -> None:
    ended = check(wheel(tmp_path / "wheels", "otf2>=3; extra == 'otf2'", "typer>=0.12"))
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("check-wheel: skipped: pip reaches no index and no cache with")
    assert "typer" in ended.stdout


def test_a_directory_without_a_wheel_is_refused(tmp_path: Path) -> None:
    ended = check(tmp_path)
    assert (ended.returncode, "has no wheel of pantala; run 'make wheel'" in ended.stderr) == (
        2,
        True,
    )
