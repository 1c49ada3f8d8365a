# The machine code of built-in kernels: made by ptxas when a device first needs it, and kept.
. "$(dirname "$0")/lib.sh"
fake_worker
export FAKE_WORKER_SCRIPT=loads_code

kinds() {
	run query "SELECT group_concat(DISTINCT kernel || '/' || variant || ' ' || code_kind) AS kinds
		FROM trial WHERE run_id = (SELECT max(id) FROM run) AND status = 'ok'" --format csv
}

# ---- without a toolkit the driver compiles, and the run says so ----
export PERFLAB_NVCC=none
run sweep reduce/shuffle reduce/interleaved --block-sizes 64 --backend cuda
expect_code 0
expect_err 'PTX of reduce/interleaved and 1 more: the driver compiles it, because there is no ptxas'
expect_out 'compiler  the driver, because there is no ptxas'
kinds
expect_out 'reduce/interleaved ptx'
run sweep reduce/shuffle --block-sizes 64 --backend cuda --dry-run
expect_code 0
expect_err 'the driver compiles it'

# ---- with one, ptxas does: once ----
mkdir -p toolkit/bin
printf '#!/bin/sh\necho release 13.0\n' >toolkit/bin/nvcc
cat >toolkit/bin/ptxas <<-'END'
	#!/bin/sh
	echo "$*" >>"$PTXAS_LOG"
	cp image.ptx "$PTXAS_LOG.ptx"
	cp image.ptx image.cubin
END
chmod +x toolkit/bin/*
export PERFLAB_NVCC="$work/toolkit/bin/nvcc" PTXAS_LOG="$work/ptxas.log"
run sweep reduce/shuffle --backend cuda --block-sizes 64..1024
expect_code 0
expect_no_err 'the driver'
kinds
expect_out 'reduce/shuffle sm_90'
grep -qx -e '-arch=sm_90 -lineinfo -o image.cubin image.ptx' ptxas.log || complain 'ptxas got other words'
cmp -s ptxas.log.ptx "$(dirname "$PERFLAB")/../share/perflab/ptx/reduce/shuffle.ptx" ||
	complain 'ptxas got other PTX'
sleep 0.1
run sweep reduce/shuffle --backend cuda
expect_code 0
[ "$(wc -l <ptxas.log)" -eq 1 ] || complain 'it was compiled again'
# an edited file is compiled
touch toolkit/bin/ptxas
run sweep reduce/shuffle --backend cuda --block-sizes 64
[ "$(wc -l <ptxas.log)" -eq 2 ] || complain 'another ptxas does not compile it again'

# PTX for compute capability 9.0 only
run sweep matmul/tensor_f16_wgmma --backend cuda
kinds
expect_out 'matmul/tensor_f16_wgmma sm_90a'
# an operation of a library is no PTX
run sweep matmul/cublas_bf16 --backend cuda
expect_no_err 'the driver'

# ---- an older GPU gets the same PTX as its own ----
export FAKE_WORKER_SCRIPT='loads_code;old_gpu'
run sweep reduce/shuffle --backend cuda --block-sizes 64
kinds
expect_out 'reduce/shuffle sm_75'
grep -qx '.target sm_75' ptxas.log.ptx || complain 'the target was not lowered'
: >ptxas.log
run sweep matmul/tensor_f16_wgmma --backend cuda --dry-run
[ ! -s ptxas.log ] || complain 'PTX for another GPU is compiled'

# ---- a ptxas that is older than the PTX leaves it to the driver ----
cat >toolkit/bin/ptxas <<-'END'
	#!/bin/sh
	echo "ptxas image.ptx, line 8; fatal   : Unsupported .version 9.0; current version is '8.5'"
	exit 255
END
run sweep reduce/shuffle --backend cuda --block-sizes 64
expect_code 0
expect_err "PTX of reduce/shuffle: the driver compiles it, because ptxas image.ptx, line 8; fatal"
run query "SELECT value FROM environment WHERE key = 'ptx_compiler' ORDER BY run_id DESC" --format csv
expect_out "Unsupported .version 9.0"

# ---- a cache that cannot be used ----
export PERFLAB_CACHE=relative
run sweep reduce/shuffle --backend cuda --block-sizes 64
expect_code 2
expect_err "the cache 'relative' is no absolute path: name one in \$PERFLAB_CACHE"
# which a worker that loads no machine code does not need
FAKE_WORKER_SCRIPT='' run sweep reduce/shuffle --backend cuda --block-sizes 64
expect_code 0
finish
