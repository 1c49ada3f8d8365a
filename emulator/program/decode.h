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

/* ---- reachability.c: what a function refers to, and the layout of shared memory ---- */

/* A shared variable that a reachable function refers to. */
struct shared_variable {
	const struct ptx_variable *variable;
	int64_t offset;
	uint32_t group; /* roots that share a variable form a group, which has one layout */
};

struct number_list {
	uint32_t *items;
	size_t count, capacity;
};

/* What a function of the module refers to, before it is decoded. */
struct function_reach {
	bool reached, root;
	struct number_list callees; /* functions that it calls or takes the address of */
	struct number_list shared; /* static shared variables: indices in program_decoding.shared */
	/* Module variables outside shared memory that it refers to, also through addresses in the
	 * initial values of others. */
	struct number_list variables;
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
	struct name_index variables, functions;
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

	const struct ptx_statement *at;    /* NULL outside of statements */
	const struct statement_form *form; /* of that statement */
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

	struct name_index labels, variables, parameters, tables;
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

/* A function or a variable that the file declares and does not define; `kind` says which. */
#define UNDEFINED "undefined "
uint32_t decode_undefined(struct function_decoding *decoding, const char *kind, const char *name);
/* Record an unsupported feature, at the current statement or at a line of the PTX. `what` is as in
 * struct unsupported_feature. All of these return 0, which is no value. */
uint32_t decode_unsupported(struct function_decoding *decoding, const char *what, const char *name);
uint32_t decode_unsupported_at(struct function_decoding *decoding, const char *what,
			       const char *name, uint32_t line);
/* Reports that the statement is invalid: PL_EPARSE. */
uint32_t decode_invalid(struct function_decoding *decoding, const char *format, ...)
	PRINTF_LIKE(2, 3);

/* ---- decode_values.c ---- */

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
/* Appends dst = operation(a, b, c). emit_step(): as an instruction that is not counted. */
struct instruction *emit_result(struct function_decoding *decoding, enum operation operation,
				uint32_t dst, uint32_t a, uint32_t b, uint32_t c);
void emit_step(struct function_decoding *decoding, enum operation operation, uint32_t dst,
	       uint32_t a, uint32_t b, uint32_t c);
/* Accesses a place of the frame with one row, as a step of the current instruction. */
struct instruction *emit_frame_access(struct function_decoding *decoding, enum operation operation,
				      int64_t offset, int width, uint32_t row);
/* Returns the lower bits of a value, which may be wider. */
uint32_t emit_narrowing(struct function_decoding *decoding, uint32_t value, int bits);
/* Returns an operation of alu.def that the decoder itself needs, or records it as unsupported. */
enum operation require_operation(struct function_decoding *decoding, const char *mnemonic);

/* Finds TYPE_pred and so on by name; f16 and bf16 are b16, f16x2 and bf16x2 are b32, b8 is u8.
 * Returns false if the name is not a type. */
bool type_of_name(const char *name, enum value_type *type);
int type_bits(enum value_type type);
/* Finds the last modifier that is a type. Returns false if none is. */
bool statement_type(const struct ptx_statement *statement, enum value_type *type);
bool statement_has_modifier(const struct ptx_statement *statement, const char *modifier);
/* The index of the row that begins with the pointer to this word, or to a modifier of the
 * statement; the number of rows: there is none. */
size_t find_word(const void *rows, size_t count, size_t row_bytes, const char *word);
size_t find_modifier(const struct ptx_statement *statement, const void *rows, size_t count,
		     size_t row_bytes);
#define WORD_INDEX(rows, word) find_word(rows, ARRAY_SIZE(rows), sizeof((rows)[0]), word)
#define MODIFIER_INDEX(rows, at) find_modifier(at, rows, ARRAY_SIZE(rows), sizeof((rows)[0]))
/* Whether all modifiers from number `first` on are among the words. */
bool has_only_words(const struct ptx_statement *at, size_t first, const char *const *words,
		    size_t count);
/* Sets what the word stands for. Returns false if it is no such word, or was seen before. */
struct word_flag {
	const char *word;
	bool *seen;
};
bool see_flag(const struct word_flag *flags, size_t count, const char *word);
/* The number of a name, of which the first stays. Returns false if it has none. */
bool name_find(const struct name_index *names, const char *name, uint32_t *number);
void name_add(struct name_index *names, const char *name, size_t number);
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
/* decode_source() of a special register. decode_values.c */
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

/* ---- decode_access.c: accesses to memory ---- */

/* What the modifiers of an access say. */
struct access_modifiers {
	enum ptx_space space;
	enum value_type type;
	bool is_signed;
	bool strong;
	bool releases, acquires, is_volatile, of_block, of_cluster;
	int vector;
	bool whole; /* .b128: `vector` is of its halves */
	int kind;   /* enum atomic_kind; -1: none */
};

/* Hints of an access. An instruction has at most one of each kind. */
enum cache_hint {
	HINT_L1_PRIORITY = 1, /* "L1::evict_last", "L1::no_allocate" */
	HINT_L2_PRIORITY = 2, /* "L2::evict_first" */
	HINT_PREFETCH = 4,    /* "L2::128B" */
	HINT_POLICY = 8,      /* "L2::cache_hint": the last operand is a policy of 64 bits */
};
bool modifier_is_cache_hint(const char *word);
/* Checks the hints of the statement, of which some kinds are `allowed`, its policy and the number
 * of its other operands. Returns false if it is refused. */
bool decode_cache_hints(struct function_decoding *decoding, unsigned allowed, size_t least,
			size_t most);

/* Returns false if a modifier is unknown or there is no type. */
bool read_access_modifiers(const struct ptx_statement *at, struct access_modifiers *out);
/* Appends the fence of an access that releases or acquires. */
void emit_order(struct function_decoding *decoding, enum fence_kind kind);
void set_access_address(struct instruction *instruction, const struct decoded_address *where);
/* Returns the registers of a vector or of one element, or NULL if they are not `count`. */
const struct ptx_operand *operand_registers(struct function_decoding *decoding,
					    const struct ptx_operand *operand, size_t count);
/* Checks that the space of an instruction fits the variable that its address names. A generic
 * access fits every variable. */
bool check_variable_space(struct function_decoding *decoding, const struct decoded_address *where,
			  enum ptx_space said);

/* ---- decode_copies.c: bulk copies ---- */

/* Decodes the address of an operand of a bulk copy. */
struct bulk_address decode_bulk_address(struct function_decoding *decoding,
					const struct ptx_operand *operand, enum ptx_space space);
/* ATOMIC_ADD and so on of "add", "min", "max", "inc", "dec", "and", "or" and "xor"; -1 of others.
 */
int bulk_reduction_of(const char *word);
/* Appends the copy, unless the statement has an error. */
void emit_bulk_copy(struct function_decoding *decoding, const struct program_bulk_copy *copy,
		    bool reduces);

/* ---- the statements ---- */

/* What decodes statements. The name is that of a base, a whole mnemonic, or the beginning of one up
 * to a '.'; "": of all. `decode` returns true if it does not know this form of the opcode. Then
 * later forms may, or alu.def. `operation` is for functions that serve several names. */
struct statement_form {
	const char *name;
	bool (*decode)(struct function_decoding *decoding);
	enum operation operation;
};
/* The forms of each file; the last one has no name. */
extern const struct statement_form alu_forms[], compare_forms[], cluster_forms[], memory_forms[],
	cache_forms[], copy_forms[], tensor_forms[], control_forms[], call_forms[], warp_forms[],
	texture_forms[], video_forms[], matrix_forms[], wmma_forms[], wgmma_forms[];

void decode_alu(struct function_decoding *decoding, enum operation operation);
/* Statements that are an instruction without operands, whatever operands they have; that must have
 * none; and that wait for groups of copies or products. */
bool decode_plain(struct function_decoding *decoding);
bool decode_without_operands(struct function_decoding *decoding);
bool decode_group_wait(struct function_decoding *decoding);

void decode_parameter_copies(struct function_decoding *decoding); /* decode_memory.c */
/* decode_call.c: what a function with .reg parameters does when it begins, and before it returns.
 */
void load_register_parameters(struct function_decoding *decoding);
void store_register_results(struct function_decoding *decoding);

/* Marks the instructions that write a register of a wgmma product. Call when all statements are
 * decoded, while operands are values. decode_wgmma.c. */
void mark_fragment_writes(struct function_decoding *decoding);

/* Sets `guess` of loads from the address of a later compare-and-swap, minimum or maximum, and of
 * loads that a later compare-and-swap compares with. known_addresses.c */
void mark_guessed_loads(struct function_decoding *decoding);

/* Sets shared_variable of accesses, and shared_variables of the function. known_addresses.c */
void mark_shared_variables(struct function_decoding *decoding);

/* ---- allocate_rows.c ---- */

/* Replaces all values by rows of the register file. Branch targets must be resolved, since the
 * function follows them. A function that needs too many rows is recorded as unsupported. */
void allocate_rows(struct function_decoding *decoding);

/* ---- dependence.c ---- */

/* Sets decided_by and keeps of the function. Runs before allocate_rows(), while operands are
 * values. */
void find_dependence(struct function_decoding *decoding);

#endif
