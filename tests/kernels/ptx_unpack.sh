#!/bin/sh
# The build unpacks a kernel's PTX, and warns if it was made from another source.
# usage: ptx_unpack.sh SOURCE-FOLDER CMAKE
set -eu
script=$1/cmake/unpack_ptx.cmake
cmake=$2
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
cd "$root"

fail() {
	printf 'ptx_unpack: %s: %s\n' "$*" "$(cat said)" >&2
	exit 1
}

unpack() {
	"$cmake" -D "FROM=$root/generated" -D "TO=$root/unpacked" -D "ROOT=$root" -P "$script" >said 2>&1
	cmp -s f/v.ptx unpacked/f/v.ptx || fail 'not unpacked as it is'
	[ ! -e unpacked/f/gone.ptx ] || fail 'what the archive lacks is still there'
	mkdir -p unpacked/f
	: >unpacked/f/gone.ptx
}

mkdir -p kernels/f generated f
echo 'kernel;[x] "${y}"' >kernels/f/v.cu
echo 'shared' >kernels/f/f.cuh
{
	echo '// perflab: toolkit 13.0.88'
	for file in kernels/f/f.cuh kernels/f/v.cu; do
		echo "// perflab: source $file $(sha256sum <$file | cut -d' ' -f1)"
	done
	echo '.version 9.0'
	echo '@VERSION@ ${VERSION} ; "'
} >f/v.ptx
"$cmake" -E tar cf generated/f.tar.zst --zstd f

unpack
[ ! -s said ] || fail 'a fresh one is remarked'
echo 'changed' >>kernels/f/f.cuh
unpack
grep -q 'warning: f/v.ptx was made of another kernels/f/f.cuh: ' said || fail 'not said'
rm kernels/f/v.cu
unpack
grep -q 'another kernels/f/f.cuh kernels/f/v.cu: ' said || fail 'what is gone is not said'
