"""The sizes at which tests run applications."""

from __future__ import annotations

from pantala.workloads import APPLICATIONS
from pantala.workloads.rank_constraints import RankConstrained

#: Required keys of applications without a paper, which have no default values.
REQUIRED = {"allreduce_loop": {"message": "1 kB"}}


def fewest_ranks(application: str) -> int:
    """Returns the smallest number of ranks above one that the application can run on."""
    workload = APPLICATIONS[application](iterations=1, **REQUIRED.get(application, {}))
    return next(
        n for n in range(2, 1000) if not isinstance(workload, RankConstrained) or workload.takes(n)
    )
