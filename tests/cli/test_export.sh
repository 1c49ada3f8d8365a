# perflab export: the formats of other programs, and which cases they get. check_export.py reads each
# file by the rules of its project.
. "$(dirname "$0")/lib.sh"
fake_worker
export PERFLAB_DB="$work/export.db"
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
formats='bmf github-action-benchmark lnt t4 openmetrics'

# The Python that has Prometheus' parser, else any.
python=
for candidate in python3 /usr/bin/python3; do
	command -v "$candidate" >/dev/null || continue
	python=${python:-$candidate}
	if "$candidate" -c 'import prometheus_client' 2>/dev/null; then
		python=$candidate
		break
	fi
done

# check FORMAT RUN [DATABASE]: fails unless $work/out is right.
check() {
	[ -n "$python" ] || return 0
	"$python" "$here/check_export.py" "$1" "$work/out" "${3:-$PERFLAB_DB}" "$2" >checked 2>&1 ||
		complain "$1: $(cat checked)"
	grep skipped checked
}

# ---- what is exported: verified cases with a time, and nothing else ----
export FAKE_WORKER_SCRIPT='unverified:reduce/shuffle/block=64;mismatch:reduce/shuffle/block=128'
run sweep reduce/shuffle stream/copy_scalar --block-sizes 64..256 --size 4096 --label 'a "b"'
expect_code 1
unset FAKE_WORKER_SCRIPT
for format in $formats; do
	run export --format $format
	expect_code 0
	expect_err 'left out 2 of 6 cases: 1 mismatch, 1 unverified; only verified and measured cases'
	expect_no_out 'reduce/shuffle/block=64,'
	check $format 1
done

# the unverified case alone is nothing, and an old file stays
echo kept >results.json
refused 3 'no case was verified and measured (1 unverified)' export -f bmf last 'reduce/*block=64,*' -o results.json
[ "$(cat results.json)" = kept ] || complain 'the old file is gone'

# one case, a label, a file
run export -f bmf 'a "b"' 'reduce/shuffle/block=256*' -o results.json
expect_code 0
[ "$(grep -c latency results.json)" -eq 1 ] || complain 'not one case'
refused 2 'no case of run 1 matches "sort"' export -f bmf last sort

# LNT gets the commit, a time that it can sort by, and a median of each round
run export -f lnt
expect_out '"llvm_project_revision":"20261121025045"'
expect_out '"start_time":"2026-11-21T02:50:45"'
expect_out '"label":"a \"b\""'
[ "$(grep -o '"execution_time":\[[^]]*' "$work/out" | head -n 1 | tr -cd , | wc -c)" -eq 4 ] ||
	complain 'not five rounds'

# T4 has every sample and every counter with a value, by its own name
run export -f t4 last 'reduce/shuffle/block=256*'
samples=$("$PERFLAB" query --format csv "SELECT count(*) AS n FROM sample JOIN trial ON trial.id = trial_id
	WHERE kernel = 'reduce' AND config LIKE 'block=256,%'" | tail -n 1)
[ "$(grep -o '"runtimes":\[[^]]*' "$work/out" | tr ',' '\n' | wc -l)" -eq "$samples" ] ||
	complain "not $samples samples"
expect_out '"name":"dram_read_bytes"'
expect_out '"unit":"byte"'

# ---- runs that cannot be exported ----
refused 2 'no format; name it with --format' export
refused 2 'unknown value "xml"; one of: bmf, github-action-benchmark, lnt, t4, openmetrics' export -f xml
refused 2 "no run '99'" export -f bmf 99
refused 3 'does not exist' export -f bmf --db none.db
refused 3 'run 1 has nothing to export' export -f lnt 1 'reduce/*block=128,*'

# ---- counters ----
run export -f bmf -m dram_read_bytes -m branch_efficiency_pct
expect_code 0
check bmf 1
expect_out '"dram_read_bytes":{"value":'
run export -f openmetrics -m dram_read_bytes
check openmetrics 1
expect_out 'metric="dram_read_bytes",unit="byte"}'
grep -q '^perflab_case_metric{' "$work/out" || complain 'no counter'
# what the work model says is no counter of the device, and no measurement
run export -f openmetrics -m dram_read_bytes -m model_flop_f32
check openmetrics 1
expect_out 'metric="model_flop_f32",unit="flop"}'
grep 'model_flop' "$work/out" | grep -qv '^perflab_case_modelled_metric{' && complain 'modelled as counted'
grep 'dram_read_bytes' "$work/out" | grep -qv '^perflab_case_metric{' && complain 'counted as modelled'
run export -f t4
expect_no_out model_flop
run export -f github-action-benchmark -m global_load_sectors_per_request
check github-action-benchmark 1
expect_out 'n=4096 global_load_sectors_per_request"'
refused 2 'github-action-benchmark compares values of which less is better, and branch_efficiency_pct is none' \
	export -f github-action-benchmark -m branch_efficiency_pct
refused 2 'lnt has times only' export -f lnt -m dram_read_bytes
refused 2 't4 always has every counter' export -f t4 -m dram_read_bytes
refused 2 'run 1 has no metric "dram_read_byte"; did you mean dram_read_bytes' export -f bmf -m dram_read_byte
refused 2 'dram_read_bytes is named twice' export -f bmf -m dram_read_bytes -m dram_read_bytes
refused 2 'bmf allows 64 bytes' export -f bmf \
	-m a_name_that_is_too_long_for_a_measure_of_bencher_which_allows_sixty_four_bytes

# a run of the emulator has counts and no times
fake_emulator
run sweep reduce/shuffle --backend ptx --block-sizes 64 --size 4096 --metrics ptx --db emulated.db
for format in bmf github-action-benchmark openmetrics; do
	refused 3 'name a count, such as --metric' export -f $format --db emulated.db
	run export -f $format -m ptx_warp_instructions --db emulated.db
	expect_code 0
	expect_out ptx_warp_instructions
	expect_no_out latency
	expect_no_out median
	expect_no_out '"ns"'
done
for format in lnt t4; do
	refused 3 "nothing to export as $format: the emulator measures no times" export -f $format --db emulated.db
done
refused 2 'has no metric "dram_read_bytes"' export -f bmf -m dram_read_bytes --db emulated.db
fake_worker

# an imported run, whose results perflab did not verify
run import "$here/../imports/data/nvbench.json" --db imported.db
for format in bmf github-action-benchmark lnt openmetrics; do
	run export -f $format 1 --db imported.db
	expect_code 0
	expect_err 'run 1 was imported, so perflab verified none of its results'
done
run export -f t4 1 --db imported.db
expect_code 2
expect_err 'perflab verified none of run 1, which was imported'
[ -s "$work/out" ] && complain 'results that nobody verified'

# ---- names of untrusted files ----
if command -v sqlite3 >/dev/null; then
	sqlite3 odd.db ".restore '$PERFLAB_DB'" 2>/dev/null || cp "$PERFLAB_DB" odd.db
	sqlite3 odd.db "UPDATE trial SET status = 'ok', reason = NULL WHERE median_ns IS NOT NULL;
		UPDATE run SET label = 'l' || x'1b' || '\"' || x'0a', source_revision = x'ff' || '\\';
		UPDATE device SET name = 'GPU \"' || x'0a' || '\\ # EOF';
		UPDATE trial SET variant = 'q\"u,o}te' || x'0a' || '# EOF' WHERE id = 1;
		UPDATE trial SET variant = 'b\\a\\n' || x'09' || x'c3a9' WHERE id = 2;
		UPDATE trial SET variant = CAST('x' || x'fffe' AS TEXT) WHERE id = 3;
		UPDATE trial SET variant = '\"]}' || x'7f' WHERE id = 4;" || complain 'cannot make odd names'
	for format in bmf github-action-benchmark lnt openmetrics; do
		run export -f $format --db odd.db
		expect_code 0
		check $format 1 odd.db
	done
	sqlite3 odd.db "UPDATE axis SET name = 'kernel' WHERE name = 'block' AND trial_id = 3"
	run export -f t4 --db odd.db
	expect_code 0
	expect_out '"kernel_":'
	[ -z "$python" ] || "$python" -m json.tool "$work/out" >/dev/null || complain 't4: no JSON'

	# a name that the other program does not allow, and two that become equal
	cp odd.db long.db
	sqlite3 long.db "UPDATE trial SET variant = printf('%.300c', 'v') WHERE id = 4"
	run export -f lnt --db long.db
	expect_err '1 with too long a name'
	run export -f bmf --db long.db
	expect_err 'left out 1 of 6 cases: 1 mismatch'
	sqlite3 long.db "UPDATE trial SET variant = printf('%.1100c', 'v') WHERE id = 4"
	run export -f bmf --db long.db
	expect_err '1 with too long a name'
	cp "$PERFLAB_DB" long.db
	sqlite3 long.db "UPDATE trial SET config = 'c', variant = 'x' || x'0a' WHERE kernel = 'stream' AND config LIKE 'block=64,%';
		UPDATE trial SET config = 'c', variant = 'x' || char(92) || 'n' WHERE kernel = 'stream' AND config LIKE 'block=128,%'"
	run export -f openmetrics --db long.db
	expect_err '1 with the name of another case'

	# what was not measured is left out, never 0
	cp odd.db bare.db
	sqlite3 bare.db "DELETE FROM round WHERE round > 0; DELETE FROM counter;
		UPDATE device SET uuid = '', chip = ''; UPDATE run SET label = NULL, source_revision = NULL;
		UPDATE trial SET median_ns = NULL, sample_count = 0 WHERE id = 1; UPDATE trial SET median_ns = 9e999 WHERE id = 2"
	for format in $formats; do
		run export -f $format --db bare.db
		expect_code 0
		expect_err '2 without a time'
		grep -qwi 'nan\|inf\|null' "$work/out" && complain "$format: no number"
	done
	run export -f bmf --db bare.db
	expect_no_out lower_value

	# a counter that the user named and that cases lack is named, with the reason
	cp "$PERFLAB_DB" lacking.db
	sqlite3 lacking.db "UPDATE counter SET value = NULL, reason = 'no' || char(10) || 'way'
		WHERE metric_id = (SELECT id FROM metric WHERE name = 'dram_read_bytes')"
	for format in bmf openmetrics; do
		run export -f $format -m dram_read_bytes --db lacking.db
		expect_code 0
		expect_err 'without dram_read_bytes in 4 of 4 cases (no\nway); what was not measured is missing'
		expect_no_out dram_read_bytes
	done
	sqlite3 lacking.db 'PRAGMA foreign_keys = ON; DELETE FROM trial'
	refused 3 'has nothing to export: it has no case' export -f lnt --db lacking.db

	# a run that has not ended
	sqlite3 bare.db "UPDATE run SET state = 'interrupted'"
	run export -f bmf --db bare.db
	expect_err 'run 1 is interrupted: these are its cases so far'
fi

finish
