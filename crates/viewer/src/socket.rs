//! The web socket of a tab.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use tungstenite::handshake::derive_accept_key;
use tungstenite::protocol::{Role, WebSocket, WebSocketConfig};
use tungstenite::{Error, Message};

use crate::protocol::{FromPage, LONGEST_MESSAGE, ToPage};
use crate::server::Shared;
use crate::session::Session;

/// Messages that wait to be handled; a page that sends faster has to wait itself.
const MOST_WAITING: usize = 256;

/// How often to look for a reload, at least.
const LOOK: Duration = Duration::from_millis(100);

/// What the peer has sent.
enum Received {
    Message(FromPage),
    /// Asks for the same bytes back.
    Ping(Vec<u8>),
    /// The tab was closed, or is not to be understood.
    End,
}

/// Serves a tab until it is closed.
///
/// # Errors
/// A connection that breaks.
pub(crate) fn serve(mut stream: &TcpStream, key: &str, shared: &Shared) -> io::Result<()> {
    let accept = derive_accept_key(key.as_bytes());
    let answer = format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: {accept}\r\n\r\n"
    );
    stream.write_all(answer.as_bytes())?;
    stream.set_read_timeout(None)?;
    let (sender, receiver) = mpsc::sync_channel(MOST_WAITING);
    thread::scope(|scope| {
        let reader = stream.try_clone()?;
        thread::Builder::new().spawn_scoped(scope, move || read(reader, &sender))?;
        let ended = Tab { socket: socket(stream), receiver, shared }.run();
        // Wakes the reader.
        let _ = stream.shutdown(Shutdown::Both);
        ended
    })
}

fn config() -> WebSocketConfig {
    WebSocketConfig::default()
        .max_message_size(Some(LONGEST_MESSAGE))
        .max_frame_size(Some(LONGEST_MESSAGE))
        .write_buffer_size(0)
}

fn socket<S: Read + Write>(stream: S) -> WebSocket<S> {
    WebSocket::from_raw_socket(stream, Role::Server, Some(config()))
}

/// The half of a connection that is read. What the protocol wants to answer by itself is left to the
/// other half, or two threads would write at once.
struct ReadHalf(TcpStream);

impl Read for ReadHalf {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.0.read(bytes)
    }
}

impl Write for ReadHalf {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Hands on what comes until the end.
fn read(stream: TcpStream, sender: &SyncSender<Received>) {
    let mut socket = socket(ReadHalf(stream));
    loop {
        let received = match socket.read() {
            Ok(Message::Text(text)) => match serde_json::from_str(&text) {
                Ok(message) => Received::Message(message),
                Err(_) => Received::End,
            },
            Ok(Message::Ping(bytes)) => Received::Ping(bytes.to_vec()),
            Ok(Message::Pong(_)) => continue,
            Ok(Message::Binary(_) | Message::Close(_) | Message::Frame(_)) | Err(_) => {
                Received::End
            }
        };
        let is_end = matches!(received, Received::End);
        if sender.send(received).is_err() || is_end {
            return;
        }
    }
}

/// A tab: reads messages, and works on its picture when there are none.
struct Tab<'a> {
    socket: WebSocket<&'a TcpStream>,
    receiver: Receiver<Received>,
    shared: &'a Shared,
}

impl Tab<'_> {
    fn run(mut self) -> io::Result<()> {
        let mut changes = self.shared.changes();
        let current = self.shared.current();
        let (mut session, told) = Session::new(current.model, current.version, Instant::now());
        self.tell(told)?;
        self.tell(current.problem.map(|text| ToPage::Problem { text: Some(text) }))?;
        let mut version = current.version;
        while !self.shared.is_ending() {
            let wait = session.wait(Instant::now()).map_or(LOOK, |wait| wait.min(LOOK));
            let Some(messages) = self.received(wait)? else { break };
            for message in messages {
                let told = session.handle(message, Instant::now());
                self.tell(told)?;
            }
            if self.shared.changes() != changes {
                changes = self.shared.changes();
                let current = self.shared.current();
                if current.version != version {
                    version = current.version;
                    let told = session.replace(current.model, version, Instant::now());
                    self.tell(told)?;
                }
                self.tell([ToPage::Problem { text: current.problem }])?;
            }
            let (told, picture) = session.work(Instant::now());
            self.tell(told)?;
            if let Some(bytes) = picture {
                self.send(Message::binary(bytes))?;
            }
        }
        let _ = self.socket.close(None);
        Ok(())
    }

    /// What has come by now, after waiting for the first of it; `None` at the end. Of places where the
    /// pointer rested only the last matters.
    fn received(&mut self, wait: Duration) -> io::Result<Option<Vec<FromPage>>> {
        let mut messages: Vec<FromPage> = vec![];
        let mut next = match self.receiver.recv_timeout(wait) {
            Ok(first) => Some(first),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
        };
        while let Some(received) = next {
            match received {
                Received::Message(message) => {
                    if let (FromPage::Hover { .. }, Some(FromPage::Hover { .. })) =
                        (&message, messages.last())
                    {
                        messages.pop();
                    }
                    messages.push(message);
                }
                Received::Ping(bytes) => self.send(Message::Pong(bytes.into()))?,
                Received::End => return Ok(None),
            }
            next = if messages.len() < MOST_WAITING { self.receiver.try_recv().ok() } else { None };
        }
        Ok(Some(messages))
    }

    fn tell(&mut self, told: impl IntoIterator<Item = ToPage>) -> io::Result<()> {
        for told in told {
            let text = serde_json::to_string(&told).map_err(io::Error::other)?;
            self.send(Message::text(text))?;
        }
        Ok(())
    }

    fn send(&mut self, message: Message) -> io::Result<()> {
        match self.socket.send(message) {
            Ok(()) => Ok(()),
            Err(Error::Io(error)) => Err(error),
            Err(error) => Err(io::Error::other(error)),
        }
    }
}
