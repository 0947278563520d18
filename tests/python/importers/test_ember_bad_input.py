"""Wrong load files: one line with the file, the line and the remedy, and exit status 2."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import pantala as pt
from support import Ended

Cli = Callable[..., Ended]

HEAD = "[JOB_ID] 0\n[NID_LIST] 0-63\n[MOTIF] Init\n"
TAIL = "[MOTIF] Fini\n"


def motif(line: str) -> str:
    return f"{HEAD}[MOTIF] {line}\n{TAIL}"


#: The text of a load file, the number of the line at fault (0 for the file), and a part of the
#: message.
FAULTS = [
    ("", 0, "the load file has no jobs; write [JOB_ID] 0"),
    ("# a comment\n\n", 0, "the load file has no jobs"),
    ("\r\n\r\n", 0, "the load file has no jobs"),
    ("[JOB_ID] 0\n[NID_LIST] 0-3\n[MOTIF] Null\n", 0, "all jobs are Null, so nothing runs"),
    ("0-3\n", 1, "text before the first key: 0-3; start with [JOB_ID] 0"),
    ("[NID_LIST] 0-3\n", 1, "[NID_LIST] stands before the first [JOB_ID]"),
    ("[JOB_ID]\n", 1, "[JOB_ID] has no value; write e.g. [JOB_ID] 0"),
    ("[JOB_ID] 1 2\n", 1, "[JOB_ID] has 2 values"),
    ("[JOB_ID] one\n", 1, "[JOB_ID] one: is not a number"),
    ("[JOBID] 0\n", 1, "[JOBID] is not a key of a load file; did you mean [JOB_ID]?"),
    (HEAD.replace("[MOTIF]", " [MOTIF]"), 3, "[MOTIF] does not start in column 1"),
    (HEAD + HEAD, 4, "[JOB_ID] 0 is also the number of the job at line 1"),
    # Node lists.
    ("[JOB_ID] 3\n[MOTIF] Barrier\n", 1, "job 3 has no [NID_LIST]; add e.g. [NID_LIST] 0-63"),
    ("[JOB_ID] 3\n[NID_LIST] 0-3\n", 1, "job 3 has no [MOTIF]; add e.g. [MOTIF] Null"),
    ("[JOB_ID] 3\n[NID_LIST]\n[MOTIF] Null\n", 2, "[NID_LIST] is empty"),
    (HEAD.replace("0-63", "0-3,x"), 2, "'x', which is neither a node nor a range"),
    (HEAD.replace("0-63", "0-3,,4"), 2, "an empty part, which is neither a node nor a range"),
    (HEAD.replace("0-63", "\n0-3,\n9-5"), 4, "the range ends before it starts; write 5-9"),
    (HEAD.replace("0-63", "all"), 2, "[NID_LIST] all: is not a node list"),
    (HEAD.replace("0-63", "0-3,2"), 2, "[NID_LIST] names node 2 twice"),
    (HEAD.replace("[MOTIF] Init", "[NID_LIST] 70"), 3, "has [NID_LIST] twice, first at line 2"),
    (
        motif("Barrier") + "[JOB_ID] 5\n[NID_LIST] 100,63\n[MOTIF] Null\n",
        7,
        "node 63 is in the lists of job 0 and job 5; remove it from one of them (job 0 is at line",
    ),
    (
        motif("Barrier").replace("0-63", "1000-1056"),
        2,
        "names node 1056, but the machine kang2022 has the nodes 0 to 1055; choose other nodes",
    ),
    (
        motif("Barrier") + "[JOB_ID] 5\n[NID_LIST] 64-2000\n[MOTIF] Null\n",
        7,
        "[NID_LIST] of job 5 names node 1056",
    ),
    (
        HEAD.replace("0-63", "generateNidListRang(0,4)"),
        2,
        "is not a generator of nodes; did you mean generateNidListRange?",
    ),
    (HEAD.replace("0-63", "generateNidListRange(4)"), 2, "takes 2 numbers, not 1"),
    (HEAD.replace("0-63", "generateNidListRange(a,4)"), 2, "'a' is not a number of nodes"),
    (HEAD.replace("0-63", "generateNidListRange(0,0)"), 2, "has no nodes"),
    (HEAD.replace("0-63", "generateNidListRandom(9,0,10)"), 2, "10 nodes, but only 9 are left"),
    (
        HEAD.replace("0-63", "generateNidListGroup(0,10000000,10000000,1)"),
        2,
        "10000000 groups of 10000000: no machine is so large",
    ),
    (HEAD.replace("0-63", "generateNidListQOS(9,1,linear,4)"), 2, "Pantala has only class 0"),
    (HEAD.replace("0-63", "generateNidListQOS(9,0,linaer,4)"), 2, "did you mean linear?"),
    (HEAD.replace("0-63", "generateNidListQOS(9,0,linear,10)"), 2, "only 9 are left"),
    ("[JOB_ID] 0\n[NUM_CORES] two\n", 2, "[NUM_CORES] two: is not a number of ranks per node"),
    # Variables.
    (HEAD.replace("0-63", "0-{LAST}"), 2, "the variable {LAST} is not defined; define it above"),
    ("[VAR] LAS=3\n" + HEAD.replace("63", "{LAST}"), 3, "did you mean {LAS}? define it above"),
    ("[VAR] LAST\n", 1, "[VAR] LAST: is not name=value"),
    # Motifs.
    (motif(""), 4, "[MOTIF] names no motif"),
    (motif("PingPon"), 4, "Pantala does not know the motif PingPon; did you mean PingPong?"),
    (motif("Xyzzy"), 4, "Pantala does not know the motif Xyzzy; known motifs: Init, Fini"),
    (motif("TrafficGen"), 4, "Pantala does not run the motif TrafficGen: it has no end"),
    (motif("Hotspots"), 4, "does not run the motif Hotspots: it has no end"),
    (motif("BFS"), 4, "does not run the motif BFS: its messages follow from files"),
    (motif("OTF2"), 4, "does not run the motif OTF2: it replays a trace"),
    (motif("3DAMR"), 4, "does not run the motif 3DAMR: its messages follow from files"),
    (motif("ShmemPut"), 4, "does not run the motif ShmemPut: it uses SHMEM"),
    (motif("<ariel> x=1"), 4, "Pantala has no generators but those of Ember's MPI motifs"),
    (motif("zodiac.PingPong"), 4, "Pantala has no motifs of the library zodiac"),
    (motif("Barrier") + "[MOTIF] Barrier\n", 6, "Barrier follows Fini, which ends MPI"),
    (motif("Init"), 4, "Init follows another motif"),
    (HEAD + "[MOTIF] Fini now=1\n", 4, "Fini has no parameter now=1"),
    ("[JOB_ID] 0\n[MOTIF_API] HadesSHMEM\n", 2, "Pantala has only the motifs of MPI"),
    # Parameters of motifs.
    (motif("PingPong messagesize=4"), 4, "has no parameter messagesize; did you mean messageSize?"),
    (motif("PingPong xyz=4"), 4, "has no parameter xyz; remove it; its parameters: messageSize"),
    (motif("PingPong\niterations"), 5, "iterations is not parameter=value"),
    (motif("PingPong rank2=\n"), 4, "rank2= is not parameter=value"),
    (motif("PingPong\n iterations=ten"), 5, "iterations=ten: is not a whole number; write e.g."),
    (motif("PingPong iterations=1.5"), 4, "iterations=1.5: is not a whole number"),
    (motif("PingPong iterations=0"), 4, "iterations=0: must be at least 1; write 1 or more"),
    (motif("PingPong messageSize=-1"), 4, "messageSize=-1: must be at least 0"),
    (motif("PingPong blockingSend=maybe"), 4, "blockingSend=maybe: is not true or false"),
    (motif("PingPong rank2=64"), 4, "rank2=64: is not another rank of the job, which has 64 ranks"),
    (motif("PingPong rank2=1 rank2=2"), 4, "PingPong has rank2 twice; remove one of them"),
    (motif("Bcast root=64"), 4, "root=64: is not a rank of the job, which has 64 ranks"),
    (motif("Sweep3D pex=8"), 4, "Sweep3D pey: is missing; add pey=..."),
    (motif("Sweep3D pex=8 pey=7"), 4, "the grid 8 x 7 has 56 cells, but the job has 64 ranks"),
    (motif("Sweep3D pex=8 pey=8 kba=7"), 4, "kba=7: does not divide nz = 50"),
    (motif("Sweep3D pex=8 pey=8 computetime=0"), 4, "computetime=0: is 0, which"),
    (motif("Halo2D sizex=3 sizey=5"), 4, "the grid 3 x 5 has 15 cells, but the job has 64 ranks"),
    (motif("MsgRate"), 4, "MsgRate runs on 2 ranks, but the job has 64"),
    (motif("CMT1D"), 4, "drawn from a Gaussian distribution; write nsComputeStddev=0"),
    (motif("NtoM targetRankList=0,x"), 4, "has 'x', which is neither a rank nor a range"),
    (motif("NtoM targetRankList=0-63"), 4, "leaves no rank that sends"),
    (motif("StencilNd gridsize=[4,4]"), 4, "the grid 4 x 4 has 16 cells, but the job has 64 ranks"),
    (motif("StencilNd gridsize=4x16"), 4, "gridsize=4x16: is not a list of whole numbers"),
    (motif("Halo3D pex=3 pey=3 pez=3"), 4, "the grid 3 x 3 x 3 has 27 cells"),
    (motif("Halo3DSV fields_per_cell=3 field_chunk=2"), 4, "does not divide fields_per_cell = 3"),
    (motif("FFT3D npRow=7"), 4, "npRow=7: does not divide the number of ranks, 64; write e.g. n"),
    (motif("FFT3D npRow=8 nx=64"), 4, "ny=100: differs from nx = 64; write ny=64"),
    (motif("LQCD nx=7 ny=7 nz=7 nt=7"), 4, "the sides of 7 x 7 x 7 x 7 sites do not divide into"),
    (motif("Lulesh pex=4 pey=4 pez=4 pep=8 peq=9"), 4, "the grid 8 x 9 has 72 cells"),
    (motif("Allreduce\n dobarrier=2"), 5, "dobarrier=2: is not true or false"),
    (motif("Unstructured graphfile=none.mtx"), 4, "cannot be read: No such file or directory"),
    (motif("BiPingPong").replace("0-63", "0-62"), 4, "needs an even number of ranks"),
    # Parameters of SST.
    ("[JOB_ID] 0\n[PARAM] nic\n", 2, "[PARAM] nic: is not part:key=value"),
    ("[JOB_ID] 0\n[PARAM] cpu:x=1\n", 2, "there is no part cpu; choose one of ember, nic, merlin"),
    ("[JOB_ID] 0\n[PARAM] nic:dmaBW=1\n", 2, "nic:dmaBW: Pantala has no key for this parameter"),
    ("[JOB_ID] 0\n[PARAM] nic:txDelay_ns=x\n", 2, "is not a number in ns; write a number in ns"),
    ("[JOB_ID] 0\n[PARAM] nic:packetSize=512\n", 2, "is not a number with a unit; write"),
    ("[JOB_ID] 0\n[PARAM] nic:numVNs=4\n", 2, "nic:numVNs=4: Pantala has only 1"),
    (
        motif("Barrier").replace("[MOTIF] Init", "[PARAM] nic:txDelay_ns=7\n[MOTIF] Init")
        + motif("Barrier").replace("[JOB_ID] 0\n[NID_LIST] 0-63", "[JOB_ID] 1\n[NID_LIST] 64-70"),
        3,
        "nic:txDelay_ns is set for job 0, not for job 1; repeat the line for job 1",
    ),
]


@pytest.mark.parametrize(("text", "line", "says"), FAULTS, ids=[fault[2][:40] for fault in FAULTS])
@pytest.mark.filterwarnings("ignore::pantala.ScenarioWarning")
def test_a_fault_is_one_line_with_its_place(workdir: Path, text: str, line: int, says: str) -> None:
    Path("bad.load").write_bytes(text.encode())
    with pytest.raises(pt.ScenarioError) as caught:
        pt.Scenario.from_ember("bad.load")
    sentence = str(caught.value)
    assert sentence.startswith(f"bad.load:{line}: " if line else "bad.load: ")
    assert says in sentence
    assert "\n" not in sentence
    assert caught.value.exit_status == 2


@pytest.mark.parametrize("command", ["check", "run", "import ember"])
def test_commands_print_the_line_and_write_nothing(workdir: Path, cli: Cli, command: str) -> None:
    path = workdir / "bad.load"
    for text, line, says in (FAULTS[0], FAULTS[21], FAULTS[-1]):
        path.write_bytes(text.encode())
        ended = cli(*command.split(), "bad.load")
        place = f"bad.load:{line}: " if line else "bad.load: "
        assert (ended.status, ended.out) == (2, "")
        assert len(ended.err.splitlines()) == 1
        assert ended.err.startswith(place)
        assert says in ended.err
    assert [path.name for path in workdir.iterdir()] == ["bad.load"]


@pytest.mark.native
def test_a_fault_that_the_core_finds_has_its_line(workdir: Path, cli: Cli) -> None:
    line = "Random iterations=600000 waitunblock=0"
    (workdir / "bad.load").write_text(motif(f"Barrier\n[MOTIF] {line}"))
    ended = cli("check", "bad.load")
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith("bad.load:5: key jobs[0].workload[1].messages = 1: ")
    assert len(ended.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["check", "none.load"], "none.load: cannot be read: No such file or directory"),
        (["check", "good.load", "--var", "N"], "--var N: is not NAME=VALUE; write e.g."),
        (["check", "good.load", "--var", "N=4"], "good.load: the variable N is not used"),
        (["check", "good.load", "--preset", "kang202"], "did you mean 'kang2022'?"),
        (["check", "good.load", "--routing", "minima"], "did you mean 'minimal'?"),
        (["check", "good.load", "--set", "mpi.preset=x"], "mpi.preset"),
        (["check", "plain.toml", "--preset", "kang2022"], "the option is for load files of Ember"),
        (["check", "plain.toml", "--var", "N=4"], "the option is for load files of Ember"),
    ],
)
def test_wrong_options_are_one_line(workdir: Path, cli: Cli, words: list[str], says: str) -> None:
    (workdir / "good.load").write_text(motif("Barrier"))
    (workdir / "plain.toml").write_text('name = "x"\n')
    ended = cli(*words)
    assert (ended.status, ended.out) == (2, "")
    assert len(ended.err.splitlines()) == 1
    assert says in ended.err


def test_a_job_without_init_or_fini_says_what_happens(workdir: Path, cli: Cli) -> None:
    (workdir / "x.load").write_text("[JOB_ID] 4\n[NID_LIST] 0-3\n[MOTIF] Barrier\n")
    ended = cli("import", "ember", "x.load")
    assert ended.status == 0
    assert ended.err == (
        "x.load:1: warning: job 4 has no Init and no Fini; Pantala runs MPI_Init and MPI_Finalize"
        " anyway\n"
    )


def test_a_stop_beside_other_jobs_says_what_happens(workdir: Path, cli: Cli) -> None:
    first = motif("Stop iterations=2")
    (workdir / "x.load").write_text(first)
    assert cli("import", "ember", "x.load").err == ""
    second = motif("Barrier").replace("[JOB_ID] 0\n[NID_LIST] 0-63", "[JOB_ID] 1\n[NID_LIST] 64")
    (workdir / "x.load").write_text(first + second)
    ended = cli("import", "ember", "x.load")
    assert ended.status == 0
    assert ended.err == (
        "x.load:4: warning: Ember ends the whole simulation after Stop; Pantala lets the other jobs"
        " end\n"
    )


def test_all_faults_of_a_file_are_told_in_one_pass(workdir: Path, cli: Cli) -> None:
    (workdir / "x.load").write_text(
        "[JOB_ID] 0\n[NID_LIST] 0-63\n[NUM_CORS] 1\n[MOTIF] Init\n[MOTIF] PingPon iterations=3\n"
        "[MOTIF] Bcast root=64\n[MOTIF] TestNetworkIO\n[PARAM] nic:numVNs=2\n[MOTIF] Fini\n"
        "[JOB_ID] zero\n[NID_LIST] 60-70\n[MOTIF] Null x=1\n[MOTIF] PingPong rank2={NONE}\n"
    )
    text = cli("check", "x.load")
    assert text.status == 2
    says = [
        ("x.load:3", "[NUM_CORS] is not a key of a load file"),
        ("x.load:5", "Pantala does not know the motif PingPon"),
        ("x.load:6", "Bcast root=64: is not a rank of the job"),
        ("x.load:7", "TestNetworkIO: it reads and writes files, and Pantala has no storage"),
        ("x.load:8", "[PARAM] nic:numVNs=2: Pantala has only 1"),
        ("x.load:10", "[JOB_ID] zero: is not a number"),
        ("x.load:11", "node 60 is in the lists of job 0 and the job at line 10"),
        ("x.load:12", "Null has no parameter x=1"),
        ("x.load:13", "the variable {NONE} is not defined"),
    ]
    lines = text.err.splitlines()
    assert [line.partition(": ")[0] for line in lines] == [place for place, _ in says]
    assert all(part in line for line, (_, part) in zip(lines, says, strict=True))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "".join(f"[VAR] v{n + 1}={{v{n}}}{{v{n}}}\n" for n in range(64)).replace("{v0}", "0")
            + HEAD
            + "[MOTIF] PingPong rank2={v64}\n",
            "the line has more than 1,048,576 characters with its variables; shorten their values",
        ),
        (
            f"[VAR] long={'0' * 1_000_000}\n{HEAD}" + "[MOTIF] PingPong rank2={long}\n" * 70,
            "the lines up to this one have more than 67,108,864 characters",
        ),
        (
            HEAD + "[MOTIF] Init\n" * 300_000,
            "x.load:20003: the load file has more than 20,000 motifs; give fewer motifs",
        ),
        (
            f"[VAR] words={'0 ' * 500_000}\n{HEAD}" + "[MOTIF] PingPong rank2={words}\n" * 60,
            "the lines up to this one have more than 1,048,576 words",
        ),
    ],
)
def test_files_that_grow_are_bounded(workdir: Path, text: str, says: str) -> None:
    (workdir / "x.load").write_text(text)
    with pytest.raises(pt.ScenarioError) as raised:
        pt.Scenario.from_ember(workdir / "x.load")
    assert says in "\n".join(raised.value.lines)


#: The motifs of SST 14: the files of its folders of motifs, without SHMEM.
EMBER = """
3DAMR 3DCommDoubling BFS NtoM TrafficGen Allgather Allgatherv AllPingPong Allreduce Alltoall
Alltoallv Barrier Bcast BiPingPong CMT1D CMT2D CMT3D CMTCR Comm DetailedRing DetailedStream FFT3D
Fini Halo1D Halo2D Halo2DNBR Halo3D Halo3D26 Halo3DSV Hotspots Incast Init LQCD MsgRate NASLU Null
OTF2 PingPong Random Reduce Ring Scatter Scatterv SendRecv SIRIUSTrace Stop Sweep2D Sweep3D Test
TestAny TestNetworkIO TriCount Unstructured WaitAny
"""


def test_every_motif_of_ember_runs_or_is_refused_with_a_reason() -> None:
    from pantala.importers.ember.motif_lines import NO_EFFECT
    from pantala.workloads.ember import MOTIFS
    from pantala.workloads.ember.refused import REFUSED

    # Lulesh and StencilNd are in the fork of Kang et al.
    known = {*MOTIFS, *REFUSED, *NO_EFFECT} - {"Lulesh", "StencilNd"}
    assert known == set(EMBER.split())
    assert not {*MOTIFS} & {*REFUSED}


def test_known_motifs_are_listed_once(workdir: Path) -> None:
    (workdir / "x.load").write_text(motif("Xyzzy"))
    with pytest.raises(pt.ScenarioError) as raised:
        pt.Scenario.from_ember(workdir / "x.load")
    names = str(raised.value).rpartition("known motifs: ")[2].split(", ")
    assert len(names) == len(set(names))
