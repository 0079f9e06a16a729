//! A headless Chromium, driven by its DevTools protocol.

use std::fs;
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

/// The maximum wait, long enough for a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The browser at `HITSCAN_BROWSER`, or else the first installed one.
pub(crate) fn installed() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("HITSCAN_BROWSER") {
        return Some(named.into());
    }
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
    let folders: Vec<PathBuf> = std::env::var_os("PATH")
        .map(|path| std::env::split_paths(&path).collect())
        .unwrap_or_default();
    names
        .iter()
        .find_map(|name| folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file()))
}

/// A browser with a page.
pub(crate) struct Page {
    process: Child,
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
    session: String,
    n_sent: u64,
    /// The errors and warnings of the page.
    complaints: Vec<String>,
    _profile: TempDir,
}

impl Page {
    /// Starts a browser with an empty page of this size.
    pub(crate) fn open(browser: &PathBuf, width: u32, height: u32) -> Self {
        let profile = tempfile::tempdir().unwrap();
        let process = Command::new(browser)
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
            .args(["--no-first-run", "--disable-extensions", "--remote-debugging-port=0"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the browser starts");
        let port_file = profile.path().join("DevToolsActivePort");
        let start = Instant::now();
        let (port, path) = loop {
            let text = fs::read_to_string(&port_file).unwrap_or_default();
            if let Some((port, path)) = text.trim().split_once('\n') {
                break (port.to_owned(), path.to_owned());
            }
            assert!(start.elapsed() < PATIENCE, "the browser says where it listens");
            thread::sleep(Duration::from_millis(20));
        };
        let (socket, _) = tungstenite::connect(format!("ws://127.0.0.1:{port}{path}")).unwrap();
        let mut page = Self {
            process,
            socket,
            session: String::new(),
            n_sent: 0,
            complaints: vec![],
            _profile: profile,
        };
        page.new_tab();
        page.resize(width, height);
        page
    }

    /// Opens a new tab and switches to it. Returns the old tab for [`switch`](Self::switch).
    pub(crate) fn new_tab(&mut self) -> String {
        let before = std::mem::take(&mut self.session);
        let target = self.call("Target.createTarget", json!({"url": "about:blank"}));
        let target = json!({"targetId": target["targetId"], "flatten": true});
        let attached = self.call("Target.attachToTarget", target);
        self.session = attached["sessionId"].as_str().unwrap().to_owned();
        self.call("Runtime.enable", json!({}));
        self.call("Log.enable", json!({}));
        self.call("Page.enable", json!({}));
        // Keys reach background tabs, too.
        self.call("Emulation.setFocusEmulationEnabled", json!({"enabled": true}));
        before
    }

    /// Switches to another tab.
    pub(crate) fn switch(&mut self, session: String) {
        self.session = session;
        self.call("Page.bringToFront", json!({}));
    }

    pub(crate) fn close_tab(&mut self) {
        self.call("Page.close", json!({}));
    }

    pub(crate) fn resize(&mut self, width: u32, height: u32) {
        self.resize_at(width, height, 1.0);
    }

    /// Resizes the page on a screen with `ratio` pixels per pixel of the page.
    pub(crate) fn resize_at(&mut self, width: u32, height: u32, ratio: f64) {
        let size =
            json!({"width": width, "height": height, "deviceScaleFactor": ratio, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    pub(crate) fn go_to(&mut self, address: &str) {
        self.call("Page.navigate", json!({"url": address}));
    }

    /// Calls a method and waits for its result.
    pub(crate) fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.n_sent += 1;
        let id = self.n_sent;
        let mut call = json!({"id": id, "method": method, "params": parameters});
        if !self.session.is_empty() {
            call["sessionId"] = json!(self.session);
        }
        self.socket.send(Message::text(call.to_string())).unwrap();
        loop {
            let Message::Text(text) = self.socket.read().unwrap() else { continue };
            let mut heard: Value = serde_json::from_str(&text).unwrap();
            if heard["id"] == id {
                assert!(heard["error"].is_null(), "{method}: {}", heard["error"]);
                return heard["result"].take();
            }
            let is_error = heard["method"] == "Log.entryAdded"
                && heard["params"]["entry"]["level"] == "error"
                || heard["method"] == "Runtime.exceptionThrown";
            if is_error {
                self.complaints.push(heard["params"].to_string());
            }
        }
    }

    /// The value of an expression in the page.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let parameters =
            json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let mut result = self.call("Runtime.evaluate", parameters);
        assert!(result["exceptionDetails"].is_null(), "{expression}: {result}");
        result["result"]["value"].take()
    }

    /// The text of the element of this id.
    pub(crate) fn text(&mut self, id: &str) -> String {
        let text = self.value(&format!("document.getElementById('{id}')?.textContent ?? ''"));
        text.as_str().unwrap_or_default().to_owned()
    }

    /// Waits until an expression is true.
    pub(crate) fn wait_until(&mut self, expression: &str) {
        let start = Instant::now();
        while self.value(&format!("Boolean({expression})")) != json!(true) {
            assert!(start.elapsed() < PATIENCE, "waited for {expression}: {:?}", self.complaints);
            thread::sleep(Duration::from_millis(15));
        }
    }

    /// Sends a mouse event at a position: `kind` is `Moved`, `Pressed` or `Released`; `modifiers` 1 is Alt, 2
    /// Ctrl, 8 Shift.
    pub(crate) fn mouse(&mut self, kind: &str, [x, y]: [f64; 2], is_down: bool, modifiers: u32) {
        let button = if is_down || kind != "Moved" { "left" } else { "none" };
        let event = json!({
            "type": format!("mouse{kind}"), "x": x, "y": y, "button": button,
            "buttons": u32::from(is_down), "clickCount": u32::from(kind != "Moved"),
            "modifiers": modifiers,
        });
        self.call("Input.dispatchMouseEvent", event);
    }

    pub(crate) fn click(&mut self, at: [f64; 2]) {
        self.mouse("Moved", at, false, 0);
        self.mouse("Pressed", at, true, 0);
        self.mouse("Released", at, false, 0);
    }

    /// Drags the mouse along the corners.
    pub(crate) fn drag(&mut self, corners: &[[f64; 2]], modifiers: u32) {
        let (first, last) = (corners[0], corners[corners.len() - 1]);
        self.mouse("Moved", first, false, modifiers);
        self.mouse("Pressed", first, true, modifiers);
        for way in corners.windows(2) {
            for step in 1..=8 {
                let share = f64::from(step) / 8.0;
                let at = [0, 1].map(|axis| way[0][axis] + share * (way[1][axis] - way[0][axis]));
                self.mouse("Moved", at, true, modifiers);
            }
        }
        self.mouse("Released", last, false, modifiers);
    }

    /// Presses a key, by its name or its character.
    pub(crate) fn key(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            let mut event = json!({"type": kind, "key": key});
            if key.len() == 1 && kind == "keyDown" {
                event["text"] = json!(key);
            }
            if key == "Escape" {
                // Dialogs check this code.
                event["windowsVirtualKeyCode"] = json!(27);
            }
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// The page as PNG.
    pub(crate) fn screenshot(&mut self) -> Vec<u8> {
        let shot = self.call("Page.captureScreenshot", json!({"format": "png"}));
        decode_base64(shot["data"].as_str().unwrap())
    }

    /// The errors and warnings of the page since the last call.
    pub(crate) fn take_complaints(&mut self) -> Vec<String> {
        std::mem::take(&mut self.complaints)
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The bytes of a base64 text (RFC 4648).
fn decode_base64(text: &str) -> Vec<u8> {
    let sextets = text.bytes().filter_map(|byte| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    });
    let (mut bytes, mut bits, mut n_bits) = (vec![], 0u32, 0);
    for sextet in sextets {
        bits = bits << 6 | u32::from(sextet);
        n_bits += 6;
        if n_bits >= 8 {
            n_bits -= 8;
            bytes.push((bits >> n_bits) as u8);
        }
    }
    bytes
}
