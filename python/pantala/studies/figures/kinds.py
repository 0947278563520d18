"""The kinds of figures of a study: what each shows, and the tables that it reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pantala.errors import UsageError, nearest
from pantala.studies.figures.entry import FigureEntry

__all__ = ["BAR_VALUE", "KINDS", "StudyKind", "completed", "kind_of"]

#: The quantity of bars, unless the entry names another: a column of the table jobs.
BAR_VALUE = "communication_time_mean_ns"


@dataclass(frozen=True)
class StudyKind:
    """A kind of figure.

    Attributes:
        name: its name in study.toml.
        text: what it shows; the first words of its caption.
        tables: the tables that it needs; ``a|b`` is one of two.
        values: the quantities that it can show, each with its tables in place of `tables`; the
            first is the default. Empty if there is one.
        one_seed: whether it shows one seed.
        of_one: of a kind with means over seeds: what it shows if there is one seed. Its cells have
            equal seeds.
        compares: whether it compares samples of cells, which then have equal seeds. Kinds with none
            of the three show all seeds.
        panels: the columns of the panels, unless the entry names others.
        groups: the same for groups.
        series: the same for series.
        most_panels: the most columns of panels; 0 for any number, whose values make one title.
        of_links: whether its rows are of links, so that no column of a job can choose them.
        pools: whether it can take the jobs together.
        serves: whether it is about the routers of one job, which `jobs` names.
    """

    name: str
    text: str
    tables: tuple[str, ...]
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    one_seed: bool = False
    of_one: str = ""
    compares: bool = False
    panels: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    series: tuple[str, ...] = ()
    most_panels: int = 0
    of_links: bool = False
    pools: bool = False
    serves: bool = False

    @property
    def equal_seeds(self) -> bool:
        """Whether it shows the seeds that all its cells have."""
        return self.compares or bool(self.of_one)


_LINKS = ("links|link_jobs",)

KINDS: Mapping[str, StudyKind] = {
    kind.name: kind
    for kind in (
        StudyKind(
            "bars",
            "Means over seeds, with 95 % intervals (Student).",
            ("jobs",),
            of_one="Values of one seed, so without intervals.",
            panels=("name",),
            groups=("beside",),
        ),
        StudyKind(
            "throughput",
            "Delivered bytes over simulated time, control messages included.",
            ("jobs", "job_windows"),
            one_seed=True,
            panels=("name",),
            series=("condition",),
            most_panels=2,
            pools=True,
        ),
        StudyKind(
            "latency-over-time",
            "Mean latency of the packets that arrive in each window.",
            ("jobs", "job_windows"),
            one_seed=True,
            panels=("name",),
            series=("condition",),
            most_panels=2,
        ),
        StudyKind(
            "packet-latency",
            "Packet latency from the source to the destination, means over seeds of each number.",
            ("jobs", "latency_windows"),
            of_one="Packet latency from the source to the destination.",
            groups=("name",),
            series=("condition",),
            pools=True,
        ),
        StudyKind(
            "rank-boxes",
            "Extremes, quartiles and mean over the ranks of a job, means over seeds.",
            ("jobs", "ranks"),
            {
                "communication_time_ns": ("jobs", "ranks"),
                "latency_max_ns": ("jobs", "rank_messages"),
            },
            of_one="Extremes, quartiles and mean over the ranks of a job.",
            groups=("name",),
            series=("condition",),
        ),
        StudyKind(
            "routers-over-time",
            "Payload that the routers of a job send in each window, by the job of the bytes.",
            ("jobs", "ranks", "router_windows"),
            one_seed=True,
            panels=("condition",),
            serves=True,
        ),
        StudyKind(
            "group-ring",
            "Circles show the mean stall of the links inside groups, lines that of global links.",
            _LINKS,
            {"stall_ns": _LINKS, "sst_stall_ns": ("links",)},
            one_seed=True,
            panels=("condition",),
            of_links=True,
        ),
        StudyKind(
            "link-load-map",
            "Mean over the links from group to group; the diagonal has the links inside groups.",
            _LINKS,
            {"utilization": ("links",), "stall_ns": _LINKS},
            one_seed=True,
            panels=("condition",),
            of_links=True,
        ),
        StudyKind(
            "link-shares",
            "Share of links with at most x, by kind of link.",
            _LINKS,
            {"bytes": _LINKS, "stall_ns": _LINKS, "saturated_ns": ("port_windows",)},
            one_seed=True,
            series=("condition",),
            of_links=True,
        ),
        StudyKind(
            "router-traffic",
            "Share of links that carried at most x for all jobs, of the routers that serve a job.",
            ("jobs", "ranks", *_LINKS),
            one_seed=True,
            panels=("name",),
            series=("condition",),
        ),
        StudyKind(
            "sample-boxes",
            "Each point is the run time of a job in a run; boxes show quartiles and extremes.",
            ("jobs",),
            dict.fromkeys(("execution_time_ns", "relative", "z_score"), ("jobs",)),
            compares=True,
            panels=("name",),
            series=("condition",),
        ),
        StudyKind(
            "z-scores",
            "z-scores of run times by groups spanned, among all samples of a panel; lines join"
            " means.",
            ("jobs", "ranks"),
            compares=True,
            panels=("name",),
            series=("condition",),
        ),
        StudyKind(
            "call-bars",
            "One bar per job and run: computing and MPI calls, means over ranks.",
            ("jobs", "ranks", "calls"),
            panels=("name",),
            most_panels=2,
        ),
        StudyKind(
            "tile-scatter",
            "Stalled flits against flits, a point per tile.",
            ("links",),
            one_seed=True,
            series=("condition",),
            of_links=True,
        ),
        StudyKind(
            "tile-ratios",
            "Share of tiles with at most x, on the routers that serve the jobs.",
            ("jobs", "ranks", "links"),
            one_seed=True,
            series=("condition",),
        ),
        StudyKind(
            "system-counters",
            "Sums over all links between routers in each window of time.",
            ("system_windows",),
            one_seed=True,
            series=("condition",),
            of_links=True,
        ),
        StudyKind(
            "latency-percentiles",
            "Percentiles over nodes and windows of the mean request-response latency of a node in"
            " a window, means over seeds.",
            ("nic_windows",),
            of_one="Percentiles over nodes and windows of the mean request-response latency of a"
            " node in a window.",
            series=("condition",),
            of_links=True,
        ),
        StudyKind(
            "job-sizes",
            "Share of core-hours in jobs of more than x nodes, over all runs.",
            ("jobs", "ranks"),
            series=("condition",),
        ),
    )
}


def kind_of(entry: FigureEntry) -> StudyKind:
    """Returns the kind of a figure.

    Raises:
        UsageError: there is no such kind.
    """
    found = KINDS.get(entry.kind)
    if found is None:
        close = nearest(entry.kind, KINDS)
        hint = f"did you mean '{close}'?" if close else f"choose {', '.join(KINDS)}"
        raise UsageError(f"kind = '{entry.kind}': there is no such kind of figure; {hint}")
    return found


def completed(entry: FigureEntry) -> FigureEntry:
    """Returns an entry with what its kind gives where it says nothing.

    Raises:
        UsageError: there is no such kind.
    """
    kind = kind_of(entry)
    pooled = ("name", "condition") if entry.pool else ()
    given: dict[str, object] = {}
    for key in ("panels", "groups", "series"):
        if getattr(entry, key) is None:
            given[key] = [each for each in getattr(kind, key) if each not in pooled]
    if entry.value is None:
        given["value"] = next(iter(kind.values), BAR_VALUE if kind.name == "bars" else None)
    return entry.model_copy(update=given)
