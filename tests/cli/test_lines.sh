# report --lines: what each source line of an emulated case executed.
. "$(dirname "$0")/lib.sh"
fake_emulator
export PERFLAB_DB=a.db
FAKE_EMULATOR_SCRIPT='no_lines:reduce/shuffle/block=128;sample:reduce/shuffle/block=256' \
	run sweep reduce/shuffle --block-sizes 64..256 --size 1024 --backend ptx --label emulated
expect_code 0
expect_out 'emulated PTX: no times'
expect_no_out 'Best per kernel'
expect_no_out 'MEDIAN'
expect_no_out 'MODEL GB'

# all cases, by source line; a case without lines is left out
run report --lines
expect_code 0
expect_out 'reduce/shuffle/block=64,n=1024'
expect_out 'reduce/shuffle/block=256,n=1024 (sampled'
expect_no_out 'block=128'
expect_out 'a.cu'
expect_out 'lines of the PTX'
expect_out 'No text'

# the text beside it
mkdir -p tree/below
seq -f 'line %g of the source' 1 9 >tree/below/a.cu
PERFLAB_SOURCE_DIR=tree/below run report last --lines block=64
expect_code 0
expect_out 'line 7 of the source'
expect_no_out 'No text'
expect_no_out 'block=256'
PERFLAB_SOURCE_DIR=no-such-folder run report --lines
expect_code 0
cp tree/below/a.cu .
PERFLAB_SOURCE_DIR='' run report last --lines '*block=256*' '*block=64*' --format md
expect_code 0
expect_out '| line 7 of the source |'
expect_out '#### reduce/shuffle/block=64,n=1024'

# machine-readable formats
run report emulated -l --format csv
expect_code 0
[ "$(wc -l <"$work/out")" -eq 5 ] || complain 'not a head and two lines of two cases'
expect_out ',line 7 of the source'
run report --lines --format json
expect_code 0
expect_out '"file": "a.cu"'
expect_out '"file": null'

# errors
refused 2 'no case of run 1 matches "nonesuch"' report last --lines nonesuch
refused 2 '--columns does not work with --lines' report last --lines --columns block
refused 3 'none of the chosen cases of run 1 has lines' report last --lines block=128
fake_worker
run sweep reduce/shuffle --block-sizes 64 --size 1024 --backend cuda --db cuda.db
expect_code 0
refused 3 'no case of run 1 was profiled: perflab sweep --lines best or all' report --db cuda.db --lines
run list runs
expect_out 'BACKEND'
expect_out ' ptx '
expect_out 'SAMPLED'
finish
