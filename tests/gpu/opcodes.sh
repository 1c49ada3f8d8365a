#!/bin/sh
# Runs every opcode on this GPU and compares the results with tests/golden/ptx/opcodes.txt.zst, line
# by line. With --write, writes such a file. With --missing, writes only the lines that the golden file
# lacks or has of other inputs. Needs tests/opcodes_golden of the build folder, but no compiler.
#
# usage: tests/gpu/opcodes.sh BUILD-FOLDER [--write FILE | --missing FILE]
set -eu
without_perflab=1
. "$(dirname -- "$0")/lib.sh"
golden_of "$1" opcodes cuda.h

fresh=$scratch/fresh
if [ "${2:-}" = --write ]; then
	timeout -k 10 500 "$program" "$fresh"
	write_golden "$fresh" "$3"
	exit
fi
needs_golden
if [ "${2:-}" = --missing ]; then
	timeout -k 10 500 "$program" "$3" "$golden"
	exit
fi
timeout -k 10 280 "$program" "$fresh"
needs_same_gpu "$fresh"
# The golden file may have been recorded in parts, so its lines may have another order.
sort "$golden" >"$scratch/golden"
sort -o "$fresh" "$fresh"
if ! cmp -s "$scratch/golden" "$fresh"; then
	echo "FAILED: these opcodes differ from $recorded:"
	diff "$scratch/golden" "$fresh" | sed -n 's/^> \([^\t]*\).*/\1/p'
	exit 1
fi
echo "opcodes: ok"
