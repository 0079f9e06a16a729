//! Objects, groups and materials of one mesh: pick, hide, isolate, list.

use hitscan::glam::DAffine3;
use hitscan::scene::{Instance, Mesh, Scene};
use hitscan::{FaceRecords, PolygonProperties, TriMesh};
use hitscan_render::Subject;

use super::*;
use crate::model::Model;
use crate::protocol::{ElementName, PickReport, Side};

/// A room of 2 x 2 x 2 with the objects floor, walls and roof, and a table inside. The roof is at
/// y = 1, the table at y = -0.5.
fn room() -> Arc<ShownModel> {
    let corner = |x: f32, y: f32, z: f32| [x, y, z];
    let mut positions = vec![];
    for y in [-1.0, 1.0, -0.5] {
        let half = if y == -0.5 { 0.4 } else { 1.0 };
        for [x, z] in [[-half, half], [half, half], [half, -half], [-half, -half]] {
            positions.push(corner(x, y, z));
        }
    }
    let quads: [[u32; 4]; 7] = [
        [0, 1, 2, 3],
        [0, 1, 5, 4],
        [1, 2, 6, 5],
        [2, 3, 7, 6],
        [3, 0, 4, 7],
        [8, 9, 10, 11],
        [4, 5, 6, 7],
    ];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    let names = ["floor", "walls", "table", "roof", "wood", "plaster"].map(str::to_owned);
    let mut properties = PolygonProperties { names: names.into(), ..Default::default() };
    for (start, name) in [(0, 0), (1, 1), (5, 2), (6, 3)] {
        properties.objects.push(start, Some(name));
    }
    for (start, name) in [(0, 4), (1, 5), (5, 4), (6, 5)] {
        properties.materials.push(start, Some(name));
    }
    let records = FaceRecords::from_triangle_counts([2; 7]).with_properties(properties).unwrap();
    let mesh = TriMesh::new(positions, triangles).unwrap().with_records(records).unwrap();
    let mesh = Arc::new(Mesh::new(mesh, &Default::default()));
    let mut scene = Scene::new();
    scene.insert(Instance::new(mesh, DAffine3::IDENTITY)).unwrap();
    Arc::new(ShownModel::new(Model {
        subject: Subject::new(scene, |_, _| None),
        file: "room.obj".to_owned(),
        up: DVec3::Y,
        reading: Duration::ZERO,
        building: Duration::ZERO,
    }))
}

/// A tab of 400 x 300 pixels that looks down on the roof.
fn session() -> Session {
    let now = Instant::now();
    let (mut session, _) = Session::new(room(), 0, now);
    session.handle(FromPage::Resize { width: 400.0, height: 300.0, ratio: 1.0 }, now);
    session.handle(FromPage::Look { from: Side::Top }, now);
    session.handle(FromPage::Frame { all: true }, now);
    session
}

fn say(session: &mut Session, message: FromPage) -> Vec<ToPage> {
    session.handle(message, Instant::now())
}

fn selection(messages: &[ToPage]) -> SelectionReport {
    let found = messages.iter().find_map(|message| match message {
        ToPage::Selection(report) => Some(report.clone()),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("no selection in {messages:?}"))
}

fn states(messages: &[ToPage]) -> Vec<u8> {
    let found = messages.iter().find_map(|message| match message {
        ToPage::Visibility { states } => Some(states.clone()),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("no visibility in {messages:?}"))
}

fn click(session: &mut Session, element: ElementName) -> PickReport {
    say(session, FromPage::Element { element });
    let click = FromPage::Click { x: 200.0, y: 150.0, extend: false };
    selection(&say(session, click)).pick.expect("a pick")
}

fn next_object(session: &mut Session) -> (Option<String>, usize) {
    let click = FromPage::Click { x: 200.0, y: 150.0, extend: false };
    let pick = selection(&say(session, click)).pick.expect("a pick");
    (pick.object, pick.click)
}

#[test]
fn hiding_an_object_of_a_mesh_opens_the_room() {
    let mut session = session();
    let roof = click(&mut session, ElementName::Object);
    assert_eq!((roof.element, roof.object.as_deref()), (ElementName::Object, Some("roof")));
    let messages = say(&mut session, FromPage::Hide);
    assert_eq!(states(&messages), [2, 2, 2, 0]);
    assert_eq!(selection(&messages).n, 0);
    let table = click(&mut session, ElementName::Object);
    assert_eq!(table.object.as_deref(), Some("table"));
    // Indices of polygons and triangles are still those of the file.
    assert_eq!(table.polygon, Some(5));
    assert!(table.hit.as_ref().is_some_and(|hit| [10, 11].contains(&hit.triangle)));
    assert!(table.command.ends_with(" --element face --ignore-faces 0:6"), "{}", table.command);
    let messages = say(&mut session, FromPage::ShowAll);
    assert_eq!(states(&messages), [2; 4]);
    assert_eq!(click(&mut session, ElementName::Object).object.as_deref(), Some("roof"));
}

#[test]
fn hidden_faces_do_not_change_the_triangles_that_a_pick_reports() {
    let mut session = session();
    // Of the polygons before the table, hide one.
    say(&mut session, FromPage::SelectEntry { entry: 0, extend: false });
    say(&mut session, FromPage::Hide);
    click(&mut session, ElementName::Object);
    say(&mut session, FromPage::Hide);
    let table = click(&mut session, ElementName::Face);
    assert_eq!(table.polygon, Some(5));
    assert!(table.hit.is_some_and(|hit| [10, 11].contains(&hit.triangle)));
}

#[test]
fn clicks_go_through_the_objects_of_a_mesh_and_isolate_keeps_one() {
    let mut session = session();
    say(&mut session, FromPage::Element { element: ElementName::Object });
    let names = [(); 4].map(|()| next_object(&mut session).0.unwrap());
    assert_eq!(names, ["roof", "table", "floor", "roof"]);
    let messages = say(&mut session, FromPage::Isolate);
    assert_eq!(states(&messages), [0, 0, 0, 2]);
    // The isolated part stays selected.
    assert_eq!(selection(&messages).n, 1);
    assert_eq!(session.subject.n_triangles(), 2);
}

#[test]
fn a_material_is_picked_hidden_and_selected_as_a_whole() {
    let mut session = session();
    let plaster = click(&mut session, ElementName::Material);
    assert_eq!(plaster.element, ElementName::Material);
    let messages = say(&mut session, FromPage::Hide);
    assert_eq!(states(&messages), [2, 0, 2, 0]);
    let marquee = |enclose| FromPage::Marquee {
        from: [190.0, 140.0],
        to: [210.0, 160.0],
        enclose,
        extend: false,
    };
    assert_eq!(selection(&say(&mut session, marquee(false))).first, ["material wood"]);
    assert_eq!(selection(&say(&mut session, marquee(true))).n, 0);
    let all =
        FromPage::Marquee { from: [0.0, 0.0], to: [400.0, 300.0], enclose: true, extend: false };
    assert_eq!(selection(&say(&mut session, all)).first, ["material wood"]);
    // Without groups, the group is the instance.
    let group = click(&mut session, ElementName::Group);
    assert_eq!(group.element, ElementName::Object);
}

#[test]
fn faces_edges_and_vertices_hide_the_faces_that_they_touch() {
    for (element, hidden) in
        [(ElementName::Face, [2, 2, 2, 0]), (ElementName::Vertex, [2, 1, 2, 0])]
    {
        let mut session = session();
        say(&mut session, FromPage::Element { element });
        let corner = session.view().unwrap().project([-1.0, 1.0, 1.0]).unwrap().pixel;
        let (x, y) = (corner.x + 2.0, corner.y - 2.0);
        say(&mut session, FromPage::Click { x, y, extend: false });
        assert_eq!(states(&say(&mut session, FromPage::Hide)), hidden, "{element:?}");
    }
}

#[test]
fn the_list_selects_hides_and_shows_objects() {
    let (_, messages) = Session::new(room(), 0, Instant::now());
    let Some(ToPage::Objects { entries, n_more: 0 }) =
        messages.iter().find(|message| matches!(message, ToPage::Objects { .. }))
    else {
        panic!("no list in {messages:?}");
    };
    let names: Vec<&str> = entries.iter().map(|entry| &*entry.name).collect();
    assert_eq!(names, ["floor", "walls", "table", "roof"]);
    assert_eq!(entries[1].n_triangles, 8);

    let mut session = session();
    let report = selection(&say(&mut session, FromPage::SelectEntry { entry: 2, extend: false }));
    assert_eq!(
        (report.n, &report.first[..], &report.entries[..]),
        (1, &["object table".to_owned()][..], &[2][..])
    );
    let facts = report.facts.unwrap();
    assert_eq!((facts.n_polygons, facts.n_triangles), (1, 2));
    let bounds = facts.bounds.unwrap();
    assert!((bounds[1][0] - 0.4).abs() < 1e-6 && bounds[0][1] == -0.5, "{bounds:?}");
    let surface = facts.surface.unwrap();
    assert!(!surface.is_closed);
    assert_eq!((surface.n_open_edges, surface.n_boundary_loops), (4, 1));
    assert_eq!(session.open_edges.len(), 4);
    let report = selection(&say(&mut session, FromPage::SelectEntry { entry: 3, extend: true }));
    assert_eq!((report.n, report.facts), (2, None));

    let toggle =
        |session: &mut Session, entry| states(&say(session, FromPage::ToggleEntry { entry }));
    assert_eq!(toggle(&mut session, 3), [2, 2, 2, 0]);
    assert_eq!(toggle(&mut session, 1), [2, 0, 2, 0]);
    assert_eq!(toggle(&mut session, 3), [2, 0, 2, 2]);
    // One object of a hidden instance comes back alone.
    say(&mut session, FromPage::ShowAll);
    session.hidden.instances.insert(0);
    session.apply_hidden(Instant::now());
    assert_eq!(toggle(&mut session, 2), [0, 0, 2, 0]);
    assert!(say(&mut session, FromPage::ToggleEntry { entry: 9 }).is_empty());
}
