"""The comparison with other simulators: configurations, output and table.

Stand-ins replace the simulators and print the same output.
"""

from __future__ import annotations

import csv
import json
import struct
import sys
import types
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from compare.booksim2 import BookSim2
from compare.caminos import Caminos
from compare.codes import Codes, global_links, local_links
from compare.description import NotComparable, describe
from compare.pantala_bench import CHILD, Pantala
from compare.process import Failed, Process, run
from compare.runs import Measured, Run, Settings, measure
from compare.simulator import Simulator
from compare.sst import SC22, Sst
from simulator_stand_ins import Standing, program

SMALL = replace(describe("uniform-72"), simulated_ps=10_240_000)


def process(output: str, wall: float = 4.0) -> Process:
    return Process(output, 2.0, wall)


def test_the_description_agrees_with_the_plan() -> None:
    described = describe("adaptive-1056", "par")
    assert (described.p, described.a, described.h, described.g) == (4, 8, 4, 33)
    assert (described.nodes, described.routers, described.packet_flits) == (1_056, 264, 4)
    assert (described.routing, described.load, described.simulated_ns) == ("par", 0.7, 100_000)
    assert described.flit_ps == 5_120
    assert [described.cycles(ps) for ps in (10_000, 30_000, 300_000)] == [2, 6, 59]
    with pytest.raises(NotComparable, match="applications"):
        describe("apps-1056")


# BookSim2


def test_the_configuration_of_booksim(tmp_path: Path) -> None:
    assert BookSim2().prepare(SMALL, tmp_path) == ["booksim.cfg"]
    lines = (tmp_path / "booksim.cfg").read_text().splitlines()
    settings = dict(line.rstrip(";").split(" = ") for line in lines)
    wanted = {
        "topology": "dragonflynew",
        "k": "2",
        "n": "1",
        "num_vcs": "2",
        "routing_function": "min",
    }
    wanted |= {
        "packet_size": "4",
        "vc_buf_size": "120",
        "injection_rate": "0.5",
        "internal_speedup": "4.0",
    }
    wanted |= {"sample_period": "100", "max_samples": "20"}
    assert wanted.items() <= settings.items()


def test_the_output_of_booksim_is_read(tmp_path: Path) -> None:
    printed = """\
====== Overall Traffic Statistics ======
====== Traffic class 0 ======
Injected flit rate average = 0.5 (1 samples)
\tminimum = 0.4 (1 samples)
Accepted flit rate average = 0.49 (1 samples)
Hops average = 3.5 (1 samples)
Total run time 3
"""
    moved = BookSim2().moved(SMALL, tmp_path, process(printed))
    assert moved.packet_hops == pytest.approx(0.5 * 72 * 2_000 / 4 * 3.5)
    assert moved.network_cpu_seconds == pytest.approx(2.0 * 3 / 4)
    with pytest.raises(Failed, match="Hops average"):
        BookSim2().moved(SMALL, tmp_path, process("Injected flit rate average = 0.5\n"))


def test_benches_that_booksim_cannot_repeat_are_rejected() -> None:
    assert "10 and 100 cycles" in BookSim2().differences(SMALL)[0]
    with pytest.raises(NotComparable, match="par"):
        BookSim2().differences(describe("adaptive-1056", "par"))
    with pytest.raises(NotComparable, match="a = 2p"):
        BookSim2().differences(replace(SMALL, a=6))


# CODES


def test_the_configuration_of_codes(tmp_path: Path) -> None:
    arguments = Codes().prepare(SMALL, tmp_path)
    assert arguments[-2:] == ["--", "network.conf"]
    assert {
        "--sync=1",
        "--traffic=1",
        "--num_messages=250",
        "--payload_sz=512",
        "--arrival_time=40.9600",
    } <= set(arguments)
    text = (tmp_path / "network.conf").read_text()
    for line in (
        'repetitions="36"',
        'num_groups="9"',
        'cn_vc_size="15360"',
        'router_delay="20.0"',
        'routing="minimal"',
    ):
        assert line in text
    assert text.count("{") == text.count("}")
    assert f'local_bandwidth="{25e9 / 2**30:.9f}"' in text


def test_codes_links_connect_every_two_groups_once_per_direction() -> None:
    links = [struct.unpack("=2i", link) for link in global_links(SMALL)]
    assert len(links) == SMALL.g * (SMALL.g - 1)
    assert {(to, of) for of, to in links} == set(links)
    groups = Counter((of // SMALL.a, to // SMALL.a) for of, to in links)
    assert set(groups.values()) == {1}
    assert all(of != to for of, to in groups)
    assert set(Counter(of for of, _ in links).values()) == {SMALL.h}
    inside = [struct.unpack("=3i", link) for link in local_links(SMALL)]
    assert len(inside) == SMALL.a * (SMALL.a - 1)


def test_the_output_of_codes_is_read(tmp_path: Path) -> None:
    printed = (
        "\t: Running Time = 1.0000 seconds\n\nAverage number of hops traversed 3.250000 average"
        " chunk latency 0.6 us maximum chunk latency 2.0 us avg message size 512.000000 bytes"
        " finished messages 18000 finished chunks 18000\n"
    )
    moved = Codes().moved(SMALL, tmp_path, process(printed))
    assert (moved.packet_hops, moved.network_cpu_seconds) == (18_000 * 3.25, 0.5)
    with pytest.raises(NotComparable, match="ugal_n"):
        Codes().differences(describe("saturated-1056"))


# SST


class Part:
    """A component or subcomponent in a stand-in for SST's module."""

    parts: list[Part]
    ends: list[tuple[str, str, str, str]]

    def __init__(self, name: str, kind: str) -> None:
        self.name, self.kind, self.params, self.counted = name, kind, dict[str, Any](), list[str]()
        self.parts.append(self)

    def addParams(self, params: dict[str, Any]) -> None:  # noqa: N802
        self.params |= params

    def addParam(self, key: str, value: Any) -> None:  # noqa: N802
        self.params[key] = value

    def setSubComponent(self, slot: str, kind: str, _: int) -> Part:  # noqa: N802
        return type(self)(f"{self.name}.{slot}", kind)

    def enableStatistics(self, names: list[str], _: dict[str, str], children: bool) -> None:  # noqa: N802
        assert children
        self.counted += names

    def addLink(self, link: str, port: str, latency: str) -> None:  # noqa: N802
        self.ends.append((link, self.name, port, latency))


def built(directory: Path, monkeypatch: pytest.MonkeyPatch) -> type[Part]:
    """Returns the network that the script builds."""
    kind = type("Built", (Part,), {"parts": [], "ends": []})
    module = types.ModuleType("sst")
    outputs: list[tuple[str, dict[str, str]]] = []
    module.__dict__.update(
        Component=kind,
        Link=lambda name: name,
        setStatisticLoadLevel=lambda _: None,
        setStatisticOutput=lambda name, params: outputs.append((name, params)),
    )
    monkeypatch.setitem(sys.modules, "sst", module)
    monkeypatch.chdir(directory)
    exec(
        compile((directory / "sst_network.py").read_text(), "sst_network.py", "exec"),
        {"__name__": "__main__"},
    )
    assert outputs == [("sst.statOutputCSV", {"filepath": "statistics.csv", "separator": ","})]
    return kind


def test_the_network_of_sst_agrees_with_the_description(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Sst().prepare(SMALL, tmp_path) == ["--print-timing-info", "sst_network.py"]
    network = built(tmp_path, monkeypatch)
    kinds = Counter(part.kind for part in network.parts)
    assert (
        kinds["merlin.hr_router"],
        kinds["merlin.offered_load"],
        kinds["merlin.linkcontrol"],
    ) == (36, 72, 72)
    ends = Counter(link for link, *_ in network.ends)
    assert set(ends.values()) == {2}
    latencies = Counter(latency for *_, latency in network.ends)
    assert latencies == {"10000ps": 2 * 72, "30000ps": 9 * 4 * 3, "300000ps": 9 * 8}
    ports = Counter((part, port) for _, part, port, _ in network.ends)
    assert set(ports.values()) == {1}
    router = next(part for part in network.parts if part.kind == "merlin.hr_router")
    assert router.params["num_ports"] == 7
    assert (router.params["xbar_bw"], router.params["input_buf_size"]) == (
        "100000000000B/s",
        "15360B",
    )
    assert router.counted == ["send_packet_count"]
    topology = next(part for part in network.parts if part.kind == "merlin.dragonfly")
    assert topology.params["algorithm"] == "minimal"
    assert topology.params["global_link_map"] == list(range(8))
    source = next(part for part in network.parts if part.kind == "merlin.offered_load")
    assert (source.params["offered_load"], source.params["collect_time"]) == (0.5, "10240000ps")


def test_the_fork_of_sst_has_its_own_routings(tmp_path: Path) -> None:
    described = describe("adaptive-1056", "par")
    with pytest.raises(NotComparable, match="par"):
        Sst().differences(described)
    SC22().prepare(described, tmp_path)
    machine = json.loads((tmp_path / "machine.json").read_text())
    assert (machine["algorithm"], machine["interface"]) == ("par", {"io_level": 0})
    assert any("bias" in line for line in Sst().differences(describe("saturated-1056")))


@pytest.mark.parametrize(
    "heading", ["Simulation time:                 ", "  Run loop time:                   "]
)
def test_the_output_of_sst_is_read(tmp_path: Path, heading: str) -> None:
    printed = (
        f"Simulation Timing Information:\nBuild time:  1.5 seconds\n{heading}2.000000 seconds\n"
    )
    with pytest.raises(Failed, match=r"wrote no statistics\.csv"):
        Sst().moved(SMALL, tmp_path, process(printed))
    header = "ComponentName,StatisticName,StatisticSubId,StatisticType,SimTime,Rank,"
    rows = [f"{header}Sum.u64,SumSQ.u64,Count.u64,Min.u64,Max.u64".split(",")]
    rows += [
        [
            f"router{n}",
            "send_packet_count",
            f"port{n}",
            "Accumulator",
            "1",
            "0",
            "70",
            "70",
            "70",
            "1",
            "1",
        ]
        for n in range(3)
    ]
    rows += [
        ["router0", "send_bit_count", "port0", "Accumulator", "1", "0", "999", "9", "9", "1", "1"]
    ]
    with (tmp_path / "statistics.csv").open("w", newline="") as text:
        csv.writer(text).writerows(rows)
    moved = Sst().moved(SMALL, tmp_path, process(printed))
    assert (moved.packet_hops, moved.network_cpu_seconds) == (210, 1.0)


#: The statistics of sst-core 11.1: routers whose component name was lost share one row.
MERGED = """\
ComponentName, StatisticName, StatisticSubId, StatisticType, SimTime, Rank, Sum.u64, SumSQ.u64, \
Count.u64, Min.u64, Max.u64
router0, send_packet_count, port0, Accumulator, 10240000, 0, 70, 70, 70, 1, 1
router0, send_packet_count, port1, Accumulator, 10240000, 0, 60, 60, 60, 1, 1
, send_packet_count, , Accumulator, 10240000, 0, 500, 500, 500, 1, 1
router9, send_packet_count, port0, Accumulator, 10240000, 0, 0, 0, 0, 0, 0
router9, send_packet_count, port1, Accumulator, 10240000, 0, 30, 30, 30, 1, 1
"""


def test_a_row_of_sst_without_a_component_counts(tmp_path: Path) -> None:
    (tmp_path / "statistics.csv").write_text(MERGED)
    printed = process("Simulation time:  2.000000 seconds\n")
    assert Sst().moved(SMALL, tmp_path, printed).packet_hops == 70 + 60 + 500 + 30


def test_the_fork_of_sst_learns_with_the_parameters_of_the_bench(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    described = replace(SMALL, routing="q_adaptive")
    assert not any("routing" in line for line in SC22().differences(described))
    SC22().prepare(described, tmp_path)
    network = built(tmp_path, monkeypatch)
    topology = next(part for part in network.parts if part.kind == "merlin.dragonfly")
    wanted = {"algorithm": "q-adaptive", "learning_rate": 0.2, "learning_rate2": 0.04}
    wanted |= {"epsilon": 0.001, "q_threshold1": 0.2, "q_threshold2": 0.35}
    wanted |= {"link_lat_global": "300000ps", "src_mid_group_q": True, "max_hops": 1}
    assert wanted.items() <= topology.params.items()
    with pytest.raises(NotComparable, match="q_adaptive"):
        Sst().differences(described)


def test_a_failed_program_says_why(tmp_path: Path) -> None:
    text = (
        "import sys\nprint('FATAL: [0:0] SSTConfig: no such link')\nprint('MPI_ABORT was invoked')"
    )
    with pytest.raises(Failed, match=r"status 1: FATAL: .* no such link$"):
        run([program(tmp_path, f"{text}\nsys.exit(1)")], tmp_path, 30)
    with pytest.raises(Failed, match=r"status 1: bad option$"):
        run([program(tmp_path, "import sys\nprint('x')\nsys.exit('bad option')")], tmp_path, 30)


# CAMINOS


@pytest.mark.parametrize(("case", "channels"), [("", 2), ("ugal_n", 5), ("par", 5)])
def test_the_configuration_of_caminos(tmp_path: Path, case: str, channels: int) -> None:
    described = replace(SMALL, routing=case or "minimal")
    assert Caminos().prepare(described, tmp_path) == ["caminos.cfg"]
    text = (tmp_path / "caminos.cfg").read_text()
    assert f"virtual_channels: {channels}," in text
    assert ("OccupancyFunction" in text) == bool(case)
    for line in (
        "measured: 2000,",
        "servers: 72,",
        "LinkClass { delay: 59 },",
        "crossbar_delay: 4,",
    ):
        assert line in text
    for left, right in ("{}", "[]"):
        assert text.count(left) == text.count(right)


def test_the_output_of_caminos_is_read(tmp_path: Path) -> None:
    printed = "Result\n{\n\taccepted_load:\n\t0.5,\n\taverage_link_utilization:\n\t0.25,\n}\n"
    moved = Caminos().moved(SMALL, tmp_path, process(printed))
    assert moved.packet_hops == pytest.approx((0.25 * 36 * 5 + 0.5 * 72) * 2_000 / 4)
    assert moved.network_cpu_seconds is None


# Runs


def test_pantala_runs_a_bench_in_its_own_process(tmp_path: Path) -> None:
    assert Pantala().prepare(SMALL, tmp_path) == ["-c", CHILD, "uniform-72", ""]
    moved = Pantala().moved(SMALL, tmp_path, process('{"packet_hops": 10, "cpu_seconds": 0.5}'))
    assert (moved.packet_hops, moved.network_cpu_seconds) == (10, 0.5)
    with pytest.raises(Failed, match="no result"):
        Pantala().moved(SMALL, tmp_path, process("Traceback"))


def test_cpu_time_counts_only_the_process(tmp_path: Path) -> None:
    ended = run([program(tmp_path, "print(sum(range(100_000)))")], tmp_path, 60)
    assert ended.output == "4999950000\n"
    assert ended.cpu_seconds > 0
    assert ended.share_of_cpu(2 * ended.wall_seconds) == ended.cpu_seconds


def test_a_failed_process_is_reported(tmp_path: Path) -> None:
    failing = program(tmp_path, "import sys; print('no such key: k'); sys.exit(255)")
    with pytest.raises(Failed, match="status 255: no such key: k"):
        run([failing], tmp_path, 60)
    assert run([failing], tmp_path, 60, frozenset({0, 255})).output == "no such key: k\n"
    with pytest.raises(Failed, match="No such file"):
        run(["/no/such/program"], tmp_path, 60)


def test_runs_alternate(tmp_path: Path) -> None:
    nothing = program(tmp_path, "")
    ours, first, broken = Standing("pantala", 1e6), Standing("first", 1e5), Standing("broken", None)
    others: dict[Simulator, str] = {first: nothing, broken: nothing, BookSim2(): nothing}
    described = replace(SMALL, a=6)
    rows = measure(described, (ours, nothing), others, Settings(repeats=2, share=0.5))
    assert [len(row.runs) for row in rows] == [3, 2, 0, 0]
    assert [row.missing for row in rows[2:]] == [
        "failed: it moved nothing",
        "not compared: its Dragonfly has a = 2p, h = p and g = a h + 1",
    ]
    assert {seen.simulated_ps for seen in ours.seen} == {SMALL.simulated_ps}
    assert {seen.simulated_ps for seen in first.seen} == {SMALL.simulated_ps // 2}
    assert rows[1].ratio(lambda run: run.network) is None


def test_pantala_runs_alone_if_no_simulator_can_repeat_the_bench(tmp_path: Path) -> None:
    nothing = program(tmp_path, "")
    others: dict[Simulator, str] = {BookSim2(): nothing}
    rows = measure(
        replace(SMALL, a=6), (Standing("pantala", 1e6), nothing), others, Settings(repeats=2)
    )
    assert [len(row.runs) for row in rows] == [2, 0]


def test_a_ratio_is_the_median_of_the_pairs() -> None:
    ours = [Run(100.0, cpu, 1.0, 1.0) for cpu in (1.0, 2.0, 4.0)]
    theirs = [Run(10.0, 1.0, 1.0, 1.0)] * 3
    assert Measured(Sst(), theirs, ours).ratio(lambda run: run.whole) == 5.0
