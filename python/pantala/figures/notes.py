"""The line below a figure that stands alone: what makes its results approximate or partial."""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.figure import Figure

from pantala.caveats import Caveat, caveats_of
from pantala.caveats.facts import facts_of_run
from pantala.experiments.experiment import Experiment
from pantala.figures.runs import is_experiment
from pantala.run_tables.run_like import InterferenceLike, RunLike

__all__ = ["caveats_of_runs", "write_below"]

#: Height of a line of the note, in inches.
_LINE = 0.14
#: Characters of a line of the note per inch of the figure's width.
_PER_INCH = 19


def caveats_of_runs(
    runs: Mapping[str, RunLike | InterferenceLike],
) -> list[Caveat]:
    """Returns the caveats of runs and of the runs of interference experiments, or of a sweep.

    Their words for a run have no comma, so that a list of them can be read.
    """
    for each in runs.values():
        if isinstance(each, Experiment) and (each.axes or not each.single):
            return each.caveats
    facts = {}
    for title, each in runs.items():
        if is_experiment(each):
            of = "" if len(runs) == 1 else f"{title} "
            facts[f"{of}together"] = facts_of_run(each.together)
            facts |= {f"{of}{job} alone": facts_of_run(run) for job, run in each.alone.items()}
        else:
            facts[title] = facts_of_run(each)
    return caveats_of(facts)


def write_below(figure: Figure, *words: str) -> None:
    """Writes words below a figure, in small print; nothing without words.

    Args:
        figure: a figure of `new_figure`.
        words: a few words for each caveat.
    """
    import textwrap

    if not any(words):
        return
    width, height = figure.get_size_inches()
    lines = textwrap.wrap("; ".join(filter(None, words)), int(width * _PER_INCH))
    taken = _LINE * (len(lines) + 0.5)
    figure.set_size_inches(width, height + taken)
    share = taken / (height + taken)
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.set(rect=(0, share, 1, 1 - share))  # type: ignore[call-arg]
    figure.text(0.012, share / 4, "\n".join(lines), fontsize=6.5, color="#555555", va="bottom")
