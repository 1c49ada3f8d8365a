/* Resolves how a user's case is verified. */
#include <stdlib.h>
#include <string.h>

#include "kernels/resolution.h"

static int resolve_check_item(struct resolution *r, struct case_check_item *out,
			      const struct kernel_check_item *item)
{
	const struct launch_case *work = r->work;

	out->text = xstrdup(item->text);
	out->is_file = item->is_file;
	for (size_t b = 0; b < work->buffer_count; b++)
		if (!strcmp(work->buffers[b].name, item->buffer)) {
			out->buffer = b;
			return 0;
		}
	return error_set(r->err, PL_EUSAGE, "verify: no buffer is called \"%s\"", item->buffer);
}

int resolution_check(struct resolution *r)
{
	const struct kernel_check *check = r->variant->check;
	struct case_check *out = &r->work->check;
	struct resolved_launches list = {0};
	int rc = 0;

	out->kind = check->kind;
	out->command = check->command ? xstrdup(check->command) : NULL;
	out->folder = check->folder ? xstrdup(check->folder) : NULL;
	if (check->kind == CHECK_LAUNCHES && check->source)
		out->image = xstrdup("");
	if (check->kind == CHECK_LAUNCHES)
		rc = resolution_append(r, &list, check->launches, check->launch_count);
	out->launches = list.items;
	out->launch_count = list.count;
	out->items = xcalloc(check->item_count ? check->item_count : 1, sizeof(out->items[0]));
	out->item_count = check->item_count;
	for (size_t i = 0; !rc && i < check->item_count; i++)
		rc = resolve_check_item(r, &out->items[i], &check->items[i]);
	return error_context(r->err, rc, "verify");
}
