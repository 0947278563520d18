#![allow(clippy::print_stdout, missing_docs)]
#[path = "../tests/support/mod.rs"]
mod support;
use support::*;
use pantala_fabric::*;
use pantala_fabric::routing::Algorithm;
fn main() {
    let load: f64 = std::env::args().nth(1).map_or(0.5, |s| s.parse().unwrap());
    let alg = std::env::args().nth(2).map_or(Algorithm::Minimal, |s| Algorithm::from_name(&s).unwrap());
    let us: u64 = std::env::args().nth(3).map_or(100, |s| s.parse().unwrap());
    let config = if std::env::args().nth(4).is_some_and(|s| s == "sst") { sst(alg) } else { kang(alg) };
    let topo = dragonfly(4, 8, 4, 33);
    let host = Uniform::new(topo.nodes(), &config, load, u64::MAX);
    let keys: Vec<u64> = (0..1056).collect();
    let mut net = Network::new(config, topo, &keys, host, Mean::default());
    let t = std::time::Instant::now();
    net.advance(us * 1_000_000);
    let s = t.elapsed().as_secs_f64();
    let tot = net.totals();
    println!("{tot:?} {:.3}s {:.2} Mhops/s ev/hop {:.3} mean lat {:.1} accepted {:.4} mem/node {}", s, tot.packet_hops as f64 / s / 1e6,
      tot.events as f64 / tot.packet_hops as f64, net.probe.sum as f64 / net.probe.n as f64 / 1000.0,
      net.probe.n as f64*512.0/(0.8*us as f64*1e-6)/25e9/1056.0, net.memory() / 1056);
}
#[derive(Default)]
struct Mean { sum: u64, n: u64 }
impl Probe for Mean {
    fn injected(&mut self, _: u16, _: u32, _: u64) {}
    fn delivered(&mut self, _: &packet::Packet, o: &packet::PacketOrigin, now: u64) { if now > 20_000_000 { self.sum += now - o.created; self.n += 1; } }
}
