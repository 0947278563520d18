"""Coarse runs: the key, its effect on a plan, and the announcement of a coarse run."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pantala as pt
from pantala.analysis.slowdown import slowdown_of
from pantala.api.load import load
from pantala.errors import UsageError
from support import ROOT, SMALL, Ended

Cli = Callable[..., Ended]

native = pytest.mark.native

LONG = SMALL.replace('message = "1 kB"', 'message = "20 kB"').replace(
    'row_message = "1 kB"', 'row_message = "9 kB"'
)
FIRST = re.compile(
    r"Coarsened by 4: a packet of 2048 B stands for 4 of 512 B\."
    r" .*docs/explanation/coarsening\.md\."
)


@pytest.fixture
def long(tmp_path: Path) -> Path:
    """Returns a scenario whose messages have several packets."""
    path = tmp_path / "long.toml"
    path.write_text(LONG)
    return path


@pytest.mark.parametrize(
    ("text", "coarsen"),
    [
        ("", 1),
        ('detail = "packet"\n', 1),
        ("detail = { coarsen = 1 }\n", 1),
        ("detail = { coarsen = 2 }\n", 2),
        ("detail.coarsen = 8\n", 8),
    ],
)
def test_values_of_the_key_detail(text: str, coarsen: int, tmp_path: Path) -> None:
    path = tmp_path / "detail.toml"
    path.write_text(text + LONG)
    scenario = pt.Scenario.from_toml(path)
    assert scenario.detail.coarsen == coarsen
    assert scenario.plan()["detail"] == {"coarsen": coarsen}
    assert scenario.replace({"detail.coarsen": 4}).detail.coarsen == 4
    assert scenario.replace({"detail": "packet"}).detail.coarsen == 1


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("3", r"key detail\.coarsen = 3: must be 1, 2, 4 or 8; write one of these"),
        ("0", r"key detail\.coarsen = 0: must be at least 1"),
        ("16", r"key detail\.coarsen = 16: must be at most 8"),
        ('"much"', r'key detail\.coarsen = "much": is not a whole number'),
    ],
)
def test_other_numbers_are_rejected(cli: Cli, long: Path, value: str, says: str) -> None:
    ended = cli("check", long, "--set", f"detail.coarsen={value}")
    assert (ended.status, ended.err.count("\n")) == (2, 1), ended.err
    assert re.search(says, ended.err), ended.err


def test_packets_are_longer_and_bytes_are_equal() -> None:
    scenario = pt.Scenario.from_toml(ROOT / "examples" / "interference.toml")
    fine = scenario.plan()
    for coarsen in (2, 4, 8):
        plan = scenario.replace({"detail.coarsen": coarsen}).plan()
        differing = {key for key in fine if plan[key] != fine[key]}
        assert differing == {"packet_bytes", "detail", "nic"}
        assert plan["packet_bytes"] == 512 * coarsen
        assert plan["nic"] == {**fine["nic"], "buffer_packets": -(-30 // coarsen)}


@native
def test_a_packet_level_run_is_the_default(long: Path, tmp_path: Path) -> None:
    default = pt.run(pt.Scenario.from_toml(long), tmp_path / "default", report=False)
    stated = pt.run(
        pt.Scenario.from_toml(long, changes={"detail": "packet"}),
        tmp_path / "stated",
        report=False,
        progress=False,
    )
    assert default.document["plan"] == stated.document["plan"]
    assert default.document["result_hash"] == stated.document["result_hash"]
    assert default.coarsened is None
    assert next(iter(default.document)) == "pantala"


@native
def test_a_coarse_run_is_announced_first(cli: Cli, long: Path, tmp_path: Path) -> None:
    ended = cli(
        "run", long, "--coarsen", "4", "--set", "interference=true", "--out", tmp_path / "coarse"
    )
    assert ended.status == 0, ended.err
    assert FIRST.fullmatch(ended.out.split("\n", 1)[0])
    for name in ("interference.json", "together/run.json", "alone-fft/run.json"):
        lines = (tmp_path / "coarse" / name).read_text().split("\n")
        assert lines[1].startswith('  "coarsened": "Coarsened by 4: '), name
    page = (tmp_path / "coarse" / "report.html").read_text()
    body = page.split("<header>", 1)[1].lstrip()
    assert re.match(r'<ul class="caveats" aria-label="Read first">\s*<li>Coarsened by 4: ', body)
    assert "each stands for 4 packets of 512\u00a0B" in page
    experiment = load(tmp_path / "coarse")
    assert experiment.coarsened is not None
    assert FIRST.fullmatch(experiment.coarsened)


@native
def test_check_and_curve_announce_coarsening(cli: Cli, long: Path) -> None:
    ended = cli("check", long, "--set", "detail.coarsen=4", "--json")
    assert FIRST.fullmatch(ended.err.strip().split("\n")[-1]), ended.err
    assert json.loads(ended.out)["derived"]["simulated_buffer_flits"] == {
        "input": 144,
        "output": 144,
    }
    small = [
        "--set",
        "machine.topology={ p = 2, a = 4, h = 2, g = 9 }",
        "--warmup",
        "2 us",
        "--measure",
        "2 us",
    ]
    ended = cli("curve", *small, "--loads", "0.1", "--coarsen", "4")
    assert FIRST.fullmatch(ended.out.split("\n", 1)[0]), ended.out
    ended = cli("curve", *small, "--loads", "0.1", "--coarsen", "4", "--json")
    assert FIRST.search(ended.err), ended.err
    assert len(json.loads(ended.out)) == 1


@native
def test_coarse_runs_have_fewer_packets_and_equal_bytes(long: Path, tmp_path: Path) -> None:
    runs = {}
    for coarsen in (1, 2, 4, 8):
        scenario = pt.Scenario.from_toml(long, changes={"detail.coarsen": coarsen})
        pt.run(scenario, tmp_path / str(coarsen), report=False)
        runs[coarsen] = pt.Run(tmp_path / str(coarsen))
    packets = [run.document["counters"]["packets_injected"] for run in runs.values()]
    assert packets == sorted(packets, reverse=True)
    assert len(set(packets)) == 4
    for column in ("mpi_bytes", "injected_bytes", "delivered_bytes"):
        assert len({tuple(run.jobs.collect()[column]) for run in runs.values()}) == 1


@native
@pytest.mark.parametrize("router", ["pantala", "sst_sc22", "caminos"])
def test_threads_change_nothing(router: str, long: Path, tmp_path: Path) -> None:
    """A message that waits for the head of its last packet waits in the receiving partition."""
    scenario = pt.Scenario.from_toml(
        long, changes={"detail.coarsen": 2, "machine.router": router, "routing": "ugal_n"}
    )
    hashes = set()
    for threads in (1, 3):
        run = pt.run(scenario, tmp_path / f"on-{threads}", report=False, threads=threads)
        hashes.add(run.document["result_hash"])
    assert len(hashes) == 1


@native
def test_runs_of_different_detail_are_not_comparable(long: Path, tmp_path: Path) -> None:
    def experiment(coarsen: int) -> Any:
        changes = {"interference": True, "detail.coarsen": coarsen}
        return pt.run(
            pt.Scenario.from_toml(long, changes=changes), tmp_path / f"of-{coarsen}", report=False
        )

    fine, coarse = experiment(1), experiment(2)
    with pytest.raises(
        UsageError, match=r"detail\.coarsen = 1 and the run together 2: .*run both with one detail"
    ):
        slowdown_of(coarse.together, fine.alone)
    assert slowdown_of(coarse.together, coarse.alone)["slowdown"].null_count() == 0


@native
@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (
            {"machine.router": "codes_dally"},
            r'router\.flow_control = "store_and_forward": .*; set it to "virtual_cut_through",'
            r" or set detail",
        ),
        (
            {"machine.router.input_buffer": "10 packets"},
            r'router\.input_buffer = "10 packets": holds 1 coarse packet ',
        ),
        (
            {"machine.nic.responses": True},
            r"nic\.responses = true: each packet has a response",
        ),
        (
            {"jobs.halo.workload.message": "500 B"},
            r"jobs\[1\]\.workload = halo3d: 48 of the 48 messages of job \"halo\"",
        ),
    ],
)
def test_settings_that_cannot_be_coarse_are_rejected(
    cli: Cli, long: Path, changes: dict[str, Any], says: str
) -> None:
    settings = [
        word for key, value in changes.items() for word in ("--set", f"{key}={json.dumps(value)}")
    ]
    assert cli("check", long, *settings).status == 0
    ended = cli("check", long, *settings, "--set", "detail.coarsen=8")
    assert ended.status == 2
    assert re.search(says, ended.err), ended.err


@native
def test_the_known_errors_agree_with_the_page() -> None:
    """All stated errors come from the file that docs/coarsening.py writes beside the page."""
    known = json.loads((ROOT / "crates/pantala-sim/src/plan/coarsen/known_errors.json").read_text())
    page = (ROOT / "docs/explanation/made-coarsening.md").read_text().replace("\u00a0", " ")
    scenario = pt.Scenario.from_toml(ROOT / "examples" / "quickstart.toml")
    for coarsen, errors in known.items():
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            said = scenario.replace({"detail.coarsen": int(coarsen)}).resolve()["derived"][
                "coarsened"
            ]
        assert f"in {errors['cases']} cases" in said
        for name in ("slowdown", "communication"):
            median, most = errors[f"{name}_median"], errors[f"{name}_most"]
            assert f"{median} %, {most} %" in page
            assert f"{most:.0f} %" in said
    assert sorted(known) == ["2", "4", "8"]
