"""The caveat of jobs that ran beside each other for a part of a job's run only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pantala.caveats.caveat import MOST, Caveat, named, some, which
from pantala.caveats.facts import Facts, Overlap
from pantala.text.amounts import PLAIN, counted

__all__ = ["MOSTLY", "overlap_caveat"]

#: Jobs that share less than this part of a job's run are a caveat.
MOSTLY = 0.9


def overlap_caveat(facts: Mapping[str, Facts]) -> Iterator[Caveat]:
    """Yields a caveat if jobs ran beside each other for a part of a job's run only.

    The run of a job that repeats is as long as other jobs make it, so it is none: above all that of
    a job of the background or of a snapshot, which repeat.
    """
    found = {
        title: [one for one in each.overlaps if one.share < MOSTLY and not one.lasting]
        for title, each in facts.items()
    }
    titles = [title for title, each in found.items() if each]
    if not titles:
        return
    least: dict[tuple[str, str], Overlap] = {}
    for title in titles:
        for each in found[title]:
            key = (each.job, each.other)
            if key not in least or each.share < least[key].share:
                least[key] = each
    ranked = sorted(least.values(), key=lambda each: (not each.early, each.share))
    text = "; ".join(_in_words(each) for each in ranked[:MOST])
    more = f"; {counted(len(ranked) - MOST, 'more pair')}" if len(ranked) > MOST else ""
    others = f", and {counted(len(ranked) - 1, 'more pair')}" if len(ranked) > 1 else ""
    yield Caveat(
        "overlap",
        f"{which(titles, facts)}{'At the least, ' * (len(titles) > 1)}{text}{more}."
        f"{_remedy(ranked)}",
        f"{'at the least, ' * (len(titles) > 1)}{_briefly(ranked[0])}{others}{some(titles, facts)}",
    )


def _briefly(overlap: Overlap) -> str:
    """Returns an overlap in a few words."""
    if not overlap.share:
        return f"{overlap.other} did not run during {overlap.job}'s run"
    return f"{overlap.other} ran for {PLAIN.percent(overlap.share)} of {overlap.job}'s run"


def _in_words(overlap: Overlap) -> str:
    """Returns for how much of a job's run another job ran."""
    name, other = overlap.job, overlap.other
    if not overlap.shared_ns:
        return f"{other} did not run during {name}'s run"
    return (
        f"{other} ran for {PLAIN.percent(overlap.share)} of {name}'s run"
        f" ({PLAIN.duration(overlap.shared_ns)} of {PLAIN.duration(overlap.run_ns)})"
    )


def _remedy(overlaps: Sequence[Overlap]) -> str:
    """Returns how jobs can run beside others for longer, after a space; empty if none ended early.

    Args:
        overlaps: the overlaps that are too short.
    """
    early = list(dict.fromkeys(each.other for each in overlaps if each.early))
    if not early:
        return ""
    return (
        f" For interference during the whole run, set repeat = true for {named(early)}, or more"
        " iterations."
    )
