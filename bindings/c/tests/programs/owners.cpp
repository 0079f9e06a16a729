// Owners, spans of the caller's types, callbacks that throw, and errors.

#include "hitscan.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define EXPECT(condition)                                             \
  do {                                                                \
    if (!(condition)) {                                               \
      std::fprintf(stderr, "line %d: not %s\n", __LINE__, #condition); \
      std::exit(1);                                                   \
    }                                                                 \
  } while (0)

namespace {

struct point {
  double x, y, z, padding;
};

struct shot {
  char name;
  hitscan_ray ray;
  hitscan_hit hit;
};

// A ray as another engine has it.
struct foreign_ray {
  std::array<float, 4> from, to;
  float t;
};

hitscan_ray ray_down(float x, float y) { return hitscan::ray(x, y, 5, 0, 0, -1); }

bool same(const hitscan_hit &a, const hitscan_hit &b) { return std::memcmp(&a, &b, sizeof a) == 0; }

}  // namespace

template <>
struct hitscan::scalar_of<point> {
  using type = double;
};

int main(int, char **argv) {
  const std::vector<point> corners = {{0, 0, 0, 9}, {1, 0, 0, 9}, {1, 1, 0, 9}, {0, 1, 0, 9}};
  const std::vector<std::array<std::uint16_t, 3>> triples = {{0, 1, 2}, {0, 2, 3}};
  hitscan::bvh bvh(hitscan::mesh::from(corners, triples));

  const auto hit = bvh.closest_hit(ray_down(0.7f, 0.2f));
  EXPECT(hit && hit->triangle == 0 && hit->t == 5.0f);
  EXPECT(!bvh.closest_hit(ray_down(2, 2)));
  EXPECT(bvh.is_occluded(ray_down(0.2f, 0.7f)) && bvh.count_crossings(ray_down(0.2f, 0.7f)) == 1);
  EXPECT(bvh.signed_crossings(ray_down(0.2f, 0.7f)) == 1 && bvh.signed_crossings(ray_down(2, 2)) == 0);
  EXPECT(bvh.winding_number({0.5f, 0.5f, -1e-3f}) > 0.49 && bvh.winding_number({0.5f, 0.5f, 1e-3f}) < -0.49);
  const std::vector<std::array<float, 4>> near = {{0.5f, 0.5f, -1e-3f, 9}, {0.5f, 0.5f, 1e-3f, 9}};
  std::vector<double> numbers(2), distances(2);
  std::vector<std::uint8_t> inside(2);
  bvh.winding_numbers(near, numbers);
  bvh.signed_distances(near, distances);
  bvh.are_inside(near, inside);
  EXPECT(numbers[0] == bvh.winding_number({0.5f, 0.5f, -1e-3f}) && numbers[1] < -0.49);
  EXPECT(distances[1] == bvh.signed_distance({0.5f, 0.5f, 1e-3f}) && inside[0] == bvh.is_inside({0.5f, 0.5f, -1e-3f}));
  EXPECT(bvh.self_intersections().empty());
  EXPECT(bvh.all_hits(ray_down(0.5f, 0.5f)).size() == 2);
  EXPECT(bvh.nearest_hits(ray_down(0.5f, 0.5f), 1).size() == 1);
  EXPECT(bvh.mesh().describe(*hit).normal[2] == 1.0);

  std::vector<shot> shots = {{'a', ray_down(0.7f, 0.2f), {}}, {'b', ray_down(2, 2), {}}};
  bvh.closest_hits(shots, &shot::ray, &shot::hit);
  EXPECT(same(shots[0].hit, *hit) && shots[1].hit.triangle == HITSCAN_NO_TRIANGLE && shots[1].name == 'b');
  std::vector<foreign_ray> foreign = {{{0.7f, 0.2f, 5, 1}, {0.7f, 0.2f, 0, 1}, 0}};
  bvh.closest_hits_by(
      foreign,
      [](const foreign_ray &r) {
        return hitscan::ray(r.from[0], r.from[1], r.from[2], r.to[0] - r.from[0], r.to[1] - r.from[1],
                            r.to[2] - r.from[2]);
      },
      [](foreign_ray &r, const hitscan_hit &found) { r.t = found.t; });
  EXPECT(foreign[0].t == 1.0f);
  const std::array<hitscan_ray, 2> rays = {ray_down(0.5f, 0.5f), ray_down(2, 2)};
  const auto lists = bvh.all_hits(rays);
  EXPECT(lists.size() == 2 && lists[0].size() == 2 && lists[1].size() == 0);

  const auto behind = bvh.closest_hit_where(ray_down(0.7f, 0.2f), [](const hitscan_hit &h) { return h.triangle > 0; });
  EXPECT(!behind);
  try {
    bvh.closest_hit_where(ray_down(0.7f, 0.2f), [](const hitscan_hit &) -> bool { throw 42; });
    EXPECT(false);
  } catch (int thrown) {
    EXPECT(thrown == 42);
  }
  try {
    bvh.closest_hit(ray_down(std::numeric_limits<float>::quiet_NaN(), 0));
    EXPECT(false);
  } catch (const hitscan::error &failed) {
    EXPECT(failed.status() == HITSCAN_INVALID_ARGUMENT);
    EXPECT(std::strstr(failed.what(), "hitscan_bvh_closest_hit: ray: ray origin") != nullptr);
  }

  hitscan::scene scene;
  const auto id = scene.insert(bvh, {2, 0, 0, 0, 2, 0, 0, 0, 2, -1, -1, -9});
  const auto snapshot = scene.clone();
  scene.remove(id);
  const auto down = hitscan::world_ray(0.1, 0.2, 0, 0, 0, -1);
  EXPECT(!scene.closest_hit(down) && snapshot.closest_hit(down)->t == 9.0);
  EXPECT(snapshot.all_hits(down).size() == 1);
  auto camera = hitscan::sized<hitscan_camera>();
  camera.target[2] = -9;
  camera.n_pixels[0] = camera.n_pixels[1] = 100;
  const hitscan::view view(camera);
  EXPECT(snapshot.pick(view, 52, 53)->element.instance == id);
  EXPECT(snapshot.select_marquee(view, 0, 0, 100, 100).size() == 1);

  const auto lifted = bvh.clone();
  auto edit = hitscan::sized<hitscan_edit>();
  const std::uint32_t corner = 0;
  const std::vector<std::array<float, 3>> below = {{0, 0, -4}};
  const auto moved = hitscan::positions(hitscan::span<const std::array<float, 3>>(below));
  edit.kind = HITSCAN_EDIT_MOVE;
  edit.indices = &corner;
  edit.n_indices = 1;
  edit.positions = &moved;
  bvh.update(edit);
  EXPECT(bvh.closest_hit(ray_down(0.7f, 0.2f))->t > 5.0f && lifted.closest_hit(ray_down(0.7f, 0.2f))->t == 5.0f);

  const auto one = scene.insert(lifted, {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0});
  const auto from_above = hitscan::world_ray(0.7, 0.2, 5, 0, 0, -1);
  scene.update(one, edit);
  EXPECT(scene.closest_hit(from_above)->t > 5.0);
  scene.set_mesh(one, lifted);
  auto gone = scene.remove_restorable(one);
  EXPECT(scene.instances().empty() && !scene.closest_hit(from_above));
  EXPECT(scene.restore(gone) == one && scene.closest_hit(from_above)->t == 5.0);
  gone = scene.remove_restorable(one);
  scene.forget(std::move(gone));

  const std::string file = std::string(argv[1]) + "/scene.hitscan";
  snapshot.save(file);
  const auto loaded = hitscan::scene::load(file);
  EXPECT(loaded.instances().size() == 1 && loaded.closest_hit(down)->t == 9.0);
  try {
    hitscan::scene::load(file + ".none");
    EXPECT(false);
  } catch (const hitscan::error &failed) {
    EXPECT(failed.status() == HITSCAN_READ);
  }
  std::puts("ok");
}
