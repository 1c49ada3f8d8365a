# Progress: a line that is rewritten on a terminal, plain lines elsewhere, nothing with --quiet, and
# no escape sequences where they are off.
. "$(dirname "$0")/lib.sh"
fake_worker
export PERFLAB_DB=a.db
escape=$(printf '\033')
words='sweep reduce/shuffle --block-sizes 64,128 --size 1024'

# shellcheck disable=SC2086 # words
run $words
expect_code 0
expect_err '/'
grep -q "$escape" "$work/err" "$work/out" && complain 'an escape without a terminal'
# shellcheck disable=SC2086 # words
run $words --quiet
[ -s "$work/err" ] && complain 'quiet is not quiet'

has_terminal || finish_without 'no pseudo-terminal can be made here'

# sweep_on_terminal ENVIRONMENT…: runs the sweep on a terminal; both streams come to $work/out.
sweep_on_terminal() {
	command_line="env $* perflab $words, on a terminal"
	on_terminal "stty cols 90; env $* $PERFLAB $words; echo code=\$?" >"$work/out" 2>"$work/err"
}

sweep_on_terminal TERM=xterm
expect_out 'code=0'
grep -q "$(printf '\r')$escape\[K" "$work/out" || complain 'no line is rewritten'
grep -q "$escape\[1m" "$work/out" || complain 'no colour on a terminal'
# the rewritten line is narrower than the terminal, or it would wrap
tr '\r' '\n' <"$work/out" | grep "$escape\[K" | sed "s/$escape\[K//g" |
	awk 'length($0) > 89 { exit 1 }' || complain 'a rewritten line is too wide'
sweep_on_terminal TERM=xterm NO_COLOR=1
grep -q "$escape\[[0-9]*m" "$work/out" && complain 'colour against NO_COLOR'
sweep_on_terminal TERM=dumb
grep -q "$escape" "$work/out" && complain 'an escape on a dumb terminal'
sweep_on_terminal -u TERM
grep -q "$escape" "$work/out" && complain 'an escape on an unknown terminal'

# a narrow terminal cuts the name of the case, not the time that is left
words='sweep reduce divergence --block-sizes 64..1024 --size 4096 --rounds 5'
on_terminal "stty cols 40; env TERM=xterm $PERFLAB $words; echo code=\$?" >"$work/out" 2>"$work/err"
tr '\r' '\n' <"$work/out" | grep -qE '^.\[K[0-9]+/[0-9]+  [0-9.]+ [a-z]+ left' ||
	complain 'the time that is left is not shown'
finish
