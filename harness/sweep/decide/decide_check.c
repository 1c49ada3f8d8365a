/* What is wrong with a request for --decide, before anything is measured. */

#include "harness/judge/judge.h"
#include "harness/sweep/decide/decide.h"
#include "metrics/shards.h"

static int check_rounds(int rounds, const char *whose, struct error *err)
{
	if (rounds >= 2 && rounds <= SEQUENTIAL_FIRST_MOST)
		return 0;
	return error_set(err, PL_EUSAGE,
			 "--decide begins with 2 to %d rounds of each case, and %s %d",
			 SEQUENTIAL_FIRST_MOST, whose, rounds);
}

int decide_check_request(const struct sweep_request *request, struct error *err)
{
	if (!request->decide && request->compare)
		return error_set(err, PL_EUSAGE,
				 "--compare %s names the run that --decide compares with; add "
				 "--decide, or compare later with perflab regress --base %s",
				 request->compare, request->compare);
	if (!request->decide && request->decide_ns)
		return error_set(err, PL_EUSAGE, "--decide-time limits --decide; add --decide");
	if (!request->decide)
		return 0;
	if (request->shard)
		return error_set(err, PL_EUSAGE,
				 "--decide judges all cases of a run together, and --shard %s "
				 "measures a part of them",
				 request->shard);
	return request->resume ? 0
			       : check_rounds(request->settings.rounds, "--rounds asks for", err);
}

int decide_check_resumed(const struct sweep_request *request, const struct run *run,
			 struct error *err)
{
	if (!request->decide)
		return 0;
	if (!run->traits.timed)
		return error_set(err, PL_EUSAGE,
				 "--resume: run %lld is emulated: it has no times to decide by",
				 (long long)run->id);
	if (key_value_get(&run->environment, SHARDS_KEY))
		return error_set(err, PL_EUSAGE,
				 "--resume: run %lld was measured in shards, and --decide "
				 "judges all cases of a run together",
				 (long long)run->id);
	return check_rounds(run->rounds, "the run has", err);
}

int decide_check_database(const struct sweep_request *request, struct db *db, struct error *err)
{
	const char *reference = request->compare ? request->compare : BASE_LAST_GOOD;
	struct run run = {0};
	int64_t id = 0;
	int rc;

	/* an earlier revision is measured in the same run */
	if (!request->decide || request->against)
		return 0;
	if (!db)
		return error_set(err, PL_EUSAGE,
				 "--decide compares with an earlier run, and %s does not exist yet",
				 request->db_path);
	rc = db_run_resolve(db, reference, &id, err);
	if (!rc)
		rc = run_load(db, id, false, &run, err);
	/* another good run may be that of this device */
	if (!rc && request->compare && !run.traits.timed)
		rc = error_set(err, PL_EUSAGE, "run %lld is emulated: it has no times",
			       (long long)id);
	else if (!rc && request->compare && run.rounds < 2)
		rc = error_set(err, PL_EUSAGE, "run %lld has one round, which cannot show a change",
			       (long long)id);
	run_release(&run);
	return error_context(err, rc, "%s", request->compare ? "--compare" : "--decide");
}

int decide_check_session(const struct session_info *info, struct error *err)
{
	if (!info->profiler[0])
		return 0;
	return error_set(
		err, PL_EUNSUPPORTED,
		"%s is attached and slows kernels down: --decide compares times, so measure "
		"without it",
		info->profiler);
}

int decide_drop_unused(struct db *db, const struct run *resumed, struct error *err)
{
	const struct sequential_test test = sequential_test_of_run(resumed);
	int rc;

	if (!test.used)
		return 0;
	rc = db_together_begin(db, err);
	if (rc)
		return rc;
	rc = db_rounds_drop(db, resumed->id, test.used, err);
	if (!rc)
		rc = db_environment_set(db, resumed->id, SEQUENTIAL_USED_KEY, "", err);
	if (!rc)
		rc = db_environment_set(db, resumed->id, SEQUENTIAL_MOVED_KEY, "", err);
	return db_together_end(db, rc, err);
}
