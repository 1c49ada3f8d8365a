/*
 * decode_access: what loads, stores (decode_memory.c) and atomics (decode_atomic.c) have in common:
 * modifiers, addresses and registers. Internal to emulator/program/.
 */
#ifndef EMULATOR_PROGRAM_DECODE_ACCESS_H
#define EMULATOR_PROGRAM_DECODE_ACCESS_H

#include "emulator/program/decode.h"

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
/* A release is a fence and then a relaxed access. */
void emit_release(struct function_decoding *decoding, const struct access_modifiers *access);
/* An acquire is a relaxed access and then a fence, which orders only what comes after it. */
void emit_acquire(struct function_decoding *decoding, const struct access_modifiers *access);
void set_access_address(struct instruction *instruction, const struct decoded_address *where);
/* Returns the registers that a load fills or a store reads, or NULL if they are not `vector`. */
const struct ptx_operand *access_registers(struct function_decoding *decoding,
					   const struct ptx_operand *operand, int vector);

#endif
