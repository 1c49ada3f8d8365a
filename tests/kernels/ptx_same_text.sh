#!/bin/sh
# nvcc of the same release still makes the PTX that is in the tree, character by character.
# usage: ptx_same_text.sh SOURCE-FOLDER; environment: PERFLAB_NVCC (empty: no toolkit)
set -eu
cd "$1"
if [ -z "${PERFLAB_NVCC:-}" ]; then
	echo "skipped: no CUDA toolkit"
	exit 77
fi
release=$("$PERFLAB_NVCC" --version | sed -n 's/.*, V\([0-9.]*\)$/\1/p')
kept=$(sed -n 's|^// perflab: toolkit ||p' kernels/*/*.ptx tests/harness/ptx/planted/*.ptx | sort -u)
if [ "$release" != "$kept" ]; then
	echo "skipped: nvcc is $release, the PTX in the tree was made by" $kept
	exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
scripts/make-ptx --into "$scratch" >"$scratch/log" 2>&1 || {
	cat "$scratch/log" >&2
	exit 1
}
for ptx in kernels/*/*.ptx tests/harness/ptx/planted/*.ptx; do
	diff -u "$ptx" "$scratch/$ptx"
done
