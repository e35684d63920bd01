# What the scripts in dev/ share: folders, targets, words to the person. Sourced, not run.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

arch=$(uname -m)
case $arch in
x86_64 | aarch64) ;;
*)
    echo "toll: $arch is not supported; it runs on x86_64 and aarch64" >&2
    exit 2
    ;;
esac

# Everything that is built goes here, whatever the caller's environment says of cargo's folder.
target=$PWD/target
export CARGO_TARGET_DIR=$target
embed=$target/embed
tools=$target/tools

static_target=$arch-unknown-linux-musl
shim_target=$arch-unknown-linux-gnu

say() {
    printf '%s: %s\n' "$(basename "$0" .sh)" "$*" >&2
}

# Whether Rust's standard library for a target is there, rustup or not.
has_target() {
    [ -d "$(rustc --print target-libdir --target "$1" 2>/dev/null)" ]
}

# The javac to use: on PATH, by JAVA_HOME, or where distributions put it. Empty if there is none.
find_javac() {
    local candidate
    for candidate in "$(command -v javac || true)" "${JAVA_HOME:+$JAVA_HOME/bin/javac}" /usr/lib/jvm/*/bin/javac; do
        if [ -x "$candidate" ]; then
            printf '%s\n' "$candidate"
            return
        fi
    done
}
