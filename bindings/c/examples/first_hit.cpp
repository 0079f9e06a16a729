// What does a ray hit first? An error is an exception, which says what was found and what was expected.
#include <hitscan.hpp>
#include <iostream>

int main() {
  const hitscan::bvh bvh(hitscan::mesh::load("cuboid.obj"));
  if (const auto hit = bvh.closest_hit(hitscan::ray(4, -7, -4, -2, 10, 8)))
    std::cout << "triangle " << hit->triangle << " at " << hit->t << '\n';
}
