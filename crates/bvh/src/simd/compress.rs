//! Tables that move selected lanes to the front, for instruction sets without an instruction for it.

use super::lanes::LANES;

/// For each set of lanes, as bits, the lanes in order; zeros behind.
pub(super) static INDICES: [[u8; LANES]; 1 << LANES] = {
    let mut indices = [[0; LANES]; 1 << LANES];
    let mut mask = 0;
    while mask < 1 << LANES {
        let (mut lane, mut n) = (0, 0);
        while lane < LANES {
            if mask >> lane & 1 == 1 {
                indices[mask][n] = lane as u8;
                n += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    indices
};

/// For each number `n` of lanes, a mask of the first `n`.
pub(super) static KEPT: [[u32; LANES]; LANES + 1] = {
    let mut kept = [[0; LANES]; LANES + 1];
    let mut n = 0;
    while n <= LANES {
        let mut lane = 0;
        while lane < n {
            kept[n][lane] = u32::MAX;
            lane += 1;
        }
        n += 1;
    }
    kept
};
