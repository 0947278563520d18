//! Dragonflies for tests.

use pantala_topology::{DragonflySpec, GlobalArrangement, GroupSpec, PortAssignment, Topology};
use proptest::prelude::*;

/// A Dragonfly whose groups are full meshes, with the largest possible number of links between
/// groups.
pub(crate) fn spec(
    p: u32,
    a: u32,
    h: u32,
    g: u32,
    global_arrangement: GlobalArrangement,
) -> DragonflySpec {
    DragonflySpec {
        terminals_per_router: p,
        group: GroupSpec::FullMesh { routers: a, links_per_pair: 1 },
        global_ports: h,
        groups: g,
        links_per_pair: 0,
        global_arrangement,
        port_assignment: PortAssignment::Consecutive,
        mirrored: false,
        global_arrangement_seed: 0,
    }
}

/// A grid with the given numbers of links between routers of a row and of a column.
pub(crate) fn grid(rows: u32, columns: u32, row_links: u32, column_links: u32) -> GroupSpec {
    GroupSpec::Grid {
        rows,
        columns,
        links_per_row_pair: row_links,
        links_per_column_pair: column_links,
    }
}

/// Builds a valid Dragonfly.
pub(crate) fn build(spec: &DragonflySpec) -> Topology {
    Topology::dragonfly(spec).expect("a good spec was refused")
}

/// The inside of a group of up to eight routers, or of one row or column.
pub(crate) fn any_group() -> impl Strategy<Value = GroupSpec> {
    prop_oneof![
        (1..8u32, 1..4u32)
            .prop_map(|(routers, links_per_pair)| GroupSpec::FullMesh { routers, links_per_pair }),
        (1..4u32, 1..5u32, 1..4u32, 1..4u32).prop_map(
            |(rows, columns, row_links, column_links)| grid(rows, columns, row_links, column_links)
        ),
    ]
}

/// Any Dragonfly of up to a few thousand ports: 1D or 2D, fully or partly populated, or a single
/// group.
pub(crate) fn any_spec() -> impl Strategy<Value = DragonflySpec> {
    (1..5u32, any_group(), 0..5u32)
        .prop_flat_map(|(p, group, h)| {
            let a = match group {
                GroupSpec::FullMesh { routers, .. } => routers,
                GroupSpec::Grid { rows, columns, .. } => rows * columns,
            };
            let global_arrangement = (
                0..GlobalArrangement::ALL.len(),
                0..PortAssignment::ALL.len(),
                any::<bool>(),
                any::<u64>(),
            );
            (Just((p, group, a, h)), 1..=a * h + 1, global_arrangement, any::<u32>())
        })
        .prop_map(
            |(
                (p, group, a, h),
                g,
                (global_arrangement, port_assignment, mirrored, global_arrangement_seed),
                links,
            )| {
                let global_arrangement = GlobalArrangement::ALL[global_arrangement];
                let most = if g == 1 { 0 } else { a * h / (g - 1) };
                DragonflySpec {
                    group,
                    links_per_pair: links % (most + 1),
                    port_assignment: PortAssignment::ALL[port_assignment],
                    mirrored: mirrored && global_arrangement == GlobalArrangement::Palmtree,
                    global_arrangement_seed,
                    ..spec(p, a, h, g, global_arrangement)
                }
            },
        )
}
