# A sweep without a GPU uses the emulator, says so, and measures no time.
. "$(dirname "$0")/lib.sh"
fake_emulator
export PERFLAB_DB=a.db
words='sweep reduce/shuffle --block-sizes 64..512 --size 1024'

# the emulator is chosen because there is no GPU: one line gives the reason
# shellcheck disable=SC2086 # words
run $words --label first
expect_code 0
expect_err 'backend ptx (no GPU: '
expect_err 'no-such-worker'
expect_err 'results and counts of PTX, no times'
expect_out 'backend   ptx'
run report --format csv
[ "$(grep -c ',ok,' "$work/out")" -eq 4 ] || complain 'not every case is ok'
run report --format json
expect_out '"backend": "ptx"'
expect_out '"ptx_warp_instructions"'
expect_no_out '"dram_read_bytes"'
expect_no_out '"theoretical_occupancy_pct", "value"'
if command -v sqlite3 >/dev/null; then
	[ "$(sqlite3 a.db 'SELECT count(*) FROM sample')" = 0 ] || complain 'times were stored'
	[ "$(sqlite3 a.db 'SELECT count(*) FROM line')" = 8 ] || complain 'no source lines'
fi

# the CUDA worker exists but finds no GPU
export PERFLAB_WORKER_CUDA="$FAKE_WORKER"
# shellcheck disable=SC2086 # words
FAKE_WORKER_SCRIPT=no_device run $words
expect_code 0
expect_err 'backend ptx (no GPU: there is no fake device: plug one in)'
# shellcheck disable=SC2086 # words
FAKE_WORKER_SCRIPT=open_crash run $words -q
expect_code 0
expect_err 'backend ptx (no GPU: given up after 3 attempts'
# a GPU is preferred, and a usage error does not switch to the emulator
# shellcheck disable=SC2086 # words
run $words
expect_code 0
expect_err 'backend cuda (Fake GPU)'
expect_out 'backend   cuda'
# shellcheck disable=SC2086 # words
refused 2 'no device 7: there is 0' $words --device 7
# an option that only the emulator supports selects it
# shellcheck disable=SC2086 # words
run $words --chip GA100
expect_code 0
expect_err 'backend ptx (--chip asks for it)'
# shellcheck disable=SC2086 # words
run $words --metrics ptx
expect_code 0
expect_err 'backend ptx (--metrics asks for it)'
no_worker
export PERFLAB_WORKER_PTX="$work/fake-emulator"

# options about times: a usage error if the backend was named, otherwise a message
for option in '--cache hot' '--rounds 2' '--placements 2' '--min-samples 9' '--precision 1%' '--max-time 1s' \
	'--device 0' '--counter-dump x'; do
	# shellcheck disable=SC2086 # words
	refused 2 "does not use ${option%% *}" $words --backend ptx $option
done
# shellcheck disable=SC2086 # words
run $words --cache hot --rounds 2
expect_code 0
expect_err 'backend ptx does not use --cache, --rounds'
for option in '--chip GA100' '--blocks all'; do
	# shellcheck disable=SC2086 # words
	refused 2 "does not use ${option%% *}" $words --backend cuda $option
done
refused 2 'one of: auto, all' sweep --blocks some
refused 2 '--jobs' sweep --jobs -1
# shellcheck disable=SC2086 # words
run $words --backend ptx --chip GA100 --blocks all --jobs 2 -q
expect_code 0
[ -s "$work/err" ] && complain 'a backend that was named needs no line'

# hardware counters: reported once, and stored as missing with the reason
# shellcheck disable=SC2086 # words
run $words --metrics dram_read_bytes,sm__cycles_active.avg --backend ptx
expect_code 0
[ "$(grep -c 'are stored as missing: an emulator' "$work/err")" -eq 1 ] || complain 'not said once'
run report --format json
expect_out '"dram_read_bytes"'
expect_out 'has no hardware counters'
refused 2 'dram_read_bytes' sweep --backend ptx --metrics dram_read_byte
refused 2 'ptx_warp_instructions' sweep --backend ptx --metrics ptx_warp_instruction

# no GPU can be asked for these
for metric in nonsense__metric nonsense__metric.sum dram__bytes; do
	for backend in ptx auto; do
		rm -f none.db
		refused 2 "'$metric'" sweep reduce/shuffle --db none.db --backend $backend --metrics core,$metric
		[ -e none.db ] && complain 'a database was made'
	done
done

# the plan of the device that is emulated
# shellcheck disable=SC2086 # words
FAKE_EMULATOR_SCRIPT=inspect_skip:reduce/shuffle/block=64 run $words --dry-run
expect_code 0
expect_err 'backend ptx'
expect_err '4 cases: 3 to run, 1 skipped'

# findings
FAKE_EMULATOR_SCRIPT='race:reduce/shuffle/block=64;mismatch:reduce/shuffle/block=128' \
	run sweep reduce/shuffle --block-sizes 64..512 --size 1024 --jobs 2
expect_code 1
expect_err '1 case has a wrong result'
expect_err '1 case has an error in the kernel'
FAKE_EMULATOR_SCRIPT=race:reduce/shuffle/block=64 \
	run sweep reduce/shuffle --block-sizes 64..512 --size 1024
expect_code 1
FAKE_EMULATOR_SCRIPT='crash:reduce/shuffle/block=64;hang:reduce/shuffle/block=128' \
	run sweep reduce/shuffle --block-sizes 64..512 --size 1024 --timeout 2s --jobs 2
expect_code 3
expect_err '2 cases failed'
run report --format csv
[ "$(grep -c ',ok,' "$work/out")" -eq 2 ] || complain 'the other cases are not ok'
expect_out ',crashed,'
expect_out ',timeout,'
FAKE_EMULATOR_SCRIPT=sample run sweep reduce/shuffle --block-sizes 64 --size 1024 --blocks auto
expect_code 0
run report --format csv
expect_out ',sampled,'

# a worker of the other kind by mistake: nothing is stored
PERFLAB_WORKER_PTX="$FAKE_WORKER" refused 3 'is of another: it runs on Fake GPU, and measures times' \
	sweep reduce/shuffle --block-sizes 64 --size 1024 --backend ptx --db mixed.db
PERFLAB_WORKER_CUDA="$work/fake-emulator" refused 3 'is of another: it runs on Fake GPU, and has no clock' \
	sweep reduce/shuffle --block-sizes 64 --size 1024 --backend cuda --db mixed.db
[ -e mixed.db ] && complain 'a database was left behind'

# nothing to profile
refused 2 'nothing to profile' nsight ncu reduce/shuffle/block=64,n=1024 -o x

# doctor describes the machine
run doctor
expect_code 0
expect_out 'fake-emulator'
expect_out 'can run without a GPU: results and counts of PTX, no times'
run doctor --backend cuda
expect_code 4
run doctor --backend ptx
expect_code 0
rm "$work/fake-emulator"
refused 4 'no emulator' sweep reduce
refused 4 'no-such-worker' sweep reduce
refused 4 'fake-emulator' sweep reduce --backend ptx
finish
