"""`make validate`: repeats every run of every peer and writes the pages' tables and figures.

`python -m validation ember [CASE ...]` repeats only measured cases of SST Ember and prints them,
or writes their page (`--write`).
The exit status is 1 if a bar is not met.
"""

from __future__ import annotations

import sys
from pathlib import Path

from validation.ember import command
from validation.suite import run

ROOT = Path(__file__).parents[2]

if __name__ == "__main__":
    if sys.argv[1:2] == ["ember"]:
        sys.exit(command.main(sys.argv[2:]))
    sys.exit(run(ROOT / "docs"))
