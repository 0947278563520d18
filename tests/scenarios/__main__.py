"""`python -m scenarios`: runs the recorded scenarios on 1, 2 and 3 threads and compares."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor

import pantala as pt
from scenarios.draw import Drawing
from scenarios.record import ROOT, Recorded, read, results, write

#: Keys that are tried beside the base of a scenario.
_KEYS = 36
#: A drawn scenario that takes longer is drawn again.
_SECONDS = 0.6


def main() -> int:
    """Runs, records or draws scenarios; returns 1 if a result differs."""
    parser = argparse.ArgumentParser("python -m scenarios", description=__doc__)
    parser.add_argument("--record", action="store_true", help="write the results of now")
    parser.add_argument("--draw", type=int, metavar="N", help="draw N scenarios anew and record")
    given = parser.parse_args()
    if given.draw:
        return _draw(given.draw)
    recorded = read()
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        found = list(pool.map(_on_threads, recorded, [not given.record] * len(recorded)))
    differing = [
        (each, text) for each, (text, _) in zip(recorded, found, strict=True) if text is not None
    ]
    if given.record:
        write(
            [
                Recorded(each.number, each.tables, new)
                for each, (_, new) in zip(recorded, found, strict=True)
            ]
        )
    for each, text in differing:
        print(f"scenario {each.number}: {text}")
    print(f"{len(recorded)} scenarios, {len(differing)} with other results than recorded")
    return int(bool(differing) and not given.record)


def _on_threads(each: Recorded, threads: bool) -> tuple[str | None, dict[str, str]]:
    """Runs a scenario; returns how it differs from the record, if it does, and its results."""
    try:
        one = results(each.tables, 1)
    except pt.PantalaError as error:
        return f"is refused: {error}", {}
    if one != each.results:
        return (
            f"has other results: {', '.join(k for k in one if one[k] != each.results.get(k))}",
            one,
        )
    for count in (2, 3) if threads else ():
        if results(each.tables, count) != one:
            return f"has other results on {count} threads", one
    return None, one


def _draw(number: int) -> int:
    schema = json.loads((ROOT / "schema" / "scenario.schema.json").read_text(encoding="utf-8"))
    os.chdir(ROOT)
    drawing = Drawing(schema, seed=20261124)
    recorded: list[Recorded] = []
    tried = 0
    while len(recorded) < number and tried < 3 * number:
        tried += 1
        tables = drawing.scenario(tried, _KEYS)
        if tables is None:
            continue
        start = time.process_time()
        try:
            found = results(tables, 1)
        except pt.PantalaError as error:
            print(f"{tried}: left out: {error}", file=sys.stderr)
            continue
        seconds = time.process_time() - start
        if seconds > _SECONDS * len(found):
            print(f"{tried}: left out: takes {seconds:.1f} s", file=sys.stderr)
            continue
        recorded.append(Recorded(len(recorded), tables, found))
        write(recorded)
    return 0


if __name__ == "__main__":
    sys.exit(main())
