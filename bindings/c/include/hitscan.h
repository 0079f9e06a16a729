// hitscan: exact and watertight ray casting over triangle meshes, for C, C++ and what calls C.
//
// cbindgen makes this file from bindings/c/src; a test compares the two. README.md has the first steps.
//
// Rules for all calls
//
// - A call returns a status. After a failure hitscan_last_error has a message for this thread, and answers are
//   not written. A ray that hits nothing is no failure.
// - Pointers are to memory of the stated type, aligned as the type, or NULL where the text says so. The library
//   keeps no pointer after a call, except callbacks and their user pointers, during it.
// - Structs that begin with `size` may grow. Set all bytes to zero, then size to sizeof of the struct.
// - A handle that a call writes belongs to the caller, who releases it. A released handle, one of another kind
//   and NULL are reported; a pointer that never was a handle is not always.
// - Threads: any number of threads may call with the same const handle at once. A call with a handle that is not
//   const needs it for itself. Answers are the same for any number of threads, and on every machine.
// - Arrays have at most 2^32 - 1 elements, meshes at most 2^29 triangles. A count of 0 goes with any pointer.
// - Callbacks must return: no longjmp, and no exception beyond them.
// - After fork, only the process that made a tree should call batches, because the threads stay with it.


#ifndef HITSCAN_H
#define HITSCAN_H

#include <stddef.h>
#include <stdint.h>

// The triangle of a ray that hits nothing.
#define HITSCAN_NO_TRIANGLE 4294967295

// A mesh with its tree. Threads may query it at once. Only hitscan_bvh_refit, hitscan_bvh_update and
// hitscan_bvh_release change it, and they need it for themselves.
typedef struct hitscan_bvh hitscan_bvh;

// The hits of many rays, in one list per ray. Immutable.
typedef struct hitscan_hit_lists hitscan_hit_lists;

// A triangle mesh. Immutable, so threads may share it.
typedef struct hitscan_mesh hitscan_mesh;

// An instance with its descendants after hitscan_scene_remove_restorable.
typedef struct hitscan_removed hitscan_removed;

// Instances of trees in a world of double coordinates. Threads may query a scene at once. Edits need it for
// themselves; a clone is a cheap snapshot that other threads go on to query.
typedef struct hitscan_scene hitscan_scene;

// The polylines of a plane. Immutable.
typedef struct hitscan_section hitscan_section;

// A camera and its viewport. Immutable, so threads may share it.
typedef struct hitscan_view hitscan_view;

// The result of a call: HITSCAN_OK, or why it failed. hitscan_last_error has the message.
typedef int32_t hitscan_status;

// The type of the numbers of an array.
typedef uint32_t hitscan_number;

// The positions of vertices: three numbers each. The arrays are only read, and not kept.
typedef struct hitscan_positions {
  // sizeof(hitscan_positions)
  size_t size;
  // The x of the first vertex; y and z follow it.
  const void *data;
  // The number of vertices.
  size_t n;
  // The distance in bytes from one vertex to the next. 0 stands for three numbers.
  size_t stride;
  // HITSCAN_F32 or HITSCAN_F64.
  hitscan_number number;
  // 1 to round positions in double to float. 0 to make a mesh far from the origin relative to an offset
  // instead, if float would lose detail; see hitscan_mesh_info.
  uint32_t keep_origin;
} hitscan_positions;

// The corners of triangles: three indices of vertices each, counter-clockwise seen from the front. The
// arrays are only read, and not kept.
typedef struct hitscan_triangles {
  // sizeof(hitscan_triangles)
  size_t size;
  // The first corner of the first triangle; the other two follow it.
  const void *data;
  // The number of triangles.
  size_t n;
  // The distance in bytes from one triangle to the next. 0 stands for three indices.
  size_t stride;
  // HITSCAN_U32 or HITSCAN_U16; 0 stands for HITSCAN_U32.
  hitscan_number number;
  // 0.
  uint32_t reserved;
} hitscan_triangles;

// The options of reading a file. All zeros but the size are the defaults, and so is NULL.
typedef struct hitscan_load_options {
  // sizeof(hitscan_load_options)
  size_t size;
  // 1 to keep no polygons, names and source lines.
  uint32_t skip_records;
  // 1 to keep no texture coordinates and normals.
  uint32_t skip_attributes;
  // 1 to round positions to float even where that loses detail; see hitscan_positions.
  uint32_t keep_origin;
  // 0.
  uint32_t reserved;
  // The maximum size of the file in bytes. 0 stands for 16 GiB.
  uint64_t max_file_bytes;
} hitscan_load_options;

// The properties of a mesh.
typedef struct hitscan_mesh_info {
  // sizeof(hitscan_mesh_info), which the caller sets.
  size_t size;
  // The number of vertices.
  size_t n_positions;
  // The number of triangles, those without area included.
  size_t n_triangles;
  // The number of polygons that the triangles were cut from; without records, that of triangles.
  size_t n_polygons;
  // The least corner of the box around all triangles, INFINITY without triangles.
  float min[3];
  // The greatest corner of the box, -INFINITY without triangles.
  float max[3];
  // The origin of the mesh in the coordinates of its file or array; zeros for most meshes. Positions, rays
  // and answers are relative to it, but scenes apply it.
  double offset[3];
  // The vertices: n_positions times x, y and z. Valid until the mesh is released.
  const float *positions;
  // The triangles: n_triangles times three indices. Valid until the mesh is released.
  const uint32_t *triangles;
} hitscan_mesh_info;

// The side of a triangle that a ray came from.
typedef uint32_t hitscan_side;

// A hit of a mesh. A ray that hits nothing has t = INFINITY and triangle = HITSCAN_NO_TRIANGLE.
typedef struct hitscan_hit {
  // The position on the ray, in units of its direction.
  float t;
  // The weight of the second corner: the point is (1 - u - v) * a + u * b + v * c.
  float u;
  // The weight of the third corner.
  float v;
  // The index of the triangle, in the order of the mesh.
  uint32_t triangle;
  // HITSCAN_SIDE_FRONT or HITSCAN_SIDE_BACK.
  hitscan_side side;
} hitscan_hit;

// Text in UTF-8 of this length, without a zero at its end. NULL if there is none.
typedef struct hitscan_text {
  // The bytes.
  const char *data;
  // The number of bytes.
  size_t length;
} hitscan_text;

// What a hit of a mesh is. Texts are valid until the mesh is released.
typedef struct hitscan_hit_details {
  // sizeof(hitscan_hit_details), which the caller sets.
  size_t size;
  // The point, on the triangle.
  double point[3];
  // The unit normal of the triangle by its winding; zeros for a triangle without area.
  double normal[3];
  // The texture coordinates; NAN if there are none.
  double uv[2];
  // The three vertices.
  uint32_t vertices[3];
  // The polygon that the triangle was cut from; without records, the triangle.
  uint32_t polygon;
  // The line of the polygon in its file; 0 if it is not known.
  uint64_t line;
  // The object of the polygon.
  struct hitscan_text object;
  // The group of the polygon.
  struct hitscan_text group;
  // The material of the polygon.
  struct hitscan_text material;
} hitscan_hit_details;

// The time to spend on a better tree. Answers are the same for all.
typedef uint32_t hitscan_quality;

// The layout of the leaves of a tree. Answers are the same for all.
typedef uint32_t hitscan_layout;

// Receives the fraction done, from 0 to 1 and never falling. Any thread may call it, but only one at a time.
// A result other than 0 stops the call, which then returns HITSCAN_CANCELLED.
typedef int (*hitscan_progress)(float done, void *user);

// The options of a build. All zeros but the size are the defaults, and so is NULL.
typedef struct hitscan_build_options {
  // sizeof(hitscan_build_options)
  size_t size;
  // The time to spend on a better tree.
  hitscan_quality quality;
  // The layout of the leaves.
  hitscan_layout layout;
  // A callback for progress; may be NULL.
  hitscan_progress progress;
  // The argument of the callback.
  void *user;
} hitscan_build_options;

// The properties of a tree.
typedef struct hitscan_bvh_info {
  // sizeof(hitscan_bvh_info), which the caller sets.
  size_t size;
  // The number of triangles.
  size_t n_triangles;
  // The bytes that the tree takes, beside the mesh.
  size_t n_bytes;
  // The number of nodes of up to eight children.
  size_t n_nodes;
  // The nodes on the longest path from the root.
  size_t depth;
  // The expected cost of a ray, in visits of nodes.
  float cost;
  // HITSCAN_LAYOUT_FULL or HITSCAN_LAYOUT_COMPACT.
  hitscan_layout layout;
} hitscan_bvh_info;

// A ray in the space of a mesh: the points origin + t * direction with t from t_min to t_max, inclusive.
// The direction has any length but zero, and t is in units of it. A segment from a to b has the direction
// b - a and t from 0 to 1. t_max may be INFINITY.
//
// In a call for one ray, a ray that is not finite, has no direction or an empty interval is
// HITSCAN_INVALID_ARGUMENT. In a batch it hits nothing.
typedef struct hitscan_ray {
  // The point at t = 0.
  float origin[3];
  // The change of position per unit of t.
  float direction[3];
  // The smallest t that counts.
  float t_min;
  // The largest t that counts.
  float t_max;
} hitscan_ray;

// The sides of triangles that a ray may hit.
typedef uint32_t hitscan_faces;

// What a list of hits holds where a ray meets an edge or a vertex that triangles share.
typedef uint32_t hitscan_hit_mode;

// The options of queries of a mesh. All zeros but the size are the defaults, and so is NULL.
typedef struct hitscan_hit_options {
  // sizeof(hitscan_hit_options)
  size_t size;
  // The sides of triangles that a ray may hit.
  hitscan_faces faces;
  // What a list of hits holds at edges and vertices.
  hitscan_hit_mode mode;
} hitscan_hit_options;

// The caller's rule: returns 0 to pass through a hit, any other number to accept it. Called on the thread of
// the query, for candidates in an order that depends on the tree. It must give the same answer for the same
// hit. It may query, but not change or release a handle of the query, and must return: no longjmp, no
// exception.
typedef int (*hitscan_accept)(const struct hitscan_hit *hit, void *user);

// The lists of many rays. The hits of ray i are hits[starts[i]] up to but without hits[starts[i + 1]],
// sorted by (t, triangle). Both arrays are valid until the lists are released.
typedef struct hitscan_hit_lists_view {
  // sizeof(hitscan_hit_lists_view), which the caller sets.
  size_t size;
  // The number of rays.
  size_t n_rays;
  // The number of hits of all rays.
  size_t n_hits;
  // n_rays + 1 places in hits.
  const size_t *starts;
  // The hits of all rays; NULL if there are none.
  const struct hitscan_hit *hits;
} hitscan_hit_lists_view;

// The closest point of a surface. If there is none, distance = INFINITY and triangle = HITSCAN_NO_TRIANGLE.
typedef struct hitscan_surface_point {
  // The point, in the space of the mesh.
  double point[3];
  // The distance.
  double distance;
  // The triangle.
  uint32_t triangle;
  // The weight of the second corner.
  float u;
  // The weight of the third corner.
  float v;
  // 0.
  uint32_t reserved;
} hitscan_surface_point;

// A ray in the space of a scene; see hitscan_ray.
typedef struct hitscan_world_ray {
  // The point at t = 0.
  double origin[3];
  // The change of position per unit of t.
  double direction[3];
  // The smallest t that counts.
  double t_min;
  // The largest t that counts.
  double t_max;
} hitscan_world_ray;

// Receives a triangle that a ray may hit, with a lower bound of its t. The caller may lower *t_max, to the t of its
// own nearest hit so far: the search ends behind it. A result other than 0 ends the search at once. The rules of
// hitscan_accept apply.
typedef int (*hitscan_candidate)(uint32_t triangle, double bound, double *t_max, void *user);

// An instance of a scene. It names the same instance in every clone of the scene, and no other one later.
typedef uint64_t hitscan_instance_id;

// A new instance.
//
// A transform is twelve numbers, column by column: the images of the x, y and z axes, then the translation. It is
// the first three rows of a matrix that OpenGL and most libraries store by columns.
typedef struct hitscan_instance {
  // sizeof(hitscan_instance)
  size_t size;
  // The tree of its mesh; NULL for a group. The scene shares it, so the caller may release it.
  const struct hitscan_bvh *bvh;
  // The transform to the space of the parent, or to the world; NULL for none.
  const double *transform;
  // 1 if parent is set.
  uint32_t has_parent;
  // One bit per layer that contains the instance. 0 stands for layer 0, whose bit is 1.
  uint32_t layers;
  // The parent, with which the instance moves, hides and goes.
  hitscan_instance_id parent;
  // 1 to hide the instance and its descendants.
  uint32_t hidden;
  // 1 to lock the instance.
  uint32_t locked;
  // A name in UTF-8; may be NULL.
  const char *name;
} hitscan_instance;

// The options of queries of a scene. All zeros but the size are the defaults, and so is NULL.
typedef struct hitscan_query_options {
  // sizeof(hitscan_query_options)
  size_t size;
  // The sides of triangles that a ray may hit.
  hitscan_faces faces;
  // What a list of hits holds at edges and vertices.
  hitscan_hit_mode mode;
  // The query skips instances that share no bit with this mask. 0 stands for all layers.
  uint32_t layers;
  // 1 to include hidden instances.
  uint32_t include_hidden;
  // 1 to include locked instances.
  uint32_t include_locked;
  // 0.
  uint32_t reserved;
  // Instances that the query skips, with their descendants. May be NULL.
  const hitscan_instance_id *ignore;
  // The number of ignored instances.
  size_t n_ignore;
} hitscan_query_options;

// A hit of a scene. A ray that hits nothing has t = INFINITY and instance = HITSCAN_NO_INSTANCE.
typedef struct hitscan_scene_hit {
  // The position on the ray of the world, in units of its direction.
  double t;
  // The instance.
  hitscan_instance_id instance;
  // The number that decides between hits of equal t: the place of the instance in the order of insertion.
  uint64_t insertion_order;
  // The hit of the mesh of the instance.
  struct hitscan_hit local;
  // 0.
  uint32_t reserved;
} hitscan_scene_hit;

// The caller's rule for hits of a scene; see hitscan_accept.
typedef int (*hitscan_scene_accept)(const struct hitscan_scene_hit *hit, void *user);

// The closest point of the surfaces of a scene. If there is none, distance = INFINITY and instance =
// HITSCAN_NO_INSTANCE.
typedef struct hitscan_scene_point {
  // The point, in the world.
  double point[3];
  // The distance.
  double distance;
  // The weight of the second corner.
  double u;
  // The weight of the third corner.
  double v;
  // The instance.
  hitscan_instance_id instance;
  // The triangle.
  uint32_t triangle;
  // 0.
  uint32_t reserved;
} hitscan_scene_point;

// A part of a triangle.
typedef uint32_t hitscan_feature;

// Where a ball that moves along a ray touches a surface. Without a contact, t = INFINITY and triangle =
// HITSCAN_NO_TRIANGLE.
typedef struct hitscan_contact {
  // The position of the ball's centre on its ray, in units of the direction.
  double t;
  // The point of the triangle, in the space of the ray.
  double point[3];
  // The unit vector from the point to the centre of the ball.
  double normal[3];
  // The weight of the second corner.
  double u;
  // The weight of the third corner.
  double v;
  // The triangle.
  uint32_t triangle;
  // The part of the triangle at the point.
  hitscan_feature feature;
} hitscan_contact;

// A contact of a scene, in the world. Without one, instance = HITSCAN_NO_INSTANCE.
typedef struct hitscan_scene_contact {
  // The contact.
  struct hitscan_contact contact;
  // The instance.
  hitscan_instance_id instance;
  // The number that decides between contacts of equal t: the place of the instance in the order of insertion.
  uint64_t insertion_order;
} hitscan_scene_contact;

// What an edit does.
typedef uint32_t hitscan_edit_kind;

// An edit of a mesh. Positions are in the space of the mesh. The arrays are only read, and not kept.
typedef struct hitscan_edit {
  // sizeof(hitscan_edit)
  size_t size;
  // HITSCAN_EDIT_MOVE, _APPEND, _REMOVE or _REPLACE.
  hitscan_edit_kind kind;
  // 0.
  uint32_t reserved;
  // The vertices to move, or the triangles to remove.
  const uint32_t *indices;
  // The number of indices.
  size_t n_indices;
  // The positions of moved or appended vertices.
  const struct hitscan_positions *positions;
  // The triangles to append or to put in place of others.
  const struct hitscan_triangles *triangles;
  // The first triangle to replace.
  size_t first;
  // The number of triangles to replace.
  size_t n_replaced;
} hitscan_edit;

// Two triangles, of a first and a second mesh.
typedef struct hitscan_triangle_pair {
  // The triangle of each mesh.
  uint32_t triangles[2];
} hitscan_triangle_pair;

// A segment in which a triangle of a first mesh and one of a second cross, in the space of the first.
typedef struct hitscan_mesh_crossing {
  // The triangle of each mesh.
  uint32_t triangles[2];
  // The ends, equal where the triangles touch in a point.
  double segment[2][3];
} hitscan_mesh_crossing;

// The nearest points of two meshes, in the space of the first. If none are within the maximum, distance = INFINITY and the
// triangles are HITSCAN_NO_TRIANGLE.
typedef struct hitscan_mesh_distance {
  // The distance, 0 exactly if the meshes overlap.
  double distance;
  // The nearest point of each mesh.
  double points[2][3];
  // The triangle of each point.
  uint32_t triangles[2];
} hitscan_mesh_distance;

// The polylines of a section, in the order of their least triangles, in a scene first by instance. The points of polyline i
// are those from point_starts[i] up to but without point_starts[i + 1], and its triangles likewise: one for each segment, the
// last segment of a closed polyline running back to its first point. The arrays are valid until the section is released.
typedef struct hitscan_section_view {
  // sizeof(hitscan_section_view), which the caller sets.
  size_t size;
  // The number of polylines.
  size_t n_polylines;
  // The number of points of all polylines.
  size_t n_points;
  // The number of segments of all polylines.
  size_t n_triangles;
  // n_polylines + 1 places in points.
  const size_t *point_starts;
  // n_polylines + 1 places in triangles.
  const size_t *triangle_starts;
  // x, y and z of each point.
  const double *points;
  // The triangle of each segment.
  const uint32_t *triangles;
  // 1 for each polyline that is closed, else 0.
  const uint8_t *closed;
  // The instance of each polyline; HITSCAN_NO_INSTANCE for those of a tree.
  const hitscan_instance_id *instances;
} hitscan_section_view;

// The depth that a matrix gives to the near and far planes.
typedef uint32_t hitscan_depth_range;

// The direction of pixel y.
typedef uint32_t hitscan_pixel_y;

// A view by the matrix of an engine.
typedef struct hitscan_view_matrix {
  // sizeof(hitscan_view_matrix)
  size_t size;
  // The depth of the near and far planes.
  hitscan_depth_range depth_range;
  // The direction of pixel y.
  hitscan_pixel_y pixel_y;
  // The matrix from world - origin to clip space, column by column, for column vectors.
  double to_clip[16];
  // A point of the world, such as the eye far from the origin of the world; or zeros.
  double origin[3];
  // The first pixel: x, y.
  double first_pixel[2];
  // The size in pixels: width, height.
  double n_pixels[2];
} hitscan_view_matrix;

// A view by a camera. Pixel y is down.
typedef struct hitscan_camera {
  // sizeof(hitscan_camera)
  size_t size;
  // The position, in the world.
  double eye[3];
  // The point at the centre of the picture.
  double target[3];
  // The up direction of the picture. Zeros stand for +y.
  double up[3];
  // The vertical field of view in perspective. 0 stands for 45 degrees.
  double fov_y_radians;
  // The height of the picture in world units, for a view of parallel rays; 0 for perspective.
  double orthographic_height;
  // The distance of the near plane. 0 stands for 1/10,000 of the distance to the target.
  double near;
  // The distance of the far plane; it may be INFINITY in perspective. 0 stands for INFINITY, and for 10,000 times
  // the distance to the target with parallel rays.
  double far;
  // The size in pixels: width, height.
  double n_pixels[2];
} hitscan_camera;

// The image of a point.
typedef struct hitscan_projected {
  // The position on the screen, in pixels.
  double pixel[2];
  // The depth in the convention of the view, as in a depth buffer.
  double depth;
  // The distance from the near plane along the ray of the pixel.
  double distance;
  // 1, or 0 for a point that is not between the near and far planes. The other numbers are then zeros.
  uint32_t is_in_view;
  // 0.
  uint32_t reserved;
} hitscan_projected;

// A kind of element.
typedef uint32_t hitscan_element_kind;

// A kind of point to snap to.
typedef uint32_t hitscan_snap_target;

// The options of picks and snaps. All zeros but the size are the defaults, and so is NULL.
typedef struct hitscan_pick_options {
  // sizeof(hitscan_pick_options)
  size_t size;
  // The kind of element of a pick. A snap takes targets instead.
  hitscan_element_kind kind;
  // 1 to find elements behind surfaces.
  uint32_t x_ray;
  // The maximum distance from the cursor in pixels. 0 stands for the default: 8, or for objects and faces 0.
  double radius;
  // The instances that the call includes; NULL for all that are visible.
  const struct hitscan_query_options *query;
  // The targets of a snap, the most important first; NULL for vertex, midpoint, edge, face.
  const hitscan_snap_target *targets;
  // The number of targets.
  size_t n_targets;
} hitscan_pick_options;

// An instance, or a face, edge or vertex of its mesh.
typedef struct hitscan_element {
  // The instance; HITSCAN_NO_INSTANCE if nothing is found.
  hitscan_instance_id instance;
  // The kind of element.
  hitscan_element_kind kind;
  // The index of the polygon or vertex, or both vertices of the edge, the smaller first; else zeros.
  uint32_t index[2];
  // 0.
  uint32_t reserved;
} hitscan_element;

// An element under or near the cursor.
typedef struct hitscan_pick {
  // The element; its instance is HITSCAN_NO_INSTANCE if there is none.
  struct hitscan_element element;
  // The point of the element nearest to the cursor, in the world.
  double point[3];
  // The image of that point.
  double pixel[2];
  // The distance from the cursor, in pixels.
  double pixel_distance;
  // The distance of the point from the near plane.
  double distance;
  // The hit of the ray of the cursor, a miss for edges and vertices.
  struct hitscan_scene_hit hit;
  // The kind of target of a snap; 0 in a pick.
  hitscan_snap_target target;
  // 0.
  uint32_t reserved;
} hitscan_pick;

// The options of a selection. All zeros but the size are the defaults, and so is NULL.
typedef struct hitscan_select_options {
  // sizeof(hitscan_select_options)
  size_t size;
  // The kind of element.
  hitscan_element_kind kind;
  // 0 to select what the region touches, 1 for what it encloses.
  uint32_t enclose;
  // 1 to select only what is visible.
  uint32_t visible_only;
  // 0.
  uint32_t reserved;
  // The instances to select from; NULL for all that are visible.
  const struct hitscan_query_options *query;
  // A callback for progress; may be NULL.
  hitscan_progress progress;
  // The argument of the callback.
  void *user;
} hitscan_select_options;

// The call did what it says. A ray that hits nothing is no failure.
#define HITSCAN_OK 0

// An argument is NULL, misaligned, out of range or not a number. The call changed nothing.
#define HITSCAN_INVALID_ARGUMENT 1

// A handle is NULL, released, or of another kind.
#define HITSCAN_INVALID_HANDLE 2

// A file cannot be read, or is not valid. The message has the line or the byte.
#define HITSCAN_READ 3

// A file cannot be written.
#define HITSCAN_WRITE 4

// The progress callback stopped the call.
#define HITSCAN_CANCELLED 5

// Memory for the answer is not available.
#define HITSCAN_OUT_OF_MEMORY 6

// The header is newer than the library, and an option is set that this library does not know.
#define HITSCAN_UNSUPPORTED 7

// A bug in hitscan. The handles of the call may be in any state; release them.
#define HITSCAN_INTERNAL 8

// Both sides.
#define HITSCAN_FACES_BOTH 0

// The sides from which the corners run counter-clockwise.
#define HITSCAN_FACES_FRONT 1

// The sides from which the corners run clockwise.
#define HITSCAN_FACES_BACK 2

// Every triangle that the ray meets.
#define HITSCAN_EVERY_TRIANGLE 0

// Each crossing of the surface once.
#define HITSCAN_ONCE_PER_CROSSING 1

// No instance.
#define HITSCAN_NO_INSTANCE UINT64_MAX

// Seen from here, the corners run counter-clockwise.
#define HITSCAN_SIDE_FRONT 0

// Seen from here, the corners run clockwise.
#define HITSCAN_SIDE_BACK 1

// float
#define HITSCAN_F32 0

// double
#define HITSCAN_F64 1

// uint32_t
#define HITSCAN_U32 2

// uint16_t
#define HITSCAN_U16 3

// For most uses.
#define HITSCAN_QUALITY_BALANCED 0

// For meshes that change often.
#define HITSCAN_QUALITY_FAST 1

// For meshes with many queries.
#define HITSCAN_QUALITY_HIGH 2

// Full up to 2^26 triangles, compact beyond.
#define HITSCAN_LAYOUT_AUTO 0

// The fastest: some 70 bytes per triangle.
#define HITSCAN_LAYOUT_FULL 1

// The smallest: some 35 bytes per triangle.
#define HITSCAN_LAYOUT_COMPACT 2

// The interior.
#define HITSCAN_FEATURE_FACE 0

// The edge from corner 0 to 1. The next two numbers are the edges from 1 to 2 and from 2 to 0.
#define HITSCAN_FEATURE_EDGE 1

// Corner 0. The next two numbers are corners 1 and 2.
#define HITSCAN_FEATURE_VERTEX 4

// Moves the vertices indices[i] to positions[i].
#define HITSCAN_EDIT_MOVE 1

// Appends positions, which follow the old ones, and triangles of old and new vertices. Either may be NULL.
#define HITSCAN_EDIT_APPEND 2

// Removes the triangles indices[i], the largest first: the last triangle takes the place of each. Vertices stay.
#define HITSCAN_EDIT_REMOVE 3

// Puts triangles in place of those from first on, n_replaced of them. Fewer remove the end of the range as
// HITSCAN_EDIT_REMOVE does, and more are appended. triangles may be NULL.
#define HITSCAN_EDIT_REPLACE 4

// 0 near, 1 far: Direct3D, Vulkan, Metal.
#define HITSCAN_DEPTH_ZERO_TO_ONE 0

// 1 near, 0 far.
#define HITSCAN_DEPTH_REVERSED 1

// -1 near, 1 far: OpenGL.
#define HITSCAN_DEPTH_MINUS_ONE_TO_ONE 2

// Against clip space: the first row is at the top.
#define HITSCAN_PIXEL_Y_DOWN 0

// With clip space: the first row is at the bottom.
#define HITSCAN_PIXEL_Y_UP 1

// Whole instances.
#define HITSCAN_OBJECT 0

// Polygons; without records, triangles.
#define HITSCAN_FACE 1

// Edges of polygons.
#define HITSCAN_EDGE 2

// Vertices.
#define HITSCAN_VERTEX 3

// A vertex.
#define HITSCAN_SNAP_VERTEX 0

// The midpoint of an edge.
#define HITSCAN_SNAP_EDGE_MIDPOINT 1

// The point of an edge nearest to the cursor.
#define HITSCAN_SNAP_EDGE 2

// The point of a surface under the cursor.
#define HITSCAN_SNAP_FACE 3

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Returns the message of the last call of this thread that failed; empty before the first.
//
// It names the function, the argument, what was found and what was expected, in UTF-8. The text is valid
// until the next call of this thread that fails. Never NULL.
const char *hitscan_last_error(void);

// Returns the name of a status, such as "HITSCAN_READ". The text is static. Never NULL.
const char *hitscan_status_name(hitscan_status status);

// Returns the version of the library, such as "0.1.0". The text is static. Never NULL.
const char *hitscan_version(void);

// Makes a mesh from arrays.
//
// triangles may be NULL: each three vertices are then a triangle. The mesh is a copy, which the caller
// releases with hitscan_mesh_release.
//
// HITSCAN_INVALID_ARGUMENT: a position that is not finite, an index out of range, a stride that overlaps
// or is not a multiple of the number's size, more than 2^29 triangles. The message names the first one.
hitscan_status hitscan_mesh_new(const struct hitscan_positions *positions,
                                const struct hitscan_triangles *triangles,
                                struct hitscan_mesh **mesh);

// Reads a mesh file: OBJ, STL, PLY, glTF or GLB, plain or compressed by gzip or Zstandard. Instances of a
// glTF file are merged into one mesh.
//
// path is UTF-8. options may be NULL. The caller releases the mesh with hitscan_mesh_release.
//
// HITSCAN_READ: a file that cannot be read or is not valid; the message has the line or the byte.
hitscan_status hitscan_mesh_load(const char *path,
                                 const struct hitscan_load_options *options,
                                 struct hitscan_mesh **mesh);

// Reads a mesh file from memory, as hitscan_mesh_load does. No other file is opened.
//
// name is UTF-8: messages call the file so, and its extension counts where the bytes do not show the format.
// The bytes are only read, and not kept.
hitscan_status hitscan_mesh_parse(const uint8_t *bytes,
                                  size_t n_bytes,
                                  const char *name,
                                  const struct hitscan_load_options *options,
                                  struct hitscan_mesh **mesh);

// Releases a mesh. NULL does nothing. Trees of the mesh stay valid.
//
// HITSCAN_INVALID_HANDLE: a mesh that is released already.
hitscan_status hitscan_mesh_release(struct hitscan_mesh *mesh);

// Writes the properties of a mesh. The caller sets info->size.
hitscan_status hitscan_mesh_get_info(const struct hitscan_mesh *mesh, struct hitscan_mesh_info *info);

// Writes what a hit of this mesh is: its point, normal, polygon and names. The caller sets details->size.
//
// HITSCAN_INVALID_ARGUMENT: a triangle that the mesh does not have, such as that of a miss.
hitscan_status hitscan_mesh_describe(const struct hitscan_mesh *mesh,
                                     const struct hitscan_hit *hit,
                                     struct hitscan_hit_details *details);

// Builds the tree of a mesh, on all threads.
//
// options may be NULL. The tree holds a copy of the mesh, so the mesh may be released. The caller releases
// the tree with hitscan_bvh_release. The environment variable RAYON_NUM_THREADS bounds the threads.
hitscan_status hitscan_bvh_build(const struct hitscan_mesh *mesh,
                                 const struct hitscan_build_options *options,
                                 struct hitscan_bvh **bvh);

// Releases a tree. NULL does nothing. Scenes with the tree stay valid.
//
// HITSCAN_INVALID_HANDLE: a tree that is released already.
hitscan_status hitscan_bvh_release(struct hitscan_bvh *bvh);

// Makes a snapshot of a tree with its mesh, without a copy. Later edits and refits of either do not change the other;
// the first one copies both. So a snapshot from before an edit undoes it. The caller releases it with
// hitscan_bvh_release.
hitscan_status hitscan_bvh_clone(const struct hitscan_bvh *bvh,
                                 struct hitscan_bvh **snapshot);

// Makes a handle for the mesh of a tree, without a copy. The caller releases it with hitscan_mesh_release.
// It keeps its positions when the tree is refitted.
hitscan_status hitscan_bvh_mesh(const struct hitscan_bvh *bvh, struct hitscan_mesh **mesh);

// Writes the properties of a tree. The caller sets info->size. The call visits all nodes.
hitscan_status hitscan_bvh_get_info(const struct hitscan_bvh *bvh, struct hitscan_bvh_info *info);

// Moves the vertices of a tree to new positions, in the order of the mesh and in its space. Many times
// cheaper than a build, and answers stay exact.
//
// rebuild_pays receives 1 once a new build would pay; it may be NULL. Scenes and meshes that share the tree
// keep the old positions. No other thread may use the tree meanwhile.
//
// HITSCAN_INVALID_ARGUMENT: another number of positions than the mesh has, or one that is not finite.
hitscan_status hitscan_bvh_refit(struct hitscan_bvh *bvh,
                                 const struct hitscan_positions *positions,
                                 uint32_t *rebuild_pays);

// Writes a tree with its mesh to a cache file, whole or not at all. path is UTF-8.
//
// HITSCAN_WRITE: a path that cannot be written.
hitscan_status hitscan_bvh_save(const struct hitscan_bvh *bvh, const char *path);

// Reads a tree with its mesh from a cache file, and checks all of it. path is UTF-8. The caller releases the
// tree with hitscan_bvh_release.
//
// HITSCAN_READ: a file that differs from what hitscan_bvh_save or the program hitscan writes.
hitscan_status hitscan_bvh_load(const char *path, struct hitscan_bvh **bvh);

// hitscan_bvh_closest_hit among the hits that the caller accepts. A hit that is not accepted hides nothing.
hitscan_status hitscan_bvh_closest_hit_where(const struct hitscan_bvh *bvh,
                                             const struct hitscan_ray *ray,
                                             const struct hitscan_hit_options *options,
                                             hitscan_accept accept,
                                             void *user,
                                             struct hitscan_hit *hit);

// hitscan_bvh_is_occluded by the hits that the caller accepts.
hitscan_status hitscan_bvh_is_occluded_where(const struct hitscan_bvh *bvh,
                                             const struct hitscan_ray *ray,
                                             const struct hitscan_hit_options *options,
                                             hitscan_accept accept,
                                             void *user,
                                             uint8_t *occluded);

// hitscan_bvh_all_hits that the caller accepts. Asks once for each hit, along the ray.
hitscan_status hitscan_bvh_all_hits_where(const struct hitscan_bvh *bvh,
                                          const struct hitscan_ray *ray,
                                          const struct hitscan_hit_options *options,
                                          hitscan_accept accept,
                                          void *user,
                                          struct hitscan_hit *hits,
                                          size_t capacity,
                                          size_t *n_hits);

// The first n hits that the caller accepts, as hitscan_bvh_nearest_hits.
hitscan_status hitscan_bvh_nearest_hits_where(const struct hitscan_bvh *bvh,
                                              const struct hitscan_ray *ray,
                                              size_t n,
                                              const struct hitscan_hit_options *options,
                                              hitscan_accept accept,
                                              void *user,
                                              struct hitscan_hit *hits,
                                              size_t *n_hits);

// Writes the distance of a point from the surface, negative inside; INFINITY for a mesh without triangles.
//
// Winding numbers decide inside, so the mesh may have holes. The first call prepares them, for all threads.
hitscan_status hitscan_bvh_signed_distance(const struct hitscan_bvh *bvh,
                                           const float *point,
                                           double *distance);

// Writes 1 if a point is inside the surface, else 0; see hitscan_bvh_signed_distance.
hitscan_status hitscan_bvh_is_inside(const struct hitscan_bvh *bvh, const float *point, uint8_t *inside);

// Writes the winding number around a point, wrong by at most tolerance: 1 inside a closed surface, 0 outside, -1 inside
// one that is inside out. 1e-3 suits most uses; 0 sums all triangles.
hitscan_status hitscan_bvh_winding_number(const struct hitscan_bvh *bvh,
                                          const float *point,
                                          double tolerance,
                                          double *number);

// Writes hitscan_bvh_signed_distance of each point, on all threads, in the order of the points. A point that is not
// finite has NAN. Strides are in bytes; 0 is no gap.
hitscan_status hitscan_bvh_signed_distance_batch(const struct hitscan_bvh *bvh,
                                                 const float *points,
                                                 size_t n_points,
                                                 size_t point_stride,
                                                 double *distances,
                                                 size_t distance_stride);

// Writes 1 for each point inside the surface, else 0, as hitscan_bvh_is_inside does, on all threads, in the order of
// the points. A point that is not finite is outside. Strides are in bytes; 0 is no gap.
hitscan_status hitscan_bvh_is_inside_batch(const struct hitscan_bvh *bvh,
                                           const float *points,
                                           size_t n_points,
                                           size_t point_stride,
                                           uint8_t *inside,
                                           size_t inside_stride);

// Writes the winding number around each point, as hitscan_bvh_winding_number does, on all threads, in the order of
// the points. A point that is not finite has NAN. Strides are in bytes; 0 is no gap.
hitscan_status hitscan_bvh_winding_number_batch(const struct hitscan_bvh *bvh,
                                                const float *points,
                                                size_t n_points,
                                                size_t point_stride,
                                                double tolerance,
                                                double *numbers,
                                                size_t number_stride);

// Writes all hits of a ray, sorted by (t, triangle): as many as capacity, and their number to n_hits, which may
// be greater. hits may be NULL if capacity is 0.
//
// options may be NULL. Takes no memory, except for the longest list of a thread so far.
hitscan_status hitscan_bvh_all_hits(const struct hitscan_bvh *bvh,
                                    const struct hitscan_ray *ray,
                                    const struct hitscan_hit_options *options,
                                    struct hitscan_hit *hits,
                                    size_t capacity,
                                    size_t *n_hits);

// Writes the first n hits of a ray, sorted by (t, triangle), and their number to n_hits. hits has room for n.
// Cheaper than hitscan_bvh_all_hits where many triangles lie behind each other.
//
// options may be NULL.
hitscan_status hitscan_bvh_nearest_hits(const struct hitscan_bvh *bvh,
                                        const struct hitscan_ray *ray,
                                        size_t n,
                                        const struct hitscan_hit_options *options,
                                        struct hitscan_hit *hits,
                                        size_t *n_hits);

// Finds all hits of each ray, on all threads. An invalid ray hits nothing. The caller releases the lists with
// hitscan_hit_lists_release, and reads them by hitscan_hit_lists_get.
//
// Rays lie ray_stride bytes apart; 0 is no gap. options may be NULL.
hitscan_status hitscan_bvh_all_hits_batch(const struct hitscan_bvh *bvh,
                                          const struct hitscan_ray *rays,
                                          size_t n_rays,
                                          size_t ray_stride,
                                          const struct hitscan_hit_options *options,
                                          struct hitscan_hit_lists **lists);

// Writes where the lists are. The caller sets view->size.
hitscan_status hitscan_hit_lists_get(const struct hitscan_hit_lists *lists,
                                     struct hitscan_hit_lists_view *view);

// Releases lists. NULL does nothing.
//
// HITSCAN_INVALID_HANDLE: lists that are released already.
hitscan_status hitscan_hit_lists_release(struct hitscan_hit_lists *lists);

// Writes the point of the surface that is closest to a point, within max_distance, which may be INFINITY.
// Takes no memory.
hitscan_status hitscan_bvh_closest_point(const struct hitscan_bvh *bvh,
                                         const float *point,
                                         double max_distance,
                                         struct hitscan_surface_point *closest);

// Writes the closest point of each point, on all threads, in the order of the points. A point that is not finite
// has none. Any order of the points is fast. Strides are in bytes; 0 is no gap.
hitscan_status hitscan_bvh_closest_point_batch(const struct hitscan_bvh *bvh,
                                               const float *points,
                                               size_t n_points,
                                               size_t point_stride,
                                               double max_distance,
                                               struct hitscan_surface_point *closest,
                                               size_t closest_stride);

// Writes the triangles that touch a box, ascending: as many as capacity, and their number to n_triangles, which
// may be greater. triangles may be NULL if capacity is 0.
hitscan_status hitscan_bvh_overlapping_box(const struct hitscan_bvh *bvh,
                                           const float *min,
                                           const float *max,
                                           uint32_t *triangles,
                                           size_t capacity,
                                           size_t *n_triangles);

// Writes the triangles that touch a ball, ascending, as hitscan_bvh_overlapping_box does.
hitscan_status hitscan_bvh_overlapping_sphere(const struct hitscan_bvh *bvh,
                                              const float *center,
                                              float radius,
                                              uint32_t *triangles,
                                              size_t capacity,
                                              size_t *n_triangles);

// Writes the triangles that touch a convex region, such as a frustum, ascending, as hitscan_bvh_overlapping_box
// does. The region is the points with a x + b y + c z + d >= 0 for each plane (a, b, c, d).
hitscan_status hitscan_bvh_overlapping_convex(const struct hitscan_bvh *bvh,
                                              const double *planes,
                                              size_t n_planes,
                                              uint32_t *triangles,
                                              size_t capacity,
                                              size_t *n_triangles);

// Writes the first hit of a ray: the least (t, triangle). A ray that hits nothing is no failure: the hit has
// the triangle HITSCAN_NO_TRIANGLE.
//
// options may be NULL. Takes no memory.
hitscan_status hitscan_bvh_closest_hit(const struct hitscan_bvh *bvh,
                                       const struct hitscan_ray *ray,
                                       const struct hitscan_hit_options *options,
                                       struct hitscan_hit *hit);

// Writes 1 if a ray hits anything, else 0. Cheaper than hitscan_bvh_closest_hit.
//
// options may be NULL. Takes no memory.
hitscan_status hitscan_bvh_is_occluded(const struct hitscan_bvh *bvh,
                                       const struct hitscan_ray *ray,
                                       const struct hitscan_hit_options *options,
                                       uint8_t *occluded);

// Writes the number of times that a ray crosses the surface. For a closed mesh and t_max = INFINITY it is odd
// exactly if the origin is inside.
//
// options may be NULL; only its faces count.
hitscan_status hitscan_bvh_count_crossings(const struct hitscan_bvh *bvh,
                                           const struct hitscan_ray *ray,
                                           const struct hitscan_hit_options *options,
                                           uint32_t *crossings);

// Writes the number of crossings from the front to the back, less those from the back to the front: -1 from inside a
// closed mesh, 0 from outside, for t_max = INFINITY.
hitscan_status hitscan_bvh_signed_crossings(const struct hitscan_bvh *bvh,
                                            const struct hitscan_ray *ray,
                                            int64_t *crossings);

// Writes the first hit of each ray, on all threads, in the order of the rays. An invalid ray hits nothing.
//
// Rays lie ray_stride bytes apart and hits hit_stride, so that both may be parts of larger structs; 0 is no
// gap. Neighbours that start and point alike are fast: pictures row by row or in tiles. options may be NULL.
hitscan_status hitscan_bvh_closest_hit_batch(const struct hitscan_bvh *bvh,
                                             const struct hitscan_ray *rays,
                                             size_t n_rays,
                                             size_t ray_stride,
                                             const struct hitscan_hit_options *options,
                                             struct hitscan_hit *hits,
                                             size_t hit_stride);

// Writes 1 for each ray that hits anything, else 0, on all threads. As hitscan_bvh_closest_hit_batch.
hitscan_status hitscan_bvh_is_occluded_batch(const struct hitscan_bvh *bvh,
                                             const struct hitscan_ray *rays,
                                             size_t n_rays,
                                             size_t ray_stride,
                                             const struct hitscan_hit_options *options,
                                             uint8_t *occluded,
                                             size_t occluded_stride);

// Writes the number of crossings of each ray, on all threads. As hitscan_bvh_closest_hit_batch.
hitscan_status hitscan_bvh_count_crossings_batch(const struct hitscan_bvh *bvh,
                                                 const struct hitscan_ray *rays,
                                                 size_t n_rays,
                                                 size_t ray_stride,
                                                 const struct hitscan_hit_options *options,
                                                 uint32_t *crossings,
                                                 size_t crossings_stride);

// Passes the triangles that a ray may hit to a callback, in the order of a lower bound of t, then of their indices.
//
// Every triangle with a point at most tolerance from a point of the ray between its t_min and t_max is among them,
// once; few others are. A later bound is never less than an earlier one. The ray is in the space of the mesh, and the
// tolerance in its units of length: it covers the difference between the caller's test and exact arithmetic.
//
// For programs that must keep the bits of their own test of a triangle.
hitscan_status hitscan_bvh_visit_candidates(const struct hitscan_bvh *bvh,
                                            const struct hitscan_world_ray *ray,
                                            double tolerance,
                                            hitscan_candidate candidate,
                                            void *user);

// Removes an instance with its descendants, so that hitscan_scene_restore can undo it. The caller releases removed with
// hitscan_removed_release. The scene keeps the numbers of the instances until hitscan_scene_forget.
hitscan_status hitscan_scene_remove_restorable(struct hitscan_scene *scene,
                                               hitscan_instance_id id,
                                               struct hitscan_removed **removed);

// Restores removed instances with their numbers, names, order and parent, and writes the first number to id, which may
// be NULL. If the parent has moved, they follow it. A clone of the scene can restore what another one removed.
//
// HITSCAN_INVALID_ARGUMENT: instances of another scene, or that are present or forgotten; a parent that is gone.
hitscan_status hitscan_scene_restore(struct hitscan_scene *scene,
                                     const struct hitscan_removed *removed,
                                     hitscan_instance_id *id);

// Lets new instances take the room of removed ones, which the scene can then no longer restore. Programs that remove
// and insert for ever call it once an undo is no longer possible. Does nothing for instances that are restored.
hitscan_status hitscan_scene_forget(struct hitscan_scene *scene,
                                    const struct hitscan_removed *removed);

// Releases removed instances. NULL does nothing. Their scene stays valid.
//
// HITSCAN_INVALID_HANDLE: a handle that is released already.
hitscan_status hitscan_removed_release(struct hitscan_removed *removed);

// Makes an empty scene. The caller releases it with hitscan_scene_release.
hitscan_status hitscan_scene_new(struct hitscan_scene **scene);

// Makes a snapshot of a scene, which later edits of either do not change. The two share what they can. The caller
// releases it with hitscan_scene_release.
hitscan_status hitscan_scene_clone(const struct hitscan_scene *scene,
                                   struct hitscan_scene **snapshot);

// Releases a scene. NULL does nothing.
//
// HITSCAN_INVALID_HANDLE: a scene that is released already.
hitscan_status hitscan_scene_release(struct hitscan_scene *scene);

// Adds an instance, and writes its number to id, which may be NULL.
//
// HITSCAN_INVALID_ARGUMENT: an unknown parent, or a transform that is singular or not finite.
hitscan_status hitscan_scene_insert(struct hitscan_scene *scene,
                                    const struct hitscan_instance *instance,
                                    hitscan_instance_id *id);

// Removes an instance with its descendants.
hitscan_status hitscan_scene_remove(struct hitscan_scene *scene, hitscan_instance_id id);

// Sets the transform of an instance relative to its parent; see hitscan_instance. Descendants move with it.
hitscan_status hitscan_scene_set_transform(struct hitscan_scene *scene,
                                           hitscan_instance_id id,
                                           const double *transform);

// Sets the transform of an instance relative to the world. Descendants move with it.
hitscan_status hitscan_scene_set_world_transform(struct hitscan_scene *scene,
                                                 hitscan_instance_id id,
                                                 const double *transform);

// Gives an instance another tree; NULL makes it a group.
hitscan_status hitscan_scene_set_mesh(struct hitscan_scene *scene,
                                      hitscan_instance_id id,
                                      const struct hitscan_bvh *bvh);

// Gives an instance another parent, HITSCAN_NO_INSTANCE for none. It keeps its place in the world.
hitscan_status hitscan_scene_reparent(struct hitscan_scene *scene,
                                      hitscan_instance_id id,
                                      hitscan_instance_id parent);

// Hides (1) or shows (0) an instance and its descendants.
hitscan_status hitscan_scene_set_hidden(struct hitscan_scene *scene, hitscan_instance_id id, uint32_t hidden);

// Locks (1) or unlocks (0) an instance.
hitscan_status hitscan_scene_set_locked(struct hitscan_scene *scene, hitscan_instance_id id, uint32_t locked);

// Sets the layers of an instance, one bit each. Here 0 is no layer.
hitscan_status hitscan_scene_set_layers(struct hitscan_scene *scene, hitscan_instance_id id, uint32_t layers);

// Moves the vertices of the mesh of one instance, in the space of the mesh. Other instances, trees and
// snapshots keep theirs. rebuild_pays receives 1 once a new build would pay; it may be NULL.
hitscan_status hitscan_scene_refit(struct hitscan_scene *scene,
                                   hitscan_instance_id id,
                                   const struct hitscan_positions *positions,
                                   uint32_t *rebuild_pays);

// Writes the instances of a scene, each before its children: as many as capacity, and their number to
// n_instances, which may be greater. ids may be NULL if capacity is 0.
hitscan_status hitscan_scene_instances(const struct hitscan_scene *scene,
                                       hitscan_instance_id *ids,
                                       size_t capacity,
                                       size_t *n_instances);

// Writes the transform of an instance to the world: twelve numbers, as in hitscan_instance.
hitscan_status hitscan_scene_world_transform(const struct hitscan_scene *scene,
                                             hitscan_instance_id id,
                                             double *transform);

// Writes the box around all visible instances: three numbers each. An empty scene has min = INFINITY and
// max = -INFINITY.
hitscan_status hitscan_scene_bounds(const struct hitscan_scene *scene, double *min, double *max);

// Writes a scene with its trees to a cache file, whole or not at all. path is UTF-8.
//
// HITSCAN_WRITE: a path that cannot be written.
hitscan_status hitscan_scene_save(const struct hitscan_scene *scene, const char *path);

// Reads a scene: a cache file of hitscan_scene_save or of the program hitscan, a glTF file with its nodes, a scene in
// TOML, or any mesh file as one instance. Instances keep names, parents, layers and order, and share their trees.
//
// path is UTF-8. options may be NULL; of those, a cache file heeds max_file_bytes alone. The caller releases the scene
// with hitscan_scene_release.
//
// HITSCAN_READ: a file that cannot be read; a cache file of a single mesh, which hitscan_bvh_load reads.
hitscan_status hitscan_scene_load(const char *path,
                                  const struct hitscan_load_options *options,
                                  struct hitscan_scene **scene);

// Writes the first hit of a ray: the least (t, instance in order of insertion, triangle). A ray that hits
// nothing is no failure: the hit has the instance HITSCAN_NO_INSTANCE.
//
// options may be NULL. Takes no memory, except for a list of ignored instances.
hitscan_status hitscan_scene_closest_hit(const struct hitscan_scene *scene,
                                         const struct hitscan_world_ray *ray,
                                         const struct hitscan_query_options *options,
                                         struct hitscan_scene_hit *hit);

// Writes 1 if a ray hits anything, else 0. options may be NULL.
hitscan_status hitscan_scene_is_occluded(const struct hitscan_scene *scene,
                                         const struct hitscan_world_ray *ray,
                                         const struct hitscan_query_options *options,
                                         uint8_t *occluded);

// Writes the number of times that a ray crosses surfaces. options may be NULL.
hitscan_status hitscan_scene_count_crossings(const struct hitscan_scene *scene,
                                             const struct hitscan_world_ray *ray,
                                             const struct hitscan_query_options *options,
                                             uint32_t *crossings);

// Writes the crossings of a ray from the front of surfaces, less those from the back. options may be NULL; faces do not
// count.
hitscan_status hitscan_scene_signed_crossings(const struct hitscan_scene *scene,
                                              const struct hitscan_world_ray *ray,
                                              const struct hitscan_query_options *options,
                                              int64_t *crossings);

// Writes all hits of a ray, sorted by (t, instance, triangle): as many as capacity, and their number to n_hits,
// which may be greater. hits may be NULL if capacity is 0. options may be NULL.
hitscan_status hitscan_scene_all_hits(const struct hitscan_scene *scene,
                                      const struct hitscan_world_ray *ray,
                                      const struct hitscan_query_options *options,
                                      struct hitscan_scene_hit *hits,
                                      size_t capacity,
                                      size_t *n_hits);

// Writes the first n hits of a ray, sorted by (t, instance, triangle), and their number to n_hits. hits has room
// for n. options may be NULL.
hitscan_status hitscan_scene_nearest_hits(const struct hitscan_scene *scene,
                                          const struct hitscan_world_ray *ray,
                                          size_t n,
                                          const struct hitscan_query_options *options,
                                          struct hitscan_scene_hit *hits,
                                          size_t *n_hits);

// hitscan_scene_closest_hit among the hits that the caller accepts. A hit that is not accepted hides nothing.
hitscan_status hitscan_scene_closest_hit_where(const struct hitscan_scene *scene,
                                               const struct hitscan_world_ray *ray,
                                               const struct hitscan_query_options *options,
                                               hitscan_scene_accept accept,
                                               void *user,
                                               struct hitscan_scene_hit *hit);

// hitscan_scene_is_occluded by the hits that the caller accepts.
hitscan_status hitscan_scene_is_occluded_where(const struct hitscan_scene *scene,
                                               const struct hitscan_world_ray *ray,
                                               const struct hitscan_query_options *options,
                                               hitscan_scene_accept accept,
                                               void *user,
                                               uint8_t *occluded);

// Writes the first hit of each ray, on all threads, in the order of the rays. An invalid ray hits nothing.
// Strides are in bytes; 0 is no gap. options may be NULL.
hitscan_status hitscan_scene_closest_hit_batch(const struct hitscan_scene *scene,
                                               const struct hitscan_world_ray *rays,
                                               size_t n_rays,
                                               size_t ray_stride,
                                               const struct hitscan_query_options *options,
                                               struct hitscan_scene_hit *hits,
                                               size_t hit_stride);

// Writes 1 for each ray that hits anything, else 0, on all threads. As hitscan_scene_closest_hit_batch.
hitscan_status hitscan_scene_is_occluded_batch(const struct hitscan_scene *scene,
                                               const struct hitscan_world_ray *rays,
                                               size_t n_rays,
                                               size_t ray_stride,
                                               const struct hitscan_query_options *options,
                                               uint8_t *occluded,
                                               size_t occluded_stride);

// Writes what a hit of this scene is, in the world. Texts are valid until the scene changes. The caller sets
// details->size.
//
// HITSCAN_INVALID_ARGUMENT: an instance or triangle that the scene does not have, such as that of a miss.
hitscan_status hitscan_scene_describe(const struct hitscan_scene *scene,
                                      const struct hitscan_scene_hit *hit,
                                      struct hitscan_hit_details *details);

// Writes the point of the surfaces that is closest to a point, within max_distance, which may be INFINITY.
// options may be NULL.
hitscan_status hitscan_scene_closest_point(const struct hitscan_scene *scene,
                                           const double *point,
                                           double max_distance,
                                           const struct hitscan_query_options *options,
                                           struct hitscan_scene_point *closest);

// Writes the distance of a point from the surfaces, negative inside an instance; INFINITY without any. options
// may be NULL.
hitscan_status hitscan_scene_signed_distance(const struct hitscan_scene *scene,
                                             const double *point,
                                             const struct hitscan_query_options *options,
                                             double *distance);

// Writes the instances with a triangle that touches a box, in order of insertion: as many as capacity, and their
// number to n_instances, which may be greater. ids may be NULL if capacity is 0. options may be NULL.
hitscan_status hitscan_scene_instances_overlapping_box(const struct hitscan_scene *scene,
                                                       const double *min,
                                                       const double *max,
                                                       const struct hitscan_query_options *options,
                                                       hitscan_instance_id *ids,
                                                       size_t capacity,
                                                       size_t *n_instances);

// Writes the instances with a triangle that touches a ball, as hitscan_scene_instances_overlapping_box does.
hitscan_status hitscan_scene_instances_overlapping_sphere(const struct hitscan_scene *scene,
                                                          const double *center,
                                                          double radius,
                                                          const struct hitscan_query_options *options,
                                                          hitscan_instance_id *ids,
                                                          size_t capacity,
                                                          size_t *n_instances);

// Writes the instances with a triangle that touches a convex region, as hitscan_scene_instances_overlapping_box
// does. planes are as in hitscan_bvh_overlapping_convex, in the world.
hitscan_status hitscan_scene_instances_overlapping_convex(const struct hitscan_scene *scene,
                                                          const double *planes,
                                                          size_t n_planes,
                                                          const struct hitscan_query_options *options,
                                                          hitscan_instance_id *ids,
                                                          size_t capacity,
                                                          size_t *n_instances);

// Writes the first contact of a ball that moves along a ray, in the space of the mesh: the least (t, triangle). A ball that
// touches nothing is no failure: the contact has the triangle HITSCAN_NO_TRIANGLE. A ball that touches at t_min has its
// contact there. With radius 0 the ball is the ray.
//
// HITSCAN_INVALID_ARGUMENT: an invalid ray, a radius that is negative or not finite.
hitscan_status hitscan_bvh_sphere_cast(const struct hitscan_bvh *bvh,
                                       const struct hitscan_world_ray *ray,
                                       double radius,
                                       struct hitscan_contact *contact);

// Writes the contact of the ball with each triangle that it touches, sorted by (t, triangle): as many as capacity, and their
// number to n_contacts, which may be greater. contacts may be NULL if capacity is 0.
hitscan_status hitscan_bvh_sphere_cast_all(const struct hitscan_bvh *bvh,
                                           const struct hitscan_world_ray *ray,
                                           double radius,
                                           struct hitscan_contact *contacts,
                                           size_t capacity,
                                           size_t *n_contacts);

// Writes 1 if the ball touches anything, else 0. Cheaper than hitscan_bvh_sphere_cast.
hitscan_status hitscan_bvh_sphere_cast_any(const struct hitscan_bvh *bvh,
                                           const struct hitscan_world_ray *ray,
                                           double radius,
                                           uint8_t *touches);

// Writes the first contact of a ball that moves along a ray in the world: the least (t, instance in order of insertion,
// triangle). The ball is round in the world, also beside stretched instances. options may be NULL.
hitscan_status hitscan_scene_sphere_cast(const struct hitscan_scene *scene,
                                         const struct hitscan_world_ray *ray,
                                         double radius,
                                         const struct hitscan_query_options *options,
                                         struct hitscan_scene_contact *contact);

// Writes the contact of the ball with each triangle that it touches, as hitscan_bvh_sphere_cast_all does.
hitscan_status hitscan_scene_sphere_cast_all(const struct hitscan_scene *scene,
                                             const struct hitscan_world_ray *ray,
                                             double radius,
                                             const struct hitscan_query_options *options,
                                             struct hitscan_scene_contact *contacts,
                                             size_t capacity,
                                             size_t *n_contacts);

// Writes 1 if the ball touches anything, else 0. Cheaper than hitscan_scene_sphere_cast.
hitscan_status hitscan_scene_sphere_cast_any(const struct hitscan_scene *scene,
                                             const struct hitscan_world_ray *ray,
                                             double radius,
                                             const struct hitscan_query_options *options,
                                             uint8_t *touches);

// Edits the mesh of a tree, which follows at the cost of what changed. Answers are those of a tree that is built anew.
//
// rebuild_pays receives 1 once a new build would pay; it may be NULL. Scenes and meshes that share the tree keep the
// old mesh; it is then copied first. No other thread may use the tree meanwhile.
//
// HITSCAN_INVALID_ARGUMENT: a vertex or triangle that the mesh does not have, or that stands twice; a position that is
// not finite; other triangles for a mesh with polygons of a file. Nothing has changed then.
hitscan_status hitscan_bvh_update(struct hitscan_bvh *bvh,
                                  const struct hitscan_edit *edit,
                                  uint32_t *rebuild_pays);

// Edits the mesh of an instance, and of all other instances of the scene that share it, as hitscan_bvh_update does.
// Trees and snapshots keep theirs.
hitscan_status hitscan_scene_update(struct hitscan_scene *scene,
                                    hitscan_instance_id id,
                                    const struct hitscan_edit *edit,
                                    uint32_t *rebuild_pays);

// Writes 1 if two meshes have a point in common, else 0. Exact.
//
// transform takes the second mesh to the space of the first: twelve numbers, as in hitscan_instance; NULL is none.
//
// HITSCAN_INVALID_ARGUMENT: a transform that is not finite.
hitscan_status hitscan_bvh_overlaps_mesh(const struct hitscan_bvh *first,
                                         const struct hitscan_bvh *second,
                                         const double *transform,
                                         uint8_t *overlaps);

// Writes the pairs of triangles with a point in common, ascending: as many as capacity, and their number to n_pairs, which may
// be greater. pairs may be NULL if capacity is 0. The rest is as in hitscan_bvh_overlaps_mesh.
hitscan_status hitscan_bvh_overlapping_mesh(const struct hitscan_bvh *first,
                                            const struct hitscan_bvh *second,
                                            const double *transform,
                                            struct hitscan_triangle_pair *pairs,
                                            size_t capacity,
                                            size_t *n_pairs);

// Writes the segments in which triangles of two meshes cross, in the order of the pairs, as hitscan_bvh_overlapping_mesh does.
// Pairs in one plane have none. Segments of neighbouring triangles join to the last bit.
hitscan_status hitscan_bvh_mesh_crossings(const struct hitscan_bvh *first,
                                          const struct hitscan_bvh *second,
                                          const double *transform,
                                          struct hitscan_mesh_crossing *crossings,
                                          size_t capacity,
                                          size_t *n_crossings);

// Writes the distance of two meshes and their nearest points, if it is within max_distance, which may be INFINITY. The rest is
// as in hitscan_bvh_overlaps_mesh.
hitscan_status hitscan_bvh_mesh_distance(const struct hitscan_bvh *first,
                                         const struct hitscan_bvh *second,
                                         const double *transform,
                                         double max_distance,
                                         struct hitscan_mesh_distance *distance);

// Writes the pairs of triangles of one mesh that intersect beyond the corners and edges they share, ascending: as many as
// capacity, and their number to n_pairs, which may be greater. pairs may be NULL if capacity is 0.
//
// Corners are shared by position, without a tolerance. Touching counts, and so do doubled triangles and triangles folded
// onto each other. Exact.
hitscan_status hitscan_bvh_self_intersections(const struct hitscan_bvh *bvh,
                                              struct hitscan_triangle_pair *pairs,
                                              size_t capacity,
                                              size_t *n_pairs);

// Writes 1 if hitscan_bvh_self_intersections has a pair, else 0. Ends at the first one.
hitscan_status hitscan_bvh_has_self_intersections(const struct hitscan_bvh *bvh, uint8_t *intersects);

// Finds the polylines in which a plane cuts the surface, in the space of the mesh. They are closed where the surface is closed.
// A corner in the plane counts as above it, where the normal points. The caller releases the section with
// hitscan_section_release, and reads it by hitscan_section_get.
//
// point and normal are three numbers each. The normal has any length but zero.
//
// HITSCAN_INVALID_ARGUMENT: a normal that is zero, or a number that is not finite.
hitscan_status hitscan_bvh_section(const struct hitscan_bvh *bvh,
                                   const double *point,
                                   const double *normal,
                                   struct hitscan_section **section);

// Finds the polylines in which a plane cuts the instances of a scene, in the world, as hitscan_bvh_section does. options may be
// NULL.
hitscan_status hitscan_scene_section(const struct hitscan_scene *scene,
                                     const double *point,
                                     const double *normal,
                                     const struct hitscan_query_options *options,
                                     struct hitscan_section **section);

// Writes where the polylines are. The caller sets view->size.
hitscan_status hitscan_section_get(const struct hitscan_section *section, struct hitscan_section_view *view);

// Releases a section. NULL does nothing.
//
// HITSCAN_INVALID_HANDLE: a section that is released already.
hitscan_status hitscan_section_release(struct hitscan_section *section);

// Makes a view from the matrix of an engine. The caller releases it with hitscan_view_release.
//
// HITSCAN_INVALID_ARGUMENT: a matrix that is singular or not finite, or a size that is not positive.
hitscan_status hitscan_view_from_matrix(const struct hitscan_view_matrix *matrix, struct hitscan_view **view);

// Makes a view from a camera. The caller releases it with hitscan_view_release.
//
// HITSCAN_INVALID_ARGUMENT: no direction, a number of the projection out of range, or a size that is not positive.
hitscan_status hitscan_view_from_camera(const struct hitscan_camera *camera,
                                        struct hitscan_view **view);

// Releases a view. NULL does nothing.
//
// HITSCAN_INVALID_HANDLE: a view that is released already.
hitscan_status hitscan_view_release(struct hitscan_view *view);

// Writes the ray of a pixel, from the near plane to the far plane. Its direction has length 1.
hitscan_status hitscan_view_ray(const struct hitscan_view *view,
                                double x,
                                double y,
                                struct hitscan_world_ray *ray);

// Writes the image of a point of the world. Surfaces hide nothing here.
hitscan_status hitscan_view_project(const struct hitscan_view *view,
                                    const double *point,
                                    struct hitscan_projected *projected);

// Writes the element nearest to a pixel; options may be NULL. If there is none, its instance is
// HITSCAN_NO_INSTANCE.
hitscan_status hitscan_scene_pick(const struct hitscan_scene *scene,
                                  const struct hitscan_view *view,
                                  double x,
                                  double y,
                                  const struct hitscan_pick_options *options,
                                  struct hitscan_pick *pick);

// Writes all elements under and near a pixel, through all surfaces: as many as capacity, and their number to
// n_picks, which may be greater. picks may be NULL if capacity is 0. options may be NULL.
hitscan_status hitscan_scene_pick_all(const struct hitscan_scene *scene,
                                      const struct hitscan_view *view,
                                      double x,
                                      double y,
                                      const struct hitscan_pick_options *options,
                                      struct hitscan_pick *picks,
                                      size_t capacity,
                                      size_t *n_picks);

// Writes the point to snap to: the nearest of the first target that has one within the radius. options may be
// NULL. If there is none, its instance is HITSCAN_NO_INSTANCE.
hitscan_status hitscan_scene_snap(const struct hitscan_scene *scene,
                                  const struct hitscan_view *view,
                                  double x,
                                  double y,
                                  const struct hitscan_pick_options *options,
                                  struct hitscan_pick *snap);

// Writes 1 if a point of the world is in the view and no surface hides it, else 0. options may be NULL.
hitscan_status hitscan_scene_is_visible(const struct hitscan_scene *scene,
                                        const struct hitscan_view *view,
                                        const double *point,
                                        const struct hitscan_query_options *options,
                                        uint8_t *visible);

// Writes the elements in the rectangle between two pixels, sorted: as many as capacity, and their number to
// n_elements, which may be greater. elements may be NULL if capacity is 0. options may be NULL.
hitscan_status hitscan_scene_select_marquee(const struct hitscan_scene *scene,
                                            const struct hitscan_view *view,
                                            double x0,
                                            double y0,
                                            double x1,
                                            double y1,
                                            const struct hitscan_select_options *options,
                                            struct hitscan_element *elements,
                                            size_t capacity,
                                            size_t *n_elements);

// Writes the elements within an outline, by the even-odd rule, as hitscan_scene_select_marquee does. The outline is
// n_corners times x and y, and its last corner joins the first.
//
// HITSCAN_INVALID_ARGUMENT: fewer than three corners, or one that is not finite.
hitscan_status hitscan_scene_select_lasso(const struct hitscan_scene *scene,
                                          const struct hitscan_view *view,
                                          const double *outline,
                                          size_t n_corners,
                                          const struct hitscan_select_options *options,
                                          struct hitscan_element *elements,
                                          size_t capacity,
                                          size_t *n_elements);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HITSCAN_H */
