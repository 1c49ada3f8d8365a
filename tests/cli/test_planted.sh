# A sweep reports faults planted in kernels: a status, an exit code, and a reason that names kernel,
# block, thread, line and operation, in every format of the report.
planted="$(cd "$(dirname "$0")/../emulator/planted" && pwd)" || exit 1
. "$(dirname "$0")/lib.sh"
real_emulator
worker=$PERFLAB_WORKER_PTX

# A copy of the emulator in which fault/none is replaced by the planted kernel.
mkdir -p here/bin here/share/perflab/ptx/fault
cp "$worker" here/bin/ || exit 1
PERFLAB_WORKER_PTX="$work/here/bin/perflab-worker-ptx"
image="$work/here/share/perflab/ptx/fault/none.ptx"

# sweep_planted FILE KERNEL [N]: its database is KERNEL.db.
sweep_planted() {
	sed "s/\b$2\b/fault_none/g" "$planted/$1.ptx" >"$image"
	run sweep fault/none --backend ptx --set "n=${3:-512}" --timeout 60s --db "$2.db" -q
}

# line_of MARK FILE KERNEL: prints the line of the source that contains MARK.
line_of() {
	grep -n "/\* $1: $3 \*/" "$planted/$2.cu" | cut -d: -f1
}

# is_told FILE KERNEL TEXT...: the sweep finds the fault, and each format reports it.
is_told() {
	file=$1 kernel=$2
	shift 2
	sweep_planted "$file" "$kernel"
	expect_code 1
	expect_err '1 case has an error in the kernel'
	place="planted/$file.cu:$(line_of wrong "$file" "$kernel")"
	for format in text csv json; do
		run report --format "$format" --db "$kernel.db"
		expect_code 0
		# tables break long lines
		tr -s '\n ' '  ' <"$work/out" >"$work/flat" && mv "$work/flat" "$work/out"
		expect_out fault_none
		expect_out "$place"
		for text in "$@"; do
			expect_out "$text"
		done
	done
}

is_told memory planted_read_past_end 'out of bounds in fault_none, block (1,0,0) thread (255,0,0)' \
	"a 4-byte load from 0x400000000800, which ends 4 bytes past the end of 'out' (2048 bytes)"
is_told memory planted_atomic_past_end 'block (0,0,0) thread (5,0,0)' 'a 4-byte atomic on'
is_told memory planted_misaligned_float4 'misaligned in' 'a 16-byte store to' 'not a multiple of 16'
is_told memory planted_unset_pointer 'a null pointer'
is_told memory planted_module_variable "past the end of 'four' (16 bytes)"
is_told memory planted_shared_past_end 'shared memory at byte 1024, which ends 4 bytes past its end (1024 bytes)'
is_told memory planted_local_array 'local memory at byte'
is_told order planted_transpose 'shared-memory race in' \
	"thread (1,0,0) reads word 17 at tests/emulator/planted/order.cu" \
	"thread (16,0,0) wrote at tests/emulator/planted/order.cu:$(line_of other order planted_transpose)" \
	'with no barrier between'
is_told order planted_reduction 'shared-memory race in' 'with no barrier between'
is_told order planted_uninitialised 'uninitialised shared read' 'byte 1028'
is_told blocks planted_other_block 'global-memory race in fault_none, block (1,0,0) thread (0,0,0)' \
	"thread (0,0,0) of block (1,0,0) reads byte 0 of 'values' at tests/emulator/planted/blocks.cu" \
	"which thread (0,0,0) of block (0,0,0) wrote at tests/emulator/planted/blocks.cu:$(line_of other blocks planted_other_block)" \
	'with nothing between that orders the blocks'
is_told blocks planted_unwritten 'uninitialised global read in' \
	"byte 0 of 'out' (2048 bytes) is read before the host or any thread has written it"
is_told copies planted_copy_no_wait 'copy not waited for in fault_none' \
	'reads word 224 before thread (224,0,0) has waited for its asynchronous copy to it at' \
	"planted/copies.cu:$(line_of other copies planted_copy_no_wait)"
is_told warpgroups planted_product_no_wait 'product not waited for in fault_none' \
	'reads a register of D of the product at' 'execute wgmma.wait_group first'
is_told warpgroups planted_product_no_proxy_fence 'missing fence in fault_none' \
	"planted/warpgroups.cu:$(line_of other warpgroups planted_product_no_proxy_fence)" \
	'with no fence.proxy.async between'
is_told warps planted_divergent_barrier 'divergent barrier' 'lanes 0x0000ffff of warp 1 wait here'
is_told warps planted_absent_lanes 'absent lanes' 'name lanes 0xffff0000'
is_told warps planted_not_in_mask 'the mask 0x0000ffff does not name the lane'
is_told warps planted_deadlock 'deadlock' '2 of 8 warps wait'
is_told ends planted_trap 'trap in fault_none, block (0,0,0) thread (33,0,0)'
is_told ends planted_assertion 'assertion' 'threadIdx.x < 200 is false'
is_told ends planted_endless_recursion 'stack overflow'

# The timeout ends an endless kernel (test_ptx.sh tests the instruction limit).
sed 's/\bplanted_counts_forever\b/fault_none/g' "$planted/ends.ptx" >"$image"
run sweep fault/none --backend ptx --set n=512 --blocks all --timeout 1s --db timeout.db -q
expect_code 3
run report --format csv --db timeout.db
expect_out ',timeout,'

# Too much memory: not a fault of the kernel, and never a crash.
sweep_planted sizes planted_global_too_large
expect_code 3
run report --format csv --db planted_global_too_large.db
expect_out "'huge' needs 4398046511104 bytes"
sweep_planted sizes planted_local_too_large
run report --format json --db planted_local_too_large.db
expect_out "size of a thread's local memory over 524288 bytes"

# A lock that every thread takes is correct; only its result differs from that of fault/none.
sweep_planted right right_spin_then_work
run report --format csv --db right_spin_then_work.db
expect_out ',mismatch,'
expect_no_out ',512,fault,'

# A race that only loads have part in whose values are dropped is none.
sweep_planted blocks right_dropped_reads
run report --format csv --db right_dropped_reads.db
expect_out ',mismatch,'
expect_no_out ',512,fault,'

# A kernel may print. The last 1 MiB is kept, as on a GPU, and shown up to the limit of a sweep.
# (So many blocks that one of them is executed beforehand, to see how large the case is: its lines,
# of block 0, must not appear.)
sweep_planted right right_prints_much 16384
[ "$(wc -c <"$work/err")" -lt 300000 ] || complain 'more than 256 KiB were printed'
[ "$(grep -c 'outputs of printf in this launch .* are lost: the last 1 MiB is kept' "$work/err")" -eq 1 ] ||
	complain 'not said once that output is lost'
grep -q 'worker: thread [0-9]* of block 6[0-9], round [0-9]*$' "$work/err" || complain 'not the last lines'
grep -q 'of block 0, round' "$work/err" && complain 'the first lines are kept'
expect_err 'more lines ('
finish
