/* Shards of one sweep that are not joined, because they were not measured in the same way. */
#include "db/merge.h"
#include "metrics/shards.h"

#include <stdlib.h>
#include <string.h>

/* A run of `into` with a sweep of the same name, other than the run of the shard; 0: there is none.
 */
static int find_namesake(int64_t *out, const struct merge *merge, const struct merge_run *moved,
			 struct error *err)
{
	struct statement find;
	bool row = false;
	int rc = statement_prepare(&find, merge->into,
				   "SELECT run_id FROM environment WHERE key = '" SWEEP_KEY
				   "' AND value = ? AND run_id <> ? ORDER BY run_id DESC LIMIT 1",
				   err);

	*out = 0;
	if (rc)
		return rc;
	bind_text(&find, key_value_get(&moved->run.environment, SWEEP_KEY));
	bind_integer(&find, moved->id);
	rc = statement_step(&find, &row, err);
	if (!rc && row)
		*out = take_integer(&find, 0);
	statement_release(&find);
	return rc;
}

/* Adds the first fact that both runs do not have in common: "the driver is 1.1 in the shard and 1.2
 * in the run".
 */
static void add_fact_apart(struct text *out, const struct run *here, const struct run *there)
{
	const struct {
		const char *what, *here, *there;
	} facts[] = {
		{"perflab", here->version, there->version},
		{"the source revision", here->source_revision, there->source_revision},
		{"the backend", here->backend, there->backend},
		{"the device", here->device.name, there->device.name},
		{"the driver", here->device.driver, there->device.driver},
		{"CUDA of the driver", here->device.cuda_driver, there->device.cuda_driver},
		{"the toolkit", here->device.toolkit, there->device.toolkit},
		{"CUPTI", here->device.cupti, there->device.cupti},
	};

	for (size_t i = 0; i < ARRAY_SIZE(facts); i++) {
		const char *left = facts[i].here && *facts[i].here ? facts[i].here : "unknown";
		const char *right = facts[i].there && *facts[i].there ? facts[i].there : "unknown";

		if (strcmp(left, right) != 0) {
			text_addf(out, "%s is %s in the shard and %s in the run", facts[i].what,
				  left, right);
			return;
		}
	}
	text_add(out, "their cases, settings, source files or numbers of shards differ");
}

int merge_sweep_find_apart(char **line, const struct merge *merge, const struct merge_run *moved,
			   struct error *err)
{
	const struct key_value_list *environment = &moved->run.environment;
	struct text said = TEXT_INIT;
	struct run other = {0};
	int64_t id = 0;
	int rc;

	*line = NULL;
	if (!moved->made || !key_value_get(environment, SWEEP_KEY))
		return 0;
	rc = find_namesake(&id, merge, moved, err);
	if (rc || !id)
		return rc;
	rc = db_run_load(merge->into, id, false, &other, err);
	if (rc)
		return rc;
	text_addf(&said, "shard %s of sweep %s is not joined to run %lld: ",
		  key_value_get(environment, SHARDS_KEY), key_value_get(environment, SWEEP_KEY),
		  (long long)id);
	add_fact_apart(&said, &moved->run, &other);
	text_add(&said, "; measure all shards in the same way, or name each sweep by --sweep-id");
	*line = text_detach(&said);
	run_release(&other);
	return 0;
}
