//! The flags of `section`.

use anyhow::Context;
use hitscan::SectionPlane;

use super::output::SECTIONS;
use crate::args::{SectionArgs, SectionFormat};

/// The work of `section`.
#[derive(Debug)]
pub(crate) struct Section {
    pub(crate) plane: SectionPlane,
    pub(crate) format: SectionFormat,
}

impl Section {
    /// Checks the flags.
    ///
    /// # Errors
    /// A plane without a normal, and a format that the output cannot have.
    pub(crate) fn new(args: &SectionArgs) -> anyhow::Result<Self> {
        let flag = args.format.or(args.json.then_some(SectionFormat::Ndjson));
        let format = SECTIONS.choose(flag, args.output.as_deref())?;
        let plane = match (args.plane, args.normal) {
            (Some(coefficients), _) => {
                SectionPlane::from_coefficients(coefficients).context("--plane")?
            }
            (None, normal) => {
                let normal = normal.expect("the command line requires one of the two");
                let point = args.point.unwrap_or_default();
                SectionPlane::new(point, normal).context("--point and --normal")?
            }
        };
        Ok(Self { plane, format })
    }
}
