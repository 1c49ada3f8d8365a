/* Findings: adding them to a list, and writing them as text. */
#include "emulator/machine/finding.h"

#include <inttypes.h>
#include <stdarg.h>
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

static void finding_release(struct finding *finding)
{
	free(finding->entry);
	free(finding->file);
	free(finding->caller_file);
	free(finding->text);
}

void finding_list_release(struct finding_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		finding_release(&list->items[i]);
	free(list->items);
	*list = (struct finding_list){0};
}

void finding_list_move(struct finding_list *to, struct finding_list *from)
{
	for (size_t i = 0; i < from->count; i++) {
		if (finding_ends_launch(from->items[i].kind)) {
			finding_release(&from->items[i]);
		} else if (to->count == FINDINGS_MOST) {
			to->beyond++;
			finding_release(&from->items[i]);
		} else {
			to->items =
				xgrow(to->items, &to->capacity, to->count + 1, sizeof(*to->items));
			to->items[to->count++] = from->items[i];
		}
	}
	to->beyond += from->beyond;
	free(from->items);
	*from = (struct finding_list){0};
}

bool finding_list_has(const struct finding_list *list, enum finding_kind kind)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].kind == kind)
			return true;
	return false;
}

void finding_text(struct text *out, const struct finding *finding)
{
	const int64_t *block = finding->block, *thread = finding->thread;

	text_addf(out, "%s in %s, block (%" PRId64 ",%" PRId64 ",%" PRId64 ")",
		  finding_kind_name(finding->kind), finding->entry, block[0], block[1], block[2]);
	if (thread[0] >= 0)
		text_addf(out, " thread (%" PRId64 ",%" PRId64 ",%" PRId64 ")", thread[0],
			  thread[1], thread[2]);
	text_add(out, ", ");
	if (!source_line_text(out, finding->file, finding->line, finding->caller_file,
			      finding->caller_line))
		text_addf(out, "PTX line %u", finding->ptx_line);
	text_addf(out, ": %s", finding->text);
	if (finding->times > 1)
		text_addf(out, " (%" PRIu64 " times)", finding->times);
}

/* ---- adding findings ---- */

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

void finding_place_set(struct finding_place *out, const struct warp *warp,
		       const struct instruction *at, int lane)
{
	const struct launch *launch = warp->block->launch;
	const int64_t *shape = launch->what.block;
	int64_t thread = (int64_t)warp->index * LANES + lane;

	*out = (struct finding_place){
		.entry = launch->program->functions[launch->entry].source->name,
		.module = launch->program->module,
		.statement = instruction_statement(warp->frame->function, at),
	};
	memcpy(out->block, warp->block->index, sizeof(out->block));
	out->thread[0] = lane < 0 ? -1 : thread % shape[0];
	out->thread[1] = lane < 0 ? -1 : thread / shape[0] % shape[1];
	out->thread[2] = lane < 0 ? -1 : thread / shape[0] / shape[1];
}

void finding_add(struct finding_list *list, enum finding_kind kind,
		 const struct finding_place *place, const char *format, va_list arguments)
{
	const struct ptx_statement *at = place->statement;
	struct finding *finding = find_recorded(list, kind, place->entry, at->line);
	const char *file, *caller_file;
	va_list again;
	size_t length;
	char *text;

	if (finding) {
		finding->times++;
		return;
	}
	if (list->count == FINDINGS_MOST) {
		list->beyond++;
		return;
	}
	va_copy(again, arguments);
	length = (size_t)vsnprintf(NULL, 0, format, again) + 1;
	va_end(again);
	text = xcalloc(length, 1);
	vsnprintf(text, length, format, arguments);
	list->items = xgrow(list->items, &list->capacity, list->count + 1, sizeof(*list->items));
	finding = &list->items[list->count++];
	*finding = (struct finding){.kind = kind, .times = 1, .text = text};
	finding->entry = xstrdup(place->entry);
	memcpy(finding->block, place->block, sizeof(finding->block));
	memcpy(finding->thread, place->thread, sizeof(finding->thread));
	file = source_file_name(place->module, at->file, at->source_line);
	caller_file = source_file_name(place->module, at->caller_file, at->caller_line);
	finding->ptx_line = at->line;
	finding->line = at->source_line;
	finding->file = file ? xstrdup(file) : NULL;
	finding->caller_line = at->caller_line;
	finding->caller_file = caller_file ? xstrdup(caller_file) : NULL;
}

void finding_add_at(struct finding_list *list, enum finding_kind kind,
		    const struct finding_place *place, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	finding_add(list, kind, place, format, arguments);
	va_end(arguments);
}

enum step warp_finding(struct warp *warp, const struct instruction *at, int lane,
		       enum finding_kind kind, const char *format, ...)
{
	struct launch *launch = warp->block->launch;
	enum step step = finding_ends_launch(kind) ? STEP_STOPPED : STEP_NEXT;
	struct finding_list *list = kind == FINDING_PLACES ? launch->what.notes : launch->findings;
	struct finding_place place;
	va_list arguments;

	if (!list)
		return step;
	launch->stopped |= step == STEP_STOPPED;
	if (launch->follower && step != STEP_STOPPED) /* the checks have reported it */
		return step;
	finding_place_set(&place, warp, at, lane);
	va_start(arguments, format);
	finding_add(list, kind, &place, format, arguments);
	va_end(arguments);
	return step;
}

/* ---- places ---- */

uint32_t *instruction_numbers(const struct ptx_program *program)
{
	uint32_t *first = xcalloc(program->function_count + 1, sizeof(*first));

	for (size_t i = 0; i < program->function_count; i++)
		first[i + 1] = first[i] + (uint32_t)program->functions[i].code_count;
	return first;
}

const struct instruction *instruction_of_number(const struct ptx_program *program,
						const uint32_t *first, uint32_t number,
						uint32_t *function)
{
	*function = (uint32_t)program->function_count - 1;
	while (first[*function] > number)
		(*function)--;
	return &program->functions[*function].code[number - first[*function]];
}

void instruction_place_text(struct text *out, const struct ptx_program *program,
			    const uint32_t *first, uint32_t number)
{
	uint32_t function;
	const struct instruction *at = instruction_of_number(program, first, number, &function);

	text_add(out, " at ");
	source_place_text(out, program->module,
			  instruction_statement(&program->functions[function], at));
}
