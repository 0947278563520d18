"""The seeds that all cells of a table or figure have: means over others cannot be compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

import numpy as np

from pantala.text.amounts import join

__all__ = ["means_in_words", "seeds_in_words", "shared_places", "shared_seeds"]


def shared_seeds(cells: Iterable[Collection[int]]) -> list[int]:
    """Returns the seeds that all cells have, rising; of none the first that most cells have.

    Args:
        cells: the seeds of each cell. Cells without seeds do not count.
    """
    known = [set(each) for each in cells if each]
    if not known:
        return []
    if common := set.intersection(*known):
        return sorted(common)
    counts = Counter(seed for each in known for seed in each)
    return [min(counts, key=lambda seed: (-counts[seed], seed))]


def shared_places(*values: np.ndarray) -> list[int]:
    """Returns the places on the last axis, that of seeds, at which all cells have a value.

    Args:
        values: arrays with one number of seeds, NaN where a cell has none. A cell without any value
            does not count.
    """
    rows = np.concatenate([np.isfinite(each).reshape(-1, each.shape[-1]) for each in values])
    return shared_seeds([set(np.flatnonzero(row).tolist()) for row in rows])


def seeds_in_words(seeds: Sequence[int]) -> str:
    """Returns seeds in words, such as ``seed 2``, ``seeds 1 and 3`` or ``seeds 1 to 5``."""
    if len(seeds) < 2:
        return f"seed {join(list(map(str, seeds)))}"
    if len(seeds) > 2 and seeds[-1] - seeds[0] == len(seeds) - 1:
        return f"seeds {seeds[0]} to {seeds[-1]}"
    return f"seeds {join(list(map(str, seeds)))}"


def means_in_words(seeds: Sequence[int]) -> str:
    """Returns a sentence for a caption: ``Means over seeds 1 to 3.``, ``Seed 1.``, or nothing."""
    words = seeds_in_words(seeds)
    if len(seeds) > 1:
        return f"Means over {words}."
    return f"{words.capitalize()}." if seeds else ""
