# An output never replaces a database, whatever it is called and however it is reached.
. "$(dirname "$0")/lib.sh"
command -v sqlite3 >/dev/null || skip 'no sqlite3 shell'
fake_worker

for label in one two; do
	run sweep reduce/shuffle --block-sizes 64,128 --size 1024 --metrics none -q --label $label \
		--db a.db
	expect_code 0
done
cp a.db before.db

# keeps NAME WORD…: perflab refuses to write to NAME, and a.db stays as it was.
keeps() {
	output=$1
	shift
	refused 2 "cannot write" "$@" -o "$output"
	expect_err 'name another file with -o'
	cmp -s a.db before.db || complain "$output: the database was changed"
}

ln -s a.db link
ln a.db hard
mkdir folder
ln -s ../a.db folder/link
for name in a.db ./a.db folder/../a.db "$PWD/a.db" link folder/link hard; do
	keeps "$name" report --db a.db
	keeps "$name" report --db a.db --format md
	keeps "$name" report --db a.db --lines
	keeps "$name" regress --base 1 --db a.db
	keeps "$name" export --format bmf --db a.db
done
[ "$(readlink link)" = a.db ] || complain 'the link was replaced'
[ a.db -ef hard ] || complain 'the hard link was replaced'

# the default database, and any other one
export PERFLAB_DB=a.db
keeps a.db report
unset PERFLAB_DB
sqlite3 other.db 'PRAGMA user_version = 1; CREATE TABLE mine (x); INSERT INTO mine VALUES (1)'
cp other.db report.html
keeps report.html report --db a.db
[ "$(sqlite3 report.html 'SELECT x FROM mine')" = 1 ] || complain 'another database was replaced'
cp a.db x.perflab
echo '__global__ void f(int *x) { *x = 1; }' >x.cu
keeps x.perflab init x.cu --force

# what SQLite keeps beside a database
for name in a.db-wal a.db-shm a.db-journal; do
	keeps $name report --db a.db
	[ -e $name ] && complain "$name was made"
	refused 2 'SQLite keeps a file called' merge before.db -o $name
	refused 2 'SQLite keeps a file called' sweep reduce/shuffle --size 1024 --db $name
	[ -e $name ] && complain "$name was made"
done
sqlite3 hot.db 'PRAGMA journal_mode = WAL; CREATE TABLE mine (x)' \
	'.filectrl persist_wal 1' 'INSERT INTO mine VALUES (1)' >"$work/out"
if [ -s hot.db-wal ]; then
	mv hot.db-wal log
	keeps log report --db a.db
fi

# Nsight deletes an older report first
mkdir tools
printf '#!/bin/sh\nexit 0\n' >tools/ncu
chmod +x tools/ncu
cp a.db x.ncu-rep
command_line='perflab nsight onto a database'
PATH=$PWD/tools:$PATH run nsight ncu reduce/shuffle/block=64,n=1024 -o x --db a.db
expect_code 2
cmp -s x.ncu-rep before.db || complain 'a database was deleted'

# other files are replaced, and names that only look like those of SQLite are free
echo old >report.txt
run report --db a.db -o report.txt
expect_code 0
grep -q shuffle report.txt || complain 'a text was not replaced'
run report --db a.db -o report.txt-wal
expect_code 0
finish
