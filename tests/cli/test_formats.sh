# The name of a file says its format, unless --format does; errors of a file name it.
. "$(dirname "$0")/lib.sh"
fake_worker
run sweep reduce/shuffle --block-sizes 64 --size 4096 -q --label first
expect_code 0
run sweep reduce/shuffle --block-sizes 64 --size 4096 -q --label second
expect_code 0

# first_bytes FILE TEXT
first_bytes() {
	head -c 400 "$1" | grep -qF -- "$2" || complain "$1 has no '$2': $(head -c 80 "$1")"
}

# ---- report ----
run report -o run.json
expect_code 0
[ -s "$work/err" ] && complain 'a message about nothing'
first_bytes run.json '{'
run report -o run.CSV
first_bytes run.CSV 'kernel,'
run report -o run.md
first_bytes run.md '### '
run report -o run.txt
first_bytes run.txt 'Run '
run report -o run.html
if [ "$code" -eq 4 ]; then
	expect_err 'this build writes no pages'
	[ -e run.html ] && complain 'a page in a build without pages'
else
	first_bytes run.html '<!doctype html>'
fi
# --format wins, and says so if the name means another
run report -o run.csv --format json
expect_code 0
first_bytes run.csv '{'
expect_err 'run.csv is written as json, as --format says; its name means csv'
run report -o run.json --format json
[ -s "$work/err" ] && complain 'a message about nothing'
# a name that says nothing
run report -o run.xyz
expect_code 0
first_bytes run.xyz 'Run '
expect_err 'the name of run.xyz says no format, so it is written as text; --format chooses another'
for name in run .run; do
	run report -o "$name"
	expect_code 0
	[ -s "$work/err" ] && complain 'a message about nothing'
done
# a format of another verb
refused 2 '--output run.xml: the name means junit, which perflab report does not write; --format' \
	report -o run.xml
[ -e run.xml ] && complain 'a file in spite of the error'

# ---- regress ----
run regress --base first -o changes.xml
expect_code 0
first_bytes changes.xml '<?xml'
run regress --base first -o changes.json
first_bytes changes.json '{'
refused 2 'the name means html, which perflab regress does not write; --format chooses one of: text' \
	regress --base first -o changes.html

# ---- queries and histories ----
run query 'SELECT kernel FROM trial' -o kernels.csv
expect_code 0
[ -s "$work/out" ] && complain 'rows on stdout beside a file'
[ "$(cat kernels.csv)" = "$(printf 'kernel\nreduce\nreduce')" ] || complain 'other rows'
run query -o names.md
first_bytes names.md '| name'
run history reduce/shuffle -o history.json
expect_code 0
first_bytes history.json '{'
refused 2 'it is a SQLite database' query best -o perflab.db

# ---- what goes wrong with a file names the file ----
refused 2 '--output: the file has no name' report -o ''
refused 3 'cannot write nowhere/run.json: its folder does not exist' report -o nowhere/run.json
refused 3 'nowhere/a.db cannot be created: its folder does not exist' sweep reduce --db nowhere/a.db
for verb in report 'regress --base first' 'export --format bmf' 'query best' 'history reduce'; do
	if [ -c /dev/full ]; then
		# shellcheck disable=SC2086 # words
		refused 3 '/dev/full: cannot write the output: No space left on device' $verb -o /dev/full
	fi
	# shellcheck disable=SC2086 # words
	run $verb -o /dev/null
	expect_code 0
done

# names of open files and pipes
run report -o /dev/stdout
expect_code 0
grep -q '^Run 2' "$work/out" || complain 'no report on stdout'
"$PERFLAB" report -o /dev/stdout | grep -q '^Run 2' || complain 'no report in the pipe of /dev/stdout'
echo kept >appended
"$PERFLAB" report -o /dev/stdout >>appended || complain 'cannot append through /dev/stdout'
"$PERFLAB" report --format csv -o /dev/fd/3 3>>appended || complain 'cannot append through /dev/fd/3'
[ "$(head -n 1 appended)" = kept ] || complain 'the file was replaced'
grep -q '^Run 2' appended || complain 'no report behind it'
grep -q '^format,' appended || complain 'no CSV behind it'
mkfifo pipe
head -n 1 pipe >from_pipe &
run report -o pipe
expect_code 0
wait $!
grep -q '^Run 2' from_pipe || complain 'no report through the FIFO'
[ -p pipe ] || complain 'the FIFO was replaced'

# a full disk: of the output, and of the database, beside which SQLite makes files
full='mount -t tmpfs -o size=8M none full || exit 99
cp "$0" full/a.db
dd if=/dev/zero of=full/rest bs=4k 2>/dev/null
dd if=/dev/zero of=full/last bs=1 count=4096 2>/dev/null
"$PERFLAB" report --db full/a.db >read || exit 98
"$PERFLAB" report --db full/a.db -o full/report.csv
code=$?
ls full
exit $code'
mkdir full
command_line='report on a full disk'
if unshare -rm true 2>/dev/null; then
	unshare -rm sh -c "$full" "$work/perflab.db" >"$work/out" 2>"$work/err"
	code=$?
	if [ $code -ne 99 ]; then
		expect_code 3
		expect_err 'full/report.csv: cannot write the output: No space left on device'
		expect_no_err 'sweep'
		expect_no_out 'report.csv'
		grep -q '^Run 2' read || complain 'the database cannot be read'
	fi
fi

# ---- a terminal ----
has_terminal || finish_without 'no pseudo-terminal can be made here'
command_line='perflab report --format html, on a terminal'
on_terminal "'$PERFLAB' report --format html" >"$work/out" 2>&1
[ $? -eq 2 ] || complain 'it was not refused'
expect_out 'html is not for a terminal: give -o FILE.html, or a pipe'
finish
