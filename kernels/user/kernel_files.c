/* Reads files, their sidecars and the lines of the command line, and makes one kernel of them. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/user/annotation_words.h"
#include "kernels/user/annotations.h"
#include "kernels/user/capture_lines.h"
#include "kernels/user/kernel_file.h"

/* PTX of large template libraries has tens of megabytes. */
#define SOURCE_MAX_BYTES ((size_t)256 << 20)
#define SIDECAR_MAX_BYTES ((size_t)16 << 20)

struct kernel_file {
	struct annotation_pool pool;
	struct kernel kernel;
	const char **inputs;
	size_t input_count;
};

struct user_files {
	struct kernel_file *out;
	struct annotation_pool *pool; /* of *out */
	struct annotated_file *files;
	const char **sidecars; /* of the files, as the user wrote them; NULL: the one beside it */
	size_t count;
	struct error *err;
};

/* ---- the files that the kernel is made of ---- */

static void add_input(struct kernel_file *file, const char *path)
{
	for (size_t i = 0; i < file->input_count; i++)
		if (!strcmp(file->inputs[i], path))
			return;
	pool_append(&file->pool, file->inputs, file->input_count, pool_text(&file->pool, path));
}

static void add_inputs_of_buffers(struct kernel_file *file, const struct kernel_buffer *buffers,
				  size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (buffers[i].fill_file)
			add_input(file, buffers[i].fill_file);
}

static void add_inputs_of_annotations(struct kernel_file *file)
{
	const struct kernel *kernel = &file->kernel;

	add_inputs_of_buffers(file, kernel->buffers, kernel->buffer_count);
	for (size_t i = 0; i < kernel->variant_count; i++) {
		const struct kernel_variant *variant = &kernel->variants[i];
		const struct kernel_check *check = variant->check;

		add_inputs_of_buffers(file, variant->buffers, variant->buffer_count);
		if (check->source)
			add_input(file, check->source->path);
		for (size_t j = 0; j < check->item_count; j++)
			if (check->items[j].is_file)
				add_input(file, check->items[j].text);
	}
}

size_t kernel_file_inputs(const struct kernel_file *file, const char *const **paths)
{
	*paths = file->inputs;
	return file->input_count;
}

/* ---- which files ---- */

static int add_sidecar(struct user_files *user, const char *path)
{
	const char **place = user->count ? &user->sidecars[user->count - 1] : NULL;

	if (!place)
		return error_set(user->err, PL_EUSAGE,
				 "%s: a sidecar describes the file before it; give the source "
				 "first",
				 path);
	if (*place)
		return error_set(user->err, PL_EUSAGE, "%s: %s has a sidecar already: %s", path,
				 user->files[user->count - 1].shown, *place);
	*place = pool_text(user->pool, path);
	return 0;
}

/* The memory of the first file holds for the others, so a capture is the first and the only one. */
static int refuse_capture(const struct user_files *user, const char *path)
{
	if (is_capture_file(user->files[0].path))
		return error_set(user->err, PL_EUSAGE,
				 "%s: %s is a capture, too, and each has memory of its own; sweep "
				 "one at a time",
				 path, user->files[0].shown);
	return error_set(user->err, PL_EUSAGE,
			 "%s: a capture comes before the files that replace its kernel; give it "
			 "first",
			 path);
}

static int add_source(struct user_files *user, const char *path)
{
	struct annotated_file *file = &user->files[user->count];
	struct stat status;
	char *absolute;

	if (!has_suffix(path, ".cu") && !has_suffix(path, ".cuh") && !has_suffix(path, ".ptx") &&
	    !has_suffix(path, ".cubin") && !is_capture_file(path))
		return error_set(user->err, PL_EUSAGE,
				 "%s: a kernel comes from a file that ends in .cu, .cuh, .ptx, "
				 ".cubin or .capture",
				 path);
	absolute = realpath(path, NULL);
	if (!absolute || stat(absolute, &status) != 0) {
		free(absolute);
		return error_set(user->err, PL_ENOENT, "%s: the file does not exist", path);
	}
	file->path = pool_text(user->pool, absolute);
	file->shown = pool_text(user->pool, path);
	free(absolute);
	if (user->pool->revision && !is_capture_file(path)) {
		file->path = revision_path(user->pool, file->path);
		file->shown = revision_shown(user->pool, path);
		if (!file->path)
			return error_set(user->err, PL_EUSAGE,
					 "%s: the file is not in this revision. Compare with a "
					 "later one, or copy the file of then under another name "
					 "and sweep both",
					 file->shown);
	}
	if (!S_ISREG(status.st_mode))
		return error_set(user->err, PL_EUSAGE, "%s: not a regular file; give a file", path);
	for (size_t i = 0; i < user->count; i++)
		if (!strcmp(user->files[i].path, file->path))
			return error_set(user->err, PL_EUSAGE, "%s: the file is given twice", path);
	if (is_capture_file(path) && user->count)
		return refuse_capture(user, path);
	user->count++;
	return 0;
}

/* ---- their lines ---- */

/* `absolute` is the same file as `shown`, or the one of a revision: then its paths are relative to
 * where it is now. */
static int add_lines_of(struct user_files *user, struct annotation_lines *lines,
			const char *absolute, const char *shown, bool sidecar)
{
	const char *now = revision_now(user->pool, absolute);
	const char *slash = strrchr(now, '/');
	const char *folder = slash == now ? "/" : pool_copy(user->pool, now, (size_t)(slash - now));
	char *text = NULL;
	size_t length = 0;
	int rc;

	add_input(user->out, absolute);
	rc = read_file(&text, &length, user->pool->revision ? absolute : shown,
		       sidecar ? SIDECAR_MAX_BYTES : SOURCE_MAX_BYTES, user->err);

	if (!rc)
		rc = annotation_lines_add(lines, user->pool, shown, folder, sidecar, text, length,
					  user->err);
	free(text);
	return rc;
}

static int add_lines_of_capture(struct user_files *user, struct annotation_lines *lines,
				struct annotated_file *file)
{
	struct capture *capture = NULL;
	int rc;

	add_input(user->out, file->path);
	rc = capture_open(&capture, file->shown, user->err);
	if (!rc)
		rc = capture_lines_add(lines, user->pool, file->shown, file->path,
				       capture_info(capture), user->err);
	if (!rc)
		capture_arguments_set(&file->scope, user->pool, capture_info(capture));
	capture_close(capture);
	return rc;
}

static int add_lines_of_sidecar(struct user_files *user, struct annotation_lines *lines,
				const struct annotated_file *file, const char *given)
{
	struct annotation_pool *pool = user->pool;
	const char *source = pool->revision ? revision_now(pool, file->path) : file->shown;
	const char *shown =
		given ? given : pool_format(pool, "%s" KERNEL_FILE_SIDECAR_SUFFIX, source);
	char *absolute = realpath(shown, NULL);
	/* a sidecar that a revision lacks describes its files as well */
	const char *then = revision_path(pool, absolute ? absolute : shown);
	int rc = 0;

	if (then)
		rc = add_lines_of(user, lines, then, revision_shown(pool, shown), true);
	else if (absolute)
		rc = add_lines_of(user, lines, absolute, shown, true);
	else if (given)
		rc = error_set(user->err, PL_ENOENT, "%s: the sidecar does not exist", shown);
	free(absolute);
	return rc;
}

static int parse_user_file(struct user_files *user, size_t index)
{
	struct annotated_file *file = &user->files[index];
	struct annotation_lines lines = {0};
	/* What the first file with a launch declares holds for the others. */
	const struct annotated_file *first = annotations_first(user->files, index);
	int rc = 0;

	if (has_suffix(file->path, ".cubin"))
		add_input(user->out, file->path);
	else if (is_capture_file(file->path))
		rc = add_lines_of_capture(user, &lines, file);
	else
		rc = add_lines_of(user, &lines, file->path, file->shown, false);
	if (!rc)
		rc = add_lines_of_sidecar(user, &lines, file, user->sidecars[index]);
	return rc ? rc
		  : annotations_parse(file, user->pool, &lines, first ? &first->scope : NULL,
				      user->err);
}

/* ---- the command line ---- */

/* A line is read like one of a sidecar, and errors name `option`. */
static int add_given_line(struct annotation_lines *lines, struct annotation_pool *pool,
			  const char *option, const char *folder, const char *text,
			  struct error *err)
{
	const struct annotation_place place = {.file = option};
	size_t before = lines->count;
	int rc;

	if (strchr(text, '\n'))
		return annotation_error(err, place, "a line break in \"%.60s\"; give one line",
					text);
	rc = annotation_lines_add(lines, pool, option, folder, true, text, strlen(text), err);
	for (size_t i = before; i < lines->count; i++)
		lines->items[i].place = place;
	return rc;
}

static const char *option_of_line(const char *line)
{
	line += strspn(line, " \t");
	return !strncmp(line, "launch", 6) && strchr(" \t", line[6]) ? "--launch" : "--annotate";
}

static bool scope_declares(const struct annotation_scope *scope, const char *name)
{
	for (size_t i = 0; i < scope->axis_count; i++)
		if (!strcmp(scope->axes[i].axis.name, name))
			return true;
	return false;
}

static bool files_declare_axis(const struct user_files *user, const char *name)
{
	for (size_t f = 0; f < user->count; f++) {
		const struct annotated_file *file = &user->files[f];

		/* The axes of a recorded launch belong to it alone. */
		if (is_capture_file(file->path))
			continue;
		if (scope_declares(&file->scope, name))
			return true;
		for (size_t v = 0; v < file->variant_count; v++)
			if (scope_declares(&file->variants[v]->scope, name))
				return true;
	}
	return false;
}

/* Whether a line such as "axis n = 4" or "buffer x: f32[n] in" declares the name. */
static bool line_declares(const char *line, const char *name)
{
	static const char *const words[] = {"axis ", "define ", "buffer ", "symbol ", "let "};
	const size_t length = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const char *declared = line + strlen(words[i]);

		if (strncmp(line, words[i], strlen(words[i])) != 0)
			continue;
		declared += strspn(declared, " \t");
		return !strncmp(declared, name, length) && strchr(" \t=:(", declared[length]);
	}
	return false;
}

/* Whether the command line has a launch, and its lines use the name without declaring it. */
static bool lines_want_axis(const struct kernel_file_options *options, const char *name)
{
	bool launches = false, wanted = false;

	for (size_t i = 0; i < options->line_count; i++) {
		const char *line = options->lines[i] + strspn(options->lines[i], " \t");

		if (line_declares(line, name))
			return false;
		launches |= !strcmp(option_of_line(line), "--launch");
		wanted |= has_whole_word(line, name);
	}
	return launches && wanted;
}

static int parse_given_lines(const struct user_files *user, struct annotated_file *given,
			     const struct kernel_file_options *options, const char *folder,
			     struct error *err)
{
	const struct annotated_file *first = annotations_first(user->files, user->count);
	struct annotation_pool *pool = user->pool;
	struct annotation_lines lines = {0};
	int rc = 0;

	if (!first)
		first = user->files;
	for (size_t i = 0; i < options->axis_count && !rc; i++) {
		const char *name = options->axis_names[i];

		const char *option = !strcmp(name, "block") ? "--block-sizes"
				     : !strcmp(name, "n")   ? "--size"
							    : "--set";

		if (lines_want_axis(options, name) && !files_declare_axis(user, name))
			rc = add_given_line(
				&lines, pool, option, folder,
				pool_format(pool, "axis %s = %s", name, options->axis_values[i]),
				err);
	}

	for (size_t i = 0; i < options->line_count && !rc; i++)
		rc = add_given_line(&lines, pool, option_of_line(options->lines[i]), folder,
				    options->lines[i], err);
	if (!rc && options->standard)
		rc = add_given_line(&lines, pool, "--std", folder,
				    pool_format(pool, "standard %s", options->standard), err);
	if (!rc && options->compiler)
		rc = add_given_line(&lines, pool, "--compiler", folder,
				    pool_format(pool, "compiler %s", options->compiler), err);
	return rc ? rc : annotations_parse(given, pool, &lines, &first->scope, err);
}

static int add_options(const struct user_files *user, struct annotated_file *given,
		       const struct kernel_file_options *options, struct error *err)
{
	struct annotation_pool *pool = user->pool;
	struct annotation_scope *scope = &given->scope;
	bool path_next = false;
	char *folder;
	int rc;

	given->shown = "the command line";
	if (!options)
		return 0;
	folder = getcwd(NULL, 0);
	if (!folder)
		return error_set(err, PL_EIO, "the current folder has no path");
	rc = parse_given_lines(user, given, options, pool_text(pool, folder), err);
	for (size_t i = 0; i < options->flag_count && !rc; i++) {
		pool_append(pool, scope->flags, scope->flag_count,
			    pool_text(pool,
				      flag_in_folder(pool, folder, options->flags[i], &path_next)));
	}
	free(folder);
	return rc;
}

static int read_user_files(struct kernel_file *file, const char *const *paths, size_t count,
			   const struct kernel_file_options *options, struct error *err)
{
	struct annotation_pool *pool = &file->pool;
	struct user_files user = {
		.out = file,
		.pool = pool,
		.files = pool_new(pool, (count + 1) * sizeof(*user.files)),
		.sidecars = pool_new(pool, (count + 1) * sizeof(*user.sidecars)),
		.err = err,
	};
	struct annotated_file given = {0};
	int rc = 0;

	for (size_t i = 0; i < count && !rc; i++)
		rc = has_suffix(paths[i], KERNEL_FILE_SIDECAR_SUFFIX) ? add_sidecar(&user, paths[i])
								      : add_source(&user, paths[i]);
	if (!rc && !user.count)
		rc = error_set(err, PL_EUSAGE,
			       "no file is given; name a .cu, .cuh, .ptx, .cubin or "
			       ".capture");
	for (size_t i = 0; i < user.count && !rc; i++)
		rc = parse_user_file(&user, i);
	if (!rc)
		rc = add_options(&user, &given, options, err);
	if (!rc)
		rc = annotations_build(&file->kernel, pool, user.files, user.count, &given, err);
	if (!rc)
		add_inputs_of_annotations(file);
	return rc;
}

int kernel_files_read(struct kernel_file **out, const char *const *paths, size_t count,
		      const struct kernel_file_options *options, struct error *err)
{
	struct kernel_file *file = xcalloc(1, sizeof(*file));
	int rc;

	file->pool.revision = options ? options->revision : NULL;
	rc = read_user_files(file, paths, count, options, err);
	file->pool.revision = NULL;

	if (rc)
		kernel_file_free(file);
	else
		*out = file;
	return rc;
}

const struct kernel *kernel_file_kernel(const struct kernel_file *file)
{
	return &file->kernel;
}

void kernel_file_free(struct kernel_file *file)
{
	if (!file)
		return;
	pool_release(&file->pool);
	free(file);
}
