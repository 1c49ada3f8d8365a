# scripts/slurm/ with Slurm itself: eight tasks on two GPUs that are no GPUs, on the emulator. One
# perflab is killed, one task is requeued and finds an empty local disk, one never runs. What the
# merge makes of them equals one sweep without shards, and sacct shows how each task ended.
. "$(dirname "$0")/../cli/lib.sh"
. "$(dirname "$0")/slurm_lib.sh"
scripts=$(cd "$(dirname "$0")/../../scripts/slurm" && pwd) || exit 1
cd "$work" || exit 1
command -v sqlite3 >/dev/null || skip 'sqlite3 is not installed'
real_emulator
need_slurm
start_slurm

export PERFLAB TMPDIR="$work/local"
mkdir "$TMPDIR"
cases='reduce/shuffle reduce/sequential --block-sizes 64..512 --size 3145728,3670016,4194304'
options='--backend ptx --jobs 1 --label nightly'

# submit WORD…: sbatch; the number of the job is in $job.
submit() {
	command_line="sbatch $*"
	job=$(sbatch --parsable "$@" 2>"$work/err") || {
		complain 'sbatch fails'
		finish
	}
}

# ended JOB: no task of the job is pending or runs.
ended() {
	[ -z "$(squeue -h -j "$1" 2>/dev/null)" ]
}

# measured TASK: its database has a case that is done, and one that is not.
measured() {
	[ "$(sqlite3 "$local-$1/shard.db" "SELECT min(status) <> max(status) FROM trial" 2>/dev/null)" = 1 ]
}

in_accounting() {
	[ -n "$without_accounting" ] || [ -n "$(sacct -X -n -j "$1" 2>"$work/err")" ]
}

pending() {
	[ "$(squeue -h -r -j "$1" -o %T)" = PENDING ]
}

# logged TEXT: the log of some task has this line.
logged() {
	cat perflab-*.log >"$work/out" 2>/dev/null
	grep -q -- "$1" "$work/out" || complain "no log has: $1"
}

# What was measured, without time and place.
content='SELECT position, kernel, variant, config, status, reason, flop, bytes_read, code_hash,
	sample_count FROM trial ORDER BY position;
	SELECT position, metric, unit, source, value FROM trial JOIN counters ON trial_id = trial.id
	ORDER BY 1, 2;
	SELECT position, name, value FROM trial JOIN axis ON trial_id = trial.id ORDER BY 1, 2;
	SELECT backend, state, seed, rounds, label FROM run'

# ---- the array ----
# shellcheck disable=SC2086 # several words
submit --array=1-8 "$scripts/sweep.sbatch" $cases $options
array=$job results=$work/perflab-$array
# A waiting task has no record of its own until it is held: Slurm then separates it from the others.
scontrol hold "${array}_7"
await 'the accounting has task 7' in_accounting "${array}_7"
scancel "${array}_7"
local=$TMPDIR/perflab-$(id -u)-slurm-$array
await 'task 3 has measured a case' measured 3
victim=$(sqlite3 "$local-3/shard.db" "SELECT value FROM environment WHERE key = 'process'" | cut -d ' ' -f 2)
kill -9 "$victim" || complain 'the sweep of task 3 ended too early to be killed'
await 'task 5 has measured a case' measured 5
scontrol requeuehold "${array}_5" || complain 'cannot requeue task 5'
await 'task 5 is back in the queue' pending "${array}_5"
await 'task 5 leaves a copy' test -s "$results/shard-5.db"
# as on another node
rm "$local-5/shard.db" || complain 'task 5 left no local database'
scontrol release "${array}_5"
# Slurm begins a requeued job again after two minutes.
scontrol update "JobId=${array}_5" StartTime=now
submit --dependency=afterany:"$array" "$scripts/merge.sbatch" "$results"
await 'the merge has ended' ended "$job"

accounted "$job FAILED 1:0"
accounted "${array}_1 COMPLETED 0:0" "${array}_2 COMPLETED 0:0" "${array}_3 COMPLETED 0:0" \
	"${array}_4 COMPLETED 0:0" "${array}_5 REQUEUED 0:0" "${array}_5 COMPLETED 0:0" \
	"${array}_6 COMPLETED 0:0" "${array}_7 CANCELLED by 0 0:0" "${array}_8 COMPLETED 0:0"

logged 'task 3/8 on localhost: the sweep was killed: exit 137'
logged 'task 3/8 on localhost: resumes run 1 (restart 0, attempt 2)'
logged "task 5/8 on localhost: continues with $results/shard-5.db"
logged 'task 5/8 on localhost: resumes run 1 (restart 1, attempt 1)'
logged 'lacks shard 7 of 8'
logged "PERFLAB_RESUME=$results sbatch --array=NUMBERS"
logged 'move its shard-NUMBER.db away first'
for gpu in 0 1; do
	logged "GPU $gpu)"
done
[ "$(sqlite3 "$results/sweep.db" 'SELECT state FROM run')" = interrupted ] ||
	complain 'without shard 7 the run is not interrupted'

# ---- what was missing ----
# An earlier attempt was on another GPU: that is kept beside, and the shard begins again.
# shellcheck disable=SC2086
run sweep $cases $options --shard 7/8 --sweep-id "slurm-$array" --db "$results/shard-7.db" -q
expect_code 0
sqlite3 "$results/shard-7.db" "UPDATE run SET state = 'interrupted'; UPDATE device SET name = 'another GPU'"
export PERFLAB_RESUME="$results"
# shellcheck disable=SC2086
submit --array=7 "$scripts/sweep.sbatch" $cases $options
unset PERFLAB_RESUME
await 'task 7 has ended' ended "$job"
accounted "${job}_7 COMPLETED 0:0"
[ "$(sqlite3 "$results/sweep.db" 'SELECT state FROM run')" = finished ] ||
	complain 'task 7 did not join its shard'
logged "task 7/8 on localhost: cannot resume here; what was measured is in $results/shard-7.db.part"
[ "$(sqlite3 "$results/shard-7.db.part" 'SELECT name FROM device')" = 'another GPU' ] ||
	complain 'what the other GPU measured is not kept'
submit "$scripts/merge.sbatch" "$results"
await 'the second merge has ended' ended "$job"
accounted "$job COMPLETED 0:0"
grep -q '8 were there already' "perflab-merge-$job.log" ||
	complain "a second merge adds something: $(cat "perflab-merge-$job.log")"
[ -z "$(ls "$TMPDIR")" ] || complain "files are left on the local disk: $(ls "$TMPDIR")"

# ---- the results folder vanishes ----
export PERFLAB_RESULTS="$work/gone"
# shellcheck disable=SC2086
submit --array=1-1 --gres=none "$scripts/sweep.sbatch" reduce/shuffle --block-sizes 64..512 --size 3145728 $options
local=$TMPDIR/perflab-$(id -u)-slurm-$job
await 'the last task has measured a case' measured 1
rm -r gone && : >gone
await 'the last task has ended' ended "$job"
accounted "${job}_1 FAILED 3:0"
logged 'GPU not set)'
logged "cannot copy the results to $work/gone/shard-1.db. They are in $local-1/shard.db on this node"
[ "$(sqlite3 "$local-1/shard.db" 'SELECT state FROM run')" = finished ] ||
	complain 'the results of a task without its results folder are lost'

# ---- a results folder without locks: the merge job joins what the tasks leave there ----
export PERFLAB_RESULTS="$work/nolocks"
sed 's/ - .*/ - nfs server:\/export rw,nolock/' /proc/self/mountinfo >mounts
export LD_PRELOAD="$NETWORK_SHIM" SHIM_MAGIC=6969 SHIM_FOLDER="$PERFLAB_RESULTS" SHIM_MOUNTS="$work/mounts"
submit --array=1-2 --gres=none "$scripts/sweep.sbatch" reduce/shuffle --block-sizes 64..512 --size 4096 \
	--backend ptx
await 'the tasks without locks have ended' ended "$job"
logged 'sweep.db is on NFS without locks between machines (nolock)'
logged "$PERFLAB_RESULTS/shard-2.db is not joined: merge.sbatch does it later"
submit "$scripts/merge.sbatch" "$PERFLAB_RESULTS"
await 'the merge without locks has ended' ended "$job"
unset LD_PRELOAD SHIM_MAGIC SHIM_FOLDER SHIM_MOUNTS
[ "$(sqlite3 nolocks/sweep.db "SELECT state || ' ' || (SELECT count(*) FROM trial) FROM run")" = 'finished 4' ] ||
	complain 'the merge job did not join the shards'

# ---- the same without Slurm ----
# shellcheck disable=SC2086
run sweep $cases $options --db one.db -q
expect_code 0
sqlite3 one.db "$content" >one.txt
sqlite3 "$results/sweep.db" "$content" >joined.txt
command_line='perflab merge of the tasks'
[ "$(sqlite3 one.db 'SELECT count(*) FROM trial WHERE status = '"'sampled' OR status = 'ok'")" -gt 0 ] ||
	complain 'nothing was measured'
cmp one.txt joined.txt >"$work/err" || complain 'the run is not what one sweep stores'

# ---- one process per GPU, started by srun ----
command_line='srun mpi-rank'
# shellcheck disable=SC2086
srun --ntasks=2 --gres=gpu:2 "$scripts/../mpi-rank" ranks reduce/shuffle --block-sizes 64..512 --size 4096 \
	--backend ptx >"$work/out" 2>"$work/err" || complain 'it fails'
for n in 0 1; do
	expect_err "rank $n of 2 measures on GPU $n into ranks/shard-$((n + 1)).db"
done
run merge ranks/shard-1.db ranks/shard-2.db --db ranks.db
expect_code 0

# ---- mistakes ----
submit --array=2-3 "$scripts/sweep.sbatch" reduce
await 'the wrong array has ended' ended "$job"
logged 'the tasks are not 1 to 2: use --array=1-N'
export PERFLAB_RESULTS="$results"
submit --array=1-2 "$scripts/sweep.sbatch" reduce
await 'the array with a used folder has ended' ended "$job"
accounted "${job}_1 FAILED 3:0" "${job}_2 FAILED 3:0"
logged "belongs to another sweep, slurm-$array 8"

# ---- what the accounting has of all these jobs ----
[ -z "$without_accounting" ] || finish_without "$without_accounting"
expect_accounting
command_line="sacct -j ${array}_3"
sacct -n -P -j "${array}_3" -o JobID,State,ExitCode >"$work/out" 2>"$work/err"
expect_out "${array}_3.0|CANCELLED|0:9"
expect_out "${array}_3.1|COMPLETED|0:0"
finish
