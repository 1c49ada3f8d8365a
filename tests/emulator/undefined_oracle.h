/* The state of the oracle, which its two files share: threads in undefined_oracle.c, and what lanes
 * of a warp do together in undefined_warps.c. */
#ifndef TESTS_EMULATOR_UNDEFINED_ORACLE_H
#define TESTS_EMULATOR_UNDEFINED_ORACLE_H

#include <setjmp.h>

#include "undefined_values.h"

/* The origin of a register that nobody has written. The other bits of `from` are reads. */
#define FROM_REGISTER (UINT64_C(1) << MOST_ORIGINS)

struct oracle_bytes {
	unsigned char *data, *undefined;
};

struct oracle_thread {
	struct bits_value registers[CLASS_COUNT][MOST_REGISTERS];
	unsigned char local[UNDEFINED_SLOT], local_undefined[UNDEFINED_SLOT];
	enum undefined_base computed_base;
	uint64_t computed_offset, computed_undefined, computed_from;
};

struct oracle {
	const struct undefined_program *program;
	struct undefined_verdict *verdict;
	struct oracle_thread threads[UNDEFINED_WARPS * 32];
	unsigned block, warp;
	unsigned char shared[UNDEFINED_WARPS * 32 * UNDEFINED_SLOT];
	unsigned char shared_undefined[UNDEFINED_WARPS * 32 * UNDEFINED_SLOT];
	unsigned char in_undefined[UNDEFINED_THREADS * UNDEFINED_SLOT]; /* never */
	/* Reads that have given undefined bits, by bit of `from`. */
	struct {
		const char *kind;
		uint32_t line;
	} sites[MOST_ORIGINS];
	unsigned site_count;
	jmp_buf end; /* with the verdict */
};

struct oracle_thread *oracle_lane(struct oracle *oracle, unsigned lane);
struct bits_value oracle_read(const struct oracle_thread *thread,
			      const struct undefined_operand *operand);
void oracle_write(struct oracle_thread *thread, const struct undefined_operand *operand,
		  struct bits_value value);
/* `bytes` bytes of the access of a lane, after the use of its address. */
struct oracle_bytes oracle_place(struct oracle *oracle, const struct undefined_node *node,
				 unsigned lane, int64_t offset, unsigned bytes);
struct bits_value oracle_load(struct oracle_bytes at, unsigned bytes, uint64_t from);
void oracle_store(struct oracle_bytes at, unsigned bytes, struct bits_value value);
uint64_t oracle_site(struct oracle *oracle, const char *kind, uint32_t line);
const char *oracle_read_kind(const struct undefined_node *node);
/* The value is used at the line: if it is undefined, the verdict is known. */
void oracle_use(struct oracle *oracle, uint64_t undefined, uint64_t from, uint32_t line);
void oracle_invalid(struct oracle *oracle);

/* An operation of several lanes of the warp. False: the node is none. */
bool oracle_warp_wide(struct oracle *oracle, const struct undefined_node *node, uint32_t mask);

#endif
