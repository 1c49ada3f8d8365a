/* line_shares: which share of its samples a case has in each line, and how sure that is. */
#ifndef METRICS_ANALYSIS_LINE_SHARES_H
#define METRICS_ANALYSIS_LINE_SHARES_H

#include "metrics/profile.h"

/*
 * Sets samples and shares of the frames. The samples have two halves with different periods: a_i of
 *A samples, b_i of B. A period favours some lines of a kernel that repeats itself, in every
 *execution alike, so the share is the mean of both halves. The interval is where the share lies in
 *another sampling of the case, with a third period and as many samples as a half. The difference
 *between the halves, over m frames, says how much shares vary: by the factor `dispersion` of the
 *variance of independent samples, at least 1.
 *
 *	p_i        = (a_i/A + b_i/B) / 2
 *	dispersion = sum((a_i/A - b_i/B)^2 / (p_i (1/A + 1/B))) / (m - 1)
 *	interval   = p +- t(f) sqrt(dispersion p (1 - p) 3/4 (1/A + 1/B))
 *	f          = min(m - 1, max(2, (m - 1) / 3))
 *
 * (Pearson's statistic of a quasi-binomial model: McCullagh and Nelder, Generalized Linear Models,
 * 1989, 4.5. 3/4: the variance of p is 1/4 of that of both halves, that of the other sampling the
 *mean of both, 1/2. f: the lines of a loop vary together, so m lines tell less than m - 1
 *independent ones; a third fits the periods from 2^9 to 2^13 on an H200.) Frames with fewer than 10
 *samples count as one. docs/results/line-shares.md shows how often the interval covers. If a half
 *has no samples, the share is that of the other, without interval.
 */
void line_shares(struct profile *profile);

#endif
