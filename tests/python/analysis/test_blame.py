"""The table `blame` as matrices, shares and words."""

from __future__ import annotations

import polars as pl
import pytest

from pantala.analysis.blame import blame_of, cause_in_words

JOBS = ("fft3d", "halo3d", "lu")

#: Window in us, class, victim, aggressor, waiting time in ns.
ROWS = [
    (0, "global", 0, 0, 10.0),
    (0, "injection", 0, 0, 9.0),
    (300, "global", 0, 1, 40.0),
    (400, "global", 0, 1, 30.0),
    (500, "local", 0, 1, 11.0),
    (500, "local", 1, 0, 4.0),
    (500, "local", 1, 1, 12.0),
]


def table(rows: list[tuple[int, str, int, int, float]]) -> pl.DataFrame:
    columns = ["window_start_ns", "class", "victim", "aggressor", "wait_ns"]
    return pl.DataFrame(rows, schema=columns, orient="row").with_columns(
        pl.col("window_start_ns") * 1_000.0
    )


def test_rows_of_the_matrix_sum_to_the_waiting_time_of_a_job() -> None:
    blame = blame_of(table(ROWS), JOBS)
    assert blame.wait_ns == ((19.0, 81.0, 0.0), (4.0, 12.0, 0.0), (0.0, 0.0, 0.0))
    assert blame.by_class["global"][0] == (10.0, 70.0, 0.0)
    assert list(blame.by_class) == ["global", "injection", "local"]
    assert (blame.total_ns(0), blame.share(0, 1), blame.share(2, 0)) == (100.0, 0.81, None)
    assert (blame.main_aggressor(0), blame.main_aggressor(2)) == (1, None)
    sums = [
        sum(matrix[victim][aggressor] for matrix in blame.by_class.values())
        for victim in range(3)
        for aggressor in range(3)
    ]
    assert sums == [cell for row in blame.wait_ns for cell in row]


@pytest.mark.parametrize(
    ("victim", "slowdown", "expected"),
    [
        (
            0,
            4.7,
            "fft3d's p99 rose 4.7 times; 81 % of its waiting is charged to halo3d, most of it on"
            " global links between 0.3 and 0.4 ms.",
        ),
        (
            1,
            None,
            "25 % of halo3d's waiting is charged to fft3d, all of it on local links between 0.5"
            " and 0.6 ms.",
        ),
        (2, 1.0, "lu's p99 did not change; lu does not wait."),
    ],
)
def test_the_cause_in_words(victim: int, slowdown: float | None, expected: str) -> None:
    assert cause_in_words(blame_of(table(ROWS), JOBS), victim, slowdown=slowdown) == expected


def test_a_job_that_waits_for_itself_only() -> None:
    blame = blame_of(table([(0, "ejection", 0, 0, 1.0)]), ("lu",))
    assert cause_in_words(blame, 0) == "all of lu's waiting is charged to lu itself."


def test_an_empty_table_has_no_waits() -> None:
    blame = blame_of(table(ROWS).clear(), JOBS)
    assert blame.by_class == {}
    assert cause_in_words(blame, 0) == "fft3d does not wait."
