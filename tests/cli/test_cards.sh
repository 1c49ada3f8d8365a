# report --compare between two cards. The second card is the first one with an edited description:
# this machine has no two GPUs.
. "$(dirname "$0")/lib.sh"
fake_worker

command -v sqlite3 >/dev/null || skip "sqlite3 is not installed"
run sweep stream/copy_scalar reduce/shuffle --size 1024 --block-sizes 64 --rounds 3 --label first
expect_code 0
run sweep stream/copy_scalar reduce/shuffle --size 1024 --block-sizes 64 --rounds 3 --label second
expect_code 0

# one kind of card: regress compares, and a page shows both
refused 2 'perflab regress compares them' report first --compare second
refused 2 'html has a picture of both runs' report first --compare second --format svg

sqlite3 perflab.db "INSERT INTO device (name, uuid) VALUES ('Other GPU', 'GPU-other');
	UPDATE run SET device_id = last_insert_rowid() WHERE label = 'second'"
run report first --compare second
expect_code 0
expect_out 'Two cards compared'
expect_out 'B  Other GPU, run'
expect_out 'stream/copy_scalar/block=64,n=1024'
expect_out 'reduce/shuffle/block=64,n=1024'
expect_out 'no case is a regression'
expect_out 'A card lacks measured roofs'
run report first 'reduce/*' --compare second --format csv
expect_code 0
[ "$(wc -l <"$work/out")" = 2 ] || complain 'a pattern does not select'
run report first --compare second -o cards.html
expect_code 0
grep -q '<svg' cards.html || complain 'the page has no picture'
refused 2 'does not work with --lines' report first --compare second --lines
finish
