/*
 * Random PTX kernels with a second opinion on their undefined values (docs/undefined-values.md).
 *
 * A program is a tree of operations. undefined_text.c writes it as PTX, undefined_oracle.c executes
 * it thread by thread with one bit of definedness for each bit of data, and undefined_random.c
 * makes random programs. The oracle follows the text of the rule and shares no code with the
 * emulator.
 *
 * Each thread owns UNDEFINED_SLOT bytes of local memory, of shared memory and of the buffers `out`
 * (which nobody has written) and `in`. It reads those of other threads only in segments in which
 * nobody writes, with a barrier before and after. So no program has a race. A program runs as one
 * launch, or as two, between which `out` keeps its bytes; the first word of a slot of `in` says
 * which launch it is.
 */
#ifndef TESTS_EMULATOR_UNDEFINED_PROGRAM_H
#define TESTS_EMULATOR_UNDEFINED_PROGRAM_H

#include "base/base.h"

#define UNDEFINED_SLOT 64
#define UNDEFINED_WORDS (UNDEFINED_SLOT / 4)
#define UNDEFINED_WARPS 3
#define UNDEFINED_BLOCKS 2
#define UNDEFINED_THREADS (UNDEFINED_WARPS * 32 * UNDEFINED_BLOCKS)

/* Registers of 1, 16, 32 and 64 bits, and sums of mma, whose values are exact. */
enum undefined_class { CLASS_P, CLASS_H, CLASS_R, CLASS_D, CLASS_F, CLASS_COUNT };
static const unsigned class_bits[CLASS_COUNT] = {1, 16, 32, 64, 32};
static const unsigned class_registers[CLASS_COUNT] = {6, 4, 10, 4, 6};
#define MOST_REGISTERS 10

/* %r0 is %tid.x. */
struct undefined_operand {
	bool immediate;
	enum undefined_class of;
	unsigned index;
	int64_t value;
};

/* The bases of addresses: slots of the thread itself, of other threads of the block, and of the
 * other block; BASE_COMPUTED is what the latest DO_ADDRESS computed. */
enum undefined_base {
	BASE_LOCAL,
	BASE_SHARED,
	BASE_SHARED_NEXT,
	BASE_SHARED_WARP, /* of the thread 32 on */
	BASE_OUT,
	BASE_OUT_NEXT,
	BASE_OUT_BLOCK,
	BASE_IN,
	BASE_COMPUTED,
	BASE_COUNT,
};
enum undefined_space { IN_LOCAL, IN_SHARED, IN_OUT, IN_IN };

/*
 * Operations of one instruction of the form NAME d, s0, s1 …: symbol, how PTX writes it after which
 * "b16", "b32" or "b64" is set in for a %u, number of sources, class of the result (or, with
 * CLASS_COUNT, that of the operation), and sources that are of CLASS_R whatever the operation is.
 */
#define SIMPLE_LIST(X)                                      \
	X(DO_MOV, "mov.b%u", 1, CLASS_COUNT, 0)             \
	X(DO_AND, "and.b%u", 2, CLASS_COUNT, 0)             \
	X(DO_OR, "or.b%u", 2, CLASS_COUNT, 0)               \
	X(DO_XOR, "xor.b%u", 2, CLASS_COUNT, 0)             \
	X(DO_NOT, "not.b%u", 1, CLASS_COUNT, 0)             \
	X(DO_SHL, "shl.b%u", 2, CLASS_COUNT, 2)             \
	X(DO_SHR_U, "shr.u%u", 2, CLASS_COUNT, 2)           \
	X(DO_SHR_S, "shr.s%u", 2, CLASS_COUNT, 2)           \
	X(DO_ADD, "add.s%u", 2, CLASS_COUNT, 0)             \
	X(DO_SUB, "sub.s%u", 2, CLASS_COUNT, 0)             \
	X(DO_NEG, "neg.s%u", 1, CLASS_COUNT, 0)             \
	X(DO_MUL, "mul.lo.s%u", 2, CLASS_COUNT, 0)          \
	X(DO_MAD, "mad.lo.s%u", 3, CLASS_COUNT, 0)          \
	X(DO_MIN, "min.u%u", 2, CLASS_COUNT, 0)             \
	X(DO_SETP_EQ, "setp.eq.u%u", 2, CLASS_P, 0)         \
	X(DO_SETP_LT, "setp.lt.s%u", 2, CLASS_P, 0)         \
	/* of 32 and 64 bits */                             \
	X(DO_BFE_U, "bfe.u%u", 3, CLASS_COUNT, 6)           \
	X(DO_BFE_S, "bfe.s%u", 3, CLASS_COUNT, 6)           \
	X(DO_BFI, "bfi.b%u", 4, CLASS_COUNT, 12)            \
	X(DO_BREV, "brev.b%u", 1, CLASS_COUNT, 0)           \
	X(DO_POPC, "popc.b%u", 1, CLASS_R, 0)               \
	/* of 32 bits */                                    \
	X(DO_SHF_L, "shf.l.wrap.b%u", 3, CLASS_COUNT, 0)    \
	X(DO_SHF_R, "shf.r.clamp.b%u", 3, CLASS_COUNT, 0)   \
	X(DO_LOP3, "lop3.b%u", 4, CLASS_COUNT, 0)           \
	X(DO_PRMT, "prmt.b%u", 3, CLASS_COUNT, 0)           \
	X(DO_SZEXT_U, "szext.clamp.u%u", 2, CLASS_COUNT, 0) \
	X(DO_SZEXT_S, "szext.wrap.s%u", 2, CLASS_COUNT, 0)  \
	X(DO_BMSK, "bmsk.clamp.b%u", 2, CLASS_COUNT, 0)     \
	X(DO_MUL_WIDE, "mul.wide.u%u", 2, CLASS_D, 0)       \
	X(DO_FADD, "add.f%u", 2, CLASS_COUNT, 0)            \
	X(DO_TO_FLOAT, "cvt.rn.f%u.u32", 1, CLASS_COUNT, 0) \
	/* with a predicate as the last source */           \
	X(DO_SELP, "selp.b%u", 3, CLASS_COUNT, 0)           \
	/* of predicates */                                 \
	X(DO_PMOV, "mov.pred", 1, CLASS_P, 0)               \
	X(DO_PNOT, "not.pred", 1, CLASS_P, 0)               \
	X(DO_PAND, "and.pred", 2, CLASS_P, 0)               \
	X(DO_POR, "or.pred", 2, CLASS_P, 0)                 \
	X(DO_PXOR, "xor.pred", 2, CLASS_P, 0)

enum undefined_op {
#define X(symbol, name, sources, result, narrow) symbol,
	SIMPLE_LIST(X)
#undef X
		SIMPLE_COUNT,
	DO_CVT = SIMPLE_COUNT, /* from from_bits to to_bits, signed or not, saturating */
	DO_PACK,               /* two sources of half the width */
	DO_UNPACK,             /* into two of half the width */
	DO_LOAD,               /* `count` elements of `bytes` bytes, at base + offset */
	DO_STORE,
	DO_ADDRESS, /* BASE_COMPUTED: base + (s[0] & mask) */
	DO_ATOMIC,  /* atom.add of 32 bits */
	DO_REDUCE,  /* red.add of 32 bits */
	DO_COPY,    /* cp.async of `bytes` bytes from base + offset to the shared slot + mask */
	DO_SHUFFLE, /* of the lanes for which s[2] holds; s[1]: the lane; mask: the clamp */
	DO_VOTE,
	DO_REDUX,
	DO_CALL,     /* function number `mask` */
	DO_MMA8,     /* m8n8k16 of s8: s[0] A, s[1] B, s[2] and s[3] C */
	DO_MMA16,    /* m16n8k32 of s8: s[0…3] A, s[4], s[5] B, s[6…9] C */
	DO_MMA_HALF, /* m16n8k16 of f16 with sums of CLASS_F, as DO_MMA16 */
	DO_LDMATRIX, /* `count` matrices of the slots in shared memory; is_signed: transposed */
	DO_STMATRIX, /* the same */
	DO_MOVMATRIX,
	DO_IF,
	DO_LOOP, /* s[0] & 3 times, at least once */
	DO_COUNT,
};

struct undefined_node {
	enum undefined_op op;
	enum undefined_class of;
	bool guarded, guard_not;
	unsigned guard; /* predicate */
	struct undefined_operand d[4], s[10];
	unsigned count;
	unsigned bytes, from_bits, to_bits;
	bool is_signed, to_signed, saturates;
	enum undefined_base base;
	enum undefined_space space;
	bool generic;
	int64_t offset, mask;
	struct undefined_node *then, *otherwise; /* of DO_IF; `then` is the body of DO_LOOP */
	size_t then_count, else_count;
	uint32_t line; /* in the PTX; of several instructions, the first one's */
};

struct undefined_segment {
	struct undefined_node *nodes;
	size_t count;
};
#define MOST_SEGMENTS 4
struct undefined_program {
	uint64_t seed;
	unsigned warps, blocks, launches;
	/* By launch. A barrier stands between segments. */
	struct undefined_segment segments[2][MOST_SEGMENTS];
	unsigned segment_count[2];
	uint32_t in[UNDEFINED_THREADS * UNDEFINED_WORDS];
};

void undefined_random(struct undefined_program *out, uint64_t seed);
void undefined_release(struct undefined_program *program);
/* Removes parts of the program for as long as `fails` holds for the rest. */
void undefined_shrink(struct undefined_program *program,
		      bool (*fails)(void *context, struct undefined_program *program),
		      void *context);

/* Appends the PTX, with the parameters of MACHINE_ENTRY, and sets the lines of all nodes. */
void undefined_text(struct text *out, struct undefined_program *program);
/* The line of the branch in function FUNCTION_BRANCHES. */
#define FUNCTION_COPIES 0   /* returns its first argument */
#define FUNCTION_STORES 1   /* the same, by way of local memory */
#define FUNCTION_JOINS 2    /* the low halves of both */
#define FUNCTION_BRANCHES 3 /* the second one if bit 0 of the first one is set, else 7 */
#define FUNCTION_COUNT 4
extern const uint32_t undefined_branch_line;

#define MOST_ORIGINS 63
struct undefined_verdict {
	bool invalid;      /* the program accesses memory that it must not */
	bool uses;         /* an undefined value is used; then nothing after that is known */
	uint32_t use_line; /* of the PTX */
	/* The findings that this use may be, each with a kind ("uninitialised register") and a line
	 * of the PTX. */
	struct {
		const char *kind;
		uint32_t line;
	} origins[MOST_ORIGINS + 1];
	size_t origin_count;
	/* For a program without a use: `out`, and which of its bits are undefined. */
	unsigned char out[UNDEFINED_THREADS * UNDEFINED_SLOT];
	unsigned char undefined[UNDEFINED_THREADS * UNDEFINED_SLOT];
};
void undefined_judge(struct undefined_verdict *out, const struct undefined_program *program);

#endif
