"""Places in the input file of another program, and errors that name them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pantala.errors import Fault, ScenarioError
from pantala.files import input_file

__all__ = ["Errors", "Place", "line_of", "located", "read_text"]

#: Errors of one file that are shown.
_MOST = 100


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


def located(error: ScenarioError, places: Mapping[str, Place]) -> ScenarioError:
    """Returns an error with its line of an input file; unchanged if it has none.

    Args:
        error: the error of a scenario that was made from the file.
        places: the lines by the start of a key, such as ``jobs[0].placement``.
    """
    found = [start for start in places if error.key.startswith(start)]
    if not found:
        return error
    place = places[max(found, key=len)]
    return ScenarioError(str(place), error.key, error.value, error.message, error.remedy)


@dataclass
class Errors:
    """The errors of a file so far, which are shown together."""

    found: list[ScenarioError] = field(default_factory=list)

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Keeps an error of the block, and goes on after it.

        Raises:
            ScenarioError: the file has very many errors.
        """
        try:
            yield
        except ScenarioError as error:
            self.found.append(error)
            if len(self.found) >= _MOST:
                self.refuse()

    def refuse(self) -> None:
        """Raises one error about all kept ones, if there are any.

        Raises:
            ScenarioError: one line for each kept error.
        """
        if not self.found:
            return
        first, *rest = sorted(self.found, key=line_of)
        others = [
            Fault(each.key, each.value, each.message, each.remedy, each.source) for each in rest
        ]
        raise ScenarioError(
            first.source, first.key, first.value, first.message, first.remedy, others
        ) from None


def line_of(error: ScenarioError) -> int:
    """Returns the line that an error of a file names; 0 if it names none."""
    number = error.source.rpartition(":")[2]
    return int(number) if number.isdecimal() else 0


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
