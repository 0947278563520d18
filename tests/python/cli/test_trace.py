"""Traces as workloads: scenarios, plans, runs, and `pantala trace info`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import pantala as pt
from pantala.core.plan import Plan
from pantala.errors import PlanError
from pantala.files.run_files import why_failed
from pantala.scenario.plan import build_plan
from pantala.text.units import Duration
from support import ROOT, Ended

MACHINE = {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}}
CALLS = """\
MPI_Init entering at walltime 7.000000000, cputime 0.000000000 seconds in thread 0.
int argc=1
string argv[1]=["./app"]
MPI_Init returning at walltime 7.001000000, cputime 0.001000000 seconds in thread 0.
MPI_Sendrecv entering at walltime 7.001020000, cputime 0.001020000 seconds in thread 0.
int sendcount=100
MPI_Datatype sendtype=14 (MPI_DOUBLE)
int dest={other}
int sendtag=3
int recvcount=100
MPI_Datatype recvtype=14 (MPI_DOUBLE)
int source=-1 (MPI_ANY_SOURCE)
int recvtag=3
MPI_Comm comm=2 (MPI_COMM_WORLD)
MPI_Status status=[{{bytes=800, cancelled=0, source={other}, tag=3, error=0}}]
MPI_Sendrecv returning at walltime 7.002000000, cputime 0.001040000 seconds in thread 0.
MPI_Finalize entering at walltime 7.002010000, cputime 0.001050000 seconds in thread 0.
MPI_Finalize returning at walltime 7.002020000, cputime 0.001060000 seconds in thread 0.
"""


@pytest.fixture
def trace(tmp_path: Path) -> str:
    """A trace of two ranks as text: 20 µs of computing, an exchange of 800 B, 10 µs."""
    for rank in range(2):
        (tmp_path / f"run-{rank:04}.txt").write_text(CALLS.format(other=1 - rank))
    return str(tmp_path / "run")


def scenario(**workload: object) -> pt.Scenario:
    job = {"name": "replay", "workload": {"kind": "trace", **workload}}
    return pt.Scenario.from_dict(
        {"name": "t", "machine": MACHINE, "routing": "minimal", "jobs": [job]}
    )


def test_a_job_has_the_ranks_of_its_trace(trace: str, tmp_path: Path) -> None:
    found = scenario(path=trace)
    assert found.jobs[0].ranks == 2
    run = pt.run(found, tmp_path / "out")
    assert isinstance(run, pt.Run)
    ranks = run.ranks.collect()
    assert list(ranks["messages_sent"]) == [1, 1]
    assert list(ranks["bytes_sent"]) == [800, 800]
    assert list(ranks["compute_time_ns"]) == [30_000, 30_000]


def test_computing_is_scaled_or_left_out(trace: str) -> None:
    plan = build_plan(scenario(path=trace, compute_scale=0.5))
    assert plan["jobs"][0]["workload"]["compute_scale_millionths"] == 500_000
    plan = build_plan(scenario(path=trace, compute="none"))
    assert plan["jobs"][0]["workload"]["compute"] == "none"
    with pytest.raises(pt.ScenarioError, match='has no effect under compute = "none"'):
        scenario(path=trace, compute="none", compute_scale=2.0)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "there is no such file; give the path of an operation file"),
        (b"num_ranks 2", 'its first bytes differ; set kind = "trace"'),
        (b"PANTOPS\0" + bytes(200), "path = .*: has version 0; .*; write the file again"),
    ],
)
def test_a_wrong_operation_file_names_key_and_remedy(
    content: bytes | None, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "given.operations"
    if content is not None:
        path.write_bytes(content)
    job = {"name": "a", "workload": {"kind": "operations", "path": str(path)}}
    with pytest.raises(pt.ScenarioError, match=message):
        pt.Scenario.from_dict(
            {"name": "t", "machine": MACHINE, "routing": "minimal", "jobs": [job]}
        )


def test_a_wrong_trace_is_one_line(trace: str) -> None:
    with pytest.raises(pt.ScenarioError, match=r"workload\.path.*there is no such file"):
        scenario(path=trace + "nowhere")
    first = Path(f"{trace}-0000.txt")
    first.write_text(first.read_text().replace("dest=1", "dest=5"))
    with pytest.raises(
        pt.ScenarioError, match=r"run-0000\.txt, rank 0, line 5: a message with rank 5"
    ):
        scenario(path=trace)


def test_messages_of_a_trace_are_matched_by_tag_and_size(trace: str) -> None:
    first = Path(f"{trace}-0000.txt")
    calls = first.read_text()
    first.write_text(calls.replace("sendtag=3", "sendtag=4"))
    with pytest.raises(
        pt.ScenarioError,
        match=r"run-0000\.txt, rank 0, line 5: a send of 800 bytes to rank 1, tag 4, which is ",
    ):
        scenario(path=trace)
    first.write_text(calls.replace("sendcount=100", "sendcount=101"))
    with pytest.raises(
        pt.ScenarioError,
        match=r"rank 0, line 5: a send of 808 bytes to rank 1, tag 3, which is longer than its "
        "receive of 800 bytes",
    ):
        scenario(path=trace)


@pytest.mark.parametrize(
    ("file", "text", "remedy"),
    [
        ("none.goal", None, "there is no such file; write the path of the trace"),
        (
            "cut.goal",
            "num_ranks 1\nrank 0 {\nsend 8 to 0\n}\n",
            "line 3: 'to' where b is expected (write the size as 8b); correct the trace",
        ),
    ],
)
def test_a_wrong_trace_has_one_remedy_which_fits(
    file: str, text: str | None, remedy: str, tmp_path: Path
) -> None:
    path = tmp_path / file
    if text is not None:
        path.write_text(text)
    with pytest.raises(pt.ScenarioError) as caught:
        scenario(path=str(path))
    assert remedy in str(caught.value)
    assert str(caught.value).count("; ") == 1


def test_a_trace_without_a_file_of_a_rank_is_to_be_copied(trace: str) -> None:
    Path(f"{trace}.meta").write_text("hostname=h\nnumprocs=3\nusername=u\n")
    with pytest.raises(pt.ScenarioError, match=r"; copy the files of all ranks$"):
        scenario(path=f"{trace}.meta")


def test_a_deadlock_of_long_sends_names_the_threshold(tmp_path: Path) -> None:
    schedule = tmp_path / "exchange.goal"
    rank = "rank {} {{ a: send 131072b to {} b: recv 131072b from {} b requires a }}"
    ranks = [rank.format(number, 1 - number, 1 - number) for number in range(2)]
    schedule.write_text("num_ranks 2 " + " ".join(ranks))
    found = scenario(path=str(schedule))
    with pytest.raises(pt.SimulationError) as caught:
        pt.run(found, tmp_path / "out")
    text = str(caught.value)
    assert "2 ranks wait for one another (MPI deadlock):" in text
    # run.json has the time as the core gives it, in ps; what a user reads has a unit.
    since = re.search(r"blocked in send since (\S+ \w+):", text)
    assert since
    told = since[1]
    assert told.split()[1] in ("ns", "us")
    stored = json.loads((tmp_path / "out" / "run.json").read_text())
    assert f"since {int(Duration.parse(told))} ps:" in stored["diagnosis"]
    assert f"since {told}:" in str(why_failed(stored))
    assert (
        "a send longer than mpi.eager_threshold waits for its receive (rendezvous): "
        'post the receive first, or set mpi.eager_threshold = "131072 B"'
    ) in text
    eager = pt.Scenario.from_dict(
        {
            "name": "t",
            "machine": MACHINE,
            "routing": "minimal",
            "mpi": {"eager_threshold": "131072 B"},
            "jobs": [{"name": "replay", "workload": {"kind": "trace", "path": str(schedule)}}],
        }
    )
    run = pt.run(eager, tmp_path / "eager")
    assert isinstance(run, pt.Run)
    assert run.complete


def test_a_run_tells_what_it_leaves_out(trace: str) -> None:
    first = Path(f"{trace}-0000.txt")
    time = "at walltime 7.001005000, cputime 0.001000000 seconds in thread 0.\n"
    call = f"MPI_File_sync entering {time}MPI_File file=2\nMPI_File_sync returning {time}"
    text = first.read_text()
    at = text.index("MPI_Sendrecv entering")
    first.write_text(text[:at] + call + text[at:])
    with pytest.warns(pt.ScenarioWarning, match="1 MPI_File_sync are left out: files are not"):
        build_plan(scenario(path=trace))


def test_a_trace_that_changes_needs_a_new_plan(trace: str) -> None:
    plan = build_plan(scenario(path=trace))
    first = Path(f"{trace}-0000.txt")
    first.write_text(first.read_text().replace("sendcount=100", "sendcount=99"))
    with pytest.raises(PlanError, match="make the plan again"):
        Plan(plan)


def line_of(text: str, start: str) -> str:
    lines = text.replace("\u00a0", " ").splitlines()
    return next(line for line in lines if line.strip().startswith(start))


@pytest.mark.parametrize(
    ("name", "messages", "collectives"),
    [
        ("ring", "10.0 kB per rank, 80.3 kB in all", "20 B per rank, 160 B in all"),
        ("training_step.0.et", "none", "16.8 MB per rank, 67.1 MB in all"),
        ("binomial_tree.goal", "in all", "none"),
    ],
)
def test_trace_info_tells_messages_and_collectives_apart(
    cli: Callable[..., Ended], name: str, messages: str, collectives: str
) -> None:
    text = cli("trace", "info", ROOT / "examples" / "traces" / name).out
    assert messages in line_of(text, "sent in messages")
    assert collectives in line_of(text, "given to collectives")


def test_trace_info(trace: str, cli: Callable[..., Ended]) -> None:
    found = json.loads(cli("trace", "info", trace, "--json").out)
    assert (found["format"], found["ranks"], found["records"]) == ("dumpi", 2, 6)
    assert found["matrix"] == [
        {"source": 0, "destination": 1, "messages": 1, "bytes": 800},
        {"source": 1, "destination": 0, "messages": 1, "bytes": 800},
    ]
    assert found["calls"] == {"MPI_Finalize": 2, "MPI_Init": 2, "MPI_Sendrecv": 2}
    assert found["warnings"] == []
    text = cli("trace", "info", trace).out
    assert "dumpi, 2 ranks" in text
    assert "MPI_Sendrecv" in text
    assert "800 B per rank, 1.60 kB in all" in line_of(text, "sent in messages")
    assert "none" in line_of(text, "given to collectives")
    one = cli("trace", "info", f"{trace}-0000.txt").out
    assert "is the file of one rank" in one
    missing = cli("trace", "info", "nowhere")
    assert (missing.status, missing.err.count("\n")) == (2, 1)


def test_text_that_ends_before_finalize_may_be_cut_off(
    trace: str, tmp_path: Path, cli: Callable[..., Ended]
) -> None:
    file = Path(f"{trace}-0001.txt")
    file.write_text(file.read_text().partition("MPI_Finalize")[0])
    said = "1 of 2 files end without MPI_Finalize, so they may be cut off"
    info = cli("trace", "info", trace)
    assert info.status == 0
    assert said in (info.out + info.err).replace("\n", " ")
    with pytest.warns(pt.ScenarioWarning, match=said):
        pt.run(scenario(path=trace), tmp_path / "out", report=False)
