"""Papers' tables of applications: run, display and output, on a tiny table; checks of all rows."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import pantala as pt
from pantala import papers
from pantala.cli import main
from pantala.core.plan import Plan
from pantala.papers.application_table import Ahead, Column, PaperTable, Row, measure
from pantala.scenario import AllreduceLoop, Halo3d, Job, Scenario
from pantala.scenario.plan import awaited
from pantala.store.run_store import RunStore
from pantala.workloads import Workload

_MACHINE = {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}}


def _alone(name: str, ranks: int, workload: Workload, seed: int) -> Scenario:
    job = Job(name=name, ranks=ranks, workload=workload)
    return Scenario(name=name, seed=seed, machine=_MACHINE, routing="minimal", jobs=(job,))


def _rows(seed: int) -> list[Row]:
    halo = Halo3d(grid=(2, 2, 2), message="20 kB", iterations=3, compute="1 us", exchange="at_once")
    tree = AllreduceLoop(message="10 kB", iterations=2)
    part = _alone("part", 8, Halo3d(grid=(8, 1, 1), message="7 kB", iterations=1), seed)
    paper = {"payload_mb": 1.44, "execution_ms": 0.5, "ends_peak_ingress_bytes": 14_000.0}
    return [
        Row(
            "Halo",
            _alone("halo", 8, halo, seed),
            paper,
            {
                "ends_peak_ingress_bytes": ("peak_ingress_bytes", part),
                "payload_mb": ("compute_ms", part),
            },
        ),
        Row(
            "Tree",
            _alone("tree", 7, tree, seed),
            {"payload_mb": 0.24, "peak_ingress_bytes": 20_000.0},
        ),
    ]


TINY = PaperTable(
    name="tiny",
    title="Two applications",
    source="nobody, Table 0",
    rows=_rows,
    columns=(Column("payload_mb", "payload MB"), Column("peak_ingress_bytes", "peak KB", 1e3)),
)


def test_a_table_is_measured_row_by_row() -> None:
    seen = []
    halo, tree = measure(
        TINY, on_row=lambda record, count: seen.append((record["application"], count))
    )
    assert sorted(seen) == [("Halo", 2), ("Tree", 2)]
    # In an open grid of eight ranks each rank has three neighbours. A tree of seven has six
    # edges, used in both directions.
    assert (halo["run_payload_mb"], halo["peak_ingress_bytes"]) == (3 * 24 * 20e3 / 1e6, 60e3)
    assert (tree["payload_mb"], tree["peak_ingress_bytes"]) == (2 * 12 * 10e3 / 1e6, 20e3)
    assert halo["compute_ms"] == pytest.approx(3e-3)
    assert isinstance(halo["execution_ms"], float)
    # Each long message has a request, a get and an acknowledgement of 64 B.
    assert halo["total_mb"] == pytest.approx(1.44 + 3 * 24 * 3 * 64 / 1e6)
    assert halo["injection_gb_per_s"] == pytest.approx(halo["total_mb"] / halo["execution_ms"])
    # Execution begins at time zero, before the start delay.
    assert halo["execution_ms"] == pytest.approx(
        0.35 + halo["compute_ms"] + halo["communication_ms"], rel=0.01
    )
    # This value is measured in another run. The replaced value of its own run is kept.
    assert halo["ends_peak_ingress_bytes"] == halo["paper_ends_peak_ingress_bytes"] == 14e3
    assert halo["payload_mb"] == 0.0
    assert "paper_execution_ms" not in tree


def test_the_runs_ahead_are_told_and_the_longest_starts_first(tmp_path: Path) -> None:
    told: list[list[Ahead]] = []
    seen: list[str] = []
    out = tmp_path / "table"
    measure(TINY, only=["tree"], on_start=told.append)
    measure(
        TINY,
        out=out,
        on_start=told.append,
        on_row=lambda record, _: seen.append(record["application"]),
    )
    measure(TINY, out=out, on_start=told.append)
    # Both values of Halo that are measured elsewhere are of one run; in the end, none is left.
    assert [len(ahead) for ahead in told] == [1, 3, 0]
    # 2 iterations of 12 messages of 10 kB, in packets of 512 B.
    assert told[0][0].packets == pytest.approx(24 * 10e3 / 512, rel=0.02)
    assert seen == ["Halo", "Tree"]


@pytest.mark.slow
def test_a_table_is_equal_for_any_number_of_workers() -> None:
    assert measure(TINY, workers=2, seed=3) == measure(TINY, seed=3)


def test_a_finished_row_is_not_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "table"
    first = measure(TINY, only=["tree"], out=out)
    (run,) = RunStore(out).stored()

    def interrupted(*_arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Plan, "run", interrupted)
    assert measure(TINY, only=["tree"], out=out) == first
    for changed in ({"only": ["halo"]}, {"only": ["tree"], "seed": 2}):
        with pytest.raises(KeyboardInterrupt):
            measure(TINY, out=out, **changed)
    assert list(RunStore(out).stored()) == [run]
    left = [path for path in out.rglob("*") if path.is_file() and run not in str(path)]
    assert left == [], "an interrupted row leaves nothing"


def test_a_directory_with_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(pt.RunDirectoryError, match="something else in it"):
        measure(TINY, only=["tree"], out=tmp_path)


def test_a_table_can_be_restricted_to_some_applications() -> None:
    assert [record["application"] for record in measure(TINY, only=["tree"])] == ["Tree"]
    with pytest.raises(
        pt.UsageError, match="application = 'tre': is not in tiny; did you mean 'Tree'"
    ):
        measure(TINY, only=["tre"])


def _line(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as end:
        main(["workload", "table", *words])
    written = capsys.readouterr()
    assert isinstance(end.value.code, int)
    return end.value.code, written.out, written.err


def test_the_command_prints_and_writes_the_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], workdir: Path
) -> None:
    monkeypatch.setattr(papers, "table", lambda _name: TINY)
    status, text, told = _line(capsys, "tiny", "--json", "--workers", "1")
    assert (status, json.loads(text)) == (0, measure(TINY))
    assert told.startswith("tiny: 3 runs to simulate, 3,")
    assert " packets; less than 0.1 s with 1 worker (by" in told
    status, text, _ = _line(capsys, "tiny", "--workers", "1")
    assert status == 0
    words = next(line.split() for line in text.splitlines() if "Tree" in line)
    assert words == ["Tree", "0.24", "0.24", "+0.0%", "20.00", "20.00", "+0.0%"]
    monkeypatch.undo()
    status, _, line = _line(capsys, "kang2021")
    assert (status, line) == (2, "table = 'kang2021': is not a table; did you mean 'kang2022'?\n")
    assert _line(capsys, "kang2022", "--workers", "0")[0] == 2


@pytest.mark.parametrize("table", papers.tables(), ids=lambda table: table.name)
def test_every_row_of_every_table_can_run(table: PaperTable) -> None:
    assert papers.table(table.name) is table
    rows = table.rows(5)
    assert len({row.application for row in rows}) == len(rows)
    for row in rows:
        for scenario in (row.scenario, *(scenario for _, scenario in row.elsewhere.values())):
            assert scenario.seed == 5
            assert scenario.jobs[0].name in awaited(scenario.resolve())
        assert set(row.paper) & {column.key for column in table.columns}


def test_the_command_says_first_what_makes_the_runs_approximate(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    coarse = replace(
        TINY,
        rows=lambda seed: [
            replace(row, scenario=row.scenario.replace({"detail.coarsen": 2}))
            for row in TINY.rows(seed)
        ],
    )
    monkeypatch.setattr("pantala.papers.table", lambda _: coarse)
    out = ("--out", str(tmp_path / "out"))
    _, sentence, _ = _line(capsys, "tiny", *out)
    assert "Coarsened by 2" in sentence.splitlines()[0], sentence
    assert "one seed" in sentence
    _, text, sentence = _line(capsys, "tiny", "--json", *out)
    assert len(json.loads(text)) == 2
    assert "Coarsened by 2" in sentence
