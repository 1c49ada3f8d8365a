/* What matrix products are, on the CPU, for the table of the family. Internal to it. */
#ifndef KERNELS_MATMUL_ORACLES_H
#define KERNELS_MATMUL_ORACLES_H

#include "kernels/table.h"

/* c of a and b: squares of n by n; m by k and k by n; and squares of narrow types, b by columns. */
extern const struct kernel_oracle oracle_matmul_product, oracle_matmul_product_of_any,
	oracle_matmul_product_of_columns;

#endif
