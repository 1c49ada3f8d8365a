# A sweep by several clocks: the table, its reasons, and a worker that lies about them.
. "$(dirname "$0")/lib.sh"
fake_worker
export PERFLAB_DB=a.db

run sweep reduce/shuffle --block-sizes 64,128 --size 1024 --clocks all -q
expect_code 0
expect_out 'The same cases by other clocks'
expect_out 'reduce/shuffle/block=64,n=1024'
expect_out '12.0 us  9.00 us   8.00 us'
expect_out 'docs/clocks.md says which to use'
# the usual metrics are counted, too
run query "SELECT count(*) AS n FROM result_counters WHERE name = 'dram_read_bytes' AND value > 0" --format csv
expect_out '2'
# why a clock read nothing
run query "SELECT DISTINCT reason FROM result_counters WHERE name = 'clock_graph_ns'" --format csv
expect_out 'scripted: no graph'

# what the events added to the times, where it was taken off
run report last --columns events --format csv
[ "$(tail -n 1 "$work/out")" = '1,reduce,shuffle,"block=128,n=1024",' ] || complain 'nothing was taken off'
sqlite3 a.db 'UPDATE round SET event_ns = 2000 + 100 * round, launch_ns = 1800'
run report last --columns events --format csv
expect_out '"block=64,n=1024",2200'
run report last --format json
expect_out '"event_ns": 2200'

# the clocks alone, and without them
run sweep reduce/shuffle --block-sizes 64 --size 1024 --metrics clocks -q
expect_code 0
expect_out 'The same cases by other clocks'
run sweep reduce/shuffle --block-sizes 64 --size 1024 -q
expect_code 0
grep -q 'other clocks' "$work/out" && complain 'clocks are shown that were not read'

run sweep reduce/shuffle --size 1024 --clocks all --metrics none -q
expect_code 2
expect_err 'give --metrics clocks for the clocks alone'
run sweep reduce/shuffle --size 1024 --clocks some -q
expect_code 2

FAKE_WORKER_SCRIPT=lie_clocks run sweep reduce/shuffle --block-sizes 64 --size 1024 --clocks all -q
expect_code 3
expect_out "'clocks' came twice"

# a sweep that was killed after the first round has lost them
run sweep reduce/shuffle --block-sizes 64 --size 1024 --clocks all --rounds 2 --db r.db -q
expect_code 0
sqlite3 r.db "UPDATE run SET state = 'interrupted', finished_ns = NULL; DELETE FROM counter;
	DELETE FROM round WHERE round = 1; DELETE FROM sample WHERE round = 1; UPDATE trial SET status = 'pending', counted_ns = NULL"
run sweep --resume 1 --db r.db -q
expect_code 0
run query "SELECT DISTINCT value, reason FROM result_counters WHERE name LIKE 'clock_%'" --db r.db --format csv
expect_out ',the sweep was resumed after the round in which clocks are read'
[ "$(wc -l <"$work/out")" -eq 2 ] || complain 'not every clock says so'

fake_emulator
run sweep reduce/shuffle --backend ptx --block-sizes 64 --size 1024 --clocks all -q
expect_code 0
expect_err 'stored as missing: an emulator counts PTX instructions'
finish
