//! Dragonflies to test with.

use pantala_topology::{DragonflySpec, GroupSpec, Spread, Topology, Wiring};
use proptest::prelude::*;

/// A Dragonfly whose groups are full meshes, with as many links between groups as fit.
pub(crate) fn spec(p: u32, a: u32, h: u32, g: u32, wiring: Wiring) -> DragonflySpec {
    DragonflySpec {
        nodes_per_router: p,
        group: GroupSpec::FullMesh { routers: a, links_per_pair: 1 },
        global_ports: h,
        groups: g,
        links_per_pair: 0,
        wiring,
        spread: Spread::Consecutive,
        mirrored: false,
        wiring_seed: 0,
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

/// Builds a sound Dragonfly.
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

/// Any Dragonfly of up to a few thousand ports: 1D or 2D, full, partly populated or a single group.
pub(crate) fn any_spec() -> impl Strategy<Value = DragonflySpec> {
    (1..5u32, any_group(), 0..5u32)
        .prop_flat_map(|(p, group, h)| {
            let a = match group {
                GroupSpec::FullMesh { routers, .. } => routers,
                GroupSpec::Grid { rows, columns, .. } => rows * columns,
            };
            let wiring = (0..Wiring::ALL.len(), 0..Spread::ALL.len(), any::<bool>(), any::<u64>());
            (Just((p, group, a, h)), 1..=a * h + 1, wiring, any::<u32>())
        })
        .prop_map(|((p, group, a, h), g, (wiring, spread, mirrored, wiring_seed), links)| {
            let wiring = Wiring::ALL[wiring];
            let most = if g == 1 { 0 } else { a * h / (g - 1) };
            DragonflySpec {
                group,
                links_per_pair: links % (most + 1),
                spread: Spread::ALL[spread],
                mirrored: mirrored && wiring == Wiring::Palmtree,
                wiring_seed,
                ..spec(p, a, h, g, wiring)
            }
        })
}
