/* user_case: a case with all that a user's kernel can have, for the tests of the protocol. */
#ifndef TESTS_HARNESS_USER_CASE_H
#define TESTS_HARNESS_USER_CASE_H

#include "harness/protocol/protocol.h"

/* Places of arguments that set_user_args() sets. */
#define TEXTURE_ARG 12
#define TENSOR_ARG 13
#define LAST_ARG 14 /* a struct of 20 bytes, with two addresses and 3 bytes that are not 0 */

/* Replaces the arguments by one of each kind that has a size. */
void set_user_args(struct case_launch *launch);
/* The case, but for its check. The caller frees it with launch_case_free(). */
struct launch_case *make_user_case(void);

#endif
