/* The key of a form: what it does in the machine. */
#include "support_forms.h"

#include <string.h>

const char *const control_operation_names[] = {
#define X(symbol, meaning) #symbol,
	CONTROL_OPERATION_LIST(X)
#undef X
};
const size_t control_operation_count = ARRAY_SIZE(control_operation_names);

static const char *const type_names[] = {
#define X(name, c_type, width) #name,
	VALUE_TYPE_LIST(X)
#undef X
};

static const char *const atomic_names[] = {
	[ATOMIC_ADD] = "add",         [ATOMIC_MIN] = "min",
	[ATOMIC_MAX] = "max",         [ATOMIC_AND] = "and",
	[ATOMIC_OR] = "or",           [ATOMIC_XOR] = "xor",
	[ATOMIC_EXCH] = "exch",       [ATOMIC_CAS] = "cas",
	[ATOMIC_INC] = "inc",         [ATOMIC_DEC] = "dec",
	[ATOMIC_ADD_F16] = "add f16", [ATOMIC_ADD_BF16] = "add bf16",
	[ATOMIC_MIN_F16] = "min f16", [ATOMIC_MIN_BF16] = "min bf16",
	[ATOMIC_MAX_F16] = "max f16", [ATOMIC_MAX_BF16] = "max bf16",
};

static void instruction_key(struct text *out, const struct instruction *at)
{
	const char *space = ptx_space_name((enum ptx_space)at->space);
	const char *second = at->dst2 ? " and a predicate" : "";

	text_add(out, control_operation_names[at->operation] + strlen("OP_"));
	switch (at->operation) {
	case OP_LOAD:
		text_addf(out, " %s %s%d x%d", space,
			  at->width > 2                  ? "b"
			  : at->extension == EXTEND_SIGN ? "s"
							 : "u",
			  at->width * 8, at->vector);
		break;
	case OP_STORE:
		text_addf(out, " %s b%d x%d", space, at->width * 8, at->vector);
		break;
	case OP_ATOMIC:
		text_addf(out, " %s %s %s x%d%s", space, atomic_names[at->kind],
			  type_names[at->type], at->vector,
			  at->dst || at->rows[ATOMIC_RESULTS] ? "" : ", no result");
		break;
	case OP_REDUX:
		text_addf(out, " %s %s", atomic_names[at->kind], type_names[at->type]);
		break;
	case OP_SHUFFLE:
	case OP_MATCH:
		text_addf(out, " %d %s%s", at->kind, type_names[at->type], second);
		break;
	case OP_COPY:
		/* A copy that ignores its source behaves the same at any size. */
		if (at->d)
			text_add(out, " ignored");
		else
			text_addf(out, " %d bytes%s%s", at->width * at->vector,
				  at->kind == COPY_PAST_L1 ? " past L1" : "",
				  at->c ? ", some" : "");
		break;
	case OP_COPY_WAIT:
		text_add(out, at->offset < 0 ? " all" : " group");
		break;
	case OP_VOTE:
		text_addf(out, " %d", at->kind);
		break;
	case OP_ELECT:
		text_add(out, second);
		break;
	case OP_BARRIER:
	case OP_BARRIER_REDUCE:
	case OP_BARRIER_ARRIVE:
		text_addf(out, " %d%s%s", at->kind, at->sync_aligned ? " aligned" : "",
			  at->b ? " of some threads" : "");
		break;
	default:
		break;
	}
}

static bool has_modifier(const struct ptx_statement *at, const char *word)
{
	for (size_t i = 0; i < at->modifier_count; i++)
		if (strcmp(at->modifiers[i], word) == 0)
			return true;
	return false;
}

/* Adds what a video instruction does, without its types and selectors. */
static void video_key(struct text *out, const struct ptx_statement *at)
{
	if (at->base[0] != 'v' || strcmp(at->base, "vote") == 0)
		return;
	text_add(out, at->base);
	for (size_t i = 0; i < at->modifier_count; i++)
		if (strcmp(at->modifiers[i], "u32") != 0 && strcmp(at->modifiers[i], "s32") != 0)
			text_addf(out, " %s", at->modifiers[i]);
}

/* Adds the form of a statement that the decoder composes of several rows; nothing for others. */
static void statement_key(struct text *out, const struct ptx_statement *at)
{
	static const char *const whole[] = {"add", "addc", "sub", "subc", "mad", "madc"};
	static const char *const words[] = {"and", "or", "xor"};
	bool sets = strcmp(at->base, "set") == 0;
	bool two = at->operand_count && at->operands[0].kind == PTX_OPERAND_PAIR;

	if (strncmp(at->base, "cvta", 4) == 0 || strcmp(at->base, "isspacep") == 0)
		text_add(out, at->mnemonic);
	video_key(out, at);
	if (strcmp(at->base, "lop3") == 0 && at->modifier_count > 1)
		text_add(out, at->mnemonic);
	for (size_t i = 0; i < ARRAY_SIZE(whole); i++)
		if (strcmp(at->base, whole[i]) == 0 &&
		    (has_modifier(at, "cc") || at->base[strlen(at->base) - 1] == 'c'))
			text_add(out, at->mnemonic);
	if (!sets && strcmp(at->base, "setp") != 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (has_modifier(at, words[i]))
			text_addf(out, "%s %s", at->base, words[i]);
	if (out->length || (!sets && !two) || at->modifier_count < 2)
		return;
	text_addf(out, "%s", at->base);
	if (sets)
		text_addf(out, " %s of", at->modifiers[at->modifier_count - 2]);
	text_addf(out, " %s%s", at->modifiers[at->modifier_count - 1], two ? " p|q" : "");
}

static void key_add(struct string_list *keys, struct text *key)
{
	if (key->length && !string_list_has(keys, key->data))
		string_list_add(keys, key->data);
	text_clear(key);
}

bool form_keys_add(struct string_list *keys, bool *operations, const char *ptx)
{
	struct ptx_module *module = NULL;
	struct ptx_program *program = NULL;
	struct unsupported_features unsupported = {0};
	struct error err = {0};
	struct text key = TEXT_INIT;

	if (ptx_module_parse(&module, ptx, strlen(ptx), &err) == 0 &&
	    ptx_program_decode(&program, module, NULL, &unsupported, &err) == 0)
		for (size_t i = 0; i < program->function_count; i++) {
			const struct program_function *function = &program->functions[i];

			for (size_t j = 0; j < function->source->statement_count; j++) {
				statement_key(&key, &function->source->statements[j]);
				key_add(keys, &key);
			}
			for (size_t j = 0; j < function->code_count; j++) {
				const struct instruction *at = &function->code[j];

				if (operations)
					operations[at->operation] = true;
				if (alu_row_of((enum operation)at->operation) ||
				    at->operation == OP_UNDEFINED) /* of no statement */
					continue;
				instruction_key(&key, at);
				key_add(keys, &key);
			}
		}
	unsupported_features_release(&unsupported);
	text_release(&key);
	ptx_program_free(program);
	if (module)
		ptx_module_free(module);
	return program != NULL;
}
