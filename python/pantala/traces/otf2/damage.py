"""A trace that OTF2's library cannot read: which file is at fault, and why, in words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

__all__ = ["damage"]

#: A message of the library: `[OTF2] src/FILE.c:LINE: error: CLASS: MESSAGE`.
_TOLD = re.compile(r"(?:\[OTF2\] )?src/\S+?:\d+: error: (.*)")
#: Messages of the library that say no more than that the file is at fault.
_EMPTY = ("handle!", "Archive creation failed", "Could not read event from location")
_CHECK = "; check the trace with otf2-print"
_MISSING = "the file is missing; copy the whole folder of the trace"


def damage(
    otf2: Any, anchor: Path, locations: Sequence[int], text: str, error: Exception
) -> tuple[Path, str]:
    """Returns the file of a trace that the library cannot read, and reason and remedy.

    Args:
        otf2: the library.
        anchor: the anchor file.
        locations: the locations whose events were being read; empty if it read definitions.
        text: the last message of the library; empty if it gave none.
        error: the error that it raised.
    """
    reason = _reason(text, error) + _CHECK
    folder, definitions = anchor.with_suffix(""), anchor.with_suffix(".def")
    if not definitions.is_file():
        return definitions, _MISSING
    for location in locations:
        events = folder / f"{location}.evt"
        if not events.is_file():
            return events, _MISSING
    for location in locations:
        if not _readable(otf2, anchor, location):
            local = folder / f"{location}.def"
            at_fault = local if "DefReader" in text and local.is_file() else None
            return at_fault or folder / f"{location}.evt", reason
    if locations:
        return anchor, reason
    return (anchor if "Archive creation" in text else definitions), reason


def _readable(otf2: Any, anchor: Path, location: int) -> bool:
    """Returns whether the library reads all events of one location.

    Of a file that is cut off, it may read some events and raise nothing.
    """
    try:
        with otf2.reader.open(str(anchor)) as trace:
            chosen = [each for each in trace.definitions.locations if each._ref == location]
            events = sum(1 for _ in trace.events(chosen))
            return events >= sum(int(each.number_of_events) for each in chosen)
    except Exception:  # the library raises errors of many classes
        return False


def _reason(sentence: str, error: Exception) -> str:
    if found := _TOLD.match(sentence):
        # The class of the error comes first, and says less than the message.
        text = found[1].rpartition(": ")[2].strip().rstrip("!.")
        if text and not any(each in sentence for each in _EMPTY):
            return f"the file is damaged or cut off ({text[0].lower()}{text[1:]})"
    if isinstance(error, KeyError):
        return "the file is damaged: it refers to a definition that the trace does not have"
    if isinstance(error, UnicodeDecodeError):
        return "the file is damaged: a name is not UTF-8 text"
    if "Semantic error" in str(error):
        return f"the file is damaged ({str(error).rpartition('trace: ')[2]})"
    return "the file is damaged or cut off"
