//! The columns of a CSV file: which field of a row is which number.

use anyhow::bail;

/// The columns that the rows of a kind have, such as rays or points.
#[derive(Debug)]
pub(crate) struct Schema {
    /// The plural of a row in errors: `rays`.
    pub(crate) contents: &'static str,
    /// The names of the columns, in the order of a file without a header.
    pub(crate) names: &'static [&'static str],
    /// The number of columns that every file has, the first of `names`. The others are optional.
    pub(crate) n_required: usize,
    /// The end of an error about the columns.
    pub(crate) expected: &'static str,
}

impl Schema {
    /// The numbers of columns that an array has: the required ones, or all.
    pub(super) fn widths(&self) -> Vec<usize> {
        let mut widths = vec![self.n_required, self.names.len()];
        widths.dedup();
        widths
    }

    fn index_of(&self, field: &[u8]) -> Option<usize> {
        self.names.iter().position(|name| field.eq_ignore_ascii_case(name.as_bytes()))
    }

    /// The number of fields that are column names.
    pub(super) fn n_names<'a>(&self, fields: impl Iterator<Item = &'a [u8]>) -> usize {
        fields.filter(|field| self.index_of(field).is_some()).count()
    }
}

/// The columns of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Columns {
    /// For each field of a row, its index in the names of the schema; `None` for an ignored column.
    targets: Vec<Option<usize>>,
    /// The names of the ignored columns.
    ignored: Vec<String>,
}

impl Columns {
    /// The columns of a header. Their order and their case are free. Ignores other columns, such as the nameless index
    /// of pandas.
    ///
    /// # Errors
    /// A missing, repeated or almost right name.
    pub(super) fn from_header<'a>(
        schema: &Schema,
        fields: impl Iterator<Item = &'a [u8]>,
    ) -> anyhow::Result<Self> {
        let mut columns = Self { targets: vec![], ignored: vec![] };
        for field in fields {
            let target = schema.index_of(field);
            if target.is_some() && columns.targets.contains(&target) {
                bail!("found column {} twice; expected it once", shown(field));
            }
            if target.is_none() && !field.is_empty() {
                if let Some(name) = schema.names.iter().find(|name| is_almost(field, name)) {
                    bail!("found column {}; expected {name}", shown(field));
                }
                columns.ignored.push(shown(field));
            }
            columns.targets.push(target);
        }
        let is_missing = |&i: &usize| !columns.targets.contains(&Some(i));
        if let Some(missing) = (0..schema.n_required).find(is_missing) {
            bail!("there is no column {}", schema.names[missing]);
        }
        Ok(columns)
    }

    /// The columns of a file without a header: the required ones, or all.
    pub(super) fn by_position(schema: &Schema, n_columns: usize) -> Option<Self> {
        let is_known = n_columns == schema.n_required || n_columns == schema.names.len();
        is_known.then(|| Self { targets: (0..n_columns).map(Some).collect(), ignored: vec![] })
    }

    /// For each field of a row, its index in the names of the schema; `None` for an ignored column.
    pub(super) fn targets(&self) -> &[Option<usize>] {
        &self.targets
    }

    /// The names of the ignored columns, in quotes.
    pub(super) fn ignored(&self) -> &[String] {
        &self.ignored
    }
}

/// Whether two names differ only in case and punctuation, as `tMin` and `t_min` do.
fn is_almost(field: &[u8], name: &str) -> bool {
    let letters = |text: &[u8]| -> Vec<u8> {
        text.iter().filter(|b| b.is_ascii_alphanumeric()).map(u8::to_ascii_lowercase).collect()
    };
    letters(field) == letters(name.as_bytes())
}

/// The start of some input, in quotes.
pub(super) fn shown(bytes: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(bytes).chars().take(80).collect();
    format!("{text:?}")
}
