/* Findings: recording them while a launch runs, and writing them as text. */
#include "emulator/machine/warp.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	bool ends;
} kinds[] = {
#define X(symbol, word, ends, meaning) [symbol] = {word, ends},
	FINDING_LIST(X)
#undef X
};

const char *finding_kind_name(enum finding_kind kind)
{
	return kinds[kind].name;
}

bool finding_ends_launch(enum finding_kind kind)
{
	return kinds[kind].ends;
}

void finding_list_release(struct finding_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->items[i].entry);
		free(list->items[i].file);
		free(list->items[i].caller_file);
		free(list->items[i].text);
	}
	free(list->items);
	*list = (struct finding_list){0};
}

void finding_text(struct text *out, const struct finding *finding)
{
	const int64_t *block = finding->block, *thread = finding->thread;

	text_addf(out, "%s in %s, block (%" PRId64 ",%" PRId64 ",%" PRId64 ")",
		  finding_kind_name(finding->kind), finding->entry, block[0], block[1], block[2]);
	if (thread[0] >= 0)
		text_addf(out, " thread (%" PRId64 ",%" PRId64 ",%" PRId64 ")", thread[0],
			  thread[1], thread[2]);
	if (finding->caller_file && finding->file)
		text_addf(out, ", %s:%u (%s:%u)", finding->caller_file, finding->caller_line,
			  finding->file, finding->line);
	else if (finding->file)
		text_addf(out, ", %s:%u", finding->file, finding->line);
	else
		text_addf(out, ", PTX line %u", finding->ptx_line);
	text_addf(out, ": %s", finding->text);
	if (finding->times > 1)
		text_addf(out, " (%" PRIu64 " times)", finding->times);
}

/* ---- while a launch runs ---- */

static struct finding *find_recorded(struct finding_list *list, enum finding_kind kind,
				     const char *entry, uint32_t ptx_line)
{
	for (size_t i = 0; i < list->count; i++) {
		struct finding *finding = &list->items[i];

		if (finding->kind == kind && finding->ptx_line == ptx_line &&
		    !strcmp(finding->entry, entry))
			return finding;
	}
	return NULL;
}

static void set_thread(struct finding *finding, const struct warp *warp, int lane)
{
	const int64_t *shape = warp->block->launch->what.block;
	int64_t thread = (int64_t)warp->index * LANES + lane;

	finding->thread[0] = lane < 0 ? -1 : thread % shape[0];
	finding->thread[1] = lane < 0 ? -1 : thread / shape[0] % shape[1];
	finding->thread[2] = lane < 0 ? -1 : thread / shape[0] / shape[1];
}

static void set_line(struct finding *finding, const struct ptx_module *module,
		     const struct ptx_statement *statement)
{
	const char *file = source_file_name(module, statement->file, statement->source_line);
	const char *caller_file =
		source_file_name(module, statement->caller_file, statement->caller_line);

	finding->ptx_line = statement->line;
	finding->line = statement->source_line;
	finding->file = file ? xstrdup(file) : NULL;
	finding->caller_line = statement->caller_line;
	finding->caller_file = caller_file ? xstrdup(caller_file) : NULL;
}

enum step warp_finding(struct warp *warp, const struct instruction *at, int lane,
		       enum finding_kind kind, const char *format, ...)
{
	struct launch *launch = warp->block->launch;
	const struct ptx_statement *statement = instruction_statement(warp->frame->function, at);
	struct finding_list *list = launch->findings;
	enum step step = finding_ends_launch(kind) ? STEP_STOPPED : STEP_NEXT;
	struct finding *finding = find_recorded(list, kind, launch->what.entry, statement->line);
	struct text text = TEXT_INIT;
	char line[512];
	va_list arguments;

	launch->stopped |= step == STEP_STOPPED;
	if (finding) {
		finding->times++;
		return step;
	}
	if (list->count == FINDINGS_MOST) {
		list->beyond++;
		return step;
	}
	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	text_add(&text, line);
	list->items = xgrow(list->items, &list->capacity, list->count + 1, sizeof(*list->items));
	finding = &list->items[list->count++];
	*finding = (struct finding){.kind = kind, .times = 1, .text = text_detach(&text)};
	finding->entry = xstrdup(launch->what.entry);
	memcpy(finding->block, warp->block->index, sizeof(finding->block));
	set_thread(finding, warp, lane);
	set_line(finding, launch->program->module, statement);
	return step;
}
