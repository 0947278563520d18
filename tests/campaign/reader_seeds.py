"""Sound inputs from which the damage of readers in Python starts: one for each form of a format."""

from __future__ import annotations

__all__ = ["EMBER", "EXPERIMENTS", "JOB_LOGS"]

_NODE_LISTS = (
    "0-7,20,9", "generateNidListRange(0,8)", "generateNidList=generateNidListInterval(0,8,2)",
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
[PARAM] merlin:adaptive_threshold=1.5
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
    + "[JOB_ID] 1\n[NID_LIST] 40-71 # the rest\n[MOTIF] Null\n"
    for number, nodes in enumerate(_NODE_LISTS)
]

_FOLLOWING = """\
name = "f"
scenario = "small.toml"
seeds = [3, 4, 9]
precision = "2%"
precision_of = "slowdown"
skip_refused = true
keep = ["links", "ranks"]
set = { "routing.algorithm" = "valiant", "interference" = true }
[[axes]]
name = "shape"
"jobs.fft.ranks" = [6, 6, 6]
"jobs[1].ranks" = [8, 8, 8]
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
#: Experiments: axes zipped, of cases and crossed; a precision; a throughput that is followed.
EXPERIMENTS = [_FOLLOWING, _UNTIL]

_SACCT = """\
JobID|JobName|Start|End|NodeList|NTasks
11|a|2026-05-01T08:00:00|2026-05-01T18:00:00|nid[00000-00007]|8
11.0|a|2026-05-01T08:00:00|Unknown|nid[00000-00007]|8
12_3|b|2026-05-01T08:00:00|2026-05-02T18:00:00|nid[00016,00020-00026]|8
13|c|2026-04-30T08:00:00|2026-05-01T11:00:00|None assigned|
"""
JOB_LOGS = [_SACCT]
