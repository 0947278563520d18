"""The expected cost of a run: what a probe learns, and what follows from it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

import pantala as pt
from pantala.core.plan import Done, ExpectedTraffic, Plan, Progress, Resolver
from pantala.experiments import estimate as of_sweeps
from pantala.experiments.description import describe
from pantala.experiments.runner import Sweep
from pantala.planning.communication import communication
from pantala.planning.cost import cost_of, from_traffic, in_parts, warn_of_cost
from pantala.planning.extrapolate import from_probe
from pantala.planning.probe import Probe, Sample, _Enough, _Steps, probe
from pantala.planning.record_size import MOST_GROUP_ROWS, MOST_LINK_ROWS, row_bytes
from pantala.planning.run_cost import BYTES_PER_PROCESS, KnownTraffic, RunCost, traffic
from support import SMALL, Ended
from sweeps import scenario as small_scenario

pytestmark = pytest.mark.native

#: The files of a probe: 10,000 bytes.
FILES = {"run.json": 2_000, "jobs": 3_000, "messages": 5_000}
MACHINE: dict[str, Any] = {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}}


def job(name: str, ranks: int, kind: str, **keys: Any) -> dict[str, Any]:
    return {"name": name, "ranks": ranks, "placement": "random", "workload": {"kind": kind, **keys}}


def halo(iterations: int, message: str = "16 KiB", **keys: Any) -> dict[str, Any]:
    given = {"grid": [4, 4, 2], "message": message, "iterations": iterations, **keys}
    return job("halo", 32, "halo3d", start_delay="0 ns", **given)


def noise(iterations: int, message: str = "2 KiB") -> dict[str, Any]:
    given = {"message": message, "iterations": iterations, "start_delay": "0 ns"}
    return job("noise", 32, "uniform_random", **given)


def plan_of(jobs: Sequence[dict[str, Any]], **tables: Any) -> Plan:
    data = {"name": "s", "machine": MACHINE, "routing": "ugal_g", "jobs": list(jobs), **tables}
    return pt.Scenario.from_dict(data).resolved_plan()


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets a probe take twelve steps, however fast the machine is."""
    ticks = itertools.count()
    monkeypatch.setattr("pantala.planning.probe.time.process_time", lambda: next(ticks) * 0.04)


#: Scenarios that a dozen steps do not finish, and by how much a step is too short to tell.
CASES: dict[str, Callable[[], Plan]] = {
    "a pattern": lambda: plan_of(
        [job("u", 72, "pattern", pattern="uniform", load=0.3)], stop={"duration": "400 us"}
    ),
    "messages of many packets": lambda: plan_of([halo(40, "64 KiB")]),
    "messages below a packet": lambda: plan_of([noise(3000, "64 B")]),
    "two jobs": lambda: plan_of([halo(40), noise(400)]),
    "a job that repeats": lambda: plan_of(
        [halo(60), {**noise(4), "repeat": True}], stop={"target": "halo"}
    ),
    "coarse packets": lambda: plan_of([halo(40, "64 KiB")], detail={"coarsen": 4}),
    "a duration before the end": lambda: plan_of(
        [halo(4000), noise(4000)], stop={"duration": "300 us"}
    ),
    "a coNCePTuaL program": lambda: plan_of(
        [
            job(
                "milc",
                64,
                "ncptl",
                file="examples/programs/milc.ncptl",
                arguments={"reps": 8, "face": 49152},
            )
        ]
    ),
    "computing between messages": lambda: plan_of([halo(300, "2 KiB", compute="20 us")]),
}


@pytest.mark.usefixtures("steps")
@pytest.mark.parametrize("name", CASES)
def test_the_packets_of_a_run_are_known_after_a_part_of_it(name: str, tmp_path: Path) -> None:
    plan = CASES[name]()
    found = cost_of(plan)
    assert found.basis.startswith("from a probe of its first")
    ran = plan.run(tmp_path)["counters"]["packets_delivered"]
    assert 1 / 1.5 < found.packets / ran < 1.5


@pytest.mark.usefixtures("steps")
@pytest.mark.parametrize(
    "target",
    [
        {**halo(1, "2 KiB"), "start": "400 us"},
        # Its messages wait for each other, so that bandwidth says little of its time.
        {**halo(300, "64 B"), "start": "50 us"},
    ],
    ids=["one iteration", "many small messages"],
)
def test_a_target_that_begins_after_the_probe_is_probed_alone(
    target: dict[str, Any], tmp_path: Path
) -> None:
    plan = plan_of([target, {**noise(4), "repeat": True}], stop={"target": "halo"})
    found = cost_of(plan)
    assert found.at_least
    assert found.basis.startswith("from a probe of its first")
    assert found.basis.endswith(" and one of the awaited jobs alone")
    ran = plan.run(tmp_path)["counters"]["packets_delivered"]
    assert 0.5 < found.packets / ran < 1.2


#: A program whose ranks compute 500 us and wait for each other, and one that first sends at once.
BARRIERS = """
def program(mpi, n):
    for _ in range(n):
        with mpi.iteration():
            mpi.compute("500 us")
            mpi.barrier()
"""
BURST = """
def program(mpi, n):
    there, here = (mpi.rank + 1) % mpi.size, (mpi.rank - 1) % mpi.size
    for _ in range(n):
        with mpi.iteration():
            mpi.sendrecv(there, 65536, here)
            mpi.compute("500 us")
"""


@pytest.mark.usefixtures("steps")
@pytest.mark.parametrize("text", [BARRIERS, BURST], ids=["barriers", "a burst"])
def test_a_run_lasts_as_long_as_an_awaited_job_computes(text: str, tmp_path: Path) -> None:
    (tmp_path / "p.py").write_text(text)
    found = []
    for iterations in (4, 400):
        workload = {"file": str(tmp_path / "p.py"), "arguments": {"n": iterations}}
        plan = plan_of([job("mine", 8, "python", **workload), {**noise(4), "repeat": True}])
        found.append(cost_of(plan))
        if iterations == 4:
            (tmp_path / "run").mkdir()
            ran = plan.run(tmp_path / "run")["counters"]["packets_delivered"]
    assert 1 / 1.5 < found[0].packets / ran < 1.5
    assert found[1].packets / found[0].packets == pytest.approx(100, rel=0.3)
    assert [each.at_least for each in found] == [text == BARRIERS] * 2


@pytest.mark.usefixtures("steps")
@pytest.mark.parametrize("delay", ["2 ms", "20 us"])
def test_a_job_that_repeats_waits_as_its_start_delay_says_in_each_pass(
    delay: str, tmp_path: Path
) -> None:
    """The probe sees one pass or less."""
    again = {**halo(30, "64 KiB"), "name": "again", "repeat": True}
    again["workload"]["start_delay"] = delay
    plan = plan_of([job("long", 8, "hacc", iterations=6), again])
    ran = plan.run(tmp_path)["counters"]["packets_delivered"]
    assert 0.5 < cost_of(plan).packets / ran < 2


def test_a_run_that_ends_within_the_probe_is_measured(tmp_path: Path) -> None:
    plan = plan_of([halo(1)])
    found = cost_of(plan)
    assert found.basis == "from a probe that simulated all of it"
    assert found.packets == plan.run(tmp_path)["counters"]["packets_delivered"]


@pytest.mark.usefixtures("steps")
def test_a_run_that_skips_is_probed_as_the_run_in_full() -> None:
    full, skipping = plan_of([halo(4000)]), plan_of([halo(4000)], skip="1 %")
    of_full, found = cost_of(full), cost_of(skipping)
    assert found.basis.startswith(f"{of_full.basis}, of which about")
    share = skipping["derived"]["skip_share"]
    assert found.packets == pytest.approx(of_full.packets * share)
    fixed = from_traffic(full, {}).disk_bytes  # what does not grow with the run stays
    assert found.disk_bytes == pytest.approx(fixed + (of_full.disk_bytes - fixed) * share)


@pytest.mark.usefixtures("steps")
def test_a_probe_changes_no_result_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    plan = plan_of([halo(8), noise(40)])
    (tmp_path / "before").mkdir()
    before = plan.run(tmp_path / "before")["result_hash"]
    assert probe(plan) is not None
    assert [path.name for path in tmp_path.iterdir()] == ["before"]
    (tmp_path / "after").mkdir()
    assert plan.run(tmp_path / "after")["result_hash"] == before


@pytest.mark.usefixtures("steps")
@pytest.mark.parametrize(
    "record",
    [
        {"ports": {"windows": ["50 us"]}, "system": {"windows": ["10 us"]}},
        {"routing_windows": "80 us", "latency_windows": "5 us", "packet_from": "70 us"},
        {"blame": {"window": "60 us"}, "link_window": "30 us", "packets": "all"},
        {"preset": "explore", "window": "20 us"},
    ],
)
def test_records_longer_than_a_probe_do_not_stop_it(record: dict[str, Any]) -> None:
    plan = plan_of([halo(80), noise(800)], record=record)
    assert cost_of(plan).basis.startswith("from a probe of its first")


def test_traces_and_programs_without_a_summary_are_counted() -> None:
    trace = {"name": "ring", "workload": {"kind": "trace", "path": "examples/traces/ring"}}
    ping = job("ping", 2, "ncptl", file="examples/programs/ping_pong.ncptl")
    plan = plan_of([trace, ping])
    sent = traffic(plan)
    made_of = {"name": "s", "machine": MACHINE, "routing": "minimal", "jobs": [trace, ping]}
    for each in communication(pt.Scenario.from_dict(made_of)):
        assert sent[each.job]["messages"] == each.total_messages
        assert sent[each.job]["bytes"] == each.total_bytes


def sampled(memory: Callable[[float], float], jobs: int = 1) -> Probe:
    """Returns a probe of ten steps of 1 us in 0.05 s each, of 1,000 bytes and 10 packets."""
    samples = tuple(
        Sample(0.1 + 0.05 * step, 10**6 * step, (1000 * step,) * jobs, int(memory(step)))
        for step in range(11)
    )
    return Probe(samples, 0.63, False, 100 * jobs, {"jobs": 1, "messages": 10}, FILES, 0)


def made(size: float, messages: float, **job_keys: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns a plan of one job, as far as an extrapolation reads it, and its traffic."""
    each = {
        "name": "a",
        "start_ps": 0,
        "ranks": 2,
        "nodes": [0, 1],
        "workload": {"kind": "stencil"},
    }
    links = {"terminal": {"bandwidth_bytes_per_s": 10**9}}
    plan = {"jobs": [each | job_keys], "stop": {"duration_ps": 0}, "packet_bytes": 100}
    plan |= {"links": links, "nic": {"responses": False}}
    return plan, {"a": {"bytes": size, "messages": messages, "calls": 0.0}}


def test_the_time_of_a_run_is_that_of_its_packets() -> None:
    found = from_probe(*made(100_000, 10), sampled(lambda _: 0))
    assert found.packets == pytest.approx(1000)
    # 0.45 s are spent on 90 packets after the first step; 900 packets are left.
    assert found.seconds == pytest.approx(0.63 + 0.45 / 90 * 900)


def test_packets_of_messages_that_have_not_arrived_count() -> None:
    probed = sampled(lambda _: 0)
    filled = replace(probed.samples[-1], packets=300, in_flight=420)
    probed = replace(probed, samples=(*probed.samples[:-1], filled), packets=300)
    plan, sent = made(100_000, 10)
    found = from_probe(plan, sent, probed)
    # 510 packets were carried, of which those of control are 20 of 1,020 or fewer.
    assert found.seconds == pytest.approx(0.63 + 0.45 / (500 - 10) * 500)
    both = from_probe({**plan, "nic": {"responses": True}}, sent, probed)
    assert both.seconds == pytest.approx(0.63 + 0.45 / (250 - 10) * 750)


def test_a_probe_of_one_step_knows_its_cost_and_its_set_up() -> None:
    """A machine whose first step takes all the time: nothing has arrived, and much is under way."""
    begun, only = Sample(1.5, 0, (0,), 0), Sample(2.0, 10**6, (0,), 0, packets=300, in_flight=420)
    probed = Probe((begun, only), 2.03, False, 300, {}, FILES, 0)
    found = from_probe(*made(100_000, 10), probed)
    assert found.seconds == pytest.approx(2.03 + 0.5 / 500 * 500)


def test_what_is_under_way_counts_for_the_rate_of_a_job() -> None:
    """A run cut off by its duration, whose network still fills at the end of the probe."""
    begun = Sample(1.5, 0, (0,), 0)
    only = Sample(2.0, 10**6, (25_000,), 0, packets=250, in_flight=500)
    probed = Probe((begun, only), 2.03, False, 250, {}, FILES, 0)
    plan, sent = made(1e9, 0)
    found = from_probe({**plan, "stop": {"duration_ps": 10**7}}, sent, probed)
    assert found.packets == pytest.approx(250 + 9 * 500)
    assert found.seconds == pytest.approx(2.03 + 0.5 / 500 * (found.packets - 500))


def test_memory_that_grows_with_each_packet_goes_on_growing() -> None:
    found = from_probe(*made(100_000, 10), sampled(lambda step: 1e6 * step))
    assert found.memory_bytes == pytest.approx(BYTES_PER_PROCESS + 100e6, rel=0.01)
    assert found.disk_bytes == pytest.approx(10_000 + 90 * row_bytes("messages"))


def test_tables_that_are_not_kept_take_no_disk() -> None:
    plan, sent = made(100_000, 10)
    found = from_probe(plan, sent, sampled(lambda _: 0), kept=["jobs", "links"])
    assert found.disk_bytes == 5_000
    every = from_probe(plan, sent, sampled(lambda _: 0), kept=["jobs", "messages"])
    assert every == from_probe(plan, sent, sampled(lambda _: 0))


def test_the_disk_of_a_sweep_is_that_of_what_it_keeps(
    cli: Callable[..., Ended], tmp_path: Path
) -> None:
    """Of a run that ends within its probe, so that all is known."""
    file, out = tmp_path / "small.toml", tmp_path / "sweep"
    file.write_text(SMALL)
    command = ("sweep", file, "--seeds", "20", "--workers", "1", "--out", out)
    told = re.search(r"([\d.]+) ([kM])B on disk", cli(*command, "--dry-run").out)
    assert told
    expected = float(told[1]) * {"k": 1e3, "M": 1e6}[told[2]]
    assert cli(*command).status == 0
    used = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    assert expected == pytest.approx(used, rel=0.5)


def test_rows_of_the_whole_run_are_not_counted_again() -> None:
    probed = replace(sampled(lambda _: 0), rows={"port_windows": 5000})
    plan, sent = made(100_000, 10)
    disk = [
        from_probe({**plan, "record": {"ports": {"windows_ps": each}}}, sent, probed).disk_bytes
        for each in ([], [10**6])
    ]
    assert disk[0] == 10_000
    assert disk[1] == pytest.approx(10_000 + 9 * 5000 * row_bytes("port_windows"))


def test_rows_of_blame_stay_in_memory_as_far_as_the_core_keeps_them() -> None:
    """Beyond a number of rows, the core joins windows."""
    rows = {"blame_groups": 1_000, "blame_links": 1_000}
    probed = replace(sampled(lambda _: 0), rows=rows)
    few, many = (
        from_probe(*made(packets, 10), probed).memory_bytes - BYTES_PER_PROCESS
        for packets in (100_000, 1e12)
    )
    assert few == pytest.approx(2 * 10_000 * 72, rel=0.01)
    assert many == pytest.approx((MOST_GROUP_ROWS + MOST_LINK_ROWS) * 72, rel=0.01)


def test_memory_that_fills_up_does_not() -> None:
    found = from_probe(*made(1e12, 10), sampled(lambda step: 1e6 * (10 - 8 / max(step, 0.8))))
    rows = 262_144 * 5 * row_bytes("messages")
    assert found.memory_bytes < BYTES_PER_PROCESS + 1.5 * 10e6 + rows


def test_packets_that_are_not_recorded_take_no_memory() -> None:
    jobs = [job("u", 72, "pattern", pattern="uniform", load=0.3)]
    memory = [
        from_traffic(plan, traffic(plan)).memory_bytes
        for plan in (plan_of(jobs, stop={"duration": f"{ms} ms"}) for ms in (1, 1000))
    ]
    assert memory[0] == memory[1] < 100e6


def test_a_run_whose_traffic_is_unknown_takes_at_least_the_probe() -> None:
    plan, _ = made(0, 0)
    found = from_probe(plan, {}, sampled(lambda _: 0))
    assert found.at_least
    assert found.basis == "from a probe of its first 10.0 us"


def test_jobs_alone_cost_what_their_packets_cost() -> None:
    plan = plan_of([halo(4), noise(4)])
    sent = traffic(plan)
    whole = RunCost(10.0, 1e8, 1e6, 1000.0, "given")
    parts = in_parts(whole, plan, sent, [["halo"], ["noise"], ["halo", "noise"]])
    assert parts.seconds == pytest.approx(20.0)
    assert parts.memory_bytes == whole.memory_bytes
    assert in_parts(whole, plan, sent, [["halo", "noise"]]) == whole


def test_the_warning_of_a_long_run_says_how_to_stop_shorten_and_coarsen_it() -> None:
    plan = plan_of([halo(10**6, "1 MiB"), noise(4)])
    sent = traffic(plan)
    long = RunCost(5 * 3600.0, 1e8, 1e6, 1e9, "from a probe of its first 3 us")
    with pytest.warns(pt.ScenarioWarning) as caught:
        warn_of_cost(plan, sent, long, "s.toml")
    (text,) = (str(each.message) for each in caught)
    for words in (
        "about 5 hours on one core (from a probe of its first 3 us)",
        "Ctrl-C stops it and keeps its tables",
        "stop.duration",
        "iterations or messages of jobs.halo",
        "--coarsen 4",
        "--threads auto",
    ):
        assert words in text


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Counts the probes of a sweep."""
    found: list[str] = []

    def cost(plan: Plan, seconds: float = 0.0, kept: object = None) -> RunCost:
        found.append(str(plan["routing"]["algorithm"]))
        return RunCost(1.0, 1e8, 1e6, 10.0, "given")

    monkeypatch.setattr(of_sweeps, "cost_of", cost)
    return found


def test_a_dry_run_of_many_runs_probes_a_few_distinct_ones(
    counted: list[str], tmp_path: Path
) -> None:
    axes = [{"routing.algorithm": ["minimal", "ugal_g", "par"]}]
    sweep = Sweep(describe(small_scenario(), axes=axes, seeds=300), tmp_path / "new")
    found = of_sweeps.estimate(sweep)
    assert sorted(counted) == ["minimal", "par", "ugal_g"]
    assert (found.runs, found.seconds) == (900, 900.0)
    assert found.basis == "by probes of 3 runs"


def test_a_sweep_takes_at_least_what_one_of_its_runs_takes_at_least(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def cost(plan: Plan, seconds: float = 0.0, kept: object = None) -> RunCost:
        known = plan["routing"]["algorithm"] == "minimal"
        return RunCost(1.0, 1e8, 1e6, 10.0, "from a probe", not known)

    monkeypatch.setattr(of_sweeps, "cost_of", cost)
    at_least = []
    for routings in (["minimal"], ["minimal", "par"]):
        axes = [{"routing.algorithm": routings}]
        sweep = Sweep(describe(small_scenario(), axes=axes), tmp_path / str(len(routings)))
        at_least.append(of_sweeps.estimate(sweep).at_least)
    assert at_least == [False, True]


def test_the_number_of_workers_needs_no_probe(counted: list[str], tmp_path: Path) -> None:
    sweep = Sweep(describe(small_scenario(), seeds=50), tmp_path / "new")
    found = of_sweeps.estimate(sweep, 0)
    assert not counted
    assert found.basis == "by their traffic"
    assert [of_sweeps.probes_before(runs) for runs in (1, 9, 25, 900)] == [0, 0, 2, 8]


def test_few_runs_that_take_long_by_their_traffic_are_probed(
    counted: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = RunCost(20.0, 1e8, 1e6, 10.0, "its traffic")
    monkeypatch.setattr(of_sweeps, "from_traffic", lambda *_: slow)
    sweep = Sweep(describe(small_scenario(), seeds=2), tmp_path / "new")
    assert of_sweeps.estimate(sweep, 0).basis == "by probes of 1 run"
    assert len(counted) == 1


def test_a_dry_run_prints_the_cost_and_writes_nothing(
    cli: Callable[..., Ended], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = Path(__file__).parents[3] / "examples" / "quickstart.toml"
    done = cli("run", str(file), "--dry-run")
    assert done.status == 0
    assert done.out.startswith("quickstart: 1 run, ")
    assert "s on one core, " in done.out
    assert "of memory (from a probe" in done.out
    assert not list(tmp_path.iterdir())
    checked = cli("check", str(file))
    assert "a run takes " in checked.err


def test_plans_that_share_what_is_equal_are_those_resolved_alone() -> None:
    resolve = Resolver()
    jobs = [halo(4), noise(4)]
    for tables in (
        {},
        {"seed": 7},
        {"routing": "par"},
        {"machine": {**MACHINE, "topology": {"p": 2, "a": 4, "h": 2, "g": 8}}},
        {"machine": {**MACHINE, "router": {"model": "sst_sc22"}}},
        {
            "seed": 7,
            "machine": {"preset": "booksim2", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}},
        },
    ):
        data = {"name": "s", "machine": MACHINE, "routing": "ugal_g", "jobs": jobs, **tables}
        scenario = pt.Scenario.from_dict(data)
        assert resolve(scenario.plan()).document == scenario.resolved_plan().document


def test_a_probe_that_ends_within_a_step_knows_what_has_arrived(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_of([halo(400), noise(400)], stop={"duration": "50 us"})
    seen: list[tuple[int, ...]] = []

    def end(done: Done) -> None:
        seen.append(tuple(sum(size for _, size in each) for each in done["delivered"]))
        assert done["packets_delivered"] > 0
        assert done["setup_seconds"] > 0

    plan.run(tmp_path, extend=end)
    times = iter([0.0, 0.01, 5.0, 5.1])
    monkeypatch.setattr("pantala.planning.probe.time.process_time", lambda: next(times))
    steps = _Steps(0, 10**6, 0.5)
    delivered = [[(0, 10)], [(0, 0)]]
    steps.extend(
        {
            "delivered": delivered,
            "packets_delivered": 1,
            "packets_in_flight": 0,
            "setup_seconds": 0.005,
        }
    )
    with pytest.raises(_Enough):
        steps.watch(cast("Progress", {}))
    found = steps.probe(tmp_path)
    assert found is not None
    assert found.samples[-1].delivered == seen[-1]
    assert (found.samples[-1].simulated_ps, found.samples[-1].seconds) == (50 * 10**6, 5.0)


def test_traffic_is_counted_once_for_plans_that_differ_in_place_and_routing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counted: list[str] = []
    expected = Plan.expected_traffic

    def count(plan: Plan) -> dict[str, ExpectedTraffic]:
        counted.append(plan["name"])
        return expected(plan)

    monkeypatch.setattr(Plan, "expected_traffic", count)

    def uniform(load: float) -> dict[str, Any]:
        return job("u", 4, "pattern", pattern="uniform", load=load)

    known = KnownTraffic()
    plans = [
        plan_of([{**halo(2), "placement": placement}, uniform(load)], **keys)
        for placement in ("random", "contiguous")
        for load in (0.1, 0.2)
        for keys in ({"stop": {"duration": "9 us"}}, {"stop": {"duration": "5 us"}})
    ]
    others = [plan_of([halo(3)]), plan_of([noise(3)]), plan_of([noise(3)], seed=2)]
    found = [traffic(plan, known) for plan in (*plans, *others)]
    # Of the pattern the two loads are two programs, and its traffic is that of each plan.
    assert len(counted) == 2 + len(others)
    assert found == [traffic(plan) for plan in (*plans, *others)]
    assert found[0]["u"] != found[1]["u"]
