// A million rays in structs of the program's own, on all threads, answered in place.
#include <cmath>
#include <hitscan.hpp>
#include <iostream>

struct pixel {
  int x, y;
  hitscan_ray ray;
  hitscan_hit hit;
};

int main() {
  const hitscan::bvh bvh(hitscan::mesh::load("cuboid.obj"));
  std::vector<pixel> picture;
  for (int y = 0; y < 1000; ++y)
    for (int x = 0; x < 1000; ++x)
      picture.push_back({x, y, hitscan::ray(0, 0, 30, float(x - 500) / 1000, float(y - 500) / 1000, -1), {}});
  bvh.closest_hits(picture, &pixel::ray, &pixel::hit);
  int n_hits = 0;
  for (const auto &pixel : picture) n_hits += pixel.hit.triangle != HITSCAN_NO_TRIANGLE;
  std::cout << n_hits << " of " << picture.size() << " pixels show the mesh\n";
}
