// Attributes of a geometry at a point of a triangle.

import { Triangle, Vector2, Vector3 } from 'three';

/** The face, the texture coordinate and the weights at a point of a triangle. */
export function getTriangleHitPointInfo(point, geometry, triangleIndex, target = {}) {
	const { index, groups, attributes: { position, uv } } = geometry;
	const [a, b, c] = [0, 1, 2].map((corner) => {
		const at = 3 * triangleIndex + corner;
		return index ? index.getX(at) : at;
	});
	const corners = [a, b, c].map((vertex) => new Vector3().fromBufferAttribute(position, vertex));
	const group = groups.find(({ start, count }) => 3 * triangleIndex >= start && 3 * triangleIndex < start + count);
	const normal = target.face?.normal ?? new Vector3();
	target.face = { a, b, c, materialIndex: group?.materialIndex ?? 0, normal: Triangle.getNormal(...corners, normal) };
	target.barycoord = Triangle.getBarycoord(point, ...corners, target.barycoord ?? new Vector3());
	target.uv = uv ? Triangle.getInterpolatedAttribute(uv, a, b, c, target.barycoord, target.uv ?? new Vector2()) : null;
	return target;
}
