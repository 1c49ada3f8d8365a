# What a kernel gets besides plain arguments: structs with pointers, and variables by their names.
. "$(dirname "$0")/lib.sh"
real_emulator
nvcc=${PERFLAB_NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
[ -x "$(dirname "$PERFLAB")/perflab-nvrtc" ] && [ -x "$nvcc" ] || skip "no compiler of CUDA files is here"
export PERFLAB_DB="$work/own.db"

# ---- structs with pointers ----
cat >pitched.cu <<'END_OF_FILE'
// perflab: axis columns = 100
// perflab: axis rows = 37
// perflab: axis pitch = 128
// perflab: buffer x: f32[pitch * rows] in
// perflab: buffer y: f32[columns * rows] out
// perflab: verify y = 2 * x[i / columns * pitch + i % columns]
// perflab: launch twice<<<rows, 32>>>(struct(x, u64(4 * pitch), i32(columns), i32(rows)), \
// perflab:   struct(y, u64(4 * columns), i32(columns), i32(rows)), 2.0)
template <typename T> struct matrix {
	T *data;
	size_t step;
	int columns, rows;
};
__global__ void twice(matrix<const float> x, matrix<float> y, float factor)
{
	const float *from = (const float *)((const char *)x.data + blockIdx.x * x.step);
	float *to = (float *)((char *)y.data + blockIdx.x * y.step);

	for (int i = threadIdx.x; i < x.columns; i += blockDim.x)
		to[i] = factor * from[i];
}
END_OF_FILE
run sweep pitched.cu --backend ptx --set pitch=100,128,200
expect_code 0
expect_out '3 (3 ok)'

# a struct is part of what a run measured: other numbers in it are another launch
sed 's/u64(4 \* pitch)/u64(4 * pitch - 4)/' pitched.cu >shifted.cu
run sweep shifted.cu --backend ptx
expect_code 1
expect_out "elements of 'y' differ"
run query 'SELECT count(DISTINCT launch_hash) FROM trial WHERE launch_hash IS NOT NULL' --format csv
expect_out 4

# a case that the buffers of a struct do not hold
sed 's/i < x.columns/i <= x.columns/' pitched.cu >past.cu
run sweep past.cu --backend ptx --set pitch=100
expect_code 1
expect_out "past the end of 'x'"
sed 's/f32\[columns \* rows\] out/f32[columns * rows - 1] out/' pitched.cu >small.cu
run sweep small.cu --backend ptx
expect_code 1
expect_out "past the end of 'y'"

# a kernel must not write an input, through a struct either
sed 's/to\[i\] = factor \* from\[i\];/{ & ((float *)from)[i] = 0; }/' pitched.cu >writes.cu
run sweep writes.cu --backend ptx
expect_code 1
expect_out "wrote into 'x', which is an input"

# a size that does not fit names the offsets
sed 's/u64(4 \* columns), //' pitched.cu >short.cu
run sweep short.cu --backend ptx
expect_code 3
expect_out 'argument 2 of twice is a struct of 16 bytes (y at 0, i32 at 8, i32 at 12), but the parameter is a struct of 24 bytes'
sed 's/i32(columns), i32(rows)))*, 2.0/columns, rows), 2.0/' pitched.cu >untyped.cu
refused 3 'argument 2, field 3, "columns", has no type; write i32(columns)' \
	sweep untyped.cu --backend ptx

# ---- variables by their names ----
cat >names.cu <<'END_OF_FILE'
// perflab: axis n = 4
// perflab: buffer y: f32[n] out
// perflab: symbol crots: f32[4]
// perflab: symbol cv::cuda::hidden: f32[4]
// perflab: symbol table: f32[4]
// perflab: symbol a::both: f32[4]
// perflab: launch add<<<1, n>>>(y)
// perflab: verify sum_all<<<1, 1>>>(y) from "slow.cu"
#include "names.h"
__global__ void add(float *y)
{
	int i = threadIdx.x;

	y[i] = cv::cuda::crots[i] + cv::cuda::hidden[i] + cv::table<float>[i] + a::both[i] - b::both[i];
}
END_OF_FILE
cat >names.h <<'END_OF_FILE'
namespace cv
{
namespace cuda
{
__constant__ float crots[4];
static __constant__ float hidden[4];
}
template <typename T> __device__ T table[4];
}
namespace a
{
__constant__ float both[4];
}
namespace b
{
__constant__ float both[4];
}
END_OF_FILE
# ---- types that only the name of a kernel tells ----
cat >fill.cu <<'END_OF_FILE'
// perflab: axis v = 7, 4096000000
// perflab: buffer y: i32[4] out
// perflab: launch fill<<<1, 4>>>(y, v)
// perflab: verify y = v
__global__ void fill(int *y, int v)
{
	y[threadIdx.x] = v;
}
END_OF_FILE
run sweep fill.cu --backend ptx
expect_code 3
expect_out '2 (1 ok, 1 failed)'
expect_out 'argument 2 of fill is the number 4096000000, but the parameter is of type int'
sed 's/i32\[4\]/f32[4]/' fill.cu >floats.cu
run sweep floats.cu --backend ptx --set v=7
expect_code 3
expect_out 'argument 1 of fill is the buffer y of f32, but the parameter is a pointer to int: give the buffer that type'
# The parameters of an instance of a template refer to the template arguments.
cat >instances.cu <<'END_OF_FILE'
// perflab: axis n = 64
// perflab: variant twice
// perflab: buffer x: f32[n] in
// perflab: buffer y: f32[n] out
// perflab: launch twice<double><<<1, n>>>(x, y, 2)
// perflab: verify y = 2 * x
// perflab: variant short
// perflab: buffer s: i16[n] out
// perflab: launch fill<short><<<1, n>>>(s, 40000)
// perflab: verify s = 40000
// perflab: variant right
// perflab: buffer s: i16[n] out
// perflab: launch fill<short><<<1, n>>>(s, 30000)
// perflab: verify s = 30000
template <typename T> __global__ void twice(const T *x, T *y, T f) { y[threadIdx.x] = f * x[threadIdx.x]; }
template <typename T> __global__ void fill(T *x, T v) { x[threadIdx.x] = v; }
END_OF_FILE
run sweep instances.cu --backend ptx
expect_code 3
expect_out '3 (1 ok, 2 failed)'
expect_out 'argument 1 of twice<double> is the buffer x of f32, but the parameter is a pointer to double: give the buffer that type'
expect_out 'argument 2 of fill<short> is the number 40000, but the parameter is of type short'

# The compilers put the name of a kernel into that of a static variable.
cat >slow.cu <<'END_OF_FILE'
#include "names.h"
__global__ void sum_all(float *y)
{
	for (int i = 0; i < 4; i++)
		y[i] = cv::cuda::crots[i] + cv::cuda::hidden[i] + cv::table<float>[i] + a::both[i] - b::both[i];
}
END_OF_FILE
run sweep names.cu --backend ptx --compiler nvrtc
expect_code 0
expect_out '1 (1 ok)'
run sweep names.cu --backend ptx --compiler nvcc
expect_code 0
expect_out '1 (1 ok)'
sed 's/, *y\[i\] = /&0 * /; s/symbol a::both/symbol both/' names.cu >several.cu
run sweep several.cu --backend ptx
expect_code 3
expect_out "symbol both: 'both' may be any of 2 variables"
expect_out 'a::both (_ZN1a4bothE), b::both (_ZN1b4bothE)'
sed 's/symbol a::both/symbol cv::both/' names.cu >none.cu
run sweep none.cu --backend ptx
expect_code 3
expect_out "there is no variable 'cv::both' in the image; it has: "
expect_out 'cv::cuda::crots'
finish
