//! The plan's workload objects, and the messages of faulty ones.

use crate::support::{endpoints_on, job, workload_of};
use pantala_workload::{Pattern, PatternKind, WorkloadSpec};

#[test]
fn every_kind_of_the_plan_is_read() {
    for (text, endless) in [
        (
            r#"{"kind":"pattern","pattern":"uniform","load":0.5,"injection":"bernoulli","phase":"in","include_self":false,
               "offset":1,"hotspots":[0],"hotspot_share":0.1}"#,
            true,
        ),
        (
            r#"{"kind":"uniform_random","iterations":7,"message_bytes":3072,"messages":1,"compute_ps":0,"no_wait":false,"start_delay_ps":0,"permutation_seed":0}"#,
            false,
        ),
        (
            r#"{"kind":"stencil","grid":[6,8,11],"message_bytes":[192000,192000,192000],"iterations":3,"compute_ps":5,"periodic":false,"exchange":"by_dimension","copy_ps":7,
               "reduction_bytes":8,"start_delay_ps":9,"exchanges":2,"reduction_interval":3}"#,
            false,
        ),
        (
            r#"{"kind":"fft3d","grid":[22,24],"row_message_bytes":51680,"column_message_bytes":51680,"iterations":2,
               "compute_forward_ps":7,"compute_backward_ps":8,"start_delay_ps":9}"#,
            false,
        ),
        (
            r#"{"kind":"allreduce_loop","message_bytes":1126000,"iterations":2,"compute_ps":5160000000,"barrier":true,"start_delay_ps":9}"#,
            false,
        ),
        (
            r#"{"kind":"horovod","iterations":2,"parameter_bytes":[9],"start_bytes":[],"negotiation_bytes":[4,25],
               "gradient_bytes":[70000],"compute_ps":0}"#,
            false,
        ),
        (
            r#"{"kind":"conjugate_gradient","grid":[6,8,11],"periodic":false,"corners":true,"points":[[9,9,9],[12,12,12]],
               "point_bytes":8,"exchanges":1,"sums_before":1,"sums_after":2,"sum_bytes":8,"iterations":60,"compute_ps":0,
               "overlap":false}"#,
            false,
        ),
        (
            r#"{"kind":"particle_mesh","grid":[6,8,11],"transform_grid":[22,24],"ghost_bytes":[1,2,3],"border_bytes":[1,2,3],
               "migration_bytes":[1,2,3],"charge_bytes":[1,2,3],"field_bytes":[1,2,3],"remap_bytes":[1,2],"remaps":13,
               "rebuild_every":10,"rebuild_checks":5,"iterations":10,"compute_ps":0}"#,
            false,
        ),
        (
            r#"{"kind":"multigrid","grid":[6,8,11],"points":[12,12,12],"point_bytes":8,"levels":7,"sweeps_down":2,"sweeps_up":2,"coarse_sum_bytes":[[]],
               "sum_bytes":[8,8,8],"before_sum_bytes":[],"after_sum_bytes":[],"periodic":false,"blocking":false,"corners_from":1,"far_from":2,"far_percent":30,"iterations":17,
               "compute_ps":0}"#,
            false,
        ),
        (
            r#"{"kind":"crystal_router","pair_bytes":5288,"header_bytes":12,"iterations":20,"compute_ps":0}"#,
            false,
        ),
        (
            r#"{"kind":"pencil_fft","grid":[22,24],"points":400,"point_bytes":16,"iterations":8,"compute_forward_ps":[1,2,3],
               "compute_backward_ps":[4,5,6],"communicator_barriers":true,"start_delay_ps":9}"#,
            false,
        ),
        (
            r#"{"kind":"sweep","grid":[22,24],"message_bytes":[15000,15000],"steps":50,"iterations":9,"back":true,"compute_ps":5,"start_delay_ps":9}"#,
            false,
        ),
        (
            r#"{"kind":"lqcd","grid":[3,4,4,11],"near_bytes":[1,2,3,4],"far_bytes":[2,4,6,8],"reduction_bytes":8,"iterations":3,
               "compute_ps":5,"residual_ps":6,"start_delay_ps":9}"#,
            false,
        ),
        (
            r#"{"kind":"lulesh","grid":[6,8,11],"message_bytes":[3,2,1],"sweep_grid":[22,24],"sweep_bytes":7457,
               "sweep_steps":100,"bcast_bytes":240,"reduce_bytes":232,"iterations":12,"compute_ps":5,"start_delay_ps":9}"#,
            false,
        ),
        (
            r#"{"kind":"phases","grid":[4,4,33],"block":[2,2,1],"iterations":2,"phases":[{"phase":"compute","time_ps":5},
               {"phase":"faces","message_bytes":[8,8,0],"overlap_ps":7,"wait":"each","periodic":true},
               {"phase":"around","message_bytes":[8,8,8],"overlap_ps":0,"wait":"all","periodic":false},
               {"phase":"pairs","message_bytes":9,"rounds":2,"wait":"each"},{"phase":"all_to_all","dimension":0,"bytes":64},
               {"phase":"shift","dimension":1,"message_bytes":9,"steps":1},{"phase":"tree","message_bytes":9},
               {"phase":"collect","dimension":2,"message_bytes":9},{"phase":"allreduce","message_bytes":8,"times":2},
               {"phase":"barrier"}]}"#,
            false,
        ),
    ] {
        let spec: WorkloadSpec = serde_json::from_str(text).unwrap();
        assert_eq!(spec.is_endless(), endless);
        assert_eq!(spec.check(528), Ok(()));
        // Writing the object back loses and renames nothing.
        let back = serde_json::to_value(&spec).unwrap();
        assert_eq!(back, serde_json::from_str::<serde_json::Value>(text).unwrap());
    }
}

#[test]
fn unknown_keys_are_errors() {
    for text in [
        r#"{"kind":"stencil","grid":[1,1,1],"message_bytes":[1,1,1],"iterations":1,"compute":5}"#,
        r#"{"kind":"pattern","pattern":"uniform","load":0.5,"laod":1}"#,
        r#"{"kind":"ur","iterations":1,"message_bytes":1}"#,
        r#"{"kind":"pattern","pattern":"tornado","load":0.5}"#,
        r#"{"kind":"uniform_random","iterations":-1,"message_bytes":1}"#,
        r#"{"kind":"allreduce_loop","iterations":1}"#,
    ] {
        assert!(serde_json::from_str::<WorkloadSpec>(text).is_err(), "{text}");
    }
}

#[test]
fn optional_keys_have_defaults() {
    let WorkloadSpec::Pattern(pattern) = workload_of("kind: pattern, pattern: hotspot, load: 1")
    else {
        panic!()
    };
    let expected = Pattern {
        pattern: PatternKind::Hotspot,
        load: 1.0,
        injection: pantala_workload::Injection::Bernoulli,
        phase: pantala_workload::Phase::Random,
        include_self: false,
        offset: 1,
        hotspots: vec![0],
        hotspot_share: 0.1,
        grid: None,
        dimension: None,
        message_bytes: None,
        periodic: None,
    };
    assert_eq!(pattern, expected);
}

#[test]
fn faults_name_the_key_and_the_remedy() {
    let halo = "kind: stencil, message_bytes: [8,8,8], iterations: 2, grid: ";
    for (workload, ranks, text) in [
        (
            format!("{halo}[6,8,11]"),
            527,
            "grid = [6, 8, 11]: the grid has 528 cells, but the job has 527 ranks; write [1, 17, 31] or another grid of 527 cells, or give \
             the job 528 ranks",
        ),
        (format!("{halo}[0,8,11]"), 8, "grid = [0, 8, 11]: an extent is zero; for 8 ranks write, for example, [2, 2, 2]"),
        (
            "kind: fft3d, grid: [3,5], row_message_bytes: 1, column_message_bytes: 1, iterations: 1".into(),
            16,
            "grid = [3, 5]: the grid has 15 cells, but the job has 16 ranks; write [4, 4] or another grid of 16 cells, or give the job 15 \
             ranks",
        ),
        (
            "kind: fft3d, grid: [4,4], row_message_bytes: 1, column_message_bytes: 0, iterations: 1".into(),
            16,
            "column_message_bytes = 0: must be at least 1; give a positive number",
        ),
        (
            "kind: uniform_random, iterations: 0, message_bytes: 1".into(),
            4,
            "iterations = 0: must be at least 1; give a positive number",
        ),
        (
            "kind: allreduce_loop, iterations: 1, message_bytes: 0".into(),
            4,
            "message_bytes = 0: must be at least 1; give a positive number",
        ),
        (
            "kind: pencil_fft, grid: [4,4], points: 5, point_bytes: 16, iterations: 1".into(),
            16,
            "points = 5: an array of 4 x 4 ranks needs 6 to 65536 points a side; write 6 or more",
        ),
        (
            "kind: lulesh, grid: [2,2,2], message_bytes: [3,2,1], sweep_grid: [3,3], sweep_bytes: 1, sweep_steps: 1, \
             bcast_bytes: 0, reduce_bytes: 0, iterations: 1"
                .into(),
            8,
            "sweep_grid = [3, 3]: the grid has 9 cells, but the job has 8 ranks; write [2, 4] or another grid of 8 cells, or give the job \
             9 ranks",
        ),
        (
            "kind: stencil, grid: [4], message_bytes: [3], iterations: 1, periodic: true, exchange: upper_then_lower".into(),
            4,
            "periodic = true: the blocking sends of exchange = upper_then_lower wait for each other in a ring; set periodic to false, or \
             another exchange",
        ),
        (
            "kind: stencil, grid: [4], message_bytes: [3], iterations: 1, copy_ps: 3".into(),
            4,
            "copy_ps = 3: has no effect without exchange = by_dimension; set it to 0",
        ),
        (
            "kind: uniform_random, iterations: 1000000, message_bytes: 3, no_wait: true".into(),
            4,
            "messages = 1: 2000000 requests of a rank are open at once; lower messages or iterations: at most 1048576 requests",
        ),
        (
            "kind: sweep, grid: [2,2], message_bytes: [3,0], steps: 1, iterations: 1".into(),
            4,
            "message_bytes = 0: must be at least 1; give a positive number",
        ),
        (
            "kind: phases, grid: [4,2], block: [3,1], iterations: 1, phases: [{phase: barrier}]".into(),
            8,
            "block = [3, 1]: blocks do not fill the grid [4, 2]; give extents that divide the grid's, or [] for none",
        ),
        (
            "kind: phases, grid: [4,2], iterations: 1, phases: [{phase: barrier}, {phase: shift, dimension: 2, message_bytes: 1, steps: 1}]".into(),
            8,
            "phases[1].dimension = 2: the grid has 2 dimensions; name a dimension from 0 to 1",
        ),
        (
            "kind: phases, grid: [4,2], iterations: 1, phases: [{phase: around, message_bytes: [1], wait: all, periodic: true}]".into(),
            8,
            "phases[0].message_bytes = 1: 1 sizes for 2 dimensions; give one size for each dimension of the grid",
        ),
        (
            "kind: pattern, pattern: uniform, load: 1.5".into(),
            4,
            "load = 1.5: an offered load is a fraction of the terminal bandwidth, above 0 and at most 1; write 0.5 for half of it",
        ),
        (
            "kind: pattern, pattern: uniform, load: 0.5".into(),
            1,
            "pattern = uniform: a job of one rank has no other rank to send to; give the job at least two ranks, or write include_self = \
             true",
        ),
        (
            "kind: pattern, pattern: shift, offset: 8, load: 0.5".into(),
            4,
            "offset = 8: each of the 4 ranks would send to itself; give an offset that is not a multiple of the number of ranks, \
             or write include_self = true",
        ),
        (
            "kind: pattern, pattern: hotspot, hotspots: [0,4], load: 0.5".into(),
            4,
            "hotspots = [0, 4]: there is no rank 4 in a job of 4; name ranks from 0 to 3",
        ),
        (
            "kind: pattern, pattern: hotspot, hotspots: [2,2], load: 0.5".into(),
            4,
            "hotspots = [2, 2]: rank 2 is named twice; name each rank once",
        ),
        (
            "kind: pattern, pattern: hotspot, hotspots: [], load: 0.5".into(),
            4,
            "hotspots = []: there is no hotspot; name at least one rank, as in hotspots = [0]",
        ),
        (
            "kind: pattern, pattern: hotspot, hotspot_share: 2, load: 0.5".into(),
            4,
            "hotspot_share = 2: a share is between 0 and 1; write 0.1 for a tenth of all packets",
        ),
    ] {
        assert_eq!(workload_of(&workload).check(ranks).unwrap_err().to_string(), text);
    }
    assert_eq!(
        workload_of("kind: pattern, pattern: uniform, load: 0.5, include_self: true").check(1),
        Ok(())
    );
    assert_eq!(
        workload_of("kind: uniform_random, iterations: 1, message_bytes: 1")
            .check(0)
            .unwrap_err()
            .key,
        "ranks"
    );
}

#[test]
fn faults_of_jobs_name_the_job() {
    let ur = "kind: uniform_random, iterations: 1, message_bytes: 1";
    let text = |jobs: &[_]| {
        endpoints_on(jobs, &pantala_mpi::MpiConfig::default(), 16, 1).unwrap_err().to_string()
    };
    assert_eq!(
        text(&[job("a", 0..4, ur), job("b", 3..6, ur)]),
        "jobs[1].nodes = 3: the node is taken; name every node once, in one job"
    );
    assert_eq!(
        text(&[job("a", [1, 2, 1], "kind: pattern, pattern: uniform, load: 0.5")]),
        "jobs[0].nodes = 1: the node is taken; name every node once, in one job"
    );
    assert_eq!(
        text(&[job("a", 12..18, ur)]),
        "jobs[0].nodes = 16: the machine has no node 16; name nodes from 0 to 15"
    );
    assert_eq!(
        text(&[job("a", 0..4, ur), job("a", 4..6, ur)]),
        "jobs[1].name = a: jobs[0] has the same name; give every job a name of its own"
    );
    assert_eq!(
        text(&[
            job("a", 0..4, ur),
            job("b", 4..7, "kind: stencil, grid: [1,2,2], message_bytes: [8,8,8], iterations: 2")
        ]),
        "jobs[1].workload.grid = [1, 2, 2]: the grid has 4 cells, but the job has 3 ranks; write [1, 1, 3] or another grid of 3 cells, or \
         give the job 4 ranks"
    );
    assert_eq!(
        text(&[job("a", 0..4, "kind: pattern, pattern: next_group, load: 0.5")]),
        "jobs[0].workload.pattern = next_group: all 4 ranks of the job are in one group, so there is no next group; place the job \
         on at least two groups"
    );
}
