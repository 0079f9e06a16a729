use hitscan::generate;
use hitscan::glam::DAffine3;
use hitscan::scene::{Instance, Mesh, Scene};

use super::*;
use crate::model::Model;
use crate::protocol::{PickReport, Side};

/// Three cubes with sides of 2 in a row along the view, named a, b and c.
fn model() -> Arc<ShownModel> {
    let cube = generate::cuboid(2.0, 2.0, 2.0, 0).unwrap();
    let cube = Arc::new(Mesh::new(cube, &Default::default()));
    let mut scene = Scene::new();
    for (name, z) in [("a", 0.0), ("b", -4.0), ("c", -8.0)] {
        let transform = DAffine3::from_translation([0.0, 0.0, z].into());
        let name = Some(name.into());
        scene.insert(Instance { name, ..Instance::new(cube.clone(), transform) }).unwrap();
    }
    Arc::new(ShownModel::new(Model {
        subject: Subject::new(scene, |_, _| None),
        file: "cubes.toml".to_owned(),
        up: DVec3::Y,
        reading: Duration::ZERO,
        building: Duration::ZERO,
    }))
}

/// A tab of 400 x 300 pixels that looks along the row of cubes.
fn session() -> Session {
    let now = Instant::now();
    let (mut session, messages) = Session::new(model(), 0, now);
    assert!(matches!(messages[..], [ToPage::Model(_), ToPage::State(_), ..]));
    session.handle(FromPage::Resize { width: 400.0, height: 300.0, ratio: 1.0 }, now);
    session.handle(FromPage::Look { from: Side::Front }, now);
    session.handle(FromPage::Frame { all: true }, now);
    session
}

fn say(session: &mut Session, message: FromPage) -> Vec<ToPage> {
    session.handle(message, Instant::now())
}

fn selection(messages: &[ToPage]) -> &SelectionReport {
    let find = |messages: &ToPage| matches!(messages, ToPage::Selection(_));
    match messages.iter().find(|messages| find(messages)) {
        Some(ToPage::Selection(report)) => report,
        _ => panic!("no selection in {messages:?}"),
    }
}

fn click(session: &mut Session, x: f64, y: f64) -> Option<PickReport> {
    selection(&say(session, FromPage::Click { x, y, extend: false })).pick.clone()
}

fn choose(session: &mut Session, element: ElementName) {
    say(session, FromPage::Element { element });
}

#[test]
fn clicks_at_one_pixel_go_deeper_and_wrap_around() {
    let mut session = session();
    choose(&mut session, ElementName::Object);
    let mut picked =
        || click(&mut session, 200.0, 150.0).map(|pick| (pick.path.concat(), pick.click));
    let picked = [picked(), picked(), picked(), picked()].map(Option::unwrap);
    let expected = [("a", 1), ("b", 2), ("c", 3), ("a", 1)];
    assert_eq!(picked, expected.map(|(name, click)| (name.to_owned(), click)));
    // A camera change restarts the sequence of clicks.
    say(&mut session, FromPage::Orbit { dx: 1.0, dy: 0.0 });
    assert_eq!(click(&mut session, 200.0, 150.0).unwrap().click, 1);
    assert_eq!(click(&mut session, 1.0, 1.0), None);
}

#[test]
fn hidden_objects_are_not_picked_until_shown() {
    let mut session = session();
    choose(&mut session, ElementName::Object);
    click(&mut session, 200.0, 150.0);
    let messages = say(&mut session, FromPage::Hide);
    assert_eq!(selection(&messages).n, 0);
    let pick = click(&mut session, 200.0, 150.0).unwrap();
    assert_eq!(pick.path, ["b"]);
    assert!(pick.command.ends_with(" --ignore 0"), "{}", pick.command);
    say(&mut session, FromPage::Isolate);
    assert_eq!(session.subject.instances().len(), 1);
    assert_eq!(session.hidden.instances, [0, 2].into());
    // An isolated object stays selected.
    assert_eq!(session.selection.len(), 1);
    say(&mut session, FromPage::ShowAll);
    assert_eq!(click(&mut session, 200.0, 150.0).unwrap().path, ["a"]);
}

#[test]
fn a_marquee_selects_visible_elements_and_with_x_ray_all() {
    let mut session = session();
    choose(&mut session, ElementName::Object);
    let marquee = FromPage::Marquee {
        from: [150.0, 100.0],
        to: [250.0, 200.0],
        enclose: false,
        extend: false,
    };
    let messages = say(&mut session, marquee.clone());
    assert_eq!(selection(&messages).first, ["object of a"]);
    let command = selection(&messages).command.clone().unwrap();
    assert!(command.ends_with(" --marquee 150,100,250,200 --visible"), "{command}");
    say(&mut session, FromPage::XRay { on: true });
    assert_eq!(selection(&say(&mut session, marquee)).n, 3);
    let outline = vec![[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]];
    let lasso = FromPage::Lasso { outline, enclose: false, extend: true };
    assert_eq!(selection(&say(&mut session, lasso)).n, 3);
    let nothing = FromPage::Lasso { outline: vec![[1.0, 1.0]], enclose: false, extend: false };
    assert_eq!(selection(&say(&mut session, nothing)).n, 0);
}

#[test]
fn a_click_with_shift_adds_and_removes() {
    let mut session = session();
    choose(&mut session, ElementName::Face);
    // One point on each triangle of the front face.
    let (one, other) = ([180.0, 110.0], [220.0, 190.0]);
    let at = |[x, y]: [f64; 2], extend| FromPage::Click { x, y, extend };
    assert_eq!(selection(&say(&mut session, at(one, false))).n, 1);
    let messages = say(&mut session, at(other, true));
    assert_eq!(selection(&messages).n, 2, "{messages:?}");
    let messages = say(&mut session, at(one, true));
    assert_eq!(selection(&messages).n, 1);
}

#[test]
fn each_kind_of_element_is_picked() {
    let mut session = session();
    let kinds = [ElementName::Object, ElementName::Face, ElementName::Edge, ElementName::Vertex];
    for element in kinds {
        choose(&mut session, element);
        // A corner of the front of the first cube.
        let corner = session.view().unwrap().project([1.0, 1.0, 1.0]).unwrap().pixel;
        let id = 3;
        let (x, y) = (corner.x - 1.0, corner.y + 1.5);
        let messages = say(&mut session, FromPage::Hover { x, y, id });
        let [ToPage::Hover { id: 3, pick: Some(pick) }] = &messages[..] else {
            panic!("{element:?}: {messages:?}");
        };
        assert_eq!((pick.element, pick.instance), (element, 0));
        assert_eq!(
            pick.vertices.len(),
            match element {
                ElementName::Edge => 2,
                ElementName::Vertex => 1,
                _ => 0,
            }
        );
        assert_eq!(pick.hit.is_some(), pick.vertices.is_empty());
    }
}

/// The u32 at a byte offset of a chunk's header.
fn header_value(chunk: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(chunk[at..at + 4].try_into().unwrap())
}

#[test]
fn rendering_ends_with_a_refined_frame() {
    let mut session = session();
    let mut now = Instant::now() + Duration::from_secs(1);
    let (mut n_frames, mut last) = (0u32, vec![]);
    while let Some(wait) = session.time_until_work(now) {
        now += wait + Duration::from_micros(10);
        let (_, chunk) = session.render_slice(now);
        if let Some(bytes) = chunk {
            assert_eq!(header_value(&bytes, 0), n_frames);
            if header_value(&bytes, 32) == 0 {
                session.handle(FromPage::Shown { frame: n_frames }, now);
                n_frames += 1;
            }
            last = bytes;
        }
        assert!(n_frames < 50);
    }
    assert_eq!([4, 8, 28, 32].map(|at| header_value(&last, at)), [400, 300, 2, 0]);
    // Hovering highlights a face, which changes only a part of the frame.
    choose(&mut session, ElementName::Face);
    session.handle(FromPage::Hover { x: 200.0, y: 150.0, id: 1 }, now);
    let mut n_bytes = 0;
    loop {
        let chunk = session.render_slice(now).1.unwrap();
        n_bytes += chunk.len();
        if header_value(&chunk, 32) == 0 {
            break;
        }
        assert_eq!(session.time_until_work(now), Some(Duration::ZERO));
    }
    assert!(n_bytes > 1000 && n_bytes < 400 * 300 * 4);
}

#[test]
fn a_page_that_acknowledges_nothing_gets_two_frames() {
    let mut session = session();
    let mut now = Instant::now();
    let mut n_frames = 0;
    for step in 0..40 {
        now += Duration::from_millis(200);
        session.handle(FromPage::Orbit { dx: f64::from(step), dy: 1.0 }, now);
        for _ in 0..9 {
            let chunk = session.render_slice(now).1;
            n_frames += usize::from(chunk.is_some_and(|chunk| header_value(&chunk, 32) == 0));
        }
    }
    assert_eq!(n_frames, 2);
    assert_eq!(session.time_until_work(now), None);
}

#[test]
fn extreme_messages_leave_a_valid_view() {
    let mut session = session();
    let huge = [f64::MAX, -f64::MAX, 1e300, 0.0, f64::MIN_POSITIVE, -1.0];
    for a in huge {
        for b in huge {
            let id = 0;
            for message in [
                FromPage::Orbit { dx: a, dy: b },
                FromPage::Pan { dx: a, dy: b },
                FromPage::Zoom { factor: a, x: b, y: a },
                FromPage::Hover { x: a, y: b, id },
                FromPage::Click { x: a, y: b, extend: true },
                FromPage::Marquee { from: [a, b], to: [b, a], enclose: true, extend: true },
                FromPage::Lasso { outline: vec![[a, b]; 5], enclose: true, extend: false },
                FromPage::Resize { width: a, height: b, ratio: a },
                FromPage::Resize { width: 20.0, height: 20.0, ratio: 1.0 },
                FromPage::Shown { frame: 77 },
                FromPage::Isolate,
                FromPage::Frame { all: false },
            ] {
                say(&mut session, message);
                session.render_slice(Instant::now());
            }
        }
    }
    say(&mut session, FromPage::ShowAll);
    say(&mut session, FromPage::Frame { all: true });
    assert!(session.view().is_some());
}

#[test]
fn a_reload_keeps_the_camera() {
    let mut session = session();
    say(&mut session, FromPage::Orbit { dx: 40.0, dy: 30.0 });
    choose(&mut session, ElementName::Object);
    click(&mut session, 200.0, 150.0);
    let camera = session.orbit.camera();
    let messages = session.replace(model(), 1, Instant::now());
    assert!(matches!(&messages[0], ToPage::Model(report) if report.version == 1));
    assert_eq!(selection(&messages).n, 0);
    assert_eq!(session.orbit.camera(), camera);
    assert!(click(&mut session, 200.0, 150.0).is_some());
}

#[test]
fn statistics_are_rare_while_the_camera_moves_and_immediate_when_it_stops() {
    let mut session = session();
    let mut n_stats = 0;
    // Renders until a frame is complete; returns the number of statistics so far and the width in
    // the latest.
    let mut picture = |session: &mut Session, now: Instant| {
        let mut width = None;
        loop {
            let (messages, bytes) = session.render_slice(now);
            for message in &messages {
                if let ToPage::Stats(stats) = message {
                    (n_stats, width) = (n_stats + 1, Some(stats.width));
                }
            }
            let Some(bytes) = bytes else { continue };
            if bytes[32..36] == [0; 4] {
                let frame = u32::from_le_bytes(bytes[..4].try_into().unwrap());
                session.handle(FromPage::Shown { frame }, now);
                return (n_stats, width);
            }
        }
    };
    let start = Instant::now();
    for _ in 0..100 {
        say(&mut session, FromPage::Orbit { dx: 3.0, dy: 1.0 });
        picture(&mut session, Instant::now());
    }
    say(&mut session, FromPage::Orbit { dx: 3.0, dy: 1.0 });
    let (n_stats, _) = picture(&mut session, Instant::now());
    let max = 2 + start.elapsed().as_millis() / 250;
    assert!(n_stats >= 1 && n_stats <= max, "{n_stats} of {max}");
    let later = Instant::now() + Duration::from_secs(1);
    assert_eq!(picture(&mut session, later).1, Some(400));
}

#[test]
fn a_section_cuts_a_share_of_the_model_away_from_a_side_and_picks_honour_it() {
    let mut session = session();
    choose(&mut session, ElementName::Object);
    let name = |pick: Option<PickReport>| pick.map(|pick| pick.path.concat());
    assert_eq!(name(click(&mut session, 200.0, 150.0)), Some("a".to_owned()));
    // The model reaches from z = -9 to z = 1: the plane at z = -2 hides the first cube.
    let cut = |from, share| FromPage::Section { from, share };
    let messages = say(&mut session, cut(Some(Side::Front), 0.3));
    let [ToPage::State(state)] = &messages[..] else { panic!("{messages:?}") };
    assert_eq!((state.section, state.section_share), (Some(Side::Front), 0.3));
    let pick = click(&mut session, 200.0, 150.0).expect("the second cube");
    assert_eq!(pick.path.concat(), "b");
    assert!(pick.command.ends_with(" --clip 0,0,-1,-2"), "{}", pick.command);
    // In the middle of the first cube, its inside is filled and its back is seen.
    say(&mut session, cut(Some(Side::Front), 0.1));
    let pick = click(&mut session, 200.0, 150.0).expect("the first cube");
    assert!(pick.path.concat() == "a" && (pick.point[2] + 1.0).abs() < 1e-9, "{pick:?}");
    // Hiding an object leaves the plane where it is.
    say(&mut session, FromPage::Hide);
    assert_eq!(name(click(&mut session, 200.0, 150.0)), Some("b".to_owned()));
    say(&mut session, FromPage::ShowAll);
    for (from, share) in [(Side::Corner, f64::INFINITY), (Side::Top, -1.0)] {
        say(&mut session, cut(Some(from), share));
        let found = click(&mut session, 200.0, 150.0).is_some();
        assert_eq!(found, from == Side::Top, "{from:?}");
    }
    say(&mut session, cut(None, 0.5));
    let pick = click(&mut session, 200.0, 150.0).expect("all is shown");
    assert!((pick.point[2] - 1.0).abs() < 1e-9 && !pick.command.contains("--clip"));
}
