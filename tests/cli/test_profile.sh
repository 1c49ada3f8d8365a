# What the hardware shows of source lines: sweep --lines, and report --lines of a run on a GPU.
. "$(dirname "$0")/lib.sh"
fake_worker
export PERFLAB_DB=a.db FAKE_WORKER_LOG="$work/log" FAKE_WORKER_SCRIPT=profiles

# profiled: the cases that the workers were asked to profile, sorted, in one line
profiled() {
	sed -n 's/^[0-9]* profile reduce.shuffle.\(block=[0-9]*\),.*/\1/p' "$FAKE_WORKER_LOG" | sort -u |
		tr '\n' ' '
}

# profiles_of RUN COUNT: the run has so many cases with a profile.
has_profiles() {
	"$PERFLAB" query "SELECT count(*) AS profiled FROM profile JOIN trial ON trial.id = trial_id
		WHERE run_id = $1" --format csv 2>/dev/null | grep -qx "$2"
}

# by default, the best case of each variant
run sweep reduce/shuffle --block-sizes 64..256 --size 1024 --rounds 1 -q
expect_code 0
[ "$(profiled | wc -w)" -eq 1 ] || complain "not one case is profiled: $(profiled)"
has_profiles 1 1 || complain 'not one profile is stored'
run report 1 --lines
expect_code 0
expect_out 'samples of warps in 2 executions, one an SM every 512 cycles or more.'
expect_out 'Its machine code is of a library, or has no source lines (nvcc -lineinfo)'
expect_no_out 'The lines that cost most'
run report 1 --lines --format csv
expect_code 0
[ "$(wc -l <"$work/out")" -eq 2 ] || complain 'not a head and a line'
expect_out ',fake_kernel,,,'
run report 1 --lines --format json
expect_code 0
expect_out '"reason": "wait"'

# all, or none
: >"$FAKE_WORKER_LOG"
run sweep reduce/shuffle --block-sizes 64..256 --size 1024 --rounds 1 -q --lines all --no-source
expect_code 0
[ "$(profiled)" = 'block=128 block=256 block=64 ' ] || complain "not all are profiled: $(profiled)"
run report 2 --lines
expect_code 0
expect_out 'The lines that cost most, of 3 profiled cases'
expect_out 'perflab report 2 --lines CASE'
run report 2 --lines 'block=64'
expect_code 0
expect_out 'reduce/shuffle/block=64,n=1024'
expect_no_out 'block=128'
: >"$FAKE_WORKER_LOG"
run sweep reduce/shuffle --block-sizes 64 --size 1024 --rounds 1 -q --lines none
expect_code 0
[ -z "$(profiled)" ] || complain "something is profiled: $(profiled)"
refused 3 'no case of run 3 was profiled' report 3 --lines
refused 3 'none of the chosen cases of run 3 were profiled' report 3 --lines block=64

# mistakes
refused 2 "--lines" sweep reduce/shuffle --lines bets
expect_err 'best'
refused 2 '--metrics none does without: leave one of them out' sweep reduce/shuffle --lines all --metrics none
run sweep reduce/shuffle --block-sizes 64 --size 1024 --rounds 1 -q --lines none --metrics none --dry-run
expect_code 0
refused 2 '--sass shows instructions with --lines: add it' report 2 --sass
refused 2 '--lines cannot be written as svg' report 2 --lines --format svg
refused 2 'no case of run 2 matches "nonesuch"' report 2 --lines nonesuch

# a sweep that is interrupted while it profiles keeps what is stored, and goes on
: >"$FAKE_WORKER_LOG"
FAKE_WORKER_SCRIPT='profiles;hang_in_last_profile:reduce/shuffle/block=256' "$PERFLAB" sweep \
	reduce/shuffle --block-sizes 64..256 --size 1024 --rounds 1 --timeout 60min -q --lines all \
	>"$work/out" 2>"$work/err" &
sweep=$!
command_line='perflab sweep, interrupted while it profiles'
await_of $sweep 'two profiles are stored' has_profiles 4 2
kill -INT $sweep
end_of $sweep
expect_code 3
expect_err 'perflab sweep --resume 4 --db a.db'
has_profiles 4 2 || complain 'profiles are lost'
missing='block=256 '
if command -v sqlite3 >/dev/null; then # a damaged profile is as good as none
	sqlite3 a.db "UPDATE stall SET samples = samples + 1 WHERE trial_id =
		(SELECT id FROM trial WHERE run_id = 4 AND config LIKE 'block=128,%')"
	missing='block=128 block=256 '
fi
: >"$FAKE_WORKER_LOG"
run sweep --resume 4 -q --lines all
expect_code 0
has_profiles 4 3 || complain 'the third case is not profiled'
if grep -q measure- "$FAKE_WORKER_LOG"; then
	complain 'a case is measured again'
fi
[ "$(profiled)" = "$missing" ] || complain "not what is missing alone is profiled: $(profiled)"
run report 4 --lines
expect_code 0
run list runs
expect_no_out 'interrupted'

# ---- text and machine code that a run keeps ----

"$MAKE_DATABASE" kept.db
export PERFLAB_DB=kept.db
# disassembler TEXT: a stand-in for the toolkit's, which prints this
disassembler() {
	mkdir -p cuda/bin
	printf '#!/bin/sh\nexit 0\n' >cuda/bin/nvcc
	printf '#!/bin/sh\ncp "$2" disassembled\n%s\n' "$1" >cuda/bin/nvdisasm
	chmod +x cuda/bin/nvcc cuda/bin/nvdisasm
}
export PERFLAB_CUDA_ROOT="$work/cuda"
disassembler "cat <<'END'
	.section	.text._Z6kernelPf,\"ax\",@progbits
.text._Z6kernelPf:
        /*0000*/                   LDG.E R4, [R2.64] ;
        /*0010*/                   STS [R2], R3 ;
        /*0020*/                   EXIT ;
END"
run report 1 --lines --sass
expect_code 0
expect_out 'x[i] = y[i];'
expect_out 'LDG.E R4, [R2.64]'
expect_out 'STS [R2], R3'
expect_out 'c.cuh:1'
expect_no_out 'no text'
[ "$(cat disassembled)" = 'machine code' ] || complain 'other machine code is disassembled'
run report 1 --lines
expect_code 0
expect_no_out 'LDG.E'
[ -z "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'perflab-code-*' -newer "$work/kept.db")" ] ||
	complain 'a file of machine code is left'

# one that fails, that prints rubbish, that is not there
disassembler 'exit 1'
run report 1 --lines --sass
expect_code 0
expect_out 'Instructions have no text, because nvdisasm of the CUDA Toolkit'
expect_out 'b.cuh:3'
disassembler "printf '\\033[31m/*zz*/ ;\\n/*0000 ;\\n\\t.section\\t.text.f,\\n/*0000*/ no end\\n'"
run report 1 --lines --sass
expect_code 0
expect_out 'printed no instructions'
if grep -q "$(printf '\033')" "$work/out"; then
	complain 'control characters of the disassembler reach the terminal'
fi
rm cuda/bin/nvdisasm
PATH=$work/cuda/bin:/usr/bin:/bin run report 1 --lines --sass
expect_code 0
expect_out 'Instructions have no text'
expect_out '0010'

# a damaged content costs its text, not the report
if command -v sqlite3 >/dev/null; then
	sqlite3 kept.db "UPDATE content SET packed = x'00'"
	run report 1 --lines --sass
	expect_code 0
	expect_no_out 'x[i] = y[i];'
	expect_out 'No text: the file cannot be read: content'
	expect_out 'is damaged'
	# a profile that breaks its invariants is named; a report of nothing else fails
	sqlite3 kept.db 'UPDATE stall SET samples = samples + 1'
	run report 1 --lines
	expect_code 3
	expect_err 'its profile is damaged: the profile of trial'
	expect_err 'every profile of the cases of run 1 is damaged'
	# a file of a perflab that had no profiles
	sqlite3 kept.db 'DROP VIEW result_line_costs; DROP VIEW result_instructions;
		DROP VIEW result_stalls; DROP TABLE stall; DROP TABLE instruction;
		DROP TABLE profile_frame; DROP TABLE profile_function; DROP TABLE profile;
		DROP TABLE content; DROP TABLE run_file'
	refused 3 'no case of run 1 was profiled' report 1 --lines
fi
finish
