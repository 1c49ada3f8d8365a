/* stdbool.h for NVRTC */
#ifndef PERFLAB_NVRTC_STDBOOL_H
#define PERFLAB_NVRTC_STDBOOL_H

#define __bool_true_false_are_defined 1

#endif
