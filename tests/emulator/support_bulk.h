/* What tests of bulk copies share: statements, and kernels with two areas of shared memory. */
#ifndef TESTS_EMULATOR_SUPPORT_BULK_H
#define TESTS_EMULATOR_SUPPORT_BULK_H

#include "support_machine.h"

#define LOAD "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
#define STORE_GROUP "cp.async.bulk.global.shared::cta.bulk_group"
#define WITHIN "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
#define REDUCE "cp.reduce.async.bulk.global.shared::cta.bulk_group"
#define REDUCE_SHARED \
	"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"

/* Two areas of 256 bytes at %r19 and %r18, an mbarrier for one arrival at %r20, whose phase thread
 * 0 completes; the thread's words in the areas are at %r21 and %r22. %p1: thread 0. */
#define AREAS                                                                           \
	".reg .b16 %h<4>;\n.shared .align 16 .b8 area[256];\n"                          \
	".shared .align 16 .b8 other[256];\n.shared .align 8 .b8 bar[8];\n"             \
	"mov.u32 %r19, area;\nmov.u32 %r18, other;\nmov.u32 %r20, bar;\n"               \
	"shl.b32 %r17, %r1, 2;\nadd.u32 %r21, %r19, %r17;\nadd.u32 %r22, %r18, %r17;\n" \
	"setp.eq.u32 %p1, %r1, 0;\n@%p1 mbarrier.init.shared.b64 [%r20], 1;\nbar.sync 0;\n"
#define EXPECT(bytes) "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r20], " bytes ";\n"
#define WAIT(parity)                                                                \
	"WAIT" parity ":\nmbarrier.try_wait.parity.shared.b64 %p2, [%r20], " parity \
	";\n@!%p2 bra "                                                             \
	"WAIT" parity ";\n"
#define FETCH(bytes) "@%p1 " LOAD " [%r19], [%rd2], " bytes ", [%r20];\n"
#define COMMIT "@%p1 cp.async.bulk.commit_group;\n"
#define STORE "st.global.u32 [%rd3], %r4;\nret;\n"
/* Each thread stores its number plus 5; thread 0 copies the area to out. */
#define FENCED_STORE(bytes)                                                                   \
	"add.u32 %r5, %r1, 5;\nst.shared.u32 [%r21], %r5;\nfence.proxy.async;\nbar.sync 0;\n" \
	"@%p1 " STORE_GROUP " [%rd1], [%r19], " bytes ";\n" COMMIT

#define BULK_NUMBERS 8
extern const uint32_t bulk_numbers[BULK_NUMBERS];

/* Runs a kernel with that input in one block, with all checks. */
struct machine_result bulk_run(const char *ptx, int64_t threads);
/* Calls bulk_run(), and fails if there is a finding. Release the result. */
struct machine_result bulk_run_clean(const char *ptx, int64_t threads);
/* It has exactly one finding, at the line that begins with `line`. */
void assert_bulk_told(const char *ptx, int64_t threads, enum finding_kind kind, const char *line,
		      const char *words);

#endif
