"""Load files of SST's Ember: jobs, node lists, variables, parameters, and the scenario made."""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

import pantala as pt
from pantala.importers.ember import ember_scenario, is_load_file, scenario_text
from pantala.report.workload import workload_lines
from pantala.workloads.ember import MOTIFS
from pantala.workloads.ember.grids import grid_2d, grid_3d
from support import Ended

Cli = Callable[..., Ended]

PAIR = """\
# A pair, and idle nodes.
[JOB_ID] 7
[NID_LIST] 20,0
[MOTIF] Init
[MOTIF] PingPong messageSize=4096
    iterations=4
# a comment inside a job

[MOTIF] Fini
[NUM_CORES] 1

[JOB_ID] 1
[NID_LIST] 1-19,21-1055
[MOTIF] Null
[NUM_CORES] 1
"""


def load(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "jobs.load"
    path.write_bytes(text.encode())
    return path


def job(tmp_path: Path, nodes: str, *lines: str) -> pt.Job:
    """Returns the only job of a load file."""
    text = "\n".join(["[JOB_ID] 0", f"[NID_LIST] {nodes}", "[MOTIF] Init", *lines, "[MOTIF] Fini"])
    if not any("[MOTIF]" in line for line in lines):
        text = text.replace("[MOTIF] Fini", "[MOTIF] Barrier\n[MOTIF] Fini")
    return pt.Scenario.from_ember(load(tmp_path, text)).jobs[0]


def test_a_load_file_is_a_scenario(tmp_path: Path) -> None:
    scenario = pt.Scenario.from_ember(load(tmp_path, PAIR))
    assert scenario.name == "jobs"
    assert (scenario.machine.preset, scenario.routing.algorithm) == ("kang2022", "minimal")
    assert scenario.mpi.preset == "sst_sc22"
    (found,) = scenario.jobs
    assert (found.name, found.ranks, found.ranks_per_node) == ("job7", 2, 1)
    assert found.placement == pt.NodesPlacement(nodes=(20, 0))
    assert found.workload == pt.EmberPingPong(messageSize=4096, iterations=4)


def test_line_ends_tabs_and_a_missing_last_newline_do_not_matter(tmp_path: Path) -> None:
    plain = ember_scenario(load(tmp_path, PAIR)).tables
    for text in (
        PAIR.replace("\n", "\r\n"),
        PAIR.replace("] ", "]\t").replace(" iterations", "\titerations"),
        PAIR.rstrip("\n"),
    ):
        assert ember_scenario(load(tmp_path, text)).tables == plain


def test_motifs_run_one_after_another(tmp_path: Path) -> None:
    found = job(tmp_path, "0-3", "[MOTIF] Barrier iterations=2", "[MOTIF] Ring", "[MOTIF] Null")
    assert found.workload == (pt.EmberBarrier(iterations=2), pt.EmberRing())
    assert job(tmp_path, "0-3", "[MOTIF] Null").workload == pt.EmberNull()


def test_changes_and_presets_apply(tmp_path: Path) -> None:
    path = load(tmp_path, PAIR.replace("21-1055", "21-30"))
    changes = {"routing.algorithm": "par", "jobs.job7.workload.iterations": 9}
    scenario = pt.Scenario.from_ember(path, preset="prisacari2015(4,8,4)", changes=changes)
    assert scenario.machine.preset == "prisacari2015(4,8,4)"
    assert scenario.routing.algorithm == "par"
    assert scenario.jobs[0].workload == pt.EmberPingPong(messageSize=4096, iterations=9)


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        ("3", [3]),
        ("0-3", [0, 1, 2, 3]),
        ("7,0-2, 5", [7, 0, 1, 2, 5]),
        ("generateNidList=generateNidListRange(4,3)", [4, 5, 6]),
        ("generateNidListRange(4, 3)", [4, 5, 6]),
        ("generateNidList=generateNidListInterval(1,4,8)", [1, 9, 17, 25]),
        ("generateNidList=generateNidListGroup(0,2,3,8)", [0, 1, 2, 8, 9, 10]),
        ("generateNidList=generateNidListQOS(16,0,linear,3)", [0, 1, 2]),
        ("generateNidList=generateNidListQOS(16,0,interval,1,4)", [1, 5, 9, 13]),
        ("generateNidList=generateNidListQOS(16,0,interval,1,4,2)", [1, 5]),
    ],
)
def test_node_lists_keep_their_order(tmp_path: Path, text: str, nodes: list[int]) -> None:
    placement = job(tmp_path, text).placement
    if isinstance(placement, pt.ContiguousPlacement):
        assert placement.first_node == nodes[0]
        assert nodes == list(range(nodes[0], nodes[0] + len(nodes)))
    else:
        assert placement == pt.NodesPlacement(nodes=tuple(nodes))


def test_a_node_list_may_cover_several_lines(tmp_path: Path) -> None:
    assert job(tmp_path, "\n14,\n15,3").placement == pt.NodesPlacement(nodes=(14, 15, 3))


def test_the_random_generator_draws_as_ember_does(tmp_path: Path) -> None:
    drawn = random.Random(0xF00DBEEF).sample(range(100), 100)
    for start in (0, 40):
        placement = job(tmp_path, f"generateNidListRandom(100,{start},40)").placement
        assert placement == pt.NodesPlacement(nodes=tuple(drawn[start : start + 40]))


def test_qos_lists_take_nodes_that_are_left(tmp_path: Path) -> None:
    lines = []
    for number, form in enumerate(("interval,0,2,3", "random-linear,4,11", "linear,2")):
        nodes = f"[NID_LIST] generateNidList=generateNidListQOS(16,0,{form})"
        lines += [f"[JOB_ID] {number}", nodes, "[MOTIF] Init", "[MOTIF] Barrier", "[MOTIF] Fini"]
    imported = ember_scenario(load(tmp_path, "\n".join(lines)))
    first, second, third = (job.nodes for job in imported.jobs)
    assert first == (0, 2, 4)
    assert second == tuple(sorted(second))
    assert len(second) == 4
    free = [node for node in range(16) if node not in {*first, *second}]
    assert third == tuple(free[:2])


def test_cores_are_ranks_per_node(tmp_path: Path) -> None:
    found = job(tmp_path, "5,3", "[NUM_CORES] 4")
    assert (found.ranks, found.ranks_per_node) == (8, 4)


def test_variables_stand_for_values(tmp_path: Path) -> None:
    path = load(
        tmp_path,
        "[VAR] N=4\n[VAR] LAST={N}\n[JOB_ID] 0\n[NID_LIST] generateNidListRange(0,{N})\n"
        "[MOTIF] Init\n[MOTIF] {M} iterations={LAST}\n[MOTIF] Fini\n",
    )
    for given, ranks in (({}, 4), ({"N": "6"}, 6)):
        (found,) = pt.Scenario.from_ember(path, variables={"M": "Barrier", **given}).jobs
        assert found.ranks == ranks
        assert found.workload == pt.EmberBarrier(iterations=ranks)


def test_parameters_of_sst_are_keys_of_the_scenario(tmp_path: Path) -> None:
    text = PAIR.replace(
        "[MOTIF] Init",
        "[PARAM] nic:txDelay_ns=50\n[PARAM] nic:nic2host_lat=150ns\n[PARAM] nic:verboseLevel=0\n"
        "[PARAM] ember:hermesParams.ctrlMsg.shortMsgLength=16000\n"
        "[PARAM] merlin:link_lat_global=500ns\n[PARAM] merlin:adaptive_threshold=1.5\n[MOTIF] Init",
    )
    scenario = pt.Scenario.from_ember(load(tmp_path, text), changes={"routing.algorithm": "par"})
    mpi = scenario.mpi
    assert (mpi.preset, int(mpi.eager_threshold)) == ("sst_sc22", 16_000)
    assert (int(mpi.host_to_nic), int(mpi.nic_to_host)) == (150_000, 150_000)
    assert scenario.routing.threshold == 1.5
    assert int(scenario.machine.links.classes()["global"].latency) == 500_000


def test_a_file_is_known_by_its_name_or_its_keys(tmp_path: Path) -> None:
    path = tmp_path / "loadfile"
    path.write_text(PAIR)
    assert is_load_file(path)
    path.write_text("name = 'x'")
    assert not is_load_file(path)
    assert is_load_file(Path("missing.load"))
    assert not is_load_file(Path("missing.toml"))


def test_import_writes_a_scenario_that_is_equal(tmp_path: Path, cli: Cli) -> None:
    path = load(tmp_path, PAIR)
    out = tmp_path / "out.toml"
    ended = cli("import", "ember", path, "--out", out, "--routing", "valiant_node")
    assert (ended.status, ended.out) == (0, "")
    expected = pt.Scenario.from_ember(path, changes={"routing.algorithm": "valiant_node"})
    assert pt.Scenario.from_toml(out) == expected
    again = cli("import", "ember", path, "--out", out)
    assert again.status == 2
    assert "exists; name another --out, or add --overwrite" in again.err
    printed = cli("import", "ember", path)
    assert tomllib.loads(printed.out)["jobs"][0]["name"] == "job7"


def test_long_lists_of_nodes_fill_lines() -> None:
    nodes = list(range(0, 600, 2))
    placement = {"kind": "nodes", "nodes": nodes}
    text = scenario_text({"name": "x", "jobs": [{"name": "a", "placement": placement}]})
    assert max(map(len, text.splitlines())) <= 100
    assert tomllib.loads(text)["jobs"][0]["placement"] == placement


@pytest.mark.native
def test_a_load_file_runs(tmp_path: Path, workdir: Path, cli: Cli) -> None:
    path = load(tmp_path, PAIR)
    assert cli("check", path, "--plan", tmp_path / "plan.json").status == 0
    ended = cli("run", path, "--no-report", "--routing", "valiant_node")
    assert ended.status == 0, ended.err
    run = pt.load("runs/jobs")
    assert isinstance(run, pt.Run)
    assert run.plan["jobs"][0]["nodes"] == [20, 0]
    assert run.plan["jobs"][0]["application"] == "ember.PingPong"
    assert run.plan["routing"]["algorithm"] == "valiant_node"
    # Four iterations of two eager messages, and a barrier of two ranks at the end.
    ranks = run.ranks.collect()
    assert ranks["messages_sent"].to_list() == [5, 5]


@pytest.mark.native
def test_an_allgather_tells_that_ranks_are_ready(tmp_path: Path) -> None:
    text = "[JOB_ID] 0\n[NID_LIST] 0-9\n[MOTIF] Init\n[MOTIF] Allgather\n[MOTIF] Fini\n"
    run = pt.run(pt.Scenario.from_ember(load(tmp_path, text)), out=tmp_path / "run", report=False)
    assert isinstance(run, pt.Run)
    # Ten ranks: four rounds and a ready message each, and the barrier of MPI_Finalize.
    assert run.ranks.collect()["messages_sent"].sum() == 10 * (4 + 1) + 2 * 9


#: Ember's grids, by its three loops over extents below the number of ranks.
@pytest.mark.parametrize("ranks", [1, 2, 7, 8, 12, 64, 90])
def test_ember_chooses_a_grid_in_three_loops(ranks: int) -> None:
    def variance(x: int, y: int, z: int) -> int:
        return (x * x + y * y + z * z) // 3 - ((x + y + z) // 3) ** 2

    best = (ranks, 1, 1)
    for x in range(1, ranks):
        for y in range(1, ranks):
            for z in range(1, ranks):
                if x * y * z == ranks and variance(x, y, z) <= variance(*best):
                    best = (x, y, z)
    assert grid_3d((0, 0, 0), ranks) == best
    assert grid_3d((0, 9, 9), ranks) == best


def test_grids() -> None:
    assert grid_3d((0, 0, 0), 528) == (11, 8, 6)
    assert grid_3d((2, 3, 4), 24) == (2, 3, 4)
    assert grid_2d((0, 0), 528) == (22, 24)
    assert grid_2d((0, 0), 13) == (1, 13)
    assert grid_2d((4, 2), 8) == (4, 2)


#: Parameters that a motif requires, and a number of ranks that it takes.
REQUIRED: dict[str, tuple[dict[str, object], int]] = {
    "CMT1D": ({"nsComputeStddev": 0}, 8),
    "CMT3D": ({"nsComputeStddev": 0, "px": 2, "py": 2, "pz": 2}, 8),
    "FFT3D": ({"npRow": 4}, 8),
    "Lulesh": ({"pex": 2, "pey": 2, "pez": 2, "pep": 4, "peq": 2}, 8),
    "MsgRate": ({}, 2),
    "NASLU": ({"pex": 4, "pey": 2}, 8),
    "StencilNd": ({"gridsize": [2, 2, 2]}, 8),
    "Sweep3D": ({"pex": 4, "pey": 2}, 8),
}


@pytest.mark.native
@pytest.mark.parametrize("name", [name for name in MOTIFS if name != "Unstructured"])
def test_every_motif_has_a_plan_that_the_core_takes(name: str) -> None:
    given, ranks = REQUIRED.get(name, ({}, 8))
    workload = {"kind": f"ember.{name}", **given}
    scenario = pt.Scenario.from_dict(
        {
            "name": "x",
            "machine": "kang2022",
            "routing": "minimal",
            "jobs": [{"name": "a", "ranks": ranks, "workload": workload}],
        }
    )
    assert scenario.resolve()["jobs"][0]["application"] == f"ember.{name}"


def test_the_defaults_of_computing_are_those_of_ember() -> None:
    """The closed forms of the operations, in ps."""
    assert pt.EmberHalo3D().as_plan(8)["compute_ps"] == 100**3 * 26 // 10 * 1000
    assert pt.EmberHalo3D26().as_plan(8)["compute_ps"] == 100**3 * 26 * 1000
    halo = pt.EmberHalo3DSV(fields_per_cell=6, field_chunk=3).as_plan(8)
    assert (halo["compute_ps"], halo["exchanges"]) == (3 * 100**3 * 26 // 10 * 1000, 2)
    sweep = pt.EmberSweep3D(pex=4, pey=2, kba=5).as_plan(8)
    assert sweep["compute_ps"] == 50 * 50 * 275 * 5 * 8 * 1000
    fft = pt.EmberFFT3D(npRow=22, nx=400, ny=400, nz=400).as_plan(528)
    assert fft["compute_forward_ps"] == [121_200_000] * 3
    assert fft["compute_backward_ps"] == [121_200_000, 121_200_000, 242_400_000]
    lqcd = pt.EmberLQCD(nx=132, ny=132, nz=132, nt=132).as_plan(528)
    assert lqcd["grid"] == [11, 3, 4, 4]
    assert lqcd["compute_ps"] == 574_992 * 288 // 20 * 1000
    assert lqcd["far_bytes"] == [48 * side for side in (47_916, 13_068, 17_424, 17_424)]
    assert pt.EmberLQCD(computetime=7).as_plan(64)["residual_ps"] == 7000
    lulesh = pt.EmberLulesh(pex=8, pey=8, pez=8, pep=16, peq=32, kba=100).as_plan(512)
    assert lulesh["message_bytes"] == [74_814] * 3
    assert (lulesh["sweep_bytes"], lulesh["bcast_bytes"], lulesh["reduce_bytes"]) == (
        7457,
        240,
        240,
    )
    cmt = pt.EmberCMT1D(nsComputeStddev=0).as_plan(4)
    assert cmt["exchanges"][0]["compute_ps"] == 10**3 * 1000 * 19 // 8 * 1000
    halo2d = pt.EmberHalo2D(messagesizex=7, messagesizey=9).as_plan(4)
    assert [each["message_bytes"] for each in halo2d["exchanges"]] == [9, 7]


@pytest.mark.native
def test_every_motif_runs_and_is_described(tmp_path: Path) -> None:
    graph = tmp_path / "pair.mtx"
    graph.write_text("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n")
    required = REQUIRED | {"Unstructured": ({"graphfile": str(graph)}, 2)}
    small: dict[str, dict[str, object]] = {"FFT3D": {"nx": 16, "ny": 16, "nz": 16}}
    small |= {"LQCD": dict.fromkeys(("nx", "ny", "nz", "nt"), 8), "Sweep3D": {"nz": 2}}
    small |= {"Halo3D26": dict.fromkeys(("nx", "ny", "nz"), 8), "NASLU": {"nz": 2}}
    jobs = []
    for name in MOTIFS:
        given, ranks = required.get(name, ({}, 4))
        workload = {"kind": f"ember.{name}", **given, **small.get(name, {})}
        jobs.append({"name": name, "ranks": ranks, "workload": workload})
    scenario = pt.Scenario.from_dict(
        {
            "name": "every",
            "machine": "kang2022",
            "routing": "minimal",
            "mpi": "sst_sc22",
            "jobs": jobs,
            "record": {"packets": "off", "link_windows": False},
        }
    )
    run = pt.run(scenario, out=tmp_path / "run", report=False)
    assert isinstance(run, pt.Run)
    assert run.complete
    marked = set(run.iterations.collect().join(run.jobs.collect(), on="job")["name"])
    assert marked == set(MOTIFS) - {"Null"}
    for planned in run.plan["jobs"]:
        (line,) = workload_lines(planned)
        assert line.startswith(f"ember.{planned['name']}, motif ")
        assert not re.search(r"[\[\]{}'_]", line), "the line shows Python syntax or keys"


@pytest.mark.native
def test_a_graph_comes_from_a_file_beside_the_load_file(tmp_path: Path) -> None:
    (tmp_path / "ring.mtx").write_text(
        "%%MatrixMarket matrix coordinate pattern symmetric\n% a ring\n4 4 4\n2 1\n3 2\n4 3\n4 1\n"
    )
    found = job(tmp_path, "0-3", "[MOTIF] Unstructured graphfile=ring.mtx p_size=10").workload
    assert isinstance(found, pt.EmberUnstructured)
    plan = found.as_plan(4)
    assert plan["neighbours"] == [[1, 3], [0, 2], [1, 3], [0, 2]]
    assert plan["message_bytes"] == 80
