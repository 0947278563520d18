//! The packets that a link has decided on and that are not on it yet.

use pantala_engine::Time;
use std::collections::VecDeque;

/// A packet at the front of an output buffer that starts at a known time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Booking {
    /// Its VC.
    pub(crate) vc: u8,
    /// When it starts.
    pub(crate) start: Time,
    /// Whether it has counted and taken its credits already.
    pub(crate) counted: bool,
    /// The room that it takes.
    pub(crate) room: u32,
}

/// The bookings of a link.
#[derive(Debug, Default)]
struct BookedLink {
    /// In the order of their starts. The packets of one VC are in the order of its buffer.
    packets: VecDeque<Booking>,
    /// Whether packets that have no booking wait behind them.
    others: bool,
}

/// The bookings of the links of a partition.
#[derive(Debug)]
pub(crate) struct Bookings {
    /// The first output of the partition.
    first: usize,
    /// Per output; as long as has been needed.
    links: Vec<BookedLink>,
    /// How many bookings there are.
    count: usize,
}

impl Bookings {
    /// Makes the bookings of the outputs from `first` on: none.
    pub(crate) const fn new(first: usize) -> Self {
        Self { first, links: Vec::new(), count: 0 }
    }

    fn link(&self, out: usize) -> Option<&BookedLink> {
        // Few runs have any.
        if self.count == 0 { None } else { self.links.get(out - self.first) }
    }

    /// Returns the next booking of an output.
    #[inline]
    pub(crate) fn next(&self, out: usize) -> Option<Booking> {
        self.link(out)?.packets.front().copied()
    }

    /// Returns whether an output has bookings, and every packet in its buffer is one of them.
    #[inline]
    pub(crate) fn have_all(&self, out: usize) -> bool {
        self.link(out).is_some_and(|link| !link.packets.is_empty() && !link.others)
    }

    /// Adds a booking behind the others of an output.
    pub(crate) fn add(&mut self, out: usize, booking: Booking) {
        let place = out - self.first;
        if self.links.len() <= place {
            self.links.resize_with(place + 1, BookedLink::default);
        }
        self.links[place].packets.push_back(booking);
        self.count += 1;
    }

    /// A packet without a booking enters the buffer of an output.
    #[inline]
    pub(crate) fn leave_out(&mut self, out: usize) {
        if self.count > 0 {
            if let Some(link) = self.links.get_mut(out - self.first) {
                link.others = !link.packets.is_empty();
            }
        }
    }

    /// Removes the next booking of an output: its packet starts.
    pub(crate) fn take(&mut self, out: usize) -> Option<Booking> {
        let link = self.links.get_mut(out - self.first)?;
        let booking = link.packets.pop_front()?;
        link.others &= !link.packets.is_empty();
        self.count -= 1;
        Some(booking)
    }

    /// Returns the room of the booked packets of an output's VC, and of those of them that have
    /// counted already.
    pub(crate) fn room(&self, out: usize, vc: u8) -> (i64, i64) {
        let packets = self.link(out).map(|link| link.packets.iter()).into_iter().flatten();
        packets.filter(|each| each.vc == vc).fold((0, 0), |(all, counted), each| {
            let room = i64::from(each.room);
            (all + room, counted + if each.counted { room } else { 0 })
        })
    }

    /// Returns the bytes of memory held.
    pub(crate) fn memory(&self) -> usize {
        let held = |link: &BookedLink| link.packets.capacity() * size_of::<Booking>();
        self.links.capacity() * size_of::<BookedLink>() + self.links.iter().map(held).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn booking(vc: u8, start: Time, counted: bool) -> Booking {
        Booking { vc, start, counted, room: 4 }
    }

    #[test]
    fn bookings_start_in_order_and_know_of_packets_without_one() {
        let mut bookings = Bookings::new(100);
        assert!(!bookings.have_all(103) && bookings.next(103).is_none());
        bookings.leave_out(103);
        for (vc, start, counted) in [(2, 50, false), (1, 60, true), (1, 70, true)] {
            bookings.add(103, booking(vc, start, counted));
        }
        assert!(bookings.have_all(103) && !bookings.have_all(101) && !bookings.have_all(104));
        assert_eq!((bookings.room(103, 1), bookings.room(103, 2)), ((8, 8), (4, 0)));
        assert_eq!(bookings.take(103), Some(booking(2, 50, false)));
        bookings.leave_out(103);
        assert!(!bookings.have_all(103));
        assert_eq!(bookings.next(103), Some(booking(1, 60, true)));
        bookings.take(103);
        bookings.take(103);
        assert_eq!((bookings.next(103), bookings.take(103)), (None, None));
        // The packet that had none has left before the next booking.
        bookings.add(103, booking(0, 90, false));
        assert!(bookings.have_all(103));
    }
}
