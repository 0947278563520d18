"""`make validate`: every run of every peer again; the page's tables and figures, and whether the
bars are met.
"""

from __future__ import annotations

import sys
from pathlib import Path

from validation.suite import run

ROOT = Path(__file__).parents[2]

if __name__ == "__main__":
    sys.exit(run(ROOT / "docs"))
