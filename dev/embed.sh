#!/usr/bin/env bash
# Builds what the program carries inside itself, into target/embed/: the object that measures in the
# host's libc, and the jar with the Java loops. What cannot be built here is left out, and said; the
# exit code is 1 only where the tools were there and failed.

. "$(dirname "$0")/common.sh"

mkdir -p "$embed"

# An unchanged file keeps its time, so that cargo does not link the program anew.
put() {
    if cmp -s "$1" "$2"; then
        return 0
    fi
    cp "$1" "$2.new"
    mv "$2.new" "$2"
}

build_shim() {
    local shim=$embed/libtoll_shim.so
    if ! has_target "$shim_target"; then
        rm -f "$shim"
        say "no Rust for $shim_target: libc rows will be unavailable (rustup target add $shim_target)"
        return 0
    fi
    if cargo build --quiet --locked --release -p toll-shim --target "$shim_target"; then
        put "$target/$shim_target/release/libtoll_shim.so" "$shim"
    else
        rm -f "$shim"
        say "the object for libc cannot be built: libc rows will be unavailable"
        failed=1
    fi
}

build_jar() {
    local source=java/probe/ClockProbe.java jar=$embed/toll-probe.jar javac classes
    if [ "$jar" -nt "$source" ]; then
        return 0
    fi
    # One that is older than its source must not be carried.
    rm -f "$jar"
    javac=$(find_javac)
    if [ -z "$javac" ]; then
        say "no javac: Java rows will be unavailable (apt-get install default-jdk-headless)"
        return 0
    fi
    classes=$(mktemp -d)
    # Java 8's class files, so that every JVM from 8 on takes them; from 21 on javac warns of that.
    if "$javac" --release 8 -Xlint:all,-options -Werror -d "$classes" "$source" &&
        "$(dirname "$javac")/jar" cfM "$jar.new" -C "$classes" .; then
        mv "$jar.new" "$jar"
    else
        say "$javac cannot build the Java loops: Java rows will be unavailable"
        failed=1
    fi
    rm -rf "$classes"
}

failed=0
build_shim
build_jar
exit "$failed"
