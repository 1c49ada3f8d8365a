# perflab query: views, tables and SQL in every format, and only reading statements.
. "$(dirname "$0")/lib.sh"
fake_worker
export PERFLAB_DB="$work/query.db"

refused 3 'does not exist' query
refused 3 'does not exist' query best
run sweep reduce --block-sizes 64,256 --label "$(printf 'a \033[31mred|label')"
expect_code 0
before=$(cksum <"$PERFLAB_DB")

# ---- names ----
run query
expect_code 0
expect_out 'The best configuration of each kernel'
grep -q '^run  *table ' "$work/out" || complain 'no table "run"'
grep -q '^best  *view ' "$work/out" || complain 'no view "best"'
expect_no_out 'sqlite_'
expect_no_out "not part of perflab"
run query best
expect_code 0
grep -q 'MEDIAN NS' "$work/out" || complain 'no head'
grep -q 'reduce' "$work/out" || complain 'no row'
refused 2 'did you mean best?' query bset
run query mark --columns
expect_code 0
expect_out 'Runs that were marked good or bad.'
expect_out 'kind       TEXT     last-good is the newest run marked good'
run query trial --columns # of metrics/fields.h
expect_out 'registers_per_thread       INTEGER  registers of a thread'
run query roofline --columns # of a metric, of a table, and of results
expect_out 'kernel                   TEXT     such as reduce'
expect_out 'dram_bytes               REAL     bytes read from and written to device memory'
expect_out 'flop_per_s               -        flop divided by the median'
expect_out 'median_ns                REAL     median of the samples'
run query results --columns --format csv
expect_out 'started_at,,"start of the run, UTC: 2026-11-21T02:50:45Z"'
run query --columns --format csv
expect_out 'mark,why,TEXT,"reason, as the user gave it"'
refused 2 'did you mean best?' query bset --columns
refused 2 'takes the name of a view or table, not SQL' query "SELECT 1" --columns
refused 2 'did you mean trials or trial?' query trialss
refused 2 'SQL goes in quotes as one word' query SELECT
refused 2 'unexpected operand "1"' query SELECT 1

# ---- formats ----
run query "SELECT limiter FROM results"
expect_code 0
expect_no_err 'older rules'
if command -v sqlite3 >/dev/null; then
	cp "$PERFLAB_DB" rules.db
	sqlite3 rules.db 'UPDATE judgement SET rules = 1'
	run query "SELECT limiter FROM results" --db rules.db
	expect_code 0
	expect_err 'the stored limiters of 1 run come from older rules'
	run query "SELECT kernel FROM results" --db rules.db
	expect_no_err 'older rules'
fi
everything="SELECT NULL AS a, 1 AS a, 2.5 AS b, x'00ff' AS c, '' AS d, 'p,q' AS e, 0 AS f"
run query "$everything" --format csv
[ "$(cat "$work/out")" = "a,a,b,c,d,e,f
,1,2.5,x'00ff',\"\",\"p,q\",0" ] || complain 'CSV'
run query "$everything" --format json
[ "$(cat "$work/out")" = '{
  "format": 1,
  "rows": [
    {"a": null, "a_2": 1, "b": 2.5, "c": "x'\''00ff'\''", "d": "", "e": "p,q", "f": 0}
  ]
}' ] || complain 'JSON'
run query "$everything" --format md
[ "$(sed -n 3p "$work/out")" = "| - | 1 | 2.5 | x'00ff' |  | p,q | 0 |" ] || complain 'Markdown'
run query "$everything"
[ "$(sed -n 2p "$work/out" | tr -s ' ')" = "- 1 2.5 x'00ff' p,q 0" ] || complain 'text'
run query 'SELECT 1 WHERE 0' --format json
expect_out '"rows": []'
run query "SELECT 0.1 + 0.2 AS x, 1e300 AS y, 9007199254740993 AS z, 1e999 AS big" --format json
expect_out '"x": 0.30000000000000004, "y": 1e+300, "z": 9007199254740993, "big": "Infinity"'

# untrusted text is escaped before it reaches a terminal
run query 'SELECT label FROM run'
expect_out 'a \x1b[31mred|label'
run query 'SELECT label FROM run' --format json
expect_out 'a \u001b[31mred|label'
run query 'SELECT label FROM run' --format md
expect_out '\x1b\[31mred&#124;label'
run query "SELECT 1 AS \"$(printf 'x\033y')\""
expect_out 'X\x1bY'
run query "SELECT 'a' || char(0) || 'b' AS t" --format csv
[ "$(sed -n 2p "$work/out" | od -An -c | tr -d ' \n')" = 'a357277275b\n' ] || complain 'NUL'
refused 2 'no such column: a?b' query "SELECT \"\" + [$(printf 'a\033b')]"

# ---- limits ----
numbers='WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c'
run query "$numbers LIMIT 1001"
[ "$(wc -l <"$work/out")" -eq 1001 ] || complain 'not a head and 1000 rows'
expect_err 'the first 1000 rows'
run query "$numbers LIMIT 1000"
[ -s "$work/err" ] && complain 'a message about rows that do not exist'
run query "$numbers LIMIT 1001" --limit 0
[ "$(tail -n 1 "$work/out" | tr -d ' ')" = 1001 ] || complain 'not all rows'
run query "$numbers LIMIT 1001" --format csv
[ "$(tail -n 1 "$work/out")" = 1001 ] || complain 'not all rows of CSV'
run query "$numbers" --limit 2 --format csv
[ "$(cat "$work/out")" = 'x
1
2' ] || complain 'not two rows'
[ -s "$work/err" ] && complain 'a message about a limit that was asked for'

# ---- refused statements ----
refused 2 'refuses writing' query "DELETE FROM run"
refused 2 'refuses writing' query "INSERT INTO environment VALUES (1, 'a', 'b') RETURNING key"
refused 2 'refuses writing' query 'UPDATE run SET note = NULL'
refused 2 'may not be modified' query "UPDATE sqlite_master SET sql = 'x'"
refused 2 'refuses writing' query 'CREATE TABLE x (y)'
refused 2 'refuses writing' query 'CREATE TEMP TABLE x AS SELECT 1'
refused 2 'refuses writing' query 'DROP VIEW best'
refused 2 'refuses writing' query "VACUUM INTO '$work/copy.db'"
refused 2 'refuses ATTACH' query "ATTACH '$work/other.db' AS other"
refused 2 'refuses transactions' query 'BEGIN EXCLUSIVE'
refused 2 'refuses PRAGMA journal_mode' query 'PRAGMA journal_mode = DELETE'
refused 2 'refuses PRAGMA user_version' query 'PRAGMA user_version = 99'
refused 2 'refuses PRAGMA writable_schema' query 'PRAGMA writable_schema = 1'
refused 2 'load_extension' query "SELECT load_extension('x')"
refused 2 'one statement at a time' query 'SELECT 1; SELECT 2'
refused 2 'one statement at a time' query 'SELECT 1; DROP TABLE run'
refused 2 'the text has no statement' query ' -- nothing'
refused 2 'syntax error' query 'SELECT 1 FORM run'
refused 2 'too long' query 'SELECT zeroblob(900000000)'
refused 2 'integer overflow' query 'SELECT abs(-9223372036854775807 - 1)'
[ -e "$work/copy.db" ] || [ -e "$work/other.db" ] && complain 'a file was created'
[ "$(cksum <"$PERFLAB_DB")" = "$before" ] || complain 'the database was changed'

# ---- statements that read are accepted ----
for sql in 'SELECT 1; -- and no more' ';; SELECT 1;' 'EXPLAIN QUERY PLAN SELECT * FROM run' \
	'PRAGMA user_version' 'PRAGMA table_info(run)' 'PRAGMA integrity_check' \
	"SELECT * FROM pragma_table_info('run')" "SELECT value FROM json_each('[1,2]')" \
	'VALUES (1), (2)' 'WITH x AS (SELECT 1) SELECT * FROM x'; do
	run query "$sql"
	expect_code 0
	[ -s "$work/out" ] || complain 'no output'
done

# a view that the user created is listed; a read-only file can be read
if command -v sqlite3 >/dev/null; then
	cp "$PERFLAB_DB" "$work/own.db"
	sqlite3 "$work/own.db" "CREATE VIEW \"mine\" AS SELECT 42 AS answer, 1 AS instructions"
	chmod 400 "$work/own.db"
	run query mine --db own.db
	expect_out 42
	run query mine --columns --format csv --db own.db
	[ "$(cat "$work/out")" = 'column,type,meaning
answer,,
instructions,,' ] || complain 'columns of the user'
	run query --db own.db
	expect_out "not part of perflab"
fi

# begin SQL: starts a query and waits until it catches SIGTERM (signal 15: the third bit of the
# fourth hexadecimal digit from the right)
begin() {
	command_line="perflab query '$1', interrupted"
	"$PERFLAB" query "$1" >"$work/out" 2>"$work/err" &
	query=$!
	await_of $query 'the query catches SIGTERM' has_line '^SigCgt:.*[4-7c-f]...$' /proc/$query/status
}

# an interrupt ends a long query, even if it comes several times: timeout(1) sends two signals
begin "$(echo "$numbers" | sed 's/SELECT x FROM/SELECT count(*) FROM/')"
signals=0
while [ $signals -lt 200 ]; do
	kill -TERM $query
	signals=$((signals + 1))
done
end_of $query
expect_code 3
expect_err 'interrupted'

# a query that spends minutes inside one SQLite function does not notice; a later signal ends it
begin "SELECT instr(hex(zeroblob(4000000)), hex(zeroblob(2000000)) || '1')"
ends_by_signals() {
	kill -TERM $query 2>/dev/null
	is_gone $query
}
await 'several signals end the query' ends_by_signals
end_of $query
expect_code 143
finish
