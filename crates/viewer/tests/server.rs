//! The server over real connections: page, rejected requests, WebSockets, and load.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use hitscan::glam::{DAffine3, DVec3};
use hitscan::scene::{Instance, Mesh, Scene};
use hitscan_render::Subject;
use hitscan_viewer::{Handle, Model, Server};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

fn model(n_triangles: usize) -> Model {
    let ball = hitscan::generate::sphere(1.0, n_triangles).unwrap();
    let ball = Arc::new(Mesh::new(ball, &Default::default()));
    let mut scene = Scene::new();
    scene.insert(Instance::new(ball, DAffine3::IDENTITY)).unwrap();
    Model {
        subject: Subject::new(scene, |_, _| None),
        file: "ball.obj".to_owned(),
        up: DVec3::Y,
        reading: Duration::ZERO,
        building: Duration::ZERO,
    }
}

/// A server that runs until dropped.
struct Running {
    address: SocketAddr,
    handle: Handle,
    thread: Option<thread::JoinHandle<()>>,
}

impl Running {
    fn start() -> Self {
        let server = Server::bind(0, model(500)).unwrap();
        let (address, handle) = (server.address(), server.handle());
        Self { address, handle, thread: Some(thread::spawn(move || server.run())) }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    /// The answer to raw request bytes.
    fn ask(&self, request: &[u8]) -> String {
        let mut stream = self.connect();
        // The server may reject a request before all of it is sent.
        let _ = stream.write_all(request);
        let mut answer = vec![];
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// The status of the answer to a request line with the right host and further lines.
    fn status(&self, line: &str, more: &str) -> u16 {
        let host = self.address;
        status(&self.ask(format!("{line}\r\nHost: {host}\r\n{more}\r\n").as_bytes()))
    }

    fn open_tab(&self) -> WebSocket<TcpStream> {
        self.try_open_tab(Some(self.address.to_string())).expect("a tab is open")
    }

    /// Opens a tab from a page of a host; `None` if the server refuses.
    fn try_open_tab(&self, origin: Option<String>) -> Option<WebSocket<TcpStream>> {
        let url = format!("ws://{}/socket", self.address);
        let mut request = url.into_client_request().unwrap();
        if let Some(host) = origin {
            let origin = format!("http://{host}").parse().unwrap();
            request.headers_mut().insert("Origin", origin);
        }
        Some(tungstenite::client(request, self.connect()).ok()?.0)
    }

    fn wait_for(&self, what: &str, is_so: impl Fn(&Handle) -> bool) {
        let start = Instant::now();
        while !is_so(&self.handle) {
            assert!(start.elapsed() < Duration::from_secs(20), "{what}");
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.handle.end();
        let ended = self.thread.take().map(thread::JoinHandle::join);
        assert!(thread::panicking() || matches!(ended, Some(Ok(()))), "the server panicked");
    }
}

fn status(answer: &str) -> u16 {
    let number = answer.split(' ').nth(1).and_then(|number| number.parse().ok());
    number.unwrap_or_else(|| panic!("no status in {answer:?}"))
}

fn send(socket: &mut WebSocket<TcpStream>, text: &str) {
    socket.send(Message::text(text)).unwrap();
}

/// The next text message of a type.
fn receive(socket: &mut WebSocket<TcpStream>, kind: &str) -> String {
    let start = format!(r#"{{"type":"{kind}""#);
    loop {
        match socket.read().unwrap() {
            Message::Text(text) if text.starts_with(&start) => return text.to_string(),
            _ => {}
        }
    }
}

#[test]
fn the_server_serves_every_file_of_the_page() {
    let server = Running::start();
    let get = |path: &str| {
        server.ask(format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", server.address).as_bytes())
    };
    let page = get("/");
    assert_eq!(status(&page), 200);
    assert!(page.contains("Content-Security-Policy: default-src 'self'"));
    let named = page.split(['"', '\'']).filter(|name| name.starts_with('/') && name.len() > 1);
    let mut n_named = 0;
    for path in named {
        assert_eq!(status(&get(path)), 200, "{path}");
        n_named += 1;
    }
    assert!(n_named >= 3);
    for script in ["/connection.js", "/panel.js", "/pointer.js"] {
        assert!(get(script).contains("Content-Type: text/javascript"));
    }
    let head =
        server.ask(format!("HEAD / HTTP/1.1\r\nHost: {}\r\n\r\n", server.address).as_bytes());
    assert!(status(&head) == 200 && head.ends_with("\r\n\r\n"));
    // The page loads nothing from other hosts; only XML namespaces have addresses.
    for path in ["/", "/style.css", "/main.js", "/connection.js", "/panel.js", "/pointer.js"] {
        assert!(!get(path).contains("https://"), "{path}");
    }
}

#[test]
fn the_server_rejects_other_paths_methods_hosts_and_origins() {
    let server = Running::start();
    for path in [
        "/nothing",
        "/../Cargo.toml",
        "/..%2f..%2fetc/passwd",
        "//etc/passwd",
        "/page/index.html",
        "/./",
        "/socket",
        "*",
        "http://elsewhere.example/",
    ] {
        assert_eq!(server.status(&format!("GET {path} HTTP/1.1"), ""), 404, "{path}");
    }
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "TRACE", "BREW"] {
        assert_eq!(server.status(&format!("{method} / HTTP/1.1"), ""), 405, "{method}");
    }
    for origin in ["http://evil.example", "null", "file://", "https://127.0.0.1"] {
        assert_eq!(server.status("GET / HTTP/1.1", &format!("Origin: {origin}\r\n")), 403);
    }
    let origin = format!("Origin: http://{}\r\n", server.address);
    assert_eq!(server.status("GET / HTTP/1.1", &origin), 200);
    for host in ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "192.168.0.1:1"] {
        let answer = server.ask(format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes());
        assert_eq!(status(&answer), 421, "{host}");
    }
    let upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: eA==\r\n\
        Sec-WebSocket-Version: 13\r\nOrigin: http://evil.example\r\n";
    assert_eq!(server.status("GET /socket HTTP/1.1", upgrade), 403);
    assert_eq!(server.handle.n_tabs(), 0);
}

#[test]
fn the_server_rejects_malformed_and_huge_requests() {
    let server = Running::start();
    for bytes in [
        &b"\r\n\r\n"[..],
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: \xff\xfe\r\n\r\n",
        b"GET /\0 HTTP/1.1\r\n\r\n",
        b"\xff\xff\xff\xff\r\n\r\n",
    ] {
        let answer = server.ask(bytes);
        assert!((400..600).contains(&status(&answer)), "{bytes:?}: {answer}");
    }
    assert_eq!(server.status("GET / HTTP/1.1", "Content-Length: 99999999999\r\n"), 413);
    assert_eq!(server.status("GET / HTTP/1.1", "Transfer-Encoding: chunked\r\n"), 413);
    assert_eq!(server.status("GET / HTTP/1.1", &format!("X: {}\r\n", "y".repeat(9000))), 431);
    assert_eq!(server.status(&format!("GET /{} HTTP/1.1", "a".repeat(100_000)), ""), 431);
    let body = vec![b'x'; 8 << 20];
    let mut request = format!(
        "POST / HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n\r\n",
        server.address,
        body.len()
    )
    .into_bytes();
    request.extend_from_slice(&body);
    let answer = server.ask(&request);
    assert!(answer.is_empty() || status(&answer) == 405, "{answer}");
    assert_eq!(server.status("GET / HTTP/1.1", ""), 200);
}

#[test]
fn the_server_answers_many_connections_and_frees_them() {
    let server = Running::start();
    let mut streams: Vec<TcpStream> = (0..200).map(|_| server.connect()).collect();
    let request = format!("GET /main.js HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
    for stream in &mut streams {
        stream.write_all(request.as_bytes()).unwrap();
    }
    for mut stream in streams {
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert_eq!(status(&answer), 200);
    }
    // Three hundred idle connections take all permits; the rest are rejected or dropped.
    let silent: Vec<TcpStream> = (0..300).map(|_| server.connect()).collect();
    server.wait_for("all places are taken", |handle| handle.n_connections() == 256);
    let answer = server.ask(b"");
    assert!(answer.is_empty() || status(&answer) == 503, "{answer}");
    drop(silent);
    server.wait_for("all are free again", |handle| handle.n_connections() == 0);
    assert_eq!(server.status("GET / HTTP/1.1", ""), 200);
}

#[test]
fn the_server_rejects_a_slow_request() {
    let server = Running::start();
    let mut stream = server.connect();
    let start = Instant::now();
    let trickle = thread::spawn({
        let mut stream = stream.try_clone().unwrap();
        move || {
            for _ in 0..200 {
                if stream.write_all(b"G").is_err() {
                    return;
                }
                thread::sleep(Duration::from_millis(100));
            }
        }
    });
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    assert!(answer.is_empty() || status(&answer) == 408, "{answer}");
    assert!(start.elapsed() < Duration::from_secs(15));
    drop(stream);
    trickle.join().unwrap();
}

#[test]
fn each_tab_has_a_separate_state() {
    let server = Running::start();
    let (mut first, mut second) = (server.open_tab(), server.open_tab());
    send(&mut first, r#"{"type":"element","element":"vertex"}"#);
    send(&mut first, r#"{"type":"click","x":640,"y":360,"extend":false}"#);
    send(&mut second, r#"{"type":"click","x":640,"y":360,"extend":false}"#);
    // The first selection of a tab is empty.
    let mut selection = receive(&mut second, "selection");
    while selection.contains(r#""n":0"#) {
        selection = receive(&mut second, "selection");
    }
    assert!(selection.contains(r#""element":"face""#), "{selection}");
    assert!(receive(&mut first, "state").contains(r#""element":"face""#));
    assert!(receive(&mut first, "state").contains(r#""element":"vertex""#));
    assert_eq!(server.handle.n_tabs(), 2);
    first.close(None).unwrap();
    drop(second);
    server.wait_for("both tabs are gone", |handle| handle.n_tabs() == 0);
    let tabs: Vec<_> = (0..16).map(|_| server.open_tab()).collect();
    let origin = Some(server.address.to_string());
    assert!(server.try_open_tab(origin).is_none(), "more tabs than allowed");
    drop(tabs);
}

#[test]
fn only_the_page_of_the_same_host_opens_a_tab() {
    let server = Running::start();
    let port = server.address.port();
    let wrong = ["localhost", "[::1]", "127.0.0.2"].map(|host| Some(format!("{host}:{port}")));
    for origin in wrong.into_iter().chain([None]) {
        assert!(server.try_open_tab(origin.clone()).is_none(), "{origin:?}");
    }
    assert_eq!(server.handle.n_tabs(), 0);
    server.open_tab();
}

#[test]
fn silent_tabs_give_up_their_places() {
    let server = Running::start();
    let mut speaking = server.open_tab();
    send(&mut speaking, r#"{"type":"leave"}"#);
    let silent: Vec<_> = (0..15).map(|_| server.open_tab()).collect();
    assert_eq!(server.handle.n_tabs(), 16);
    server.wait_for("the silent tabs are gone", |handle| handle.n_tabs() == 1);
    server.open_tab();
    send(&mut speaking, r#"{"type":"click","x":640,"y":360,"extend":false}"#);
    receive(&mut speaking, "selection");
    drop(silent);
}

#[test]
fn invalid_messages_end_a_tab() {
    let server = Running::start();
    let wrong = [
        Message::text("{"),
        Message::text(r#"{"type":"explode"}"#),
        Message::binary(vec![0; 10]),
        Message::text(format!(r#"{{"type":"lasso","outline":[{}]}}"#, "[0,0],".repeat(100_000))),
    ];
    for message in wrong {
        let mut socket = server.open_tab();
        let _ = socket.send(message);
        while socket.read().is_ok() {}
    }
    // Protocol violations: an unmasked frame, a reserved bit, an unknown opcode, an oversized ping,
    // invalid UTF-8, and a frame with a huge length.
    let frames: [&[u8]; 6] = [
        b"\x81\x02{}",
        b"\xf1\x80\0\0\0\0",
        b"\x83\x80\0\0\0\0",
        &[&b"\x89\xfe\0\x7e\0\0\0\0"[..], &[b'x'; 126]].concat(),
        b"\x81\x81\0\0\0\0\xff",
        b"\x81\xff\x40\0\0\0\0\0\0\0\0\0\0\0x",
    ];
    for bytes in frames {
        let mut socket = server.open_tab();
        socket.get_mut().write_all(bytes).unwrap();
        while socket.read().is_ok() {}
    }
    server.wait_for("all tabs are gone", |handle| handle.n_tabs() == 0);
    let mut socket = server.open_tab();
    socket.send(Message::Ping(b"here"[..].to_vec().into())).unwrap();
    loop {
        if let Message::Pong(bytes) = socket.read().unwrap() {
            assert_eq!(bytes[..], *b"here");
            break;
        }
    }
}

#[test]
fn models_and_problems_reach_open_tabs() {
    let server = Running::start();
    let mut socket = server.open_tab();
    assert!(receive(&mut socket, "model").contains(r#""version":0"#));
    server.handle.report_problem("line 3: no vertex 9".to_owned());
    assert!(receive(&mut socket, "problem").contains("line 3: no vertex 9"));
    server.handle.replace(model(100));
    assert!(receive(&mut socket, "model").contains(r#""version":1"#));
    assert!(receive(&mut socket, "problem").contains("null"));
    server.handle.report_problem("again".to_owned());
    assert!(receive(&mut server.open_tab(), "problem").contains("again"));
}
