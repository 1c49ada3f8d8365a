#!/bin/sh
# The build copies a kernel's PTX, and warns if it was made from another source.
# usage: ptx_copy.sh SOURCE-FOLDER CMAKE
set -eu
script=$1/cmake/copy_ptx.cmake
cmake=$2
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
cd "$root"

fail() {
	printf 'ptx_copy: %s: %s\n' "$*" "$(cat said)" >&2
	exit 1
}

copy() {
	rm -rf copy
	"$cmake" -D "FROM=$root/generated" -D "TO=$root/copy" -D "ROOT=$root" -P "$script" >said 2>&1
	cmp -s generated/f/v.ptx copy/f/v.ptx || fail 'not copied as it is'
}

mkdir -p kernels/f generated/f
echo 'kernel;[x] "${y}"' >kernels/f/v.cu
echo 'shared' >kernels/f/f.cuh
{
	echo '// perflab: toolkit 13.0.88'
	for file in kernels/f/f.cuh kernels/f/v.cu; do
		echo "// perflab: source $file $(sha256sum <$file | cut -d' ' -f1)"
	done
	echo '.version 9.0'
	echo '@VERSION@ ${VERSION} ; "'
} >generated/f/v.ptx

copy
[ ! -s said ] || fail 'a fresh one is remarked'
echo 'changed' >>kernels/f/f.cuh
copy
grep -q 'warning: f/v.ptx was made of another kernels/f/f.cuh: ' said || fail 'not said'
rm kernels/f/v.cu
copy
grep -q 'another kernels/f/f.cuh kernels/f/v.cu: ' said || fail 'what is gone is not said'
