# perflab init: first annotations for kernels of the user, which a sweep reads as they are.
. "$(dirname "$0")/lib.sh"
real_emulator
export PERFLAB_DB=a.db

# ---- what needs no compiler ----
refused 2 'an operand is missing' init
refused 3 "no such file: 'none.cu'" init none.cu
refused 2 'reads the parameters of kernels from a .cu, .cuh or .ptx' init a.cubin
cat >add.ptx <<'END'
.version 8.0
.target sm_80
.address_size 64
.visible .entry add(.param .u32 add_param_0, .param .u64 add_param_1)
{
	.reg .pred %p<2>;
	.reg .f32 %f<3>;
	.reg .b32 %r<6>;
	.reg .b64 %rd<5>;
	ld.param.u32 %r1, [add_param_0];
	ld.param.u64 %rd1, [add_param_1];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.s32 %r5, %r2, %r3, %r4;
	setp.ge.s32 %p1, %r5, %r1;
	@%p1 bra $done;
	cvta.to.global.u64 %rd2, %rd1;
	mul.wide.s32 %rd3, %r5, 4;
	add.s64 %rd4, %rd2, %rd3;
	ld.global.f32 %f1, [%rd4];
	add.f32 %f2, %f1, 0f3F800000;
	st.global.f32 [%rd4], %f2;
$done:
	ret;
}
END
run init add.ptx
expect_code 0
expect_err 'add.ptx.perflab is written'
grep -q 'perflab sweep add.ptx$' "$work/err" || complain 'the sidecar is named in the command'
run sweep add.ptx --backend ptx --block-sizes 64 --size 1000
expect_code 0
expect_out 'unverified'
run sweep add.ptx --backend ptx --block-sizes 64 --size 1000 --annotate 'verify p1 = p1 + 1'
expect_code 0
expect_out '(1 ok)'

# a file is replaced only with --force
echo '# mine' >add.ptx.perflab
refused 3 'add.ptx.perflab exists already: --force' init add.ptx
grep -qx '# mine' add.ptx.perflab || complain 'the file was replaced'
run init add.ptx --force
expect_code 0
grep -q '^launch add<<<' add.ptx.perflab || complain 'the file was not replaced'
run init add.ptx -o other.perflab
expect_code 0
expect_err 'perflab sweep add.ptx other.perflab'
run init add.ptx --force -o ./add.ptx.perflab
expect_code 0
grep -q 'perflab sweep add.ptx$' "$work/err" || complain 'the sidecar is named in the command'
cmp -s other.perflab add.ptx.perflab || complain '-o writes something else'
run init add.ptx -o -
expect_code 0
expect_out 'launch add<<<ceil_div(n, block), block>>>(n, p1)'
echo '// perflab: launch add<<<1, 32>>>()' | cat - add.ptx >annotated.ptx
refused 3 'annotated.ptx:1: the file has annotations already' init annotated.ptx

# ---- a .cu ----
cat >saxpy.cu <<'END'
__global__ void saxpy(int n, float a, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = a * x[i] + y[i];
}
END
run init saxpy.cu
[ "$code" -eq 4 ] && finish_without 'this machine has no CUDA compiler'
expect_code 0
[ -s "$work/out" ] && complain 'data on stdout, although a file was written'
run sweep saxpy.cu --backend ptx --block-sizes 64,256 --size 1000
expect_code 0
expect_out '(2 unverified)'
# what the comments propose
sed 's/^verify none$/verify y = x + y/' saxpy.cu.perflab >right.perflab
run sweep saxpy.cu right.perflab --backend ptx --block-sizes 64,256 --size 1000
expect_code 0
expect_out '(2 ok)'

# the compiled code says that x is only read, and what uses a texture
sed 's/const //' saxpy.cu >compiled.cu
cat >>compiled.cu <<'END'
__global__ void image(cudaTextureObject_t t, float *y) { y[threadIdx.x] = tex1Dfetch<float>(t, 0); }
END
run init compiled.cu -o -
expect_code 0
expect_out 'buffer x: f32[n] in '
expect_out '# image has no launch: it uses textures'
grep -q '^launch image' "$work/out" && complain 'a kernel with a texture is launched'

grep image compiled.cu >image.cu
run init image.cu
expect_code 0
expect_err 'it launches no kernel: its comments say why'

# several kernels, one of which needs a flag; templates are listed
mkdir include
echo '#define LENGTH_TYPE unsigned' >include/length.h
cat >several.cu <<'END'
#include "length.h"
namespace ns {
__global__ void twice(const float *x, float *y, LENGTH_TYPE count)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < count)
		y[i] = 2 * x[i];
}
}
__global__ void fill(double *x, size_t len)
{
	size_t i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < len)
		x[i] = 1;
}
template <class T> __global__ void any(T *x) { *x = 1; }
END
run init several.cu
expect_code 3
expect_err 'length.h'
[ -e several.cu.perflab ] && complain 'a file was written'
run init several.cu --compile-flag -Iinclude --std c++17
expect_code 0
expect_err '1 template: choose an instance'
grep -q '^#   launch any<float><<<' several.cu.perflab || complain 'the template is not listed'
run sweep several.cu --backend ptx --block-sizes 64 --size 1000
expect_code 0
expect_out '(2 unverified)'
expect_out 'ns-twice'

# ---- a file of a larger program ----
mkdir -p app/include elsewhere
cat >app/include/scale.h <<'END'
namespace app { template <typename T, int K> struct Scale {
	T factor;
	__device__ T operator()(T v) const { return v * factor + K; }
}; }
END
# with a byte-order mark; the names of all kernels but main's depend on the path in the image
printf '\357\273\277' >app/program.cu
cat >>app/program.cu <<'END'
__global__ void first(const double *from, double *into, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < count)
		into[i] = from[i];
}
#include "scale.h"
namespace {
template <typename F> __global__ void apply(float *v, int n, F f)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		v[i] = f(v[i]);
}
template __global__ void apply(float *, int, app::Scale<float, 1>);
__global__ void two(const float *x, float *single, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		single[i] = x[i];
}
__global__ void two(const double *x, double *twice, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		twice[i] = x[i];
}
__global__ void turn(const float *x, float *y, int width, int height)
{
	int column = blockIdx.x * blockDim.x + threadIdx.x;
	int row = blockIdx.y * blockDim.y + threadIdx.y;
	if (column < width && row < height)
		y[column * height + row] = x[row * width + column];
}
}
int main()
{
	two<<<1, 1>>>((float *)0, (float *)0, 0);
	two<<<1, 1>>>((double *)0, (double *)0, 0);
	turn<<<1, 1>>>(0, 0, 0, 0);
}
END
# the folder is one from the current folder, as for a sweep, wherever the lines are written
run init app/program.cu --compile-flag -Iinclude --compiler nvcc
expect_code 3
for written in app/program.cu.perflab elsewhere/mine.perflab; do
	run init app/program.cu --compile-flag -Iapp/include --compiler nvcc -o $written
	expect_code 0
	grep -q 'GLOBAL__N__' $written && complain "a name in $written depends on the path"
	grep -q '^launch apply<app::Scale<float, 1> *><<<' $written || complain 'the instance has no name'
done
grep -q '^flags -Iinclude$' app/program.cu.perflab || complain 'the folder is from another one'
grep -q '^flags -I../app/include$' elsewhere/mine.perflab || complain 'the folder is from another one'
mkdir moved
mv app moved/app
run sweep moved/app/program.cu --backend ptx --block-sizes 64 --size 100
expect_code 0
expect_out '(5 unverified)'
expect_out 'n=100'
grep -q '^buffer single: f32\[n\] out ' moved/app/program.cu.perflab || complain 'single has another type'
grep -q '^buffer twice: f64\[n\] out ' moved/app/program.cu.perflab || complain 'twice has another type'
grep -q '^buffer into: f64' moved/app/program.cu.perflab || complain 'a byte-order mark loses the names'
grep -q '^launch turn<<<(ceil_div(n, 32), ceil_div(n, block / 32)), (32, block / 32)>>>(x, y, n, n)' \
	moved/app/program.cu.perflab || complain 'turn has one dimension'
# the guesses for two dimensions are right
sed -n '/^__global__ void turn/,/^}/p' moved/app/program.cu >turn.cu
run init turn.cu
expect_code 0
grep -q '^buffer y: f32\[n \* n\] out .*TODO' turn.cu.perflab || complain 'y has another length'
sed -i 's/^verify none/verify y = x[i % n * n + i \/ n]/' turn.cu.perflab
run sweep turn.cu --backend ptx --block-sizes 64,1024 --size 50
expect_code 0
expect_out '(2 ok)'

# errors are those of the compiler
echo '__global__ void k(int *x) { *x = missing; }' >bad.cu
run init bad.cu
expect_code 3
expect_err 'bad.cu(1): error: identifier "missing" is undefined'
[ -e bad.cu.perflab ] && complain 'a file was written'
echo 'int nothing;' >empty.cu
refused 3 'there is no __global__ function' init empty.cu
finish
