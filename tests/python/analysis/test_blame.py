"""The table `blame` as matrices, shares and words."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pantala.analysis.blame import blame_of, cause_in_words, cause_of

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
            "fft3d's p99 rose to 4.7 times its value alone; 81 % of its waiting is charged to"
            " halo3d, most of it on global links, 57 % of that between 0.3 and 0.4 ms.",
        ),
        (
            1,
            None,
            "25 % of halo3d's waiting is charged to fft3d, all of it on local links, all of"
            " that between 0.5 and 0.6 ms.",
        ),
        (2, 0.98, "lu's p99 is unchanged (0.98 times, within 5 %); lu does not wait."),
        (2, 1.05, "lu's p99 is unchanged (1.05 times, within 5 %); lu does not wait."),
        (2, 1.06, "lu's p99 rose to 1.06 times its value alone; lu does not wait."),
        (2, 0.9, "lu's p99 fell to 0.90 times its value alone; lu does not wait."),
    ],
)
def test_the_cause_in_words(victim: int, slowdown: float | None, expected: str) -> None:
    blame = blame_of(table(ROWS), JOBS, window_ns=1e5, end_ns=6e5)
    assert cause_in_words(blame, victim, slowdown=slowdown) == expected


def test_two_classes_with_similar_parts_are_both_named() -> None:
    rows = [(0, "global", 0, 1, 49.0), (20, "local", 0, 1, 26.0), (60, "local", 0, 1, 25.0)]
    assert cause_in_words(blame_of(table(rows), ("a", "b"), window_ns=2e4), 0) == (
        "All of a's waiting is charged to b, 51 % of it on local and 49 % on global links, 75 % of"
        " that between 0 and 40 \N{MICRO SIGN}s."
    )


@pytest.mark.parametrize(
    ("window", "end", "expected"),
    [
        (10e3, 406_650.88, ", all of that between 0.4 and 0.4066 ms."),
        (10e3, 1e6, ", all of that between 0.4 and 0.41 ms."),
        (1e3, 12e6, ", all of that between 0.4 and 0.401 ms."),
        (500e3, 406_650.88, "."),
        (None, 1e6, "."),
    ],
    ids=["end of the run", "window", "digits", "one window", "unknown"],
)
def test_the_time_of_a_cause_is_of_windows_of_the_plan_and_not_after_the_run(
    window: float | None, end: float, expected: str
) -> None:
    """The distance of windows with rows says nothing about their length."""
    rows = [(200, "global", 0, 0, 1.0), (400, "global", 0, 1, 49.0)]
    blame = blame_of(table(rows), ("a", "b"), window_ns=window, end_ns=end)
    assert cause_in_words(blame, 0) == (
        f"98 % of a's waiting is charged to b, all of it on global links{expected}"
    )


CELLS = st.lists(
    st.tuples(
        st.sampled_from([0, 10, 20, 30, 50, 90]),
        st.sampled_from(["global", "local", "ejection"]),
        st.just(0),
        st.integers(0, 2),
        st.integers(1, 100).map(float),
    ),
    min_size=1,
)


@given(CELLS)
def test_the_cause_is_what_its_rows_say(rows: list[tuple[int, str, int, int, float]]) -> None:
    found = cause_of(blame_of(table(rows), JOBS, window_ns=1e4, end_ns=95e3), 0)
    if found is None:
        assert all(aggressor == 0 for *_, aggressor, _ in rows)
        return
    pair = [row for row in rows if row[3] == found.aggressor]
    waits = sum(row[4] for row in pair)
    assert found.share == pytest.approx(waits / sum(row[4] for row in rows))
    for name, part in found.places:
        assert part == pytest.approx(sum(row[4] for row in pair if row[1] == name) / waits)
    assert found.span_ns is not None
    named = [row for row in pair if row[1] in dict(found.places)]
    start, end = found.span_ns
    inside = sum(row[4] for row in named if start <= row[0] * 1000.0 < end)
    assert found.spanned == pytest.approx(inside / sum(row[4] for row in named))
    assert found.spanned >= 0.5
    assert end <= 95e3
    assert (end - start) % 1e4 in (0, 5e3)


def test_a_job_that_waits_for_itself_only() -> None:
    blame = blame_of(table([(0, "ejection", 0, 0, 1.0)]), ("lu",))
    assert cause_in_words(blame, 0) == "All of lu's waiting is charged to lu itself."


def test_an_empty_table_has_no_waits() -> None:
    blame = blame_of(table(ROWS).clear(), JOBS)
    assert blame.by_class == {}
    assert cause_in_words(blame, 0) == "fft3d does not wait."
