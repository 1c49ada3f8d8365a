/*
 * module: a PTX file as it is written. The parser keeps names, modifiers and
 * source lines; it knows the grammar and the directives but no opcode, so
 * that a module with instructions nobody has heard of still parses, and
 * program/ can list every one of them. Internal to emulator/.
 *
 * Accepted: what nvcc 11 to 13 write, whatever the target. Register classes
 * are kept as widths only (NVVM 20 declares %f as .b32). `.loc`, `.file`,
 * `.section` and `.pragma` are read or passed over, never refused.
 *
 * Names are unique: a variable, label or list of targets of an inner scope whose
 * name was used before in its function is called "param0.2" here, and so are the
 * operands that mean it. The same name is the same pointer.
 *
 * Ownership: everything hangs on the module, and none of it on the text.
 */
#ifndef EMULATOR_LANGUAGE_MODULE_H
#define EMULATOR_LANGUAGE_MODULE_H

#include "base/base.h"

enum ptx_space {
	PTX_SPACE_GENERIC,
	PTX_SPACE_GLOBAL,
	PTX_SPACE_SHARED,
	PTX_SPACE_LOCAL,
	PTX_SPACE_CONST,
	PTX_SPACE_PARAM,
};
const char *ptx_space_name(enum ptx_space space); /* "global"; "" for generic */

/* A register of a function. Width of a predicate is 1, else 8, 16, 32, 64 or 128 bits. */
struct ptx_register {
	const char *name; /* "%rd4"; in an asm block of its own scope, as written there */
	int width_bits;
};

/* An address in the initialiser of a variable: of another variable or of a function. */
struct ptx_relocation {
	int64_t at, bytes; /* in the variable */
	const char *symbol;
	int64_t addend;
};

/* A variable: module scope, function scope, or a parameter. */
struct ptx_variable {
	const char *name;
	enum ptx_space space;
	int64_t element_bytes; /* of the type as written: .b8 is 1 */
	int64_t count;         /* elements; 1 for a scalar, 0 for `extern x[]` */
	int64_t bytes;         /* element_bytes * count */
	int64_t align;         /* at least element_bytes */
	bool external;         /* .extern: dynamic shared memory, when shared */
	/* What it begins as: `bytes` bytes, or NULL for zeroes. Zeroes, too, where an address goes.
	 */
	unsigned char *initial;
	struct ptx_relocation *relocations;
	size_t relocation_count;
};

enum ptx_operand_kind {
	PTX_OPERAND_REGISTER, /* index into the function's registers; name: a selector ("b0", of
				 video instructions), else NULL */
	PTX_OPERAND_SPECIAL,  /* %tid.x, %laneid, WARP_SZ: name */
	PTX_OPERAND_INTEGER,  /* bits: 64-bit two's complement */
	PTX_OPERAND_F32,      /* 0f3F800000: bits */
	PTX_OPERAND_F64,      /* 0d…, or a decimal literal with a point: bits */
	PTX_OPERAND_SYMBOL,   /* a variable, function or label by name */
	PTX_OPERAND_ADDRESS,  /* [base + offset]: base is the first element; none: [integer]. More
				 follow the base of tex and cp.async.bulk.tensor */
	PTX_OPERAND_VECTOR,   /* {a, b, …}: elements */
	PTX_OPERAND_LIST,     /* (a, b, …) of a call: elements */
	PTX_OPERAND_PAIR,     /* d|p: two elements */
	PTX_OPERAND_SINK,     /* _ */
};

struct ptx_operand {
	enum ptx_operand_kind kind;
	bool negated;                 /* !%p1, or -x of a register in old dialects */
	uint32_t index;               /* REGISTER */
	const char *name;             /* SPECIAL, SYMBOL; REGISTER: see above */
	uint64_t bits;                /* INTEGER, F32 (low half), F64 */
	int64_t offset;               /* ADDRESS, and SYMBOL+offset */
	struct ptx_operand *elements; /* VECTOR, LIST, PAIR, ADDRESS */
	size_t element_count;
};

struct ptx_statement {
	bool guarded, guard_negated;
	uint32_t guard;   /* register */
	const char *base; /* "ld" */
	/* "global", "nc", "v4", "f32"; with :: where written so ("L1::no_allocate"). */
	const char *const *modifiers;
	size_t modifier_count;
	const char *mnemonic; /* as written: "ld.global.nc.v4.f32" */
	struct ptx_operand *operands;
	size_t operand_count;
	uint32_t line;              /* in the PTX text, from 1 */
	uint32_t file, source_line; /* of the latest .loc: index into files, or 0 and 0. The line of
				       the statement itself, not where it was inlined */
	uint32_t caller_file, caller_line; /* likewise: of the outermost call that it was inlined
					      at; 0 and 0: none */
};

/* A label stands before the statement of that index; statement_count: at the end. */
struct ptx_label {
	const char *name;
	uint32_t statement;
};

/* Name of a table of branch targets (`.branchtargets`) or prototype (`.callprototype`). */
struct ptx_targets {
	const char *name;
	const char **labels;
	size_t count;
};

/* A directive that the parser leaves to others: ".maxnreg", ".explicitcluster". */
struct ptx_directive {
	const char *name;
	uint32_t line;
};

struct ptx_function {
	const char *name;
	bool entry;                      /* else .func */
	bool defined;                    /* has a body */
	struct ptx_variable *parameters; /* in order; a function's results come first */
	size_t parameter_count, result_count;
	struct ptx_register *registers;
	size_t register_count;
	struct ptx_variable *variables; /* of function scope: shared, local, param */
	size_t variable_count;
	struct ptx_label *labels;
	size_t label_count;
	struct ptx_targets *targets;
	size_t target_count;
	struct ptx_statement *statements;
	size_t statement_count;
	int64_t max_threads[3]; /* .maxntid / .reqntid; 0: not said */
	/* Of the head all but those; of the body those that the parser does not know. */
	struct ptx_directive *directives;
	size_t directive_count;
	uint32_t line;
};

struct ptx_module {
	char version[8], target[16]; /* "9.0", "sm_90"; what follows ("debug") is left out */
	int address_bits;
	struct ptx_variable *variables; /* of module scope */
	size_t variable_count;
	struct ptx_function *functions;
	size_t function_count;
	char **files; /* by the number of .file; holes are NULL. '?' for control characters */
	size_t file_count;
	struct ptx_arena *arena; /* where all of this is */
};

/* Larger texts, more functions, more registers in one of them, and deeper scopes are refused:
 * PL_EPARSE. */
#define PTX_MAX_TEXT_BYTES (64 * 1024 * 1024)
#define PTX_MAX_FUNCTIONS 16384
#define PTX_MAX_REGISTERS 65536
#define PTX_MAX_SCOPES 64
/* .file and .loc beyond this are refused. */
#define PTX_MAX_FILES 65536
#define PTX_MAX_FILE_NAME 4095

/*
 * Reads a whole module. `text` needs no terminator. PL_EPARSE: what is wrong,
 * with the line of the PTX and the words there; PL_ENOMEM: it asks for far
 * more memory than its length lets expect. *out is untouched then.
 */
int ptx_module_parse(struct ptx_module **out, const char *text, size_t length, struct error *err);
void ptx_module_free(struct ptx_module *module); /* NULL is fine */
/* NULL: none of that name. */
const struct ptx_function *ptx_module_function(const struct ptx_module *module, const char *name);

#endif
