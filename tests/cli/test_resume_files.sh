# A sweep of a user's files is resumed with the words that are stored with the run, and only if the
# code is that of the run.
. "$(dirname "$0")/lib.sh"
export PERFLAB PERFLAB_DB="a b.db"
export PERFLAB_WORKER_CUDA="$work/no-such-worker"

cat >copy.ptx.perflab <<'END'
axis n = 1024
axis block = 64..256
buffer x: f32[n] in
buffer y: f32[n] out
launch stream_copy_scalar<<<ceil_div(n, block), block>>>(x, y, n)
END
cp "$built_in_ptx/stream/copy_scalar.ptx" copy.ptx

# The first check ends perflab, as Ctrl-C does; with a file `go` the check works.
cat >check.sh <<'END'
cp "$PERFLAB_INPUTS/x.npy" "$PERFLAB_RESULTS/y.npy"
[ -e go ] || kill -INT "$(cat pid)"
END

# resumes RUN WORD…: the run continues, and all of its cases are ok.
resumes() {
	run sweep --resume "$@"
	expect_code 0
	expect_out '3 (3 ok)'
}

# start WORD…: a sweep of three cases that ends in the first.
start() {
	number=$((${number:-0} + 1))
	rm -f go
	command_line="perflab sweep $*"
	sh -c 'echo $$ >pid; exec "$PERFLAB" sweep "$@" --jobs 1 --backend ptx -q' sh "$@" \
		>"$work/out" 2>"$work/err"
	code=$?
	: >go
	expect_code 3
	expect_err 'interrupted'
	expect_err "continue with: perflab sweep --resume $number --db 'a b.db'"
}

# the run alone is enough; the words may be repeated, and no others given
start copy.ptx --annotate 'verify by sh check.sh' --annotate 'skip "too \"wide\"" if block > 9999'
refused 2 'run 1 did not begin with other.ptx' sweep other.ptx --resume 1
refused 2 'run 1 did not begin with --annotate tolerance abs = 1' sweep --resume 1 \
	--annotate 'tolerance abs = 1'
refused 2 'run 1 did not begin with --compile-flag -DX' sweep --resume 1 --compile-flag -DX
refused 2 'run 1 did not begin with --std c++17' sweep --resume 1 --std c++17
mkdir elsewhere
cd elsewhere || exit 1
refused 2 "measured files from the folder $work: go there first" sweep --resume 1 --db "../a b.db"
cd "$work" || exit 1
run sweep --resume 1 --dry-run
expect_code 0
resumes last copy.ptx --annotate 'verify by sh check.sh'

# a file that changed, or that is gone
start copy.ptx --annotate 'verify by sh check.sh'
echo '// more' >>copy.ptx
refused 4 "$work/copy.ptx has changed since run 2 began: restore it, or start a new run" \
	sweep --resume 2
mv copy.ptx moved.ptx
refused 3 'copy.ptx: the file does not exist' sweep --resume 2
cp "$built_in_ptx/stream/copy_scalar.ptx" copy.ptx
resumes 2

# a sidecar
echo 'verify by sh check.sh' >>copy.ptx.perflab
start copy.ptx
cp copy.ptx.perflab kept
echo 'tolerance abs = 1' >>copy.ptx.perflab
refused 4 'copy.ptx.perflab has changed since run 3 began' sweep --resume 3
rm copy.ptx.perflab
cp kept copy.perflab
refused 2 'run 3 did not begin with copy.perflab' sweep copy.ptx copy.perflab --resume 3
cp kept copy.ptx.perflab
resumes 3
rm copy.ptx.perflab
start copy.ptx copy.perflab
cp kept copy.ptx.perflab
resumes 4

# ---- a merge of unfinished shards: there is no one folder to go to ----
for shard in 1 2; do
	mkdir "part$shard"
	cp copy.ptx copy.ptx.perflab check.sh "part$shard"
	cd "part$shard" || exit 1
	sh -c 'echo $$ >pid; exec "$PERFLAB" sweep copy.ptx --shard "$1/2" --sweep-id night \
		--backend ptx --jobs 1 -q --db part.db' sh "$shard" >"$work/out" 2>"$work/err"
	cd "$work" || exit 1
done
run merge part1/part.db part2/part.db -o joined.db
[ "$(sqlite3 joined.db 'SELECT count(*) FROM run')" -eq 1 ] || complain 'the shards are not joined'
refused 2 'resume each shard in its own folder and database, then merge it again' \
	sweep --resume 1 --db joined.db

# data
: >go
sed 's/^verify .*/verify by cp "$PERFLAB_INPUTS\/x.npy" "$PERFLAB_RESULTS\/y.npy"; cp "$PERFLAB_INPUTS\/x.npy" kept.npy/' \
	kept >copy.perflab
run sweep copy.ptx copy.perflab --backend ptx --block-sizes 64 --db other.db
expect_code 0
sed 's/^buffer x.*/& file "kept.npy"/' kept >copy.perflab
start copy.ptx copy.perflab
printf 'more' >>kept.npy
refused 4 'kept.npy has changed since run 5 began' sweep --resume 5

# a file that changes between its annotations and its compilation: the worker starts in between
cat >editing <<END
#!/bin/sh
echo '// more' >>"$work/copy.ptx"
exec "$(dirname "$PERFLAB")/perflab-worker-ptx"
END
chmod +x editing
cp kept copy.perflab
runs=$("$PERFLAB" list runs --format csv | wc -l)
PERFLAB_WORKER_PTX="$work/editing" refused 3 'copy.ptx changed while it was read and compiled' \
	sweep copy.ptx copy.perflab --backend ptx
[ "$("$PERFLAB" list runs --format csv | wc -l)" -eq "$runs" ] || complain 'a run is stored'

# a one-off: the options declare its axes
cp "$built_in_ptx/stream/copy_scalar.ptx" bare.ptx
start bare.ptx --launch 'stream_copy_scalar<<<ceil_div(n, block), block>>>(x, y, n)' --size 1024 \
	--block-sizes 64..256 --annotate 'buffer x: f32[n] in' --annotate 'buffer y: f32[n] out' \
	--annotate 'verify by sh check.sh'
refused 2 '--size cannot be changed' sweep --resume 6 --size 2048
resumes 6

# ---- headers and flags of a .cu ----
cat >one.cu <<'END'
#include "body.h"
// perflab: axis n = 1024
// perflab: axis block = 64..256
// perflab: buffer x: f32[n] in
// perflab: buffer y: f32[n] out
// perflab: launch one<<<ceil_div(n, block), block>>>(x, y, n)
// perflab: verify by sh check.sh
__global__ void one(const float *x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		BODY;
}
END
mkdir include
echo '#define BODY y[i] = x[i]' >include/body.h
"$PERFLAB" init one.cu --compile-flag -Iinclude -o - >/dev/null 2>&1
[ $? -eq 4 ] && finish_without 'this machine has no CUDA compiler'
start one.cu --compile-flag -Iinclude --block-sizes 64..256
echo '#define BODY y[i] = x[i] + 0.0f' >include/body.h
refused 4 'one/one/block=' sweep --resume 7
expect_err 'of run 7 has other machine code'
expect_err 'start a new run'
refused 4 'has other machine code' sweep --resume 7 --dry-run
echo '#define BODY y[i] = missing' >include/body.h
run sweep --resume 7
expect_code 4
expect_err 'of run 7 could be compiled then, and now: '
echo '#define BODY  y[i] = x[i]' >include/body.h
resumes 7

# ---- template instances: those of cases that ended are part of the code ----
cat >two.cu <<'END'
// perflab: axis n = 1024
// perflab: axis block = 64
// perflab: buffer x: f32[n] in
// perflab: buffer y: f32[n] out
// perflab: variant one
// perflab: launch copy<1><<<ceil_div(n, block), block>>>(x, y, n)
// perflab: verify y = x
// perflab: variant two
// perflab: launch copy<2><<<ceil_div(n, block), block>>>(x, y, n)
// perflab: verify y = x
// perflab: variant three
// perflab: launch copy<3><<<ceil_div(n, block), block>>>(x, y, n)
// perflab: verify by sh check.sh
template <int K> __global__ void copy(const float *x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = x[i] * K / K;
}
END
start two.cu
[ "$(sqlite3 'a b.db' "SELECT count(*) FROM trial WHERE run_id = 8 AND status = 'ok'")" -eq 2 ] ||
	complain 'two of three cases should have ended'
resumes 8
finish
