/* perflab record --show NAME.capture: what a capture holds. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mangled.h"
#include "capture/capture.h"
#include "cli/output.h"
#include "cli/recording_table.h"
#include "compile/compile.h"

#define TARGET_MOST 80

/* Facts are a list of names and values, so that text and JSON agree. */
static void add_fact(struct table *facts, const char *name, const char *format, ...)
	PRINTF_LIKE(3, 4);
static void add_fact(struct table *facts, const char *name, const char *format, ...)
{
	va_list arguments;
	char value[8192];

	va_start(arguments, format);
	vsnprintf(value, sizeof(value), format, arguments);
	va_end(arguments);
	table_row(facts, (const char *const[]){name, value});
}

static void add_dimensions(struct table *facts, const char *name, const int64_t value[3])
{
	add_fact(facts, name, "%" PRId64 "x%" PRId64 "x%" PRId64, value[0], value[1], value[2]);
}

static void add_launch_facts(struct table *facts, const struct capture_info *info)
{
	const struct capture_launch *launch = &info->launch;

	add_fact(facts, "launch", "%" PRId64 " of the kernel in its process, by %s", info->number,
		 info->api);
	add_dimensions(facts, "grid", launch->grid);
	add_dimensions(facts, "block", launch->block);
	if (launch->cluster[0] * launch->cluster[1] * launch->cluster[2] > 1)
		add_dimensions(facts, "cluster", launch->cluster);
	add_fact(facts, "dynamic shared memory", "%" PRId64 " bytes", launch->shared_bytes);
	if (launch->cooperative)
		add_fact(facts, "cooperative", "yes");
	if (launch->carveout >= 0)
		add_fact(facts, "carveout", "%" PRId64 " %%", launch->carveout);
}

/* "PTX" of its ".target" line: "sm_90". */
static void ptx_target(char out[TARGET_MOST], const char *ptx)
{
	const char *line = strstr(ptx, ".target");
	size_t length;

	snprintf(out, TARGET_MOST, "an unknown target");
	if (!line)
		return;
	line += strlen(".target");
	line += strspn(line, " \t");
	length = strcspn(line, " \t\r\n,");
	if (length && length < TARGET_MOST)
		snprintf(out, TARGET_MOST, "%.*s", (int)length, line);
}

static int add_images(struct table *facts, const struct capture *capture, struct error *err)
{
	const struct capture_info *info = capture_info(capture);
	char *data = NULL, target[TARGET_MOST];
	size_t bytes = 0;
	struct error absent = {0};
	int rc = capture_read_image(capture, CAPTURE_CUBIN, &data, &bytes, err);
	int arch;

	if (rc)
		return rc;
	arch = cubin_arch(data, bytes);
	free(data);
	if (arch)
		add_fact(facts, "machine code", "%zu bytes for sm_%d", bytes, arch);
	else
		add_fact(facts, "machine code", "%zu bytes", bytes);
	rc = capture_read_image(capture, CAPTURE_PTX, &data, &bytes, &absent);
	if (rc == PL_ENOENT) {
		add_fact(facts, "PTX",
			 "none: the emulator and other architectures cannot replay it");
		return 0;
	}
	if (rc)
		return error_set(err, rc, "%s", absent.text);
	ptx_target(target, data);
	free(data);
	add_fact(facts, "PTX", "%zu bytes for %s, from %s", bytes, target,
		 info->ptx_origin ? info->ptx_origin : "an unknown place");
	return 0;
}

/* ---- parameters ---- */

static const struct capture_pointer *pointer_at(const struct capture_pointers *pointers,
						uint64_t offset)
{
	for (size_t i = 0; i < pointers->count; i++)
		if (pointers->items[i].offset == offset)
			return &pointers->items[i];
	return NULL;
}

static void add_hex(struct text *out, const unsigned char *bytes, uint64_t count)
{
	const uint64_t shown = count > 16 ? 16 : count;

	text_add(out, "0x");
	for (uint64_t i = shown; i--;)
		text_addf(out, "%02x", bytes[i]);
	if (shown < count)
		text_add(out, "…");
}

/* "m0 + 4096", or the bytes as a number; the pointers in a structure are counted. */
static void add_parameter_value(struct text *out, const struct capture_info *info,
				const struct capture_parameter *parameter)
{
	const struct capture_pointer *pointer =
		parameter->bytes == 8 ? pointer_at(&info->parameter_pointers, parameter->offset)
				      : NULL;
	const unsigned char *bytes = info->parameter_data + parameter->offset;
	size_t inside = 0;

	if (pointer) {
		text_addf(out, "m%zu", pointer->memory);
		if (pointer->addend)
			text_addf(out, " + %" PRIu64, pointer->addend);
		return;
	}
	add_hex(out, bytes, parameter->bytes);
	if (parameter->bytes == 4) {
		int32_t integer;
		float real;

		memcpy(&integer, bytes, sizeof(integer));
		memcpy(&real, bytes, sizeof(real));
		text_addf(out, " (%" PRId32, integer);
		/* other bits are hardly a number that somebody passed */
		if (fabsf(real) > 1e-9F && fabsf(real) < 1e9F)
			text_addf(out, ", or %g", (double)real);
		text_add_char(out, ')');
	} else if (parameter->bytes == 8) {
		int64_t integer;

		memcpy(&integer, bytes, sizeof(integer));
		text_addf(out, " (%" PRId64 ")", integer);
	}
	for (size_t i = 0; i < info->parameter_pointers.count; i++)
		inside += info->parameter_pointers.items[i].offset >= parameter->offset &&
			  info->parameter_pointers.items[i].offset <
				  parameter->offset + parameter->bytes;
	if (inside)
		text_addf(out, ", %zu %s", inside, inside == 1 ? "pointer" : "pointers");
}

static struct table *parameter_table(const struct capture_info *info)
{
	static const struct table_column columns[] = {{.name = "parameter", .numeric = true},
						      {.name = "offset", .numeric = true},
						      {.name = "bytes", .numeric = true},
						      {.name = "value"}};
	struct table *table = table_new(columns, ARRAY_SIZE(columns));

	for (size_t i = 0; i < info->parameter_count; i++) {
		const struct capture_parameter *parameter = &info->parameters[i];
		struct text value = TEXT_INIT;
		struct cells cells = {0};

		add_parameter_value(&value, info, parameter);
		cell_format(&cells, "%zu", i);
		cell_format(&cells, "%" PRIu64, parameter->offset);
		cell_format(&cells, "%" PRIu64, parameter->bytes);
		cell_take(&cells, text_detach(&value));
		cells_end(&cells, table);
	}
	return table;
}

/* ---- memory ---- */

static struct table *memory_table(const struct capture_info *info)
{
	static const struct table_column columns[] = {
		{.name = "memory"},   {.name = "bytes", .numeric = true},
		{.name = "changed"},  {.name = "pointers", .numeric = true, .drop = 1},
		{.name = "address"},  {.name = "kind"},
		{.name = "variable"},
	};
	struct table *table = table_new(columns, ARRAY_SIZE(columns));

	for (size_t i = 0; i < info->memory_count; i++) {
		const struct capture_memory *memory = &info->memory[i];
		struct text variable = TEXT_INIT;
		struct cells cells = {0};

		if (memory->variable)
			mangled_readable(&variable, memory->variable);
		cell_format(&cells, "m%zu", i);
		cell_format(&cells, "%" PRIu64, memory->bytes);
		cell_text(&cells, memory->changed ? "yes" : "no");
		cell_format(&cells, "%zu", memory->before.count);
		cell_format(&cells, "0x%" PRIx64, memory->address);
		cell_text(&cells, capture_memory_kind_name(memory->kind));
		cell_take(&cells, text_detach(&variable));
		cells_end(&cells, table);
	}
	return table;
}

/* ---- everything ---- */

static void add_facts(struct table *facts, const char *path, const struct capture *capture)
{
	const struct capture_info *info = capture_info(capture);
	struct text readable = TEXT_INIT;
	char size[32], raw[32];

	mangled_readable(&readable, info->kernel);
	add_fact(facts, "capture", "%s", path);
	add_fact(facts, "kernel", "%s", readable.data);
	if (strcmp(readable.data, info->kernel) != 0)
		add_fact(facts, "mangled", "%s", info->kernel);
	add_fact(facts, "program", "%s", info->program);
	add_fact(facts, "recorded", "%s, by perflab %s", info->created, info->version);
	add_fact(facts, "device",
		 "%s, compute capability %" PRId64 ".%" PRId64 ", driver for CUDA %" PRId64
		 ".%" PRId64,
		 info->device, info->cc_major, info->cc_minor, info->driver_version / 1000,
		 info->driver_version % 1000 / 10);
	add_fact(facts, "uuid", "%s", info->uuid);
	add_launch_facts(facts, info);
	format_bytes(raw, (double)capture_raw_bytes(capture));
	format_bytes(size, (double)capture_file_bytes(capture));
	add_fact(facts, "file", "%s, %s without compression", size, raw);
	for (size_t i = 0; i < info->lost.count; i++)
		add_fact(facts, "may lack", "%s", info->lost.items[i]);
	text_release(&readable);
}

static int write_tables(const struct invocation *call, struct table *facts,
			const struct capture_info *info, enum report_format format,
			struct error *err)
{
	const bool json = format == REPORT_JSON;
	struct table *tables[] = {facts, parameter_table(info), memory_table(info)};
	static const char *const names[] = {"facts", "parameters", "memory"};
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(tables) && !rc; i++) {
		if (json)
			printf("%s\"%s\":", i ? "," : "{", names[i]);
		else if (i)
			putchar('\n');
		rc = table_to_stdout(call, tables[i], format, err);
	}
	if (json)
		puts("}");
	table_free(tables[1]);
	table_free(tables[2]);
	return rc;
}

int capture_print(const struct invocation *call, const char *path, enum report_format format,
		  struct error *err)
{
	static const struct table_column columns[] = {{.name = "fact"}, {.name = "value"}};
	struct capture *capture = NULL;
	struct table *facts;
	int rc;

	if (format != REPORT_TEXT && format != REPORT_JSON)
		return error_set(err, PL_EUSAGE, "a capture is shown as text or json");
	rc = capture_open(&capture, path, err);
	if (rc)
		return rc;
	facts = table_new(columns, ARRAY_SIZE(columns));
	add_facts(facts, path, capture);
	rc = add_images(facts, capture, err);
	if (!rc)
		rc = write_tables(call, facts, capture_info(capture), format, err);
	table_free(facts);
	capture_close(capture);
	return rc;
}
