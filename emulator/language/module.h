/*
 * module: a parsed PTX file. Internal to emulator/.
 *
 * The parser keeps names, modifiers and source lines. It knows the grammar and the directives but
 * no opcode. A module with unknown instructions still parses, and program/ can list them all.
 *
 * Accepted is what nvcc 11 to 13 write, for any target. Register types are kept as widths only
 * (NVVM 20 declares %f as .b32). `.loc` and `.file` are kept; `.section` and `.pragma` are skipped.
 *
 * A .global or .const variable of a function is one of the module, with a name such as "table.2".
 * Names are unique within a function. If an inner scope declares a variable, label or list of
 * targets whose name its function has used before, it gets a name such as "param0.2", and so do the
 * operands that refer to it. Equal names are the same pointer.
 *
 * Ownership: the module owns everything in it and keeps no pointer into the text.
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
const char *ptx_space_name(enum ptx_space space); /* "global"; "" for the generic space */

/* A register of a function. Its width is 1 for a predicate, else 8, 16, 32 or 64 bits. A vector
 * (.v2, .v4) is several registers, one behind the other; operands that name it list them. So is a
 * register of .b128, of its halves, the lower one first. */
struct ptx_register {
	const char *name; /* "%rd4"; not unique: a register of an inner scope keeps its name, and
			     elements of a vector have the name of the vector */
	int width_bits;
	int elements; /* of the vector that begins with it; 1: it is none */
	bool whole;   /* half of a register of .b128 */
};

/* An address in a variable's initial value: of another variable or of a function. */
struct ptx_relocation {
	int64_t at, bytes; /* where in the variable, and how many bytes */
	const char *symbol;
	int64_t addend;
	/* The part of the address: `0xff00(symbol)` is the second byte of it. All ones: all of it.
	 */
	uint64_t mask;
	uint32_t line; /* of the PTX */
};

/* A variable of module or function scope, or a parameter. */
struct ptx_variable {
	const char *name;
	enum ptx_space space;
	int64_t element_bytes; /* of the declared type: 1 for .b8 */
	int64_t count;         /* elements; 1 for a scalar, 0 for `extern x[]` */
	int64_t bytes;         /* element_bytes * count */
	int64_t align;         /* at least element_bytes */
	bool external;         /* .extern; in shared space: dynamic shared memory */
	/* A parameter of a function that is a register (.reg): 1 more than the index of its first
	 * element; else 0. A predicate has one byte. */
	uint32_t in_register;
	/* ".texref", ".samplerref" or ".surfref": a reference that the driver binds; else NULL. */
	const char *reference;
	/* The initial value: `bytes` bytes, or NULL for zeroes. Addresses are zero here; see
	 * relocations. */
	unsigned char *initial;
	struct ptx_relocation *relocations;
	size_t relocation_count;
};

enum ptx_operand_kind {
	PTX_OPERAND_REGISTER, /* index: in the function's registers; name: a selector of a video
				 instruction ("b0"), else NULL */
	PTX_OPERAND_SPECIAL,  /* name: "%tid.x", "%laneid", "WARP_SZ" */
	PTX_OPERAND_INTEGER,  /* bits: 64-bit two's complement */
	PTX_OPERAND_F32,      /* 0f3F800000; bits */
	PTX_OPERAND_F64,      /* 0d…, or a decimal literal with a point; bits */
	PTX_OPERAND_SYMBOL,   /* name: a variable, function or label */
	PTX_OPERAND_ADDRESS,  /* [base + offset]: the first element is the base; [integer] has none.
				 tex and cp.async.bulk.tensor have more elements after the base */
	PTX_OPERAND_VECTOR,   /* {a, b, …}: elements */
	PTX_OPERAND_LIST,     /* (a, b, …) of a call: elements */
	PTX_OPERAND_PAIR,     /* d|p: two elements */
	PTX_OPERAND_SINK,     /* _ */
};

struct ptx_operand {
	enum ptx_operand_kind kind;
	bool negated;                 /* !%p1, or -x of a register in old PTX */
	bool whole;                   /* VECTOR: the halves of a register of .b128 */
	uint32_t index;               /* REGISTER */
	const char *name;             /* SPECIAL, SYMBOL, and REGISTER as described above */
	uint64_t bits;                /* INTEGER, F32 (low half), F64 */
	int64_t offset;               /* ADDRESS, and SYMBOL+offset */
	struct ptx_operand *elements; /* VECTOR, LIST, PAIR, ADDRESS */
	size_t element_count;
};

struct ptx_statement {
	bool guarded, guard_negated;
	uint32_t guard;   /* index of the guard's register */
	const char *base; /* "ld" */
	/* "global", "nc", "v4", "f32"; a modifier with :: is one ("L1::no_allocate"). */
	const char *const *modifiers;
	size_t modifier_count;
	const char *mnemonic; /* as written: "ld.global.nc.v4.f32" */
	struct ptx_operand *operands;
	size_t operand_count;
	uint32_t line;              /* in the PTX text, from 1 */
	uint32_t file, source_line; /* of the latest .loc: index in files and line, or 0 and 0. For
				       inlined code this is the line of the statement itself. After
				       a .loc with line 0, those of the next .loc */
	uint32_t caller_file, caller_line; /* the same for the outermost call at which the statement
					      was inlined; 0 and 0: not inlined */
};

/* A label. `statement` is the index of the statement after it, or statement_count at the end. */
struct ptx_label {
	const char *name;
	uint32_t statement;
};

/* A labelled list of branch targets (`.branchtargets`) or call prototype (`.callprototype`). */
struct ptx_targets {
	const char *name;
	const char **labels;
	size_t count;
};

/* A directive that the parser keeps but does not interpret: ".maxnreg", ".pragma". */
struct ptx_directive {
	const char *name;
	uint32_t line;
};

struct ptx_function {
	const char *name;
	bool entry;                      /* false: .func */
	bool defined;                    /* false: a declaration without a body */
	struct ptx_variable *parameters; /* in order; the results of a .func come first */
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
	int64_t max_threads[3]; /* from .maxntid or .reqntid; 0: none */
	bool exact_threads;     /* from .reqntid: a block has max_threads, no fewer */
	int64_t cluster[3];     /* from .reqnctapercluster: blocks of a cluster; 0: none */
	int64_t most_cluster;   /* from .maxclusterrank: the most blocks of a cluster; 0: none */
	bool explicit_cluster;  /* .explicitcluster: a launch must have clusters */
	/* All directives of the head other than those, and the unknown ones of the body. */
	struct ptx_directive *directives;
	size_t directive_count;
	uint32_t line;
};

struct ptx_module {
	char version[8], target[16]; /* "9.0", "sm_90"; target options ("debug") are dropped */
	int address_bits;
	struct ptx_variable *variables; /* of module scope */
	size_t variable_count;
	struct ptx_function *functions;
	size_t function_count;
	char **files; /* by .file number; NULL: no such number. Without control characters */
	size_t file_count;
	struct ptx_arena *arena; /* owns all of this */
};

/* Limits. A larger text, more functions, more registers in a function or deeper scopes:
 * PL_EPARSE. */
#define PTX_MAX_TEXT_BYTES (64 * 1024 * 1024)
#define PTX_MAX_FUNCTIONS 16384
#define PTX_MAX_REGISTERS 65536
#define PTX_MAX_SCOPES 64
/* Larger numbers in .file and .loc, or longer names: PL_EPARSE. */
#define PTX_MAX_FILES 65536
#define PTX_MAX_FILE_NAME 4095

/*
 * Parses a whole module. `text` needs no terminator. PL_EPARSE: the error names the line of the PTX
 * and the token there. PL_EUNSUPPORTED, with the line: a form of PTX that the emulator lacks.
 * PL_ENOMEM: the module needs far more memory than a text of this length
 * should. On error *out is unchanged.
 */
int ptx_module_parse(struct ptx_module **out, const char *text, size_t length, struct error *err);
void ptx_module_free(struct ptx_module *module); /* NULL is allowed */
/* Returns NULL if the module has no function of this name. */
const struct ptx_function *ptx_module_function(const struct ptx_module *module, const char *name);

/* The source file as .file names it. NULL: the line is 0, or there is no such file. */
const char *source_file_name(const struct ptx_module *module, uint32_t file, uint32_t line);
/* Appends "x.cu:20", for inlined code the place of the call and its own, "x.cu:40 (x.cuh:7)". Files
 * are NULL if they are not known; false: none is known. */
bool source_line_text(struct text *out, const char *file, uint32_t line, const char *caller_file,
		      uint32_t caller_line);
/* Appends the place of a statement, or "line 41 of the PTX" without -lineinfo. */
void source_place_text(struct text *out, const struct ptx_module *module,
		       const struct ptx_statement *statement);

#endif
