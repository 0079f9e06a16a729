#!/usr/bin/env bash
# Builds libhitscan, and installs it with its headers, hitscan.pc and a CMake package:
#
#     bindings/c/install.sh [PREFIX]        /usr/local by default; DESTDIR is honoured
set -euo pipefail

prefix=${1:-/usr/local}
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
cd "$(dirname "${BASH_SOURCE[0]}")"
to=${DESTDIR:-}$prefix

# HITSCAN_BUILT is a folder with libraries that are built already.
if [ -z "${HITSCAN_BUILT:-}" ]; then
    cargo build --release --locked
    HITSCAN_BUILT=${CARGO_TARGET_DIR:-target}/release
fi
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)

mkdir -p "$to/include" "$to/lib/pkgconfig" "$to/lib/cmake/hitscan"
cp include/hitscan.h include/hitscan.hpp "$to/include/"
cp "$HITSCAN_BUILT/libhitscan.a" "$to/lib/"
if [ "$(uname)" = Darwin ]; then
    cp "$HITSCAN_BUILT/libhitscan.dylib" "$to/lib/libhitscan.0.dylib"
    ln -sf libhitscan.0.dylib "$to/lib/libhitscan.dylib"
else
    cp "$HITSCAN_BUILT/libhitscan.so" "$to/lib/libhitscan.so.$version"
    ln -sf "libhitscan.so.$version" "$to/lib/libhitscan.so.0"
    ln -sf libhitscan.so.0 "$to/lib/libhitscan.so"
fi
sed -e "s|@PREFIX@|$prefix|" -e "s|@VERSION@|$version|" hitscan.pc.in >"$to/lib/pkgconfig/hitscan.pc"
cp cmake/hitscanConfig.cmake "$to/lib/cmake/hitscan/"
sed "s|@VERSION@|$version|" cmake/hitscanConfigVersion.cmake.in >"$to/lib/cmake/hitscan/hitscanConfigVersion.cmake"
echo "installed hitscan $version in $to"
