"""`python -m validation ember`: runs measured cases and prints one line per metric."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import pantala as pt
from validation.ember import suite
from validation.ember.bars import Comparison, compare
from validation.ember.cases import Case, cases
from validation.ember.replay import replay
from validation.measure import together

__all__ = ["main"]

DOCS = Path(__file__).parents[3] / "docs"


def main(arguments: Sequence[str]) -> int:
    """Runs the named cases, or all cases, and prints both values of each metric.

    Returns:
        An exit status: 1 if a bar is not met or a case cannot run, 2 if a case is unknown.
    """
    known = {case.name: case for case in cases()}
    parser = argparse.ArgumentParser("python -m validation ember", description=main.__doc__)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(known))
    parser.add_argument("--all", action="store_true", help="print every iteration")
    parser.add_argument(
        "--write", action="store_true", help="write the page, and print only failures"
    )
    given = parser.parse_args(arguments)
    if unknown := [name for name in given.cases if name not in known]:
        print(f"no case {unknown[0]!r}; the cases are {', '.join(known)}", file=sys.stderr)
        return 2
    if given.write:
        runs = suite.runs()
        results = dict(zip(runs, together(list(runs.values())), strict=True))
        failures = suite.write(DOCS, results).failures
        print(*failures, sep="\n")
        return int(bool(failures))
    missed = False
    for name in given.cases or known:
        try:
            compared = compare(known[name], replay(known[name]))
        except pt.PantalaError as error:
            print(f"{name}: {error}", flush=True)
            missed = True
            continue
        missed |= not all(each.met for each in compared)
        print("\n".join(_lines(known[name], compared, every=given.all)), flush=True)
    return int(missed)


def _lines(case: Case, compared: Sequence[Comparison], *, every: bool) -> list[str]:
    """Returns a heading and the lines of a case; of the iterations only the first and the last."""
    iterations = [_iteration(each.metric) for each in compared]
    shown = {0, 1, max(iterations)}
    lines = [f"{case.name} ({case.routing})"]
    for each, iteration in zip(compared, iterations, strict=True):
        if every or iteration in shown or not each.met:
            error = f"{each.ours - each.theirs:+.3f}"
            if each.unit != "fraction" and each.theirs:
                error = f"{100 * each.error:+.2f} %"
            bar = "" if each.limit is None else f"bar {100 * each.limit:g} %"
            lines.append(
                f"  {each.metric:<40}{each.theirs:>17,.3f}{each.ours:>17,.3f} {each.unit:<9}"
                f"{error:>10}  {bar}{'' if each.met else '  MISSED'}"
            )
    return lines


def _iteration(metric: str) -> int:
    """Returns the number of a metric's iteration; 0 if it is of none."""
    found = re.search(r"\.iter(\d+)\.", metric)
    return int(found[1]) if found else 0
