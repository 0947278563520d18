"""Traces in OTF2, converted once into an operation file.

The library of OTF2 reads them (``pip install pantala[otf2]``).
"""

from pantala.traces.otf2.cache import converted
from pantala.traces.otf2.convert import Conversion, convert

__all__ = ["Conversion", "convert", "converted"]
