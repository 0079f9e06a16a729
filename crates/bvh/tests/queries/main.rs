//! Every query beyond plain rays against brute force.

mod box_rays;
mod candidates;
mod closest_point;
mod far_triangles;
mod filter;
mod inside;
mod mesh_pair;
mod one_answer;
mod overlap;
mod point_batch;
mod section;
mod self_pairs;
mod sphere_cast;
mod split;
mod support;
mod visit;
mod winding;
mod work;
