# perflab sweep --against by time, with a worker that needs no GPU: a file that became slower, rounds
# that --decide adds, and no run to compare with.
. "$(dirname "$0")/lib.sh"
command -v git >/dev/null || skip 'there is no git'
command -v sqlite3 >/dev/null || skip 'there is no sqlite3'
fake_worker
export PERFLAB_DB="$work/a.db" GIT_CONFIG_GLOBAL="$work/gitconfig" GIT_CONFIG_SYSTEM=/dev/null
export FAKE_WORKER_SCRIPT FAKE_WORKER_LOG="$work/log"
printf '[user]\nname = a\nemail = a@b\n[init]\ndefaultBranch = main\n' >"$GIT_CONFIG_GLOBAL"

# the worker's times depend on the name of the base variant
export GIT_AUTHOR_DATE='2026-01-08T00:00:00Z' GIT_COMMITTER_DATE='2026-01-08T00:00:00Z'

is() {
	command_line="$2"
	got=$(sqlite3 "$PERFLAB_DB" "$2")
	[ "$got" = "$1" ] || complain "got '$got', not '$1'"
}

mkdir repo && cd repo && git init -q . || exit 1
# The name of the commit, and so the worker's times, depend on every byte of these files.
cat >my.ptx <<-'END'
	.version 7.0
	.target sm_70
	.address_size 64
	.visible .entry copy(.param .u64 from, .param .u64 to)
	{
		.reg .u32 %r<5>;
		.reg .u64 %d<6>;
		ld.param.u64 %d1, [from];
		ld.param.u64 %d2, [to];
		mov.u32 %r1, %ctaid.x;
		mov.u32 %r2, %ntid.x;
		mov.u32 %r3, %tid.x;
		mad.lo.u32 %r1, %r1, %r2, %r3;
		mul.wide.u32 %d3, %r1, 4;
		add.u64 %d4, %d1, %d3;
		add.u64 %d5, %d2, %d3;
		ld.global.u32 %r4, [%d4];
		st.global.u32 [%d5], %r4;
		ret;
	}
END
cat >my.ptx.perflab <<-'END'
	axis n = 256
	axis block = 64, 128
	buffer x: f32[n] in
	buffer y: f32[n] out
	launch copy<<<n / block, block>>>(x, y)
	verify y = x
END
git add . && git commit -q -m one
sed -i '/ld\.global/p' my.ptx
sweep() { run sweep my.ptx --against HEAD --backend cuda --metrics none -q "$@"; }

# ---- the speed-up decides: the worker takes longer for the new name ----
FAKE_WORKER_SCRIPT='slow:my'
sweep --format junit
expect_code 1
[ "$(grep -c '<failure.*regressed: time +' "$work/out")" -eq 1 ] || complain 'not one failure'
is '1|1' "SELECT sum(verdict = 'slower'), sum(verdict = 'faster') FROM speedups"
run regress --base against --format json
expect_code 1
expect_out '"label": "HEAD"'
for median in $(sed -n 's/.*"base_median_ns": \([0-9.]*\).*/\1/p' "$work/out"); do
	is '1' "SELECT count(*) FROM speedups WHERE abs(base_median_ns - $median) < 1"
done
# a limit of the user
echo 'my/* ignore=time' >perflab.thresholds
sweep
expect_code 0
rm perflab.thresholds

# ---- equal times that scatter: more rounds decide, without a run to compare with ----
rm "$PERFLAB_DB"
export FAKE_WORKER_SCRIPT='by_work;near;scatter:my'
sweep
expect_code 0
expect_out '2 inconclusive'
is '5' "SELECT group_concat(DISTINCT n) FROM (SELECT count(*) AS n FROM round GROUP BY trial_id)"
sweep --decide --decide-time 60s
expect_code 0
expect_out '2 improved'
is '8 or 20' "SELECT group_concat(DISTINCT iif(n IN (8, 20), '8 or 20', n)) FROM (SELECT count(*) AS n
	FROM round JOIN trial ON trial.id = trial_id WHERE run_id = 2 AND variant = 'copy' GROUP BY trial_id)"
is '3' "SELECT value FROM environment WHERE run_id = 2 AND key = 'decide.first_rounds'"
# only the pairs get rounds, no base case alone
is '3' "SELECT group_concat(DISTINCT n) FROM (SELECT count(*) AS n FROM round JOIN trial
	ON trial.id = trial_id WHERE run_id = 2 AND variant <> 'copy' GROUP BY trial_id)"
# so do those of the first run, whose revision is read again although HEAD has moved
git commit -q -a -m two
git stash -q 2>/dev/null
run sweep --resume 1 --decide --decide-time 60s -q
expect_code 0
run regress --head 1 --base against
expect_code 0
expect_out '2 improved'
# without time nothing is added
run sweep my.ptx --against HEAD~ --decide --decide-time 1ns --backend cuda --metrics none
expect_code 0
expect_err '2 stay undecided'
refused 2 'leave one of them out' sweep my.ptx --against HEAD --decide --compare 1 --backend cuda -q
finish
