"""Networks as data: files of links, and links that have failed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pantala as pt
from pantala.given_links import failed_counts, topology_plan
from pantala.topology import link_table, longest_minimal_path, summary, write_links

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
        assert "failed_links" not in topology_plan(again)


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


def test_plans_without_these_keys_do_not_name_them() -> None:
    plan = topology_plan(pt.Topology(**SHAPE))
    assert not plan.keys() & {"links_file", "failed_links", "global_links"}


def test_listed_links_have_one_form() -> None:
    """Either end of a link, and a pair of routers, name one link."""

    def failed(*links: str) -> list[list[int]]:
        shape = pt.Topology.model_validate({**SHAPE, "failed_links": list(links)})
        found: list[list[int]] = topology_plan(shape)["failed_links"]
        return found

    row = table().filter(pl.col("class") == "global").row(0, named=True)
    ends = [f"{row[f'{end}_router']}:{row[f'{end}_port']}" for end in ("source", "target")]
    pair = f"{row['target_router']}-{row['source_router']}"
    expected = [[row["source_router"], row["source_port"]]]
    assert failed(ends[0]) == failed(ends[1]) == failed(pair) == failed(*ends, pair) == expected
    # All parallel links between two routers.
    assert (
        len(
            topology_plan(
                pt.Topology.model_validate(
                    {**SHAPE, "links_per_local_pair": 3, "failed_links": ["0-1"]}
                )
            )["failed_links"]
        )
        == 3
    )


def test_a_file_of_failed_links_is_a_table_or_a_text(tmp_path: Path) -> None:
    rows = table().filter(pl.col("link") % 5 == 0)
    rows.write_csv(tmp_path / "failed.csv")
    text = "\n".join(
        f"{router}:{port} # a link"
        for router, port in rows.select("source_router", "source_port").iter_rows()
    )
    (tmp_path / "failed.txt").write_text(text)
    plans = [
        topology_plan(pt.Topology.model_validate({**SHAPE, "failed_links": str(tmp_path / name)}))
        for name in ("failed.csv", "failed.txt")
    ]
    assert plans[0] == plans[1]
    assert 0 < len(plans[0]["failed_links"]) <= rows.height


def drawn(**failed: Any) -> set[tuple[int, ...]]:
    shape = pt.Topology.model_validate({**SHAPE, "failed_links": failed})
    return {tuple(end) for end in topology_plan(shape).get("failed_links", [])}


def test_draws_follow_their_seed_and_grow_with_their_share() -> None:
    links = 5 * 6  # local
    sizes = []
    before: set[tuple[int, ...]] = set()
    for share in (0.0, 0.1, 0.25, 0.5, 1.0):
        now = drawn(link_class="local", share=share, seed=3)
        assert before <= now
        before = now
        sizes.append(len(now))
    assert sizes == [0, 3, 8, 15, links]
    assert drawn(count=3, seed=1) == drawn(count=3, seed=1) != drawn(count=3, seed=2)
    assert len(drawn(count=3, links=("0-1", "0-2"), link_class="local")) == 5


def test_every_link_is_drawn_equally_often() -> None:
    """Each of 30 local links fails in 10 % of draws of 3; 6 standard deviations."""
    draws = 2_000
    times: dict[tuple[int, ...], int] = {}
    for seed in range(draws):
        for end in drawn(link_class="local", count=3, seed=seed):
            times[end] = times.get(end, 0) + 1
    assert len(times) == 30
    deviation = (draws * 0.1 * 0.9) ** 0.5
    assert all(abs(count - draws * 0.1) < 6 * deviation for count in times.values())


def test_counts_and_the_longest_path_are_those_of_what_remains() -> None:
    whole = pt.Topology(p=2, a=4, h=2)
    assert longest_minimal_path(whole, link_table(whole)) == 3
    failed = pt.Topology.model_validate({"p": 2, "a": 4, "h": 2, "failed_links": ["0-1"]})
    links = link_table(failed)
    assert failed_counts(failed) == {"local": 1}
    assert longest_minimal_path(failed, links) == 4
    told = summary(failed, links)
    assert told["failed links"] == "1 local link"
    assert told["local links"] == "53"
    cut = pt.Topology.model_validate({"p": 2, "a": 4, "h": 2, "failed_links": ["0:5"]})
    told = summary(cut, link_table(cut))
    assert told["global links per pair of groups"] == "0 to 1"
    assert told["longest minimal path, in links"] == "none joins all routers"


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


GLOBAL = 3  # row of the first global link: router 0's three local ports come first

FAULTS: list[tuple[Change, str]] = [
    (at(0, source_router=99), "line 2 names router 99, but there are 20, counted from 0"),
    (at(0, source_port=7), "line 2 names port 7, but a router has 7"),
    (at(0, target_port=1), "line 2 names port 1, which belongs to a node"),
    (at(0, target_port=5), "line 2 joins a local port with a global port (ports 2 and 5)"),
    (at(0, target_router=2), "line 2 is a local link that the group does not have: port 2 of"),
    (at(0, **{"class": "row"}), 'line 2 has class "row", but port 2 is a local port'),
    (at(GLOBAL, target_router=1), "line 5 joins group 0 with itself by a global link"),
    (at(GLOBAL, target_port=6), "line 5 has no row for the other direction"),
    (lambda links: pl.concat([links, links[:1]]), "is the link of line 2 again"),
    (lambda links: links[1:], "has no row for the other direction"),
    (lambda links: links.drop("target_port"), "lacks the column target_port"),
    (lambda links: links.cast({"target_port": pl.Float64}), "does not hold whole numbers only"),
    (lambda links: links.clear(), "has no links between routers"),
]


@pytest.mark.parametrize(("change", "message"), FAULTS, ids=[message for _, message in FAULTS])
def test_a_fault_of_a_file_names_its_line(tmp_path: Path, change: Change, message: str) -> None:
    name = str(tmp_path / "links.csv")
    change(table()).write_csv(name)
    with pytest.raises(pt.ScenarioError) as caught:
        scenario(tmp_path, links_file=name, links_per_pair=1).plan()
    assert caught.value.key == "machine.topology.links_file"
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_port_with_two_links_names_both_rows(tmp_path: Path) -> None:
    name = tmp_path / "links.csv"
    name.write_text("source_router,source_port,target_router,target_port\n0,5,4,5\n8,5,0,5\n")
    with pytest.raises(
        pt.ScenarioError, match="line 3 uses port 5 of router 0, as does line 2; give each port one"
    ):
        scenario(tmp_path, links_file=str(name), links_per_pair=1).plan()


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
        scenario(tmp_path, **topology).plan()
    assert message in str(caught.value)
    assert "machine.topology." in str(caught.value)


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    for name, content in {"a.parquet": b"PAR1 and no more", "b.csv": b"\xff\xfe\x00,\n1"}.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(
            pt.ScenarioError, match=r"links_file = .*(cannot be read|lacks the column)"
        ):
            scenario(tmp_path, links_file=str(tmp_path / name), links_per_pair=1).plan()


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
