"""All runs of the measured cases, and the page with their results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pantala.figures import save
from validation.ember import figure
from validation.ember.bars import compare
from validation.ember.cases import cases
from validation.ember.page import FIGURE, PAGE, SHIFTS, CasePage, Replayed
from validation.ember.replay import replay

__all__ = ["Run", "runs", "write"]

#: A case and the number of its run: 0 without a change, then the runs of `SHIFTS`.
Run = tuple[str, int]


def runs() -> dict[Run, tuple[Callable[..., Any], tuple[Any, ...]]]:
    """Returns the call of each run."""
    return {
        (case.name, number): (replay, (case, changes))
        for case in cases()
        for number, changes in enumerate(({}, *SHIFTS))
    }


def write(docs: Path, results: Mapping[Run, Mapping[str, float]]) -> CasePage:
    """Writes the page and its figure.

    Args:
        docs: the folder of the documentation.
        results: the metrics of each run.
    """
    replayed = []
    for case in cases():
        end = case.theirs["simulated_end"].value
        shifted = [results[case.name, number]["simulated_end"] for number in _SHIFTED]
        errors = [ours / end - 1 for ours in shifted]
        replayed.append(Replayed(case, compare(case, results[case.name, 0]), errors))
    page = CasePage(replayed)
    save(figure.cases(replayed), docs / "_static" / FIGURE)
    (docs / "explanation" / PAGE).write_text(page.text(), encoding="utf-8")
    return page


_SHIFTED = range(1, 1 + len(SHIFTS))
