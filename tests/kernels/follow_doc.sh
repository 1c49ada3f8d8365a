#!/bin/sh
# Follows docs/adding-a-kernel.md literally, in a copy of the kernels. The new file alone must fail the
# test of the tables; the file together with its row must pass it. The file must compile if there is
# nvcc.
# usage: follow_doc.sh SOURCE-FOLDER; environment: CC, PERFLAB_NVCC (empty: no toolkit), and what the
# build links test_kernels_tables of: TABLES_OBJECTS, TABLES_LIBRARIES
set -eu
source_root=$1
nvcc=${PERFLAB_NVCC:-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
copy=$scratch/tree
document=$source_root/docs/adding-a-kernel.md

fail() {
	printf 'follow_doc: %s\n' "$*" >&2
	exit 1
}

# The page's steps, numbered: N.path, N.below (a line; absent for a new file) and N.block.
extract_steps() {
	awk -v folder="$1" '
	function between(text, before, after,    start, end) {
		start = index(text, before)
		if (!start)
			return ""
		text = substr(text, start + length(before))
		end = index(text, after)
		return end ? substr(text, 1, end - 1) : ""
	}
	/^```/ && inside { inside = 0; close(block); next }
	/^```/ && path != "" {
		inside = 1
		step = folder "/" ++count
		block = step ".block"
		print path > (step ".path")
		if (below != "")
			print below > (step ".below")
		path = below = ""
		next
	}
	inside { print > block; next }
	/^Create `/ { path = between($0, "Create `", "`:"); below = ""; next }
	/^In `/ { path = between($0, "In `", "`, below `"); below = between($0, "`, below `", "`:"); next }
	/[^ \t]/ { path = "" }
	' "$document"
}

# Carries out one step in the copy.
take_step() {
	target=$copy/$(cat "$1.path")
	if [ ! -e "$1.below" ]; then
		[ ! -e "$target" ] || fail "the page creates $target, which exists already"
		cp "$1.block" "$target"
		return
	fi
	awk -v below="$(cat "$1.below")" -v block="$1.block" '
	{ print }
	$0 == below {
		found++
		while ((getline line < block) > 0)
			print line
	}
	END { exit found == 1 ? 0 : 1 }
	' "$target" >"$scratch/edited" || fail "the line of $1 is not once in $target"
	cp "$scratch/edited" "$target"
}

# The build of the copy: the file of the row, with the objects of this build.
build() {
	row=$copy/$(cat "$scratch/steps/2.path")
	# shellcheck disable=SC2086 # several words
	"$CC" -std=c17 -D_GNU_SOURCE -Wall -Wextra -Werror -I"$copy" -I"$source_root" \
		-o "$scratch/tables" \
		$TABLES_OBJECTS "$row" $TABLES_LIBRARIES >"$scratch/log" 2>&1 ||
		fail "does not build: $(tail -20 "$scratch/log")"
}

tables_test() {
	(cd "$copy" && "$scratch/tables" >"$scratch/log" 2>&1)
}

mkdir "$copy" "$scratch/steps"
(cd "$source_root" && tar -cf - --exclude=kernels/generated kernels scripts cmake tests/kernels) |
	(cd "$copy" && tar -xf -)
extract_steps "$scratch/steps"
if [ ! -e "$scratch/steps/2.block" ] || [ -e "$scratch/steps/3.block" ]; then
	fail "the page must have two steps, a file and a row"
fi

build
tables_test || fail "the tables fail before anything was added: $(cat "$scratch/log")"
take_step "$scratch/steps/1"
! tables_test || fail "a file without a row was not noticed"
grep -q "has no row" "$scratch/log" || fail "a file without a row fails for $(cat "$scratch/log")"
take_step "$scratch/steps/2"
build
tables_test || fail "the page's variant does not pass: $(cat "$scratch/log")"

file=$copy/$(cat "$scratch/steps/1.path")
if [ -n "$nvcc" ]; then
	variant=$(cat "$scratch/steps/1.path")
	variant=${variant#kernels/}
	(cd "$copy" && PERFLAB_NVCC=$nvcc scripts/make-ptx --any-release "${variant%.cu}" \
		>"$scratch/log" 2>&1) || fail "no PTX of the page's $file: $(cat "$scratch/log")"
	mv "$copy/kernels" "$copy/others"
	for new in "${file#"$copy"/}" "kernels/generated/$(dirname "$variant").tar.zst"; do
		mkdir -p "$copy/$(dirname "$new")"
		cp "$copy/others/${new#kernels/}" "$copy/$new"
	done
	cp "$copy/others/$(dirname "$variant")"/*.cuh "$copy/kernels/$(dirname "$variant")" 2>/dev/null || true
	(cd "$copy" && sh tests/kernels/ptx_fresh.sh . >"$scratch/log" 2>&1) || true
	! grep "${variant%.cu}" "$scratch/log" || fail "the page's PTX is not fresh"
	echo "follow_doc: added, found by the tables' test, compiled"
else
	echo "follow_doc: added, found by the tables' test; not compiled: no CUDA toolkit"
fi
