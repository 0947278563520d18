"""The object that describes a paper and the parts of its package."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pantala.papers.application_table import PaperTable
    from pantala.studies import StudyDefinition

__all__ = ["Paper"]


@dataclass(frozen=True)
class Paper:
    """A paper. Its package has the same name.

    The presets of a paper are files of its package, `machines/*.toml` and `mixes/*.toml`;
    `pantala.scenario.presets` finds them.

    Attributes:
        name: the name of the package, first author and year.
        source: the authors, the title, the venue and the year.
        table: imports and returns its table of applications; None if it has none.
        study: imports and returns the study that repeats it; None if there is none.
    """

    name: str
    source: str
    table: Callable[[], PaperTable] | None = None
    study: Callable[[], StudyDefinition] | None = None
