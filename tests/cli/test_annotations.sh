# What annotations can say of kernels of other projects, from the file to the verified result.
. "$(dirname "$0")/lib.sh"
real_emulator
nvcc=${PERFLAB_NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
[ -x "$(dirname "$PERFLAB")/perflab-nvrtc" ] && [ -x "$nvcc" ] || skip "no compiler of CUDA files is here"
export PERFLAB_DB="$work/own.db"

cat >plain.cu <<'END'
// perflab: axis n = 256, 512
// perflab: buffer x: f32[n] in uniform(-1.0 / n, 2.0 / sqrt(n))
// perflab: buffer y: f32[n] out
// perflab: launch scale<<<1, n>>>(x, y, 1.0 / n)
// perflab: verify y = x / n
__global__ void scale(const float *x, float *y, float r) { y[threadIdx.x] = x[threadIdx.x] * r; }
END
run sweep plain.cu --backend ptx
expect_code 0
expect_out '2 (2 ok)'
# an integer stays one: the quotient is 0
sed 's,1.0 / n),f32(1 / n)),' plain.cu >integer.cu
run sweep integer.cu --backend ptx
expect_code 1
expect_out '2 (2 mismatch)'
sed 's,float r),int r),' plain.cu >int.cu
run sweep int.cu --backend ptx
expect_code 3
expect_out 'argument 3 of scale is the number 0.00390625, but the parameter is of type int'

# ---- a tensor map in a struct ----
cat >maps.cu <<'END'
// perflab: axis w = 64
// perflab: buffer x: f32[w * 8] in
// perflab: buffer y: f32[w * 8] out
// perflab: launch twice<<<w / 32, 128>>>(struct(i32(2), tensormap(x[w, 8], box(32, 8)), y, i32(w)))
// perflab: verify y = 2 * x
#include <cuda.h>
struct parameters { int factor; CUtensorMap x; float *y; int w; };
__global__ void twice(const __grid_constant__ parameters p)
{
	__shared__ alignas(128) float tile[8 * 32];
	__shared__ alignas(8) unsigned long long arrived;
	const unsigned bar = (unsigned)__cvta_generic_to_shared(&arrived);
	const unsigned to = (unsigned)__cvta_generic_to_shared(tile);

	if (threadIdx.x == 0) {
		asm volatile("mbarrier.init.shared.b64 [%0], 1;\nfence.proxy.async;\n"
			     "mbarrier.arrive.expect_tx.shared.b64 _, [%0], 1024;" ::"r"(bar) : "memory");
		asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile"
			     ".mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];"
			     ::"r"(to), "l"(&p.x), "r"(bar), "r"((int)blockIdx.x * 32), "r"(0) : "memory");
	}
	__syncthreads();
	asm volatile("{\n.reg .pred done;\nWAIT: mbarrier.try_wait.parity.shared.b64 done, [%0], 0;\n"
		     "@!done bra WAIT;\n}" ::"r"(bar) : "memory");
	for (int i = threadIdx.x; i < 256; i += blockDim.x)
		p.y[i / 32 * p.w + blockIdx.x * 32 + i % 32] = p.factor * tile[i];
}
END
run sweep maps.cu --backend ptx
expect_code 0
expect_out '1 (1 ok)'

# ---- single results beside a reference ----
cat >results.cu <<'END'
// perflab: axis n = 256
// perflab: buffer x: f32[n] in
// perflab: buffer y: f32[n] out
// perflab: buffer z: f32[n] out
// perflab: buffer flag: i32[1] out
// perflab: launch f<<<1, n>>>(x, y, z, flag)
// perflab: verify z = 3 * x
// perflab: verify slow<<<1, n>>>(x, y)
// perflab: verify flag from "flag.npy"
__global__ void f(const float *x, float *y, float *z, int *flag)
{
	y[threadIdx.x] = 2 * x[threadIdx.x];
	z[threadIdx.x] = 3 * x[threadIdx.x];
	if (!threadIdx.x)
		*flag = 5;
}
__global__ void slow(const float *x, float *y) { y[threadIdx.x] = x[threadIdx.x] + x[threadIdx.x]; }
END
{
	printf '\223NUMPY\001\000v\000'
	printf '%-117s\n' "{'descr': '<i4', 'fortran_order': False, 'shape': (1,), }"
	printf '\005\000\000\000'
} >flag.npy
run sweep results.cu --backend ptx
expect_code 0
expect_out '1 (1 ok)'
run list kernels results.cu
expect_out 'z = 3 * x; flag from '
expect_out 'flag.npy; kernel slow'
# each check finds what is wrong in its result
for wrong in '2 \*:2.5 *:y:the results of the kernel slow' '= 3 \*:= 4 *:z:the expression 3' \
	'= 5:= 6:flag:the file'; do
	IFS=: read -r from to result by <<-EOF
		$wrong
	EOF
	sed "/__global__ void f/,/^}/s/$from/$to/" results.cu >wrong.cu
	run sweep wrong.cu --backend ptx
	expect_code 1
	expect_out "of '$result' differ from $by"
done
sed 's/verify slow.*/verify by cp "$PERFLAB_INPUTS\/x.npy" "$PERFLAB_RESULTS\/y.npy"/; s/= 2 \*/=/' \
	results.cu >command.cu
run sweep command.cu --backend ptx
expect_code 0
expect_out '1 (1 ok)'
sed '/verify slow/d' results.cu >lacks.cu
run sweep lacks.cu --backend ptx
expect_code 3
expect_err 'the result "y" has no check'

# ---- lines of a file with lets of its variants; names that are too long ----
cat >variants.cu <<'END'
// perflab: axis n = 256
// perflab: let outputs = n / stride
// perflab: buffer x: f32[n] in
// perflab: buffer y: f32[outputs] out
// perflab: verify y = x[i * stride]
// perflab: variant two
// perflab: let stride = 2
// perflab: launch pick<<<1, outputs>>>(x, y, stride)
// perflab: variant four
// perflab: let stride = 4
// perflab: launch pick<<<1, outputs>>>(x, y, stride)
__global__ void pick(const float *x, float *y, int s) { y[threadIdx.x] = x[threadIdx.x * s]; }
END
run sweep variants.cu --backend ptx
expect_code 0
expect_out '2 (2 ok)'
cat >long.cu <<'END'
// perflab: axis n = 256
// perflab: buffer x: f32[n] in
// perflab: buffer y: f32[n] out
// perflab: verify y = 2 * x
// perflab: launch a_namespace::a_kernel<a_namespace::a_functor_with_a_long_name<float>, 4><<<1, n>>>(x, y)
// perflab: launch a_namespace::a_kernel<a_namespace::a_functor_with_a_long_name<float>, 8><<<1, n>>>(x, y)
namespace a_namespace {
template <class T> struct a_functor_with_a_long_name { __device__ T operator()(T v) const { return 2 * v; } };
template <class F, int N> __global__ void a_kernel(const float *x, float *y)
{
	if (N == 8)
		y[threadIdx.x + 1] = 0;
	y[threadIdx.x] = F()(x[threadIdx.x]);
}
}
END
run sweep long.cu --backend ptx
expect_code 1
expect_out '2 (1 ok, 1 fault)'
expect_out 'out of bounds in a_namespace::a_kernel<'
grep -q _ZN "$work/out" && complain 'a reason has a mangled name'

# ---- a block that waits for a later one ----
cat >later.cu <<'END'
// perflab: axis blocks = 2
// perflab: buffer lock: i32[1] inout constant(0)
// perflab: launch f<<<blocks, 32>>>(lock)
// perflab: verify lock = 2
__global__ void f(int *lock)
{
	if (threadIdx.x == 0) {
		int v, wanted = gridDim.x - 1 - blockIdx.x;

		do
			asm volatile("ld.global.acquire.gpu.b32 %0, [%1];" : "=r"(v) : "l"(lock) : "memory");
		while (v != wanted);
		asm volatile("fence.acq_rel.gpu;\nred.relaxed.gpu.global.add.s32 [%0], 1;" ::"l"(lock) : "memory");
	}
}
END
run sweep later.cu --backend ptx
expect_code 1
expect_out 'add cooperative to the launch'
sed 's/>>>(lock)/& cooperative/' later.cu >cooperative.cu
run sweep cooperative.cu --backend ptx
expect_code 0
expect_out '1 (1 ok)'

# ---- a check that results of other inputs pass ----
cat >kept.cu <<'END'
// perflab: axis n = 2^12
// perflab: buffer x: f32[n] in uniform(0, 1)
// perflab: buffer y: f32[n] out
// perflab: launch k<<<16, 256>>>(x, y)
// perflab: verify y = x + 1000 * i
// perflab: tolerance abs = 2, rel = 0
__global__ void k(const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	y[i] = x[i] + 1000.0f * i;
}
END
run sweep kept.cu --backend ptx
expect_code 0
expect_out '1 (1 unverified)'
expect_out 'the check accepts the results of other inputs'
sed 's/abs = 2/abs = 1e-2/' kept.cu >found.cu
run sweep found.cu --backend ptx
expect_code 0
expect_out '1 (1 ok)'
# a result that does not depend on the inputs is not affected
sed 's/= x + 1000/= 1000/; s/= x\[i\] +/=/' kept.cu >same.cu
run sweep same.cu --backend ptx
expect_code 0
expect_out '1 (1 ok)'
finish
