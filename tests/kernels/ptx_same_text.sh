#!/bin/sh
# nvcc of the same release still generates exactly the PTX in the tree: of every 40th file, or of all
# with PERFLAB_TEST_ALL, as scripts/test --all sets it. ptx_fresh.sh looks at all sources. A file
# that was equal once is noted in NOTES, with everything that its text depends on, and is not generated
# again.
# usage: ptx_same_text.sh SOURCE-FOLDER NOTES; environment: PERFLAB_NVCC (empty: no toolkit)
set -eu
notes=$2
cd "$1"
. scripts/lib.sh
repo=$PWD
if [ -z "${PERFLAB_NVCC:-}" ]; then
	echo "skipped: no CUDA toolkit"
	exit 77
fi
release=$("$PERFLAB_NVCC" --version | sed -n 's/.*, V\([0-9.]*\)$/\1/p')
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tree=$scratch/tree
unpack_ptx "$tree"
# shellcheck disable=SC2086 # paths without blanks
kept=$(sed -n 's|^// perflab: toolkit ||p' $ptx_files | sort -u)
if [ "$release" != "$kept" ]; then
	echo "skipped: nvcc is $release, the PTX in the tree was made by" $kept
	exit 77
fi
mkdir -p "$notes"

# note PTX: prints the name of the note that the file was equal.
note() {
	sources=$(sed -n 's|^// perflab: source \([^ ]*\) .*|\1|p' "$1")
	# shellcheck disable=SC2086 # several words
	{ echo "$release" && cat "$1" scripts/make-ptx $sources; } | sha256sum | cut -d' ' -f1
}

every=40 file=0
[ -z "${PERFLAB_TEST_ALL:-}" ] || every=1
for ptx in $ptx_files; do
	file=$((file + 1))
	[ $((file % every)) -eq 0 ] || continue
	[ -e "$notes/$(note "$ptx")" ] || source_of "${ptx#"$tree"/}"
done >"$scratch/sources"
xargs -r -P "$(getconf _NPROCESSORS_ONLN)" -n 4 scripts/make-ptx --into "$scratch/new" \
	<"$scratch/sources" >"$scratch/log" 2>&1 || {
	cat "$scratch/log" >&2
	exit 1
}
while read -r source; do
	ptx=$tree/$(generated_ptx "$source")
	diff -u "$ptx" "$scratch/new/${ptx#"$tree"/}"
	: >"$notes/$(note "$ptx")"
done <"$scratch/sources"
echo "$(wc -l <"$scratch/sources") made anew; the others were the same before"
