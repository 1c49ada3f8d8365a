# perflab sweep --baseline: variants beside a base variant, with a worker that needs no GPU.
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/lib.sh"
command -v sqlite3 >/dev/null || skip 'sqlite3 is not here'
fake_worker
export FAKE_WORKER_LOG="$work/log"

# is FILE WANTED SQL: fails unless the query gives this text.
is() {
	command_line="$3"
	got=$(sqlite3 "$1" "$3")
	[ "$got" = "$2" ] || complain "got '$got', not '$2'"
}

sweep() {
	run sweep --block-sizes 64,128 --size 4096 --backend cuda --metrics none "$@"
}

# ---- the base variant, added to the selected ones ----
sweep reduce/shuffle 'reduce/sequential*' --baseline sequential --db a.db
expect_code 0
is a.db 'sequential' 'SELECT base_variant FROM run'
is a.db '2' "SELECT count(*) FROM trial WHERE variant = 'sequential'"
is a.db '4' "SELECT count(*) FROM speedups WHERE verdict IN ('faster', 'slower')"
# the speed-up is that of the samples, and the base case is that of the same axes
is a.db '4' "SELECT count(*) FROM speedups WHERE base_config = config AND rounds = 5
	AND low < speedup AND speedup < high AND base_status = 'ok'
	AND abs(speedup - base_median_ns / median_ns) < 0.01 * speedup"
is a.db '120' "SELECT count(*) FROM sample WHERE base_ns > 0"
is a.db '0' "SELECT count(*) FROM sample JOIN trial ON trial.id = trial_id
	WHERE variant = 'sequential' AND base_ns IS NOT NULL"
is a.db '0' "SELECT count(*) FROM sample JOIN trial ON trial.id = trial_id
	WHERE variant <> 'sequential' AND base_ns IS NULL"
# the reader sees them at the beginning of the report and at the end of the sweep
grep -q '^perflab: beside the base variant: [0-9] ' err || complain 'the sweep does not end with the speed-ups'
run report last --db a.db
[ "$(grep -cE ' is [0-9.]+ times as fast as sequential \([0-9.]+ to [0-9.]+\): (faster|slower)$' out)" -eq 4 ] ||
	complain 'not one sentence for each pair'
run report last --db a.db --format csv
[ "$(grep -cE ',sequential,"block=(64|128),n=4096",(faster|slower),[0-9.]+,' out)" -eq 4 ] ||
	complain 'not the speed-ups of all pairs'
run report last --db a.db --format json
[ "$(grep -c '"base_config": "block=' out)" -eq 4 ] || complain 'not one member for each pair'
run query speedups --db a.db
expect_code 0
expect_out sequential_passes

# one kernel of several; the other is measured alone
sweep reduce/shuffle stream/copy_scalar --baseline reduce/sequential --db b.db
expect_code 0
is b.db '2' 'SELECT count(*) FROM speedups'
is b.db '2' "SELECT count(*) FROM trial WHERE kernel = 'stream'"

# a selector with values adds the base cases of these values only
run sweep reduce/shuffle/block=256,n=2048 --baseline sequential --backend cuda --db c.db -q
is c.db 'block=256,n=2048' "SELECT group_concat(config) FROM trial WHERE variant = 'sequential'"

# ---- the plan shows which base case belongs to which case ----
sweep reduce/shuffle --baseline sequential --dry-run
expect_code 0
grep -q '^reduce/shuffle/block=128,n=4096 .* reduce/sequential/block=128,n=4096$' out || complain 'no base case in the plan'
grep -q '^reduce/sequential/block=128,n=4096  *run *$' out || complain 'the base case has one, too'
sweep reduce/shuffle --baseline sequential --dry-run --format json
expect_out '"beside": "reduce/sequential/block=128,n=4096"'
expect_out '"beside": null'
sweep reduce/shuffle --dry-run
grep -qi beside out && complain 'a column of base cases where there is no base variant'

# ---- words that are wrong ----
refused 2 'did you mean sequential' sweep reduce --baseline sequental --db no.db
refused 2 'did you mean reduce/shuffle' sweep reduce --baseline reduce/shufle --db no.db
refused 2 'no selected kernel has such a variant' sweep stream --baseline sequential --db no.db
refused 2 "--baseline cannot be changed" sweep --resume 1 --baseline shuffle --db a.db
[ -e no.db ] && complain 'a refused sweep made a database'

# ---- base cases that fail ----
FAKE_WORKER_SCRIPT='mismatch:reduce/sequential/block=64' sweep reduce/shuffle --baseline sequential --db e.db
expect_code 1
is e.db 'its base case is mismatch: scripted: mismatch' \
	"SELECT why FROM speedups WHERE config LIKE 'block=64,%' AND speedup IS NULL"
is e.db '1' "SELECT count(*) FROM speedups WHERE verdict IS NOT NULL"
FAKE_WORKER_SCRIPT='base_crashes:reduce/sequential/block=64' \
	sweep reduce/shuffle --baseline sequential --db f.db
expect_code 0
is f.db '1' "SELECT count(*) FROM speedups WHERE why LIKE '%died in phase beside%'
	AND verdict IS NULL AND status = 'ok'"

# ---- a run that was interrupted continues with its pairs ----
: >"$FAKE_WORKER_LOG"
FAKE_WORKER_SCRIPT='hang:reduce/shuffle/block=128;in_round_1' "$PERFLAB" sweep reduce/shuffle \
	--block-sizes 64,128 --size 4096 --backend cuda --metrics none --baseline sequential \
	--timeout 60min --db g.db -q >out 2>err &
sweep=$!
await_of $sweep 'the second round of the last case is begun' \
	has_line 'measure-1 reduce/shuffle/block=128' "$FAKE_WORKER_LOG"
kill -KILL $sweep
end_of $sweep
run sweep --resume 1 --db g.db -q
expect_code 0
is g.db '2' 'SELECT count(*) FROM speedups WHERE rounds = 5 AND verdict IS NOT NULL'

# ---- shards: a case goes with its base case, and a merge judges all pairs together ----
all='reduce/shuffle reduce/sequential_passes --baseline sequential'
sweep $all --db whole.db
for shard in 1 2; do
	sweep $all --shard $shard/2 --sweep-id night --db "shard$shard.db"
	expect_code 0
	is "shard$shard.db" '0' 'SELECT count(*) FROM speedups WHERE base_trial_id IS NULL'
done
run merge shard1.db shard2.db -o joined.db
expect_code 0
content='SELECT variant, config, base_config, verdict, speedup, low, high, p, base_median_ns
	FROM speedups ORDER BY variant, config'
is joined.db "$(sqlite3 whole.db "$content")" "$content"
refused 2 'no case is left for shard' sweep reduce/shuffle reduce/sequential/block=64,n=4096 \
	--block-sizes 64 --size 4096 --baseline sequential --shard 2/2 --db no.db

# ---- the emulator measures no time ----
fake_emulator
run sweep reduce/shuffle --baseline sequential --block-sizes 64 --size 1024 --backend ptx --db h.db -q
expect_code 0
is h.db 'the backend measures no time' 'SELECT why FROM speedups WHERE speedup IS NULL'

# ---- several files: the first is the base ----
fake_worker
for name in old new; do
	cp "$built_in_ptx/stream/copy_scalar.ptx" "$name.ptx"
	cat >"$name.ptx.perflab" <<-'END'
		axis n = 4096
		axis block = 64, 128
		buffer a: f32[n] in
		buffer c: f32[n] out
		verify none
		launch stream_copy_scalar<<<ceil_div(n, block), block>>>(a, c, n)
	END
done
FAKE_WORKER_SCRIPT=unverified run sweep old.ptx new.ptx --backend cuda --metrics none --db i.db
expect_code 0
expect_err 'the base variant is old, the first of old.ptx'
is i.db 'new|old|2' 'SELECT variant, base_variant, count(*) FROM speedups'
# a file and its sidecar are one file
sed '$a variant again\
launch stream_copy_scalar<<<ceil_div(n, block), block>>>(a, c, n)' old.ptx.perflab >two.perflab
FAKE_WORKER_SCRIPT=unverified run sweep old.ptx two.perflab --backend cuda --metrics none --db m.db -q
expect_code 0
is m.db '4|0' 'SELECT count(*), (SELECT count(*) FROM speedup) FROM trial'
FAKE_WORKER_SCRIPT=unverified run sweep old.ptx new.ptx --baseline none --backend cuda --metrics none --db j.db -q
expect_code 0
is j.db '0' 'SELECT count(*) FROM speedups'
FAKE_WORKER_SCRIPT=unverified run sweep old.ptx new.ptx --baseline new --backend cuda --metrics none --db k.db -q
expect_code 0
is k.db 'old|new|2' 'SELECT variant, base_variant, count(*) FROM speedups'
# a selector without it means that the others are measured alone
FAKE_WORKER_SCRIPT=unverified run sweep old.ptx new.ptx old/new --backend cuda --metrics none --db l.db -q
expect_code 0
is l.db 'new|' 'SELECT DISTINCT variant, base_variant FROM trial JOIN run ON run.id = run_id'
finish
