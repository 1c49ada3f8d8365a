/* What tests of clusters share: the addresses of blocks in PTX, and launches with clusters. */
#ifndef TESTS_EMULATOR_SUPPORT_CLUSTERS_H
#define TESTS_EMULATOR_SUPPORT_CLUSTERS_H

#include "support_machine.h"

/* 1024 bytes of shared memory at %r19. The block's rank is %r20, its number %r21, the next rank
 * around the cluster %r22, the address of the next block's bytes %r23, generic %rd7. %r24 is the
 * offset of the thread's word, %rd5 the address of out[number of the thread in the grid]. %p1: the
 * first thread of a block; %p2: a thread of the first block of a cluster. */
#define PLACES                                                                                  \
	".shared .align 16 .b8 slots[1024];\nmov.u32 %r19, slots;\n"                            \
	"mov.u32 %r20, %cluster_ctarank;\nmov.u32 %r21, %ctaid.x;\n"                            \
	"mov.u32 %r30, %cluster_nctarank;\nadd.u32 %r22, %r20, 1;\nrem.u32 %r22, %r22, %r30;\n" \
	"mapa.shared::cluster.u32 %r23, %r19, %r22;\ncvt.u64.u32 %rd7, %r19;\n"                 \
	"cvta.shared.u64 %rd7, %rd7;\nmapa.u64 %rd7, %rd7, %r22;\nshl.b32 %r24, %r1, 2;\n"      \
	"mov.u32 %r30, %ntid.x;\nmad.lo.u32 %r30, %r21, %r30, %r1;\n"                           \
	"mul.wide.u32 %rd5, %r30, 4;\nadd.s64 %rd5, %rd1, %rd5;\nsetp.eq.u32 %p1, %r1, 0;\n"    \
	"setp.eq.u32 %p2, %r20, 0;\n"
/* The thread's word in the own block is at %r25, in the next one at %r26 and, generic, %rd8. */
#define WORDS                                                    \
	"add.u32 %r25, %r19, %r24;\nadd.u32 %r26, %r23, %r24;\n" \
	"cvt.u64.u32 %rd8, %r24;\nadd.s64 %rd8, %rd7, %rd8;\n"
#define CLUSTER_SYNC "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
#define STORE "st.global.u32 [%rd5], %r4;\nret;\n"
#define CLUSTER_THREADS 64
/* An mbarrier at %r27, in the next block at %r28; one arrival each. */
#define OBJECT                                                                                   \
	".shared .align 8 .b8 bar[8];\nmov.u32 %r27, bar;\n"                                     \
	"mapa.shared::cluster.u32 %r28, %r27, %r22;\n@%p1 mbarrier.init.shared.b64 [%r27], 1;\n" \
	"fence.mbarrier_init.release.cluster;\n" CLUSTER_SYNC

/* Runs a kernel with MACHINE_ENTRY: two clusters of so many blocks of CLUSTER_THREADS threads, and
 * all checks. Release the result. */
struct machine_result cluster_launch(const char *ptx, int64_t blocks);
/* Calls cluster_launch(); there must be no finding. Release the result. */
struct machine_result cluster_run_clean(const char *ptx, int64_t blocks);
/* With clusters of two blocks: the only finding is of that kind, at the line that begins with these
 * words, and its text has `words`. */
void assert_cluster_finding(const char *ptx, enum finding_kind kind, const char *line,
			    const char *words);
/* One of the findings, not the only one, is of that kind; a line of "" is any. */
void assert_cluster_finding_among(const char *ptx, enum finding_kind kind, const char *line,
				  const char *words);

#endif
