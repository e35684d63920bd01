#!/usr/bin/env bash
# Packs the built program for others: dev/dist.sh PROGRAM. Called by `make dist`.

. "$(dirname "$0")/common.sh"

program=$1
version=$("$program" --version | awk '{ print $2 }')
name=toll-$version-$arch-linux
folder=$target/dist/$name

rm -rf "$folder"
mkdir -p "$folder/completions"
cp "$program" LICENSE-MIT LICENSE-APACHE "$folder/"
for document in README.md CHANGELOG.md; do
    [ ! -f "$document" ] || cp "$document" "$folder/"
done
for shell in bash zsh fish; do
    "$program" generate completions "$shell" >"$folder/completions/toll.$shell"
done
"$program" generate man "$folder/man/man1"
tar -C "$target/dist" --owner=0 --group=0 --numeric-owner -czf "$target/dist/$name.tar.gz" "$name"
say "${target#"$PWD/"}/dist/$name.tar.gz"
