"""Host costs of messages, and ranks that share a node, from scenario to run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pantala as pt
from pantala.scenario.presets import mpi_preset
from pantala.text.units import TimePerByte

pytestmark = pytest.mark.filterwarnings("error")

COSTS = {
    "eager_threshold_bytes": 12_000,
    "initialization_ps": 180_000,
    "call_overhead_ps": 30_000,
    "send_overhead_ps": 24_000,
    "receive_overhead_ps": 10_000,
    "send_copy_per_byte_fs": 344_000,
    "copy_resolution_ps": 1_000,
    "registration_ps": 300_000,
    "registration_per_page_ps": 10_000,
    "deregistration_ps": 300_000,
    "deregistration_per_page_ps": 10_000,
    "match_per_entry_ps": 15_000,
    "host_to_nic_ps": 5_000,
    "nic_to_host_ps": 5_000,
    "nic_transmit_ps": 5_000,
    "nic_match_ps": 10_000,
    "nic_read_ps": 200_000,
    "eager_header_bytes": 45,
    "data_header_bytes": 13,
    "get_bytes": 13,
    "acknowledgement_bytes": 15,
}
OFF = (
    "gap_ps",
    "gap_per_byte_fs",
    "receive_copy_per_byte_fs",
    "match_delay_ps",
    "memory_latency_ps",
    "memory_bandwidth_bytes_per_s",
)
HABITS = {
    "progress": ("independent", "in_calls"),
    "finalize": ("local", "barrier"),
    "receive_registration": ("matched", "posted"),
    "get_service": ("host", "nic"),
    "nic_order": ("fifo", "gets_apart"),
}


def scenario(mpi: Any = None, /, stop: Any = None, **job: Any) -> pt.Scenario:
    workload = {"kind": "allreduce_loop", "message": "8 B", "iterations": 3, "compute": "1 us"}
    data: dict[str, Any] = {
        "name": "host",
        "machine": "kang2022",
        "routing": "minimal",
        "jobs": [
            {"name": "loop", "ranks": 8, "placement": "contiguous", "workload": workload} | job
        ],
    }
    data |= {key: value for key, value in {"mpi": mpi, "stop": stop}.items() if value is not None}
    return pt.Scenario.from_dict(data)


def run(given: pt.Scenario, directory: Path, threads: int = 1) -> pt.Run:
    result = pt.run(given, directory, threads=threads)
    assert isinstance(result, pt.Run)
    return result


def test_host_costs_are_zero_by_default() -> None:
    plan = scenario().plan()["mpi"]
    assert all(plan[key] == 0 for key in {*COSTS, *OFF} - {"eager_threshold_bytes"})
    assert all(plan[key] == usual for key, (usual, _) in HABITS.items())


@pytest.mark.parametrize("mpi", ["sst_sc22", {"preset": "sst_sc22"}])
def test_the_preset_sst_sc22_sets_its_values(mpi: Any) -> None:
    plan = scenario(mpi).plan()["mpi"]
    assert {key: plan[key] for key in COSTS} == COSTS
    assert all(plan[key] == 0 for key in OFF)
    assert all(plan[key] == preset for key, (_, preset) in HABITS.items())
    collectives = scenario().plan()["mpi"]["collectives"]
    ready = {"allgather": "bruck_ready", "allgatherv": "bruck_ready"}
    trees = dict.fromkeys(("gather", "gatherv", "scatter", "scatterv"), "sized_tree")
    assert plan["collectives"] == collectives | ready | trees


def test_given_keys_replace_the_preset() -> None:
    given = scenario({"preset": "sst_sc22", "match_per_entry": "0 ns", "eager_threshold": "1 kB"})
    plan = given.plan()["mpi"]
    assert (plan["match_per_entry_ps"], plan["eager_threshold_bytes"]) == (0, 1_000)
    assert plan["send_copy_per_byte_fs"] == 344_000
    assert "mpi.match_per_entry" not in given.assumptions()
    assert "txMemcpyMod" in given.assumptions()["mpi.send_copy_per_byte"]
    assert "mpi.send_copy_per_byte" not in scenario().assumptions()
    assert (
        scenario().replace({"mpi.preset": "sst_sc22"}).plan()["mpi"]["registration_ps"] == 300_000
    )
    assert (
        scenario("sst_sc22").replace({"mpi.control": "9 B"}).plan()["mpi"]["registration_ps"]
        == 300_000
    )


def test_every_number_of_the_preset_has_a_source() -> None:
    assert set(mpi_preset("sst_sc22")["mpi"]) <= set(pt.Mpi.model_fields)
    given = mpi_preset("sst_sc22")["mpi"]
    collectives = given.pop("collectives")
    keys = {f"mpi.{key}" for key in given} | {f"mpi.collectives.{key}" for key in collectives}
    assert keys <= set(scenario("sst_sc22").assumptions())


def test_every_key_reaches_the_plan() -> None:
    """Every key takes a unit and reaches the plan exactly."""
    given = {
        "gap": "50 ns",
        "gap_per_byte": "0.05 ns/B",
        "receive_copy_per_byte": "7 ps/B",
        "match_delay": "5 ns",
        "memory_latency": "80 ns",
        "memory_bandwidth": "8 GB/s",
    }
    plan = scenario(given, ranks_per_node=2).plan()["mpi"]
    assert [plan[key] for key in OFF] == [50_000, 50_000, 7_000, 5_000, 80_000, 8 * 10**9]


@pytest.mark.parametrize(
    ("text", "femtoseconds"),
    [("344 ps/B", 344_000), ("83.3 ps/B", 83_300), ("0.04 ns/B", 40_000), ("1 fs/B", 1)],
)
def test_times_per_byte_are_exact(text: str, femtoseconds: int) -> None:
    value = TimePerByte.parse(text)
    assert int(value) == femtoseconds
    assert TimePerByte.parse(str(value)) == value


@pytest.mark.parametrize(
    ("mpi", "line"),
    [
        (
            {"send_copy_per_byte": "2.9 GB/s"},
            'mpi.send_copy_per_byte = "2.9 GB/s": is a bandwidth, not a time per byte',
        ),
        (
            {"send_copy_per_byte": "344 ps"},
            'mpi.send_copy_per_byte = "344 ps": is a time, not a time per byte',
        ),
        ({"gap_per_byte": "-1 ps/B"}, 'mpi.gap_per_byte = "-1 ps/B": must not be negative'),
        ({"gap": 5}, "mpi.gap = 5: has no unit"),
        ({"memory_bandwidth": "0 GB/s"}, 'mpi.memory_bandwidth = "0 GB/s": must be more than zero'),
        ({"memory_bandwidth": "3 ns"}, 'mpi.memory_bandwidth = "3 ns": is a time, not a bandwidth'),
        (
            {"call_overhead": "2000 s"},
            'mpi.call_overhead = "2000 s": is longer than any run; give at most 1000 s',
        ),
        (
            {"send_copy_per_byte": "2 ms/B"},
            'mpi.send_copy_per_byte = "2 ms/B": must be at most 1 ms for a byte',
        ),
        ("sst_sc21", 'mpi.preset = "sst_sc21": is not known; choose one of sst_sc22'),
        ({"preset": "kang"}, 'mpi.preset = "kang": is not known'),
    ],
)
def test_wrong_values_are_one_line(mpi: Any, line: str) -> None:
    with pytest.raises(pt.ScenarioError) as caught:
        scenario(mpi).resolve()
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("job", "line"),
    [
        ({"ranks_per_node": 0}, "jobs[0].ranks_per_node = 0"),
        (
            {"ranks_per_node": 4, "placement": {"kind": "nodes", "nodes": [1, 2, 3]}},
            "has 8 ranks, 4 per node: 2 nodes",
        ),
        (
            {
                "ranks_per_node": 2,
                "workload": {"kind": "pattern", "pattern": "uniform", "load": 0.1},
            },
            "jobs[0].ranks_per_node = 2: a pattern has one rank per node",
        ),
        (
            {"ranks": 5000, "ranks_per_node": 2, "placement": "random"},
            "2500 nodes for 5000 ranks: more than the 1056",
        ),
    ],
)
def test_ranks_that_do_not_fit_are_rejected(job: dict[str, Any], line: str) -> None:
    with pytest.raises(pt.ScenarioError) as caught:
        scenario(stop={"duration": "1 us"}, **job).resolve()
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_several_ranks_share_a_node(tmp_path: Path) -> None:
    """More ranks than nodes: every rank is on its node, and threads do not change results."""
    given = scenario("sst_sc22", ranks=3000, ranks_per_node=3, placement="random")
    given = given.replace({"mpi.memory_latency": "100 ns"})
    runs = [run(given, tmp_path / str(threads), threads) for threads in (1, 2, 3)]
    nodes = given.resolve()["jobs"][0]["nodes"]
    assert len(nodes) == 1000
    table = runs[0].ranks.sort("rank").collect()
    assert table["node"].to_list() == [node for node in nodes for _ in range(3)]
    tables = sorted(path.name for path in (tmp_path / "1").glob("*.parquet"))
    assert len(tables) > 5
    for name in tables:
        contents = {(tmp_path / str(threads) / name).read_bytes() for threads in (1, 2, 3)}
        assert len(contents) == 1, name


def test_messages_within_a_node_skip_the_network(tmp_path: Path) -> None:
    """A tree of two ranks in memory: no bytes on links, and the closed form to the picosecond."""
    mpi = {"memory_latency": "100 ns", "memory_bandwidth": "8 GB/s"}
    ran = run(scenario(mpi, ranks=2, ranks_per_node=2), tmp_path / "run")
    assert ran.links.select(pl.col("bytes").sum()).collect().item() == 0
    ends = ran.ranks.collect()["end_ns"].to_list()
    assert max(ends) == pytest.approx(3 * (1_000 + 2 * (100 + 1)), abs=1e-9)


@pytest.mark.native
@pytest.mark.parametrize(
    ("message", "controls"), [(8_192, 0), (65_536, 3)], ids=["eager", "rendezvous"]
)
@pytest.mark.parametrize(("ranks_per_node", "divided"), [(1, 3), (2, 1), (4, 0)])
def test_messages_and_injection_links_have_equal_bytes(
    tmp_path: Path, message: int, controls: int, ranks_per_node: int, divided: int
) -> None:
    """Four ranks in a line form three pairs.

    Node borders divide some of the pairs. A rendezvous has three control messages.
    """
    workload = pt.Halo3d(grid=(4, 1, 1), message=f"{message} B", iterations=2, compute="1 us")
    ran = run(
        scenario(ranks=4, ranks_per_node=ranks_per_node, workload=workload.model_dump()),
        tmp_path / "run",
    )
    control = ran.plan["mpi"]["control_bytes"]
    payload, on_links = 2 * 2 * 3 * message, 2 * 2 * divided * (message + controls * control)
    job = ran.jobs.collect().row(0, named=True)
    assert (job["mpi_bytes"], job["injected_bytes"], job["delivered_bytes"]) == (
        payload,
        on_links,
        on_links,
    )
    injection = (
        ran.links.filter(pl.col("class") == "injection")
        .select(pl.col("bytes").sum())
        .collect()
        .item()
    )
    assert injection == on_links
    time = ran.metric("execution_time_ns")
    assert time is not None
    assert ran.metric("message_injection_rate_gb_per_s") == payload / time
    assert ran.metric("link_injection_rate_gb_per_s") == on_links / time
