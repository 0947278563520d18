"""Latencies counted by value are those of the packets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pantala.figures.packet_latencies import PacketLatencies


@given(
    st.lists(st.integers(0, 30), min_size=1, max_size=60),
    st.floats(0, 1),
)
def test_places_and_quantiles_are_those_of_all_latencies(
    latencies: list[int], share: float
) -> None:
    values, counts = np.unique(np.array(latencies, dtype=float), return_counts=True)
    counted = PacketLatencies(values, np.cumsum(counts))
    assert len(counted) == len(latencies)
    assert list(counted.at(np.arange(len(latencies)))) == sorted(latencies)
    assert counted.quantile(share) == pytest.approx(np.quantile(latencies, share))
