/* Which launches fit the parameters of a compiled entry. A launch that does not fit would read
 * memory that nobody wrote. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "harness/sources/sources.h"

static const char *entry_name = "_Z1k"; /* no types in it */
static const struct case_buffer of_case[] = {{.name = "x", .type = ELEMENT_F32},
					     {.name = "raw", .type = ELEMENT_U8}};

/* Binds "k" to the entry with these parameters. `args` gets the bound arguments. */
static int bind(struct case_arg *args, size_t arg_count,
		const struct compiled_parameter *parameters, size_t parameter_count, char **entry,
		struct error *err)
{
	struct compiled_entry compiled_entry = {.wanted = (char *)"k",
						.name = (char *)entry_name,
						.parameters =
							(struct compiled_parameter *)parameters,
						.parameter_count = parameter_count};
	struct compiled compiled = {.entries = &compiled_entry, .entry_count = 1};
	struct case_launch launch = {.entry = xstrdup("k"), .args = args, .arg_count = arg_count};
	int rc = bind_launches(&launch, 1, of_case, &compiled, err);

	*entry = launch.entry;
	return rc;
}

static void expect_bound(struct case_arg arg, struct compiled_parameter parameter,
			 enum arg_kind kind)
{
	struct error err = {0};
	char *entry;

	if (bind(&arg, 1, &parameter, 1, &entry, &err))
		fail_msg("%s", err.text);
	assert_string_equal(entry, entry_name);
	if (arg.kind != kind)
		fail_msg("bound as %s, expected %s", arg_kind_name(arg.kind), arg_kind_name(kind));
	free(entry);
}

static void expect_refused(struct case_arg arg, struct compiled_parameter parameter,
			   const char *part)
{
	struct error err = {0};
	char *entry;

	assert_int_equal(bind(&arg, 1, &parameter, 1, &entry, &err), PL_EUSAGE);
	if (!strstr(err.text, part) || !strstr(err.text, "argument 1 of k"))
		fail_msg("'%s' is not in: %s", part, err.text);
	assert_string_equal(entry, "k");
	free(entry);
}

static const struct compiled_parameter integer_1 = {PARAMETER_INTEGER, 1, 1},
				       integer_4 = {PARAMETER_INTEGER, 4, 4},
				       integer_8 = {PARAMETER_INTEGER, 8, 8},
				       real_4 = {PARAMETER_REAL, 4, 4},
				       real_8 = {PARAMETER_REAL, 8, 8},
				       bytes_4 = {PARAMETER_BYTES, 4, 1},
				       bytes_8 = {PARAMETER_BYTES, 8, 1},
				       bytes_24 = {PARAMETER_BYTES, 24, 16};

static struct case_arg integer(int64_t value)
{
	return (struct case_arg){.kind = ARG_INTEGER, .integer = value};
}

static struct case_arg real(double value)
{
	return (struct case_arg){.kind = ARG_REAL, .real = value};
}

static void too_few_and_too_many(void **state)
{
	const struct compiled_parameter parameters[] = {integer_4, integer_8};
	struct case_arg args[] = {integer(1), {.kind = ARG_BUFFER}, integer(2)};
	struct error err = {0};
	char *entry;

	(void)state;
	assert_int_equal(bind(args, 1, parameters, 2, &entry, &err), PL_EUSAGE);
	assert_non_null(strstr(err.text, "k takes 2 arguments, but its launch gives 1"));
	free(entry);
	assert_int_equal(bind(args, 3, parameters, 2, &entry, &err), PL_EUSAGE);
	assert_non_null(strstr(err.text, "k takes 2 arguments, but its launch gives 3"));
	free(entry);
	assert_int_equal(bind(args, 2, parameters, 2, &entry, &err), 0);
	free(entry);
	assert_int_equal(bind(NULL, 0, NULL, 0, &entry, &err), 0);
	free(entry);
}

static void an_entry_that_is_not_there(void **state)
{
	struct compiled compiled = {0};
	struct case_launch launch = {.entry = (char *)"k"};
	struct error err = {0};

	(void)state;
	assert_int_equal(bind_launches(&launch, 1, of_case, &compiled, &err), PL_EUSAGE);
	assert_non_null(strstr(err.text, "there is no kernel 'k'"));
}

static void integers_take_the_type_of_the_parameter(void **state)
{
	(void)state;
	expect_bound(integer(5), integer_4, ARG_I32);
	expect_bound(integer(-5), integer_8, ARG_I64);
	expect_bound(integer(INT32_MIN), integer_4, ARG_I32);
	expect_bound(integer(UINT32_MAX), integer_4, ARG_U32);
	expect_bound(integer(255), integer_1, ARG_U8);
	expect_bound(integer(-128), integer_1, ARG_I8);
	expect_bound(integer(5), real_4, ARG_F32);
	expect_bound(integer(5), real_8, ARG_F64);
	expect_refused(integer(INT64_C(1) << 32), integer_4, "the number 4294967296");
	expect_refused(integer(256), integer_1, "of 1 byte");
	expect_refused(integer(INT64_C(-2147483649)), integer_4, "the number -2147483649");
}

static void reals_take_the_type_of_the_parameter(void **state)
{
	(void)state;
	expect_bound(real(0.5), real_4, ARG_F32);
	expect_bound(real(1e300), real_8, ARG_F64);
	expect_refused(real(1e300), real_4, "does not fit");
	expect_refused(real(0.5), integer_4, "the number 0.5");
	expect_refused(real(0.5), integer_8, "an integer or a pointer of 8 bytes");
}

/* A .cubin has no classes. */
static void untyped_numbers_need_a_class(void **state)
{
	(void)state;
	expect_refused(integer(5), bytes_4, "name its type, such as i32(n)");
	expect_refused(real(5), bytes_8, "name its type");
	expect_bound((struct case_arg){.kind = ARG_I32, .integer = 5}, bytes_4, ARG_I32);
	expect_bound((struct case_arg){.kind = ARG_F64, .real = 5}, bytes_8, ARG_F64);
	expect_refused((struct case_arg){.kind = ARG_F64, .real = 5}, bytes_4, "a struct of 4");
}

static void typed_numbers_keep_their_type(void **state)
{
	(void)state;
	expect_bound((struct case_arg){.kind = ARG_U32, .integer = 5}, integer_4, ARG_U32);
	expect_bound((struct case_arg){.kind = ARG_F32, .real = 5}, real_4, ARG_F32);
	expect_refused((struct case_arg){.kind = ARG_I64, .integer = 5}, integer_4, "of type i64");
	expect_refused((struct case_arg){.kind = ARG_I32, .integer = 5}, real_4,
		       "a floating-point number of 4 bytes");
	expect_refused((struct case_arg){.kind = ARG_F32, .real = 5}, integer_4, "of type f32");
}

static void buffers_are_pointers(void **state)
{
	const struct case_arg buffer = {.kind = ARG_BUFFER};

	(void)state;
	expect_bound(buffer, integer_8, ARG_BUFFER);
	expect_bound(buffer, bytes_8, ARG_BUFFER);
	expect_refused(buffer, integer_4, "a buffer");
	expect_refused(buffer, real_8, "a buffer");
	expect_refused(buffer, bytes_24, "a buffer");
}

static void textures_are_handles(void **state)
{
	struct case_texture texture = {.dimensions = 1};
	const struct case_arg arg = {.kind = ARG_TEXTURE, .texture = &texture};

	(void)state;
	expect_bound(arg, integer_8, ARG_TEXTURE);
	expect_bound(arg, bytes_8, ARG_TEXTURE);
	expect_refused(arg, integer_4, "a texture");
	texture.reading.surface = true;
	expect_refused(arg, real_8, "a surface");
	entry_name = "_Z1kPf";
	expect_refused(arg, integer_8, "a surface, but the parameter is a pointer to float");
	entry_name = "_Z1ky";
	expect_bound(arg, integer_8, ARG_TEXTURE);
	entry_name = "_Z1k";
}

static void tensor_maps_are_structs_of_128_bytes(void **state)
{
	struct tensor_map map = {.rank = 1};
	const struct case_arg arg = {.kind = ARG_TENSOR_MAP, .tensor = &map};
	const struct compiled_parameter bytes_128 = {PARAMETER_BYTES, 128, 64};

	(void)state;
	expect_bound(arg, bytes_128, ARG_TENSOR_MAP);
	expect_refused(arg, bytes_24, "const __grid_constant__ CUtensorMap");
	expect_refused(arg, integer_8, "a tensor map");
}

/* A kernel with textures needs them from its launch. */
static void launches_with_and_without_textures(void **state)
{
	struct compiled_entry entries[] = {{.wanted = (char *)"reads", .textures = true},
					   {.wanted = (char *)"adds"}};
	const struct compiled compiled = {.entries = entries, .entry_count = 2};
	struct case_arg number = integer(0), texture = {.kind = ARG_TEXTURE};
	struct case_launch launches[] = {
		{.entry = (char *)"adds", .args = &number, .arg_count = 1},
		{.entry = (char *)"reads", .args = &number, .arg_count = 1},
	};

	(void)state;
	assert_string_equal(launches_with_textures(launches, 2, &compiled, false), "reads");
	assert_null(launches_with_textures(launches, 2, &compiled, true));
	launches[1].args = &texture;
	assert_null(launches_with_textures(launches, 2, &compiled, false));
	assert_string_equal(launches_with_textures(launches, 2, &compiled, true), "reads");
	assert_null(launches_with_textures(launches, 1, &compiled, false));
}

/* The size of a struct counts, with its padding. */
static void structs_by_their_bytes(void **state)
{
	unsigned char content[32] = {1};
	struct case_arg arg = {.kind = ARG_BYTES, .integer = 24, .bytes = content};

	(void)state;
	expect_bound(arg, bytes_24, ARG_BYTES);
	arg.integer = 20;
	expect_refused(arg, bytes_24, "a struct of 24 bytes");
	arg.integer = 32;
	expect_refused(arg, bytes_24, "32 bytes");
	arg.integer = 4;
	expect_bound(arg, integer_4, ARG_BYTES);
	expect_bound(arg, real_4, ARG_BYTES);
}

/* A struct that was written field by field: the message has the offsets. */
static void structs_by_their_fields(void **state)
{
	unsigned char content[24] = {0};
	struct arg_address address = {8, 0, 0, NULL};
	struct case_arg arg = {.kind = ARG_BYTES,
			       .integer = 24,
			       .bytes = content,
			       .addresses = &address,
			       .address_count = 1,
			       .layout = (char *)"i32 at 0, x at 8, u64 at 16"};

	(void)state;
	expect_bound(arg, bytes_24, ARG_BYTES);
	arg.integer = 16;
	arg.layout = (char *)"i32 at 0, x at 8";
	expect_refused(arg, bytes_24,
		       "a struct of 16 bytes (i32 at 0, x at 8), but the parameter is a struct of "
		       "24 bytes");
	arg.integer = 8;
	address.offset = 0;
	arg.layout = (char *)"x at 0";
	expect_bound(arg, bytes_8, ARG_BYTES);
	expect_bound(arg, integer_8, ARG_BYTES);
	expect_refused(arg, real_8, "but the parameter is a floating-point number");
	arg.address_count = 0;
	expect_bound(arg, real_8, ARG_BYTES);
}

/* Each image has its own name of a static variable. */
static void symbols_of_both_images(void **state)
{
	static char *own_names[] = {"_ZN15_INTERNAL_0_own2ns4coefE", "_ZN2ns5tableE"};
	static char *other_names[] = {"_ZN17_INTERNAL_0_other2ns4coefE", "rest"};
	struct compiled own = {.variables = {own_names, 2, 0}, .variables_read = true};
	struct compiled other = {.variables = {other_names, 2, 0}, .variables_read = true};
	struct case_buffer buffers[] = {
		{.name = "x"},
		{.name = "coef", .symbol = (char *)"ns::coef"},
		{.name = "table", .symbol = (char *)"table"},
	};
	struct launch_case work = {.buffers = buffers, .buffer_count = ARRAY_SIZE(buffers)};
	struct error err = {0};

	(void)state;
	assert_int_equal(bind_symbols(&work, &own, &other, &err), 0);
	assert_null(buffers[0].variable);
	assert_string_equal(buffers[1].symbol, "ns::coef");
	assert_string_equal(buffers[1].variable, own_names[0]);
	assert_string_equal(buffers[1].check_variable, other_names[0]);
	assert_string_equal(buffers[2].variable, own_names[1]);
	assert_null(buffers[2].check_variable);
	other_names[1] = (char *)"_ZN1c4coefE";
	buffers[1].symbol = (char *)"coef";
	assert_int_equal(bind_symbols(&work, &own, &other, &err), PL_EUSAGE);
	if (!strstr(err.text, "verify: symbol coef: 'coef' may be any of 2 variables"))
		fail_msg("%s", err.text);
	assert_int_equal(bind_symbols(&work, &other, NULL, &err), PL_EUSAGE);
	buffers[1].symbol = (char *)"gone";
	assert_int_equal(bind_symbols(&work, &own, NULL, &err), PL_ENOENT);
	if (!strstr(err.text,
		    "symbol coef: there is no variable 'gone' in the image; it has: ns::coef"))
		fail_msg("%s", err.text);
	for (size_t b = 0; b < ARRAY_SIZE(buffers); b++) {
		free(buffers[b].variable);
		free(buffers[b].check_variable);
	}
}

/* The name of an entry tells more than its image: whether an integer is signed, and what a pointer
 * points to. */
static void test_types_of_the_name(void **state)
{
	static const struct {
		const char *name;
		struct case_arg arg;
		struct compiled_parameter parameter;
		const char *refusal; /* NULL: bound */
	} rows[] = {
		{"_Z1ki",
		 {.kind = ARG_INTEGER, .integer = 4096000000},
		 {PARAMETER_INTEGER, 4, 4},
		 "is the number 4096000000, but the parameter is of type int"},
		{"_Z1ki",
		 {.kind = ARG_INTEGER, .integer = INT32_MAX},
		 {PARAMETER_INTEGER, 4, 4},
		 NULL},
		{"_Z1ki",
		 {.kind = ARG_INTEGER, .integer = INT32_MIN},
		 {PARAMETER_INTEGER, 4, 4},
		 NULL},
		{"_Z1kj",
		 {.kind = ARG_INTEGER, .integer = 4096000000},
		 {PARAMETER_INTEGER, 4, 4},
		 NULL},
		{"_Z1kj", {.kind = ARG_INTEGER, .integer = -1}, {PARAMETER_INTEGER, 4, 4}, NULL},
		{"_Z1ks",
		 {.kind = ARG_INTEGER, .integer = 40000},
		 {PARAMETER_INTEGER, 2, 2},
		 "of type short"},
		{"_Z1kb",
		 {.kind = ARG_INTEGER, .integer = 2},
		 {PARAMETER_INTEGER, 1, 1},
		 "of type bool"},
		{"_Z1kb", {.kind = ARG_INTEGER, .integer = 1}, {PARAMETER_INTEGER, 1, 1}, NULL},
		{"_Z1kl",
		 {.kind = ARG_INTEGER, .integer = INT64_MAX},
		 {PARAMETER_INTEGER, 8, 8},
		 NULL},
		{"_Z1kPKf", {.kind = ARG_BUFFER, .integer = 0}, {PARAMETER_INTEGER, 8, 8}, NULL},
		{"_Z1kPd",
		 {.kind = ARG_BUFFER, .integer = 0},
		 {PARAMETER_INTEGER, 8, 8},
		 "is the buffer x of f32, but the parameter is a pointer to double"},
		{"_Z1kPj",
		 {.kind = ARG_BUFFER, .integer = 0},
		 {PARAMETER_INTEGER, 8, 8},
		 "a pointer to unsigned int"},
		{"_Z1kPd", {.kind = ARG_BUFFER, .integer = 1}, {PARAMETER_INTEGER, 8, 8}, NULL},
		{"_Z1kPc", {.kind = ARG_BUFFER, .integer = 0}, {PARAMETER_INTEGER, 8, 8}, NULL},
		{"_Z1kPv", {.kind = ARG_BUFFER, .integer = 0}, {PARAMETER_INTEGER, 8, 8}, NULL},
		{"_Z1kP6float2",
		 {.kind = ARG_BUFFER, .integer = 0},
		 {PARAMETER_INTEGER, 8, 8},
		 NULL},
		{"_Z1km", {.kind = ARG_BUFFER, .integer = 0}, {PARAMETER_INTEGER, 8, 8}, NULL},
		{"_Z1k4Pair",
		 {.kind = ARG_BUFFER, .integer = 0},
		 {PARAMETER_BYTES, 8, 4},
		 "is a buffer, but the parameter is a struct of 8 bytes"},
		/* a struct of one pointer, as in PTX and as in a cubin */
		{"_Z1k5Array", {.kind = ARG_BUFFER, .integer = 0}, {PARAMETER_BYTES, 8, 8}, NULL},
		{"_Z1k5Array", {.kind = ARG_BUFFER, .integer = 0}, {PARAMETER_BYTES, 8, 1}, NULL},
		/* not read, or of other parameters than the image has */
		{"_Z1kPdi", {.kind = ARG_BUFFER, .integer = 0}, {PARAMETER_INTEGER, 8, 8}, NULL},
		{"_Z1kDn", {.kind = ARG_BUFFER, .integer = 0}, {PARAMETER_INTEGER, 8, 8}, NULL},
		{"k",
		 {.kind = ARG_INTEGER, .integer = 4096000000},
		 {PARAMETER_INTEGER, 4, 4},
		 NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct case_arg arg = rows[i].arg;
		struct error err = {0};
		char *entry;
		int rc;

		entry_name = rows[i].name;
		rc = bind(&arg, 1, &rows[i].parameter, 1, &entry, &err);
		if (!rc != !rows[i].refusal || (rc && !strstr(err.text, rows[i].refusal)))
			fail_msg("row %zu, %s: %s", i, rows[i].name, rc ? err.text : "bound");
		free(entry);
	}
	entry_name = "_Z1k";
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_types_of_the_name),
		cmocka_unit_test(too_few_and_too_many),
		cmocka_unit_test(an_entry_that_is_not_there),
		cmocka_unit_test(integers_take_the_type_of_the_parameter),
		cmocka_unit_test(reals_take_the_type_of_the_parameter),
		cmocka_unit_test(untyped_numbers_need_a_class),
		cmocka_unit_test(typed_numbers_keep_their_type),
		cmocka_unit_test(buffers_are_pointers),
		cmocka_unit_test(textures_are_handles),
		cmocka_unit_test(tensor_maps_are_structs_of_128_bytes),
		cmocka_unit_test(launches_with_and_without_textures),
		cmocka_unit_test(structs_by_their_bytes),
		cmocka_unit_test(structs_by_their_fields),
		cmocka_unit_test(symbols_of_both_images),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
