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
expect_out 'Fastest case of each kernel on A'
expect_out 'stream (block=64, n=1024): 1 case'
expect_out 'above 1, A is faster'
expect_out 'A has no measured roofs: run `perflab ceilings` on that card'
expect_out 'perflab report 1 --compare 2 --all'
# it answers with its own columns
refused 2 '--columns does not work with --compare of two cards' report first --compare second --columns median
run report first 'reduce/*' --compare second --format csv
expect_code 0
[ "$(wc -l <"$work/out")" = 2 ] || complain 'a pattern does not select'
run report first --compare second -o cards.html
expect_code 0
grep -q '<svg' cards.html || complain 'the page has no picture'
run report first --compare second --lines
expect_code 3
expect_err 'no chosen case has a profile in run 2 and in run 1: perflab sweep --lines all takes one of every case'

# many kernels: one line each and what to type for more
for label in a b; do
	run sweep stream reduce matmul transpose divergence --size small --block-sizes 64,256 --rounds 2 --label $label --db many.db
	expect_code 0
done
sqlite3 many.db "INSERT INTO device (name, uuid) VALUES ('Other GPU', 'GPU-other');
	UPDATE run SET device_id = last_insert_rowid() WHERE label = 'b'"
run report a --compare b --db many.db
expect_code 0
[ "$(wc -l <"$work/out")" -le 40 ] || complain 'too long'
[ "$(grep -c '^\(stream\|reduce\|matmul\|transpose\|divergence\)  ' "$work/out")" -eq 5 ] || complain 'not a line for each kernel'
expect_out "perflab report 1 'stream/*' --compare 2 --db many.db"
run report a 'reduce/*' --compare b --db many.db
expect_out 'cases, the best on A'
expect_out "every case  perflab report 1 'reduce/*' --compare 2 --all --db many.db"
expect_no_out 'stream'
run report a 'reduce/*' --compare b --db many.db --sort block --top 3
[ "$(grep -c '^[a-z_0-9]*  .*  64$' "$work/out")" -eq 3 ] || complain 'not three cases of the smallest block'
run report a --compare b --db many.db --all --format md
expect_code 0
[ "$(grep -c '^| ' "$work/out")" -ge 60 ] || complain 'not every case'

# what cannot be compared says what can
run sweep tail --size small --block-sizes 64 --rounds 1 --label other --db many.db
expect_code 0
sqlite3 many.db "UPDATE run SET device_id = (SELECT max(id) FROM device) WHERE label = 'other'"
refused 3 'with other work): sweep the same cases on both cards' report a --compare other --db many.db
fake_emulator
for label in c d; do
	run sweep reduce/shuffle --backend ptx --size small --block-sizes 64 --label $label --db ptx.db
	expect_code 0
done
sqlite3 ptx.db "INSERT INTO device (name, uuid) VALUES ('Other chip', 'none');
	UPDATE run SET device_id = last_insert_rowid() WHERE label = 'd'"
refused 3 'perflab regress --base 1 --head 2 --allow-different compares counts' report c --compare d --db ptx.db
finish
