//! Parsing material libraries.

use std::collections::BTreeMap;

use hitscan_primitives::Material;

use crate::{
    lines::{self, after_first_word, decode_name},
    number::f32_word,
};

/// The materials of a library, and the number of its invalid statements.
#[derive(Debug, Default)]
pub(crate) struct Library {
    pub(crate) materials: Vec<Material>,
    pub(crate) n_bad: u64,
    pub(crate) first_bad_line: u64,
}

/// Parses a library. Invalid statements are skipped and counted.
///
/// tobj parses each material from statements that are checked first. By itself tobj panics at a
/// colour of one number, and drops all materials for one invalid line.
pub(crate) fn read_library(text: &[u8]) -> Library {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut library = Library::default();
    // The current material: its name, and its statements for tobj.
    let mut open: Option<(String, String)> = None;
    let mut joined = Vec::new();
    let (mut at, mut line) = (0, 1);
    while at < text.len() {
        let statement = lines::statement(text, at, &mut joined);
        match (check(&decode_name(statement.text)), &mut open) {
            (Checked::Nothing, _) => {}
            (Checked::Name(name), _) => {
                library.close(open.take());
                // Statements after a `newmtl` without a name belong to no material.
                match name.is_empty() {
                    true => library.count_bad(line),
                    false => open = Some((name, String::new())),
                }
            }
            (Checked::Good(good), Some((_, statements))) => {
                statements.push_str(&good);
                statements.push('\n');
            }
            (Checked::Good(_) | Checked::Bad, _) => library.count_bad(line),
        }
        line += statement.n_endings;
        at = statement.next;
    }
    library.close(open);
    library
}

impl Library {
    fn close(&mut self, open: Option<(String, String)>) {
        let Some((name, statements)) = open else { return };
        let mut text = "newmtl name\n".to_owned();
        text.push_str(&statements);
        // tobj cannot fail on checked statements. If it does, only their values are lost.
        let material = match tobj::load_mtl_buf(&mut text.as_bytes()) {
            Ok((materials, _)) => materials.into_iter().next().map(from_tobj),
            Err(_) => None,
        };
        self.materials.push(Material { name, ..material.unwrap_or_default() });
    }

    fn count_bad(&mut self, line: u64) {
        if self.n_bad == 0 {
            self.first_bad_line = line;
        }
        self.n_bad += 1;
    }
}

enum Checked {
    Nothing,
    /// `newmtl`, with a name that may be empty.
    Name(String),
    /// A statement that tobj parses correctly.
    Good(String),
    Bad,
}

fn check(statement: &str) -> Checked {
    let mut words = statement.split([' ', '\t', '\x0b', '\x0c']).filter(|word| !word.is_empty());
    let Some(keyword) = words.next() else { return Checked::Nothing };
    // tobj splits at Unicode blanks too, and would see another keyword.
    if keyword.contains(char::is_whitespace) {
        return Checked::Bad;
    }
    let rest = after_first_word(statement.as_bytes());
    let rest = std::str::from_utf8(rest).unwrap_or_default();
    let keyword = in_usual_case(keyword);
    let good = |rest: &str| Checked::Good(format!("{keyword} {rest}"));
    match keyword {
        "newmtl" => Checked::Name(rest.to_owned()),
        "Ka" | "Kd" | "Ks" | "Ke" => match words.collect::<Vec<_>>()[..] {
            // A colour of one number is grey.
            [grey] if is_number(grey) => good(&format!("{grey} {grey} {grey}")),
            [r, g, b, ..] if [r, g, b].into_iter().all(is_number) => good(&format!("{r} {g} {b}")),
            // This includes `spectral` and `xyz`.
            _ => Checked::Bad,
        },
        "Ns" | "Ni" | "d" | "Tr" => match words.find(|&word| word != "-halo") {
            Some(number) if is_number(number) => good(number),
            _ => Checked::Bad,
        },
        "illum" => match words.next().filter(|model| model.parse::<u8>().is_ok()) {
            Some(model) => good(model),
            None => Checked::Bad,
        },
        _ if rest.trim().is_empty()
            && (keyword == "bump" || keyword.to_ascii_lowercase().starts_with("map_")) =>
        {
            Checked::Bad
        }
        _ => good(rest),
    }
}

/// The spelling of a keyword that tobj expects, whatever its case in the file.
fn in_usual_case(keyword: &str) -> &str {
    const USUAL: [&str; 17] = [
        "newmtl", "Ka", "Kd", "Ks", "Ke", "Ns", "Ni", "d", "Tr", "illum", "map_Ka", "map_Kd",
        "map_Ks", "map_Ns", "map_d", "map_Bump", "bump",
    ];
    USUAL.into_iter().find(|usual| usual.eq_ignore_ascii_case(keyword)).unwrap_or(keyword)
}

fn is_number(word: &str) -> bool {
    f32_word(word.as_bytes()).is_some_and(f32::is_finite)
}

fn from_tobj(material: tobj::Material) -> Material {
    let mut other: BTreeMap<String, String> = material.unknown_param.into_iter().collect();
    let transparency = other.remove("Tr").and_then(|tr| f32_word(tr.as_bytes()));
    Material {
        name: material.name,
        ambient: material.ambient,
        diffuse: material.diffuse,
        specular: material.specular,
        emissive: material.emissive,
        shininess: material.shininess,
        opacity: material.dissolve.or(transparency.map(|tr| 1.0 - tr)),
        refraction_index: material.optical_density,
        illumination: material.illumination_model,
        map_ka: material.ambient_texture,
        map_kd: material.diffuse_texture,
        map_ks: material.specular_texture,
        map_ns: material.shininess_texture,
        map_bump: material.normal_texture,
        map_d: material.dissolve_texture,
        other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_line_costs_no_other_line() {
        let text =
            b"Kd 1 1 1\nnewmtl a\nKd 0.5\nKs 1 2\nKa spectral x.rfl\nillum 300\nd -halo 0.25\n\
            Ns 8 # gloss\nmap_Kd\nmap_Kd -s 1 1 1 wood grain.png\nnewmtl\nKd 1 0 0\nnewmtl b c\n\
            Tr 0.75\nKe nan 0 0\nweird 7 8\n\xe2\x80\x83Kd 0.5\n";
        let library = read_library(text);
        let [a, b] = &library.materials[..] else { panic!("{library:?}") };
        assert_eq!((a.name.as_str(), a.diffuse), ("a", Some([0.5; 3])));
        assert_eq!((a.opacity, a.shininess, a.illumination), (Some(0.25), Some(8.0), None));
        assert_eq!(a.map_kd.as_deref(), Some("-s 1 1 1 wood grain.png"));
        assert_eq!((b.name.as_str(), b.opacity, b.emissive), ("b c", Some(0.25), None));
        assert_eq!(b.other.get("weird").map(String::as_str), Some("7 8"));
        assert_eq!((library.n_bad, library.first_bad_line), (9, 1));
    }

    #[test]
    fn any_encoding_and_line_ending_is_read() {
        let library = read_library(b"\xef\xbb\xbfnewmtl B\xf6\rKd 1 \\\r 0 0\r");
        assert_eq!(library.materials[0].name, "B\u{f6}");
        assert_eq!(library.materials[0].diffuse, Some([1.0, 0.0, 0.0]));
        assert_eq!(library.n_bad, 0);
    }
}
