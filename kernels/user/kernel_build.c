/* From the declarations of all files to one kernel. */
#include <ctype.h>
#include <string.h>

#include "base/hash.h"
#include "kernels/user/annotation_lets.h"
#include "kernels/user/capture_lines.h"
#include "kernels/user/kernel_file.h"
#include "kernels/user/kernel_variant.h"

/* With more folders, names of variants would be too long anyway. */
#define STEM_FOLDERS 16
/* In the name of a variant that would be too long. */
#define NAME_HASH_DIGITS 8

struct assembling {
	struct kernel *out;
	struct annotation_pool *pool;
	const struct annotated_file *files;
	size_t file_count;
	/* The first file with a launch. What it declares holds for the others. */
	const struct annotated_file *first;
	const struct annotated_file *given;
	const char **stems; /* of the files: each is its file's name in the names of variants */
	struct kernel_common common;
	struct kernel_variant *variants;
	struct annotation_place *places; /* of the variants */
	struct error *err;
};

/* ---- names ---- */

/* A name that selectors accept: other characters become "-", several of them one. */
static char *derived_name(struct annotation_pool *pool, const char *text)
{
	struct text name = TEXT_INIT;
	char *result;

	for (const char *c = text; *c; c++)
		if (isalnum((unsigned char)*c) || strchr("_.", *c))
			text_add_char(&name, *c);
		else if (name.length && name.data[name.length - 1] != '-')
			text_add_char(&name, '-');
	while (name.length && name.data[name.length - 1] == '-')
		name.length--;
	result = name.length ? pool_copy(pool, name.data, name.length) : pool_text(pool, "kernel");
	text_release(&name);
	return result;
}

/* A name that perflab makes can be longer than one may be, as that of an instance of a template.
 * Its end then becomes digits of its hash. */
static const char *fitting_name(struct annotation_pool *pool, const char *name)
{
	char hash[HASH_TEXT_BYTES];

	if (strlen(name) < KERNEL_NAME_BYTES)
		return name;
	hash_of(hash, name, strlen(name));
	return pool_format(pool, "%.*s-%.*s", KERNEL_NAME_BYTES - NAME_HASH_DIGITS - 2, name,
			   NAME_HASH_DIGITS, hash);
}

/* The name of a file without its folder and, unless it is kept, its suffix; before it, the names of
 * its last `folders` folders. */
static char *file_name(struct annotation_pool *pool, const char *path, size_t folders, bool suffix)
{
	const char *slash = strrchr(path, '/');
	const char *begin = slash ? slash + 1 : path;
	const char *dot = suffix ? NULL : strrchr(begin, '.');
	const char *end = dot && dot > begin ? dot : begin + strlen(begin);

	while (folders-- && slash && slash > path) {
		for (slash--; slash > path && *slash != '/';)
			slash--;
		begin = *slash == '/' ? slash + 1 : slash;
	}
	return derived_name(pool, pool_copy(pool, begin, (size_t)(end - begin)));
}

/* Gives a longer name to the files that share one. Returns whether there are such. */
static bool lengthen_stems(struct assembling *a, size_t folders, bool suffix)
{
	const char **longer = pool_new(a->pool, a->file_count * sizeof(*longer));
	bool shared = false;

	for (size_t i = 0; i < a->file_count; i++) {
		size_t other = 0;

		longer[i] = a->stems[i];
		while (other < a->file_count &&
		       (other == i || strcmp(a->stems[other], a->stems[i]) != 0))
			other++;
		if (other == a->file_count || is_capture_file(a->files[i].path))
			continue;
		longer[i] = file_name(a->pool, a->files[i].path, folders, suffix);
		shared = true;
	}
	memcpy(a->stems, longer, a->file_count * sizeof(*longer));
	return shared;
}

static void name_files(struct assembling *a)
{
	a->stems = pool_new(a->pool, a->file_count * sizeof(*a->stems));
	/* A replacement that is named recorded.cu gives way to what a capture calls its launch. */
	for (size_t i = 0; i < a->file_count; i++)
		a->stems[i] = is_capture_file(a->files[i].path)
				      ? RECORDED_VARIANT
				      : file_name(a->pool, a->files[i].shown, 0, false);
	/* The suffix first: f.cu and f.ptx. Then a folder, and so on. */
	for (size_t step = 1; step < 2 * STEM_FOLDERS; step++)
		if (!lengthen_stems(a, step / 2, step % 2))
			return;
}

/* ---- what all variants share ---- */

static int choose_operation(struct assembling *a)
{
	/* the command line, or the first file that names it */
	const struct annotated_file *named = a->given->operation ? a->given : NULL;
	const struct annotated_file *first = a->files;

	for (size_t i = 0; i < a->file_count && !named; i++)
		if (a->files[i].operation)
			named = &a->files[i];
	a->out->name = named ? named->operation : file_name(a->pool, first->shown, 0, false);
	if (strlen(a->out->name) >= KERNEL_NAME_BYTES)
		return annotation_error(a->err,
					(struct annotation_place){.file = first->shown, .line = 1},
					"the name of the file has over %d bytes; add \"operation "
					"NAME\"",
					KERNEL_NAME_BYTES - 1);
	for (size_t i = 0; i < a->file_count && named != a->given; i++)
		if (a->files[i].operation && strcmp(a->files[i].operation, a->out->name) != 0)
			return annotation_error(a->err, a->files[i].operation_place,
						"the operation is \"%s\", but that of %s is "
						"\"%s\"; files given together are variants of one "
						"operation",
						a->files[i].operation, named->shown, a->out->name);
	return 0;
}

static void build_common_constraints(struct assembling *a, const struct variant_scopes *scopes)
{
	const struct annotation_scope *from[] = {scopes->first, scopes->given};
	struct annotated_constraint *places = NULL;
	struct kernel_constraint *constraints = NULL;
	size_t count = 0;

	for (size_t s = 0; s < ARRAY_SIZE(from); s++)
		for (size_t i = 0; i < from[s]->constraint_count; i++) {
			places = pool_room(a->pool, places, count, sizeof(*places));
			constraints = pool_room(a->pool, constraints, count, sizeof(*constraints));
			places[count] = from[s]->constraints[i];
			constraints[count++] = from[s]->constraints[i].constraint;
		}
	a->out->constraints = constraints;
	a->out->constraint_count = a->common.constraint_count = count;
	a->common.constraints = places;
}

static int build_common(struct assembling *a)
{
	const struct annotation_scope *first = &a->first->scope;
	const struct variant_scopes scopes = {&a->given->scope, NULL, first, first};
	const struct annotated_work *work = scopes_work(&scopes);
	struct kernel_tolerance tolerance;
	struct annotated_axes axes;
	struct kernel_buffer *buffers;
	struct kernel_axis *axis;
	int rc = scopes_axes(&axes, &scopes, a->err);

	if (!rc)
		rc = scopes_buffers(&a->common.buffers, &scopes, a->err);
	if (rc)
		return rc;
	a->out->axes = axis = pool_new(a->pool, (axes.count + 1) * sizeof(*axis));
	a->out->axis_count = axes.count;
	for (size_t i = 0; i < axes.count; i++)
		axis[i] = axes.items[i].axis;
	a->out->buffers = buffers =
		pool_new(a->pool, (a->common.buffers.count + 1) * sizeof(*buffers));
	a->out->buffer_count = a->common.buffers.count;
	for (size_t i = 0; i < a->common.buffers.count; i++)
		buffers[i] = a->common.buffers.items[i].buffer;
	build_common_constraints(a, &scopes);
	if (work)
		a->out->work = work->work;
	tolerance = scopes_tolerance(&scopes, &a->common.buffers);
	a->out->tolerance_abs = tolerance.abs;
	a->out->tolerance_rel = tolerance.rel;
	a->common.kernel = a->out;
	return 0;
}

/* ---- variants ---- */

static int add_user_variant(struct assembling *a, const struct variant_parts *parts,
			    struct annotation_place place)
{
	size_t count = a->out->variant_count;
	int rc;

	if (strlen(parts->name) >= KERNEL_NAME_BYTES)
		return annotation_error(a->err, place,
					"the name \"%.60s…\" of the variant has over %d bytes; add "
					"\"variant NAME\" before the launch",
					parts->name, KERNEL_NAME_BYTES - 1);
	for (size_t i = 0; i < count; i++)
		if (!strcmp(a->variants[i].name, parts->name))
			return annotation_error(a->err, place,
						"two variants are named \"%s\", the other at "
						"%s; give one of them another name with \"variant "
						"NAME\" before its launch",
						parts->name,
						annotation_place_text(a->pool, a->places[i]));
	a->variants = pool_room(a->pool, a->variants, count, sizeof(*a->variants));
	a->places = pool_room(a->pool, a->places, count, sizeof(*a->places));
	rc = variant_build(&a->variants[count], a->pool, &a->common, parts, a->err);
	a->places[count] = place;
	a->out->variant_count += !rc;
	return rc;
}

/* Whether the kernel of the file replaces that of a capture. */
static bool is_replacement(const struct assembling *a, const struct annotated_file *file)
{
	return file != a->files && is_capture_file(a->files[0].path);
}

static int add_launches(struct assembling *a, const struct annotated_file *file,
			const struct annotation_scope *scope, const char *stem, bool only)
{
	int rc = 0;

	for (size_t i = 0; i < scope->launch_count && !rc; i++) {
		const struct annotated_launch *launch = &scope->launches[i];
		const char *entry = derived_name(a->pool, launch->launch.entry);
		const struct variant_parts parts = {
			.name = fitting_name(a->pool,
					     !stem  ? entry
					     : only ? stem
						    : pool_format(a->pool, "%s.%s", stem, entry)),
			.path = file->path,
			.shown = file->shown,
			.is_replacement = is_replacement(a, file),
			.scopes = {&a->given->scope, NULL, &file->scope, &a->first->scope},
			.launches = launch,
			.launch_count = 1,
		};

		rc = add_user_variant(a, &parts, launch->place);
	}
	return rc;
}

static bool is_variant_of_other_file(const struct assembling *a, const struct annotated_file *file,
				     const char *name)
{
	for (size_t f = 0; f < a->file_count; f++)
		for (size_t i = 0; &a->files[f] != file && i < a->files[f].variant_count; i++)
			if (!strcmp(a->files[f].variants[i]->name, name))
				return true;
	return false;
}

/* Two versions of a file have variants of the same names. */
static const char *variant_name(struct assembling *a, const struct annotated_file *file,
				const char *stem, const char *name, bool only)
{
	const bool own = file->variant_count > 0;

	if (is_capture_file(file->path))
		return name;
	if (own && !is_variant_of_other_file(a, file, name))
		return name;
	return fitting_name(a->pool,
			    only && !own ? stem : pool_format(a->pool, "%s.%s", stem, name));
}

/* A cubin does not say what its parameters are, so `perflab init` does not read it. */
static int no_launch_error(struct assembling *a, const struct annotated_file *file)
{
	const struct annotation_place place = {.file = file->shown, .line = 1};
	const char *suffix = strrchr(file->shown, '.');

	if (suffix && !strcmp(suffix, ".cubin"))
		return annotation_error(
			a->err, place,
			"no annotation says how a kernel is launched; write the annotations in "
			"%s" KERNEL_FILE_SIDECAR_SUFFIX ": docs/your-kernel.md",
			file->shown);
	return annotation_error(a->err, place,
				"no annotation says how a kernel is launched; \"perflab init %s\" "
				"writes a skeleton of the annotations",
				file->shown);
}

/* A file without launches takes those of the first file that has some, unless that is a capture and
 * the command line has some. */
static const struct annotated_file *launches_from(const struct assembling *a,
						  const struct annotated_file *file)
{
	const bool own = file->scope.launch_count || file->variant_count;
	const bool given = is_capture_file(a->first->path) && a->given->scope.launch_count;

	return own || (given && file != a->first) ? file : a->first;
}

static int add_file(struct assembling *a, const struct annotated_file *file)
{
	const struct annotated_file *from = launches_from(a, file);
	static const struct annotation_scope none;
	/* launches of the command line belong to the replacement of a recorded kernel, if there is
	 * one */
	const struct annotation_scope *given =
		is_capture_file(file->path) && a->file_count > 1 ? &none : &a->given->scope;
	size_t count = from->scope.launch_count + from->variant_count + given->launch_count;
	const char *stem = a->file_count > 1 ? a->stems[file - a->files] : NULL;
	int rc;

	if (!count)
		return no_launch_error(a, file);
	rc = add_launches(a, file, &from->scope, stem, count == 1);
	for (size_t i = 0; i < from->variant_count && !rc; i++) {
		const struct annotated_variant *variant = from->variants[i];
		const struct variant_parts parts = {
			.name = variant_name(a, file, stem, variant->name, count == 1),
			.path = file->path,
			.shown = file->shown,
			.is_replacement = is_replacement(a, file),
			.scopes = {&a->given->scope, &variant->scope, &file->scope,
				   &a->first->scope},
			.launches = variant->scope.launches,
			.launch_count = variant->scope.launch_count,
		};

		rc = add_user_variant(a, &parts, variant->place);
	}
	if (!rc)
		rc = add_launches(a, file, given, stem, count == 1);
	return rc;
}

/* Beside the kernel of now, of which it is the base. */
static void name_for_revision(struct assembling *a)
{
	char name[KERNEL_NAME_BYTES];

	a->out->name = pool_text(a->pool, a->pool->revision->operation);
	for (size_t i = 0; i < a->out->variant_count; i++) {
		variant_name_at(name, a->variants[i].name, a->pool->revision->mark);
		a->variants[i].name = pool_text(a->pool, name);
	}
}

const struct annotated_file *annotations_first(const struct annotated_file *files, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (files[i].scope.launch_count || files[i].variant_count)
			return &files[i];
	return NULL;
}

int annotations_build(struct kernel *out, struct annotation_pool *pool,
		      const struct annotated_file *files, size_t count,
		      const struct annotated_file *given, struct error *err)
{
	struct assembling *a = pool_new(pool, sizeof(*a));
	int rc;

	*a = (struct assembling){
		.out = out,
		.pool = pool,
		.files = files,
		.file_count = count,
		.given = given,
		.err = err,
	};
	a->first = annotations_first(files, count);
	if (!a->first)
		a->first = files;
	rc = lets_check_names(pool, files, count, given, err);
	if (!rc)
		rc = choose_operation(a);
	out->summary = given->scope.summary ? given->scope.summary : a->first->scope.summary;
	if (!out->summary)
		out->summary = pool_format(pool, "kernels of %s", a->first->shown);
	name_files(a);
	if (!rc)
		rc = build_common(a);
	for (size_t i = 0; i < count && !rc; i++)
		if (!pool->revision || !is_capture_file(files[i].path))
			rc = add_file(a, &files[i]);
	if (!rc && pool->revision)
		name_for_revision(a);
	out->variants = a->variants;
	return rc;
}
