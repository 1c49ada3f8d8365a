#!/bin/sh
# Tests scripts/quickstart in a separate folder, with this build's programs in place of a fresh
# build. Without a GPU it sweeps on the emulator, then prints the table and what to look at next.
# Without the emulator, too, it gives the reason and shows the plan.
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

# quickstart: runs scripts/quickstart; its output is in $scratch/out.txt.
quickstart() {
	status=0
	PATH="$scratch/bin:$PATH" CUDA_VISIBLE_DEVICES='' PERFLAB_DB="$scratch/here.db" \
		"$scratch/repo/scripts/quickstart" >"$scratch/out.txt" 2>&1 </dev/null || status=$?
	[ "$status" -eq 0 ] || fail "exit $status"
	grep -q 'What to look at next' "$scratch/out.txt" || fail "does not say what to look at next"
}

says() {
	grep -q -- "$1" "$scratch/out.txt" || fail "does not say: $1"
}

[ -x "$build/bin/perflab-worker-ptx" ] || fail "there is no emulator in the build"
quickstart
says 'backend ptx (no GPU: '
says 'Findings, worst first'
says 'reduce (n=1048576): 10 of 100 cases, the worst of each variant'
says 'report last --lines'
says 'check FILE.ptx'
"$build/bin/perflab" report quickstart --db "$scratch/here.db" --format csv >"$scratch/report.csv"
[ "$(grep -c ',ok,' "$scratch/report.csv")" -gt 50 ] || fail "hardly a case is ok"
! grep -q ',mismatch,\|,fault,\|,failed,\|,crashed,' "$scratch/report.csv" || fail "a case went wrong"

rm "$scratch/here.db"
PERFLAB_WORKER_CUDA=/nonexistent/cuda PERFLAB_WORKER_PTX=/nonexistent/ptx
export PERFLAB_WORKER_CUDA PERFLAB_WORKER_PTX
quickstart
says 'No kernel can be run here'
says '/nonexistent/ptx'
says 'reduce/shuffle'
[ ! -e "$scratch/here.db" ] || fail "left an empty database"
echo "quickstart: ok"
