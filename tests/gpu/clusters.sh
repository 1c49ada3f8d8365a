#!/bin/sh
# Prints what clusters do on this GPU, and fails if it is not what the emulator expects. Needs nvcc
# and a GPU of compute capability 9.0 or later.
#
# usage: tests/gpu/clusters.sh
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)

if ! command -v nvcc >/dev/null 2>&1; then
	echo "skipped: no nvcc in PATH"
	exit 77
fi
if [ ! -e /dev/nvidiactl ] && [ ! -e /dev/dxg ]; then
	echo "skipped: no NVIDIA driver on this machine"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nvcc -arch=sm_90 -std=c++17 -diag-suppress 20054 -o "$work/probe" "$here/clusters_probe.cu"
timeout -k 10 60 "$work/probe"
