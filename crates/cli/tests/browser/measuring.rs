//! Measures the speed of `hitscan view`. Ignored by default, because it needs an idle machine.
//! `cargo test --release -p hitscan-cli --test browser -- --ignored --nocapture`

use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use crate::chromium::Page;
use crate::{View, browser, leave_screenshot, middle, wait_for_picture_after};

#[test]
#[ignore = "it measures"]
fn how_fast_it_is_with_a_million_triangles() {
    let Some(browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    make_city(folder.path());
    let mut page = Page::open(&browser, 1548, 760);
    let start = Instant::now();
    let view = View::start(folder.path(), "city.obj");
    let listening = start.elapsed();
    page.go_to(&view.address);
    page.wait_until("window.hitscan?.pictures > 0");
    println!("first picture {:?} after the command (address after {listening:?})", start.elapsed());
    wait_for_picture_after(&mut page, -1);
    println!("smooth picture {:?} after the command", start.elapsed());
    // A picture of 1280 by 720.
    let beside = page.value("[innerWidth - stage.clientWidth, innerHeight - stage.clientHeight]");
    let [right, top] = [0, 1].map(|axis| beside[axis].as_u64().unwrap() as u32);
    page.resize(1280 + right, 720 + top);
    page.wait_until("stage.clientWidth === 1280 && stage.clientHeight === 720");
    let frame = page.value("hitscan.frame").as_i64().unwrap();
    wait_for_picture_after(&mut page, frame);
    println!("{}", page.value("document.getElementById('stats').innerText").as_str().unwrap());
    hover(&mut page);
    turn(&mut page);
    leave_screenshot(&mut page, "city.png");
}

fn make_city(folder: &Path) {
    let made = Command::new(env!("CARGO_BIN_EXE_hitscan"))
        .args(["make", "city", "--triangles", "1000000", "-o", "city.obj"])
        .current_dir(folder)
        .status();
    assert!(made.unwrap().success());
}

fn hover(page: &mut Page) {
    let [x, y] = middle(page);
    let mut times = vec![];
    for n in 0..40 {
        let at = [x - 200.0 + 10.0 * f64::from(n), y + 5.0 * f64::from(n % 7)];
        page.value("hitscan.hoverMillis = 0");
        page.mouse("Moved", at, false, 0);
        page.wait_until("hitscan.hoverMillis > 0");
        times.push(page.value("hitscan.hoverMillis").as_f64().unwrap());
    }
    times.sort_by(f64::total_cmp);
    println!(
        "hover: median {:.1} ms, 9 of 10 in {:.1} ms, most {:.1} ms",
        times[20], times[36], times[39]
    );
}

fn turn(page: &mut Page) {
    let [x, y] = middle(page);
    page.mouse("Pressed", [x, y], true, 0);
    let mut sizes = vec![];
    let pictures = page.value("hitscan.pictures").as_i64().unwrap();
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(5) {
        let angle = start.elapsed().as_secs_f64();
        page.mouse("Moved", [x + 200.0 * angle.sin(), y + 30.0 * angle.cos()], true, 0);
        sizes.push(page.value("document.getElementById('picture').width").as_u64().unwrap());
        thread::sleep(Duration::from_millis(12));
    }
    let n = page.value("hitscan.pictures").as_i64().unwrap() - pictures;
    let fps = n as f64 / start.elapsed().as_secs_f64();
    page.mouse("Released", [x, y], false, 0);
    sizes.sort_unstable();
    println!("turning: {fps:.1} pictures a second, median width {}", sizes[sizes.len() / 2]);
}
