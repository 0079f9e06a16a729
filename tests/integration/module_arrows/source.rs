//! The imports and the paths in the text of a module.

/// A name that a module imports or re-exports.
pub(super) struct Import {
    /// The path as written, from `crate`, `super`, `self` or a child module on.
    pub(super) path: Vec<String>,
    /// The name in this module; `*` for all names.
    pub(super) name: String,
    pub(super) is_reexport: bool,
}

#[derive(Default)]
pub(super) struct Source {
    pub(super) imports: Vec<Import>,
    /// Paths in expressions and types.
    pub(super) inline_paths: Vec<Vec<String>>,
}

impl Source {
    /// Reads the text of a file.
    pub(super) fn parse(text: &str) -> Self {
        let tokens = tokens(&without_tests(text));
        let mut source = Self::default();
        // The first names of other paths. Only a child module can be one that is not imported.
        let mut bare = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            match tokens[at].as_str() {
                "use" => {
                    let before = at.checked_sub(1).map(|before| tokens[before].as_str());
                    let is_reexport = matches!(before, Some("pub" | ")"));
                    at += 1;
                    let mut leaves = Vec::new();
                    use_tree(&tokens, &mut at, &[], &mut leaves);
                    source.imports.extend(leaves.into_iter().map(|(path, name)| Import {
                        path,
                        name,
                        is_reexport,
                    }));
                }
                "crate" | "super" | "self" if tokens.get(at + 1).is_some_and(|t| t == "::") => {
                    let mut path = vec![tokens[at].clone()];
                    while tokens.get(at + 1).is_some_and(|t| t == "::")
                        && tokens.get(at + 2).is_some_and(|t| is_name(t))
                    {
                        at += 2;
                        path.push(tokens[at].clone());
                    }
                    source.inline_paths.push(path);
                    at += 1;
                }
                name if is_name(name)
                    && tokens.get(at + 1).is_some_and(|t| t == "::")
                    && at.checked_sub(1).is_none_or(|before| tokens[before] != "::") =>
                {
                    bare.push(name.to_owned());
                    at += 1;
                }
                _ => at += 1,
            }
        }
        bare.retain(|name| source.imports.iter().all(|import| import.name != *name));
        source.inline_paths.extend(bare.into_iter().map(|name| vec![name]));
        source
    }
}

/// Reads the tree of a `use` declaration and adds its paths, each with the name that it brings.
fn use_tree(
    tokens: &[String],
    at: &mut usize,
    prefix: &[String],
    leaves: &mut Vec<(Vec<String>, String)>,
) {
    let mut path = prefix.to_vec();
    while *at < tokens.len() {
        let token = tokens[*at].as_str();
        *at += 1;
        match token {
            "::" => {}
            "{" => {
                while *at < tokens.len() && tokens[*at] != "}" {
                    use_tree(tokens, at, &path, leaves);
                    if *at < tokens.len() && tokens[*at] == "," {
                        *at += 1;
                    }
                }
                *at += 1;
                return;
            }
            "as" => {
                leaves.push((path, tokens[*at].clone()));
                *at += 1;
                return;
            }
            "self" if !path.is_empty() => {}
            "*" => {
                leaves.push((path, "*".to_owned()));
                return;
            }
            _ => path.push(token.to_owned()),
        }
        let next = tokens.get(*at).map(String::as_str);
        if matches!(next, Some("," | "}" | ";") | None) {
            let name = path.last().cloned().unwrap_or_default();
            leaves.push((path, name));
            return;
        }
    }
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Names, `::` and punctuation, without comments and strings.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    for line in text.lines() {
        let code = line.split("//").next().unwrap_or_default();
        let mut rest = code.trim_start();
        while let Some(c) = rest.chars().next() {
            let len = if is_name(rest) {
                rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())
            } else if rest.starts_with("::") {
                2
            } else if c == '"' {
                let end = rest[1..].find('"').map_or(rest.len(), |end| end + 2);
                rest = rest[end..].trim_start();
                continue;
            } else {
                c.len_utf8()
            };
            tokens.push(rest[..len].to_owned());
            rest = rest[len..].trim_start();
        }
    }
    tokens
}

/// The text before the tests of a file, which stand at its foot.
fn without_tests(text: &str) -> String {
    let foot = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    text[..foot].to_owned()
}
