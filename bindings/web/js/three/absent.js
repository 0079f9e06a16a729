// Stand-ins for the parts of three-mesh-bvh that run on the GPU.

const reasonOf = (name) => `hitscan/three has no trees for shaders, so ${name} cannot be used; ` +
	'import it and the tree that it reads from three-mesh-bvh';

/** A function or class that throws when it is called. */
export function absent(name) {
	const refuse = function () {
		throw new Error(reasonOf(name));
	};
	return Object.defineProperty(refuse, 'name', { value: name });
}

/** An object that throws when a property of it is read. */
export function absentObject(name) {
	const refuse = (target, key) => {
		// Inspection and `await` look for these, and are no use of the object.
		if (typeof key === 'symbol' || key === 'then' || key === 'toJSON') return undefined;
		throw new Error(reasonOf(name));
	};
	return new Proxy({}, { get: refuse, has: refuse });
}

/** Source of a shader that does not compile, and says why. */
export function shader(name) {
	return `\n#error ${reasonOf(name)}\n`;
}
