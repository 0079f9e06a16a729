// hitscan for C++17: owners of handles, spans of the caller's types, and exceptions. hitscan.h has the rules and what
// each call does.
//
// Who prefers a status, or compiles without exceptions, defines HITSCAN_NO_EXCEPTIONS. The owners are then without
// methods that can fail, and the functions of hitscan.h fill them:
//
//     hitscan::mesh mesh;
//     if (hitscan_mesh_load("bunny.obj", nullptr, mesh.out()) != HITSCAN_OK) puts(hitscan_last_error());

#ifndef HITSCAN_HPP
#define HITSCAN_HPP

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>

#include "hitscan.h"

#ifndef HITSCAN_NO_EXCEPTIONS
#include <array>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>
#endif

namespace hitscan {

// The owner of a handle: it moves, and releases the handle at its end.
template <class T, hitscan_status (*Release)(T *)>
class owner {
 public:
  owner() noexcept = default;
  explicit owner(T *handle) noexcept : handle_(handle) {}
  owner(owner &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  owner &operator=(owner &&other) noexcept {
    if (this != &other) {
      reset();
      handle_ = std::exchange(other.handle_, nullptr);
    }
    return *this;
  }
  owner(const owner &) = delete;
  owner &operator=(const owner &) = delete;
  ~owner() { reset(); }

  // The handle for the functions of hitscan.h.
  T *get() const noexcept { return handle_; }
  explicit operator bool() const noexcept { return handle_ != nullptr; }
  // Releases the handle.
  void reset() noexcept {
    if (handle_ != nullptr) (void)Release(std::exchange(handle_, nullptr));
  }
  // Releases the handle, and lends the place for a new one to a function of hitscan.h.
  T **out() noexcept {
    reset();
    return &handle_;
  }

 private:
  T *handle_ = nullptr;
};

// A view of contiguous elements of the caller.
template <class T>
class span {
 public:
  constexpr span() noexcept = default;
  constexpr span(T *data, std::size_t size) noexcept : data_(data), size_(size) {}
  // From vectors, arrays and everything else with std::data and std::size.
  template <class C, class D = std::remove_pointer_t<decltype(std::data(std::declval<C &>()))>,
            std::enable_if_t<std::is_convertible_v<D (*)[], T (*)[]>, int> = 0>
  constexpr span(C &&elements) noexcept : data_(std::data(elements)), size_(std::size(elements)) {}

  constexpr T *data() const noexcept { return data_; }
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr T *begin() const noexcept { return data_; }
  constexpr T *end() const noexcept { return data_ + size_; }
  constexpr T &operator[](std::size_t i) const noexcept { return data_[i]; }

 private:
  T *data_ = nullptr;
  std::size_t size_ = 0;
};

template <class C>
span(C &&) -> span<std::remove_pointer_t<decltype(std::data(std::declval<C &>()))>>;

// The number type of a vector of the caller: by its operator[], or by a specialisation of this struct.
template <class V, class = void>
struct scalar_of;
template <class V>
struct scalar_of<V, std::void_t<decltype(std::declval<const V &>()[0])>> {
  using type = std::remove_cv_t<std::remove_reference_t<decltype(std::declval<const V &>()[0])>>;
};

// A struct of options or for an answer: zeros, and its size.
template <class T>
T sized() noexcept {
  T value{};
  value.size = sizeof(T);
  return value;
}

// A ray of a mesh: from an origin in a direction.
inline hitscan_ray ray(float ox, float oy, float oz, float dx, float dy, float dz) noexcept {
  return {{ox, oy, oz}, {dx, dy, dz}, 0.0f, std::numeric_limits<float>::infinity()};
}

// A ray of a scene: from an origin in a direction.
inline hitscan_world_ray world_ray(double ox, double oy, double oz, double dx, double dy, double dz) noexcept {
  return {{ox, oy, oz}, {dx, dy, dz}, 0.0, std::numeric_limits<double>::infinity()};
}

// Positions in an array of the caller's vectors, whose first three numbers count.
template <class V>
hitscan_positions positions(span<const V> vectors) noexcept {
  using number = typename scalar_of<V>::type;
  static_assert(std::is_same_v<number, float> || std::is_same_v<number, double>, "float or double");
  static_assert(sizeof(V) >= 3 * sizeof(number), "three numbers");
  auto array = sized<hitscan_positions>();
  array.data = vectors.data();
  array.n = vectors.size();
  array.stride = sizeof(V);
  array.number = std::is_same_v<number, float> ? HITSCAN_F32 : HITSCAN_F64;
  return array;
}

// Triangles in an array of the caller's triples, or of bare indices, three a triangle.
template <class I>
hitscan_triangles triangles(span<const I> indices) noexcept {
  auto array = sized<hitscan_triangles>();
  array.data = indices.data();
  if constexpr (std::is_integral_v<I>) {
    static_assert(sizeof(I) == 2 || sizeof(I) == 4, "indices of 16 or 32 bits");
    array.n = indices.size() / 3;
    array.number = sizeof(I) == 4 ? HITSCAN_U32 : HITSCAN_U16;
  } else {
    using number = typename scalar_of<I>::type;
    static_assert(std::is_integral_v<number> && (sizeof(number) == 2 || sizeof(number) == 4), "16 or 32 bits");
    static_assert(sizeof(I) >= 3 * sizeof(number), "three indices");
    array.n = indices.size();
    array.stride = sizeof(I);
    array.number = sizeof(number) == 4 ? HITSCAN_U32 : HITSCAN_U16;
  }
  return array;
}

#ifdef HITSCAN_NO_EXCEPTIONS

using mesh = owner<hitscan_mesh, hitscan_mesh_release>;
using bvh = owner<hitscan_bvh, hitscan_bvh_release>;
using hit_lists = owner<hitscan_hit_lists, hitscan_hit_lists_release>;
using scene = owner<hitscan_scene, hitscan_scene_release>;
using view = owner<hitscan_view, hitscan_view_release>;
using removed = owner<hitscan_removed, hitscan_removed_release>;

#else

// A call that failed: its message, and its status.
class error : public std::runtime_error {
 public:
  explicit error(hitscan_status status) : std::runtime_error(hitscan_last_error()), status_(status) {}
  hitscan_status status() const noexcept { return status_; }

 private:
  hitscan_status status_;
};

// Throws an error for a status other than HITSCAN_OK.
inline void check(hitscan_status status) {
  if (status != HITSCAN_OK) throw error(status);
}

inline std::string_view text(hitscan_text text) noexcept {
  return text.data == nullptr ? std::string_view() : std::string_view(text.data, text.length);
}

namespace detail {

// A function of the caller behind a callback of C. An exception waits until the call has returned.
template <class F, class Hit>
struct rule {
  F &accept;
  std::exception_ptr thrown;

  static int call(const Hit *hit, void *user) noexcept {
    auto &self = *static_cast<rule *>(user);
    if (self.thrown) return 0;
    try {
      return self.accept(*hit) ? 1 : 0;
    } catch (...) {
      self.thrown = std::current_exception();
      return 0;
    }
  }

  void finish(hitscan_status status) const {
    if (thrown) std::rethrow_exception(thrown);
    check(status);
  }
};

// A function of the caller for candidates.
template <class F>
struct visitor {
  F &found;
  std::exception_ptr thrown;

  static int call(std::uint32_t triangle, double bound, double *t_max, void *user) noexcept {
    auto &self = *static_cast<visitor *>(user);
    try {
      *t_max = self.found(triangle, bound);
      return 0;
    } catch (...) {
      self.thrown = std::current_exception();
      return 1;
    }
  }

  void finish(hitscan_status status) const {
    if (thrown) std::rethrow_exception(thrown);
    check(status);
  }
};

// The answers of a call that writes as many as there is room for, and their number.
template <class T, class Ask>
std::vector<T> list(Ask ask) {
  std::vector<T> found(16);
  std::size_t n = 0;
  check(ask(found.data(), found.size(), &n));
  if (n > found.size()) {
    found.resize(n);
    check(ask(found.data(), found.size(), &n));
  }
  found.resize(n);
  return found;
}

// The numbers of points in an array of the caller's vectors, whose first three floats count.
template <class V>
const float *floats(span<const V> points) noexcept {
  static_assert(std::is_same_v<typename scalar_of<V>::type, float> && sizeof(V) >= 3 * sizeof(float), "three floats");
  return static_cast<const float *>(static_cast<const void *>(points.data()));
}

inline void same_size(std::size_t rays, std::size_t answers) {
  if (rays != answers) throw std::invalid_argument("hitscan: as many answers as rays are expected");
}

}  // namespace detail

class mesh : public owner<hitscan_mesh, hitscan_mesh_release> {
 public:
  using owner::owner;

  // From arrays of the caller's vectors and triples.
  template <class P, class I>
  static mesh from(const P &vectors, const I &indices) {
    const auto p = hitscan::positions(span(vectors));
    const auto t = hitscan::triangles(span(indices));
    mesh made;
    check(hitscan_mesh_new(&p, &t, made.out()));
    return made;
  }

  static mesh load(const std::string &path, const hitscan_load_options *options = nullptr) {
    mesh made;
    check(hitscan_mesh_load(path.c_str(), options, made.out()));
    return made;
  }

  static mesh parse(span<const std::uint8_t> bytes, const std::string &name) {
    mesh made;
    check(hitscan_mesh_parse(bytes.data(), bytes.size(), name.c_str(), nullptr, made.out()));
    return made;
  }

  hitscan_mesh_info info() const {
    auto value = sized<hitscan_mesh_info>();
    check(hitscan_mesh_get_info(get(), &value));
    return value;
  }

  hitscan_hit_details describe(const hitscan_hit &hit) const {
    auto value = sized<hitscan_hit_details>();
    check(hitscan_mesh_describe(get(), &hit, &value));
    return value;
  }
};

// Lists of hits: lists[i] is a span of the hits of ray i.
class hit_lists : public owner<hitscan_hit_lists, hitscan_hit_lists_release> {
 public:
  explicit hit_lists(hitscan_hit_lists *handle) : owner(handle) { check(hitscan_hit_lists_get(get(), &view_)); }

  std::size_t size() const noexcept { return view_.n_rays; }
  span<const hitscan_hit> operator[](std::size_t ray) const noexcept {
    const std::size_t start = view_.starts[ray], end = view_.starts[ray + 1];
    return start == end ? span<const hitscan_hit>() : span<const hitscan_hit>(view_.hits + start, end - start);
  }

 private:
  hitscan_hit_lists_view view_ = sized<hitscan_hit_lists_view>();
};

class bvh : public owner<hitscan_bvh, hitscan_bvh_release> {
 public:
  using owner::owner;

  explicit bvh(const mesh &of, const hitscan_build_options *options = nullptr) {
    check(hitscan_bvh_build(of.get(), options, out()));
  }

  static bvh load(const std::string &path) {
    bvh made;
    check(hitscan_bvh_load(path.c_str(), made.out()));
    return made;
  }

  void save(const std::string &path) const { check(hitscan_bvh_save(get(), path.c_str())); }

  // A snapshot, which edits of this tree do not change: the way back from an edit.
  bvh clone() const {
    bvh snapshot;
    check(hitscan_bvh_clone(get(), snapshot.out()));
    return snapshot;
  }

  // Edits the mesh; true once a new build would pay.
  bool update(const hitscan_edit &edit) {
    std::uint32_t rebuild_pays = 0;
    check(hitscan_bvh_update(get(), &edit, &rebuild_pays));
    return rebuild_pays != 0;
  }

  hitscan::mesh mesh() const {
    hitscan::mesh of;
    check(hitscan_bvh_mesh(get(), of.out()));
    return of;
  }

  // Moves the vertices; true once a new build would pay.
  template <class P>
  bool refit(const P &vectors) {
    const auto p = hitscan::positions(span(vectors));
    std::uint32_t rebuild_pays = 0;
    check(hitscan_bvh_refit(get(), &p, &rebuild_pays));
    return rebuild_pays != 0;
  }

  std::optional<hitscan_hit> closest_hit(const hitscan_ray &ray, const hitscan_hit_options *options = nullptr) const {
    hitscan_hit hit;
    check(hitscan_bvh_closest_hit(get(), &ray, options, &hit));
    return found(hit);
  }

  // Among the hits for which accept(const hitscan_hit &) is true.
  template <class F>
  std::optional<hitscan_hit> closest_hit_where(const hitscan_ray &ray, F &&accept,
                                               const hitscan_hit_options *options = nullptr) const {
    detail::rule<F, hitscan_hit> rule{accept, nullptr};
    hitscan_hit hit;
    rule.finish(hitscan_bvh_closest_hit_where(get(), &ray, options, rule.call, &rule, &hit));
    return found(hit);
  }

  bool is_occluded(const hitscan_ray &ray, const hitscan_hit_options *options = nullptr) const {
    std::uint8_t occluded = 0;
    check(hitscan_bvh_is_occluded(get(), &ray, options, &occluded));
    return occluded != 0;
  }

  std::uint32_t count_crossings(const hitscan_ray &ray, const hitscan_hit_options *options = nullptr) const {
    std::uint32_t crossings = 0;
    check(hitscan_bvh_count_crossings(get(), &ray, options, &crossings));
    return crossings;
  }

  std::int64_t signed_crossings(const hitscan_ray &ray) const {
    std::int64_t crossings = 0;
    check(hitscan_bvh_signed_crossings(get(), &ray, &crossings));
    return crossings;
  }

  // The pairs of triangles that intersect beyond the corners and edges they share.
  std::vector<hitscan_triangle_pair> self_intersections() const {
    return detail::list<hitscan_triangle_pair>([&](hitscan_triangle_pair *pairs, std::size_t capacity, std::size_t *n) {
      return hitscan_bvh_self_intersections(get(), pairs, capacity, n);
    });
  }

  std::vector<hitscan_hit> all_hits(const hitscan_ray &ray, const hitscan_hit_options *options = nullptr) const {
    return detail::list<hitscan_hit>([&](hitscan_hit *hits, std::size_t capacity, std::size_t *n) {
      return hitscan_bvh_all_hits(get(), &ray, options, hits, capacity, n);
    });
  }

  std::vector<hitscan_hit> nearest_hits(const hitscan_ray &ray, std::size_t n,
                                        const hitscan_hit_options *options = nullptr) const {
    std::vector<hitscan_hit> hits(n);
    check(hitscan_bvh_nearest_hits(get(), &ray, n, options, hits.data(), &n));
    hits.resize(n);
    return hits;
  }

  // The first hits of rays, on all threads.
  void closest_hits(span<const hitscan_ray> rays, span<hitscan_hit> hits,
                    const hitscan_hit_options *options = nullptr) const {
    detail::same_size(rays.size(), hits.size());
    check(hitscan_bvh_closest_hit_batch(get(), rays.data(), rays.size(), 0, options, hits.data(), 0));
  }

  // The same in structs of the caller, in place: closest_hits(shots, &shot::ray, &shot::hit).
  template <class C, class T>
  void closest_hits(C &items, hitscan_ray T::*ray, hitscan_hit T::*hit,
                    const hitscan_hit_options *options = nullptr) const {
    const span<T> all(items);
    if (all.size() == 0) return;
    check(hitscan_bvh_closest_hit_batch(get(), &(all[0].*ray), all.size(), sizeof(T), options, &(all[0].*hit),
                                        sizeof(T)));
  }

  // The same for any type: to_ray(const T &) makes a hitscan_ray, and set_hit(T &, const hitscan_hit &) takes the answer.
  template <class C, class ToRay, class SetHit>
  auto closest_hits_by(C &items, ToRay to_ray, SetHit set_hit, const hitscan_hit_options *options = nullptr) const
      -> void {
    std::vector<hitscan_ray> rays;
    rays.reserve(std::size(items));
    for (const auto &item : items) rays.push_back(to_ray(item));
    std::vector<hitscan_hit> hits(rays.size());
    closest_hits(rays, hits, options);
    std::size_t i = 0;
    for (auto &item : items) set_hit(item, hits[i++]);
  }

  // 1 for each ray that hits anything.
  void are_occluded(span<const hitscan_ray> rays, span<std::uint8_t> occluded,
                    const hitscan_hit_options *options = nullptr) const {
    detail::same_size(rays.size(), occluded.size());
    check(hitscan_bvh_is_occluded_batch(get(), rays.data(), rays.size(), 0, options, occluded.data(), 0));
  }

  hit_lists all_hits(span<const hitscan_ray> rays, const hitscan_hit_options *options = nullptr) const {
    hitscan_hit_lists *lists = nullptr;
    check(hitscan_bvh_all_hits_batch(get(), rays.data(), rays.size(), 0, options, &lists));
    return hit_lists(lists);
  }

  // Calls found(triangle, bound) with what a ray may hit, in the order of a lower bound of t. It returns the t beyond
  // which nothing matters, such as that of the caller's nearest hit.
  template <class F>
  void visit_candidates(const hitscan_world_ray &ray, double tolerance, F &&found) const {
    detail::visitor<F> visitor{found, nullptr};
    visitor.finish(hitscan_bvh_visit_candidates(get(), &ray, tolerance, visitor.call, &visitor));
  }

  std::optional<hitscan_surface_point> closest_point(
      const std::array<float, 3> &point, double max_distance = std::numeric_limits<double>::infinity()) const {
    hitscan_surface_point closest;
    check(hitscan_bvh_closest_point(get(), point.data(), max_distance, &closest));
    if (closest.triangle == HITSCAN_NO_TRIANGLE) return std::nullopt;
    return closest;
  }

  double signed_distance(const std::array<float, 3> &point) const {
    double distance = 0.0;
    check(hitscan_bvh_signed_distance(get(), point.data(), &distance));
    return distance;
  }

  bool is_inside(const std::array<float, 3> &point) const {
    std::uint8_t inside = 0;
    check(hitscan_bvh_is_inside(get(), point.data(), &inside));
    return inside != 0;
  }

  double winding_number(const std::array<float, 3> &point, double tolerance = 1e-3) const {
    double number = 0;
    check(hitscan_bvh_winding_number(get(), point.data(), tolerance, &number));
    return number;
  }

  // The same for points in an array of the caller's vectors of floats, on all threads.
  template <class P>
  void signed_distances(const P &points, span<double> distances) const {
    const span at(points);
    detail::same_size(at.size(), distances.size());
    check(hitscan_bvh_signed_distance_batch(get(), detail::floats(at), at.size(), sizeof(at[0]), distances.data(), 0));
  }
  template <class P>
  void are_inside(const P &points, span<std::uint8_t> inside) const {
    const span at(points);
    detail::same_size(at.size(), inside.size());
    check(hitscan_bvh_is_inside_batch(get(), detail::floats(at), at.size(), sizeof(at[0]), inside.data(), 0));
  }
  template <class P>
  void winding_numbers(const P &points, span<double> numbers, double tolerance = 1e-3) const {
    const span at(points);
    detail::same_size(at.size(), numbers.size());
    check(hitscan_bvh_winding_number_batch(get(), detail::floats(at), at.size(), sizeof(at[0]), tolerance,
                                           numbers.data(), 0));
  }

 private:
  static std::optional<hitscan_hit> found(const hitscan_hit &hit) noexcept {
    if (hit.triangle == HITSCAN_NO_TRIANGLE) return std::nullopt;
    return hit;
  }
};

class view : public owner<hitscan_view, hitscan_view_release> {
 public:
  using owner::owner;
  explicit view(const hitscan_view_matrix &matrix) { check(hitscan_view_from_matrix(&matrix, out())); }
  explicit view(const hitscan_camera &camera) { check(hitscan_view_from_camera(&camera, out())); }

  hitscan_world_ray ray(double x, double y) const {
    hitscan_world_ray of;
    check(hitscan_view_ray(get(), x, y, &of));
    return of;
  }
};

// Instances that a scene can restore.
using removed = owner<hitscan_removed, hitscan_removed_release>;

class scene : public owner<hitscan_scene, hitscan_scene_release> {
 public:
  scene() { check(hitscan_scene_new(out())); }
  using owner::owner;

  // A snapshot, which edits of this scene do not change.
  scene clone() const {
    scene snapshot(nullptr);
    check(hitscan_scene_clone(get(), snapshot.out()));
    return snapshot;
  }

  hitscan_instance_id insert(const hitscan_instance &instance) {
    hitscan_instance_id id = HITSCAN_NO_INSTANCE;
    check(hitscan_scene_insert(get(), &instance, &id));
    return id;
  }

  // A tree with a transform: the images of the axes, then the translation.
  hitscan_instance_id insert(const bvh &tree, const std::array<double, 12> &transform) {
    auto instance = sized<hitscan_instance>();
    instance.bvh = tree.get();
    instance.transform = transform.data();
    return insert(instance);
  }

  static scene load(const std::string &path, const hitscan_load_options *options = nullptr) {
    scene made(nullptr);
    check(hitscan_scene_load(path.c_str(), options, made.out()));
    return made;
  }

  void save(const std::string &path) const { check(hitscan_scene_save(get(), path.c_str())); }

  std::vector<hitscan_instance_id> instances() const {
    return detail::list<hitscan_instance_id>([&](hitscan_instance_id *ids, std::size_t capacity, std::size_t *n) {
      return hitscan_scene_instances(get(), ids, capacity, n);
    });
  }

  // Edits the mesh of an instance, and of all that share it; true once a new build would pay.
  bool update(hitscan_instance_id id, const hitscan_edit &edit) {
    std::uint32_t rebuild_pays = 0;
    check(hitscan_scene_update(get(), id, &edit, &rebuild_pays));
    return rebuild_pays != 0;
  }
  // Gives an instance another tree, such as a snapshot from before an edit.
  void set_mesh(hitscan_instance_id id, const bvh &tree) { check(hitscan_scene_set_mesh(get(), id, tree.get())); }

  // Removes an instance with its descendants, so that restore can undo it until forget.
  removed remove_restorable(hitscan_instance_id id) {
    removed gone;
    check(hitscan_scene_remove_restorable(get(), id, gone.out()));
    return gone;
  }
  hitscan_instance_id restore(const removed &gone) {
    hitscan_instance_id id = HITSCAN_NO_INSTANCE;
    check(hitscan_scene_restore(get(), gone.get(), &id));
    return id;
  }
  void forget(removed gone) { check(hitscan_scene_forget(get(), gone.get())); }

  void remove(hitscan_instance_id id) { check(hitscan_scene_remove(get(), id)); }
  void set_hidden(hitscan_instance_id id, bool hidden) { check(hitscan_scene_set_hidden(get(), id, hidden ? 1 : 0)); }
  void set_transform(hitscan_instance_id id, const std::array<double, 12> &transform) {
    check(hitscan_scene_set_transform(get(), id, transform.data()));
  }

  std::optional<hitscan_scene_hit> closest_hit(const hitscan_world_ray &ray,
                                               const hitscan_query_options *options = nullptr) const {
    hitscan_scene_hit hit;
    check(hitscan_scene_closest_hit(get(), &ray, options, &hit));
    return found(hit);
  }

  // Among the hits for which accept(const hitscan_scene_hit &) is true.
  template <class F>
  std::optional<hitscan_scene_hit> closest_hit_where(const hitscan_world_ray &ray, F &&accept,
                                                     const hitscan_query_options *options = nullptr) const {
    detail::rule<F, hitscan_scene_hit> rule{accept, nullptr};
    hitscan_scene_hit hit;
    rule.finish(hitscan_scene_closest_hit_where(get(), &ray, options, rule.call, &rule, &hit));
    return found(hit);
  }

  bool is_occluded(const hitscan_world_ray &ray, const hitscan_query_options *options = nullptr) const {
    std::uint8_t occluded = 0;
    check(hitscan_scene_is_occluded(get(), &ray, options, &occluded));
    return occluded != 0;
  }

  std::vector<hitscan_scene_hit> all_hits(const hitscan_world_ray &ray,
                                          const hitscan_query_options *options = nullptr) const {
    return detail::list<hitscan_scene_hit>([&](hitscan_scene_hit *hits, std::size_t capacity, std::size_t *n) {
      return hitscan_scene_all_hits(get(), &ray, options, hits, capacity, n);
    });
  }

  void closest_hits(span<const hitscan_world_ray> rays, span<hitscan_scene_hit> hits,
                    const hitscan_query_options *options = nullptr) const {
    detail::same_size(rays.size(), hits.size());
    check(hitscan_scene_closest_hit_batch(get(), rays.data(), rays.size(), 0, options, hits.data(), 0));
  }

  std::optional<hitscan_pick> pick(const hitscan::view &view, double x, double y,
                                   const hitscan_pick_options *options = nullptr) const {
    hitscan_pick pick;
    check(hitscan_scene_pick(get(), view.get(), x, y, options, &pick));
    if (pick.element.instance == HITSCAN_NO_INSTANCE) return std::nullopt;
    return pick;
  }

  std::vector<hitscan_element> select_marquee(const hitscan::view &view, double x0, double y0, double x1, double y1,
                                              const hitscan_select_options *options = nullptr) const {
    return detail::list<hitscan_element>([&](hitscan_element *elements, std::size_t capacity, std::size_t *n) {
      return hitscan_scene_select_marquee(get(), view.get(), x0, y0, x1, y1, options, elements, capacity, n);
    });
  }

  hitscan_hit_details describe(const hitscan_scene_hit &hit) const {
    auto value = sized<hitscan_hit_details>();
    check(hitscan_scene_describe(get(), &hit, &value));
    return value;
  }

 private:
  static std::optional<hitscan_scene_hit> found(const hitscan_scene_hit &hit) noexcept {
    if (hit.instance == HITSCAN_NO_INSTANCE) return std::nullopt;
    return hit;
  }
};

#endif  // HITSCAN_NO_EXCEPTIONS

}  // namespace hitscan

#endif  // HITSCAN_HPP
