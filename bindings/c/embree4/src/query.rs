//! A ray on its way: where it is in memory, in which instance, and what the program wants to be asked.

use std::ffi::c_int;

use engine::glam::Vec3;

use crate::{
    abi::{
        FilterArguments, FilterFn, INVALID_ID, INVOKE_ARGUMENT_FILTER, QueryArguments,
        QueryContext, UserFn,
    },
    geometry::Geometry,
    lane::{HitWords, Lane, MAX_WIDTH},
};

/// A query for the closest hit, or with `ANY` for any hit.
pub(crate) struct Query<const ANY: bool> {
    pub(crate) lane: Lane,
    context: *mut QueryContext,
    filter: FilterFn,
    filters_all: bool,
    /// The callback for all user geometries.
    pub(crate) user: UserFn,
}

impl<const ANY: bool> Query<ANY> {
    /// # Safety
    /// While it lives, `context` points to a context that only the query and its callbacks use, and the functions take the
    /// arguments of Embree's callbacks.
    pub(crate) unsafe fn new(
        lane: Lane,
        context: *mut QueryContext,
        arguments: Option<&QueryArguments>,
    ) -> Self {
        Self {
            lane,
            context,
            filter: arguments.and_then(|arguments| arguments.filter),
            filters_all: arguments.is_some_and(|a| a.flags & INVOKE_ARGUMENT_FILTER != 0),
            user: arguments.and_then(|arguments| arguments.user),
        }
    }

    /// The same query for another ray.
    pub(crate) fn with_lane(&self, lane: Lane) -> Self {
        Self { lane, ..*self }
    }

    pub(crate) fn context(&self) -> *mut QueryContext {
        self.context
    }

    /// The instance that the ray is in, and which one of an array.
    #[inline(always)]
    pub(crate) fn instance(&self) -> [u32; 2] {
        // SAFETY: the promise of `new`.
        let QueryContext { inst_id: [id], inst_prim_id: [prim_id] } = unsafe { *self.context };
        [id, prim_id]
    }

    fn set_instance(&self, [id, prim_id]: [u32; 2]) {
        let context = QueryContext { inst_id: [id], inst_prim_id: [prim_id] };
        // SAFETY: the promise of `new`.
        unsafe { *self.context = context };
    }

    /// Whether the ray is in an instance already, and there is no level for another.
    pub(crate) fn is_in_instance(&self) -> bool {
        self.instance()[0] != INVALID_ID
    }

    /// Runs `body` while the ray is in an instance, with the line that it has there.
    pub(crate) fn in_instance<T>(
        &self,
        instance: [u32; 2],
        line: [Vec3; 2],
        body: impl FnOnce() -> T,
    ) -> T {
        let outside = self.lane.swap_line(line);
        let around = self.instance();
        self.set_instance(instance);
        let result = body();
        self.set_instance(around);
        self.lane.swap_line(outside);
        result
    }

    /// Whether the filter of the arguments is for the geometries of a scene that allows it.
    #[inline]
    pub(crate) fn has_argument_filter(&self, scene_allows: bool, some_take_it: bool) -> bool {
        scene_allows && self.filter.is_some() && (self.filters_all || some_take_it)
    }

    /// Asks the filters of a geometry about a hit at `t`. An accepted hit is written to the ray, as the filters left it.
    pub(crate) fn accepts(&self, filters: &Filters, words: &HitWords, t: f32) -> bool {
        let (n, lane) = (self.lane.n(), self.lane.index());
        let mut hits = [0u32; size_of::<HitWords>() / 4 * MAX_WIDTH];
        for (i, &word) in words.iter().enumerate() {
            hits[i * n + lane] = word;
        }
        let before = self.lane.t_far();
        self.lane.set_t_far(t);
        let mut valid: [c_int; MAX_WIDTH] = [0; MAX_WIDTH];
        valid[lane] = -1;
        let arguments = FilterArguments {
            valid: valid.as_mut_ptr(),
            user: filters.geometry.user_data(),
            context: self.context,
            ray: self.lane.base(),
            hit: hits.as_mut_ptr().cast(),
            n: n as u32,
        };
        // SAFETY: the arguments are those of a filter, and point to packets of `n` rays and hits.
        let accepted = unsafe { self.ask(filters, &arguments) };
        if ANY || !accepted {
            self.lane.set_t_far(before);
        } else {
            self.lane.set_hit(&std::array::from_fn(|i| hits[i * n + lane]));
        }
        accepted
    }

    /// Asks the filters one after the other, as long as any hit is valid.
    ///
    /// # Safety
    /// The arguments are those of a filter.
    unsafe fn ask(&self, filters: &Filters, arguments: &FilterArguments) -> bool {
        let own = filters.own::<ANY>();
        let takes = filters.scene_allows_argument && (filters.takes_argument || self.filters_all);
        let of_arguments = self.filter.filter(|_| takes);
        for filter in [own, of_arguments].into_iter().flatten() {
            // SAFETY: the promise of the caller.
            let any_valid = unsafe {
                filter(arguments);
                std::slice::from_raw_parts(arguments.valid, arguments.n as usize)
                    .iter()
                    .any(|&valid| valid != 0)
            };
            if !any_valid {
                return false;
            }
        }
        true
    }
}

impl Filters {
    /// The filter that the program has set.
    pub(crate) fn own<const ANY: bool>(&self) -> FilterFn {
        if ANY { self.occluded } else { self.intersect }
    }
}

/// The filters of a geometry.
#[derive(Clone, Debug)]
pub(crate) struct Filters {
    pub(crate) geometry: std::sync::Arc<Geometry>,
    pub(crate) intersect: FilterFn,
    pub(crate) occluded: FilterFn,
    pub(crate) takes_argument: bool,
    pub(crate) scene_allows_argument: bool,
}
