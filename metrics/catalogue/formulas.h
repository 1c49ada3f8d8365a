/*
 * formulas: the functions that compute derived metrics from their inputs, for
 * the tables of both catalogues. A function returns NAN if its result is
 * undefined. Internal to metrics/catalogue/.
 */
#ifndef METRICS_CATALOGUE_FORMULAS_H
#define METRICS_CATALOGUE_FORMULAS_H

/* Each comment writes the inputs as a, b, c, d. A ratio is undefined if its denominator is not
 * above 0. */
double formula_ratio(const double *inputs);             /* a / b */
double formula_percent(const double *inputs);           /* 100 a / b */
double formula_percent_remaining(const double *inputs); /* 100 (a - b) / a */
double formula_percent_of_lanes(const double *inputs);  /* 100 a / (32 b) */
double formula_ratio_to_sum(const double *inputs);      /* a / (b + c + d) */
double formula_per_second(const double *inputs);        /* 1e9 a / b, with b in ns */
double formula_sum(const double *inputs);               /* a + b */
double formula_sum_of_five(const double *inputs);       /* a + b + c + d + e */
double formula_countable_flop(const double *inputs);    /* a + b + c + d; undefined if that is 0 and
							 * e is not */
double formula_difference(const double *inputs);        /* a - b */
double formula_sector_bytes(const double *inputs);      /* 32 a */
double formula_wavefront_bytes(const double *inputs);   /* 128 (a + b) */
double formula_flop(const double *inputs);              /* a + b + 2 c: additions, multiplications,
							 * fused multiply-adds */

#endif
