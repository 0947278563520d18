"""What a command does that a program of the user does not."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import atexit, gc
atexit.register(lambda: print(gc.get_freeze_count() > 1000))  # after the handlers that follow
from pantala.system.command import begin_command, is_command
assert not is_command()
begin_command()
assert is_command()
"""


def test_a_command_does_not_collect_garbage_at_its_end() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("True\n", "")
