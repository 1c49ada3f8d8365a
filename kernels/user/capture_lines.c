/* Writes the annotations of a capture. See capture_lines.h. */
#include "kernels/user/capture_lines.h"

#include <inttypes.h>
#include <string.h>

#include "base/mangled.h"
#include "kernels/user/annotation_lets.h"
#include "kernels/user/recorded_parameters.h"

struct line_writing {
	struct annotation_lines *lines;
	struct annotation_pool *pool;
	const char *shown, *folder;
	const char *path; /* in double quotes */
	const struct capture_info *info;
	struct recorded_parameters parameters;
	size_t first; /* of the lines */
	size_t lets;
};

bool is_capture_file(const char *path)
{
	return has_suffix(path, CAPTURE_SUFFIX);
}

/* No comment and no quote in the text can end it early: it is one line as it is. */
static void add_line(struct line_writing *w, const char *text)
{
	struct annotation_lines *lines = w->lines;

	lines->items = pool_room(w->pool, lines->items, lines->count, sizeof(*lines->items));
	lines->items[lines->count] = (struct annotation_line){
		.place = {.file = w->shown, .line = lines->count - w->first + 1},
		.folder = w->folder,
		.text = text,
	};
	lines->count++;
}

/* As scan_quoted() reads it. */
static const char *in_quotes(struct annotation_pool *pool, const char *name)
{
	struct text text = TEXT_INIT;
	const char *quoted;

	text_add_char(&text, '"');
	for (const char *c = name; *c; c++) {
		if (*c == '"' || *c == '\\')
			text_add_char(&text, '\\');
		text_add_char(&text, *c);
	}
	text_add_char(&text, '"');
	quoted = pool_take(pool, &text);
	return quoted;
}

static void add_capture_summary(struct line_writing *w)
{
	struct text plain = TEXT_INIT;

	mangled_plain_name(&plain, w->info->kernel);
	add_line(w, pool_format(w->pool, "summary launch %" PRId64 " of %s in %s, on %s",
				w->info->number, plain.data, w->info->program, w->info->device));
	text_release(&plain);
}

/* ---- lets ---- */

/* A launch with more parameters has no names for the others; it can still be bound by position. */
static bool room_for_let(struct line_writing *w)
{
	return w->lets < LETS_PER_SCOPE && ++w->lets;
}

static void add_parameter_let(struct line_writing *w, size_t index)
{
	const struct recorded_parameter *parameter = &w->parameters.items[index];
	struct text line = TEXT_INIT;

	if (!room_for_let(w))
		return;
	text_addf(&line, "let p%zu = ", index);
	if (!recorded_value_add(&line, parameter))
		recorded_argument_add(&line, parameter);
	add_line(w, pool_take(w->pool, &line));
}

/* Names for addresses in a struct, from one to before another. */
static void add_address_lets(struct line_writing *w, size_t index, size_t from, size_t to)
{
	const struct recorded_parameter *parameter = &w->parameters.items[index];

	if (recorded_pointer(parameter))
		return;
	for (size_t i = from; i < to && i < parameter->pointer_count && room_for_let(w); i++) {
		struct text line = TEXT_INIT;

		text_addf(&line, "let p%zu_%" PRIu64 " = ", index,
			  parameter->pointers[i].offset - parameter->offset);
		recorded_address_add(&line, &parameter->pointers[i]);
		add_line(w, pool_take(w->pool, &line));
	}
}

static void add_lets_of(struct line_writing *w, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		add_parameter_let(w, i);
	for (size_t i = from; i < to; i++) {
		int64_t value;

		/* a name for the number that unknown bytes may be */
		if (recorded_integer(&value, &w->parameters.items[i]) && room_for_let(w))
			add_line(w, pool_format(w->pool, "let p%zu_int = %" PRId64, i, value));
	}
	for (size_t i = from; i < to; i++)
		add_address_lets(w, i, 0, RECORDED_FIRST_ADDRESSES);
}

/* A launch may have thousands of addresses. The skeleton of a replacement needs the first ones. */
static void add_lets(struct line_writing *w)
{
	const size_t count = w->parameters.count;
	const size_t first = count < RECORDED_FIRST_PARAMETERS ? count : RECORDED_FIRST_PARAMETERS;

	add_lets_of(w, 0, first);
	add_lets_of(w, first, count);
	for (size_t i = 0; i < count; i++)
		add_address_lets(w, i, RECORDED_FIRST_ADDRESSES, SIZE_MAX);
}

/* ---- memory ---- */

static const char *role_of_memory(const struct capture_memory *memory)
{
	return memory->changed ? "inout" : "in";
}

/* Adds the checks of the memory that the launch changed; of variables only if `variables`. Returns
 * their number. */
static size_t add_checks(struct line_writing *w, bool variables)
{
	size_t results = 0;

	for (size_t i = 0; i < w->info->memory_count; i++) {
		const struct capture_memory *memory = &w->info->memory[i];

		if (!memory->changed || (memory->kind == CAPTURE_VARIABLE && !variables))
			continue;
		add_line(w, pool_format(w->pool, "verify m%zu from %s", i, w->path));
		results++;
	}
	return results;
}

static void add_buffers(struct line_writing *w)
{
	const struct capture_info *info = w->info;

	for (size_t i = 0; i < info->memory_count; i++)
		add_line(w, pool_format(w->pool, "buffer m%zu: u8[%" PRIu64 "] %s capture %s %zu",
					i, info->memory[i].bytes,
					info->memory[i].kind == CAPTURE_VARIABLE
						? "in"
						: role_of_memory(&info->memory[i]),
					w->path, i));
	/* A launch that changed nothing cannot be told from one that does nothing. */
	if (!add_checks(w, false))
		add_line(w, pool_format(w->pool, "verify none"));
}

/* Adds symbols in place of the buffers of their names. Another kernel may lack the variables of the
 * image, so to a replacement they are memory like any other. */
static void add_symbols(struct line_writing *w)
{
	const struct capture_info *info = w->info;
	bool changed = false;

	for (size_t i = 0; i < info->memory_count; i++) {
		if (info->memory[i].kind != CAPTURE_VARIABLE)
			continue;
		add_line(w,
			 pool_format(w->pool, "symbol m%zu %s: u8[%" PRIu64 "] %s capture %s %zu",
				     i, in_quotes(w->pool, info->memory[i].variable),
				     info->memory[i].bytes, role_of_memory(&info->memory[i]),
				     w->path, i));
		changed |= info->memory[i].changed;
	}
	/* The checks of a variant are all that it has. */
	if (changed)
		add_checks(w, true);
}

/* ---- the launch ---- */

static void add_launch_axes(struct line_writing *w)
{
	const struct capture_launch *launch = &w->info->launch;

	add_line(w, pool_format(w->pool,
				"axis grid = %" PRId64 " \"blocks along x of the recorded size\"",
				launch->grid[0]));
	add_line(w, pool_format(w->pool, "axis block = %" PRId64 " \"threads along x\"",
				launch->block[0]));
	add_line(w, pool_format(w->pool,
				"axis shared = %" PRId64 " \"bytes of dynamic shared memory\"",
				launch->shared_bytes));
	if (launch->carveout >= 0)
		add_line(w, pool_format(w->pool,
					"axis carveout = %" PRId64
					" \"percent of shared memory that the kernel prefers\"",
					launch->carveout));
}

static void add_launch_attributes(struct text *out, const struct capture_launch *launch)
{
	if (launch->cluster[0] > 1 || launch->cluster[1] > 1 || launch->cluster[2] > 1)
		text_addf(out, " cluster(%" PRId64 ", %" PRId64 ", %" PRId64 ")",
			  launch->cluster[0], launch->cluster[1], launch->cluster[2]);
	if (launch->cooperative)
		text_add(out, " cooperative");
	if (launch->carveout >= 0)
		text_add(out, " carveout(carveout)");
}

/* Another size of the blocks keeps the number of threads along x. */
static void add_launch(struct line_writing *w)
{
	const struct capture_launch *launch = &w->info->launch;
	struct text line = TEXT_INIT, grid = TEXT_INIT;

	text_addf(&grid, "ceil_div(grid * %" PRId64 ", block)", launch->block[0]);
	text_addf(&line, "launch %s<<<", in_quotes(w->pool, w->info->kernel));
	recorded_extents_add(&line, grid.data, launch->grid);
	text_add(&line, ", ");
	recorded_extents_add(&line, "block", launch->block);
	text_add(&line, ", shared>>>(");
	for (size_t i = 0; i < w->parameters.count; i++) {
		text_add(&line, i ? ", " : "");
		recorded_argument_add(&line, &w->parameters.items[i]);
	}
	text_add_char(&line, ')');
	add_launch_attributes(&line, launch);
	add_line(w, pool_take(w->pool, &line));
	text_release(&grid);
}

int capture_lines_add(struct annotation_lines *lines, struct annotation_pool *pool,
		      const char *shown, const char *path, const struct capture_info *info,
		      struct error *err)
{
	struct line_writing w = {
		.lines = lines,
		.pool = pool,
		.shown = pool_text(pool, shown),
		.folder = "/",
		.path = in_quotes(pool, path),
		.info = info,
		.first = lines->count,
	};

	if (info->memory_count > KERNEL_MAX_BUFFERS)
		return error_set(err, PL_EUNSUPPORTED,
				 "%s: the launch could reach %zu memories, and a case has at most "
				 "%d buffers",
				 shown, info->memory_count, KERNEL_MAX_BUFFERS);
	recorded_parameters_read(&w.parameters, pool, info);
	add_capture_summary(&w);
	add_lets(&w);
	add_buffers(&w);
	add_line(&w, "variant " RECORDED_VARIANT);
	add_line(&w, "summary the launch as it was recorded");
	add_symbols(&w);
	add_launch_axes(&w);
	add_launch(&w);
	return 0;
}

void capture_arguments_set(struct annotation_scope *scope, struct annotation_pool *pool,
			   const struct capture_info *info)
{
	struct recorded_parameters parameters;

	recorded_parameters_read(&parameters, pool, info);
	scope->has_arguments = true;
	scope->arguments = pool_new(pool, (parameters.count + 1) * sizeof(*scope->arguments));
	for (size_t i = 0; i < parameters.count; i++) {
		struct text argument = TEXT_INIT;

		recorded_argument_add(&argument, &parameters.items[i]);
		scope->arguments[scope->argument_count++] = pool_take(pool, &argument);
	}
}
