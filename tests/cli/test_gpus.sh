# What a sweep on several GPUs measures: split and spread.
. "$(dirname "$0")/gpus_lib.sh"

# Split: each case once, on one of the GPUs, and a run for each GPU.
run $cases --gpus all
expect_code 0
expect_whole 100
expect_value 100 "SELECT count(*) FROM trial WHERE status = 'ok'"
expect_value 2 "SELECT count(*) FROM run WHERE state = 'finished'"
expect_value 2 "SELECT count(DISTINCT device_id) FROM run"
expect_value 2 "SELECT count(DISTINCT run_id) FROM trial"
expect_value 1 "SELECT count(DISTINCT value) FROM environment WHERE key = 'gpus.group'"
expect_value 2 "SELECT count(*) FROM environment WHERE key = 'gpus.mode' AND value = 'split'"
expect_value 500 'SELECT count(*) FROM round'
[ "$(grep -c 'measure-[0-2] ' "$work/log")" = 300 ] || complain 'a case was measured on both GPUs'
# Each GPU takes its own variants first, then those of the other from their end. So few are on both:
# the one where they meet, and the one of the case that each GPU has from the beginning.
expect_value 1 "SELECT count(*) <= 3 FROM (SELECT variant FROM trial GROUP BY variant
	HAVING count(DISTINCT run_id) > 1)"
expect_err '100 cases on 2 runs'
expect_out 'GPU-00000001-0000-0000-0000-000000000000'
# the runs are ordinary ones: --decide and reports take them
run report 1 --db g.db
expect_code 0
afresh

# Four of them, in the order of their numbers, by number and by the beginning of a UUID.
export FAKE_WORKER_GPUS=4
run $cases --gpus 3,1,GPU-00000002 --format csv
expect_code 0
expect_whole 100
expect_value 3 'SELECT count(DISTINCT device_id) FROM run'
run report last --columns gpu --format csv --db g.db
[ "$(sed 1d "$work/out" | sed 's/.*,//' | sort -u | paste -sd' ')" = '1 2 3' ] || complain 'other GPUs'
afresh

# Each GPU gets a case even if there are few; a case stays with its base case.
run sweep reduce/shuffle reduce/sequential --baseline sequential --size 1024 --block-sizes 64..256 \
	--db g.db --gpus all
expect_code 0
expect_whole 6
expect_value 2 "SELECT count(DISTINCT run_id) FROM trial"
expect_value 0 "SELECT count(*) FROM trial AS a JOIN speedup ON speedup.trial_id = a.id
	LEFT JOIN trial AS b ON b.run_id = a.run_id AND b.variant = 'sequential'
	AND b.config = a.config WHERE b.id IS NULL"
afresh

# Skipped cases are stored once, too.
run sweep matmul --size 64 --db g.db --gpus all
expect_value "$(value 'SELECT count(DISTINCT variant || config) FROM trial')" \
	'SELECT count(*) FROM trial'
[ "$(value "SELECT count(*) FROM trial WHERE status = 'skipped'")" -gt 0 ] ||
	complain 'no case was skipped'
afresh

# A GPU that gets only skipped cases, or none, does no harm. Only skipped ones are reported as ever.
for time in 1 2 3; do
	run sweep matmul/tiled --size 64 --block-sizes 64,128 --db g.db --gpus all
	expect_code 0
	expect_value 2 'SELECT count(*) FROM trial'
	afresh
done
run sweep matmul/tiled --size 64 --block-sizes 128 --db g.db --gpus all
expect_code 4
expect_err 'nothing to run: every case was skipped'
afresh

# Spread: every case on every GPU, also of other models.
export FAKE_WORKER_SCRIPT=other_model:1
run sweep reduce --size 1024 --block-sizes 64..1024 --db g.db --gpus all --spread
expect_code 0
expect_value 200 "SELECT count(*) FROM trial WHERE status = 'ok'"
expect_value 2 "SELECT count(DISTINCT name) FROM device"
expect_value 2 "SELECT count(*) FROM environment WHERE key = 'gpus.mode' AND value = 'spread'"
afresh

# How they differ: the second is slower in one case of four.
export FAKE_WORKER_SCRIPT=slow_on_1:reduce/shuffle/block=128
run sweep reduce/shuffle --size 1024 --block-sizes 64..512 --db g.db --gpus all --spread
expect_code 0
expect_out 'Time against GPU 0'
grep -Eq '^ *1 +4 +\+10\.6[5-8] % .* 1 +0 +0 +\+49\.9[0-9] %  reduce/shuffle/block=128,n=1024$' "$work/out" ||
	complain 'the difference between the GPUs is missing'
afresh

# Each process shares data with its own workers only: a file of both would give cases wrong inputs.
cp "$built_in_ptx/stream/copy_scalar.ptx" copy.ptx
cat >copy.ptx.perflab <<-'ANNOTATIONS'
	axis n = 16384..1048576
	axis block = 64..256
	buffer x: f32[n] in
	buffer y: f32[n] out
	launch stream_copy_scalar<<<ceil_div(n, block), block>>>(x, y, n)
	verify y = x
ANNOTATIONS
unset PERFLAB_SHARED_MEMORY
export FAKE_WORKER_SCRIPT=data
run sweep copy.ptx --db g.db --gpus all --interference never
expect_code 0
has_line ' shared-[0-9]' "$work/log" || complain 'no data was shared'
has_line ' wrong-' "$work/log" && complain 'a case got wrong data'
export PERFLAB_SHARED_MEMORY=0
afresh

# The processors next to each GPU.
mkdir -p pci/0000:a0:00.0 pci/0000:a1:00.0
echo 0-4095 >pci/0000:a1:00.0/local_cpulist
first=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*\([0-9]*\).*/\1/p' /proc/self/status)
echo "$first" >pci/0000:a0:00.0/local_cpulist
PERFLAB_PCI_FOLDER="$work/pci"
export PERFLAB_PCI_FOLDER
run $cases --gpus all --verbose
expect_code 0
expect_err ": processors $first"
expect_value "$first" "SELECT value FROM environment JOIN run ON run.id = run_id
	JOIN device ON device.id = device_id
	WHERE key = 'gpus.processors' AND uuid LIKE 'GPU-00000000%'"
expect_value 1 "SELECT count(*) FROM environment
	WHERE key = 'gpus.processors' AND value LIKE 'not pinned: %is no list of processors'"
unset PERFLAB_PCI_FOLDER
afresh
finish
