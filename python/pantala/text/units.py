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
a bit.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Self

if TYPE_CHECKING:
    import pint
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue
    from pydantic_core import core_schema

__all__ = ["Bandwidth", "Duration", "Parsed", "Quantity", "Size", "TimePerByte", "UnitError"]

_TEXT = re.compile(
    r"\s*(?P<number>[+-]?(?:\d{1,24}(?:\.\d{0,24})?|\.\d{1,24})(?:[eE][+-]?\d{1,2})?)\s*(?P<unit>\S.*)?"
)
_UNIT = re.compile(r"[A-Za-zµμ][A-Za-zµμ/ *^0-9-]*")
_NUMBER_PATTERN = r"^\s*[+]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,2})?\s*"
_LARGEST = 2**63 - 1

# Pint's default registry reads `b` as barn and `KB` as kelvin-byte, and loads 900 other units. A
# scenario needs only these base units.
_DEFINITIONS = """
femto- = 1e-15 = f-
pico- = 1e-12 = p-
nano- = 1e-9 = n-
micro- = 1e-6 = u- = µ- = μ-
milli- = 1e-3 = m-
kilo- = 1e3 = k-
mega- = 1e6 = M-
giga- = 1e9 = G-
tera- = 1e12 = T-
kibi- = 1024 = Ki-
mebi- = 1048576 = Mi-
gibi- = 1073741824 = Gi-
tebi- = 1099511627776 = Ti-
second = [time] = s
bit = [information] = b
byte = 8 * bit = B
bps = bit / second
Bps = byte / second
"""


_SI = {
    "p": -12,
    "n": -9,
    "u": -6,
    "µ": -6,
    "μ": -6,
    "m": -3,
    "": 0,
    "k": 3,
    "M": 6,
    "G": 9,
    "T": 12,
}
_IEC = {"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40}


def _usual_units() -> dict[str, tuple[str, Fraction]]:
    """Returns the usual unit spellings: unit to base unit, and number of base units in it.

    Pint reads all other spellings. This table avoids its import in most runs, because the import
    takes longer than everything else that reads a scenario.
    """
    units = {
        f"{p}s": ("picosecond", Fraction(10) ** (power + 12))
        for p, power in _SI.items()
        if power <= 0
    }
    scales = {p: Fraction(10) ** power for p, power in _SI.items() if power >= 0}
    for prefix, scale in (scales | {p: Fraction(times) for p, times in _IEC.items()}).items():
        for letter, bits in (("B", 8), ("b", 1)):
            size = scale * bits / 8
            units[f"{prefix}{letter}"] = ("byte", size)
            units[f"ps/{prefix}{letter}"] = ("femtosecond / byte", 1000 / size)
            units[f"ns/{prefix}{letter}"] = ("femtosecond / byte", 10**6 / size)
            units[f"{prefix}{letter}/s"] = units[f"{prefix}{letter}ps"] = ("byte / second", size)
    return units


_USUAL = _usual_units()


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


@lru_cache(maxsize=1)
def _registry() -> pint.UnitRegistry[Any]:
    """Returns pint's registry of the units above, built on first use."""
    import pint

    registry: pint.UnitRegistry[Any] = pint.UnitRegistry(
        None, non_int_type=Fraction, cache_folder=None
    )
    registry.load_definitions(_DEFINITIONS.strip().splitlines())
    return registry


@lru_cache(maxsize=1024)
def _factor(unit: str, base: str) -> Fraction | None:
    """Returns the exact number of `base` per `unit`; None for an unknown or incompatible unit."""
    if unit in _USUAL:
        its_base, factor = _USUAL[unit]
        return factor if its_base == base else None
    if _UNIT.fullmatch(unit) is None:
        return None
    import pint

    registry = _registry()
    try:
        quantity = registry.Quantity(Fraction(1), registry.parse_units(unit, case_sensitive=True))
        return Fraction(quantity.to(base).magnitude)
    except (pint.errors.PintError, ValueError, AttributeError, TypeError, AssertionError):
        return None


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

    _base: ClassVar[str]  # the base unit in pint's spelling
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

    _base = "picosecond"
    _noun = "time"
    _counted = "picoseconds"
    _examples = ("30 ns",)
    _scales = (("s", 10**12), ("ms", 10**9), ("us", 10**6), ("ns", 10**3), ("ps", 1))
    _zero = "ns"


class Size(Quantity):
    """An amount of data: a whole number of bytes."""

    _base = "byte"
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

    _base = "byte / second"
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

    _base = "femtosecond / byte"
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
