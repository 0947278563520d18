"""A production background: jobs drawn at random that fill the machine to a share."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Annotated, Any, ClassVar

from pydantic import Field, model_validator

from pantala.errors import ScenarioError
from pantala.models.base import Count, Index, Model, Name, Share
from pantala.models.validation import fault, refuse_all
from pantala.scenario.draws import fraction, shuffled
from pantala.scenario.job import Job
from pantala.scenario.placement import Placement, RandomPlacement
from pantala.workloads import Workloads

__all__ = [
    "Background",
    "BackgroundApplication",
    "JobSize",
    "default_applications",
    "ordered",
    "running_job",
]

#: More jobs than this in a background are a typing error in the sizes.
_MOST = 10_000
#: The compute nodes of Theta, to which the default sizes refer.
_THETA = 4392

Weight = Annotated[float, Field(strict=True, gt=0.0, allow_inf_nan=False)]


class JobSize(Model):
    """A size of jobs, and how much of the background has it."""

    nodes: Count
    """Number of nodes of such a job. A job gets fewer if the background has no more left."""
    weight: Weight
    """Share of the background's nodes in jobs of this size. Weights need not add up to 1."""


class BackgroundApplication(Model):
    """An application of background jobs, and how many jobs run it."""

    workload: Workloads
    """The workload, as of a job."""
    weight: Weight = 1.0
    """Share of the jobs that run it. Weights need not add up to 1."""


#: The job sizes of Theta: 40% of the core-hours are in jobs of 128 to 512 nodes (Chunduri et al.,
#: IPDPS 2021, II.F). How they divide among sizes in this range and the sizes of the other 60% are
#: assumptions, because the paper shows them only as a curve without numbers.
_SIZES = tuple(
    JobSize(nodes=nodes, weight=weight)
    for nodes, weight in (
        (64, 10.0),
        (128, 13.0),
        (256, 14.0),
        (512, 13.0),
        (1024, 25.0),
        (2048, 25.0),
    )
)
#: The applications of Table I of the same paper, with equal weights. A node has as much work as in
#: the paper's jobs of 256 nodes. With strong scaling, small jobs would compute for milliseconds and
#: hardly communicate.
_APPLICATIONS = ("milc", "milcreorder", "nek5000", "hacc", "qbox", "rayleigh")


class Background(Model):
    """Jobs drawn at random beside the scenario's own jobs, as on a machine in production.

    Pantala draws jobs until all jobs together have the given share of the compute nodes. The last
    one can be smaller than its size. An application that cannot run on the nodes of a job leaves
    them to another application. The jobs are background-1, background-2, ...; of ten or more jobs,
    background-01, background-02, ... They repeat until the run ends, and the run does not wait for
    them. Another seed draws other jobs with the same names, so they have no mean over seeds.
    """

    shorthand: ClassVar[str | None] = None

    share: Share = 0.9
    """Share of the machine's compute nodes that have a job, the scenario's own jobs included."""
    sizes: tuple[JobSize, ...] | None = None
    """The sizes of jobs: a list of tables with `nodes` and `weight`. Default: the job sizes of
    Theta, multiplied by this machine's nodes / 4,392, and at least 2 nodes (Chunduri et al., IPDPS
    2021, II.F)."""
    applications: tuple[BackgroundApplication, ...] | None = None
    """The applications of jobs: a list of tables with `workload` and `weight`. Default: the six
    applications of Chunduri et al., IPDPS 2021, Table I, with equal weights and as much work per
    node as in the paper."""
    placement: Placement = RandomPlacement()
    """The placement of the jobs."""
    ranks_per_node: Count = 1
    """Ranks of each node."""
    seed: Index | None = None
    """Seed of the draws. Default: the scenario's seed."""

    @model_validator(mode="after")
    def _not_empty(self) -> Background:
        refuse_all(
            fault("is empty", "add an item, or remove the key for the default", key)
            for key in ("sizes", "applications")
            if getattr(self, key) == ()
        )
        return self

    def drawn(self, jobs: Sequence[Job], nodes: int, seed: int) -> Iterator[Job]:
        """Yields the jobs of the background.

        Args:
            jobs: the scenario's own jobs.
            nodes: the number of compute nodes of the machine.
            seed: the scenario's seed.

        Raises:
            PydanticCustomError: the scenario's jobs fill the share, or no application fits.
        """
        taken = sum(job.node_count for job in jobs)
        left = int(self.share * nodes) - taken
        if left < 1:
            message = f"is {int(self.share * nodes):,} nodes, but the jobs have {taken:,} already"
            needed = math.ceil(100 * (taken + 1) / nodes) / 100
            remedy = (
                f"set background.share to {needed:.2f} or more, or remove the background"
                if needed <= 1
                else "remove the background: the jobs fill the machine"
            )
            raise fault(message, remedy, "share")
        own = self.seed if self.seed is not None else seed
        sizes = [min(size.nodes, left) for size in self.sizes or _SIZES]
        if self.sizes is None:
            # A job of one node would send nothing.
            sizes = [max(2, round(size.nodes * nodes / _THETA)) for size in _SIZES]
        # A weight counts nodes. A draw chooses a job, so small sizes come more often.
        weights = [
            each.weight / size for each, size in zip(self.sizes or _SIZES, sizes, strict=True)
        ]
        found: list[int] = []
        while left:
            if len(found) == _MOST:
                raise fault(f"need more than {_MOST:,} jobs", "give larger sizes", "sizes")
            size = _chosen(sizes, weights, fraction(own, "background size", str(len(found))))
            found.append(min(size, left))
            left -= found[-1]
        digits = len(str(len(found)))
        choices = self.applications or default_applications()
        for number, size in enumerate(found, start=1):
            name = f"background-{number:0{digits}}"
            order = ordered(choices, own, name)
            try:
                yield running_job(name, size, self.ranks_per_node, self.placement, order)
            except ScenarioError as error:
                message = (
                    f"none runs on {size:,} nodes with {self.ranks_per_node} ranks per node"
                    f" ({error.key}: {error.message})"
                )
                raise fault(message, "add one that does", "applications") from None


@cache
def default_applications() -> tuple[BackgroundApplication, ...]:
    """Returns the applications of a background or a snapshot that names none."""
    return tuple(
        BackgroundApplication.model_validate({"workload": {"kind": kind, "scaling": "weak"}})
        for kind in _APPLICATIONS
    )


def ordered(
    applications: Sequence[BackgroundApplication], seed: int, name: str
) -> list[BackgroundApplication]:
    """Returns applications in a random order: the choice of a job, and then its replacements."""
    first = _chosen(
        range(len(applications)),
        [each.weight for each in applications],
        fraction(seed, "background application", name),
    )
    others = shuffled(
        (number for number in range(len(applications)) if number != first),
        seed,
        "background applications",
        name,
    )
    return [applications[number] for number in (first, *others)]


def running_job(
    name: Name,
    nodes: int,
    ranks_per_node: int,
    placement: Any,
    choices: Sequence[BackgroundApplication],
) -> Job:
    """Returns a repeated job with the first application that runs on these nodes.

    Raises:
        ScenarioError: none runs; the error says why the first does not.
    """
    first: ScenarioError | None = None
    for choice in choices:
        try:
            return Job(
                name=name,
                ranks=nodes * ranks_per_node,
                ranks_per_node=ranks_per_node,
                placement=placement,
                workload=choice.workload,
                repeat=True,
            )
        except ScenarioError as error:
            first = first or error
    assert first is not None
    raise first


def _chosen(items: Sequence[int], weights: Sequence[float], draw: float) -> int:
    """Returns an item by a draw in [0, 1)."""
    place = draw * sum(weights)
    for item, weight in zip(items, weights, strict=True):
        place -= weight
        if place < 0:
            return item
    return items[-1]
