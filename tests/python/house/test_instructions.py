"""Instructions per packet-hop stay within the record, on machines where they can be counted."""

from __future__ import annotations

import pytest

from instructions import GUARDED, RECORD, TOLERANCE, Guarded, compiler, measured, recorded

RENEW = "to accept the change, run 'make instructions'"


def test_the_record_has_every_benchmark() -> None:
    for numbers in recorded().values():
        assert list(numbers) == [str(guarded) for guarded in GUARDED]
        assert all(value > 0 for value in numbers.values())


@pytest.mark.full
@pytest.mark.native
@pytest.mark.needs("valgrind")
@pytest.mark.parametrize("guarded", GUARDED, ids=str)
def test_instructions_per_packet_hop(guarded: Guarded) -> None:
    if compiler() not in recorded():
        pytest.skip(
            f"no instruction counts are recorded for {compiler()}; run 'make instructions' to add"
            " them"
        )
    known, now = recorded()[compiler()][str(guarded)], measured(guarded)
    change = now / known - 1
    text = (
        f"{guarded}: {now:.1f} instructions per packet-hop, {change:+.1%} from the {known:.1f} in"
        f" {RECORD.name}"
    )
    assert abs(change) <= TOLERANCE, f"{text}; {RENEW}"
