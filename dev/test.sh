#!/usr/bin/env bash
# All that must hold before a change goes in: dev/test.sh, or dev/test.sh lint for style and lints.
#
# Each step and each test counts once; a test that could not run here counts as skipped and is listed
# with what it needs. The last line is `N passed, N failed, N skipped`; the exit code is 1 if any
# failed.

. "$(dirname "$0")/common.sh"

what=${1:-all}
log=$target/test.log
skips=$target/skips.txt
steps_passed=0
steps_failed=0

# step NAME COMMAND…: runs it, shows its words, and counts it.
step() {
    local name=$1 begun=$SECONDS
    shift
    say "$name: $*"
    if "$@" </dev/null; then
        steps_passed=$((steps_passed + 1))
        say "$name: ok ($((SECONDS - begun)) s)"
    else
        steps_failed=$((steps_failed + 1))
        say "$name: FAILED ($((SECONDS - begun)) s)"
    fi
}

lints() {
    step "rustfmt" cargo fmt --all --check
    step "clippy" cargo clippy --locked --all-targets -- -D warnings
    # The preloaded object has a target and a profile of its own.
    step "clippy, shim" \
        cargo clippy --locked -p toll-shim --release --target "$shim_target" -- -D warnings
    local other
    for other in x86_64 aarch64; do
        if [ "$other" != "$arch" ] && has_target "$other-unknown-linux-musl"; then
            step "$other" cargo check --locked --target "$other-unknown-linux-musl"
        fi
    done
}

tests_passed=0
tests_failed=0
tests_skipped=0

tests() {
    local begun=$SECONDS status=0 ignored
    step "embed" dev/embed.sh
    # pg_test_timing, where it is not installed.
    say "tests: cargo test --locked --no-fail-fast"
    PATH=$PATH:$tools TOLL_SKIPS=$skips cargo test --locked --no-fail-fast </dev/null 2>&1 |
        tee "$log" || status=$?
    say "tests: $((SECONDS - begun)) s"
    # Tests run side by side may each have said it; a skipped one has also counted as passed.
    if [ -s "$skips" ]; then
        sort -u -o "$skips" "$skips"
        tests_skipped=$(wc -l <"$skips")
    fi
    read -r tests_passed tests_failed ignored < <(
        awk '/^test result: / { passed += $4; failed += $6; ignored += $8 }
            END { print passed + 0, failed + 0, ignored + 0 }' "$log"
    )
    tests_passed=$((tests_passed - tests_skipped))
    tests_skipped=$((tests_skipped + ignored))
    # Tests that did not compile, or a harness that died, have no result line.
    if [ "$status" != 0 ] && [ "$tests_failed" = 0 ]; then
        tests_failed=1
    fi
}

mkdir -p "$target"
rm -f "$log" "$skips"
case $what in
all)
    dev/setup.sh test
    lints
    tests
    ;;
lint)
    dev/setup.sh test
    lints
    ;;
*)
    echo "usage: dev/test.sh [all|lint]" >&2
    exit 2
    ;;
esac

passed=$((steps_passed + tests_passed))
failed=$((steps_failed + tests_failed))
if [ "$failed" != 0 ] && [ -f "$log" ]; then
    grep -E '^test .* \.\.\. FAILED|^error: (test|doctest|could not compile)' "$log" || true
fi
if [ -s "$skips" ]; then
    cat "$skips"
fi
echo "$passed passed, $failed failed, $tests_skipped skipped"
[ "$failed" = 0 ]
