"""A kind of figure: its function, sentence, source, options, and what it is drawn from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from matplotlib.figure import Figure

from pantala.catalogue.tables import TABLES

__all__ = [
    "CHUNDURI",
    "EFFECTS",
    "KANG",
    "PAIR",
    "RUN",
    "RUNS",
    "SEVERAL",
    "SWEEP",
    "WANG",
    "YANG",
    "Kind",
]

#: The papers of figures.
KANG = "Kang et al. (SC 2022)"
YANG = "Yang et al. (SC 2016)"
CHUNDURI = "Chunduri et al. (IPDPS 2021)"
WANG = "Wang et al. (IPDPS 2020)"


#: What figures are drawn from.
RUNS = "runs"
RUN = "one run"
PAIR = "one interference experiment"
SWEEP = "one sweep"
EFFECTS = f"{PAIR} or {SWEEP}"

#: The values of an option that allows any text, and may be repeated.
SEVERAL: tuple[str, ...] = ()


@dataclass(frozen=True)
class Kind:
    """One kind of figure.

    Attributes:
        figure: the function of `pantala.figures` that draws it; its name is the kind's.
        text: what it shows, in one sentence.
        source: the figure that it follows; empty if there is none.
        options: the options that it takes, with the values allowed; None allows any text, `SEVERAL`
            any texts.
        reads: a table that the figure needs and that a key records; empty if every run has all.
        needs: the key that it needs, if the key that records the table is not enough.
        takes: what it is drawn from. Runs include the runs of interference experiments.
        draw: draws it from what is given, the runs alone and the options; `figure` if not given.
    """

    figure: Callable[..., Figure]
    text: str
    source: str = ""
    options: Mapping[str, tuple[str, ...] | None] = field(default_factory=dict)
    reads: str = ""
    needs: str = ""
    takes: str = RUNS
    draw: Callable[..., Figure] | None = None

    @property
    def name(self) -> str:
        """Its name on the command line: the function's, with hyphens."""
        return self.figure.__name__.replace("_", "-")

    @property
    def records(self) -> str:
        """The key that records what it needs; empty if every run has it."""
        switch = (TABLES[self.reads].switch or "") if self.reads else ""
        return self.needs or switch
