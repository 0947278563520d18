"""The nine applications of Kang et al. (SC 2022): volumes, peaks, scaling and rejected values."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import pytest

import pantala as pt
from pantala import papers
from pantala.papers.application_table import Row
from pantala.scenario import Application

Plan = dict[str, Any]

#: Payload in bytes of all messages including collectives, and the largest run of sends of a rank
#: with all neighbours.
Moved = tuple[int, int]


def _pairs(grid: list[int]) -> list[int]:
    """Returns the pairs of neighbours along each dimension of an open grid."""
    ranks = prod(grid)
    return [ranks - ranks // extent for extent in grid]


def _stencil(plan: Plan, _ranks: int) -> Moved:
    sizes = plan["message_bytes"]
    volume = sum(2 * pairs * size for pairs, size in zip(_pairs(plan["grid"]), sizes, strict=True))
    runs = {"by_dimension": 2 * max(sizes), "upper_then_lower": sum(sizes)}
    return plan["iterations"] * volume, runs[plan["exchange"]]


def _sweep(plan: Plan, _ranks: int) -> Moved:
    sizes = plan["message_bytes"]
    step = sum(pairs * size for pairs, size in zip(_pairs(plan["grid"]), sizes, strict=True))
    return plan["iterations"] * plan["steps"] * (1 + plan["back"]) * step, sum(sizes)


def _parts(points: int, parts: int) -> list[int]:
    return [points // parts + (i < points % parts) for i in range(parts)]


def _pencil_fft(plan: Plan, _ranks: int) -> Moved:
    (rows, columns), points = plan["grid"], plan["points"]
    halves, by_rows, by_columns = (
        _parts(points // 2 + 1, rows),
        _parts(points, rows),
        _parts(points, columns),
    )
    kept_in_columns = sum(a * b for a, b in zip(halves, by_rows, strict=True))
    in_columns = points * ((points // 2 + 1) * points - kept_in_columns)
    in_rows = (points // 2 + 1) * (points**2 - sum(n * n for n in by_columns))
    largest = max(halves) * max(by_columns) * max(*by_rows, *by_columns)
    size = plan["point_bytes"]
    return 2 * plan["iterations"] * size * (in_columns + in_rows), size * largest


def _lqcd(plan: Plan, ranks: int) -> Moved:
    sizes = [near + far for near, far in zip(plan["near_bytes"], plan["far_bytes"], strict=True)]
    volume = sum(4 * pairs * size for pairs, size in zip(_pairs(plan["grid"]), sizes, strict=True))
    reductions = 2 * 2 * (ranks - 1) * plan["reduction_bytes"]
    return plan["iterations"] * (volume + reductions), sum(plan["far_bytes"])


def _lulesh(plan: Plan, ranks: int) -> Moved:
    n = plan["grid"][0]
    assert plan["grid"] == [n, n, n]
    face, edge, corner = plan["message_bytes"]
    stencil = 6 * n * n * (n - 1) * face + 12 * n * (n - 1) ** 2 * edge + 8 * (n - 1) ** 3 * corner
    sweep = plan["sweep_steps"] * sum(_pairs(plan["sweep_grid"])) * plan["sweep_bytes"]
    trees = (ranks - 1) * (plan["bcast_bytes"] + plan["reduce_bytes"])
    return plan["iterations"] * (stencil + sweep + trees), 6 * face + 12 * edge + 8 * corner


def _allreduce_loop(plan: Plan, ranks: int) -> Moved:
    return plan["iterations"] * 2 * (ranks - 1) * plan["message_bytes"], 2 * plan["message_bytes"]


def _uniform_random(plan: Plan, ranks: int) -> Moved:
    # SST's permutations of 528 ranks have 6,465 fixed points in 7,200 iterations.
    sent = plan["iterations"] * ranks - (6_465 if ranks == 528 else plan["iterations"])
    return sent * plan["message_bytes"], plan["message_bytes"]


FORMS: dict[str, Callable[[Plan, int], Moved]] = {
    "stencil": _stencil,
    "sweep": _sweep,
    "pencil_fft": _pencil_fft,
    "lqcd": _lqcd,
    "lulesh": _lulesh,
    "allreduce_loop": _allreduce_loop,
    "uniform_random": _uniform_random,
}

ROWS = {row.application: row for row in papers.table("kang2022").rows(1)}


def _moved(row: Row) -> Moved:
    (job,) = row.scenario.plan()["jobs"]
    return FORMS[job["workload"]["kind"]](job["workload"], job["ranks"])


#: Barriers of all ranks: that of MPI_Finalize, and in FFT3D two in each of eight iterations and one
#: for each of two communicators. There a barrier of each row and each column is the last.
def _barriers(name: str, ranks: int) -> int:
    world = 2 * (ranks - 1)
    return 19 * world + 22 * 2 * 23 + 24 * 2 * 21 if name == "FFT3D" else world


#: Payload in bytes, and eager and rendezvous messages without those of barriers.
MESSAGES = {
    "UR": (3_795_135 * 3_072, 3_795_135, 0),
    "LU": (2 * 450 * (21 * 24 + 22 * 23) * 15_000, 0, 900 * 1_010),
    "FFT3D": (8 * 1_968_516_096, 0, 8 * 46_464),
    "Halo3D": (30 * 2_764 * 576_000, 0, 30 * 2_764),
    "LQCD": (11_923_034_112 + 2 * 1_054 * 8, 2 * 1_054, 12_992),
    "Stencil5D": (3_512 * 2_800_000, 0, 3_512),
    "CosmoFlow": (2 * 2 * 527 * 1_126_000, 0, 2 * 1_054),
    "DL": (8 * 2 * 527 * 1_152_000, 0, 8 * 1_054),
    "LULESH": (
        12 * (10_136 * 74_814 + 976 * 100 * 7_457 + 2 * 511 * 240),
        12 * (97_600 + 1_022),
        12 * 10_136,
    ),
}


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_totals_and_peaks_are_those_of_the_paper(row: Row) -> None:
    payload, peak = _moved(row)
    assert payload == MESSAGES[row.application][0]
    assert peak == pytest.approx(row.paper["peak_ingress_bytes"], rel=3e-3)
    # On the wire: 45 B of headers of a short message, 86 B of a long one with its request, get and
    # acknowledgement.
    _, eager, rendezvous = MESSAGES[row.application]
    barriers = _barriers(row.application, row.scenario.jobs[0].ranks)
    wire = payload + 45 * (eager + barriers) + 86 * rendezvous
    assert wire / 1e6 == pytest.approx(row.paper["total_mb"], abs=0.0045)
    assert row.paper["injection_gb_per_s"] == pytest.approx(
        row.paper["total_mb"] / row.paper["execution_ms"], rel=4e-4
    )


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
@pytest.mark.parametrize("scaling", ["weak", "strong"])
def test_every_application_scales(row: Row, scaling: str) -> None:
    kind = row.scenario.jobs[0].workload
    assert isinstance(kind, Application)
    larger, own = 8 * kind.paper_ranks, kind.paper_ranks
    scaled = kind.model_copy(update={"scaling": scaling})
    forms = [
        FORMS[plan["kind"]](plan, ranks)
        for ranks in (own, larger)
        for plan in [scaled.as_plan(ranks)]
    ]
    assert forms[0] == _moved(row)
    a_rank = [total / ranks for (total, _), ranks in zip(forms, (own, larger), strict=True)]
    trees = row.application in ("CosmoFlow", "DL")
    # With weak scaling a rank sends the same amount. With strong scaling its part and its
    # messages shrink, except the gradients in trees.
    if row.application != "FFT3D":  # a block is for one of more ranks, whatever the scaling
        assert (forms[1][1] >= 0.9 * forms[0][1]) == (scaling == "weak" or trees)
    assert (a_rank[1] > 0.9 * a_rank[0]) == (scaling == "weak" or trees)


def test_lulesh_rejects_ranks_that_are_not_a_cube() -> None:
    for ranks, legal in (
        (500, "343 or 512"),
        (511, "343 or 512"),
        (2, "1 or 8"),
        (513, "512 or 729"),
    ):
        with pytest.raises(
            pt.ScenarioError, match=f"ranks = {ranks}: lulesh needs a cube; write {legal}"
        ):
            pt.Job(name="x", ranks=ranks, workload=pt.Lulesh())
    for ranks in (1, 8, 27, 512, 1_000_000):
        pt.Job(name="x", ranks=ranks, workload=pt.Lulesh())


def test_a_phase_of_lulesh_can_be_left_out() -> None:
    sweep = pt.Lulesh(message="0 B", collective="0 B", iterations=1).as_plan(512)
    assert FORMS["lulesh"](sweep, 512) == (97_600 * 7_457, 0)
    faces = pt.Lulesh(sweep_message="0 B", edge_message="0 B", corner_message="0 B").as_plan(512)
    assert FORMS["lulesh"](faces, 512)[1] == 6 * 74_814


def test_an_fft_takes_points_or_message_sizes() -> None:
    uniform = pt.Fft3d(grid=(2, 3), row_message="1 kB", iterations=1).as_plan(6)
    assert (uniform["kind"], uniform["row_message_bytes"], uniform["column_message_bytes"]) == (
        "fft3d",
        1_000,
        1_000,
    )
    assert (uniform["compute_forward_ps"], uniform["compute_backward_ps"]) == (0, 0)
    assert pt.Fft3d().as_plan(528)["compute_backward_ps"] == [121_200_000, 121_200_000, 242_400_000]
    for key, given in (("points", {"points": 9}), ("point", {"point": "8 B"})):
        with pytest.raises(
            pt.ScenarioError, match=f"key {key} = .*: has no effect with row_message"
        ):
            pt.Fft3d(row_message="1 kB", **given)
    with pytest.raises(
        pt.ScenarioError, match=r"key column_message = .*: has no effect without row_message"
    ):
        pt.Fft3d(column_message="1 kB")


def test_lqcd_divides_its_lattice_by_milcs_rule() -> None:
    for ranks, grid in ((528, [11, 3, 4, 4]), (256, [4, 4, 4, 4]), (1, [1, 1, 1, 1])):
        plan = pt.Lqcd().as_plan(ranks)
        sides = [132 // extent for extent in grid]
        surfaces = [prod(sides) // side for side in sides]
        assert (plan["grid"], plan["far_bytes"]) == (grid, [48 * each for each in surfaces])
        assert plan["near_bytes"] == [48 * (each // 2) for each in surfaces]
    with pytest.raises(
        pt.ScenarioError, match=r"ranks = 100: lqcd needs ranks that divide .* 99 or"
    ):
        pt.Job(name="x", ranks=100, workload=pt.Lqcd())
    weak = pt.Job(name="x", ranks=100, workload=pt.Lqcd(scaling="weak")).workloads[0].as_plan(100)
    assert weak["near_bytes"] == pt.Lqcd().as_plan(528)["near_bytes"]
    with pytest.raises(
        pt.ScenarioError, match=r"grid = \[5, 1, 1, 5\]: does not divide the lattice"
    ):
        pt.Lqcd(grid=(5, 1, 1, 5))
    assert pt.Lqcd(grid=(2, 2, 2, 3)).as_plan(24)["grid"] == [2, 2, 2, 3]
