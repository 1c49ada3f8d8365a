/* Launches: ENTRY<<<GRID, BLOCK[, SHARED]>>>(ARGS…) [repeat EXPR] [cluster(X, Y, Z)]
 * [carveout(EXPR)] [cooperative] */
#include <ctype.h>
#include <string.h>

#include "kernels/user/annotation_words.h"

/* Whether the characters of an entry are those of a name, qualified or a template instance. */
static bool is_entry(const char *entry)
{
	const char *arguments = strchr(entry, '<');
	size_t length = arguments ? (size_t)(arguments - entry) : strlen(entry);

	if (!length || isdigit((unsigned char)*entry))
		return false;
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)entry[i]) && !strchr("_:$ ", entry[i]))
			return false;
	return !arguments || entry[strlen(entry) - 1] == '>';
}

static int scan_entry(struct annotation_scan *scan, struct kernel_launch *out)
{
	char *entry;
	int rc;

	scan_blanks(scan);
	/* a name in double quotes is one of the image and may have any characters */
	if (*scan->at == '"') {
		rc = scan_quoted(scan, &out->entry, "the name of the kernel");
		return rc || scan_accept(scan, "<<<")
			       ? rc
			       : scan_error(scan, "\"<<<\" expected after the name of the kernel");
	}
	if (!scan_before(scan, "<<<", &entry))
		return scan_error(scan,
				  "a launch has the form ENTRY<<<GRID, BLOCK>>>(ARGUMENTS), "
				  "found \"%.60s\"",
				  scan->at);
	if (!is_entry(entry))
		return scan_error(scan,
				  "\"%.60s\" is not the name of a kernel, such as saxpy, "
				  "my::saxpy or saxpy<float, 4>",
				  entry);
	out->entry = entry;
	return 0;
}

/* "n", "(x, y, z)" or "dim3(x, y, z)". "(a + b) * c" is one expression. */
static int parse_dimensions(struct annotation_scan *scan, const char *what, const char *text,
			    const char *out[3])
{
	struct annotation_scan inside = *scan;
	struct annotation_list list = {0};
	char *between = NULL;
	int rc;

	inside.at = text;
	scan_accept_word(&inside, "dim3");
	if (!scan_accept(&inside, "(") || !scan_before(&inside, ")", &between) ||
	    (scan_blanks(&inside), *inside.at)) {
		out[0] = text;
		return scan_expand(scan, &out[0]);
	}
	rc = scan_split(scan, &list, between);
	if (rc)
		return rc;
	if (list.count < 1 || list.count > 3)
		return scan_error(scan, "%s \"%.60s\" needs one to three numbers", what, text);
	return scan_expand_items(scan, &list, out);
}

static int scan_shape(struct annotation_scan *scan, struct kernel_launch *out)
{
	struct annotation_list list;
	char *shape;
	int rc;

	if (!scan_before(scan, ">>>", &shape))
		return scan_error(scan, "\">>>\" is missing in the launch of \"%.60s\"",
				  out->entry);
	rc = scan_split(scan, &list, shape);
	if (rc)
		return rc;
	if (list.count < 2 || list.count > 3)
		return scan_error(scan,
				  "<<<%.60s>>> needs the grid and the block, and may have the "
				  "bytes of dynamic shared memory: <<<ceil_div(n, block), block>>>",
				  shape);
	rc = parse_dimensions(scan, "the grid", list.items[0], out->grid);
	if (!rc)
		rc = parse_dimensions(scan, "the block", list.items[1], out->block);
	if (rc || list.count < 3)
		return rc;
	out->shared_bytes = list.items[2];
	return scan_expand(scan, &out->shared_bytes);
}

/* ---- what follows the arguments ---- */

/* The expression of `repeat` ends before the next of these. */
static int scan_repeat(struct annotation_scan *scan, struct kernel_launch *out)
{
	static const char *const next[] = {" cluster", " cooperative", " carveout", " from"};
	const struct annotation_scan whole = *scan;
	char *expression = scan_rest(scan);

	for (size_t i = 0; i < ARRAY_SIZE(next); i++) {
		struct annotation_scan ahead = whole;
		const char *start;
		char *before;

		if (!scan_before(&ahead, next[i], &before) || !*before ||
		    isalnum((unsigned char)*ahead.at) || *ahead.at == '_')
			continue;
		start = ahead.at - strlen(next[i]);
		if (start < scan->at) {
			expression = before;
			scan->at = start;
		}
	}
	if (!*expression)
		return scan_error(scan, "repeat needs a number or an expression");
	out->repeat = expression;
	return scan_expand(scan, &out->repeat);
}

static int scan_cluster(struct annotation_scan *scan, struct kernel_launch *out)
{
	struct annotation_list list;
	char *inside;
	int rc;

	if (!scan_accept(scan, "("))
		return scan_error(scan, "cluster(X, Y, Z) expected");
	rc = scan_items(scan, ')', &list, &inside);
	if (rc)
		return rc;
	if (list.count < 1 || list.count > 3)
		return scan_error(scan, "cluster(%.60s) needs one to three numbers", inside);
	return scan_expand_items(scan, &list, out->cluster);
}

static int scan_carveout(struct annotation_scan *scan, struct kernel_launch *out)
{
	char *percent;
	int rc;

	if (!scan_accept(scan, "("))
		return scan_error(scan, "carveout(PERCENT) expected");
	rc = scan_until(scan, ')', &percent);
	if (!rc && !*percent)
		rc = scan_error(scan, "carveout() has no number; write carveout(50)");
	out->carveout = percent;
	return rc ? rc : scan_expand(scan, &out->carveout);
}

int scan_launch(struct annotation_scan *scan, struct kernel_launch *out)
{
	int rc = scan_entry(scan, out);

	if (!rc)
		rc = scan_shape(scan, out);
	if (!rc)
		rc = scan_arguments(scan, out);
	while (!rc) {
		if (!out->repeat && scan_accept_word(scan, "repeat"))
			rc = scan_repeat(scan, out);
		else if (!out->cluster[0] && scan_accept_word(scan, "cluster"))
			rc = scan_cluster(scan, out);
		else if (!out->carveout && scan_accept_word(scan, "carveout"))
			rc = scan_carveout(scan, out);
		else if (!out->cooperative && scan_accept_word(scan, "cooperative"))
			out->cooperative = true;
		else
			break;
	}
	return rc;
}

int launch_annotation(struct annotation_scan *scan, struct annotation_scope *scope)
{
	struct kernel_launch launch = {0};
	int rc = scan_launch(scan, &launch);

	if (!rc)
		rc = scan_end(scan);
	if (rc)
		return rc;
	if (scope->launch_count == ANNOTATION_MAX_VARIANTS)
		return scan_error(scan, "more than %d launches; use repeat",
				  ANNOTATION_MAX_VARIANTS);
	scope->launches = pool_room(scan->pool, scope->launches, scope->launch_count,
				    sizeof(*scope->launches));
	scope->launches[scope->launch_count++] = (struct annotated_launch){scan->place, launch};
	return 0;
}
