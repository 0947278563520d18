"""`python -m campaign`: runs parts of the campaign for a time, then writes docs/reliability.md."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import pantala as pt
from campaign import page
from campaign.parts import names, part
from campaign.stretch import CAMPAIGN, Stretch


def main() -> int:
    """Runs the parts in turn, each for an equal share of the hours; returns 1 if any failed."""
    parser = argparse.ArgumentParser("python -m campaign", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(names())}")
    parser.add_argument("--hours", type=float, default=4.0, help="time of all parts together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--results", type=Path, default=CAMPAIGN / "results")
    parser.add_argument("--page", action="store_true", help="write the page only")
    given = parser.parse_args()
    chosen = given.parts or names()
    if unknown := set(chosen) - set(names()):
        parser.error(f"unknown part {', '.join(sorted(unknown))}; parts: {', '.join(names())}")
    opened = 0
    for name in () if given.page else chosen:
        with tempfile.TemporaryDirectory(prefix=f"pantala-campaign-{name}-") as scratch:
            share = given.hours * 3600 / len(chosen)
            stretch = Stretch(name, given.seed, share, Path(scratch), given.results)
            try:
                part(name).run(stretch)
            finally:
                stretch.close(pt.__version__)
        still = [each for each in stretch.results.failures if not each.mended]
        opened += len(still)
        print(f"{name}: {stretch.results.next_case} cases so far, {len(still)} open failures")
    page.write(given.results)
    return int(opened > 0)


if __name__ == "__main__":
    sys.exit(main())
