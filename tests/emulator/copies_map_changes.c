/* Changes of tensor maps. */
#include "copies_changes.h"

#include <stdlib.h>
#include <string.h>

#define AREA_WORDS 512 /* of the first area that are stored */
#define OUT_WORDS 512

/* 16 rows of 24 elements of 4 bytes, copied 8 x 4 at a time. */
static const struct tensor_map unchanged = {
	.type = TENSOR_U32,
	.rank = 2,
	.sizes = {24, 16},
	.strides = {0, 96},
	.box = {8, 4},
	.steps = {1, 1},
};

void changes_add_copied_map(struct text *body, const char *to)
{
	for (unsigned i = 0; i < TENSOR_MAP_BYTES; i += 8)
		text_addf(body,
			  "@%%lead ld.param.u64 %%d0, [p_map+%u];\n@%%lead st.%s+%u], %%d0;\n", i,
			  to, i);
}

static void add_zeroed_map(struct text *body)
{
	for (unsigned i = 0; i < TENSOR_MAP_BYTES; i += 8)
		text_addf(body, "@%%lead st.shared.u64 [%%b+%u], 0;\n", i);
}

void changes_add_by_lead(struct text *body, const char *lines)
{
	while (*lines) {
		const size_t length = strcspn(lines, "\n");

		text_addf(body, "@%%lead %.*s\n", (int)length, lines);
		lines += length + (lines[length] == '\n');
	}
}

/* Adds a load with the map whose generic address is in %d8, and the store of the first area. */
static void add_changed_load(struct text *body, unsigned rank, const char *coordinates,
			     unsigned bytes)
{
	text_addf(body,
		  COPY_EXPECT
		  "%u;\n@%%lead cp.async.bulk.tensor.%ud.shared::cluster.global.tile"
		  ".mbarrier::complete_tx::bytes [%%a], [%%d8, {%s}], [%%bar];\n" COPY_WAIT,
		  bytes, rank, coordinates);
	copy_dump(body, "%a", 0, AREA_WORDS, COPY_WAITED);
}

static struct copy_case *add_changed(struct copy_list *list, const char *name, struct text *body,
				     size_t out_words)
{
	struct copy_case *copy = copy_add(list, xstrdup(name), text_detach(body), out_words);

	copy->target = CHANGED_TARGET;
	copy->variables = CHANGED_MAPS;
	copy->has_map = true;
	copy->map = unchanged;
	return copy;
}

/* A load with a map after `changes` in shared memory. */
static struct copy_case *load_changed(struct copy_list *list, const char *name, const char *changes,
				      unsigned rank, const char *coordinates, unsigned bytes)
{
	struct text body = TEXT_INIT;

	changes_add_copied_map(&body, "shared.u64 [%b");
	changes_add_by_lead(&body, changes);
	text_add(&body, COPY_OUT ACQUIRE);
	add_changed_load(&body, rank, coordinates, bytes);
	return add_changed(list, name, &body, COPY_WAITED + AREA_WORDS);
}

static void add_fields(struct copy_list *list)
{
	static const struct {
		const char *name, *changes;
		unsigned rank;
		const char *at;
		unsigned bytes;
	} cases[] = {
		{"nothing", "", 2, "4, 1", 128},
		{"global_address",
		 "add.u64 %d1, %in, 208;\n" REPLACE "global_address" IN_AREA_WIDE "%d1;", 2, "4, 1",
		 128},
		{"box_dim 0", REPLACE "box_dim" IN_AREA "0, 4;", 2, "4, 1", 64},
		{"box_dim 1", "mov.u32 %r5, 7;\n" REPLACE "box_dim" IN_AREA "1, %r5;", 2, "4, 1",
		 224},
		{"global_dim 0", REPLACE "global_dim" IN_AREA "0, 9;", 2, "4, 1", 128},
		{"global_dim 1", REPLACE "global_dim" IN_AREA "1, 3;", 2, "4, 1", 128},
		{"global_stride 0", REPLACE "global_stride" IN_AREA_WIDE "0, 48;", 2, "4, 1", 128},
		{"element_stride 0", REPLACE "element_stride" IN_AREA "0, 2;", 2, "4, 1", 128},
		{"element_stride 1", REPLACE "element_stride" IN_AREA "1, 2;", 2, "4, 1", 64},
		{"rank 1", REPLACE "rank" IN_AREA "0;", 1, "4", 32},
		{"rank 3",
		 REPLACE "rank" IN_AREA "2;\n" REPLACE "box_dim" IN_AREA "2, 3;\n" REPLACE
			 "global_dim" IN_AREA "2, 2;\n" REPLACE "global_stride" IN_AREA_WIDE
			 "1, 192;\n" REPLACE "element_stride" IN_AREA "2, 1;",
		 3, "4, 1, 0", 384},
		{"rank 5",
		 REPLACE "rank" IN_AREA "4;\n" REPLACE "box_dim" IN_AREA "2, 2;\n" REPLACE
			 "global_dim" IN_AREA "2, 2;\n" REPLACE "global_stride" IN_AREA_WIDE
			 "1, 192;\n" REPLACE "element_stride" IN_AREA "2, 1;\n" REPLACE
			 "box_dim" IN_AREA "3, 1;\n" REPLACE "global_dim" IN_AREA "3, 3;\n" REPLACE
			 "global_stride" IN_AREA_WIDE "2, 384;\n" REPLACE "element_stride" IN_AREA
			 "3, 1;\n" REPLACE "box_dim" IN_AREA "4, 2;\n" REPLACE "global_dim" IN_AREA
			 "4, 2;\n" REPLACE "global_stride" IN_AREA_WIDE "3, 16;\n" REPLACE
			 "element_stride" IN_AREA "4, 1;",
		 5, "4, 1, 0, 1, 0", 512},
		{"swizzle_mode 1", REPLACE "swizzle_mode" IN_AREA "1;", 2, "0, 1", 128},
		{"swizzle_mode 2",
		 REPLACE "swizzle_mode" IN_AREA "2;\n" REPLACE "box_dim" IN_AREA "0, 16;", 2,
		 "0, 1", 256},
		{"swizzle_mode 3",
		 REPLACE "swizzle_mode" IN_AREA "3;\n" REPLACE "global_dim" IN_AREA
			 "0, 32;\n" REPLACE "box_dim" IN_AREA "0, 32;\n" REPLACE "box_dim" IN_AREA
			 "1, 8;",
		 2, "0, 1", 1024},
		{"swizzle_mode 0", REPLACE "swizzle_mode" IN_AREA "0;", 2, "0, 1", 128},
		{"interleave_layout 0", REPLACE "interleave_layout" IN_AREA "0;", 2, "4, 1", 128},
		{"fill_mode 1 of f32",
		 REPLACE "elemtype" IN_AREA "7;\n" REPLACE "fill_mode" IN_AREA "1;", 2, "-4, 14",
		 128},
		{"fill_mode 1 of f64",
		 REPLACE "elemtype" IN_AREA "9;\n" REPLACE "fill_mode" IN_AREA "1;\n" REPLACE
			 "box_dim" IN_AREA "0, 4;\n" REPLACE "global_dim" IN_AREA "0, 12;",
		 2, "-2, 14", 128},
		{"a field of 64 bits from a register of the address",
		 "mov.u64 %d1, 96;\n" REPLACE "global_stride" IN_AREA_WIDE "0, %d1;", 2, "0, 0",
		 128},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *name = xasprintf("replace %s", cases[i].name);

		load_changed(list, name, cases[i].changes, cases[i].rank, cases[i].at,
			     cases[i].bytes);
		free(name);
	}
}

/* All types, by loads of 16 elements a row from a tensor 20 wide. */
static void add_elemtypes(struct copy_list *list)
{
	static const unsigned bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2, 4, 4};

	for (unsigned i = 0; i < ARRAY_SIZE(bytes); i++) {
		char *name = xasprintf("replace elemtype %u", i);
		char *changes =
			xasprintf(REPLACE "elemtype.shared::cta.b1024.b32 [%%b], %u;\n" REPLACE
					  "box_dim.shared::cta.b1024.b32 [%%b], 0, 16;\n" REPLACE
					  "global_dim.shared::cta.b1024.b32 [%%b], 0, 20;",
				  i);
		char *at = xasprintf("%u, 2", 16 / bytes[i]);

		load_changed(list, name, changes, 2, at, 64 * bytes[i])->in_fill =
			i < 11 ? FILL_MIXED : FILL_TIES;
		free(name);
		free(changes);
		free(at);
	}
}

/* Reductions tell the types apart. */
static void add_reduced_types(struct copy_list *list)
{
	static const struct {
		unsigned number, bytes;
		const char *operation, *values;
	} cases[] = {
		{2, 4, "max", "u32"},  {3, 4, "max", "u32"}, {4, 8, "max", "u64"},
		{5, 8, "max", "u64"},  {6, 2, "max", "f16"}, {7, 4, "add", "f32"},
		{8, 4, "add", "f32"},  {9, 8, "add", "f64"}, {10, 2, "max", "bf16"},
		{11, 4, "add", "f32"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *name = xasprintf("replace elemtype %u and reduce", cases[i].number);
		struct text body = TEXT_INIT;
		struct copy_case *copy;

		changes_add_copied_map(&body, "shared.u64 [%b");
		text_addf(&body,
			  "@%%lead " REPLACE "elemtype.shared::cta.b1024.b32 [%%b], %u;\n"
			  "@%%lead " REPLACE "global_address.shared::cta.b1024.b64 [%%b], %%out;\n"
			  "@%%lead " REPLACE "global_stride.shared::cta.b1024.b64 [%%b], 0, %u;\n",
			  cases[i].number, 16 * cases[i].bytes);
		text_add(&body, COPY_OUT ACQUIRE);
		text_addf(&body,
			  "@%%lead cp.reduce.async.bulk.tensor.2d.global.shared::cta.%s.tile"
			  ".bulk_group [%%d8, {0, 0}], [%%a];\n" COPY_COMMIT,
			  cases[i].operation);
		copy = add_changed(list, name, &body, 64 * (size_t)cases[i].bytes);
		free(name);
		copy->area_from_in = true;
		copy->type = cases[i].values;
		copy->in_fill = FILL_NEW;
		copy->out_fill = FILL_OLD;
		copy->map.sizes[0] = copy->map.sizes[1] = 16;
		copy->map.box[0] = copy->map.box[1] = 16;
	}
}

/* All fields of a map of zeroes, as Triton sets them. */
static void add_made_map(struct copy_list *list)
{
	static const char fields[] = REPLACE
		"global_address" IN_AREA_WIDE "%in;\n" REPLACE "rank" IN_AREA "1;\n" REPLACE
		"box_dim" IN_AREA "0, 8;\n" REPLACE "box_dim" IN_AREA "1, 4;\n" REPLACE
		"global_dim" IN_AREA "0, 24;\n" REPLACE "global_dim" IN_AREA "1, 16;\n" REPLACE
		"global_stride" IN_AREA_WIDE "0, 96;\n" REPLACE "element_stride" IN_AREA
		"0, 1;\n" REPLACE "element_stride" IN_AREA "1, 1;\n" REPLACE "elemtype" IN_AREA
		"2;\n" REPLACE "interleave_layout" IN_AREA "0;\n" REPLACE "swizzle_mode" IN_AREA
		"1;\n" REPLACE "fill_mode" IN_AREA "0;";
	struct text body = TEXT_INIT;

	add_zeroed_map(&body);
	changes_add_by_lead(&body, fields);
	text_add(&body, COPY_OUT ACQUIRE);
	add_changed_load(&body, 2, "4, 14", 128);
	add_changed(list, "replace all fields of zeroes", &body, COPY_WAITED + AREA_WORDS);
}

/* Changes in global memory, and by generic addresses. */
static void add_map_spaces(struct copy_list *list)
{
	static const struct {
		const char *name, *change;
	} cases[] = {
		{"replace in global memory", REPLACE "global_dim.global.b1024.b32 [%d8], 0, 9;"},
		{"replace by a generic address", REPLACE "global_dim.b1024.b32 [%d8], 0, 9;"},
		{"replace with an offset", REPLACE "global_dim.global.b1024.b32 [%d8+128], 0, 9;"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct text body = TEXT_INIT;

		text_add(&body, "mov.u64 %d8, maps;\n");
		changes_add_copied_map(&body, i == 2 ? "global.u64 [%d8+128" : "global.u64 [%d8");
		changes_add_by_lead(&body, cases[i].change);
		text_addf(&body,
			  "@%%lead fence.proxy.tensormap::generic.release.gpu;\n%s"
			  "@%%lead fence.proxy.tensormap::generic.acquire.gpu [%%d8], 128;\n",
			  i == 2 ? "add.u64 %d8, %d8, 128;\n" : "");
		add_changed_load(&body, 2, "4, 1", 128);
		add_changed(list, cases[i].name, &body, COPY_WAITED + AREA_WORDS);
	}
	load_changed(list, "replace by a generic address of shared memory",
		     "cvt.u64.u32 %d1, %b;\ncvta.shared.u64 %d1, %d1;\n" REPLACE
		     "global_dim.b1024.b32 [%d1], 0, 9;",
		     2, "4, 1", 128);
}

/* A second change after a load with the first one. */
static void add_second_change(struct copy_list *list)
{
	struct text body = TEXT_INIT;

	changes_add_copied_map(&body, "shared.u64 [%b");
	changes_add_by_lead(&body, REPLACE "global_dim" IN_AREA "0, 9;");
	text_add(&body, COPY_OUT ACQUIRE);
	text_add(&body,
		 "@%lead mbarrier.arrive.expect_tx.shared.b64 _, [%bar], 128;\n"
		 "@%lead cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx"
		 "::bytes [%a+1024], [%d8, {4, 1}], [%bar];\nmov.u32 %n, 0;\n"
		 "FIRST:\nmbarrier.test_wait.parity.shared.b64 %q, [%bar], 0;\n"
		 "@%q bra SEEN;\nnanosleep.u32 500;\nadd.u32 %n, %n, 1;\n"
		 "setp.lt.u32 %p, %n, 2000;\n@%p bra FIRST;\nSEEN:\n");
	changes_add_by_lead(&body, REPLACE "global_dim" IN_AREA "0, 10;");
	text_add(&body, "add.u32 %bar, %bar, 8;\n");
	text_add(&body, COPY_OUT ACQUIRE);
	/* This mbarrier waits for two arrivals. */
	text_add(&body, "@%lead mbarrier.arrive.shared.b64 _, [%bar];\n");
	add_changed_load(&body, 2, "4, 1", 128);
	add_changed(list, "replace twice", &body, COPY_WAITED + AREA_WORDS);
}

/* A store with a changed map. */
static void add_changed_store(struct copy_list *list)
{
	struct text body = TEXT_INIT;
	struct copy_case *copy;

	changes_add_copied_map(&body, "shared.u64 [%b");
	changes_add_by_lead(&body, "add.u64 %d1, %out, 256;\n" REPLACE "global_address" IN_AREA_WIDE
				   "%d1;\n" REPLACE "global_dim" IN_AREA "1, 3;");
	text_add(&body, COPY_OUT ACQUIRE);
	text_addf(&body, "@%%lead cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group "
			 "[%%d8, {4, 1}], [%%a];\n" COPY_COMMIT);
	copy = add_changed(list, "replace and store", &body, OUT_WORDS);
	copy->area_from_in = true;
}

/* What breaks a rule, or what PTX leaves open. */
static void add_open_changes(struct copy_list *list)
{
	static const struct {
		const char *name, *changes;
	} cases[] = {
		{"replace global_dim 1 by 0", REPLACE "global_dim" IN_AREA "1, 0;"},
		{"replace box_dim 0 by 6", REPLACE "box_dim" IN_AREA "0, 6;"},
		{"replace box_dim 1 by 0", REPLACE "box_dim" IN_AREA "1, 0;"},
		{"replace box_dim 1 by 257", REPLACE "box_dim" IN_AREA "1, 257;"},
		{"replace element_stride by 9", REPLACE "element_stride" IN_AREA "1, 9;"},
		{"replace global_stride by 40", REPLACE "global_stride" IN_AREA_WIDE "0, 40;"},
		{"replace global_address by a multiple of 8",
		 "add.u64 %d1, %in, 8;\n" REPLACE "global_address" IN_AREA_WIDE "%d1;"},
	};
	struct text body = TEXT_INIT;
	struct copy_case *copy;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		copy = load_changed(list, cases[i].name, cases[i].changes, 2, "4, 1", 128);
		copy->rule = COPY_RECORDED;
		copy->may_fault = true;
	}
	changes_add_copied_map(&body, "shared.u64 [%b");
	changes_add_by_lead(&body, REPLACE "global_dim" IN_AREA "0, 9;");
	text_add(&body, COPY_OUT);
	add_changed_load(&body, 2, "4, 1", 128);
	copy = add_changed(list, "replace without an acquire", &body, COPY_WAITED + AREA_WORDS);
	copy->rule = COPY_RECORDED;
	copy->may_fault = true;
	changes_add_copied_map(&body, "shared.u64 [%b+64");
	text_add(&body, "add.u32 %b, %b, 64;\n");
	changes_add_by_lead(&body, REPLACE "global_dim" IN_AREA "0, 9;");
	text_add(&body, COPY_OUT ACQUIRE);
	add_changed_load(&body, 2, "4, 1", 128);
	add_changed(list, "replace at byte 64 of shared memory", &body, COPY_WAITED + AREA_WORDS)
		->may_fault = true;
	copy = load_changed(list, "replace a field of an im2col map",
			    REPLACE "global_dim" IN_AREA "0, 9;", 3, "0, 0, 0", 128);
	copy->rule = COPY_RECORDED;
	copy->may_fault = true;
	copy->map = (struct tensor_map){
		.type = TENSOR_U32,
		.rank = 3,
		.sizes = {8, 5, 4},
		.strides = {0, 32, 160},
		.steps = {1, 1, 1},
		.im2col = true,
		.channels = 8,
		.pixels = 4,
	};
}

void copies_add_map_changes(struct copy_list *list)
{
	add_fields(list);
	add_elemtypes(list);
	add_reduced_types(list);
	add_made_map(list);
	add_map_spaces(list);
	add_second_change(list);
	add_changed_store(list);
	add_open_changes(list);
}
