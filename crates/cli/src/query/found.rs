//! Hits of rays and contacts of balls, with meshes and scenes.

use hitscan::scene::{SceneContact, SceneHit};
use hitscan::{Hit, SphereContact};

/// A hit of a ray or a contact of a ball, with a mesh or a scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Found {
    Mesh(Hit),
    Scene(SceneHit),
    Contact(SphereContact),
    SceneContact(SceneContact),
}

impl Found {
    /// The position on the ray.
    pub(crate) fn t(&self) -> f64 {
        match self {
            Self::Mesh(hit) => hit.t.into(),
            Self::Scene(hit) => hit.t,
            Self::Contact(contact) => contact.t,
            Self::SceneContact(found) => found.contact.t,
        }
    }

    /// The contact of a ball.
    pub(crate) fn contact(&self) -> Option<&SphereContact> {
        match self {
            Self::Contact(contact) => Some(contact),
            Self::SceneContact(found) => Some(&found.contact),
            Self::Mesh(_) | Self::Scene(_) => None,
        }
    }

    /// `t`, the instance and the hit in its mesh as bits, which tell -0.0 from 0.0. Of a contact the weights stand for
    /// the rest.
    pub(crate) fn to_bits(self) -> (u64, u64, [u32; 5]) {
        match self {
            Self::Mesh(hit) => (f64::from(hit.t).to_bits(), 0, hit.to_bits()),
            Self::Scene(hit) => (hit.t.to_bits(), hit.insertion_order, hit.local.to_bits()),
            Self::Contact(contact) => (contact.t.to_bits(), 0, contact_bits(&contact)),
            Self::SceneContact(SceneContact { insertion_order, contact, .. }) => {
                (contact.t.to_bits(), insertion_order, contact_bits(&contact))
            }
        }
    }
}

/// The triangle and the weights as bits.
fn contact_bits(contact: &SphereContact) -> [u32; 5] {
    let [u, v] = [contact.u.to_bits(), contact.v.to_bits()];
    [contact.triangle, u as u32, (u >> 32) as u32, v as u32, (v >> 32) as u32]
}

impl From<Hit> for Found {
    fn from(hit: Hit) -> Self {
        Self::Mesh(hit)
    }
}

impl From<SceneHit> for Found {
    fn from(hit: SceneHit) -> Self {
        Self::Scene(hit)
    }
}

/// The hits of many rays in one list.
#[derive(Clone, Debug)]
pub(crate) struct Lists<H> {
    /// The start of each ray's hits, then the number of all hits.
    pub(super) starts: Vec<usize>,
    pub(crate) hits: Vec<H>,
}

impl<H> Lists<H> {
    pub(super) fn of(&self, ray: usize) -> &[H] {
        &self.hits[self.starts[ray]..self.starts[ray + 1]]
    }
}

impl<H> From<Vec<Vec<H>>> for Lists<H> {
    fn from(lists: Vec<Vec<H>>) -> Self {
        let mut starts = Vec::with_capacity(lists.len() + 1);
        starts.push(0);
        let mut hits = Vec::with_capacity(lists.iter().map(Vec::len).sum());
        for list in lists {
            hits.extend(list);
            starts.push(hits.len());
        }
        Self { starts, hits }
    }
}
