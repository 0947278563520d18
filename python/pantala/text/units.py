"""Quantities with units: exact conversion of text such as ``"200 Gb/s"`` to integers, and back.

A scenario writes quantities as text with a unit. The simulator counts in integer picoseconds,
bytes, bytes per second and femtoseconds per byte. Each of the four is a subclass of `int`. It
computes as a number and prints as a quantity::

    >>> Duration.parse("30 ns")
    Duration('30 ns')
    >>> int(Duration.parse("30 ns"))
    30000
    >>> Bandwidth.parse("200 Gb/s")
    Bandwidth('25 GB/s')
    >>> Size.parse("15 KiB") + 1
    15361

Nothing is rounded. `parse` rejects a value that is not a whole number of the base unit. Prefixes
are SI (k, M, G: powers of 1000) and IEC (Ki, Mi, Gi: powers of 1024). ``B`` is a byte and ``b`` is
a bit. Long names do as well (``kilobyte``, ``nanoseconds``), and a rate is a quotient: ``kB/us``.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Self

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue
    from pydantic_core import core_schema

__all__ = ["Bandwidth", "Duration", "Parsed", "Quantity", "Size", "TimePerByte", "UnitError"]

_TEXT = re.compile(
    r"\s*(?P<number>[+-]?(?:\d{1,24}(?:\.\d{0,24})?|\.\d{1,24})(?:[eE][+-]?\d{1,2})?)\s*(?P<unit>\S.*)?"
)
_NUMBER_PATTERN = r"^\s*[+]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,2})?\s*"
_LARGEST = 2**63 - 1

#: Powers of ten, and of 1024, by the short and by the long prefix.
_TENS = {
    ("f", "femto"): -15,
    ("p", "pico"): -12,
    ("n", "nano"): -9,
    ("u", "micro"): -6,
    ("µ", "micro"): -6,
    ("μ", "micro"): -6,
    ("m", "milli"): -3,
    ("k", "kilo"): 3,
    ("M", "mega"): 6,
    ("G", "giga"): 9,
    ("T", "tera"): 12,
}
_BINARY = {("Ki", "kibi"): 1, ("Mi", "mebi"): 2, ("Gi", "gibi"): 3, ("Ti", "tebi"): 4}
_PREFIXES: Mapping[str, Fraction] = {
    "": Fraction(1),
    **{prefix: Fraction(10) ** power for both, power in _TENS.items() for prefix in both},
    **{prefix: Fraction(1024**power) for both, power in _BINARY.items() for prefix in both},
}
#: Each unit in seconds and bytes: the powers of both, and the number of them.
_UNITS: Mapping[str, tuple[int, int, Fraction]] = {
    **dict.fromkeys(("s", "second", "seconds"), (1, 0, Fraction(1))),
    **dict.fromkeys(("B", "byte", "bytes"), (0, 1, Fraction(1))),
    **dict.fromkeys(("b", "bit", "bits"), (0, 1, Fraction(1, 8))),
    "Bps": (-1, 1, Fraction(1)),
    "bps": (-1, 1, Fraction(1, 8)),
}
_PREFIXED = re.compile(
    f"(?P<prefix>{'|'.join(sorted(_PREFIXES, key=len, reverse=True))})(?P<unit>{'|'.join(_UNITS)})"
)


class UnitError(ValueError):
    """A quantity that cannot be read: it has no unit, another dimension, or is not exact.

    Attributes:
        message: what is wrong with the value; it follows ``KEY = VALUE``.
        remedy: what to write instead.
    """

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(f"{message}; {remedy}")
        self.message = message
        self.remedy = remedy


@lru_cache(maxsize=1024)
def _factor(unit: str, base: str) -> Fraction | None:
    """Returns the exact number of `base` per `unit`; None for an unknown or incompatible unit."""
    time, data, number = _measured(unit) or (0, 0, Fraction(0))
    base_time, base_data, one = _measured(base) or (0, 0, Fraction(1))
    return number / one if number and (time, data) == (base_time, base_data) else None


def _measured(unit: str) -> tuple[int, int, Fraction] | None:
    """Returns the powers of seconds and bytes in a unit, and their number; None if unknown.

    Args:
        unit: a unit with or without a prefix, or the quotient of two, such as ``"kB/us"``.
    """
    parts = [_PREFIXED.fullmatch(part.strip()) for part in unit.split("/")]
    if len(parts) > 2:
        return None
    time, data, number = 0, 0, Fraction(1)
    for sign, part in zip((1, -1), parts, strict=False):
        if part is None:
            return None
        its_time, its_data, its_number = _UNITS[part["unit"]]
        time, data = time + sign * its_time, data + sign * its_data
        number *= (_PREFIXES[part["prefix"]] * its_number) ** sign
    return time, data, number


class Parsed(ABC):
    """The base of scenario values written as text.

    Pydantic reads such a value with `parse`, writes it with `str`, and includes its pattern in the
    JSON Schema.
    """

    _pattern: ClassVar[str]  # a regular expression that matches the text
    _examples: ClassVar[tuple[str, ...]]

    @classmethod
    @abstractmethod
    def parse(cls, value: object) -> Self:
        """Returns the value of a text.

        Raises:
            UnitError: the value cannot be read.
        """

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        from pydantic_core import PydanticCustomError, core_schema

        def validate(value: object) -> object:
            try:
                return cls.parse(value)
            except UnitError as error:
                raise PydanticCustomError(
                    "unit",
                    "{message}; {remedy}",
                    {"message": error.message, "remedy": error.remedy},
                ) from None

        return core_schema.no_info_plain_validator_function(
            validate, serialization=core_schema.to_string_ser_schema(when_used="json")
        )

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {"type": "string", "pattern": cls._pattern, "examples": list(cls._examples)}


class Quantity(Parsed, int):
    """An exact whole number of a base unit.

    It is the base of `Duration`, `Size`, `Bandwidth` and `TimePerByte`.
    """

    _base: ClassVar[str]  # the base unit
    _noun: ClassVar[str]  # the kind of quantity, for messages
    _counted: ClassVar[str]  # the base unit in words, plural
    _scales: ClassVar[
        tuple[tuple[str, int], ...]
    ]  # output units and their scales, largest first, base unit last
    _zero: ClassVar[str]  # the output unit of zero
    _pattern = _NUMBER_PATTERN + r"[A-Za-zµμ].*$"

    @classmethod
    def parse(cls, value: object) -> Self:
        """Returns the exact quantity that a text with a unit states.

        Args:
            value: text such as ``"30 ns"``, or a quantity of this class, which is returned
                unchanged.

        Raises:
            UnitError: the unit is missing, unknown or of another dimension, or the value is not a
                whole number of the base unit.
        """
        if isinstance(value, cls):
            return value
        wanted = f"write e.g. '{cls._examples[0]}'"
        if isinstance(value, Quantity):
            raise UnitError(f"is a {value._noun}, not a {cls._noun}", wanted)
        if isinstance(value, int | float) and not isinstance(value, bool):
            raise UnitError("has no unit", wanted)
        if not isinstance(value, str):
            raise UnitError(f"is not a {cls._noun}", wanted)
        return cls._of_text(value)

    @classmethod
    @lru_cache(4096)  # the cases of an experiment repeat most values
    def _of_text(cls, value: str) -> Self:
        wanted = f"write e.g. '{cls._examples[0]}'"
        match = _TEXT.fullmatch(value)
        if match is None:
            raise UnitError(f"is not a {cls._noun}", wanted)
        unit = (match["unit"] or "").strip()
        if not unit:
            raise UnitError("has no unit", wanted)
        factor = _factor(unit, cls._base)
        if factor is None:
            raise UnitError(*_wrong_unit(unit, cls._noun, wanted))
        exact = Fraction(match["number"]) * factor
        if exact.denominator != 1:
            raise UnitError(
                f"is {float(exact):.6g} {cls._counted}, not a whole number of them",
                f"change it to a whole number of {cls._counted}",
            )
        if abs(exact.numerator) > _LARGEST:
            raise UnitError(f"is more {cls._counted} than 63 bits count", "write a smaller value")
        return cls(exact.numerator)

    def __str__(self) -> str:
        """Returns the shortest text that reads back as exactly this number.

        Of texts with equally many digits, the one with the largest unit is returned.
        """
        if self == 0:
            return f"0 {self._zero}"
        texts = [text for unit, scale in self._scales if (text := _in_unit(int(self), unit, scale))]
        return min(texts, key=lambda text: sum(character.isdigit() for character in text))

    def __repr__(self) -> str:
        return f"{type(self).__name__}('{self}')"

    __format__ = object.__format__


class Duration(Quantity):
    """A time or latency: a whole number of picoseconds."""

    _base = "ps"
    _noun = "time"
    _counted = "picoseconds"
    _examples = ("30 ns",)
    _scales = (("s", 10**12), ("ms", 10**9), ("us", 10**6), ("ns", 10**3), ("ps", 1))
    _zero = "ns"


class Size(Quantity):
    """An amount of data: a whole number of bytes."""

    _base = "B"
    _noun = "size"
    _counted = "bytes"
    _examples = ("512 B",)
    _scales = (
        ("GB", 10**9),
        ("MB", 10**6),
        ("kB", 10**3),
        ("GiB", 2**30),
        ("MiB", 2**20),
        ("KiB", 2**10),
        ("B", 1),
    )
    _zero = "B"


class Bandwidth(Quantity):
    """A data rate: a whole number of bytes per second."""

    _base = "B/s"
    _noun = "bandwidth"
    _counted = "bytes per second"
    _examples = ("25 GB/s",)
    _scales = (
        ("GB/s", 10**9),
        ("MB/s", 10**6),
        ("kB/s", 10**3),
        ("GiB/s", 2**30),
        ("MiB/s", 2**20),
        ("B/s", 1),
    )
    _zero = "B/s"


class TimePerByte(Quantity):
    """A time per byte: a whole number of femtoseconds."""

    _base = "fs/B"
    _noun = "time per byte"
    _counted = "femtoseconds per byte"
    _examples = ("344 ps/B",)
    _scales = (("us/B", 10**9), ("ns/B", 10**6), ("ps/B", 10**3), ("fs/B", 1))
    _zero = "ps/B"


def _in_unit(value: int, unit: str, scale: int) -> str | None:
    """Returns `value` base units as exact text in a larger unit; None if no such text exists.

    Args:
        value: the number of base units.
        unit: the larger unit.
        scale: the number of base units in one `unit`. A value below it gives None.
    """
    if abs(value) < scale:
        return None
    whole, rest = divmod(abs(value), scale)
    sign = "-" if value < 0 else ""
    if rest == 0:
        return f"{sign}{whole} {unit}"
    if scale % 10:  # a power of 1024 needs too many decimals
        return None
    decimals = str(rest).rjust(len(str(scale)) - 1, "0").rstrip("0")
    return f"{sign}{whole}.{decimals} {unit}"


def _wrong_unit(unit: str, noun: str, wanted: str) -> tuple[str, str]:
    """Returns the message and the remedy for a unit that does not measure `noun`."""
    suspect = unit.removesuffix("/s").removesuffix("ps")  # KB/s, Kbps
    if suspect in {"KB", "Kb"}:
        return (
            f"has the ambiguous unit '{unit}'",
            "write kB (1000 bytes), KiB (1024 bytes) or kb (1000 bits)",
        )
    for other in Quantity.__subclasses__():
        if _factor(unit, other._base) is not None:
            return f"is a {other._noun}, not a {noun}", wanted
    return f"has the unknown unit '{unit}'", wanted
