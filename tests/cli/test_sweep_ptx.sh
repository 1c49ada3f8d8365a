# Sweeps of .ptx files with a sidecar, where no compiler is.
. "$(dirname "$0")/lib.sh"
export PERFLAB_DB="$work/own.db"
export PERFLAB_NVCC="$work/no-nvcc" PERFLAB_NVRTC_PROGRAM="$work/no-nvrtc"

# y[i] = 2 * x[i]
cat >twice.ptx <<'END'
.version 8.0
.target sm_80
.address_size 64
.visible .entry twice(.param .u32 n, .param .u64 x, .param .u64 y)
{
	.reg .pred %p<2>;
	.reg .f32 %f<3>;
	.reg .b32 %r<6>;
	.reg .b64 %rd<6>;
	ld.param.u32 %r1, [n];
	ld.param.u64 %rd1, [x];
	ld.param.u64 %rd2, [y];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.s32 %r5, %r2, %r3, %r4;
	setp.ge.s32 %p1, %r5, %r1;
	@%p1 bra $done;
	mul.wide.s32 %rd3, %r5, 4;
	add.s64 %rd4, %rd1, %rd3;
	add.s64 %rd5, %rd2, %rd3;
	ld.global.f32 %f1, [%rd4];
	add.f32 %f2, %f1, %f1;
	st.global.f32 [%rd5], %f2;
$done:
	ret;
}
END
# sidecar FACTOR: writes the sidecar, which expects y = FACTOR * x; "none": no check.
sidecar() {
	cat >twice.ptx.perflab <<-END
		axis n = 4096
		axis block = 64..128
		buffer x: f32[n] in
		buffer y: f32[n] out
		launch twice<<<ceil_div(n, block), block>>>(n, x, y)
		$([ "$1" = none ] && echo 'verify none' || echo "verify y = $1 * x")
	END
}

# ---- a GPU without ptxas: the driver compiles ----
fake_worker
sidecar 2
run sweep twice.ptx --backend cuda
expect_code 0
expect_err 'twice.ptx: the driver compiles it, because there is no ptxas'
run query "SELECT value FROM environment WHERE key = 'ptx_compiler'" --format csv
expect_out 'the driver, because there is no ptxas'

# ---- textures: no backend gets a handle that nobody made ----
sed 's/^\.visible \.entry twice/.visible .entry reads/; s/\tret;/\ttex.1d.v4.f32.s32 {%f1, %f1, %f1, %f1}, [%rd1, {%r1}];\n\tret;/' \
	twice.ptx >reads.ptx
sed 's/twice/reads/' twice.ptx.perflab >reads.ptx.perflab
run sweep reads.ptx --backend cuda
expect_code 4
expect_out 'reads uses textures or surfaces, but its launch passes none; write texture(BUFFER[W, H])'
sed 's/^launch/variant right\n&/; s/^verify.*/verify twice<<<1, 1>>>(n, x, y) from "twice.ptx"\nvariant wrong\nverify reads<<<1, 1>>>(n, x, y) from "reads.ptx"\nlaunch twice<<<1, block>>>(n, x, y)/' \
	twice.ptx.perflab >check.perflab
run sweep twice.ptx check.perflab --backend cuda --dry-run
expect_out 'reads uses textures or surfaces'

# a texture that the launch passes, which only the emulator makes
sed 's/(n, x, y)/(n, texture(x[n], fetch), y)/' reads.ptx.perflab >passed.perflab
sed 's/\tld.global.f32 %f1, \[%rd4\];/\ttex.1d.v4.f32.s32 {%f1, %f2, %f2, %f2}, [%rd1, {%r5}];/; s/cvta.to.global.u64 %rd1,.*;//' \
	reads.ptx | sed 's/^\ttex.*%rd1, {%r1}.*//' >passes.ptx
run sweep passes.ptx passed.perflab --backend cuda
expect_code 4
expect_out 'reads gets a texture or surface, which perflab passes only on the emulator (--backend ptx)'

# ---- the emulator ----
real_emulator
run sweep passes.ptx passed.perflab --backend ptx
expect_code 0
expect_out '2 (2 ok)'
run sweep reads.ptx --backend ptx
expect_code 4
expect_out 'reads uses textures or surfaces, but its launch passes none; write texture(BUFFER[W, H])'
run sweep twice.ptx --backend ptx
expect_code 0
expect_out '2 (2 ok)'
sidecar none
run sweep twice.ptx --backend ptx
expect_code 0
expect_out '2 (2 unverified)'
# a variant without a case that could be launched is a mistake; one with some is none
launch=$(grep '^launch' twice.ptx.perflab)
{
	grep -v '^launch' twice.ptx.perflab
	printf 'variant right\n%s\nvariant wrong\nlaunch twice<<<1, 64 - block>>>(n, x, y)\n' "$launch"
} >wrong.perflab
run sweep twice.ptx wrong.perflab --backend ptx -q --block-sizes 64,128
expect_code 3
expect_err 'no case of twice/wrong can be launched: '
grep -q 'twice/right' "$work/err" && complain 'a right variant is named'
sed 's/64 - block/block - 64/' wrong.perflab >partly.perflab
run sweep twice.ptx partly.perflab --backend ptx -q --block-sizes 64,128
expect_code 0
grep -q 'can be launched' "$work/err" && complain 'a variant with a case is refused'
sidecar 3
run sweep twice.ptx --backend ptx
expect_code 1
expect_out '2 (2 mismatch)'
expect_out "elements of 'y' differ"

# ---- a command that does not end ----
# The worker must end it, for perflab kills a worker whose phase exceeds --timeout.
sidecar none
sed 's/^verify .*/verify by echo $$ >pid; exec sleep 1000/' twice.ptx.perflab >endless
sed 's/64..128/64/' endless >twice.ptx.perflab
mkdir folders
TMPDIR=$work/folders run sweep twice.ptx --backend ptx --timeout 6s
expect_code 3
expect_out 'verify by echo'
expect_out 'it ran longer than '
kill -0 "$(cat pid)" 2>/dev/null && complain 'the command is still running'
[ -z "$(ls folders)" ] || complain "the command's folder is left: $(ls folders)"

# ---- perflab is ended during a command ----
# ended_by SIGNAL: neither the command nor its folder is left soon after.
ended_by() {
	rm -f pid
	TMPDIR=$work/folders "$PERFLAB" sweep twice.ptx --backend ptx -q >"$work/out" 2>"$work/err" &
	sweep=$!
	command_line="perflab sweep, ended by $1"
	await_of $sweep 'the command runs' test -s pid
	kill "-$1" $sweep
	end_of $sweep
	await "the command ends after $1" is_gone "$(cat pid)"
	await "the command's folder is removed after $1" is_empty folders
}
is_empty() {
	[ -z "$(ls "$1")" ]
}
ended_by INT
ended_by KILL
sidecar 3

refused 2 "axis n of twice: '3 * 4' is not a valid axis value" sweep twice.ptx --backend ptx \
	--annotate 'axis n = 3 * 4'

# ---- clusters, and infinity ----
sed -e 's/^launch.*/& cluster(2, 1, 1)/' -e 's/^verify.*/verify y = 2 * x/' \
	twice.ptx.perflab >clusters.perflab
mv twice.ptx.perflab kept
run sweep twice.ptx clusters.perflab --backend ptx --chip GA100
expect_code 4
expect_out 'has clusters of blocks, which a GA100 lacks'
run sweep twice.ptx clusters.perflab --backend ptx
expect_code 0
expect_out '2 (2 ok)'
sed -e 's/^verify.*/verify y = log(0.0)/' -e 's/in$/in constant(-3e38)/' kept >infinite.perflab
run sweep twice.ptx infinite.perflab --backend ptx
expect_code 0
expect_out '2 (2 ok)'
mv kept twice.ptx.perflab

# ---- files that are none ----
sidecar 2
for file in rubbish.cu rubbish.ptx rubbish.cubin; do
	head -c 300 "$PERFLAB" >"$file"
	cp twice.ptx.perflab "$file.perflab"
	run sweep "$file" --backend ptx
	[ "$code" -ne 0 ] || complain 'rubbish is accepted'
	expect_err "$file"
done

# ---- a check that cannot fail ----
for tolerance in 'abs = 1e30' 'rel = 1'; do
	run sweep twice.ptx --annotate "tolerance $tolerance" --backend ptx
	expect_code 0
	expect_out '(2 unverified)'
	expect_out "the check accepts zeroes as 'y'"
	expect_err '2 unverified: no check shows that their results are right; the report says why'
done

# ---- how a wrong result is described ----
cp twice.ptx.perflab kept.perflab
sidecar 2.0001
run sweep twice.ptx --backend ptx
expect_code 1
expect_out 'if it is only rounding, add the line tolerance abs = '
grep -q '^ *2  twice/.*mismatch' "$work/out" || complain 'two cases with one cause have two rows'
sidecar 2
sed 's/mul.wide.s32 %rd3, %r5, 4/mov.u64 %rd3, 0/' twice.ptx >one.ptx
cp twice.ptx.perflab one.ptx.perflab
run sweep one.ptx --backend ptx
expect_code 1
expect_out 'was never written, expected '
mv kept.perflab twice.ptx.perflab

# ---- a file with another extension ----
cp twice.ptx twice.txt
refused 2 "'twice.txt' is a file, but its name does not end in .cu, " sweep twice.txt --backend ptx
refused 2 "there is no file 'none.txt'" sweep none.txt --backend ptx

# ---- a file that has no compiler here ----
printf '__global__ void twice(int n, const float *x, float *y) {}\n' >twice.cu
cp twice.ptx.perflab twice.cu.perflab
run sweep twice.cu --backend ptx
expect_code 3
expect_err "there is no compiler for"
expect_err '2 cases failed; the reasons are in the report'
run sweep twice.cu --backend ptx --dry-run
expect_code 3
expect_err "there is no compiler for"
expect_out 'fail  failed: there is no compiler'
expect_err '2 cases: 0 to run, 0 skipped'
expect_err '2 cases failed; the reasons are in the plan'
run sweep twice.ptx --backend ptx --dry-run
expect_code 0

finish
