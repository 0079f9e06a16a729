//! Tests of `hitscan view` in a real browser.
//!
//! Without a browser the test prints a note and passes. `HITSCAN_BROWSER` is the path of a browser. If
//! `HITSCAN_SCREENSHOTS` is a folder, the test writes pictures of the page into it.

mod chromium;
mod measuring;
mod room;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use chromium::{PATIENCE, Page};
use serde_json::Value;

/// A square of two by two faces that looks along z, each side 1.
const PANEL: &str = "v -1 -1 0\nv 0 -1 0\nv 1 -1 0\nv -1 0 0\nv 0 0 0\nv 1 0 0\nv -1 1 0\nv 0 1 0\n\
    v 1 1 0\no panel\nf 1 2 5 4\nf 2 3 6 5\nf 4 5 8 7\nf 5 6 9 8\n";

/// A square behind it, a little smaller.
const WALL: &str = "v -.9 -.9 0\nv .9 -.9 0\nv .9 .9 0\nv -.9 .9 0\no wall\nf 1 2 3 4\n";

const SCENE: &str = "[meshes]\npanel = 'panel.obj'\nwall = 'wall.obj'\n\
    [[instances]]\nname = 'panel'\nmesh = 'panel'\n\
    [[instances]]\nname = 'wall'\nmesh = 'wall'\ntranslation = [0.0, 0.0, -1.0]\n";

fn browser() -> Option<PathBuf> {
    let found = chromium::installed();
    if found.is_none() {
        eprintln!("skipped: no browser is installed, and HITSCAN_BROWSER names none");
    }
    found
}

/// A running `hitscan view`.
struct View {
    process: Child,
    address: String,
}

impl View {
    fn start(folder: &Path, file: &str) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_hitscan"))
            .args(["view", file, "--no-open"])
            .current_dir(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut address = String::new();
        let stdout = process.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut address).unwrap();
        assert!(address.starts_with("http://127.0.0.1:"), "{address:?}");
        Self { process, address: address.trim().to_owned() }
    }

    /// Presses Ctrl-C and waits for the end.
    #[cfg(unix)]
    fn interrupt(mut self) {
        let pid = self.process.id().to_string();
        assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.process.try_wait().unwrap() {
                break status;
            }
            assert!(start.elapsed() < PATIENCE, "it ends");
            std::thread::sleep(std::time::Duration::from_millis(20));
        };
        assert_eq!(status.code(), Some(0));
    }
}

impl Drop for View {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Runs a command that the page shows, with results as JSON.
fn results_of(command: &str, folder: &Path) -> Vec<Value> {
    let words: Vec<&str> = command.split(' ').collect();
    assert_eq!(words[0], "hitscan");
    let run = Command::new(env!("CARGO_BIN_EXE_hitscan"))
        .args(&words[1..])
        .args(["--format", "ndjson"])
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(run.status.success(), "{command}: {}", String::from_utf8_lossy(&run.stderr));
    let text = String::from_utf8(run.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Writes a picture of the page into the folder of `HITSCAN_SCREENSHOTS`.
fn leave_screenshot(page: &mut Page, name: &str) {
    if let Some(folder) = std::env::var_os("HITSCAN_SCREENSHOTS") {
        fs::write(Path::new(&folder).join(name), page.screenshot()).unwrap();
    }
}

/// The middle of the picture, in the page.
fn middle(page: &mut Page) -> [f64; 2] {
    let box_of = "(box => [box.left + box.width / 2, box.top + box.height / 2])\
        (document.getElementById('stage').getBoundingClientRect())";
    let middle = page.value(box_of);
    [0, 1].map(|axis| middle[axis].as_f64().unwrap())
}

/// Waits for a complete picture that is newer than `frame`.
fn wait_for_picture_after(page: &mut Page, frame: i64) {
    page.wait_until(&format!("window.hitscan?.frame > {frame} && hitscan.stage === 2"));
}

fn frame(page: &mut Page) -> i64 {
    page.value("hitscan.frame").as_i64().unwrap()
}

/// The colour of a pixel of the picture.
fn color(page: &mut Page, [x, y]: [f64; 2]) -> Value {
    page.value(&format!(
        "(() => {{ const canvas = document.getElementById('picture');\
         const box = canvas.getBoundingClientRect();\
         const at = [({x} - box.left) * canvas.width / box.width,\
                     ({y} - box.top) * canvas.height / box.height];\
         return [...canvas.getContext('2d').getImageData(...at, 1, 1).data]; }})()"
    ))
}

/// Shows the whole scene from the front.
fn look_from_the_front(page: &mut Page) {
    let before = frame(page);
    page.key("5");
    page.key("Home");
    wait_for_picture_after(page, before + 1);
}

#[test]
fn a_person_looks_picks_selects_hides_and_edits_the_file() {
    let Some(browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (name, text) in [("panel.obj", PANEL), ("wall.obj", WALL), ("two.toml", SCENE)] {
        fs::write(folder.join(name), text).unwrap();
    }
    let view = View::start(folder, "two.toml");
    let mut page = Page::open(&browser, 1000, 640);
    page.go_to(&view.address);
    wait_for_picture_after(&mut page, -1);
    assert_eq!(page.text("file"), "two.toml");
    assert_eq!(page.text("n-triangles"), "10");
    look_from_the_front(&mut page);
    let [x, y] = middle(&mut page);
    let left_above = [x - 60.0, y - 60.0];

    hovering(&mut page, left_above);
    picking(&mut page, folder, left_above);
    selecting(&mut page, folder, [x, y]);
    hiding(&mut page, left_above);
    turning(&mut page, [x, y]);
    a_second_tab(&mut page, &view.address);
    reloading(&mut page, folder, [x + 150.0, y - 150.0]);
    assert_eq!(page.take_complaints(), Vec::<String>::new());
    drop(page);
    #[cfg(unix)]
    view.interrupt();
}

fn hovering(page: &mut Page, at: [f64; 2]) {
    let before = color(page, at);
    page.mouse("Moved", at, false, 0);
    page.wait_until("document.getElementById('tooltip').textContent.includes('face 2')");
    let tooltip = page.text("tooltip");
    assert!(tooltip.contains("panel") && tooltip.contains("normal 0, 0, 1"), "{tooltip}");
    let start = Instant::now();
    while color(page, at) == before {
        assert!(start.elapsed() < PATIENCE, "the face is marked");
    }
}

fn picking(page: &mut Page, folder: &Path, at: [f64; 2]) {
    page.click(at);
    page.wait_until("document.getElementById('pick-polygon')?.textContent === '2'");
    assert_eq!(page.text("pick-instance"), "panel");
    assert_eq!(page.text("pick-normal"), "0, 0, 1");
    let command = page.text("command");
    let results = results_of(&command, folder);
    assert_eq!(results.len(), 1, "{command}");
    assert_eq!((&results[0]["polygon"], &results[0]["path"][0]), (&2.into(), &"panel".into()));
    assert_eq!(results[0]["triangle"].to_string(), page.text("pick-triangle"));

    // The next click picks the element behind.
    page.click(at);
    page.wait_until("document.getElementById('pick-instance')?.textContent === 'wall'");
    let command = page.text("command");
    assert!(command.contains("--click 2"), "{command}");
    let results = results_of(&command, folder);
    assert_eq!((&results[0]["polygon"], &results[0]["path"][0]), (&0.into(), &"wall".into()));
    assert_eq!(results[0]["triangle"].to_string(), page.text("pick-triangle"));
}

fn selecting(page: &mut Page, folder: &Path, [x, y]: [f64; 2]) {
    // A marquee to the left selects every element that it touches.
    let leftwards = [[x + 40.0, y - 40.0], [x - 40.0, y + 40.0]];
    page.drag(&leftwards, 2);
    page.wait_until("document.getElementById('n-selected').textContent === '4'");
    let command = page.text("command");
    assert_eq!(results_of(&command, folder).len(), 4, "{command}");
    page.key("x");
    page.wait_until("document.getElementById('x-ray').ariaPressed === 'true'");
    page.drag(&leftwards, 2);
    page.wait_until("document.getElementById('n-selected').textContent === '5'");
    let command = page.text("command");
    assert_eq!(results_of(&command, folder).len(), 5, "{command}");
    leave_screenshot(page, "x-ray.png");
    page.key("x");
    page.wait_until("document.getElementById('x-ray').ariaPressed === 'false'");
    // A lasso around the middle of the face on the left above.
    page.key("l");
    page.drag(&[[x - 80.0, y - 80.0], [x - 30.0, y - 70.0], [x - 50.0, y - 20.0]], 0);
    page.wait_until("document.getElementById('n-selected').textContent === '1'");
    assert_eq!(page.text("selected"), "face 2 of panel");
    page.key("Escape");
    page.wait_until("document.getElementById('n-selected').textContent === 'none'");
}

fn hiding(page: &mut Page, at: [f64; 2]) {
    page.key("1");
    page.wait_until("document.querySelector('[data-element=object]').ariaChecked === 'true'");
    page.click(at);
    page.wait_until("document.getElementById('pick-instance')?.textContent === 'panel'");
    page.key("h");
    page.wait_until("document.getElementById('hidden').textContent.includes('1')");
    page.click(at);
    page.wait_until("document.getElementById('pick-instance')?.textContent === 'wall'");
    assert!(page.text("command").contains("--ignore 0"));
    page.key("u");
    page.wait_until("document.getElementById('hidden').textContent === ''");
    page.key("2");
}

fn turning(page: &mut Page, [x, y]: [f64; 2]) {
    let (before, pictures) = (frame(page), page.value("hitscan.pictures").as_i64().unwrap());
    page.drag(&[[x + 100.0, y], [x - 60.0, y + 30.0]], 0);
    wait_for_picture_after(page, before);
    assert!(page.value("hitscan.pictures").as_i64().unwrap() > pictures + 1);
    page.click([x, y]);
    page.wait_until("document.getElementById('pick-normal')?.textContent === '0, 0, 1'");
    let command = page.text("command");
    // The eye is off every axis.
    let eye = command.split(' ').skip_while(|word| *word != "--eye").nth(1).unwrap();
    assert!(eye.split(',').all(|number| number.parse::<f64>().unwrap().abs() > 0.1), "{eye}");
    leave_screenshot(page, "picked.png");
    page.key("?");
    page.wait_until("document.getElementById('help').open");
    leave_screenshot(page, "help.png");
    page.key("Escape");
    page.wait_until("!document.getElementById('help').open");
}

fn a_second_tab(page: &mut Page, address: &str) {
    let mode = "document.getElementById('mode').value";
    page.key("m");
    page.wait_until(&format!("{mode} === 'depth'"));
    let first = page.new_tab();
    page.resize(800, 600);
    page.go_to(address);
    wait_for_picture_after(page, -1);
    assert_eq!(page.value(mode), "shaded");
    // A small window shows the whole toolbar.
    let fits = "document.documentElement.scrollWidth <= innerWidth && \
        document.getElementById('help-button').getBoundingClientRect().right <= innerWidth";
    assert_eq!(page.value(fits), true);
    leave_screenshot(page, "small.png");
    page.close_tab();
    page.switch(first);
    assert_eq!(page.value(mode), "depth");
}

fn reloading(page: &mut Page, folder: &Path, at: [f64; 2]) {
    let notice = "document.getElementById('notice')";
    fs::write(folder.join("panel.obj"), "v 0 0 0\nf 1 2 3\n").unwrap();
    page.wait_until(&format!("!{notice}.hidden && {notice}.textContent.includes('line 2')"));
    // The old model stays.
    assert_eq!(page.value("hitscan.version"), 0);
    leave_screenshot(page, "problem.png");
    let first_face = PANEL.lines().take(11).collect::<Vec<_>>().join("\n");
    fs::write(folder.join("panel.obj"), first_face + "\n").unwrap();
    page.wait_until(&format!("hitscan.version === 1 && {notice}.hidden"));
    page.wait_until("document.getElementById('n-triangles').textContent === '4'");
    look_from_the_front(page);
    page.click(at);
    leave_screenshot(page, "reloaded.png");
    // The panel keeps only its first face, at the lower left.
    page.wait_until("document.getElementById('pick-instance')?.textContent === 'wall'");
}

/// Writes the picture of README with `HITSCAN_SCREENSHOTS=assets/pictures`, as an absolute path.
#[test]
#[ignore = "it makes a picture"]
fn a_picture_for_readme() {
    let Some(browser) = browser() else { return };
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets");
    let view = View::start(&assets, "street.toml");
    let mut page = Page::open(&browser, 1000, 560);
    page.go_to(&view.address);
    wait_for_picture_after(&mut page, -1);
    let [x, y] = middle(&mut page);
    let before = frame(&mut page);
    page.drag(&[[x, y], [x + 60.0, y + 20.0]], 0);
    page.key("Home");
    wait_for_picture_after(&mut page, before + 1);
    page.click([x - 220.0, y - 15.0]);
    page.wait_until("document.getElementById('n-selected').textContent === '1'");
    page.mouse("Moved", [x + 150.0, y - 60.0], false, 0);
    page.wait_until("!document.getElementById('tooltip').hidden");
    // The highlight may arrive a moment later.
    std::thread::sleep(std::time::Duration::from_millis(500));
    leave_screenshot(&mut page, "viewer.png");
}
