/* Reads a mesh, rays and the answers of Rust, and compares the bits of every query in C. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hitscan.h"

#define CHECK(call)                                                             \
    do {                                                                        \
        if ((call) != HITSCAN_OK) {                                             \
            fprintf(stderr, "line %d: %s\n", __LINE__, hitscan_last_error());   \
            exit(1);                                                            \
        }                                                                       \
    } while (0)

#define EXPECT(condition)                                                       \
    do {                                                                        \
        if (!(condition)) {                                                     \
            fprintf(stderr, "line %d: not %s\n", __LINE__, #condition);         \
            exit(1);                                                            \
        }                                                                       \
    } while (0)

struct shot {
    int name;
    hitscan_ray ray;
    hitscan_hit expected;
    hitscan_hit hit;
};

static void *read_all(FILE *file, size_t n, size_t size) {
    void *data = malloc(n * size + 1);
    EXPECT(data != NULL && fread(data, size, n, file) == n);
    return data;
}

static int odd(const hitscan_hit *hit, void *user) {
    ++*(int *)user;
    return hit->triangle % 2 == 1;
}

static int go_on(float done, void *user) {
    EXPECT(done >= *(float *)user);
    *(float *)user = done;
    return 0;
}

/* The file: three counts, positions, triangles, then a ray and the answer of Rust for each ray. */
static hitscan_bvh *build(FILE *file, uint64_t n[3]) {
    hitscan_positions positions = {.size = sizeof positions, .number = HITSCAN_F32};
    hitscan_triangles triangles = {.size = sizeof triangles, .number = HITSCAN_U32};
    hitscan_mesh *mesh;
    hitscan_bvh *bvh;
    float done = 0;
    hitscan_build_options options = {.size = sizeof options, .progress = go_on, .user = &done};
    EXPECT(fread(n, sizeof n[0], 3, file) == 3);
    void *xyz = read_all(file, n[0], 3 * sizeof(float));
    void *corners = read_all(file, n[1], 3 * sizeof(uint32_t));
    positions.data = xyz;
    positions.n = n[0];
    triangles.data = corners;
    triangles.n = n[1];
    CHECK(hitscan_mesh_new(&positions, &triangles, &mesh));
    free(xyz);
    free(corners);
    CHECK(hitscan_bvh_build(mesh, &options, &bvh));
    EXPECT(done > 0);
    CHECK(hitscan_mesh_release(mesh));
    EXPECT(hitscan_mesh_release(mesh) == HITSCAN_INVALID_HANDLE);
    EXPECT(strstr(hitscan_last_error(), "a released handle") != NULL);
    return bvh;
}

static void compare(const hitscan_bvh *bvh, const struct shot *shot) {
    hitscan_hit hit;
    uint8_t occluded;
    CHECK(hitscan_bvh_closest_hit(bvh, &shot->ray, NULL, &hit));
    EXPECT(memcmp(&hit, &shot->expected, sizeof hit) == 0);
    EXPECT(memcmp(&shot->hit, &shot->expected, sizeof hit) == 0);
    CHECK(hitscan_bvh_is_occluded(bvh, &shot->ray, NULL, &occluded));
    EXPECT(occluded == (hit.triangle != HITSCAN_NO_TRIANGLE));
}

static void filtered(const hitscan_bvh *bvh, const hitscan_ray *ray) {
    hitscan_hit hit;
    hitscan_hit all[64];
    size_t n_all;
    int n_calls = 0;
    CHECK(hitscan_bvh_closest_hit_where(bvh, ray, NULL, odd, &n_calls, &hit));
    CHECK(hitscan_bvh_all_hits(bvh, ray, NULL, all, 64, &n_all));
    EXPECT(n_all <= 64);
    for (size_t i = 0; i < n_all; ++i) {
        if (all[i].triangle % 2 == 1) {
            EXPECT(n_calls > 0 && memcmp(&hit, &all[i], sizeof hit) == 0);
            return;
        }
    }
    EXPECT(hit.triangle == HITSCAN_NO_TRIANGLE && hit.t == INFINITY);
}

static void pick(const hitscan_bvh *bvh) {
    const double transform[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -20};
    hitscan_scene *scene, *snapshot;
    hitscan_view *view;
    hitscan_pick found;
    hitscan_element elements[4];
    hitscan_hit_details details = {.size = sizeof details};
    hitscan_instance_id id;
    size_t n;
    hitscan_instance instance = {.size = sizeof instance, .bvh = bvh, .transform = transform};
    hitscan_camera camera = {.size = sizeof camera, .target = {0, 0, -20}, .n_pixels = {640, 480}};
    CHECK(hitscan_scene_new(&scene));
    CHECK(hitscan_scene_insert(scene, &instance, &id));
    CHECK(hitscan_view_from_camera(&camera, &view));
    CHECK(hitscan_scene_pick(scene, view, 320, 240, NULL, &found));
    EXPECT(found.element.instance == id && found.hit.local.triangle != HITSCAN_NO_TRIANGLE);
    CHECK(hitscan_scene_describe(scene, &found.hit, &details));
    EXPECT(fabs(details.point[2] - found.point[2]) < 1e-4);
    CHECK(hitscan_scene_clone(scene, &snapshot));
    CHECK(hitscan_scene_set_hidden(scene, id, 1));
    CHECK(hitscan_scene_pick(scene, view, 320, 240, NULL, &found));
    EXPECT(found.element.instance == HITSCAN_NO_INSTANCE);
    CHECK(hitscan_scene_select_marquee(snapshot, view, 0, 0, 640, 480, NULL, elements, 4, &n));
    EXPECT(n == 1 && elements[0].instance == id);
    CHECK(hitscan_view_release(view));
    CHECK(hitscan_scene_release(snapshot));
    CHECK(hitscan_scene_release(scene));
}

/* An edit and a removal, each with its way back. */
static void undo(hitscan_bvh *bvh) {
    const uint32_t last = 0;
    const hitscan_edit edit = {
        .size = sizeof edit, .kind = HITSCAN_EDIT_REMOVE, .indices = &last, .n_indices = 1};
    hitscan_bvh_info before = {.size = sizeof before}, after = {.size = sizeof after};
    const hitscan_instance instance = {.size = sizeof instance, .bvh = bvh};
    const float point[3] = {0, 0, 0};
    hitscan_bvh *snapshot;
    hitscan_scene *scene;
    hitscan_removed *removed;
    hitscan_instance_id id, restored;
    double number, numbers[1];
    CHECK(hitscan_bvh_winding_number(bvh, point, 1e-3, &number));
    CHECK(hitscan_bvh_winding_number_batch(bvh, point, 1, 0, 1e-3, numbers, 0));
    EXPECT(memcmp(&number, numbers, sizeof number) == 0);
    CHECK(hitscan_bvh_clone(bvh, &snapshot));
    CHECK(hitscan_bvh_update(bvh, &edit, NULL));
    CHECK(hitscan_bvh_get_info(snapshot, &before));
    CHECK(hitscan_bvh_get_info(bvh, &after));
    EXPECT(after.n_triangles + 1 == before.n_triangles);
    CHECK(hitscan_bvh_release(snapshot));
    CHECK(hitscan_scene_new(&scene));
    CHECK(hitscan_scene_insert(scene, &instance, &id));
    CHECK(hitscan_scene_remove_restorable(scene, id, &removed));
    CHECK(hitscan_scene_restore(scene, removed, &restored));
    EXPECT(restored == id);
    CHECK(hitscan_removed_release(removed));
    EXPECT(hitscan_removed_release(removed) == HITSCAN_INVALID_HANDLE);
    CHECK(hitscan_scene_release(scene));
}

int main(int argc, char **argv) {
    uint64_t n[3];
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    EXPECT(file != NULL);
    hitscan_bvh *bvh = build(file, n);
    struct shot *shots = calloc(n[2], sizeof *shots);
    EXPECT(shots != NULL);
    for (size_t i = 0; i < n[2]; ++i) {
        EXPECT(fread(&shots[i].ray, sizeof shots[i].ray, 1, file) == 1);
        EXPECT(fread(&shots[i].expected, sizeof shots[i].expected, 1, file) == 1);
    }
    fclose(file);
    CHECK(hitscan_bvh_closest_hit_batch(bvh, &shots[0].ray, n[2], sizeof *shots, NULL, &shots[0].hit,
                                        sizeof *shots));
    for (size_t i = 0; i < n[2]; ++i) {
        compare(bvh, &shots[i]);
        filtered(bvh, &shots[i].ray);
    }
    pick(bvh);
    undo(bvh);
    free(shots);
    CHECK(hitscan_bvh_release(bvh));
    puts("ok");
    return 0;
}
