#!/bin/sh
# test_images_nvcc.sh NVCC PROGRAM TEST …: runs the tests on files that this nvcc makes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$(dirname -- "$0")/fixtures/make.sh" "$1" "$folder"
program=$2
shift 2
for test in "$@"; do
	PERFLAB_IMAGES=$folder "$program" "$test"
done
