"""The key `until_precise` of an experiment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import BeforeValidator, ValidationError

from pantala.analysis.statistics import Precision
from pantala.errors import UsageError
from pantala.models.base import Count, Model, PositiveDuration, fault, plain
from pantala.models.faults import scenario_error
from pantala.store.until_precise import UntilPrecise
from pantala.text.units import Duration

__all__ = ["read_until_precise"]


def _share(value: object) -> float:
    if not isinstance(value, str | float):
        raise fault(f"{value!r} is not a share", "write e.g. '1%'")
    try:
        return Precision.parse(value).relative
    except UsageError:
        raise fault("is not between 0 and 1", "write e.g. '1%'") from None


class _Key(Model):
    """When the runs of an experiment end."""

    precision: Annotated[float, BeforeValidator(_share)]
    """Half the width of the 99 % confidence interval of the throughput, as a share of its mean."""
    longest: PositiveDuration
    """The most simulated time."""
    most_packets: Count = 1_000_000_000
    """The number of delivered packets at which a run ends at the latest."""


def read_until_precise(value: object, source: str, first: Duration | None) -> UntilPrecise:
    """Returns the option from the value of the key.

    Args:
        value: the value.
        source: the experiment's file, or another name for it.
        first: the duration of each run before it continues.

    Raises:
        UsageError: it is not a table, or the longest time is below the first duration.
        ScenarioError: a key of the table is wrong.
    """
    if not isinstance(value, Mapping):
        raise UsageError(
            f"{source}: until_precise = {value!r}: is not a table; write e.g. until_precise ="
            " { precision = '1%', longest = '10 ms' }"
        )
    try:
        key = _Key.model_validate(value)
    except ValidationError as error:
        raise scenario_error(error, f"{source}: until_precise", plain(value)) from None
    if first is not None and int(first) > int(key.longest):
        raise UsageError(
            f"{source}: until_precise.longest = {key.longest}: is below stop.duration = {first},"
            f" which each run simulates first; write {first} or more"
        )
    return UntilPrecise(key.precision, int(key.longest), key.most_packets)
