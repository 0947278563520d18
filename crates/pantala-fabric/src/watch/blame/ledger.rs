//! [`Ledger`]: where waits are charged: to the class of the link, and to the link itself if the
//! record has places.

use super::places::{At, PlaceSums};
use super::sums::{Matrix, Sums};
use pantala_engine::Time;

/// The waiting times of a partition.
#[derive(Debug)]
pub(super) struct Ledger {
    pub(super) sums: Sums,
    /// Waiting times by groups and by link, unless the record has neither.
    pub(super) places: Option<Box<PlaceSums>>,
}

impl Ledger {
    /// Returns the matrices of a link class and of a link, in the window of an interval that ends at
    /// `end`, after zero.
    #[inline]
    pub(super) fn matrices(
        &mut self,
        class: u8,
        at: At,
        end: Time,
    ) -> (Matrix<'_>, Option<Matrix<'_>>) {
        let place = self.places.as_mut().map(|places| places.matrix(at, end));
        (self.sums.matrix(class, end), place)
    }

    /// Charges both matrices of [`matrices`](Self::matrices).
    #[inline]
    pub(super) fn charge(
        &mut self,
        class: u8,
        at: At,
        end: Time,
        charge: impl Fn(&mut Matrix<'_>),
    ) {
        let (mut matrix, mut place) = self.matrices(class, at, end);
        charge(&mut matrix);
        place.iter_mut().for_each(charge);
    }
}
