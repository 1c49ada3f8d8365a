#!/bin/sh
# The PTX in the tree matches the device code in the tree: each .cu has a PTX file that was made
# from the present files, all with one release of nvcc, and without machine-specific paths. Needs no
# toolkit.
# usage: ptx_fresh.sh SOURCE-FOLDER
set -eu
cd "$1"
wrong=0

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
	old=$(printf '%s\n' "$sources" | while read -r file hash; do
		[ "$(sha256sum 2>/dev/null <"$file" | cut -d' ' -f1)" = "$hash" ] || printf ' %s' "$file"
	done 2>/dev/null)
	[ -z "$old" ] || complain "$ptx was made of another$old"
	entries=$(grep -c '^[. a-z]*\.entry ' "$ptx")
	[ "$(grep -c '^// perflab: entry [^ ]* sm_90 registers [1-9]' "$ptx")" -eq "$entries" ] ||
		complain "$ptx does not say what each entry needs of a multiprocessor"
	! grep -qE '^[[:space:]]*\.file[[:space:]].*"/' "$ptx" || complain "$ptx names a folder of a machine"
done
for ptx in kernels/generated/*/*.ptx tests/emulator/planted/*.ptx tests/capture/*.ptx; do
	[ -e "$(source_of "$ptx")" ] || complain "$ptx is of no device code: remove it"
done
releases=$(sed -n 's|^// perflab: toolkit ||p' kernels/generated/*/*.ptx tests/emulator/planted/*.ptx tests/capture/*.ptx | sort -u | wc -l)
[ "$releases" -eq 1 ] || complain "the files are of $releases releases of nvcc"
exit $wrong
