//! Every public type that can be shared between threads says so at compile time.

use hitscan::obj;
use hitscan::picking::{self, View};
use hitscan::scene::{self, Scene};
use hitscan::*;

const fn is_shared<T: Send + Sync + 'static>() {}
const fn is_shared_while_borrowing<T: Send + Sync>() {}

/// Compiles only for types that are `Send` and `Sync`.
const _: () = {
    is_shared::<Ray>();
    is_shared::<Hit>();
    is_shared::<Aabb>();
    is_shared::<AlphaMask>();
    is_shared::<ConvexRegion>();
    is_shared::<FaceRecords>();
    is_shared::<PlanarPolygon>();
    is_shared::<SurfacePoint>();
    is_shared::<TriMesh>();
    is_shared::<WatertightRay>();
    is_shared::<MeshError>();
    is_shared::<RayError>();
    is_shared_while_borrowing::<brute_force::BruteForce<'_>>();

    is_shared::<MeshBvh>();
    is_shared::<BoxBvh>();
    is_shared::<WindingTree>();
    is_shared::<BuildOptions>();
    is_shared::<BvhStats>();
    is_shared::<HitLists>();
    is_shared::<Isa>();
    is_shared::<TraversalStats>();
    is_shared::<Cancelled>();
    is_shared::<RefitError>();
    is_shared::<RefitReport>();

    is_shared::<LoadOptions>();
    is_shared::<LoadReport>();
    is_shared::<Loaded>();
    is_shared::<Material>();
    is_shared::<ReadError>();
    is_shared::<obj::LibraryIssue>();

    is_shared::<Scene>();
    is_shared::<scene::Instance>();
    is_shared::<scene::InstanceId>();
    is_shared::<scene::Mesh>();
    is_shared::<scene::RemovedSubtree>();
    is_shared::<scene::SceneError>();
    is_shared::<scene::SceneHit>();
    is_shared_while_borrowing::<scene::HitDetails<'_>>();
    is_shared::<scene::WorldRay>();
    is_shared::<scene::LocalRay>();
    is_shared::<scene::WorldRegion>();
    is_shared::<scene::VertexWeights>();
    is_shared_while_borrowing::<scene::QueryOptions<'_>>();

    is_shared::<View>();
    is_shared_while_borrowing::<picking::Picker<'_>>();
    is_shared::<picking::ClickCycle>();
    is_shared::<picking::ScreenRegion>();
    is_shared::<picking::Polylines>();
};
