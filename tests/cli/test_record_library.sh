# perflab record with the real recorder, in a program on a driver and a CUPTI that need no GPU.
# RECORD_PROGRAM is the program; FAKE_CUDA_IMAGE and PERFLAB_CUPTI are for it.
. "$(dirname "$0")/lib.sh"
unset CUDA_INJECTION64_PATH PERFLAB_RECORD PERFLAB_RECORDER
export PERFLAB_DB="$work/record.db" ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0

run record --list -- "$RECORD_PROGRAM" launches
expect_code 0
expect_out 'at least 1 kernel, at least 5 launches' # this CUPTI dropped some
expect_out 'axpy'
"$RECORD_PROGRAM" launches >alone
grep -qxF "$(cat alone)" out || complain 'the program printed something else'

run record -k axpy --launch 2 -o second -- "$RECORD_PROGRAM" launches
expect_code 0
expect_err 'launch 2 of axpy: recording 7.8 KiB in 2 allocations'
expect_err "wrote $work/second.capture: "
run record --show second.capture
expect_code 0
expect_out 'launch                 2 of the kernel in its process, by cuLaunchKernel'
expect_out 'grid                   8x1x1'
expect_out 'block                  128x1x1'
grep -qE '^ +0 +0 +4 +0x40000000 \(1073741824, or 2\)$' out || complain 'no parameter 0'
grep -qE '^ +1 +8 +8 +m0$' out || complain 'no pointer'
grep -qE '^ +3 +24 +4 +0x000003e8 \(1000\)$' out || complain 'no parameter 3'
grep -qE '^m1 +4000 +yes +0 +0x[0-9a-f]+ +device$' out || complain 'no changed memory'
run record --show second.capture --format json
expect_code 0
grep -q '"parameters":' out || complain 'no parameters in the JSON'
refused 2 'a capture is shown as text or json' record --show second.capture --format csv
head -c 200 second.capture >cut.capture
run record --show cut.capture
expect_code 3
expect_err 'cut.capture'
refused 3 'none.capture' record --show none.capture

run record -k '*' --every 1 --most 3 -o each -- "$RECORD_PROGRAM" two_kernels
expect_code 0
expect_err '3 captures; "perflab sweep'
[ -s each.capture ] && [ -s each-2.capture ] && [ -s each-3.capture ] || complain 'not three captures'
run record -k axpy --slowest -o slow -- "$RECORD_PROGRAM" launches
expect_code 0
expect_err 'launch 5 of axpy: recording'
run record -k nothing -- "$RECORD_PROGRAM" launches
expect_code 3
expect_err 'no kernel matches; the only one is axpy'
run record -k axpy -o graph -- "$RECORD_PROGRAM" graph
expect_code 3
expect_err 'axpy is only launched by CUDA graphs'
run record -k axpy --limit 4Ki -o small -- "$RECORD_PROGRAM" launches
expect_code 3
expect_err 'launch 1 of axpy was not recorded: '
[ -e small.capture ] && complain 'a capture over the limit'

finish
