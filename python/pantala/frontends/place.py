"""Places in the input file of another program, and errors that name them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pantala import input_file
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


def read_text(path: Path, what: str, *, most: int = input_file.TEXT) -> str:
    """Returns the text of an input file.

    Args:
        path: the file.
        what: the kind of file that is expected, for an error.
        most: the most bytes that it may have.

    Raises:
        ScenarioError: the file cannot be read.
    """
    try:
        return input_file.read_text(path, most=most)
    except OSError as error:
        raise Place(str(path)).error(*input_file.unreadable(error)) from None
    except UnicodeDecodeError as error:
        message = f"byte {error.start} is not UTF-8 text"
        raise Place(str(path)).error(message, f"name {what}") from None
