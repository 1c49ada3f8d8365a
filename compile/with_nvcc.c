/*
 * Compiles with nvcc. It compiles a file that includes the source and names the wanted template
 * instances. nvcc makes the names of what is in an unnamed namespace from the path of that file, so
 * the path depends only on its text.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile/compile_parts.h"

/* Writes a file below translation->sources, which is named after its text: it includes the source
 * and has a pointer to each wanted instance, declared with `attributes`. */
static int including_source_write(char **path, struct translation *translation,
				  const char *attributes, struct error *err)
{
	const struct string_list *entries = &translation->request->entries;
	char *temporary = xasprintf("%s/source", translation->work), hash[HASH_TEXT_BYTES];
	struct text text = TEXT_INIT;
	int rc = cache_folder_make(translation->sources, err);

	text_addf(&text, "#include \"%s\"\n", translation->request->source);
	for (size_t i = 0; i < entries->count; i++)
		if (entry_is_instance(entries->items[i]))
			text_addf(&text, "%s decltype(&%s) perflab_instance_%zu = &%s;\n",
				  attributes, entries->items[i], i, entries->items[i]);
	hash_of(hash, text.data, text.length);
	*path = xasprintf("%s/%s.cu", translation->sources, hash);
	if (!rc && (work_file_write(translation, "source", text.data, text.length, NULL) ||
		    rename(temporary, *path)))
		rc = cache_write_error(*path, err);
	text_release(&text);
	free(temporary);
	return rc;
}

/* The user knows neither the file that includes the source nor its lines: line 2 and those behind
 * it have one wanted instance each. */
static void including_source_hide(struct text *messages, size_t begin, const char *including,
				  const struct compile_request *request)
{
	size_t line = 1;

	for (size_t i = 0; i < request->entries.count; i++) {
		char *from, *to;

		if (!entry_is_instance(request->entries.items[i]))
			continue;
		from = xasprintf("%s(%zu)", including, ++line);
		to = xasprintf("%s: %s", request->source, request->entries.items[i]);
		messages_replace(messages, begin, from, to);
		free(from);
		free(to);
	}
	messages_replace(messages, begin, including, request->source);
}

/* The last word is the file to compile. */
static int nvcc_run(struct translation *out, const struct string_list *argv, struct error *err)
{
	const size_t begin = out->messages.length;
	enum tool_end end = tool_run(&out->messages, argv, out);

	including_source_hide(&out->messages, begin, argv->items[argv->count - 1], out->request);
	return translation_end(out, end, "nvcc", err);
}

/* ---- the names of instances ---- */

/* A pointer to an instance on the device becomes ".global .u64 perflab_instance_3 = _Z1kIfEvPT_;"
 */
static void instance_name_take(struct text *name, const char *ptx, size_t index)
{
	char *mark = xasprintf(" perflab_instance_%zu = ", index);
	const char *found = strstr(ptx, mark);

	if (found) {
		found += strlen(mark);
		text_add_bytes(name, found, strcspn(found, ";, \n"));
	}
	free(mark);
}

/*
 * Compiles once more, only for the names in the image of template instances. The marks stay out of
 * the image that is measured.
 */
static int instance_names_find(struct translation *out, struct error *err)
{
	const struct compile_request *request = out->request;
	struct string_list argv = {0}, folders = {0};
	char *path = xasprintf("%s/names.ptx", out->work), *ptx = NULL, *names = NULL;
	size_t length;
	int rc;

	string_list_add(&argv, out->tools->nvcc.data);
	string_list_add(&argv, "-ptx");
	string_list_addf(&argv, "-arch=compute_%s", request->arch + 3);
	string_list_add(&argv, "-o");
	string_list_add(&argv, "names.ptx");
	rc = compile_flags_add(&argv, &folders, request, COMPILE_NVCC, err);
	if (!rc)
		rc = including_source_write(&names, out, "__device__", err);
	if (!rc) {
		string_list_add(&argv, names);
		rc = nvcc_run(out, &argv, err);
	}
	if (!rc)
		rc = read_file(&ptx, &length, path, COMPILE_IMAGE_LIMIT, err);
	for (size_t i = 0; !rc && i < request->entries.count; i++) {
		struct text name = TEXT_INIT;

		instance_name_take(&name, ptx, i);
		free(out->lowered.items[i]);
		out->lowered.items[i] = text_detach(&name);
	}
	free(ptx);
	free(path);
	free(names);
	string_list_release(&folders);
	string_list_release(&argv);
	return rc;
}

/* Returns true if every wanted instance is the only kernel of its name in the image. */
static bool instances_are_plain(const struct translation *out)
{
	const struct compile_request *request = out->request;
	char *path = xasprintf("%s/image.ptx", out->work), *ptx = NULL;
	struct entry_list list = {0};
	size_t length, index = 0;
	bool plain;

	plain = !read_file(&ptx, &length, path, COMPILE_IMAGE_LIMIT, NULL) &&
		!ptx_entries_read(&list, ptx, NULL);
	for (size_t i = 0; plain && i < request->entries.count; i++) {
		const char *wanted = request->entries.items[i];

		plain = !entry_is_instance(wanted) || entry_find(&index, &list, wanted) == 1;
		for (size_t k = 0; plain && k < i; k++)
			plain = !entry_is_instance(wanted) ||
				!entry_is_instance(request->entries.items[k]) ||
				strncmp(wanted, request->entries.items[k],
					strcspn(wanted, "<") + 1) != 0;
	}
	entry_list_release(&list);
	free(ptx);
	free(path);
	return plain;
}

/* ---- the files that were read ---- */

void make_rule_read(struct string_list *files, const char *text)
{
	struct text path = TEXT_INIT;
	const char *c = strstr(text, ": ");

	for (c = c ? c + 1 : ""; *c; c++) {
		if (c[0] == '\\' && (c[1] == '\n' || (c[1] == '\r' && c[2] == '\n'))) {
			c += c[1] == '\r' ? 2 : 1;
		} else if (c[0] == '\\' && (c[1] == ' ' || c[1] == '#')) {
			text_add_char(&path, *++c);
			continue;
		} else if (c[0] == '$' && c[1] == '$') {
			text_add_char(&path, *++c);
			continue;
		} else if (!strchr(" \t\r\n", *c)) {
			text_add_char(&path, *c);
			continue;
		}
		if (path.length)
			string_list_add(files, path.data);
		text_clear(&path);
	}
	if (path.length)
		string_list_add(files, path.data);
	text_release(&path);
}

/*
 * Adds the names below the include folders that would hide a file that was read if they were made
 * later: the last part of its path, and the last two.
 */
static void hiding_names_add(struct translation *out, const char *path,
			     const struct string_list *folders)
{
	const char *last = strrchr(path, '/'), *two = last;

	while (two > path && two[-1] != '/')
		two--;
	for (size_t i = 0; i < folders->count; i++) {
		for (int parts = 1; parts <= 2; parts++) {
			char *name =
				xasprintf("%s/%s", folders->items[i], parts == 1 ? last + 1 : two);

			if (access(name, F_OK) && errno == ENOENT)
				string_list_add(&out->absent, name);
			free(name);
		}
	}
}

/* The folder of the headers of the toolkit, with its last '/', or NULL. nvcc includes this header
 * first. */
static char *toolkit_headers_find(const struct string_list *files)
{
	static const char mark[] = "/crt/host_config.h";

	for (size_t i = 0; i < files->count; i++) {
		char *real =
			has_suffix(files->items[i], mark) ? realpath(files->items[i], NULL) : NULL;

		if (real && has_suffix(real, mark)) {
			real[strlen(real) - strlen(mark) + 1] = '\0';
			return real;
		}
		free(real);
	}
	return NULL;
}

/* Returns true for a header of the toolkit or of the system. */
static bool header_is_installed(const char *path, const char *toolkit)
{
	char *real = realpath(path, NULL);
	bool installed = real && (!strncmp(real, "/usr/", 5) ||
				  (toolkit && !strncmp(real, toolkit, strlen(toolkit))));

	free(real);
	return installed;
}

/* Returns true if the file may test whether another file is there, or cannot be read. */
static bool file_tests_files(const char *path)
{
	static const char word[] = "__has_include";
	char *text = NULL;
	size_t length;
	bool tests = read_file(&text, &length, path, COMPILE_IMAGE_LIMIT, NULL) ||
		     memmem(text, length, word, strlen(word));

	free(text);
	return tests;
}

/*
 * nvcc lists the files that it read, and not the names for which __has_include found no file. So a
 * record is not to be trusted if the source or a header of the user has this word, or if the list
 * lacks the source: "?" is a file that never matches. Headers of the toolkit and of the system have
 * the word too, but what they test changes only with an installation.
 */
static void nvcc_files_take(struct translation *out, const char *including,
			    const struct string_list *folders)
{
	const char *source = out->request->source;
	char *path = xasprintf("%s/files.d", out->work), *text = NULL, *toolkit;
	struct string_list files = {0};
	bool has_source = false, complete = true;
	size_t length;

	if (!read_file(&text, &length, path, COMPILE_IMAGE_LIMIT, NULL))
		make_rule_read(&files, text);
	toolkit = toolkit_headers_find(&files);
	for (size_t i = 0; i < files.count; i++) {
		if (!strcmp(files.items[i], including))
			continue;
		string_list_add(&out->read, files.items[i]);
		if (!strcmp(files.items[i], source)) {
			has_source = true;
			complete &= !file_tests_files(source);
			continue;
		}
		if (*files.items[i] == '/')
			hiding_names_add(out, files.items[i], folders);
		if (complete && !header_is_installed(files.items[i], toolkit))
			complete = !file_tests_files(files.items[i]);
	}
	if (!has_source || !complete)
		string_list_add(&out->read, "?");
	string_list_release(&files);
	free(toolkit);
	free(text);
	free(path);
}

/* ---- compiling ---- */

/* nvcc names the PTX that it makes a cubin of after the file that it compiles. */
static int kept_ptx_rename(const struct translation *out, const char *including, struct error *err)
{
	const char *name = strrchr(including, '/') + 1;
	char *from = xasprintf("%s/%.*s.ptx", out->work, (int)strcspn(name, "."), name);
	char *to = xasprintf("%s/image.ptx", out->work);
	int rc = 0;

	if (rename(from, to))
		rc = error_set(err, PL_EUNSUPPORTED,
			       "nvcc keeps no PTX for the cubin: CUDA 11 or newer is needed");
	free(from);
	free(to);
	return rc;
}

/* Everything but the file. `folders` gets the include folders. */
static int nvcc_words(struct string_list *argv, struct string_list *folders,
		      const struct translation *in, struct error *err)
{
	const struct compile_request *request = in->request;
	/* -keep gives all files names in the work folder */
	static const char *const always[] = {"-lineinfo", "-MD",       "-MF", "files.d",
					     "-keep",     "-keep-dir", ".",   "-o"};
	const char *end = strrchr(request->source, '/');

	string_list_add(argv, in->tools->nvcc.data);
	string_list_addf(argv, request->cubin ? "-arch=%s" : "-arch=compute_%s",
			 request->arch + (request->cubin ? 0 : 3));
	for (size_t i = 0; i < ARRAY_SIZE(always); i++)
		string_list_add(argv, always[i]);
	string_list_add(argv, request->cubin ? "image.cubin" : "image.ptx");
	string_list_add(argv, request->cubin ? "-cubin" : "-ptx");
	string_list_add_bytes(folders, request->source, (size_t)(end - request->source));
	return compile_flags_add(argv, folders, request, COMPILE_NVCC, err);
}

int translate_with_nvcc(struct translation *out, struct error *err)
{
	const struct compile_request *request = out->request;
	struct string_list argv = {0}, folders = {0};
	char *including = NULL;
	bool instances = false;
	int rc;

	if (!out->tools->nvcc.length)
		return error_set(err, PL_EUNSUPPORTED,
				 "there is no nvcc: install the CUDA toolkit, or name the program "
				 "in $PERFLAB_NVCC");
	out->tool = "nvcc";
	rc = nvcc_words(&argv, &folders, out, err);
	if (!rc)
		rc = including_source_write(&including, out, "__attribute__((used)) static", err);
	if (!rc) {
		string_list_add(&argv, including);
		rc = nvcc_run(out, &argv, err);
		nvcc_files_take(out, including, &folders);
	}
	if (!rc && request->cubin)
		rc = kept_ptx_rename(out, including, err);
	for (size_t i = 0; i < request->entries.count; i++) {
		instances |= entry_is_instance(request->entries.items[i]);
		string_list_add(&out->lowered, "");
	}
	if (!rc && instances && !instances_are_plain(out))
		rc = instance_names_find(out, err);
	string_list_release(&folders);
	string_list_release(&argv);
	free(including);
	return rc;
}
