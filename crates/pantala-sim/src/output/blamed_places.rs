//! [`BlamedPlaces`]: waiting times by place until the windows of the run are known, and after.

use pantala_engine::Time;
use pantala_fabric::{PlaceCell, Places, longest};
use serde::{Deserialize, Serialize};

/// The waiting times at places of one kind, of some partitions.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct BlamedPlaces {
    places: Places,
    /// The start and the end of each cell's window, and the cell, after [`settle`](Self::settle).
    pub(crate) cells: Vec<(Time, Time, PlaceCell)>,
}

impl BlamedPlaces {
    /// Returns places whose windows are not settled.
    pub(crate) fn new(places: Places) -> Self {
        Self { places, cells: Vec::new() }
    }

    /// Returns the numbers of cells, by the number of times that windows are joined.
    pub(crate) fn counts(&self) -> Vec<u64> {
        self.places.counts().to_vec()
    }

    /// Settles the windows, from the numbers of cells of each process: those of length `window`,
    /// joined in pairs until there are at most `most` cells.
    pub(crate) fn settle(&mut self, processes: &[Vec<u64>], window: Time, most: usize) {
        let counts = Places::summed(processes.iter().map(Vec::as_slice));
        self.cells = std::mem::take(&mut self.places).at(Places::joined(&counts, most), window);
    }

    /// Returns the cells of two processes, in order of place, window, victim and aggressor.
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.cells.extend(other.cells);
        self.cells.sort_unstable_by_key(|(_, _, cell)| cell.key());
        self
    }

    /// Keeps the `most` places of each class with the longest waits.
    pub(crate) fn keep_longest(&mut self, most: u32) {
        let keep = longest(self.cells.iter().map(|(_, _, cell)| cell), most);
        self.cells.retain(|(_, _, cell)| keep.binary_search(&cell.place).is_ok());
    }

    /// Moves the windows by what `shown` returns for a time.
    pub(crate) fn shift(&mut self, shown: impl Fn(Time) -> Time) {
        for (start, end, _) in &mut self.cells {
            // A window ends before the time skipped at its end.
            let length = shown(*end - 1).saturating_add(1).saturating_sub(shown(*start));
            (*start, *end) = (shown(*start), shown(*start).saturating_add(length));
        }
    }
}
