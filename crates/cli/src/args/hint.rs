//! Hints for frequent mistakes on the command line.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue};
use clap::{Command, Error};

/// Adds a hint to the error of a command line that separates the numbers of a flag by blanks, as in
/// `--from 0 0 5`.
pub(super) fn with_hint(mut error: Error, program: &Command, words: &[OsString]) -> Error {
    if error.use_stderr()
        && let Some(hint) = comma_hint(program, words)
    {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![hint.into()]));
    }
    error
}

/// The hint for the first flag with numbers between blanks.
fn comma_hint(program: &Command, words: &[OsString]) -> Option<String> {
    let words: Vec<&str> = words.iter().map_while(|word| word.to_str()).collect();
    let command = program.find_subcommand(words.get(1)?)?;
    let takes_list = |flag: &str| {
        let arg = command.get_arguments().find(|arg| arg.get_long() == Some(flag));
        let names = arg.and_then(|arg| arg.get_value_names());
        names.is_some_and(|names| names.iter().any(|name| name.contains(',')))
    };
    words.iter().enumerate().find_map(|(at, word)| {
        let flag = word.strip_prefix("--").filter(|flag| takes_list(flag))?;
        let numbers = words[at + 1..].iter().map(|word| word.trim_matches(','));
        let is_list = |text: &&str| text.split(',').all(|part| part.parse::<f64>().is_ok());
        let numbers: Vec<&str> = numbers.take_while(is_list).collect();
        (numbers.len() > 1)
            .then(|| format!("separate the numbers by commas: '--{flag} {}'", numbers.join(",")))
    })
}

#[cfg(test)]
mod tests {
    use clap::Arg;

    use super::*;

    #[test]
    fn numbers_between_blanks_get_a_hint() {
        let from = Arg::new("from").long("from").value_name("X,Y,Z");
        let t_min = Arg::new("t-min").long("t-min").value_name("T");
        let program = Command::new("hitscan").subcommand(Command::new("cast").args([from, t_min]));
        let hint = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            comma_hint(&program, &words)
        };
        let found = hint("hitscan cast m.obj --from 0 -1.5 5 --dir 1,2,3").expect("a hint");
        assert!(found.ends_with("'--from 0,-1.5,5'"), "{found}");
        assert!(hint("hitscan cast --from 0, 0, 5").expect("a hint").ends_with("'--from 0,0,5'"));
        for line in ["hitscan cast --from 0,0,5 m.obj", "hitscan cast --t-min 0 5", "hitscan"] {
            assert_eq!(hint(line), None, "{line}");
        }
    }
}
