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
	const char *names[2]; /* a short and a long one; NULL: none */
	enum flag_value value;
	const char *for_nvrtc; /* how NVRTC calls it; NULL: NVRTC has no such flag */
	const char *values;    /* the allowed values, each between blanks; NULL: any plain word */
};

#define PTXAS_VALUES                                                                           \
	" -O0 -O1 -O2 -O3 -v --verbose -dlcm=ca -dlcm=cg -dlcm=cs -dlcm=cv -dscm=wb -dscm=cg " \
	"-dscm=cs -dscm=wt --warn-on-spills -warn-spills --warn-on-local-memory-usage "        \
	"-warn-lmem-usage -allow-expensive-optimizations=true "                                \
	"--allow-expensive-optimizations=true "
#define HOST_VALUES " -fopenmp -fPIC -fno-strict-aliasing -Wall -Wextra -O0 -O1 -O2 -O3 "

static const struct allowed_flag allowed_flags[] = {
	{{"-I", "--include-path"}, FLAG_FOLDER, "-I", NULL},
	{{"-isystem", "--system-include"}, FLAG_FOLDER, "-I", NULL},
	{{"-include", "--pre-include"}, FLAG_FILE, "-include", NULL},
	{{"-D", "--define-macro"}, FLAG_MACRO, "-D", NULL},
	{{"-U", "--undefine-macro"}, FLAG_MACRO, "-U", NULL},
	{{"-maxrregcount", "--maxrregcount"}, FLAG_WORD, "-maxrregcount", NULL},
	{{"-use_fast_math", "--use_fast_math"}, FLAG_ALONE, "-use_fast_math", NULL},
	{{"-ftz", "--ftz"}, FLAG_WORD, "-ftz", " true false "},
	{{"-prec-div", "--prec-div"}, FLAG_WORD, "-prec-div", " true false "},
	{{"-prec-sqrt", "--prec-sqrt"}, FLAG_WORD, "-prec-sqrt", " true false "},
	{{"-fmad", "--fmad"}, FLAG_WORD, "-fmad", " true false "},
	{{"-restrict", "--restrict"}, FLAG_ALONE, "-restrict", NULL},
	{{"-extra-device-vectorization", "--extra-device-vectorization"},
	 FLAG_ALONE,
	 "-extra-device-vectorization",
	 NULL},
	{{"-O0", NULL}, FLAG_ALONE, NULL, NULL},
	{{"-O1", NULL}, FLAG_ALONE, NULL, NULL},
	{{"-O2", NULL}, FLAG_ALONE, NULL, NULL},
	{{"-O3", NULL}, FLAG_ALONE, "", NULL},
	{{"-expt-relaxed-constexpr", "--expt-relaxed-constexpr"}, FLAG_ALONE, NULL, NULL},
	{{"-extended-lambda", "--extended-lambda"}, FLAG_ALONE, NULL, NULL},
	{{"-expt-extended-lambda", "--expt-extended-lambda"}, FLAG_ALONE, NULL, NULL},
	{{"-std", "--std"}, FLAG_WORD, "-std", " c++03 c++11 c++14 c++17 c++20 "},
	{{"-w", "--disable-warnings"}, FLAG_ALONE, "-w", NULL},
	{{"-diag-suppress", "--diag-suppress"}, FLAG_WORD, "-diag-suppress", NULL},
	{{"-Xptxas", "--ptxas-options"}, FLAG_WORD, "-Xptxas", PTXAS_VALUES},
	{{"-Xcompiler", "--compiler-options"}, FLAG_WORD, NULL, HOST_VALUES},
};

/* A flag as it was given. */
struct given_flag {
	const struct allowed_flag *row; /* NULL: it is not allowed */
	const char *name;
	const char *value; /* behind the name; NULL: none */
};

static struct given_flag flag_find(const char *word)
{
	for (size_t i = 0; i < 2 * ARRAY_SIZE(allowed_flags); i++) {
		const struct allowed_flag *row = &allowed_flags[i / 2];
		const char *name = row->names[i % 2];
		const size_t length = name ? strlen(name) : 0;

		if (!name || strncmp(word, name, length) != 0)
			continue;
		if (!word[length])
			return (struct given_flag){row, name, NULL};
		if (row->value != FLAG_ALONE && word[length] == '=')
			return (struct given_flag){row, name, word + length + 1};
		if (length == 2 && (row->value == FLAG_MACRO || row->value == FLAG_FOLDER))
			return (struct given_flag){row, name, word + length};
	}
	return (struct given_flag){0};
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

/* `word`: the flag with its value. */
static int flag_value_check(const struct given_flag *given, const char *word, struct error *err)
{
	const struct allowed_flag *flag = given->row;
	const char *value = given->value;
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
				 value, given->name, flag->values);
}

int compile_flag_check(const char *word, struct error *err)
{
	const struct given_flag given = flag_find(word);

	if (!given.row)
		return flag_refuse(word, err);
	return given.value ? flag_value_check(&given, word, err) : 0;
}

/* A path as seen from the folder of the source. */
static char *absolute_path(const char *source, const char *path)
{
	const char *end = strrchr(source, '/');

	if (*path == '/')
		return xstrdup(path);
	return xasprintf("%.*s/%s", (int)(end - source), source, path);
}

/* `name`: how the compiler calls it. */
static int flag_add(struct string_list *argv, struct string_list *folders, struct given_flag given,
		    const char *name, const char *source, struct error *err)
{
	const enum flag_value kind = given.row->value;
	char *path = NULL;
	int rc;

	if (!*name)
		return 0;
	if (!given.value) {
		string_list_add(argv, name);
		return 0;
	}
	if (kind == FLAG_FOLDER || kind == FLAG_FILE)
		given.value = path = absolute_path(source, given.value);
	if (kind == FLAG_FOLDER)
		string_list_add(folders, path);
	/* both compilers read these forms of every flag of the table */
	if (kind == FLAG_MACRO)
		string_list_addf(argv, "%s%s", given.row->for_nvrtc, given.value);
	else
		string_list_addf(argv, strcmp(name, "-I") ? "%s=%s" : "%s%s", name, given.value);
	/* the folder of the source is in it now */
	rc = flag_value_check(&given, argv->items[argv->count - 1], err);
	free(path);
	return rc;
}

int compile_flags_add(struct string_list *argv, struct string_list *folders,
		      const struct compile_request *request, enum compile_tool tool,
		      struct error *err)
{
	int rc = 0;

	if (request->standard) {
		string_list_addf(argv, "-std=%s", request->standard);
		rc = compile_flag_check(argv->items[argv->count - 1], err);
	}
	for (size_t i = 0; !rc && i < request->defines.count; i++) {
		rc = macro_check(request->defines.items[i], err);
		string_list_addf(argv, "-D%s", request->defines.items[i]);
	}
	for (size_t i = 0; !rc && i < request->flags.count; i++) {
		const char *word = request->flags.items[i], *name;
		struct given_flag given = flag_find(word);

		if (!given.row)
			return flag_refuse(word, err);
		if (given.row->value != FLAG_ALONE && !given.value) {
			if (++i == request->flags.count)
				return error_set(err, PL_EUSAGE, "the flag '%.200s' has no value",
						 word);
			given.value = request->flags.items[i];
		}
		name = tool == COMPILE_NVRTC ? given.row->for_nvrtc : given.name;
		if (!name)
			rc = error_set(err, PL_EUNSUPPORTED,
				       "NVRTC has no flag '%.200s': compile with nvcc", word);
		else
			rc = flag_add(argv, folders, given, name, request->source, err);
	}
	return rc;
}

int compile_options_check(const struct compile_request *request, struct error *err)
{
	return compile_flags_check(
		request, request->tool == COMPILE_NVRTC ? COMPILE_NVRTC : COMPILE_NVCC, err);
}

int compile_flags_check(const struct compile_request *request, enum compile_tool tool,
			struct error *err)
{
	struct string_list argv = {0}, folders = {0};
	int rc = compile_flags_add(&argv, &folders, request, tool, err);

	string_list_release(&argv);
	string_list_release(&folders);
	return rc;
}

void compile_ptxas_flags_add(struct string_list *argv, const struct compile_request *request)
{
	for (size_t i = 0; i < request->flags.count; i++) {
		const struct given_flag given = flag_find(request->flags.items[i]);
		const char *value = given.value, *name;

		if (!given.row || given.row->value == FLAG_ALONE)
			continue;
		if (!value && ++i == request->flags.count)
			return;
		value = value ? value : request->flags.items[i];
		name = given.row->for_nvrtc ? given.row->for_nvrtc : "";
		if (!strcmp(name, "-Xptxas"))
			string_list_add(argv, value);
		else if (!strcmp(name, "-maxrregcount"))
			string_list_addf(argv, "--maxrregcount=%s", value);
	}
}
