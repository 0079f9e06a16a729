//! A room in one mesh: its roof hides, and the table inside shows.

use std::fs;
use std::path::Path;

use crate::chromium::Page;
use crate::{
    View, browser, color, frame, leave_screenshot, middle, results_of, wait_for_picture_after,
};

/// A room of 2 x 2 x 2, open nowhere, with a table inside.
const ROOM: &str = "v -1 -1 1\nv 1 -1 1\nv 1 -1 -1\nv -1 -1 -1\nv -1 1 1\nv 1 1 1\nv 1 1 -1\n\
    v -1 1 -1\nv -.4 -.5 .4\nv .4 -.5 .4\nv .4 -.5 -.4\nv -.4 -.5 -.4\n\
    o floor\nf 1 2 3 4\no walls\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\no table\nf 9 10 11 12\n\
    o roof\nf 5 6 7 8\n";

#[test]
fn hiding_the_roof_opens_the_room() {
    let Some(browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("room.obj"), ROOM).unwrap();
    let view = View::start(folder, "room.obj");
    let mut page = Page::open(&browser, 1000, 640);
    page.go_to(&view.address);
    wait_for_picture_after(&mut page, -1);
    let before = frame(&mut page);
    page.key("9");
    page.key("Home");
    wait_for_picture_after(&mut page, before + 1);
    let at = middle(&mut page);
    opening(&mut page, folder, at);
    listing(&mut page);
    assert_eq!(page.take_complaints(), Vec::<String>::new());
}

/// The picture has the pixels of the screen. A change of the ratio while the page is open is not tested, because
/// an emulated one reaches the page by no event.
#[test]
fn a_screen_of_either_ratio_gets_a_frame_with_all_its_pixels() {
    let Some(browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("room.obj"), ROOM).unwrap();
    let view = View::start(folder.path(), "room.obj");
    let page = &mut Page::open(&browser, 1000, 640);
    let is_sharp = "document.getElementById('picture').width === \
        Math.round(devicePixelRatio * document.getElementById('stage').clientWidth)";
    for ratio in [1.0, 2.0] {
        page.resize_at(1000, 640, ratio);
        page.go_to(&view.address);
        wait_for_picture_after(page, -1);
        page.wait_until(&format!(
            "devicePixelRatio === {ratio} && hitscan.stage === 2 && {is_sharp}"
        ));
        leave_screenshot(page, &format!("ratio-{ratio}.png"));
    }
}

fn opening(page: &mut Page, folder: &Path, at: [f64; 2]) {
    page.key("1");
    page.wait_until("document.querySelector('[data-element=object]').ariaChecked === 'true'");
    page.click(at);
    page.wait_until("document.getElementById('pick-object')?.textContent === 'roof'");
    page.wait_until("document.getElementById('facts-closed')?.textContent === 'no'");
    assert_eq!(page.text("facts-open"), "4 edges in 1 boundary");
    assert_eq!(page.text("facts-size"), "2, 0, 2");
    page.key("h");
    page.wait_until("document.getElementById('hidden').textContent.includes('1 face')");
    let before = frame(page);
    wait_for_picture_after(page, before - 1);
    page.click(at);
    page.wait_until("document.getElementById('pick-object')?.textContent === 'table'");
    leave_screenshot(page, "room.png");
    let command = page.text("command");
    assert!(command.ends_with("--ignore-faces 0:6"), "{command}");
    let results = results_of(&command, folder);
    assert_eq!((&results[0]["polygon"], &results[0]["object"]), (&5.into(), &"table".into()));
    assert_eq!(results[0]["triangle"].to_string(), page.text("pick-triangle"));
}

fn listing(page: &mut Page) {
    let state = |object: usize| format!("document.getElementById('object-{object}').dataset.state");
    assert_eq!(page.value("document.getElementById('objects').children.length"), 4);
    assert_eq!(page.value(&state(3)), "hidden");
    page.value("document.querySelector('#object-3 .eye').click()");
    page.wait_until(&format!("{} === 'full'", state(3)));
    page.value("document.querySelector('#object-1 .object').click()");
    page.wait_until("document.getElementById('facts-triangles')?.textContent === '8'");
    page.key("i");
    page.wait_until(&format!("{} === 'hidden' && {} === 'full'", state(3), state(1)));
    leave_screenshot(page, "isolated.png");
    page.key("u");
    page.wait_until(&format!("{} === 'full'", state(3)));
    // Borders of faces.
    page.key("Escape");
    let corner = page.value(
        "(box => [box.left + 5, box.top + 5])(document.getElementById('stage').getBoundingClientRect())",
    );
    let corner = [0, 1].map(|axis| corner[axis].as_f64().unwrap());
    let before = color(page, corner);
    page.key("e");
    page.wait_until("document.getElementById('edges').ariaPressed === 'true'");
    assert_eq!(color(page, corner), before);
    leave_screenshot(page, "edges.png");
}
