# Sweeps on the real emulator: it verifies kernels, names faults and samples large cases. Two sweeps
# give the same results.
. "$(dirname "$0")/lib.sh"
real_emulator
export PERFLAB_DB=a.db

# doctor shows the emulator, and what is missing if only the worker was copied
run doctor
expect_code 0
expect_out 'lane set '
expect_out '/share/perflab/ptx'
expect_out 'the default is GH100, --chip chooses another'
run doctor --backend ptx
expect_code 0
expect_out 'can run without a GPU: results and counts of PTX, no times'
expect_no_out 'CUDA'
mkdir -p "$work/lone/bin"
cp "$PERFLAB_WORKER_PTX" "$work/lone/bin/"
PERFLAB_WORKER_PTX="$work/lone/bin/perflab-worker-ptx" run doctor --backend ptx
expect_code 4
expect_out "$work/lone/share/perflab/ptx: not found"
expect_out 'install all of perflab'
PERFLAB_WORKER_PTX="$work/lone/bin/perflab-worker-ptx" \
	run sweep stream/copy_scalar --block-sizes 64 --set n=1000 --backend ptx
expect_code 3
expect_out 'no PTX for stream/copy_scalar'
rm a.db

# without a GPU and without naming the backend: every kernel of the tree
run sweep stream reduce divergence --block-sizes 64,256 --set n=2000
expect_code 0
expect_err 'backend ptx (no GPU: '
run report --format csv
grep -q ',ok,' "$work/out" || complain 'nothing was verified'
for status in mismatch fault failed crashed timeout; do
	expect_no_out ",$status,"
done
run report --format json
expect_out '"name": "PTX emulator (GH100 limits)"'
expect_out '"ptx_global_load_sectors"'
expect_out '"code_kind": "ptx compute_90"'

# two sweeps with different workers give the same counts, hashes and lines
for jobs in 1 2; do
	run sweep reduce matmul --block-sizes 64 --set n=100 --jobs $jobs --db $jobs.db -q
	expect_code 0
	run report --format json --db $jobs.db
	sed -n '/^  "trials"/,$p' "$work/out" >$jobs.same
	grep -q '"ptx_warp_instructions"' $jobs.same || complain 'no counts to compare'
	run report --lines --format csv --db $jobs.db
	expect_code 0
	cut -d, -f2- "$work/out" >>$jobs.same
done
cmp -s 1.same 2.same || complain 'one worker and two give different results'

# a fault ends only its own case
run sweep fault/none fault/illegal_address fault/misaligned fault/trap fault/assertion \
	fault/out_of_bounds fault/race fault/uninitialised fault/wrong_result fault/not_a_number \
	fault/unwritten --set n=1000
expect_code 1
run report --format csv
for variant in illegal_address misaligned trap assertion out_of_bounds race uninitialised; do
	grep -q "fault,$variant,.*,fault," "$work/out" || complain "$variant is no fault"
done
for variant in wrong_result not_a_number unwritten; do
	grep -q "fault,$variant,.*,mismatch," "$work/out" || complain "$variant is no mismatch"
done
grep -q 'fault,none,.*,ok,' "$work/out" || complain 'what has no fault is not ok'
run report --format json
expect_out 'out_of_bounds.cu:9'
expect_out 'past the end of'

# a kernel that waits for what nobody writes is a deadlock at once, with its line
run sweep fault/endless_loop --set n=1000 --timeout 20s
expect_code 1
expect_out 'deadlock in fault_endless_loop, block (0,0,0) thread (0,0,0), '
expect_out 'endless_loop.cu:8: the threads of the block that have not ended loop for ever'

# tensor cores, with operands in registers and in shared memory
run sweep matmul/tensor_f16 matmul/tensor_f16_wgmma --block-sizes 128 --set n=64 --backend ptx
expect_code 0
run report --format csv
[ "$(grep -c ',ok,' "$work/out")" -eq 2 ] || complain 'not both are verified'

# a large case is counted on some blocks, and verified with --blocks all
run sweep matmul/naive --block-sizes 256 --set n=1024 --blocks auto
expect_code 0
expect_err '1 sampled: counted on some blocks, and its result was not verified'
expect_err '--blocks all'
run report --format csv
expect_out ',sampled,'
run report --format json
expect_out 'the result was not verified (--blocks all verifies it)'

# cases beyond the emulator are skipped with a reason and do not fail a sweep
run sweep matmul/tiled/block=1,n=1000 reduce/shuffle/block=64,n=64 --db beyond.db
expect_code 0
expect_out 'too large to run whole'
run report --format csv --db beyond.db
[ "$(grep -c ',skipped,' "$work/out")" -eq 1 ] || complain 'not one case is skipped'

# 0 is a valid value of some axes; otherwise the case is skipped with the reason
run sweep occupancy/one_load/shared_kib=0,block=64,n=4096 \
	warp_ops/shfl/distance=0,block=64,n=4096,width=32 \
	warp_map/plane/columns=0,block=64,n=4096 --db zero.db
expect_code 0
expect_out 'columns=0: constraint: expression "block % columns == 0", character 7: division by zero'
run report --format csv --db zero.db
[ "$(grep -c ',ok,' "$work/out")" -eq 2 ] || complain 'not two cases are ok'

# gigabytes, and more than 2^32 elements, take no longer, where the emulator may have them
memory_kib=$(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo)
container=$(cat /sys/fs/cgroup/memory.max 2>/dev/null)
case $container in
'' | max) ;;
*) [ $((container / 1024)) -ge "${memory_kib:-0}" ] || memory_kib=$((container / 1024)) ;;
esac
if [ "${memory_kib:-0}" -ge 18000000 ]; then
	run sweep reduce/shuffle --block-sizes 256 --set n=2147483713 --jobs 1 --db large.db
	expect_code 0
	run report --format json --db large.db
	expect_out '"status": "sampled"'
	# bytes: of each element, and of each block's sum
	expect_out '"value": 8623489288'
fi

# chips
run sweep stream/copy_scalar --block-sizes 64 --set n=1000 --chip ad102
expect_code 0
run report --format json
expect_out 'PTX emulator (AD102 limits)'
run list devices --backend ptx --format csv
expect_code 0
[ "$(cut -d, -f1-3 "$work/out" | sed 1d | sort)" = ',2,PTX emulator (AD102 limits)
0,1,PTX emulator (GH100 limits)' ] || complain 'an emulated device is listed twice, or not'
run list metrics ptx_branches --backend ptx --format csv
[ "$(grep -c '^ptx_branches,' "$work/out")" -eq 1 ] || complain 'a metric is listed twice'
refused 2 'did you mean' sweep stream/copy_scalar --backend ptx --chip AD1O2
refused 2 'GB202' sweep stream/copy_scalar --backend ptx --chip toaster

# emulated memory is limited
(ulimit -v 2000000 2>/dev/null && run sweep stream/copy_scalar --block-sizes 256 --set n=2^32 &&
	[ "$code" -ne 0 ]) || complain 'an allocation of 32 GiB went well'

"$PERFLAB_WORKER_PTX" </dev/null >"$work/out" 2>"$work/err" 3>&-
code=$? command_line=perflab-worker-ptx
expect_code 2
expect_err 'is started by perflab'
# ---- more lines than counts are kept of ----
{
	printf '.version 8.0\n.target sm_90\n.address_size 64\n.visible .entry many(.param .u64 y)\n{\n'
	printf '.reg .b32 %%r<4>;\n.reg .b64 %%rd<4>;\nld.param.u64 %%rd1, [y];\nmov.u32 %%r1, 90;\n'
	yes 'add.u32 %r2, %r1, 1;' | head -n 262144
	printf 'st.global.u32 [%%rd1], %%r1;\nret;\n}\n'
} >many.ptx
cat >many.ptx.perflab <<'END'
axis n = 1
buffer y: i32[n] out
launch many<<<1, n>>>(y)
verify y = 90
END
PERFLAB_NVCC="$work/none" run sweep many.ptx --backend ptx --db many.db
expect_code 0
expect_err 'worker: the code of a case has 262148 lines, but counts are kept of at most 262144'
expect_out '1 (1 ok)'

finish
