"""The study of Kang et al.: what its experiments share, and the measures that are not one cell."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pantala.analysis.latency_mixture import LEVELS, mixture_quantile
from pantala.core.plan import Plan
from pantala.papers import study
from pantala.papers.kang2022.study.pairs import TARGETS, backgrounds
from pantala.studies import StudyDefinition


def kang2022() -> StudyDefinition:
    found = study("kang2022")
    assert isinstance(found, StudyDefinition)
    return found


def test_every_experiment_has_the_model_that_the_paper_used() -> None:
    for description in kang2022().descriptions(quick=False).values():
        base = description.base
        assert base.machine.router.model == "sst_sc22"
        assert str(base.given["mpi"]) == "sst_sc22"
        assert base.machine.nodes == 1056


@pytest.mark.native
def test_the_nodes_of_a_target_do_not_depend_on_its_background() -> None:
    description = kang2022().descriptions(quick=False)["pairs"]
    nodes: dict[str, set[tuple[int, ...]]] = {}
    for point in description.axes[0].points:
        plan = Plan(description.base.replace(dict(point.changes)).plan())
        first = plan["jobs"][0]
        nodes.setdefault(first["name"], set()).add(tuple(first["nodes"]))
    assert {target: len(each) for target, each in nodes.items()} == dict.fromkeys(TARGETS, 1)


def test_no_target_is_its_own_background() -> None:
    assert sum(len(backgrounds(target)) for target in TARGETS) == 34
    assert all(target not in backgrounds(target) for target in TARGETS)


# --- quantiles of a mixture from the percentiles of its parts ---

_PARTS = st.lists(
    st.tuples(st.integers(2_000, 20_000), st.floats(0.0, 3.0), st.floats(0.2, 1.0)),
    min_size=1,
    max_size=6,
)


@given(_PARTS, st.integers(0, 2**32 - 1))
def test_the_tail_of_a_mixture_is_known_to_some_per_cent(
    parts: list[tuple[int, float, float]], seed: int
) -> None:
    random = np.random.default_rng(seed)
    samples = [np.exp(random.normal(mean, width, count)) for count, mean, width in parts]
    values = np.array([np.quantile(each, list(LEVELS.values())) for each in samples])
    found = mixture_quantile(np.array([len(each) for each in samples]), values, 0.99)
    assert found == pytest.approx(np.quantile(np.concatenate(samples), 0.99), rel=0.1)


def test_equal_parts_have_the_quantiles_of_one() -> None:
    levels = np.array(list(LEVELS.values()))
    values = np.exp(1 + 2 * levels)
    for share, value in zip(levels, values, strict=True):
        found = mixture_quantile(np.array([10_000, 10_000]), np.array([values, values]), share)
        assert found == pytest.approx(value, rel=0.01)
