/*
 * settings_json: reads the settings of a run from the JSON text that schema versions 1 to 6 stored
 * in run.settings. Each macro is an SQL expression over a row of `run`. It gives NULL where the
 * text is not JSON, or where a member is missing or has the wrong type. Version 7 stores the
 * settings in columns of their own, so nothing else parses this text. Private to db/.
 */
#ifndef DB_MIGRATIONS_SETTINGS_JSON_H
#define DB_MIGRATIONS_SETTINGS_JSON_H

/* clang-format off */
/* JSON functions fail on text that is not JSON, so they only ever see text that is. */
#define JSON_SETTINGS "iif(typeof(settings) = 'text' AND json_valid(settings), settings, NULL)"
#define JSON_SETTING(name) "json_extract(" JSON_SETTINGS ", '$." name "')"
#define JSON_SETTING_IF(name, condition) \
	"CASE WHEN json_type(" JSON_SETTINGS ", '$." name "') " condition " THEN " JSON_SETTING(name) " END"

#define JSON_SETTING_TEXT(name) JSON_SETTING_IF(name, "= 'text'")
#define JSON_SETTING_BOOL(name) JSON_SETTING_IF(name, "IN ('true', 'false')")
/* SQLite reads an integer beyond 64 bits as a real number, which no INTEGER column takes. */
#define JSON_SETTING_INTEGER(name) \
	JSON_SETTING_IF(name, "= 'integer' AND typeof(" JSON_SETTING(name) ") = 'integer'")
#define JSON_SETTING_REAL(name) \
	JSON_SETTING_IF(name, "IN ('integer', 'real') AND abs(" JSON_SETTING(name) ") < 1e300")
#define JSON_SETTING_CACHE JSON_SETTING_IF("cache", "= 'text' AND " JSON_SETTING("cache") " IN ('cold', 'hot')")
/* ["a", "b"] becomes "a,b". No metric has a comma in its name. */
#define JSON_SETTING_METRICS \
	"CASE WHEN json_type(" JSON_SETTINGS ", '$.metrics') = 'array' AND NOT EXISTS" \
	" (SELECT * FROM json_each(" JSON_SETTINGS ", '$.metrics') WHERE json_each.type <> 'text') THEN" \
	" coalesce((SELECT group_concat(metric, ',') FROM (SELECT json_each.value AS metric" \
	" FROM json_each(" JSON_SETTINGS ", '$.metrics') ORDER BY json_each.key)), '') END"

/* What version 1 to 6 knew about a backend was its name. Imported runs have names of their own. */
#define BACKEND_IS_TIMED "(backend <> 'ptx')"
#define BACKEND_IS_EMULATED "(backend = 'ptx')"
#define BACKEND_VENDOR "iif(backend = 'cuda', 'NVIDIA', NULL)"
#define BACKEND_WARP_SIZE "iif(backend IN ('cuda', 'ptx'), 32, NULL)"
/* clang-format on */

#endif
