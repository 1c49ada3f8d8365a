# Where a report is written and in which format: complete files or none, and refused formats.
. "$(dirname "$0")/lib.sh"
fake_worker

run sweep stream --size 1024 --block-sizes 64 --rounds 1 --label first
expect_code 0
run report last
expect_code 0
cp "$work/out" shown

# a file holds what stdout would, and no temporary file is left
run report last -o report.txt
expect_code 0
[ ! -s "$work/out" ] || complain 'data on stdout besides the file'
cmp -s shown report.txt || complain 'the file differs from stdout'
ls -A | grep -q '^\.perflab-' && complain 'a temporary file is left'
umask 027
run report last -o masked.txt
[ "$(stat -c %a masked.txt)" = 640 ] || complain "permissions are $(stat -c %a masked.txt)"
umask 022
run report last -o -
cmp -s shown "$work/out" || complain '-o - is not stdout'

# a link stays; its target is replaced and keeps its permissions
chmod 604 report.txt
ln -s report.txt link
run report last --format csv -o link
expect_code 0
[ -L link ] || complain 'the link is gone'
grep -q '^format,' report.txt || complain 'the target of the link was not replaced'
[ "$(stat -c %a report.txt)" = 604 ] || complain "permissions became $(stat -c %a report.txt)"

# a device is written in place
run report last -o /dev/null
expect_code 0
[ -c /dev/null ] || complain '/dev/null was replaced'

# after a failure the old file is still there
printf kept >page.html
refused 2 "no run '999'" report 999 --format html -o page.html
[ "$(cat page.html)" = kept ] || complain 'a failure damaged the old page'
refused 3 'cannot write no/such/folder/x: its folder does not exist' report last -o no/such/folder/x
refused 3 'cannot write .: Is a directory' report last -o .
refused 3 'No space left' report last -o /dev/full
run sweep stream --size 1024 --block-sizes 32..1024 --rounds 1
expect_code 0
(
	ulimit -f 80
	"$PERFLAB" report last --format json -o page.html
	echo "ended with $?"
) 2>&1 | cat >"$work/err"
command_line='perflab report last --format json -o page.html, where files end at 40 KiB'
expect_err 'File too large'
expect_err 'ended with 3'
[ "$(cat page.html)" = kept ] || complain 'a full disk damaged the old page'
ls -A | grep -q '^\.perflab-' && complain 'a temporary file is left'

# a verdict for the best case of each kernel, or a line that says what is missing; neither with
# --no-roofline
run report last
expect_out 'Roofline'
expect_out 'perflab ceilings'
run report last --no-roofline
expect_code 0
expect_no_out 'Roofline'
expect_no_out 'perflab ceilings'
run report last --format md --no-roofline
expect_no_out 'Roofline'

# odd databases give a report in every format: no counters, one case, absurd numbers, names of 500
# characters, a process that was killed
every_format() {
	for format in text md csv json html; do
		run report last --db "$1" --format $format -o "$work/report.$format"
		[ "$format" = html ] && [ "$code" -eq 4 ] && continue # a build without the page
		expect_code 0
		[ -s "$work/report.$format" ] || complain "$2: nothing as $format"
		[ "$format" = html ] || ! grep -qwi 'nan\|inf' "$work/report.$format" ||
			complain "$2: no number in $format"
	done
	command -v python3 >/dev/null || return 0
	python3 -m json.tool "$work/report.json" >/dev/null || complain "$2: no JSON"
	python3 -c 'import csv, sys
rows = list(csv.reader(open(sys.argv[1], errors="surrogateescape", newline="")))
sys.exit(len({len(row) for row in rows}) != 1)' "$work/report.csv" || complain "$2: rows of several widths"
}
run sweep reduce/shuffle --size 1024 --block-sizes 64 --rounds 1 --metrics none --db one.db
expect_code 0
every_format one.db 'one case without counters'
if command -v sqlite3 >/dev/null; then
	run sweep stream --size 1024 --block-sizes 64 --rounds 1 --db odd.db
	expect_code 0
	every_format odd.db 'as it should be'
	for change in "UPDATE counter SET value = 9e999 WHERE value IS NOT NULL" \
		"UPDATE counter SET value = -1 WHERE value IS NOT NULL" \
		"UPDATE counter SET value = 0 WHERE value IS NOT NULL" \
		"UPDATE trial SET median_ns = 0, session_low_ns = 0, session_high_ns = 0" \
		"UPDATE trial SET median_ns = 9e999" \
		"UPDATE trial SET median_ns = NULL, session_low_ns = NULL, session_high_ns = NULL" \
		"UPDATE trial SET kernel = printf('%.500c', 'k'), variant = variant || '</script>' || x'1b' || '|\"''\`'" \
		"UPDATE trial SET status = 'pending'" \
		"UPDATE run SET state = 'running', finished_ns = NULL" \
		"DELETE FROM counter" "DELETE FROM sample" "DELETE FROM trial"; do
		cp odd.db changed.db
		sqlite3 changed.db "PRAGMA foreign_keys = ON; $change" 2>"$work/refused" ||
			grep -q 'constraint failed\|cannot store' "$work/refused" ||
			complain "the test cannot apply $change: $(cat "$work/refused")"
		every_format changed.db "$change"
	done
fi

# patterns, --top, --sort and --columns select the same in every format
run sweep reduce stream --size 1024,4096 --block-sizes 64,128 --rounds 1 --db select.db
expect_code 0
export PERFLAB_DB=select.db
run report last 'reduce/shuffle/*n=4096' --format csv
expect_code 0
[ "$(wc -l <"$work/out")" -eq 3 ] || complain 'not the two cases of the pattern'
run report last reduce/shuffle stream/copy_float4 --top 1 --columns median,block --format csv
[ "$(head -n 1 "$work/out")" = format,kernel,variant,config,median_ns,block ] || complain 'not the chosen columns'
[ "$(wc -l <"$work/out")" -eq 5 ] || complain 'not the best of two sizes of two kernels'
run report last stream --sort -median --top 2 --format json
[ "$(grep -c '"config": ' "$work/out")" -eq 2 ] || complain 'not the two slowest cases'
# every obvious name is a column; CSV always names the case
run report last reduce/shuffle --columns kernel,variant,config,case,name,time --format csv
expect_code 0
[ "$(head -n 1 "$work/out")" = format,kernel,variant,config,case,case,median_ns ] || complain 'not each name once'
run report last reduce/shuffle --columns 'case,SPEED-UP,roof %,CI'
expect_code 0
expect_out 'reduce/shuffle/block=64,n=1024'
run report last reduce --columns kernel,median
expect_out 'VARIANT'
expect_out 'KERNEL'
run report last reduce/shuffle --columns ' median , block' --format csv
[ "$(head -n 1 "$work/out")" = format,kernel,variant,config,median_ns,block ] || complain 'blanks are no separators'
refused 2 'the name of a column is missing; give names such as median,roof,block' report last --columns ''
refused 2 'has no column "lost": only emulated runs have it' report last --columns lost
# what was asked for comes first
run report last --columns median
[ "$(grep -n '^stream: ' "$work/out" | head -n 1 | cut -d: -f1)" -lt "$(grep -n '^Fastest' "$work/out" | cut -d: -f1)" ] ||
	complain 'the chosen columns are not first'
for word in kernel variant name case; do
	run report last --sort "$word" --format csv
	expect_code 0
done
[ "$(sed -n 2p "$work/out" | cut -d, -f7-8)" = reduce,atomic_finish ] || complain 'not ordered by name'
sed -n 2p "$work/out" | grep -q '"block=64,n=1024"' || complain 'not by number'
run report last --sort -name --format csv
[ "$(sed -n 2p "$work/out" | cut -d, -f7)" = stream ] || complain 'not reversed'
run report last 'reduce/*'
grep -q '^  cases  *[0-9]* of [0-9]* (.*) that match reduce/\*$' "$work/out" || complain 'not the number of cases'
expect_out 'the best of each variant'
expect_no_out 'copy_float4'
run report last 'reduce/*' --format md
expect_out '#### reduce: 10 of '
refused 2 'no case of run 1 matches "redcue"; did you mean reduce?' report last redcue
refused 2 'the run comes before the cases: perflab report last '\''reduce/*'\' report 'reduce/*'
refused 2 '--sort: run 1 has no column "mediann"; did you mean median?' report --sort mediann
refused 2 '--columns does not work with html' report --columns median --format html -o page.html
refused 2 '--all shows every case and --top 2 only the best: give --top to compare a few cases' report --all --top 2
refused 2 "'0' is not a whole number between 1" report --top 0
unset PERFLAB_DB

# contradicting options are refused before a database is opened
refused 2 'perflab regress compares them, or show both on a page with -o FILE.html' report last --compare first
refused 2 '--lines cannot be written as svg' report last --lines --format svg
refused 2 'unknown value "html"' list runs --format html
refused 2 'unknown value "png"' sweep --format png
refused 2 '--compare: ' report last --format html --compare nothing-of-that-name


# metrics and rules of a user's file: columns, notes and advice, and what was counted for them
cat >my.rules <<'END'
metric: seconds
unit: s
meaning: the median
formula: median_time_ns / 1e9
metric: cycles_twice
unit: cycle
meaning: a counter of CUPTI, twice
formula: 2 * sm__cycles_elapsed.sum
rule: mine
when: median_time_ns > 0
says: it takes {median_time_ns / 1000} us
END
run sweep stream/copy_scalar --size 1024 --block-sizes 64 --rounds 1 --rules my.rules --format json
expect_code 0
expect_out '"metric": "seconds"'
expect_out '"rule": "mine"'
run report last --rules my.rules --format csv
expect_code 0
expect_out 'seconds'
run report last --rules my.rules --columns variant,seconds
expect_code 0
expect_out 'SECONDS'
run report last --format csv
expect_no_out 'seconds,'
printf 'rule: mine\nwhen: dram_byte > 1\nsays: a\n' >bad.rules
refused 3 'bad.rules:2: "dram_byte > 1", character 1: no metric of a device is called "dram_byte"; did you mean dram_bytes?' \
	report last --rules bad.rules
refused 3 'did you mean dram_bytes' sweep stream --rules bad.rules
refused 3 'did you mean dram_bytes' list rules --rules bad.rules
refused 3 'no such file' report last --rules none.rules
refused 2 'leave --group out' report last --rules my.rules --group
refused 2 'works only with "perflab list rules"' list kernels --rules my.rules
run list rules --rules my.rules mine
expect_code 0
expect_out 'median_time_ns > 0'
finish
