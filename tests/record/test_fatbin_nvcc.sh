#!/bin/sh
# test_fatbin_nvcc.sh NVCC TEST: runs the test on fat binaries that this nvcc makes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$(dirname -- "$0")/fixtures/make.sh" "$1" "$folder"
PERFLAB_FATBINS=$folder "$2"
