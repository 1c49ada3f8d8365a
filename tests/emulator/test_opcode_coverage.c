/*
 * Everything that the decoder accepts has a golden line, or is listed here with the reason why not.
 * Rows of alu.def and aliases have a line with their own name. For the rest, the tests offer PTX of
 * every form to the decoder. What an accepted form does in the machine (its key: "ATOMIC shared add
 * f32") must be among the keys of the recorded modules. Instructions on matrices are recorded apart
 * (matrices.h).
 */
#include "support_forms.h"
#include "tests/emulator/matrices.h"
#include "tests/emulator/opcodes.h"

#include <stdlib.h>
#include <string.h>

struct fixture {
	struct opcode_list opcodes;
	struct string_list keys; /* of the modules that are recorded or still to be recorded */
	bool operations[OPERATION_COUNT];
};

static int setup(void **state)
{
	struct fixture *fixture = xcalloc(1, sizeof(*fixture));
	struct matrix_list matrices;

	fixture->opcodes = opcode_list_create();
	for (size_t i = 0; i < fixture->opcodes.count; i++) {
		struct text ptx = TEXT_INIT;

		opcode_module(&ptx, &fixture->opcodes.items[i]);
		/* test_opcodes says which ones are not decoded. */
		form_keys_add(&fixture->keys, fixture->operations, ptx.data);
		text_release(&ptx);
	}
	matrices = matrix_list_create();
	for (size_t i = 0; i < matrices.count; i++) {
		struct text ptx = TEXT_INIT;

		matrix_module(&ptx, &matrices.items[i]);
		if (!form_keys_add(&fixture->keys, fixture->operations, ptx.data))
			print_error("%s is not decoded\n", matrices.items[i].name);
		text_release(&ptx);
	}
	matrix_list_release(&matrices);
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	opcode_list_release(&fixture->opcodes);
	string_list_release(&fixture->keys);
	free(fixture);
	return 0;
}

/* A line with that name, or with that name and a lookup table. */
static bool has_line(const struct fixture *fixture, const char *mnemonic)
{
	size_t length = strlen(mnemonic);

	for (size_t i = 0; i < fixture->opcodes.count; i++) {
		const char *name = fixture->opcodes.items[i].name;

		if (strncmp(name, mnemonic, length) == 0 &&
		    (!name[length] || strncmp(name + length, " 0x", 3) == 0))
			return true;
	}
	return false;
}

static void test_every_row_has_a_line(void **state)
{
	const struct fixture *fixture = *state;
	size_t missing = 0;

	for (enum operation i = 0; i < OPERATION_COUNT; i++) {
		const struct alu_row *row = alu_row_of(i);
		bool address = row && (strncmp(row->mnemonic, "cvta", 4) == 0 ||
				       strncmp(row->mnemonic, "isspacep", 8) == 0);

		if (!row)
			continue;
		/* Auxiliary rows and addresses have no line of their own; other lines execute
		 * them. */
		if (!*row->mnemonic || address ? fixture->operations[i]
					       : has_line(fixture, row->mnemonic))
			continue;
		print_error("%s (%s) has no line\n", row->symbol, row->mnemonic);
		missing++;
	}
	assert_int_equal(missing, 0);
}

static void test_every_operation_is_in_a_line(void **state)
{
	/* They have no result to record (see test_machine_calls, test_machine), or need an object,
	 * and have golden files of their own (test_textures_golden, test_copies_golden).
	 * tests/gpu/mbarriers.sh compares mbarriers with a GPU. OP_UNDEFINED is of the decoder;
	 * what OP_DISCARD leaves has no value. */
	static const enum operation excused[] = {
		OP_TRAP,          OP_PRINT,          OP_ASSERT_FAIL,   OP_TEXTURE,
		OP_TEXTURE_QUERY, OP_SURFACE_LOAD,   OP_SURFACE_STORE, OP_SURFACE_REDUCE,
		OP_MBARRIER,      OP_CLUSTER_ARRIVE, OP_CLUSTER_WAIT,  OP_BULK_COPY,
		OP_BULK_REDUCE,   OP_BULK_COMMIT,    OP_BULK_WAIT,     OP_MAP_REPLACE,
		OP_MAP_COPY,      OP_MAP_FENCE,      OP_UNDEFINED,     OP_DISCARD};
	const struct fixture *fixture = *state;
	size_t missing = 0;

	for (size_t i = 0; i < control_operation_count; i++) {
		bool is_excused = false;

		for (size_t k = 0; k < ARRAY_SIZE(excused); k++)
			is_excused = is_excused || excused[k] == (enum operation)i;
		if (fixture->operations[i] != is_excused)
			continue;
		print_error("%s: %s\n", control_operation_names[i],
			    is_excused ? "is in a line now" : "no line has it");
		missing++;
	}
	assert_int_equal(missing, 0);
}

static void test_every_special_register_is_in_a_line(void **state)
{
	static const char *const names[] = {
#define X(symbol, name) name,
		SPECIAL_REGISTER_LIST(X)
#undef X
	};
	const struct fixture *fixture = *state;
	size_t missing = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		bool found = false;

		/* A GPU gives another slot in each run; test_clusters has the clusters. */
		if (strcmp(names[i], "%warpid") == 0 || strcmp(names[i], "%nwarpid") == 0 ||
		    strstr(names[i], "cluster"))
			continue;
		for (size_t k = 0; k < fixture->opcodes.count && !found; k++)
			found = strstr(fixture->opcodes.items[k].body, names[i]) != NULL;
		if (!found)
			print_error("%s is in no line\n", names[i]);
		missing += !found;
	}
	assert_int_equal(missing, 0);
}

static void test_every_alias_has_a_line(void **state)
{
	static const char *const mnemonics[] = {
#define ALIAS(mnemonic, as) mnemonic,
#include "emulator/program/alu_aliases.def"
#undef ALIAS
	};
	size_t missing = 0;

	for (size_t i = 0; i < ARRAY_SIZE(mnemonics); i++) {
		if (strncmp(mnemonics[i], "cvta", 4) == 0 || has_line(*state, mnemonics[i]))
			continue;
		print_error("%s has no line\n", mnemonics[i]);
		missing++;
	}
	assert_int_equal(missing, 0);
}

/* 256-bit accesses need sm_100; an H200 cannot record them. test_clusters has the addresses of
 * clusters. */
static bool is_not_recorded(const char *key)
{
	size_t length = strlen(key);

	return (length > 7 && (strcmp(key + length - 7, " b32 x8") == 0 ||
			       strcmp(key + length - 7, " b64 x4") == 0)) ||
	       strcmp(key, "cvta.shared::cluster.u64") == 0;
}

static void test_every_other_form_has_a_line(void **state)
{
	const struct fixture *fixture = *state;
	struct string_list accepted = {0};
	size_t missing = 0;

	form_keys_add_accepted(&accepted);
	for (size_t i = 0; i < accepted.count; i++) {
		if (is_not_recorded(accepted.items[i]) ||
		    string_list_has(&fixture->keys, accepted.items[i]))
			continue;
		print_error("%s: no line has it\n", accepted.items[i]);
		missing++;
	}
	string_list_release(&accepted);
	assert_int_equal(missing, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_row_has_a_line),
		cmocka_unit_test(test_every_alias_has_a_line),
		cmocka_unit_test(test_every_operation_is_in_a_line),
		cmocka_unit_test(test_every_special_register_is_in_a_line),
		cmocka_unit_test(test_every_other_form_has_a_line),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
