/*
 * decode: what the files of the decoder share. Internal to program/.
 *
 * Until allocate_rows() the operand fields of instructions hold values instead of
 * rows: 0 is none, 1 to register_count the function's registers, above them
 * temporaries of the decoder, and VALUE_CONSTANT | index a constant.
 *
 * A decoder of a statement says that it cannot by decode_unsupported() or
 * decode_invalid() and goes on with value 0; the driver drops what it emitted.
 * A gap is noted and decoding continues with the next statement, so that all
 * are found; nonsense ends it.
 */
#ifndef EMULATOR_PROGRAM_DECODE_H
#define EMULATOR_PROGRAM_DECODE_H

#include "emulator/program/program.h"

#define VALUE_CONSTANT UINT32_C(0x80000000)

/* ---- names.c: names to numbers ---- */

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

/* ---- reach.c: what a function mentions, and where its shared variables lie ---- */

/* A shared variable that somebody mentions. */
struct shared_variable {
	const struct ptx_variable *variable;
	int64_t offset;
	uint32_t group; /* roots that share variables are a group, and laid out together */
};

/* Of a function of the module, before it is decoded. */
struct function_reach {
	bool reached, root;
	uint32_t *callees; /* called, or their address is taken */
	size_t callee_count, callee_capacity;
	uint32_t *shared; /* static shared variables that it mentions: index into shared */
	size_t shared_count, shared_capacity;
	bool dynamic;          /* mentions an extern shared array */
	int64_t dynamic_align; /* of that */
	int64_t dynamic_at;    /* where dynamic memory begins */
	int64_t shared_bytes;  /* of a root: static shared memory of all that it reaches */
	bool *address_taken;   /* of parameters, otherwise than by ld.param [name] */
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
/* Finds what the roots (the function `root`, UINT32_MAX: all) reach and lays shared memory out. */
void find_reachable(struct program_decoding *decoding, uint32_t root);
void reachable_release(struct program_decoding *decoding);
/* Offset of a shared variable that the function mentions. */
int64_t shared_variable_offset(const struct program_decoding *decoding,
			       const struct function_reach *reach,
			       const struct ptx_variable *variable);

/* ---- one function ---- */

struct function_decoding {
	struct program_decoding *all;
	const struct ptx_function *source;
	struct function_reach *reach;
	struct program_function *out;
	uint32_t index;

	const struct ptx_statement *at; /* NULL outside of statements */
	uint32_t statement;
	bool unsupported;     /* this statement cannot be decoded */
	bool any_unsupported; /* some statement cannot */
	int rc;               /* PL_EPARSE: nothing can */

	size_t code_capacity, constant_capacity, call_capacity, table_capacity;
	uint8_t *widths; /* of values in bits, 1 to 64; of constants: in out->constants */
	size_t value_count, value_capacity;
	uint32_t *constant_slots; /* hash of constants: index + 1, or 0 */
	size_t constant_slot_count;

	struct name_table labels, variables, parameters, tables;
	int64_t *variable_offsets; /* of function-scope local and param variables in the frame */
	int64_t *
		parameter_copy_offsets; /* of an entry's parameters whose address is taken; or -1 */
	uint32_t *first;                /* statement to its first instruction; count + 1 of them */
	uint32_t carry;                 /* predicate value of CC; 0: not used yet */

	/* Extensions of results into wider registers, to follow the instruction. */
	struct {
		uint16_t operation;
		uint32_t from, to;
	} extensions[16];
	size_t extension_count;
};

/* Notes what is not there: `what` as in struct unsupported_feature. */
void decode_unsupported(struct function_decoding *decoding, const char *what, const char *name);
void decode_unsupported_at(struct function_decoding *decoding, const char *what, const char *name,
			   uint32_t line);
/* The operands of the statement make no sense. */
void decode_invalid(struct function_decoding *decoding, const char *format, ...) PRINTF_LIKE(2, 3);

/* ---- decode_emit.c ---- */

/* Appends an instruction of the statement, with its guard. Valid until the next. */
struct instruction *emit_instruction(struct function_decoding *decoding, enum operation operation);
/* The same without a guard and uncounted: a step that writes to temporaries only. */
struct instruction *emit_auxiliary(struct function_decoding *decoding, enum operation operation);
/* Appends the extensions that destinations of the last instruction want. */
void emit_extensions(struct function_decoding *decoding);
/* A fresh value; bits: 1 (predicate) to 64. */
uint32_t new_temporary(struct function_decoding *decoding, int bits);
uint32_t value_constant(struct function_decoding *decoding, struct program_constant constant);
uint32_t value_bits(struct function_decoding *decoding, uint64_t bits, bool wide);
int value_width(const struct function_decoding *decoding, uint32_t value);
/* dst = operation(a, b, c, d), auxiliary. */
void emit_step(struct function_decoding *decoding, enum operation operation, uint32_t dst,
	       uint32_t a, uint32_t b, uint32_t c);
/* An operation of alu.def that the decoder itself needs; a gap when there is none. */
enum operation require_operation(struct function_decoding *decoding, const char *mnemonic);

/* ---- decode_operands.c ---- */

/* TYPE_pred … by name; f16 is b16, f16x2 and bf16x2 are b32, b8 is u8. False: not a type. */
bool type_of_name(const char *name, enum value_type *type);
int type_bits(enum value_type type);
/* The last modifier that is a type; false: none is. */
bool statement_type(const struct ptx_statement *statement, enum value_type *type);
bool statement_has_modifier(const struct ptx_statement *statement, const char *modifier);

/* The value to read for an operand as `type`; may emit steps before. */
uint32_t decode_source(struct function_decoding *decoding, const struct ptx_operand *operand,
		       enum value_type type);
/* The value to write; emit_extensions() after the instruction completes it. */
uint32_t decode_destination(struct function_decoding *decoding, const struct ptx_operand *operand,
			    enum value_type type);
/* Of memory: the 32- or 64-bit row that a load of `width` bytes fills, and how. */
uint32_t decode_load_destination(struct function_decoding *decoding,
				 const struct ptx_operand *operand, int width, bool is_signed,
				 enum extension *extension);
uint32_t decode_store_source(struct function_decoding *decoding, const struct ptx_operand *operand,
			     int width);
bool require_operands(struct function_decoding *decoding, size_t least, size_t most);

/* What an address operand names. */
struct decoded_address {
	uint32_t value; /* row of addresses */
	bool narrow;    /* 32-bit lanes */
	int64_t offset;
	enum ptx_space space;                 /* of the variable, or as the statement says */
	const struct ptx_variable *parameter; /* of an entry: a constant, no memory; offset in it */
	int64_t parameter_offset;             /* of that in the parameter block */
	bool symbolic;                        /* by a variable's name */
};
struct decoded_address decode_address(struct function_decoding *decoding,
				      const struct ptx_operand *operand, enum ptx_space space);
/* Local memory of the frame for a .param or .local variable; false: no such. */
bool find_frame_variable(struct function_decoding *decoding, const char *name, int64_t *offset,
			 int64_t *bytes);

/* A variable is where it is, whatever a generic access says; else the two must agree, or it makes
 * no sense. decode_memory.c. */
bool check_variable_space(struct function_decoding *decoding, const struct decoded_address *where,
			  enum ptx_space said);

/* ---- the statements ---- */

void decode_alu(struct function_decoding *decoding, enum operation operation);
/* Each returns false when the statement is none of its own. */
bool decode_move(struct function_decoding *decoding);             /* decode_move.c */
bool decode_comparison(struct function_decoding *decoding);       /* decode_compare.c */
bool decode_memory(struct function_decoding *decoding);           /* decode_memory.c */
bool decode_async_copy(struct function_decoding *decoding);       /* decode_copies.c */
bool decode_control(struct function_decoding *decoding);          /* decode_control.c */
bool decode_call(struct function_decoding *decoding);             /* decode_call.c */
bool decode_warp(struct function_decoding *decoding);             /* decode_warp.c */
void decode_parameter_copies(struct function_decoding *decoding); /* decode_memory.c */

/* ---- rows.c ---- */

/* Where an instruction reads and writes. */
struct instruction_operands {
	uint32_t *reads[16], *writes[12];
	size_t read_count, write_count;
};
void instruction_operands(const struct program_function *function, struct instruction *instruction,
			  struct instruction_operands *out);
/* The last instruction's successors are in order; targets are resolved. PL_EUNSUPPORTED with a gap.
 */
int allocate_rows(struct function_decoding *decoding);

/* ---- dependence.c ---- */

/* Sets decided_by and keeps, while operands still are values. */
void find_dependence(struct function_decoding *decoding);

#endif
