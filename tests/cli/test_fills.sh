# Fills whose numbers and elements depend on the axes, on the real emulator.
. "$(dirname "$0")/lib.sh"
real_emulator
export PERFLAB_DB="$work/own.db"
cp "$built_in_ptx/stream/copy_scalar.ptx" copy.ptx

# fill FILL EXPECTED: sweeps a copy of x, which is filled so, and expects y = EXPECTED.
fill() {
	cat >copy.ptx.perflab <<-END
		axis n = 256
		axis words = 0, 16
		axis block = 64
		buffer x: f32[n] in $1
		buffer y: f32[n] out
		launch stream_copy_scalar<<<ceil_div(n, block), block>>>(x, y, n)
		verify y = $2
	END
	run sweep copy.ptx --backend ptx
}

# ---- an element from its index: neighbour lists, as CSR kernels need them ----
fill '= i < words ? i : i < 2 * words ? 64 : 64 * (i - 2 * words)' \
	'i < words ? i : i < 2 * words ? 64 : 64 * (i - 2 * words)'
expect_code 0
expect_out '2 (2 ok)'
fill '= 3 * i' '3 * i + (i == 200)'
expect_code 1
expect_out '1 of 256 elements'
fill '= i / words' x
expect_code 3
expect_out 'fill of x, expression "i / 0", character 3 for element 0: an integer is divided by zero'
fill '= 16777000 + i * i' 'x'
expect_code 3
expect_out 'for element 15: 16777225 is no value of f32, which holds the integers up to 2^24 exactly'

# ---- random values within the numbers of a case ----
fill 'integers(0, words - 1)' 'x == int(x) && x >= 0 && x < words ? x : -1'
expect_code 0
expect_out '2 (1 ok, 1 skipped)'
expect_out 'the fill of the buffer "x" is integers(0, -1); it needs a <= b'
fill '= 8 * i + random(0, 7)' 'int(x / 8) == i ? x : -1'
expect_code 0
fill '= 8 * i + random(0, 7)' '8 * i'
expect_code 1

# ---- the launch hash tells whether the content is the same ----
# hash: that of the case of the newest run with words = 16
hash() {
	run query "SELECT launch_hash FROM trial WHERE config LIKE '%words=16' ORDER BY id DESC LIMIT 1" \
		--format csv
	tail -1 "$work/out"
}
fill '= words + i' x
first=$(hash)
[ -n "$first" ] || complain 'there is no launch hash'
fill '= words + i' x
[ "$(hash)" = "$first" ] || complain 'the same fill has two hashes'
fill '= 16 + i' x
[ "$(hash)" = "$first" ] || complain 'equal content has two hashes'
fill '= words + 2 * i' x
[ "$(hash)" != "$first" ] || complain 'two fills have the same hash'
run query "SELECT count(DISTINCT launch_hash) AS hashes FROM trial WHERE run_id =
	(SELECT max(id) FROM run)" --format json
expect_out '"hashes": 2'

finish
