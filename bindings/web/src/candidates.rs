//! The candidates of a ray for three.js's own test: see the crate `hitscan-web-candidates`.

use hitscan_web_candidates::{Line, Search};

use crate::{
    objects::with_built,
    output,
    statics::{Kept, PerThread},
};

thread_local! {
    /// Taken out for a search, so that one that aborts locks nothing.
    static SEARCH: Kept<Option<Box<Search>>> = const { Kept::new(None) };
}

/// Finds the triangles that the ray of the numbers 0 to 8 (origin, direction, range of `t`, slack) may hit. With
/// `nearest`, only those that may be its first hit. Returns 1 plus their number; the answer's words are
/// the triangles, ascending, and number 0 is their address.
#[unsafe(no_mangle)]
extern "C" fn bvh_candidates(bvh: u32, side: u32, nearest: u32) -> u32 {
    let [ox, oy, oz, dx, dy, dz, t_min, t_max, slack] = std::array::from_fn(output::read);
    let line = Line { origin: [ox, oy, oz], direction: [dx, dy, dz], t_min, t_max, side, slack };
    with_built(bvh, |mesh| {
        let mut found = output::words();
        let mut search = SEARCH.take().unwrap_or_default();
        search.run(mesh.tri_mesh(), mesh.bvh(), line, nearest != 0, &mut found);
        SEARCH.set(Some(search));
        output::write(0, &[found.as_ptr().addr() as f64]);
        1 + output::put_words(found)
    })
}
