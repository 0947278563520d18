"""The study of Kang et al.: what its experiments share, and the measures that are not one cell."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pantala.analysis.latency_mixture import LEVELS, mixture_quantile
from pantala.core.plan import Plan
from pantala.papers import study
from pantala.papers.kang2022.study.measures import MEASURES
from pantala.papers.kang2022.study.order_measures import table_1
from pantala.papers.kang2022.study.pairs import TARGETS, backgrounds
from pantala.papers.kang2022.study.tables import ALONE
from pantala.studies import StudyDefinition
from pantala.studies.evidence import Evidence


def kang2022() -> StudyDefinition:
    found = study("kang2022")
    assert isinstance(found, StudyDefinition)
    return found


def test_every_experiment_has_the_model_that_the_paper_used() -> None:
    for description in kang2022().descriptions(quick=False).values():
        base = description.base
        assert base.machine.router.model == "sst_sc22"
        assert base.given["mpi"]["preset"] == "sst_sc22"
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


# --- measures on made-up results ---


class MadeUp:
    """Results without runs: the increase of each pair under each routing, for one seed."""

    seeds = (1,)

    def __init__(self, increase: Callable[[str, str, str], float]) -> None:
        self._increase = increase

    def cell(
        self, experiment: str, column: str, where: Mapping[str, str], table: str = "slowdowns"
    ) -> np.ndarray:
        assert (experiment, column, table) == ("pairs", "slowdown", "slowdowns")
        target, background = where["pair"].split("+")
        return np.array([1 + self._increase(target, background, where["routing.algorithm"])])


def measure(claim: str, increase: Callable[[str, str, str], float]) -> dict[str, float]:
    found = MEASURES[claim](cast("Evidence", MadeUp(increase)))
    return {name: float(each[0]) for name, each in found.items()}


def test_every_application_that_runs_alone_is_timed() -> None:
    """UR and DL do not run alone; the others are in Table I of the page, and in the claim."""

    class Ends:
        """Results without runs: the end of each job alone, here an hour but for the shortest."""

        seeds = (1,)

        def cell(
            self, experiment: str, column: str, where: Mapping[str, str], table: str
        ) -> np.ndarray:
            assert (experiment, column, table) == ("pairs", "end_ns", "jobs")
            assert where["pair"] in dict(ALONE.values())
            return np.array([11e6 if where["part"] == "alone-halo3d" else 3.6e12])

    found = MEASURES["KANG-T1-02"](cast("Evidence", Ends()))
    claim = next(each for each in kang2022().claims if each.id == "KANG-T1-02")
    names = {name for _, name in ALONE.values()}
    assert found.keys() == claim.holds.keys() == names | {"shortest", "longest"}
    assert found["shortest"] == found["halo3d"] == pytest.approx(11)


def stopped(target: str, background: str, routing: str) -> bool:
    return (target, background) == ("lulesh", "halo3d") and routing in ("ugal_n", "par")


def test_a_run_that_can_never_end_leaves_the_order_of_the_others() -> None:
    """By rate: an increase in proportion to the rate of the background, half under Q-adaptive."""
    rates = table_1("injection_gb_per_s")

    def by_rate(target: str, background: str, routing: str) -> float:
        if stopped(target, background, routing):
            return np.nan
        return rates[background] / (2000 if routing == "q_adaptive" else 1000)

    found = measure("KANG-VA-26", by_rate)
    assert found["least_correlation"] == pytest.approx(1)
    shares = [
        by_rate(t, b, "q_adaptive")
        for t in ("fft3d", "lu", "lulesh")
        for b in backgrounds(t)
        if (t, b) != ("lulesh", "halo3d")
    ]
    assert found["less_under_q"] == pytest.approx(np.mean(shares))

    def against_it(target: str, background: str, routing: str) -> float:
        """LULESH under UGALg alone has the reverse order."""
        sign = -1 if (target, routing) == ("lulesh", "ugal_g") else 1
        return sign * by_rate(target, background, routing)

    assert measure("KANG-VA-26", against_it)["least_correlation"] == pytest.approx(-1)


def test_the_order_needs_the_other_runs() -> None:
    rates, peaks = table_1("injection_gb_per_s"), table_1("peak_ingress_bytes")

    def without_lu(target: str, background: str, routing: str) -> float:
        return np.nan if (target, background, routing) == ("lu", "dl", "par") else rates[background]

    assert np.isnan(list(measure("KANG-VA-26", without_lu).values())).all()

    def without_lqcd(target: str, background: str, routing: str) -> float:
        return np.nan if target == "lqcd" else peaks[target]

    assert np.isnan(list(measure("KANG-VC-09", without_lqcd).values())).all()


def test_the_relation_to_peak_ingress_is_of_the_targets_whose_runs_ended() -> None:
    peaks = table_1("peak_ingress_bytes")

    def by_peak(target: str, background: str, routing: str) -> float:
        return np.nan if stopped(target, background, routing) else -peaks[target]

    assert measure("KANG-VC-09", by_peak) == {"correlation": pytest.approx(-1), "targets": 5}

    def whole(target: str, background: str, routing: str) -> float:
        return -peaks[target]

    assert measure("KANG-VC-09", whole) == {"correlation": pytest.approx(-1), "targets": 6}


def test_the_largest_increase_is_of_any_routing_and_of_the_backgrounds_that_the_paper_names() -> (
    None
):
    increases = {"ugal_g": 0.01, "ugal_n": 0.05, "par": 0.04, "q_adaptive": 0.02}

    def increase(target: str, background: str, routing: str) -> float:
        assert target == "lu"
        return increases[routing] + {"ur": 0.0, "fft3d": 0.01}[background]

    assert measure("KANG-VA-17", increase)["largest"] == pytest.approx(0.06)


def links(sent: Mapping[str, list[float]]) -> pl.DataFrame:
    """Returns two local and a global link of each of two groups under each routing, of a mix."""
    return pl.DataFrame(
        [
            {
                "routing.algorithm": routing,
                "part": "together",
                "class": "local" if place % 3 else "global",
                "source_group": place // 3,
                "bytes": value,
                "sst_stall_ns": value * 1e6,
                "seed": 1,
            }
            for routing, values in sent.items()
            for place, value in enumerate(values)
        ]
    )


def test_hot_spots_and_balance_are_of_groups_and_of_links() -> None:
    frame = links({"par": [1.0, 3.0, 3.0, 3.0, 1.0, 1.0], "q_adaptive": [2, 4, 0, 2, 2, 2]})

    class Mix(MadeUp):
        def rows(self, experiment: str, table: str) -> pl.DataFrame:
            assert (experiment, table) == ("mix", "links")
            return frame

    mix = cast("Evidence", Mix(lambda *_: 0.0))
    assert MEASURES["KANG-VI-08"](mix)["more_under_par"].tolist() == [0.5]
    found = MEASURES["KANG-VI-06"](mix)
    assert {name: each.tolist() for name, each in found.items()} == {
        "ratio": [1.0],
        "par_ms": [pytest.approx(56 * 2)],
        "q_adaptive_ms": [pytest.approx(56 * 2)],
    }
    found = MEASURES["KANG-VI-07"](mix)
    assert [each.tolist() for each in found.values()] == [[1.0], [2.0], [2.0]]
    found = MEASURES["KANG-VI-10"](mix)
    assert {name: each.tolist() for name, each in found.items()} == {
        "global_more_under_par": [0.5],
        "local_more_under_par": [0.5],
    }
