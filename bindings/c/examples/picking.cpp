// A scene of two instances, a click, a snapshot, and a rectangle of the screen.
#include <hitscan.hpp>
#include <iostream>

int main() {
  const hitscan::bvh bvh(hitscan::mesh::load("cuboid.obj"));
  hitscan::scene scene;
  const auto left = scene.insert(bvh, {1, 0, 0, 0, 1, 0, 0, 0, 1, -8, 0, 0});
  const auto right = scene.insert(bvh, {1, 0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0});

  auto camera = hitscan::sized<hitscan_camera>();
  camera.eye[2] = 60;
  camera.n_pixels[0] = 800;
  camera.n_pixels[1] = 600;
  const hitscan::view view(camera);
  if (const auto pick = scene.pick(view, 500, 300)) {
    const auto details = scene.describe(pick->hit);
    std::cout << (pick->element.instance == right ? "right" : "left") << " at z = " << pick->point[2] << ", normal z "
              << details.normal[2] << '\n';
  }
  const auto before = scene.clone();
  scene.remove(left);
  std::cout << before.select_marquee(view, 0, 0, 800, 600).size() << " before, "
            << scene.select_marquee(view, 0, 0, 800, 600).size() << " now\n";
}
