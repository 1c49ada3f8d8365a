# Replays of captures from annotations, on the real emulator: memory of a capture as inputs, and what
# the launch left there as the expected results.
. "$(dirname "$0")/lib.sh"
real_emulator
make_capture=$(dirname "$PERFLAB")/../tests/make_capture
export PERFLAB_DB="$work/own.db"
cp "$(dirname "$0")"/../capture/*.ptx .
"$make_capture" saxpy.capture saxpy.ptx
"$make_capture" --list lists.capture add_lists.ptx

# ---- addresses within one memory ----
cat >saxpy.ptx.perflab <<-'END'
	operation saxpy
	axis grid = 8
	axis block = 128
	buffer m0: u8[16384] inout capture "saxpy.capture" 0
	let x = m0 + 512
	launch saxpy<<<ceil_div(grid * 128, block), block>>>(1000, 2.0, x, m0 + 8192)
	verify m0 from "saxpy.capture"
END
run sweep saxpy.ptx --backend ptx --block-sizes 64,128,256
expect_code 0
expect_out '3 (3 ok)'

# ---- addresses within the contents of memory ----
cat >add_lists.ptx.perflab <<-'END'
	operation add_lists
	axis grid = 4
	axis block = 128
	buffer m0: u8[512] in capture "lists.capture" 0
	buffer m1: u8[4096] inout capture "lists.capture" 1
	buffer m2: u8[4096] in capture "lists.capture" 2
	launch add_lists<<<grid, block>>>(m0 + 64, 2, 500)
	verify m1 from "lists.capture"
END
run sweep add_lists.ptx --backend ptx --annotate 'compare m1 as f32'
expect_code 0
expect_out '1 (1 ok)'

# ---- another launch that gives another result is a mismatch ----
run sweep add_lists.ptx --backend ptx --set grid=3
expect_code 1
expect_out "the replay gives another result than the program did: "
expect_out "bytes of 'm1' differ from what the program's launch left; the first, [1793], is 0, expected 160"
run sweep add_lists.ptx --backend ptx --set grid=3 --annotate 'compare m1 as f32'
expect_code 1
expect_out "116 of 1024 elements of 'm1' differ"

# ---- captures that do not fit ----
bad() {
	cat >add_lists.ptx.perflab <<-END
		operation add_lists
		axis block = 128
		buffer m0: u8[512] in capture "lists.capture" 0
		$1
		launch add_lists<<<4, block>>>(m0 + 64, 2, 500)
		verify m1 from "${2-lists.capture}"
	END
	run sweep add_lists.ptx --backend ptx
}
bad 'buffer m1: u8[4096] inout capture "lists.capture" 3'
expect_code 3
expect_out "the buffer 'm1' is memory 3 of '$work/lists.capture', which has only 3"
bad 'buffer m1: u8[4095] inout capture "lists.capture" 1'
expect_code 3
expect_out "the buffer 'm1' has 4095 bytes, and memory 1 of '$work/lists.capture' has 4096"
bad 'buffer m1: u8[16384] inout capture "saxpy.capture" 0' saxpy.capture
expect_code 3
expect_out 'a case takes memory of one capture'
bad 'buffer m1: u8[4096] inout capture "lists.capture" 1' saxpy.capture
expect_code 3
expect_err "\"m1\" is not filled from this capture"
bad 'buffer m1: u8[4096] inout constant(0)'
expect_code 3
expect_err "\"m1\" is not filled from this capture"
bad 'buffer m1: u8[4096] inout capture "lists.capture" 1'
head -c 300 lists.capture >cut && mv cut lists.capture
run sweep add_lists.ptx --backend ptx
expect_code 3
expect_out "$work/lists.capture is not complete"

# ---- a variable of the image as a result ----
cat >bump.ptx <<'END'
.version 7.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 counter;
.visible .entry bump(.param .u32 bump_param_0)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<2>;
	ld.param.u32 %r1, [bump_param_0];
	mov.u64 %rd1, counter;
	atom.global.add.u32 %r2, [%rd1], %r1;
	ret;
}
END
# bump CHECK
bump() {
	cat >bump.ptx.perflab <<-END
		axis block = 32, 64
		symbol counter: u32[1] inout constant(5)
		launch bump<<<1, block>>>(2)
		verify $1
	END
	run sweep bump.ptx --backend ptx
}
bump 'counter = counter + 2 * block'
expect_code 0
expect_out '2 (2 ok)'
bump 'bump<<<2, block / 2>>>(2)'
expect_code 0
expect_out '2 (2 ok)'
bump 'counter = counter + block'
expect_code 1
expect_out "1 of 1 elements of 'counter' differ"

finish
