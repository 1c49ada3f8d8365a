/*
 * Runs git. See git.h. Comparing contents applies the filters that a repository configures, and may
 * fetch objects by the command that it configures. So git compares from a folder of perflab, which
 * has the files of the repository but not its configuration.
 */
#include "harness/origin/git.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"

#define GIT_ANSWER_LIMIT ((size_t)64 << 10)
/* How deep submodules are followed. */
#define SUBMODULE_DEPTH 8

/* What decides how contents are compared, and names no program. */
#define GIT_HARMLESS_SETTINGS                                                             \
	"^core\\.(autocrlf|checkstat|eol|filemode|ignorecase|precomposeunicode|symlinks|" \
	"trustctime)$"

/* Variables that name another repository: a hook from which perflab runs may have set them. */
static const char *const other_repository[] = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE",
					       "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"};

/* ---- questions ---- */

static void add_git_words(struct string_list *argv, const char *words)
{
	struct string_list list = {0};

	string_list_split(&list, words, ' ');
	for (size_t i = 0; i < list.count; i++)
		string_list_add(argv, list.items[i]);
	string_list_release(&list);
}

/* Options of env and variables may follow. */
static void begin_command(struct string_list *argv)
{
	string_list_add(argv, "env");
	for (size_t i = 0; i < ARRAY_SIZE(other_repository); i++) {
		string_list_add(argv, "-u");
		string_list_add(argv, other_repository[i]);
	}
}

/* messages: what it writes to stderr is part of the answer, also if it fails. *status is its wait
 * status, or -1. */
static bool command_ends(struct text *answer, int *status, const struct git *git,
			 const struct string_list *command, bool messages)
{
	char **argv = xcalloc(command->count + 1, sizeof(*argv));
	const struct limited_program program = {.argv = argv,
						.end_ns = git->end_ns,
						.stop = git->stop,
						.output_limit = GIT_ANSWER_LIMIT,
						.without_messages = !messages};

	memcpy(argv, command->items, command->count * sizeof(*argv));
	text_clear(answer);
	if (process_limited(answer, status, &program) != PROGRAM_EXITED)
		*status = -1;
	while (answer->length && answer->data[answer->length - 1] == '\n')
		answer->data[--answer->length] = '\0';
	free(argv);
	return *status == 0;
}

static bool command_says(struct text *answer, const struct git *git,
			 const struct string_list *command)
{
	int status;

	return command_ends(answer, &status, git, command, false);
}

static void add_git_in(struct string_list *argv, const char *folder, const char *words)
{
	begin_command(argv);
	add_git_words(argv, "GIT_NO_LAZY_FETCH=1 LC_ALL=C git -C");
	string_list_add(argv, folder);
	add_git_words(argv, words);
}

bool git_says_of(struct text *answer, const struct git *git, const char *folder, const char *words,
		 const char *last)
{
	struct string_list argv = {0};
	bool good;

	add_git_in(&argv, folder, words);
	if (last)
		string_list_add(&argv, last);
	good = command_says(answer, git, &argv);
	string_list_release(&argv);
	return good;
}

bool git_says(struct text *answer, const struct git *git, const char *folder, const char *words)
{
	return git_says_of(answer, git, folder, words, NULL);
}

void git_add_refusal(struct text *out, const struct git *git, const char *folder)
{
	struct string_list argv = {0};
	struct text said = TEXT_INIT;
	int status;

	add_git_in(&argv, folder, "rev-parse --show-toplevel");
	command_ends(&said, &status, git, &argv, true);
	said.data[strcspn(said.data, "\n")] = '\0';
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		text_add(out, "there is no program git");
	else
		text_addf(out, "git says: %s", *said.data ? said.data : "nothing");
	text_release(&said);
	string_list_release(&argv);
}

/* ---- the folder of perflab ---- */

static bool write_view_file(int folder, const char *name, const char *format, const char *value)
{
	const int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	const bool good = fd >= 0 && dprintf(fd, format, value) > 0;

	return fd >= 0 && !close(fd) && good;
}

/* `files`: the paths of the index, the objects and the attributes, the kind of hashes, the commit.
 */
static bool fill_view(const struct git_view *view, char *const *files)
{
	static const char *const links[] = {"index", "objects", "info/attributes"};
	const int folder = open(view->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool good = folder >= 0 && !mkdirat(folder, "refs", 0700) && !mkdirat(folder, "info", 0700);

	for (size_t i = 0; i < ARRAY_SIZE(links) && good; i++)
		good = *files[i] == '/' && !symlinkat(files[i], folder, links[i]);
	good = good &&
	       write_view_file(folder, "config",
			       "[core]\nrepositoryformatversion = 1\nbare = false\n"
			       "[extensions]\nobjectformat = %s\n",
			       files[3]) &&
	       write_view_file(folder, "HEAD", "%s\n", files[4]);
	if (folder >= 0)
		close(folder);
	return good;
}

char *git_view_open(struct git_view *view)
{
	struct text answer = TEXT_INIT;
	struct string_list files = {0};
	char *commit = NULL;

	if (git_says(&answer, view->git, view->root,
		     "rev-parse --path-format=absolute --git-path index --git-path objects"
		     " --git-path info/attributes --show-object-format HEAD"))
		string_list_split(&files, answer.data, '\n');
	if (files.count == 5) {
		commit = xstrdup(files.items[4]);
		if (!temporary_folder_make(&view->folder, "perflab-git", NULL) &&
		    !fill_view(view, files.items)) {
			folder_remove(view->folder);
			free(view->folder);
			view->folder = NULL;
		}
		/* each line is "core.eol lf" */
		if (git_says(&answer, view->git, view->root,
			     "config --get-regexp " GIT_HARMLESS_SETTINGS))
			string_list_split(&view->settings, answer.data, '\n');
		for (size_t i = 0; i < view->settings.count; i++) {
			char *blank = strchr(view->settings.items[i], ' ');

			if (blank)
				*blank = '=';
		}
	}
	string_list_release(&files);
	text_release(&answer);
	return commit;
}

static void add_variable(struct string_list *argv, const char *name, const char *value)
{
	char *variable = xasprintf("%s=%s", name, value);

	string_list_add(argv, variable);
	free(variable);
}

bool git_view_says(struct text *answer, const struct git_view *view, const char *words,
		   const struct string_list *paths)
{
	struct string_list argv = {0};
	bool good;

	begin_command(&argv);
	add_git_words(&argv, "-u GIT_CONFIG_COUNT -u GIT_CONFIG_PARAMETERS -u GIT_CONFIG_GLOBAL"
			     " GIT_CONFIG_NOSYSTEM=1 GIT_OPTIONAL_LOCKS=0");
	add_variable(&argv, "HOME", view->folder);
	add_variable(&argv, "XDG_CONFIG_HOME", view->folder);
	add_variable(&argv, "GIT_DIR", view->folder);
	add_variable(&argv, "GIT_WORK_TREE", view->root);
	if (view->index)
		add_variable(&argv, "GIT_INDEX_FILE", view->index);
	string_list_add(&argv, "git");
	for (size_t i = 0; i < view->settings.count; i++) {
		string_list_add(&argv, "-c");
		string_list_add(&argv, view->settings.items[i]);
	}
	string_list_add(&argv, "-C");
	string_list_add(&argv, view->root);
	add_git_words(&argv, words);
	for (size_t i = 0; i < paths->count; i++)
		string_list_add(&argv, paths->items[i]);
	good = command_says(answer, view->git, &argv);
	string_list_release(&argv);
	return good;
}

void git_view_close(struct git_view *view)
{
	if (view->folder)
		folder_remove(view->folder);
	free(view->folder);
	string_list_release(&view->settings);
}

/* ---- comparing ---- */

/*
 * Whether a filter could make the contents of all these files those of the
 * commit. `lines` are those of "git status": a file whose contents alone differ
 * has " M ".
 */
static bool only_filtered(const struct git_view *view, const struct string_list *lines)
{
	struct text answer = TEXT_INIT;
	struct string_list paths = {0}, attributes = {0};
	bool only = true;

	for (size_t i = 0; i < lines->count && only; i++) {
		const char *line = lines->items[i];

		only = strncmp(line, " M ", 3) == 0;
		if (only && line[3] != '"') /* of a name in quotes, nothing is known */
			string_list_add(&paths, line + 3);
	}
	if (only && paths.count) {
		if (git_view_says(&answer, view, "check-attr filter --", &paths))
			string_list_split(&attributes, answer.data, '\n');
		for (size_t i = 0; i < attributes.count && only; i++)
			only = !has_suffix(attributes.items[i], ": filter: unspecified") &&
			       !has_suffix(attributes.items[i], ": filter: unset");
	}
	string_list_release(&attributes);
	string_list_release(&paths);
	text_release(&answer);
	return only;
}

static enum git_state compare_view(const struct git_view *view, const struct string_list *paths)
{
	const struct string_list none = {0};
	struct text answer = TEXT_INIT;
	struct string_list lines = {0};
	enum git_state state = GIT_UNKNOWN;

	if (git_view_says(&answer, view,
			  "-c core.quotePath=false status --porcelain --no-renames"
			  " --untracked-files=no --ignore-submodules=dirty",
			  &none)) {
		if (answer.length >= GIT_ANSWER_LIMIT) /* the last line may be cut */
			*strrchr(answer.data, '\n') = '\0';
		if (answer.length)
			string_list_split(&lines, answer.data, '\n');
		if (!only_filtered(view, &lines) ||
		    (paths->count &&
		     !git_view_says(&answer, view, "ls-files --error-unmatch --", paths)))
			state = GIT_CHANGED;
		else if (!lines.count)
			state = GIT_SAME;
	}
	string_list_release(&lines);
	text_release(&answer);
	return state;
}

static enum git_state compare_tree(char **commit, const struct git *git, const char *root,
				   const struct string_list *paths, int depth);

/* `line`: "submodule.NAME.path PATH". A submodule that is not checked out has no files. */
static enum git_state compare_submodule(const struct git *git, const char *root, const char *line,
					int depth)
{
	const struct string_list none = {0};
	const char *path = strstr(line, ".path ");
	enum git_state state = GIT_SAME;
	char *folder, *entry, *commit = NULL;

	if (!path)
		return GIT_UNKNOWN;
	folder = xasprintf("%s/%s", root, path + strlen(".path "));
	entry = xasprintf("%s/.git", folder);
	if (access(entry, F_OK) == 0)
		state = depth ? compare_tree(&commit, git, folder, &none, depth - 1) : GIT_UNKNOWN;
	free(commit);
	free(entry);
	free(folder);
	return state;
}

static enum git_state compare_submodules(const struct git *git, const char *root, int depth)
{
	struct text answer = TEXT_INIT;
	struct string_list lines = {0};
	enum git_state all = GIT_SAME;

	/* fails if there are none */
	if (git_says(&answer, git, root,
		     "config --file .gitmodules --get-regexp ^submodule\\..*\\.path$"))
		string_list_split(&lines, answer.data, '\n');
	for (size_t i = 0; i < lines.count && all != GIT_CHANGED; i++) {
		const enum git_state one = compare_submodule(git, root, lines.items[i], depth);

		if (one != GIT_SAME)
			all = one;
	}
	string_list_release(&lines);
	text_release(&answer);
	return all;
}

static enum git_state compare_tree(char **commit, const struct git *git, const char *root,
				   const struct string_list *paths, int depth)
{
	struct git_view view = {.git = git, .root = root};
	enum git_state state = GIT_UNKNOWN;

	*commit = git_view_open(&view);
	if (view.folder)
		state = compare_view(&view, paths);
	git_view_close(&view);
	return state == GIT_SAME ? compare_submodules(git, root, depth) : state;
}

enum git_state git_compare(char **commit, const struct git *git, const char *root,
			   const char *const *paths, size_t count)
{
	struct string_list list = {0};
	enum git_state state;

	for (size_t i = 0; i < count; i++)
		string_list_add(&list, paths[i]);
	state = compare_tree(commit, git, root, &list, SUBMODULE_DEPTH);
	string_list_release(&list);
	return state;
}
