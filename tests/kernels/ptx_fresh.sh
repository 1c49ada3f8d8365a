#!/bin/sh
# The PTX in the tree matches the device code in the tree: each .cu has a PTX file that was made
# from the present files, all with one release of nvcc, and without machine-specific paths. Needs no
# toolkit.
# usage: ptx_fresh.sh SOURCE-FOLDER
set -eu
cd "$1"
. scripts/lib.sh
repo=$PWD
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tree=$scratch/tree
unpack_ptx "$tree"
# Each file that a PTX file names, with its present hash, once.
# shellcheck disable=SC2086 # paths without blanks
sed -n 's|^// perflab: source \([^ ]*\) .*|\1|p' /dev/null $ptx_files | sort -u | xargs sha256sum 2>/dev/null |
	sed 's/^\([0-9a-f]*\)  *\(.*\)/\2 \1/' >"$scratch/fresh"
for source in kernels/*/*.cu tests/emulator/planted/*.cu tests/capture/*.cu; do
	echo "$source"
done >"$scratch/sources"

# shellcheck disable=SC2086 # paths without blanks
awk -v tree="$tree/" '
function complain(text) {
	printf "ptx_fresh: %s; make it with scripts/make-ptx, with nvcc 13.0\n", text
	wrong = 1
}
function end_of_file() {
	if (path == "")
		return
	if (!own)
		complain(path " does not say that it was made of " code)
	if (old != "")
		complain(path " was made of another" old)
	if (described != entries)
		complain(path " does not say what each entry needs of a multiprocessor")
	if (local)
		complain(path " names a folder of a machine")
	if (!(code in sources))
		complain(path " is of no device code: remove it")
	made[code] = 1
}
FILENAME == ARGV[1] { fresh[$0] = 1; next }
FILENAME == ARGV[2] { sources[$0] = 1; next }
FNR == 1 {
	end_of_file()
	path = substr(FILENAME, length(tree) + 1)
	code = path
	sub(/^kernels\/generated\//, "kernels/", code)
	sub(/ptx$/, "cu", code)
	own = entries = described = local = 0
	old = ""
}
/^\/\/ perflab: toolkit / { toolkits[$4] = 1 }
/^\/\/ perflab: source / {
	own = own || $4 == code
	if (!(($4 " " $5) in fresh))
		old = old " " $4
}
/^\/\/ perflab: entry [^ ]* sm_90 registers [1-9]/ { described++ }
/^[. a-z]*\.entry / { entries++ }
/^[ \t]*\.file[ \t].*"\// { local = 1 }
END {
	end_of_file()
	for (code in sources)
		if (!(code in made))
			complain(code " has no PTX")
	for (release in toolkits)
		releases++
	if (releases != 1)
		complain("the files are of " releases + 0 " releases of nvcc")
	exit wrong
}' "$scratch/fresh" "$scratch/sources" $ptx_files >&2
