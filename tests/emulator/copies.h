/*
 * copies: one small PTX module for each case of clusters, distributed shared memory, bulk copies
 * and tensor copies. tests/gpu/copies_golden runs the modules on a GPU and writes
 * tests/golden/ptx/copies.txt.zst; test_copies_golden runs them in the emulator and compares.
 *
 * There are five lists. The second one, with the im2col mode and changed maps, has a golden file
 * of its own, copies_more.txt, and a test of its own, test_copies_more_golden. So has the third
 * one, with the ends of tensors: copies_edges.txt, test_copies_edges_golden. And the fourth
 * one, with interleaved layouts: copies_interleave.txt, test_copies_interleave_golden. The fifth
 * one has them in im2col mode and in changed maps: copies_layouts.txt, test_copies_layouts_golden.
 *
 * The entry gets the addresses of `out` and `in`, and a tensor map. No case waits for ever: its
 * loops around mbarriers are bounded, and the word COPY_WAITED of the output tells the result.
 * Cases that may fault come last, because each costs a GPU a context.
 */
#ifndef TESTS_EMULATOR_COPIES_H
#define TESTS_EMULATOR_COPIES_H

#include "base/base.h"
#include "emulator/tensor_map.h"

#define COPY_ENTRY "copies"
#define COPY_IN_WORDS 2048
#define COPY_AREA_BYTES 4096

/* What a buffer holds when the launch begins. */
enum copy_fill {
	FILL_ZERO,
	FILL_WORDS,  /* word i is i + 1 */
	FILL_HALVES, /* half word i is i + 1 */
	FILL_BYTES,  /* bytes that differ */
	FILL_MIXED,  /* any bits */
	FILL_TIES,   /* floats around 1 and -1 that differ in the bits that tf32 lacks */
	FILL_SMALL,  /* floats that are subnormal, or nearly */
	/* Element i is special value i / SPECIALS, or i % SPECIALS: all pairs. */
	FILL_OLD,
	FILL_NEW,
};
#define COPY_SPECIALS 16

/* What the emulator must do. */
enum copy_rule {
	COPY_EQUAL, /* what a GPU does: the same bytes, or a fault; or refuse the case by name */
	/* PTX leaves open what happens: whatever it does is right. The name begins with "open: ".
	 */
	COPY_RECORDED,
};

struct copy_case {
	char *name;
	const char *target;    /* of the module; NULL: sm_90 */
	const char *variables; /* of the module; NULL: none */
	const char *directive; /* of the entry, or "" */
	char *body;            /* see copies.c */
	int64_t grid[3], cluster[3];
	unsigned threads;
	size_t out_words; /* of all blocks */
	enum copy_fill in_fill, out_fill;
	const char *type;  /* of special values: "f16", "u32" */
	bool area_from_in; /* the first area begins as the words of `in` */
	bool has_map;
	bool map_of_out; /* the address counts from `out`; else from `in` */
	struct tensor_map map;
	enum copy_rule rule;
	bool may_fault;
};
struct copy_list {
	struct copy_case *items;
	size_t count, capacity;
};
struct copy_list copy_list_create(void);            /* those of copies.txt */
struct copy_list copy_more_list_create(void);       /* those of copies_more.txt */
struct copy_list copy_edges_list_create(void);      /* those of copies_edges.txt */
struct copy_list copy_interleave_list_create(void); /* those of copies_interleave.txt */
struct copy_list copy_layouts_list_create(void);    /* those of copies_layouts.txt */
void copy_list_release(struct copy_list *list);

void copy_module(struct text *out, const struct copy_case *copy);
/* Sets all words of `in` (COPY_IN_WORDS), or of `out`. */
void copy_fill_in(uint32_t *in, const struct copy_case *copy);
void copy_fill_out(uint32_t *out, const struct copy_case *copy);
/* A hash of the module, the launch and the inputs. A golden line with another one is out of date.
 */
uint64_t copy_digest(const struct copy_case *copy);
/* A golden line without its name: the digest and the words of the output; "w*n" is n equal words.
 */
void copy_line(struct text *out, const struct copy_case *copy, const uint32_t *results);

/* ---- for the files that make cases ---- */

/* Adds a case of one block of 32 threads, which takes over `name` and `body`. */
struct copy_case *copy_add(struct copy_list *list, char *name, char *body, size_t out_words);
/* Sets the shape of the clusters, and of the grid as one cluster. */
void copy_set_cluster(struct copy_case *copy, int64_t x, int64_t y, int64_t z);

/* Parts of formats of printf. Announces bytes at the mbarrier; waits for its first phase, with the
 * result in %ok. */
#define COPY_EXPECT "@%%lead mbarrier.arrive.expect_tx.shared.b64 _, [%%bar], "
#define COPY_WAIT                                                                  \
	"mov.u32 %%n, 0;\nmov.u32 %%ok, 1;\n"                                      \
	"WAIT:\nmbarrier.test_wait.parity.shared.b64 %%q, [%%bar], 0;\n"           \
	"@%%q bra WAITED;\nnanosleep.u32 500;\nadd.u32 %%n, %%n, 1;\n"             \
	"setp.lt.u32 %%q, %%n, 2000;\n@%%q bra WAIT;\nmov.u32 %%ok, 0;\nWAITED:\n" \
	"@%%lead st.global.u32 [%%out], %%ok;\n"
#define COPY_CLUSTER_SYNC "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
#define COPY_FENCE "fence.proxy.async;\nbar.sync 0;\n"
#define COPY_COMMIT "@%%lead cp.async.bulk.commit_group;\n@%%lead cp.async.bulk.wait_group 0;\n"
/* Words of the output of a block before those that copy_dump() stores. */
#define COPY_WAITED 1

/* Adds a loop that stores `words` words of shared memory, from the address in a register and
 * `offset` on, at word `at` of the block's output. */
void copy_dump(struct text *body, const char *address, unsigned offset, unsigned words,
	       unsigned at);

void copies_add_tensor_loads(struct copy_list *list);
void copies_add_tensor_stores(struct copy_list *list);
void copies_add_bulk(struct copy_list *list);
void copies_add_clusters(struct copy_list *list);
void copies_add_signals(struct copy_list *list);
void copies_add_faults(struct copy_list *list);
void copies_add_more_loads(struct copy_list *list);
void copies_add_more_stores(struct copy_list *list);
void copies_add_im2col(struct copy_list *list);
void copies_add_im2col_stores(struct copy_list *list);
void copies_add_map_changes(struct copy_list *list);
void copies_add_edge_reductions(struct copy_list *list);
void copies_add_edge_images(struct copy_list *list);
void copies_add_slice_loads(struct copy_list *list);
void copies_add_slice_stores(struct copy_list *list);
void copies_add_slice_images(struct copy_list *list);
void copies_add_layout_images(struct copy_list *list);
void copies_add_layout_mixed(struct copy_list *list);
void copies_add_layout_changes(struct copy_list *list);

#endif
