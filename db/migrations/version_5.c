/* What a trial launched, so that equal code with other arguments is not taken for the same. */
#include "db/migrations/migrations.h"

const char *const db_version_5[] = {
	"ALTER TABLE trial ADD COLUMN launch_hash TEXT;",
	NULL,
};
