#!/bin/sh
# Runs every instruction on matrices on this GPU and compares the results with
# tests/golden/ptx/matrices.txt, line by line. With --write, writes that file. Needs
# tests/matrices_golden of the build folder, but no compiler.
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
if ! cmp -s "$golden" "$fresh"; then
	echo "FAILED: these instructions differ from $golden:"
	diff "$golden" "$fresh" | sed -n 's/^> \([^\t]*\).*/\1/p'
	exit 1
fi
echo "matrices: ok"
