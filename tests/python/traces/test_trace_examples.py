"""The example traces are those that their script writes."""

import subprocess
import sys
from pathlib import Path

from support import ROOT

TRACES = ROOT / "examples" / "traces"


def test_the_chakra_example_is_what_its_script_writes(tmp_path: Path) -> None:
    script = TRACES / "training_step.py"
    subprocess.run([sys.executable, script, tmp_path], check=True)
    written = sorted(tmp_path.iterdir())
    assert [path.name for path in written] == [f"training_step.{rank}.et" for rank in range(4)]
    for path in written:
        assert path.read_bytes() == (TRACES / path.name).read_bytes()
