/* perflab init: writes first annotations for a file of the user. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/process.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "harness/sources/sources.h"
#include "kernels/user/kernel_file.h"

struct init_options {
	const char *output, *from, *arch, *standard, *compiler;
	struct string_list compile_flags;
	bool force;
};

static void init_defaults(void *context)
{
	struct init_options *options = context;

	options->arch = "sm_90";
}

/* False if one of them does not exist. */
static bool is_same_file(const char *left, const char *right)
{
	struct stat a, b;

	return stat(left, &a) == 0 && stat(right, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

/* --force is no wish to lose the source. */
static int check_free(const char *path, const char *source, bool force, struct error *err)
{
	struct stat found;

	if (output_is_stdout(path) || lstat(path, &found) != 0 || S_ISFIFO(found.st_mode))
		return 0;
	if (is_same_file(path, source))
		return error_set(err, PL_EUSAGE, "-o %s is the file to read: give another one",
				 path);
	if (force)
		return 0;
	return error_set(err, PL_EEXIST,
			 "%s exists already: --force replaces it, -o writes to another file", path);
}

static int write_annotations(const char *path, const struct text *annotations, struct error *err)
{
	struct output output;
	int rc = output_open(&output, path, err);

	if (rc)
		return rc;
	fwrite(annotations->data, 1, annotations->length, output.stream);
	return output_end(&output, 0, err);
}

/* A sweep of `file` finds only the sidecar beside it; others are named after the file. */
static bool is_found_by_sweep(const char *file, const char *path)
{
	char *sidecar = xasprintf("%s" KERNEL_FILE_SIDECAR_SUFFIX, file);
	bool same = is_same_file(path, sidecar);

	free(sidecar);
	return same;
}

static void say_what_to_do(const char *file, const char *path, const struct init_result *result)
{
	if (result->templates)
		say("%s: %zu %s: choose an instance in the comments at the end", file,
		    result->templates, result->templates == 1 ? "template" : "templates");
	if (output_is_stdout(path))
		return;
	if (!result->launches && !result->templates)
		say("%s is written, but it launches no kernel: its comments say why", path);
	else if (is_found_by_sweep(file, path))
		say("%s is written: correct what it guesses, then run perflab sweep %s", path,
		    file);
	else
		say("%s is written: correct what it guesses, then run perflab sweep %s %s", path,
		    file, path);
}

/* "softmax.cu" of "runs/softmax.capture". */
static char *name_of_replacement(const char *capture)
{
	const char *slash = strrchr(capture, '/'), *name = slash ? slash + 1 : capture;
	const char *dot = strrchr(name, '.');

	return xasprintf("%.*s.cu", (int)(dot ? dot - name : (ptrdiff_t)strlen(name)), name);
}

/* Options of the compiler would have no effect, because nothing is compiled. */
static int check_replacement_options(const struct invocation *call, struct error *err)
{
	static const char *const of_file[] = {"arch", "compile-flag", "std", "compiler"};

	if (call->operands.count)
		return error_set(err, PL_EUSAGE,
				 "init: give a file or --from CAPTURE, not both; -o names the "
				 "file to write");
	for (size_t i = 0; i < ARRAY_SIZE(of_file); i++)
		if (option_given(call, of_file[i]))
			return error_set(err, PL_EUSAGE, "--%s has no effect with --from",
					 of_file[i]);
	return 0;
}

static void say_how_to_replace(const char *capture, const char *path)
{
	struct text command = TEXT_INIT;

	text_add(&command, "perflab sweep ");
	shell_word(&command, capture);
	text_add(&command, " --replace ");
	shell_word(&command, path);
	say("%s is written: write the kernel, then run %s", path, command.data);
	text_release(&command);
}

static int write_replacement(const struct invocation *call, struct error *err)
{
	const struct init_options *options = call->options;
	char *path =
		options->output ? xstrdup(options->output) : name_of_replacement(options->from);
	struct text text = TEXT_INIT;
	int rc = check_replacement_options(call, err);

	if (!rc)
		rc = init_replacement(&text, options->from, err);
	if (!rc)
		rc = check_free(path, options->from, options->force, err);
	if (!rc)
		rc = write_annotations(path, &text, err);
	if (!rc && !output_is_stdout(path))
		say_how_to_replace(options->from, path);
	text_release(&text);
	free(path);
	return rc;
}

static int write_first_annotations(const struct invocation *call, struct error *err)
{
	const struct init_options *options = call->options;
	const char *file = call->operands.items[0];
	char *path = options->output ? xstrdup(options->output)
				     : xasprintf("%s" KERNEL_FILE_SIDECAR_SUFFIX, file);
	const struct init_request request = {.file = file,
					     .sidecar = output_is_stdout(path) ? NULL : path,
					     .arch = options->arch,
					     .flags = &options->compile_flags,
					     .standard = options->standard,
					     .compiler = options->compiler};
	struct init_result result = {.annotations = TEXT_INIT, .messages = TEXT_INIT};
	int rc = check_free(path, file, options->force, err);

	if (!rc)
		rc = init_source(&result, &request, interruption_catch(), err);
	say_lines(result.messages.data);
	if (rc == PL_EPARSE && result.messages.length)
		error_set(err, rc, "'%s' does not compile: the lines above say why", file);
	if (!rc)
		rc = write_annotations(path, &result.annotations, err);
	if (!rc)
		say_what_to_do(file, path, &result);
	init_result_release(&result);
	free(path);
	return rc;
}

static int run_init(struct invocation *call, struct error *err)
{
	const struct init_options *options = call->options;

	if (options->from)
		return write_replacement(call, err);
	if (!call->operands.count)
		return error_set(err, PL_EUSAGE,
				 "init: an operand is missing; usage: perflab init FILE, or "
				 "perflab init --from CAPTURE");
	return write_first_annotations(call, err);
}

static const struct option_row init_rows[] = {
	TEXT_ROW("output", 'o', init_options, output, "FILE",
		 "write to this file; - is standard output (default: the name of the source with "
		 ".perflab after it; with --from NAME.capture: NAME.cu in the current folder)"),
	TEXT_ROW("from", 0, init_options, from, "FILE",
		 "a capture: write a kernel that replaces the recorded one"),
	FLAG_ROW("force", 'f', init_options, force, "replace the file if it exists"),
	TEXT_ROW("arch", 0, init_options, arch, "ARCH",
		 "compile for this architecture, such as sm_80"),
	LIST_ROW("compile-flag", 0, init_options, compile_flags, "FLAG",
		 "a flag for the compiler, such as -Iinclude, relative to the current folder; the "
		 "result keeps it; repeatable"),
	TEXT_ROW("std", 0, init_options, standard, "STANDARD",
		 "the C++ standard of the file, such as c++17"),
	TEXT_ROW("compiler", 0, init_options, compiler, "nvrtc|nvcc",
		 "the compiler of the file (default: nvrtc if it can read the file, else nvcc)"),
};

static const struct example init_examples[] = {
	{"perflab init saxpy.cu", "write saxpy.cu.perflab, which perflab sweep saxpy.cu reads"},
	{"perflab init saxpy.cu -o -", "only print it"},
	{"perflab init --from softmax.capture -o my.cu",
	 "begin a kernel that replaces a recorded one"},
	{"perflab init kernels.cu --compile-flag -Iinclude --std c++20",
	 "a file that needs flags to compile"},
};

const struct command command_init = {
	.name = "init",
	.summary = "write first annotations for a kernel of your own, or a replacement of a "
		   "recorded one",
	.operands = "FILE|--from CAPTURE",
	.description =
		"Compiles a .cu, .cuh or .ptx file and writes the lines that perflab sweep needs: "
		"a buffer for each pointer, the other arguments, and a launch of each kernel. No "
		"GPU is needed.\n\n"
		"Lengths, roles, grids and the values of arguments are guesses from the types, the "
		"names and the use of the parameters. A comment with TODO marks each: correct "
		"them. Nothing is compared until you replace `verify none`.\n\n"
		"Templates are listed in comments with an instance to choose. An existing file is "
		"never replaced without --force.\n\n"
		"--from CAPTURE writes a .cu with a kernel that does nothing yet, a launch that "
		"passes it the recorded parameters, and comments with all that the capture knows "
		"of them. perflab sweep CAPTURE --replace measures it beside the recorded one.",
	.exit_status = "3 when the file does not compile or has no kernel, 4 when there is no "
		       "compiler.",
	OPTIONS_AND_EXAMPLES(init_options, init_rows, init_examples),
	.defaults = init_defaults,
	.operand_kind = OPERANDS_FREE,
	.operands_most = 1,
	.run = run_init,
};
