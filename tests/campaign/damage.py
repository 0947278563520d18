"""Damage of inputs: structured changes of texts and JSON, other encodings, and damage of bytes.

The ideas are those of `crates/pantala-sim/examples/damaged_inputs/mutate.rs`.
"""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Sequence
from typing import Any

__all__ = ["damaged_bytes", "damaged_json", "damaged_text"]

#: Boundaries of the numbers of formats, and texts that are hardly any number.
NUMBERS = (
    *("0", "1", "-1", "2", "127", "255", "256", "65535", "65536", "2147483647", "2147483648"),
    *("4294967295", "4294967296", "9223372036854775807", "9223372036854775808", "1e308", "1e309"),
    *("-0.0", "nan", "inf", "1979-05-27", "0x7f", "07", "1_000", "\u0661"),
)
_WORD = re.compile(r"[A-Za-z0-9_.+-]+|\n|[^\S\n]+|.", re.DOTALL)
_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e\d+)?")


def damaged_text(seeds: Sequence[str], draws: random.Random, keep: int = 0) -> bytes:
    """Returns a text of `seeds` with up to six changes; three of four keep the first `keep`."""
    text = draws.choice(seeds)
    head = text[:keep] if draws.random() < 0.75 else ""
    body = text[len(head) :]
    for _ in range(draws.choice((1, 1, 1, 2, 3, 6))):
        body = _changed(body, seeds, draws)
    text = head + body
    kind = draws.randrange(40)
    if kind == 0:
        return text.encode("utf-16")
    if kind == 1:
        return text.encode("utf-8-sig")
    if kind == 2:
        return text.replace("\n", draws.choice(("\r\n", "\r"))).encode()
    data = text.encode(errors="surrogatepass")
    if kind == 3:
        at = draws.randint(0, len(data))
        return data[:at] + draws.choice((b"\0", b"\xe9", b"\xc0\x80", b"\x1a")) + data[at:]
    return damaged_bytes(data, draws) if kind == 4 else data


def _changed(text: str, seeds: Sequence[str], draws: random.Random) -> str:
    lines = draws.random() < 0.4
    parts = text.splitlines(keepends=True) if lines else _WORD.findall(text)
    if not parts:
        return draws.choice(seeds)
    at, other = draws.randrange(len(parts)), draws.randrange(len(parts))
    match draws.randrange(7):
        case 0:
            parts[at], parts[other] = parts[other], parts[at]
        case 1:
            parts[at:at] = [parts[at]] * draws.choice((1, 1, 1, 3, 40))
        case 2:
            del parts[at : at + draws.choice((1, 1, 2, 5))]
        case 3:
            donor = draws.choice(seeds)
            pieces = donor.splitlines(keepends=True) if lines else _WORD.findall(donor)
            start = draws.randrange(len(pieces))
            parts[at:at] = pieces[start : start + draws.randint(1, 4)]
        case 4:
            parts[at] = draws.choice(("", '""', "[]", "{}", "[[", '"\\u202e"', "'", "#", "=", "x"))
        case _:
            found = list(_NUMBER.finditer(text))
            if found:
                place = draws.choice(found)
                new = draws.choice(NUMBERS)
                return text[: place.start()] + new + text[place.end() :]
    return "".join(parts)


def damaged_json(seeds: Sequence[Any], draws: random.Random, words: Sequence[Any] = ()) -> bytes:
    """Returns a value of `seeds` as JSON with one to three changes in its tree, or in its text."""
    value = copy.deepcopy(draws.choice(seeds))
    if draws.random() < 0.15:
        text = json.dumps(value)
        return damaged_bytes(text.encode(), draws)
    hostile = [None, True, "", "x", -1, 0, 2**31, 2**63, 2**64, 1e308, [], {}, "\u202e\0", *words]
    for _ in range(draws.randint(1, 3)):
        places = list(_places(value))
        if not places:
            return json.dumps(draws.choice(hostile)).encode()
        where, key = draws.choice(places)
        match draws.randrange(4):
            case 0:
                del where[key]
            case 1:
                donor, name = draws.choice(places)
                if _holds(donor, name):
                    where[key] = copy.deepcopy(donor[name])
            case _:
                where[key] = draws.choice(hostile)
    return json.dumps(value).encode()


def _holds(where: Any, key: Any) -> bool:
    return key in where if isinstance(where, dict) else key < len(where)


def _places(value: Any) -> Any:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, below in list(items):
        yield value, key
        if isinstance(below, dict | list):
            yield from _places(below)


def damaged_bytes(data: bytes, draws: random.Random) -> bytes:
    """Returns bytes with one to four changes."""
    changed = bytearray(data)
    for _ in range(draws.randint(1, 4)):
        if not changed:
            return b""
        at = draws.randrange(len(changed))
        span = draws.choice((1, 1, 2, 4, 8, 64))
        match draws.randrange(7):
            case 0:
                changed[at] = draws.randrange(256)
            case 1:
                changed[at] ^= 1 << draws.randrange(8)
            case 2:
                del changed[at : at + span]
            case 3:
                changed[at:at] = draws.randbytes(span)
            case 4:
                changed[at : at + span] = draws.choice((b"\0", b"\xff", b"\x7f")) * span
            case 5:
                other = draws.randrange(len(changed))
                changed[at : at + span] = changed[other : other + span]
            case _:
                if draws.random() < 0.3:
                    del changed[at:]
    return bytes(changed)
