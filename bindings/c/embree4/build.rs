//! The name by which programs find the shared library: it changes with every incompatible version.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let target = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    match target.as_str() {
        "linux" | "freebsd" | "android" => {
            println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libhitscan_embree4.so.0");
        }
        "macos" => {
            println!(
                "cargo:rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libhitscan_embree4.0.dylib"
            );
        }
        _ => {}
    }
}
