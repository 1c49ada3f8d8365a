/*
 * git: asks git about the folder of a user's file. What the folder contains may
 * be somebody else's, with its configuration and attributes, so git is asked
 * nothing that runs what a repository names: no filter, hook, monitor, helper or
 * transport. Internal to origin/.
 *
 * All questions together have a limit of time. One that git does not answer, also
 * since it refuses the folder (safe.directory), has no answer.
 */
#ifndef HARNESS_ORIGIN_GIT_H
#define HARNESS_ORIGIN_GIT_H

#include "base/base.h"

#define GIT_LIMIT_NS (30 * INT64_C(1000000000))

struct git {
	int64_t end_ns;           /* by monotonic_ns(), for all questions */
	const volatile int *stop; /* set to end a question; may be NULL */
};
/* Sets *answer to what git prints in a folder, without the last line break. `words` are separated
 * by blanks. Only for commands that read neither contents nor objects. Returns false if git fails.
 */
bool git_says(struct text *answer, const struct git *git, const char *folder, const char *words);
/* git_says() with a last word that may have blanks. It must not begin with "-". */
bool git_says_of(struct text *answer, const struct git *git, const char *folder, const char *words,
		 const char *last);
/* Adds why git says nothing of a folder, such as that it is in no repository. */
void git_add_refusal(struct text *out, const struct git *git, const char *folder);

/* ---- commands that read contents ---- */

/* A repository without configuration, whose index, objects and attributes are links to those of
 * another one. The caller sets the first two members. */
struct git_view {
	const struct git *git;
	const char *root;            /* of the working tree; may be changed once the view is open */
	const char *index;           /* a file of its own; NULL: that of the repository */
	char *folder;                /* NULL: git does not say what is in the repository */
	struct string_list settings; /* that name no program: "core.eol=lf" */
};
/* Returns the commit; NULL: there is none, or the answer cannot be read. */
char *git_view_open(struct git_view *view);
/* Asks from the folder of perflab: neither the configuration of the repository nor that of the user
 * is read, so whatever attributes a file has, no program belongs to them. */
bool git_view_says(struct text *answer, const struct git_view *view, const char *words,
		   const struct string_list *paths);
void git_view_close(struct git_view *view);

/* ---- comparing ---- */

enum git_state {
	GIT_SAME,    /* the commit has all files as they are */
	GIT_CHANGED, /* it does not */
	GIT_UNKNOWN  /* only a filter of the repository could tell, or git did not */
};
/*
 * Compares the working tree at `root` with its commit, with the trees of its submodules. Files
 * that git does not track are no change, except `paths`, of which git must track each. *commit is
 * malloc'd; NULL: there is none, or git does not say.
 */
enum git_state git_compare(char **commit, const struct git *git, const char *root,
			   const char *const *paths, size_t count);

#endif
