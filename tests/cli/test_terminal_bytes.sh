# No control byte of a database, a path or a worker reaches the terminal, and what a worker prints is
# bounded.
. "$(dirname "$0")/lib.sh"
fake_worker
words='sweep reduce/shuffle --block-sizes 64,128 --size 1024 --rounds 1 --metrics none'

# clean FILE: fails if the file has a byte that is not text. On a terminal colours are perflab's own,
# and so is the line that is written again.
clean() {
	sed 's/\x1b\[[0-9;]*m//g; s/\r\x1b\[K//g; s/\r$//' "$1" >"$work/plain"
	if LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]' "$work/plain"; then
		complain "a control byte in $1"
	fi
	if LC_ALL=C grep -qP '\xc2[\x80-\x9f]|\xe2\x80[\x8b-\x8f\xaa-\xae]|\xe2\x81[\xa6-\xa9]' "$work/plain"; then
		complain "a C1 or bidi control in $1"
	fi
	iconv -f UTF-8 -t UTF-8 "$work/plain" >/dev/null 2>&1 || complain "$1 is not UTF-8"
}

# ---- what a worker prints ----

# prints ACTION: sweeps with a worker that prints so.
prints() {
	FAKE_WORKER_SCRIPT=$1:reduce/shuffle/block=64 run $words --db printed.db
	expect_code "${2:-0}"
	clean err
	clean out
}

prints print_escapes
expect_err 'perflab: worker: a line'
expect_err 'perflab: worker: \x1b]0;title\x07\x1b[2J\xc2\x9b31m\xe2\x80\xaedlo\xff\x0dworker'
expect_err 'perflab: worker: \x1b[31merror'
prints print_lines
expect_err 'worker: line 999'
grep -q 'worker: line 1000' err && complain 'more than 1,000 lines are shown'
expect_err 'the workers printed 2000 more lines (20000 bytes), which are left out'
prints print_flood
[ "$(wc -c <err)" -lt 4096 ] || complain 'a line without end is shown'
expect_err '(67106816 bytes), which are left out'
# what it printed last is there although it died
prints print_and_die 3
expect_err 'worker: the last words'
export FAKE_EMULATOR_SCRIPT=print_escapes
fake_emulator
run sweep reduce/shuffle --block-sizes 64,128 --size 1024 --db emulated.db
expect_code 0
clean err
expect_err 'perflab: worker: \x1b[31merror'
unset FAKE_EMULATOR_SCRIPT
# a question to a worker that fails
printf '#!/bin/sh\nprintf "\\033[2Jlib.so: cannot open\\n" >&2\nexit 127\n' >"$work/broken"
chmod +x "$work/broken"
PERFLAB_WORKER_CUDA=$work/broken run list devices --backend cuda
clean err
cat err >>seen
PERFLAB_WORKER_CUDA=$work/broken run $words --backend cuda --db broken.db
clean err
expect_err 'worker: \x1b[2Jlib.so: cannot open'
fake_worker

# ---- what a database has ----

command -v sqlite3 >/dev/null || finish_without 'no sqlite3 shell'
evil="\$(printf '\\033[31mred\\033]0;title\\007\\302\\233m\\342\\200\\256x')"
evil=$(eval "printf %s \"$evil\"")
# shellcheck disable=SC2086 # words
run $words --db evil.db --label first
expect_code 0
# shellcheck disable=SC2086 # words
run $words --db evil.db --label second
expect_code 0
sqlite3 evil.db "PRAGMA ignore_check_constraints = ON; UPDATE device SET name = '$evil', uuid = uuid || '$evil', chip = '$evil';
	UPDATE run SET uid = id || '$evil', label = 'label$evil', note = '$evil',
		command = '$evil', source_revision = 'abcd$evil', driver = '$evil', toolkit = '$evil';
	UPDATE environment SET value = '$evil' WHERE key LIKE 'host%' OR key LIKE 'gpu%';
	UPDATE trial SET kernel = 'k$evil', variant = 'v$evil', config = id || 'c$evil',
		occupancy_limiter = '$evil', code_hash = '$evil';
	UPDATE trial SET status = 'crashed', reason = 'because $evil' WHERE id = 1;
	INSERT OR REPLACE INTO mark VALUES (1, 'good', '$evil', 1);
	CREATE TABLE \"t$evil\" (\"c$evil\"); INSERT INTO \"t$evil\" VALUES ('$evil')" 2>err ||
	complain 'the database could not be changed'
for words in 'report 1' 'report last' 'report last --format md' 'list runs' 'list devices --db evil.db' \
	'query' 'query run' 'query trials' 'query failures' 'query best' 'history' 'history k' \
	'regress --base 1' 'report nothing' 'report labe' 'history nothing' 'list recordings' \
	"nsight ncu nothing -o x" 'mark 1 bad' 'sweep --resume 1' 'study reduce_shuffle'; do
	# shellcheck disable=SC2086 # words
	run $words --db evil.db
	[ "$code" -lt 128 ] || complain 'it crashed'
	clean out
	clean err
	has_terminal || continue
	command_line="$command_line, on a terminal"
	on_terminal "'$PERFLAB' $words --db evil.db" >"$work/out"
	clean out
done
# a query of a table with such a name, and a path
run query "SELECT * FROM \"t$evil\"" --db evil.db
clean out
run merge evil.db -o "out$evil.db"
clean err
run report --db "no$evil.db"
expect_code 3
clean err
if has_terminal; then
	command_line='perflab query --format csv on a terminal'
	on_terminal "'$PERFLAB' query run --format csv --db evil.db" >"$work/out"
	clean out
	command_line='perflab query --format json on a terminal'
	on_terminal "'$PERFLAB' query run --format json --db evil.db" >"$work/out"
	clean out
fi

# ---- files that people open ----

hidden() {
	LC_ALL=C grep -qP '\xe2\x80[\x8b-\x8f\xa8-\xae]' "$1"
}
for words in 'report 2 -o r.txt' 'report 2 -o r.csv' 'report 2 -o r.json' 'report 2 -o r.md' \
	'report 2 -o r.svg' 'report 2 -o r.html' 'query run --format csv -o q.csv' \
	'query run --format json -o q.json' 'history k --format json -o h.json' \
	'history k --format csv -o h.csv' 'regress --base 1 --format json -o c.json' \
	'list runs --format csv' 'list runs --format json' 'export --format bmf -o e.bmf' \
	'export --format lnt -o e.lnt' 'export --format openmetrics -o e.metrics'; do
	# shellcheck disable=SC2086 # words
	run $words --db evil.db
	[ "$code" -lt 128 ] || complain 'it crashed'
	for file in out r.* q.* h.* c.* e.*; do
		[ -f "$file" ] && hidden "$file" && complain "a bidi control in $file"
	done
	rm -f r.* q.* h.* c.* e.*
done
run query 'SELECT label FROM run' --format json --db evil.db
expect_out '\u202e'

# a spreadsheet takes no cell for a formula
sqlite3 evil.db "UPDATE run SET label = '=cmd()' WHERE id = 2"
run report 2 --format csv --db evil.db
expect_out ",'=cmd()"
run list runs --format csv --db evil.db
expect_out ",'=cmd()"
run query "SELECT '+1-1' AS a, '@x' AS b, char(9) || 'x' AS c, '-' AS d, -1.5 AS e, '-7' AS f, '=' AS g" \
	--format csv --db evil.db
[ "$(sed -n 2p "$work/out")" = "$(printf "'+1-1,'@x,'\tx,-,-1.5,-7,=")" ] || complain 'not as documented'
finish
