# perflab nsight: the command lines of ncu and nsys, and stand-ins for both.
. "$(dirname "$0")/lib.sh"
fake_worker
export PERFLAB_DB=a.db
case_name='reduce/shuffle/block=64,n=1024'

refused 3 'a.db' nsight ncu "$case_name" -o x
run sweep reduce/shuffle --block-sizes 64,128 --size 1024 --seed 7 --cache hot -q
expect_code 0
refused 2 'an operand is missing' nsight ncu -o x
refused 2 '-o FILE' nsight ncu "$case_name"
refused 2 '-o FILE' nsight ncu "$case_name" -o ''
refused 2 'no case ""' nsight ncu '' -o x
refused 2 "did you mean $case_name" nsight ncu 'reduce/shufle/block=64,n=1024' -o x
refused 2 'lists them' nsight ncu no-such-thing-at-all -o x
refused 2 'no-run' nsight ncu "$case_name" -o x --run no-run

run nsight ncu "$case_name" 'reduce/shuffle/block=128,n=1024' -o x --print -- --set full
expect_code 0
expect_out '--clock-control none --nvtx'
expect_out '--nvtx-include perflab@reduce/shuffle/block=64/n=1024/profile/'
expect_out '--nvtx-include perflab@reduce/shuffle/block=128/n=1024/profile/'
expect_out '--target-processes all --force-overwrite -o x --set full '
expect_out " sweep $case_name reduce/shuffle/block=128,n=1024 --metrics none"
expect_out '--seed 7'
expect_out '--ceilings never'
expect_out '--cache hot'
run nsight nsys "$case_name" -o y --print
expect_code 0
expect_out 'profile -t cuda,nvtx --force-overwrite true -o y '
expect_no_out 'nvtx-include'

# a stand-in that runs the program after the options and leaves a report
mkdir tools
cat >tools/ncu <<'END'
#!/bin/sh
file=
while [ $# -gt 0 ]; do
	case $1 in
	-o) file=$2; shift 2 ;;
	*/perflab) break ;;
	*) shift ;;
	esac
done
"$@" >/dev/null || exit
[ -n "${NO_REPORT:-}" ] || echo report >"$file.ncu-rep"
exit "${TOOL_CODE:-0}"
END
chmod +x tools/ncu
PATH="$work/tools:$PATH"
mkdir tmp
export TMPDIR="$work/tmp"
run nsight ncu "$case_name" -o found
expect_code 0
expect_err 'ncu-ui found.ncu-rep'
[ -s found.ncu-rep ] || complain 'no report'
[ -z "$(ls tmp)" ] || complain 'the throw-away database was left behind'
[ "$("$PERFLAB" list runs --format csv | wc -l)" -eq 2 ] || complain 'a run was added'
NO_REPORT=1 run nsight ncu "$case_name" -o found
expect_code 3
expect_err 'wrote no found.ncu-rep'
TOOL_CODE=9 run nsight ncu "$case_name" -o found
expect_code 9
FAKE_WORKER_SCRIPT=mismatch run nsight ncu "$case_name" -o found
expect_code 1
run nsight ncu "$case_name" -o 'a name with blanks'
expect_code 0
[ -s 'a name with blanks.ncu-rep' ] || complain 'no report'
TMPDIR="$work/not-there" run nsight ncu "$case_name" -o found
expect_code 3
expect_err 'set TMPDIR'
# no tool at all
mv "$work/tools" "$work/away"
if ! command -v ncu >/dev/null; then
	refused 4 'install Nsight Compute' nsight ncu "$case_name" -o x
fi
mv "$work/away" "$work/tools"
# found by CUDA_HOME
mkdir -p cuda/bin
mv tools/ncu cuda/bin/
CUDA_HOME="$work/cuda" run nsight ncu "$case_name" -o elsewhere
expect_code 0
[ -s elsewhere.ncu-rep ] || complain 'no report'

# ---- a user's file, with the words that the run keeps ----
export PERFLAB_DB=own.db
cp "$built_in_ptx/stream/copy_scalar.ptx" 'my copy.ptx'
cat >notes.perflab <<'END'
axis n = 1024
axis block = 64, 128
buffer x: f32[n] in
buffer y: f32[n] out
verify none
END
sweep_own() {
	run sweep 'my copy.ptx' notes.perflab -q --std c++17 --compile-flag -DX=1 \
		--launch 'stream_copy_scalar<<<ceil_div(n, block), block>>>(x, y, n)'
}
sweep_own
[ "$code" -eq 0 ] || finish_without 'this machine has no ptxas'
case_name='my-copy/stream_copy_scalar/block=64,n=1024'
run nsight ncu "$case_name" -o x --print
expect_code 0
expect_out '--nvtx-include perflab@my-copy/stream_copy_scalar/block=64/n=1024/profile/'
expect_out " sweep 'my copy.ptx' notes.perflab --annotate 'launch stream_copy_scalar<<<ceil_div(n, block), block>>>(x, y, n)' --compile-flag -DX=1 --std c++17 $case_name --metrics none"
CUDA_HOME="$work/cuda" run nsight ncu "$case_name" -o own
expect_code 0
[ -s own.ncu-rep ] || complain 'no report'
# without a stored run
run nsight ncu 'my copy.ptx' notes.perflab -o x --print --db none.db
expect_code 2
expect_err '--db has no effect'
refused 2 '--block-sizes works only with a file' nsight ncu "$case_name" -o x --block-sizes 64
launch='stream_copy_scalar<<<ceil_div(n, block), block>>>(x, y, n)'
refused 3 'gone.cu: the file does not exist' nsight ncu gone.cu -o x
refused 2 'there is no kernel' nsight ncu 'my copy.ptx' notes.perflab other -o x --launch "$launch"
run nsight ncu 'my copy.ptx' notes.perflab -o x --print --launch "$launch" --block-sizes 128,256 --size 2048
expect_code 0
expect_out '--nvtx-include perflab@my-copy/stream_copy_scalar/block=128/n=2048/profile/'
expect_out '--nvtx-include perflab@my-copy/stream_copy_scalar/block=256/n=2048/profile/'
expect_out " sweep 'my copy.ptx' notes.perflab --annotate 'launch $launch' --set block=128,256 --set n=2048 my-copy/stream_copy_scalar/block=128,n=2048 my-copy/stream_copy_scalar/block=256,n=2048 --metrics none"
expect_out '--backend cuda'
# ncu finds no range within another one of the same name
run nsight ncu 'my copy.ptx' notes.perflab -o x --print --launch "$launch" \
	--annotate 'operation stream_copy_scalar' --block-sizes 128 --size 2048
expect_out '--nvtx-include perflab@block=128/n=2048/profile/'
rm -f own.ncu-rep
CUDA_HOME="$work/cuda" run nsight ncu 'my copy.ptx' notes.perflab -o own --launch "$launch"
expect_code 0
[ -s own.ncu-rep ] || complain 'no report'
cd cuda || exit 1
refused 2 "go there first" nsight ncu "$case_name" -o x --db ../own.db
cd .. || exit 1
echo '# more' >>notes.perflab
refused 4 'notes.perflab has changed since run 1 began' nsight ncu "$case_name" -o x
finish
