#!/usr/bin/env bash
# Builds libhitscan, and installs it with its headers, hitscan.pc and a CMake package:
#
#     bindings/c/install.sh [--embree] [PREFIX]        /usr/local by default; DESTDIR is honoured
#
# With --embree also libhitscan_embree4, with links by the names of Embree's library.
set -euo pipefail

packages=(--package hitscan-c)
with_embree=
if [ "${1:-}" = --embree ]; then
    with_embree=1
    packages+=(--package hitscan-embree4)
    shift
fi
prefix=${1:-/usr/local}
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
cd "$(dirname "${BASH_SOURCE[0]}")"
to=${DESTDIR:-}$prefix

# HITSCAN_BUILT is a folder with libraries that are built already.
if [ -z "${HITSCAN_BUILT:-}" ]; then
    cargo build --release --locked "${packages[@]}"
    HITSCAN_BUILT=${CARGO_TARGET_DIR:-target}/release
fi
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)

mkdir -p "$to/include" "$to/lib/pkgconfig" "$to/lib/cmake/hitscan"
cp include/hitscan.h include/hitscan.hpp "$to/include/"
if [ -e "$HITSCAN_BUILT/hitscan.dll" ]; then
    mkdir -p "$to/bin"
    cp "$HITSCAN_BUILT/hitscan.dll" "$to/bin/"
    cp "$HITSCAN_BUILT/hitscan.dll.lib" "$HITSCAN_BUILT/hitscan.lib" "$to/lib/"
else
    cp "$HITSCAN_BUILT/libhitscan.a" "$to/lib/"
fi
# Targets with musl have no shared library.
if [ -e "$HITSCAN_BUILT/libhitscan.dylib" ]; then
    cp "$HITSCAN_BUILT/libhitscan.dylib" "$to/lib/libhitscan.0.dylib"
    ln -sf libhitscan.0.dylib "$to/lib/libhitscan.dylib"
elif [ -e "$HITSCAN_BUILT/libhitscan.so" ]; then
    cp "$HITSCAN_BUILT/libhitscan.so" "$to/lib/libhitscan.so.$version"
    ln -sf "libhitscan.so.$version" "$to/lib/libhitscan.so.0"
    ln -sf libhitscan.so.0 "$to/lib/libhitscan.so"
fi
if [ -n "$with_embree" ]; then
    cp "$HITSCAN_BUILT/libhitscan_embree4.a" "$to/lib/"
    if [ "$(uname)" = Darwin ]; then
        cp "$HITSCAN_BUILT/libhitscan_embree4.dylib" "$to/lib/libhitscan_embree4.0.dylib"
        for name in libhitscan_embree4.dylib libembree4.4.dylib libembree4.dylib; do
            ln -sf libhitscan_embree4.0.dylib "$to/lib/$name"
        done
    else
        cp "$HITSCAN_BUILT/libhitscan_embree4.so" "$to/lib/libhitscan_embree4.so.$version"
        for name in libhitscan_embree4.so.0 libhitscan_embree4.so libembree4.so.4 libembree4.so; do
            ln -sf "libhitscan_embree4.so.$version" "$to/lib/$name"
        done
    fi
fi
sed "s|@VERSION@|$version|" hitscan.pc.in >"$to/lib/pkgconfig/hitscan.pc"
cp cmake/hitscanConfig.cmake "$to/lib/cmake/hitscan/"
sed "s|@VERSION@|$version|" cmake/hitscanConfigVersion.cmake.in >"$to/lib/cmake/hitscan/hitscanConfigVersion.cmake"
echo "installed hitscan $version in $to"
