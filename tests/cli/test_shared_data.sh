# Inputs and expected results are made once for all workers of a sweep, by processes of their own.
# Whatever becomes of those, results, statuses and reasons are the same as if nothing were shared.
. "$(dirname "$0")/lib.sh"
real_emulator
cp "$built_in_ptx/stream/copy_scalar.ptx" copy.ptx

# annotated LINE…: the words of the file, with these lines for the check
annotated() {
	cat >copy.ptx.perflab <<-'ANNOTATIONS'
		axis n = 16384..65536
		axis block = 64..256
		buffer x: f32[n] in
		buffer y: f32[n] out
		launch stream_copy_scalar<<<ceil_div(n, block), block>>>(x, y, n)
	ANNOTATIONS
	printf '%s\n' "$@" >>copy.ptx.perflab
}

# results FILE: everything that a sweep of the file stores of its cases, except times
results() {
	rm -f one.db
	run sweep copy.ptx --backend ptx --db one.db -q
	printf 'code %d\n' "$code" >"$1"
	"$PERFLAB" query "SELECT kernel, variant, config, status, reason FROM trials
		ORDER BY kernel, variant, config" --db one.db --format csv >>"$1" || complain 'no trials'
	"$PERFLAB" query "SELECT trials.config, metric, value, counters.reason FROM counters
		JOIN trials USING (trial_id) ORDER BY 1, 2" --db one.db \
		--format csv >>"$1" || complain 'no counters'
}

# compare WHAT: the results are those without sharing
compare() {
	if ! diff alone.csv "$1" >difference; then
		sed -n 1,6p difference
		complain "$2: other results"
	fi
}

# sweep_both STATUS: the nine cases end so, with and without sharing, and with little memory
sweep_both() {
	PERFLAB_SHARED_MEMORY=0 results alone.csv
	[ "$(grep -c ",$1," alone.csv)" -ge 9 ] || complain "not nine cases are $1"
	results shared.csv
	compare shared.csv shared
	for limit in 1 128Ki 700Ki; do
		PERFLAB_SHARED_MEMORY=$limit results little.csv
		compare little.csv "a limit of $limit"
	done
}

# ---- each kind of check ----
annotated 'verify y = x'
sweep_both ok
annotated 'verify stream_copy_scalar<<<1024, 64>>>(x, y, n)'
sweep_both ok
annotated 'verify none'
sweep_both unverified
annotated 'verify by cp "$PERFLAB_INPUTS/x.npy" "$PERFLAB_RESULTS/y.npy"'
sweep_both ok

# ---- a wrong result is reported with the same words ----
annotated 'verify y = i < n - 3 ? x : x + 1'
sweep_both mismatch
annotated 'verify by echo no; false'
sweep_both failed
grep -q 'it ended with 1: no' shared.csv || complain 'the reason is lost'

# ---- once for both kinds of input, of each case ----
cat >check.sh <<'END2'
echo "$PERFLAB_CONFIG" >>ran
cp "$PERFLAB_INPUTS/x.npy" "$PERFLAB_RESULTS/y.npy"
END2
annotated 'verify by . ./check.sh'
PERFLAB_SHARED_MEMORY=0 results alone.csv
rm ran
results shared.csv
compare shared.csv 'a program'
[ "$(wc -l <ran)" -eq 18 ] || complain "the program ran $(wc -l <ran) times for nine cases"

# ---- a program inherits nothing of it ----
annotated 'verify by ls -l /proc/self/fd >fds; cp "$PERFLAB_INPUTS/x.npy" "$PERFLAB_RESULTS/y.npy"'
results shared.csv
[ -s fds ] || complain 'the program did not run'
grep -q 'socket\|perflab-data' fds && complain 'the program inherits descriptors'

# ---- limits of the shell, and closed streams ----
annotated 'verify y = x'
PERFLAB_SHARED_MEMORY=0 results alone.csv
rm -f one.db
command_line='perflab sweep with closed streams'
"$PERFLAB" sweep copy.ptx --backend ptx --db one.db -q <&- >out 2>&- ||
	complain 'closed streams end it'
"$PERFLAB" query "SELECT count(*) FROM trials WHERE status = 'ok'" --db one.db --format csv |
	grep -qx 9 || complain 'closed streams change the results'
command_line='perflab sweep with a limit of the size of files'
(
	ulimit -f 3000
	results limited.csv
)
compare limited.csv 'a limit of the size of files'

# ---- a size that is none ----
for size in much -1 '1 GB'; do
	PERFLAB_SHARED_MEMORY=$size
	export PERFLAB_SHARED_MEMORY
	refused 2 PERFLAB_SHARED_MEMORY sweep copy.ptx --backend ptx --db other.db -q
	expect_err "$size"
	unset PERFLAB_SHARED_MEMORY
done

finish
