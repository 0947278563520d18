//! Functions of meshes and tori of up to three dimensions. Task numbers run fastest along x.

use super::NumberError;

/// One dimension of a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Number of tasks.
    pub tasks: i64,
    /// Whether the dimension wraps around.
    pub wraps: bool,
}

/// A mesh of one to three dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mesh([Extent; 3]);

impl Mesh {
    /// A mesh of these extents. Missing dimensions have the extent 1.
    ///
    /// # Errors
    /// [`NumberError::NoShape`] for an extent below 1.
    pub fn new(extents: &[Extent]) -> Result<Self, NumberError> {
        if let Some(Extent { tasks, .. }) = extents.iter().find(|extent| extent.tasks < 1) {
            let message =
                format!("a mesh with an extent of {tasks} does not exist; give 1 or more");
            return Err(NumberError::NoShape(message));
        }
        let missing = Extent { tasks: 1, wraps: false };
        Ok(Self([0, 1, 2].map(|axis| extents.get(axis).copied().unwrap_or(missing))))
    }

    /// The coordinates of a task; `None` outside the mesh.
    fn coordinates(&self, task: i64) -> Option<[i64; 3]> {
        let size = self.0.iter().try_fold(1i64, |size, extent| size.checked_mul(extent.tasks))?;
        let [x, y, _] = self.0.map(|extent| extent.tasks);
        (0..size).contains(&task).then(|| [task % x, task / x % y, task / x / y])
    }

    /// The task at the coordinates of `task` plus `offset`; -1 if there is none.
    #[must_use]
    pub fn neighbor(&self, task: i64, offset: [i64; 3]) -> i64 {
        self.neighbor_of(task, offset).unwrap_or(-1)
    }

    fn neighbor_of(&self, task: i64, offset: [i64; 3]) -> Option<i64> {
        let mut at = self.coordinates(task)?;
        for ((place, extent), offset) in at.iter_mut().zip(&self.0).zip(offset) {
            *place = if extent.wraps {
                (*place + offset.rem_euclid(extent.tasks)) % extent.tasks
            } else {
                place.checked_add(offset).filter(|place| (0..extent.tasks).contains(place))?
            };
        }
        let [x, y, _] = self.0.map(|extent| extent.tasks);
        Some((at[2] * y + at[1]) * x + at[0])
    }

    /// The coordinate of a task along an axis (0, 1, 2); -1 outside the mesh.
    ///
    /// # Errors
    /// [`NumberError::NoShape`] for another axis.
    pub fn coordinate(&self, task: i64, axis: i64) -> Result<i64, NumberError> {
        let place = usize::try_from(axis).ok().filter(|place| *place < 3).ok_or_else(|| {
            let message = format!("a mesh has no axis {axis}; give 0, 1 or 2 for x, y or z");
            NumberError::NoShape(message)
        })?;
        Ok(self.coordinates(task).map_or(-1, |at| at[place]))
    }

    /// The number of steps between two tasks; -1 if one is outside the mesh.
    #[must_use]
    pub fn distance(&self, from: i64, to: i64) -> i64 {
        let (Some(from), Some(to)) = (self.coordinates(from), self.coordinates(to)) else {
            return -1;
        };
        let steps = (0..3).map(|axis| {
            let Extent { tasks, wraps } = self.0[axis];
            let straight = (from[axis] - to[axis]).abs();
            if wraps { straight.min(tasks - straight) } else { straight }
        });
        steps.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mesh(extents: &[(i64, bool)]) -> Mesh {
        let extents: Vec<Extent> =
            extents.iter().map(|&(tasks, wraps)| Extent { tasks, wraps }).collect();
        Mesh::new(&extents).unwrap()
    }

    #[test]
    fn the_tabulated_values() {
        let square = mesh(&[(2, false), (2, false)]);
        let torus = mesh(&[(2, true), (2, true)]);
        let ring = mesh(&[(4, true)]);
        let row = |t| {
            [
                square.neighbor(t, [1, 0, 0]),
                torus.neighbor(t, [1, 1, 0]),
                square.coordinate(t, 1).unwrap(),
                ring.distance(0, t),
            ]
        };
        assert_eq!(
            [row(0), row(1), row(2), row(3)],
            [[1, 3, 0, 0], [-1, 2, 0, 1], [3, 1, 1, 2], [-1, 0, 1, 1]]
        );
        assert_eq!((square.distance(0, 7), square.coordinate(7, 0)), (-1, Ok(-1)));
    }

    #[test]
    fn three_dimensions_and_extremes() {
        let cube = mesh(&[(4, false), (3, true), (2, false)]);
        assert_eq!(cube.neighbor(23, [0, 1, -1]), 3);
        assert_eq!(cube.coordinate(23, 2), Ok(1));
        for axis in [-1, 3] {
            let error = cube.coordinate(0, axis).unwrap_err().to_string();
            assert!(error.starts_with(&format!("a mesh has no axis {axis};")), "{error}");
        }
        for x in [i64::MIN, -1, 0, i64::MAX] {
            let _ = (cube.neighbor(0, [x; 3]), cube.neighbor(x, [0; 3]), cube.distance(x, 0));
            let odd = Mesh::new(&[Extent { tasks: x, wraps: true }; 2]);
            assert_eq!(odd.is_err(), x < 1);
            assert_eq!(odd.map_or(-1, |odd| odd.neighbor(0, [1, 1, 1])), -1);
        }
    }
}
