/* The median of each round, so that the history of many runs is read without their samples. */
#include "db/migrations/migrations.h"

const char *const db_version_6[] = {
	"ALTER TABLE round ADD COLUMN median_ns REAL;",
	"UPDATE round SET median_ns = " ROUND_MEDIAN_OF_SAMPLES ";",
	NULL,
};
