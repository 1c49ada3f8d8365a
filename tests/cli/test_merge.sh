# perflab merge: several databases into one, and the shards of a sweep into one run.
. "$(dirname "$0")/lib.sh"
command -v sqlite3 >/dev/null || skip 'sqlite3 is not here'
fake_emulator

# of FILE SQL: the output of the sqlite3 shell.
of() {
	sqlite3 "$1" "$2"
}

# same_as TEXT WORD…: the command prints this text.
same_as() {
	wanted=$1
	shift
	command_line="$*"
	got=$("$@")
	[ "$got" = "$wanted" ] || complain "got '$got', not '$wanted'"
}

sweep() {
	run sweep reduce/shuffle reduce/sequential --block-sizes 64..512 --size 1024,4096 \
		--backend ptx -q "$@"
	expect_code 0
}

# What a run measured, without time and place.
content='SELECT position, kernel, variant, config, status, reason, flop, bytes_read, code_hash,
	sample_count FROM trial ORDER BY position;
	SELECT position, metric, unit, source, value FROM trial JOIN counters ON trial_id = trial.id
	ORDER BY 1, 2;
	SELECT position, name, value FROM trial JOIN axis ON trial_id = trial.id ORDER BY 1, 2;
	SELECT backend, state, seed, rounds, settings, label FROM run'

# ---- runs ----
sweep --label first --db a.db
sweep --label second --db b.db
cp a.db kept.db
run merge a.db b.db -o all.db
expect_code 0
expect_err 'all.db: 2 runs added; 32 cases stored'
[ -s out ] && complain 'data on stdout'
same_as 'first second' of all.db "SELECT group_concat(label, ' ') FROM (SELECT label FROM run ORDER BY id)"
cmp -s a.db kept.db || complain 'a source was changed'
run merge b.db all.db -o again.db
run merge a.db -o again.db
expect_code 0
expect_err 'again.db: 1 was there already; 0 cases stored'
same_as 2 of again.db 'SELECT count(*) FROM run'
run merge a.db -o quiet.db -q
[ -s err ] && complain '--quiet prints a message'

# ---- shards ----
sweep --label nightly --db one.db
for shard in 1 2 3; do
	sweep --label nightly --shard $shard/3 --sweep-id tuesday --db "$shard.db"
done
run merge 1.db 2.db 3.db -o joined.db
expect_code 0
expect_err 'joined.db: 3 shards merged; 16 cases stored'
of one.db "$content" >one.txt
of joined.db "$content" >joined.txt
command_line='perflab merge of three shards'
[ -s one.txt ] && cmp -s one.txt joined.txt || complain 'not what one sweep stores'
same_as '1-3/3' of joined.db "SELECT value FROM environment WHERE key = 'shards'"
# every shard has cases of both variants
for shard in 1 2 3; do
	same_as '2' of $shard.db 'SELECT count(DISTINCT variant) FROM trial'
done
run report last --db joined.db
expect_code 0

# a missing shard is named; when it is merged, the run is complete
run merge 3.db 1.db -o part.db
expect_code 1
expect_err 'run 1 of sweep tuesday lacks shard 2 of 3: merge it, too'
same_as interrupted of part.db 'SELECT state FROM run'
run merge 1.db --db part.db
expect_code 1
run merge 2.db -o part.db
expect_code 0
of part.db "$content" >part.txt
cmp -s one.txt part.txt || complain 'shards in another order give another run'

# shards swept into one file
for shard in 1 2 3; do
	sweep --label nightly --shard $shard/3 --sweep-id tuesday --db together.db
done
run merge together.db -o apart.db
expect_code 0
of apart.db "$content" | cmp -s - one.txt || complain 'shards of one file are not joined'
run merge a.db -o together.db
expect_code 0
same_as '2' of together.db 'SELECT count(*) FROM run'

# another sweep of the same cases is a separate run
sweep --label nightly --shard 1/3 --sweep-id wednesday --db other.db
run merge joined.db other.db -o two.db
expect_code 1
expect_err 'sweep wednesday lacks shards 2-3 of 3'
same_as 2 of two.db 'SELECT count(*) FROM run'

# shards of another version or plan are not joined, and the merge says which fact differs
cp 3.db older.db
of older.db "UPDATE run SET version = '0.0.9';
	UPDATE environment SET value = 'ffffffffffffffffffffffffffffffff' WHERE key = 'sweep_uid'"
run merge 1.db 2.db older.db -o versions.db
expect_code 1
expect_err 'shard 3/3 of sweep tuesday is not joined to run 1: perflab is 0.0.9 in the shard and '
expect_err '3 shards merged'
# so merging them once more is no help, and is not advised
for time in 1 2; do
	expect_err 'run 1 of sweep tuesday lacks shard 3 of 3: run 2 has it, but was not measured in the same way: measure it again like run 1'
	expect_err 'run 2 of sweep tuesday lacks shards 1-2 of 3: run 1 has them, but was not measured in the same way: measure them again like run 2'
	expect_no_err ', too'
	run merge 1.db 2.db older.db -o versions.db
	expect_code 1
done
# a third version
cp 2.db oldest.db
of oldest.db "UPDATE run SET version = '0.0.8';
	UPDATE environment SET value = 'eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee' WHERE key = 'sweep_uid'"
run merge 3.db oldest.db -o three.db
expect_err 'run 1 of sweep tuesday lacks shards 1-2 of 3: run 2 has shard 2, but was not measured in the same way: measure it again like run 1; merge shard 1, too'
run merge older.db -o three.db
expect_err 'run 3 of sweep tuesday lacks shards 1-2 of 3: run 2 has shard 2, but was not measured in the same way: measure it again like run 3; merge shard 1, too'
same_as 2 of versions.db 'SELECT count(*) FROM run'
sweep --label other --shard 1/2 --sweep-id tuesday --db half.db
run merge 1.db half.db -o plans.db
expect_code 1
expect_err 'their cases, settings, source files or numbers of shards differ; measure all shards'
run merge 1.db 2.db 3.db -o one-sweep.db
expect_code 0
grep -q 'not joined' "$work/err" && complain 'it complains about shards that belong together'

# a shard that measured a case again with a different result is refused
cp 2.db changed.db
of changed.db 'UPDATE trial SET bytes_read = 1' >out 2>err
run merge joined.db changed.db -o overlap.db
expect_code 3
expect_err 'shard 2/3 of sweep tuesday overlaps'
same_as 16 of overlap.db 'SELECT count(*) FROM trial'

# the job array of the scheduler names the sweep; without a name, equal shards belong together
export SLURM_ARRAY_JOB_ID=4711
sweep --shard 1/2 --db slurm.db
same_as slurm-4711 of slurm.db "SELECT value FROM environment WHERE key = 'sweep'"
unset SLURM_ARRAY_JOB_ID
sweep --shard 1/2 --db n1.db
sweep --shard 2/2 --db n2.db
run merge n1.db n2.db -o n.db
expect_code 0

# ---- refused requests ----
refused 2 'merge: name the database to merge into with --db FILE' merge a.db
refused 2 '--db and --output are the same option' merge a.db --db x.db -o y.db
refused 2 'an operand is missing' merge -o x.db
refused 2 'cannot be a source as well' merge a.db -o a.db
refused 3 'absent.db does not exist' merge a.db absent.db -o x.db
grep -q -- '--db' "$work/err" && complain 'the message suggests --db for an operand'
[ -e x.db ] && complain 'a database was created'
echo 'this is no database, but it is long enough to be looked at' >text.db
refused 3 'text.db is not a SQLite database' merge a.db text.db -o x.db
refused 3 'text.db is not a SQLite database: name another file with --db' merge a.db --db text.db
cp a.db future.db
of future.db 'PRAGMA user_version = 999'
refused 3 'future.db has schema version 999' merge a.db future.db -o x.db
refused 3 'future.db has schema version 999' merge a.db -o future.db
: >empty.db
refused 3 'empty.db is empty' merge empty.db -o x.db
of norun.db 'SELECT 1'
cp a.db norun.db
of norun.db 'DELETE FROM newest; DELETE FROM trial; DELETE FROM run'
run merge norun.db -o x.db
expect_code 0
expect_err 'no runs to merge'

refused 2 "'4/3' is not a shard" sweep reduce --shard 4/3 --dry-run
refused 2 "'0/3' is not a shard" sweep reduce --shard 0/3 --dry-run
refused 2 "'three' is not a shard" sweep reduce --shard three --dry-run
refused 2 'one shard at a time' sweep reduce --shard 1-2/3 --dry-run
refused 2 'the plan has 1 case' sweep reduce/shuffle --block-sizes 64 --size 64 --shard 1/2 --dry-run
refused 2 'give --shard I/N as well' sweep reduce --sweep-id x --dry-run
refused 2 '1 to 200 printable characters' sweep reduce --shard 1/2 --sweep-id '' --dry-run
refused 2 '--shard cannot be changed' sweep --resume last --shard 1/2 --db a.db

finish
