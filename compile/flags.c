/*
 * The flags that a request may hand to a compiler. A file of somebody else may name them, so the
 * list says what is allowed: a flag that is not on it might start a program (-ccbin, -run) or write
 * a file (-o, -time).
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile_parts.h"

enum flag_value {
	FLAG_ALONE,  /* has no value */
	FLAG_WORD,   /* -name=value or -name value */
	FLAG_MACRO,  /* also -Dvalue */
	FLAG_FOLDER, /* also -Ivalue; the value is the path of a folder */
	FLAG_FILE    /* the value is the path of a header */
};

struct allowed_flag {
	const char *name;
	enum flag_value value;
	const char *for_nvrtc; /* how NVRTC calls it; NULL: NVRTC has no such flag */
	const char *values;    /* the allowed values, each between blanks; NULL: any plain word */
};

static const struct allowed_flag allowed_flags[] = {
	{"-I", FLAG_FOLDER, "-I", NULL},
	{"--include-path", FLAG_FOLDER, "-I", NULL},
	{"-isystem", FLAG_FOLDER, "-I", NULL},
	{"--system-include", FLAG_FOLDER, "-I", NULL},
	{"-include", FLAG_FILE, "-include", NULL},
	{"--pre-include", FLAG_FILE, "-include", NULL},
	{"-D", FLAG_MACRO, "-D", NULL},
	{"--define-macro", FLAG_MACRO, "-D", NULL},
	{"-U", FLAG_MACRO, "-U", NULL},
	{"--undefine-macro", FLAG_MACRO, "-U", NULL},
	{"-maxrregcount", FLAG_WORD, "-maxrregcount", NULL},
	{"--maxrregcount", FLAG_WORD, "-maxrregcount", NULL},
	{"-use_fast_math", FLAG_ALONE, "-use_fast_math", NULL},
	{"--use_fast_math", FLAG_ALONE, "-use_fast_math", NULL},
	{"-ftz", FLAG_WORD, "-ftz", " true false "},
	{"--ftz", FLAG_WORD, "-ftz", " true false "},
	{"-prec-div", FLAG_WORD, "-prec-div", " true false "},
	{"--prec-div", FLAG_WORD, "-prec-div", " true false "},
	{"-prec-sqrt", FLAG_WORD, "-prec-sqrt", " true false "},
	{"--prec-sqrt", FLAG_WORD, "-prec-sqrt", " true false "},
	{"-fmad", FLAG_WORD, "-fmad", " true false "},
	{"--fmad", FLAG_WORD, "-fmad", " true false "},
	{"-restrict", FLAG_ALONE, "-restrict", NULL},
	{"--restrict", FLAG_ALONE, "-restrict", NULL},
	{"-extra-device-vectorization", FLAG_ALONE, "-extra-device-vectorization", NULL},
	{"--extra-device-vectorization", FLAG_ALONE, "-extra-device-vectorization", NULL},
	{"-O0", FLAG_ALONE, NULL, NULL},
	{"-O1", FLAG_ALONE, NULL, NULL},
	{"-O2", FLAG_ALONE, NULL, NULL},
	{"-O3", FLAG_ALONE, "", NULL},
	{"-expt-relaxed-constexpr", FLAG_ALONE, NULL, NULL},
	{"--expt-relaxed-constexpr", FLAG_ALONE, NULL, NULL},
	{"-extended-lambda", FLAG_ALONE, NULL, NULL},
	{"--extended-lambda", FLAG_ALONE, NULL, NULL},
	{"-expt-extended-lambda", FLAG_ALONE, NULL, NULL},
	{"--expt-extended-lambda", FLAG_ALONE, NULL, NULL},
	{"-std", FLAG_WORD, "-std", " c++03 c++11 c++14 c++17 c++20 "},
	{"--std", FLAG_WORD, "-std", " c++03 c++11 c++14 c++17 c++20 "},
	{"-w", FLAG_ALONE, "-w", NULL},
	{"--disable-warnings", FLAG_ALONE, "-w", NULL},
	{"-diag-suppress", FLAG_WORD, "-diag-suppress", NULL},
	{"--diag-suppress", FLAG_WORD, "-diag-suppress", NULL},
	{"-Xptxas", FLAG_WORD, "-Xptxas",
	 " -O0 -O1 -O2 -O3 -v --verbose -dlcm=ca -dlcm=cg -dlcm=cs -dlcm=cv -dscm=wb -dscm=cg "
	 "-dscm=cs -dscm=wt --warn-on-spills -warn-spills --warn-on-local-memory-usage "
	 "-warn-lmem-usage -allow-expensive-optimizations=true "
	 "--allow-expensive-optimizations=true "},
	{"--ptxas-options", FLAG_WORD, "-Xptxas",
	 " -O0 -O1 -O2 -O3 -v --verbose -dlcm=ca -dlcm=cg -dlcm=cs -dlcm=cv -dscm=wb -dscm=cg "
	 "-dscm=cs -dscm=wt --warn-on-spills -warn-spills --warn-on-local-memory-usage "
	 "-warn-lmem-usage -allow-expensive-optimizations=true "
	 "--allow-expensive-optimizations=true "},
	{"-Xcompiler", FLAG_WORD, NULL,
	 " -fopenmp -fPIC -fno-strict-aliasing -Wall -Wextra -O0 -O1 -O2 -O3 "},
	{"--compiler-options", FLAG_WORD, NULL,
	 " -fopenmp -fPIC -fno-strict-aliasing -Wall -Wextra -O0 -O1 -O2 -O3 "},
};

/* Finds the flag that `word` is; *value is the text behind its name, or NULL. */
static const struct allowed_flag *flag_find(const char **value, const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(allowed_flags); i++) {
		const struct allowed_flag *flag = &allowed_flags[i];
		size_t length = strlen(flag->name);

		*value = NULL;
		if (strncmp(word, flag->name, length) != 0)
			continue;
		if (!word[length])
			return flag;
		if (flag->value != FLAG_ALONE && word[length] == '=') {
			*value = word + length + 1;
			return flag;
		}
		if (length == 2 && (flag->value == FLAG_MACRO || flag->value == FLAG_FOLDER)) {
			*value = word + length;
			return flag;
		}
	}
	return NULL;
}

static int flag_refuse(const char *word, struct error *err)
{
	return error_set(err, PL_EUSAGE,
			 "perflab does not hand the flag '%.200s' to a compiler: it hands over "
			 "include folders, macros and flags for mathematics, registers, warnings "
			 "and optimisation. Remove it, or compile the file yourself and measure "
			 "the .ptx or .cubin",
			 word);
}

static int shell_bytes_check(const char *word, struct error *err)
{
	if (!strpbrk(word, COMPILE_SHELL_BYTES "\n\r"))
		return 0;
	return error_set(err, PL_EUSAGE,
			 "'%.200s' contains one of " COMPILE_SHELL_BYTES
			 " or a line end, which nvcc would hand to a shell: use a macro or a path "
			 "without it",
			 word);
}

static int macro_check(const char *macro, struct error *err)
{
	size_t name = 0;

	while (isalnum((unsigned char)macro[name]) || macro[name] == '_')
		name++;
	if (!name || isdigit((unsigned char)macro[0]) || (macro[name] && macro[name] != '='))
		return error_set(err, PL_EUSAGE,
				 "'%.200s' does not define a macro: write NAME or NAME=VALUE",
				 macro);
	return shell_bytes_check(macro, err);
}

static int flag_value_check(const struct allowed_flag *flag, const char *word, const char *value,
			    struct error *err)
{
	char *between = NULL;
	bool known;

	if (flag->value == FLAG_MACRO)
		return macro_check(value, err);
	if (!*value || strpbrk(value, "\n\r"))
		return error_set(err, PL_EUSAGE, "the flag '%.200s' has no value", word);
	if (flag->value == FLAG_FOLDER || flag->value == FLAG_FILE) {
		/* nvcc splits such a value at commas */
		if (strchr(value, ','))
			return error_set(err, PL_EUSAGE,
					 "the path '%.200s' contains a comma: rename the folder",
					 value);
		return shell_bytes_check(value, err);
	}
	if (!flag->values)
		return value[strspn(value, "0123456789,")] ? flag_refuse(word, err) : 0;
	between = xasprintf(" %s ", value);
	known = !strchr(value, ' ') && strstr(flag->values, between);
	free(between);
	return known ? 0
		     : error_set(err, PL_EUSAGE,
				 "perflab does not hand '%.100s' to a compiler as the value of "
				 "%s; it knows%s",
				 value, flag->name, flag->values);
}

int compile_flag_check(const char *word, struct error *err)
{
	const char *value;
	const struct allowed_flag *flag = flag_find(&value, word);

	if (!flag)
		return flag_refuse(word, err);
	return value ? flag_value_check(flag, word, value, err) : 0;
}

/* A path as seen from the folder of the source. */
static char *absolute_path(const char *source, const char *path)
{
	const char *end = strrchr(source, '/');

	if (*path == '/')
		return xstrdup(path);
	return xasprintf("%.*s/%s", (int)(end - source), source, path);
}

static int flag_add(struct string_list *argv, struct string_list *folders,
		    const struct allowed_flag *flag, const char *name, const char *value,
		    const char *source, struct error *err)
{
	char *path = NULL, *joined;
	int rc;

	if (!*name)
		return 0;
	if (!value) {
		string_list_add(argv, name);
		return 0;
	}
	if (flag->value == FLAG_FOLDER || flag->value == FLAG_FILE)
		value = path = absolute_path(source, value);
	if (flag->value == FLAG_FOLDER)
		string_list_add(folders, path);
	/* both compilers read these forms of every flag of the table */
	joined = flag->value == FLAG_MACRO ? xasprintf("%s%s", flag->for_nvrtc, value)
		 : !strcmp(name, "-I")     ? xasprintf("-I%s", value)
					   : xasprintf("%s=%s", name, value);
	string_list_add(argv, joined);
	rc = flag_value_check(flag, joined, value, err); /* the folder of the source is in it now */
	free(joined);
	free(path);
	return rc;
}

int compile_flags_add(struct string_list *argv, struct string_list *folders,
		      const struct compile_request *request, enum compile_tool tool,
		      struct error *err)
{
	int rc = 0;

	if (request->standard) {
		char *word = xasprintf("-std=%s", request->standard);

		rc = compile_flag_check(word, err);
		string_list_add(argv, word);
		free(word);
	}
	for (size_t i = 0; !rc && i < request->defines.count; i++) {
		char *word = xasprintf("-D%s", request->defines.items[i]);

		rc = macro_check(request->defines.items[i], err);
		string_list_add(argv, word);
		free(word);
	}
	for (size_t i = 0; !rc && i < request->flags.count; i++) {
		const char *word = request->flags.items[i], *value, *name;
		const struct allowed_flag *flag = flag_find(&value, word);

		if (!flag)
			return flag_refuse(word, err);
		if (flag->value != FLAG_ALONE && !value) {
			if (++i == request->flags.count)
				return error_set(err, PL_EUSAGE, "the flag '%.200s' has no value",
						 word);
			value = request->flags.items[i];
		}
		name = tool == COMPILE_NVRTC ? flag->for_nvrtc : flag->name;
		if (!name)
			rc = error_set(err, PL_EUNSUPPORTED,
				       "NVRTC has no flag '%.200s': compile with nvcc", word);
		else
			rc = flag_add(argv, folders, flag, name, value, request->source, err);
	}
	return rc;
}

int compile_options_check(const struct compile_request *request, struct error *err)
{
	struct string_list argv = {0}, folders = {0};
	enum compile_tool tool = request->tool == COMPILE_NVRTC ? COMPILE_NVRTC : COMPILE_NVCC;
	int rc = compile_flags_add(&argv, &folders, request, tool, err);

	string_list_release(&argv);
	string_list_release(&folders);
	return rc;
}

void compile_ptxas_flags_add(struct string_list *argv, const struct compile_request *request)
{
	for (size_t i = 0; i < request->flags.count; i++) {
		const char *value, *name;
		const struct allowed_flag *flag = flag_find(&value, request->flags.items[i]);

		if (!flag || flag->value == FLAG_ALONE)
			continue;
		if (!value && ++i == request->flags.count)
			return;
		value = value ? value : request->flags.items[i];
		name = flag->for_nvrtc ? flag->for_nvrtc : "";
		if (!strcmp(name, "-Xptxas")) {
			string_list_add(argv, value);
		} else if (!strcmp(name, "-maxrregcount")) {
			char *word = xasprintf("--maxrregcount=%s", value);

			string_list_add(argv, word);
			free(word);
		}
	}
}
