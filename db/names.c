/* The views and tables of a database, and what they mean. */
#include "db/statement.h"

#include <string.h>

static const struct {
	const char *name, *meaning;
} names[] = {
	/* views */
	{"above_roof", "cases that are faster than their device can be, by its ceilings"},
	{"best", "the best configuration of each kernel, device and size"},
	{"ceilings", "the measured ceilings of each device"},
	{"counters", "an older form of result_counters, with the ids of trials only"},
	{"emulated", "what the emulator counted, one row per trial"},
	{"environment_changes", "what changed between a run of a device and the next one"},
	{"failures", "trials that did not end well, and why"},
	{"history", "the results of each case in all runs"},
	{"program_kernels", "the kernels of recorded programs, with their shares of the time"},
	{"regressions", "the newest result of each case, compared with its baseline"},
	{"result_counters", "the metrics of each case of a run: values, or why there is none"},
	{"result_lines", "what the emulator counted at the source lines of each case of a run"},
	{"result_rounds", "the median and the device state of each round of each case of a run"},
	{"result_samples", "every timed execution of each case of a run"},
	{"results", "everything about each case of a run, one row per case: begin here"},
	{"roofline", "the place of each case under the roofs of its device"},
	{"run_times", "where the wall time of each run went, one row per part"},
	{"gpu_nights", "the figures of each GPU in each night, which perflab fleet judges"},
	{"speedups", "each case beside its base case: the speed-up and its verdict"},
	{"trials", "an older form of results, with fewer columns"},
	/* tables */
	{"axis", "the values of each trial's axes"},
	{"comparison", "the stored verdicts on trials"},
	{"counter", "values of metrics, one per trial and metric"},
	{"device", "the devices that were measured or emulated"},
	{"environment", "facts about the machine of a run: host, clocks, persistence mode"},
	{"judgement", "which rules and roofs decided about the limiters of a run"},
	{"limiter", "the stored limiters of trials, and their shares of the roofs"},
	{"line", "what the emulator counted at source lines"},
	{"mark", "runs that were marked good or bad"},
	{"metric", "name, unit and source of the metrics in counter"},
	{"newest", "the newest trial and the newest timed trial of each case"},
	{"recorded_capture", "the captures that a recording took"},
	{"recorded_kernel", "the launches of a recorded program, one row per kernel and shape"},
	{"recorded_process", "the processes of a recorded program"},
	{"recording", "one row per program that perflab record started"},
	{"round", "the median and the device state of each round"},
	{"run", "one row per run"},
	{"run_part", "the wall time of the parts of each run"},
	{"sample", "every timed execution"},
	{"speedup", "the stored speed-ups and verdicts on trials beside their base cases"},
	{"trial", "one row per case of a run"},
	{"trial_status", "how a trial can end"},
};

const char *db_name_meaning(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(names[i].name, name) == 0)
			return names[i].meaning;
	}
	return NULL;
}

int db_names_visit(struct db *db,
		   int (*visit)(void *context, const char *name, bool is_view, const char *meaning),
		   void *context, struct error *err)
{
	struct statement select;
	bool row = true;
	int stop = 0;
	int rc = db_own_views_use(db, err);

	if (rc)
		return rc;
	rc = statement_prepare(&select, db,
			       "SELECT name, is_view FROM"
			       " (SELECT name, type = 'view' AS is_view FROM sqlite_schema"
			       "  WHERE type IN ('view', 'table') AND name NOT LIKE 'sqlite\\_%'"
			       "  ESCAPE '\\' UNION SELECT name, 1 FROM temp.sqlite_schema"
			       "  WHERE type = 'view')"
			       " ORDER BY is_view DESC, name NOT GLOB 'result*', name",
			       err);

	if (rc)
		return rc;
	for (rc = statement_step(&select, &row, err); !rc && row && !stop;
	     rc = stop ? 0 : statement_step(&select, &row, err)) {
		const char *name = take_text(&select);
		bool is_view = take_integer(&select, 0) != 0;

		/* a damaged file may have an object without a name */
		stop = name ? visit(context, name, is_view, db_name_meaning(name)) : 0;
	}
	statement_release(&select);
	return rc;
}
