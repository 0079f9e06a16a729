//! Bytes that arrive over time: which of them are here, and which would make the reader wait.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, sync_channel};
use std::time::{Duration, Instant};

/// A text or array whose reader can ask for the bytes that have arrived. Files and slices have always arrived.
pub(super) trait Arrivals: BufRead {
    /// The next line, up to its end, if it has arrived. `rows` is the number of rows that wait for an
    /// answer.
    fn arrived_line(&mut self, _rows: usize) -> Arrived<&[u8]> {
        Arrived::All
    }

    /// The number of bytes that have arrived, counted up to `wanted`.
    fn arrived_bytes(&mut self, _wanted: usize) -> Arrived<usize> {
        Arrived::All
    }
}

/// The part of an input that a reader can take without waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrived<T> {
    /// Everything: the next read does not wait for another program.
    All,
    Part(T),
    Nothing,
}

impl Arrivals for &[u8] {}
impl<R: Read> Arrivals for BufReader<R> {}

impl<R: Arrivals + ?Sized> Arrivals for Box<R> {
    fn arrived_line(&mut self, rows: usize) -> Arrived<&[u8]> {
        (**self).arrived_line(rows)
    }

    fn arrived_bytes(&mut self, wanted: usize) -> Arrived<usize> {
        (**self).arrived_bytes(wanted)
    }
}

/// The size of one read from a pipe.
const BLOCK_BYTES: usize = 1 << 16;

/// The number of blocks that a pipe's thread reads ahead.
const BLOCKS_AHEAD: usize = 16;

/// The number of rows from which on a pause must last for [`PATIENCE`]. A few rows are a question, which
/// gets its answer at once. Many are a stream, whose writer may only wait for its turn on the processor.
const STREAM_ROWS: usize = 256;

/// The time that all pauses of one chunk of a stream may take.
const PATIENCE: Duration = Duration::from_millis(2);

/// The length from which on a line counts as arrived without its end: its reader refuses it.
const LONGEST_LINE: usize = 1 << 17;

/// A pipe, which a thread reads.
pub(super) struct Pipe {
    blocks: Receiver<io::Result<Vec<u8>>>,
    bytes: Vec<u8>,
    /// The number of bytes that were taken.
    start: usize,
    has_ended: bool,
    /// An error of the pipe, which comes after the bytes before it.
    error: Option<io::Error>,
    /// The end of the patience with the current chunk.
    deadline: Option<Instant>,
}

impl Pipe {
    /// Starts to read `input` on a thread. It ends with the input, or with the process.
    pub(super) fn new(mut input: impl Read + Send + 'static) -> Self {
        let (sender, blocks) = sync_channel(BLOCKS_AHEAD);
        std::thread::spawn(move || {
            loop {
                let mut block = vec![0; BLOCK_BYTES];
                let read = match input.read(&mut block) {
                    Ok(0) => return,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    read => read,
                };
                let is_error = read.is_err();
                let block = read.map(|n| {
                    block.truncate(n);
                    block
                });
                if sender.send(block).is_err() || is_error {
                    return;
                }
            }
        });
        let (bytes, start, has_ended) = (Vec::new(), 0, false);
        Self { blocks, bytes, start, has_ended, error: None, deadline: None }
    }

    /// The first bytes, up to a byte that is no white space: they give the format. Waits for them.
    ///
    /// # Errors
    /// A pipe that cannot be read.
    pub(super) fn fill_start(&mut self) -> io::Result<&[u8]> {
        let shows_format = |bytes: &[u8]| {
            let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
            // A mark of the byte order or of an array may arrive in two blocks.
            !text.is_empty() && (bytes.is_ascii() || bytes.len() >= 8)
        };
        while !shows_format(self.unread()) && self.unread().len() <= LONGEST_LINE && !self.has_ended
        {
            match self.blocks.recv() {
                Ok(block) => self.take(block),
                Err(_) => self.has_ended = true,
            }
        }
        match self.error.take_if(|_| self.bytes.is_empty()) {
            Some(error) => Err(error),
            None => Ok(self.unread()),
        }
    }

    fn unread(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    /// Appends a block.
    fn take(&mut self, block: io::Result<Vec<u8>>) {
        match block {
            Ok(block) if self.start == self.bytes.len() => (self.bytes, self.start) = (block, 0),
            Ok(block) => {
                self.bytes.drain(..self.start);
                self.start = 0;
                self.bytes.extend(block);
            }
            Err(error) => (self.error, self.has_ended) = (Some(error), true),
        }
    }

    /// Appends the next block if it is here, or comes within the patience. Returns whether anything
    /// changed, the end included.
    fn take_arrived(&mut self, rows: usize) -> bool {
        if self.has_ended {
            return false;
        }
        let block = match self.blocks.try_recv() {
            Ok(block) => Some(block),
            Err(TryRecvError::Disconnected) => None,
            Err(TryRecvError::Empty) if rows < STREAM_ROWS => return false,
            Err(TryRecvError::Empty) => {
                let deadline = *self.deadline.get_or_insert_with(|| Instant::now() + PATIENCE);
                match self.blocks.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                    Ok(block) => Some(block),
                    Err(RecvTimeoutError::Disconnected) => None,
                    Err(RecvTimeoutError::Timeout) => return false,
                }
            }
        };
        match block {
            Some(block) => self.take(block),
            None => self.has_ended = true,
        }
        true
    }
}

impl Read for Pipe {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let n = self.fill_buf()?.read(bytes)?;
        self.consume(n);
        Ok(n)
    }
}

impl BufRead for Pipe {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.unread().is_empty() && !self.has_ended {
            self.deadline = None;
            match self.blocks.recv() {
                Ok(block) => self.take(block),
                Err(_) => self.has_ended = true,
            }
        }
        match self.error.take_if(|_| self.start == self.bytes.len()) {
            Some(error) => Err(error),
            None => Ok(self.unread()),
        }
    }

    fn consume(&mut self, n: usize) {
        self.start += n;
    }
}

impl Arrivals for Pipe {
    fn arrived_line(&mut self, rows: usize) -> Arrived<&[u8]> {
        if rows <= 1 {
            self.deadline = None;
        }
        let mut searched = 0;
        loop {
            let end = self.unread()[searched..].iter().position(|&byte| byte == b'\n');
            if let Some(end) = end {
                return Arrived::Part(&self.bytes[self.start..][..=searched + end]);
            }
            searched = self.unread().len();
            if searched > LONGEST_LINE || self.has_ended {
                return Arrived::All;
            }
            if !self.take_arrived(rows) {
                return Arrived::Nothing;
            }
        }
    }

    fn arrived_bytes(&mut self, wanted: usize) -> Arrived<usize> {
        while self.unread().len() < wanted {
            if self.has_ended {
                return Arrived::All;
            }
            if !self.take_arrived(0) {
                break;
            }
        }
        match self.unread().len().min(wanted) {
            0 => Arrived::Nothing,
            n => Arrived::Part(n),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};

    use super::*;

    /// A pipe whose other end the test holds.
    struct Blocks(Receiver<Vec<u8>>);

    impl Read for Blocks {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            self.0.recv().map_or(Ok(0), |block| block.as_slice().read(bytes))
        }
    }

    fn pipe() -> (Sender<Vec<u8>>, Pipe) {
        let (sender, receiver) = channel();
        (sender, Pipe::new(Blocks(receiver)))
    }

    #[test]
    fn a_line_has_arrived_only_with_its_end() {
        let (sender, mut pipe) = pipe();
        sender.send(b"one\ntw".to_vec()).unwrap();
        let mut line = String::new();
        pipe.read_line(&mut line).unwrap();
        assert_eq!((line.as_str(), pipe.arrived_line(1)), ("one\n", Arrived::Nothing));
        sender.send(b"o\nthree".to_vec()).unwrap();
        // Patience for the thread, which a stream of rows has.
        while pipe.arrived_line(STREAM_ROWS) == Arrived::Nothing {
            pipe.deadline = None;
        }
        assert_eq!(pipe.arrived_line(1), Arrived::Part(&b"two\n"[..]));
        assert_eq!(pipe.arrived_bytes(3), Arrived::Part(3));
        pipe.consume(4);
        drop(sender);
        while pipe.arrived_line(STREAM_ROWS) == Arrived::Nothing {
            pipe.deadline = None;
        }
        assert_eq!(pipe.arrived_line(1), Arrived::All);
        let mut rest = String::new();
        pipe.read_to_string(&mut rest).unwrap();
        assert_eq!((rest.as_str(), pipe.arrived_line(1)), ("three", Arrived::All));
    }

    #[test]
    fn an_error_comes_after_the_bytes_before_it() {
        let failing = io::Cursor::new(b"a\n".to_vec()).chain(Failing);
        let mut pipe = Pipe::new(failing);
        let mut text = String::new();
        assert_eq!(pipe.read_to_string(&mut text).unwrap_err().kind(), io::ErrorKind::Other);
    }

    struct Failing;

    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("broken"))
        }
    }
}
