//! The file name in a texture statement.

/// The file name in a texture statement such as [`Material::map_kd`](crate::Material::map_kd), after
/// the options and their arguments.
///
/// ```
/// assert_eq!(hitscan_obj::texture_file("-clamp on bark.png"), "bark.png");
/// ```
pub fn texture_file(statement: &str) -> &str {
    let mut rest = statement.trim();
    while let Some(option) = rest.strip_prefix('-') {
        let (option, after) = option.split_once(char::is_whitespace).unwrap_or((option, ""));
        // -o, -s and -t take one to three numbers, -mm two, all others one word.
        let n_arguments = match option {
            "o" | "s" | "t" => 3,
            "mm" => 2,
            _ => 1,
        };
        rest = after.trim_start();
        for n in 0..n_arguments {
            let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            if n > 0 && word.parse::<f32>().is_err() {
                break;
            }
            rest = after.trim_start();
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_before_the_name_are_skipped() {
        for (statement, name) in [
            ("leaf.png", "leaf.png"),
            ("-clamp on my leaf.png", "my leaf.png"),
            ("-o 1 2 -s 1 1 1 leaf.png", "leaf.png"),
            ("-mm 0 1 -imfchan m leaf.png", "leaf.png"),
            ("-clamp", ""),
        ] {
            assert_eq!(texture_file(statement), name, "{statement}");
        }
    }
}
