# Captures as files of a sweep, and kernels that replace the recorded one, on the real emulator.
. "$(dirname "$0")/lib.sh"
real_emulator
make_capture=$(dirname "$PERFLAB")/../tests/make_capture
export PERFLAB_DB="$work/own.db"
cp "$(dirname "$0")"/../capture/*.ptx "$(dirname "$0")"/../capture/saxpy.cu .
"$make_capture" saxpy.capture saxpy.ptx
"$make_capture" --list lists.capture add_lists.ptx

# ---- the recorded launch ----
run sweep saxpy.capture lists/recorded
expect_code 2
run sweep saxpy.capture
expect_code 0
expect_out '1 (1 ok)'
run report last --format csv
expect_out 'saxpy,recorded'
run sweep lists.capture
expect_code 0
expect_out '1 (1 ok)'
run list kernels saxpy.capture
expect_code 0
expect_out 'saxpy   recorded  grid=8 block=128 shared=0  m0 from'
run list kernels saxpy.capture --long
expect_out 'launch 1 of saxpy in ./saxpy 1000, on NVIDIA H200'
run report last --lines lists/recorded
expect_code 0
expect_out 'tests/capture/add_lists.cu'

# Another size of the blocks, and too few blocks.
run sweep saxpy.capture --block-sizes 64,256,512 --set shared=0,1024
expect_code 0
expect_out '6 (6 ok)'
run sweep saxpy.capture --set grid=4,8,16
expect_code 1
expect_out '3 (2 ok, 1 mismatch)'
expect_out 'saxpy/recorded/block=128,grid=4,shared=0'

# A capture that does not reproduce its results.
sed 's/fma.rn.f32 /&%f4, %f2, %f1, %f2; \/\//' saxpy.ptx >wrong.ptx
"$make_capture" wrong.capture wrong.ptx
run sweep wrong.capture
expect_code 1
expect_out '1 (1 mismatch)'

# Names that a compiler of sources could not read.
mkdir 'a"b'
for name in 'q"q.capture' 'b\b.capture' 'a"b/s.capture' "$(printf 'l\nl.capture')"; do
	cp saxpy.capture "$name"
	run sweep "$name" --backend ptx
	expect_code 0
	expect_out '1 (1 ok)'
done

# Lines of a sidecar and of the command line.
echo 'work write = 4 * p0_int' >saxpy.capture.perflab
run sweep saxpy.capture --annotate 'compare m0 as f32'
expect_code 0
run sweep saxpy.capture --annotate 'compare m9 as f32'
expect_code 2
expect_err '--annotate: no buffer is named "m9"'
echo 'axis x = none' >saxpy.capture.perflab
refused 3 'saxpy.capture.perflab:1: ' sweep saxpy.capture
rm saxpy.capture.perflab

# Another kernel of the recorded image.
run sweep saxpy.capture saxpy/saxpy --launch 'saxpy<<<1, 1024>>>'
expect_code 0
expect_out '1 (1 ok)'

# ---- replacements ----
{
	echo '// perflab: axis threads = 32..256'
	echo '// perflab: launch mine<<<ceil_div(p0_int, threads), threads>>>(p0, 2.0, p2, p3)'
	sed 's/saxpy/mine/' saxpy.ptx
} >mine.ptx
cp saxpy.ptx drop.ptx
run sweep saxpy.capture --replace mine.ptx --replace drop.ptx
expect_code 0
expect_out '6 (6 ok)'
expect_out 'the backend measures no time'
run sweep saxpy.capture mine.ptx drop.ptx --dry-run
expect_out 'saxpy/mine/threads=64'
expect_out 'saxpy/recorded/block=128,grid=8,shared=0'
run list kernels saxpy.capture --replace mine.ptx
expect_out 'saxpy   mine      threads=32..256'
run watch saxpy.capture --replace drop.ptx --times 1
expect_code 0
expect_out 'saxpy/drop/block=128,grid=8,shared=0      ok'

sed '/fma.rn/s/%f3;/%f2;/' drop.ptx >bad.ptx
run sweep saxpy.capture --replace bad.ptx
expect_code 1
expect_out '2 (1 ok, 1 mismatch)'
# it has the name of the recorded kernel, and is no replay of it
expect_out 'mismatch  the kernel gives another result than the program did'

# A replacement that has the name which a capture gives to its launch.
cp drop.ptx recorded.ptx
run sweep saxpy.capture --replace recorded.ptx
expect_code 0
expect_out '2 (2 ok)'
run sweep saxpy.capture --replace recorded.ptx --dry-run
expect_out 'saxpy/recorded/block=128'
expect_out 'saxpy/recorded.ptx/block=128'
{ echo '// perflab: variant recorded'; cat mine.ptx; } >named.ptx
run sweep saxpy.capture --replace named.ptx --dry-run
expect_code 0
expect_out 'saxpy/recorded/block=128'
expect_out 'saxpy/named.recorded/threads=64'

# A replacement may round otherwise: here by one unit in the last place of some elements.
sed '/fma.rn/s/$/ mul.rn.f32 %f4, %f4, 0f3F800001;/' drop.ptx >rounds.ptx
run sweep saxpy.capture --replace rounds.ptx
expect_code 1
{ echo '// perflab: compare m0 as f32'; echo '// perflab: tolerance rel = 1e-6'; cat rounds.ptx; } >near.ptx
run sweep saxpy.capture --replace near.ptx
expect_code 0
expect_out '2 (2 ok)'

# By position, and with wrong arguments.
run sweep saxpy.capture --replace drop.ptx --launch 'saxpy<<<16, 64>>>'
expect_code 0
expect_out '2 (2 ok)'
run sweep saxpy.capture --replace drop.ptx --launch 'saxpy<<<16, 64>>>(p0, p1, p2)'
expect_code 3
expect_out 'saxpy takes 4 arguments, but its launch gives 3'
run sweep saxpy.capture --replace drop.ptx --launch 'saxpy<<<16, 64>>>(p2, p1, p0, p3)'
expect_code 3
expect_out 'argument 1 of saxpy'
run sweep saxpy.capture --replace mine.ptx --launch 'none<<<16, 64>>>'
expect_code 3
expect_out "there is no kernel 'none'"

# ---- bad input ----
refused 2 'no capture is given, whose kernel it could replace' sweep --replace drop.ptx
refused 2 'no capture is given' sweep drop.ptx --replace mine.ptx
refused 2 'a replacement is a file that ends in .cu' sweep saxpy.capture --replace mine
refused 2 'drop.none' sweep saxpy.capture --replace drop.none
refused 2 'give it first' sweep drop.ptx saxpy.capture
refused 2 'one at a time' sweep saxpy.capture lists.capture
refused 2 'given twice' sweep saxpy.capture ./saxpy.capture
refused 3 'none.capture: the file does not exist' sweep none.capture
head -c 3000 saxpy.capture >cut.capture
refused 3 'cut.capture' sweep cut.capture
: >empty.capture
refused 3 'empty.capture' sweep empty.capture
refused 2 '--replace works only with "perflab list kernels"' list metrics --replace mine.ptx
# The index is right, and one byte of the memory is not.
cp saxpy.capture damaged.capture
printf '\377\376' | dd of=damaged.capture conv=notrunc bs=1 seek=1700 2>/dev/null
run sweep damaged.capture
[ "$code" -ne 0 ] || complain 'a damaged capture is measured'

# ---- init --from ----
run init --from saxpy.capture -o -
expect_code 0
expect_out '// perflab: launch replacement<<<ceil_div(1024, threads), threads>>>(p0, p1, p2, p3)'
expect_out '__global__ void replacement(int p0, float p1, unsigned char *p2, unsigned char *p3)'
expect_out '// If m0 has floats, remove the first // of this line; else its bytes must be equal:'
run init --from saxpy.capture
expect_code 3
expect_err 'saxpy.cu exists already'
run init --from saxpy.capture -o stub.cu
expect_code 0
expect_err 'perflab sweep saxpy.capture --replace stub.cu'
spaced="a b$(printf '\n__global__').capture"
cp saxpy.capture "$spaced"
run init --from "$spaced" -o spaced.cu
expect_code 0
expect_err "perflab sweep 'a b"
grep -qxF '// capture  "a b?__global__.capture"' spaced.cu || complain 'the name of the file is code'
rm "$spaced" spaced.cu
refused 2 'is the file to read' init --from saxpy.capture -o ./saxpy.capture --force
refused 2 'not both' init --from saxpy.capture saxpy.cu
refused 2 '--arch has no effect with --from' init --from saxpy.capture -o x.cu --arch sm_80
refused 2 'a capture is expected' init --from saxpy.cu -o x.cu
refused 3 'none.capture' init --from none.capture -o x.cu
refused 2 'an operand is missing' init

# What follows needs a compiler. The kernel of the skeleton does nothing, which is noticed.
run sweep saxpy.capture --replace stub.cu --set threads=64,128
grep -q 'no compiler' "$work/out" "$work/err" && finish_without 'this machine has no CUDA compiler'
expect_code 1
expect_out '3 (1 ok, 2 mismatch)'
sed 's|^	// const.*|	const int i = blockIdx.x * blockDim.x + threadIdx.x;\
	float *y = (float *)p3, *x = (float *)p2;\
	if (i < p0) y[i] = p1 * x[i] + y[i];|' stub.cu >filled.cu
run sweep saxpy.capture --replace filled.cu --set threads=64,128
expect_code 0
expect_out '3 (3 ok)'
run sweep saxpy.capture --replace saxpy.cu
expect_code 0
expect_out '2 (2 ok)'
finish
