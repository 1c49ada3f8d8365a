# `sweep --decide` adds rounds to undecided cases only, beside control cases that did not move.
. "$(dirname "$0")/lib.sh"
command -v sqlite3 >/dev/null || skip 'sqlite3 is needed to count rounds'
fake_worker
export PERFLAB_DB=a.db FAKE_WORKER_LOG="$work/log"
# Cases of over 1 ms; those of `shuffle` scatter by 1 %.
quiet_script='long;scatter:reduce/shuffle'
export FAKE_WORKER_SCRIPT="$quiet_script"

# sweep WORD…: the same four noisy and four quiet cases
sweep() {
	run sweep reduce/shuffle reduce/sequential --block-sizes 64..512 --size 1024 --rounds 3 "$@"
}

# rounds RUN VARIANT: the numbers of rounds of its cases, each once
rounds() {
	sqlite3 a.db "SELECT DISTINCT (SELECT count(*) FROM round WHERE trial_id = trial.id) AS n
		FROM trial WHERE run_id = $1 AND variant = '$2' ORDER BY n" | tr '\n' ' '
}

# fact RUN KEY
fact() {
	sqlite3 a.db "SELECT value FROM environment WHERE run_id = $1 AND key = '$2'"
}

# verdicts HEAD BASE VERDICT: how many cases have it
verdicts() {
	"$PERFLAB" regress --head "$1" --base "$2" --format json --judge-same-code --counters none \
		2>"$work/err" | grep -c "^      \"verdict\": \"$3\""
}

# ---- what is refused, by name, before a run is stored ----

refused 2 'a.db does not exist yet' sweep reduce --size 1024 --decide
sweep --seed 1 -q
expect_code 0
refused 2 'no run in a.db is marked good' sweep reduce --size 1024 --decide -q
"$PERFLAB" mark 1 good 2>/dev/null
refused 2 "no run '99'" sweep reduce --size 1024 --decide --compare 99 -q
refused 2 'add --decide' sweep reduce --size 1024 --compare 1 -q
refused 2 'add --decide' sweep reduce --size 1024 --decide-time 5s -q
refused 2 'begins with 2 to' sweep reduce --size 1024 --decide --rounds 1 -q
refused 2 '--shard 1/2' sweep reduce --size 1024 --decide --shard 1/2 -q
refused 2 'too short' sweep reduce --size 1024 --decide --decide-time 0s -q
refused 2 'does not use --decide' sweep reduce --size 1024 --decide --backend ptx -q
refused 2 'cache (cold, then hot)' sweep reduce --size 1024 --decide --cache hot -q
refused 2 'the same run, 1' sweep --resume 1 --decide --compare 1 -q
refused 2 '--decide adds rounds' sweep --resume 1 -q
[ "$(sqlite3 a.db 'SELECT count(*) FROM run')" -eq 1 ] || complain 'a refused sweep is stored'
[ "$(sqlite3 a.db 'SELECT state FROM run')" = finished ] || complain 'run 1 was changed'
(
	fake_emulator
	"$PERFLAB" sweep reduce --size 1024 -q --db emulated.db >/dev/null 2>&1
)
"$PERFLAB" merge a.db emulated.db --db both.db >/dev/null 2>&1
emulated=$(sqlite3 both.db "SELECT id FROM run WHERE backend = 'ptx'")
refused 2 'is emulated' sweep reduce --size 1024 --decide --compare "$emulated" --db both.db -q
refused 2 'is emulated' sweep --resume "$emulated" --decide --db both.db -q
# another device
sqlite3 both.db "UPDATE device SET uuid = 'GPU-2' WHERE name = 'Fake GPU'"
timed=$(sqlite3 both.db "SELECT id FROM run WHERE backend = 'cuda'")
refused 2 'differ in more than the code: device' sweep reduce --size 1024 --decide \
	--compare "$timed" --db both.db -q

# ---- undecided cases get rounds, and the control cases beside them ----

: >"$FAKE_WORKER_LOG"
sweep --seed 2 --decide
expect_code 0
expect_err ' more rounds in '
expect_err ' undecided cases against run 1'
[ "$(rounds 2 sequential)" = '20 ' ] || complain "control: $(rounds 2 sequential)rounds"
case $(rounds 2 shuffle) in
*20*) ;;
*) complain "undecided cases have $(rounds 2 shuffle)rounds" ;;
esac
expect_out '3 rounds, of some cases up to 20'
[ "$(fact 2 decide.first_rounds)" = 3 ] || complain 'the interim analyses are not stored'
[ "$(verdicts 2 1 unchanged)" -eq 8 ] || complain 'a case is undecided'
# interleaved: each added round begins one worker and has cases of both kinds
[ "$(grep -c 'measure-3 reduce/sequential' "$FAKE_WORKER_LOG")" -gt 0 ] || complain 'no control'
[ "$(grep 'measure-3 ' "$FAKE_WORKER_LOG" | cut -d' ' -f1 | sort -u | wc -l)" -eq 1 ] ||
	complain 'a round has several workers'

# with more quiet cases than control cases, decided cases get no rounds
"$PERFLAB" sweep reduce stream --block-sizes 64..512 --size 1024 --rounds 3 --seed 1 --label wide -q \
	>/dev/null 2>&1
run sweep reduce stream --block-sizes 64..512 --size 1024 --seed 2 --decide --compare wide -q
expect_code 0
wide=$("$PERFLAB" query 'SELECT max(id) FROM run' --format csv | tail -n 1)
[ "$(sqlite3 a.db "SELECT count(*) FROM trial WHERE run_id = $wide AND variant <> 'shuffle'
	AND (SELECT count(*) FROM round WHERE trial_id = trial.id) > 3")" -eq 8 ] ||
	complain 'not eight control cases have more rounds'

# ---- a control that moves withholds the verdict, and a later try replaces the rounds ----

export FAKE_WORKER_SCRIPT="$quiet_script;drift"
sweep --seed 2 --decide --compare 1
expect_code 0
expect_err 'discarded, because the control cases moved by 1 %'
moved=$("$PERFLAB" query 'SELECT max(id) FROM run' --format csv | tail -n 1)
[ "$(fact "$moved" decide.rounds_used)" = 3 ] || complain 'it is not stored that they are not used'
[ "$(rounds "$moved" shuffle)$(rounds "$moved" sequential)" = '3 3 ' ] ||
	complain 'the discarded rounds are in the database'
[ "$(sqlite3 a.db "SELECT count(*) FROM trial WHERE run_id = $moved AND sample_count <>
	(SELECT count(*) FROM sample WHERE trial_id = trial.id)")" -eq 0 ] ||
	complain 'a summary has discarded rounds'
[ "$(verdicts "$moved" 1 inconclusive)" -gt 0 ] || complain 'rounds beside a moved control decide'
run regress --head "$moved" --base 1 --all --counters none --judge-same-code
[ "$(grep -c 'not used: the control cases moved by 1 %' "$work/out")" -eq 1 ] ||
	complain 'discarded rounds are not named once'
expect_err "perflab sweep --resume $moved --decide --compare 1"
export FAKE_WORKER_SCRIPT="$quiet_script"
run sweep --resume "$moved" --decide --compare 1 --decide-time 60min
expect_code 0
[ "$(verdicts "$moved" 1 inconclusive)" -eq 0 ] || complain 'a later try decides nothing'
[ "$(sqlite3 a.db "SELECT count(*) FROM trial WHERE run_id = $moved AND sample_count <>
	(SELECT count(*) FROM sample WHERE trial_id = trial.id)")" -eq 0 ] ||
	complain 'a summary is not over all samples'

# cases that all scatter have moved by chance: a control that agreed in its first rounds proves
# nothing
export FAKE_WORKER_SCRIPT='by_work;scatter:stream'
for label in first second; do
	run sweep stream --size 1024 --rounds 3 --block-sizes 64..1024 --metrics none -q --label "$label" \
		$([ $label = first ] || echo --decide --compare first)
	expect_code 0
done
scattered=$("$PERFLAB" query 'SELECT max(id) FROM run' --format csv | tail -n 1)
[ -z "$(fact "$scattered" decide.rounds_used)" ] || complain 'scatter was taken for a move'
export FAKE_WORKER_SCRIPT="$quiet_script"

# without a comparison there was no interim analysis, and a later one costs nothing
run sweep stream/copy_scalar --size 1024 --decide --compare 1 --label other
expect_code 0
expect_err '--decide: '
other=$("$PERFLAB" query 'SELECT max(id) FROM run' --format csv | tail -n 1)
[ -z "$(fact "$other" decide.first_rounds)" ] || complain 'an interim analysis is stored that did not take place'

# ---- the time ends ----

sweep --seed 2 --decide --compare 1 --decide-time 1ns
expect_code 0
expect_err 'out of time (--decide-time): '
short=$("$PERFLAB" query 'SELECT max(id) FROM run' --format csv | tail -n 1)
[ "$(rounds "$short" shuffle)$(rounds "$short" sequential)" = '3 3 ' ] ||
	complain 'rounds are added after the time ended'

# no rounds are added to a run that was joined from shards, and none are recommended
cp a.db shards.db
run regress --head "$short" --base 1 --counters none --judge-same-code --db shards.db
expect_err "sweep --resume $short --decide"
sqlite3 shards.db "INSERT INTO environment (run_id, key, value) VALUES ($short, 'shards', '1-2/2')"
refused 2 'was measured in shards' sweep --resume "$short" --decide --compare 1 --db shards.db -q
run regress --head "$short" --base 1 --counters none --judge-same-code --db shards.db
grep -q "sweep --resume $short" "$work/err" && complain 'more rounds of shards are recommended'

# a plain run gets rounds by --resume, and its status and counters stay
"$PERFLAB" report "$short" --format csv --all-metrics >"$work/before"
run sweep --resume "$short" --decide --compare 1 --decide-time 60min
expect_code 0
expect_err ' undecided cases against run 1'
[ "$(verdicts "$short" 1 inconclusive)" -eq 0 ] || complain 'a resumed run is undecided'
"$PERFLAB" report "$short" --format csv --all-metrics >"$work/after"
[ "$(grep -c ',ok,' "$work/before")" = "$(grep -c ',ok,' "$work/after")" ] ||
	complain 'a status changed'
counters="SELECT count(*) FROM counter JOIN trial ON trial.id = trial_id WHERE run_id = $short"
[ "$(sqlite3 a.db "$counters AND value IS NOT NULL")" -gt 0 ] || complain 'counters are lost'

# a finished run is planned by what its times say: more than half a second a round here, so the time
# is enough for the control and some of the cases. The default time is what the sweep took, without
# the days since then
# (in a database of its own, as what follows: earlier sessions of these cases had other times)
export PERFLAB_DB=slow.db
export FAKE_WORKER_SCRIPT='by_work;long;scatter:reduce/shuffle'
sweep --seed 1 --min-samples 300 --label slow-base -q
sweep --seed 2 --min-samples 300 --label slow -q
slow=$("$PERFLAB" query 'SELECT max(id) FROM run' --format csv | tail -n 1)
cp slow.db days.db
sqlite3 days.db "UPDATE run SET started_ns = started_ns - 864000000000000 WHERE id = $slow"
run sweep --resume "$slow" --decide --compare slow-base --db days.db
expect_code 0
added="SELECT count(*) FROM trial WHERE run_id = $slow
	AND (SELECT count(*) FROM round WHERE trial_id = trial.id) > 3"
[ "$(sqlite3 days.db "$added")" -eq 0 ] || complain 'the default time has idle days'
sqlite3 days.db "DELETE FROM run_part WHERE run_id = $slow"
run sweep --resume "$slow" --decide --compare slow-base --db days.db
expect_code 0
[ "$(sqlite3 days.db "$added")" -gt 5 ] || complain 'without a stored time there are less than 60 s'
# five rounds of the five control cases and of one and a half of the three others
time=$(sqlite3 slow.db "SELECT CAST(1 + 5 * 6.5 / 0.9 * (0.004 + 16 * (60e-6 + 1e-9 * median_ns))
	AS INTEGER) FROM trial WHERE run_id = $slow AND variant = 'sequential' LIMIT 1")
run sweep --resume "$slow" --decide --compare slow-base --decide-time "${time}s"
expect_code 0
some=$(sqlite3 slow.db "$added")
[ "$some" -gt 5 ] && [ "$some" -lt 8 ] || complain "$some of 8 cases have more rounds in ${time}s"
export FAKE_WORKER_SCRIPT="$quiet_script" PERFLAB_DB=a.db

# an unverified case that gets no round stays unverified
FAKE_WORKER_SCRIPT="$quiet_script;unverified" sweep --seed 2 --label unverified -q
run sweep --resume unverified --decide --compare 1 --decide-time 1ns -q
expect_code 0
[ "$(sqlite3 a.db "SELECT count(*) FROM trial JOIN run ON run.id = run_id
	WHERE label = 'unverified' AND status = 'unverified'")" -eq 8 ] ||
	complain 'an unverified case is called ok'

# ---- a base with too few rounds, and rounds for it ----

export FAKE_WORKER_SCRIPT='scatter:reduce/shuffle' PERFLAB_DB=few.db
"$PERFLAB" sweep reduce/shuffle --block-sizes 64..512 --size 1024 --seed 4 --rounds 3 --label few \
	-q >/dev/null 2>&1
run sweep reduce/shuffle --block-sizes 64..512 --size 1024 --seed 24 --decide --compare few
expect_code 0
expect_err 'too few rounds in the base (perflab sweep --resume '
expect_err ' --db few.db): '
outcome=$(sqlite3 few.db "SELECT value FROM environment WHERE key = 'decide.outcome'")
case $outcome in
*few.db* | *'perflab sweep'*) complain 'the outcome is stored with a command for this file' ;;
*'; 2 stay undecided: too few rounds in the base: '*) ;;
*) complain "the outcome is stored as: $outcome" ;;
esac
export FAKE_WORKER_SCRIPT="$quiet_script" PERFLAB_DB=a.db

# ---- decided cases get rounds for later comparisons ----

# with eight rounds of the base, three decide these cases of some 20 us; as a base, three do not
short_cases='reduce/grid_stride_float4 stream/copy_grid_stride stream/scale_grid_stride'
export FAKE_WORKER_SCRIPT= PERFLAB_DB=eight.db
run sweep $short_cases --min-samples 20 --block-sizes 64 --size 1024 --rounds 8 --label eight
expect_code 0
run sweep $short_cases --min-samples 20 --block-sizes 64 --size 1024 --decide --compare eight
expect_code 0
expect_err 'of them for later comparisons, decided 0 of 0 undecided cases'
later=$("$PERFLAB" query 'SELECT max(id) FROM run' --format csv | tail -n 1)
[ "$(verdicts "$later" eight unchanged)" -eq 3 ] || complain 'a decided case has another verdict'
[ "$(sqlite3 eight.db "SELECT min(n) > 3 FROM (SELECT count(*) AS n FROM round JOIN trial
	ON trial.id = trial_id WHERE run_id = $later GROUP BY trial_id)")" -eq 1 ] ||
	complain 'a case that would be a poor base has no more rounds'
# they are discarded if the control moved, and nothing else is
export FAKE_WORKER_SCRIPT=drift
run sweep $short_cases --min-samples 20 --block-sizes 64 --size 1024 --decide --compare eight
expect_code 0
expect_err 'the rounds for later comparisons were discarded, because the control cases moved by 1 %'
later=$("$PERFLAB" query 'SELECT max(id) FROM run' --format csv | tail -n 1)
[ "$(sqlite3 eight.db "SELECT DISTINCT sample_count || ' ' || (SELECT count(*) FROM sample
	WHERE trial_id = trial.id) || ' ' || (SELECT count(*) FROM round WHERE trial_id = trial.id)
	FROM trial WHERE run_id = $later")" = '21 21 3' ] || complain 'discarded rounds are kept'
[ "$(verdicts "$later" eight unchanged)" -eq 3 ] || complain 'discarded rounds change a verdict'
export FAKE_WORKER_SCRIPT="$quiet_script" PERFLAB_DB=a.db

# ---- an interrupt keeps what was measured ----

FAKE_WORKER_SCRIPT="$quiet_script;hang_in_round_5" "$PERFLAB" sweep reduce/shuffle \
	reduce/sequential --block-sizes 64..512 --size 1024 --seed 2 --decide --compare 1 \
	--timeout 60min -q >"$work/out" 2>"$work/err" &
sweep=$!
command_line='perflab sweep --decide, interrupted'
: >"$FAKE_WORKER_LOG"
await_of $sweep 'round 5 is begun' has_line 'measure-5 ' "$FAKE_WORKER_LOG"
kill -INT $sweep
end_of $sweep
expect_code 3
expect_err '--decide --compare 1 --db a.db'
broken=$("$PERFLAB" query 'SELECT max(id) FROM run' --format csv | tail -n 1)
: >"$FAKE_WORKER_LOG"
run sweep --resume "$broken" --decide --compare 1 --decide-time 60min -q
expect_code 0
grep -qE 'measure-[0-4] ' "$FAKE_WORKER_LOG" && complain 'rounds are measured again'
[ "$(verdicts "$broken" 1 inconclusive)" -eq 0 ] || complain 'the resumed run is undecided'

# ---- a resumed sweep has controls, even if they have all rounds of the interim analysis ----

# halve: the control has all rounds of its interim analysis, and the cases beside it have none
halve() {
	cp a.db half.db
	sqlite3 half.db "PRAGMA foreign_keys = ON; DELETE FROM round WHERE round >= 3 AND trial_id IN
		(SELECT id FROM trial WHERE run_id = $broken AND variant = 'shuffle')"
}
halve
: >"$FAKE_WORKER_LOG"
run sweep --resume "$broken" --decide --compare 1 --decide-time 60min -q --db half.db
expect_code 0
[ "$(grep -c 'measure-3 reduce/shuffle' "$FAKE_WORKER_LOG")" -gt 0 ] || complain 'nothing is measured'
for worker in $(grep 'measure-[0-9]* reduce/shuffle' "$FAKE_WORKER_LOG" | cut -d' ' -f1 | sort -u); do
	[ "$(grep -c "^$worker measure-[0-9]* reduce/sequential" "$FAKE_WORKER_LOG")" -eq 4 ] ||
		complain 'a round of a resumed sweep has no control'
done
halve
FAKE_WORKER_SCRIPT="$quiet_script;drift" run sweep --resume "$broken" --decide --compare 1 \
	--decide-time 60min --db half.db
expect_code 0
expect_err 'discarded, because the control cases moved by 1 %'

# an interrupted interim analysis whose control moved is measured again
FAKE_WORKER_SCRIPT="$quiet_script;drift;hang_in_round_5" "$PERFLAB" sweep reduce/shuffle \
	reduce/sequential --block-sizes 64..512 --size 1024 --seed 2 --decide --compare 1 \
	--timeout 60min -q >"$work/out" 2>"$work/err" &
sweep=$!
command_line='perflab sweep --decide, interrupted'
: >"$FAKE_WORKER_LOG"
await_of $sweep 'round 5 is begun' has_line 'measure-5 ' "$FAKE_WORKER_LOG"
kill -INT $sweep
end_of $sweep
expect_code 3
broken=$("$PERFLAB" query 'SELECT max(id) FROM run' --format csv | tail -n 1)
run sweep --resume "$broken" --decide --compare 1 --decide-time 60min
expect_code 0
expect_err 'the rounds of the interrupted interim analysis were discarded'
[ "$(verdicts "$broken" 1 inconclusive)" -eq 0 ] || complain 'a moved part of an interim analysis is used'
[ -z "$(fact "$broken" decide.rounds_used)" ] || complain 'the rounds of the second part are unused'
[ "$(sqlite3 a.db "SELECT count(*) FROM trial WHERE run_id = $broken AND sample_count <>
	(SELECT count(*) FROM sample WHERE trial_id = trial.id)")" -eq 0 ] ||
	complain 'a summary has discarded rounds of the interrupted interim analysis'

finish
