/*
 * operations: everything that a lane can do.
 *
 * Arithmetic operations are the rows of alu.def: mnemonic, types and an expression per opcode. The
 * decoder, the handlers, `perflab check` and the opcode tests are all generated from these rows.
 * Operations that need more than their operands are in CONTROL_OPERATION_LIST; program/ decodes
 * each of them by hand.
 */
#ifndef EMULATOR_PROGRAM_OPERATIONS_H
#define EMULATOR_PROGRAM_OPERATIONS_H

#include <stdint.h>

/* Types in alu.def: name, C type, width in PTX in bits (1: predicate). */
/* clang-format off */
#define VALUE_TYPE_LIST(X) \
	X(pred, int32_t, 1)   \
	X(u8, uint8_t, 8)     \
	X(s8, int8_t, 8)      \
	X(u16, uint16_t, 16)  \
	X(s16, int16_t, 16)   \
	X(b16, uint16_t, 16)  \
	X(u32, uint32_t, 32)  \
	X(s32, int32_t, 32)   \
	X(b32, uint32_t, 32)  \
	X(f32, float, 32)     \
	X(u64, uint64_t, 64)  \
	X(s64, int64_t, 64)   \
	X(b64, uint64_t, 64)  \
	X(f64, double, 64)
/* clang-format on */
enum value_type {
#define X(name, c_type, width) TYPE_##name,
	VALUE_TYPE_LIST(X)
#undef X
};

/* Symbol, meaning. */
#define CONTROL_OPERATION_LIST(X)                                                                  \
	X(OP_BRA, "branch to target; the guard is the condition; also bra.uni")                    \
	X(OP_BRX, "branch to table[a]")                                                            \
	X(OP_CALL, "call")                                                                         \
	X(OP_RET, "return; in an entry: exit")                                                     \
	X(OP_EXIT, "exit")                                                                         \
	X(OP_TRAP, "trap: a finding")                                                              \
	X(OP_BARRIER, "bar.sync, barrier.sync: a barrier id, b thread count (0: all)")             \
	X(OP_BARRIER_REDUCE, "bar.red: kind popc, and, or; a, b as OP_BARRIER, c predicate")       \
	X(OP_BARRIER_ARRIVE, "bar.arrive: a, b as OP_BARRIER")                                     \
	X(OP_CLUSTER_ARRIVE, "barrier.cluster.arrive")                                             \
	X(OP_CLUSTER_WAIT, "barrier.cluster.wait")                                                 \
	X(OP_CLUSTER_ADDRESS, "mapa: dst <- address a in the block of rank b; getctarank: dst <- " \
			      "rank of address a; isspacep.shared: is it of the own block; kind")  \
	X(OP_WARP_BARRIER, "bar.warp.sync: a member mask")                                         \
	X(OP_FENCE, "membar, fence: orders accesses for the race check; kind: enum fence_kind")    \
	X(OP_NOTHING, "nanosleep, prefetch and others without effect")                             \
	X(OP_DISCARD, "discard.L2: the 128 bytes at a + offset in global memory")                  \
	X(OP_SHUFFLE, "shfl.sync: a value, b lane or delta, c clamp, d member mask")               \
	X(OP_VOTE, "vote.sync: a predicate, d member mask")                                        \
	X(OP_MATCH, "match.sync: a value (type), d member mask")                                   \
	X(OP_REDUX, "redux.sync: a value, d member mask, kind: enum atomic_kind")                  \
	X(OP_ACTIVE_MASK, "activemask")                                                            \
	X(OP_ELECT, "elect.sync: d member mask")                                                   \
	X(OP_UNDEFINED, "dst, of width bits, has not been written; target: its value in the "      \
			"decoder")                                                                 \
	X(OP_LOAD, "ld, ldu in space: rows <- [a + offset]")                                       \
	X(OP_STORE, "st in space: [a + offset] <- rows; st.async: signals mbarrier "               \
		    "[d + from_offset]")                                                           \
	X(OP_ATOMIC, "atom, red in space: dst <- [a + offset]; kind; b, c operands; red.async: "   \
		     "as st.async")                                                                \
	X(OP_COPY, "cp.async: shared [a + offset] <- global [b + from_offset]; c bytes to read, "  \
		   "d predicate: read none")                                                       \
	X(OP_COPY_COMMIT, "cp.async.commit_group")                                                 \
	X(OP_COPY_WAIT,                                                                            \
	  "cp.async.wait_group: offset is the number of groups that may be pending; wait_all: -1") \
	X(OP_BULK_COPY, "cp.async.bulk: bulk_copies[target]")                                      \
	X(OP_BULK_REDUCE, "cp.reduce.async.bulk: bulk_copies[target]")                             \
	X(OP_BULK_COMMIT, "cp.async.bulk.commit_group")                                            \
	X(OP_BULK_WAIT,                                                                            \
	  "cp.async.bulk.wait_group: offset is the number of groups that may be pending")          \
	X(OP_MAP_REPLACE, "tensormap.replace: map [a + offset], b the new value, target its "      \
			  "ordinal; kind: enum tensor_field")                                      \
	X(OP_MAP_COPY,                                                                             \
	  "tensormap.cp_fenceproxy: global [b + from_offset] <- shared [a + offset], "             \
	  "and a release")                                                                         \
	X(OP_MAP_FENCE, "fence.proxy.tensormap::generic: acquire of map [a + offset], or release " \
			"(a is 0)")                                                                \
	X(OP_MBARRIER, "mbarrier.*: dst <- object [a + offset], b its operand; kind")              \
	X(OP_TEXTURE, "tex, tld4: rows 0 to 3 <- texture a at coordinates in rows 4 to 7")         \
	X(OP_TEXTURE_QUERY, "txq, suq: dst <- a property of texture or surface a; kind")           \
	X(OP_SURFACE_LOAD, "suld.b: rows 0 to 3 <- surface a at coordinates in rows 4 to 7")       \
	X(OP_SURFACE_STORE, "sust.b, sust.p: surface a at rows 4 to 7 <- rows 0 to 3")             \
	X(OP_SURFACE_REDUCE, "sured.b, sured.p: an atomic of that kind on surface a with row 0")   \
	X(OP_CLOCK, "dst <- %clock, %globaltimer …; kind: enum clock_kind")                        \
	X(OP_ALLOCA, "alloca: dst <- address of a bytes of local memory, aligned to offset")       \
	X(OP_STACK_SAVE, "stacksave: dst <- where the next alloca begins")                         \
	X(OP_STACK_RESTORE, "stackrestore: a value of stacksave")                                  \
	X(OP_MALLOC, "malloc: dst <- address of a bytes")                                          \
	X(OP_FREE, "free: a address")                                                              \
	X(OP_MATRIX_LOAD,                                                                          \
	  "ldmatrix: rows[0..3] <- shared [a + offset], 16 bytes per lane; results "               \
	  "rows[4..7]; kind: matrices")                                                            \
	X(OP_MATRIX_STORE, "stmatrix: shared [a + offset] <- rows[0..3]; sources rows[4..7]")      \
	X(OP_MATRIX_TRANSPOSE, "movmatrix: a matrix")                                              \
	X(OP_MATRIX_PRODUCT, "mma.sync: products[target]")                                         \
	X(OP_GROUP_PRODUCT, "wgmma.mma_async: group_products[target]; a, b descriptors of A and "  \
			    "B in shared memory (a is 0: A is in registers), c: add to D")         \
	X(OP_GROUP_FENCE, "wgmma.fence")                                                           \
	X(OP_GROUP_COMMIT, "wgmma.commit_group")                                                   \
	X(OP_GROUP_WAIT, "wgmma.wait_group: offset is the number of groups that may be pending")   \
	X(OP_PRINT, "vprintf: a format, b arguments")                                              \
	X(OP_ASSERT_FAIL, "__assertfail: a message, b file, c line (32 bits), d function")

/* Lists for the rows of alu.def and its aliases. */
/* clang-format off */
#define EACH_INTEGER(X)                                             \
	X(U8, u8, unsigned) X(S8, s8, signed)                       \
	X(U16, u16, unsigned) X(S16, s16, signed)                   \
	X(U32, u32, unsigned) X(S32, s32, signed)                   \
	X(U64, u64, unsigned) X(S64, s64, signed)
#define EACH_ROUNDING(X) X(RN, "rn") X(RZ, "rz") X(RM, "rm") X(RP, "rp")
#define EACH_INTEGRAL_ROUNDING(X) X(RNI, "rni") X(RZI, "rzi") X(RMI, "rmi") X(RPI, "rpi")
#define EACH_COMPARISON(X)                                          \
	X(EQ, "eq") X(NE, "ne") X(LT, "lt") X(LE, "le") X(GT, "gt") X(GE, "ge") \
	X(EQU, "equ") X(NEU, "neu") X(LTU, "ltu") X(LEU, "leu") X(GTU, "gtu") X(GEU, "geu") \
	X(NUM, "num") X(NAN, "nan")
/* clang-format on */

enum operation {
#define X(symbol, meaning) symbol,
	CONTROL_OPERATION_LIST(X)
#undef X
#define UNARY(symbol, mnemonic, d, a, expression) ALU_##symbol,
#define BINARY(symbol, mnemonic, d, a, b, expression) ALU_##symbol,
#define TERNARY(symbol, mnemonic, d, a, b, c, expression) ALU_##symbol,
#define QUATERNARY(symbol, mnemonic, r, a, b, c, d, expression) ALU_##symbol,
#include "emulator/program/alu.def"
#undef UNARY
#undef BINARY
#undef TERNARY
#undef QUATERNARY
		OPERATION_COUNT
};

enum atomic_kind {
	ATOMIC_ADD,
	ATOMIC_MIN,
	ATOMIC_MAX,
	ATOMIC_AND,
	ATOMIC_OR,
	ATOMIC_XOR,
	ATOMIC_EXCH,
	ATOMIC_CAS,
	ATOMIC_INC,
	ATOMIC_DEC,
	ATOMIC_ADD_F16, /* one (TYPE_b16) or a pair (TYPE_b32) */
	ATOMIC_ADD_BF16,
	ATOMIC_MIN_F16, /* from here on of vectors and OP_BULK_REDUCE only */
	ATOMIC_MIN_BF16,
	ATOMIC_MAX_F16,
	ATOMIC_MAX_BF16,
	ATOMIC_ADD_FTZ, /* OP_BULK_REDUCE only: f32, flushes subnormals */
};
enum shuffle_kind { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BUTTERFLY, SHUFFLE_INDEX };
enum vote_kind { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT };
enum match_kind { MATCH_ANY, MATCH_ALL };
/* Added to the number of matrices that ldmatrix or stmatrix moves. */
#define MATRIX_TRANSPOSED 8
enum copy_kind { COPY_THROUGH_L1, COPY_PAST_L1 };
/* NONE: of a proxy other than the asynchronous one. */
/* FENCE_ACQUIRE: the second half of an access that acquires. */
enum fence_kind { FENCE_NONE, FENCE_BLOCK, FENCE_DEVICE, FENCE_ASYNC_PROXY, FENCE_ACQUIRE };
/* What OP_MBARRIER does: one of these, with flags. */
enum mbarrier_kind {
	MBARRIER_INIT,
	MBARRIER_INVAL,
	MBARRIER_EXPECT,
	MBARRIER_COMPLETE,
	MBARRIER_ARRIVE,
	MBARRIER_ARRIVE_EXPECT,
	MBARRIER_COPIES, /* cp.async.mbarrier.arrive */
	MBARRIER_TEST,
	MBARRIER_PENDING, /* needs no object */
	MBARRIER_KINDS = 15,
	MBARRIER_NO_COMPLETE = 16,
	MBARRIER_DROP = 32,
	MBARRIER_PARITY = 64, /* the operand is a parity, not a state */
	MBARRIER_NO_INCREMENT = 128,
};
/* What OP_CLUSTER_ADDRESS gives. */
enum cluster_address_kind { CLUSTER_MAP, CLUSTER_RANK, CLUSTER_IS_OWN };
enum barrier_kind { BARRIER_POPC, BARRIER_AND, BARRIER_OR };
/* The coordinates of a texture or surface instruction. The `A` ones begin with a layer. */
enum texture_geometry {
	GEOMETRY_1D,
	GEOMETRY_2D,
	GEOMETRY_3D,
	GEOMETRY_A1D,
	GEOMETRY_A2D,
	GEOMETRY_CUBE,
	GEOMETRY_ACUBE,
};
enum texture_kind {
	TEXTURE_SAMPLE,
	/* tld4: one channel of the four texels that a linear filter would read */
	TEXTURE_GATHER_R,
	TEXTURE_GATHER_G,
	TEXTURE_GATHER_B,
	TEXTURE_GATHER_A,
};
enum texture_query { QUERY_WIDTH, QUERY_HEIGHT, QUERY_DEPTH };
/* What an access outside of a surface does: nothing is stored and 0 is loaded, the nearest texel is
 * accessed, or the launch ends. */
enum surface_bounds { SURFACE_ZERO, SURFACE_CLAMP, SURFACE_TRAP };
enum clock_kind { CLOCK_LOW, CLOCK_HIGH, CLOCK_WHOLE }; /* bits 0 to 31, 32 to 63, all */

/* One row of alu.def. */
struct alu_row {
	const char *symbol, *mnemonic; /* mnemonic "": auxiliary, without a PTX name */
	int operands;                  /* 1 to 4 */
	uint8_t types[5];              /* enum value_type: result, a, b, c, d */
};
/* Returns NULL for control operations. */
const struct alu_row *alu_row_of(enum operation operation);
/*
 * Finds an arithmetic operation by mnemonic. Modifiers may come in any order, and aliases of
 * alu_aliases.def apply ("add.f32" is "add.rn.f32"). Returns OPERATION_COUNT if there is none.
 */
enum operation alu_find(const char *mnemonic);

/*
 * How a video instruction (vadd, vmad, vset4 and so on) is encoded. The rows of alu_integer.def for
 * them take a control word as their last operand, which holds everything that the modifiers say.
 * decode_video.c writes it, lanes/alu_video.h reads it.
 */
enum video_operation {
	VIDEO_ADD,
	VIDEO_SUB,
	VIDEO_ABSDIFF,
	VIDEO_MIN,
	VIDEO_MAX,
	VIDEO_SHL,
	VIDEO_SHR,
	VIDEO_MAD,
	VIDEO_SET,
	VIDEO_AVRG,
};
/* What happens with the result and operand c. */
enum video_second { SECOND_NONE, SECOND_ADD, SECOND_MIN, SECOND_MAX };
/* The part of a register that a scalar instruction reads or writes. */
enum video_part { PART_ALL, PART_B0, PART_B1, PART_B2, PART_B3, PART_H0, PART_H1 };
enum video_compare { COMPARE_EQ, COMPARE_NE, COMPARE_LT, COMPARE_LE, COMPARE_GT, COMPARE_GE };

/* Fields of the control word: the lowest bit and the mask of the value. */
#define VIDEO_FIELD_LIST(X)                                                                  \
	X(OPERATION, 0, 15)    /* enum video_operation */                                    \
	X(SIGNED_RESULT, 4, 1) /* .s32 */                                                    \
	X(SIGNED_A, 5, 1)                                                                    \
	X(SIGNED_B, 6, 1)                                                                    \
	X(SATURATES, 7, 1)                                                                   \
	X(SECOND, 8, 3)     /* enum video_second */                                          \
	X(COMPARE, 10, 7)   /* enum video_compare */                                         \
	X(PART_OF_A, 13, 7) /* enum video_part; scalar instructions, as the next five */     \
	X(PART_OF_B, 16, 7)                                                                  \
	X(PART_OF_RESULT, 19, 7)                                                             \
	X(WRAPS, 22, 1)  /* a shift by b modulo 32, else by at most 32 */                    \
	X(SHIFT, 23, 15) /* vmad: 0, 7 or 15 */                                              \
	X(NEGATES_PRODUCT, 27, 1)                                                            \
	X(NEGATES_C, 28, 1)                                                                  \
	X(PLUS_ONE, 29, 1)  /* vmad.po */                                                    \
	X(MASK, 30, 15)     /* SIMD: a bit for each part of the result that is written */    \
	X(FROM_A, 34, 4095) /* SIMD: 3 bits for each part: its number in a and b together */ \
	X(FROM_B, 46, 4095)

enum video_field {
#define X(name, shift, mask) VIDEO_##name##_AT = shift,
	VIDEO_FIELD_LIST(X)
#undef X
};
enum video_mask {
#define X(name, shift, mask) VIDEO_##name##_MASK = mask,
	VIDEO_FIELD_LIST(X)
#undef X
};
#define VIDEO_GET(control, name) \
	((uint32_t)((control) >> VIDEO_##name##_AT) & (uint32_t)VIDEO_##name##_MASK)
#define VIDEO_PUT(name, value) ((uint64_t)(value) << VIDEO_##name##_AT)

#endif
