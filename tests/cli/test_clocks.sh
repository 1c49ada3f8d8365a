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

fake_emulator
run sweep reduce/shuffle --backend ptx --block-sizes 64 --size 1024 --clocks all -q
expect_code 0
expect_err 'stored as missing: an emulator counts PTX instructions'
finish
