"""`make validate`: repeats every run of every peer and writes the page's tables and figures.

The exit status is 1 if a bar is not met.
"""

from __future__ import annotations

import sys
from pathlib import Path

from validation.suite import run

ROOT = Path(__file__).parents[2]

if __name__ == "__main__":
    sys.exit(run(ROOT / "docs"))
