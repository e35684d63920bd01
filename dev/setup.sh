#!/usr/bin/env bash
# Sets up what is missing to build toll (`dev/setup.sh run`) or to test it (`dev/setup.sh test`).
#
# Debian packages are installed by apt-get, as root or with sudo. Where neither is to be had, the
# exact command is printed and the work goes on without what needs them. With nothing missing it
# changes nothing, asks no server, and takes a moment.
#
# Exit code 2: something without which nothing can be built is missing.

. "$(dirname "$0")/common.sh"

purpose=${1:-run}
case $purpose in
run | test) ;;
*)
    echo "usage: dev/setup.sh [run|test]" >&2
    exit 2
    ;;
esac

packages=()
lost=()

# missing WHAT-IS-LOST-WITHOUT PACKAGE…: notes Debian packages to install.
missing() {
    lost+=("$1")
    packages+=("${@:2}")
}

# Runs apt-get as root, in silence but for failures; its words are kept in target/setup.log.
as_root=()
apt() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@" \
        </dev/null >>"$target/setup.log" 2>&1
}

can_be_root() {
    if [ "$(id -u)" = 0 ]; then
        return 0
    fi
    command -v sudo >/dev/null || return 1
    # Without a password, or with a person at the terminal to give it.
    if sudo -n true 2>/dev/null || { [ -t 0 ] && [ -t 2 ] && sudo -v; }; then
        as_root=(sudo)
        return 0
    fi
    return 1
}

without() {
    local what
    for what in "${lost[@]}"; do
        say "  without: $what"
    done
}

install_packages() {
    [ ${#packages[@]} -gt 0 ] || return 0
    local command="apt-get install -y --no-install-recommends ${packages[*]}"
    if ! command -v apt-get >/dev/null; then
        say "not a Debian; please install what these Debian packages hold: ${packages[*]}"
        without
        return 0
    fi
    if ! can_be_root; then
        say "missing: ${packages[*]}; not root, and no sudo. As root, run:"
        say "    $command"
        without
        return 0
    fi
    say "installing ${packages[*]} (${as_root[*]:+${as_root[*]} }$command)"
    mkdir -p "$target"
    # The lists may be fresh enough; only where they are not is the server asked for new ones.
    if ! apt install -y --no-install-recommends "${packages[@]}"; then
        if ! apt update || ! apt install -y --no-install-recommends "${packages[@]}"; then
            say "apt-get failed; its last words:"
            tail -n 5 "$target/setup.log" >&2
            without
        fi
    fi
}

# pg_test_timing comes with PostgreSQL's server. Installing that would start one here, so the
# program alone is taken out of the package; it needs nothing but libc, and no root.
fetch_pg_test_timing() {
    local folder
    if command -v pg_test_timing >/dev/null || [ -x "$tools/pg_test_timing" ]; then
        return 0
    fi
    for folder in /usr/lib/postgresql/*/bin; do
        [ ! -x "$folder/pg_test_timing" ] || return 0
    done
    command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || return 0
    local package
    package=$(apt-cache depends postgresql 2>/dev/null | awk '$1 == "Depends:" { print $2; exit }')
    [ -n "$package" ] || return 0
    say "fetching pg_test_timing out of $package (apt-get download; nothing is installed)"
    local scratch
    scratch=$(mktemp -d)
    if (cd "$scratch" && apt-get -qq download "$package" && dpkg-deb -x ./*.deb .) \
        >>"$target/setup.log" 2>&1; then
        mkdir -p "$tools"
        cp "$scratch"/usr/lib/postgresql/*/bin/pg_test_timing "$tools/"
    else
        say "  that failed (target/setup.log); the test against it will be skipped"
    fi
    rm -rf "$scratch"
}

need_rust() {
    if ! command -v cargo >/dev/null || ! command -v rustc >/dev/null; then
        say "Rust is missing. Install it by rustup (https://rustup.rs):"
        say "    curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh"
        exit 2
    fi
}

add_target() {
    has_target "$1" && return 0
    if ! command -v rustup >/dev/null; then
        say "Rust's standard library for $1 is missing, and rustup to add it"
        return 1
    fi
    say "adding Rust's standard library for $1 (rustup target add $1)"
    rustup --quiet target add "$1"
}

add_component() {
    cargo "$1" --version >/dev/null 2>&1 && return 0
    say "adding $2 (rustup component add $2)"
    rustup --quiet component add "$2"
}

need_rust
command -v cc >/dev/null || missing "nothing can be linked" gcc libc6-dev
[ -n "$(find_javac)" ] || missing "prices inside a JVM" default-jdk-headless
if [ "$purpose" = test ]; then
    command -v perf >/dev/null || missing "the test against perf bench" linux-perf
    command -v musl-gcc >/dev/null || missing "tests with programs linked against musl" musl-tools
    command -v taskset >/dev/null || missing "tests that pin outside instruments" util-linux
fi
install_packages
command -v cc >/dev/null || exit 2
add_target "$static_target"
if [ "$purpose" = test ]; then
    mkdir -p "$target"
    fetch_pg_test_timing
    add_target aarch64-unknown-linux-musl
    add_component fmt rustfmt
    add_component clippy clippy
fi
