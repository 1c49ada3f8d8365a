/* The settings of a kernel: its work, its tolerance, and how its source is compiled. */
#include <string.h>

#include "kernels/user/annotation_words.h"

/* Splits "KEY = VALUE". */
static int split_setting(struct annotation_scan *scan, char *item, char **key, char **value)
{
	char *equals = strchr(item, '=');
	size_t length;

	if (!equals)
		return scan_error(scan, "KEY = VALUE expected, found \"%.60s\"", item);
	length = (size_t)(equals - item);
	while (length && (item[length - 1] == ' ' || item[length - 1] == '\t'))
		length--;
	*key = pool_copy(scan->pool, item, length);
	for (*value = equals + 1; **value == ' ' || **value == '\t';)
		++*value;
	return **value ? 0 : scan_error(scan, "\"%.60s\" has no value", item);
}

static int set_precision(struct annotation_scan *scan, struct kernel_work *work, const char *value)
{
	const char *const *names = work_precision_names();
	struct text all = TEXT_INIT;
	int rc;

	for (const char *const *name = names; *name; name++) {
		if (!strcmp(*name, value)) {
			work->precision = *name;
			return 0;
		}
	}
	for (const char *const *name = names; *name; name++)
		text_addf(&all, "%s%s", all.length ? ", " : "", *name);
	rc = scan_error(scan, "unknown precision \"%.60s\"; write one of %s", value, all.data);
	text_release(&all);
	return rc;
}

static int set_work_part(struct annotation_scan *scan, struct kernel_work *work, char *item)
{
	char *key, *value;
	const char **field;
	int rc = split_setting(scan, item, &key, &value);

	if (rc)
		return rc;
	if (!strcmp(key, "precision")) {
		if (*work->precision)
			return scan_error(scan, "%s is given twice; remove one", key);
		return set_precision(scan, work, value);
	}
	field = !strcmp(key, "flop")    ? &work->flop
		: !strcmp(key, "read")  ? &work->bytes_read
		: !strcmp(key, "write") ? &work->bytes_written
					: NULL;
	if (!field)
		return scan_error(scan,
				  "unknown part of the work \"%.60s\"; it has flop, read, write "
				  "and precision",
				  key);
	if (*field)
		return scan_error(scan, "%s is given twice; remove one", key);
	*field = value;
	return scan_expand(scan, field);
}

int work_annotation(struct annotation_scan *scan, struct annotation_scope *scope)
{
	struct annotated_work work = {.place = scan->place, .work = {.precision = ""}};
	struct annotation_list list;
	int rc;

	if (scope->work.place.file)
		return scan_twice(scan, "the work", scope->work.place);
	rc = scan_split(scan, &list, scan_rest(scan));
	if (!rc && !list.count)
		rc = scan_error(scan, "write flop = EXPRESSION, read = BYTES, write = BYTES");
	for (size_t i = 0; !rc && i < list.count; i++)
		rc = set_work_part(scan, &work.work, list.items[i]);
	if (!rc)
		scope->work = work;
	return rc;
}

int tolerance_annotation(struct annotation_scan *scan, struct annotation_scope *scope)
{
	struct annotated_tolerance tolerance = {.place = scan->place};
	struct annotation_list list;
	bool has_abs = false;
	int rc;

	if (scope->tolerance.place.file)
		return scan_twice(scan, "the tolerance", scope->tolerance.place);
	rc = scan_split(scan, &list, scan_rest(scan));
	if (!rc && !list.count)
		rc = scan_error(scan, "write abs = NUMBER, rel = NUMBER");
	for (size_t i = 0; !rc && i < list.count; i++) {
		char *key, *value;
		double number;
		bool abs;

		rc = split_setting(scan, list.items[i], &key, &value);
		if (rc)
			break;
		abs = !strcmp(key, "abs");
		if (!abs && strcmp(key, "rel"))
			return scan_error(scan,
					  "unknown part of the tolerance \"%.60s\"; it has "
					  "abs and rel",
					  key);
		if (abs ? has_abs : tolerance.has_rel)
			return scan_error(scan, "%s is given twice; remove one", key);
		if (parse_double(&number, value, NULL) || number < 0)
			return scan_error(scan, "%s = %.60s: a number of at least 0 expected", key,
					  value);
		*(abs ? &tolerance.abs : &tolerance.rel) = number;
		*(abs ? &has_abs : &tolerance.has_rel) = true;
	}
	if (!rc)
		scope->tolerance = tolerance;
	return rc;
}

/* ---- compilation ---- */

bool flag_is_path(const char *flag, size_t *length)
{
	static const char *const flags[] = {"-I",       "--include-path",
					    "-isystem", "--system-include",
					    "-include", "--pre-include"};

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		const size_t word = strlen(flags[i]);

		if (strncmp(flag, flags[i], word) != 0)
			continue;
		*length = word + (flag[word] == '=');
		return true;
	}
	return false;
}

const char *flag_in_folder(struct annotation_pool *pool, const char *folder, const char *flag,
			   bool *path_next)
{
	size_t length = 0;
	bool path;

	if (*path_next) {
		*path_next = false;
		return annotation_path(pool, folder, flag);
	}
	path = flag_is_path(flag, &length);
	*path_next = path && !flag[length];
	if (!path || *path_next)
		return flag;
	return pool_format(pool, "%.*s%s", (int)length, flag,
			   annotation_path(pool, folder, flag + length));
}

/* One word; quotes group blanks and are removed. */
static int scan_flag(struct annotation_scan *scan, const char **out)
{
	struct text flag = TEXT_INIT;
	bool quoted = false;

	for (; *scan->at && (quoted || (*scan->at != ' ' && *scan->at != '\t')); scan->at++) {
		if (*scan->at == '"')
			quoted = !quoted;
		else if (*scan->at == '\\' && (scan->at[1] == '"' || scan->at[1] == '\\'))
			text_add_char(&flag, *++scan->at);
		else
			text_add_char(&flag, *scan->at);
	}
	*out = pool_take(scan->pool, &flag);
	return quoted ? scan_error(scan, "a quote of the flags does not close") : 0;
}

int flags_annotation(struct annotation_scan *scan, struct annotation_scope *scope)
{
	bool path_next = false;
	int rc = 0;

	scan_blanks(scan);
	if (!*scan->at)
		return scan_error(scan, "flags of the compiler expected: flags -Iinclude");
	for (; *scan->at && !rc; scan_blanks(scan)) {
		const char *flag;

		rc = scan_flag(scan, &flag);
		if (!rc)
			flag = flag_in_folder(scan->pool, scan->folder, flag, &path_next);
		scope->flags = pool_room(scan->pool, scope->flags, scope->flag_count,
					 sizeof(*scope->flags));
		scope->flags[scope->flag_count++] = flag;
	}
	return rc;
}

int standard_annotation(struct annotation_scan *scan, struct annotation_scope *scope)
{
	char *standard = scan_rest(scan);

	if (scope->standard)
		return scan_error(scan, "the standard is declared twice; remove one");
	if (strncmp(standard, "c++", 3) != 0 || strlen(standard) != 5 ||
	    strspn(standard + 3, "0123456789") != 2)
		return scan_error(scan, "\"%.60s\" is not a standard; write c++17 or c++20",
				  standard);
	scope->standard = standard;
	return 0;
}

int compiler_annotation(struct annotation_scan *scan, struct annotation_scope *scope)
{
	char *compiler = scan_rest(scan);

	if (scope->compiler)
		return scan_error(scan, "the compiler is declared twice; remove one");
	if (strcmp(compiler, "nvcc") != 0 && strcmp(compiler, "nvrtc") != 0)
		return scan_error(scan, "unknown compiler \"%.60s\"; it is nvcc or nvrtc",
				  compiler);
	scope->compiler = compiler;
	return 0;
}
