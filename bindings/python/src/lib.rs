//! The compiled part of the Python package hitscan, the module `hitscan._hitscan`.
//!
//! The package's Python code converts arguments to contiguous arrays, allocates the arrays of answers, and
//! documents every function. This module checks shapes again, releases the interpreter, and fills the
//! arrays. It never panics on the values of its arguments.

mod answers;
mod batch;
mod bvh;
mod errors;
mod mesh;
mod options;
mod rays;
mod scene;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
mod _hitscan {
    #[pymodule_export]
    use super::{bvh::Bvh, mesh::Mesh, scene::Scene};
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        let isas: Vec<&str> = hitscan::Isa::available().into_iter().map(|isa| isa.name()).collect();
        module.add("instruction_sets", isas)
    }
}
