# Names for parts of expressions, from the file to the verified result, on the real emulator.
. "$(dirname "$0")/lib.sh"
real_emulator
export PERFLAB_DB="$work/own.db"
cp "$built_in_ptx/stream/copy_scalar.ptx" copy.ptx

# copies LENGTH FILL EXPECTED: a sidecar with these lets, and the expressions that use them.
copies() {
	cat >copy.ptx.perflab <<-END
		axis n = 256
		axis parts = 1, 2
		axis block = 64
		let part = n / parts
		let square(v) = v * v
		let mean = sum(k, 0, part, x[k]) / part
		buffer x: f32[$1] in $2
		buffer y: f32[$1] out
		launch stream_copy_scalar<<<ceil_div($1, block), block>>>(x, y, $1)
		skip "too many parts" if part < 2
		verify y = $3
		work read = 4 * $1, write = 4 * $1
	END
}
# hashes: those of the cases of the newest run
hashes() {
	run query 'SELECT launch_hash FROM trial WHERE run_id = (SELECT max(id) FROM run)' --format csv
	cat "$work/out"
}

copies part '= square(i % 16)' 'square(i % 16) + mean - mean'
run sweep copy.ptx --backend ptx
expect_code 0
expect_out '2 (2 ok)'
with=$(hashes)
# what the lets stand for is the same case
copies '(n / parts)' '= (i % 16) * (i % 16)' 'x'
run sweep copy.ptx --backend ptx
expect_code 0
[ -n "$with" ] && [ "$(hashes)" = "$with" ] || complain 'a let changes the launch hash'

copies part '= square(i % 16)' 'square(i % 16) + (i == 7)'
run sweep copy.ptx --backend ptx
expect_code 1
expect_out '1 of 256 elements'
expect_out 'the first, [7], is 49, expected 50'

# the command line uses the lets of the file, and has its own
run sweep copy.ptx --backend ptx --annotate 'let half = part / 2' \
	--annotate 'verify y = i < half ? x : square(i % 16)'
expect_code 0
expect_out '2 (2 ok)'

# a mistake that only a case shows is beside the end of a long expression
copies part '= i' "$(printf 'square(square(square(x))) * 0 + %.0s' 1 2 3 4 5 6 7 8)x[i + 1 / (i - 200)]"
run sweep copy.ptx --backend ptx
expect_code 3
expect_out 'for element 200: an integer is divided by zero'
expect_out ', at "/ (i - 200)]"'

# a mistake in a let is said with its line
sed 's/let part.*/let part = n \/ prts/' copy.ptx.perflab >wrong.perflab
run sweep copy.ptx wrong.perflab --backend ptx
expect_code 3
expect_err 'wrong.perflab:7: the length of the buffer: no axis or device limit is named "prts"; did you mean parts? (in the let "part" of wrong.perflab:4)'
finish
