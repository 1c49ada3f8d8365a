# perflab list without GPU and worker.
. "$(dirname "$0")/lib.sh"
no_worker

run list kernels
expect_code 0
expect_out 'KERNEL'
expect_out 'shuffle'
run list kernels -v 'matmul/*'
expect_code 0
expect_out 'block='
expect_no_out 'stream'
run list kernels reduce/shuffle --format csv
expect_code 0
[ "$(head -n 1 "$work/out")" = 'kernel,variant,lesson' ] || complain 'wrong head of the CSV'
[ "$(sed 1d "$work/out" | cut -d, -f1,2)" = 'reduce,shuffle' ] || complain 'wrong rows of the CSV'
run list kernels --format json
expect_code 0
expect_out '"format": 1'
run list kernels --format md
expect_out '| kernel | variant | lesson |'
run list kernels -v fault/none
expect_out 'only when named'
run list kernels -v reduce/shuffle
expect_out 'with all'
expect_out 'LESSON'
expect_out 'METRIC'
# --long shows the meaning of the axes, the constraints and the work model
run list kernels --long reduce/sequential
expect_code 0
expect_out 'reduce: the sum of n floats'
expect_out 'block=64..1024: threads in one block'
expect_out 'block must be a power of two'
expect_out 'n - 1 operations; reads 4 * n bytes; writes 4 bytes'
expect_out 'shared_load_bank_conflicts'
expect_no_out 'matmul'
run list kernels -L divergence/switch_lane
expect_out 'block must be a multiple of 32'
expect_out 'ways must be 1 to 32'
expect_out '2 * n * 64 operations'
run list kernels --long stream/copy_scalar
expect_out 'reads 4 * n bytes'
expect_no_out 'operations'
run list kernels --long fault/none
expect_out 'runs only when named'
run list kernels --long 'reduce/*' --format csv
[ "$(head -n 1 "$work/out")" = \
	'kernel,variant,axes,constraints,flop,bytes_read,bytes_written,runs,metric,lesson,axis_meanings,check' ] ||
	complain 'wrong head of the CSV'
grep -q '^reduce,sequential,block=64..1024 n=2^24,block must be a power of two.*,n - 1,4 \* n,4,with all,' \
	"$work/out" || complain 'wrong row of the CSV'
run list kernels --long matmul/tiled --format json
expect_out '"reason": "block must be a square number'
expect_out '"meaning": "threads in one block"'
expect_out '"lesson": "tiles in shared memory'
if command -v python3 >/dev/null; then
	python3 - "$work/out" <<-'END' || complain 'wrong JSON of --long'
		import json, sys
		row = json.load(open(sys.argv[1]))["rows"][0]
		assert [axis["name"] for axis in row["axes"]] == ["n", "block"] or \
		    [axis["name"] for axis in row["axes"]] == ["block", "n"], row["axes"]
		assert all(axis["values"] and axis["meaning"] for axis in row["axes"])
		assert row["constraints"][0]["holds"] and row["constraints"][0]["reason"]
		assert row["bytes_written"] == "4 * n * n"
	END
fi
run list kernels --long occupancy/one_load --format json
expect_out '"constraints": []'
run list kernels --long matmul/tiled --format md
expect_out '| kernel | variant | axes | constraints |'
expect_out 'block: threads in one block'
run list kernels --long matmul/tiled --format csv
expect_out 'block: threads in one block'
for option in --long --verbose; do
	for topic in metrics sets devices runs; do
		refused 2 "$option works only with \"perflab list kernels\"" list $topic $option
	done
done
refused 2 'such as cuda or ptx' list metrics --backend auto
# files of the user: variants, axes and checks
cat >own.cu <<'END'
// perflab: axis n = 64 "elements"
// perflab: axis block = 32
// perflab: buffer x: f32[n] in
// perflab: buffer y: f32[n] out
// perflab: skip "odd" if n % 2
// perflab: launch one<<<n / block, block>>>(x, y)
// perflab: let next(v) = v + 1
// perflab: verify y = next(x)
END
cat >other.cu <<'END'
// perflab: variant second
// perflab: define ITEMS = 1, 2
// perflab: launch two<<<1, block>>>(x, y)
// perflab: verify by ./check
END
run list kernels own.cu other.cu
expect_code 0
expect_out 'own     own      n=64 block=32             y = next(x)'
expect_out 'own     second   n=64 block=32 ITEMS=1, 2  by ./check'
run list kernels own.cu other.cu --long 'own/sec*'
expect_code 0
expect_out 'own/second'
expect_out 'ITEMS=1, 2'
expect_out 'constraint odd'
expect_out 'verified   by ./check'
expect_no_out 'own/own'
run list kernels own.cu --long --format json
expect_code 0
expect_out '"check": "y = next(x)"'
refused 2 'give one pattern' list kernels own.cu a b
refused 2 'b is one too many' list runs a b
refused 3 'gone.cu: the file does not exist' list kernels gone.cu
echo '// perflab: verfy y = x' >own.cu
refused 3 'own.cu:1: unknown word "verfy"' list kernels own.cu
run list kernels --long reduce/shuffle --format csv
expect_out 'CPU oracle reduce/sum'
run list kernels --long no-such-name
expect_err 'no name of the kernels matches'
for topic in kernels metrics sets; do
	run list $topic no-such-name
	expect_code 0
	expect_err "no name of the $topic matches \"no-such-name\""
done
run list kernels redcue
expect_err 'no name of the kernels matches "redcue": did you mean reduce?'
run list metrics dram_throughputs
expect_err 'did you mean dram_throughput'
[ -s "$work/out" ] && complain 'a table without rows'
cp "$(dirname "$0")/../../docs/examples/saxpy.cu" saxpy.cu || exit 1
run list kernels saxpy.cu redcue
expect_code 0
grep -q 'did you mean' "$work/err" && complain 'a built-in kernel for a pattern of a file'
refused 2 "unknown chip ''" list sets --chip ''
refused 2 "unknown chip 'a-name-that-is-much-too-long'" \
	list metrics --chip a-name-that-is-much-too-long

run list metrics
expect_code 0
expect_out 'dram_read_bytes'
expect_out 'dram__bytes_read.sum'
expect_out 'PASSES'
run list metrics --chip GB202
expect_code 0
expect_out 'dram__bytes_op_read.sum'
run list metrics --set divergence
expect_code 0
expect_out 'branch_efficiency_pct'
expect_no_out 'dram_read_bytes'
run list metrics branch
expect_code 0
expect_out 'branch_targets'
expect_no_out 'dram_read_bytes'
expect_err "only the metrics of the catalogue"
refused 2 'one of: basic,core' list metrics --set cores

# emulated metrics have a table of their own
run list metrics
expect_out 'emulated by backend ptx'
sed '1,/^emulated by/d' "$work/out" | grep -q '^ptx_branch_efficiency_pct ' ||
	complain 'no emulated metric below its heading'
sed '/^emulated by/,$d' "$work/out" | grep -q '^ptx_' &&
	complain 'an emulated metric among those of a GPU'
run list metrics --set ptx
expect_code 0
expect_out 'ptx_load_sectors_per_request'
expect_no_out 'dram_read_bytes'
run list metrics --set core
expect_no_out 'ptx_'
run list metrics ptx_atomic
expect_out 'ptx_atomic_contention'
run list metrics --format csv
expect_out 'ptx_branches,instruction,ptx,emulated PTX,'

# the rules of verdicts; a limiter selects its rules, too
run list rules
expect_code 0
expect_out 'CONDITION'
expect_out 'bank_conflicts'
run list rules grid
expect_code 0
expect_out 'few_blocks'
expect_no_out 'bank_conflicts'
run list rules 'no such rule'
expect_err 'no such rule'
refused 2 'did you mean rules' list rule
refused 2 '--chip works only with' list rules --chip GH100
run list rules barrier --format json
expect_out '"saves": "the warps that wait"'

run list sets
expect_code 0
expect_out 'core'
expect_err 'as recorded'

run list devices
expect_code 0
expect_err 'the devices of this machine are not listed'
refused 3 'no-such.db' list runs --db no-such.db
refused 3 'no-such.db' list devices --db no-such.db

run version
expect_code 0
grep -qE '^perflab [0-9]+\.[0-9]+\.[0-9]+ ' "$work/out" || complain 'no version'
run --version
expect_code 0
finish
