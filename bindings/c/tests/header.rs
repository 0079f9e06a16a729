//! `include/hitscan.h` is what cbindgen makes of the sources.

use std::{env, fs, path::Path};

#[test]
fn the_header_is_made_from_the_sources() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).expect("a valid file");
    let mut builder = cbindgen::Builder::new().with_config(config);
    for module in modules(&root.join("src")) {
        builder = builder.with_src(module);
    }
    let mut made = Vec::new();
    builder.generate().expect("cbindgen reads the sources").write(&mut made);
    let made = String::from_utf8(made).expect("text");
    let header = root.join("include/hitscan.h");
    if env::var_os("HITSCAN_WRITE_HEADER").is_some() {
        fs::write(&header, &made).expect("the folder can be written");
    }
    let found = fs::read_to_string(&header).unwrap_or_default().replace("\r\n", "\n");
    let differs = made.lines().zip(found.lines()).position(|(made, found)| made != found);
    assert!(
        made == found,
        "include/hitscan.h differs from the sources at line {}; write it by \
         HITSCAN_WRITE_HEADER=1 cargo test --release --test header",
        differs.map_or(made.lines().count().min(found.lines().count()), |line| line) + 1,
    );
}

/// The modules with public items, in the order of `lib.rs`.
fn modules(src: &Path) -> Vec<std::path::PathBuf> {
    let lib = fs::read_to_string(src.join("lib.rs")).expect("the sources are there");
    let names = lib.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
    let files = names.map(|name| src.join(name).with_extension("rs"));
    files.filter(|file| file.is_file()).collect()
}
