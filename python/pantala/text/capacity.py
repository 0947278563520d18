"""Capacities of buffers: ``"30 packets"``, ``"120 flits"``, ``"15 KiB"`` or ``"unlimited"``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from pantala.text.units import Parsed, Size, UnitError

__all__ = ["Capacity"]

_COUNTED = re.compile(r"\s*(?P<count>-?\d{1,9})\s*(?P<unit>packet|flit)s?\s*")
_REMEDY = "write e.g. '30 packets', '120 flits' or '15 KiB'"


@dataclass(frozen=True)
class Capacity(Parsed):
    """A capacity in its unit; packets and flits become bytes only with a machine's sizes.

    Attributes:
        count: the number of units; 0 if unlimited.
        unit: ``packet``, ``flit``, ``byte`` or ``unlimited``.
    """

    count: int
    unit: Literal["packet", "flit", "byte", "unlimited"]

    _pattern = (
        r"^\s*(unlimited|\d+\s*(packets?|flits?)|\+?(\d+\.?\d*|\.\d+)\s*([KMG]i|[kMG])?(B|b))\s*$"
    )
    _examples = ("30 packets", "120 flits", "15 KiB", "unlimited")

    @classmethod
    def parse(cls, value: object) -> Capacity:
        """Returns the capacity that a text states.

        Raises:
            UnitError: the text is not a capacity, or has no unit.
        """
        if isinstance(value, Capacity):
            return value
        if isinstance(value, str):
            if value.strip() == "unlimited":
                return cls(0, "unlimited")
            match = _COUNTED.fullmatch(value)
            if match is not None:
                if int(match["count"]) < 0:
                    raise UnitError("must not be negative", _REMEDY)
                return cls(int(match["count"]), "packet" if match["unit"] == "packet" else "flit")
        try:
            size = Size.parse(value)
        except UnitError as error:
            raise UnitError(error.message, _REMEDY) from None
        if size < 0:
            raise UnitError("must not be negative", _REMEDY)
        return cls(int(size), "byte")

    def flits(self, packet_bytes: int, flit_bytes: int) -> int:
        """Returns the capacity in flits; 0 if unlimited.

        Args:
            packet_bytes: size of a full packet.
            flit_bytes: size of a flit.

        Raises:
            UnitError: it is not a whole number of flits.
        """
        if self.unit == "flit":
            return self.count
        if self.unit == "packet":
            return self.count * -(-packet_bytes // flit_bytes)
        if self.count % flit_bytes:
            raise UnitError(f"is not a whole number of flits of {Size(flit_bytes)}", _REMEDY)
        return self.count // flit_bytes

    def packets(self, packet_bytes: int, flit_bytes: int) -> int:
        """Returns the capacity in full packets; 0 if unlimited.

        Args:
            packet_bytes: size of a full packet.
            flit_bytes: size of a flit.

        Raises:
            UnitError: it is not a whole number of packets.
        """
        if self.unit == "packet":
            return self.count
        flits, packet_flits = self.flits(packet_bytes, flit_bytes), -(-packet_bytes // flit_bytes)
        if flits % packet_flits:
            raise UnitError(f"is not a whole number of packets of {Size(packet_bytes)}", _REMEDY)
        return flits // packet_flits

    def __str__(self) -> str:
        if self.unit == "unlimited":
            return "unlimited"
        if self.unit == "byte":
            return str(Size(self.count))
        return f"{self.count} {self.unit}{'' if self.count == 1 else 's'}"
