#include "support_machine.h"

#include "emulator/lanes/handlers.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY_BYTES (1 << 24)

struct arguments {
	uint64_t out;
	union {
		struct {
			uint64_t in;
			uint32_t n, padding;
		};
		int64_t elements; /* of an entry by name */
	};
	_Alignas(128) unsigned char map[TENSOR_MAP_BYTES];
};

static size_t argument_bytes(const struct machine_case *work)
{
	return work->map ? sizeof(struct arguments) : work->entry ? 16 : 20;
}

static void encode_map(struct arguments *arguments, const struct machine_case *work)
{
	struct tensor_map map;
	struct error err;

	if (!work->map)
		return;
	map = *work->map;
	map.address += work->map_of_out ? arguments->out : arguments->in;
	if (tensor_map_encode(arguments->map, &map, &err))
		fail_msg("%s", err.text);
}

static void keep_printed(void *context, const char *text)
{
	text_add(context, text);
}

static size_t out_words(const struct machine_case *work)
{
	size_t threads = 1;

	if (work->out_words)
		return work->out_words;
	for (int i = 0; i < 3; i++)
		threads *= work->block[i] ? (size_t)work->block[i] : 1;
	return threads;
}

/* ---- one case ---- */

struct machine_run {
	const struct machine_case *work;
	struct emulated_launch what;
	struct arguments arguments;
	struct device_memory *memory;
	struct emulation *emulation;
	struct machine_result *result;
};

static void restore_buffers(const struct machine_run *run, struct error *err)
{
	const struct machine_case *work = run->work;

	memset(device_memory_data(run->memory, run->arguments.out), 0, out_words(work) * 4);
	if (work->out_unwritten)
		assert_int_equal(device_memory_set_unwritten(run->memory, run->arguments.out, err),
				 0);
	if (work->in_words)
		memcpy(device_memory_data(run->memory, run->arguments.in), work->in,
		       work->in_words * 4);
}

static int launch_all(struct machine_run *run, struct error *err)
{
	const int launches = run->work->launches ? run->work->launches : 1;
	int rc = 0;

	for (int i = 0; !rc && i < launches; i++)
		rc = emulation_launch(run->emulation, &run->what, &run->result->findings, err);
	return rc;
}

static int launch_again(struct machine_run *run, bool checked, struct error *err)
{
	restore_buffers(run, err);
	emulation_reset_variables(run->emulation);
	emulation_counts_reset(run->emulation);
	finding_list_release(&run->result->findings);
	run->what.print = NULL;
	run->what.check_global = checked && run->work->check_global;
	run->what.checked_blocks = checked ? run->work->checked_blocks : 0;
	return launch_all(run, err);
}

static bool has_ended(const struct finding_list *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		if (finding_ends_launch(findings->items[i].kind))
			return true;
	return false;
}

/* As the harness does. So each test of a race shows, too, that this does not hide it. */
static int drop_loads(struct machine_run *run, struct error *err)
{
	int rc = 0;

	for (int round = 0; !rc && round < 8 && !has_ended(&run->result->findings) &&
			    emulation_has_suspects(run->emulation);
	     round++) {
		emulation_follow_loads(run->emulation);
		rc = launch_again(run, false, err);
		emulation_judge_loads(run->emulation);
		if (!rc)
			rc = launch_again(run, true, err);
	}
	return rc;
}

/* As the harness does. */
static int follow_undefined(struct machine_run *run, struct error *err)
{
	struct finding_list findings = run->result->findings;
	int rc;

	run->result->findings = (struct finding_list){0};
	emulation_follow_undefined(run->emulation, true);
	rc = launch_again(run, false, err);
	if (!rc && !run->work->out_unread)
		emulation_use_buffer(run->emulation, run->arguments.out, true,
				     &run->result->findings);
	emulation_end_following(run->emulation);
	finding_list_move(&findings, &run->result->findings);
	run->result->findings = findings;
	return rc;
}

static int launch(const struct machine_case *work, enum emulated_lanes lanes,
		  struct machine_result *result, struct error *err)
{
	size_t words = out_words(work);
	struct unsupported_features unsupported = {0};
	struct text missing = TEXT_INIT;
	struct ptx_module *module = NULL;
	struct ptx_program *program = NULL;
	struct machine_run run = {
		.work = work,
		.memory = device_memory_create(MEMORY_BYTES),
		.result = result,
		.what =
			{
				.entry = work->entry ? work->entry : "k",
				.shared_bytes = work->shared_bytes,
				.argument_bytes = argument_bytes(work),
				.end_ns = work->end_ns,
				.max_instructions =
					work->max_instructions ? work->max_instructions : 1000000,
				.blocks = work->blocks,
				.block_count = work->block_count,
				.checked_blocks = work->checked_blocks,
				.check_global = work->check_global,
				.check_most_bytes = work->check_most_bytes,
				.cooperative = work->cooperative,
				.sm_count = work->sm_count,
				.resident_blocks = work->resident_blocks,
				.print = keep_printed,
				.print_context = &result->printed,
			},
	};
	int rc;

	*result = (struct machine_result){.printed = TEXT_INIT};
	run.what.arguments = &run.arguments;
	run.what.notes = &result->notes;
	for (int i = 0; i < 3; i++) {
		run.what.grid[i] = work->grid[i] ? work->grid[i] : 1;
		run.what.block[i] = work->block[i] ? work->block[i] : 1;
		run.what.cluster[i] = work->cluster[i];
	}
	rc = ptx_module_parse(&module, work->ptx, strlen(work->ptx), err);
	if (!rc)
		rc = ptx_program_decode(&program, module, work->entry, &unsupported, err);
	unsupported_features_text(&missing, &unsupported);
	if (rc)
		fail_msg("%s %s", err->text, missing.data);
	assert_int_equal(device_memory_allocate(run.memory, (int64_t)words * 4, "out",
						&run.arguments.out, err),
			 0);
	assert_int_equal(device_memory_allocate(run.memory, (int64_t)work->in_words * 4, "in",
						&run.arguments.in, err),
			 0);
	if (work->entry && !work->map)
		run.arguments.elements = work->n;
	else
		run.arguments.n = work->n;
	encode_map(&run.arguments, work);
	restore_buffers(&run, err);
	rc = emulation_create(&run.emulation, program, run.memory, lanes, err);
	if (!rc) {
		rc = launch_all(&run, err);
		if (!rc)
			rc = drop_loads(&run, err);
		if (!rc && emulation_may_be_undefined(run.emulation))
			rc = follow_undefined(&run, err);
		emulation_leaks(run.emulation, &result->findings);
		emulation_counts(run.emulation, &result->counts);
		emulation_lines(run.emulation, &result->lines);
	}
	result->out = malloc(words * 4);
	memcpy(result->out, device_memory_data(run.memory, run.arguments.out), words * 4);
	emulation_free(run.emulation);
	ptx_program_free(program);
	ptx_module_free(module);
	unsupported_features_release(&unsupported);
	text_release(&missing);
	device_memory_free(run.memory);
	return rc;
}

static void findings_in_words(struct text *out, const struct finding_list *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		finding_text(out, &findings->items[i]);
		text_add(out, "\n");
	}
}

static void assert_same(const struct machine_case *work, const struct machine_result *a,
			const struct machine_result *b)
{
	struct text one = TEXT_INIT, other = TEXT_INIT;

	assert_memory_equal(a->out, b->out, out_words(work) * 4);
	assert_memory_equal(&a->counts, &b->counts, sizeof(a->counts));
	assert_string_equal(a->printed.data, b->printed.data);
	findings_in_words(&one, &a->findings);
	findings_in_words(&other, &b->findings);
	assert_string_equal(one.data, other.data);
	assert_int_equal(a->lines.count, b->lines.count);
	for (size_t i = 0; i < a->lines.count; i++) {
		assert_int_equal(a->lines.items[i].line, b->lines.items[i].line);
		assert_int_equal(a->lines.items[i].lanes, b->lines.items[i].lanes);
	}
	text_release(&one);
	text_release(&other);
}

struct machine_result machine_run(const struct machine_case *work)
{
	struct machine_result result, other;
	struct error err = {0};

	if (launch(work, LANES_PORTABLE, &result, &err))
		fail_msg("%s", err.text);
	if (handlers_avx2_or_null()) {
		if (launch(work, LANES_AVX2, &other, &err))
			fail_msg("%s", err.text);
		assert_same(work, &result, &other);
		machine_release(&other);
	}
	return result;
}

int machine_refused(const struct machine_case *work, struct error *err)
{
	struct machine_result result;
	int rc = launch(work, LANES_PORTABLE, &result, err);

	machine_release(&result);
	return rc;
}

void machine_release(struct machine_result *result)
{
	free(result->out);
	line_count_list_release(&result->lines);
	finding_list_release(&result->findings);
	finding_list_release(&result->notes);
	text_release(&result->printed);
}

void assert_finding(const struct machine_result *result, enum finding_kind kind, uint32_t ptx_line,
		    const char *words)
{
	struct text text = TEXT_INIT;

	findings_in_words(&text, &result->findings);
	if (result->findings.count != 1 || result->findings.items[0].kind != kind ||
	    (ptx_line && result->findings.items[0].ptx_line != ptx_line) ||
	    !strstr(text.data, words))
		fail_msg("expected one '%s' at line %u with '%s', but found: %s",
			 finding_kind_name(kind), ptx_line, words,
			 text.length ? text.data : "nothing");
	text_release(&text);
}

void assert_same_finding(const struct finding *a, const struct finding *b)
{
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->ptx_line, b->ptx_line);
	assert_int_equal(a->times, b->times);
	assert_memory_equal(a->block, b->block, sizeof(a->block));
	assert_memory_equal(a->thread, b->thread, sizeof(a->thread));
}

uint32_t line_with(const char *ptx, const char *words)
{
	uint32_t line = 1;

	for (; *ptx; line++) {
		while (*ptx == ' ' || *ptx == '\t')
			ptx++;
		if (!strncmp(ptx, words, strlen(words)))
			return line;
		ptx += strcspn(ptx, "\n");
		ptx += *ptx == '\n';
	}
	fail_msg("no line begins with '%s'", words);
	return 0;
}
