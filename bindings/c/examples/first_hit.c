// What does a ray hit first? Compile: cc first_hit.c $(pkg-config --cflags --libs hitscan)
#include <hitscan.h>
#include <stdio.h>

int main(void) {
    hitscan_mesh *mesh = NULL;
    hitscan_bvh *bvh = NULL;
    hitscan_hit hit;
    const hitscan_ray ray = {{4, -7, -4}, {-2, 10, 8}, 0, 1};
    if (hitscan_mesh_load("cuboid.obj", NULL, &mesh) || hitscan_bvh_build(mesh, NULL, &bvh) ||
        hitscan_bvh_closest_hit(bvh, &ray, NULL, &hit))
        return fprintf(stderr, "%s\n", hitscan_last_error()), 1;
    printf("triangle %u at %g\n", hit.triangle, (double)hit.t);
    hitscan_bvh_release(bvh);
    return hitscan_mesh_release(mesh);
}
