//! Instruction sets.

/// An instruction set that this machine can run. Holding one proves that it can.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Isa(Kind);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Scalar,
}

impl Isa {
    /// The best of this machine.
    pub fn detect() -> Self {
        Self(Kind::Scalar)
    }

    /// All that this machine can run, best first; the last is `scalar`, which every machine has.
    pub fn available() -> Vec<Self> {
        vec![Self(Kind::Scalar)]
    }

    /// The instruction set of that [`name`](Isa::name), if this machine can run it.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::available().into_iter().find(|isa| isa.name() == name)
    }

    /// `avx512`, `avx2`, `neon` or `scalar`.
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Scalar => "scalar",
        }
    }
}

impl Default for Isa {
    fn default() -> Self {
        Self::detect()
    }
}

impl std::fmt::Debug for Isa {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
