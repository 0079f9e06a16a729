// Rays pass through some triangles: here through those that the program has marked.
#include <hitscan.h>
#include <stdio.h>
#include <stdlib.h>

static int is_solid(const hitscan_hit *hit, void *user) {
    const unsigned char *holes = user;
    return !holes[hit->triangle];
}

int main(void) {
    hitscan_mesh *mesh = NULL;
    hitscan_bvh *bvh = NULL;
    hitscan_hit hit;
    hitscan_mesh_info info = {.size = sizeof info};
    const hitscan_ray ray = {{4, -7, -4}, {-2, 10, 8}, 0, 1};
    if (hitscan_mesh_load("cuboid.obj", NULL, &mesh) || hitscan_bvh_build(mesh, NULL, &bvh) ||
        hitscan_mesh_get_info(mesh, &info) || hitscan_bvh_closest_hit(bvh, &ray, NULL, &hit))
        return fprintf(stderr, "%s\n", hitscan_last_error()), 1;
    unsigned char *holes = calloc(info.n_triangles, 1);
    if (holes == NULL || hit.triangle == HITSCAN_NO_TRIANGLE) return 1;
    printf("triangle %u at %g\n", hit.triangle, (double)hit.t);
    holes[hit.triangle] = 1;
    if (hitscan_bvh_closest_hit_where(bvh, &ray, NULL, is_solid, holes, &hit))
        return fprintf(stderr, "%s\n", hitscan_last_error()), 1;
    printf("through it, triangle %u at %g\n", hit.triangle, (double)hit.t);
    free(holes);
    hitscan_bvh_release(bvh);
    return hitscan_mesh_release(mesh);
}
