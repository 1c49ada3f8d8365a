#include "metrics/analysis/line_shares.h"

#include <math.h>
#include <stdlib.h>

#include "metrics/analysis/compare.h"

/* Fewer samples than these are not near a normal distribution. */
#define LEAST_SAMPLES 10

/* The samples of a frame, or of what is in no frame: of both halves, and of the first. */
struct line_samples {
	double all, first;
};

/* 1/A + 1/B */
static double variance_scale(const struct line_samples *total)
{
	return 1 / total->first + 1 / (total->all - total->first);
}

/* 1 + (A/N)^2 + (B/N)^2 */
static double weight_scale(const struct line_samples *total)
{
	const double first = total->first / total->all;

	return 1 + first * first + (1 - first) * (1 - first);
}

/* The part of the sum that one line adds. */
static double deviation(const struct line_samples *line, const struct line_samples *total)
{
	const double rest = total->all - total->first;
	const double p = line->all / total->all;
	const double difference = line->first / total->first - (line->all - line->first) / rest;

	return difference * difference / (p * variance_scale(total));
}

/* *freedom gets f. 0: the samples do not tell. */
static double dispersion(const struct line_samples *lines, size_t count,
			 const struct line_samples *total, double *freedom)
{
	struct line_samples few = {0};
	double sum = 0;
	size_t cells = 0;

	if (total->first <= 0 || total->first >= total->all)
		return 0;
	for (size_t i = 0; i < count; i++) {
		if (lines[i].all < LEAST_SAMPLES) {
			few.all += lines[i].all;
			few.first += lines[i].first;
			continue;
		}
		sum += deviation(&lines[i], total);
		cells++;
	}
	if (few.all >= LEAST_SAMPLES) {
		sum += deviation(&few, total);
		cells++;
	}
	if (cells < 2)
		return 0;
	*freedom = fmin((double)cells - 1, fmax(2, ((double)cells - 1) / 3));
	return fmax(sum / ((double)cells - 1), 1);
}

void line_shares(struct profile *profile)
{
	/* the last is of the instructions in no frame */
	struct line_samples *lines = xcalloc(profile->frame_count + 1, sizeof(*lines));
	struct line_samples total = {0};
	double factor, freedom = 1;

	for (size_t i = 0; i < profile->instruction_count; i++) {
		const struct profile_instruction *instruction = &profile->instructions[i];
		struct line_samples *line =
			&lines[instruction->frame < 0 ? profile->frame_count
						      : (size_t)instruction->frame];

		if (instruction->samples <= 0)
			continue;
		line->all += (double)instruction->samples;
		line->first += (double)instruction->first_samples;
		total.all += (double)instruction->samples;
		total.first += (double)instruction->first_samples;
	}
	factor = dispersion(lines, profile->frame_count + 1, &total, &freedom);
	for (size_t i = 0; i < profile->frame_count && total.all > 0; i++) {
		struct profile_frame *frame = &profile->frames[i];
		const double p = lines[i].all / total.all;
		const double variance =
			factor * p * (1 - p) * variance_scale(&total) / 2 * weight_scale(&total);
		const double half = student_quantile(0.05, freedom) * sqrt(variance);

		frame->samples = (int64_t)lines[i].all;
		frame->share = p;
		if (factor > 0) {
			frame->low = fmax(p - half, 0);
			frame->high = fmin(p + half, 1);
		}
	}
	free(lines);
}
