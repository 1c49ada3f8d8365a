/*
 * origin: where a run comes from: the machine and the build, whether the process of a run is alive,
 * and the project and commit of a user's files.
 */
#ifndef HARNESS_ORIGIN_ORIGIN_H
#define HARNESS_ORIGIN_ORIGIN_H

#include "kernels/user/kernel_file.h"
#include "metrics/metrics.h"

/* ---- this machine and this build: host.c ---- */

/* Adds host name, operating system, processor, build, and the git revision of the working directory
 * if it differs from that of the build. */
void host_facts(struct key_value_list *environment);
/* The git revision that perflab and its kernels were built from: a full commit, with "-dirty" if
 * tracked files were changed. NULL: not built from a git tree. */
const char *host_build_revision(void);
/* The fact that holds it in runs of a user's files. */
#define PERFLAB_REVISION_KEY "perflab_revision"
/* "HOST PID START": identifies this process, so that another process can check whether it is alive.
 * malloc'd. */
char *host_process_mark(void);
/* Whether the process with this mark runs on this host. */
bool host_process_lives(const char *mark);
/* Sets the state of a run that is stored as running to RUN_INTERRUPTED if its process on this host
 * is gone. */
void host_correct_state(struct run *run);

/* ---- source_origin.c ---- */

/*
 * The project and the commit that the files of a user belong to,
 * as git says. Files of one name in two projects have different origins.
 *
 * Without git, outside of a repository, or if git does not answer (git.h), the
 * origin is the path of the file and the commit is not known.
 */

/* All strings are malloc'd. */
struct source_origin {
	/* The origin of the first source: "github.com/a/b:src/saxpy.cu", with the address of the
	 * remote "origin" without scheme and credentials. Without a remote: the absolute path, in a
	 * linked working tree that of the main one. */
	char *origin;
	char *project;  /* what all origins of the repository begin with; NULL: there is none */
	char *root;     /* the folder of the working tree; NULL: there is none */
	char *path;     /* of the first source, below root; NULL: there is no root */
	char *revision; /* the commit, "-dirty" behind it if it does not have the files as they are;
			 * NULL: not known */
};
void source_origin_find(struct source_origin *out, const struct kernel_file *files);
/*
 * Makes a file keep the origin of its earlier runs when it is moved within its
 * repository. The keys of `known` are the origins of earlier runs of the kernel,
 * the newest first, the values the paths that their files then had below the
 * root, or "". The file takes the origin that had its path; else one of this
 * repository whose file is no longer there; else its own, with a number if
 * another file took that with it.
 */
void source_origin_follow(struct source_origin *origin, const struct key_value_list *known);
/* The fact of a run that holds `path`. */
#define SOURCE_PATH_KEY "source_path"
void source_origin_release(struct source_origin *origin);
/* Adds the address of a repository without scheme and credentials: "github.com/a/b" of
 * "https://token@github.com/a/b.git". Returns false and adds nothing for a relative path. */
bool source_origin_add_remote(struct text *out, const char *url);

/* ---- the files of another revision: revision.c ---- */

/*
 * A folder with all files of a commit of the repository of a user's files. Nothing in the working
 * tree or in the repository is changed, and no program is executed that the repository names, so a
 * filter such as that of Git LFS does not change a file. A submodule is a link to the one in the
 * working tree. Processes that need the same commit share the folder, whose name is always the
 * same; the last one removes it.
 */
struct revision {
	char *root;   /* of the working tree, as git names it */
	char *word;   /* as the user wrote it */
	char *commit; /* 40 or 64 digits */
	char mark[9]; /* its first digits */
	char *tree;   /* the folder with its files */
	/* Submodules whose commit is another one in the working tree: "third_party/x". */
	struct string_list other_submodules;
	int lock;     /* -1: there is none */
	char *holder; /* the folder that holds tree */
};
/*
 * `word`: a commit, a branch or a tag as git names it, or "A...B" for the merge base of two, each
 * of which is HEAD if it is left out. `files`: of one repository. `cache`: a folder of this user
 * for such folders. PL_EUSAGE: there is no such revision, no git, no repository, no commit, or
 * there are several repositories; PL_EIO: git cannot write the files; PL_EINTERRUPTED.
 */
int revision_open(struct revision *out, const char *word, const char *const *files, size_t count,
		  const char *cache, const volatile int *stop, struct error *err);
void revision_close(struct revision *revision); /* accepts all zeroes */

#endif
