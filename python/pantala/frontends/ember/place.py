"""Places in a load file, and errors that name them."""

from __future__ import annotations

from dataclasses import dataclass

from pantala.errors import ScenarioError

__all__ = ["Place"]


@dataclass(frozen=True)
class Place:
    """A line of a load file.

    Attributes:
        file: the file's path.
        line: the line's number, from 1; 0 for the whole file.
    """

    file: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file

    def error(self, message: str, remedy: str) -> ScenarioError:
        """Returns an error of one line about this place."""
        return ScenarioError(str(self), "", "", message, remedy)
