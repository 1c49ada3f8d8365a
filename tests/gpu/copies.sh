#!/bin/sh
# Runs the cases of clusters, bulk copies and tensor copies on this GPU and compares with
# tests/golden/ptx/copies.txt.zst, line by line. Cases without a line there are counted only. With
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
without_perflab=1
. "$(dirname -- "$0")/lib.sh"
golden_of "$1" copies cuda.h
shift
list=
case ${1:-} in
--more | --edges | --interleave | --layouts)
	list=$1
	recorded=${recorded%.txt.zst}_${list#--}.txt.zst
	shift
	;;
esac

export CUDA_VISIBLE_DEVICES="${CUDA_VISIBLE_DEVICES:-0}"
fresh=$scratch/fresh known=$scratch/known wanted=$scratch/wanted
if [ "${1:-}" = --write ]; then
	timeout -k 10 500 "$program" $list "$fresh"
	write_golden "$fresh" "$2"
	exit
fi
needs_golden
timeout -k 10 280 "$program" $list "$fresh"
needs_same_gpu "$fresh"
# PTX leaves open what the "open:" cases give.
grep -v '^open: ' "$golden" >"$wanted"
known_lines "$wanted" "$fresh" >"$known"
if ! cmp -s "$wanted" "$known"; then
	echo "FAILED: these cases differ from $recorded:"
	diff "$wanted" "$known" | sed -n 's/^[<>] \([^\t]*\).*/\1/p' | sort -u
	exit 1
fi
unrecorded=$(awk -F '\t' 'NR == FNR { recorded[$1]; next } !($1 in recorded)' "$golden" "$fresh" |
	wc -l)
[ "$unrecorded" -eq 0 ] ||
	echo "$unrecorded cases are not recorded; record them with --write"
echo "copies: ok"
