// The mesh in WebGL: flat shading, and selected elements over it.

const VERTEX = `#version 300 es
in vec3 position;
uniform mat4 toClip;
uniform vec3 eye;
out vec3 fromEye;
void main() {
	fromEye = position - eye;
	gl_Position = toClip * vec4(position, 1.0);
	gl_PointSize = 9.0;
}`;

const FRAGMENT = `#version 300 es
precision highp float;
in vec3 fromEye;
uniform vec4 color;
out vec4 pixel;
void main() {
	vec3 normal = normalize(cross(dFdx(fromEye), dFdy(fromEye)));
	float facing = abs(dot(normal, normalize(fromEye)));
	pixel = vec4(color.rgb * mix(1.0, 0.25 + 0.75 * facing, color.a), 1.0);
}`;

const SURFACE = [0.62, 0.68, 0.76, 1];
const SELECTED = [1, 0.6, 0.25, 1];
const LINES = [1, 0.75, 0.3, 0];

export class Drawing {
	#gl;
	#program;
	#buffers = {};
	#counts = { mesh: 0, faces: 0, lines: 0, points: 0 };

	constructor(canvas, positions, triangles) {
		const gl = canvas.getContext('webgl2', { antialias: true });
		if (!gl) throw new Error('this browser has no WebGL 2');
		this.#gl = gl;
		this.#program = gl.createProgram();
		for (const [kind, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
			const shader = gl.createShader(kind);
			gl.shaderSource(shader, source);
			gl.compileShader(shader);
			gl.attachShader(this.#program, shader);
		}
		gl.linkProgram(this.#program);
		if (!gl.getProgramParameter(this.#program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(this.#program));
		gl.useProgram(this.#program);
		for (const name of ['positions', 'triangles', 'faces', 'lines', 'points']) this.#buffers[name] = gl.createBuffer();
		gl.bindBuffer(gl.ARRAY_BUFFER, this.#buffers.positions);
		gl.bufferData(gl.ARRAY_BUFFER, positions, gl.STATIC_DRAW);
		gl.enableVertexAttribArray(0);
		gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
		this.#indices('triangles', triangles);
		this.#counts.mesh = triangles.length;
		gl.enable(gl.DEPTH_TEST);
		gl.enable(gl.POLYGON_OFFSET_FILL);
	}

	#indices(name, indices) {
		const gl = this.#gl;
		gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.#buffers[name]);
		gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
	}

	/** What is drawn over the mesh: corners of triangles, ends of lines, points. */
	select(parts) {
		for (const [name, indices] of Object.entries(parts)) {
			this.#indices(name, Uint32Array.from(indices));
			this.#counts[name] = indices.length;
		}
	}

	draw(toClip, eye) {
		const gl = this.#gl;
		const { canvas } = gl;
		gl.viewport(0, 0, canvas.width, canvas.height);
		gl.clearColor(0.078, 0.09, 0.11, 1);
		gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
		gl.uniformMatrix4fv(gl.getUniformLocation(this.#program, 'toClip'), false, Float32Array.from(toClip));
		gl.uniform3fv(gl.getUniformLocation(this.#program, 'eye'), eye);
		gl.polygonOffset(1, 1);
		this.#pass('triangles', gl.TRIANGLES, this.#counts.mesh, SURFACE);
		gl.polygonOffset(0, 0);
		this.#pass('faces', gl.TRIANGLES, this.#counts.faces, SELECTED);
		gl.disable(gl.DEPTH_TEST);
		this.#pass('lines', gl.LINES, this.#counts.lines, LINES);
		this.#pass('points', gl.POINTS, this.#counts.points, LINES);
		gl.enable(gl.DEPTH_TEST);
	}

	#pass(name, mode, count, color) {
		if (count === 0) return;
		const gl = this.#gl;
		gl.uniform4fv(gl.getUniformLocation(this.#program, 'color'), color);
		gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.#buffers[name]);
		gl.drawElements(mode, count, gl.UNSIGNED_INT, 0);
	}
}
