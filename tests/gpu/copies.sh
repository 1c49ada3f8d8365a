#!/bin/sh
# Runs the cases of clusters, bulk copies and tensor copies on this GPU and compares with
# tests/golden/ptx/copies.txt, line by line. Cases without a line there are counted only. With
# --more, takes the second list, whose golden file is copies_more.txt: the im2col mode, changed
# tensor maps and others. With --edges, takes the third list, whose golden file is
# copies_edges.txt: the ends of tensors. With --interleave, takes the fourth list, whose golden file
# is copies_interleave.txt: interleaved layouts. With --layouts, takes the fifth list, whose golden
# file is copies_layouts.txt: these in im2col mode and in changed maps. With --write, writes that
# file. Needs tests/copies_golden of the build folder, but no compiler. One GPU is used, because
# the driver starts again after each case that faults.
#
# usage: tests/gpu/copies.sh BUILD-FOLDER [--more|--edges|--interleave|--layouts] [--write FILE]
set -eu
root=$(CDPATH= cd -- "$(dirname -- "$0")/../.." && pwd)
program=$1/tests/copies_golden
golden=$root/tests/golden/ptx/copies.txt
shift
list=
case ${1:-} in
--more | --edges | --interleave | --layouts)
	list=$1
	golden=$root/tests/golden/ptx/copies_${list#--}.txt
	shift
	;;
esac

if [ ! -x "$program" ]; then
	echo "skipped: this build has no copies_golden (it needs cuda.h)"
	exit 77
fi
if [ ! -e /dev/nvidiactl ] && [ ! -e /dev/dxg ]; then
	echo "skipped: no NVIDIA driver on this machine"
	exit 77
fi
export CUDA_VISIBLE_DEVICES="${CUDA_VISIBLE_DEVICES:-0}"
if [ "${1:-}" = --write ]; then
	timeout -k 10 500 "$program" $list "$2"
	exit
fi
if [ ! -s "$golden" ]; then
	echo "skipped: $golden does not exist; make it with --write"
	exit 77
fi
fresh=$(mktemp)
trap 'rm -f "$fresh"' EXIT
timeout -k 10 280 "$program" $list "$fresh"
# Other kinds of GPU may fault elsewhere; on the same kind every line is equal.
if [ "$(head -n 1 "$golden")" != "$(head -n 1 "$fresh")" ]; then
	echo "skipped: the golden file is of another GPU or driver: $(head -n 1 "$golden")"
	exit 77
fi
# Cases that no GPU has recorded have no line yet. PTX leaves open what the "open:" cases give.
known=$(mktemp)
wanted=$(mktemp)
trap 'rm -f "$fresh" "$known" "$wanted"' EXIT
grep -v '^open: ' "$golden" >"$wanted"
awk -F '\t' 'NR == FNR { recorded[$1]; next } $1 in recorded' "$wanted" "$fresh" >"$known"
if ! cmp -s "$wanted" "$known"; then
	echo "FAILED: these cases differ from $golden:"
	diff "$wanted" "$known" | sed -n 's/^[<>] \([^\t]*\).*/\1/p' | sort -u
	exit 1
fi
unrecorded=$(awk -F '\t' 'NR == FNR { recorded[$1]; next } !($1 in recorded)' "$golden" "$fresh" |
	wc -l)
[ "$unrecorded" -eq 0 ] ||
	echo "$unrecorded cases are not recorded; record them with --write"
echo "copies: ok"
