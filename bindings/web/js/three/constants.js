// The constants of three-mesh-bvh. Strategies are accepted; the tree is the same for all of them.

export const CENTER = 0;
export const AVERAGE = 1;
export const SAH = 2;

export const NOT_INTERSECTED = 0;
export const INTERSECTED = 1;
export const CONTAINED = 2;
