"""Caveats in words: the facts of one run, or of a set of runs, as sentences."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pantala.catalogue.job_sets import TOGETHER
from pantala.caveats.caveat import MOST, Caveat, named, some, union, which
from pantala.caveats.facts import Facts
from pantala.caveats.overlaps import overlap_caveat
from pantala.text.amounts import PLAIN, counted

__all__ = [
    "ONE_SEED",
    "Absent",
    "caveats_of",
    "equal_seeds",
]

#: The caveat of a single run.
ONE_SEED = "This is one seed and one placement. Repeat it with other seeds before you conclude."
_ONE_SEED_EACH = (
    "Each case has one seed, so there are no intervals: another seed can change the order. Repeat"
    " with several seeds (pantala sweep --seeds 5) before you conclude."
)

#: Why a run of some jobs ends that do not end by themselves.
_AS_LONG = "as long as the run together"
_ENDINGS = {
    "duration": "ended at its set duration (stop.duration)",
    _AS_LONG: "ended with the run of all jobs together",
    "interrupted": "was interrupted",
    "stalled": "stalled (packets in flight did not move, or ranks waited for one another)",
    "failed": "failed",
}


@dataclass(frozen=True)
class Absent:
    """What a set of runs lacks.

    Attributes:
        failed: the runs that failed.
        missing: the runs that are not there yet.
        refused: the cases that cannot be run.
        runs: the number of all runs.
        cases: the number of all cases.
    """

    failed: int = 0
    missing: int = 0
    refused: int = 0
    runs: int = 0
    cases: int = 0


def caveats_of(
    facts: Mapping[str, Facts],
    *,
    seeds: Collection[Sequence[str]] = (),
    absent: Absent | None = None,
    ask_for_seeds: bool = True,
) -> list[Caveat]:
    """Returns the caveats of a run or of a set of runs, those that matter most first.

    Args:
        facts: the facts of each run by its title.
        seeds: groups of titles whose runs differ in their seed only.
        absent: the runs that are not among them.
        ask_for_seeds: whether a single seed is a caveat.
    """
    found = [
        *_skipped(facts),
        *_coarse(facts),
        *_cut_off(facts),
        *_absent(absent or Absent()),
        *_captured(facts),
        *_learning(facts),
        *_unfinished(facts),
        *_silent(facts),
        *overlap_caveat(facts),
        *_windows(facts),
        *_equal_seeds(facts, seeds),
    ]
    if ask_for_seeds:
        found += _one_seed(facts, seeds)
    return found


def equal_seeds(facts: Mapping[str, Facts], group: Sequence[str]) -> list[Sequence[str]]:
    """Returns the sets of runs with equal results among runs that differ in their seed only."""
    by_hash: dict[str, list[str]] = {}
    for title in group:
        if title in facts and facts[title].result_hash:
            by_hash.setdefault(facts[title].result_hash, []).append(title)
    return [titles for titles in by_hash.values() if len(titles) > 1]


def _skipped(facts: Mapping[str, Facts]) -> Iterator[Caveat]:
    """Yields a caveat for each statement of runs that may skip time."""
    statements: dict[str, list[str]] = {}
    for title, each in facts.items():
        if each.skipped:
            statements.setdefault(each.skipped, []).append(title)
    shown = list(statements.items())
    # Statements that differ in their numbers only have the same few words, which stand once.
    briefly: dict[str, list[str]] = {}
    for statement, titles in shown:
        briefly.setdefault(statement.split(";")[0].split(":")[0], []).extend(titles)
    short = "; ".join(f"{words}{some(titles, facts)}" for words, titles in briefly.items())
    for at, (statement, titles) in enumerate(shown[:MOST]):
        text = statement[0].upper() + statement[1:]
        yield Caveat(
            "skipped",
            f"{which(titles, facts)}{text}.",
            short if at == 0 else "",
        )
    if len(shown) > MOST:
        rest = sum(len(titles) for _, titles in shown[MOST:])
        yield Caveat(
            "skipped",
            f"{rest:,} more runs may have skipped time; run.json of each says what it skipped.",
            "",
        )
    skipping = [title for title, each in facts.items() if each.skipped.startswith("skipped")]
    if skipping and len(skipping) < len(facts):
        text = (
            "Some runs skipped time and others did not: their differences have the stated errors."
        )
        yield Caveat("skipped", text, "")


def _coarse(facts: Mapping[str, Facts]) -> Iterator[Caveat]:
    coarse: dict[int, list[str]] = {}
    for title, each in facts.items():
        if each.coarsen > 1:
            coarse.setdefault(each.coarsen, []).append(title)
    for coarsen, titles in sorted(coarse.items()):
        statement = facts[titles[0]].coarsened or f"Coarsened by {coarsen} (detail.coarsen)."
        yield Caveat(
            "coarse",
            f"{which(titles, facts)}{statement}",
            f"coarsened by {coarsen}{some(titles, facts)}",
        )


def _cut_off(facts: Mapping[str, Facts]) -> Iterator[Caveat]:
    """Yields a caveat for each way in which runs ended early."""
    endings: dict[str, list[str]] = {}
    together = facts.get(TOGETHER)
    for title, each in facts.items():
        if not each.complete:
            # The run of all jobs determines the length of others, which the user does not set.
            reason = each.reason
            if reason == "duration" and together and together.reason != "duration":
                reason = _AS_LONG
            endings.setdefault(reason, []).append(title)
    for reason, titles in endings.items():
        ending = _ENDINGS.get(reason, f"is incomplete ({reason})")
        times = [facts[title].simulated_ns for title in titles]
        after = PLAIN.duration(min(times))
        if max(times) > min(times):
            after += f" to {PLAIN.duration(max(times))}"
        what = "The run" if len(facts) == 1 else "This run" if len(titles) == 1 else "Each run"
        cover = "Its numbers cover that time only."
        yield Caveat(
            "cut_off",
            f"{which(titles, facts)}{what} {ending} after {after}, before every job had ended."
            f" {cover}",
            f"cut off ({reason}){some(titles, facts)}",
        )


def _absent(absent: Absent) -> Iterator[Caveat]:
    sentences = []
    if absent.failed:
        sentences.append(f"{absent.failed:,} of {absent.runs:,} runs failed")
    if absent.missing:
        sentences.append(f"{absent.missing:,} of {absent.runs:,} runs are not simulated yet")
    if absent.refused:
        sentences.append(f"{absent.refused:,} of {absent.cases:,} cases are refused")
    if sentences:
        yield Caveat("absent", f"Not in the results: {'; '.join(sentences)}.", "; ".join(sentences))


def _learning(facts: Mapping[str, Facts]) -> Iterator[Caveat]:
    """Yields a caveat for the runs in which q_adaptive started to learn, for all jobs or some."""
    learning = {title: each for title, each in facts.items() if each.learning}
    whole = [title for title, each in learning.items() if set(each.learning) == set(each.jobs)]
    partly = {title: each for title, each in learning.items() if title not in whole}
    sets = [(whole, "")] if whole else []
    if partly:
        jobs = named(union(partly, lambda each: each.learning))
        sets.append((list(partly), f" of {jobs}"))
    for titles, of_jobs in sets:
        yield Caveat(
            "learning",
            f"{which(titles, facts)}q_adaptive{of_jobs} started without learned estimates, so the"
            " results contain its learning.",
            f"q_adaptive without learned estimates{some(titles, facts)}",
        )


def _unfinished(facts: Mapping[str, Facts]) -> Iterator[Caveat]:
    """Yields a caveat for each set of runs in which jobs had not ended, or one if they are many."""
    found = _sets(facts, lambda each: each.unfinished)
    where = ""
    if len(found) > MOST:
        among = [title for title, each in facts.items() if each.unfinished]
        found = [(among, union(facts, lambda each: each.unfinished))]
        where = ", each in some of these runs"
    for titles, jobs in found:
        its = "Its times cover" if len(jobs) == 1 else "Their times cover"
        yield Caveat(
            "unfinished",
            f"{which(titles, facts)}{named(jobs)} had not ended when the run did{where}. {its} the"
            " part that ran.",
            f"not ended: {named(jobs)}{some(titles, facts)}",
        )


def _silent(facts: Mapping[str, Facts]) -> Iterator[Caveat]:
    """Yields a caveat for each set of runs in which jobs sent nothing."""
    found = _sets(facts, lambda each: each.silent)
    for titles, jobs in found[:MOST]:
        it, its = ("it", "its start, its load")
        if len(jobs) > 1:
            it, its = ("them", "their starts, their loads")
        runs = [[title for title in titles if job in facts[title].silent] for job in jobs]
        when = "during the run" if runs.count(runs[0]) == len(runs) else "in all of their runs"
        of_runs = which(titles, facts) if when == "during the run" else ""
        yield Caveat(
            "silent",
            f"{of_runs}{named(jobs)} sent nothing {when}, so nothing was disturbed by {it}. Check"
            f" {its} and stop.duration.",
            f"sent nothing: {named(jobs)}{some(titles, facts)}",
        )
    if rest := [job for _, jobs in found[MOST:] for job in jobs]:
        text = f"{counted(len(rest), 'more job')} sent nothing in some runs"
        yield Caveat("silent", f"{text}.", "")


def _sets(
    facts: Mapping[str, Facts], of: Callable[[Facts], Sequence[str]]
) -> list[tuple[Sequence[str], list[str]]]:
    """Returns sets of runs, each with the jobs that `of` names in them.

    Jobs that it names in each of their runs stand together, with the runs of all of them.
    """
    always: list[str] = []
    others: dict[Sequence[str], list[str]] = {}
    for job in union(facts, of):
        if all(job not in each.jobs or job in of(each) for each in facts.values()):
            always.append(job)
        else:
            among = tuple(title for title, each in facts.items() if job in of(each))
            others.setdefault(among, []).append(job)
    titles = [title for title, each in facts.items() if set(always) & set(of(each))]
    return [(titles, always)] * bool(always) + list(others.items())


def _captured(facts: Mapping[str, Facts]) -> Iterator[Caveat]:
    """Yields a caveat for each thing that captures lack of their programs."""
    lacks: dict[tuple[str, str], list[str]] = {}
    for title, each in facts.items():
        for pair in each.captured:
            lacks.setdefault(pair, []).append(title)
    for (job, note), titles in lacks.items():
        yield Caveat(
            "captured",
            f"{which(titles, facts)}{job} replays a capture: {note}.",
            f"{job}: an incomplete capture{some(titles, facts)}",
        )


def _windows(facts: Mapping[str, Facts]) -> Iterator[Caveat]:
    """Yields a caveat if runs ended before a window of their record."""
    titles = [title for title, each in facts.items() if each.windows or each.packets_from_ns]
    if not titles:
        return
    lengths = dict(window for each in facts.values() for window in each.windows)
    of_runs = which(titles, facts)
    longest = PLAIN.duration(max(facts[title].simulated_ns for title in titles))
    took = f"The run took {longest}" if len(titles) == 1 else f"The runs took at most {longest}"
    sentences = [f"{took[0].lower() if of_runs else took[0]}{took[1:]}"]
    if lengths:
        names = [f"{key} ({PLAIN.duration(length, exact=True)})" for key, length in lengths.items()]
        tables = "its table has" if len(lengths) == 1 else "their tables have"
        sentences.append(f"less than the window of {named(names)}: {tables} a single window")
    if begin := max(facts[title].packets_from_ns for title in titles):
        shown = PLAIN.duration(begin, exact=True)
        sentences.append(f"less than record.packet_from ({shown}): no packet has a row")
    yield Caveat(
        "windows",
        f"{of_runs}{', '.join(sentences[:2])}{''.join(f'; {more}' for more in sentences[2:])}."
        " Give times within the run.",
        f"shorter than a window of record{some(titles, facts)}",
    )


def _equal_seeds(facts: Mapping[str, Facts], seeds: Collection[Sequence[str]]) -> Iterator[Caveat]:
    several = [group for group in seeds if sum(title in facts for title in group) > 1]
    same = [(group, sets) for group in several if (sets := equal_seeds(facts, group))]
    if not same:
        return
    runs = sum(len(titles) - 1 for _, sets in same for titles in sets)
    if len(several) == 1:
        sentences = [_seeds([facts[title] for title in titles]) for titles in same[0][1]]
        text = f"{'; '.join(sentences)} gave equal results"
        short = f"{runs} seed{'' if runs == 1 else 's'} without effect"
    else:
        groups = f"{len(same):,} of {len(several):,} groups of seeds"
        text = f"In {groups}, seeds gave equal results"
        short = f"seeds without effect in {groups}"
    each = "Equal results count as one value, without an interval."
    yield Caveat(
        "equal_seeds",
        f"{text} (equal result_hash). {each} The seed decides nothing there; draw something with"
        ' it, such as placement = "random".',
        short,
    )


def _one_seed(facts: Mapping[str, Facts], seeds: Collection[Sequence[str]]) -> Iterator[Caveat]:
    known = {each.seed for each in facts.values()}
    if not facts or len(known) > 1:
        return
    single = len(facts) == 1 or not seeds
    yield Caveat("one_seed", ONE_SEED if single else _ONE_SEED_EACH, "one seed")


def _seeds(facts: Sequence[Facts]) -> str:
    numbers = sorted(each.seed for each in facts if each.seed is not None)
    return f"Seeds {named([str(number) for number in numbers])}"
