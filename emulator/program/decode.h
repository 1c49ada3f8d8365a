/*
 * decode: what the files of the decoder share. Internal to program/.
 *
 * Until allocate_rows() runs, the operand fields of instructions hold values instead of rows. Value
 * 0 is none. Values from 1 to register_count are the function's registers, larger ones are
 * temporaries of the decoder, and VALUE_CONSTANT | index is a constant.
 *
 * Errors: a function that cannot decode a statement calls decode_unsupported() or decode_invalid()
 * and continues with value 0; the driver drops the statement's instructions. After an unsupported
 * feature decoding continues with the next statement, so that all of them are found. After an
 * invalid statement decoding ends.
 */
#ifndef EMULATOR_PROGRAM_DECODE_H
#define EMULATOR_PROGRAM_DECODE_H

#include "emulator/program/program.h"

#define VALUE_CONSTANT UINT32_C(0x80000000)

/* ---- name_table.c: numbers by name ---- */

struct name_table {
	struct name_slot {
		const char *name; /* borrowed */
		uint32_t number;
	} * slots;
	size_t count, capacity;
};
void name_table_add(struct name_table *table, const char *name, uint32_t number);
bool name_table_find(const struct name_table *table, const char *name, uint32_t *number);
void name_table_release(struct name_table *table);

/* ---- reachability.c: what a function refers to, and the layout of shared memory ---- */

/* A shared variable that a reachable function refers to. */
struct shared_variable {
	const struct ptx_variable *variable;
	int64_t offset;
	uint32_t group; /* roots that share a variable form a group, which has one layout */
};

/* What a function of the module refers to, before it is decoded. */
struct function_reach {
	bool reached, root;
	uint32_t *callees; /* functions that it calls or takes the address of */
	size_t callee_count, callee_capacity;
	uint32_t *shared; /* static shared variables: indices in program_decoding.shared */
	size_t shared_count, shared_capacity;
	/* Module variables outside shared memory that it refers to, also through addresses in the
	 * initial values of others. */
	uint32_t *variables;
	size_t variable_count, variable_capacity;
	bool dynamic;          /* it refers to an extern shared array */
	int64_t dynamic_align; /* the largest alignment of such an array */
	int64_t dynamic_at;    /* offset at which dynamic shared memory begins */
	int64_t shared_bytes; /* of a root: static shared memory of all that is reachable from it */
	bool *address_taken;  /* by parameter: something other than ld.param [name] uses its name */
};

struct program_decoding {
	const struct ptx_module *module;
	struct ptx_program *program;
	struct unsupported_features *unsupported;
	struct error *err;
	struct name_table variables, functions;
	struct function_reach *reach; /* by function */
	struct shared_variable *shared;
	size_t shared_count, shared_capacity;
};
#define MAX_SHARED_BYTES (16 * 1024 * 1024)
/* Finds what is reachable from the roots and lays out shared memory. `root` is one function, or
 * UINT32_MAX for all. */
void find_reachable(struct program_decoding *decoding, uint32_t root);
void reachable_release(struct program_decoding *decoding);
/* Returns the offset of a shared variable that the function refers to. */
int64_t shared_variable_offset(const struct program_decoding *decoding,
			       const struct function_reach *reach,
			       const struct ptx_variable *variable);

/* ---- initial_addresses.c: addresses in the initial values of module variables ---- */

struct function_decoding;
/* Records the addresses that the emulator cannot give, in all variables that the function refers
 * to. */
void check_initial_addresses(struct function_decoding *decoding);
/* Resolves the addresses in all variables of the module, except those that cannot be. */
void resolve_initial_addresses(struct program_decoding *decoding);

/* ---- one function ---- */

struct function_decoding {
	struct program_decoding *all;
	const struct ptx_function *source;
	struct function_reach *reach;
	struct program_function *out;
	uint32_t index;

	const struct ptx_statement *at; /* NULL outside of statements */
	uint32_t statement;
	bool unsupported;     /* the current statement has an unsupported feature */
	bool any_unsupported; /* some statement has */
	int rc;               /* PL_EPARSE: a statement is invalid, decoding ends */

	size_t code_capacity, constant_capacity, call_capacity, table_capacity, product_capacity;
	size_t group_product_capacity, bulk_copy_capacity;
	uint8_t *widths; /* by value other than constants: 1 to 64 bits */
	size_t value_count, value_capacity;
	uint32_t *constant_slots; /* hash table of constants: index + 1, or 0 */
	size_t constant_slot_count;

	struct name_table labels, variables, parameters, tables;
	/* By variable of the function: the frame's offset of .local and .param variables. */
	int64_t *variable_offsets;
	/* By parameter of an entry: the frame's offset of its copy if its address is taken, else
	 * -1. */
	int64_t *parameter_copy_offsets;
	/* Behind the frame's variables: 1 more than where the arguments begin that calls pass in
	 * registers. 0: none yet. */
	int64_t register_arguments;
	uint32_t *first; /* by statement: its first instruction; has count + 1 elements */
	uint32_t carry;  /* the predicate value that holds the carry flag CC; 0: not used yet */

	/* Conversions of results to wider registers. They follow the instruction. */
	struct {
		uint16_t operation;
		uint32_t from, to;
	} extensions[16];
	size_t extension_count;
};

/* Records an unsupported feature, at the current statement or at a line of the PTX. `what` is as in
 * struct unsupported_feature. */
/* A function or a variable that the file declares and does not define; `kind` says which. */
#define UNDEFINED "undefined "
void decode_undefined(struct function_decoding *decoding, const char *kind, const char *name);
void decode_unsupported(struct function_decoding *decoding, const char *what, const char *name);
void decode_unsupported_at(struct function_decoding *decoding, const char *what, const char *name,
			   uint32_t line);
/* Reports that the statement is invalid: PL_EPARSE. */
void decode_invalid(struct function_decoding *decoding, const char *format, ...) PRINTF_LIKE(2, 3);

/* ---- decode_emit.c ---- */

/* Appends an instruction of the current statement, with its guard. The pointer is valid until the
 * next instruction is appended. */
struct instruction *emit_instruction(struct function_decoding *decoding, enum operation operation);
/* Appends an instruction without a guard, which is not counted: for a step that writes temporaries
 * only. */
struct instruction *emit_auxiliary(struct function_decoding *decoding, enum operation operation);
/* Appends the deferred conversions of the last instruction's results. */
void emit_extensions(struct function_decoding *decoding);
/* Returns a new temporary of 1 (predicate) to 64 bits. */
uint32_t new_temporary(struct function_decoding *decoding, int bits);
uint32_t value_constant(struct function_decoding *decoding, struct program_constant constant);
uint32_t value_bits(struct function_decoding *decoding, uint64_t bits, bool wide);
int value_width(const struct function_decoding *decoding, uint32_t value);
/* Appends dst = operation(a, b, c) as an instruction that is not counted. */
void emit_step(struct function_decoding *decoding, enum operation operation, uint32_t dst,
	       uint32_t a, uint32_t b, uint32_t c);
/* Returns the lower bits of a value, which may be wider. */
uint32_t emit_narrowing(struct function_decoding *decoding, uint32_t value, int bits);
/* Returns an operation of alu.def that the decoder itself needs, or records it as unsupported. */
enum operation require_operation(struct function_decoding *decoding, const char *mnemonic);

/* ---- decode_types.c ---- */

/* Finds TYPE_pred and so on by name; f16 and bf16 are b16, f16x2 and bf16x2 are b32, b8 is u8.
 * Returns false if the name is not a type. */
bool type_of_name(const char *name, enum value_type *type);
int type_bits(enum value_type type);
/* Finds the last modifier that is a type. Returns false if none is. */
bool statement_type(const struct ptx_statement *statement, enum value_type *type);
bool statement_has_modifier(const struct ptx_statement *statement, const char *modifier);
bool require_operands(struct function_decoding *decoding, size_t least, size_t most);

/* ---- decode_operands.c ---- */

/* Returns the value to read for an operand of this type. May emit steps before. */
uint32_t decode_source(struct function_decoding *decoding, const struct ptx_operand *operand,
		       enum value_type type);
/* Returns the value to write. The caller completes it with emit_extensions() after the
 * instruction. */
uint32_t decode_destination(struct function_decoding *decoding, const struct ptx_operand *operand,
			    enum value_type type);
/* The value with 32- or 64-bit lanes that a load of `width` bytes fills, and how the load extends
 * the lanes; the value that a store of `width` bytes reads. */
uint32_t decode_load_destination(struct function_decoding *decoding,
				 const struct ptx_operand *operand, int width, bool is_signed,
				 enum extension *extension);
uint32_t decode_store_source(struct function_decoding *decoding, const struct ptx_operand *operand,
			     int width);
/* decode_source() of a special register. decode_special.c */
uint32_t decode_special_source(struct function_decoding *decoding, const char *name,
			       enum value_type type);

/* Returns the halves of an operand that must be a register of 128 bits, or NULL. */
const struct ptx_operand *decode_whole(struct function_decoding *decoding,
				       const struct ptx_operand *operand);

/* What an address operand refers to. */
struct decoded_address {
	uint32_t value; /* holds the addresses */
	bool narrow;    /* it has 32-bit lanes */
	int64_t offset;
	enum ptx_space space; /* of the variable; without a variable: of the instruction */
	const struct ptx_variable
		*parameter; /* an entry's parameter: a constant, not memory; `offset` is in it */
	int64_t parameter_offset; /* offset of that parameter in the parameter block */
	bool symbolic;            /* the address names a variable */
};
struct decoded_address decode_address(struct function_decoding *decoding,
				      const struct ptx_operand *operand, enum ptx_space space);
/* Finds the local memory of a .param or .local variable in the frame. Returns false if there is
 * none. */
bool find_frame_variable(struct function_decoding *decoding, const char *name, int64_t *offset,
			 int64_t *bytes);

/* Checks that the space of an instruction fits the variable that its address names. A generic
 * access fits every variable. decode_memory.c. */
bool check_variable_space(struct function_decoding *decoding, const struct decoded_address *where,
			  enum ptx_space said);

/* Decodes the address of an operand of a bulk copy. decode_bulk.c. */
struct bulk_address decode_bulk_address(struct function_decoding *decoding,
					const struct ptx_operand *operand, enum ptx_space space);
/* ATOMIC_ADD and so on of "add", "min", "max", "inc", "dec", "and", "or" and "xor"; -1 of others.
 */
int bulk_reduction_of(const char *word);
/* Appends the copy, unless the statement has an error. */
void emit_bulk_copy(struct function_decoding *decoding, const struct program_bulk_copy *copy,
		    bool reduces);

/* ---- the statements ---- */

void decode_alu(struct function_decoding *decoding, enum operation operation);
/* Each returns false if it does not handle the current statement. */
bool decode_move(struct function_decoding *decoding);       /* decode_alu.c */
bool decode_comparison(struct function_decoding *decoding); /* decode_compare.c */
bool decode_cluster(struct function_decoding *decoding);    /* decode_cluster.c */
bool decode_memory(struct function_decoding *decoding);     /* decode_memory.c */
bool decode_atomic(struct function_decoding *decoding);     /* decode_atomic.c */
/* Refuses what is no form of prefetch, prefetchu, applypriority or discard. */
bool refuse_cache_control(struct function_decoding *decoding);    /* decode_hints.c */
bool decode_cache_policy(struct function_decoding *decoding);     /* the same */
bool decode_async_copy(struct function_decoding *decoding);       /* decode_async_copy.c */
bool decode_bulk_copy(struct function_decoding *decoding);        /* decode_bulk.c */
bool decode_tensor_copy(struct function_decoding *decoding);      /* decode_tensor_copy.c */
bool decode_map_change(struct function_decoding *decoding);       /* decode_map.c */
bool decode_control(struct function_decoding *decoding);          /* decode_control.c */
bool decode_stack(struct function_decoding *decoding);            /* decode_stack.c */
bool decode_mbarrier(struct function_decoding *decoding);         /* decode_mbarrier.c */
bool decode_call(struct function_decoding *decoding);             /* decode_call.c */
bool decode_warp(struct function_decoding *decoding);             /* decode_warp.c */
bool decode_texture(struct function_decoding *decoding);          /* decode_texture.c */
bool decode_video(struct function_decoding *decoding);            /* decode_video.c */
bool decode_matrix(struct function_decoding *decoding);           /* decode_matrix.c */
bool decode_wmma(struct function_decoding *decoding);             /* decode_wmma.c */
bool decode_wgmma(struct function_decoding *decoding);            /* decode_wgmma.c */
void decode_parameter_copies(struct function_decoding *decoding); /* decode_memory.c */

/* decode_register_parameters.c: what a function with .reg parameters does when it begins, and
 * before it returns. */
void load_register_parameters(struct function_decoding *decoding);
void store_register_results(struct function_decoding *decoding);
/* Whether a call passes this argument or result in a register: then it has the place *offset of the
 * caller's frame. `slot` counts arguments and results. */
bool find_register_argument(struct function_decoding *decoding, const struct ptx_variable *formal,
			    size_t slot, int64_t *offset);
void store_register_argument(struct function_decoding *decoding, const struct ptx_operand *operand,
			     const struct ptx_function *callee, const struct ptx_variable *formal,
			     int64_t offset);
void load_register_result(struct function_decoding *decoding, const struct ptx_operand *operand,
			  const struct ptx_function *callee, const struct ptx_variable *formal,
			  int64_t offset);

/* Marks the instructions that write a register of a wgmma product. Call when all statements are
 * decoded, while operands are values. decode_wgmma.c. */
void mark_fragment_writes(struct function_decoding *decoding);

/* Sets `guess` of loads from the address of a later compare-and-swap, minimum or maximum, and of
 * loads that a later compare-and-swap compares with. guessed_loads.c */
void mark_guessed_loads(struct function_decoding *decoding);

/* Sets shared_variable of accesses, and shared_variables of the function. shared_variables.c */
void mark_shared_variables(struct function_decoding *decoding);

/* ---- allocate_rows.c ---- */

/* Replaces all values by rows of the register file. Branch targets must be resolved, since the
 * function follows them. A function that needs too many rows is recorded as unsupported. Returns
 * 0. */
int allocate_rows(struct function_decoding *decoding);

/* ---- dependence.c ---- */

/* Sets decided_by and keeps of the function. Runs before allocate_rows(), while operands are
 * values. */
void find_dependence(struct function_decoding *decoding);

#endif
