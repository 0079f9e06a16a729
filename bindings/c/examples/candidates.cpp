// A program keeps its own test of a triangle, and the tree finds the triangles to test.
#include <cmath>
#include <hitscan.hpp>
#include <iostream>

struct vec {
  double x, y, z;
};
static vec operator-(vec a, vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
static vec cross(vec a, vec b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
static double dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// The program's own test, whose bits it must keep: infinity for a miss.
static double own_test(const vec corners[3], vec origin, vec direction) {
  const vec ab = corners[1] - corners[0], ac = corners[2] - corners[0], from = origin - corners[0];
  const vec p = cross(direction, ac), q = cross(from, ab);
  const double det = dot(ab, p), u = dot(from, p) / det, v = dot(direction, q) / det;
  return u >= 0 && v >= 0 && u + v <= 1 ? dot(ac, q) / det : INFINITY;
}

int main() {
  const hitscan::bvh bvh(hitscan::mesh::load("cuboid.obj"));
  const auto mesh = bvh.mesh();
  const auto info = mesh.info();
  int n_tests = 0;
  double nearest = INFINITY;
  std::uint32_t hit = HITSCAN_NO_TRIANGLE;
  const vec origin = {4, -7, -4}, direction = {-2, 10, 8};
  const auto ray = hitscan::world_ray(origin.x, origin.y, origin.z, direction.x, direction.y, direction.z);
  bvh.visit_candidates(ray, 1e-6, [&](std::uint32_t triangle, double) {
    vec corners[3];
    for (int i = 0; i < 3; ++i) {
      const float *p = info.positions + 3 * info.triangles[3 * triangle + unsigned(i)];
      corners[i] = {p[0], p[1], p[2]};
    }
    ++n_tests;
    const double t = own_test(corners, origin, direction);
    if (t >= 0 && (t < nearest || (t == nearest && triangle < hit))) nearest = t, hit = triangle;
    return nearest;  // Nothing behind it matters.
  });
  std::cout << "triangle " << hit << " at " << nearest << ", after fewer than 20 tests: " << (n_tests < 20) << '\n';
}
