//! Connections: taken in a limited number, read with patience that ends, and answered.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::model::Model;
use crate::pages;
use crate::request::{LONGEST_HEAD, Refusal, Request, is_whole};
use crate::socket;

/// Connections at a time, each with a thread; more are refused.
const MOST_CONNECTIONS: usize = 256;

/// Tabs at a time, each with a session; more are refused.
const MOST_TABS: usize = 16;

/// How long the head of a request may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Memory of the stack of a connection.
const STACK: usize = 2 << 20;

/// Listens on the loopback.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    shared: Arc<Shared>,
}

/// Changes what a running server shows, and ends it.
#[derive(Clone, Debug)]
pub struct Handle {
    shared: Arc<Shared>,
    address: SocketAddr,
}

/// What all connections share.
#[derive(Debug)]
pub(crate) struct Shared {
    current: Mutex<Current>,
    /// Counts changes of `current`, so that a tab need not lock it to see that there are none.
    changes: AtomicU64,
    n_connections: AtomicUsize,
    n_tabs: AtomicUsize,
    is_ending: AtomicBool,
}

/// What is shown now.
#[derive(Clone, Debug)]
pub(crate) struct Current {
    pub(crate) model: Arc<Model>,
    /// Counts models, from 0.
    pub(crate) version: u64,
    /// Why the file as it is now is not shown.
    pub(crate) problem: Option<String>,
}

impl Server {
    /// Listens on a port of 127.0.0.1, or on a free one if it is 0.
    ///
    /// # Errors
    /// A port that is taken, or not for us.
    pub fn bind(port: u16, model: Model) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        let current = Current { model: Arc::new(model), version: 0, problem: None };
        let shared = Shared {
            current: Mutex::new(current),
            changes: AtomicU64::new(0),
            n_connections: AtomicUsize::new(0),
            n_tabs: AtomicUsize::new(0),
            is_ending: AtomicBool::new(false),
        };
        Ok(Self { listener, address, shared: Arc::new(shared) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What changes it while it runs.
    pub fn handle(&self) -> Handle {
        Handle { shared: self.shared.clone(), address: self.address }
    }

    /// Answers until [`Handle::end`]. Each connection has a thread.
    pub fn run(&self) {
        for stream in self.listener.incoming() {
            if self.shared.is_ending() {
                break;
            }
            match stream {
                Ok(stream) => self.take(stream),
                // Of one connection, or too many open files: none is a reason to end.
                Err(_) => thread::sleep(Duration::from_millis(20)),
            }
        }
        // Time for the tabs to be told.
        let deadline = Instant::now() + Duration::from_secs(1);
        while self.shared.n_tabs.load(Ordering::SeqCst) > 0 && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(10));
        }
    }

    fn take(&self, stream: TcpStream) {
        let Some(place) =
            Place::take(&self.shared, |shared| &shared.n_connections, MOST_CONNECTIONS)
        else {
            // Not worth a thread: what does not fit into the socket's buffer is lost.
            let _ = stream.set_nonblocking(true);
            let _ = refuse(&stream, &Refusal::TooMany, false);
            return;
        };
        let port = self.address.port();
        let serve = move || {
            // A connection that fails is gone; there is nobody to tell.
            let _ = serve(&stream, port, &place.shared);
        };
        let _ = thread::Builder::new().stack_size(STACK).spawn(serve);
    }
}

impl Handle {
    /// Shows another model in all tabs.
    pub fn replace(&self, model: Model) {
        self.shared.change(|current| {
            *current =
                Current { model: Arc::new(model), version: current.version + 1, problem: None };
        });
    }

    /// Tells all tabs why the file as it is now is not shown. What they show stays.
    pub fn report_problem(&self, text: String) {
        self.shared.change(|current| current.problem = Some(text));
    }

    /// Ends the server and all tabs.
    pub fn end(&self) {
        self.shared.is_ending.store(true, Ordering::SeqCst);
        // Wakes the listener.
        let _ = TcpStream::connect_timeout(&self.address, Duration::from_secs(1));
    }

    /// The number of open tabs.
    pub fn n_tabs(&self) -> usize {
        self.shared.n_tabs.load(Ordering::SeqCst)
    }

    /// The number of open connections, those of tabs included.
    pub fn n_connections(&self) -> usize {
        self.shared.n_connections.load(Ordering::SeqCst)
    }
}

impl Shared {
    pub(crate) fn current(&self) -> Current {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn change(&self, change: impl FnOnce(&mut Current)) {
        change(&mut self.current.lock().unwrap_or_else(PoisonError::into_inner));
        self.changes.fetch_add(1, Ordering::SeqCst);
    }

    /// A number that differs after each change.
    pub(crate) fn changes(&self) -> u64 {
        self.changes.load(Ordering::SeqCst)
    }

    pub(crate) fn is_ending(&self) -> bool {
        self.is_ending.load(Ordering::SeqCst)
    }
}

/// One of a limited number of places, free again when dropped.
struct Place {
    shared: Arc<Shared>,
    count: fn(&Shared) -> &AtomicUsize,
}

impl Place {
    fn take(shared: &Arc<Shared>, count: fn(&Shared) -> &AtomicUsize, most: usize) -> Option<Self> {
        let add = |n: usize| (n < most).then_some(n + 1);
        count(shared).fetch_update(Ordering::SeqCst, Ordering::SeqCst, add).ok()?;
        Some(Self { shared: shared.clone(), count })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        (self.count)(&self.shared).fetch_sub(1, Ordering::SeqCst);
    }
}

/// Reads a request and answers it; one for each connection.
fn serve(stream: &TcpStream, port: u16, shared: &Arc<Shared>) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let request = match read_head(stream, shared)? {
        Ok(head) => Request::parse(&head, port),
        Err(refusal) => Err(refusal),
    };
    let answered = request.and_then(|request| match &request.socket_key {
        Some(key) if request.path == "/socket" => {
            match Place::take(shared, |shared| &shared.n_tabs, MOST_TABS) {
                Some(_place) => Ok(socket::serve(stream, key, shared)),
                None => Err(Refusal::TooMany),
            }
        }
        _ => pages::at(&request.path).map(|page| {
            respond(stream, "200 OK", page.kind, page.text.as_bytes(), request.head_only)
        }),
    });
    match answered {
        Ok(result) => result?,
        Err(refusal) => refuse(stream, &refusal, true)?,
    }
    close(stream)
}

/// The bytes of a request up to its empty line.
fn read_head(mut stream: &TcpStream, shared: &Shared) -> io::Result<Result<Vec<u8>, Refusal>> {
    let deadline = Instant::now() + PATIENCE;
    let (mut head, mut chunk) = (Vec::new(), [0; 2048]);
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() || shared.is_ending() {
            return Ok(Err(Refusal::TooSlow));
        }
        stream.set_read_timeout(Some(left.min(Duration::from_millis(500))))?;
        match stream.read(&mut chunk) {
            Ok(0) if head.is_empty() => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(0) => return Ok(Ok(head)),
            Ok(n) => head.extend_from_slice(&chunk[..n]),
            Err(error) if is_timeout(&error) || error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        }
        if is_whole(&head) {
            return Ok(if head.len() > LONGEST_HEAD { Err(Refusal::TooLong) } else { Ok(head) });
        }
        if head.len() > LONGEST_HEAD {
            return Ok(Err(Refusal::TooLong));
        }
    }
}

pub(crate) fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

fn refuse(stream: &TcpStream, refusal: &Refusal, with_text: bool) -> io::Result<()> {
    let text = format!("{refusal}\n");
    let kind = "text/plain; charset=utf-8";
    respond(stream, refusal.status(), kind, text.as_bytes(), !with_text)
}

fn respond(
    mut stream: &TcpStream,
    status: &str,
    kind: &str,
    body: &[u8],
    head_only: bool,
) -> io::Result<()> {
    // Nothing of the page may come from, or go to, anywhere else.
    let mut answer = format!(
        "HTTP/1.1 {status}\r\n\
         Content-Type: {kind}\r\n\
         Content-Length: {length}\r\n\
         Connection: close\r\n\
         Cache-Control: no-store\r\n\
         Content-Security-Policy: default-src 'self'; connect-src 'self' ws:; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'\r\n\
         Cross-Origin-Opener-Policy: same-origin\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\n\
         Referrer-Policy: no-referrer\r\n\
         X-Content-Type-Options: nosniff\r\n",
        length = body.len(),
    )
    .into_bytes();
    if status.starts_with("405") {
        answer.extend_from_slice(b"Allow: GET, HEAD\r\n");
    }
    if status.starts_with("426") {
        answer.extend_from_slice(b"Upgrade: websocket\r\n");
    }
    answer.extend_from_slice(b"\r\n");
    if !head_only {
        answer.extend_from_slice(body);
    }
    stream.write_all(&answer)
}

/// Ends a connection so that the answer arrives: a peer that is still sending would lose it if what it
/// sends were not read.
fn close(mut stream: &TcpStream) -> io::Result<()> {
    const LONGEST: Duration = Duration::from_secs(1);
    stream.shutdown(Shutdown::Write)?;
    stream.set_read_timeout(Some(Duration::from_millis(200)))?;
    let (start, mut chunk) = (Instant::now(), [0; 8192]);
    while start.elapsed() < LONGEST && matches!(stream.read(&mut chunk), Ok(1..)) {}
    Ok(())
}
