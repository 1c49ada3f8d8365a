#!/bin/sh
# The PTX in the tree matches the device code in the tree: each .cu has a PTX file that was made
# from the present files, all with one release of nvcc, and without machine-specific paths. Needs no
# toolkit.
# usage: ptx_fresh.sh SOURCE-FOLDER
set -eu
cd "$1"
wrong=0
generated='kernels/generated/*/*.ptx tests/emulator/planted/*.ptx tests/capture/*.ptx'
fresh=$(mktemp)
trap 'rm -f "$fresh"' EXIT
# Each file that a PTX file names, with its present hash, once.
# shellcheck disable=SC2086 # patterns
sed -n 's|^// perflab: source \([^ ]*\) .*|\1|p' $generated | sort -u | xargs sha256sum 2>/dev/null |
	sed 's/^\([0-9a-f]*\)  *\(.*\)/\2 \1/' >"$fresh"

complain() {
	printf 'ptx_fresh: %s; make it with scripts/make-ptx, with nvcc 13.0\n' "$*" >&2
	wrong=1
}

# generated_ptx SOURCE.cu: where scripts/make-ptx puts its PTX.
generated_ptx() {
	case $1 in
	kernels/*) printf 'kernels/generated/%s.ptx\n' "$(expr "$1" : 'kernels/\(.*\)\.cu')" ;;
	*) printf '%s\n' "${1%.cu}.ptx" ;;
	esac
}

# source_of PTX: the device code that it was made from.
source_of() {
	printf '%s\n' "${1%.ptx}.cu" | sed 's|^kernels/generated/|kernels/|'
}

for source in kernels/*/*.cu tests/emulator/planted/*.cu tests/capture/*.cu; do
	ptx=$(generated_ptx "$source")
	if [ ! -e "$ptx" ]; then
		complain "$source has no PTX"
		continue
	fi
	sources=$(sed -n 's|^// perflab: source ||p' "$ptx")
	case $sources in
	*"$source "*) ;;
	*) complain "$ptx does not say that it was made of $source" ;;
	esac
	old=$(printf '%s\n' "$sources" | grep -vxF -f "$fresh" | cut -d' ' -f1 | tr '\n' ' ')
	[ -z "$old" ] || complain "$ptx was made of another ${old% }"
	entries=$(grep -c '^[. a-z]*\.entry ' "$ptx")
	[ "$(grep -c '^// perflab: entry [^ ]* sm_90 registers [1-9]' "$ptx")" -eq "$entries" ] ||
		complain "$ptx does not say what each entry needs of a multiprocessor"
	! grep -qE '^[[:space:]]*\.file[[:space:]].*"/' "$ptx" || complain "$ptx names a folder of a machine"
done
for ptx in $generated; do
	[ -e "$(source_of "$ptx")" ] || complain "$ptx is of no device code: remove it"
done
# shellcheck disable=SC2086 # patterns
releases=$(sed -n 's|^// perflab: toolkit ||p' $generated | sort -u | wc -l)
[ "$releases" -eq 1 ] || complain "the files are of $releases releases of nvcc"
exit $wrong
