"""docs/explanation/routing/index.md: the table of routings between its marks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from generate.core import Catalogue

_NONE = "\N{EN DASH}"
_INFORMATION = {
    "nothing": "nothing",
    "queues": "output queues of the router that decides",
    "group_queues": "output queues of all global links of the group",
    "estimates": "estimates that the router has learned",
}


#: The page, whose words are written by hand.
PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "routing" / "index.md"
_START, _END = "<!-- start of the table: make generate -->", "<!-- end of the table -->"
_HEAD = """
| name | non-minimal path through | reads | decides | VCs | most links |
| --- | --- | --- | --- | --- | --- |
"""


def text(catalogue: Catalogue) -> str:
    """Returns the page with the table of the catalogue."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(_START)
    _, _, after = rest.partition(_END)
    rows = "".join(f"{_row(routing)}\n" for routing in catalogue["routings"]["algorithms"])
    return f"{before}{_START}\n{_HEAD}{rows}\n{_END}{after}"


def _row(routing: dict[str, Any]) -> str:
    name = f"[{routing['name']}]({routing['name']}.md)"
    if routing["modes"]:
        name += ": " + ", ".join(f"`{mode['name']}`" for mode in routing["modes"])
    links = f"{routing['max_hops']}, {routing['max_hops_2d'] or _NONE}"
    cells = (
        name,
        routing["through"] or _NONE,
        _INFORMATION[routing["information"]],
        routing["decides"] or _NONE,
        str(routing["virtual_channels"]),
        links,
    )
    return f"| {' | '.join(cells)} |"
