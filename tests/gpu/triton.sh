#!/bin/sh
# Exports the Triton kernels of docs/examples/triton, sweeps them on the GPU with core counters, and
# keeps in FOLDER the PTX with its sidecars, the database triton.db and the tables report.md.
# Skipped if python3 has no Triton. Every part runs, also if one before it fails.
#
# usage: tests/gpu/triton.sh BUILD [FOLDER]
set -eu
gpu_tests=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
mkdir -p "${2:-triton-results}"
results=$(CDPATH= cd -- "${2:-triton-results}" && pwd)
. "$gpu_tests/lib.sh"
examples=$(CDPATH= cd -- "$gpu_tests/../../docs/examples/triton" && pwd)
versions=$(python3 -c 'import sys, triton; print("Triton", triton.__version__, "Python", sys.version.split()[0])' \
	2>/dev/null) || skip "python3 has no Triton"
echo "$versions"
TRITON_CACHE_DIR=$scratch/cache
PYTHONDONTWRITEBYTECODE=1
PYTHONPATH=$examples
export TRITON_CACHE_DIR PYTHONDONTWRITEBYTECODE PYTHONPATH
status=0

# sweep_kernels LABEL CASES ARGUMENT …: sweeps and appends the table to report.md. Every case must
# be ok.
sweep_kernels() {
	label=$1
	cases=$2
	shift 2
	echo "perflab sweep $* --label $label"
	expect 0 "$perflab" sweep "$@" --backend cuda --label "$label" --db "$results/triton.db"
	expect 0 "$perflab" report last --db "$results/triton.db" --format md
	cat out.txt >>"$results/report.md"
	holds "$results/triton.db" "$label: $cases cases are verified and timed" \
		"SELECT count(*) = $cases FROM trial JOIN run ON run.id = run_id
			WHERE label = '$label' AND trial.status = 'ok' AND median_ns > 0"
}

# These exports see no GPU, because they need none.
export_kernels() {
	expect 0 env CUDA_VISIBLE_DEVICES= python3 "$examples/add.py" "$results/kernels" 90
	expect 0 env CUDA_VISIBLE_DEVICES= python3 "$examples/softmax.py" "$results/kernels" 90
	expect 0 env CUDA_VISIBLE_DEVICES= python3 -c 'import add; add.main("add_cubin", 90, cubin=True)'
	cp "$results"/kernels/* .
}

sweep_add() {
	sweep_kernels add 6 add.*.ptx --set n=2^24 --metrics core
	sweep_kernels add_cubin 6 add_cubin/*.cubin --set n=2^24 --metrics core
	holds "$results/triton.db" "DRAM bytes read are those of the work model" \
		"SELECT count(*) = 12 AND min(abs(value / bytes_read - 1) < 0.05) FROM trial
			JOIN run ON run.id = run_id JOIN counters ON counters.trial_id = trial.id
			WHERE label LIKE 'add%' AND metric = 'dram_read_bytes'"
}

# The expression of the sidecars needs columns steps for each element. Larger sizes of the others are
# compared with the variant of one warp, which the expression has verified.
sweep_softmax() {
	sweep_kernels softmax_expression 5 softmax.*.ptx --set rows=64 --metrics none --rounds 1
	reference=$(python3 -c 'import export_triton, sys; print(export_triton.as_reference(sys.argv[1]))' \
		softmax.BLOCK_ROWS1-*-warps1-*.ptx)
	sweep_kernels softmax 4 softmax.*-warps[48]-*.ptx --set rows=2^15 --metrics core --annotate "verify $reference"
}

# Products of four types, those of f16 also by tensor descriptors, each verified element by element.
sweep_products() {
	expect 0 env CUDA_VISIBLE_DEVICES= python3 "$examples/products.py" products 90
	cp products/* "$results/kernels"
	for product in f16:6 bf16:3 tf32:3 i8:3 tma:3; do
		sweep_kernels "product_${product%:*}" "${product#*:}" products/product_"${product%:*}".*.ptx \
			--metrics core
	done
}

sweep_matmul() {
	python3 -c 'import torch' 2>/dev/null || {
		echo "matmul: left out, python3 has no PyTorch"
		return
	}
	expect 0 python3 "$examples/matmul.py" matmul
	cp matmul/*.ptx matmul/*.perflab "$results/kernels"
	sweep_kernels matmul 5 matmul/*.ptx --metrics core
}

# In a part, only expect, holds and fail end it: the shell ignores set -e there.
for part in export_kernels sweep_add sweep_softmax sweep_products sweep_matmul; do
	begin=$(date +%s)
	($part) || status=1
	echo "$part: $(($(date +%s) - begin)) s"
done
[ "$status" -eq 0 ]
echo "triton: ok"
