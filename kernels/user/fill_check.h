/* fill_check: finds mistakes in the fill of a buffer before any case is resolved. */
#ifndef KERNELS_USER_FILL_CHECK_H
#define KERNELS_USER_FILL_CHECK_H

#include "kernels/user/annotation_names.h"

/* The error is one in the form of an expression, an unknown name, or a fill that is impossible in
 * every case. One that is impossible for some values of the axes skips those cases later. */
int check_annotated_fill(const struct annotation_names *names,
			 const struct annotated_buffer *buffer, struct error *err);

#endif
