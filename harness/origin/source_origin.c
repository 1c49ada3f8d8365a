/* Asks git which project and commit the files of a user belong to. See origin.h. */
#include "harness/origin/origin.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/origin/git.h"

/* ---- the project ---- */

bool source_origin_add_remote(struct text *out, const char *url)
{
	const char *scheme = strstr(url, "://");
	const char *rest = scheme ? scheme + 3 : url;
	/* the end of the host: "host:path" of SSH is the "host/path" of others */
	const char *end = rest + strcspn(rest, scheme ? "/" : ":/");
	size_t length;

	if (scheme && strncmp(url, "file:", 5) == 0)
		return source_origin_add_remote(out, rest);
	if (*rest != '/') {
		if (!scheme && *end != ':')
			return false;
		for (const char *at = rest; at < end; at++)
			if (*at == '@')
				rest = at + 1;
	}
	length = strlen(rest);
	while (length && rest[length - 1] == '/')
		length--;
	if (length > 4 && strncmp(rest + length - 4, ".git", 4) == 0)
		length -= 4;
	for (const char *c = rest; c < rest + length; c++)
		if (c < end)
			text_add_char(out, (char)tolower((unsigned char)*c));
		else
			text_add_char(out, c == end ? '/' : *c);
	return length > 0;
}

/* The main working tree of the repository, or `root` itself. */
static void add_main_tree(struct text *out, const struct git *git, const char *root)
{
	static const char tail[] = "/.git";
	struct text folder = TEXT_INIT;
	size_t length = 0;

	if (git_says(&folder, git, root, "rev-parse --git-common-dir") && folder.data[0] == '/')
		length = folder.length;
	if (length >= sizeof(tail) && strcmp(folder.data + length - (sizeof(tail) - 1), tail) == 0)
		text_add_bytes(out, folder.data, length - (sizeof(tail) - 1));
	else
		text_add(out, root);
	text_release(&folder);
}

/* ---- the origin ---- */

void source_origin_find(struct source_origin *out, const struct kernel_file *files)
{
	const char *const *paths;
	const size_t count = kernel_file_inputs(files, &paths);
	const char *const path = paths[0];
	char *folder = xstrndup(path, (size_t)(strrchr(path, '/') - path) + 1);
	const struct git git = {.end_ns = monotonic_ns() + GIT_LIMIT_NS};
	struct text root = TEXT_INIT, url = TEXT_INIT, project = TEXT_INIT;
	enum git_state state;
	char *commit = NULL;

	*out = (struct source_origin){0};
	if (git_says(&root, &git, folder, "rev-parse --show-toplevel") && root.length > 1 &&
	    strncmp(path, root.data, root.length) == 0 && path[root.length] == '/') {
		out->root = xstrdup(root.data);
		if (git_says(&url, &git, out->root, "config --get remote.origin.url") &&
		    source_origin_add_remote(&project, url.data)) {
			text_add_char(&project, ':');
		} else {
			add_main_tree(&project, &git, out->root);
			text_add_char(&project, '/');
		}
		out->project = text_detach(&project);
		state = git_compare(&commit, &git, out->root, paths, count);
		if (commit && state != GIT_UNKNOWN)
			out->revision =
				xasprintf("%s%s", commit, state == GIT_CHANGED ? "-dirty" : "");
		free(commit);
		out->path = xstrdup(path + root.length + 1);
		out->origin = xasprintf("%s%s", out->project, out->path);
	} else {
		out->origin = xstrdup(path);
	}
	text_release(&root);
	text_release(&url);
	free(folder);
}

/* Without a remote, the origins of a repository begin with its folder, and so do those of a
 * repository in one of its folders. */
static bool is_of_inner_repository(const struct source_origin *origin, const char *earlier)
{
	const char *slash = earlier + strlen(origin->project);
	bool inner = false;

	while (!inner && *origin->project == '/' && (slash = strchr(slash, '/')) != NULL) {
		char *entry = xasprintf("%.*s/.git", (int)(slash - earlier), earlier);

		inner = access(entry, F_OK) == 0;
		free(entry);
		slash++;
	}
	return inner;
}

/* Whether an earlier run is of this repository, and of a file that was at `path`, or (NULL) that is
 * no longer where it was. */
static bool was_at(const struct source_origin *origin, const struct key_value *earlier,
		   const char *path)
{
	char *full;
	bool gone;

	if (!*earlier->value || strncmp(earlier->key, origin->project, strlen(origin->project)) ||
	    is_of_inner_repository(origin, earlier->key))
		return false;
	if (path)
		return strcmp(earlier->value, path) == 0;
	full = xasprintf("%s/%s", origin->root, earlier->value);
	gone = access(full, F_OK) != 0;
	free(full);
	return gone;
}

void source_origin_follow(struct source_origin *origin, const struct key_value_list *known)
{
	/* the same path first, then that of a file that is gone */
	const char *const wanted[] = {origin->path, NULL};
	const char *path;
	char *taken;

	if (!origin->project)
		return;
	for (size_t w = 0; w < ARRAY_SIZE(wanted); w++)
		for (size_t i = 0; i < known->count; i++)
			if (was_at(origin, &known->items[i], wanted[w])) {
				free(origin->origin);
				origin->origin = xstrdup(known->items[i].key);
				return;
			}
	taken = origin->origin;
	origin->origin = xstrdup(taken);
	/* without a path it is this file, before there was a repository */
	for (size_t i = 2; (path = key_value_get(known, origin->origin)) && *path; i++) {
		free(origin->origin);
		origin->origin = xasprintf("%s#%zu", taken, i);
	}
	free(taken);
}

void source_origin_release(struct source_origin *origin)
{
	free(origin->origin);
	free(origin->project);
	free(origin->root);
	free(origin->path);
	free(origin->revision);
	*origin = (struct source_origin){0};
}
