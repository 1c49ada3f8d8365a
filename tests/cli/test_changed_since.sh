# perflab sweep --changed-since: only what has changed since a run is measured, on the emulator.
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/lib.sh"
command -v sqlite3 >/dev/null || skip 'there is no sqlite3'
real_emulator
export PERFLAB_DB="$work/a.db"
copy=$built_in_ptx/stream/copy_scalar.ptx

is() {
	got=$(sqlite3 "$PERFLAB_DB" "$2")
	[ "$got" = "$1" ] || complain "got '$got', not '$1': $2"
}

newest='run_id = (SELECT max(id) FROM run)'

# six cases of one kernel
kernel() {
	cp "$copy" my.ptx
	cat >my.ptx.perflab <<-'END'
		axis n = 256, 512
		axis block = 32, 64, 128
		buffer x: f32[n] in
		buffer y: f32[n] out
		launch stream_copy_scalar<<<ceil_div(n, block), block>>>(x, y, n)
		verify y = x
	END
}
kernel

# ---- runs that cannot be compared ----
refused 2 'does not exist yet' sweep my.ptx --backend ptx -q --changed-since last
[ ! -e "$PERFLAB_DB" ] || complain 'a database was made'
run sweep my.ptx --backend ptx -q --label first
expect_code 0
refused 2 '--changed-since 77' sweep my.ptx --backend ptx -q --changed-since 77
refused 2 '--changed-since and --shard' sweep my.ptx --backend ptx -q --changed-since 1 --shard 1/2
refused 2 '--changed-since cannot be changed' sweep --resume 1 --changed-since 1 -q
refused 2 'leave --gpus out' sweep my.ptx -q --changed-since 1 --gpus all
refused 2 'seed of inputs (1, now 2)' sweep my.ptx --backend ptx -q --changed-since 1 --seed 2
git init -q . && git add my.ptx my.ptx.perflab &&
	git -c user.name=a -c user.email=a@b commit -q -m one
refused 2 '--changed-since and --against' sweep my.ptx --backend ptx -q --changed-since 1 --against HEAD
rm -rf .git
cp "$PERFLAB_DB" other.db
sqlite3 other.db "UPDATE device SET name = 'another'"
refused 2 'device (another, now ' sweep my.ptx --backend ptx -q --changed-since 1 --db other.db
cp "$PERFLAB_DB" other.db
sqlite3 other.db 'UPDATE trial SET code_hash = NULL'
refused 2 'no hashes of machine code' sweep my.ptx --backend ptx -q --changed-since 1 --db other.db
is 1 'SELECT count(*) FROM run'

# ---- nothing has changed, but for a comment: three cases are measured ----
sed -i '1i // a comment' my.ptx
run sweep my.ptx --backend ptx --changed-since 1 --dry-run
expect_code 0
expect_err '3 to run, 3 skipped'
run sweep my.ptx --backend ptx --changed-since first
expect_code 0
expect_err 'nothing has changed since run 1'
expect_err 'my.ptx has changed, but not the machine code, launch, data or check of any case'
expect_err 'to show the state of the session: '
expect_err '3 of 6 cases are as in run 1 and were not measured; that run took about'
expect_out 'same code: machine code, launch and data are those of run 1'
is '3|3' "SELECT sum(status = 'ok'), sum(status = 'skipped' AND code_hash <> '' AND launch_hash <> '') FROM trial WHERE $newest"
is 3 "SELECT count(*) FROM environment WHERE $newest AND key LIKE 'changed_since.sentinel.%'"
# what was not measured is not a measurement
is 3 "SELECT count(*) FROM results WHERE $newest AND status = 'ok'"
is 3 "SELECT count(*) FROM newest JOIN trial ON trial.id = newest.trial_id WHERE run_id = 1"
# and not missing either
run regress --base 1 --head 2
expect_code 0
expect_out '6 same code'
expect_no_out 'missing'
run regress --base 1 --head 2 --all
expect_out 'not measured'

# ---- since a run that left out cases itself ----
run sweep my.ptx --backend ptx --changed-since last
expect_err 'nothing has changed since run 2'
is 3 "SELECT sum(status = 'skipped') FROM trial WHERE $newest"
run regress --base 2 --head 3
expect_code 0
expect_out '6 same code'

# ---- one launch, a new case, another counter ----
sed -i 's/axis block = .*/axis block = 32, 64, 256/' my.ptx.perflab
run sweep my.ptx --backend ptx --changed-since 1
expect_code 0
expect_err '2 of 6 cases have changed since run 1'
expect_err 'my/stream_copy_scalar: not in run 1 (2 cases)'
is 5 "SELECT sum(status = 'ok') FROM trial WHERE $newest"
kernel
sed -i 's/(x, y, n)/(x, y, n - 1)/; s/verify.*/verify none/' my.ptx.perflab
run sweep my.ptx --backend ptx --changed-since 1
expect_err '6 of 6 cases have changed since run 1'
expect_err 'another grid, other arguments or other buffers (6 cases)'
kernel

# ---- a failure is measured again ----
cp "$PERFLAB_DB" other.db
sqlite3 other.db "UPDATE trial SET status = 'crashed', reason = 'x' WHERE run_id = 1 AND position = 0"
run sweep my.ptx --backend ptx --changed-since 1 --db other.db
expect_err 'not measured in run 1: crashed (1 case)'

# ---- another check accepts other results ----
sed -i 's/verify y = x/verify y = x\ntolerance abs = 1/' my.ptx.perflab
run sweep my.ptx --backend ptx --changed-since 1
expect_err 'another check (6 cases)'
kernel

# ---- other machine code, with the resources that are known ----
sed -i '/ld\.global/p' my.ptx
run sweep my.ptx --backend ptx --changed-since 1
expect_code 0
expect_err '6 of 6 cases have changed since run 1'
expect_err 'my/stream_copy_scalar: machine code differs'
is 6 "SELECT sum(status = 'ok') FROM trial WHERE $newest"
run regress --base 1 --head last
expect_code 1
expect_out '6 regressed'
# a run that left out cases is no base for them
run regress --base 2 --head last
expect_out '3 new'
expect_out '--base last-good) has its last measurement'
run mark 2 good
run regress --base last-good --head last
expect_code 1
expect_out '6 regressed'
kernel
cp "$PERFLAB_DB" other.db
sqlite3 other.db "UPDATE trial SET registers_per_thread = 99, code_hash = code_hash || '' WHERE run_id = 1"
run sweep my.ptx --backend ptx --changed-since 1 --db other.db
expect_err 'machine code is the same, but not its resources: registers from 99 to'

# ---- the contents of a file of data, which the launch does not show ----
sed -i 's/axis n = .*/axis n = 256/' my.ptx.perflab
sed -i 's/buffer x: .*/buffer x: f32[n] in file "x.bin"/' my.ptx.perflab
head -c 1024 /dev/zero >x.bin
run sweep my.ptx --backend ptx --changed-since 1 --label data
expect_code 0
run sweep my.ptx --backend ptx --changed-since data
expect_err 'nothing has changed since run'
head -c 1024 /dev/zero | tr '\0' '\100' >x.bin
run sweep my.ptx --backend ptx --changed-since data
expect_err 'has changed (3 cases)'

# ---- the contents of a variable ----
cat >scaled.ptx <<'END'
.version 8.0
.target sm_90
.address_size 64
.visible .const .align 4 .f32 factor[1];
.visible .entry scaled(.param .u64 y)
{
	.reg .b64 %rd<3>; .reg .b32 %r<2>; .reg .f32 %f<2>;
	ld.param.u64 %rd1, [y];
	cvta.to.global.u64 %rd1, %rd1;
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd1, %rd1, %rd2;
	ld.const.f32 %f1, [factor];
	st.global.f32 [%rd1], %f1;
	ret;
}
END
printf '%s\n' 'axis n = 64' 'buffer y: f32[n] out' 'symbol factor: f32[1] constant(2)' 'launch scaled<<<1, n>>>(y)' \
	'verify y = factor[0]' >scaled.ptx.perflab
run sweep scaled.ptx --backend ptx --label scaled
expect_code 0
run sweep scaled.ptx --backend ptx --changed-since scaled
expect_err 'nothing has changed'
# a case that was skipped then, too, is no change
sed -i 's/^axis n = 64/axis n = 64, 2048/' scaled.ptx.perflab
run sweep scaled.ptx --backend ptx --label skipped
run sweep scaled.ptx --backend ptx --changed-since skipped
expect_err 'nothing has changed'
sed -i 's/^axis n = 64, 2048/axis n = 64/' scaled.ptx.perflab
sed -i 's/constant(2)/constant(3)/' scaled.ptx.perflab
run sweep scaled.ptx --backend ptx --changed-since scaled
expect_code 0
expect_err 'scaled/scaled: another grid, other arguments or other buffers'

# ---- on a device: its driver, toolkit and cache mode, and another backend ----
export PERFLAB_DB="$work/timed.db"
emulator=$PERFLAB_WORKER_PTX
fake_worker
run sweep stream --size small --block-sizes 64,128 -q
expect_code 0
export PERFLAB_WORKER_PTX="$emulator"
refused 2 'backend (cuda, now ptx)' sweep stream --size small --backend ptx -q --changed-since 1
refused 2 'cache (cold, now hot)' sweep stream --size small -q --changed-since 1 --cache hot
for what in driver toolkit; do
	cp "$PERFLAB_DB" other.db
	sqlite3 other.db "UPDATE run SET $what = '1.2'"
	refused 2 "$what (1.2, now " sweep stream --size small -q --changed-since 1 --db other.db
done
run sweep stream --size small --block-sizes 64,128 --changed-since 1
expect_code 0
expect_err 'nothing has changed since run 1'
expect_err 'the times of the unchanged cases that were measured differ by'
is 3 "SELECT sum(status = 'ok') FROM trial WHERE $newest"
# the instructions are known apart from what else is code
for instructions in instructions_hash code_hash; do
	cp "$PERFLAB_DB" other.db
	sqlite3 other.db "UPDATE trial SET code_hash = 'f' || substr(code_hash, 2), instructions_hash = $instructions || '' WHERE run_id = 1;
		UPDATE trial SET instructions_hash = code_hash WHERE run_id = 1 AND '$instructions' = 'code_hash'"
	run sweep stream --size small --block-sizes 64,128 --changed-since 1 --db other.db
	expect_code 0
	cp "$work/err" "$work/said-$instructions"
done
said='copy_scalar: its instructions are the same: constants, initial values'
grep -q "$said" "$work/said-instructions_hash" || complain 'a change of constants alone is not said to be one'
! grep -q "$said" "$work/said-code_hash" || complain 'a change of instructions is said to be one of constants'
grep -q 'copy_scalar: machine code differs' "$work/said-code_hash" || complain 'a change of instructions is not named'

# ---- a case that can no longer be launched ----
export PERFLAB_WORKER_PTX="$emulator" PERFLAB_DB="$work/a.db"
sed -i 's/launch scaled<<<1, n>>>/launch scaled<<<1, n, 900000>>>/' scaled.ptx.perflab
run sweep scaled.ptx --backend ptx --changed-since scaled
expect_err '0 of 0 cases have changed'
expect_no_err 'nothing has changed'
expect_no_err 'has changed, but not'

finish
