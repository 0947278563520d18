"""Files with links between routers, read into the form of a plan. The core checks each link.

A file is a table (CSV or Parquet) with the columns of Pantala's own tables of links, or a run
directory, which has such a table. It has each link once, or once per direction.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pantala.errors import PlanError, show
from pantala.files.forks import check_no_fork
from pantala.files.input_file import LARGE_TEXT, check_regular, read_text, unreadable
from pantala.text.plain_text import plain

if TYPE_CHECKING:
    import polars as pl

__all__ = ["failed_links_in", "links_in", "parse_link"]

#: The place of a link in a file, and the name of a link, in the form of a plan.
Place = dict[Literal["line", "row"], int]
NamedLink = dict[Literal["port", "routers"], list[int]]

_ENDS = ("source_router", "source_port", "target_router", "target_port")
_LINK = re.compile(r"(\d{1,9})\s*([:-])\s*(\d{1,9})", re.ASCII)


def links_in(name: str, key: str) -> dict[str, Any]:
    """Returns the links in a file or run directory, as the plan's `topology.links_file`.

    The core checks each row.

    Args:
        name: the file.
        key: the plan's key that names it.

    Raises:
        PlanError: the file cannot be read, or lacks a column.
    """
    table = _table(name, key, _ENDS)
    wanted = [column for column in (*_ENDS, "class", "parallel_index") if column in table.columns]
    columns = table.select(wanted).to_dict(as_series=False)
    return {"name": plain(name), "first": next(_places(name)), **columns}


def failed_links_in(name: str, key: str) -> dict[str, Any]:
    """Returns the links in a file of failed links, as the plan's `topology.link_failures.file`.

    Args:
        name: the file: a table with `source_router` and `source_port`, or a text.
        key: the plan's key that names it.

    Raises:
        PlanError: the file cannot be read, or has something else than links.
    """
    return {"name": plain(name), "links": [list(link) for link in _failed_links_in(name, key)]}


def _failed_links_in(name: str, key: str) -> Iterator[tuple[Place, NamedLink]]:
    if _is_table(name):
        columns = _ENDS[:2]
        rows = _table(name, key, columns).select(columns).iter_rows()
        for place, end in zip(_places(name), rows, strict=False):
            if None not in end:
                yield place, {"port": list(end)}
        return
    try:
        lines = read_text(name, most=LARGE_TEXT).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(key, name, error) from None
    for number, line in enumerate(lines, start=1):
        for item in line.partition("#")[0].replace(",", " ").split():
            try:
                yield {"line": number}, parse_link(item)
            except ValueError:
                message = f"line {number} has {show(item)}, which is not a link"
                raise _fault(key, name, message, "write 3:12 (router:port) or 4-9") from None


def parse_link(text: str) -> NamedLink:
    """Returns the name of a link in a plan, from `3:12` (router and port) or `4-9` (two routers).

    Raises:
        ValueError: the text is neither.
    """
    match = _LINK.fullmatch(text.strip())
    if match is None:
        raise ValueError(text)
    kind: Literal["port", "routers"] = "port" if match[2] == ":" else "routers"
    return {kind: [int(match[1]), int(match[3])]}


def _is_table(name: str) -> bool:
    return Path(name).suffix.lower() in {".csv", ".parquet"} or Path(name).is_dir()


def _table(name: str, key: str, columns: tuple[str, ...]) -> pl.DataFrame:
    """Returns the table of a file, with these columns as integers and `class` as text."""
    import polars as pl

    from pantala.files.table_errors import UNREADABLE, aborts

    path = Path(name)
    if path.is_dir():
        path = path / "links.parquet"
    try:
        check_regular(path)
        if path.suffix.lower() == ".csv":
            table = pl.read_csv(path, infer_schema_length=None)
        elif path.suffix.lower() == ".parquet":
            if aborts(path):
                raise _fault(key, name, "is damaged", "write the file again")
            check_no_fork(path)
            table = pl.read_parquet(path, glob=False)
        else:
            message = "is neither CSV nor Parquet, by the end of its name"
            raise _fault(key, name, message, "name a .csv or .parquet file, or a run directory")
    except (OSError, *UNREADABLE) as error:
        raise _unreadable(key, name, error) from None
    missing = [column for column in columns if column not in table.columns]
    if missing:
        message = f"lacks the column {missing[0]}; it has {', '.join(table.columns)}"
        remedy = "write the table with `pantala topology ... --links FILE`"
        raise _fault(key, name, message, remedy)
    numbers = [column for column in (*columns, "parallel_index") if column in table.columns]
    for column in numbers:
        if len(table) and not table.schema[column].is_integer():
            message = f"has a column {column} that does not hold whole numbers only"
            raise _fault(key, name, message, "give routers and ports as numbers from 0 on")
    texts = [column for column in ("class",) if column in table.columns]
    try:
        return table.with_columns(pl.col(numbers).cast(pl.Int64), pl.col(texts).cast(pl.String))
    except UNREADABLE as error:
        raise _unreadable(key, name, error) from None


def _places(name: str) -> Iterator[Place]:
    """Yields the places of the rows of a table. A CSV file has its header on line 1."""
    csv = Path(name).suffix.lower() == ".csv"
    return ({"line": number + 1} if csv else {"row": number} for number in count(1))


def _unreadable(key: str, name: str, error: BaseException) -> PlanError:
    from pantala.files.table_errors import reason

    if isinstance(error, FileNotFoundError):
        return _fault(key, name, "cannot be read: there is no such file", "check the path")
    if isinstance(error, OSError):
        return _fault(key, name, *unreadable(error, "check the path and the file"))
    return _fault(key, name, f"cannot be read: {reason(error)}", "check the path and the file")


def _fault(key: str, name: str, message: str, remedy: str) -> PlanError:
    return PlanError(key, show(name), message, remedy)
