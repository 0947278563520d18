//! Folders with traces, which tests write and remove.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use pantala_frontends::trace::{ComputeTimes, TraceError, TraceSpec, identify};

use crate::dumpi_writer::Writer;

static NEXT: AtomicU32 = AtomicU32::new(0);

/// A folder that is removed at the end.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("pantala-dumpi-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a trace of `ranks`.
    pub(crate) fn trace(
        ranks: u32,
        rank: impl Fn(u32, &mut Writer<BufWriter<File>>) -> std::io::Result<()>,
    ) -> Self {
        let folder = Self::new();
        for number in 0..ranks {
            let file = File::create(folder.path(&format!("run-{number:04}.bin"))).unwrap();
            let mut writer = Writer::new(BufWriter::new(file)).unwrap();
            rank(number, &mut writer).unwrap();
            writer.finish().unwrap();
        }
        folder.meta(ranks);
        folder
    }

    pub(crate) fn meta(&self, ranks: u32) {
        let text = format!("hostname=h\nnumprocs={ranks}\nfileprefix=/elsewhere/run\n");
        fs::write(self.path("run.meta"), text).unwrap();
    }

    /// The plan's form of the trace.
    pub(crate) fn spec(&self) -> Result<(TraceSpec, u32), TraceError> {
        spec(&self.0)
    }
}

/// The plan's form of the trace at a path.
pub(crate) fn spec(path: &Path) -> Result<(TraceSpec, u32), TraceError> {
    let (format, hash, ranks) = identify(path)?;
    let spec = TraceSpec {
        format,
        path: path.display().to_string(),
        hash,
        compute: ComputeTimes::Recorded,
        compute_scale_millionths: 1_000_000,
        amplification: 1,
        opened: Default::default(),
    };
    Ok((spec, ranks))
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
