/* The names in a launch. See launch_complete.h. */
#include "kernels/user/launch_complete.h"

#include <stdio.h>
#include <string.h>

#include "kernels/user/annotation_lets.h"

/* A launch whose names are looked up. */
struct completion {
	const struct annotation_names *names;
	struct annotation_pool *pool;
	struct annotation_place place;
	bool repeated;
	struct error *err;
};

static int refuse_unknown(const struct completion *c, const char *what, const char *name)
{
	struct text near = TEXT_INIT, origin = TEXT_INIT;
	int rc;

	lets_add_origin(&origin, c->place, name, 1);
	rc = names_near(&near, c->names, c->place, name)
		     ? annotation_error(c->err, c->place,
					"%s, \"%.60s\", is neither a buffer nor an axis; did "
					"you mean %s?%s",
					what, name, near.data, origin.data)
		     : annotation_error(c->err, c->place,
					"%s, \"%.60s\", is neither a buffer nor an axis; "
					"declare it with \"buffer %.60s: TYPE[LENGTH] ROLE\" "
					"or \"axis %.60s = VALUES\"%s",
					what, name, name, name, origin.data);
	text_release(&near);
	text_release(&origin);
	return rc;
}

/* An argument without fields. `what` is its place: "argument 2". */
static int complete_value(const struct completion *c, struct kernel_arg *arg, const char *what)
{
	int64_t low, high;
	double literal;

	if (arg->kind == ARG_BYTES || arg->kind == ARG_REAL ||
	    (arg_kind_is_real(arg->kind) && !parse_double(&literal, arg->value, NULL)))
		return 0;
	if (arg->kind == ARG_INTEGER && names_buffer(c->names, arg->value)) {
		arg->kind = ARG_BUFFER;
		return 0;
	}
	if (arg->kind == ARG_INTEGER && is_c_identifier(arg->value) &&
	    !names_has(c->names, arg->value) && !(c->repeated && !strcmp(arg->value, "i")))
		return refuse_unknown(c, what, arg->value);
	if (arg_kind_is_real(arg->kind))
		return names_check(c->names, c->place, what, arg->value, c->repeated, c->err);
	arg_kind_range(arg->kind, &low, &high);
	return names_check_value(c->names, c->place, what, arg->value, c->repeated, low, high,
				 c->err);
}

/* Recursion is as deep as the structs, which annotation_arguments.c limits. */
static int complete_fields(const struct completion *c, struct kernel_arg *arg, const char *what)
{
	struct kernel_arg *fields = pool_new(c->pool, (arg->field_count + 1) * sizeof(*fields));
	int rc = 0;

	for (size_t i = 0; i < arg->field_count && !rc; i++) {
		struct kernel_arg *field = &fields[i];
		char where[160];

		*field = arg->fields[i];
		snprintf(where, sizeof(where), "%s, field %zu", what, i + 1);
		if (field->kind == ARG_STRUCT) {
			rc = complete_fields(c, field, where);
			continue;
		}
		rc = complete_value(c, field, where);
		if (!rc && field->kind == ARG_INTEGER)
			rc = annotation_error(
				c->err, c->place,
				"%s, \"%.60s\", has no type; write i32(%.60s), or the type of "
				"the member of the struct: u32, i64, u64 …",
				where, field->value, field->value);
	}
	arg->fields = fields;
	return rc;
}

static int complete_argument(const struct completion *c, struct kernel_arg *arg, size_t number)
{
	char what[32];
	int rc;

	snprintf(what, sizeof(what), "argument %zu", number);
	if (arg->kind != ARG_STRUCT)
		return complete_value(c, arg, what);
	rc = complete_fields(c, arg, what);
	if (!rc && kernel_arg_bytes(arg) > ARG_MOST_BYTES)
		rc = annotation_error(c->err, c->place,
				      "%s is a struct of %zu bytes; a kernel takes at most %d",
				      what, kernel_arg_bytes(arg), ARG_MOST_BYTES);
	return rc;
}

static int check_extent(const struct completion *c, const char *what, const char *expression,
			int64_t least)
{
	return names_check_value(c->names, c->place, what, expression, c->repeated, least,
				 INT64_MAX, c->err);
}

static int check_shapes(const struct completion *c, const struct kernel_launch *launch)
{
	int rc = names_check_value(c->names, c->place, "the number after repeat", launch->repeat,
				   false, 0, INT64_MAX, c->err);

	for (int d = 0; d < 3 && !rc; d++) {
		rc = check_extent(c, "the grid", launch->grid[d], 1);
		if (!rc)
			rc = check_extent(c, "the block", launch->block[d], 1);
		if (!rc)
			rc = check_extent(c, "the cluster", launch->cluster[d], 1);
	}
	return rc ? rc : check_extent(c, "the shared memory", launch->shared_bytes, 0);
}

int launch_complete(struct kernel_launch *launch, const struct annotation_names *names,
		    struct annotation_pool *pool, struct annotation_place place, struct error *err)
{
	const struct completion c = {names, pool, place, launch->repeat != NULL, err};
	struct kernel_arg *args = pool_new(pool, (launch->arg_count + 1) * sizeof(*args));
	int rc = check_shapes(&c, launch);

	for (size_t i = 0; i < launch->arg_count && !rc; i++) {
		args[i] = launch->args[i];
		rc = complete_argument(&c, &args[i], i + 1);
	}
	launch->args = launch->arg_count ? args : NULL;
	return rc;
}
