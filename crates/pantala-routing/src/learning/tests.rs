use super::*;
use pantala_topology::{DragonflySpec, GlobalArrangement, GroupSpec, PortAssignment};

/// Two terminals a router, three routers a group, one global port a router: four groups, one link a
/// pair.
fn topology(groups: u32) -> Topology {
    Topology::dragonfly(&DragonflySpec {
        terminals_per_router: 2,
        group: GroupSpec::FullMesh { routers: 3, links_per_pair: 1 },
        global_ports: 1,
        groups,
        links_per_pair: 1,
        global_arrangement: GlobalArrangement::Absolute,
        port_assignment: PortAssignment::Consecutive,
        mirrored: false,
        global_arrangement_seed: 0,
    })
    .unwrap()
}

fn rates(truncate: bool) -> QAdaptiveConfig {
    QAdaptiveConfig { truncate, ..QAdaptiveConfig::default() }
}

/// By hand, with rates 0.2 and 0.04: 300 - 0.2 * 1 = 299.8, 300 - 0.2 * 100 = 280, 330 + 0.04 * 26
/// = 331.04 and so on.
fn whole_table(topology: &Topology) -> QTable {
    QTable::of(topology, 0..topology.routers(), 300.0, 330.0)
}

#[test]
fn an_estimate_follows_feedback_quickly_down_and_slowly_up() {
    let exact = [
        (300.0, 299.0, 299.8),
        (300.0, 200.0, 280.0),
        (330.0, 356.0, 331.04),
        (300.0, 324.0, 300.96),
    ];
    let cut = [
        (300.0, 299.0, 299.0),
        (300.0, 200.0, 280.0),
        (330.0, 356.0, 331.0),
        (300.0, 324.0, 300.0),
    ];
    for (truncate, cases) in [(false, exact), (true, cut)] {
        for (before, target, after) in cases {
            assert_eq!(
                rates(truncate).corrected(before, target),
                after,
                "{before} hears {target}, truncate {truncate}"
            );
        }
        assert_eq!(rates(truncate).corrected(300.0, 300.0), 300.0);
        assert_eq!(rates(truncate).corrected(0.0, 0.0), 0.0);
    }
    // The least rise that counts is 1 / 0.04 ns.
    assert_eq!(rates(true).corrected(300.0, 325.0), 301.0);
    let at_once = QAdaptiveConfig { learning_rate_down: 1.0, learning_rate_up: 1.0, ..rates(true) };
    assert_eq!(
        (at_once.corrected(300.0, 17.0), at_once.corrected(300.0, 4_711.0)),
        (17.0, 4_711.0)
    );
}

#[test]
fn untrained_tables_know_the_latencies_of_links() {
    let table = whole_table(&topology(4));
    // 12 routers, 3 groups * 2 slots, 2 local ports and 1 global port.
    assert_eq!((table.rows(), table.columns(), table.len()), (6, 3, 12 * 6 * 3));
    let topology = topology(4);
    for estimate in table.estimates() {
        let Estimate { router, destination_group, port, ns, .. } = estimate;
        let direct = topology.global_links(topology.group_of(router), destination_group)[0];
        let own = (direct.router, u32::from(direct.port)) == (router, port);
        assert_eq!(ns, if own { 300.0 } else { 330.0 }, "{estimate:?}");
    }
}

#[test]
fn every_estimate_has_one_place() {
    let untrained = whole_table(&topology(4));
    let numbered = || {
        untrained.estimates().zip(0u16..).map(|(estimate, n)| Estimate { ns: n.into(), ..estimate })
    };
    let mut reversed: Vec<Estimate> = numbered().collect();
    reversed.reverse();
    let table = untrained.filled(reversed).unwrap();
    assert!(table.is_like(&untrained));
    assert!(table.estimates().eq(numbered()));
    for Estimate { router, destination_group, slot, port, ns } in numbered() {
        let row = table.row_of(router / 3, destination_group, slot as u16);
        assert_eq!(table.row_at(router, row)[port as usize - 2], ns);
    }
}

#[test]
fn estimates_of_another_machine_do_not_fit() {
    let table = whole_table(&topology(4));
    let all: Vec<Estimate> = table.estimates().collect();
    let good = Estimate { router: 0, destination_group: 1, slot: 0, port: 2, ns: 1.0 };
    for stray in [
        Estimate { router: 12, ..good },
        Estimate { destination_group: 0, ..good },
        Estimate { destination_group: 4, ..good },
        Estimate { slot: 2, ..good },
        Estimate { port: 1, ..good },
        Estimate { port: 5, ..good },
        Estimate { ns: -1.0, ..good },
        Estimate { ns: f32::INFINITY, ..good },
    ] {
        assert_eq!(table.filled([stray]).unwrap_err(), Misfit::Stray(stray));
    }
    assert!(matches!(table.filled([Estimate { ns: f32::NAN, ..good }]), Err(Misfit::Stray(_))));
    assert_eq!(table.filled([good, good]).unwrap_err(), Misfit::Twice(good));
    assert_eq!(table.filled(all[1..].iter().copied()).unwrap_err(), Misfit::Missing(1));
    assert_eq!(table.filled([]).unwrap_err(), Misfit::Missing(all.len()));
}

#[test]
fn ports_without_a_link_have_no_estimate() {
    // Three groups use two of a group's three global ports.
    let topology = topology(3);
    let table = whole_table(&topology);
    assert_eq!(table.len(), topology.links().count() * table.rows() as usize);
    assert!(table.len() < (topology.routers() * table.rows() * table.columns()) as usize);
    let router = (0..9).find(|&r| topology.link(r, 4).is_none()).unwrap();
    let stray =
        Estimate { router, destination_group: u32::from(router < 3), slot: 0, port: 4, ns: 1.0 };
    assert_eq!(table.filled([stray]).unwrap_err(), Misfit::Stray(stray));
}
