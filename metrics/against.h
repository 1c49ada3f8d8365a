/*
 * against: a run whose base variants are of an earlier revision of the user's files
 * (`perflab sweep --against`).
 */
#ifndef METRICS_AGAINST_H
#define METRICS_AGAINST_H

#include "metrics/metrics.h"

/* The facts of such a run: what the user called the revision, and which commit it was. The second
 * is also the word of --against for `perflab sweep --resume`. */
#define AGAINST_WORD_KEY "against.revision"
#define AGAINST_COMMIT_KEY "files.against"
/* How the reason of a skipped trial begins that is like its base case. */
#define AGAINST_SAME_REASON "same code: machine code, launch and data are those of "
/* How the reason of one begins that is the base case of no other. */
#define AGAINST_GONE_REASON "gone: no case of now has the axes of this one of "

/* Whether the trial was skipped because it is like its base case. */
bool against_is_same(const struct trial *trial);
/* Whether the trial is of the revision that the others are compared with. */
bool against_is_of_then(const struct run *run, const struct trial *trial);
/* Whether it is the base case of no other. */
bool against_is_gone(const struct trial *trial);
/* The trials of now that were skipped because they are like their base case. */
size_t against_same_count(const struct run *run);

#endif
