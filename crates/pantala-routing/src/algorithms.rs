//! The list of routing algorithms: one file each, with its descriptor and its decision.

pub mod aries;
pub mod booksim_ugal;
pub mod codes_adp;
pub mod codes_padp;
pub mod merlin_ugal;
pub mod minimal;
pub mod par;
pub mod q_adaptive;
pub mod ugal_g;
pub mod ugal_global;
pub mod ugal_n;
pub mod valiant_group;
pub mod valiant_node;

use crate::candidates::Here;
use crate::descriptor::{Descriptor, Information, Intermediate, Rule};
use crate::state::RouteState;
use crate::vc_map::VcMap;
use crate::view::CongestionView;

crate::dispatch::routings! {
    minimal::Minimal,
    valiant_group::ValiantGroup,
    valiant_node::ValiantNode,
    ugal_g::UgalG,
    ugal_n::UgalN,
    par::Par,
    ugal_global::UgalGlobal,
    q_adaptive::QAdaptive,
    codes_adp::CodesAdp,
    codes_padp::CodesPadp,
    aries::Aries,
    merlin_ugal::MerlinUgal,
    booksim_ugal::BooksimUgal,
}
