// Stand-ins for the parts of three-mesh-bvh that run on the GPU.

const reasonOf = (name) => `hitscan/three has no trees for shaders, so ${name} cannot be used; ` +
	'import it and the tree that it reads from three-mesh-bvh';

/** Throws the reason why a part cannot be used. */
export function refuse(name) {
	throw new Error(reasonOf(name));
}

/** A function or class that throws when it is called. */
export function absent(name) {
	const part = function () {
		refuse(name);
	};
	return Object.defineProperty(part, 'name', { value: name });
}

/** An object that throws when a property of it is read. */
export function absentObject(name) {
	const read = (target, key) => {
		// Inspection and `await` look for these, and are no use of the object.
		if (typeof key === 'symbol' || key === 'then' || key === 'toJSON') return undefined;
		return refuse(name);
	};
	return new Proxy({}, { get: read, has: read });
}

/** Source of a shader that does not compile, and says why. */
export function shader(name) {
	return `\n#error ${reasonOf(name)}\n`;
}
