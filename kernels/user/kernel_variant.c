/* One variant: puts together what its scopes declare, and checks it as a whole. */
#include <stdio.h>
#include <string.h>

#include "capture/capture.h"
#include "kernels/check_expression.h"
#include "kernels/expression.h"
#include "kernels/user/annotation_lets.h"
#include "kernels/user/annotation_names.h"
#include "kernels/user/capture_lines.h"
#include "kernels/user/kernel_variant.h"

struct building {
	struct kernel_variant *out;
	struct annotation_pool *pool;
	const struct kernel_common *common;
	const struct variant_parts *parts;
	struct annotated_axes axes; /* of the case, with those of the kernel */
	struct annotated_buffers buffers;
	struct annotation_names names;
	struct error *err;
};

/* ---- axes and buffers ---- */

static bool is_axis_of_kernel(const struct building *b, const struct kernel_axis *axis)
{
	const struct kernel *kernel = b->common->kernel;

	for (size_t i = 0; i < kernel->axis_count; i++) {
		const struct kernel_axis *other = &kernel->axes[i];

		if (!strcmp(other->name, axis->name))
			return same_text(other->values, axis->values) &&
			       other->define == axis->define;
	}
	return false;
}

/* No compiler sees the file, so all values of the axis would be the same code. */
static int refuse_defines_of_compiled(const struct building *b)
{
	const char *path = b->parts->path;

	if (!has_suffix(path, ".ptx") && !has_suffix(path, ".cubin") && !is_capture_file(path))
		return 0;
	for (size_t i = 0; i < b->axes.count; i++) {
		const struct annotated_axis *axis = &b->axes.items[i];

		if (axis->axis.define)
			return annotation_error(
				b->err, axis->place,
				"\"%s\" is defined when a file is compiled, and %s is "
				"compiled already; write \"axis %s = …\", or give the "
				".cu file",
				axis->axis.name, b->parts->shown, axis->axis.name);
	}
	return 0;
}

static int build_axes(struct building *b)
{
	struct kernel_axis *axes;
	int rc = scopes_axes(&b->axes, &b->parts->scopes, b->err);

	if (rc)
		return rc;
	rc = refuse_defines_of_compiled(b);
	if (rc)
		return rc;
	axes = pool_new(b->pool, (b->axes.count + 1) * sizeof(*axes));
	for (size_t i = 0; i < b->axes.count; i++)
		if (!is_axis_of_kernel(b, &b->axes.items[i].axis))
			axes[b->out->axis_count++] = b->axes.items[i].axis;
	b->out->axes = b->out->axis_count ? axes : NULL;
	return 0;
}

static int check_buffer(const struct building *b, const struct annotated_buffer *buffer)
{
	int rc;

	for (size_t i = 0; i < b->axes.count; i++)
		if (!strcmp(b->axes.items[i].axis.name, buffer->buffer.name))
			return annotation_error(b->err, buffer->place,
						"\"%s\" is an axis too; rename the buffer or the "
						"axis",
						buffer->buffer.name);
	rc = names_check_value(&b->names, buffer->place, "the length of the buffer",
			       buffer->buffer.length, false, 1, INT64_MAX, b->err);
	return rc ? rc : check_annotated_fill(&b->names, buffer, b->err);
}

static int build_buffers(struct building *b)
{
	struct kernel_buffer *buffers;
	int rc = scopes_buffers(&b->buffers, &b->parts->scopes, b->err);

	if (!rc)
		rc = scopes_check_comparisons(&b->buffers, &b->parts->scopes, b->err);
	if (rc)
		return rc;
	buffers = pool_new(b->pool, (b->buffers.count + 1) * sizeof(*buffers));
	for (size_t i = 0; i < b->buffers.count; i++) {
		struct annotated_buffer *buffer = &b->buffers.items[i];

		/* a drop-in for a recorded kernel may lack the variables of the recorded image */
		buffer->buffer.optional = buffer->buffer.symbol &&
					  is_capture_file(buffer->place.file) &&
					  !is_capture_file(b->parts->path);
		buffers[i] = buffer->buffer;
	}
	if (!same_buffers(&b->buffers, &b->common->buffers)) {
		b->out->buffers = buffers;
		b->out->buffer_count = b->buffers.count;
	}
	names_begin(&b->names, buffers, b->buffers.count);
	for (size_t i = 0; i < b->axes.count; i++)
		names_add(&b->names, b->axes.items[i].axis.name);
	for (size_t i = 0; i < b->buffers.count && !rc; i++)
		rc = check_buffer(b, &b->buffers.items[i]);
	return rc;
}

/* ---- launches ---- */

static int build_launches(struct building *b)
{
	const struct variant_parts *parts = b->parts;
	struct kernel_launch *launches = pool_new(b->pool, parts->launch_count * sizeof(*launches));
	int rc = 0;

	for (size_t i = 0; i < parts->launch_count && !rc; i++) {
		launches[i] = parts->launches[i].launch;
		rc = launch_complete(&launches[i], &b->names, b->pool, parts->launches[i].place,
				     b->err);
	}
	b->out->launches = launches;
	b->out->launch_count = parts->launch_count;
	return rc;
}

/* ---- checks ---- */

static bool is_result(const struct kernel_buffer *buffer)
{
	return buffer->role == BUFFER_OUT || buffer->role == BUFFER_INOUT;
}

/* Parses an expression over the elements of buffers, to find its mistakes before the sweep. */
static int check_element_expression(const struct building *b, const struct annotated_check *check)
{
	struct check_buffer_name buffers[KERNEL_MAX_BUFFERS];
	const char *axes[KERNEL_MAX_CASE_AXES];
	const struct check_names names = {buffers, b->buffers.count, axes, b->axes.count, false};
	struct check_expression *expression = NULL;
	struct error cause = {0};
	int rc;

	for (size_t i = 0; i < b->buffers.count; i++)
		buffers[i] = (struct check_buffer_name){b->buffers.items[i].buffer.name,
							b->buffers.items[i].buffer.type,
							b->buffers.items[i].buffer.role};
	for (size_t i = 0; i < b->axes.count; i++)
		axes[i] = b->axes.items[i].axis.name;
	rc = check_expression_parse(&expression, check->item.text, &names, &cause);
	check_expression_free(expression);
	if (rc)
		names_refuse(check->place, NULL, check->item.text, &cause, b->err);
	return rc;
}

static int check_result_name(const struct building *b, const struct annotated_check *check)
{
	const char *name = check->item.buffer;
	const struct kernel_buffer *buffer = names_buffer(&b->names, name);
	struct text near = TEXT_INIT;
	int rc;

	if (buffer && is_result(buffer))
		return 0;
	if (buffer)
		return annotation_error(b->err, check->place,
					"\"%.60s\" has the role %s, and only results (out, inout) "
					"are verified",
					name, buffer_role_name(buffer->role));
	/* No let is a result, so those of the line are not near. */
	rc = names_near(&near, &b->names, (struct annotation_place){0}, name)
		     ? annotation_error(b->err, check->place,
					"no buffer is named \"%.60s\"; did you mean %s?", name,
					near.data)
		     : annotation_error(b->err, check->place, "no buffer is named \"%.60s\"", name);
	text_release(&near);
	return rc;
}

/* A capture has what a launch left in the memory that it gives, and in no other buffer. */
static int check_recorded(const struct building *b, const struct annotated_check *check)
{
	const struct kernel_buffer *buffer = names_buffer(&b->names, check->item.buffer);
	const char *suffix = strrchr(check->item.text, '.');

	if (check->kind != CHECK_FILE || !suffix || strcmp(suffix, CAPTURE_SUFFIX) != 0 ||
	    (buffer->fill == FILL_CAPTURE && !strcmp(buffer->fill_file, check->item.text)))
		return 0;
	return annotation_error(
		b->err, check->place,
		"\"%.60s\" is not filled from this capture; write \"buffer %.60s: … inout "
		"capture \"%s\" INDEX\"",
		buffer->name, buffer->name, check->item.text);
}

/* With checks by result, a result without one would pass unseen. */
static int check_every_result(const struct building *b, const struct annotation_scope *scope)
{
	for (size_t i = 0; i < b->buffers.count; i++) {
		const char *name = b->buffers.items[i].buffer.name;
		size_t item = 0;

		if (!is_result(&b->buffers.items[i].buffer))
			continue;
		while (item < scope->check_count &&
		       strcmp(scope->checks[item].item.buffer, name) != 0)
			item++;
		if (item == scope->check_count)
			return annotation_error(b->err, scope->checks[0].place,
						"the result \"%s\" has no check; add one, or give "
						"the buffer the role scratch",
						name);
	}
	return 0;
}

static int check_results_exist(const struct building *b, struct annotation_place place)
{
	for (size_t i = 0; i < b->buffers.count; i++)
		if (is_result(&b->buffers.items[i].buffer))
			return 0;
	return annotation_error(b->err, place,
				"nothing can be verified, because no buffer has the role out or "
				"inout; give the results one, or write \"verify none\"");
}

/* The kind of the line that gives all results, or of the lines that give single ones. */
static enum check_kind kind_of_checks(const struct annotation_scope *scope)
{
	enum check_kind kind = scope->checks[0].kind;

	for (size_t i = 1; i < scope->check_count; i++) {
		const enum check_kind other = scope->checks[i].kind;

		if (kind == CHECK_FILE || other == CHECK_LAUNCHES || other == CHECK_COMMAND)
			kind = other;
	}
	return kind;
}

static int fill_check(struct building *b, const struct annotation_scope *scope,
		      struct kernel_check *check)
{
	struct kernel_launch *launches = pool_new(b->pool, scope->check_count * sizeof(*launches));
	struct kernel_check_item *items = pool_new(b->pool, scope->check_count * sizeof(*items));
	int rc = 0;

	check->kind = kind_of_checks(scope);
	for (size_t i = 0; i < scope->check_count && !rc; i++) {
		const struct annotated_check *from = &scope->checks[i];

		if (from->kind == CHECK_COMMAND) {
			check->command = from->command;
			check->folder = from->folder;
		} else if (from->kind == CHECK_LAUNCHES) {
			launches[check->launch_count] = from->launch;
			rc = launch_complete(&launches[check->launch_count++], &b->names, b->pool,
					     from->place, b->err);
		} else if (from->item.buffer) {
			items[check->item_count] = from->item;
			items[check->item_count++].is_file = from->kind == CHECK_FILE;
			rc = check_result_name(b, from);
			if (!rc)
				rc = check_recorded(b, from);
			if (!rc && from->kind == CHECK_EXPRESSION)
				rc = check_element_expression(b, from);
		}
	}
	check->launches = check->launch_count ? launches : NULL;
	check->items = check->item_count ? items : NULL;
	if (!rc && check->item_count == scope->check_count)
		rc = check_every_result(b, scope);
	if (!rc && check->kind != CHECK_NONE)
		rc = check_results_exist(b, scope->checks[0].place);
	return rc;
}

static int refuse_checks_that_cannot_fail(const struct building *b, struct annotation_place place)
{
	const struct annotated_buffer *untouched;

	if (variant_checks_itself(b->out))
		return annotation_error(
			b->err, place,
			"\"%s\" is verified by its own launch, so its results are always right; "
			"launch another kernel here, or the same with another grid or block",
			b->parts->name);
	untouched = variant_untouched_result(b->out, &b->parts->scopes, &b->buffers);
	if (untouched)
		return annotation_error(
			b->err, untouched->place,
			"no launch of \"%s\" has the result \"%s\" as an argument; pass it to the "
			"kernel, or give it the role in or scratch and remove its check; a buffer "
			"of some variants only belongs after their variant lines, with its check",
			b->parts->name, untouched->buffer.name);
	return 0;
}

static int build_check(struct building *b)
{
	const struct annotation_scope *scope = scopes_with_checks(&b->parts->scopes);
	struct kernel_check *check = pool_new(b->pool, sizeof(*check));
	int rc;

	if (!scope)
		return annotation_error(
			b->err, b->parts->launches[0].place,
			"no line says how the results of \"%s\" are verified; add \"verify "
			"NAME = EXPRESSION\" or \"verify REFERENCE<<<GRID, BLOCK>>>(…)\", or "
			"\"verify none\" to measure without",
			b->parts->name);
	for (size_t i = 0; i < scope->check_count && !check->source; i++)
		if (scope->checks[i].source)
			check->source =
				scopes_source(&b->parts->scopes, b->pool, scope->checks[i].source);
	b->out->check = check;
	rc = fill_check(b, scope, check);
	return rc || check->kind == CHECK_NONE
		       ? rc
		       : refuse_checks_that_cannot_fail(b, scope->checks[0].place);
}

/* ---- constraints, work, tolerance ---- */

static bool is_constraint_of_kernel(const struct building *b,
				    const struct kernel_constraint *constraint)
{
	const struct kernel *kernel = b->common->kernel;

	for (size_t i = 0; i < kernel->constraint_count; i++)
		if (!strcmp(kernel->constraints[i].holds, constraint->holds) &&
		    !strcmp(kernel->constraints[i].reason, constraint->reason))
			return true;
	return false;
}

static int check_conditions(const struct building *b, const struct annotated_constraint *items,
			    size_t count)
{
	int rc = 0;

	for (size_t i = 0; i < count && !rc; i++)
		rc = names_check(&b->names, items[i].place, "the condition",
				 items[i].constraint.holds, false, b->err);
	return rc;
}

static int build_constraints(struct building *b)
{
	const struct variant_scopes *scopes = &b->parts->scopes;
	static const struct annotation_scope nothing;
	const struct annotation_scope *variant = scopes->variant ? scopes->variant : &nothing;
	/* The kernel has those of the first file, for every variant. */
	const struct annotation_scope *file =
		scopes->file != scopes->first ? scopes->file : &nothing;
	const struct {
		const struct annotated_constraint *items;
		size_t count;
	} lists[] = {
		{file->constraints, file->constraint_count},
		{scopes->file->needs, scopes->file->need_count},
		{variant->constraints, variant->constraint_count},
		{variant->needs, variant->need_count},
	};
	struct kernel_constraint *constraints = NULL;
	int rc = check_conditions(b, b->common->constraints, b->common->constraint_count);

	for (size_t l = 0; l < ARRAY_SIZE(lists) && !rc; l++) {
		rc = check_conditions(b, lists[l].items, lists[l].count);
		for (size_t i = 0; i < lists[l].count && !rc; i++) {
			if (is_constraint_of_kernel(b, &lists[l].items[i].constraint))
				continue;
			constraints = pool_room(b->pool, constraints, b->out->constraint_count,
						sizeof(*constraints));
			constraints[b->out->constraint_count++] = lists[l].items[i].constraint;
		}
	}
	b->out->constraints = constraints;
	return rc;
}

static bool same_work(const struct kernel_work *a, const struct kernel_work *b)
{
	return same_text(a->flop, b->flop) && same_text(a->bytes_read, b->bytes_read) &&
	       same_text(a->bytes_written, b->bytes_written) &&
	       same_text(a->precision, b->precision);
}

static int build_work(struct building *b)
{
	static const char *const parts[] = {"flop", "read", "write"};
	const struct annotated_work *work = scopes_work(&b->parts->scopes);
	int rc = 0;

	if (!work)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(parts) && !rc; i++)
		rc = names_check_value(&b->names, work->place, parts[i],
				       i == 0   ? work->work.flop
				       : i == 1 ? work->work.bytes_read
						: work->work.bytes_written,
				       false, 0, INT64_MAX, b->err);
	if (!same_work(&work->work, &b->common->kernel->work))
		b->out->work = &work->work;
	return rc;
}

static void build_tolerance(struct building *b)
{
	struct kernel_tolerance *tolerance = pool_new(b->pool, sizeof(*tolerance));

	*tolerance = scopes_tolerance(&b->parts->scopes, &b->buffers);
	if (tolerance->abs != b->common->kernel->tolerance_abs ||
	    tolerance->rel != b->common->kernel->tolerance_rel)
		b->out->tolerance = tolerance;
}

int variant_build(struct kernel_variant *out, struct annotation_pool *pool,
		  const struct kernel_common *common, const struct variant_parts *parts,
		  struct error *err)
{
	struct building *b = pool_new(pool, sizeof(*b));
	const char *summary = parts->scopes.variant ? parts->scopes.variant->summary : NULL;
	int rc;

	*b = (struct building){
		.out = out, .pool = pool, .common = common, .parts = parts, .err = err};
	*out = (struct kernel_variant){
		.name = parts->name,
		.lesson = summary ? summary
				  : pool_format(pool, "%s in %s", parts->launches[0].launch.entry,
						parts->shown),
		.metric = "status",
		.source = scopes_source(&parts->scopes, pool, parts->path),
		.is_replacement = parts->is_replacement,
	};
	rc = build_axes(b);
	if (!rc)
		rc = build_buffers(b);
	if (!rc)
		rc = build_launches(b);
	if (!rc)
		rc = build_constraints(b);
	if (!rc)
		rc = build_work(b);
	if (!rc)
		rc = build_check(b);
	build_tolerance(b);
	return rc;
}
