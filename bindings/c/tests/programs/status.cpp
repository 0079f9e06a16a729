// The owners without exceptions.

#define HITSCAN_NO_EXCEPTIONS
#include "hitscan.hpp"

#include <cstdio>

int main() {
  const float corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  auto positions = hitscan::sized<hitscan_positions>();
  positions.data = corners;
  positions.n = 3;
  hitscan::mesh mesh;
  hitscan::bvh bvh;
  hitscan_hit hit;
  const hitscan_ray ray = hitscan::ray(0.25f, 0.25f, 1, 0, 0, -1);
  const bool is_good = hitscan_mesh_new(&positions, nullptr, mesh.out()) == HITSCAN_OK &&
                       hitscan_bvh_build(mesh.get(), nullptr, bvh.out()) == HITSCAN_OK &&
                       hitscan_bvh_closest_hit(bvh.get(), &ray, nullptr, &hit) == HITSCAN_OK && hit.triangle == 0;
  std::puts(is_good ? "ok" : hitscan_last_error());
  return is_good ? 0 : 1;
}
