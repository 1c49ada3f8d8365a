#!/bin/sh
# What the emulator is held against: the GPU's counters for the built-in kernels, and what each
# opcode gives. Leaves both beside the logs; they replace the files in tests/golden/ptx/.
#
# usage: tests/gpu/ptx.sh BUILD-FOLDER FOLDER
set -eu
results=$(CDPATH= cd -- "$2" && pwd)
root=$(CDPATH= cd -- "$(dirname -- "$0")/../.." && pwd)
. "$(dirname -- "$0")/lib.sh"

expect 0 "$root/scripts/compare-ptx" --perflab "$perflab" --record "$results/h200_counters.json"
cat out.txt
expect 0 "$build/tests/opcodes_golden" "$results/opcodes.txt"
cat out.txt
echo "ptx: ok"
