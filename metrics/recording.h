/*
 * recording: what `perflab record` learned about a program: its processes, the
 * kernels that they launched, and the captures that were taken.
 *
 * Every struct owns its strings. A number that is not known is -1, and a text
 * that is not known is NULL, unless it says so.
 */
#ifndef METRICS_RECORDING_H
#define METRICS_RECORDING_H

#include "base/base.h"

/* A process that loaded the recorder. */
struct recorded_process {
	int64_t pid;
	char *program; /* its command line */
	char *why_not; /* why the recorder could not work in it; NULL: it could */
	/* What it said at its end. Launches whose times were lost are dropped. own_ns: processor
	 * time of the recorder. wall_ns: from the first use of CUDA to the end. */
	int64_t launches, dropped, own_ns, wall_ns;
};

/* The launches of one kernel with one shape in one process. A recording that takes captures knows
 * no shapes and no times. */
struct recorded_kernel {
	int64_t pid;
	char *name;          /* mangled */
	char *readable;      /* as C++ writes it; the name if that cannot be read */
	char *device, *uuid; /* "NVIDIA H200", "GPU-…" */
	int64_t grid[3], block[3];
	int64_t shared_bytes;   /* dynamic, of a block */
	int64_t registers;      /* of a thread */
	int64_t launches;       /* all of them; never -1 */
	int64_t graph_launches; /* those by CUDA graphs; never -1 */
	int64_t total_ns, median_ns, min_ns, max_ns;
};

/* A row of which nothing is known. */
extern const struct recorded_kernel recorded_kernel_unknown;

struct recorded_capture {
	int64_t pid;
	char *path;
	char *name, *readable; /* of the kernel */
	int64_t launch;        /* which one of the kernel in its process, from 1 */
	int64_t bytes;         /* without compression */
	int64_t file_bytes;
	double seconds; /* how long the program was held; NAN: not known */
	char *lost;     /* what a replay cannot have, one phrase a line; NULL: nothing */
};

struct recording {
	int64_t id;           /* in the database; 0: not stored */
	char uid[33];         /* 32 hex digits, the same in every database that holds it */
	bool lists;           /* the times of all kernels; false: captures of some */
	char *command;        /* as a shell reads it */
	int64_t started_ns;   /* wall clock */
	int64_t wall_ns;      /* of the command */
	int64_t bare_wall_ns; /* of the command without the recorder */
	int64_t exit_code;    /* as a shell reports it */
	char *label, *host, *version;

	struct recorded_process *processes;
	size_t process_count, process_capacity;
	struct recorded_kernel *kernels;
	size_t kernel_count, kernel_capacity;
	struct recorded_capture *captures;
	size_t capture_count, capture_capacity;
};

/* A recording of nothing: zeroes, and -1 where numbers are not known. */
void recording_init(struct recording *recording);
void recording_release(struct recording *recording);

/* Append a row of which nothing is known but the process, and return it; it lives until the next
 * append. recording_process() returns the process with this pid if there is one. */
struct recorded_process *recording_process(struct recording *recording, int64_t pid);
struct recorded_kernel *recording_add_kernel(struct recording *recording, int64_t pid);
struct recorded_capture *recording_add_capture(struct recording *recording, int64_t pid);

/* Sums over the processes or kernels; -1 if no row knows the number. */
int64_t recording_launches(const struct recording *recording);
int64_t recording_dropped(const struct recording *recording);
int64_t recording_own_ns(const struct recording *recording);
int64_t recording_gpu_ns(const struct recording *recording);

/*
 * Gives one row per kernel name and device, or with `shapes` one per shape, too:
 * processes are added up. Ordered by total time, then launches, then name. A
 * median of several rows is not known, and neither are grid, block, shared
 * memory and registers where rows differ. The caller frees *out; its strings
 * are borrowed from the recording.
 */
size_t recording_summarise(struct recorded_kernel **out, const struct recording *recording,
			   bool shapes);

#endif
