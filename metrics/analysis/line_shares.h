/* line_shares: which share of its samples a case has in each line, and how sure that is. */
#ifndef METRICS_ANALYSIS_LINE_SHARES_H
#define METRICS_ANALYSIS_LINE_SHARES_H

#include "metrics/profile.h"

/*
 * Sets samples and shares of the frames. The interval is where the share of another sampling of the
 * case lies. Samples of a warp that waits long are not independent, so a share varies more than a
 * binomial one: by the factor `dispersion` of the variance, at least 1, which comes from the
 * differences between the two halves of the executions (a_i of A samples, b_i of B) over m frames:
 *
 *	dispersion = sum((a_i/A - b_i/B)^2 / (p_i (1/A + 1/B))) / (m - 1)
 *	interval   = p +- t(m - 1) sqrt(dispersion p (1 - p) 2 / (A + B))
 *
 * (Pearson's statistic of a quasi-binomial model: McCullagh and Nelder, Generalized Linear Models,
 * 1989, 4.5.) Frames with fewer than 10 samples count as one. docs/results/line-shares.md shows how
 * often the interval covers.
 */
void line_shares(struct profile *profile);

#endif
