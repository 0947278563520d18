"""Bad input: one line with file, key and remedy, exit status 2, and no output files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import pantala as pt
from support import SMALL, Ended, one_line

Cli = Callable[..., Ended]

MACHINE = 'machine = { preset = "kang2022", topology = { p = 2, a = 4, h = 2, g = 9 } }'
GRID = (
    'machine = { preset = "kang2022", topology = { kind = "dragonfly_2d", p = 2, rows = 2, columns'
    " = 2, h = 2 } }\n"
)
FFT = 'workload = { kind = "fft3d", grid = [2, 3], row_message = "1 kB", iterations = 1 }'

#: Text in the small scenario, its replacement, the key at fault, and a part of the message.
READ_FAULTS = [
    ("ranks = 6", "rank = 6", "jobs[0].rank = 6", "unknown key; did you mean 'ranks'?"),
    (
        "name =",
        "nonsense = 1\nname =",
        "nonsense = 1",
        "unknown key; known here: name, interference, machine",
    ),
    ("grid = [2, 3]", "gird = [2, 3]", "jobs[0].workload.gird = [2, 3]", "did you mean 'grid'?"),
    ('"1 kB"', "1000", "jobs[0].workload.row_message = 1000", "has no unit; write e.g. '512 B'"),
    (
        '"1 kB"',
        '"1000"',
        'jobs[0].workload.row_message = "1000"',
        "has no unit; write e.g. '512 B'",
    ),
    ('"1 kB"', '"1 KB"', 'jobs[0].workload.row_message = "1 KB"', "ambiguous unit 'KB'; write kB"),
    (
        '"1 kB"',
        '"-1 kB"',
        'jobs[0].workload.row_message = "-1 kB"',
        "must be more than zero; write e.g. '512 B'",
    ),
    (
        '"1 kB"',
        '"0 B"',
        'jobs[0].workload.row_message = "0 B"',
        "must be more than zero; write e.g. '512 B'",
    ),
    ('"1 kB"', '"3 ns"', 'jobs[0].workload.row_message = "3 ns"', "is a time, not a size"),
    ("name =", "seed = -1\nname =", "seed = -1", "must be at least 0"),
    ("ranks = 6", "ranks = 0", "jobs[0].ranks = 0", "must be at least 1"),
    ("ranks = 6", "ranks = 6.0", "jobs[0].ranks = 6.0", "is not a whole number"),
    ("ranks = 6\n", "", "jobs[0].ranks", "is missing; add ranks = ..."),
    ('name = "halo"', 'name = "fft"', 'jobs[1].name = "fft"', "is also the name of an earlier job"),
    ('"minimal"', '"minimum"', 'routing.algorithm = "minimum"', "did you mean 'minimal'?"),
    (
        "kang2022",
        "kang2020",
        'machine.preset = "kang2020"',
        "is not a preset; did you mean 'kang2022'?",
    ),
    (
        '"minimal"',
        '"bias(16,0)"',
        'routing.algorithm = "bias(16,0)"',
        "shift must be 0 to 15; write e.g. 'bias(2,0)'",
    ),
    (
        '"minimal"',
        '"bias(0,99)"',
        'routing.algorithm = "bias(0,99)"',
        "add must be 0 to 15; write e.g. 'bias(2,0)'",
    ),
    (
        "g = 9",
        "g = 9, rows = 2",
        "machine.topology.rows = 2",
        "is not a key of a one-dimensional Dragonfly; remove it",
    ),
    (
        "a = 4",
        'kind = "dragonfly_2d", rows = 2',
        "machine.topology.columns",
        "is missing; add columns = ...",
    ),
    (
        "ranks = 6",
        'ranks = 6\nrouting = "ugal"',
        'jobs[0].routing.algorithm = "ugal"',
        "did you mean 'ugal_",
    ),
    ("name =", "allow_deadlock = 1\nname =", "allow_deadlock = 1", "is neither true nor false"),
    ('"halo3d"', '"halo"', 'jobs[1].workload.kind = "halo"', "did you mean 'halo3d'?"),
    ("grid = [2, 3]", "grid = [2]", "jobs[0].workload.grid = [2]", "has too few items"),
    ("grid = [2, 3]", "grid = [2, -3]", "jobs[0].workload.grid[1] = -3", "must be at least 1"),
    (
        "ranks = 6",
        'ranks = 6\nplacement = "scattered"',
        'jobs[0].placement = "scattered"',
        "choose one of random, random_routers",
    ),
    (
        MACHINE,
        'machine = { preset = "kang2022", links = { local = { latency = "30" } } }',
        'machine.links.local.latency = "30"',
        "has no unit; write e.g. '30 ns'",
    ),
    (
        MACHINE,
        'machine = { preset = "kang2022", links = { local = { latency = "0 ns" } } }',
        'machine.links.local.latency = "0 ns"',
        "must be more than zero",
    ),
    (
        MACHINE,
        'machine = { preset = "kang2022", router = { input_buffer = "0 packets" } }',
        'machine.router.input_buffer = "0 packets"',
        "must be more than zero; write e.g. '30 packets'",
    ),
    (
        MACHINE,
        'machine = { preset = "kang2022", router = { model = "sst" } }',
        'machine.router.model = "sst"',
        f"choose one of {', '.join(pt.router_presets())}",
    ),
    (
        MACHINE,
        'machine = { packet = "512 B" }',
        "machine.flit",
        "take it from a preset: machine.preset = 'kang2022'",
    ),
    (SMALL[SMALL.index("[[jobs]]") :], "", "jobs", "has no jobs; add a [[jobs]] table"),
    (
        SMALL[SMALL.index("[[jobs]]") :],
        "jobs = []",
        "jobs = []",
        "has no jobs; add a [[jobs]] table",
    ),
    (
        SMALL[SMALL.index("[[jobs]]") :],
        (
            '[[jobs]]\nname = "x"\nranks = 4\nworkload = { kind = "pattern", pattern = "uniform",'
            " load = 0.5 }"
        ),
        "stop.duration",
        "is missing, and no job ends by itself; add e.g. duration = '100 us'",
    ),
    (
        FFT,
        'workload = { kind = "pattern", pattern = "uniform", load = 0.5, offset = 2 }',
        "jobs[0].workload.offset = 2",
        'has no effect under pattern = "uniform"',
    ),
]

#: The same for faults that only the core detects.
PLAN_FAULTS = [
    ("grid = [2, 3]", "grid = [2, 4]", "jobs[0].workload.grid = [2, 4]"),
    ("grid = [2, 2, 2]", "grid = [2, 2, 3]", "jobs[1].workload.grid = [2, 2, 3]"),
    (
        'ranks = 8\nworkload = { kind = "halo3d", grid = [2, 2, 2]',
        'ranks = 70\nworkload = { kind = "halo3d", grid = [2, 5, 7]',
        "jobs = 76 ranks",
    ),
    (
        "ranks = 6",
        'ranks = 6\nplacement = { kind = "nodes", nodes = [0, 1, 2] }',
        "jobs[0].placement.nodes = [0, 1, 2]",
    ),
    (
        "ranks = 6",
        'ranks = 6\nplacement = { kind = "nodes", nodes = [0, 1, 2, 3, 4, 72] }',
        "jobs[0].placement.nodes",
    ),
    (
        "ranks = 6",
        'ranks = 6\nplacement = { kind = "nodes", nodes = [0, 1, 2, 3, 4, 4] }',
        "jobs[0].placement.nodes",
    ),
    ('"minimal"', '{ algorithm = "ugal_n", virtual_channels = 2 }', "routing.virtual_channels = 2"),
    ("g = 9 }", "g = 12 }", "machine.topology.g = 12"),
    ("g = 9 }", "g = 9, links_per_pair = 2 }", "machine.topology.links_per_pair = 2"),
    ("g = 9 }", "g = 3, cables_per_pair = 3 }", "machine.topology.links_per_pair = 6"),
    (
        "g = 9 }",
        'g = 9, global_arrangement = "circulant", mirrored = true }',
        "machine.topology.mirrored = true",
    ),
    (
        '"minimal"',
        '{ algorithm = "ugal_g", candidates_minimal = 99 }',
        "routing.candidates_minimal = 99",
    ),
    ('"minimal"', '{ algorithm = "par", channels = "caminos" }', 'routing.channels = "caminos"'),
    (
        "ranks = 6",
        'ranks = 6\nrouting = { algorithm = "par", virtual_channels = 4 }',
        "jobs[0].routing.virtual_channels = 4",
    ),
    (
        MACHINE,
        GRID + 'routing_all_to_all = "q_adaptive"',
        "routing_all_to_all.algorithm = q_adaptive",
    ),
]


def refuse(cli: Cli, workdir: Path, old: str, new: str) -> str:
    """Returns the message of `run` and `check` for a scenario with a replaced part.

    `check` prints the other faults too.
    """
    file = workdir.parent / "scenario.toml"
    assert old in SMALL
    file.write_text(SMALL.replace(old, new, 1))
    checked = cli("check", file, "--plan", "plan.json")
    line, *others = checked.err.splitlines()
    more = f" ({len(others)} more after this one)" if others else ""
    assert checked.status == 2
    assert one_line(cli("run", file)) == f"{line}{more}"
    assert not list(workdir.iterdir())
    assert line.startswith(f"{file}: key ")
    assert "; " in line, "no remedy"
    return line.removeprefix(f"{file}: key ")


@pytest.mark.parametrize(("old", "new", "key", "says"), READ_FAULTS)
def test_a_fault_in_the_scenario_file_is_one_line(
    cli: Cli, workdir: Path, old: str, new: str, key: str, says: str
) -> None:
    line = refuse(cli, workdir, old, new)
    assert line.startswith(f"{key}: ")
    assert says in line


@pytest.mark.native
@pytest.mark.parametrize(("old", "new", "key"), PLAN_FAULTS)
def test_a_fault_in_the_plan_is_one_line(
    cli: Cli, workdir: Path, old: str, new: str, key: str
) -> None:
    assert refuse(cli, workdir, old, new).startswith(key)


@pytest.mark.native
@pytest.mark.parametrize(
    ("placement", "says"),
    [
        (
            "{ kind = 'nodes', nodes = [0, 1, 2, 3, 4, 7] }",
            "jobs[0].placement.nodes = [0, 1, 2, 3, 4, 7]: node 7 is a",
        ),
        (
            "{ kind = 'contiguous', first_node = 7 }",
            "jobs[0].placement.first_node = 7: node 7 is a service node",
        ),
    ],
)
def test_a_job_on_a_service_node_is_rejected(
    cli: Cli, workdir: Path, placement: str, says: str
) -> None:
    file = workdir.parent / "service.toml"
    text = SMALL.replace("ranks = 6", f"ranks = 6\nplacement = {placement}")
    file.write_text(text.replace("g = 9 } }", "g = 9 }, compute_nodes = 63 }"))
    assert one_line(cli("run", file)).startswith(f"{file}: key {says}")
    file.write_text(SMALL.replace("g = 9 } }", "g = 9 }, compute_nodes = 13 }"))
    assert "more ranks than the machine's 13 compute nodes" in one_line(cli("run", file))


@pytest.mark.native
def test_overlapping_node_lists_are_rejected(cli: Cli, workdir: Path) -> None:
    file = workdir.parent / "overlap.toml"
    lists = ("[0, 1, 2, 3, 4, 5]", "[5, 6, 7, 8, 9, 10, 11, 12]")
    text = SMALL
    for ranks, nodes in zip((6, 8), lists, strict=True):
        text = text.replace(
            f"ranks = {ranks}",
            f'ranks = {ranks}\nplacement = {{ kind = "nodes", nodes = {nodes} }}',
        )
    file.write_text(text)
    assert one_line(cli("run", file)).startswith(
        f"{file}: key jobs[1].placement.nodes = [5, 6, 7, 8"
    )
    assert not list(workdir.iterdir())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"name = here", "line 1, column 8: invalid value; put text in quotes"),
        (b'name = "x"\n[[jobs]', "line 2, column 7: expected ']]'"),
        (b'name = "x', "end of file: "),
        (b"name = 1\nname = 2", "line 2: name = 2 sets again what line 1 sets; set each key once"),
        (
            b'machine = "kang2022"\n[machine.nic]',
            "line 2: [machine.nic] sets again what line 1 sets; in place of line 1 write the table "
            '[machine] and below it preset = "kang2022"',
        ),
        (
            b'routing = "par"\njobs = "yang2016.workload1"\n\n[jobs.amg]',
            "line 4: [jobs.amg] sets again what line 2 sets; in place of line 2 write the table "
            '[jobs] and below it preset = "yang2016.workload1"',
        ),
        (
            b'name = "x"\n[machine]\nname = 1\n[[jobs]]\nname = "a"\nranks = 4\nname = "b"\n',
            'line 7: name = "b" sets again what line 5 sets; set each key once',
        ),
        (
            b'machine = "kang2022"\n[[jobs]]\nmachine = "x"\n[machine.nic]\n',
            "line 4: [machine.nic] sets again what line 1 sets; in place of line 1 write",
        ),
        (b"[mpi]\n[mpi]", "line 2: [mpi] sets again what an earlier line sets; set each key once"),
        (b"\xff\xfe", "byte 0 is not UTF-8 text; save the file as UTF-8"),
    ],
)
def test_a_file_that_is_not_toml_is_rejected(
    cli: Cli, workdir: Path, text: bytes, says: str
) -> None:
    file = workdir.parent / "broken.toml"
    file.write_bytes(text)
    line = one_line(cli("run", file))
    assert line.startswith(f"{file}: ")
    assert says in line
    assert not list(workdir.iterdir())


def test_a_byte_order_mark_before_a_scenario_is_skipped(cli: Cli, workdir: Path) -> None:
    file = workdir.parent / "marked.toml"
    file.write_bytes(b"\xef\xbb\xbf" + SMALL.encode())
    assert cli("check", file).status == 0


@pytest.mark.parametrize("name", ["-halo", "..", "_a", "a b"])
def test_the_rule_of_names_says_how_they_begin(cli: Cli, workdir: Path, name: str) -> None:
    file = workdir.parent / "named.toml"
    file.write_text(SMALL.replace('name = "halo"', f'name = "{name}"'))
    line = one_line(cli("check", file))
    assert f'"{name}": is not a name; begin with a letter or a digit, and use letters' in line


def test_an_unreadable_file_is_rejected(cli: Cli, workdir: Path) -> None:
    assert (
        one_line(cli("run", "absent.toml"))
        == "absent.toml: cannot be read: No such file or directory;"
        " check the path and its permissions"
    )
    assert one_line(cli("run", workdir)).endswith(
        "cannot be read: is a directory, not a regular file; name a file in it"
    )
    assert not list(workdir.iterdir())


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run", "FILE", "--seed", "-1"], "key seed = -1: must be at least 0"),
        (["run", "FILE", "--seed", "one"], "--seed"),
        (
            ["run", "FILE", "--set", "routing.algorithm"],
            "write e.g. --set machine.router.arbiter=age",
        ),
        (["run", "FILE", "--set", "routing.threshhold=1.0"], "did you mean 'threshold'?"),
        (["run"], "Missing argument 'FILE'"),
        (["run", "FILE", "--owt", "x"], "No such option: --owt"),
        (["rnu", "FILE"], "Did you mean 'run'?"),
        (["curve", "--loads", "0.1,half"], "write e.g. --loads 0.1,0.3,0.5"),
        (["curve", "--loads", ""], "there are no loads"),
        (["curve", "--loads", "1.5"], "load = 1.5: must be at most 1.0"),
        (["curve", "--preset", "booksim"], f"choose one of {', '.join(pt.router_presets())}"),
        (["curve", "--routing", "ugal"], "choose one of minimal, valiant_group"),
        (["curve", "--pattern", "tornado"], "choose one of uniform, shift"),
        (["curve", "--warmup", "3"], "warmup = '3': has no unit"),
        (["curve", "--timeline", "-3 us"], "timeline = '-3 us': must be more than zero"),
        (["curve", "--set", "machine.topologie.g=9"], "did you mean 'topology'?"),
        (["bench", "uniform"], "choose one of uniform-1056"),
        (["topology", "--preset", "kang"], "kang2022, prisacari2015("),
        (
            ["topology", "--preset", "prisacari2015(4,8)"],
            "takes 3 numbers: p, a, h; write e.g. 'prisacari2015(",
        ),
        (
            ["topology", "--p", "2", "--a", "4", "--h", "2", "--rows", "2", "--columns", "3"],
            "key a = 4: follows from rows and columns",
        ),
        (["topology", "--rows", "2", "--columns", "3", "--p", "2"], "key h: is missing"),
        (
            ["topology", "--p", "2", "--a", "4", "--h", "2", "--links-per-row-pair", "2"],
            "is not a key of a one-dim",
        ),
        (["topology", "--port-assignment", "even"], "choose one of consecutive, round_robin"),
        (["topology", "--routing", "minimal"], "--routing: needs --deadlock"),
        (
            ["topology", "--set", "routing.vc_map=booksim2"],
            "--set: needs --deadlock",
        ),
        (
            ["topology", "--deadlock", "--set", "routing.vc_mapp=booksim2"],
            "did you mean 'vc_map'?",
        ),
        (["topology", "FILE", "--preset", "theta"], "a scenario has its own machine"),
        (["topology", "--deadlock", "--routing", "bias(0,16)"], "add must be 0 to 15"),
        (["topology", "absent.toml", "--deadlock"], "absent.toml: cannot be read"),
        (["topology", "--p", "2"], "key h: is missing"),
        (["topology", "--p", "2", "--h", "1"], "key a: is missing"),
        (["topology", "--p", "0"], "key p = 0: must be at least 1"),
        (["topology", "--global-arrangement", "relative"], "choose one of absolute, palmtree"),
        (["report", "absent"], "absent: holds no run (run.json is missing)"),
    ],
)
def test_a_fault_on_the_command_line_is_one_line(
    cli: Cli, workdir: Path, small: Path, arguments: list[str], says: str
) -> None:
    assert says in one_line(cli(*(small if word == "FILE" else word for word in arguments)))
    assert not list(workdir.iterdir())
