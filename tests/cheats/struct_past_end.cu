// The address of the result is in a struct. Writes one element past the end of the last row.
// expect: gpu=mismatch reason="wrote outside of 'y'"
// expect: emulator=fault reason="out of bounds"
//
// perflab: axis columns = 2^7
// perflab: axis rows = 2^5
// perflab: axis block = 128
// perflab: buffer x: f32[columns * rows] in
// perflab: buffer y: f32[columns * rows] out
// perflab: launch struct_past_end<<<rows, block>>> \
// perflab:   (struct(x, u64(4 * columns), i32(columns), i32(rows)), \
// perflab:    struct(y, u64(4 * columns), i32(columns), i32(rows)))
// perflab: verify y = 2 * x + 1
template <typename T> struct pitched {
	T *data;
	size_t step;
	int columns, rows;
};

extern "C" __global__ void struct_past_end(pitched<const float> x, pitched<float> y)
{
	const float *from = (const float *)((const char *)x.data + blockIdx.x * x.step);
	float *to = (float *)((char *)y.data + blockIdx.x * y.step);

	for (int i = threadIdx.x; i < x.columns; i += blockDim.x)
		to[i] = 2 * from[i] + 1;
	if (threadIdx.x == 0 && blockIdx.x + 1 == y.rows)
		to[y.columns] = 1;
}
