/*
 * program: decoded functions of a module, in the form that the machine executes. Internal to
 * emulator/.
 *
 * Every operand is a row in the warp's register file, given by its byte offset. A row holds one
 * value for each of the 32 lanes. Registers are rows. Immediates, parameters, special registers and
 * addresses of variables are rows too: the machine fills them before the function runs, and no
 * instruction writes them. So a handler deals with one kind of operand only.
 *
 * A row has 128 bytes for predicates (0 or -1 per lane) and for 8-, 16- and 32-bit values, and 256
 * bytes for 64-bit values. The upper bits of narrow values are zero. All offsets are multiples of
 * 128. The first 256 bytes are a sink, so that offset 0 can mean "no operand".
 *
 * Virtual registers that are never live at the same time share a row, so that the register file of
 * a warp stays in the cache (linear scan over the code; live ranges extend over backward branches).
 */
#ifndef EMULATOR_PROGRAM_PROGRAM_H
#define EMULATOR_PROGRAM_PROGRAM_H

#include "emulator/language/module.h"
#include "emulator/program/operations.h"

struct warp;
struct instruction;

/* What a handler returns to the loop that called it. */
enum step {
	STEP_NEXT,    /* continue with the next instruction */
	STEP_CHANGED, /* the handler changed the warp's pc, mask or frame: read them again */
	STEP_WAITING, /* the warp waits at a barrier */
	STEP_STOPPED, /* a finding, stored in the launch, ends the launch */
};
typedef enum step instruction_handler(struct warp *warp, const struct instruction *instruction);

/* How a load extends narrow values to a lane of the row. */
enum extension { EXTEND_ZERO, EXTEND_SIGN };

struct instruction {
	instruction_handler *run; /* set when a launch chooses its set of lanes */
	/* Executes a series of instructions that begins with this one; `next` is behind it. The
	 * same as `run`, and one instruction, unless machine/series.h joined some. */
	instruction_handler *run_series;
	const struct instruction *next;
	const struct chain_link *links; /* of a chain; machine/series.h */
	uint32_t link_count;
	uint32_t dst, a, b, c, d; /* rows; 0: none */
	uint32_t dst2;            /* the second result of d|p; 0: none */
	uint32_t guard;           /* the predicate's row; 0: none */
	uint16_t operation;       /* enum operation */
	bool guard_negated;
	bool leader;    /* a basic block begins here: branch target, after a branch or barrier */
	bool auxiliary; /* a step of the instruction before or after it; not counted */
	uint8_t space;  /* of memory operations: enum ptx_space */
	/* Bytes of one element of a lane: 1, 2, 4 or 8. The rows have 64-bit lanes if it is 8, else
	 * 32-bit lanes; a load extends narrower elements. */
	uint8_t width;
	uint8_t vector;    /* elements per lane: 1, 2, 4 or 8 */
	uint8_t extension; /* enum extension; surfaces: enum surface_bounds */
	uint8_t kind;      /* enum atomic_kind, shuffle_kind, vote_kind and so on */
	uint8_t type; /* enum value_type, where one handler serves several types (atomics, redux) */
	bool result_unused; /* an atom whose result is never read: a RED in hardware */
	uint8_t unread;     /* mask of the elements of a load that nothing reads; see liveness.h */
	bool sync_aligned;  /* barrier: .aligned, which bar.sync implies */
	/* Load, store: relaxed, acquire or release, which is atomic to the race check; mbarrier:
	 * other than relaxed, which orders memory. */
	bool strong;
	/* Load, store, atomic: volatile or mmio (races_shared.h and races_global.h say when that is
	 * atomic); and the scope is the block, so that it is atomic among threads of one block
	 * only. */
	bool is_volatile, of_block;
	/* Load: its value is a guess, which an atomic confirms or corrects. known_addresses.c */
	bool guess;
	/* Load, store, atomic in shared memory: it is for the window shared::cluster. */
	bool of_cluster;
	bool narrow_address;  /* memory: row a has 32-bit lanes (shared or local memory) */
	bool writes_fragment; /* writes a register that an OP_GROUP_PRODUCT reads or writes */
	uint8_t geometry;     /* of textures and surfaces: enum texture_geometry */
	/* A texture's coordinates are integers, or a surface's x counts texels, not bytes. */
	bool texel_coordinates;
	uint32_t target; /* bra: instruction; call: index in calls; brx: index in tables */
	/* Memory: 1 more than the index in shared_variables of the one that every address must lie
	 * in; 0: none is known. known_addresses.c */
	uint32_t shared_variable;
	int64_t offset;      /* memory: bytes added to the address in row a */
	int64_t from_offset; /* OP_COPY: bytes added to the address in row b */
	/* Elements of a load's result or a store's source. OP_MATRIX_LOAD and OP_MATRIX_STORE have
	 * those of memory first. Textures and surfaces have theirs in
	 * the first four, and their coordinates in the others. An atomic on a vector has operands
	 * in the first four, and results in the others. One on 128 bits is on a vector of two
	 * halves, as a whole. */
	uint32_t rows[8];
#define TEXTURE_COORDINATES 4
#define ATOMIC_RESULTS 4
	uint32_t statement; /* index in the function: its text, line and source line */
};

/* A row whose content the function never changes. */
enum constant_kind {
	/* `bits` in every lane. */
	CONSTANT_BITS,
	/* `bytes` bytes at offset `bits` of the parameter block, extended as `extension` says. */
	CONSTANT_PARAMETER,
	/* bits: enum special_register. The machine fills the row per launch, block or warp. */
	CONSTANT_SPECIAL,
	/* The address of module variable number `bits`. Global and generic addresses are equal. */
	CONSTANT_GLOBAL,
	/* bits: offset in the block's shared memory. Not a generic address. */
	CONSTANT_SHARED,
	/* bits: offset in the frame's local memory. The row has the offset in the thread's local
	 * memory. Not a generic address. */
	CONSTANT_LOCAL,
	/* bits: index of a function. The row has 1 more, so that no function has address 0. */
	CONSTANT_FUNCTION,
};
struct program_constant {
	enum constant_kind kind;
	uint32_t row;
	bool wide; /* the row has 64-bit lanes */
	uint8_t bytes;
	uint8_t extension;
	uint64_t bits;
};

#define SPECIAL_XYZ(X, symbol, name)       \
	X(SPECIAL_##symbol##_X, name ".x") \
	X(SPECIAL_##symbol##_Y, name ".y") \
	X(SPECIAL_##symbol##_Z, name ".z")
#define SPECIAL_REGISTER_LIST(X)                                 \
	SPECIAL_XYZ(X, TID, "%tid")                              \
	SPECIAL_XYZ(X, NTID, "%ntid")                            \
	SPECIAL_XYZ(X, NCTAID, "%nctaid")                        \
	SPECIAL_XYZ(X, CTAID, "%ctaid")                          \
	SPECIAL_XYZ(X, CLUSTERID, "%clusterid")                  \
	SPECIAL_XYZ(X, CLUSTER_CTAID, "%cluster_ctaid")          \
	X(SPECIAL_CLUSTER_CTARANK, "%cluster_ctarank")           \
	X(SPECIAL_SMID, "%smid")                                 \
	SPECIAL_XYZ(X, NCLUSTERID, "%nclusterid")                \
	SPECIAL_XYZ(X, CLUSTER_NCTAID, "%cluster_nctaid")        \
	X(SPECIAL_CLUSTER_NCTARANK, "%cluster_nctarank")         \
	X(SPECIAL_NSMID, "%nsmid")                               \
	X(SPECIAL_GRIDID, "%gridid")                             \
	X(SPECIAL_IS_EXPLICIT_CLUSTER, "%is_explicit_cluster")   \
	X(SPECIAL_LANEID, "%laneid")                             \
	X(SPECIAL_WARPID, "%warpid")                             \
	X(SPECIAL_NWARPID, "%nwarpid")                           \
	X(SPECIAL_LANEMASK_EQ, "%lanemask_eq")                   \
	X(SPECIAL_LANEMASK_LT, "%lanemask_lt")                   \
	X(SPECIAL_LANEMASK_LE, "%lanemask_le")                   \
	X(SPECIAL_LANEMASK_GT, "%lanemask_gt")                   \
	X(SPECIAL_LANEMASK_GE, "%lanemask_ge")                   \
	X(SPECIAL_DYNAMIC_SMEM_SIZE, "%dynamic_smem_size")       \
	X(SPECIAL_TOTAL_SMEM_SIZE, "%total_smem_size")           \
	X(SPECIAL_AGGR_SMEM_SIZE, "%aggr_smem_size")             \
	X(SPECIAL_CURRENT_GRAPH_EXEC, "%current_graph_exec")     \
	X(SPECIAL_RESERVED_BEGIN, "%reserved_smem_offset_begin") \
	X(SPECIAL_RESERVED_END, "%reserved_smem_offset_end")     \
	X(SPECIAL_RESERVED_CAP, "%reserved_smem_offset_cap")     \
	X(SPECIAL_RESERVED_0, "%reserved_smem_offset_0")         \
	X(SPECIAL_RESERVED_1, "%reserved_smem_offset_1")         \
	X(SPECIAL_ENVREG1, "%envreg1")                           \
	X(SPECIAL_ENVREG2, "%envreg2")                           \
	X(SPECIAL_WARP_SZ, "WARP_SZ")
enum special_register {
#define X(symbol, name) symbol,
	SPECIAL_REGISTER_LIST(X)
#undef X
};

/*
 * A call. The callee finds its parameters and results in its own local memory, at parameter_offsets
 * of struct program_function. Arguments are bytes of the caller's local memory, which holds its
 * .param variables. Offsets count from the beginning of a frame.
 *
 * Parameters begin every frame, each at a multiple of PARAMETER_SLOT_BYTES. An indirect call
 * therefore knows their offsets from their sizes alone. Accesses to them have PTX_SPACE_PARAM,
 * which is local memory that is not counted as such: the hardware keeps parameters in registers.
 */
#define PARAMETER_SLOT_BYTES 16
struct program_call {
	uint32_t function; /* index; UINT32_MAX: indirect, with the index in row `pointer` */
	uint32_t pointer;
	struct {
		uint32_t from, to, bytes;
	} arguments[16], results[4];
	size_t argument_count, result_count;
};

/* The elements of a matrix. */
enum matrix_type {
	MATRIX_F16,
	MATRIX_BF16,
	MATRIX_TF32,
	MATRIX_E4M3,
	MATRIX_E5M2,
	MATRIX_F32,
	MATRIX_F64,
	MATRIX_B1,
	MATRIX_S4,
	MATRIX_U4,
	MATRIX_S8,
	MATRIX_U8,
	MATRIX_S32,
};
/* Bits of an element of A or B. */
static inline unsigned matrix_bits(uint8_t type)
{
	switch (type) {
	case MATRIX_B1:
		return 1;
	case MATRIX_S4:
	case MATRIX_U4:
		return 4;
	case MATRIX_S8:
	case MATRIX_U8:
	case MATRIX_E4M3:
	case MATRIX_E5M2:
		return 8;
	case MATRIX_F16:
	case MATRIX_BF16:
		return 16;
	default:
		return 32;
	}
}

/*
 * A product of matrices that the lanes of a warp hold together: D = A * B + C, where A is m * k and
 * B is k * n. docs/emulated-counts.md does not count the lanes, since PTX fixes what each holds.
 */
struct program_product {
	uint16_t m, n, k;
	uint8_t a_type, b_type, c_type, d_type; /* enum matrix_type */
	/* m8n8k4 of halves, four products at once: A and B are stored by columns. */
	bool quads, a_columns, b_columns;
	bool saturates;                             /* integers */
	bool ands;                                  /* bits: and instead of xor */
	bool grouped;                               /* a part of a struct program_group_product */
	uint8_t rounding;                           /* doubles: nearest, to zero, down, up */
	uint8_t a_count, b_count, c_count, d_count; /* registers */
	uint32_t a[8], b[8], c[8], d[8];            /* rows, of 64-bit lanes for MATRIX_F64 */
};

/*
 * A product of matrices that the four warps of a warpgroup compute: D = A * B + D, where A is
 * 64 * k and B is k * n. Warp i has the rows 16 * i to 16 * i + 15 of A and D. Its registers of D
 * are those of n / 8 products of 16 * 8, one after another.
 */
#define GROUP_MOST_SUMS 128
struct program_group_product {
	/* One of those products, without registers. */
	struct program_product part;
	uint16_t n;
	bool negates_a, negates_b;
	bool a_turned, b_turned; /* lines of the operand in shared memory lie across k */
	uint8_t a_count;         /* registers; 0: A is in shared memory */
	uint8_t sum_count;       /* registers */
	uint32_t a[4];           /* rows */
	/* The registers of the sum: as rows that are read, and as rows that are written. */
	uint32_t sums[GROUP_MOST_SUMS], results[GROUP_MOST_SUMS];
};

/* Where a bulk copy finds memory, an mbarrier or a tensor map: an address in a row, and bytes. */
struct bulk_address {
	uint32_t row;  /* 0: there is none */
	bool narrow;   /* the row has 32-bit lanes */
	uint8_t space; /* enum ptx_space: shared, global or generic */
	int64_t offset;
};

/* A copy by the asynchronous engine between shared and global memory, or within shared memory. That
 * of a tensor has the address of a tensor map as its address in global memory. */
struct program_bulk_copy {
	struct bulk_address to, from;
	struct bulk_address
		mbarrier;        /* counts its bytes; without it the thread's bulk group does */
	uint32_t bytes;          /* row: what is copied; 0: a box of a tensor */
	uint32_t byte_mask;      /* row: the bytes of each 16 that are copied; 0: all */
	uint8_t rank;            /* of the tensor; 0: there is none */
	bool im2col;             /* the mode: the map must be of it, too; else tiled */
	uint32_t coordinates[5]; /* rows: the first element of the box; innermost first */
	uint32_t offsets[3];     /* rows: im2col loads: in the dimensions of an image; 0: none */
	uint32_t multicast;      /* row: a mask of ranks in the cluster; 0: none */
	bool of_cluster;         /* the destination can be in another block of the cluster */
	/* OP_BULK_REDUCE: what is done with each element of the destination. The elements of a
	 * tensor have the type of its map, and the kind is `asked` of struct bulk_reduction. */
	uint8_t kind, type; /* enum atomic_kind, enum value_type */
};

/* What a bulk copy can do with the elements of its destination. */
struct bulk_reduction {
	enum atomic_kind asked; /* ATOMIC_ADD, MIN, MAX, INC, DEC, AND, OR, XOR */
	const char *type;       /* "u32", "bf16" */
	bool of_shared;         /* in shared memory, too, and not only in global memory */
	bool noftz;             /* PTX wants the modifier */
	enum atomic_kind kind;  /* what is executed, on elements of type `executed` */
	enum value_type executed;
};
/* NULL: PTX has no such reduction. */
const struct bulk_reduction *bulk_reduction_find(enum atomic_kind asked, const char *type);

/* A static shared variable that a function names. */
struct program_shared_variable {
	const char *name;       /* of the module, mangled */
	uint32_t offset, bytes; /* as CONSTANT_SHARED */
};

/* Rows begin at multiples of this. */
#define ROW_STEP_BYTES 128

struct program_function {
	const struct ptx_function *source;
	struct instruction *code;
	size_t code_count;
	uint32_t file_bytes; /* size of a warp's register file for this function */
	bool *wide_rows;     /* by ROW_STEP_BYTES of the file: a row of 64-bit lanes begins there */
	struct program_constant *constants;
	size_t constant_count;
	struct program_call *calls; /* target of OP_CALL is an index */
	size_t call_count;
	struct program_product *products; /* target of OP_MATRIX_PRODUCT is an index */
	size_t product_count;
	/* target of OP_GROUP_PRODUCT is an index */
	struct program_group_product *group_products;
	size_t group_product_count;
	/* target of OP_BULK_COPY and OP_BULK_REDUCE is an index */
	struct program_bulk_copy *bulk_copies;
	size_t bulk_copy_count;
	struct program_shared_variable *shared_variables;
	size_t shared_variable_count;
	struct {
		uint32_t *targets;
		size_t count;
	} * tables; /* target of OP_BRX is an index */
	size_t table_count;
	int64_t local_bytes; /* of one frame of one thread: .local and .param variables and formal
				parameters */
	/* By formal parameter: its offset in local memory. For an entry: its offset in the
	 * parameter block. */
	uint32_t *parameter_offsets;
	bool allocates;          /* it has an alloca, stacksave or stackrestore */
	int64_t parameter_bytes; /* of an entry: size of the parameter block */
	int64_t shared_bytes;    /* of an entry: program_shared_static_bytes() */
	/* For program_dependence(): what the function's addresses and branches depend on, and
	 * what the values depend on that it writes to local, shared and global memory (in this
	 * order). */
	uint8_t decided_by, keeps[3];
};

/* Returns the statement of an instruction. For a function without statements ("{}"), which only
 * returns, it is an empty one. */
const struct ptx_statement *instruction_statement(const struct program_function *function,
						  const struct instruction *instruction);

/* The rows that an instruction reads and writes; values instead, while it is decoded. */
struct instruction_operands {
	uint32_t *reads[144], *writes[144];
	size_t read_count, write_count;
};
void instruction_operands(const struct program_function *function, struct instruction *instruction,
			  struct instruction_operands *out);

/* What the address of a memory access or the condition of a branch depends on. */
enum dependence {
	DEPENDS_ON_DATA = 1,   /* on a loaded value */
	DEPENDS_ON_ATOMIC = 2, /* on the result of an atomic */
};

/* An address in the initial value of a module variable. The bytes there are
 * ((address of the variable or function) + addend & mask) >> shift, little-endian. */
struct initial_address {
	uint32_t variable; /* that holds it: by index in module->variables */
	int64_t at, bytes; /* where in the variable */
	bool is_function;
	uint32_t target; /* by index in module->functions or module->variables */
	int64_t addend;
	uint64_t mask;
	unsigned shift;
};

struct ptx_program {
	const struct ptx_module *module; /* borrowed */
	struct initial_address *initial_addresses;
	size_t initial_address_count;
	/* By index in module->functions. An undefined function has no code. */
	struct program_function *functions;
	size_t function_count;
};

/* Something in an entry that the emulator cannot run. */
struct unsupported_feature {
	const char *function;
	/* "opcode", "register", "directive", "size of" …; "": the name is a description, such as "a
	 * negated register" */
	const char *what;
	char *name;  /* "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16" */
	char *place; /* of its first use: "x.cu:20", or "line 40 of the PTX" */
	uint32_t count;
};
struct unsupported_features {
	struct unsupported_feature *items;
	size_t count, capacity;
};
void unsupported_features_release(struct unsupported_features *unsupported);
/* Appends "opcode wmma.load.a.sync… (x.cu:20, 3 times), register %clock64 (x.cu:7)". */
void unsupported_features_text(struct text *out, const struct unsupported_features *unsupported);
/* Whether the emulator lacks nothing, but the file declares names that it does not define. */
bool unsupported_features_are_undefined(const struct unsupported_features *unsupported);

/*
 * Decodes the function `name` and everything that it calls, or every function if `name` is NULL.
 * `module` must outlive *out; the caller frees *out with ptx_program_free().
 *
 * Returns 0 and sets *out. PL_EUNSUPPORTED: *unsupported lists every opcode, register and directive
 * that the emulator cannot run. PL_EPARSE: invalid operands. PL_ENOENT: no such function; the
 * message lists the entries.
 */
int ptx_program_decode(struct ptx_program **out, const struct ptx_module *module, const char *name,
		       struct unsupported_features *unsupported, struct error *err);
void ptx_program_free(struct ptx_program *program);

/*
 * Bytes of static shared memory of an entry and of everything that it reaches; 0 for an unknown
 * entry. Dynamic shared memory begins there, with the alignment of its declaration. CONSTANT_SHARED
 * offsets are in the same layout.
 */
int64_t program_shared_static_bytes(const struct ptx_program *program, const char *entry);

/* Returns what the addresses and branches of an entry depend on, as bits of enum dependence. It
 * follows values from loads and atomics through registers and memory. Block sampling uses it. */
unsigned program_dependence(const struct ptx_program *program, const char *entry);

/*
 * Which reads of memory are over before a later write of the same warp, because of what happens to
 * their values (finished_reads.c).
 *
 * Instructions on matrices (mma, stmatrix, ldmatrix, movmatrix, wmma) take the registers of all
 * lanes of a warp. None begins before all of these registers have their values. So a read is over
 * before such an instruction that takes its value, or a value that was computed from it, and before
 * all that follows. A plain store of a value says nothing about the reads of other lanes.
 */
/* Remembers answers. */
struct finished_reads;
void finished_reads_free(struct finished_reads *reads); /* NULL is allowed */
/* Whether a lane that executed the instruction `read` of a function, and has come to the
 * instruction `now`, went through such an instruction, whichever way it took. `executes`: it
 * executes that one now, and not later. *reads: NULL before the first question. */
bool read_is_finished(struct finished_reads **reads, const struct program_function *function,
		      uint32_t read, uint32_t now, bool executes);

#endif
