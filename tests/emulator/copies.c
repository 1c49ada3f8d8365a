#include "copies.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- modules ---- */

/*
 * Every body finds: %a and %b, the addresses of two areas of COPY_AREA_BYTES in shared memory,
 * whose words are 0xa0000000 + i and 0xb0000000 + i; %bar, of an mbarrier for one arrival, and
 * others for 1 to 4 arrivals every 8 bytes; %thread; %lead, true in thread 0; %rank of the cluster
 * and its %size; %out, the address of the output of the block; %in; %map, the generic address of
 * the tensor map; free registers %r, %d, %h, %f, %p, %q, %n, %ok.
 */
static void add_start(struct text *out, const struct copy_case *copy)
{
	text_addf(out,
		  ".version 8.7\n.target %s\n.address_size 64\n%s.visible .entry " COPY_ENTRY
		  "(.param .u64 p_out, .param .u64 p_in, .param .align 64 .b8 p_map[128])\n%s\n{\n",
		  copy->target ? copy->target : "sm_90", copy->variables ? copy->variables : "",
		  copy->directive);
	text_add(out,
		 ".reg .pred %lead, %p, %q;\n.reg .b16 %h<8>;\n.reg .f32 %f<4>;\n"
		 ".reg .b32 %a, %b, %bar, %thread, %rank, %size, %n, %ok, %r<24>;\n"
		 ".reg .b64 %out, %in, %map, %d<12>;\n"
		 ".shared .align 1024 .b8 area[4096];\n.shared .align 1024 .b8 other[4096];\n"
		 ".shared .align 8 .b8 bars[32];\n"
		 "ld.param.u64 %out, [p_out];\nld.param.u64 %in, [p_in];\n"
		 "mov.b64 %map, p_map;\ncvta.param.u64 %map, %map;\n"
		 "mov.u32 %a, area;\nmov.u32 %b, other;\nmov.u32 %bar, bars;\n"
		 "mov.u32 %thread, %tid.x;\nsetp.eq.u32 %lead, %thread, 0;\n"
		 "mov.u32 %rank, %cluster_ctarank;\nmov.u32 %size, %cluster_nctarank;\n"
		 /* the output of the block */
		 "mov.u32 %r0, %ctaid.z;\nmov.u32 %r1, %nctaid.y;\nmov.u32 %r2, %ctaid.y;\n"
		 "mad.lo.u32 %r0, %r0, %r1, %r2;\nmov.u32 %r1, %nctaid.x;\nmov.u32 %r2, %ctaid.x;\n"
		 "mad.lo.u32 %r0, %r0, %r1, %r2;\n");
	text_addf(out, "mul.wide.u32 %%d0, %%r0, %zu;\nadd.u64 %%out, %%out, %%d0;\n",
		  copy->out_words * 4 / (size_t)(copy->grid[0] * copy->grid[1] * copy->grid[2]));
}

static void add_preparation(struct text *out, const struct copy_case *copy)
{
	bool clustered = copy->cluster[0] * copy->cluster[1] * copy->cluster[2] > 1;

	text_add(out, "mov.u32 %r0, %thread;\nFILL:\nshl.b32 %r1, %r0, 2;\nadd.u32 %r2, %r1, %a;\n"
		      "add.u32 %r3, %r1, %b;\n");
	if (copy->area_from_in)
		text_add(out, "cvt.u64.u32 %d0, %r1;\nadd.u64 %d0, %d0, %in;\n"
			      "ld.global.u32 %r4, [%d0];\n");
	else
		text_add(out, "add.u32 %r4, %r0, 0xa0000000;\n");
	text_addf(out,
		  "st.shared.u32 [%%r2], %%r4;\nadd.u32 %%r4, %%r0, 0xb0000000;\n"
		  "st.shared.u32 [%%r3], %%r4;\nadd.u32 %%r0, %%r0, %u;\n"
		  "setp.lt.u32 %%p, %%r0, 1024;\n@%%p bra FILL;\n",
		  copy->threads);
	for (int i = 0; i < 4; i++)
		text_addf(out, "@%%lead mbarrier.init.shared.b64 [%%bar+%d], %d;\n", 8 * i, i + 1);
	text_add(out, "@%lead fence.mbarrier_init.release.cluster;\nfence.proxy.async;\n"
		      "bar.sync 0;\n");
	if (clustered)
		text_add(out, COPY_CLUSTER_SYNC);
}

void copy_module(struct text *out, const struct copy_case *copy)
{
	add_start(out, copy);
	add_preparation(out, copy);
	text_add(out, copy->body);
	text_add(out, "ret;\n}\n");
}

void copy_dump(struct text *body, const char *address, unsigned offset, unsigned words, unsigned at)
{
	size_t label = body->length; /* no other loop begins here */

	text_addf(body,
		  "mov.u32 %%r0, %%thread;\nDUMP%zu:\nshl.b32 %%r1, %%r0, 2;\n"
		  "setp.ge.u32 %%p, %%r0, %u;\n@%%p bra DUMPED%zu;\n"
		  "cvt.u64.u32 %%d0, %%r1;\nadd.u64 %%d0, %%d0, %%out;\n"
		  "add.u32 %%r1, %%r1, %s;\nld.shared.u32 %%r2, [%%r1+%u];\n"
		  "st.global.u32 [%%d0+%u], %%r2;\nmov.u32 %%r1, %%ntid.x;\n"
		  "add.u32 %%r0, %%r0, %%r1;\nbra DUMP%zu;\nDUMPED%zu:\n",
		  label, words, label, address, offset, at * 4, label, label);
}

/* ---- buffers ---- */

static const uint64_t f16_specials[COPY_SPECIALS] = {
	0x0000, 0x8000, 0x0001, 0x83ff, 0x0400, 0x3c00, 0xbc00, 0x3c01,
	0x1000, 0x1001, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e01, 0xfd02,
};
static const uint64_t bf16_specials[COPY_SPECIALS] = {
	0x0000, 0x8000, 0x0001, 0x807f, 0x0080, 0x3f80, 0xbf80, 0x3f81,
	0x3b80, 0x3b81, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc1, 0xffa2,
};
static const uint64_t f32_specials[COPY_SPECIALS] = {
	0x00000000, 0x80000000, 0x00000001, 0x807fffff, 0x00800000, 0x80800001,
	0x3f800000, 0xbf800000, 0x3f801fff, 0x33800000, 0x33800001, 0x7f7fffff,
	0x7f800000, 0xff800000, 0x7fc01234, 0xff812345,
};
static const uint64_t f64_specials[COPY_SPECIALS] = {
	0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x800fffffffffffff,
	0x0010000000000000, 0x8010000000000001, 0x3ff0000000000000, 0xbff0000000000000,
	0x3ff0000000000001, 0x3ca0000000000000, 0x3ca0000000000001, 0x7fefffffffffffff,
	0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000001234, 0xfff4000000056789,
};
/* Halves of 32 bits are interesting, too. */
static const uint64_t integer_specials[COPY_SPECIALS] = {
	0x0000000000000000, 0x0000000000000001, 0x0000000000000002, 0x0000000000000005,
	0x000000007fffffff, 0x0000000080000000, 0x00000000fffffffe, 0x00000000ffffffff,
	0x0000000100000000, 0x7fffffffffffffff, 0x8000000000000000, 0x80000000fffffffd,
	0xfffffffffffffffe, 0xffffffffffffffff, 0x0123456789abcdef, 0xf0f0f0f00ff00ff0,
};

static uint64_t special(const char *type, size_t i)
{
	if (strcmp(type, "f16") == 0)
		return f16_specials[i];
	if (strcmp(type, "bf16") == 0)
		return bf16_specials[i];
	if (strcmp(type, "f32") == 0)
		return f32_specials[i];
	return strcmp(type, "f64") == 0 ? f64_specials[i] : integer_specials[i];
}

/* The last digits of a type are its bits. */
static size_t type_bytes(const char *type)
{
	return (size_t)atoi(type + strcspn(type, "1368")) / 8;
}

static void fill_specials(uint32_t *words, size_t count, const char *type, bool old)
{
	const size_t bytes = type_bytes(type);

	for (size_t i = 0; i < count * 4 / bytes; i++) {
		uint64_t value = special(type, (old ? i / COPY_SPECIALS : i) % COPY_SPECIALS);

		memcpy((unsigned char *)words + i * bytes, &value, bytes);
	}
}

static void fill(uint32_t *words, size_t count, const struct copy_case *copy, enum copy_fill how)
{
	unsigned char *bytes = (unsigned char *)words;

	memset(words, 0, count * 4);
	switch (how) {
	case FILL_ZERO:
		return;
	case FILL_WORDS:
		for (size_t i = 0; i < count; i++)
			words[i] = (uint32_t)i + 1;
		return;
	case FILL_HALVES:
		for (size_t i = 0; i < count; i++)
			words[i] = (uint32_t)((2 * i + 1) | (2 * i + 2) << 16);
		return;
	case FILL_BYTES:
		for (size_t i = 0; i < count * 4; i++)
			bytes[i] = (unsigned char)(i + i / 256 * 37 + 1);
		return;
	case FILL_MIXED:
		for (size_t i = 0; i < count; i++)
			words[i] = ((uint32_t)i + 1) * UINT32_C(0x9e3779b1);
		return;
	case FILL_TIES:
		for (size_t i = 0; i < count; i++)
			words[i] = (i & 1 ? 0xbf800000 : 0x3f800000) + (uint32_t)(i / 2) * 0x800;
		return;
	case FILL_SMALL:
		for (size_t i = 0; i < count; i++)
			words[i] = (i & 1 ? 0x80000000 : 0) + (uint32_t)(i / 2) * 0x23800;
		return;
	case FILL_OLD:
	case FILL_NEW:
		fill_specials(words, count, copy->type, how == FILL_OLD);
		return;
	}
}

void copy_fill_in(uint32_t *in, const struct copy_case *copy)
{
	fill(in, COPY_IN_WORDS, copy, copy->in_fill);
}

void copy_fill_out(uint32_t *out, const struct copy_case *copy)
{
	fill(out, copy->out_words, copy, copy->out_fill);
}

/* ---- golden lines ---- */

static uint64_t hash_of(uint64_t state, const void *data, size_t size)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < size; i++)
		state = (state ^ bytes[i]) * UINT64_C(0x100000001b3);
	return state;
}

/* What not all maps have. */
static void add_mode(struct text *out, const struct copy_case *copy)
{
	const struct tensor_map *map = &copy->map;

	if (map->interleave)
		text_addf(out, " interleave %u", map->interleave);
	if (!map->im2col)
		return;
	text_addf(out, " im2col %u %u", map->channels, map->pixels);
	for (unsigned i = 0; i < TENSOR_IMAGE_MOST_RANK; i++)
		text_addf(out, " %d %d", map->lower[i], map->upper[i]);
}

uint64_t copy_digest(const struct copy_case *copy)
{
	uint32_t *in = xcalloc(COPY_IN_WORDS, 4), *out = xcalloc(copy->out_words, 4);
	struct text text = TEXT_INIT;
	uint64_t digest = UINT64_C(0xcbf29ce484222325);

	copy_module(&text, copy);
	for (int i = 0; i < 3; i++)
		text_addf(&text, " %" PRId64 " %" PRId64, copy->grid[i], copy->cluster[i]);
	if (copy->has_map) {
		const struct tensor_map *map = &copy->map;

		text_addf(&text, " %d %u %" PRIu64 " %d %d", map->type, map->rank, map->address,
			  map->swizzle, map->fills_nan);
		for (unsigned i = 0; i < TENSOR_MOST_RANK; i++)
			text_addf(&text, " %" PRIu64 " %" PRIu64 " %u %u", map->sizes[i],
				  map->strides[i], map->box[i], map->steps[i]);
		add_mode(&text, copy);
	}
	copy_fill_in(in, copy);
	copy_fill_out(out, copy);
	digest = hash_of(digest, text.data, text.length);
	digest = hash_of(digest, in, COPY_IN_WORDS * sizeof(*in));
	digest = hash_of(digest, out, copy->out_words * sizeof(*out));
	text_release(&text);
	free(in);
	free(out);
	return digest;
}

void copy_line(struct text *out, const struct copy_case *copy, const uint32_t *results)
{
	text_addf(out, "%016" PRIx64 "\t", copy_digest(copy));
	for (size_t i = 0, next; i < copy->out_words; i = next) {
		for (next = i + 1; next < copy->out_words && results[next] == results[i];)
			next++;
		text_addf(out, "%s%" PRIx32, i ? " " : "", results[i]);
		if (next - i > 1)
			text_addf(out, "*%zu", next - i);
	}
}

/* ---- cases ---- */

struct copy_case *copy_add(struct copy_list *list, char *name, char *body, size_t out_words)
{
	struct copy_case *copy;

	list->items = xgrow(list->items, &list->capacity, list->count + 1, sizeof(*list->items));
	copy = &list->items[list->count++];
	*copy = (struct copy_case){
		.name = name,
		.directive = "",
		.body = body,
		.grid = {1, 1, 1},
		.cluster = {1, 1, 1},
		.threads = 32,
		.out_words = out_words,
		.in_fill = FILL_WORDS,
		.type = "u32",
	};
	return copy;
}

void copy_set_cluster(struct copy_case *copy, int64_t x, int64_t y, int64_t z)
{
	const int64_t shape[3] = {x, y, z};

	memcpy(copy->cluster, shape, sizeof(shape));
	memcpy(copy->grid, shape, sizeof(shape));
	copy->out_words *= (size_t)(x * y * z);
}

/* Moves the cases that may fault behind the others. */
static void sort_by_risk(struct copy_list *list)
{
	struct copy_case *sorted = xcalloc(list->count, sizeof(*sorted));
	size_t count = 0;

	for (int may_fault = 0; may_fault <= 1; may_fault++)
		for (size_t i = 0; i < list->count; i++)
			if (list->items[i].may_fault == may_fault)
				sorted[count++] = list->items[i];
	free(list->items);
	list->items = sorted;
	list->capacity = list->count;
}

/* tests/gpu/copies.sh knows them by their names. */
static void name_open_cases(struct copy_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		struct copy_case *copy = &list->items[i];
		char *name = copy->name;

		if (copy->rule != COPY_RECORDED)
			continue;
		copy->name = xasprintf("open: %s", name);
		free(name);
	}
}

struct copy_list copy_list_create(void)
{
	struct copy_list list = {0};

	copies_add_tensor_loads(&list);
	copies_add_tensor_stores(&list);
	copies_add_bulk(&list);
	copies_add_clusters(&list);
	copies_add_signals(&list);
	copies_add_faults(&list);
	sort_by_risk(&list);
	name_open_cases(&list);
	return list;
}

struct copy_list copy_more_list_create(void)
{
	struct copy_list list = {0};

	copies_add_more_loads(&list);
	copies_add_more_stores(&list);
	copies_add_im2col(&list);
	copies_add_im2col_stores(&list);
	copies_add_map_changes(&list);
	sort_by_risk(&list);
	name_open_cases(&list);
	return list;
}

struct copy_list copy_edges_list_create(void)
{
	struct copy_list list = {0};

	copies_add_edge_reductions(&list);
	copies_add_edge_images(&list);
	sort_by_risk(&list);
	name_open_cases(&list);
	return list;
}

struct copy_list copy_interleave_list_create(void)
{
	struct copy_list list = {0};

	copies_add_slice_loads(&list);
	copies_add_slice_stores(&list);
	copies_add_slice_images(&list);
	sort_by_risk(&list);
	name_open_cases(&list);
	return list;
}

struct copy_list copy_layouts_list_create(void)
{
	struct copy_list list = {0};

	copies_add_layout_images(&list);
	copies_add_layout_mixed(&list);
	copies_add_layout_changes(&list);
	sort_by_risk(&list);
	name_open_cases(&list);
	return list;
}

void copy_list_release(struct copy_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->items[i].name);
		free(list->items[i].body);
	}
	free(list->items);
}
