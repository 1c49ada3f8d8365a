# Results that a kernel does not write, on the real emulator.
. "$(dirname "$0")/lib.sh"
real_emulator
export PERFLAB_DB="$work/own.db"
cp "$built_in_ptx/stream/copy_scalar.ptx" copy.ptx

# copies COUNT CHECK [TYPE [ROLE]]: sweeps a copy of the first COUNT of 64 elements of x into y.
copies() {
	cat >copy.ptx.perflab <<-END
		axis n = 64
		buffer x: ${3:-i32}[n] in
		buffer y: ${3:-i32}[n] ${4:-out}
		launch stream_copy_scalar<<<1, 64>>>(x, y, $1)
		verify $2
	END
	run sweep copy.ptx --backend ptx
}

# ---- a file that holds what perflab put into the result for the first execution ----
{
	printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '<i4', 'fortran_order': False, 'shape': (64,), }"
	for i in 0 1 2 3 4 5 6 7; do
		printf '\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377'
		printf '\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377'
	done
} >full.npy
copies 0 'y from "full.npy"'
expect_code 1
expect_out 'differ from the file '
expect_out 'right in the first execution, but wrong in the second with the same inputs'

# ---- the same content, written ----
sed -i 's/^buffer x.*/buffer x: i32[n] in file "full.npy"/; s/(x, y, 0)/(x, y, n)/' copy.ptx.perflab
run sweep copy.ptx --backend ptx
expect_code 0
expect_out '1 (1 ok)'

finish
