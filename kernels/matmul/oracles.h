/* CPU references of the matrix products, for the table of the family. Internal to it. */
#ifndef KERNELS_MATMUL_ORACLES_H
#define KERNELS_MATMUL_ORACLES_H

#include "kernels/table.h"

/* The products of square matrices, n by n; of m by k and k by n; and of square matrices of narrow
 * types, with b stored by columns. */
extern const struct kernel_oracle oracle_matmul_product, oracle_matmul_product_of_any,
	oracle_matmul_product_of_columns;

#endif
