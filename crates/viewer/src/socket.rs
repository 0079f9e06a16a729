//! The WebSocket of a tab: a reader thread, and a worker that alternates between messages and
//! rendering.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha1_smol::Sha1;
use tungstenite::protocol::{Role, WebSocket, WebSocketConfig};
use tungstenite::{Error, Message};

use crate::protocol::{FromPage, MAX_MESSAGE_BYTES, ToPage};
use crate::session::Session;
use crate::state::ServerState;

/// Maximum number of queued messages. A faster page has to wait, because the reader stops reading.
const MAX_QUEUED: usize = 256;

/// A tab that sends no message for this long after it opened gives up its place. The page of the
/// server sends its size at once.
const FIRST_MESSAGE_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum interval between checks for a reload.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// A message from the peer.
enum Incoming {
    Message(FromPage),
    /// A ping; the pong returns the same bytes.
    Ping(Vec<u8>),
    /// The peer closed the tab or sent an invalid message.
    End,
}

/// Serves a tab until it closes.
///
/// # Errors
/// The error of the connection, if it breaks.
pub(crate) fn serve(mut stream: &TcpStream, key: &str, state: &ServerState) -> io::Result<()> {
    let accept = accept_key(key);
    let answer = format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: {accept}\r\n\r\n"
    );
    stream.write_all(answer.as_bytes())?;
    stream.set_read_timeout(None)?;
    let (sender, receiver) = mpsc::sync_channel(MAX_QUEUED);
    thread::scope(|scope| {
        let reader = stream.try_clone()?;
        thread::Builder::new().spawn_scoped(scope, move || read(reader, &sender))?;
        let ended = Tab { socket: socket(stream), receiver, state }.run();
        // Wakes the reader.
        let _ = stream.shutdown(Shutdown::Both);
        ended
    })
}

/// The server's reply to the key of a handshake, by RFC 6455, section 4.2.2.
fn accept_key(key: &str) -> String {
    const SUFFIX: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    STANDARD.encode(Sha1::from([key, SUFFIX].concat()).digest().bytes())
}

fn config() -> WebSocketConfig {
    WebSocketConfig::default()
        .max_message_size(Some(MAX_MESSAGE_BYTES))
        .max_frame_size(Some(MAX_MESSAGE_BYTES))
        .write_buffer_size(0)
}

fn socket<S: Read + Write>(stream: S) -> WebSocket<S> {
    WebSocket::from_raw_socket(stream, Role::Server, Some(config()))
}

/// The reading half of a connection. It discards the protocol's automatic replies, because the
/// worker sends them and two threads must not write at once.
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

/// Forwards messages to the worker until the connection ends.
fn read(stream: TcpStream, sender: &SyncSender<Incoming>) {
    let mut socket = socket(ReadHalf(stream));
    loop {
        let received = match socket.read() {
            Ok(Message::Text(text)) => match serde_json::from_str(&text) {
                Ok(message) => Incoming::Message(message),
                Err(_) => Incoming::End,
            },
            Ok(Message::Ping(bytes)) => Incoming::Ping(bytes.to_vec()),
            Ok(Message::Pong(_)) => continue,
            Ok(Message::Binary(_) | Message::Close(_) | Message::Frame(_)) | Err(_) => {
                Incoming::End
            }
        };
        let is_end = matches!(received, Incoming::End);
        if sender.send(received).is_err() || is_end {
            return;
        }
    }
}

/// The worker of a tab: handles messages, and renders if there are none.
struct Tab<'a> {
    socket: WebSocket<&'a TcpStream>,
    receiver: Receiver<Incoming>,
    state: &'a ServerState,
}

impl Tab<'_> {
    fn run(mut self) -> io::Result<()> {
        let opened = Instant::now();
        let mut has_spoken = false;
        let mut changes = self.state.changes();
        let current = self.state.current();
        let (mut session, replies) = Session::new(current.shown, current.version, Instant::now());
        self.send_all(replies)?;
        self.send_all(current.problem.map(|text| ToPage::Problem { text: Some(text) }))?;
        let mut version = current.version;
        while !self.state.is_ending() {
            let wait = session
                .time_until_work(Instant::now())
                .map_or(POLL_INTERVAL, |wait| wait.min(POLL_INTERVAL));
            let Some(messages) = self.receive(wait)? else { break };
            has_spoken |= !messages.is_empty();
            if !has_spoken && opened.elapsed() > FIRST_MESSAGE_TIMEOUT {
                break;
            }
            for message in messages {
                let replies = session.handle(message, Instant::now());
                self.send_all(replies)?;
            }
            if self.state.changes() != changes {
                changes = self.state.changes();
                let current = self.state.current();
                if current.version != version {
                    version = current.version;
                    let replies = session.replace(current.shown, version, Instant::now());
                    self.send_all(replies)?;
                }
                self.send_all([ToPage::Problem { text: current.problem }])?;
            }
            let (replies, chunk) = session.render_slice(Instant::now());
            self.send_all(replies)?;
            if let Some(bytes) = chunk {
                self.send(Message::binary(bytes))?;
            }
        }
        let _ = self.socket.close(None);
        Ok(())
    }

    /// Waits for the first message and takes all queued ones; `None` at the end. Of consecutive
    /// hover messages only the last one is kept.
    fn receive(&mut self, wait: Duration) -> io::Result<Option<Vec<FromPage>>> {
        let mut messages: Vec<FromPage> = vec![];
        let mut next = match self.receiver.recv_timeout(wait) {
            Ok(first) => Some(first),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
        };
        while let Some(received) = next {
            match received {
                Incoming::Message(message) => {
                    if let (FromPage::Hover { .. }, Some(FromPage::Hover { .. })) =
                        (&message, messages.last())
                    {
                        messages.pop();
                    }
                    messages.push(message);
                }
                Incoming::Ping(bytes) => self.send(Message::Pong(bytes.into()))?,
                Incoming::End => return Ok(None),
            }
            next = if messages.len() < MAX_QUEUED { self.receiver.try_recv().ok() } else { None };
        }
        Ok(Some(messages))
    }

    fn send_all(&mut self, replies: impl IntoIterator<Item = ToPage>) -> io::Result<()> {
        for replies in replies {
            let text = serde_json::to_string(&replies).map_err(io::Error::other)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reply_to_a_key_is_that_of_the_standard() {
        assert_eq!(accept_key("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    }
}
