# Ceilings: measured by `perflab ceilings`, or before the first sweep of a device.
. "$(dirname "$0")/lib.sh"
fake_worker
unset PERFLAB_CEILINGS

# the verb stores a run and prints a table of the best configurations
run ceilings --db a.db
expect_code 0
expect_out 'dram_copy'
expect_out 'tensor_f16_wgmma'
expect_out 'OF PEAK'
expect_err 'perflab ceilings --stored --db a.db'
cp "$work/out" "$work/measured"
run ceilings --stored --db a.db
expect_code 0
cmp -s "$work/measured" "$work/out" || complain 'what is stored is not what was measured'
run list runs --db a.db --format csv
expect_out 'ceilings'
[ "$(wc -l <"$work/out")" -eq 2 ] || complain 'not one run'
run ceilings --stored --db a.db --format json
expect_code 0
expect_out '"per_s"'
expect_out '"unit": "flop/s"'
run ceilings --stored --db a.db --format csv
cp "$work/out" "$work/all.csv"
# every variant once, and one roof of each level and precision
[ "$(cut -d, -f1 "$work/all.csv" | sort | uniq -d | wc -l)" -eq 0 ] || complain 'a ceiling stands twice'
variants=$("$PERFLAB" list kernels ceilings --format csv | wc -l)
[ "$(wc -l <"$work/all.csv")" -eq "$variants" ] || complain 'a variant is no ceiling'
[ "$(awk -F, 'NR > 1 && $3 == 1 { print $2 }' "$work/all.csv" | sort | uniq -c | awk '$1 != 1')" = '' ] ||
	complain 'two roofs of one kind'
# the view gives the same values
if command -v sqlite3 >/dev/null; then
	sqlite3 a.db "SELECT name || ',' || printf('%.6e', per_s) FROM ceilings" | sort >"$work/view"
	awk -F, 'NR > 1 { printf "%s,%.6e\n", $1, $4 }' "$work/all.csv" | sort >"$work/table"
	cmp -s "$work/view" "$work/table" || complain 'the view has another opinion'
fi
# one round does not show how far two differ
awk -F, 'NR > 1 && ($5 != "" || $6 != "") { exit 1 }' "$work/all.csv" ||
	complain 'an interval of one round'

# some of them; in other configurations; under another name
run ceilings 'dram_*' l2_read --label mine --set block=256 --set blocks_per_sm=2 --db b.db -q
expect_code 0
[ -s "$work/err" ] && complain 'quiet is not quiet'
expect_out 'dram_triad'
expect_out 'block=256,blocks_per_sm=2'
expect_no_out 'f32_fma'
run list runs --db b.db
expect_out 'mine'
refused 2 'dram_copy' ceilings dram_cop --db b.db
refused 2 'nothing' ceilings --set nothing=1 --db b.db
refused 2 'one run' ceilings --stored 1 2 --db b.db
refused 2 'no run' ceilings --stored 7 --db b.db
refused 3 'does not exist' ceilings --stored --db none.db
FAKE_WORKER_SCRIPT=mismatch:ceilings/dram_copy run ceilings dram_copy dram_read --db c.db
expect_code 1
expect_out 'dram_read'
expect_no_out 'dram_copy'
FAKE_WORKER_SCRIPT=inspect_skip run ceilings dram_copy --db c.db
expect_code 4
expect_err 'every case was skipped'

# not of an emulator, nor under a profiler, nor without a device: nothing is stored
FAKE_WORKER_SCRIPT=untimed refused 4 'measures no time' ceilings --db d.db
FAKE_WORKER_SCRIPT=ncu refused 4 'ncu is attached' ceilings --db d.db
FAKE_WORKER_SCRIPT=no_device refused 4 'plug one in' ceilings --db d.db
no_worker
refused 4 'no-such-worker' ceilings --db d.db
refused 4 'no-such-emulator' ceilings --backend ptx --db d.db
fake_worker
[ ! -e d.db ] || complain 'a database was left where nothing could be measured'

# before the first sweep of a device, as a separate run in the same session, and only once
words='sweep reduce/shuffle --block-sizes 64 --size 1024 --metrics core'
# shellcheck disable=SC2086 # words
run $words --db s.db
expect_code 0
expect_err "measuring the ceilings of the device first"
expect_err 'are stored as run 1'
expect_out 'shuffle'
expect_no_out 'dram_copy  '
# shellcheck disable=SC2086 # words
run $words --db s.db
expect_code 0
[ "$("$PERFLAB" list runs --db s.db --format csv | wc -l)" -eq 4 ] || complain 'not three runs'
if command -v sqlite3 >/dev/null; then
	[ "$(sqlite3 s.db "SELECT count(DISTINCT value) FROM environment WHERE key = 'process'
		AND run_id < 3")" -eq 1 ] || complain 'not one session'
	[ "$(sqlite3 s.db 'SELECT group_concat(label) FROM run')" = ceilings ] ||
		complain 'the sweep has the label of the ceilings'
fi
# shellcheck disable=SC2086 # words
run $words --db s.db --ceilings always -q
expect_code 0
[ -s "$work/err" ] && complain 'quiet is not quiet'
[ "$("$PERFLAB" list runs --db s.db --format csv | wc -l)" -eq 6 ] || complain 'not measured again'

# not with the option or the environment variable, in a dry run, or in a resumed run
runs_of() {
	"$PERFLAB" list runs --db "$1" --format csv | tail -n +2 | wc -l
}
# shellcheck disable=SC2086 # words
run $words --db n.db --ceilings never
[ "$(runs_of n.db)" -eq 1 ] || complain 'measured against --ceilings never'
# shellcheck disable=SC2086 # words
PERFLAB_CEILINGS=never run $words --db n.db
[ "$(runs_of n.db)" -eq 2 ] || complain 'measured against PERFLAB_CEILINGS'
# shellcheck disable=SC2086 # words
run $words --db n.db --dry-run
[ "$(runs_of n.db)" -eq 2 ] || complain 'a dry run measures'
# shellcheck disable=SC2086 # words
PERFLAB_CEILINGS=sometimes refused 2 'auto, always or never' $words --db n.db
# shellcheck disable=SC2086 # words
refused 2 'sometimes' $words --ceilings sometimes --db n.db
# shellcheck disable=SC2086 # words
refused 2 '--ceilings' $words --ceilings always --backend ptx --db n.db
# shellcheck disable=SC2086 # words
refused 2 '--ceilings' sweep --resume last --ceilings always --db n.db

# only the ceilings of this run are printed
run ceilings l2_read --db a.db -q
expect_code 0
expect_no_out 'dram_copy'
run ceilings --stored --db a.db
expect_out 'dram_copy'

# an interrupt ends the sweep, too; a run that goes on does so without ceilings
log=$work/log
# interrupted CASE WORD…: a sweep that is interrupted when it has come to CASE, which hangs.
interrupted() {
	: >"$log"
	wanted=$1
	shift
	FAKE_WORKER_LOG="$log" FAKE_WORKER_SCRIPT="hang:$wanted" "$PERFLAB" "$@" --timeout 60min \
		>"$work/out" 2>"$work/err" &
	sweep=$!
	command_line="perflab $*, interrupted"
	await_of $sweep "$wanted is begun" has_line "measure-0 $wanted" "$log"
	kill -INT $sweep
	end_of $sweep
}

# shellcheck disable=SC2086 # words
interrupted ceilings/f32_fma $words --db i.db
expect_code 3
expect_err 'perflab sweep --resume 1 --db i.db'
grep -q 'reduce/shuffle' "$log" && complain 'the sweep went on'
run sweep --resume 1 --db i.db -q
expect_code 0
[ "$(runs_of i.db)" -eq 1 ] || complain 'resumed ceilings measure ceilings'
# shellcheck disable=SC2086 # words
interrupted reduce/shuffle $words --db r.db --ceilings never
run sweep --resume 1 --db r.db -q
expect_code 0
[ "$(runs_of r.db)" -eq 1 ] || complain 'a resumed run measures ceilings'

# a failure to measure them is reported once, and the sweep continues
# shellcheck disable=SC2086 # words
FAKE_WORKER_SCRIPT=ncu run $words --db w.db
expect_code 0
[ "$(grep -c 'the sweep continues without' "$work/err")" -eq 1 ] || complain 'not said once'
[ "$(runs_of w.db)" -eq 1 ] || complain 'ceilings were stored under a profiler'
# shellcheck disable=SC2086 # words
FAKE_WORKER_SCRIPT=crash:ceilings/f32_fma run $words --db x.db
expect_code 0
expect_out 'shuffle'
[ "$(grep -c 'cases of the ceilings failed; perflab report 1 --db x.db' "$work/err")" -eq 1 ] ||
	complain 'not said once'
FAKE_WORKER_SCRIPT=no_device run sweep reduce/shuffle --size 1024 --db y.db
expect_code 4
grep -q 'ceilings' "$work/err" && complain 'words of ceilings where there is no device'
[ ! -e y.db ] || complain 'a database was left where nothing could be measured'

# what limits a case is stored with the run, and again when its device has roofs; as a report says it
limits() {
	run query "SELECT trial_id, coalesce(roofs_run_id, 'no roofs') AS roofs, summary FROM results
		WHERE kernel = 'reduce'" --db l.db --format csv
}
run sweep reduce/shuffle --size 1024 --block-sizes 256 --ceilings never --db l.db -q
limits
expect_out '1,no roofs,'
cp "$work/out" "$work/before"
run ceilings 'dram_*' --db l.db -q
expect_code 0
limits
cmp -s "$work/out" "$work/before" && complain 'the roofs of the device change nothing'
expect_out '1,2,'
said=$(sed -n 's/^1,2,"*\([^"]*\).*/\1/p' "$work/out")
run report 1 --db l.db --format json
grep -qF "\"summary\": \"$said" "$work/out" || complain "the report does not say: $said"
finish
