# perflab watch: measures again after each save, and says what changed. The files are PTX and a
# cubin, so no compiler is needed; the part about headers is left out without one.
. "$(dirname "$0")/lib.sh"
real_emulator
root=$(CDPATH= cd -- "$(dirname -- "$0")/../.." && pwd)
export PERFLAB_DB=a.db
watcher=
# in place of that of lib.sh, which it ends with
stop_watcher() {
	status=$?
	[ -z "$watcher" ] || kill "$watcher" 2>/dev/null
	(exit $status)
	clean_up
}
trap stop_watcher EXIT

# ---- a watch in the background ----

# watch WORD…: starts perflab watch. What it prints on both streams is read with `until_line`. A
# watch that waits for ever is interrupted, so that the test says which line did not come.
watch() {
	command_line="perflab watch $*"
	rm -f pipe
	mkfifo pipe
	: >"$work/out"
	: >"$work/err"
	timeout --foreground -k 5 "$(seconds_left)" "$PERFLAB" watch "$@" >pipe 2>&1 </dev/null &
	watcher=$!
	exec 3<pipe
}

# until_line TEXT: reads up to a line that contains TEXT. The lines are in $work/out.
until_line() {
	: >"$work/out"
	while IFS= read -r line <&3; do
		printf '%s\n' "$line" >>"$work/out"
		case $line in
		*"$1"*) return 0 ;;
		esac
	done
	complain "the watch ended without a line: $1"
	finish
}

# ended CODE: the watch has ended by itself, or is interrupted and ends.
ended() {
	cat <&3 >"$work/out"
	code=0
	wait "$watcher" || code=$?
	watcher=
	exec 3<&-
	expect_code "$1"
}

interrupted() {
	kill -INT "$watcher"
	ended 0
}

# ---- the loop on the emulator ----

cp "$built_in_ptx/stream/copy_scalar.ptx" original.ptx
cp original.ptx copy.ptx
cat >copy.ptx.perflab <<'END'
axis n = 4096
axis block = 64
buffer x: f32[n] in
buffer y: f32[n] out
launch stream_copy_scalar<<<ceil_div(n, block), block>>>(x, y, n)
verify y = x
work read = 4 * n, write = 4 * n
END
cp copy.ptx.perflab original.perflab
watch copy.ptx
until_line 'run 1: copy/stream_copy_scalar/block=64,n=4096 ok'
until_line 'waiting until a file is saved'
# one more instruction, in place
sed 's/^\tst.global.f32.*/\tmov.u32 %r3, %tid.x;\n&/' original.ptx >longer.ptx
cat longer.ptx >copy.ptx
until_line 'copy.ptx was saved'
until_line 'run 2: copy/stream_copy_scalar/block=64,n=4096 ok; against the last (run 1): worse counts'
expect_out 'ptx_warp_instructions'
# as editors do: a new file gets the name
cp original.ptx new.ptx
mv new.ptx copy.ptx
until_line 'run 3: copy/stream_copy_scalar/block=64,n=4096 ok; against the last (run 2): better counts'
# the same again
touch copy.ptx
until_line 'run 4: copy/stream_copy_scalar/block=64,n=4096 ok; against the last (run 3): the same counts'
expect_no_out 'ptx_warp_instructions'
# wrong: said first, and not the last with a result
sed 's/^\tst.global.f32.*/\tadd.f32 %f1, %f1, 0f3F800000;\n&/' original.ptx >copy.ptx
until_line 'run 5: copy/stream_copy_scalar/block=64,n=4096 mismatch'
expect_out "elements of 'y' differ"
# the sidecar counts, too
sed 's/verify y = x/verify none/' copy.ptx.perflab >sidecar && mv sidecar copy.ptx.perflab
until_line 'run 6: copy/stream_copy_scalar/block=64,n=4096 unverified; against the last (run 4)'
# mistakes: the watch goes on
echo 'axes n = 1' >>copy.ptx.perflab
until_line 'copy.ptx.perflab:8: unknown word "axes"; did you mean axis?'
rm copy.ptx.perflab
until_line 'no annotation says how a kernel is launched'
rm copy.ptx
until_line 'copy.ptx: the file does not exist'
mkdir copy.ptx
until_line 'copy.ptx: not a regular file'
rmdir copy.ptx
until_line 'copy.ptx: the file does not exist'
printf 'no PTX\n' >copy.ptx
until_line 'no annotation says how a kernel is launched'
printf 'axis block = 64\nlaunch k<<<1, block>>>()\nverify none\n' >copy.ptx.perflab
until_line 'run 7: copy/k/block=64 failed'
interrupted
expect_out '7 runs are stored in a.db'
run query "SELECT count(*) FROM run WHERE label = 'watch' AND state = 'finished'"
expect_out '7'

# the database is removed while the watch waits: its runs are saved, and the exit code shows it
cp original.ptx copy.ptx
cp original.perflab copy.ptx.perflab
for event in save end; do
	rm -f gone.db*
	watch copy.ptx --db gone.db
	until_line 'waiting until a file is saved'
	rm gone.db*
	if [ $event = save ]; then
		touch copy.ptx
		until_line 'all that was stored in it is in gone.db.rescued now'
		until_line 'run 1: copy/stream_copy_scalar/block=64,n=4096 ok'
	fi
	kill -INT "$watcher"
	ended 3
	[ $event = save ] || expect_out 'all that was stored in it is in gone.db.rescued now'
	expect_no_out 'stored in gone.db'
	run list runs --db gone.db.rescued --format csv
	expect_out ',finished,'
done

# a save during a measurement, here by its own check: that run does not count, and another follows
cp original.ptx self.ptx
sed 's/^verify.*/verify by touch self.ptx; cp "$PERFLAB_INPUTS\/x.npy" "$PERFLAB_RESULTS\/y.npy"/' original.perflab >self.ptx.perflab
watch self.ptx --times 2 -q --db s.db
until_line 'run 1: self/stream_copy_scalar/block=64,n=4096 ok; a file was saved meanwhile'
until_line 'run 2: self/stream_copy_scalar/block=64,n=4096 ok; a file was saved meanwhile'
ended 0

# ---- several cases, several files, a folder that goes ----

mkdir folder
cp original.ptx folder/first.ptx
sed 's/stream_copy_scalar/second/' longer.ptx >folder/second.ptx
cat >folder/first.ptx.perflab <<'END'
axis n = 4096
axis block = 64, 128
buffer x: f32[n] in
buffer y: f32[n] out
launch stream_copy_scalar<<<ceil_div(n, block), block>>>(x, y, n)
verify y = x
END
sed 's/launch stream_copy_scalar/launch second/' folder/first.ptx.perflab >folder/second.ptx.perflab
watch folder/first.ptx folder/second.ptx --times 4 -q --label twice --db b.db
until_line 'run 1: 4 cases: 4 ok'
sed 's/^\tst.global.f32.*/\tmov.u32 %r3, %tid.x;\n&/' original.ptx >folder/first.ptx
until_line 'run 2: 4 cases: 2 worse counts, 2 the same counts'
grep -q 'first/first/block=64,n=4096 *ok .*worse counts .*ptx_warp_instructions [0-9]* to' \
	"$work/out" || complain 'no line per case'
mv folder away
until_line 'folder/first.ptx: the file does not exist'
mv away folder
until_line 'run 3: 4 cases: 4 the same counts'
ended 0
run query "SELECT count(*) FROM run WHERE label = 'twice'" --db b.db
expect_out '3'
run query "SELECT count(*) AS pairs FROM speedup" --db b.db --format csv
[ "$(tail -n 1 "$work/out")" = 0 ] || complain 'pairs were measured'

# nothing but unverified cases
sed 's/^verify.*/verify none/' original.perflab | sed 's/block = 64/block = 64, 128/' >self.ptx.perflab
watch self.ptx --times 1 -q --db u.db
until_line 'run 1: 2 cases: 2 unverified'
ended 0

# ---- times, with a worker that makes them up ----

cp "$root/tests/fuzz/corpus/cubin/small_cubin" timed.cubin
printf '%s\n' 'axis n = 4096' 'axis block = 64' 'buffer x: f32[n] out' 'verify x = 1' \
	'launch fault_none<<<1, block>>>(x, i64(n))' 'work write = 4 * n' >timed.cubin.perflab
fake_worker
export FAKE_WORKER_SCRIPT_FILE="$work/script" FAKE_WORKER_LOG="$work/log"

# as WORKER-SCRIPT: what the kernel will be like, and a save.
as() {
	printf '%s' "$1" >script
	touch timed.cubin
}
case_name=timed/fault_none/block=64,n=4096

printf 'slow' >script
watch timed.cubin -q --db t.db
until_line "run 1: $case_name ok"
expect_out 'the best so far'
expect_out 'registers'
expect_out 'occupancy  '
expect_out 'occ. limit'
as 'recompiled'
until_line "run 2: $case_name ok"
expect_out 'against the last (run 1): probably faster, by one round (-33.3 %'
expect_out '; new best'
expect_out 'RUN 1'
as 'recompiled'
until_line "run 3: $case_name ok"
expect_out 'against the last (run 2): noise or environment: the machine code is the same'
expect_no_out 'best:'
as ''
until_line "run 4: $case_name ok"
expect_out 'within noise (+0.0 %'
expect_no_out 'new best'
as 'mismatch'
until_line "run 5: $case_name mismatch"
# unverified, and faster than the last would be: never the best
as 'slow;recompiled;unverified'
until_line "run 6: $case_name unverified"
expect_out 'against the last (run 4): probably slower, by one round (+50.0 %'
expect_out 'against the best (run 2): noise or environment'
expect_out 'BEST: RUN 2'
as 'crash'
until_line "run 7: $case_name crashed"
expect_out 'the worker died'
as ''
until_line "run 8: $case_name ok"
# other work is not compared with the best
sed -i 's/write = 4/write = 8/' timed.cubin.perflab
until_line "run 9: $case_name ok"
expect_out 'the work model changed'
interrupted
expect_out 'in run 9'
# every measurement began in a worker that had measured nothing
awk '$2 == "measure-0" { if (seen[$1]++) exit 1 }' log || complain 'a worker was used twice'
# and that was opened in advance, and woken after the save
[ "$(grep -c ' wake -' log)" -ge 8 ] || complain 'no worker was woken'
run query "SELECT count(*) FROM environment WHERE key = 'worker.waited'" --db t.db
[ "$(cat "$work/out" | tail -n 1 | tr -d ' ')" -ge 8 ] || complain 'no worker was waiting'

# a kernel that hangs, and one that is interrupted
printf '' >script
watch timed.cubin --timeout 2s --db g.db
until_line "run 1: $case_name ok"
as 'hang'
until_line "run 2: $case_name timeout"
as 'hang'
until_line 'timed.cubin was saved'
interrupted
expect_out 'stored in g.db'

# several rounds: changes are judged
printf 'slow' >script
watch timed.cubin -q --rounds 3 --times 2 --db r.db
until_line "run 1: $case_name ok"
as 'recompiled'
until_line "run 2: $case_name ok"
expect_out 'against the last (run 1): faster (-33.3 %'
ended 0

# a spare worker that dies is replaced
: >log
printf '' >script
watch timed.cubin -q --times 2 --db d.db
until_line "run 1: $case_name ok"
two_are_opened() {
	[ "$(grep -c ' open ' log)" -ge 2 ]
}
await_of "$watcher" 'a spare worker is opened' two_are_opened
kill -9 "$(awk '$2 == "open" { pid = $1 } END { print pid }' log)"
as ''
until_line "run 2: $case_name ok"
ended 0

# the facts of a device are those of the measurement, not of the moment when the worker was opened
: >log
printf '' >script
watch timed.cubin -q --times 2 --db w.db
until_line "run 1: $case_name ok"
await_of "$watcher" 'a spare worker is opened' two_are_opened
as 'shared_gpu'
until_line "run 2: $case_name ok"
ended 0
run query "SELECT group_concat(value) FROM environment WHERE key = 'gpu.other_processes'" --db w.db
expect_out '0,2'

# one that cannot be woken, too
printf '' >script
watch timed.cubin -q --times 3 --db k.db
until_line "run 1: $case_name ok"
as 'wake_crash'
until_line "run 2: $case_name ok"
as 'wake_fail'
until_line "run 3: $case_name ok"
ended 0

# ---- errors of the first measurement end it ----

refused 2 'an operand is missing' watch
refused 2 'needs a file that may change' watch reduce
refused 3 'none.ptx: the file does not exist' watch none.ptx
refused 2 'did you mean --times' watch timed.cubin --time 3
refused 2 "no selected kernel has an axis 'nothing'" watch timed.cubin --set nothing=1
printf 'no database' >bad.db
refused 3 'bad.db' watch timed.cubin --db bad.db
run watch timed.cubin --times 1 --db t.db
expect_code 0
expect_out 'run 10:'
expect_err '1 run is stored in t.db'
grep -q "$(printf '\033')" "$work/out" "$work/err" && complain 'an escape without a terminal'
"$PERFLAB" watch timed.cubin --times 1 --db t.db -q >/dev/full 2>"$work/err" </dev/null
[ $? -eq 3 ] || complain 'a full stdout is no error'

# ---- a database that is locked or cannot be written later ----

watch timed.cubin -q --db l.db
until_line "run 1: $case_name ok"
mv l.db kept.db
mkdir l.db
as ''
until_line 'in l.db.rescued now'
until_line 'l.db is not a regular file' # the old file is closed by now
rmdir l.db
rm -f l.db-wal l.db-shm
mv kept.db l.db
as ''
until_line "run 2: $case_name ok"
kill -INT "$watcher"
ended 3
expect_out 'l.db was removed or replaced during the watch'

# ---- headers ----

real_emulator
cp "$root/docs/examples/saxpy.cu" plain.cu
run sweep plain.cu --size 4096 --db h.db
grep -q 'there is no compiler' "$work/err" && finish_without 'there is no CUDA compiler'
expect_code 0
mkdir include
echo '#include "inner.h"' >include/outer.h
echo '#define FACTOR a' >include/inner.h
{
	echo '#include "outer.h"'
	sed 's/a \* x\[i\]/FACTOR * x[i]/' plain.cu
} >saxpy.cu
watch saxpy.cu --size 4096 --compile-flag -Iinclude --db i.db
until_line 'run 1: saxpy/saxpy/block=256,n=4096 ok'
echo '#define FACTOR (a + 0.5f)' >include/inner.h
until_line 'include/inner.h was saved'
until_line 'run 2: saxpy/saxpy/block=256,n=4096 mismatch'
echo '#define FACTOR wrong' >include/inner.h
until_line 'identifier "wrong" is undefined'
until_line 'run 3: saxpy/saxpy/block=256,n=4096 failed'
rm include/inner.h
until_line 'include/inner.h is gone'
until_line 'run 4: saxpy/saxpy/block=256,n=4096 failed'
echo '#define FACTOR a' >include/inner.h
until_line 'run 5: saxpy/saxpy/block=256,n=4096 ok'
interrupted

# a watch that begins with a broken header
echo '#define FACTOR wrong' >include/inner.h
watch saxpy.cu --size 4096 --compile-flag -Iinclude --db i.db -q
until_line 'run 6: saxpy/saxpy/block=256,n=4096 failed'
echo '#define FACTOR a' >include/inner.h
until_line 'run 7: saxpy/saxpy/block=256,n=4096 ok'
interrupted

# a save during the first compilation: a compiler that saves the source, once
if command -v nvcc >/dev/null; then
	cat >saving <<-END
		#!/bin/sh
		case "\$*" in
		*--version*) ;;
		*) [ -e "$work/saved" ] || { : >"$work/saved"; echo '// saved' >>"$work/later.cu"; } ;;
		esac
		exec $(command -v nvcc) "\$@"
	END
	chmod +x saving
	cp plain.cu later.cu
	export PERFLAB_NVCC="$work/saving"
	watch later.cu --size 4096 --compiler nvcc --db j2.db
	until_line 'changed while it was read and compiled'
	until_line 'run 1: later/saxpy/block=256,n=4096 ok'
	interrupted
	unset PERFLAB_NVCC
fi
finish
