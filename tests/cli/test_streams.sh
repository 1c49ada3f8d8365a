# A closed standard input, output or error stays unused: no file and no socket takes its place.
. "$(dirname "$0")/lib.sh"
fake_worker
words='sweep reduce/shuffle --block-sizes 64,128 --size 1024 --metrics none'

# closed WHICH DATABASE: the run in the database is whole, although descriptors were closed.
closed() {
	: >"$work/out"
	: >"$work/err"
	command_line="perflab $words, $1"
	"$PERFLAB" list runs --db "$2" --format csv >"$work/out" 2>"$work/err" ||
		complain 'the database cannot be read'
	expect_out ',finished,'
	run report --db "$2"
	expect_code 0
	expect_out 'shuffle'
}

# shellcheck disable=SC2086 # words
"$PERFLAB" $words --db 1.db <&- >"$work/report" 2>"$work/messages"
closed 'without stdin' 1.db
# shellcheck disable=SC2086 # words
"$PERFLAB" $words --db 2.db <&- >&- 2>"$work/messages"
closed 'without stdin and stdout' 2.db
grep -q 'cannot write the output: Bad file descriptor' "$work/messages" ||
	complain 'nobody says that the report is lost'
# shellcheck disable=SC2086 # words
"$PERFLAB" $words --db 3.db <&- >&- 2>&-
closed 'without any' 3.db
# shellcheck disable=SC2086 # words
"$PERFLAB" $words --db 4.db </dev/null >"$work/report" 2>&-
closed 'without stderr' 4.db
grep -q shuffle "$work/report" || complain 'the report is not on stdout'
# an output of a verb that writes into a file does not become a standard stream either
for streams in '<&-' '<&- >&-' '<&- >&- 2>&-' '2>&-'; do
	command_line="perflab report -o $streams"
	eval "\"\$PERFLAB\" report --db 1.db --format csv -o out.csv $streams"
	code=$?
	expect_code 0
	grep -q reduce out.csv || complain 'the output lacks the report'
	rm -f out.csv
done
finish
