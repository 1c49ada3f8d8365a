#!/bin/sh
# Runs instructions on textures and surfaces on this GPU and compares the results with
# tests/golden/ptx/textures.txt, line by line. With --write, writes that file. Needs
# tests/textures_golden of the build folder, but no compiler.
#
# usage: tests/gpu/textures.sh BUILD-FOLDER [--write FILE]
set -eu
root=$(CDPATH= cd -- "$(dirname -- "$0")/../.." && pwd)
program=$1/tests/textures_golden
golden=$root/tests/golden/ptx/textures.txt

if [ ! -x "$program" ]; then
	echo "skipped: this build has no textures_golden (it needs the CUDA runtime of a toolkit)"
	exit 77
fi
if [ ! -e /dev/nvidiactl ] && [ ! -e /dev/dxg ]; then
	echo "skipped: no NVIDIA driver on this machine"
	exit 77
fi

# incomplete FILE: says which parts of the program ended early, so that their results are missing.
incomplete() {
	sed -n "s|^# \(.* ended with .*\)|$1 is incomplete: \1|p" "$1"
}

fresh=$(mktemp)
trap 'rm -f "$fresh"' EXIT
if [ "${2:-}" = --write ]; then
	timeout -k 10 500 "$program" >"$fresh"
	cat "$fresh" >"$3"
	incomplete "$3"
	exit
fi
if [ ! -s "$golden" ]; then
	echo "skipped: $golden does not exist; make it with --write"
	exit 77
fi
timeout -k 10 280 "$program" >"$fresh"
if [ "$(head -n 1 "$golden")" != "$(head -n 1 "$fresh")" ]; then
	echo "skipped: the golden file is of another GPU or driver: $(head -n 1 "$golden")"
	exit 77
fi
# Results that the golden file lacks cannot differ from it.
if diff "$golden" "$fresh" | grep -q '^< [^#]'; then
	incomplete "$golden"
	echo "FAILED: this GPU differs from $golden; each @@ names the instruction:"
	diff -U 0 -F '^\(run\|store\) ' "$golden" "$fresh" | tail -n +3 | head -n 40
	exit 1
fi
incomplete "$golden"
echo "textures: ok"
