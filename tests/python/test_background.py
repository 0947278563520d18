"""A production background and a snapshot of a job log."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pantala as pt
from pantala.job_log import JobLogError, running_at
from support import ROOT

SMALL = {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}}
HALO = {"kind": "allreduce_loop", "message": "4 KiB", "iterations": 3, "compute": "1 us"}
LOOP = {"kind": "allreduce_loop", "message": "8 B", "iterations": 1}


def scenario(jobs: list[dict[str, Any]] | None = None, **keys: Any) -> pt.Scenario:
    usual = [{"name": "target", "ranks": 8, "workload": HALO}]
    data = {"name": "s", "machine": SMALL, "routing": "minimal", **keys}
    return pt.Scenario.from_dict({**data, "jobs": usual if jobs is None else jobs})


def drawn(made: pt.Scenario) -> list[pt.Job]:
    return [job for job in made.all_jobs if job.name.startswith("background-")]


@settings(deadline=None)
@given(st.floats(0.2, 1.0), st.integers(0, 5), st.integers(1, 3))
def test_a_background_fills_the_machine_to_its_share(share: float, seed: int, ranks: int) -> None:
    background = {"share": share, "ranks_per_node": ranks}
    made = scenario(background=background, seed=seed)
    assert sum(job.node_count for job in made.all_jobs) == int(share * 72)
    assert all(job.repeat for job in drawn(made))
    assert made.all_jobs == scenario(background=background, seed=seed).all_jobs
    again = scenario(background={**background, "seed": seed}, seed=seed + 1)
    assert again.all_jobs == made.all_jobs, "its own seed replaces the scenario's"


def test_seeds_draw_different_backgrounds() -> None:
    sizes = {tuple(job.ranks for job in drawn(scenario(background={}, seed=n))) for n in range(8)}
    assert len(sizes) > 4


def full(sizes: list[dict[str, Any]], seed: int) -> pt.Scenario:
    background = {"share": 1.0, "sizes": sizes}
    return scenario([], background=background, seed=seed, stop={"duration": "1 us"})


def test_weights_are_shares_of_nodes() -> None:
    """Sizes 1 and 4 with weights 1 and 3 have a quarter and three quarters of the nodes."""
    nodes: Counter[int] = Counter()
    sizes = [{"nodes": 1, "weight": 1.0}, {"nodes": 4, "weight": 3.0}]
    for seed in range(40):
        for job in drawn(full(sizes, seed)):
            nodes[job.ranks] += job.ranks
    total = sum(nodes.values())
    assert total == 40 * 72
    assert nodes[4] / total == pytest.approx(0.75, abs=0.04)


def test_the_default_sizes_are_those_of_theta() -> None:
    made = pt.Scenario.from_dict(
        {
            "name": "s",
            "machine": "theta",
            "background": {"share": 1.0},
            "stop": {"duration": "1 us"},
        }
    )
    sizes = [job.node_count for job in made.all_jobs]
    assert sum(sizes) == 4392
    assert set(sizes[:-1]) <= {64, 128, 256, 512, 1024, 2048}
    kinds = {"milc", "milcreorder", "nek5000", "hacc", "qbox", "rayleigh"}
    assert {job.application for job in made.all_jobs} <= kinds


def test_an_application_that_does_not_fit_leaves_its_nodes_to_another() -> None:
    sizes = [{"nodes": 3, "weight": 1.0}]
    applications = [{"workload": {"kind": "lulesh"}, "weight": 100.0}, {"workload": LOOP}]
    background = {"share": 0.5, "sizes": sizes, "applications": applications}
    jobs = drawn(scenario(background=background))
    assert {(job.ranks, job.application) for job in jobs} == {(3, "allreduce_loop"), (1, "lulesh")}


@pytest.mark.native
def test_a_target_runs_before_a_background(tmp_path: Path) -> None:
    background = {"sizes": [{"nodes": 9, "weight": 1.0}], "applications": [{"workload": HALO}]}
    ran = pt.run(scenario(background=background), out=tmp_path / "r", report=False, progress=False)
    assert isinstance(ran, pt.Run)
    assert ran.complete
    rows = ran.jobs.collect().to_dicts()
    assert [row["complete"] for row in rows] == [True] + [False] * (len(rows) - 1)
    assert all(row["packets"] > 0 for row in rows)


@pytest.mark.parametrize(
    ("background", "message"),
    [
        (
            {"share": 0.1},
            "background.share = 0.1: is 7 nodes, but the jobs have 8 already; raise it",
        ),
        ({"share": 1.5}, "background.share = 1.5: must be at most 1"),
        ({"sizes": []}, "background.sizes = []: is empty; add"),
        (
            {"sizes": [{"nodes": 0, "weight": 1.0}]},
            "background.sizes[0].nodes = 0: must be at least",
        ),
        ({"sizes": [{"nodes": 1, "weight": 0.0}]}, "sizes[0].weight = 0.0: must be more than 0"),
        ({"aplications": []}, "did you mean 'applications'?"),
        (
            {
                "sizes": [{"nodes": 3, "weight": 1.0}],
                "applications": [{"workload": {"kind": "lulesh"}}],
            },
            "none runs on 3 nodes with 1 ranks per node (ranks: lulesh needs a cube)",
        ),
        (
            {
                "placement": {"kind": "compact", "groups": 1},
                "sizes": [{"nodes": 60, "weight": 1.0}],
            },
            "background",
        ),
    ],
)
def test_a_wrong_background_is_refused(background: dict[str, Any], message: str) -> None:
    with pytest.raises(pt.ScenarioError) as raised:
        scenario(background=background).resolve()
    assert message in str(raised.value)


SACCT = """\
JobID|JobName|Start|End|NodeList|State
1|lammps-a|2026-05-01T10:00:00|2026-05-01T14:00:00|nid[00000-00003]|COMPLETED
1.batch|batch|2026-05-01T10:00:00|2026-05-01T14:00:00|nid00000|COMPLETED
2_7|qbox|2026-05-01T11:00:00|Unknown|nid[00010,00012]|RUNNING
3|early|2026-05-01T08:00:00|2026-05-01T09:00:00|nid[00000-00007]|COMPLETED
4|waiting|Unknown|Unknown|None assigned|PENDING
5|edge|2026-05-01T12:00:00|2026-05-01T12:00:01|nid00020|COMPLETED
"""
SWF = """\
; Version: 2.2
; UnixStartTime: 1000000
1 0 10 100 4 -1 -1 4 -1 -1 1 1 1 3 1 1 -1 -1
2 50 5 100 6 -1 -1 6 -1 -1 1 1 1 4 1 1 -1 -1
3 300 5 100 6 -1 -1 6 -1 -1 1 1 1 4 1 1 -1 -1
4 0 5 -1 6 -1 -1 6 -1 -1 5 1 1 4 1 1 -1 -1
"""


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    (tmp_path / "jobs.sacct").write_text(SACCT)
    (tmp_path / "jobs.swf").write_text(SWF)
    return tmp_path


@pytest.mark.parametrize(
    ("at", "numbers"),
    [
        ("2026-05-01T08:00:00", ["3"]),
        ("2026-05-01T10:30:00", ["1"]),
        ("2026-05-01T12:00:00", ["1", "2_7", "5"]),
        ("2026-05-01T14:00:00Z", ["2_7"]),
    ],
)
def test_jobs_run_from_their_start_to_before_their_end(
    logs: Path, at: str, numbers: list[str]
) -> None:
    assert [job.number for job in running_at(logs / "jobs.sacct", at)] == numbers


@pytest.mark.parametrize(
    ("at", "numbers"),
    [(10, ["1"]), ("60", ["1", "2"]), (110, ["2"]), ("1970-01-12T13:47:30", ["1"])],
)
def test_a_log_of_swf_counts_seconds_or_dates(logs: Path, at: Any, numbers: list[str]) -> None:
    assert [job.number for job in running_at(logs / "jobs.swf", at)] == numbers


def test_a_snapshot_has_the_jobs_of_slurm_on_their_nodes(logs: Path) -> None:
    snapshot = {
        "file": str(logs / "jobs.sacct"),
        "at": "2026-05-01T12:00:00",
        "applications": [{"match": "lammps*", "workload": {"kind": "lammps"}}],
    }
    made = scenario(snapshot=snapshot)
    jobs = {job["name"]: job for job in made.resolve()["jobs"]}
    assert list(jobs) == ["target", "job-1", "job-2_7", "job-5"]
    assert jobs["job-1"]["nodes"] == [0, 1, 2, 3]
    assert jobs["job-1"]["application"] == "lammps"
    assert jobs["job-2_7"]["nodes"] == [10, 12]
    assert not set(jobs["target"]["nodes"]) & {0, 1, 2, 3, 10, 12, 20}
    assert all(jobs[name]["repeat"] for name in ("job-1", "job-2_7", "job-5"))


def test_a_snapshot_of_swf_has_jobs_of_the_same_size(logs: Path) -> None:
    snapshot = {"file": str(logs / "jobs.swf"), "at": 60, "processors_per_node": 4}
    made = scenario(snapshot={**snapshot, "ranks_per_node": 2, "placement": "contiguous"})
    assert [(job.name, job.ranks) for job in made.all_jobs[1:]] == [("job-1", 2), ("job-2", 4)]
    assert made.resolve()["jobs"][2]["nodes"] == [1, 2]


def test_hosts_number_the_nodes_of_a_snapshot(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("JobID|Start|End|NodeList\n7|2026-05-01T10:00:00|Unknown|rack1b,rack0a\n")
    snapshot = {"file": str(log), "at": "2026-05-01T10:00:00", "hosts": "rack0[a],rack0a,rack1b"}
    with pytest.raises(pt.ScenarioError):
        scenario(snapshot=snapshot)
    made = scenario(snapshot={**snapshot, "hosts": "x,rack0a,rack1b"})
    assert made.resolve()["jobs"][1]["nodes"] == [2, 1]


TEN = "2026-05-01T10:00:00"
HEADER = "JobID|JobName|Start|End|NodeList\n"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            ["7|first|{}|Unknown|nid[00003-00005]", "8|second|{}|Unknown|nid[00004-00009]"],
            "has the jobs 7 (first) and 8 (second) on the host nid00004 and 1 more at this time,"
            ' and a node has one job; leave one of them out, such as exclude = ["8"]',
        ),
        (
            ["7|first|{}|Unknown|rack0n1,rack1n1"],
            "has the job 7 on the hosts rack0n1 and rack1n1, which are both node 1 by the last"
            " number of their names; list all hosts of the machine in hosts",
        ),
        (
            ["7|first|{}|Unknown|rack0n1", "8|second|{}|Unknown|rack1n1"],
            "has the jobs 7 (first) and 8 (second) on the hosts rack0n1 and rack1n1, which are both"
            " node 1 at this time, and a node has one job; list all hosts of the machine in hosts",
        ),
        (
            ["7|first|{}|Unknown|nid00003", "7|first|{}|Unknown|nid00004"],
            "has the job 7 (first) twice at this time; remove one of its lines",
        ),
    ],
)
def test_a_log_that_no_machine_can_run_names_the_jobs(
    tmp_path: Path, lines: list[str], message: str
) -> None:
    log = tmp_path / "log"
    log.write_text(HEADER + "\n".join(line.format(TEN) for line in lines) + "\n")
    with pytest.raises(pt.ScenarioError) as raised:
        scenario(snapshot={"file": str(log), "at": TEN}).resolve()
    assert message in str(raised.value)


def test_a_job_that_shares_a_node_can_be_left_out(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(f"{HEADER}7|first|{TEN}|Unknown|nid00003\n8|second|{TEN}|Unknown|nid00003\n")
    snapshot = {"file": str(log), "at": TEN}
    made = scenario(snapshot={**snapshot, "exclude": ["8"]})
    assert [job.name for job in made.all_jobs[1:]] == ["job-7"]
    with pytest.raises(pt.ScenarioError, match="no such job ran then; correct the number"):
        scenario(snapshot={**snapshot, "exclude": ["9"]})


def test_a_name_with_a_bar_is_read(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(f"{HEADER}7|a|b|{TEN}|Unknown|nid00003\n")
    made = scenario(snapshot={"file": str(log), "at": TEN})
    assert [job.name for job in made.all_jobs[1:]] == ["job-7"]
    log.write_text(f"JobID|Comment|Start|End|NodeList\n7|a|b|{TEN}|Unknown|nid00003\n")
    with pytest.raises(pt.ScenarioError, match="a bar in a text counts as the end of a field"):
        scenario(snapshot={"file": str(log), "at": TEN})


def test_processors_that_count_as_nodes_have_their_remedy(tmp_path: Path) -> None:
    log = tmp_path / "log.swf"
    log.write_text(SWF.replace(" 4 -1 -1 4 ", " 4 -1 -1 800 "))
    with pytest.raises(pt.ScenarioError, match=r"set snapshot\.processors_per_node"):
        scenario(snapshot={"file": str(log), "at": 60}).resolve()


def test_a_snapshot_needs_no_other_jobs(logs: Path) -> None:
    data = {
        "name": "s",
        "machine": SMALL,
        "routing": "minimal",
        "snapshot": {"file": "jobs.sacct", "at": "2026-05-01T10:30:00", "limit": 1},
        "stop": {"duration": "10 us"},
    }
    (logs / "s.toml").write_text(
        'name = "s"\nmachine = "kang2022"\nrouting = "minimal"\nstop = { duration = "10 us" }\n'
        'snapshot = { file = "jobs.sacct", at = 2026-05-01T10:30:00 }\n'
    )
    assert [job.name for job in pt.Scenario.from_toml(logs / "s.toml").all_jobs] == ["job-1"]
    with pytest.raises(pt.ScenarioError, match=r'snapshot\.file = "jobs\.sacct": cannot be read'):
        pt.Scenario.from_dict(data)


def test_a_background_fills_up_beside_a_snapshot(logs: Path) -> None:
    snapshot = {"file": str(logs / "jobs.sacct"), "at": "2026-05-01T12:00:00"}
    made = scenario(snapshot=snapshot, background={"share": 0.5})
    assert sum(job.node_count for job in made.all_jobs) == 36
    assert len({node for job in made.resolve()["jobs"] for node in job["nodes"]}) == 36


@pytest.mark.parametrize(
    ("text", "at", "message"),
    [
        ("", "1", "is empty"),
        ("1 2 3\n", "1", "line 1 has not the 18 numbers of SWF; give a log of SWF, or of sacct -P"),
        ("JobID|Start|End\n", "1", "line 1 has no field NodeList; write the log with sacct -P"),
        ("JobID|JobName|Start|End|NodeList\n", "2026-05-01", "has no job; give a log with jobs"),
        (SACCT.replace("2026-05-01T08", "yesterday"), "2026-05-01", "which is not a time; write"),
        (SACCT.replace("|RUNNING", ""), "2026-05-01", "line 4 has 5 fields, and the header has 6"),
    ],
)
def test_a_wrong_log_is_refused(tmp_path: Path, text: str, at: str, message: str) -> None:
    log = tmp_path / "log"
    log.write_text(text)
    with pytest.raises(JobLogError) as raised:
        running_at(log, at)
    assert message in str(raised.value)
    assert raised.value.key == "file"


@pytest.mark.parametrize(
    ("text", "at", "message"),
    [
        (SACCT, "60", ": is a number, and the log has dates; write e.g. 2026-05-01T12:00:00"),
        (SACCT, "noon", ": is not a time; write e.g. 2026-05-01T12:00:00"),
        (SACCT, "2025-05-01", "log ran then; its jobs start from 2026-05-01T08"),
        (SWF.replace("; Unix", "; no"), "2026-05-01", ": is a date, but the log has no UnixStart"),
        (SWF, "9999", "log ran then; its jobs start from 10 s to 305 s; take another time"),
    ],
)
def test_a_time_that_is_not_in_the_log_is_a_fault_of_the_key_at(
    tmp_path: Path, text: str, at: str, message: str
) -> None:
    log = tmp_path / "log"
    log.write_text(text)
    with pytest.raises(pt.ScenarioError) as raised:
        scenario(snapshot={"file": str(log), "at": at}).resolve()
    assert f'key snapshot.at = "{at}": ' in str(raised.value)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("nid00020", "nid00099"), "snapshot"),
        (("nid00020", "login"), "has the host login, whose name has no number"),
        (("nid00020", "nid[00020"), "has the job 5, whose node list has a [ without ]"),
        (("nid00020", "nid00012"), "snapshot"),
    ],
)
def test_a_log_with_wrong_hosts_is_refused(
    tmp_path: Path, change: tuple[str, str], message: str
) -> None:
    log = tmp_path / "log"
    log.write_text(SACCT.replace(*change))
    with pytest.raises(pt.ScenarioError) as raised:
        scenario(snapshot={"file": str(log), "at": "2026-05-01T12:00:00"}).resolve()
    assert message in str(raised.value)


@pytest.mark.native
@pytest.mark.parametrize("name", ["production", "snapshot"])
def test_every_job_of_the_examples_loads_the_network(name: str, tmp_path: Path) -> None:
    made = pt.Scenario.from_toml(ROOT / "examples" / f"{name}.toml")
    ran = pt.run(made, tmp_path / "out", report=False, progress=False)
    assert isinstance(ran, pt.Run)
    end = ran.document["simulated_ns"]
    for job in ran.jobs.collect().to_dicts():
        seconds = end - job["start_ns"]
        load = job["injected_bytes"] / job["ranks"] / seconds / 25  # of links of 25 bytes per ns
        assert 0.02 < load < 0.3, (job["name"], load)


def test_small_machines_have_jobs_that_communicate() -> None:
    made = scenario(background={"share": 0.9})
    jobs = [job for job in made.all_jobs if job.name.startswith("background")]
    assert all(job.ranks > 1 for job in jobs[:-1]), "the last one takes what is left"
    assert all(job.workload.scaling == "weak" for job in jobs)  # type: ignore[union-attr]
