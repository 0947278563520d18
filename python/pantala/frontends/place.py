"""Places in the input file of another program, and errors that name them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pantala.errors import ScenarioError

__all__ = ["Place", "read_text"]


@dataclass(frozen=True)
class Place:
    """A line of an input file.

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


def read_text(path: Path, what: str) -> str:
    """Returns the text of an input file.

    Args:
        path: the file.
        what: the kind of file that is expected, for an error.

    Raises:
        ScenarioError: the file cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        message = f"cannot be read: {error.strerror or error}"
        raise Place(str(path)).error(message, "check the path and its permissions") from None
    except UnicodeDecodeError as error:
        message = f"byte {error.start} is not UTF-8 text"
        raise Place(str(path)).error(message, f"name {what}") from None
