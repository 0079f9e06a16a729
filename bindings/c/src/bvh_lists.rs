//! Queries of a tree that answer a ray with a list of hits.

use std::cell::RefCell;

use engine::Hit;

use crate::{
    bvh::hitscan_bvh,
    bvh_rays::rays,
    call::entry,
    handle::kind,
    memory::{Caller, plain, zeros},
    options::{hit_options, hitscan_hit_options},
    rays::{hitscan_hit, hitscan_ray, ray},
    status::{Failure, hitscan_status},
};

/// The hits of many rays, in one list per ray. Immutable.
pub struct hitscan_hit_lists {
    _opaque: [u8; 0],
}

/// The lists in the layout of the header.
pub(crate) struct ListsValue {
    starts: Vec<usize>,
    hits: Vec<hitscan_hit>,
}

kind!(hitscan_hit_lists, ListsValue, *b"hs_lists");

/// The lists of many rays. The hits of ray i are hits[starts[i]] up to but without hits[starts[i + 1]],
/// sorted by (t, triangle). Both arrays are valid until the lists are released.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hitscan_hit_lists_view {
    /// sizeof(hitscan_hit_lists_view), which the caller sets.
    pub size: usize,
    /// The number of rays.
    pub n_rays: usize,
    /// The number of hits of all rays.
    pub n_hits: usize,
    /// n_rays + 1 places in hits.
    pub starts: *const usize,
    /// The hits of all rays; NULL if there are none.
    pub hits: *const hitscan_hit,
}

plain!(hitscan_hit_lists_view);
zeros!(hitscan_hit_lists_view);

thread_local! {
    static HITS: RefCell<Vec<Hit>> = const { RefCell::new(Vec::new()) };
}

/// Memory of the caller for a list, and for its length.
pub(crate) struct ListOut<'a, T> {
    items: crate::memory::StridedOut<'a, T>,
    n: &'a mut std::mem::MaybeUninit<usize>,
}

impl<'a, T: crate::memory::Plain> ListOut<'a, T> {
    pub(crate) fn new(
        caller: &'a Caller,
        items: *mut T,
        capacity: usize,
        n: *mut usize,
        names: [&str; 2],
    ) -> Result<Self, Failure> {
        let items = caller.strided_out(items, capacity, 0, names[0])?;
        Ok(Self { items, n: caller.out(n, names[1])? })
    }

    /// Writes the length, and as many items as there is room for.
    pub(crate) fn write(mut self, n: usize, items: impl Iterator<Item = T>) {
        self.items.write(0, items);
        self.n.write(n);
    }
}

impl ListOut<'_, hitscan_hit> {
    /// Writes the hits that `find` puts into a list that the thread keeps, so that queries allocate only while it
    /// grows. A callback that queries again gets another one.
    pub(crate) fn write_hits(self, find: impl FnOnce(&mut Vec<Hit>)) {
        let mut hits = HITS.try_with(RefCell::take).unwrap_or_default();
        find(&mut hits);
        self.write(hits.len(), hits.iter().map(|&hit| hit.into()));
        // A list of a million hits would stay for ever.
        if hits.capacity() <= 1 << 16 {
            let _ = HITS.try_with(|kept| kept.replace(hits));
        }
    }
}

/// Writes all hits of a ray, sorted by (t, triangle): as many as capacity, and their number to n_hits, which may
/// be greater. hits may be NULL if capacity is 0.
///
/// options may be NULL. Takes no memory, except for the longest list of a thread so far.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_all_hits(
    bvh: *const hitscan_bvh,
    ray: *const hitscan_ray,
    options: *const hitscan_hit_options,
    hits: *mut hitscan_hit,
    capacity: usize,
    n_hits: *mut usize,
) -> hitscan_status {
    entry!("hitscan_bvh_all_hits", |caller| {
        let tree = caller.get(bvh, "bvh")?.tree();
        let list = ListOut::new(caller, hits, capacity, n_hits, ["hits", "n_hits"])?;
        let (options, ray) = (hit_options(caller, options)?, self::ray(caller, ray)?);
        list.write_hits(|hits| tree.all_hits_into(ray, &options, hits));
        Ok(())
    })
}

/// Writes the first n hits of a ray, sorted by (t, triangle), and their number to n_hits. hits has room for n.
/// Cheaper than hitscan_bvh_all_hits where many triangles lie behind each other.
///
/// options may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_nearest_hits(
    bvh: *const hitscan_bvh,
    ray: *const hitscan_ray,
    n: usize,
    options: *const hitscan_hit_options,
    hits: *mut hitscan_hit,
    n_hits: *mut usize,
) -> hitscan_status {
    entry!("hitscan_bvh_nearest_hits", |caller| {
        let tree = caller.get(bvh, "bvh")?.tree();
        let list = ListOut::new(caller, hits, n, n_hits, ["hits", "n_hits"])?;
        let (options, ray) = (hit_options(caller, options)?, self::ray(caller, ray)?);
        list.write_hits(|hits| tree.nearest_hits_into(ray, n, &options, hits));
        Ok(())
    })
}

/// Finds all hits of each ray, on all threads. An invalid ray hits nothing. The caller releases the lists with
/// hitscan_hit_lists_release, and reads them by hitscan_hit_lists_get.
///
/// Rays lie ray_stride bytes apart; 0 is no gap. options may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_all_hits_batch(
    bvh: *const hitscan_bvh,
    rays: *const hitscan_ray,
    n_rays: usize,
    ray_stride: usize,
    options: *const hitscan_hit_options,
    lists: *mut *mut hitscan_hit_lists,
) -> hitscan_status {
    entry!("hitscan_bvh_all_hits_batch", |caller| {
        let lists = caller.out_handle(lists, "lists")?;
        let tree = caller.get(bvh, "bvh")?.tree();
        let options = hit_options(caller, options)?;
        let mut value = ListsValue { starts: vec![0], hits: Vec::new() };
        self::rays(caller, rays, n_rays, ray_stride)?.for_each_chunk(|_, rays| {
            let found = tree.all_hits_batch(rays, &options);
            let before = value.hits.len();
            value.starts.extend(found.starts[1..].iter().map(|start| before + start));
            value.hits.extend(found.hits.into_iter().map(hitscan_hit::from));
            Ok(())
        })?;
        lists.write(value);
        Ok(())
    })
}

/// Writes where the lists are. The caller sets view->size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_hit_lists_get(
    lists: *const hitscan_hit_lists,
    view: *mut hitscan_hit_lists_view,
) -> hitscan_status {
    entry!("hitscan_hit_lists_get", |caller| {
        let ListsValue { starts, hits } = caller.get(lists, "lists")?;
        let value = hitscan_hit_lists_view {
            size: 0,
            n_rays: starts.len() - 1,
            n_hits: hits.len(),
            starts: starts.as_ptr(),
            hits: if hits.is_empty() { std::ptr::null() } else { hits.as_ptr() },
        };
        caller.write_sized(view, &value, "view")
    })
}

/// Releases lists. NULL does nothing.
///
/// HITSCAN_INVALID_HANDLE: lists that are released already.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_hit_lists_release(
    lists: *mut hitscan_hit_lists,
) -> hitscan_status {
    entry!("hitscan_hit_lists_release", |caller| caller.release(lists, "lists"))
}
