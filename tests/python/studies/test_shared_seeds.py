"""The seeds of means that are compared: those that all cells have."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pantala.studies.shared_seeds import means_in_words, seeds_in_words, shared_places, shared_seeds

_SEEDS = st.sets(st.integers(1, 6))


@given(st.lists(_SEEDS, max_size=5))
def test_shared_seeds_are_in_every_cell_that_has_one(cells: list[set[int]]) -> None:
    """Property: nothing that all have is left out; without such a seed, one stands for all."""
    found, known = shared_seeds(cells), [each for each in cells if each]
    common = set.intersection(*known) if known else set()
    assert found == sorted(found)
    if common or not known:
        assert set(found) == common
    else:
        assert len(found) == 1
        most = max(sum(seed in each for each in known) for seed in range(1, 7))
        assert sum(found[0] in each for each in known) == most


def test_places_of_arrays_leave_out_cells_without_values() -> None:
    nan = np.nan
    times = np.array([[[1.0, 2.0, 3.0, nan]], [[nan, nan, nan, nan]]])
    assert shared_places(times, np.array([[1.0, nan, 1.0, 1.0]])) == [0, 2]
    assert shared_places(np.full((2, 3), nan)) == []


@pytest.mark.parametrize(
    ("seeds", "words"),
    [
        ([2], "seed 2"),
        ([1, 2], "seeds 1 and 2"),
        ([1, 3, 4], "seeds 1, 3 and 4"),
        ([1, 2, 3], "seeds 1 to 3"),
    ],
)
def test_seeds_in_words(seeds: list[int], words: str) -> None:
    assert seeds_in_words(seeds) == words
    expected = f"Means over {words}." if len(seeds) > 1 else "Seed 2."
    assert means_in_words(seeds) == expected


def test_no_seed_needs_no_words() -> None:
    assert means_in_words([]) == ""
