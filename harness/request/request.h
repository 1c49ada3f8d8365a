/*
 * request: what a user asks a sweep for, and what its words come to before a device is opened: the
 * settings, the files, the plan, the backends to try, and the shard. Also the messages and the
 * progress that the user gets.
 *
 * sweep_request_init() sets the defaults; the caller sets the other members. request_plan() chooses
 * the cases; backend_choose() says which backends to try.
 */
#ifndef HARNESS_REQUEST_REQUEST_H
#define HARNESS_REQUEST_REQUEST_H

#include "harness/plan/plan.h"
#include "kernels/user/kernel_file.h"
#include "metrics/metrics.h"
#include "metrics/settings.h"

/* ---- the request ---- */

/* When a sweep measures the ceilings of its device first: if the database has none, every time, or
 * never. */
enum ceilings_when { CEILINGS_AUTO, CEILINGS_ALWAYS, CEILINGS_NEVER };
/* The words for these values, NULL-terminated: "auto", "always", "never". */
extern const char *const ceilings_when_words[];
/* The default: $PERFLAB_CEILINGS, else auto. PL_EUSAGE: the variable has another value. */
int ceilings_when_default(int *out, struct error *err);

/* When a sweep on several GPUs measures how much the GPUs change each other's times: if there are
 * enough cases, every time, or never. */
enum interference_when { INTERFERENCE_AUTO, INTERFERENCE_ALWAYS, INTERFERENCE_NEVER };

/* The word of --baseline for no base variant. */
#define BASE_VARIANT_NONE "none"

struct sweep_hooks;

/* Which cases are sampled and counted by instruction: the best configuration of each variant. */
enum lines_when { LINES_BEST, LINES_ALL, LINES_NONE };

struct sweep_request {
	struct string_list selectors; /* as in struct plan_request */
	/* Files of the user (.cu, .cuh, .ptx, .cubin, .capture): their kernels are swept instead of
	 * the built-in ones. None: the built-in kernels. */
	struct string_list files;
	struct string_list annotations;             /* lines that are added to those of the files */
	struct string_list compile_flags;           /* added to those of the files */
	const char *standard, *compiler;            /* "c++17", "nvcc"; NULL: as the files say */
	struct string_list axis_names, axis_values; /* values that replace those of an axis */
	/* "V" or "KERNEL/V", as in struct plan_request; BASE_VARIANT_NONE: none. NULL: the first
	 * variant of the first of several files, otherwise none. */
	const char *base_variant;
	/* A revision of the repository of the files, as revision_open() takes it: each of their
	 * variants is measured beside itself of then. NULL: none. */
	const char *against;
	/* A run: cases that are as they were in it are not measured. NULL: all are measured. */
	const char *changed_since;
	/* All but the metrics, because their names depend on the backend. */
	struct measure_settings settings;
	struct string_list metrics; /* the words of --metrics */
	struct string_list needed; /* metrics that a device counts besides, for rules of the user */
	struct string_list given;  /* names of the options that the user set: "cache" */
	const char *not_to_resume; /* one of them that a resumed run does not change; NULL: none */
	const char *backend;       /* a name, or BACKEND_AUTO */
	const char *label, *note;  /* NULL or "": none */
	const char *command;       /* as typed, stored with the run */
	const char *shard, *sweep_id; /* "2/8" and the name of the sweep; NULL: none */
	const char *resume;           /* the run to continue; NULL: a new run */
	/* Add rounds to the cases that a comparison with the run `compare` (NULL: BASE_LAST_GOOD)
	 * leaves undecided, for at most decide_ns (0: 80 % of what the sweep took before them). */
	bool decide;
	const char *compare;
	int64_t decide_ns;
	/* Wait so long in all for counters that another process holds; 0: go on without them. */
	int64_t wait_counters_ns;
	/* Copy exact counters of cases from earlier runs: taken_counters.c. */
	bool take_counters;
	enum lines_when lines; /* LINES_NONE is the default; `perflab sweep` asks for more */
	bool no_source;        /* keep no source text and no machine code with the run */
	const char *db_path;
	enum ceilings_when ceilings;
	/* Set by gpus_run() in each of its processes; NULL: one GPU. */
	const struct sweep_hooks *hooks;
};
/* Sets the default settings and no selectors, which means every kernel. Strings are borrowed, lists
 * are owned. */
void sweep_request_init(struct sweep_request *request);
/* Whether an operand is a file of the user, by its suffix: .cu, .cuh, .ptx, .cubin, .capture or
 * .perflab. */
bool is_kernel_file(const char *operand);
/* Adds a file or a selector. PL_EUSAGE: it is a file with another extension. */
int sweep_request_add_operand(struct sweep_request *request, const char *operand,
			      struct error *err);
/* Adds a file that replaces the kernel of the capture among the files. PL_EUSAGE: there is none, or
 * `file` has another extension. */
int sweep_request_add_replacement(struct sweep_request *request, const char *file,
				  struct error *err);
/* `assignment` is "NAME=VALUES". PL_EUSAGE: it does not have this form. */
int sweep_request_set(struct sweep_request *request, const char *assignment, struct error *err);
void sweep_request_set_axis(struct sweep_request *request, const char *name, const char *values);
void sweep_request_release(struct sweep_request *request);

/* ---- messages and progress ---- */

struct sweep_progress {
	size_t done, total;              /* steps: cases * rounds + counting; emulated: cases */
	const char *phase;               /* as worker_phase_name() writes it */
	const struct plan_case *current; /* NULL: none */
	int64_t elapsed_ns, left_ns;     /* left: -1 not known yet */
};

enum notice_kind {
	NOTICE_WARNING, /* the user must see it */
	NOTICE_REMARK   /* may be omitted */
};

/* Called in the thread of the caller. Each function may be NULL; a line lives until it returns. */
struct sweep_observer {
	void *context;
	void (*notice)(void *context, enum notice_kind kind, const char *line);
	void (*progress)(void *context, const struct sweep_progress *progress);
};

/* ---- what its words come to: request.c ---- */

/* The settings of a request for a backend with these traits: resolves the words of --metrics.
 * PL_EUSAGE: the catalogue has no such metric. */
int request_settings(struct measure_settings *out, const struct sweep_request *request,
		     const struct backend_traits *traits, struct error *err);
/* PL_EUSAGE: a number of the request is beyond what a worker or this machine takes. */
int request_check_limits(const struct sweep_request *request, struct error *err);
/* PL_EUSAGE: there is no folder for the images of --counter-dump. */
int request_check_folder(const struct sweep_request *request, struct error *err);
/* Resolves the words of --metrics to names of the catalogue. PL_EUSAGE as above. */
int request_metrics(struct string_list *wanted, const struct string_list *words, bool emulated,
		    struct error *err);
/* Reads the files of a request, as they were in a revision (NULL: as they are); *out stays
 * unchanged if it has none. The caller frees *out. PL_EUSAGE, PL_EUNSUPPORTED: flags or a standard
 * that a compiler does not get. */
int request_read_files(struct kernel_file **out, const struct sweep_request *request,
		       const struct kernel_file_revision *revision, struct error *err);
/* The kernels of the files of a user, and the same of an earlier revision. All zeroes: those that
 * are built in. */
struct user_kernels {
	const struct kernel_file *now, *then; /* then NULL: none */
	const char *then_base;                /* "@MARK", the base variant of both */
};
/* Chooses the cases of a request among these kernels, which must outlive the plan, checks their
 * values, and pairs them with the cases of the base variant. *out may be set on an error. */
int request_plan(struct plan **out, const struct sweep_request *request,
		 const struct user_kernels *kernels, struct error *err);
/* Writes the kernels of the files; returns their number. */
size_t user_kernels_list(const struct kernel *out[2], const struct user_kernels *kernels);
/* Whether nothing exists at the path and a file can be created there. db_open() reports other
 * problems with a path. */
bool database_is_new(const char *path);
/* Reports one line to an observer, which may be NULL. */
void tell_observer(const struct sweep_observer *observer, enum notice_kind kind, const char *format,
		   ...) PRINTF_LIKE(3, 4);
/* Reports a text of another program line by line, those behind the first indented, without empty
 * ones. It is cut at 16 KiB. */
void tell_observer_lines(const struct sweep_observer *observer, enum notice_kind kind,
			 const char *text);

/* ---- the choice of a backend: backend_choice.c ---- */

/* The backends to try, in this order. perflab takes the first that opens a device. */
struct backend_choice {
	const char *names[2]; /* borrowed */
	size_t count;
	bool automatic; /* --backend auto */
	bool announced; /* the message about the chosen backend was shown */
	/* Why the last backend: an option that only it has, or what others lack. Owned. */
	struct text why;
	int code; /* the error of the backends that were tried */
};
/* Reads only the request. PL_EUSAGE: options that the named backend does not use. */
int backend_choose(struct backend_choice *choice, const struct sweep_request *request,
		   struct error *err);
/* Returns 0 if a worker exists for one of the backends. */
int backend_choice_find(const struct backend_choice *choice, struct error *err);
/* Records why a backend cannot be used. Returns false if the error is of another kind, which ends
 * the search. */
bool backend_choice_lacks(struct backend_choice *choice, size_t index, int rc,
			  const struct error *cause);
/* Sets the error, with all reasons, when no backend is left. */
int backend_choice_fail(const struct backend_choice *choice, struct error *err);
/* Tells the user if the automatic choice is the emulator. */
void backend_choice_announce(struct backend_choice *choice, size_t index,
			     const struct sweep_request *request,
			     const struct sweep_observer *observer);

/* ---- shards: shard.c ---- */

/* The part of a sweep that a run measures. */
struct sweep_shard {
	size_t number, total; /* from 1; total 0: the whole sweep */
	char *sweep;          /* name; NULL: shards that agree in all else form one sweep */
	size_t cases;         /* of the whole plan */
	char plan_hash[HASH_TEXT_BYTES];
};
/* Reads only the request. */
int shard_from_request(struct sweep_shard *out, const struct sweep_request *request,
		       struct error *err);
/* Keeps the cases of the shard in the plan. PL_EUSAGE: there are fewer cases than shards. */
int shard_take(struct sweep_shard *shard, struct plan *plan, struct error *err);
/* Adds the facts that a merge needs to the environment of a run. The run already has its device and
 * settings. */
void shard_describe(struct run *run, const struct sweep_shard *shard);

/*
 * ---- the words with which a user gave the files of a sweep: source_words.c ----
 *
 * Among the facts of the run, so that the run alone says how to measure them again: files.1,
 * files.annotation.1, files.compile_flag.1, files.standard, files.compiler, files.axis.1, and
 * files.folder, the current folder.
 */

/* Whether a fact has such a word, and one that does not depend on the machine, as paths do. */
bool source_word_is_same_everywhere(const char *key);
/* Adds the words of a request with files. */
void source_words_add(struct key_value_list *facts, const struct sweep_request *request);
/*
 * Adds the words of a run to *out, which has none yet; a run of built-in kernels
 * has none. The lists of *out are owned, its other strings are borrowed from the
 * run. PL_EUSAGE: the words were given in another folder, which relative paths
 * need. PL_EUNSUPPORTED: the run measured files and does not have the words.
 */
int source_words_take(struct sweep_request *out, const struct run *run, struct error *err);
/* Adds the words of a request with files as arguments of `perflab sweep`. */
void source_words_add_arguments(struct string_list *argv, const struct sweep_request *request);
/* PL_EUSAGE: a request has words that those of the run lack. */
int source_words_check(const struct sweep_request *request, const struct sweep_request *of_run,
		       const struct run *run, struct error *err);

#endif
