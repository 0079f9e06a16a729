//! Tables that move chosen lanes to the front, for instruction sets that have no instruction for it.

/// For each set of lanes, as bits, their places in order; zeros behind.
pub(super) static PLACES: [[u8; 8]; 256] = {
    let mut places = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut n) = (0, 0);
        while lane < 8 {
            if mask >> lane & 1 == 1 {
                places[mask][n] = lane as u8;
                n += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    places
};

/// For each number of lanes, all bits in so many at the front.
pub(super) static KEPT: [[u32; 8]; 9] = {
    let mut kept = [[0; 8]; 9];
    let mut n = 0;
    while n <= 8 {
        let mut lane = 0;
        while lane < n {
            kept[n][lane] = u32::MAX;
            lane += 1;
        }
        n += 1;
    }
    kept
};
