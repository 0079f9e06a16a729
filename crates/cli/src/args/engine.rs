//! The flags of building and querying a tree, shared by most commands.

use clap::{Args as ClapArgs, ValueEnum};
use hitscan::{BuildOptions, BuildQuality, Faces, Isa, Layout};

use super::limits::LimitArgs;
use super::values::whole;

/// The flags of building and querying a tree. None of them changes an answer.
#[derive(Clone, Copy, Debug, ClapArgs)]
pub(crate) struct EngineArgs {
    /// Spend more time on a better tree [default: balanced, or the quality of a cache file].
    #[arg(long, value_enum, value_name = "QUALITY")]
    pub(crate) quality: Option<QualityArg>,

    /// Query with this instruction set [default: the best of this machine].
    #[arg(long, value_name = "NAME", value_parser = isa)]
    pub(crate) isa: Option<Isa>,

    /// Store the leaves in this layout [default: auto, or the layout of a cache file].
    #[arg(long, value_enum, value_name = "LAYOUT")]
    pub(crate) layout: Option<LayoutArg>,

    #[command(flatten)]
    pub(crate) threads: ThreadsArg,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

impl EngineArgs {
    /// The default flags with these limits.
    pub(crate) fn with_limits(limits: LimitArgs) -> Self {
        let threads = ThreadsArg { threads: None };
        Self { quality: None, isa: None, layout: None, threads, limits }
    }

    /// The options of a new tree; absent flags take the defaults of the library.
    pub(crate) fn build_options(&self) -> BuildOptions {
        BuildOptions {
            quality: self.quality.map_or_else(BuildQuality::default, BuildQuality::from),
            isa: self.isa.unwrap_or_default(),
            layout: self.layout.map_or_else(Layout::default, Layout::from),
        }
    }
}

/// The number of threads, for every command that computes.
#[derive(Clone, Copy, Debug, ClapArgs)]
pub(crate) struct ThreadsArg {
    /// Use N threads [default: one per core].
    #[arg(long, value_name = "N", value_parser = whole::<u16>(1, 1024))]
    pub(crate) threads: Option<u16>,
}

/// [`Faces`] as a flag's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FacesArg {
    /// Both sides.
    Both,
    /// Triangles whose corners run counter-clockwise, seen from the origin of the ray.
    Front,
    /// Triangles whose corners run clockwise, seen from the origin of the ray.
    Back,
}

impl From<FacesArg> for Faces {
    fn from(faces: FacesArg) -> Self {
        match faces {
            FacesArg::Both => Self::Both,
            FacesArg::Front => Self::Front,
            FacesArg::Back => Self::Back,
        }
    }
}

/// [`BuildQuality`] as a flag's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum QualityArg {
    /// Shortest build.
    Fast,
    /// Good for most uses.
    Balanced,
    /// Fastest queries, longest build.
    High,
}

impl From<QualityArg> for BuildQuality {
    fn from(quality: QualityArg) -> Self {
        match quality {
            QualityArg::Fast => Self::Fast,
            QualityArg::Balanced => Self::Balanced,
            QualityArg::High => Self::High,
        }
    }
}

/// [`Layout`] as a flag's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LayoutArg {
    /// Full up to 67 million triangles, compact beyond.
    Auto,
    /// Fastest queries.
    Full,
    /// About half the memory, queries take about 1.5 times as long.
    Compact,
}

impl LayoutArg {
    /// The layouts that a tree may have.
    pub(crate) const OF_TREES: [Self; 2] = [Self::Full, Self::Compact];
}

impl From<LayoutArg> for Layout {
    fn from(layout: LayoutArg) -> Self {
        match layout {
            LayoutArg::Auto => Self::Auto,
            LayoutArg::Full => Self::Full,
            LayoutArg::Compact => Self::Compact,
        }
    }
}

fn isa(name: &str) -> Result<Isa, String> {
    Isa::from_name(name).ok_or_else(|| {
        let available: Vec<&str> = Isa::available().into_iter().map(Isa::name).collect();
        format!("not available on this machine; expected one of: {}", available.join(", "))
    })
}
