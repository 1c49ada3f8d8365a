# Trials whose results no check shows to be right: measured, marked everywhere, never ranked above a
# verified one. The fake worker says which cases are so.
. "$(dirname "$0")/lib.sh"
fake_worker
export PERFLAB_DB="$work/unverified.db"

# marked: fails unless each of the words stands on a line of stdout with "unverified".
marked() {
	for word in "$@"; do
		grep -F -- "$word" "$work/out" | grep -qF unverified || complain "$word is not marked as unverified"
	done
}

# ---- the sweep ----
export FAKE_WORKER_SCRIPT='unverified:reduce/shuffle/block=64'
run sweep reduce/shuffle --block-sizes 64,256 --size 4096 --label first
expect_code 0
expect_err '1 unverified: no check shows that its result is right; the report says why'
expect_out '(1 ok, 1 unverified)'
FAKE_WORKER_SCRIPT=unverified
run sweep reduce/shuffle --block-sizes 64,256 --size 4096 --label second
expect_code 0
expect_err '2 unverified: no check shows that their results are right; the report says why'

# ---- reports ----
run report first
expect_code 0
sed -n '/^reduce\/shuffle (/,/^$/p' "$work/out" >best
sed -n 3p best | grep -q '^ok .* 256$' || complain 'the best is not the verified one'
sed -n 4p best | grep -q '^unverified .* 64$' || complain 'the unverified case is not marked'
expect_out 'scripted: unverified'
run report second
sed -n '/^reduce\/shuffle (/,/^$/p' "$work/out" >best
[ "$(grep -c '^unverified ' best)" -eq 2 ] || complain 'the best of unverified ones is not marked'
run report second --format md
[ "$(grep -c '^| unverified | ' "$work/out")" -eq 3 ] || complain 'not all cases are marked'
run report first --format csv
marked ',shuffle,"block=64,'
grep -F ',shuffle,"block=64,' "$work/out" | grep -q ',unverified,scripted: unverified,3' || complain 'no status, reason and times'
run report first --format json
expect_out '"status": "unverified"'
expect_out '"reason": "scripted: unverified"'

# ---- comparisons ----
run regress --base first --all
marked 'block=64,n=4096 (unverified)' 'block=256,n=4096 (unverified)'
expect_out 'base and head are unverified'
expect_out 'the head is unverified'
expect_out '; 2 unverified'
run regress --base first --format json
expect_out '"head_status": "unverified"'
expect_out '"unverified": 2'
run regress --base first --format junit
marked 'the head is unverified'

# ---- history ----
run history 'reduce/shuffle/block=256*'
expect_code 0
expect_out '; u: unverified, 1 of 2'
grep -q '^   u$' "$work/out" || complain 'the bar of the second run is not marked'
expect_out 'unverified: scripted: unverified'
grep 'second' "$work/out" | grep -q ' us ' || complain 'the unverified run has no time'
run history 'reduce/shuffle/block=256*' --format md
marked second
run history 'reduce/shuffle/block=256*' --format csv
marked second
run history 'reduce/shuffle/block=256*' --format json
expect_out '"status": "unverified"'

# ---- the database ----
run list runs --format csv
[ "$(cut -d, -f8- "$work/out" | tail -n 2 | cut -d, -f1-5 | sort | tr '\n' ' ')" = '0,0,2,0,0 1,0,1,0,0 ' ] ||
	complain 'not the cases of each run by status'
run query best --format csv
expect_out ',ok,'
expect_no_out unverified
run query roofline --format csv
[ "$(grep -c ',unverified,' "$work/out")" -eq 2 ] || complain 'the newest trials are not marked'
run query failures --format csv
[ "$(wc -l <"$work/out")" -eq 1 ] || complain 'an unverified trial is listed as failed'

# ---- an interrupted sweep keeps what inspection said ----
export PERFLAB_DB="$work/resumed.db"
FAKE_WORKER_SCRIPT='inspect_unverified;unverified'
run sweep reduce/shuffle --block-sizes 64 --size 4096
expect_code 0
if command -v sqlite3 >/dev/null; then
	# as if it was killed after the last round
	sqlite3 resumed.db "UPDATE trial SET status = 'pending', reason = NULL, finished_ns = NULL; UPDATE run SET state = 'interrupted'"
	FAKE_WORKER_SCRIPT=inspect_unverified
	run sweep --resume 1
	expect_code 0
	run query "SELECT status FROM trial" --format csv
	expect_out unverified
fi

# ---- an emulator ----
fake_emulator
export PERFLAB_DB="$work/emulated.db" FAKE_EMULATOR_SCRIPT='unverified:reduce/shuffle/block=64'
run sweep reduce/shuffle --backend ptx --block-sizes 64,256 --size 4096
expect_code 0
expect_err '1 unverified'
expect_out '(1 ok, 1 unverified)'
grep '^unverified  *1 ' "$work/out" | grep -qF 'reduce/shuffle/block=64,n=4096' || complain 'the unverified case is not named'
run report last --lines
marked 'block=64,n=4096 (unverified: scripted: unverified)'

finish
