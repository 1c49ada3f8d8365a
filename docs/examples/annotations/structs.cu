// perflab: axis columns = 1000
// perflab: axis rows = 64
// perflab: axis pitch = 1024 "elements from row to row"
// perflab: buffer x: f32[rows * pitch] in
// perflab: buffer y: f32[rows * columns] out
// perflab: launch twice<<<rows, 256>>>(struct(x, u64(4 * pitch), i32(columns), i32(rows)), \
// perflab:   struct(y, u64(4 * columns), i32(columns), i32(rows)))
// perflab: verify y = 2 * x[i / columns * pitch + i % columns]
template <typename T> struct matrix {
	T *data;
	size_t step; /* bytes from row to row */
	int columns, rows;
};

__global__ void twice(matrix<const float> x, matrix<float> y)
{
	const float *from = (const float *)((const char *)x.data + blockIdx.x * x.step);
	float *to = (float *)((char *)y.data + blockIdx.x * y.step);

	for (int i = threadIdx.x; i < x.columns; i += blockDim.x)
		to[i] = 2 * from[i];
}
