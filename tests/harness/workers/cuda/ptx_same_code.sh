#!/bin/sh
# ptxas makes of the PTX in the tree the machine code that the build's sm_90 cubins have: what the
# emulator runs is what the GPU was measured with.
# usage: ptx_same_code.sh SOURCE-FOLDER BUILD-FOLDER CUBIN-HASH; environment: PERFLAB_NVCC
set -eu
source_root=$1
images=$2/share/perflab/kernels
cubin_hash=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
ptxas=$(dirname -- "$PERFLAB_NVCC")/ptxas

release=$("$PERFLAB_NVCC" --version | sed -n 's/.*, V\([0-9.]*\)$/\1/p')
kept=$(sed -n 's|^// perflab: toolkit ||p' "$source_root"/kernels/generated/*/*.ptx | sort -u)
if [ "$release" != "$kept" ]; then
	echo "skipped: ptxas is of $release, the PTX in the tree of" $kept
	exit 77
fi
compared=0
for ptx in "$source_root"/kernels/generated/*/*.ptx; do
	name=${ptx#"$source_root"/kernels/generated/}
	name=${name%.ptx}
	for arch in sm_90 sm_90a; do
		image=$images/$name.$arch.cubin
		[ -e "$image" ] || continue
		"$ptxas" -arch=$arch -lineinfo -o "$scratch/image.cubin" "$ptx"
		[ "$("$cubin_hash" "$scratch/image.cubin")" = "$("$cubin_hash" "$image")" ] || {
			echo "ptx_same_code: $name, $arch: other machine code than the build's" >&2
			exit 1
		}
		compared=$((compared + 1))
	done
done
if [ "$compared" -eq 0 ]; then
	echo "skipped: no sm_90 cubin in the build"
	exit 77
fi
echo "ptx_same_code: $compared images are the same"
