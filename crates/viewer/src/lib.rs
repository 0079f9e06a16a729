//! Looking at scenes in a browser, and picking in them: what stands behind `hitscan view`.
//!
//! ```text
//! browser ──▶ server (connections, request) ──▶ pages
//!                    └──▶ socket ──▶ session (camera, selection) ──▶ easel (pictures) ──▶ browser
//! ```
//!
//! A [`Server`] listens on the loopback and hands each tab a session of its own, which ends with the
//! tab. The page draws nothing itself: it sends what the hands do, and shows the pictures that the
//! engine makes, coarse while the camera moves and smooth when it stands still.
//!
//! Only a page of this server is answered: the host of every request must be a name of the loopback
//! with the port listened on, and its origin, if it has one, the same. Nothing is served but the page,
//! which is part of the program; no request has a body, a head is at most 8 KiB long and has five seconds
//! to come. Connections and tabs are limited, so threads are.

#![forbid(unsafe_code)]

mod command;
mod easel;
mod highlight;
mod model;
mod orbit;
mod pace;
mod pages;
mod protocol;
mod report;
mod request;
mod server;
mod session;
mod socket;

pub use model::Model;
pub use server::{Handle, Server};
