//! The upper level: nodes over items, and the links from each to the one above it.

use std::{cell::RefCell, ops::ControlFlow};

use hitscan_primitives::{LocalFrame, WorldBox};

use super::{placed_mesh::PlacedMesh, space::Space};
use crate::{
    cow_vec::CowVec,
    layout::{Link, NO_LINK, WideNode},
    query::{slot_keys, visit_nodes},
    simd::Isa,
};

/// A hierarchy over placed meshes, updated by every edit. A clone shares memory with the original.
///
/// An edit costs a path to the root. A whole rebuild follows when more items than half came or left their places since the
/// last one, or when one lies outside the space that the last one made room for.
#[derive(Clone, Debug)]
pub struct InstanceBvh {
    /// Node 0 is the root. The first spare word of a node is the link to its parent.
    pub(super) nodes: CowVec<WideNode>,
    pub(super) free_nodes: Vec<u32>,
    pub(super) placed: CowVec<PlacedMesh>,
    pub(super) items: CowVec<Item, 128>,
    pub(super) n_items: usize,
    /// The items that came or left their places since the last build.
    pub(super) n_moved: usize,
    /// What [`cost`](Self::cost) was at the last build.
    pub(super) built_cost: f32,
    pub(super) space: Space,
    pub(super) isa: Isa,
}

/// A node without children.
pub(super) fn node_below(parent: Link) -> WideNode {
    let mut node = WideNode::EMPTY;
    node.spare[0] = parent;
    node
}

/// An item of the caller's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) bounds: WorldBox,
    pub(super) link: Link,
}

impl Default for Item {
    fn default() -> Self {
        Self { bounds: WorldBox::EMPTY, link: NO_LINK }
    }
}

impl Item {
    #[inline]
    pub(super) fn is_placed(&self) -> bool {
        self.link != NO_LINK
    }
}

impl Default for InstanceBvh {
    fn default() -> Self {
        let mut nodes = CowVec::default();
        nodes.push(node_below(NO_LINK));
        Self {
            nodes,
            free_nodes: Vec::new(),
            placed: CowVec::default(),
            items: CowVec::default(),
            n_items: 0,
            n_moved: 0,
            built_cost: 0.0,
            space: Space::default(),
            isa: Isa::default(),
        }
    }
}

impl InstanceBvh {
    /// The mesh of an item; `None` for an index without one.
    #[inline]
    pub fn placed(&self, item: u32) -> Option<&PlacedMesh> {
        let is_there = (item as usize) < self.items.len() && self.items.get(item).is_placed();
        is_there.then(|| self.placed.get(item))
    }

    /// The bytes of nodes and items.
    pub fn bytes(&self) -> usize {
        self.nodes.bytes() + self.placed.bytes() + self.items.bytes()
    }

    /// What brings a ray to the mesh of an item; `None` for an index without one.
    #[inline]
    pub fn frame(&self, item: u32) -> Option<LocalFrame> {
        let placed = self.placed(item)?;
        Some(placed.frame(placed.mesh()?))
    }

    /// The box of an item, as the caller gave it; `None` for an index without one.
    pub fn bounds(&self, item: u32) -> Option<WorldBox> {
        let item = ((item as usize) < self.items.len()).then(|| self.items.get(item))?;
        item.is_placed().then_some(item.bounds)
    }

    /// Visits the items whose `key`, and those of all boxes around it, are at most the limit; smaller keys come first. A
    /// box around others has no larger key, and a NaN is beyond every limit. `on_item` returns the next limit.
    ///
    /// Boxes around others are larger than they need be, by a few millionths of the whole. The box of an item is the one
    /// that the caller gave.
    pub fn visit<B>(
        &self,
        limit: f64,
        key: impl FnMut(&WorldBox) -> f64,
        mut on_item: impl FnMut(u32, f64) -> ControlFlow<B, f64>,
    ) -> ControlFlow<B> {
        let key = RefCell::new(key);
        let key = |bounds: &WorldBox| (key.borrow_mut())(bounds);
        visit_nodes(
            |node| self.nodes.get(node as u32),
            limit,
            |node| slot_keys(node, |slot| key(&self.space.world_bounds(node, slot))),
            |items, limit| {
                let item = items.start as u32;
                // In this form a NaN is beyond every limit.
                if key(&self.items.get(item).bounds) <= limit {
                    on_item(item, limit)
                } else {
                    ControlFlow::Continue(limit)
                }
            },
        )
    }
}
