"""A production background and a snapshot of a job log."""

from __future__ import annotations

from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
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
            "is 7 nodes, but the jobs have 8 already; set background.share to 0.13 or more",
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
        ("2026-05-01T14:00:00", ["2_7"]),
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
    # A date is its begin.
    found = pt.Scenario.from_toml(logs / "s.toml", changes={"snapshot.at": date(2026, 5, 2)})
    assert [job.name for job in found.all_jobs] == ["job-2_7"]
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
        (SACCT.splitlines()[0], "2026-05-01T12:00:00Z", "has no job; give a log with jobs"),
        ("1 2 3\n", "1", "line 1 has not the 18 numbers of SWF; give a log of SWF, or of sacct -P"),
        (f"1 2 3 4 inf{' 1' * 13}\n", "1", "line 1 has not the 18 numbers of SWF"),
        ("JobID|Start|End\n", "1", "line 1 has no field NodeList; write the log with sacct -P"),
        ("JobID|JobName|Start|End|NodeList\n", "2026-05-01", "has no job; give a log with jobs"),
        (SACCT.replace("2026-05-01T08", "yesterday"), "2026-05-01", "which is not a time; write"),
        (SACCT.replace("|RUNNING", ""), "2026-05-01", "line 4 has 5 fields, and the header has 6"),
        (
            "JobID|JobName|Comment|Start|End|NodeList\n"
            "1|a|b|c|2026-05-01T08:00:00|2026-05-01T20:00:00|nid[0-3]\n",
            "2026-05-01",
            "a bar in a text counts as the end of a field; write the log anew with sacct -P --form",
        ),
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
        (
            SACCT,
            "2026-05-01T12:00:00+02:00",
            ": has a zone, and the times of the log have none: they are local times of the cluster",
        ),
        (
            SACCT.replace(":00|", ":00+02:00|").replace(":01|", ":01+02:00|"),
            "2026-05-01T12:00:00",
            ": has no zone, and the times of the log have one; add its zone",
        ),
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


TWO = """JobID|JobName|Start|End|NodeList
1|cfd|2026-05-01T08:00:00|2026-05-01T20:00:00|{first}
{number}|prep|2026-05-01T08:00:00|2026-05-01T20:00:00|{second}
"""
AT = "2026-05-01T12:00:00"


@pytest.mark.parametrize(
    ("first", "second", "number", "message"),
    [
        (
            "nid[00000-00003]",
            "nid00003",
            "2",
            "has the jobs 1 (cfd) and 2 (prep) on the host nid00003 at this time, and a node has"
            ' one job; leave one of them out, such as exclude = ["2"]',
        ),
        (
            "nid[00000-00003]",
            "nid[00002-00004]",
            "2",
            "on the host nid00002 and 1 more at this time, and a node has one job; leave one",
        ),
        (
            "rack1-node[0-3],rack2-node0",
            "rack3-node1",
            "2",
            "has the job 1 on the hosts rack1-node0 and rack2-node0, which are both node 0 by the"
            " last number of their names; list all hosts of the machine in hosts",
        ),
        (
            "rack1-node[0-3]",
            "rack3-node0",
            "2",
            "on the hosts rack1-node0 and rack3-node0, which are both node 0 at this time, and a"
            " node has one job; list all hosts of the machine in hosts",
        ),
        ("nid0,nid0", "nid1", "2", "has the job 1 with the host nid0 twice; write the log anew"),
        ("nid0", "nid1", "1", "has the job 1 (prep) twice at this time; remove one of its lines"),
    ],
)
def test_jobs_that_share_a_node_are_named_with_the_remedy(
    first: str, second: str, number: str, message: str, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    log.write_text(TWO.format(first=first, second=second, number=number))
    with pytest.raises(pt.ScenarioError) as raised:
        scenario(snapshot={"file": str(log), "at": AT})
    assert "key snapshot.file = " in str(raised.value)
    assert message in str(raised.value)


def test_jobs_of_a_log_can_be_left_out(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(TWO.format(first="nid[00000-00003]", second="nid00003", number="2_7"))
    snapshot = {"file": str(log), "at": AT}
    made = scenario(snapshot={**snapshot, "exclude": ["2_*"]})
    assert [job.name for job in made.all_jobs[1:]] == ["job-1"]
    with pytest.raises(pt.ScenarioError, match=r'snapshot\.exclude.*has "3", and no such job ran'):
        scenario(snapshot={**snapshot, "exclude": ["3"]})


def test_the_name_of_a_job_of_slurm_may_have_bars(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(TWO.format(first="nid0", second="nid1", number="2").replace("prep", "a|b|"))
    assert [job.name for job in running_at(log, AT)] == ["cfd", "a|b|"]


def test_too_many_processors_of_swf_name_their_key(logs: Path) -> None:
    log = logs / "jobs.swf"
    text = log.read_text()
    log.write_text(text.replace(" 6 ", " 600 "))
    snapshot = {"file": str(log), "at": 60}
    given = {**snapshot, "processors_per_node": 1}
    hint = "set snapshot.processors_per_node: the log counts processors"
    with pytest.raises(pt.ScenarioError, match=hint):
        scenario(snapshot=snapshot).resolve()
    with pytest.raises(pt.ScenarioError, match=r"lower jobs\[\]\.ranks or jobs"):
        scenario(snapshot=given).resolve()


def test_a_time_since_1970_gets_the_seconds_since_the_begin_of_the_log(tmp_path: Path) -> None:
    log = tmp_path / "jobs.swf"
    log.write_text("; UnixStartTime: 1777000000\n1 0 0 1000 4 -1 -1 4 -1 -1 1 1 1 3 1 1 -1 -1\n")
    with pytest.raises(JobLogError, match=r"write seconds since the log's begin \(60\), or a date"):
        running_at(log, 1777000060)


def test_a_host_list_longer_than_the_machine_is_refused_before_it_is_written_out(
    tmp_path: Path,
) -> None:
    log = tmp_path / "jobs.sacct"
    row = "2026-05-01T09:00:00|2026-05-01T11:00:00"
    log.write_text(f"JobID|JobName|Start|End|NodeList\n1|a|{row}|nid[0-9999999]\n")
    snapshot = {"file": str(log), "at": "2026-05-01T10:00:00"}
    with pytest.raises(pt.ScenarioError, match=r"has more than 72 hosts"):
        scenario(snapshot=snapshot)


def test_a_node_of_a_snapshot_that_is_taken_is_a_fault_that_names_its_job(logs: Path) -> None:
    taken = {"name": "own", "ranks": 4, "placement": {"kind": "nodes", "nodes": [0, 1, 2, 3]}}
    snapshot = {"file": str(logs / "jobs.sacct"), "at": "2026-05-01T12:00:00"}
    with pytest.raises(pt.ScenarioError) as raised:
        scenario([{**taken, "workload": LOOP}], snapshot=snapshot).resolve()
    assert 'its job job-1: node 0 belongs to job "own"; give every' in str(raised.value)
    assert "key snapshot.file = " in str(raised.value)


@pytest.mark.parametrize(
    ("background", "message"),
    [
        (
            {"applications": [{"workload": {"kind": "halo3d", "grid": [2, 2, 2]}}]},
            "its job background-1: workload.grid = [2, 2, 2]: the grid has 8 cells",
        ),
        (
            {"sizes": [{"nodes": 4, "weight": 1}], "placement": {"kind": "nodes", "nodes": [1, 2]}},
            "its job background-01: placement.nodes = 2 nodes: ",
        ),
    ],
)
def test_a_fault_of_a_job_of_the_background_names_what_makes_the_job(
    background: dict[str, Any], message: str
) -> None:
    with pytest.raises(pt.ScenarioError) as raised:
        scenario(background={"share": 0.9, **background}).resolve()
    first = str(raised.value).splitlines()[0]
    assert f"key background: {message}" in first
    assert "; correct the applications, sizes or placement of background" in first
