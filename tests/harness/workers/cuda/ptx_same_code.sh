#!/bin/sh
# Compiles the PTX in the tree with ptxas and compares the machine code with the sm_90 cubins of the
# build. Equal code means that the emulator executes the same kernels as the GPU.
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
	echo "skipped: ptxas has version $release, the PTX in the tree" $kept
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
			echo "ptx_same_code: $name, $arch: the machine code differs from the build" >&2
			exit 1
		}
		compared=$((compared + 1))
	done
done
if [ "$compared" -eq 0 ]; then
	echo "skipped: the build has no sm_90 cubin"
	exit 77
fi
echo "ptx_same_code: $compared images are equal"
