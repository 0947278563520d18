"""Applications without a network: their messages, `pantala workload`, and their reference page."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import pantala as pt
from generate.applications import applications_page
from pantala.errors import UsageError
from pantala.planning.communication import Communication, application_scenario, communication
from pantala.workloads import APPLICATIONS, Application
from support import ROOT, Ended

Cli = Callable[..., Ended]


def of(name: str, ranks: int, **settings: object) -> Communication:
    return communication(application_scenario(name, ranks, settings))[0]


def test_a_stencil_exchanges_with_its_grid_neighbours() -> None:
    found = of("halo3d", 24, iterations=3, grid=[2, 3, 4], message="1 kB")
    links = 2 * (1 * 3 * 4 + 2 * 2 * 4 + 2 * 3 * 3)
    assert (found.total_messages, found.total_bytes) == (3 * links, 3_000 * links)
    matrix = found.matrix()
    assert matrix.shape == (24, 24)
    assert np.array_equal(matrix, matrix.T)
    assert set(np.unique(matrix)) == {0, 3_000}
    assert matrix.sum() == found.total_bytes == found.sent_bytes().sum()
    assert found.partners().min() == 3
    assert found.matrix(4).sum() == found.total_bytes
    assert found.operations == {"point_to_point": (3 * links, 3_000 * links)}


def test_collectives_are_counted() -> None:
    found = of("fft3d", 12, iterations=2, grid=[3, 4], row_message="10 B", column_message="7 B")
    rows, columns = 2 * 2 * 12 * 3, 2 * 2 * 12 * 2
    assert found.operations == {"alltoall": (rows + columns, 10 * rows + 7 * columns)}
    assert found.sizes == ((7, columns), (10, rows))


@pytest.mark.parametrize(("scaling", "factor"), [("weak", 1.0), ("strong", (528 / 66) ** (2 / 3))])
def test_messages_scale_with_ranks(scaling: str, factor: float) -> None:
    found = of("halo3d", 66, iterations=1, scaling=scaling)
    assert [size for size, _ in found.sizes] == [round(576_000 * factor)]


def test_computing_is_a_time_plus_a_time_per_element() -> None:
    compute = {"time": "1 us", "per_element": "20 ps", "elements": 1_000}
    assert {
        time - 350e3 for time in of("halo3d", 528, iterations=2, compute=compute).compute_ns
    } == {2 * 1_020.0}
    half = of("halo3d", 1_056, iterations=2, compute=compute, scaling="strong")
    assert set(half.compute_ns) == {350e3 + 2 * 510.0}
    with pytest.raises(pt.ScenarioError, match="elements"):
        of("halo3d", 8, compute={"per_element": "20 ps"})


def test_ranks_wait_before_the_first_iteration() -> None:
    assert set(of("halo3d", 528, iterations=1).compute_ns) == {350e3}
    assert set(of("halo3d", 528, iterations=1, start_delay="1 us").compute_ns) == {1e3}
    given = {"start_delay": "0 ns", "iterations": 2}
    assert set(of("halo3d", 528, compute="3 us", copy="1 us", **given).compute_ns) == {12e3}
    # 400 x floor(400 x 400 / 528) ns per axis, seven axes per iteration.
    assert set(of("fft3d", 528, **given).compute_ns) == {2 * 7 * 121_200.0}
    assert set(of("fft3d", 12, row_message="1 kB", **given).compute_ns) == {0.0}


@pytest.mark.slow
def test_noise_is_seeded_and_keeps_the_mean(tmp_path: Path) -> None:
    def times(**noise: object) -> list[float]:
        work = {"kind": "halo3d", "iterations": 100, "message": "8 B", "compute": "1 us"}
        work["start_delay"] = "0 ns"
        job = {"name": "j", "ranks": 64, "compute_noise": noise, "workload": work}
        data = {"name": "n", "machine": "kang2022", "routing": "minimal", "jobs": [job]}
        run = pt.run(pt.Scenario.from_dict(data), out=tmp_path / "run", overwrite=True)
        assert isinstance(run, pt.Run)
        return list(run.ranks.collect()["compute_time_ns"])

    assert set(times(distribution="none")) == {100_000.0}
    drawn = times(distribution="exponential", share=0.5)
    assert drawn == times(distribution="exponential", share=0.5)
    assert len(set(drawn)) == 64
    assert 98_000 < sum(drawn) / 64 < 102_000


@pytest.mark.parametrize("kind", APPLICATIONS)
def test_every_application_is_described(kind: str) -> None:
    application = APPLICATIONS[kind]
    text = application.__doc__ or ""
    assert "Source:" in text, "the docstring must name the paper and its section"
    assert application.paper_ranks > 0
    keys = application.model_json_schema()["properties"]
    assert all(key["description"] for key in keys.values())


@pytest.mark.slow
def test_an_application_class_without_paper_ranks_is_rejected() -> None:
    with pytest.raises(
        UsageError, match="class Ring: paper_ranks is not set; write `paper_ranks: ClassVar"
    ):

        class Ring(Application):
            kind: Literal["ring"] = "ring"

            def as_plan(self, ranks: int) -> dict[str, Any]:
                return {}


def test_workload_list_and_show_print(cli: Cli, workdir: Path) -> None:
    listed = cli("workload", "list")
    assert listed.status == 0
    assert all(kind in listed.out for kind in APPLICATIONS)
    shown = cli("workload", "show", "halo3d", "--ranks", "24", "--set", "iterations=1")
    assert shown.status == 0, shown.err
    assert "24 ranks" in shown.out
    assert not list(workdir.iterdir()), "no files without --plot"
    drawn = cli("workload", "show", "fft3d", "-n", "8", "--plot", "m.svg")
    assert drawn.status == 0
    assert drawn.out.endswith("matrix: m.svg\n")
    assert "<svg" in (workdir / "m.svg").read_text()
    drawn = cli(
        "workload", "show", ROOT / "examples" / "interference.toml", "--plot", "m.png", "--json"
    )
    assert [job["job"] for job in json.loads(drawn.out)] == ["fft3d", "halo3d"]
    assert {path.name for path in workdir.iterdir()} == {"m.svg", "m-fft3d.png", "m-halo3d.png"}
    text = json.loads(
        cli("workload", "show", "halo3d", "--ranks", "24", "--set", "iterations=1", "--json").out
    )
    assert [job["total_mb"] for job in text] == [of("halo3d", 24, iterations=1).total_bytes / 1e6]


def test_jobs_of_a_scenario_are_shown(cli: Cli, workdir: Path) -> None:
    shown = cli("workload", "show", ROOT / "examples" / "quickstart.toml", "--json")
    assert {"messages", "total_mb", "operations", "workload"} <= set(json.loads(shown.out)[0])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("halo",), "halo: there is no such application; did you mean 'halo3d'?"),
        (("halo3d", "--ranks", "0"), "--ranks 0: must be at least 1"),
        (("halo3d", "--set", "grid=[1, 2, 3]"), "write [6, 8, 11] or another grid of 528 cells"),
        (("halo3d", "--set", "iteration=3"), "did you mean 'iterations'?"),
        (("halo3d", "--plot", "x.gif"), "x.gif: has no ending of a figure"),
        (("none.toml",), "none.toml"),
        (
            (ROOT / "examples" / "quickstart.toml", "--ranks", "3"),
            "sets the ranks of its jobs",
        ),
    ],
)
def test_mistakes_of_workload_show_are_one_line(
    cli: Cli, workdir: Path, arguments: tuple[str, ...], says: str
) -> None:
    ended = cli("workload", "show", *arguments)
    assert (ended.status, ended.out) == (2, "")
    assert says in ended.err
    assert ended.err.count("\n") == 1
    assert list(workdir.iterdir()) == []


def test_the_page_has_every_application() -> None:
    page = applications_page()
    for kind in APPLICATIONS:
        assert f"## {kind}\n" in page
        assert (ROOT / "docs" / "reference" / "made-applications" / f"{kind}.png").is_file()
