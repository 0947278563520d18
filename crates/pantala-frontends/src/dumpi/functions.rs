//! The functions of DUMPI: number, name, layout of the arguments, and meaning in the replay.
//!
//! Each function has one declaration. The readers, the replay and the table of the documentation
//! follow from it. Types of arguments are in the order of the file: `i4` and `i8` signed integers,
//! `u1` and `u2` unsigned ones, `i4s`, `u2s` and `u1s` lists, `S` statuses. `at_root` marks an
//! argument that only the root's record has. The numbers and layouts were checked with traces of
//! sst-dumpi 1.0, 1.1, 8.1 and 13.0.

use Kind::{S, arguments, i4, i4s, i4ss, i8, text, texts, textss, u1, u1s, u2, u2s};
use Meaning::{As, Ignored, NeverWritten, Refused, Replayed};

/// The type of an argument in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(non_camel_case_types)]
pub enum Kind {
    /// A signed integer of four bytes.
    i4,
    /// A signed integer of eight bytes.
    i8,
    /// An unsigned integer of one byte.
    u1,
    /// An unsigned integer of two bytes.
    u2,
    /// A list of signed integers of four bytes.
    i4s,
    /// A list of unsigned integers of one byte.
    u1s,
    /// A list of unsigned integers of two bytes.
    u2s,
    /// A list of lists of signed integers of four bytes.
    i4ss,
    /// The statuses of the call, if they are kept.
    S,
    /// A string.
    text,
    /// A list of strings.
    texts,
    /// A list of lists of strings.
    textss,
    /// A count of four bytes, then as many strings.
    arguments,
}

/// What the replay does with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The call is replayed as itself.
    Replayed,
    /// The call is replayed in this form.
    As(&'static str),
    /// The call is left out, for this reason.
    Ignored(&'static str),
    /// A trace with this call is refused, for this reason.
    Refused(&'static str),
    /// sst-dumpi never writes the call.
    NeverWritten,
}

/// An argument of a function.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name in the text form.
    pub name: &'static str,
    /// Its type.
    pub kind: Kind,
    /// Whether only the root's record has it.
    pub at_root: bool,
}

/// The declaration of a function.
#[derive(Clone, Copy, Debug)]
pub struct Declaration {
    /// Its name without `MPI_`.
    pub name: &'static str,
    /// Its arguments, in the order of the file.
    pub fields: &'static [Field],
    /// What the replay does with it.
    pub meaning: Meaning,
}

pub(super) const LOCAL: &str = "local: it sends no message";
pub(super) const FILES: &str = "files are not simulated";
const WINDOWS: &str = "a window without one-sided transfers moves no data";
const ONE_SIDED: &str = "one-sided communication is not simulated";
const INTERCOMM: &str = "ranks of several worlds or groups are not simulated";
const PERSISTENT: &str = "nothing; each Start starts a send or receive of this kind";
const SIZE_KEPT: &str = "nothing; the type's size is kept";
const GROUP_KEPT: &str = "nothing; the group is kept for Comm_create";

/// Declares the functions.
macro_rules! functions {
    ($($number:literal $Name:ident($($field:ident: $kind:ident $($root:ident)?),*) $meaning:expr;)*) => {
        /// A function of DUMPI.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        #[allow(non_camel_case_types, missing_docs)]
        pub enum Function {
            $($Name = $number,)*
        }

        impl Function {
            /// All functions, by number.
            pub const ALL: &[Self] = &[$(Self::$Name,)*];

            /// The declarations, by number.
            const DECLARATIONS: &[Declaration] = &[$(
                Declaration {
                    name: stringify!($Name),
                    fields: &[$(Field {
                        name: stringify!($field),
                        kind: $kind,
                        at_root: at_root!($($root)?),
                    },)*],
                    meaning: $meaning,
                },
            )*];
        }
    };
}

macro_rules! at_root {
    () => {
        false
    };
    (at_root) => {
        true
    };
}

impl Function {
    /// The number that ends the records of a file.
    pub const END_OF_STREAM: u16 = 293;
    /// Number of functions in a footer.
    pub const COUNTED: usize = 290;

    /// The function with this number.
    #[must_use]
    pub fn numbered(number: u16) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// The declaration.
    #[must_use]
    pub const fn declaration(self) -> &'static Declaration {
        &Self::DECLARATIONS[self as usize]
    }

    /// The name with `MPI_`.
    #[must_use]
    pub fn mpi_name(self) -> String {
        format!("MPI_{}", self.declaration().name)
    }
}

functions! {
    0 Send(count: i4, datatype: u2, dest: i4, tag: i4, comm: u2) Replayed;
    1 Recv(count: i4, datatype: u2, source: i4, tag: i4, comm: u2, status: S) Replayed;
    2 Get_count(status: S, datatype: u2, count: i4) Ignored(LOCAL);
    3 Bsend(count: i4, datatype: u2, dest: i4, tag: i4, comm: u2) Replayed;
    4 Ssend(count: i4, datatype: u2, dest: i4, tag: i4, comm: u2) Replayed;
    5 Rsend(count: i4, datatype: u2, dest: i4, tag: i4, comm: u2) Replayed;
    6 Buffer_attach(size: i4) Ignored(LOCAL);
    7 Buffer_detach(size: i4) Ignored(LOCAL);
    8 Isend(count: i4, datatype: u2, dest: i4, tag: i4, comm: u2, request: i4) Replayed;
    9 Ibsend(count: i4, datatype: u2, dest: i4, tag: i4, comm: u2, request: i4) As("a Bsend; its
        request is complete at once");
    10 Issend(count: i4, datatype: u2, dest: i4, tag: i4, comm: u2, request: i4) Replayed;
    11 Irsend(count: i4, datatype: u2, dest: i4, tag: i4, comm: u2, request: i4) As("Isend");
    12 Irecv(count: i4, datatype: u2, source: i4, tag: i4, comm: u2, request: i4) Replayed;
    13 Wait(request: i4, status: S) Replayed;
    14 Test(request: i4, flag: i4, status: S) As("a Wait if it succeeded; time passes if not");
    15 Request_free(request: i4) As("nothing; an active send still goes, and the end of the
        program waits for it");
    16 Waitany(count: i4, requests: i4s, index: i4, status: S) As("a Wait for the request that
        it completed");
    17 Testany(count: i4, requests: i4s, index: i4, flag: i4, status: S) As("a Wait for the
        request that it completed, if any");
    18 Waitall(count: i4, requests: i4s, statuses: S) Replayed;
    19 Testall(count: i4, requests: i4s, flag: i4, statuses: S) As("a Waitall if it succeeded;
        time passes if not");
    20 Waitsome(count: i4, requests: i4s, outcount: i4, indices: i4s, statuses: S) As("a Waitall
        of the requests that it completed");
    21 Testsome(count: i4, requests: i4s, outcount: i4, indices: i4s, statuses: S) As("a Waitall
        of the requests that it completed, if any");
    22 Iprobe(source: i4, tag: i4, comm: u2, flag: i4, status: S) As("a Probe if it found a
        message; time passes if not");
    23 Probe(source: i4, tag: i4, comm: u2, status: S) Replayed;
    24 Cancel(request: i4) As("nothing; a receive that was cancelled is left out");
    25 Test_cancelled(status: S, cancelled: i4) Ignored(LOCAL);
    26 Send_init(count: i4, datatype: u2, dest: i4, tag: i4, comm: u2, request: i4) As(PERSISTENT);
    27 Bsend_init(count: i4, datatype: u2, dest: i4, tag: i4, comm: u2, request: i4) As(PERSISTENT);
    28 Ssend_init(count: i4, datatype: u2, dest: i4, tag: i4, comm: u2, request: i4) As(PERSISTENT);
    29 Rsend_init(count: i4, datatype: u2, dest: i4, tag: i4, comm: u2, request: i4) As(PERSISTENT);
    30 Recv_init(count: i4, datatype: u2, source: i4, tag: i4, comm: u2, request: i4)
        As(PERSISTENT);
    31 Start(request: i4) As("Isend, Issend, Bsend or Irecv, as the request was made");
    32 Startall(count: i4, requests: i4s) As("one Start for each request, in order");
    33 Sendrecv(sendcount: i4, sendtype: u2, dest: i4, sendtag: i4, recvcount: i4, recvtype: u2,
        source: i4, recvtag: i4, comm: u2, status: S) Replayed;
    34 Sendrecv_replace(count: i4, datatype: u2, dest: i4, sendtag: i4, source: i4, recvtag: i4,
        comm: u2, status: S) As("Sendrecv with one size in both directions");
    35 Type_contiguous(count: i4, oldtype: u2, newtype: u2) As(SIZE_KEPT);
    36 Type_vector(count: i4, blocklength: i4, stride: i4, oldtype: u2, newtype: u2) As(SIZE_KEPT);
    37 Type_hvector(count: i4, blocklength: i4, stride: i4, oldtype: u2, newtype: u2) As(SIZE_KEPT);
    38 Type_indexed(count: i4, lengths: i4s, indices: i4s, oldtype: u2, newtype: u2) As(SIZE_KEPT);
    39 Type_hindexed(count: i4, lengths: i4s, indices: i4s, oldtype: u2, newtype: u2) As(SIZE_KEPT);
    40 Type_struct(count: i4, lengths: i4s, indices: i4s, oldtypes: u2s, newtype: u2) As(SIZE_KEPT);
    41 Address(address: i4) Ignored(LOCAL);
    42 Type_extent(datatype: u2, extent: i4) Ignored(LOCAL);
    43 Type_size(datatype: u2, size: i4) Ignored(LOCAL);
    44 Type_lb(datatype: u2, lb: i4) Ignored(LOCAL);
    45 Type_ub(datatype: u2, ub: i4) Ignored(LOCAL);
    46 Type_commit(datatype: u2) Ignored(LOCAL);
    47 Type_free(datatype: u2) Ignored(LOCAL);
    48 Get_elements(status: S, datatype: u2, elements: i4) Ignored(LOCAL);
    49 Pack(incount: i4, datatype: u2, outcount: i4, position_in: i4, position_out: i4, comm:
        u2) Ignored(LOCAL);
    50 Unpack(incount: i4, position_in: i4, position_out: i4, outcount: i4, datatype: u2, comm:
        u2) Ignored(LOCAL);
    51 Pack_size(incount: i4, datatype: u2, comm: u2, size: i4) Ignored(LOCAL);
    52 Barrier(comm: u2) Replayed;
    53 Bcast(count: i4, datatype: u2, root: i4, comm: u2) Replayed;
    54 Gather(commrank: i4, sendcount: i4, sendtype: u2, root: i4, comm: u2, recvcount: i4
        at_root, recvtype: u2 at_root) Replayed;
    55 Gatherv(commrank: i4, commsize: i4, sendcount: i4, sendtype: u2, root: i4, comm: u2,
        recvcounts: i4s at_root, displs: i4s at_root, recvtype: u2) Replayed;
    56 Scatter(commrank: i4, recvcount: i4, recvtype: u2, root: i4, comm: u2, sendcount: i4
        at_root, sendtype: u2 at_root) Replayed;
    57 Scatterv(commrank: i4, commsize: i4, sendtype: u2, recvcount: i4, recvtype: u2, root: i4,
        comm: u2, sendcounts: i4s at_root, displs: i4s at_root) Replayed;
    58 Allgather(sendcount: i4, sendtype: u2, recvcount: i4, recvtype: u2, comm: u2) Replayed;
    59 Allgatherv(commsize: i4, sendcount: i4, sendtype: u2, recvcounts: i4s, displs: i4s,
        recvtype: u2, comm: u2) Replayed;
    60 Alltoall(sendcount: i4, sendtype: u2, recvcount: i4, recvtype: u2, comm: u2) Replayed;
    61 Alltoallv(commsize: i4, sendcounts: i4s, senddispls: i4s, sendtype: u2, recvcounts: i4s,
        recvdispls: i4s, recvtype: u2, comm: u2) Replayed;
    62 Reduce(count: i4, datatype: u2, op: u1, root: i4, comm: u2) Replayed;
    63 Op_create(commute: i4, op: u1) Ignored(LOCAL);
    64 Op_free(op: u1) Ignored(LOCAL);
    65 Allreduce(count: i4, datatype: u2, op: u1, comm: u2) Replayed;
    66 Reduce_scatter(commsize: i4, recvcounts: i4s, datatype: u2, op: u1, comm: u2) Replayed;
    67 Scan(count: i4, datatype: u2, op: u1, comm: u2) Replayed;
    68 Group_size(group: u2, size: i4) Ignored(LOCAL);
    69 Group_rank(group: u2, rank: i4) Ignored(LOCAL);
    70 Group_translate_ranks(group1: u2, count: i4, ranks1: i4s, group2: u2, ranks2: i4s)
        Ignored(LOCAL);
    71 Group_compare(group1: u2, group2: u2, result: u1) Ignored(LOCAL);
    72 Comm_group(comm: u2, group: u2) As(GROUP_KEPT);
    73 Group_union(group1: u2, group2: u2, newgroup: u2) As(GROUP_KEPT);
    74 Group_intersection(group1: u2, group2: u2, newgroup: u2) As(GROUP_KEPT);
    75 Group_difference(group1: u2, group2: u2, newgroup: u2) As(GROUP_KEPT);
    76 Group_incl(group: u2, count: i4, ranks: i4s, newgroup: u2) As(GROUP_KEPT);
    77 Group_excl(group: u2, count: i4, ranks: i4s, newgroup: u2) As(GROUP_KEPT);
    78 Group_range_incl(group: u2, count: i4, ranges: i4ss, newgroup: u2) As(GROUP_KEPT);
    79 Group_range_excl(group: u2, count: i4, ranges: i4ss, newgroup: u2) As(GROUP_KEPT);
    80 Group_free(group: u2) Ignored(LOCAL);
    81 Comm_size(comm: u2, size: i4) Ignored(LOCAL);
    82 Comm_rank(comm: u2, rank: i4) Ignored(LOCAL);
    83 Comm_compare(comm1: u2, comm2: u2, result: u1) Ignored(LOCAL);
    84 Comm_dup(oldcomm: u2, newcomm: u2) Replayed;
    85 Comm_create(oldcomm: u2, group: u2, newcomm: u2) Replayed;
    86 Comm_split(oldcomm: u2, color: i4, key: i4, newcomm: u2) Replayed;
    87 Comm_free(comm: u2) Replayed;
    88 Comm_test_inter(comm: u2, inter: i4) Ignored(LOCAL);
    89 Comm_remote_size(comm: u2, size: i4) Ignored(LOCAL);
    90 Comm_remote_group(comm: u2, group: u2) Ignored(LOCAL);
    91 Intercomm_create(localcomm: u2, localleader: i4, remotecomm: u2, remoteleader: i4, tag:
        i4, newcomm: u2) Refused(INTERCOMM);
    92 Intercomm_merge(comm: u2, high: i4, newcomm: u2) Refused(INTERCOMM);
    93 Keyval_create(key: u2) Ignored(LOCAL);
    94 Keyval_free(key: u2) Ignored(LOCAL);
    95 Attr_put(comm: u2, key: i4) Ignored(LOCAL);
    96 Attr_get(comm: u2, key: i4, flag: i4) Ignored(LOCAL);
    97 Attr_delete(comm: u2, key: i4) Ignored(LOCAL);
    98 Topo_test(comm: u2, topo: u1) Ignored(LOCAL);
    99 Cart_create(oldcomm: u2, ndim: i4, dims: i4s, periods: i4s, reorder: i4, newcomm: u2)
        As("Comm_create of the first ranks; ranks are not reordered");
    100 Dims_create(nodes: i4, ndim: i4, dims_in: i4s, dims_out: i4s) Ignored(LOCAL);
    101 Graph_create(numedges: i4, oldcomm: u2, nodes: i4, index: i4s, edges: i4s, reorder: i4,
        newcomm: u2) As("Comm_create of the first ranks; ranks are not reordered");
    102 Graphdims_get(comm: u2, nodes: i4, edges: i4) Ignored(LOCAL);
    103 Graph_get(totedges: i4, totnodes: i4, comm: u2, maxindex: i4, maxedges: i4, index: i4s,
        edges: i4s) Ignored(LOCAL);
    104 Cartdim_get(comm: u2, ndim: i4) Ignored(LOCAL);
    105 Cart_get(ndim: i4, comm: u2, maxdims: i4, dims: i4s, periods: i4s, coords: i4s)
        Ignored(LOCAL);
    106 Cart_rank(ndim: i4, comm: u2, coords: i4s, rank: i4) Ignored(LOCAL);
    107 Cart_coords(ndim: i4, comm: u2, rank: i4, maxdims: i4, coords: i4s) Ignored(LOCAL);
    108 Graph_neighbors_count(comm: u2, rank: i4, nneigh: i4) Ignored(LOCAL);
    109 Graph_neighbors(nneigh: i4, comm: u2, rank: i4, maxneighbors: i4, neighbors: i4s)
        Ignored(LOCAL);
    110 Cart_shift(comm: u2, direction: i4, displ: i4, source: i4, dest: i4) Ignored(LOCAL);
    111 Cart_sub(ndim: i4, oldcomm: u2, remain_dims: i4s, newcomm: u2) As("Comm_split by the
        dropped coordinates");
    112 Cart_map(comm: u2, ndim: i4, dims: i4s, period: i4s, newrank: i4) Ignored(LOCAL);
    113 Graph_map(numedges: i4, comm: u2, nodes: i4, index: i4s, edges: i4s, newrank: i4)
        Ignored(LOCAL);
    114 Get_processor_name(name: text, resultlen: i4) Ignored(LOCAL);
    115 Get_version(version: i4, subversion: i4) Ignored(LOCAL);
    116 Errhandler_create(errhandler: u2) Ignored(LOCAL);
    117 Errhandler_set(comm: u2, errhandler: u2) Ignored(LOCAL);
    118 Errhandler_get(comm: u2, errhandler: u2) Ignored(LOCAL);
    119 Errhandler_free(errhandler: u2) Ignored(LOCAL);
    120 Error_string(errorcode: i4, errorstring: text, resultlen: i4) Ignored(LOCAL);
    121 Error_class(errorcode: i4, errorclass: i4) Ignored(LOCAL);
    122 Wtime() Ignored(LOCAL);
    123 Wtick() Ignored(LOCAL);
    124 Init(argc: arguments) As("the start of the program; time before its end is left out");
    125 Finalize() As("the end of the program, after its active sends");
    126 Initialized(result: i4) Ignored(LOCAL);
    127 Abort(comm: u2, errorcode: i4) Refused("the traced program failed");
    128 Pcontrol() NeverWritten;
    129 Close_port(portname: text) Ignored(LOCAL);
    130 Comm_accept(portname: text, info: u2, root: i4, oldcomm: u2, newcomm: u2)
        Refused(INTERCOMM);
    131 Comm_connect(portname: text, info: u2, root: i4, oldcomm: u2, newcomm: u2)
        Refused(INTERCOMM);
    132 Comm_disconnect(comm: u2) As("Comm_free");
    133 Comm_get_parent(parent: u2) Ignored(LOCAL);
    134 Comm_join(fd: i4, comm: u2) Refused(INTERCOMM);
    135 Comm_spawn(oldcommrank: i4, root: i4, oldcomm: u2, newcomm: u2, command: text at_root,
        argv: texts at_root, maxprocs: i4 at_root, info: u2 at_root, errcodes: i4s at_root)
        Refused(INTERCOMM);
    136 Comm_spawn_multiple(totprocs: i4, oldcommrank: i4, root: i4, oldcomm: u2, newcomm: u2,
        count: i4 at_root, commands: texts at_root, argvs: textss at_root, maxprocs: i4s
        at_root, info: u2s at_root, errcodes: i4s at_root) Refused(INTERCOMM);
    137 Lookup_name(servicename: text, info: u2, portname: text) Ignored(LOCAL);
    138 Open_port(info: u2, portname: text) Ignored(LOCAL);
    139 Publish_name(servicename: text, info: u2, portname: text) Ignored(LOCAL);
    140 Unpublish_name(servicename: text, info: u2, portname: text) Ignored(LOCAL);
    141 Accumulate(origincount: i4, origintype: u2, targetrank: i4, targetdisp: i4, targetcount:
        i4, targettype: u2, op: u1, win: u2) Refused(ONE_SIDED);
    142 Get(origincount: i4, origintype: u2, targetrank: i4, targetdisp: i4, targetcount: i4,
        targettype: u2, win: u2) Refused(ONE_SIDED);
    143 Put(origincount: i4, origintype: u2, targetrank: i4, targetdisp: i4, targetcount: i4,
        targettype: u2, win: u2) Refused(ONE_SIDED);
    144 Win_complete(win: u2) Ignored(WINDOWS);
    145 Win_create(size: i4, dispunit: i4, info: u2, comm: u2, win: u2) Ignored(WINDOWS);
    146 Win_fence(assertion: u1, win: u2) Ignored(WINDOWS);
    147 Win_free(win: u2) Ignored(WINDOWS);
    148 Win_get_group(win: u2, group: u2) Ignored(WINDOWS);
    149 Win_lock(locktype: u1, winrank: i4, assertion: u1, win: u2) Ignored(WINDOWS);
    150 Win_post(group: u2, assertion: u1, win: u2) Ignored(WINDOWS);
    151 Win_start(group: u2, assertion: u1, win: u2) Ignored(WINDOWS);
    152 Win_test(win: u2, flag: i4) Ignored(WINDOWS);
    153 Win_unlock(winrank: i4, win: u2) Ignored(WINDOWS);
    154 Win_wait(win: u2) Ignored(WINDOWS);
    155 Alltoallw(commsize: i4, sendcounts: i4s, senddispls: i4s, sendtypes: u2s, recvcounts:
        i4s, recvdispls: i4s, recvtypes: u2s, comm: u2) As("Alltoallv in bytes");
    156 Exscan(count: i4, datatype: u2, op: u1, comm: u2) Replayed;
    157 Add_error_class(errorclass: i4) Ignored(LOCAL);
    158 Add_error_code(errorclass: i4, errorcode: i4) Ignored(LOCAL);
    159 Add_error_string(errorcode: i4, errorstring: text) Ignored(LOCAL);
    160 Comm_call_errhandler(comm: u2, errorcode: i4) Ignored(LOCAL);
    161 Comm_create_keyval(keyval: u2) Ignored(LOCAL);
    162 Comm_delete_attr(comm: u2, keyval: u2) Ignored(LOCAL);
    163 Comm_free_keyval(keyval: u2) Ignored(LOCAL);
    164 Comm_get_attr(comm: u2, keyval: u2, flag: i4) Ignored(LOCAL);
    165 Comm_get_name(comm: u2, name: text, resultlen: i4) Ignored(LOCAL);
    166 Comm_set_attr(comm: u2, keyval: u2) Ignored(LOCAL);
    167 Comm_set_name(comm: u2, name: text) Ignored(LOCAL);
    168 File_call_errhandler(file: u2, errorcode: i4) Ignored(FILES);
    169 Grequest_complete(request: i4) Ignored(LOCAL);
    170 Grequest_start(request: i4) Ignored(LOCAL);
    171 Init_thread(argc: arguments, required: u1, provided: u1) As("the start of the program;
        time before its end is left out");
    172 Is_thread_main(flag: i4) Ignored(LOCAL);
    173 Query_thread(supported: u1) Ignored(LOCAL);
    174 Status_set_cancelled(status: S, flag: i4) Ignored(LOCAL);
    175 Status_set_elements(status: S, datatype: u2, count: i4) Ignored(LOCAL);
    176 Type_create_keyval(keyval: u2) Ignored(LOCAL);
    177 Type_delete_attr(datatype: u2, keyval: u2) Ignored(LOCAL);
    178 Type_dup(oldtype: u2, newtype: u2) As(SIZE_KEPT);
    179 Type_free_keyval(keyval: u2) Ignored(LOCAL);
    180 Type_get_attr(datatype: u2, keyval: u2, flag: i4) Ignored(LOCAL);
    181 Type_get_contents(numdatatypes: i4, numaddresses: i4, numintegers: i4, datatype: u2,
        maxintegers: i4, maxaddresses: i4, maxdatatypes: i4, arrintegers: i4s, arraddresses:
        i4s, arrdatatypes: u2s) Ignored(LOCAL);
    182 Type_get_envelope(datatype: u2, numintegers: i4, numaddresses: i4, numdatatypes: i4,
        combiner: u1) Ignored(LOCAL);
    183 Type_get_name(datatype: u2, name: text, resultlen: i4) Ignored(LOCAL);
    184 Type_set_attr(datatype: u2, keyval: u2) Ignored(LOCAL);
    185 Type_set_name(datatype: u2, name: text) Ignored(LOCAL);
    186 Type_match_size(typeclass: u1, size: i4, datatype: u2) Ignored(LOCAL);
    187 Win_call_errhandler(win: u2, errorcode: i4) Ignored(WINDOWS);
    188 Win_create_keyval(keyval: u2) Ignored(WINDOWS);
    189 Win_delete_attr(win: u2, keyval: u2) Ignored(WINDOWS);
    190 Win_free_keyval(keyval: u2) Ignored(WINDOWS);
    191 Win_get_attr(win: u2, keyval: u2, flag: i4) Ignored(WINDOWS);
    192 Win_get_name(win: u2, name: text, resultlen: i4) Ignored(WINDOWS);
    193 Win_set_attr(win: u2, keyval: u2) Ignored(WINDOWS);
    194 Win_set_name(win: u2, name: text) Ignored(WINDOWS);
    195 Alloc_mem(size: i4, info: u2) Ignored(LOCAL);
    196 Comm_create_errhandler(errhandler: u2) Ignored(LOCAL);
    197 Comm_get_errhandler(comm: u2, errhandler: u2) Ignored(LOCAL);
    198 Comm_set_errhandler(comm: u2, errhandler: u2) Ignored(LOCAL);
    199 File_create_errhandler(errhandler: u2) Ignored(FILES);
    200 File_get_errhandler(file: u2, errhandler: u2) Ignored(FILES);
    201 File_set_errhandler(file: u2, errhandler: u2) Ignored(FILES);
    202 Finalized(flag: i4) Ignored(LOCAL);
    203 Free_mem() Ignored(LOCAL);
    204 Get_address(address: i4) Ignored(LOCAL);
    205 Info_create(info: u2) Ignored(LOCAL);
    206 Info_delete(info: u2, key: text) Ignored(LOCAL);
    207 Info_dup(oldinfo: u2, newinfo: u2) Ignored(LOCAL);
    208 Info_free(info: u2) Ignored(LOCAL);
    209 Info_get(info: u2, key: text, valuelength: i4, value: text, flag: i4) Ignored(LOCAL);
    210 Info_get_nkeys(info: u2, nkeys: i4) Ignored(LOCAL);
    211 Info_get_nthkey(info: u2, n: i4, key: text) Ignored(LOCAL);
    212 Info_get_valuelen(info: u2, key: text, valuelen: i4, flag: i4) Ignored(LOCAL);
    213 Info_set(info: u2, key: text, value: text) Ignored(LOCAL);
    214 Pack_external(datarep: text, incount: i4, intype: u2, outcount: i4, position_in: i4,
        position_out: i4) Ignored(LOCAL);
    215 Pack_external_size(datarep: text, incount: i4, datatype: u2, size: i4) Ignored(LOCAL);
    216 Request_get_status(request: i4, flag: i4, status: S) Ignored(LOCAL);
    217 Type_create_darray(size: i4, rank: i4, ndims: i4, gsizes: i4s, distribs: u1s, dargs:
        i4s, psizes: i4s, order: u1, oldtype: u2, newtype: u2) As("nothing; the size is that of
        the trace's table");
    218 Type_create_hindexed(count: i4, blocklengths: i4s, displacements: i4s, oldtype: u2,
        newtype: u2) As(SIZE_KEPT);
    219 Type_create_hvector(count: i4, blocklength: i4, stride: i4, oldtype: u2, newtype: u2)
        As(SIZE_KEPT);
    220 Type_create_indexed_block(count: i4, blocklength: i4, displacments: i4s, oldtype: u2,
        newtype: u2) As(SIZE_KEPT);
    221 Type_create_resized(oldtype: u2, lb: i4, extent: i4, newtype: u2) As(SIZE_KEPT);
    222 Type_create_struct(count: i4, blocklengths: i4s, displacements: i4s, oldtypes: u2s,
        newtype: u2) As(SIZE_KEPT);
    223 Type_create_subarray(ndims: i4, sizes: i4s, subsizes: i4s, starts: i4s, order: u1,
        oldtype: u2, newtype: u2) As(SIZE_KEPT);
    224 Type_get_extent(datatype: u2, lb: i4, extent: i4) Ignored(LOCAL);
    225 Type_get_true_extent(datatype: u2, lb: i4, extent: i4) Ignored(LOCAL);
    226 Unpack_external(datarep: text, insize: i4, position_in: i4, position_out: i4, outcount:
        i4, datatype: u2) Ignored(LOCAL);
    227 Win_create_errhandler(errhandler: u2) Ignored(WINDOWS);
    228 Win_get_errhandler(win: u2, errhandler: u2) Ignored(WINDOWS);
    229 Win_set_errhandler(win: u2, errhandler: u2) Ignored(WINDOWS);
    230 File_open(comm: u2, filename: text, amode: u1, info: u2, file: u2) Ignored(FILES);
    231 File_close(file: u2) Ignored(FILES);
    232 File_delete(filename: text, info: u2) Ignored(FILES);
    233 File_set_size(file: u2, size: i8) Ignored(FILES);
    234 File_preallocate(file: u2, size: i8) Ignored(FILES);
    235 File_get_size(file: u2, size: i8) Ignored(FILES);
    236 File_get_group(file: u2, group: u2) Ignored(FILES);
    237 File_get_amode(file: u2, amode: u1) Ignored(FILES);
    238 File_set_info(file: u2, info: u2) Ignored(FILES);
    239 File_get_info(file: u2, info: u2) Ignored(FILES);
    240 File_set_view(file: u2, offset: i8, hosttype: u2, filetype: u2, datarep: text, info: u2)
        Ignored(FILES);
    241 File_get_view(file: u2, offset: i8, hosttype: u2, filetype: u2, datarep: text)
        Ignored(FILES);
    242 File_read_at(file: u2, offset: i8, count: i4, datatype: u2, status: S) Ignored(FILES);
    243 File_read_at_all(file: u2, offset: i8, count: i4, datatype: u2, status: S) Ignored(FILES);
    244 File_write_at(file: u2, offset: i8, count: i4, datatype: u2, status: S) Ignored(FILES);
    245 File_write_at_all(file: u2, offset: i8, count: i4, datatype: u2, status: S) Ignored(FILES);
    246 File_iread_at(file: u2, offset: i8, count: i4, datatype: u2, request: i4) Ignored(FILES);
    247 File_iwrite_at(file: u2, offset: i8, count: i4, datatype: u2, request: i4) Ignored(FILES);
    248 File_read(file: u2, count: i4, datatype: u2, status: S) Ignored(FILES);
    249 File_read_all(file: u2, count: i4, datatype: u2, status: S) Ignored(FILES);
    250 File_write(file: u2, count: i4, datatype: u2, status: S) Ignored(FILES);
    251 File_write_all(file: u2, count: i4, datatype: u2, status: S) Ignored(FILES);
    252 File_iread(file: u2, count: i4, datatype: u2, request: i4) Ignored(FILES);
    253 File_iwrite(file: u2, count: i4, datatype: u2, request: i4) Ignored(FILES);
    254 File_seek(file: u2, offset: i8, whence: u1) Ignored(FILES);
    255 File_get_position(file: u2, offset: i8) Ignored(FILES);
    256 File_get_byte_offset(file: u2, offset: i8, bytes: i8) Ignored(FILES);
    257 File_read_shared(file: u2, count: i4, datatype: u2, status: S) Ignored(FILES);
    258 File_write_shared(file: u2, count: i4, datatype: u2, status: S) Ignored(FILES);
    259 File_iread_shared(file: u2, count: i4, datatype: u2, request: i4) Ignored(FILES);
    260 File_iwrite_shared(file: u2, count: i4, datatype: u2, request: i4) Ignored(FILES);
    261 File_read_ordered(file: u2, count: i4, datatype: u2, status: S) Ignored(FILES);
    262 File_write_ordered(file: u2, count: i4, datatype: u2, status: S) Ignored(FILES);
    263 File_seek_shared(file: u2, offset: i8, whence: u1) Ignored(FILES);
    264 File_get_position_shared(file: u2, offset: i8) Ignored(FILES);
    265 File_read_at_all_begin(file: u2, offset: i8, count: i4, datatype: u2) Ignored(FILES);
    266 File_read_at_all_end(file: u2, status: S) Ignored(FILES);
    267 File_write_at_all_begin(file: u2, offset: i8, count: i4, datatype: u2) Ignored(FILES);
    268 File_write_at_all_end(file: u2, status: S) Ignored(FILES);
    269 File_read_all_begin(file: u2, count: i4, datatype: u2) Ignored(FILES);
    270 File_read_all_end(file: u2, status: S) Ignored(FILES);
    271 File_write_all_begin(file: u2, count: i4, datatype: u2) Ignored(FILES);
    272 File_write_all_end(file: u2, status: S) Ignored(FILES);
    273 File_read_ordered_begin(file: u2, count: i4, datatype: u2) Ignored(FILES);
    274 File_read_ordered_end(file: u2, status: S) Ignored(FILES);
    275 File_write_ordered_begin(file: u2, count: i4, datatype: u2) Ignored(FILES);
    276 File_write_ordered_end(file: u2, status: S) Ignored(FILES);
    277 File_get_type_extent(file: u2, datatype: u2, extent: i4) Ignored(FILES);
    278 Register_datarep(name: text) Ignored(FILES);
    279 File_set_atomicity(file: u2, flag: i4) Ignored(FILES);
    280 File_get_atomicity(file: u2, flag: i4) Ignored(FILES);
    281 File_sync(file: u2) Ignored(FILES);
    282 DUMPIO_Test() NeverWritten;
    283 DUMPIO_Wait() NeverWritten;
    284 DUMPIO_Testall() NeverWritten;
    285 DUMPIO_Waitall() NeverWritten;
    286 DUMPIO_Testany() NeverWritten;
    287 DUMPIO_Waitany() NeverWritten;
    288 DUMPIO_Waitsome() NeverWritten;
    289 DUMPIO_Testsome() NeverWritten;
    290 All_functions() NeverWritten;
    291 Function_enter(fn: i8) Ignored("no MPI call");
    292 Function_exit(fn: i8) Ignored("no MPI call");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_places() {
        assert_eq!(Function::ALL.len(), 293);
        for (place, function) in Function::ALL.iter().enumerate() {
            assert_eq!(*function as usize, place);
        }
        assert_eq!(Function::Exscan as u16, 156);
        assert_eq!(Function::File_sync as u16, 281);
        assert_eq!(Function::numbered(Function::END_OF_STREAM), None);
    }
}
