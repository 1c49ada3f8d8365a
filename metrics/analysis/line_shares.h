/* line_shares: which share of its samples a case has in each line, and how sure that is. */
#ifndef METRICS_ANALYSIS_LINE_SHARES_H
#define METRICS_ANALYSIS_LINE_SHARES_H

#include "metrics/profile.h"

/*
 * Sets samples and shares of the frames. The samples have two halves with different periods:
 * a_i of A samples, b_i of B, together N. A period favours some lines of a kernel that repeats
 * itself, in every execution alike. The interval is where the share lies in another sampling of
 * the case, with a third period and as many samples as a half. The difference between the halves,
 * over m frames, says how much shares vary: by the factor `dispersion` of the variance of
 * independent samples, at least 1.
 *
 *	p_i        = (a_i + b_i) / N
 *	dispersion = sum((a_i/A - b_i/B)^2 / (p_i (1/A + 1/B))) / (m - 1)
 *	v          = dispersion p (1 - p) (1/A + 1/B) / 2, the variance of the share of one half
 *	interval   = p +- t(f) sqrt(v (1 + (A/N)^2 + (B/N)^2))
 *	f          = min(m - 1, max(2, (m - 1) / 3))
 *
 * (Pearson's statistic of a quasi-binomial model: McCullagh and Nelder, Generalized Linear Models,
 * 1989, 4.5. f: the lines of a loop vary together, so m lines tell less than m - 1 independent
 * ones; a third fits the periods from 2^9 to 2^13 on an H200.) Frames with fewer than 10 samples
 * count as one. docs/results/line-shares.md shows how often the interval covers. If a half has no
 * samples, there is no interval.
 */
void line_shares(struct profile *profile);

#endif
