/* Initial values that hold addresses, as nvcc writes them: see test_initial_addresses.c. nvcc -ptx
 * -arch=compute_90 -std=c++17. Every entry is (unsigned *out, long long n). */
struct shape {
	__device__ virtual unsigned area(unsigned x) const = 0;
	__device__ virtual unsigned twice(unsigned x) const
	{
		return 2 * area(x);
	}
};
struct square : shape {
	__device__ unsigned area(unsigned x) const override
	{
		return x * x;
	}
};
struct strip : shape {
	unsigned width;
	__device__ strip(unsigned width) : width(width)
	{
	}
	__device__ unsigned area(unsigned x) const override
	{
		return x * width;
	}
};

__device__ __noinline__ unsigned add_one(unsigned x)
{
	return x + 1;
}
__device__ __noinline__ unsigned times_three(unsigned x)
{
	return x * 3;
}
__device__ __noinline__ unsigned flip(unsigned x)
{
	return x ^ 0x55;
}
typedef unsigned (*function)(unsigned);
__device__ function table[3] = {add_one, times_three, flip};
__constant__ function constant_table[3] = {flip, add_one, times_three};
__device__ unsigned data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__device__ unsigned *pointers[3] = {data, data + 2, &data[5]};
__constant__ const char *names[3] = {"zero", "one", "two"};
struct mixed {
	char tag;
	function run;
	unsigned *where;
	short number;
};
__device__ mixed rows[2] = {{1, times_three, data + 3, 7}, {2, flip, data + 1, 9}};

extern "C" __global__ void virtual_functions(unsigned *out, long long n)
{
	unsigned i = threadIdx.x;
	square a;
	strip b((unsigned)n);
	const shape *which = i & 1 ? (const shape *)&a : (const shape *)&b;

	out[i] = which->area(i) + which->twice(i);
}
extern "C" __global__ void function_tables(unsigned *out, long long n)
{
	unsigned i = threadIdx.x;

	out[i] = table[(i + n) % 3](i) * 1000 + constant_table[(i + n) % 3](i);
}
extern "C" __global__ void pointer_table(unsigned *out, long long n)
{
	unsigned i = threadIdx.x;

	out[i] = pointers[(i + n) % 3][i % 3];
}
extern "C" __global__ void name_table(unsigned *out, long long n)
{
	unsigned i = threadIdx.x, sum = 0;

	for (const char *at = names[(i + n) % 3]; *at; at++)
		sum = sum * 31 + *at;
	out[i] = sum;
}
extern "C" __global__ void mixed_rows(unsigned *out, long long n)
{
	unsigned i = threadIdx.x;
	const mixed &row = rows[(i + n) % 2];

	out[i] = row.tag + row.run(i) + *row.where + row.number;
}
