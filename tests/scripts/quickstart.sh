#!/bin/sh
# scripts/quickstart in a folder of its own, with this build's programs in place
# of a fresh build: it ends well without a GPU, says why nothing can be measured,
# and shows the plan.
# usage: quickstart.sh SOURCE-FOLDER BUILD-FOLDER
set -eu
source_root=$1
build=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
	printf 'quickstart: %s\n%s\n' "$*" "$(cat "$scratch/out.txt")" >&2
	exit 1
}

mkdir -p "$scratch/repo/scripts" "$scratch/repo/build" "$scratch/bin"
cp "$source_root/scripts/lib.sh" "$source_root/scripts/quickstart" "$scratch/repo/scripts/"
ln -s "$build/bin" "$scratch/repo/build/bin"
cat >"$scratch/bin/cmake" <<'END'
#!/bin/sh
echo "cmake version 3.25.1"
END
chmod +x "$scratch/bin/cmake"

status=0
PATH="$scratch/bin:$PATH" CUDA_VISIBLE_DEVICES='' PERFLAB_DB="$scratch/here.db" \
	"$scratch/repo/scripts/quickstart" >"$scratch/out.txt" 2>&1 </dev/null || status=$?
[ "$status" -eq 0 ] || fail "exit $status"
grep -q 'No kernel can be measured here' "$scratch/out.txt" || fail "does not say that it cannot measure"
grep -q 'reduce/shuffle' "$scratch/out.txt" || fail "shows no plan"
grep -q 'What to look at next' "$scratch/out.txt" || fail "does not say what to look at next"
echo "quickstart: ok"
