// The progress of a build in a worker.

/** Reports of progress are at least this many milliseconds apart. */
const REPORT_INTERVAL = 30;

/** A function that posts the progress of a build from a worker, not too often. */
export function reportsOf(post) {
	let last = -Infinity;
	return (progress) => {
		const now = performance.now();
		if (now - last >= REPORT_INTERVAL || progress === 1) {
			last = now;
			post({ progress }, []);
		}
	};
}
