"""Graphs in MatrixMarket files, as Ember's Unstructured reads them."""

from __future__ import annotations

from pathlib import Path

from pantala.files.input_file import LARGE_TEXT, read_text, unreadable

__all__ = ["MatrixFault", "neighbours_of"]


class MatrixFault(Exception):
    """A file that is not such a graph; the text is message and remedy."""

    def __init__(self, message: str, remedy: str) -> None:
        self.message = message
        self.remedy = remedy
        super().__init__(message)


def neighbours_of(path: Path) -> list[list[int]]:
    """Returns the neighbours of each vertex in ascending order.

    An entry in row i and column j is an edge from i to j; values are ignored. The entries of a file
    that is not `general` also count mirrored.

    Raises:
        MatrixFault: the file cannot be read, or is not a square matrix in coordinates.
    """
    try:
        lines = read_text(path, most=LARGE_TEXT).splitlines()
    except OSError as error:
        raise MatrixFault(*unreadable(error, "name a MatrixMarket file")) from None
    except UnicodeDecodeError:
        raise MatrixFault("cannot be read: is not text", "name a MatrixMarket file") from None
    header = lines[0].split() if lines else []
    if header[:3] != ["%%MatrixMarket", "matrix", "coordinate"] or len(header) != 5:
        message = "does not start with %%MatrixMarket matrix coordinate"
        raise MatrixFault(message, "name a MatrixMarket file in coordinates")
    data = [
        (number, line.split())
        for number, line in enumerate(lines[1:], 2)
        if line.strip() and not line.startswith("%")
    ]
    rows, columns, entries = _numbers(data[0], 3) if data else (0, 0, 0)
    if rows != columns or rows < 1:
        raise MatrixFault(f"has {rows} rows and {columns} columns", "make it square")
    if len(data) - 1 != entries:
        message = f"announces {entries} entries and has {len(data) - 1}"
        raise MatrixFault(message, "correct the size line")
    found: list[set[int]] = [set() for _ in range(rows)]
    for line in data[1:]:
        row, column = _numbers(line, 2)
        if not (1 <= row <= rows and 1 <= column <= rows):
            message = f"line {line[0]}: entry {row} {column} is outside of 1 to {rows}"
            raise MatrixFault(message, "correct it")
        found[row - 1].add(column - 1)
        if header[4] != "general":
            found[column - 1].add(row - 1)
    return [sorted(vertices) for vertices in found]


def _numbers(line: tuple[int, list[str]], count: int) -> list[int]:
    number, words = line
    if len(words) < count or not all(word.isdecimal() for word in words[:count]):
        message = f"line {number}: does not start with {count} whole numbers"
        raise MatrixFault(message, "correct it")
    return [int(word) for word in words[:count]]
