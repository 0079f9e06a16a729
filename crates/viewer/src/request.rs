//! HTTP requests: parsing, and rejection of everything that the server's own page does not send.

use thiserror::Error;

/// Maximum length of a request's head.
pub(crate) const MAX_HEAD_BYTES: usize = 8 << 10;

/// Maximum number of header lines.
const MAX_HEADERS: usize = 64;

/// A valid request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// The path without its query.
    pub(crate) path: String,
    /// Whether the request is HEAD.
    pub(crate) head_only: bool,
    /// The key of a WebSocket handshake, if the request is one.
    pub(crate) socket_key: Option<String>,
}

/// The reason for rejecting a request.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum Refusal {
    #[error("request: invalid HTTP ({0}); open the page in a browser")]
    Malformed(String),
    #[error("request head: longer than {MAX_HEAD_BYTES} bytes or {MAX_HEADERS} lines; send less")]
    TooLong,
    #[error("request head: not received in time; try again")]
    TooSlow,
    #[error("request body: not allowed; send none")]
    Body,
    #[error("method {0}: not allowed; use GET or HEAD")]
    Method(String),
    #[error("HTTP/1.{0}: not supported; use HTTP/1.1")]
    Version(u8),
    #[error("host {found:?}: not this server; use {expected}")]
    Host { found: String, expected: String },
    #[error("origin {found:?}: not allowed; use the page at {expected}")]
    Origin { found: String, expected: String },
    #[error("WebSocket version {0:?}: invalid handshake; use GET, version 13 and a key")]
    Socket(String),
    #[error("path: not found; open /")]
    Path,
    #[error("server: too many connections or tabs; close some and try again")]
    TooMany,
}

impl Refusal {
    /// The HTTP status code and reason phrase.
    pub(crate) fn status(&self) -> &'static str {
        match self {
            Self::Malformed(_) => "400 Bad Request",
            Self::TooLong => "431 Request Header Fields Too Large",
            Self::TooSlow => "408 Request Timeout",
            Self::Body => "413 Content Too Large",
            Self::Method(_) => "405 Method Not Allowed",
            Self::Version(_) => "505 HTTP Version Not Supported",
            Self::Host { .. } => "421 Misdirected Request",
            Self::Origin { .. } => "403 Forbidden",
            Self::Socket(_) => "426 Upgrade Required",
            Self::Path => "404 Not Found",
            Self::TooMany => "503 Service Unavailable",
        }
    }
}

/// Whether the bytes contain a complete head.
pub(crate) fn is_whole(bytes: &[u8]) -> bool {
    bytes.windows(4).any(|end| end == b"\r\n\r\n") || bytes.windows(2).any(|end| end == b"\n\n")
}

impl Request {
    /// Parses a complete head that was sent to a port of the loopback interface.
    ///
    /// The host must be a loopback name, with any port, because a tunnel may end at another one. This stops a page of another site whose domain name
    /// resolves to this machine (DNS rebinding), because its requests carry that domain as host.
    /// The origin must be that host, because browsers send the origin with requests across sites. A
    /// WebSocket handshake must have an origin: every browser sends one, and no other program needs
    /// a socket.
    ///
    /// # Errors
    /// The first [`Refusal`] that applies.
    pub(crate) fn parse(head: &[u8], port: u16) -> Result<Self, Refusal> {
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut parsed = httparse::Request::new(&mut headers);
        match parsed.parse(head) {
            Ok(httparse::Status::Complete(_)) => {}
            Ok(httparse::Status::Partial) => {
                return Err(Refusal::Malformed("incomplete head".to_owned()));
            }
            Err(httparse::Error::TooManyHeaders) => return Err(Refusal::TooLong),
            // The parser reads only the last digit of the version.
            Err(error) => return Err(Refusal::Malformed(error.to_string())),
        }
        let one = |name: &str| -> Result<Option<&str>, Refusal> {
            let mut found =
                parsed.headers.iter().filter(|header| header.name.eq_ignore_ascii_case(name));
            let first = found.next().map(|header| std::str::from_utf8(header.value));
            let malformed = |what| Refusal::Malformed(format!("{what} header {name}"));
            if found.next().is_some() {
                return Err(malformed("repeated"));
            }
            first.transpose().map_err(|_| malformed("non-text"))
        };
        if parsed.version != Some(1) {
            return Err(Refusal::Version(parsed.version.unwrap_or(0)));
        }
        let host = one("host")?.unwrap_or("");
        check_host(host, port)?;
        let wants_socket =
            one("upgrade")?.is_some_and(|protocol| protocol.eq_ignore_ascii_case("websocket"));
        match one("origin")? {
            None if !wants_socket => {}
            origin => check_origin(origin.unwrap_or(""), host)?,
        }
        let head_only = match parsed.method {
            Some("GET") => false,
            Some("HEAD") => true,
            method => return Err(Refusal::Method(method.unwrap_or("").to_owned())),
        };
        let has_length = one("content-length")?.is_some_and(|length| length.trim() != "0");
        if has_length || one("transfer-encoding")?.is_some() {
            return Err(Refusal::Body);
        }
        let path = parsed.path.unwrap_or("");
        let path = path.split_once('?').map_or(path, |(path, _)| path).to_owned();
        let socket_key = match (wants_socket, one("sec-websocket-key")?) {
            (false, _) => None,
            (true, Some(key)) if one("sec-websocket-version")? == Some("13") && !head_only => {
                Some(key.to_owned())
            }
            (true, _) => {
                let version = one("sec-websocket-version")?.unwrap_or("");
                return Err(Refusal::Socket(version.to_owned()));
            }
        };
        Ok(Self { path, head_only, socket_key })
    }
}

/// Names of the address that the server listens on. It does not listen on the IPv6 loopback.
const NAMES: [&str; 2] = ["127.0.0.1", "localhost"];

fn check_host(host: &str, port: u16) -> Result<(), Refusal> {
    if is_loopback(host) {
        return Ok(());
    }
    Err(Refusal::Host { found: host.to_owned(), expected: format!("127.0.0.1:{port}") })
}

/// Checks that the request comes from a page of the same host.
fn check_origin(origin: &str, host: &str) -> Result<(), Refusal> {
    match origin.strip_prefix("http://") {
        Some(authority) if authority.eq_ignore_ascii_case(host) => Ok(()),
        _ => Err(Refusal::Origin { found: origin.to_owned(), expected: format!("http://{host}") }),
    }
}

/// Whether a host is a loopback name, without a port or with any: another site cannot claim these names.
fn is_loopback(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.parse::<u16>().is_ok() => name,
        _ => host,
    };
    NAMES.iter().any(|own| own.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(head: &str) -> Result<Request, Refusal> {
        Request::parse(head.replace('\n', "\r\n").as_bytes(), 4711)
    }

    #[test]
    fn pages_and_sockets_of_the_loopback_are_accepted() {
        let page = parse("GET /viewer.js?v=1 HTTP/1.1\nHost: LOCALHOST:4711\n\n").unwrap();
        assert_eq!((page.path.as_str(), page.head_only), ("/viewer.js", false));
        assert!(parse("HEAD / HTTP/1.1\nHost: 127.0.0.1:4711\n\n").unwrap().head_only);
        let socket = "GET /socket HTTP/1.1\nHost: 127.0.0.1:4711\nOrigin: http://127.0.0.1:4711\n\
            Upgrade: WebSocket\nConnection: Upgrade\nSec-WebSocket-Version: 13\n\
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n\n";
        let key = parse(socket).unwrap().socket_key;
        assert_eq!(key.as_deref(), Some("dGhlIHNhbXBsZSBub25jZQ=="));
    }

    #[test]
    fn a_tunnel_may_end_at_another_port_and_its_page_is_still_the_only_origin() {
        for host in ["127.0.0.1:9000", "localhost", "LocalHost:80"] {
            let head = |origin: &str| {
                format!(
                    "GET /socket HTTP/1.1\nHost: {host}\nOrigin: {origin}\nUpgrade: websocket\n\
                    Sec-WebSocket-Version: 13\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n\n"
                )
            };
            assert!(parse(&head(&format!("http://{host}"))).is_ok(), "{host}");
            for origin in ["http://localhost:4711", "http://evil.example:9000", "null"] {
                let refusal = parse(&head(origin)).unwrap_err();
                assert_eq!(refusal.status(), "403 Forbidden", "{host} {origin}");
            }
        }
    }

    #[test]
    fn foreign_hosts_and_origins_are_rejected() {
        let hosts = [
            "evil.example:4711",
            "",
            "127.0.0.1.evil.example:4711",
            "localhost:4711:4711",
            "localhost:99999999",
            "[::1]:4711",
        ];
        for host in hosts {
            let refusal = parse(&format!("GET / HTTP/1.1\nHost: {host}\n\n")).unwrap_err();
            assert_eq!(refusal.status(), "421 Misdirected Request", "{host}");
        }
        assert!(parse("GET / HTTP/1.1\n\n").is_err());
        let origins = [
            "http://evil.example",
            "https://localhost:4711",
            "null",
            "http://localhost",
            "http://[::1]:4711",
            "http://127.0.0.1:4711",
            "localhost:4711",
            "",
        ];
        for origin in origins {
            let head = format!("GET / HTTP/1.1\nHost: localhost:4711\nOrigin: {origin}\n\n");
            let refusal = parse(&head).unwrap_err();
            assert_eq!(refusal.status(), "403 Forbidden", "{origin}");
            assert!(refusal.to_string().contains("http://localhost:4711"), "{refusal}");
        }
    }

    #[test]
    fn a_socket_needs_the_origin_of_its_host() {
        let status = |origin: &str| {
            let head = format!(
                "GET /socket HTTP/1.1\nHost: 127.0.0.1:4711\n{origin}Upgrade: websocket\n\
                 Sec-WebSocket-Version: 13\nSec-WebSocket-Key: eA==\n\n"
            );
            parse(&head).map_or_else(|refusal| refusal.status(), |_| "101")
        };
        assert_eq!(status("Origin: http://127.0.0.1:4711\n"), "101");
        for origin in ["", "Origin: http://localhost:4711\n", "Origin: http://[::1]:4711\n"] {
            assert_eq!(status(origin), "403 Forbidden", "{origin:?}");
        }
    }

    #[test]
    fn only_get_and_head_without_a_body_are_accepted() {
        let status = |line: &str, more: &str| {
            let head = format!("{line}\nHost: localhost:4711\n{more}\n");
            parse(&head).map_or_else(|refusal| refusal.status(), |_| "200")
        };
        assert_eq!(status("GET / HTTP/1.1", ""), "200");
        assert_eq!(status("POST / HTTP/1.1", ""), "405 Method Not Allowed");
        assert_eq!(status("GET / HTTP/1.0", ""), "505 HTTP Version Not Supported");
        assert_eq!(status("GET / HTTP/2.0", ""), "400 Bad Request");
        assert_eq!(status("GET /", ""), "400 Bad Request");
        assert_eq!(status("\u{16}\u{3}\u{1}", ""), "400 Bad Request");
        assert_eq!(status("GET / HTTP/1.1", "Content-Length: 9\n"), "413 Content Too Large");
        assert_eq!(
            status("GET / HTTP/1.1", "Transfer-Encoding: chunked\n"),
            "413 Content Too Large"
        );
        assert_eq!(status("GET / HTTP/1.1", "Host: localhost:4711\n"), "400 Bad Request");
        let many = "X: y\n".repeat(100);
        assert_eq!(status("GET / HTTP/1.1", &many), "431 Request Header Fields Too Large");
        let upgrade = "Origin: http://localhost:4711\nUpgrade: websocket\n";
        assert_eq!(status("GET / HTTP/1.1", upgrade), "426 Upgrade Required");
    }
}
