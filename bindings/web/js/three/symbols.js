// The names of what the classes of trees share and applications do not see.

/** The method that builds the engine's tree. */
export const BUILD = Symbol('build');

/** The reader of the nodes. */
export const TREE = Symbol('tree');

/** The method from triangles of the engine to primitives. */
export const PRIMITIVES = Symbol('primitives');

/** The distance by which boxes of the engine may differ from the primitives. */
export const SLACK = Symbol('slack');

/** The method that frees the engine's tree until the next use. */
export const RELEASE = Symbol('release');

/** The walk with the tests of a caller. */
export const WALK = Symbol('walk');

/** The tree that a list of `_roots` is of. */
export const OWNER = Symbol('owner');

/** The key of the data of `deserialize` among the options. */
export const RESTORED = Symbol('restored');
