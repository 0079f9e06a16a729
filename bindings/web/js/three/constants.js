// The constants of three-mesh-bvh. A strategy chooses the quality of the build.

export const CENTER = 0;
export const AVERAGE = 1;
export const SAH = 2;

export const NOT_INTERSECTED = 0;
export const INTERSECTED = 1;
export const CONTAINED = 2;

/** The option of three-mesh-bvh's own classes that leaves a tree empty. Trees of this package ignore it. */
export const SKIP_GENERATION = Symbol('SKIP_GENERATION');
