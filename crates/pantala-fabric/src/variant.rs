//! [`Variant`]: the builds of the event loop.
//!
//! The event loop and its stages are compiled once per variant, so that the compiler removes what a
//! variant never does. There is a build for each model that studies use most, one for all others,
//! and both with and without records for the default model.

use crate::config::{Arbiter, CrossbarContention, InjectionVc, OutputRelease, Release};

/// The choices of a router model that the stages ask for at each packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Model {
    /// Whether the tail of a packet follows its head at the rate of the links.
    pub(crate) cut_through: bool,
    /// Whether a packet reaches the next stage with its tail (store-and-forward).
    pub(crate) stores: bool,
    /// Whether packets wait by output VC, without a crossbar.
    pub(crate) virtual_output: bool,
    /// Whether flits move one by one (wormhole).
    pub(crate) by_flits: bool,
    /// Whether every packet takes the room of a full packet.
    pub(crate) whole_packets: bool,
    /// When the credits of a packet return.
    pub(crate) credit_return: Release,
    /// When an output buffer frees the room of a packet.
    pub(crate) output_release: OutputRelease,
    /// What a packet holds while it crosses: its ports, its output VC until its tail has crossed,
    /// or both.
    pub(crate) contention: CrossbarContention,
    /// The order in which packets cross.
    pub(crate) arbiter: Arbiter,
    /// Whether VCs rest between two packets.
    pub(crate) gaps: bool,
    /// Whether credits are taken at the crossbar (else at the link).
    pub(crate) credit_at_crossbar: bool,
    /// The VC on which NICs inject.
    pub(crate) injection_vc: InjectionVc,
    /// Flit times that an idle link waits before it decides: 0 or 1.
    pub(crate) idle_flits: u8,
    /// Flit times of the head after that decision.
    pub(crate) head_flits: u8,
    /// Whether links send in the order of crossing (else their VCs take turns).
    pub(crate) in_order: bool,
    /// Whether links take the highest VC first (else their VCs take turns).
    pub(crate) highest_vc: bool,
    /// Whether links have a clock.
    pub(crate) links_clocked: bool,
    /// Whether the crossbar has a clock.
    pub(crate) clocked: bool,
    /// Whether a router's ports fit into one word.
    pub(crate) one_word: bool,
}

impl Model {
    /// The default model.
    pub(crate) const DEFAULT: Self = Self {
        cut_through: true,
        stores: false,
        virtual_output: false,
        by_flits: false,
        whole_packets: false,
        credit_return: Release::Tail,
        output_release: OutputRelease::Start,
        contention: CrossbarContention::Port,
        arbiter: Arbiter::RoundRobin,
        gaps: false,
        credit_at_crossbar: false,
        injection_vc: InjectionVc::First,
        idle_flits: 0,
        head_flits: 1,
        in_order: false,
        highest_vc: false,
        links_clocked: false,
        clocked: false,
        one_word: true,
    };

    /// The model of SST's `hr_router`.
    pub(crate) const SST: Self = Self {
        cut_through: false,
        credit_return: Release::Head,
        arbiter: Arbiter::Lru,
        idle_flits: 1,
        head_flits: 0,
        clocked: true,
        ..Self::DEFAULT
    };
}

/// A build of the event loop.
pub(crate) trait Variant {
    /// The model; `None`: any model.
    const MODEL: Option<Model>;
    /// Whether the model is the default one and
    /// [`Stages::ahead_is_free`](crate::router::stages::Stages::ahead_is_free).
    const DEFAULT: bool;
    /// Whether the build has the calls of the [`Observer`](crate::observer::Observer).
    const HOOKS: bool;

    /// Returns whether the stages call the observer, if `on` says whether there is a record.
    #[inline(always)]
    fn watches(on: bool) -> bool {
        Self::HOOKS && (Self::DEFAULT || on)
    }
}

/// The default model, unwatched.
pub(crate) struct Plain;

impl Variant for Plain {
    const MODEL: Option<Model> = Some(Model::DEFAULT);
    const DEFAULT: bool = true;
    const HOOKS: bool = false;
}

/// The default model, watched.
pub(crate) struct Watched;

impl Variant for Watched {
    const MODEL: Option<Model> = Some(Model::DEFAULT);
    const DEFAULT: bool = true;
    const HOOKS: bool = true;
}

/// The model of SST, watched or not.
pub(crate) struct Sst;

impl Variant for Sst {
    const MODEL: Option<Model> = Some(Model::SST);
    const DEFAULT: bool = false;
    const HOOKS: bool = true;
}

/// Any model, watched or not.
pub(crate) struct General;

impl Variant for General {
    const MODEL: Option<Model> = None;
    const DEFAULT: bool = false;
    const HOOKS: bool = true;
}
