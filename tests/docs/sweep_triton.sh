#!/bin/sh
# Sweeps the PTX that Triton made of the examples (docs/examples/triton/recorded) on the emulator:
# every case must be verified, with the counts of what the kernels do.
# usage: sweep_triton.sh SOURCE-FOLDER BUILD-FOLDER
set -eu
recorded=$1/docs/examples/triton/recorded
perflab=$2/bin/perflab
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
unset PERFLAB_DB

fail() {
	echo "sweep_triton: $*" >&2
	cat said.txt >&2
	exit 1
}

# sweep_cases EXIT COUNT STATUS ARGUMENT …: the sweep must end with EXIT and have as many cases, all
# of this status.
sweep_cases() {
	wanted=$1
	count=$2
	status=$3
	shift 3
	ended=0
	"$perflab" sweep "$@" --backend ptx --db triton.db -q >said.txt 2>&1 || ended=$?
	[ $ended -eq "$wanted" ] || fail "exit $ended, not $wanted: sweep $*"
	"$perflab" query --db triton.db --format csv "SELECT count(*), sum(trial.status = '$status')
		FROM trial WHERE run_id = (SELECT max(id) FROM run)" >said.txt 2>&1 || fail "query"
	[ "$(tail -n 1 said.txt)" = "$count,$count" ] || fail "not $count cases are $status: $*"
}

sweep_cases 0 6 ok "$recorded"/add.*.ptx
sweep_cases 0 5 ok "$recorded"/softmax.*.ptx
# Sizes that the compiler did not expect.
sweep_cases 4 6 skipped "$recorded"/add.*.ptx --set n=1000
sweep_cases 4 5 skipped "$recorded"/softmax.*.ptx --set columns=1024

# Matrix products: mma, wgmma and tensor copies. Triton 3.6 puts no proxy fence between cp.async and
# wgmma, which the emulator reports (docs/results/triton.md). With the fence every product is right.
sweep_cases 0 3 ok "$recorded"/product_i8.*.ptx
sweep_cases 0 3 ok "$recorded"/product_tma.*.ptx
sweep_cases 0 2 ok "$recorded"/product_f16.BLOCK_M16-*.ptx "$recorded"/product_f16.*-stages1.ptx
sweep_cases 0 1 ok "$recorded"/product_bf16.BLOCK_M32-*.ptx
sweep_cases 0 1 ok "$recorded"/product_tf32.BLOCK_M32-*.ptx
for product in f16.BLOCK_M128 f16.BLOCK_M64-BLOCK_N256 f16.BLOCK_M64-BLOCK_N64 bf16.BLOCK_M128 \
	bf16.BLOCK_M64 tf32.BLOCK_M128 tf32.BLOCK_M64; do
	set -- "$recorded/product_$product"*-stages[34].ptx
	sweep_cases 1 $# fault "$@"
	reasons=$("$perflab" query --db triton.db --format csv "SELECT count(*) FROM trial WHERE reason LIKE
		'missing fence%wgmma reads word%' AND run_id = (SELECT max(id) FROM run)" | tail -n 1)
	[ "$reasons" = $# ] || fail "not every fault of $product is a missing fence"
	rm -rf fenced
	mkdir fenced
	for ptx; do
		name=$(basename "$ptx")
		sed 's/wgmma\.fence\.sync\.aligned;/fence.proxy.async.shared::cta; &/' "$ptx" >"fenced/$name"
		cp "$ptx.perflab" fenced
	done
	sweep_cases 0 $# ok fenced/*.ptx
done
"$perflab" report 1 --lines add/BLOCK_SIZE1024-warps4-stages3 --db triton.db >said.txt 2>&1 ||
	fail "report --lines"
grep -q '^docs/examples/triton/add.py$' said.txt || fail "no lines of add.py"
echo "sweep_triton: ok"
