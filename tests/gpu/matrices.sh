#!/bin/sh
# Runs every instruction on matrices on this GPU and compares the results with
# tests/golden/ptx/matrices.txt.zst, line by line. Cases without a line there are counted only. With
# --write, writes that file. Needs tests/matrices_golden of the build folder, but no compiler.
#
# usage: tests/gpu/matrices.sh BUILD-FOLDER [--write FILE]
set -eu
without_perflab=1
. "$(dirname -- "$0")/lib.sh"
golden_of "$1" matrices cuda.h

fresh=$scratch/fresh known=$scratch/known
if [ "${2:-}" = --write ]; then
	timeout -k 10 500 "$program" "$fresh"
	write_golden "$fresh" "$3"
	exit
fi
needs_golden
timeout -k 10 280 "$program" "$fresh"
needs_same_gpu "$fresh"
known_lines "$golden" "$fresh" >"$known"
if ! cmp -s "$golden" "$known"; then
	echo "FAILED: these instructions differ from $recorded:"
	diff "$golden" "$known" | sed -n 's/^[<>] \([^\t]*\).*/\1/p' | sort -u
	exit 1
fi
unrecorded=$(($(wc -l <"$fresh") - $(wc -l <"$known")))
[ "$unrecorded" -eq 0 ] ||
	echo "$unrecorded cases are not recorded; record them with --write"
echo "matrices: ok"
