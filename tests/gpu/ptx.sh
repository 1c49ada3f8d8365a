#!/bin/sh
# What the emulator is held against: this GPU's counters for the built-in kernels. They are left in
# FOLDER/h200_counters.json, to replace the file of that name in tests/golden/ptx/.
#
# usage: tests/gpu/ptx.sh BUILD-FOLDER FOLDER
set -eu
results=$(CDPATH= cd -- "$2" && pwd)
root=$(CDPATH= cd -- "$(dirname -- "$0")/../.." && pwd)
. "$(dirname -- "$0")/lib.sh"

expect 0 "$root/scripts/compare-ptx" --perflab "$perflab" --record "$results/h200_counters.json"
cat out.txt
echo "ptx: ok"
