#!/bin/sh
# Runs instructions on textures and surfaces on this GPU and compares the results with
# tests/golden/ptx/textures.txt.zst, line by line. With --write, writes that file. Needs
# tests/textures_golden of the build folder, but no compiler.
#
# usage: tests/gpu/textures.sh BUILD-FOLDER [--write FILE]
set -eu
without_perflab=1
. "$(dirname -- "$0")/lib.sh"
golden_of "$1" textures "the CUDA runtime of a toolkit"

# incomplete FILE: says which parts of the program ended early, so that their results are missing.
incomplete() {
	sed -n "s|^# \(.* ended with .*\)|$1 is incomplete: \1|p" "$1"
}

fresh=$scratch/fresh
if [ "${2:-}" = --write ]; then
	timeout -k 10 500 "$program" >"$fresh"
	write_golden "$fresh" "$3"
	incomplete "$fresh"
	exit
fi
needs_golden
timeout -k 10 280 "$program" >"$fresh"
needs_same_gpu "$fresh"
# Results that the golden file lacks cannot differ from it.
if diff "$golden" "$fresh" | grep -q '^< [^#]'; then
	incomplete "$golden"
	echo "FAILED: this GPU differs from $recorded; each @@ names the instruction:"
	diff -U 0 -F '^\(run\|store\) ' "$golden" "$fresh" | tail -n +3 | head -n 40
	exit 1
fi
incomplete "$golden"
echo "textures: ok"
