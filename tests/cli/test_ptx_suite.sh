# All kernels on the real emulator, as on a machine without a GPU, with any number of workers and
# with a worker that is killed.
. "$(dirname "$0")/lib.sh"
real_emulator

# every case is verified, or skipped because of a constraint; counts, hashes and lines are those of
# one worker (ptx_all_kernels verifies more block sizes)
for jobs in 1 3; do
	run sweep --backend ptx --block-sizes 128 --size small --jobs $jobs --db $jobs.db -q
	expect_code 0
	run report --format json --db $jobs.db
	expect_code 0
	sed -n '/^  "trials"/,$p' "$work/out" >$jobs.same
	run report --lines --format csv --db $jobs.db
	expect_code 0
	cut -d, -f2- "$work/out" >>$jobs.same
done
cmp -s 1.same 3.same || complain 'one worker and three give different results'
grep '"status": ' 1.same | sort | uniq -c >"$work/out"
grep -q '"ok"' "$work/out" || complain 'nothing was verified'
[ "$(grep -cv '"ok"\|"skipped"' "$work/out")" -eq 0 ] || complain 'not all is well'
grep '"status": "skipped"' -A 1 1.same | grep '"reason"' | sort -u >"$work/out"
expect_out 'block must be a square number'
# tiles have shapes of their own, libraries are a GPU's, and registers may not do
grep -v 'block must be\|: a library that runs on GPUs only\|registers per thread' "$work/out" &&
	complain 'something is skipped that need not be'

# a killed worker loses only one case
mkfifo progress
command_line='perflab sweep, a worker killed'
# shellcheck disable=SC2016 # the inner shell expands $$
timeout -k 5 "$(seconds_left)" sh -c 'echo $$ >pid; exec "$@"' sh "$PERFLAB" sweep matmul/naive \
	--backend ptx --block-sizes 64,128,256 --set n=512 --blocks all --jobs 2 --db killed.db \
	>"$work/out" 2>progress </dev/null &
sweep=$!
exec 4<progress
read -r first <&4
for status in $(grep -l "^PPid:[[:space:]]*$(cat pid)\$" /proc/[0-9]*/status 2>/dev/null); do
	victim=${status#/proc/}
	kill -9 "${victim%/status}"
	break
done
printf '%s\n' "$first" >"$work/err"
cat <&4 >>"$work/err"
end_of $sweep
expect_code 3
run report --format csv --db killed.db
[ "$(grep -c ',crashed,' "$work/out")" -eq 1 ] || complain 'not one case was lost'
[ "$(grep -c ',ok,' "$work/out")" -eq 2 ] || complain 'the other cases are not well'
finish
