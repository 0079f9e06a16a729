//! The components of a mesh.

/// The component of each triangle and the number of components. Triangles that share a corner are in
/// one component.
pub(super) fn of(triangles: &[[u32; 3]], n_vertices: usize) -> (Vec<u32>, usize) {
    // Tarjan, "Efficiency of a Good But Not Linear Set Union Algorithm" (1975), with path halving; the
    // lower vertex becomes the parent.
    let mut parents: Vec<u32> = (0..n_vertices as u32).collect();
    for &[a, b, c] in triangles {
        let a = root(&mut parents, a);
        let b = root(&mut parents, b);
        let c = root(&mut parents, c);
        let lowest = a.min(b).min(c);
        for vertex in [a, b, c] {
            parents[vertex as usize] = lowest;
        }
    }
    const UNSEEN: u32 = u32::MAX;
    let mut ids = vec![UNSEEN; n_vertices];
    let mut n = 0;
    let id_of = |corners: &[u32; 3]| {
        let id = &mut ids[root(&mut parents, corners[0]) as usize];
        if *id == UNSEEN {
            *id = n;
            n += 1;
        }
        *id
    };
    let components = triangles.iter().map(id_of).collect();
    (components, n as usize)
}

/// The vertex that stands for the set of `vertex`.
fn root(parents: &mut [u32], mut vertex: u32) -> u32 {
    while parents[vertex as usize] != vertex {
        let grandparent = parents[parents[vertex as usize] as usize];
        parents[vertex as usize] = grandparent;
        vertex = grandparent;
    }
    vertex
}
