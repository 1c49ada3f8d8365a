#!/bin/sh
# Prints what clusters do on this GPU, and fails if it is not what the emulator expects. Needs nvcc
# and a GPU of compute capability 9.0 or later.
#
# usage: tests/gpu/clusters.sh
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
without_perflab=1
. "$(dirname -- "$0")/lib.sh"

command -v nvcc >/dev/null 2>&1 || skip "no nvcc in PATH"
needs_driver
nvcc -arch=sm_90 -std=c++17 -diag-suppress 20054 -o "$scratch/probe" "$here/clusters_probe.cu"
timeout -k 10 60 "$scratch/probe"
