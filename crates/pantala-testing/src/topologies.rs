//! Dragonflies for the tests of routing and of the fabric.

use pantala_topology::{DragonflySpec, GlobalArrangement, GroupSpec, PortAssignment, Topology};
use proptest::prelude::{Strategy, any};
use std::ops::Range;

/// A Dragonfly whose groups are full meshes, with as many links between groups as fit.
///
/// # Panics
/// If there is no such machine.
pub fn dragonfly(p: u32, a: u32, h: u32, g: u32) -> Topology {
    Topology::dragonfly(&spec(p, GroupSpec::FullMesh { routers: a, links_per_pair: 1 }, h, g))
        .unwrap()
}

/// The specification of a Dragonfly with as many links between groups as fit.
pub fn spec(p: u32, group: GroupSpec, h: u32, g: u32) -> DragonflySpec {
    DragonflySpec {
        terminals_per_router: p,
        group,
        global_ports: h,
        groups: g,
        links_per_pair: 0,
        global_arrangement: GlobalArrangement::Absolute,
        port_assignment: PortAssignment::Consecutive,
        mirrored: false,
        global_arrangement_seed: 0,
    }
}

/// Groups of one dimension with so many routers, and one or two links between each two.
pub fn meshes(routers: Range<u32>) -> impl Strategy<Value = GroupSpec> {
    (routers, 1u32..3)
        .prop_map(|(routers, links_per_pair)| GroupSpec::FullMesh { routers, links_per_pair })
}

/// Groups of two dimensions with so many rows, one to three columns, and parallel links of both.
pub fn grids(rows: Range<u32>) -> impl Strategy<Value = GroupSpec> {
    (rows, 1u32..4, 1u32..3, 1u32..4).prop_map(|(rows, columns, row, column)| GroupSpec::Grid {
        rows,
        columns,
        links_per_row_pair: row,
        links_per_column_pair: column,
    })
}

/// Dragonflies of one dimension with parallel links of both kinds, under every global arrangement.
pub fn dragonflies() -> impl Strategy<Value = Topology> {
    (1u32..4, 1u32..6, 1u32..3, 1u32..4, 0.0f64..1.0, 0usize..4, any::<bool>(), any::<u64>())
        .prop_map(
            |(
                p,
                routers,
                links_per_pair,
                h,
                share,
                global_arrangement,
                round_robin,
                global_arrangement_seed,
            )| {
                let groups = 2 + (f64::from(routers * h - 1) * share) as u32;
                let spec = DragonflySpec {
                    global_arrangement: GlobalArrangement::ALL[global_arrangement],
                    port_assignment: if round_robin {
                        PortAssignment::RoundRobin
                    } else {
                        PortAssignment::Consecutive
                    },
                    global_arrangement_seed,
                    ..spec(p, GroupSpec::FullMesh { routers, links_per_pair }, h, groups)
                };
                Topology::dragonfly(&spec).unwrap()
            },
        )
}
