# What changed by line, in every format of a comparison, and as a gate.
. "$(dirname "$0")/lib.sh"
command -v sqlite3 >/dev/null || skip 'there is no sqlite3'
no_worker
"$MAKE_LINE_RUNS" lines.db || { echo 'no database was made'; exit 1; }
export PERFLAB_DB=lines.db

# compare CODE WORD…: compares the two runs.
compare() {
	wanted=$1
	shift
	run regress --base before --head after "$@"
	expect_code "$wanted"
}

line='saxpy.cu:4: sectors per request 4 → 16; its share of the stalls 12 → 38 %'
compare 1
expect_out 'By line'
expect_out "$line"
# a slower case names its line in the reason, which the table shows, too
[ "$(grep -cF "$line" out)" -eq 2 ] || complain 'the reason does not name the line'
expect_out 'quiet.cu:1: sectors per request 4 → 5'
expect_out 'not compared: spin.cu:1, its counts vary'
expect_out 'not compared: the launches differ'
expect_no_out 'same.cu'
expect_no_out 'grid.cu'
[ "$(grep -n 'saxpy.cu' out | tail -n 1 | cut -d: -f1)" -lt "$(grep -n 'quiet.cu' out | cut -d: -f1)" ] ||
	complain 'the case that regressed does not come first'

# both runs side by side: a line that moved and was edited is one line
run report after --lines --compare before
expect_code 0
expect_out 'saxpy/strided/n=32768  then 10.0 us, now 15.0 us'
grep -Eq '^saxpy.cu:3 +saxpy.cu:4 +12 % +38 % +1024 +1024 +4 +16 +edited +y\[i\]' out ||
	complain 'the moved line is not shown beside itself'
run report after same --lines --compare before --format csv
expect_code 0
grep -q ',same.cu:1,same.cu:3,0.1,0.9,' out || complain 'csv does not have the moved line'
run report after --lines --sass --compare before
expect_code 2
expect_err '--sass does not work with --compare'

# a damaged profile costs the lines of its case, and nothing else
sqlite3 lines.db ".backup 'damaged.db'"
sqlite3 damaged.db "DELETE FROM instruction WHERE instruction = 0 AND trial_id = (SELECT trial.id FROM trial
	JOIN run ON run.id = run_id WHERE label = 'after' AND variant = 'spin')"
spin='saxpy/spin/n=32768: its lines are left out, because its profile is damaged: the profile of trial'
run report after --lines --db damaged.db
expect_code 3
expect_out 'saxpy.cu:4'
expect_no_out 'spin'
expect_err "$spin"
expect_err 'take a new profile with perflab sweep --lines'
run report after --lines --compare before --db damaged.db
expect_code 3
expect_out 'saxpy/strided/n=32768  then 10.0 us, now 15.0 us'
expect_no_out 'spin'
expect_err "$spin"
run report after --lines spin --db damaged.db
expect_code 3
expect_err 'every profile of the chosen cases of run 2 is damaged'
run report after --lines spin --compare before --db damaged.db
expect_code 3
expect_err 'no chosen case has a profile that can be read in both runs'
run report after --format html -o page.html --db damaged.db
[ "$code" -eq 4 ] || { # a build without the page
	expect_code 3
	expect_err "$spin"
	grep -qF '"damaged":"the profile of trial' page.html || complain 'the page does not say what is damaged'
	grep -qF 'y[i] = x[32 * i];' page.html || complain 'the page lacks the lines of other cases'
}

# a comparison says so, and a gate does not let it pass
compare 1 --db damaged.db
expect_out "$line"
expect_out 'not compared: damaged in the head: the profile of trial'
expect_err 'saxpy/spin/n=32768: its lines are not compared: damaged in the head: the profile of trial'
printf 'saxpy/strided* ignore\nsaxpy/quiet* ignore\n' >limits
run regress --base after --head before --thresholds limits --db damaged.db
expect_out 'not compared: damaged in the base: the profile of trial'
compare 0 --thresholds limits --db damaged.db
compare 1 --thresholds limits --lines gate --db damaged.db
compare 0 --thresholds limits --lines gate
compare 1 --thresholds limits --lines gate --format junit --db damaged.db
expect_out 'type="lines"/>'
compare 0 --thresholds limits --lines none --db damaged.db
expect_no_err 'damaged'
sqlite3 damaged.db "UPDATE content SET packed = x'00'"
compare 0 --thresholds limits --db damaged.db
expect_out 'not compared: damaged in the base: content'

# a case that is as fast fails if its lines gate
sqlite3 lines.db "DELETE FROM profile WHERE trial_id IN (SELECT trial.id FROM trial JOIN run
	ON run.id = run_id WHERE label = 'after' AND variant = 'strided')"
run regress --base before --head after --thresholds none
expect_code 1
expect_no_out 'saxpy.cu'
echo 'saxpy/strided* ignore' >limits
compare 0 --thresholds limits
expect_out 'quiet.cu:1: sectors per request 4 → 5'
expect_no_out 'by its lines'
compare 1 --thresholds limits --lines gate
expect_out 'quiet.cu:1: sectors per request 4 → 5'
expect_out '; 1 fails by its lines'
grep -Eq '^[a-z]+, fails by its lines +saxpy/quiet/' out || complain 'the row does not say why it fails'
compare 0 --thresholds limits --lines none
expect_no_out 'By line'

# other formats
compare 1 --thresholds limits --lines gate --format md
expect_out '**By line**'
expect_out '; 1 fails by its lines**'
grep -Eq '^\| [a-z]+, fails by its lines \| saxpy/quiet/' out || complain 'md does not say why it fails'
expect_out 'not compared: spin.cu:1, its counts vary'
compare 1 --thresholds limits --lines gate --format junit
expect_out 'type="lines"/>'
expect_out ', fails by its lines: time'
expect_out 'lines: quiet.cu:1: sectors per request 4 → 5'
compare 1 --thresholds limits --lines gate --format json
expect_out '"place": "quiet.cu:1"'
expect_out '"by_lines": 1'
[ "$(grep -c '"by_lines": true' out)" -eq 1 ] || complain 'not one case fails by its lines'
expect_out '"varying": ['
[ "$(grep -c '"lines": null' out)" -eq 1 ] || complain 'a case without a profile has lines'
compare 0 --thresholds limits --lines none --format json
expect_no_out '"lines"'

# two versions of one run: their launches have other names
run regress --base against --head beside
expect_code 1
expect_out "$line"

# a terminal without UTF-8
if has_terminal; then
	on_terminal "LC_ALL=C '$PERFLAB' regress --base against --head beside" >out
	expect_out 'sectors per request 4 -> 16'
	expect_no_out '→'
fi

# a run without the text: nothing is guessed
sqlite3 lines.db "UPDATE run_file SET hash = NULL, why = 'was not found' WHERE file = '/now/quiet.cu'"
compare 0 --thresholds limits --lines gate
expect_no_out 'quiet.cu:1'
expect_out 'not compared: the text of quiet.cu is kept of one run only'

# no profiles: a hint only for who asks
sqlite3 lines.db 'DELETE FROM profile'
compare 0 --thresholds limits
expect_no_out 'By line'
expect_no_err 'lines'
compare 0 --thresholds limits --lines gate
expect_err 'no case has a profile in both runs'
expect_err 'perflab sweep --lines all'
finish
