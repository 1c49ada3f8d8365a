/*
 * A warp with memory and no machine around it: for tests of the handlers of
 * loads, stores and atomics. Findings are kept. Included by one file a test program.
 */
#ifndef TESTS_EMULATOR_MEMORY_FIXTURE_H
#define TESTS_EMULATOR_MEMORY_FIXTURE_H

#include "emulator/lanes/handlers.h"
#include "emulator/machine/races/dead_loads.h"
#include "emulator/machine/races/races_shared.h"
#include "emulator/program/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Rows of 256 bytes: the sink, then these. */
enum { ROW_ADDRESS = 256, ROW_B = 512, ROW_C = 768, ROW_DST = 1024, FILE_BYTES = 1024 + 8 * 256 };
#define SHARED_SIZE 8192
#define LOCAL_SIZE 64
#define CODE_COUNT 8
#define WARP_COUNT 4

struct fixture {
	const struct handlers *handlers;
	struct ptx_module module;
	struct ptx_function source;
	struct ptx_statement statements[CODE_COUNT];
	char name[8], *files[2];
	struct ptx_program program;
	struct program_function function;
	struct instruction code[CODE_COUNT];
	struct instruction_count counts[CODE_COUNT], *all_counts[1];
	struct device_memory *memory;
	struct dead_loads *uses;
	struct launch launch;
	struct block block;
	struct frame frame;
	struct warp warps[WARP_COUNT], *warp; /* warp: the one that runs */
	unsigned char *file;
	_Alignas(64) unsigned char shared[SHARED_SIZE + 16];
	unsigned char local[LANES * LOCAL_SIZE];

	int found; /* findings so far; of the last one: */
	enum finding_kind kind;
	int lane;
	char text[256];
};
static struct fixture fixture;

/* The linker puts it in the place of warp_finding(). */
enum step __wrap_warp_finding(struct warp *warp, const struct instruction *at, int lane,
			      enum finding_kind kind, const char *format, ...);

enum step __wrap_warp_finding(struct warp *warp, const struct instruction *at, int lane,
			      enum finding_kind kind, const char *format, ...)
{
	va_list arguments;

	assert_ptr_equal(warp, fixture.warp);
	assert_true(at >= fixture.code && at < fixture.code + CODE_COUNT);
	fixture.found++;
	fixture.kind = kind;
	fixture.lane = lane;
	va_start(arguments, format);
	vsnprintf(fixture.text, sizeof(fixture.text), format, arguments);
	va_end(arguments);
	return kind == FINDING_RACE || kind == FINDING_UNINITIALISED ? STEP_NEXT : STEP_STOPPED;
}

static void fixture_begin(const struct handlers *handlers)
{
	struct fixture *f = &fixture;

	memset(f, 0, sizeof(*f));
	f->handlers = handlers;
	strcpy(f->name, "x.cu");
	f->files[1] = f->name;
	f->module = (struct ptx_module){.files = f->files, .file_count = 2};
	f->source =
		(struct ptx_function){.statements = f->statements, .statement_count = CODE_COUNT};
	for (uint32_t i = 0; i < CODE_COUNT; i++) {
		f->statements[i] = (struct ptx_statement){
			.line = 100 + i, .file = 1, .source_line = 10 * (i + 1)};
		f->code[i].statement = i;
	}
	f->function = (struct program_function){
		.source = &f->source, .code = f->code, .code_count = CODE_COUNT};
	f->program = (struct ptx_program){
		.module = &f->module, .functions = &f->function, .function_count = 1};
	f->all_counts[0] = f->counts;
	f->memory = device_memory_create(INT64_C(1) << 24);
	f->uses = dead_loads_create();
	f->launch =
		(struct launch){.program = &f->program,
				.memory = f->memory,
				.uses = f->uses,
				.what = {.grid = {1, 1, 1}, .block = {WARP_COUNT * LANES, 1, 1}},
				.shared_bytes = SHARED_SIZE,
				.counts = f->all_counts};
	f->block = (struct block){.launch = &f->launch,
				  .warps = f->warps,
				  .warp_count = WARP_COUNT,
				  .shared = f->shared};
	f->file = aligned_alloc(64, FILE_BYTES);
	memset(f->file, 0, FILE_BYTES);
	f->frame = (struct frame){.function = &f->function, .file = f->file};
	for (unsigned i = 0; i < WARP_COUNT; i++)
		f->warps[i] = (struct warp){.file = f->file,
					    .active = ALL_LANES,
					    .frame = &f->frame,
					    .block = &f->block,
					    .index = i,
					    .present = ALL_LANES,
					    .local = f->local,
					    .local_bytes = LOCAL_SIZE};
	f->warp = &f->warps[0];
}

static void fixture_end(void)
{
	shared_races_free(fixture.block.shadow);
	finished_reads_free(fixture.launch.finished_reads);
	dead_loads_free(fixture.uses);
	device_memory_free(fixture.memory);
	free(fixture.file);
}

static inline uint64_t allocate(int64_t bytes, const char *name)
{
	uint64_t address = 0;
	struct error err = {0};

	assert_int_equal(device_memory_allocate(fixture.memory, bytes, name, &address, &err), 0);
	return address;
}

/* Elements of 1, 2 or 4 bytes are in 32-bit lanes of their rows. */
static inline uint64_t row_lane(uint32_t row, int lane, unsigned width)
{
	uint32_t narrow;
	uint64_t wide;

	if (width == 8) {
		memcpy(&wide, fixture.file + row + 8 * lane, 8);
		return wide;
	}
	memcpy(&narrow, fixture.file + row + 4 * lane, 4);
	return narrow;
}

static void set_row_lane(uint32_t row, int lane, unsigned width, uint64_t value)
{
	uint32_t narrow = (uint32_t)value;

	if (width == 8)
		memcpy(fixture.file + row + 8 * lane, &value, 8);
	else
		memcpy(fixture.file + row + 4 * lane, &narrow, 4);
}

/* Instruction `index` as an access whose address is in ROW_ADDRESS, 64 bits wide. */
static struct instruction *access_at(int index, enum operation operation, enum ptx_space space,
				     unsigned width, unsigned vector)
{
	struct instruction *at = &fixture.code[index];

	*at = (struct instruction){.operation = (uint16_t)operation,
				   .space = (uint8_t)space,
				   .width = (uint8_t)width,
				   .vector = (uint8_t)vector,
				   .a = ROW_ADDRESS,
				   .statement = (uint32_t)index};
	for (unsigned i = 0; i < vector; i++)
		at->rows[i] = ROW_DST + 256 * i;
	memset(&fixture.counts[index], 0, sizeof(fixture.counts[index]));
	return at;
}

static inline void set_addresses(uint64_t first, uint64_t stride)
{
	for (int lane = 0; lane < LANES; lane++)
		set_row_lane(ROW_ADDRESS, lane, 8, first + stride * (uint64_t)lane);
}

static enum step execute(const struct instruction *at)
{
	instruction_handler *handler = at->operation == OP_ATOMIC ? fixture.handlers->atomic(at)
								  : fixture.handlers->memory(at);

	assert_non_null(handler);
	return handler(fixture.warp, at);
}

static inline const struct instruction_count *counted(const struct instruction *at)
{
	return &fixture.counts[at - fixture.code];
}

/* The access stops, and what is told of it is one finding, of this lane, with these words. */
static inline void expect_finding(const struct instruction *at, enum finding_kind kind, int lane,
				  const char *words)
{
	int before = fixture.found;

	assert_int_equal(execute(at), STEP_STOPPED);
	assert_int_equal(fixture.found, before + 1);
	assert_int_equal(fixture.kind, kind);
	assert_int_equal(fixture.lane, lane);
	if (!strstr(fixture.text, words))
		fail_msg("'%s' has no '%s'", fixture.text, words);
}

/* Runs a test body with each set of handlers that there is. */
static void with_each_set(void (*body)(void))
{
	const struct handlers *sets[] = {&handlers_portable, handlers_avx2_or_null()};

	for (size_t i = 0; i < ARRAY_SIZE(sets); i++) {
		if (!sets[i])
			continue;
		fixture_begin(sets[i]);
		body();
		fixture_end();
	}
}
#define EACH_SET(name)                      \
	static void name(void **state)      \
	{                                   \
		(void)state;                \
		with_each_set(body_##name); \
	}

#endif
