/* How results are verified, and which cases are skipped. */
#include <string.h>

#include "kernels/user/annotation_words.h"

/* NAME at the start of the annotation, followed by `symbol`. Consumes both, or nothing. */
static bool accept_result(struct annotation_scan *scan, const char *symbol, const char **name)
{
	struct annotation_scan ahead = *scan;
	const char *result;

	ahead.err = NULL;
	if (scan_identifier(&ahead, &result, "the result"))
		return false;
	if (!strcmp(symbol, "=") ? !scan_accept(&ahead, "=") || *ahead.at == '='
				 : !scan_accept_word(&ahead, symbol))
		return false;
	scan->at = ahead.at;
	*name = result;
	return true;
}

static int scan_check_launch(struct annotation_scan *scan, struct annotated_check *check)
{
	int rc;

	check->kind = CHECK_LAUNCHES;
	if (!strstr(scan->at, "<<<"))
		return scan_error(scan,
				  "\"%.60s\" is not a check; write a launch, NAME = EXPRESSION, "
				  "NAME from \"FILE.npy\", by COMMAND, or none",
				  scan->at);
	rc = scan_launch(scan, &check->launch);
	if (!rc && scan_accept_word(scan, "from"))
		rc = scan_path(scan, &check->source, "the source of the reference", false);
	return rc ? rc : scan_end(scan);
}

static int scan_check(struct annotation_scan *scan, struct annotated_check *check)
{
	struct annotation_scan whole = *scan;
	int rc;

	if (accept_result(scan, "=", &check->item.buffer)) {
		check->kind = CHECK_EXPRESSION;
		check->item.text = check->item.written = scan_rest(scan);
		return *check->item.text ? scan_expand(scan, &check->item.text)
					 : scan_error(scan, "an expression expected after \"%s =\"",
						      check->item.buffer);
	}
	if (accept_result(scan, "from", &check->item.buffer)) {
		check->kind = CHECK_FILE;
		rc = scan_path(scan, &check->item.text, "the file of the expected content", true);
		return rc ? rc : scan_end(scan);
	}
	if (scan_accept_word(scan, "none")) {
		check->kind = CHECK_NONE;
		scan_blanks(scan);
		if (!*scan->at)
			return 0;
		*scan = whole;
	}
	if (scan_accept_word(scan, "by")) {
		check->kind = CHECK_COMMAND;
		check->command = scan_rest(scan);
		check->folder = scan->folder;
		return *check->command ? 0 : scan_error(scan, "a command expected after \"by\"");
	}
	return scan_check_launch(scan, check);
}

static bool is_of_one_result(const struct annotated_check *check)
{
	return check->kind == CHECK_EXPRESSION || check->kind == CHECK_FILE;
}

/* Expressions and files give single results. One reference, which is launches or a command, gives
 * all others. */
static int checks_go_together(struct annotation_scan *scan, const struct annotated_check *first,
			      const struct annotated_check *check)
{
	if (is_of_one_result(first) && is_of_one_result(check)) {
		if (strcmp(first->item.buffer, check->item.buffer) != 0)
			return 0;
		return scan_twice(
			scan, pool_format(scan->pool, "the check of \"%s\"", check->item.buffer),
			first->place);
	}
	if (first->kind == check->kind && check->kind != CHECK_LAUNCHES)
		return scan_twice(scan, "the check", first->place);
	if (first->kind == CHECK_NONE || check->kind == CHECK_NONE)
		return scan_error(scan,
				  "\"none\" goes with no other check, and %s is one; remove one",
				  annotation_place_text(scan->pool, first->place));
	if (is_of_one_result(first) || is_of_one_result(check))
		return 0;
	if (first->kind != check->kind)
		return scan_error(scan,
				  "launches or a command compute the results, not both, and %s is "
				  "of the other kind; remove one",
				  annotation_place_text(scan->pool, first->place));
	if (!first->source != !check->source ||
	    (check->source && strcmp(first->source, check->source) != 0))
		return scan_error(scan,
				  "the reference launches of a variant come from one file, and "
				  "%s names another",
				  annotation_place_text(scan->pool, first->place));
	return 0;
}

static int check_goes_with(struct annotation_scan *scan, const struct annotation_scope *scope,
			   const struct annotated_check *check)
{
	int rc = 0;

	for (size_t i = 0; i < scope->check_count && !rc; i++)
		rc = checks_go_together(scan, &scope->checks[i], check);
	if (!rc && scope->check_count == ANNOTATION_MAX_VARIANTS)
		rc = scan_error(scan, "more than %d checks", ANNOTATION_MAX_VARIANTS);
	return rc;
}

int verify_annotation(struct annotation_scan *scan, struct annotation_scope *scope)
{
	struct annotated_check check = {.place = scan->place};
	int rc = scan_check(scan, &check);

	if (!rc)
		rc = check_goes_with(scan, scope, &check);
	if (rc)
		return rc;
	pool_append(scan->pool, scope->checks, scope->check_count, check);
	return 0;
}

/* NAME as TYPE */
int compare_annotation(struct annotation_scan *scan, struct annotation_scope *scope)
{
	struct annotated_comparison comparison = {.place = scan->place};
	int rc = scan_identifier(scan, &comparison.buffer, "the result");

	if (!rc && !scan_accept_word(scan, "as"))
		rc = scan_error(
			scan,
			"\"as\" and a type expected after \"%.60s\"; write: compare %.60s as f32",
			comparison.buffer, comparison.buffer);
	if (!rc)
		rc = scan_element_type(scan, &comparison.type, comparison.buffer);
	if (!rc)
		rc = scan_end(scan);
	for (size_t i = 0; i < scope->comparison_count && !rc; i++)
		if (!strcmp(scope->comparisons[i].buffer, comparison.buffer))
			rc = scan_twice(scan,
					pool_format(scan->pool, "the comparison of \"%s\"",
						    comparison.buffer),
					scope->comparisons[i].place);
	if (!rc && scope->comparison_count == KERNEL_MAX_BUFFERS)
		rc = scan_error(scan, "more than %d comparisons", KERNEL_MAX_BUFFERS);
	if (rc)
		return rc;
	scope->comparisons = pool_room(scan->pool, scope->comparisons, scope->comparison_count,
				       sizeof(*scope->comparisons));
	scope->comparisons[scope->comparison_count++] = comparison;
	return 0;
}

/* ---- constraints ---- */

static void add_constraint(struct annotation_scan *scan, struct annotated_constraint **items,
			   size_t *count, struct kernel_constraint constraint)
{
	pool_append(scan->pool, *items, *count,
		    ((struct annotated_constraint){scan->place, constraint}));
}

/* Whether the text can stand in brackets: it closes none that it does not open. */
static bool has_own_brackets(struct annotation_scan *scan, const char *text)
{
	struct annotation_scan inside = *scan;
	char *before;

	inside.at = text;
	return !scan_before(&inside, ")", &before);
}

int skip_annotation(struct annotation_scan *scan, struct annotation_scope *scope)
{
	struct kernel_constraint constraint = {0};
	int rc = scan_quoted(scan, &constraint.reason, "the reason");
	bool unless;

	if (rc)
		return rc;
	unless = scan_accept_word(scan, "unless");
	if (!unless && !scan_accept_word(scan, "if"))
		return scan_error(scan, "\"unless\" or \"if\", and an expression, expected after "
					"the reason");
	constraint.holds = scan_rest(scan);
	if (!*constraint.holds)
		return scan_error(scan, "an expression expected after \"%s\"",
				  unless ? "unless" : "if");
	if (!unless && !has_own_brackets(scan, constraint.holds))
		return scan_error(scan, "a bracket of \"%.60s\" does not match", constraint.holds);
	if (!unless)
		constraint.holds = pool_format(scan->pool, "!(%s)", constraint.holds);
	rc = scan_expand(scan, &constraint.holds);
	if (rc)
		return rc;
	add_constraint(scan, &scope->constraints, &scope->constraint_count, constraint);
	return 0;
}

/* "sm_90": that compute capability or a later one. "sm_90a": only that one. */
int needs_annotation(struct annotation_scan *scan, struct annotation_scope *scope)
{
	char *target = scan_rest(scan);
	size_t digits = 0, end;
	struct kernel_constraint constraint;
	bool exact;

	if (!strncmp(target, "sm_", 3))
		digits = strspn(target + 3, "0123456789");
	end = 3 + digits;
	exact = digits && target[end] == 'a';
	if (digits < 2 || digits > 4 || target[end + exact])
		return scan_error(scan, "\"%.60s\" is not an architecture; write sm_80 or sm_90a",
				  target);
	constraint.holds = pool_format(scan->pool, "compute_capability %s %.*s",
				       exact ? "==" : ">=", (int)digits, target + 3);
	constraint.reason =
		pool_format(scan->pool, "the kernel needs %s%s", target, exact ? "" : " or later");
	add_constraint(scan, &scope->needs, &scope->need_count, constraint);
	return 0;
}
