#!/bin/sh
# Runs every instruction on matrices on this GPU and compares the results with
# tests/golden/ptx/matrices.txt, line by line. Cases without a line there are counted only. With
# --write, writes that file. Needs tests/matrices_golden of the build folder, but no compiler.
#
# usage: tests/gpu/matrices.sh BUILD-FOLDER [--write FILE]
set -eu
root=$(CDPATH= cd -- "$(dirname -- "$0")/../.." && pwd)
program=$1/tests/matrices_golden
golden=$root/tests/golden/ptx/matrices.txt

if [ ! -x "$program" ]; then
	echo "skipped: this build has no matrices_golden (it needs cuda.h)"
	exit 77
fi
if [ ! -e /dev/nvidiactl ] && [ ! -e /dev/dxg ]; then
	echo "skipped: no NVIDIA driver on this machine"
	exit 77
fi
if [ "${2:-}" = --write ]; then
	timeout -k 10 500 "$program" "$3"
	exit
fi
if [ ! -s "$golden" ]; then
	echo "skipped: $golden does not exist; make it with --write"
	exit 77
fi
fresh=$(mktemp)
trap 'rm -f "$fresh"' EXIT
timeout -k 10 280 "$program" "$fresh"
# Each kind of tensor core rounds in its own way; on the same kind every line is equal.
if [ "$(head -n 1 "$golden")" != "$(head -n 1 "$fresh")" ]; then
	echo "skipped: the golden file is of another GPU or driver: $(head -n 1 "$golden")"
	exit 77
fi
# Cases that no GPU has recorded have no line yet.
known=$(mktemp)
trap 'rm -f "$fresh" "$known"' EXIT
awk -F '\t' 'NR == FNR { recorded[$1]; next } $1 in recorded' "$golden" "$fresh" >"$known"
if ! cmp -s "$golden" "$known"; then
	echo "FAILED: these instructions differ from $golden:"
	diff "$golden" "$known" | sed -n 's/^[<>] \([^\t]*\).*/\1/p' | sort -u
	exit 1
fi
unrecorded=$(($(wc -l <"$fresh") - $(wc -l <"$known")))
[ "$unrecorded" -eq 0 ] ||
	echo "$unrecorded cases are not recorded; record them with --write"
echo "matrices: ok"
