//! Writes a DUMPI trace of any length: `dumpi_generate DIRECTORY RANKS ITERATIONS`.
//!
//! Each iteration of a rank has nine records: two Irecv, two Isend, a Waitall, an Allreduce, and a
//! message to itself of three. The ranks form a ring.

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use pantala_frontends::dumpi::Function as F;

#[path = "../tests/suite/dumpi_writer.rs"]
#[allow(dead_code)]
mod dumpi_writer;

use dumpi_writer::{INT, WORLD, Writer};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [directory, ranks, iterations] = &arguments[..] else {
        return Err("usage: dumpi_generate DIRECTORY RANKS ITERATIONS".into());
    };
    let (ranks, iterations): (i64, u64) = (ranks.parse()?, iterations.parse()?);
    std::fs::create_dir_all(directory)?;
    let meta = format!("numprocs={ranks}\nfileprefix=ring\n");
    std::fs::write(Path::new(directory).join("ring.meta"), meta)?;
    for rank in 0..ranks {
        let file = File::create(Path::new(directory).join(format!("ring-{rank:04}.bin")))?;
        let mut out = Writer::new(BufWriter::with_capacity(1 << 20, file))?;
        let (next, last) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
        out.init()?;
        for _ in 0..iterations {
            out.compute(1_000);
            out.send(F::Irecv, 1_000, next, 1, Some(2))?;
            out.send(F::Irecv, 1_000, last, 1, Some(3))?;
            out.send(F::Isend, 1_000, next, 1, Some(4))?;
            out.send(F::Isend, 1_000, last, 1, Some(5))?;
            out.waitall(&[2, 3, 4, 5])?;
            out.compute(1_000).collective(F::Allreduce, &[1, INT, 3, WORLD])?;
            out.send(F::Irecv, 8, rank, 2, Some(2))?;
            out.send(F::Send, 8, rank, 2, None)?;
            out.waitall(&[2])?;
        }
        out.finalize()?;
        out.finish()?;
    }
    Ok(())
}
