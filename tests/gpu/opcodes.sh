#!/bin/sh
# Runs every opcode on this GPU and compares the results with tests/golden/ptx/opcodes.txt, line by
# line. With --write, writes such a file. With --missing, writes only the lines that the golden file
# lacks or has of other inputs. Needs tests/opcodes_golden of the build folder, but no compiler.
#
# usage: tests/gpu/opcodes.sh BUILD-FOLDER [--write FILE | --missing FILE]
set -eu
root=$(CDPATH= cd -- "$(dirname -- "$0")/../.." && pwd)
program=$1/tests/opcodes_golden
golden=$root/tests/golden/ptx/opcodes.txt

if [ ! -x "$program" ]; then
	echo "skipped: this build has no opcodes_golden (it needs cuda.h)"
	exit 77
fi
if [ ! -e /dev/nvidiactl ] && [ ! -e /dev/dxg ]; then
	echo "skipped: no NVIDIA driver on this machine"
	exit 77
fi
if [ "${2:-}" = --write ]; then
	timeout -k 10 500 "$program" "$3"
	exit
fi
if [ "${2:-}" = --missing ]; then
	timeout -k 10 500 "$program" "$3" "$golden"
	exit
fi
if [ ! -s "$golden" ]; then
	echo "skipped: $golden does not exist; make it with --write"
	exit 77
fi
fresh=$(mktemp)
trap 'rm -f "$fresh" "$fresh.golden"' EXIT
timeout -k 10 280 "$program" "$fresh"
# Approximations differ between GPUs; on the same kind of GPU every line is equal.
if [ "$(head -n 1 "$golden")" != "$(head -n 1 "$fresh")" ]; then
	echo "skipped: the golden file is of another GPU or driver: $(head -n 1 "$golden")"
	exit 77
fi
# The golden file may have been recorded in parts, so its lines may have another order.
sort "$golden" >"$fresh.golden"
sort -o "$fresh" "$fresh"
if ! cmp -s "$fresh.golden" "$fresh"; then
	echo "FAILED: these opcodes differ from $golden:"
	diff "$fresh.golden" "$fresh" | sed -n 's/^> \([^\t]*\).*/\1/p'
	exit 1
fi
echo "opcodes: ok"
