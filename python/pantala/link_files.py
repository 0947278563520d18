"""Files with links between routers, read as rows and checked one by one.

A file is a table (CSV or Parquet) with the columns of Pantala's own tables of links, or a run
directory, which has such a table. It has each link once, or once per direction.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pantala.errors import PlanError, show
from pantala.input_file import LARGE_TEXT, check_regular, read_text, unreadable

if TYPE_CHECKING:
    import polars as pl

__all__ = ["End", "Row", "Shape", "checked_links", "ends_in", "link_rows", "parse_link"]

_ENDS = ("source_router", "source_port", "target_router", "target_port")
_LINK = re.compile(r"(\d{1,9})\s*([:-])\s*(\d{1,9})", re.ASCII)
#: The links of a node in the table of a run.
_TERMINAL = ("terminal", "injection", "ejection")


class End(NamedTuple):
    """One end of a link."""

    router: int
    port: int


@dataclass(frozen=True)
class Row:
    """A row of a table of links.

    Attributes:
        place: its place in the file, in words.
        source: the end that sends.
        target: the end that receives.
        link_class: its class; None if the file has no such column.
        parallel_index: its number among the links of its groups; None if the file has no such
            column.
    """

    place: str
    source: End
    target: End
    link_class: str | None
    parallel_index: int | None


@dataclass(frozen=True)
class Shape:
    """The numbers of a network that its links must fit.

    Attributes:
        routers: number of routers.
        per_group: routers per group.
        ports: number of ports per link class, in the order of the ports.
        local: the far end of each local port.
    """

    routers: int
    per_group: int
    ports: Mapping[str, int]
    local: Mapping[End, End]

    def class_of(self, port: int) -> str | None:
        """Returns the link class of a port; None if a router has no such port."""
        for name, count in self.ports.items():
            if port < count:
                return name
            port -= count
        return None

    def group_of(self, end: End) -> int:
        """Returns the group of an end."""
        return end.router // self.per_group


def link_rows(name: str, key: str) -> list[Row]:
    """Returns the links in a file or run directory, without those of nodes.

    Args:
        name: the file.
        key: the plan's key that names it.

    Raises:
        PlanError: the file cannot be read, lacks a column, or has no links.
    """
    table = _table(name, key, _ENDS)
    names = ("class", "parallel_index")
    wanted = [column for column in (*_ENDS, *names) if column in table.columns]
    rows = []
    for place, row in zip(_places(name), table.select(wanted).iter_rows(named=True), strict=False):
        link_class = row.get("class")
        if link_class in _TERMINAL:
            continue
        numbers = [row[column] for column in _ENDS]
        for column, number in zip(_ENDS, numbers, strict=True):
            if number is None or number < 0:
                what = f"no {column}" if number is None else f"{column} {number}"
                raise _fault(key, name, f"{place} has {what}", "give routers and ports from 0 on")
        ends = End(*numbers[:2]), End(*numbers[2:])
        rows.append(Row(place, *ends, link_class, row.get("parallel_index")))
    if not rows:
        raise _fault(key, name, "has no links between routers", "name a table with links")
    return rows


def checked_links(rows: list[Row], shape: Shape, name: str, key: str) -> list[Row]:
    """Returns each link once, after a check of every row.

    A file with both directions gives the rows that lead from the lower end to the higher.

    Args:
        rows: the rows of the file.
        shape: the network that they must fit.
        name: the file.
        key: the plan's key that names it.

    Raises:
        PlanError: a row does not fit the network or another row.
    """
    seen: dict[tuple[End, End], Row] = {}
    for row in rows:
        message = _misfit(row, shape)
        before = seen.setdefault((row.source, row.target), row)
        if message is None and before is not row:
            message = f"is the link of {before.place} again"
        if message is not None:
            remedy = "correct the row, or the numbers of machine.topology"
            raise _fault(key, name, f"{row.place} {message}", remedy)
    reverse = {pair: seen.get((pair[1], pair[0])) for pair in seen}
    directed = any(back is not None for back in reverse.values())
    taken: dict[End, Row] = {}
    for (source, target), row in seen.items():
        if directed and reverse[source, target] is None:
            message = f"{row.place} has no row for the other direction, as other links have"
            raise _fault(key, name, message, "give all links once, or all in both directions")
        for end in (source,) if directed else (source, target):
            other = taken.setdefault(end, row)
            if other is not row:
                message = f"{row.place} uses port {end.port} of router {end.router}, as does"
                raise _fault(key, name, f"{message} {other.place}", "give each port one link")
    return [row for row in seen.values() if not directed or row.source < row.target]


def ends_in(name: str, key: str) -> Iterator[tuple[str, End | tuple[int, int]]]:
    """Yields the links in a file of failed links, each with its place in words.

    Args:
        name: the file: a table with `source_router` and `source_port`, or a text.
        key: the plan's key that names it.

    Yields:
        An end of a link, or a pair of routers.

    Raises:
        PlanError: the file cannot be read, or has something else than links.
    """
    if _is_table(name):
        columns = _ENDS[:2]
        table = _table(name, key, columns)
        for place, (router, port) in zip(
            _places(name), table.select(columns).iter_rows(), strict=False
        ):
            if router is not None and port is not None:
                yield place, End(router, port)
        return
    try:
        lines = read_text(name, most=LARGE_TEXT).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(key, name, error) from None
    for number, line in enumerate(lines, start=1):
        for item in line.partition("#")[0].replace(",", " ").split():
            try:
                yield f"line {number}", parse_link(item)
            except ValueError:
                message = f"line {number} has {show(item)}, which is not a link"
                raise _fault(key, name, message, "write 3:12 (router:port) or 4-9") from None


def parse_link(text: str) -> End | tuple[int, int]:
    """Returns the end of a link, `3:12`, or a pair of routers, `4-9`.

    Raises:
        ValueError: the text is neither.
    """
    match = _LINK.fullmatch(text.strip())
    if match is None:
        raise ValueError(text)
    first, second = int(match[1]), int(match[3])
    return End(first, second) if match[2] == ":" else (first, second)


def _misfit(row: Row, shape: Shape) -> str | None:
    """Returns what is wrong with a row by itself; None if it fits the network."""
    classes = []
    for end in (row.source, row.target):
        if end.router >= shape.routers:
            return f"names router {end.router}, but there are {shape.routers}, counted from 0"
        link_class = shape.class_of(end.port)
        if link_class is None:
            return f"names port {end.port}, but a router has {sum(shape.ports.values())}"
        if link_class == "terminal":
            return f"names port {end.port}, which belongs to a node"
        classes.append(link_class)
    if row.link_class is not None and row.link_class != classes[0]:
        port = row.source.port
        return f"has class {show(row.link_class)}, but port {port} is a {classes[0]} port"
    if classes[0] != classes[1]:
        ends = f"a {classes[0]} port with a {classes[1]} port"
        return f"joins {ends} (ports {row.source.port} and {row.target.port})"
    if classes[0] == "global":
        if shape.group_of(row.source) == shape.group_of(row.target):
            return f"joins group {shape.group_of(row.source)} with itself by a global link"
        return None
    there = shape.local[row.source]
    if there != row.target:
        return (
            f"is a {classes[0]} link that the group does not have: port {row.source.port} of router"
            f" {row.source.router} leads to port {there.port} of router {there.router}"
        )
    return None


def _is_table(name: str) -> bool:
    return Path(name).suffix.lower() in {".csv", ".parquet"} or Path(name).is_dir()


def _table(name: str, key: str, columns: tuple[str, ...]) -> pl.DataFrame:
    """Returns the table of a file, with these columns as integers."""
    import polars as pl

    path = Path(name)
    if path.is_dir():
        path = path / "links.parquet"
    try:
        check_regular(path)
        if path.suffix.lower() == ".csv":
            table = pl.read_csv(path, infer_schema_length=None)
        elif path.suffix.lower() == ".parquet":
            table = pl.read_parquet(path, glob=False)
        else:
            message = "is neither CSV nor Parquet, by the end of its name"
            raise _fault(key, name, message, "name a .csv or .parquet file, or a run directory")
    except (OSError, pl.exceptions.PolarsError) as error:
        raise _unreadable(key, name, error) from None
    missing = [column for column in columns if column not in table.columns]
    if missing:
        message = f"lacks the column {missing[0]}; it has {', '.join(table.columns)}"
        remedy = "write the table with `pantala topology ... --links FILE`"
        raise _fault(key, name, message, remedy)
    for column in (*columns, "parallel_index"):
        if len(table) and column in table.columns and not table.schema[column].is_integer():
            message = f"has a column {column} that does not hold whole numbers only"
            raise _fault(key, name, message, "give routers and ports as numbers from 0 on")
    return table


def _places(name: str) -> Iterator[str]:
    """Yields the places of the rows of a table in words. A CSV file has its header on line 1."""
    number = 0
    csv = Path(name).suffix.lower() == ".csv"
    while True:
        number += 1
        yield f"line {number + 1}" if csv else f"row {number}"


def _unreadable(key: str, name: str, error: Exception) -> PlanError:
    if isinstance(error, FileNotFoundError):
        return _fault(key, name, "cannot be read: there is no such file", "check the path")
    if isinstance(error, OSError):
        return _fault(key, name, *unreadable(error, "check the path and the file"))
    reason = str(error).partition("\n")[0]
    return _fault(key, name, f"cannot be read: {reason}", "check the path and the file")


def _fault(key: str, name: str, message: str, remedy: str) -> PlanError:
    return PlanError(key, show(name), message, remedy)
