// The calls of a first program for Embree, by declarations of our own: the layout is Embree 4.4's.

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct RTCDeviceTy *RTCDevice;
typedef struct RTCSceneTy *RTCScene;
typedef struct RTCGeometryTy *RTCGeometry;

struct ray_hit {
    float org[3], tnear, dir[3], time, tfar;
    unsigned mask, id, flags;
    float normal[3], u, v;
    unsigned prim_id, geom_id, inst_id, inst_prim_id;
    unsigned padding[3];
};

enum { TRIANGLE = 0, INDEX = 0, VERTEX = 1, UINT3 = 0x5003, FLOAT3 = 0x9003 };

RTCDevice rtcNewDevice(const char *config);
void rtcReleaseDevice(RTCDevice device);
int rtcGetDeviceError(RTCDevice device);
RTCScene rtcNewScene(RTCDevice device);
void rtcReleaseScene(RTCScene scene);
void rtcCommitScene(RTCScene scene);
unsigned rtcAttachGeometry(RTCScene scene, RTCGeometry geometry);
RTCGeometry rtcNewGeometry(RTCDevice device, int type);
void rtcCommitGeometry(RTCGeometry geometry);
void rtcReleaseGeometry(RTCGeometry geometry);
void *rtcSetNewGeometryBuffer(RTCGeometry geometry, int type, unsigned slot, int format, size_t stride, size_t n);
void rtcIntersect1(RTCScene scene, struct ray_hit *ray, void *arguments);

int main(void) {
    const float corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const unsigned triangle[] = {0, 1, 2};
    RTCDevice device = rtcNewDevice(NULL);
    RTCScene scene = rtcNewScene(device);
    RTCGeometry geometry = rtcNewGeometry(device, TRIANGLE);
    memcpy(rtcSetNewGeometryBuffer(geometry, VERTEX, 0, FLOAT3, 12, 3), corners, sizeof corners);
    memcpy(rtcSetNewGeometryBuffer(geometry, INDEX, 0, UINT3, 12, 1), triangle, sizeof triangle);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(scene, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(scene);
    struct ray_hit ray = {.org = {0.25f, 0.5f, -2}, .dir = {0, 0, 1}, .tfar = INFINITY, .mask = 1, .geom_id = -1u};
    rtcIntersect1(scene, &ray, NULL);
    printf("geometry %u, primitive %u at %g, u %g, v %g, normal z %g, error %d\n", ray.geom_id, ray.prim_id,
           (double)ray.tfar, (double)ray.u, (double)ray.v, (double)ray.normal[2], rtcGetDeviceError(device));
    rtcReleaseScene(scene);
    rtcReleaseDevice(device);
    return 0;
}
