// A camera that turns around a point.

import { cross, lookAt, multiply, normalize, perspective, subtract } from './matrix.js';

const FOV_Y = 0.8;

/** The distance of the farthest vertex from a point. */
function radiusAround([x, y, z], positions) {
	let most = 0;
	for (let i = 0; i < positions.length; i += 3) {
		most = Math.max(most, (positions[i] - x) ** 2 + (positions[i + 1] - y) ** 2 + (positions[i + 2] - z) ** 2);
	}
	return Math.sqrt(most);
}

/** The camera, framed to see all vertices, whose box is known. */
export class Orbit {
	/** Whether the camera stands where the page put it. */
	#isFitted = false;

	constructor({ min, max }, positions) {
		this.target = min.map((x, i) => (x + max[i]) / 2);
		this.radius = radiusAround(this.target, positions) || 1;
		this.#isFitted = true;
		this.fit(1);
		this.yaw = 0.7;
		this.pitch = 0.45;
	}

	/** Frames the box in a window of this aspect, which may be a tall one. A camera that was moved stays. */
	fit(aspect) {
		if (!this.#isFitted) return;
		const half = Math.min(FOV_Y / 2, Math.atan(Math.tan(FOV_Y / 2) * aspect));
		this.distance = this.radius / Math.sin(half) * 1.1;
	}

	get eye() {
		const { yaw, pitch, distance } = this;
		const direction = [Math.sin(yaw) * Math.cos(pitch), Math.sin(pitch), Math.cos(yaw) * Math.cos(pitch)];
		return this.target.map((x, i) => x + distance * direction[i]);
	}

	/** The matrix from the world to clip space. */
	matrix(aspect) {
		const near = Math.max(this.distance - 2 * this.radius, this.distance * 1e-3);
		const far = this.distance + 4 * this.radius;
		return multiply(perspective(FOV_Y, aspect, near, far), lookAt(this.eye, this.target, [0, 1, 0]));
	}

	turn(dx, dy) {
		this.yaw -= 0.006 * dx;
		this.pitch = Math.min(1.55, Math.max(-1.55, this.pitch + 0.006 * dy));
	}

	/** Moves the target by pixels of a window of this height. */
	pan(dx, dy, height) {
		this.#isFitted = false;
		const back = normalize(subtract(this.eye, this.target));
		const right = normalize(cross([0, 1, 0], back));
		const up = cross(back, right);
		const unit = 2 * this.distance * Math.tan(FOV_Y / 2) / height;
		this.target = this.target.map((x, i) => x - unit * (dx * right[i] - dy * up[i]));
	}

	zoom(steps) {
		this.#isFitted = false;
		this.distance = Math.min(50 * this.radius, Math.max(1e-4 * this.radius, this.distance * Math.exp(steps)));
	}
}
