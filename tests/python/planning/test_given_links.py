"""Networks as data: files of links, and links that have failed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pantala as pt
from pantala.core.ports import failed_counts
from pantala.export.links import write_links
from pantala.planning.topology import link_table, longest_minimal_path, summary

SHAPE: dict[str, Any] = {"p": 2, "a": 4, "h": 2, "g": 5, "links_per_pair": 2}

#: 40 nodes, two links per pair of groups, and jobs of which one reads queues.
SCENARIO = """\
name = "given"
machine = { preset = "kang2022", topology = { p = 2, a = 4, h = 2, g = 5, links_per_pair = 2 } }
routing = "ugal_n"

[[jobs]]
name = "halo"
ranks = 24
placement = "random"
workload = { kind = "halo3d", grid = [2, 3, 4], message = "6 kB", iterations = 2 }
"""


def read_back(tmp_path: Path, name: str, **topology: Any) -> pt.Run:
    """Returns a run on the links of a file."""
    links = {"links_file": str(tmp_path / name), "links_per_pair": 1}
    return run(tmp_path, f"{name}-again", **links, **topology)


#: The groups of a link.
_PAIR = ("source_group", "target_group")


def scenario(tmp_path: Path, **topology: Any) -> pt.Scenario:
    path = tmp_path / "given.toml"
    path.write_text(SCENARIO)
    changes = {f"machine.topology.{key}": value for key, value in topology.items()}
    return pt.Scenario.from_toml(path, changes=changes)


def run(tmp_path: Path, name: str, **topology: Any) -> pt.Run:
    return single(scenario(tmp_path, **topology), tmp_path / name)


def single(made: pt.Scenario, out: Path) -> pt.Run:
    found = pt.run(made, out, report=False)
    assert isinstance(found, pt.Run)
    return found


def share(found: pt.Run) -> float:
    value = found.metric("nonminimal_share", "halo")
    assert value is not None
    return value


def table() -> pl.DataFrame:
    return link_table(pt.Topology(**SHAPE))


def once(links: pl.DataFrame) -> pl.DataFrame:
    """Returns one row per link, the higher end first, in another order."""
    return links.filter(pl.col("source_router") > pl.col("target_router")).reverse()


@pytest.mark.parametrize("arrangement", ["absolute", "palmtree", "circulant", "random"])
@pytest.mark.parametrize("ports", ["consecutive", "round_robin"])
def test_an_exported_network_is_the_network(tmp_path: Path, arrangement: str, ports: str) -> None:
    shape = {**SHAPE, "global_arrangement": arrangement, "port_assignment": ports}
    whole = pt.Topology(**shape)
    links = link_table(whole)
    write_links(whole, tmp_path / "links.parquet")
    write_links(whole, tmp_path / "links.csv")
    once(links).drop("class", "link", "source_group").write_csv(tmp_path / "once.csv")
    numbers = {key: SHAPE[key] for key in "pahg"}
    for name in ("links.parquet", "links.csv", "once.csv"):
        again = pt.Topology(**numbers, links_file=str(tmp_path / name))
        assert link_table(again).equals(links), name
        assert failed_counts(again.as_plan()) == {}


@pytest.mark.parametrize("name", ["links.txt", "links"])
def test_links_are_written_as_parquet_or_csv_only(tmp_path: Path, name: str) -> None:
    with pytest.raises(pt.UsageError, match=r"end the name in \.parquet or \.csv"):
        write_links(pt.Topology(**SHAPE), tmp_path / name)
    assert not (tmp_path / name).exists()


def test_an_exported_network_gives_the_same_results(tmp_path: Path) -> None:
    generated = run(tmp_path, "generated")
    table().write_parquet(tmp_path / "links.parquet")
    given = run(tmp_path, "given", links_file=str(tmp_path / "links.parquet"), links_per_pair=1)
    again = run(tmp_path, "again", links_file=str(tmp_path / "generated"), links_per_pair=1)
    hashes = {each.document["result_hash"] for each in (generated, given, again)}
    assert len(hashes) == 1
    for name in ("links", "packets", "messages", "ranks"):
        files = {
            (tmp_path / each / f"{name}.parquet").read_bytes() for each in ("given", "generated")
        }
        assert len(files) == 1, name


@pytest.mark.parametrize("arrangement", ["absolute", "random"])
@pytest.mark.parametrize("failed", [[], ["3:5"]])
def test_a_run_is_a_file_of_links_of_any_order(
    tmp_path: Path, arrangement: str, failed: list[str]
) -> None:
    """Parallel links keep their numbers, which neither their routers nor their ports tell."""
    shape = {"global_arrangement": arrangement, "port_assignment": "round_robin"}
    generated = run(tmp_path, "generated", **shape, g=3, links_per_pair=4, failed_links=failed)
    by_ports = pl.struct("source_router", "source_port").rank("ordinal").over(_PAIR) - 1
    between = (pl.col("class") == "global") & (pl.col("source_group") < pl.col("target_group"))
    rows = generated.links.filter(between).with_columns(by_ports=by_ports).collect()
    assert (rows["parallel_index"] != rows["by_ports"]).any()
    again = read_back(tmp_path, "generated", g=3)
    assert again.document["result_hash"] == generated.document["result_hash"]
    # An earlier table of links has no such column: parallel links are then numbered by their ports.
    earlier = pl.read_parquet(tmp_path / "generated" / "links.parquet").drop("parallel_index")
    earlier.write_parquet(tmp_path / "earlier.parquet")
    other = read_back(tmp_path, "earlier.parquet", g=3)
    assert other.document["result_hash"] != generated.document["result_hash"]


def test_the_links_of_a_run_number_parallel_links_as_an_export(tmp_path: Path) -> None:
    links = run(tmp_path, "run").links.collect()
    ends = ["source_router", "source_port", "parallel_index"]
    assert (
        links.filter(pl.col("class").is_in(["local", "global"]))
        .select(ends)
        .equals(table().select(ends))
    )
    of_nodes = links.filter(pl.col("class").is_in(["injection", "ejection"]))
    assert of_nodes["parallel_index"].null_count() == of_nodes.height


def test_a_run_with_failed_links_is_a_file_of_links(tmp_path: Path) -> None:
    """The table of a run lacks failed links. Read back, it gives the run again."""
    failed = run(tmp_path, "failed", failed_links=["0-2", "3:5"])
    assert failed.document["plan"]["derived"]["failed_links"] == {"global": 1, "local": 1}
    directed = failed.links.collect().filter(pl.col("class").is_in(["local", "global"]))
    assert directed.height == table().height - 4
    again = run(tmp_path, "again", links_file=str(tmp_path / "failed"), links_per_pair=1)
    assert again.document["result_hash"] == failed.document["result_hash"]


def test_plans_without_these_keys_do_not_name_them(tmp_path: Path) -> None:
    plan = scenario(tmp_path).plan()["topology"]
    keys = {"links_file", "link_failures", "failed_links", "global_links"}
    assert not plan.keys() & keys
    assert not scenario(tmp_path).resolve()["topology"].keys() & keys


def test_a_plan_asks_for_links_and_a_resolved_plan_lists_them(tmp_path: Path) -> None:
    table().write_csv(tmp_path / "links.csv")
    (tmp_path / "failed.txt").write_text("3:5 # a link\n\n0-1, 0-2")
    asked = scenario(
        tmp_path,
        links_per_pair=1,
        links_file=str(tmp_path / "links.csv"),
        failed_links={
            "links": ["4-5"],
            "file": str(tmp_path / "failed.txt"),
            "link_class": "local",
            "share": 0.1,
            "seed": 3,
        },
    )
    plan = asked.plan()["topology"]
    assert not plan.keys() & {"failed_links", "global_links"}
    assert plan["links_file"]["first"] == {"line": 2}
    assert plan["link_failures"] == {
        "links": [{"routers": [4, 5]}],
        "file": {
            "name": str(tmp_path / "failed.txt"),
            "links": [
                [{"line": 1}, {"port": [3, 5]}],
                [{"line": 3}, {"routers": [0, 1]}],
                [{"line": 3}, {"routers": [0, 2]}],
            ],
        },
        "draw": {"link_class": "local", "number": {"share": 0.1}, "seed": 3},
    }
    found = asked.resolve()["topology"]
    assert not found.keys() & {"links_file", "link_failures"}
    assert len(found["global_links"]) == 20
    assert len(found["failed_links"]) == 1 + 3 + 3


def failed(tmp_path: Path, failed_links: Any) -> Any:
    """Returns the ends of the links that fail."""
    return scenario(tmp_path, failed_links=failed_links).resolve()["topology"]["failed_links"]


def test_a_file_of_failed_links_is_a_table_or_a_text(tmp_path: Path) -> None:
    rows = table().filter(pl.col("link") % 15 == 0)
    rows.write_csv(tmp_path / "failed.csv")
    rows.write_parquet(tmp_path / "failed.parquet")
    ends = list(rows.select("source_router", "source_port").iter_rows())
    (tmp_path / "failed.txt").write_text("\n".join(f"{end[0]}:{end[1]} # a link" for end in ends))
    listed = failed(tmp_path, [f"{end[0]}:{end[1]}" for end in ends])
    assert 0 < len(listed) <= rows.height
    for name in ("failed.csv", "failed.parquet", "failed.txt"):
        assert failed(tmp_path, str(tmp_path / name)) == listed


def test_draws_follow_their_own_seed(tmp_path: Path) -> None:
    one, other, more = (
        failed(tmp_path, {"link_class": "local", "count": count, "seed": seed})
        for count, seed in ((3, 1), (3, 2), (4, 1))
    )
    assert len(one) == len(other) == 3
    assert one != other
    assert all(end in more for end in one)


def test_counts_and_the_longest_path_are_those_of_what_remains() -> None:
    whole = pt.Topology(p=2, a=4, h=2)
    assert longest_minimal_path(whole, link_table(whole)) == 3
    failed = pt.Topology.model_validate({"p": 2, "a": 4, "h": 2, "failed_links": ["0-1"]})
    links = link_table(failed)
    assert failed_counts(failed.as_plan()) == {"local": 1}
    assert longest_minimal_path(failed, links) == 4
    text = summary(failed, links)
    assert text["failed links"] == "1 local link"
    assert text["local links"] == "53"
    cut = pt.Topology.model_validate({"p": 2, "a": 4, "h": 2, "failed_links": ["0:5"]})
    text = summary(cut, link_table(cut))
    assert text["global links per pair of groups"] == "0 to 1"
    assert text["longest minimal path, in links"] == "none joins all routers"


def test_an_axis_over_the_share_shares_the_run_without_failures(tmp_path: Path) -> None:
    axes = {
        "machine.topology.failed_links.share": [0.0, 0.1],
        "machine.topology.failed_links.seed": [1, 2],
    }
    experiment = pt.sweep(scenario(tmp_path), tmp_path / "sweep", axes=axes, workers=1)
    assert experiment.runs["state"].to_list() == ["done"] * 4
    assert experiment.runs["run"].n_unique() == 3


Change = Callable[[pl.DataFrame], pl.DataFrame]


def at(row: int, **values: Any) -> Change:
    """Returns a change of the values of a row, counted from 0."""

    def change(links: pl.DataFrame) -> pl.DataFrame:
        number = pl.int_range(pl.len()) == row
        new = [
            pl.when(number).then(pl.lit(value)).otherwise(key).cast(links.schema[key]).alias(key)
            for key, value in values.items()
        ]
        return links.with_columns(new)

    return change


FAULTS: list[tuple[Change, str]] = [
    (at(0, source_router=99), "line 2 names router 99, but there are 20, counted from 0"),
    (at(1, source_port=None), "line 3 has no source_port"),
    (at(1, target_port=-1), "line 3 has target_port -1"),
    (at(0, **{"class": "row"}), 'line 2 has class "row", but port 2 is a local port'),
    (lambda links: links.drop("target_port"), "lacks the column target_port"),
    (lambda links: links.cast({"target_port": pl.Float64}), "does not hold whole numbers only"),
    (lambda links: links.clear(), "has no links between routers"),
]


@pytest.mark.parametrize(("change", "message"), FAULTS, ids=[message for _, message in FAULTS])
def test_a_fault_of_a_file_names_its_line(tmp_path: Path, change: Change, message: str) -> None:
    name = str(tmp_path / "links.csv")
    change(table()).write_csv(name)
    with pytest.raises(pt.ScenarioError) as caught:
        scenario(tmp_path, links_file=name, links_per_pair=1).resolve()
    assert caught.value.key == "machine.topology.links_file"
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_fault_of_a_parquet_file_names_its_row(tmp_path: Path) -> None:
    name = str(tmp_path / "links.parquet")
    at(4, source_port=7)(table()).write_parquet(name)
    with pytest.raises(pt.ScenarioError, match="row 5 names port 7, but a router has 7"):
        scenario(tmp_path, links_file=name, links_per_pair=1).resolve()


@pytest.mark.parametrize(
    ("topology", "message"),
    [
        ({"failed_links": ["3;12"]}, "is not a link; write '3:12'"),
        ({"failed_links": ["3:12"]}, "router 3 has no link to a router at port 12"),
        ({"failed_links": ["3:0"]}, "router 3 has no link to a router at port 0"),
        ({"failed_links": ["0-1", "0-7"]}, "no link joins routers 0 and 7"),
        ({"failed_links": {"link_class": "row", "count": 1}}, "is no link class of this topology"),
        ({"failed_links": {"count": 30}}, "is more than the 20 global links"),
        ({"failed_links": {"count": 1, "share": 0.1}}, "is given beside share"),
        ({"failed_links": {"shares": 0.1}}, "did you mean 'share'?"),
        ({"failed_links": "nowhere.csv"}, "there is no such file"),
        ({"links_file": "nowhere.csv"}, "has no effect beside links_file"),
        ({"links_file": "nowhere.csv", "links_per_pair": 1}, "there is no such file"),
        ({"links_file": "links.txt", "links_per_pair": 1}, "cannot be read"),
    ],
)
def test_faults_of_keys_name_the_key(
    tmp_path: Path, topology: dict[str, Any], message: str
) -> None:
    with pytest.raises(pt.ScenarioError) as caught:
        scenario(tmp_path, **topology).resolve()
    assert message in str(caught.value)
    assert "machine.topology." in str(caught.value)


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    huge = ",".join(["source_router,source_port,target_router,target_port\n0,2,1", str(2**70)])
    for name, content in {
        "a.parquet": b"PAR1 and no more",
        "b.csv": b"\xff\xfe\x00,\n1",
        "huge.csv": huge.encode(),
    }.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(
            pt.ScenarioError, match=r"links_file = .*(cannot be read|lacks the column)"
        ):
            scenario(tmp_path, links_file=str(tmp_path / name), links_per_pair=1).resolve()


def between(one: int, other: int) -> list[str]:
    """Returns the ends of the links between two groups."""
    groups = pl.col("source_group"), pl.col("target_group")
    links = table().filter(pl.col("class") == "global", groups[0] == one, groups[1] == other)
    ends = links.select("source_router", "source_port").iter_rows()
    return [f"{router}:{port}" for router, port in ends]


def test_groups_without_a_link_need_a_third_group(tmp_path: Path) -> None:
    unlinked = scenario(tmp_path, failed_links=between(0, 1))
    direct = unlinked.replace({"routing.algorithm": "minimal"})
    with pytest.raises(pt.ScenarioError, match="no link joins groups 0 and 1, and its paths cross"):
        direct.resolve()
    served = single(unlinked, tmp_path / "unlinked")
    assert share(served) > share(run(tmp_path, "whole"))
    # Group 0 keeps its links to group 4 only, which has none to group 1.
    cut = [link for pair in ((0, 1), (0, 2), (0, 3), (1, 4)) for link in between(*pair)]
    with pytest.raises(pt.ScenarioError, match="no link joins groups 0 and 1, and no third group"):
        scenario(tmp_path, failed_links=cut).resolve()


def test_files_lie_beside_the_scenario(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "below").mkdir()
    table().write_csv(tmp_path / "below" / "links.csv")
    (tmp_path / "below" / "failed.txt").write_text("0-1")
    text = SCENARIO.replace(
        "links_per_pair = 2", 'links_file = "links.csv", failed_links = "failed.txt"'
    )
    path = tmp_path / "below" / "given.toml"
    path.write_text(text)
    monkeypatch.chdir(tmp_path)
    resolved = pt.Scenario.from_toml(path).resolve()
    assert resolved["derived"]["failed_links"] == {"local": 1}
