"""The file format of presets: values with their sources and notes.

A file has three parts. ``about`` is a text of one or more sentences. ``sources`` is a table that
describes the sources by name. The other tables hold entries ``key = { value = ..., source = ...,
note = ... }``. A source is a name from ``sources`` and the place in it, such as ``"paper III"``. An
entry with several sources has a list. Every file can use the source ``assumption``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pantala.models.copied import copied

__all__ = ["ASSUMPTION", "Entry", "PresetFile"]

#: The source of a value that no other source states and that is chosen here.
ASSUMPTION = "assumption"
_PAPER = "paper"
_KEYS = {"value", "source", "note"}
_SILENT = "no source states the value; chosen here"


@dataclass(frozen=True)
class Entry:
    """A value of a preset.

    Attributes:
        value: the value in the scenario's spelling.
        sources: the sources of the value, such as ``("paper III", "SST")``.
        note: an explanation; can be empty.
    """

    value: Any
    sources: tuple[str, ...]
    note: str = ""

    @property
    def names(self) -> list[str]:
        """The names of the sources, without the places in them."""
        return [source.partition(" ")[0] for source in self.sources]

    @property
    def assumed(self) -> bool:
        """Whether no paper states the value."""
        return _PAPER not in self.names


@dataclass(frozen=True)
class PresetFile:
    """The content of a preset's file.

    Attributes:
        about: the machine, router, host stack or mix in one or more sentences.
        sources: a description of each source by name.
        entries: the values by dotted key, in the order of the file.
        parameters: the keys of ``machine.topology`` that the preset takes as numbers.
    """

    about: str
    sources: Mapping[str, str]
    entries: Mapping[str, Entry]
    parameters: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> PresetFile:
        """Returns the content of a file's text.

        Raises:
            ValueError: the text is not TOML, ``about`` is missing, or an entry or a source is
                wrong. The message names the key.
        """
        data = tomllib.loads(text)
        about, sources = data.pop("about", None), data.pop("sources", {})
        if not isinstance(about, str):
            raise ValueError('about: is missing; add about = "..."')
        parameters = tuple(data.pop("parameters", ()))
        entries = {key: _entry(key, item, {*sources, ASSUMPTION}) for key, item in _items(data)}
        used = {name for entry in entries.values() for name in entry.names}
        for name in sources:
            if name not in used:
                raise ValueError(f"sources.{name}: is not used by any value; remove it")
        return cls(" ".join(about.split()), sources, entries, parameters)

    def tables(self) -> dict[str, Any]:
        """Returns a new copy of the values in nested tables, as in a scenario."""
        tables: dict[str, Any] = copied(self._tables)
        return tables

    @cached_property
    def _tables(self) -> dict[str, Any]:
        tables: dict[str, Any] = {}
        for key, entry in self.entries.items():
            *path, last = key.split(".")
            table = tables
            for name in path:
                table = table.setdefault(name, {})
            table[last] = entry.value
        return tables

    def assumptions(self) -> dict[str, str]:
        """Returns the values that no paper states, as reasons by dotted key."""
        return {key: self._reason(entry) for key, entry in self.entries.items() if entry.assumed}

    def _reason(self, entry: Entry) -> str:
        if entry.names == [ASSUMPTION]:
            return entry.note or self.sources.get(ASSUMPTION, _SILENT)
        described = next((self.sources[name] for name in entry.names if name != ASSUMPTION), "")
        return "; ".join(part for part in (entry.note, described) if part)


def _items(node: Mapping[str, Any], key: str = "") -> Iterator[tuple[str, Any]]:
    """Yields each entry of nested tables with its dotted key; a bare value is yielded unchanged."""
    for name, item in node.items():
        path = f"{key}.{name}" if key else name
        if (
            isinstance(item, Mapping)
            and "value" not in item
            and not (item and item.keys() <= _KEYS)
        ):
            yield from _items(item, path)
        else:
            yield path, item


def _entry(key: str, item: Any, known: set[str]) -> Entry:
    """Returns the entry at a key.

    Raises:
        ValueError: the entry has no value, no source or an unknown key, or it has a source that the
            file does not declare.
    """
    if not isinstance(item, Mapping) or "value" not in item:
        raise ValueError(
            f"{key} = {item!r}: is not an entry; write {{ value = ..., source = ... }}"
        )
    if unknown := sorted(item.keys() - _KEYS):
        raise ValueError(f"{key}: has {', '.join(unknown)}; an entry has value, source and note")
    given = item.get("source", [])
    sources = (given,) if isinstance(given, str) else tuple(given)
    if not any(sources):
        raise ValueError(
            f'{key}: has no source; add source = "...", one of {", ".join(sorted(known))}'
        )
    entry = Entry(item["value"], sources, item.get("note", ""))
    for name in entry.names:
        if name not in known:
            raise ValueError(
                f"{key}: source '{name}' is not in [sources]; add it, or name one of"
                f" {', '.join(sorted(known))}"
            )
    return entry
