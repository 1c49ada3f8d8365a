/*
 * matmul: C = A B for float matrices, row-major, square in all variants but
 * one. The classic climb from the bandwidth of memory to the rate of
 * arithmetic.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/matmul/panel.h"
#include "kernels/table.h"

/* ---- oracles ---- */

/* The smallest number of rows for which the oracle uses another thread. Packing a panel costs about
 * as much as a row. */
#define GRAIN (16 * PANEL_ROWS)

enum { OF_SQUARES, OF_ANY };

/* A has m rows of k elements, B has k rows of n. */
struct product {
	const float *a, *b;
	float *c;
	int64_t m, n, k;
	double (*sums)[PANEL_COLUMNS]; /* one row of C each; a thread uses those of its own rows */
};

/* panel[i][j] = B[first_row + i][first_column + j], zero outside. */
static void pack_panel(double panel[PANEL_DEPTH][PANEL_COLUMNS], const struct product *product,
		       int64_t first_row, int64_t first_column)
{
	for (int64_t i = 0; i < PANEL_DEPTH; i++)
		for (int64_t j = 0; j < PANEL_COLUMNS; j++) {
			int64_t row = first_row + i, column = first_column + j;

			panel[i][j] = row < product->k && column < product->n
					      ? product->b[row * product->n + column]
					      : 0.0;
		}
}

/* Adds the product of columns [first, first + depth) of A and the panel to the sums of PANEL_ROWS
 * rows. Rows beyond `end` are computed and discarded. */
static void multiply_panel(const struct product *product, double panel[PANEL_DEPTH][PANEL_COLUMNS],
			   int64_t row, int64_t end, int64_t first, int64_t depth)
{
	double discarded[PANEL_COLUMNS] = {0};
	double *sums[PANEL_ROWS];
	const float *factors[PANEL_ROWS];

	for (int r = 0; r < PANEL_ROWS; r++) {
		const bool is_row = row + r < end;

		sums[r] = is_row ? product->sums[row + r] : discarded;
		factors[r] = product->a + (is_row ? row + r : row) * product->k + first;
	}
	panel_multiplication_at(0)(sums, factors, panel, depth);
}

/* Computes rows [begin, end) of PANEL_COLUMNS columns of C. */
static void multiply_stripe(const struct product *product, double panel[PANEL_DEPTH][PANEL_COLUMNS],
			    int64_t begin, int64_t end, int64_t first_column)
{
	int64_t n = product->n;
	int64_t width = n - first_column < PANEL_COLUMNS ? n - first_column : PANEL_COLUMNS;

	memset(&product->sums[begin], 0, (size_t)(end - begin) * sizeof(*product->sums));
	for (int64_t k = 0; k < product->k; k += PANEL_DEPTH) {
		int64_t depth = product->k - k < PANEL_DEPTH ? product->k - k : PANEL_DEPTH;

		pack_panel(panel, product, k, first_column);
		for (int64_t row = begin; row < end; row += PANEL_ROWS)
			multiply_panel(product, panel, row, end, k, depth);
	}
	for (int64_t row = begin; row < end; row++)
		for (int64_t j = 0; j < width; j++)
			product->c[row * n + first_column + j] = (float)product->sums[row][j];
}

/* Sums every element in the same order, however the rows are divided among threads. */
static void multiply_rows(void *context, int64_t begin, int64_t end)
{
	const struct product *product = context;
	double(*panel)[PANEL_COLUMNS] = xcalloc(PANEL_DEPTH, sizeof(*panel));

	for (int64_t column = 0; column < product->n; column += PANEL_COLUMNS)
		multiply_stripe(product, panel, begin, end, column);
	free(panel);
}

struct operands {
	const void *a, *b;
	void *c;
	int64_t a_length, b_length, c_length;
};

static int find_matmul_operands(struct operands *of, const struct oracle_run *run)
{
	of->a = oracle_input(run, "a", &of->a_length);
	of->b = oracle_input(run, "b", &of->b_length);
	of->c = oracle_result(run, "c", &of->c_length);
	return of->a && of->b && of->c ? 0 : PL_EUSAGE;
}

static int refuse_sizes(const struct oracle_run *run)
{
	return error_set(run->err, PL_EUSAGE, "oracle %s: axes and buffers disagree",
			 run->work->oracle);
}

static int matmul_compute(const struct oracle_run *run)
{
	const bool of_any = run->oracle->which == OF_ANY;
	struct product product;
	struct operands of;
	int rc = find_matmul_operands(&of, run);

	if (rc)
		return rc;
	product = (struct product){.a = of.a, .b = of.b, .c = of.c};
	if (!launch_case_axis(run->work, of_any ? "m" : "n", &product.m) ||
	    !launch_case_axis(run->work, of_any ? "k" : "n", &product.k) ||
	    !launch_case_axis(run->work, "n", &product.n) || product.m * product.k != of.a_length ||
	    product.k * product.n != of.b_length || product.m * product.n != of.c_length)
		return refuse_sizes(run);
	product.sums = malloc((size_t)product.m * sizeof(*product.sums));
	if (!product.sums)
		return error_set(run->err, PL_ENOMEM, "oracle %s: no memory for %lld rows",
				 run->work->oracle, (long long)product.m);
	parallel_for(product.m, GRAIN, multiply_rows, &product);
	free(product.sums);
	return 0;
}

/* ---- narrow operands, B by columns ---- */

struct widening {
	enum element_type type;
	const void *a, *b;
	float *wide_a, *wide_b;
	int64_t n;
};

/* Widens rows [begin, end) of both. The rows of B become columns. */
static void widen_rows(void *context, int64_t begin, int64_t end)
{
	const struct widening *w = context;
	int64_t n = w->n;

	for (int64_t row = begin; row < end; row++)
		for (int64_t i = 0; i < n; i++) {
			w->wide_a[row * n + i] = (float)element_value(w->type, w->a, row * n + i);
			w->wide_b[i * n + row] = (float)element_value(w->type, w->b, row * n + i);
		}
}

/* Widening loses nothing: every value of these types is a float. */
static int matmul_compute_narrow(const struct oracle_run *run)
{
	/* both operands have the type of the first buffer */
	struct widening widening = {.type = run->work->buffers[0].type};
	struct product product;
	struct operands of;
	int rc = find_matmul_operands(&of, run);

	if (rc)
		return rc;
	if (!launch_case_axis(run->work, "n", &widening.n) ||
	    widening.n * widening.n != of.a_length || of.a_length != of.b_length ||
	    of.a_length != of.c_length)
		return refuse_sizes(run);
	widening.a = of.a;
	widening.b = of.b;
	widening.wide_a = malloc((size_t)of.a_length * sizeof(float));
	widening.wide_b = malloc((size_t)of.a_length * sizeof(float));
	product = (struct product){.a = widening.wide_a,
				   .b = widening.wide_b,
				   .c = of.c,
				   .m = widening.n,
				   .n = widening.n,
				   .k = widening.n};
	product.sums = malloc((size_t)product.m * sizeof(*product.sums));
	if (widening.wide_a && widening.wide_b && product.sums) {
		parallel_for(widening.n, GRAIN, widen_rows, &widening);
		parallel_for(product.m, GRAIN, multiply_rows, &product);
	} else {
		rc = error_set(run->err, PL_ENOMEM, "oracle %s: no memory for n=%lld",
			       run->work->oracle, (long long)widening.n);
	}
	free(product.sums);
	free(widening.wide_b);
	free(widening.wide_a);
	return rc;
}

/* The products of square matrices, n by n; of m by k and k by n; and of square matrices of narrow
 * types, with b stored by columns. */
static const struct kernel_oracle oracle_product = {"matmul/product", "n", matmul_compute};
static const struct kernel_oracle oracle_product_of_any = {"matmul/product_of_any", "m,n,k",
							   matmul_compute, OF_ANY};
static const struct kernel_oracle oracle_product_of_columns = {"matmul/product_of_columns", "n",
							       matmul_compute_narrow};

/* ---- the table ---- */

#define A ARG_OF_BUFFER("a")
#define B ARG_OF_BUFFER("b")
#define C ARG_OF_BUFFER("c")

/* A thread computes `each` * `each` elements. Blocks are squares. */
#define SQUARES(name, each, shared)                                 \
	LAUNCHES({.entry = name,                                    \
		  .grid = {"ceil_div(n, " each " * isqrt(block))",  \
			   "ceil_div(n, " each " * isqrt(block))"}, \
		  .block = {"isqrt(block)", "isqrt(block)"},        \
		  .shared_bytes = shared,                           \
		  ARGS(A, B, C, N)})
#define SQUARE_BLOCK                                      \
	TABLE_ROW("isqrt(block) * isqrt(block) == block", \
		  "block must be a square number: the tile is as wide as it is high")
#define SQUARES_OF_AXIS(values) \
	TABLE_ROW("block", values, "threads in one block, which is a square")

/* tiled_constant.cu has one entry per width. */
#define CONSTANT_TILE(width)                                                                   \
	TABLE_ROW(.entry = "matmul_tiled_constant_" width, .repeat = "isqrt(block) == " width, \
		  .grid = {"ceil_div(n, " width ")", "ceil_div(n, " width ")"},                \
		  .block = {width, width}, ARGS(A, B, C, N))

/* A large tile of C. Its shape depends on the number of threads in the block, and each shape has an
 * entry. */
#define TILE(threads, name, x, y, shared)                                                   \
	TABLE_ROW(.entry = name "_" threads, .repeat = "block == " threads, .grid = {x, y}, \
		  .block = {"block"}, .shared_bytes = shared, ARGS(A, B, C, N))
/* As in warp_tiles.cuh: rows and columns of C, and steps along k per stage. */
#define FLOAT_TILE(threads, name, stages, rows, columns, depth)                  \
	TILE(threads, name, "ceil_div(n, " columns ")", "ceil_div(n, " rows ")", \
	     stages " * 4 * (" rows " * (" depth " + 4) + " depth " * " columns ")")
#define TILED_BLOCKS                               \
	TABLE_ROW("is_pow2(block) && block >= 64", \
		  "block must be 64, 128, 256, 512 or 1024: there is a tile for each")
#define SIDE(values) TABLE_ROW("n", values, "rows and columns of each matrix")
#define GROUPS_OF_FOUR \
	TABLE_ROW("n % 4 == 0", "n must be a multiple of 4: rows are read in groups of 16 bytes")

static const struct kernel_work any_work = {
	.flop = "2 * m * n * k",
	.bytes_read = "4 * (m * k + k * n)",
	.bytes_written = "4 * m * n",
};

/* B is stored by columns, because tensor cores read both operands along k. */
#define NARROW(name, type)                                                    \
	static const struct kernel_buffer name[] = {                          \
		{"a", type, "n * n", BUFFER_IN, FILL_UNIFORM, 0.0, 1.0},      \
		{"b", type, "n * n", BUFFER_IN, FILL_UNIFORM, 0.0, 1.0},      \
		{"c", ELEMENT_F32, "n * n", BUFFER_OUT, FILL_NONE, 0.0, 0.0}, \
	}
NARROW(f16_buffers, ELEMENT_F16);
NARROW(bf16_buffers, ELEMENT_BF16);
NARROW(tf32_buffers, ELEMENT_TF32);

#define TENSOR_WORK(type, bytes)                                                       \
	static const struct kernel_work type##_work = {.flop = "2 * n * n * n",        \
						       .bytes_read = bytes " * n * n", \
						       .bytes_written = "4 * n * n",   \
						       .precision = "tensor_" #type}
TENSOR_WORK(f16, "4");
TENSOR_WORK(bf16, "4");
TENSOR_WORK(tf32, "8");

/*
 * The types represent the inputs exactly, and products of two are exact in single precision. Tensor
 * cores truncate what a sum cannot hold, where other units round. They add about 4 products at a
 * time and each time lose at most 2^-23 of the sum so far, half of that on average. The sum so far
 * is half the result on average, so n / 4 additions lose n / 16 * 2^-23: 6e-5 at n = 8192. Three
 * times that is allowed. One lost product is 1 / n.
 */
static const struct kernel_tolerance tensor_tolerance = {.abs = 0.0, .rel = 2e-4};

/* flop_per_s has no operations of tensor cores, so it is 0. */
#define ON_TENSOR_CORES(type)                                                            \
	.metric = "median_time_ns", .oracle = &oracle_product_of_columns,                \
	.tolerance = &tensor_tolerance, .work = &type##_work, .buffers = type##_buffers, \
	.buffer_count = ARRAY_SIZE(type##_buffers)
#define GROUPS_OF_BYTES(elements)          \
	TABLE_ROW("n % " elements " == 0", \
		  "n must be a multiple of " elements ": rows are copied in groups of 16 bytes")
/* As in tensor_tiles.cuh: blocks in a line along x, in the order of find_tile(). 1024 bytes of
 * shared memory are for alignment. */
#define TENSOR_TILE(threads, name, stages, rows, columns)                            \
	TILE(threads, name, "ceil_div(n, " rows ") * ceil_div(n, " columns ")", "1", \
	     stages " * 128 * (" rows " + " columns ") + 1024")

/* As in warp_products.cuh. */
#define BY_WARPS(kind, elements, lesson_)                                                       \
	{                                                                                       \
		.name = "tensor_" #kind, .lesson = lesson_, ON_TENSOR_CORES(kind),              \
		LAUNCHES(TENSOR_TILE("64", "matmul_tensor_" #kind, "3", "64", "128"),           \
			 TENSOR_TILE("128", "matmul_tensor_" #kind, "3", "128", "128"),         \
			 TENSOR_TILE("256", "matmul_tensor_" #kind, "3", "128", "256"),         \
			 TENSOR_TILE("512", "matmul_tensor_" #kind, "3", "128", "256"),         \
			 TENSOR_TILE("1024", "matmul_tensor_" #kind, "3", "128", "256")),       \
		CONSTRAINTS(                                                                    \
			TILED_BLOCKS, GROUPS_OF_BYTES(elements),                                \
			{"compute_capability >= 80",                                            \
			 "tensor cores for these types need compute capability 8.0 (Ampere)"}), \
	}

/* As in group_products.cuh. */
#define BY_GROUPS(kind, elements, lesson_)                                                         \
	{                                                                                          \
		.name = "tensor_" #kind "_wgmma", .lesson = lesson_, ON_TENSOR_CORES(kind),        \
		AXES({"block", "128,256,384,512,1024",                                             \
		      "threads in one block, in groups of four warps"}),                           \
		LAUNCHES(TENSOR_TILE("128", "matmul_tensor_" #kind "_wgmma", "4", "64", "256"),    \
			 TENSOR_TILE("256", "matmul_tensor_" #kind "_wgmma", "4", "128", "256"),   \
			 TENSOR_TILE("384", "matmul_tensor_" #kind "_wgmma", "4", "192", "256"),   \
			 TENSOR_TILE("512", "matmul_tensor_" #kind "_wgmma", "4", "128", "256"),   \
			 TENSOR_TILE("1024", "matmul_tensor_" #kind "_wgmma", "4", "128", "256")), \
		CONSTRAINTS({"block == 384 || block >= 128 && is_pow2(block)",                     \
			     "block must be 128, 256, 384, 512 or 1024: four warps multiply"       \
			     " together"},                                                         \
			    GROUPS_OF_BYTES(elements),                                             \
			    {"compute_capability == 90",                                           \
			     "wgmma exists only on compute capability 9.0 (Hopper)"}),             \
	}

/* Operations of harness/workers/cuda/libraries/library_cublas.c. */
#define BY_CUBLAS(operation)                                    \
	AXES({"block", "256", "ignored: the library chooses"}), \
		LAUNCHES({.library = "cublas", .entry = operation, ARGS(A, B, C, N)})

static const struct kernel_variant variants[] = {
	VARIANT("naive", "l1_bytes",
		"every thread reads a row and a column: n loads per element, from the caches",
		/* A warp is one row of the block, so its loads from B are neighbours. */
		LAUNCHES({.entry = "matmul_naive",
			  .grid = {"ceil_div(n, 32)", "ceil_div(n, block / 32)"},
			  .block = {"32", "block / 32"},
			  ARGS(A, B, C, N)}),
		CONSTRAINTS(WHOLE_WARPS("it consists of rows of 32 threads"))),
	VARIANT("tiled", "global_load_requests",
		"tiles in shared memory: global loads fall by a factor of the tile width",
		SQUARES("matmul_tiled", "1", "2 * 4 * block"), CONSTRAINTS(SQUARE_BLOCK)),
	VARIANT("tiled_constant", "instructions",
		"a tile width that the compiler knows: the loop over a tile is unrolled",
		LAUNCHES(CONSTANT_TILE("2"), CONSTANT_TILE("4"), CONSTANT_TILE("8"),
			 CONSTANT_TILE("16"), CONSTANT_TILE("32")),
		CONSTRAINTS(
			{"is_pow2(block) && log2(block) % 2 == 0 && block >= 4",
			 "block must be 4, 16, 64, 256 or 1024: squares, with a tile for each"})),
	VARIANT("tiled_whole", "instructions",
		"whole tiles only: no bounds checks, which shows what the checks cost",
		SQUARES("matmul_tiled_whole", "1", "2 * 4 * block"),
		CONSTRAINTS(SQUARE_BLOCK,
			    {"n % isqrt(block) == 0",
			     "n must be a multiple of the tile's width: whole tiles"})),
	VARIANT("tiled_any", "flop_per_s",
		"any three sizes: elements outside are loaded as zero and not stored",
		.oracle = &oracle_product_of_any, .work = &any_work,
		BUFFERS({"a", ELEMENT_F32, "m * k", BUFFER_IN, FILL_UNIFORM, 0.0, 1.0},
			{"b", ELEMENT_F32, "k * n", BUFFER_IN, FILL_UNIFORM, 0.0, 1.0},
			{"c", ELEMENT_F32, "m * n", BUFFER_OUT, FILL_NONE, 0.0, 0.0}),
		AXES(SQUARES_OF_AXIS("256,1024"), {"m", "500", "rows of A and of C"},
		     {"k", "250", "columns of A, rows of B"}),
		LAUNCHES({.entry = "matmul_tiled_any",
			  .grid = {"ceil_div(n, isqrt(block))", "ceil_div(m, isqrt(block))"},
			  .block = {"isqrt(block)", "isqrt(block)"},
			  .shared_bytes = "2 * 4 * block",
			  ARGS(A, B, C, ARG_OF_I64("m"), N, ARG_OF_I64("k"))}),
		CONSTRAINTS(SQUARE_BLOCK)),
	VARIANT("conflicts", "shared_load_bank_conflicts",
		"a warp reads a column of the tile: all words lie in one bank", AXES(SIDE("1024")),
		SQUARES("matmul_conflicts", "1", "2 * 4 * block"), CONSTRAINTS(SQUARE_BLOCK)),
	VARIANT("padded", "shared_load_bank_conflicts",
		"one spare column in the tile: the same words lie in different banks",
		AXES(SIDE("1024")),
		SQUARES("matmul_padded", "1", "4 * isqrt(block) * (2 * isqrt(block) + 1)"),
		CONSTRAINTS(SQUARE_BLOCK)),
	VARIANT("register_blocked", "shared_load_wavefronts",
		"4 x 4 elements per thread: half a load from shared memory per multiply-add",
		SQUARES("matmul_register_blocked", "4", "2 * 4 * 4 * block"),
		CONSTRAINTS(SQUARE_BLOCK)),
	VARIANT("vectorised", "instructions",
		"8 x 8 elements per thread, 16-byte loads: an eighth of the load instructions",
		LAUNCHES(FLOAT_TILE("64", "matmul_vectorised", "1", "64", "64", "8"),
			 FLOAT_TILE("128", "matmul_vectorised", "1", "128", "64", "8"),
			 FLOAT_TILE("256", "matmul_vectorised", "1", "128", "128", "8"),
			 FLOAT_TILE("512", "matmul_vectorised", "1", "128", "256", "16"),
			 FLOAT_TILE("1024", "matmul_vectorised", "1", "128", "256", "32")),
		CONSTRAINTS(TILED_BLOCKS, GROUPS_OF_FOUR)),
	VARIANT("double_buffered", "flop_per_s",
		"loads the next tile while it multiplies this one: other blocks may hide as much",
		LAUNCHES(FLOAT_TILE("64", "matmul_double_buffered", "2", "64", "64", "8"),
			 FLOAT_TILE("128", "matmul_double_buffered", "2", "128", "64", "8"),
			 FLOAT_TILE("256", "matmul_double_buffered", "2", "128", "128", "8"),
			 FLOAT_TILE("512", "matmul_double_buffered", "2", "128", "128", "16"),
			 FLOAT_TILE("1024", "matmul_double_buffered", "2", "128", "128", "32")),
		CONSTRAINTS(TILED_BLOCKS, GROUPS_OF_FOUR)),
	VARIANT("async_copy", "flop_per_s",
		"copies bypass the registers, several tiles ahead: near the vendor's library",
		LAUNCHES(FLOAT_TILE("64", "matmul_async_copy", "3", "64", "128", "16"),
			 FLOAT_TILE("128", "matmul_async_copy", "3", "128", "128", "16"),
			 FLOAT_TILE("256", "matmul_async_copy", "3", "128", "256", "16"),
			 FLOAT_TILE("512", "matmul_async_copy", "3", "128", "256", "16"),
			 FLOAT_TILE("1024", "matmul_async_copy", "3", "128", "128", "32")),
		CONSTRAINTS(TILED_BLOCKS, GROUPS_OF_FOUR,
			    {"compute_capability >= 80",
			     "asynchronous copies need compute capability 8.0 (Ampere)"})),
	BY_WARPS(tf32, "4",
		 "tensor cores: floats truncated to 19 bits, several times the rate of FMA"),
	BY_WARPS(f16, "8",
		 "tensor cores in half precision: operands pass from shared memory through "
		 "registers"),
	BY_WARPS(bf16, "8", "bfloat16 at the rate of half precision: the number of bytes decides"),
	BY_GROUPS(tf32, "4", "tf32 by four warps from shared memory: no operand takes a register"),
	BY_GROUPS(f16, "8",
		  "half precision by four warps from shared memory: near the vendor's library"),
	BY_GROUPS(bf16, "8",
		  "bfloat16 by four warps: the rate of half precision, the range of single "
		  "precision"),
	VARIANT("cublas_f32", "flop_per_s",
		"cuBLAS without tensor cores: the library baseline for products",
		BY_CUBLAS("gemm_f32")),
	{
		.name = "cublas_tf32",
		.lesson = "cuBLAS on tensor cores, floats truncated to 19 bits",
		ON_TENSOR_CORES(tf32),
		BY_CUBLAS("gemm_tf32"),
	},
	{
		.name = "cublas_f16",
		.lesson = "cuBLAS on tensor cores in half precision",
		ON_TENSOR_CORES(f16),
		BY_CUBLAS("gemm_f16"),
	},
	{
		.name = "cublas_bf16",
		.lesson = "cuBLAS on tensor cores in bfloat16",
		ON_TENSOR_CORES(bf16),
		BY_CUBLAS("gemm_bf16"),
	},
};

const struct kernel kernel_matmul = {
	.name = "matmul",
	.summary = "the product of two matrices, from naive to tensor cores",
	AXES(AXIS_BLOCK, SIDE("2048")),
	.small_size = "128",
	BUFFERS({"a", ELEMENT_F32, "n * n", BUFFER_IN, FILL_UNIFORM, 0.0, 1.0},
		{"b", ELEMENT_F32, "n * n", BUFFER_IN, FILL_UNIFORM, 0.0, 1.0},
		{"c", ELEMENT_F32, "n * n", BUFFER_OUT, FILL_NONE, 0.0, 0.0}),
	.work = {.flop = "2 * n * n * n", .bytes_read = "8 * n * n", .bytes_written = "4 * n * n"},
	/*
	 * A running float sum of n positive products errs by about 0.29 * 2^-23 * sqrt(n / 3) (one
	 * standard deviation): 2.5e-6 at n = 16384. There the worst element is about six deviations
	 * off. A lost product is 1 / n, far more.
	 */
	.tolerance_rel = 2e-5,
	.oracle = &oracle_product,
	OWN_VARIANTS(variants),
};
