// A right kernel whose buffers are all in structs: an input, a result that is an input too, and
// scratch memory. Two launches share the scratch memory.
// expect: gpu=ok
// expect: emulator=ok
//
// perflab: axis n = 2^12
// perflab: axis block = 64, 128
// perflab: buffer x: f32[n] in
// perflab: buffer y: f32[n] inout
// perflab: buffer halves: f32[n] scratch
// perflab: variant struct_honest
// perflab: launch struct_honest_halve<<<ceil_div(n, block), block>>> \
// perflab:   (struct(i32(n), struct(x, nullptr, halves)))
// perflab: launch struct_honest_add<<<ceil_div(n, block), block>>> \
// perflab:   (struct(i32(n), struct(halves, nullptr, y)), f32(0.5), y)
// perflab: verify y = x / 2 + y / 2
struct arrays {
	const float *from, *none;
	float *to;
};
struct task {
	int n;
	arrays memory;
};

extern "C" __global__ void struct_honest_halve(task task)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < task.n && !task.memory.none)
		task.memory.to[i] = task.memory.from[i] / 2;
}

extern "C" __global__ void struct_honest_add(task task, float factor, const float *old)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < task.n && !task.memory.none)
		task.memory.to[i] = task.memory.from[i] + factor * old[i];
}
