"""A caveat, and how its sentence names runs, jobs and seeds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pantala.caveats.facts import Facts

__all__ = ["MOST", "Caveat", "named", "some", "union", "which"]

#: Names, runs or pairs that a sentence lists.
MOST = 4


@dataclass(frozen=True)
class Caveat:
    """One thing that makes results approximate, partial or a single sample.

    Attributes:
        kind: skipped, coarse, cut_off, absent, earlier, captured, learning, unfinished, silent,
            overlap, windows, equal_seeds, one_seed or imprecise.
        text: sentences that stand alone.
        short: a few words for a figure; empty if those of another caveat say the same.
    """

    kind: str
    text: str
    short: str

    def to_dict(self) -> dict[str, str]:
        """Returns the caveat as JSON."""
        return {"kind": self.kind, "text": self.text}


def which(titles: Sequence[str], facts: Mapping[str, Facts]) -> str:
    """Returns which runs a sentence is of; empty if it is of all."""
    if len(titles) == len(facts):
        return ""
    if len(facts) <= 2 * MOST and len(titles) <= MOST:
        return f"{', '.join(titles)}: "
    return f"{len(titles):,} of {len(facts):,} runs: "


def some(titles: Sequence[str], facts: Mapping[str, Facts]) -> str:
    """Returns how many runs a few words are of, after a space; empty if they are of all."""
    return "" if len(titles) == len(facts) else f" ({len(titles):,} of {len(facts):,} runs)"


def union(facts: Mapping[str, Facts], names: Callable[[Facts], Sequence[str]]) -> list[str]:
    """Returns the names that the facts of all runs have, each once."""
    return list(dict.fromkeys(name for each in facts.values() for name in names(each)))


def named(names: Sequence[str]) -> str:
    """Returns names as a list in words, at most `MOST` of them."""
    shown = list(names[:MOST])
    if len(names) > MOST:
        return f"{', '.join(shown)} and {len(names) - MOST} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
