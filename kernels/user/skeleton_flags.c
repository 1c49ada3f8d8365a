/* The flags of the compiler, with paths from the current folder and from that of the sidecar. */
#include <stdlib.h>
#include <string.h>

#include "kernels/user/annotation_words.h"
#include "kernels/user/skeleton_parts.h"

void skeleton_flags_add(struct string_list *out, const struct string_list *flags,
			const char *folder)
{
	struct annotation_pool pool = {0};
	bool path_next = false;

	for (size_t i = 0; flags && i < flags->count; i++)
		string_list_add(out, flag_in_folder(&pool, folder, flags->items[i], &path_next));
	pool_release(&pool);
}

/* How many bytes of both paths are folders that they share, with the '/' behind them. */
static size_t shared_folders(const char *a, const char *b)
{
	size_t shared = 0;

	for (size_t i = 0;; i++) {
		const bool ends = (!a[i] || a[i] == '/') && (!b[i] || b[i] == '/');

		if (ends && i)
			shared = i;
		if (a[i] != b[i] || !a[i])
			return shared;
	}
}

/* An absolute path as one from a folder. One that shares no more than the root stays absolute. */
static const char *path_from_folder(struct annotation_pool *pool, const char *folder,
				    const char *path)
{
	char *real = realpath(path, NULL);
	const char *to = real ? real : path;
	const size_t shared = shared_folders(folder, to);
	struct text relative = TEXT_INIT;

	if (!shared)
		text_add(&relative, to);
	for (const char *c = folder + shared; shared && *c; c++)
		if (*c == '/' && c[1])
			text_add(&relative, "../");
	if (shared)
		text_add(&relative, to[shared] ? to + shared + 1 : ".");
	path = pool_take(pool, &relative);
	free(real);
	return path;
}

static void print_flag(struct text *out, const char *flag)
{
	const bool quoted = !*flag || strpbrk(flag, " \t#\"");

	text_add(out, quoted ? " \"" : " ");
	for (const char *c = flag; *c; c++) {
		if (*c == '"' || (*c == '\\' && (c[1] == '"' || c[1] == '\\' || !c[1])))
			text_add_char(out, '\\');
		text_add_char(out, *c);
	}
	text_add(out, quoted ? "\"" : "");
}

void skeleton_print_flags(struct text *out, struct annotation_pool *pool,
			  const struct skeleton_request *request)
{
	bool path_next = false;

	if (!request->flags || !request->flags->count)
		return;
	text_add(out, "flags");
	for (size_t i = 0; i < request->flags->count; i++) {
		const char *flag = request->flags->items[i];
		size_t length = path_next ? 0 : strlen(flag);

		path_next = !path_next && flag_is_path(flag, &length) && !flag[length];
		if (flag[length])
			flag = pool_format(pool, "%.*s%s", (int)length, flag,
					   path_from_folder(pool, request->folder, flag + length));
		print_flag(out, flag);
	}
	text_add(out, "\n");
}
