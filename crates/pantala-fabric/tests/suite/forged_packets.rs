//! The numbers in a packet from another process are checked before the packet enters the arrays
//! that are not.

use crate::support::*;
use pantala_engine::Time;
use pantala_fabric::{FabricConfig, Network, PartitionMap, PartitionMessages, Transport};
use pantala_routing::Algorithm;
use pantala_topology::Topology;
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// One of two partitions, as a process of its own simulates it.
fn process(config: &FabricConfig, topology: &Arc<Topology>, number: u16) -> Network<Uniform, Log> {
    let partitions = Arc::new(PartitionMap::new(topology, 2));
    let keys: Vec<u64> = (0..u64::from(topology.terminals())).collect();
    let end = (Uniform::new(topology.terminals(), config, 0.8, 100_000), Log::default());
    let here = number..number + 1;
    Network::new(config, Arc::clone(topology), partitions, here, &keys, [end])
}

/// Keeps the first packet that goes to partition 0 on its way to an intermediate.
#[derive(Default)]
struct Capture(Option<Value>);

impl Transport<()> for Capture {
    fn exchange(&mut self, next: Time, messages: &mut [PartitionMessages<()>]) -> Time {
        let mut posted = serde_json::to_value(&messages[0]).expect("messages are data");
        messages[0] = PartitionMessages::default();
        let packets = posted["fabric"]["packets"].as_array_mut().expect("a list of packets");
        packets.retain(|packet| packet["packet"]["route"]["phase"] == "ToIntermediate");
        packets.truncate(1);
        if packets.is_empty() {
            return next;
        }
        posted["fabric"]["credits"] = json!([]);
        self.0 = Some(posted);
        Time::MAX
    }
}

/// Hands over these messages of partition 1, and ends.
struct Forgery(Value);

impl Transport<()> for Forgery {
    fn exchange(&mut self, _: Time, messages: &mut [PartitionMessages<()>]) -> Time {
        messages[1] = serde_json::from_value(self.0.clone()).expect("messages of the same form");
        Time::MAX
    }
}

/// Whether partition 0 takes the packet with one field of its route replaced.
fn takes(
    (config, topology): (&FabricConfig, &Arc<Topology>),
    posted: &Value,
    field: &str,
    value: Value,
) -> bool {
    let mut forged = posted.clone();
    let route = &mut forged["fabric"]["packets"][0]["packet"]["route"];
    assert!(route.get(field).is_some(), "no field {field}");
    route[field] = value;
    let mut net = process(config, topology, 0);
    catch_unwind(AssertUnwindSafe(|| net.advance_with(&mut Forgery(forged), Time::MAX))).is_ok()
}

#[test]
fn a_packet_to_an_intermediate_of_another_network_is_refused() {
    let topology = Arc::new(dragonfly(2, 4, 2, 9));
    for (algorithm, count) in
        [(Algorithm::ValiantGroup, topology.groups()), (Algorithm::ValiantNode, topology.routers())]
    {
        let config = kang(algorithm);
        let mut capture = Capture::default();
        process(&config, &topology, 1).advance_with(&mut capture, Time::MAX);
        let posted = capture.0.expect("a packet on a non-minimal path");
        let route = &posted["fabric"]["packets"][0]["packet"]["route"];
        let group = route["destination_group"].as_u64().expect("a number");
        let machine = (&config, &topology);
        let takes = |field, value| takes(machine, &posted, field, value);
        assert!(takes("intermediate", route["intermediate"].clone()), "{algorithm:?}: as it was");
        assert!(!takes("intermediate", json!(count)), "{algorithm:?}");
        assert!(!takes("intermediate", json!(u32::MAX)), "{algorithm:?}");
        assert!(!takes("destination", json!(topology.terminals())), "{algorithm:?}");
        assert!(!takes("destination_group", json!((group + 1) % 9)), "{algorithm:?}");
        assert!(!takes("phase", json!("InsideToIntermediate")), "{algorithm:?}: in no group");
    }
}
