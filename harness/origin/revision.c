/* Writes the files of a commit into a folder. See origin.h. */
#include "harness/origin/origin.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "harness/origin/git.h"

/* Writing the files of a large repository takes longer than a question. */
#define CHECKOUT_LIMIT_NS (300 * INT64_C(1000000000))
#define FOLDER_NAME_DIGITS 20
#define LOOK_NS 20000000

/* ---- the repository ---- */

static char *folder_of(const char *path)
{
	char *absolute = realpath(path, NULL), *slash;

	if (!absolute)
		return NULL;
	slash = strrchr(absolute, '/');
	slash[slash == absolute] = '\0';
	return absolute;
}

/* All files are in the repository of the first one. */
static int find_repository(struct revision *out, const struct git *git, const char *const *files,
			   size_t count, struct error *err)
{
	struct text root = TEXT_INIT, why = TEXT_INIT;
	int rc = 0;

	for (size_t i = 0; i < count && !rc; i++) {
		char *folder = folder_of(files[i]);

		if (!folder) {
			rc = error_set(err, PL_ENOENT, "%s: the file does not exist", files[i]);
		} else if (!git_says(&root, git, folder, "rev-parse --show-toplevel") ||
			   root.data[0] != '/') {
			git_add_refusal(&why, git, folder);
			rc = error_set(err, PL_EUSAGE,
				       "--against needs git and a file of a repository, and of %s "
				       "%s",
				       files[i], why.data);
		} else if (!out->root) {
			out->root = xstrdup(root.data);
		} else if (strcmp(out->root, root.data) != 0) {
			rc = error_set(err, PL_EUSAGE,
				       "--against: %s and %s are of different repositories, %s and "
				       "%s: sweep them one after the other",
				       files[0], files[i], out->root, root.data);
		}
		free(folder);
	}
	text_release(&root);
	text_release(&why);
	return rc;
}

/* ---- the commit ---- */

static bool find_commit(struct text *out, const struct git *git, const char *root, const char *word)
{
	char *commit = xasprintf("%s^{commit}", *word ? word : "HEAD");
	const bool found = *commit != '-' &&
			   git_says_of(out, git, root, "rev-parse --verify --quiet", commit) &&
			   out->length >= 40 && !out->data[strspn(out->data, "0123456789abcdef")];

	free(commit);
	return found;
}

/* `dots`: the "..." of word. */
static bool find_merge_base(struct text *out, const struct git *git, const char *root,
			    const char *word, const char *dots)
{
	char *left = xstrndup(word, (size_t)(dots - word)), *words = NULL;
	struct text first = TEXT_INIT, second = TEXT_INIT;
	bool found = find_commit(&first, git, root, left) &&
		     find_commit(&second, git, root, dots + strlen("..."));

	if (found) {
		words = xasprintf("merge-base %s %s", first.data, second.data);
		found = git_says(out, git, root, words) && out->length;
	}
	free(words);
	free(left);
	text_release(&first);
	text_release(&second);
	return found;
}

static int no_such_revision(const struct git *git, const char *root, const char *word,
			    struct error *err)
{
	struct text refs = TEXT_INIT, near = TEXT_INIT, head = TEXT_INIT;
	struct string_list names = {0};
	int rc;

	if (git_says(&refs, git, root,
		     "for-each-ref --format=%(refname:short) refs/heads refs/tags refs/remotes"))
		string_list_split(&names, refs.data, '\n');
	if (!find_commit(&head, git, root, "HEAD") && !refs.length)
		rc = error_set(err, PL_EUSAGE,
			       "--against %s: the repository %s has no commits yet: commit what "
			       "you want to compare with",
			       word, root);
	else if (strstr(word, "..."))
		rc = error_set(err, PL_EUSAGE,
			       "--against %s: git finds no commit that both sides have in common. "
			       "Check the names; in a shallow clone fetch the history (git fetch "
			       "--unshallow, or fetch-depth: 0 of actions/checkout)",
			       word);
	else if (nearest_names(&near, word, (const char *const *)names.items, names.count))
		rc = error_set(err, PL_EUSAGE,
			       "--against %s: %s has no such revision: did you mean %s?", word,
			       root, near.data);
	else
		rc = error_set(
			err, PL_EUSAGE,
			"--against %s: %s has no such revision: name a commit, a branch or a "
			"tag, or A...B for the merge base of two. In a shallow clone fetch "
			"it first",
			word, root);
	string_list_release(&names);
	text_release(&refs);
	text_release(&near);
	text_release(&head);
	return rc;
}

static int resolve_word(struct revision *out, const struct git *git, struct error *err)
{
	const char *dots = strstr(out->word, "...");
	struct text commit = TEXT_INIT;
	int rc = 0;

	if (*out->word && (dots ? find_merge_base(&commit, git, out->root, out->word, dots)
				: find_commit(&commit, git, out->root, out->word))) {
		out->commit = xstrdup(commit.data);
		memcpy(out->mark, commit.data, sizeof(out->mark) - 1);
	} else {
		rc = no_such_revision(git, out->root, out->word, err);
	}
	text_release(&commit);
	return rc;
}

/* ---- the files ---- */

/* Puts a link to the submodule of the working tree where the commit has one. `line`:
 * "submodule.NAME.path PATH". What .gitmodules says is believed only if the commit has a commit at
 * this path, so the path is one within the tree. */
static void link_submodule(struct revision *out, const struct git *git, const char *line)
{
	const char *path = strstr(line, ".path ");
	struct text then = TEXT_INIT, now = TEXT_INIT;
	char *name, *link, *target, *entry;

	if (!path)
		return;
	path += strlen(".path ");
	name = xasprintf("%s:%s", out->commit, path);
	link = xasprintf("%s/%s", out->tree, path);
	target = xasprintf("%s/%s", out->root, path);
	entry = xasprintf("%s/.git", target);
	/* another process that shares the folder may have put it there */
	if (git_says_of(&then, git, out->root, "rev-parse --verify --quiet", name) &&
	    !access(entry, F_OK) &&
	    ((!rmdir(link) && !symlink(target, link)) || !access(link, F_OK)) &&
	    git_says(&now, git, target, "rev-parse HEAD") && strcmp(now.data, then.data) != 0)
		string_list_add(&out->other_submodules, path);
	free(entry);
	free(target);
	free(link);
	free(name);
	text_release(&then);
	text_release(&now);
}

static void link_submodules(struct revision *out, const struct git *git)
{
	struct text answer = TEXT_INIT;
	struct string_list lines = {0};

	/* fails if there are none */
	if (git_says(&answer, git, out->tree,
		     "config --file .gitmodules --get-regexp ^submodule\\..*\\.path$"))
		string_list_split(&lines, answer.data, '\n');
	for (size_t i = 0; i < lines.count; i++)
		link_submodule(out, git, lines.items[i]);
	string_list_release(&lines);
	text_release(&answer);
}

static int check_out(struct revision *out, const struct git *git, struct error *err)
{
	const struct string_list none = {0};
	struct git_view view = {.git = git, .root = out->root};
	char *head = git_view_open(&view), *index = xasprintf("%s/index", out->holder);
	char *words = xasprintf("read-tree --reset -u %s", out->commit);
	struct text answer = TEXT_INIT;
	bool good = view.folder && !mkdir(out->tree, 0700);

	view.root = out->tree;
	view.index = index;
	good = good && git_view_says(&answer, &view, words, &none);
	git_view_close(&view);
	text_release(&answer);
	free(words);
	free(index);
	free(head);
	if (git->stop && *git->stop)
		return error_set(err, PL_EINTERRUPTED, "interrupted");
	if (good)
		return 0;
	return error_set(
		err, PL_EIO,
		"--against %s: git cannot write the files of %s to %s. Make room there; if "
		"the clone is a partial one, fetch the commit's files first (git checkout "
		"or git worktree add fetch them)",
		out->word, out->mark, out->tree);
}

/* ---- the folder that several processes share ---- */

/* Whether the descriptor is of the folder that now has this path. */
static bool is_still(int fd, const char *path)
{
	struct stat open, named;

	return !fstat(fd, &open) && !lstat(path, &named) && open.st_dev == named.st_dev &&
	       open.st_ino == named.st_ino && open.st_uid == geteuid();
}

/* Removes the folder if no process needs it. */
static void remove_unused(const char *path, int fd)
{
	if (!flock(fd, LOCK_EX | LOCK_NB) && is_still(fd, path))
		folder_remove(path);
}

/* Folders of processes that were killed. */
static void remove_left_behind(const char *cache)
{
	DIR *entries = opendir(cache);

	for (struct dirent *entry = entries ? readdir(entries) : NULL; entry;
	     entry = readdir(entries)) {
		char *path = xasprintf("%s/%s", cache, entry->d_name);
		int fd = -1;

		if (strlen(entry->d_name) == FOLDER_NAME_DIGITS)
			fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0) {
			remove_unused(path, fd);
			close(fd);
		}
		free(path);
	}
	if (entries)
		closedir(entries);
}

/* Whether the folder, which is open and locked by this process, has all files; else writes them if
 * no other process is doing so. */
static int fill_holder(bool *full, struct revision *out, const struct git *git, struct error *err)
{
	char *mark = xasprintf("%s/complete", out->holder);
	int rc = 0, fd;

	*full = is_still(out->lock, out->holder) && !access(mark, F_OK);
	if (!*full && !flock(out->lock, LOCK_EX | LOCK_NB) && is_still(out->lock, out->holder)) {
		rc = check_out(out, git, err);
		if (rc) {
			folder_remove(out->holder);
		} else if ((fd = open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0600)) >= 0) {
			close(fd);
			/* between two locks, another process may remove it */
			*full = !flock(out->lock, LOCK_SH) && is_still(out->lock, out->holder);
		}
	}
	free(mark);
	return rc;
}

static int open_holder(struct revision *out, const struct git *git, struct error *err)
{
	const struct timespec look = {.tv_nsec = LOOK_NS};
	bool full = false;
	int rc = 0;

	while (!rc && !full) {
		if ((mkdir(out->holder, 0700) && errno != EEXIST) ||
		    ((out->lock = open(out->holder,
				       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0 &&
		     errno != ENOENT))
			rc = error_set(err, PL_EIO, "--against %s: cannot make the folder %s: %s",
				       out->word, out->holder, strerror(errno));
		if (!rc && out->lock >= 0 && !flock(out->lock, LOCK_SH | LOCK_NB))
			rc = fill_holder(&full, out, git, err);
		if (!rc && !full) {
			if (out->lock >= 0)
				close(out->lock);
			out->lock = -1;
			nanosleep(&look, NULL);
		}
		if (!rc && git->stop && *git->stop)
			rc = error_set(err, PL_EINTERRUPTED, "interrupted");
	}
	return rc;
}

/* ---- a revision ---- */

int revision_open(struct revision *out, const char *word, const char *const *files, size_t count,
		  const char *cache, const volatile int *stop, struct error *err)
{
	const struct git git = {.end_ns = monotonic_ns() + CHECKOUT_LIMIT_NS, .stop = stop};
	char hash[HASH_TEXT_BYTES], *key;
	int rc;

	*out = (struct revision){.word = xstrdup(word), .lock = -1};
	rc = find_repository(out, &git, files, count, err);
	if (!rc)
		rc = resolve_word(out, &git, err);
	if (!rc) {
		/* the same path each time, because the cache of compiled files knows it */
		key = xasprintf("%s\n%s", out->root, out->commit);
		hash_of(hash, key, strlen(key));
		free(key);
		out->holder = xasprintf("%s/%.*s", cache, FOLDER_NAME_DIGITS, hash);
		out->tree = xasprintf("%s/%s", out->holder, out->mark);
		remove_left_behind(cache);
		rc = open_holder(out, &git, err);
	}
	if (!rc)
		link_submodules(out, &git);
	if (rc)
		revision_close(out);
	return rc;
}

void revision_close(struct revision *revision)
{
	if (revision->holder && revision->lock >= 0) {
		remove_unused(revision->holder, revision->lock);
		close(revision->lock);
	}
	free(revision->root);
	free(revision->word);
	free(revision->commit);
	free(revision->tree);
	free(revision->holder);
	string_list_release(&revision->other_submodules);
	*revision = (struct revision){.lock = -1};
}
