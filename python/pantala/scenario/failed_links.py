"""Links between routers that have failed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, model_validator

from pantala.models.base import Index, Model, Share
from pantala.models.validation import fault
from pantala.scenario.link_files import failed_links_in, parse_link

__all__ = ["FailedLinks", "FailedLinksTable"]


def _link(text: str) -> str:
    try:
        parse_link(text)
    except ValueError:
        remedy = "write '3:12' (router:port) or '4-9' (all links between two routers)"
        raise fault("is not a link", remedy) from None
    return text


def _no_link(file: str) -> str:
    path = Path(file)
    try:
        parse_link(path.name)
    except ValueError:
        return file
    if path.exists():
        return file
    raise fault("is a link, and a text names a file", f'write a list: ["{path.name}"]')


#: A link by router and port, `3:12`, or all links between two routers, `4-9`.
_Link = Annotated[str, AfterValidator(_link)]


class FailedLinks(Model):
    """Links between routers that have failed: listed, from a file, or drawn at random.

    A link fails in both directions. Several ways can be combined; drawn links come from those that
    are left.
    """

    shorthand: ClassVar[str | None] = "file"

    links: tuple[_Link, ...] = ()
    """Links: `"3:12"` is the link at port 12 of router 3, `"4-9"` are all links between routers 4
    and 9."""
    file: Annotated[str, AfterValidator(_no_link)] | None = None
    """A file with failed links: a table (.csv or .parquet) with the columns `source_router` and
    `source_port`, or a text file with a link per line, as in `links`."""
    link_class: Literal["global", "local", "row", "column"] = "global"
    """The class of the links that are drawn."""
    count: Index | None = None
    """Number of links to draw."""
    share: Share | None = None
    """Share of the links of the class to draw, from 0 to 1, rounded to a whole number of links."""
    seed: Index = 0
    """Seed of the draw. With one seed, a larger number or share adds links to those of a smaller
    one."""

    @model_validator(mode="after")
    def _one_number(self) -> FailedLinks:
        if self.count is not None and self.share is not None:
            raise fault("is given beside share", "remove count or share", "count")
        return self

    def as_plan(self) -> dict[str, Any]:
        """Returns the plan's `topology.link_failures`.

        Raises:
            PlanError: the file cannot be read.
        """
        plan: dict[str, Any] = {"links": [parse_link(link) for link in self.links]}
        if self.file is not None:
            plan["file"] = failed_links_in(self.file, "topology.failed_links.file")
        number = {"count": self.count, "share": self.share}
        given = {key: value for key, value in number.items() if value is not None}
        if given:
            plan["draw"] = {"link_class": self.link_class, "number": given, "seed": self.seed}
        return plan


def _from_list(value: Any) -> Any:
    return {"links": value} if isinstance(value, list | tuple) else value


#: Failed links. A list is short for `{ links = [...] }`, a text for `{ file = "..." }`.
FailedLinksTable = Annotated[
    FailedLinks, BeforeValidator(_from_list, json_schema_input_type=FailedLinks | list[str])
]
