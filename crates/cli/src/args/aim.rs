//! The flags of a single ray.

use clap::{ArgGroup, Args as ClapArgs};

use super::values::decimal_point;
use crate::table::Decimal;

/// A ray from an origin, to a target or along a direction.
#[derive(Clone, Copy, Debug, ClapArgs)]
#[command(group(ArgGroup::new("aim").args(["to", "dir"])))]
pub(crate) struct AimArgs {
    /// Cast a single ray from this origin.
    #[arg(
        long, value_name = "X,Y,Z", value_parser = decimal_point, allow_hyphen_values = true,
        requires = "aim"
    )]
    pub(crate) from: Option<[Decimal; 3]>,

    /// Cast a segment to this target: direction to - from, t from 0 to 1.
    #[arg(
        long, value_name = "X,Y,Z", value_parser = decimal_point, allow_hyphen_values = true,
        requires = "from"
    )]
    pub(crate) to: Option<[Decimal; 3]>,

    /// Cast along this direction, of any length but zero.
    #[arg(
        long, value_name = "X,Y,Z", value_parser = decimal_point, allow_hyphen_values = true,
        requires = "from"
    )]
    pub(crate) dir: Option<[Decimal; 3]>,
}
