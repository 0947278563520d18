"""Sound inputs from which the damage of readers in Python starts: one for each form of a format."""

from __future__ import annotations

__all__ = ["CODES", "EMBER", "EXPERIMENTS", "JOB_LOGS", "SCENARIOS", "WRONG_EXPERIMENTS"]

_NODE_LISTS = (
    "0-6,9", "generateNidListRange(0,8)", "generateNidList=generateNidListInterval(0,8,2)",
    "generateNidListRandom(64,0,8)", "generateNidListGroup(0,2,4,8)",
    "generateNidListQOS(16,0,linear,8)", "generateNidListQOS(16,0,interval,0,2,8)",
    "generateNidListQOS(16,0,random,8)", "generateNidListQOS(16,0,random-linear,8,3)",
    "generateNidListQOS(16,0,interval,1,2)",
)  # fmt: skip
_PARAMETERS = """\
[PARAM] ember:hermesParams.ctrlMsg.shortMsgLength=16000
[PARAM] ember:hermesParams.ctrlMsg.matchDelay_ns=150
[PARAM] ember:hermesParams.functionSM.defaultEnterLatency=30000
[PARAM] nic:nic2host_lat=150ns
[PARAM] nic:verboseLevel=0
[PARAM] nic:packetSize=2048B
[PARAM] nic:numVNs=1
[PARAM] merlin:link_lat_global=500ns
[PARAM] merlin:link_bw=25GB/s
[PARAM] merlin:flit_size=16B
[PARAM] merlin:xbar_arb=merlin.xbar_arb_lru
"""
_MOTIFS = (
    "Halo3D iterations=1 pex=2 pey=2 pez=2 nx=8 ny=8 nz=8 computetime=20 doreduce=1",
    "Allreduce iterations=2 count=8",
    "Ring iterations=2 messagesize=64",
    "Random iterations=4 messagesize=384",
    "FFT3D nx=8 ny=8 nz=8 npRow=2",
    "Sweep3D pex=2 pey=4 nx=4 ny=4 nz=4 kba=2",
    "Bcast count=4 root=1",
)
#: Load files: each node list, with a motif and, in some, parameters and variables.
EMBER = [
    f"[VAR] SIDE=2\n[VAR] MORE={{SIDE}}\n[JOB_ID] 0\n[NID_LIST] {nodes}\n"
    + (_PARAMETERS if number % 2 else "")
    + f"[MOTIF] Init\n[MOTIF] {_MOTIFS[number % len(_MOTIFS)]}\n[MOTIF] Fini\n[NUM_CORES] 1\n"
    + "[JOB_ID] 1\n[NID_LIST] 70-71\n[MOTIF] Null\n"
    for number, nodes in enumerate(_NODE_LISTS)
]

_FOLLOWING = """\
name = "f"
scenario = "small.toml"
seeds = [3, 4, 9]
precision = "2%"
precision_of = "communication_time_mean_ns"
skip_refused = true
keep = ["links", "ranks"]
set = { "routing.algorithm" = "ugal_n", "interference" = true }
[[axes]]
"jobs.fft.workload.iterations" = [1, 2, 3]
"jobs[1].workload.iterations" = [3, 2, 1]
[[axes]]
name = "where"
cases.near = { "jobs.*.placement" = "contiguous" }
cases.far = { "jobs.*.placement" = "random", "routing" = "ugal_g" }
"""
_UNTIL = """\
name = "u"
seeds = 2
until_precise = { precision = "1%", longest = "10 us" }
[axes]
"routing.algorithm" = ["minimal", { algorithm = "par" }]
"mpi.eager_threshold" = ["1 kB", 4096, 1.5]
[scenario]
routing = "minimal"
stop = { duration = "2 us" }
machine = { preset = "kang2022", topology = { p = 2, a = 4, h = 2, g = 9 } }
[[scenario.jobs]]
name = "all"
ranks = 72
workload = { kind = "pattern", pattern = "uniform", load = 0.2 }
"""
_AXES = '"routing.algorithm" = ["minimal", { algorithm = "par" }]'
#: Lines of an experiment, and the mistakes in their place.
_MISTAKEN = {
    "[axes]": ("[[axes]]", "[[axes]]\nname = 3", "[[axes]]\ncases = {}", "[[axes]]\ncases.a = 3"),
    _AXES: ('"routing.algorithm" = []', '"routing.algorithm" = "par"', "seed = [1, 2]", "a.b = [1]",
            '"jobs.*.placement" = [1]', '"jobs[3].ranks" = [1, 2]'),
    "seeds = 2": ("seeds = 0", 'seeds = "x"', "seeds = 2\nset = 3", "seeds = 2\nkeep = 1",
                  'seeds = 2\nkeep = ["job"]', "seeds = 2\nskip_refused = 1", "seeds = [1, 1]",
                  'seeds = 2\nset = { seed = 1, "interference" = 3 }', "seeds = 1\naxes = 3",
                  'seeds = 2\nprecision = "1%"', 'seeds = 2\nprecision_of = "x"'),
    'name = "u"': ("name = 3", 'name = "../u"', ""),
    "[scenario]": ('[wrong]', '[[scenario]]'),
    'longest = "10 us"': ('longest = "1 ns"', "most_packets = 0", 'precision_of = "x"'),
}  # fmt: skip
#: Experiments: axes zipped, of cases and crossed; a precision; a throughput that is followed.
EXPERIMENTS = [_FOLLOWING, _UNTIL]
#: Experiments with a mistake each.
WRONG_EXPERIMENTS = [
    _UNTIL.replace(line, other) for line, wrong in _MISTAKEN.items() for other in wrong
]

_SACCT = """\
JobID|JobName|Start|End|NodeList|NTasks
11|a|2026-05-01T08:00:00|2026-05-01T18:00:00|nid[00000-00007]|8
11.0|a|2026-05-01T08:00:00|Unknown|nid[00000-00007]|8
12_3|b|2026-05-01T08:00:00|2026-05-02T18:00:00|nid[00016,00020-00026]|8
13|c|2026-04-30T08:00:00|2026-05-01T11:00:00|None assigned|
"""
JOB_LOGS = [_SACCT]

_MILC = {
    "app": "milc", "iteration_cnt": 120, "compute_delay": 100, "dimension_cnt": 4,
    "dimension_sizes": [2, 2, 3, 3], "msg_size": 497664, "max_dimension_distance": 1,
    "randomize_communication_order": False, "cpu_freq": 4e9,
}  # fmt: skip
_NEIGHBOR = {
    "iteration_cnt": 5, "dimension_cnt": 2, "dimension_sizes": [4, 3], "msg_size": 32768,
    "max_dimension_distance": 1, "synchronous": True,
}  # fmt: skip
_NEKBONE = {
    "Rx": 2, "Ry": 2, "Rz": 3, "Ex": 10, "Ey": 10, "Ez": 10, "Pbegin": 8, "Pend": 12, "Pstep": 3,
    "CGcount": 100, "ByteSizeOf1DOF": 8,
}  # fmt: skip
_LAMMPS = {
    "num_x_replicas": 3, "num_y_replicas": 3, "num_z_replicas": 3, "num_time_steps": 30,
    "cpu_sim_speedup": 1e6, "cpu_freq": 4e9,
}  # fmt: skip
_INCAST = {"msg_req_bytes": 16, "dst_rank_id": 0, "src_rank_id_interval": [1, 11]}
_LOOP = {"iteration_cnt": 10, "msg_req_bytes": 8, "compute_delay": 1000, "cpu_freq": 1e9}
_UNION = {"latency": {"argc": 5, "argv": ["latency", "--reps", "100", "-m", "1M"]}}
_PROGRAM = (
    'reps is "Repetitions" and comes from "--reps" or "-r" with default 10.\n'
    'MaxBytes is "Largest" and comes from "--maxbytes" or "-m" with default 1K.\n'
    "For reps repetitions task 0 sends a maxbytes byte message to task 1.\n"
)


def _swm(file: str, line: str, keys: object) -> dict[str, object]:
    return {"jobs.conf": line, file: {"jobs": {"size": int(line.split()[0]), "cfg": keys}}}


#: Folders of CODES: their files by name, texts or values of JSON. The first name is that of the
#: workload file.
CODES: list[dict[str, object]] = [
    {
        "jobs.conf": "4 synthetic2 1 200\n\n36\tmilc\t1\t0 \r\n",
        "a.conf": "9 3 \t5 1\n\n" + " ".join(map(str, range(10, 46))),
        "timer.conf": "0 5000\n0 0\n",
        "period.conf": "200\n0\n",
        "milc_skeleton.json": {"jobs": {"size": 36, "cfg": _MILC}},
    },
    {"jobs.conf": "2 conceptual-latency 0 0\n8 synthetic1 0 400\n8 synthetic6 0 400\n",
     "conceptual.json": _UNION, "latency.ncptl": _PROGRAM},
    _swm("skeleton.json", "12 nearest_neighbor 0 0\n", _NEIGHBOR),
    _swm("workload.json", "12 nekbone 0 0\n", _NEKBONE),
    _swm("lammps_workload1.json", "12 lammps1 0 0\n", _LAMMPS),
    _swm("incast.json", "12 incast\n", _INCAST),
    _swm("allreduce32_workload.json", "32 allreduce32 0 0\n", _LOOP),
]  # fmt: skip

_SMALL_MACHINE = '{ preset = "kang2022", topology = { p = 2, a = 4, h = 2, g = 9 } }'
_COPIES = f"""\
name = "copies"
machine = {_SMALL_MACHINE}
routing = "ugal_g"
interference = {{ targets = ["fft"] }}
stop = {{ target = "fft" }}
[[jobs]]
name = "fft"
count = 3
ranks = 6
workload = {{ kind = "fft3d", grid = [2, 3], row_message = "1 kB", iterations = 1 }}
[[jobs]]
name = "list"
ranks = 8
repeat = true
placement = {{ kind = "hybrid", random_from = "4 kB" }}
workload = [
  {{ kind = "halo3d", grid = [2, 2, 2], message = "1 kB", iterations = 2 }},
  {{ kind = "uniform_random", message = "1 kB", iterations = 2 }},
]
"""
_PLACED = f"""\
name = "placed"
machine = {_SMALL_MACHINE}
routing = {{ algorithm = "par" }}
stop = {{ duration = "1 us" }}
[[jobs]]
name = "slurm"
ranks = 6
placement = {{ kind = "slurm", nodes = "nid[1-3]", tasks_per_node = "2(x3)" }}
workload = {{ kind = "fft3d", grid = [2, 3], row_message = "1 kB", iterations = 1 }}
[[jobs]]
name = "nodes"
ranks = 4
end = "900 ns"
placement = {{ kind = "nodes", nodes = [9, 8, 12, 13] }}
workload = {{ kind = "pattern", pattern = "shift", offset = 1, load = 0.1 }}
"""
#: Machines with failed links, links of their own and keys of the router, each in place of the small
#: one.
_TOPOLOGY = "topology = { p = 2, a = 4, h = 2, g = 9 }"
_ROUTERS = "router = { model = 'booksim2' }, links = { local = { bandwidth = '10 GB/s' } }"
_MACHINES = (
    f"{{ preset = 'kang2022', failed_links = {{ class = 'global', count = 2 }}, {_TOPOLOGY} }}",
    f"{{ preset = 'kang2022', failed_links = {{ share = 0.1, seed = 3 }}, {_TOPOLOGY} }}",
    f"{{ preset = 'kang2022', failed_links = ['g0r1-g1r0', '0:5'], {_TOPOLOGY} }}",
    "{ preset = 'kang2022', topology = { p = 2, a = 4, h = 2, g = 9, failed_links = ['0:5'] } }",
    "{ preset = 'kang2022', topology = { p = 2, a = 4, h = 2, g = 9, "
    "failed_links = { class = 'global', count = 2, share = 0.5 } } }",
    "{ preset = 'kang2022', topology = { p = 2, a = 4, h = 2, g = 9, "
    "failed_links = { class = 'local', share = 0.05, seed = 3 } } }",
    f"{{ preset = 'kang2022', {_ROUTERS}, {_TOPOLOGY} }}",
    "{ preset = 'theta', topology = { p = 1, rows = 2, columns = 4, g = 3 } }",
    "'kang2022'",
    "{ topology = { p = 2, a = 4, h = 2 }, packet = '512 B' }",
)
_OF_JOBS = (
    ('placement = { kind = "nodes", nodes = [9, 8, 12, 13] }', 'placement = "contiguous"'),
    ('placement = { kind = "nodes", nodes = [9, 8, 12, 13] }', "placement = { groups = 2 }"),
    ('end = "900 ns"', 'start = "2 us"\nend = "1 us"'),
    ('end = "900 ns"', "repeat = true\ncount = 0"),
    ('routing = { algorithm = "par" }', 'routing = "q_adaptive"\nmpi = "sst_sc22"\nrecord = "all"'),
    (
        'routing = { algorithm = "par" }',
        'routing = "par"\nrecord = { ports = "10 us", window = 0 }',
    ),
    ('stop = { duration = "1 us" }', 'skip = "1 %"\ndetail = { coarsen = 4 }'),
    ('name = "nodes"', 'name = "slurm"'),
)
#: Scenarios with copies, lists of applications, targets, nodes by name, machines and mistakes.
SCENARIOS = [
    *(_COPIES, _PLACED),
    *(_PLACED.replace(_SMALL_MACHINE, machine) for machine in _MACHINES),
    *(_PLACED.replace(line, other) for line, other in _OF_JOBS),
]
