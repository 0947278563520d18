//! Process grids: checks of extents, and the grid closest to a cube.

use pantala_mpi::Fault;

/// A remedy proposes at most so many ranks: as many as a scenario can give a job.
const MOST_RANKS: u64 = 1 << 24;

/// Checks that a grid has at most `dimensions` dimensions, `ranks` cells and no extent of zero.
pub(crate) fn check(grid: &[u32], ranks: u32, dimensions: usize) -> Result<(), Fault> {
    if grid.is_empty() || grid.len() > dimensions {
        let message = format!("a grid of {} dimensions", grid.len());
        return Err(Fault::new(
            "grid",
            show(grid),
            message,
            format!("give 1 to {dimensions} extents"),
        ));
    }
    let fits = squarest(ranks, grid.len());
    if grid.contains(&0) {
        return Err(Fault::new(
            "grid",
            show(grid),
            "an extent is zero",
            format!("for {ranks} ranks write, for example, {}", show(&fits)),
        ));
    }
    let cells =
        grid.iter().try_fold(1u64, |product, extent| product.checked_mul(u64::from(*extent)));
    if cells != Some(u64::from(ranks)) {
        let counted = cells.map_or_else(|| "2^64 or more".to_owned(), |cells| cells.to_string());
        let another = format!("write {} or another grid of {ranks} cells", show(&fits));
        return Err(Fault::new(
            "grid",
            show(grid),
            format!("the grid has {counted} cells, but the job has {ranks} ranks"),
            match cells.filter(|&cells| cells <= MOST_RANKS) {
                Some(cells) => format!("{another}, or give the job {cells} ranks"),
                None => another,
            },
        ));
    }
    Ok(())
}

/// The factorisation of `ranks` into `dimensions` extents with the smallest sum, in ascending
/// order.
///
/// # Panics If `dimensions` is zero.
#[must_use]
pub fn squarest(ranks: u32, dimensions: usize) -> Vec<u32> {
    let mut best = vec![1; dimensions];
    best[dimensions - 1] = ranks;
    let mut extents = vec![1; dimensions];
    search(ranks, 1, 0, &mut extents, &mut best);
    best
}

/// Tries all ascending factorisations of `left` for the extents from `at` on.
fn search(left: u32, least: u32, at: usize, extents: &mut [u32], best: &mut [u32]) {
    let sum = |e: &[u32]| e.iter().map(|x| u64::from(*x)).sum::<u64>();
    if at + 1 == extents.len() {
        extents[at] = left;
        if sum(extents) < sum(best) {
            best.copy_from_slice(extents);
        }
        return;
    }
    let places = (extents.len() - at) as u32;
    let mut extent = least;
    while u64::from(extent).saturating_pow(places) <= u64::from(left) {
        if left % extent == 0 {
            extents[at] = extent;
            search(left / extent, extent, at + 1, extents, best);
        }
        extent += 1;
    }
}

fn show(grid: &[u32]) -> String {
    format!("{grid:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_squarest_grids() {
        assert_eq!(squarest(528, 3), [6, 8, 11]);
        assert_eq!(squarest(528, 2), [22, 24]);
        assert_eq!(squarest(512, 3), [8, 8, 8]);
        assert_eq!(squarest(13, 3), [1, 1, 13]);
        assert_eq!(squarest(1, 2), [1, 1]);
        assert_eq!(squarest(256, 4), [4, 4, 4, 4]);
        assert_eq!(squarest(528, 5), [2, 2, 3, 4, 11]);
    }

    #[test]
    fn a_remedy_is_named() {
        assert_eq!(check(&[6, 8, 11], 528, 3), Ok(()));
        assert_eq!(
            check(&[6, 8, 12], 528, 3).unwrap_err().to_string(),
            "grid = [6, 8, 12]: the grid has 576 cells, but the job has 528 ranks; write [6, 8, 11] or another grid of 528 cells, or give \
             the job 576 ranks"
        );
        assert_eq!(
            check(&[0, 24], 528, 2).unwrap_err().to_string(),
            "grid = [0, 24]: an extent is zero; for 528 ranks write, for example, [22, 24]"
        );
        assert_eq!(
            check(&[4096, 4097], 528, 2).unwrap_err().to_string(),
            "grid = [4096, 4097]: the grid has 16781312 cells, but the job has 528 ranks; write [22, 24] or another grid of 528 cells"
        );
        assert_eq!(
            check(&[1 << 31, 1 << 31, 4], 528, 3).unwrap_err().message,
            "the grid has 2^64 or more cells, but the job has 528 ranks"
        );
        assert!(check(&[], 1, 3).is_err() && check(&[1, 1], 1, 1).is_err());
    }
}
