#!/bin/sh
# Runs a few commands under valgrind: no invalid access, no use of uninitialised memory.
# usage: valgrind.sh BUILD-FOLDER [SANITIZERS]
set -eu
build=$1
if [ -n "${2:-}" ]; then
	echo "skipped: valgrind does not run sanitized programs"
	exit 77
fi
command -v valgrind >/dev/null || {
	echo "skipped: valgrind is not installed"
	exit 77
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# check CODE ARGUMENT …: perflab must end with CODE and valgrind must find nothing.
check() {
	wanted=$1
	shift
	status=0
	valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite \
		"$build/bin/perflab" "$@" >out.txt 2>err.txt || status=$?
	if [ "$status" -ne "$wanted" ]; then
		printf 'perflab %s: exit %s, not %s\n' "$*" "$status" "$wanted" >&2
		cat err.txt >&2
		exit 1
	fi
}

check 0 --version
check 0 list kernels --format json
check 2 sweep reduce --block-sizes 1024..64
check 2 sweep reduxe
check 3 report last --db none.db
echo "valgrind: ok"
