//! Connections: accept, limit, read and answer.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use crate::assets;
use crate::model::{Model, ShownModel};
use crate::request::{MAX_HEAD_BYTES, Refusal, Request, is_whole};
use crate::socket;
use crate::state::{CurrentModel, Permit, ServerState};

/// Maximum number of connections, each with a thread. The server rejects more.
const MAX_CONNECTIONS: usize = 256;

/// Maximum number of tabs, each with a session. The server rejects more.
const MAX_TABS: usize = 16;

/// Time limit for a request's head, and for each write.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Stack size of a connection's thread.
const STACK_BYTES: usize = 2 << 20;

/// A server on the loopback interface.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    state: Arc<ServerState>,
}

/// A handle to a running server: changes the model, reports problems, ends the server. Clones
/// control the same server.
#[derive(Clone, Debug)]
pub struct Handle {
    state: Arc<ServerState>,
    address: SocketAddr,
}

impl Server {
    /// Listens on a port of 127.0.0.1. Port 0 selects a free port.
    ///
    /// # Errors
    /// The operating system's error, for example if the port is in use or requires privileges.
    pub fn bind(port: u16, model: Model) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        let state = ServerState::new(model);
        Ok(Self { listener, address, state: Arc::new(state) })
    }

    /// The address that the server listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// A handle that controls the server while it runs.
    pub fn handle(&self) -> Handle {
        Handle { state: self.state.clone(), address: self.address }
    }

    /// Serves until [`Handle::end`], then waits up to one second for tabs to close. Blocks the
    /// calling thread; each connection gets a thread.
    pub fn run(&self) {
        for stream in self.listener.incoming() {
            if self.state.is_ending() {
                break;
            }
            match stream {
                Ok(stream) => self.accept(stream),
                // The error concerns one connection, or too many files are open: continue in both
                // cases.
                Err(_) => thread::sleep(Duration::from_millis(20)),
            }
        }
        // Give the tabs time to send a close message.
        let deadline = Instant::now() + Duration::from_secs(1);
        while self.state.n_tabs.load(Ordering::SeqCst) > 0 && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(10));
        }
    }

    fn accept(&self, stream: TcpStream) {
        let Some(permit) =
            Permit::acquire(&self.state, |state| &state.n_connections, MAX_CONNECTIONS)
        else {
            // Reject without a thread. Bytes that exceed the socket's buffer are lost.
            let _ = stream.set_nonblocking(true);
            let _ = refuse(&stream, &Refusal::TooMany, false);
            return;
        };
        let port = self.address.port();
        let serve = move || {
            // The peer of a failed connection is gone, so the error has no recipient.
            let _ = serve(&stream, port, &permit.state);
        };
        let _ = thread::Builder::new().stack_size(STACK_BYTES).spawn(serve);
    }
}

impl Handle {
    /// Replaces the model in all tabs. They keep their cameras, but clear selections and hidden
    /// instances. Also clears a reported problem.
    pub fn replace(&self, model: Model) {
        let shown = Arc::new(ShownModel::new(model));
        self.state.change(|current| {
            *current = CurrentModel { shown, version: current.version + 1, problem: None };
        });
    }

    /// Shows a message in all tabs, for example why the changed file cannot be read. Tabs keep the
    /// current model.
    pub fn report_problem(&self, text: String) {
        self.state.change(|current| current.problem = Some(text));
    }

    /// Ends the server and all tabs. Returns before they have ended.
    pub fn end(&self) {
        self.state.end();
        // Connect once to wake the listener.
        let _ = TcpStream::connect_timeout(&self.address, Duration::from_secs(1));
    }

    /// Number of open tabs.
    pub fn n_tabs(&self) -> usize {
        self.state.n_tabs.load(Ordering::SeqCst)
    }

    /// Number of open connections, tabs included.
    pub fn n_connections(&self) -> usize {
        self.state.n_connections.load(Ordering::SeqCst)
    }
}

/// Reads and answers the one request of a connection.
fn serve(stream: &TcpStream, port: u16, state: &Arc<ServerState>) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    let request = match read_head(stream, state)? {
        Ok(head) => Request::parse(&head, port),
        Err(refusal) => Err(refusal),
    };
    let answered = request.and_then(|request| match &request.socket_key {
        Some(key) if request.path == "/socket" => {
            match Permit::acquire(state, |state| &state.n_tabs, MAX_TABS) {
                Some(_permit) => Ok(socket::serve(stream, key, state)),
                None => Err(Refusal::TooMany),
            }
        }
        _ => assets::find(&request.path).map(|asset| {
            respond(stream, "200 OK", asset.content_type, asset.text.as_bytes(), request.head_only)
        }),
    });
    match answered {
        Ok(result) => result?,
        Err(refusal) => refuse(stream, &refusal, true)?,
    }
    close(stream)
}

/// Reads a request up to its empty line.
fn read_head(mut stream: &TcpStream, state: &ServerState) -> io::Result<Result<Vec<u8>, Refusal>> {
    let deadline = Instant::now() + TIMEOUT;
    let (mut head, mut chunk) = (Vec::new(), [0; 2048]);
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() || state.is_ending() {
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
            return Ok(if head.len() > MAX_HEAD_BYTES { Err(Refusal::TooLong) } else { Ok(head) });
        }
        if head.len() > MAX_HEAD_BYTES {
            return Ok(Err(Refusal::TooLong));
        }
    }
}

pub(crate) fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

fn refuse(stream: &TcpStream, refusal: &Refusal, with_text: bool) -> io::Result<()> {
    let text = format!("{refusal}\n");
    let content_type = "text/plain; charset=utf-8";
    respond(stream, refusal.status(), content_type, text.as_bytes(), !with_text)
}

fn respond(
    mut stream: &TcpStream,
    status: &str,
    content_type: &str,
    body: &[u8],
    head_only: bool,
) -> io::Result<()> {
    // Forbid the page to load from or connect to other hosts.
    let mut answer = format!(
        "HTTP/1.1 {status}\r\n\
         Content-Type: {content_type}\r\n\
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

/// Closes a connection after the answer has arrived. A peer that still sends would lose the answer
/// if its bytes were left unread.
fn close(mut stream: &TcpStream) -> io::Result<()> {
    const LONGEST: Duration = Duration::from_secs(1);
    stream.shutdown(Shutdown::Write)?;
    stream.set_read_timeout(Some(Duration::from_millis(200)))?;
    let (start, mut chunk) = (Instant::now(), [0; 8192]);
    while start.elapsed() < LONGEST && matches!(stream.read(&mut chunk), Ok(1..)) {}
    Ok(())
}
