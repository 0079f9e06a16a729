//! Programs that write a ray and wait for its answer.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use crate::support::{command, cuboid, folder, hitscan_in, path};

/// Long enough for a busy machine; a program that waits for the end of its input would never answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// Sends each question after the answer to the one before it, and returns the answers.
#[track_caller]
fn ask(command: &mut Command, questions: &[Vec<u8>], n_header_lines: usize) -> Vec<String> {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program starts");
    let mut input = child.stdin.take().expect("it is piped");
    let output = BufReader::new(child.stdout.take().expect("it is piped"));
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        output.lines().for_each(|line| _ = sender.send(line.expect("text")));
    });
    let mut answers = Vec::new();
    for (i, question) in questions.iter().enumerate() {
        input.write_all(question).expect("the program reads");
        input.flush().expect("the program reads");
        for _ in 0..if i == 0 { n_header_lines + 1 } else { 1 } {
            answers.push(lines.recv_timeout(PATIENCE).expect("an answer before the next question"));
        }
    }
    drop(input);
    assert!(child.wait().expect("it ends").success());
    assert_eq!(lines.recv().ok(), None, "an answer without a question");
    answers.drain(..n_header_lines);
    answers
}

/// The header of an NPY file of `n` rows and the rows.
fn npy(rows: &[Vec<f32>]) -> Vec<Vec<u8>> {
    let shape = format!("({}, {})", rows.len(), rows[0].len());
    let mut header =
        format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}").into_bytes();
    header.resize(117, b' ');
    header.push(b'\n');
    let mut start = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    start.extend(header);
    let mut parts: Vec<Vec<u8>> =
        rows.iter().map(|row| row.iter().flat_map(|x| x.to_le_bytes()).collect()).collect();
    start.append(&mut parts[0]);
    parts[0] = start;
    parts
}

#[test]
fn a_ray_gets_its_answer_before_the_next_is_written() {
    let mesh = cuboid();
    let texts = |lines: [&str; 3]| lines.map(|line| line.as_bytes().to_vec()).to_vec();
    let rows = [9.0, 8.0, 7.0].map(|z| vec![0.5, 0.25, z, 0.0, 0.0, -1.0]);
    let object = |z| format!("{{\"origin\":[0.5,0.25,{z}],\"direction\":[0,0,-1]}}\n\n");
    for questions in [
        texts(["0.5,0.25,9,0,0,-1\n", "0.5,0.25,8,0,0,-1\n# a comment\n\n", "0.5,0.25,7,0,0,-1\n"]),
        texts(["ox oy oz dx dy dz\n0.5 .25 9 0 0 -1\n", ".5 .25 8 0 0 -1\n.5 ", ".25 7 0 0 -1\n"]),
        [9, 8, 7].map(|z| object(z).into_bytes()).to_vec(),
        npy(&rows),
    ] {
        let mut cast = command(&format!("cast {mesh} --rays - --format ndjson"));
        let answers = ask(&mut cast, &questions, 0);
        for (i, t) in ["\"t\":7.0,", "\"t\":6.0,", "\"t\":5.0,"].iter().enumerate() {
            assert!(
                answers[i].starts_with(&format!("{{\"ray\":{i},\"hits\":[{{{t}")),
                "{answers:?}"
            );
        }
    }
}

#[test]
fn a_point_gets_its_answer_before_the_next_is_written() {
    let mesh = cuboid();
    let questions = [9, 8, 7].map(|z| format!("0.5,0.25,{z}\n").into_bytes());
    let mut points = command(&format!("points {mesh} --points - --format csv"));
    let answers = ask(&mut points, &questions, 1);
    for (answer, start) in answers.iter().zip(["0,false,7.0,", "1,false,6.0,", "2,false,5.0,"]) {
        assert!(answer.starts_with(start), "{answers:?}");
    }
    let rows = [9.0, 8.0, 7.0].map(|z| vec![0.5, 0.25, z]);
    let mut points = command(&format!("points {mesh} --points - --format ndjson"));
    assert_eq!(ask(&mut points, &npy(&rows), 0).len(), 3);
}

/// With the program `mkfifo`, where it exists.
#[cfg(unix)]
#[test]
fn a_named_pipe_answers_as_standard_input_does() {
    let folder = folder();
    let pipe = path(folder.path(), "rays");
    if !Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()) {
        return;
    }
    let mesh = cuboid();
    let mut child = command(&format!("cast {mesh} --rays {pipe} --format ndjson"))
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut rays = std::fs::OpenOptions::new().write(true).open(&pipe).expect("a pipe");
    let output = BufReader::new(child.stdout.take().expect("it is piped"));
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        output.lines().for_each(|line| _ = sender.send(line.expect("text")));
    });
    for z in [9, 8, 7] {
        writeln!(rays, "0.5,0.25,{z},0,0,-1").expect("the program reads");
        assert!(lines.recv_timeout(PATIENCE).expect("an answer").contains("\"t\":"));
    }
    drop(rays);
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn a_long_stream_gives_the_bytes_of_a_file() {
    let folder = folder();
    let rows: String = (0..100_000)
        .map(|i| format!("{},{},9,0,0,-1\n", i % 11 - 5, f64::from(i % 1013) / 80.0 - 6.3))
        .collect();
    std::fs::write(folder.path().join("rays.csv"), &rows).expect("the folder is writable");
    let cast = |rays: &str, input: &[u8]| {
        let mesh = cuboid();
        hitscan_in(folder.path(), &format!("cast {mesh} --rays {rays} --format csv"), input)
            .expect_code(0)
            .stdout
    };
    assert!(cast("rays.csv", b"") == cast("-", rows.as_bytes()), "other bytes");
}
