/*
 * Version 21: why another GPU of the sweep has no run, and with which case a GPU was lost, is no
 * change of the machine, so `environment_changes` leaves it out.
 */
#include "db/migrations/migrations.h"

/* clang-format off */
const char *const db_version_21[] = {
	"DROP VIEW IF EXISTS environment_changes;",
	"CREATE VIEW environment_changes AS WITH told AS (\n"
	"	SELECT run_id, key, value FROM environment\n"
	"	WHERE key NOT IN ('process', 'gpu.temperature_c', 'counter_passes', 'shards', 'sweep',\n"
	"		'sweep_uid', 'sweep_cases', 'source_path', 'perflab_revision', 'worker.waited')\n"
	"		AND key NOT GLOB 'source.*' AND key NOT GLOB 'files.*' AND key NOT GLOB 'decide.*'\n"
	"		AND key NOT IN ('gpus.group', 'gpus.failed') AND key NOT GLOB 'gpus.interference*'\n"
	"		AND key NOT GLOB 'gpus.absent.*' AND key NOT GLOB 'gpus.lost.*'\n"
	"	UNION ALL SELECT id, 'driver', driver FROM run WHERE driver IS NOT NULL\n"
	"	UNION ALL SELECT id, 'cuda_driver', cuda_driver FROM run WHERE cuda_driver IS NOT NULL\n"
	"	UNION ALL SELECT id, 'toolkit', toolkit FROM run WHERE toolkit IS NOT NULL\n"
	"	UNION ALL SELECT id, 'cupti', cupti FROM run WHERE cupti IS NOT NULL\n"
	"	UNION ALL SELECT id, 'version', version FROM run WHERE version IS NOT NULL\n"
	"), followed AS (\n"
	"	SELECT *, lag(id) OVER (PARTITION BY device_id, backend ORDER BY started_ns, id)\n"
	"		AS previous_id\n"
	"	FROM run\n"
	"), changed AS (\n"
	"	SELECT followed.id, told.key, before.value AS was, told.value AS became\n"
	"	FROM followed JOIN told ON told.run_id = followed.id\n"
	"	LEFT JOIN told AS before ON before.run_id = followed.previous_id AND before.key = told.key\n"
	"	WHERE followed.previous_id IS NOT NULL AND before.value IS NOT told.value\n"
	"	UNION ALL SELECT followed.id, before.key, before.value, NULL\n"
	"	FROM followed JOIN told AS before ON before.run_id = followed.previous_id\n"
	"	LEFT JOIN told ON told.run_id = followed.id AND told.key = before.key\n"
	"	WHERE told.key IS NULL\n"
	") SELECT\n"
	"	device.name AS device,\n"
	"	followed.backend,\n"
	"	strftime('%Y-%m-%dT%H:%M:%SZ', followed.started_ns / 1000000000, 'unixepoch')\n"
	"		AS started_at,\n"
	"	followed.started_ns,\n"
	"	followed.label,\n"
	"	changed.key,\n"
	"	changed.was,\n"
	"	changed.became,\n"
	"	followed.id AS run_id,\n"
	"	followed.previous_id AS previous_run_id\n"
	"FROM changed JOIN followed ON followed.id = changed.id\n"
	"JOIN device ON device.id = followed.device_id;",
	NULL,
};
/* clang-format on */
