//! The two precisions in which a table gives its numbers: single for meshes, double for scenes.

/// A number of a table, rounded once from the file.
pub(crate) trait Number: Copy + std::fmt::Debug {
    /// The number nearest to a decimal; `None` for another text.
    fn parse(text: &str) -> Option<Self>;

    fn from_f32(number: f32) -> Self;

    fn from_f64(number: f64) -> Self;

    fn of(decimal: Decimal) -> Self;
}

impl Number for f32 {
    fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }

    fn from_f32(number: f32) -> Self {
        number
    }

    fn from_f64(number: f64) -> Self {
        number as Self
    }

    fn of(decimal: Decimal) -> Self {
        decimal.single
    }
}

impl Number for f64 {
    fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }

    fn from_f32(number: f32) -> Self {
        number.into()
    }

    fn from_f64(number: f64) -> Self {
        number
    }

    fn of(decimal: Decimal) -> Self {
        decimal.double
    }
}

/// A decimal in both precisions. Rounding to double and then to single is not the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decimal {
    pub(crate) single: f32,
    pub(crate) double: f64,
}

impl Decimal {
    /// The decimal in a text; `None` for another text.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Some(Self { single: text.parse().ok()?, double: text.parse().ok()? })
    }
}

impl From<f32> for Decimal {
    fn from(number: f32) -> Self {
        Self { single: number, double: number.into() }
    }
}
