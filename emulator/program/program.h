/*
 * program: a function of a module in the form that runs. Every operand is a
 * row of 32 lanes in the warp's register file, given by its byte offset:
 * registers, and also immediates, parameters, special registers and addresses
 * of variables, which are rows that are filled before the function runs and
 * never written by it. So a handler knows one kind of operand. Internal to
 * emulator/.
 *
 * Rows: 128 bytes for predicates (0 or -1 a lane), 8-, 16- and 32-bit values
 * (upper bits of narrow values are zero), 256 bytes for 64-bit values. Row 0 of
 * 256 bytes is a sink, so that offset 0 means "no operand". All offsets are
 * multiples of 128.
 *
 * Virtual registers that never live together share a row (linear scan over the
 * code in its order, live ranges stretched over backward branches), so that a
 * warp's file stays in the cache.
 */
#ifndef EMULATOR_PROGRAM_PROGRAM_H
#define EMULATOR_PROGRAM_PROGRAM_H

#include "emulator/language/module.h"
#include "emulator/program/operations.h"

struct warp;
struct instruction;

/* What a handler tells the loop that called it. */
enum step {
	STEP_NEXT,    /* go on with the instruction after this one */
	STEP_CHANGED, /* pc, mask or frame of the warp were changed: look there */
	STEP_WAITING, /* the warp waits for a barrier */
	STEP_STOPPED, /* a finding ends the launch: it is in the launch */
};
typedef enum step instruction_handler(struct warp *warp, const struct instruction *instruction);

/* Of a memory access: how the lanes' bytes become a row's. */
enum extension { EXTEND_ZERO, EXTEND_SIGN };

struct instruction {
	instruction_handler *run; /* filled when a launch chooses its lanes */
	uint32_t dst, a, b, c, d; /* rows; 0: none */
	uint32_t dst2;            /* the second result of d|p; 0: none */
	uint32_t guard;           /* predicate's row; 0: none */
	uint16_t operation;       /* enum operation */
	bool guard_negated;
	bool leader; /* a basic block begins here: target of a branch, after one, after a barrier */
	bool auxiliary; /* helps the instruction before or after it; not counted */
	uint8_t space;  /* enum ptx_space, of memory operations */
	/* Bytes of one element of a lane: 1, 2, 4, 8. The rows have 64-bit lanes when it is 8, else
	 * 32-bit lanes, which a load fills (extended). */
	uint8_t width;
	uint8_t vector;    /* elements of a lane: 1, 2, 4, 8 */
	uint8_t extension; /* enum extension */
	uint8_t kind;      /* enum atomic_kind, shuffle_kind, vote_kind … as the operation says */
	uint8_t type;      /* enum value_type, where a handler serves several (atomics, redux) */
	bool result_unused; /* an atom whose result nothing reads: the hardware makes a RED of it */
	bool sync_aligned;  /* barrier: .aligned, as bar.sync is */
	bool strong; /* load, store: relaxed, acquire or release, and so no race with others */
	bool narrow_address; /* memory: row a has 32-bit lanes (of shared or local memory) */
	uint32_t target;     /* instruction (bra), function (call), table (brx) */
	int64_t offset;      /* memory: bytes added to the address in row a */
	int64_t from_offset; /* OP_COPY: bytes added to the address in row b */
	uint32_t rows[8]; /* elements of a load's result or a store's source; a call's arguments are
			     in struct program_call */
	uint32_t statement; /* of the function: its text, line and source line */
};

/* A row that is the same before every run of the function. */
enum constant_kind {
	CONSTANT_BITS,      /* `bits` in every lane */
	CONSTANT_PARAMETER, /* `bytes` bytes at `bits` of the parameter block, extended as said */
	CONSTANT_SPECIAL, /* enum special_register: filled by the machine per launch, block, warp */
	CONSTANT_GLOBAL,  /* address of module variable `bits` (generic and global are the same) */
	CONSTANT_SHARED,  /* bits: offset in the block's shared memory (not a generic address) */
	CONSTANT_LOCAL,   /* bits: offset in the frame's local memory; the row has that of the
			     thread's   (not a generic address) */
	CONSTANT_FUNCTION, /* bits: index of a function; the row has 1 more, so that none is 0 */
};
struct program_constant {
	enum constant_kind kind;
	uint32_t row;
	bool wide; /* a 64-bit row */
	uint8_t bytes;
	uint8_t extension;
	uint64_t bits;
};

#define SPECIAL_REGISTER_LIST(X)                           \
	X(SPECIAL_TID_X, "%tid.x")                         \
	X(SPECIAL_TID_Y, "%tid.y")                         \
	X(SPECIAL_TID_Z, "%tid.z")                         \
	X(SPECIAL_NTID_X, "%ntid.x")                       \
	X(SPECIAL_NTID_Y, "%ntid.y")                       \
	X(SPECIAL_NTID_Z, "%ntid.z")                       \
	X(SPECIAL_CTAID_X, "%ctaid.x")                     \
	X(SPECIAL_CTAID_Y, "%ctaid.y")                     \
	X(SPECIAL_CTAID_Z, "%ctaid.z")                     \
	X(SPECIAL_NCTAID_X, "%nctaid.x")                   \
	X(SPECIAL_NCTAID_Y, "%nctaid.y")                   \
	X(SPECIAL_NCTAID_Z, "%nctaid.z")                   \
	X(SPECIAL_LANEID, "%laneid")                       \
	X(SPECIAL_WARPID, "%warpid")                       \
	X(SPECIAL_NWARPID, "%nwarpid")                     \
	X(SPECIAL_LANEMASK_EQ, "%lanemask_eq")             \
	X(SPECIAL_LANEMASK_LT, "%lanemask_lt")             \
	X(SPECIAL_LANEMASK_LE, "%lanemask_le")             \
	X(SPECIAL_LANEMASK_GT, "%lanemask_gt")             \
	X(SPECIAL_LANEMASK_GE, "%lanemask_ge")             \
	X(SPECIAL_DYNAMIC_SMEM_SIZE, "%dynamic_smem_size") \
	X(SPECIAL_TOTAL_SMEM_SIZE, "%total_smem_size") X(SPECIAL_WARP_SZ, "WARP_SZ")
enum special_register {
#define X(symbol, name) symbol,
	SPECIAL_REGISTER_LIST(X)
#undef X
};

/*
 * A call. Formal parameters live in the callee's local memory at parameter_offsets of its
 * struct program_function, results likewise; arguments are bytes of the caller's local memory
 * (its .param variables are local memory, too). Offsets count from the beginning of a frame.
 * Parameters begin every frame, each at a multiple of PARAMETER_SLOT_BYTES, so that an indirect
 * call knows where they are by their sizes alone. Accesses to them have PTX_SPACE_PARAM: local
 * memory that is not counted as such, since the hardware has it in registers.
 */
#define PARAMETER_SLOT_BYTES 16
struct program_call {
	uint32_t function; /* index; UINT32_MAX: indirect, index in row `pointer` */
	uint32_t pointer;
	struct {
		uint32_t from, to, bytes;
	} arguments[16], results[4];
	size_t argument_count, result_count;
};

struct program_function {
	const struct ptx_function *source;
	struct instruction *code;
	size_t code_count;
	uint32_t file_bytes; /* of a warp's register file for this function */
	struct program_constant *constants;
	size_t constant_count;
	struct program_call *calls; /* target of OP_CALL */
	size_t call_count;
	struct {
		uint32_t *targets;
		size_t count;
	} * tables; /* of OP_BRX */
	size_t table_count;
	int64_t local_bytes; /* a thread, for one frame: .local, .param variables and formal
				parameters */
	/* Of formal parameters: in local memory; of an entry: in the parameter block. */
	uint32_t *parameter_offsets;
	int64_t parameter_bytes; /* of an entry: of that block */
	int64_t shared_bytes;    /* of an entry: program_shared_static_bytes() */
	/* For program_dependence(): what its addresses and branches depend on, and what it puts
	 * into local, shared and global memory. */
	uint8_t decided_by, keeps[3];
};

/* The text of an instruction; of a function without any ("{}"), which only returns, empty. */
const struct ptx_statement *instruction_statement(const struct program_function *function,
						  const struct instruction *instruction);

/* A memory access whose address, or a branch whose condition, depends on what memory held. */
enum dependence {
	DEPENDS_ON_DATA = 1,   /* on a loaded value */
	DEPENDS_ON_ATOMIC = 2, /* on the result of an atomic */
};

struct ptx_program {
	const struct ptx_module *module;    /* borrowed */
	struct program_function *functions; /* as module->functions; undefined ones have no code */
	size_t function_count;
};

/* What stands in the way of running an entry. */
struct unsupported_feature {
	const char *function;
	const char *what; /* "opcode", "register", "directive", "operand", "size of" … */
	char *name;       /* "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16" */
	uint32_t line;    /* first of them, in the PTX */
	uint32_t count;
};
struct unsupported_features {
	struct unsupported_feature *items;
	size_t count, capacity;
};
void unsupported_features_release(struct unsupported_features *unsupported);
/* "opcode wmma.load.a.sync… (line 40, 3 times), register %clock64 (line 7)". */
void unsupported_features_text(struct text *out, const struct unsupported_features *unsupported);

/*
 * Decodes the function `name` and all that it calls; NULL: every function.
 * 0 with *out; PL_EUNSUPPORTED with *unsupported holding every opcode, register and
 * directive that cannot be run (not the first only); PL_EPARSE for operands
 * that make no sense; PL_ENOENT for an unknown name, with the entries there
 * are. `module` must outlive *out.
 */
int ptx_program_decode(struct ptx_program **out, const struct ptx_module *module, const char *name,
		       struct unsupported_features *unsupported, struct error *err);
void ptx_program_free(struct ptx_program *program);

/*
 * Bytes of static shared memory of an entry with everything it reaches, and
 * where dynamic shared memory begins (aligned as its declaration says).
 * CONSTANT_SHARED offsets follow the same layout: module scope, then function scope.
 */
int64_t program_shared_static_bytes(const struct ptx_program *program, const char *entry);

/* What the addresses and branches of an entry depend on (bits of enum dependence), by following
 * values from loads and atomics through registers and memory: for block sampling. */
unsigned program_dependence(const struct ptx_program *program, const char *entry);

#endif
