"""The runs of a figure that compares runs, with the look of each: equal in every such figure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pantala.figures.runs import Given, parts
from pantala.figures.style import DASHES, HATCHES, MARKERS, PALETTE, colours
from pantala.run_tables.run_like import RunLike, job_names
from pantala.text.amounts import PAGE

__all__ = ["ShownPart", "shown_parts"]


@dataclass(frozen=True, eq=False)
class ShownPart:
    """A run of a figure.

    Attributes:
        title: its title.
        run: the run.
        colour: its colour: of a job alone, that of the job; of all jobs together, that of no job.
        place: what chooses its other marks.
    """

    title: str
    run: RunLike
    colour: str
    place: int

    @property
    def line(self) -> dict[str, Any]:
        """The style of its line."""
        return {"color": self.colour, "ls": DASHES[self.place % len(DASHES)]}

    @property
    def marker(self) -> str:
        """The mark of its points."""
        return MARKERS[self.place % len(MARKERS)]

    @property
    def hatch(self) -> str:
        """The hatch of its bars."""
        return HATCHES[self.place % len(HATCHES)]


def shown_parts(
    given: Given, alone: Mapping[str, RunLike] | None = None, *, spans: str = ""
) -> list[ShownPart]:
    """Returns every run: each job alone, then the run of all jobs, whose line is solid.

    Args:
        given: the run of all jobs together, the only run, or several runs and experiments by title.
        alone: the run of each job alone, by name; only for one run.
        spans: what stands between a title and the simulated time of its run, if these times differ;
            empty if the figure does not need them. Means over different times are not alike.
    """
    found = parts(given, alone)
    lasted = {title: PAGE.duration(run.document["simulated_ns"]) for title, run in found.items()}
    if not spans or len(set(lasted.values())) == 1:
        titles = list(found)
    else:
        titles = [f"{title}{spans}{lasted[title]}" for title in found]
    order = list(range(len(found)))
    shades = [PALETTE[at % len(PALETTE)] for at in order]
    if alone and not isinstance(given, Mapping):
        *names, together = colours([*job_names(given).values(), ""]).items()
        of_jobs = dict(names)
        shades = [*(of_jobs[name] for name in alone), together[1]]
        order = [*order[1:], 0]
    return [
        ShownPart(title, run, shade, place)
        for title, run, shade, place in zip(titles, found.values(), shades, order, strict=True)
    ]
