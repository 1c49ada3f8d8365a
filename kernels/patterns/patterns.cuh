/*
 * Where the threads of a pattern go. The place of element i, in accesses of the variant's width, is
 * ((order(i) ^ flip) >> shift) * stride + offset: `random` shuffles the threads, `flip` swaps
 * lanes, 2^shift lanes share a place. A lane takes part only if its bit of `mask` is set.
 * patterns.c repeats this in C.
 */
#ifndef KERNELS_PATTERNS_CUH
#define KERNELS_PATTERNS_CUH

#define PATTERN_PARAMETERS                                                              \
	long long n, long long span, long long flip, long long shift, long long stride, \
		long long offset, unsigned mask, int random
#define PATTERN                                           \
	pattern                                           \
	{                                                 \
		span, flip, shift, stride, offset, random \
	}
#define ELEMENT ((long long)blockIdx.x * blockDim.x + threadIdx.x)
#define TAKES_PART(i) ((i) < n && mask >> (i) % 32 & 1)

struct pattern {
	long long span, flip, shift, stride, offset;
	int random;
};

static __device__ long long place_of(pattern p, long long i)
{
	if (p.random)
		for (int round = 0; round < 2; round++) {
			i = i * 0x9e3779b1 & (p.span - 1);
			i ^= i >> 4;
		}
	return ((i ^ p.flip) >> p.shift) * p.stride + p.offset;
}

/* The value of a word, by its number: the same whichever thread stores it. */
static __device__ unsigned word_of(long long number)
{
	return (unsigned)number * 0x9e3779b1u + 1;
}

/* Makes the value of an access of one, two or four words. */
static __device__ void make(unsigned &value, long long place)
{
	value = word_of(place);
}

static __device__ void make(uint2 &value, long long place)
{
	value = make_uint2(word_of(2 * place), word_of(2 * place + 1));
}

static __device__ void make(uint4 &value, long long place)
{
	value = make_uint4(word_of(4 * place), word_of(4 * place + 1), word_of(4 * place + 2),
			   word_of(4 * place + 3));
}

static __device__ unsigned sum(unsigned value)
{
	return value;
}

static __device__ unsigned sum(uint2 value)
{
	return value.x + value.y;
}

static __device__ unsigned sum(uint4 value)
{
	return value.x + value.y + value.z + value.w;
}

template <typename access>
static __device__ void load(const access *__restrict__ in, unsigned *out, PATTERN_PARAMETERS)
{
	long long i = ELEMENT;

	if (TAKES_PART(i))
		out[i] = sum(in[place_of(PATTERN, i)]);
}

template <typename access> static __device__ void store(access *out, PATTERN_PARAMETERS)
{
	long long i = ELEMENT;

	if (TAKES_PART(i)) {
		long long place = place_of(PATTERN, i);

		make(out[place], place);
	}
}

/* The places of the shared tile. A constraint of the table keeps patterns within it. */
#define TILE 2048

/* Fills the tile side by side; then threads load by the pattern. */
template <typename access> static __device__ void shared_load(unsigned *out, PATTERN_PARAMETERS)
{
	__shared__ access tile[TILE];
	long long i = ELEMENT;

	for (int place = threadIdx.x; place < TILE; place += blockDim.x)
		make(tile[place], place);
	__syncthreads();
	if (TAKES_PART(i))
		out[i] = sum(tile[place_of(PATTERN, threadIdx.x)]);
}

template <typename access> static __device__ void clear_tile(access *tile)
{
	for (int place = threadIdx.x; place < TILE; place += blockDim.x)
		tile[place] = access{};
	__syncthreads();
}

template <typename access>
static __device__ void sum_tile(unsigned *out, const access *tile, long long i, long long n)
{
	unsigned total = 0;

	__syncthreads();
	for (int place = threadIdx.x; place < TILE; place += blockDim.x)
		total += sum(tile[place]);
	if (i < n)
		out[i] = total;
}

/* Lets threads store by the pattern into a tile of zeroes, then reads it side by side. */
template <typename access> static __device__ void shared_store(unsigned *out, PATTERN_PARAMETERS)
{
	__shared__ access tile[TILE];
	long long i = ELEMENT;

	clear_tile(tile);
	if (TAKES_PART(i)) {
		long long place = place_of(PATTERN, threadIdx.x);

		make(tile[place], place);
	}
	sum_tile(out, tile, i, n);
}

#endif
