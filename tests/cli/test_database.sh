# Files that are not databases or cannot be written give one line and exit 3. Nothing is lost, and
# no device is used before the check.
. "$(dirname "$0")/lib.sh"
fake_worker
export FAKE_WORKER_LOG="$work/log"
words='sweep reduce/shuffle --block-sizes 64,128 --size 1024 --metrics none -q'

refuses() {
	: >"$FAKE_WORKER_LOG"
	text=$1
	shift
	# shellcheck disable=SC2086 # words
	refused 3 "$text" "$@" $words --db "$db"
	[ -s "$FAKE_WORKER_LOG" ] && complain 'the device was touched'
	return 0
}

intact() {
	[ "$(sqlite3 "$1" 'PRAGMA integrity_check')" = ok ] || complain "$1 is damaged"
}

db=text.db
echo 'this is no database, but a text that someone cares for' >$db
cp $db $db.before
refuses $db
cmp -s $db $db.before || complain 'the text was changed'
refused 3 $db report --db $db
refused 3 $db list runs --db $db
db="$work"
refuses "$work"
db=$(printf 'x%.0s' $(seq 300))
refuses 'name too long: name another file with --db'
db=no-such-folder/a.db
refuses 'no-such-folder'

command -v sqlite3 >/dev/null || { echo 'no sqlite3 shell: the rest is left out'; finish; }
db=other.db
sqlite3 $db 'PRAGMA application_id = 1234; CREATE TABLE mine (x); INSERT INTO mine VALUES (1)'
refuses $db
[ "$(sqlite3 $db 'SELECT x FROM mine')" = 1 ] || complain 'a table of another was changed'

# shellcheck disable=SC2086 # words
run $words --db good.db
expect_code 0
cp good.db newer.db
sqlite3 newer.db 'PRAGMA user_version = 9999'
db=newer.db
refuses '9999'
refused 3 '9999' report --db newer.db

db=damaged.db
cp good.db $db
dd if=/dev/urandom of=$db bs=1024 seek=4 count=16 conv=notrunc 2>/dev/null
run report --db $db
[ "$code" -ne 0 ] || complain 'a damaged database is reported as if whole'
[ "$code" -lt 128 ] || complain 'a damaged database ends in a crash'

# locked by another process, for longer than the wait
db=good.db
mkfifo "$work/hold"
sqlite3 $db <"$work/hold" >"$work/locked" 2>&1 &
locker=$!
exec 9>"$work/hold"
printf 'PRAGMA locking_mode = exclusive;\nBEGIN EXCLUSIVE;\nSELECT 42;\n' >&9
await_of $locker 'the database is locked' has_line 42 "$work/locked"
export PERFLAB_DB_TIMEOUT=200ms
refuses 'good.db has been locked'
printf 'ROLLBACK;\n.quit\n' >&9
exec 9>&-
end_of $locker
intact good.db
[ "$("$PERFLAB" list runs --db good.db --format csv | wc -l)" -eq 2 ] || complain 'runs were lost'
unset PERFLAB_DB_TIMEOUT

# Read-only: root may write everything, so another user runs the test. That user may not have access
# to the build folder, so the programs are copied to a folder that everyone may read.
chmod 755 "$work"
mkdir programs
cp "$PERFLAB" programs/perflab
cp "$FAKE_WORKER" programs/fake_worker
chmod 755 programs programs/*
mkdir readonly
cp good.db readonly/ro.db
chmod 555 readonly
chmod 444 readonly/ro.db
as_other=
if [ "$(id -u)" -eq 0 ]; then
	as_other="setpriv --reuid 65534 --regid 65534 --clear-groups"
fi
if [ -z "$as_other" ] || $as_other "$work/programs/perflab" version >/dev/null 2>&1; then
	PERFLAB_WORKER_CUDA=$work/programs/fake_worker
	command_line="perflab $words --db readonly/ro.db, as who may not"
	chmod 666 "$FAKE_WORKER_LOG"
	# shellcheck disable=SC2086 # words
	$as_other "$work/programs/perflab" $words --db readonly/ro.db >"$work/out" 2>"$work/err"
	code=$?
	expect_code 3
	expect_one_line
	expect_err 'ro.db'
	# reading it is fine
	$as_other "$work/programs/perflab" report --db readonly/ro.db >"$work/out" 2>"$work/err"
	code=$?
	expect_code 0
	expect_out 'shuffle'
	# a writer that was killed left a -wal file, which cannot be read without a -shm file
	mkdir left
	cp good.db left/left.db
	printf 'PRAGMA journal_mode = wal;\nUPDATE run SET note = 0;\n.shell cp left/left.db-wal kept\n' |
		sqlite3 left/left.db >/dev/null
	cp kept left/left.db-wal
	rm -f left/left.db-shm
	chmod 644 left/*
	chmod 555 left
	$as_other "$work/programs/perflab" report --db left/left.db >"$work/out" 2>"$work/err"
	code=$?
	command_line='perflab report --db left/left.db, as who may not make left.db-shm'
	expect_code 3
	expect_one_line
	expect_err 'left/left.db cannot be read: a program that was ended left its last changes in left/left.db-wal'
	expect_err 'the folder is read-only: make it writable, or copy both files to another folder'
	# the remedies work, and an empty -wal holds nothing
	mkdir copied
	cp left/left.db left/left.db-wal copied
	run report --db copied/left.db
	expect_code 0
	chmod 755 left
	: >left/left.db-wal
	chmod 555 left
	$as_other "$work/programs/perflab" report --db left/left.db >"$work/out" 2>"$work/err"
	code=$?
	expect_code 0
	chmod 755 left
else
	echo 'no other user to try a read-only database as'
fi
fake_worker
chmod 755 readonly

# two simultaneous sweeps into one database
for i in 1 2; do
	"$PERFLAB" sweep reduce stream --block-sizes 64..1024 --size 1024 --label "at-once-$i" -q \
		--metrics basic --db both.db >"$work/both.$i" 2>&1 &
	eval "sweep_$i=\$!"
done
command_line='two sweeps into one database'
end_of "$sweep_1"
expect_code 0
end_of "$sweep_2"
expect_code 0
intact both.db
"$PERFLAB" list runs --db both.db --limit 1 >"$work/out"
[ "$(grep -c finished "$work/out")" -eq 1 ] || complain 'not the newest run'
grep -qxF '(1 older runs: --limit 0 shows all)' "$work/out" || complain 'the other run is not named'
"$PERFLAB" list runs at-once --db both.db --limit 1 | grep -qF '(1 older runs' ||
	complain 'the other run of the pattern is not named'
"$PERFLAB" list runs --db both.db --limit 0 | grep -q 'older runs' && complain 'all are shown'
refused 2 '--limit works only with' list devices --limit 1
"$PERFLAB" list runs --db both.db --format csv >"$work/out"
[ "$(grep -c ',finished,' "$work/out")" -eq 2 ] || complain 'not two finished runs'
[ "$(cut -d, -f7-10 "$work/out" | sed 1d | sort -u | wc -l)" -eq 1 ] || complain 'they differ'

# a disk that fills while sweeping, and a limit on the size of files
fill='set -u
mount -t tmpfs -o size=320k none "$1" || exit 99
shift
cd "$0" || exit 99
"$@" --db full/a.db
code=$?
sqlite3 full/a.db "PRAGMA integrity_check" >"$0/integrity"
exit $code'
mkdir full
command_line='sweep onto a full disk'
if unshare -rm true 2>/dev/null; then
	# shellcheck disable=SC2086 # words
	unshare -rm sh -c "$fill" "$work" "$work/full" "$PERFLAB" sweep reduce stream --size 1024 \
		--block-sizes 32..1024:+32 --metrics core -q >"$work/out" 2>"$work/err"
	code=$?
	if [ $code -ne 99 ]; then
		expect_code 3
		expect_err 'full'
		[ "$(cat integrity)" = ok ] || complain 'the database is damaged'
	fi
fi
# during a sweep: stored data stays, and --resume continues once there is free space
command_line='sweep beyond a limit on the size of files'
(
	ulimit -f 2000
	exec "$PERFLAB" sweep reduce/shuffle reduce/naive --size 1024 --block-sizes 64..1024 -q \
		--metrics none --rounds 5 --min-samples 5000 --db limited.db
) >"$work/out" 2>"$work/err"
code=$?
expect_code 3
expect_err 'limited.db has reached the limit on the size of files (ulimit -f)'
expect_err 'continue with: perflab sweep --resume 1 --db limited.db'
intact limited.db
stored=$(sqlite3 limited.db 'SELECT count(*) FROM sample')
[ "$stored" -gt 0 ] || complain 'nothing was stored before the limit'
run sweep --resume 1 --db limited.db -q
expect_code 0
run list runs --db limited.db --format csv
expect_out ',finished,'
finish
