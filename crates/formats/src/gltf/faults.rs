//! Faults of parts that no ray sees.

use hitscan_files::ReadErrorKind;

use crate::LoadReport;

/// Counts parts that cannot be read and need not be, and keeps the first error.
#[derive(Debug, Default)]
pub(super) struct Faults {
    n: u64,
    first: Option<String>,
}

impl Faults {
    pub(super) fn add(&mut self, error: &ReadErrorKind) {
        self.n += 1;
        self.first.get_or_insert_with(|| error.to_string());
    }

    /// The value, or `None` for a part that is left out. An exceeded limit remains an error.
    pub(super) fn tolerate<T>(
        &mut self,
        result: Result<T, ReadErrorKind>,
    ) -> Result<Option<T>, ReadErrorKind> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(error @ ReadErrorKind::TooLarge { .. }) => Err(error),
            Err(error) => {
                self.add(&error);
                Ok(None)
            }
        }
    }

    pub(super) fn report(self, report: &mut LoadReport) {
        if let Some(first) = self.first {
            report.add(&format!("faulty parts that no ray needs (the first is {first})"), self.n);
        }
    }
}
