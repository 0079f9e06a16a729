// A module whose memory has a maximum, as in an engine that gives it no more.

function readLeb(bytes, at) {
	let [value, shift] = [0, 0];
	for (;;) {
		const byte = bytes[at++];
		value += (byte & 127) * 2 ** shift;
		shift += 7;
		if (byte < 128) return { value, at };
	}
}

function leb(value) {
	const bytes = [];
	do {
		bytes.push(value % 128 + (value >= 128 ? 128 : 0));
		value = Math.floor(value / 128);
	} while (value > 0);
	return bytes;
}

/** The module with a maximum of `pages` pages of 64 kB in its memory section. */
export function limited(bytes, pages) {
	const MEMORY = 5;
	let at = 8;
	while (at < bytes.length) {
		const size = readLeb(bytes, at + 1);
		const end = size.at + size.value;
		if (bytes[at] === MEMORY) {
			const minimum = readLeb(bytes, size.at + 2);
			const content = [1, 1, ...leb(minimum.value), ...leb(pages)];
			return Uint8Array.from([...bytes.subarray(0, at), MEMORY, ...leb(content.length), ...content, ...bytes.subarray(end)]);
		}
		at = end;
	}
	throw new Error('the module has no memory section');
}
