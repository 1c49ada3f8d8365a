/* Profiles of trials, and the source text and machine code that belong to them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/hash.h"
#include "db/columns.h"
#include "db/merge.h"
#include "db/statement.h"

#define CONTENT_MOST_BYTES ((size_t)256 << 20)
#define PACK_LEVEL 3

/* ---- profiles ---- */

/* The rows of one list of a profile. `numbered`: the number of a row is its first column. */
static int profile_rows_insert(struct db *db, int64_t trial_id, const struct column_list *columns,
			       const char *numbered, const void *rows, size_t count, size_t size,
			       struct error *err)
{
	char *more = numbered ? xasprintf("trial_id, %s", numbered) : xstrdup("trial_id");
	struct statement insert = columns_insert(db, columns, numbered ? PART_RESULT : PART_ALL,
						 more, numbered ? 2 : 1, err);

	for (size_t i = 0; !insert.rc && i < count; i++) {
		columns_bind(&insert, columns, numbered ? PART_RESULT : PART_ALL,
			     (const char *)rows + i * size);
		bind_integer(&insert, trial_id);
		if (numbered)
			bind_integer(&insert, (int64_t)i);
		statement_run(&insert);
	}
	free(more);
	return statement_release(&insert);
}

int db_profile_set(struct db *db, int64_t trial_id, const struct profile *profile,
		   struct error *err)
{
	int rc = db_begin(db, err);

	if (rc)
		return rc;
	rc = db_execute_on(db, "DELETE FROM profile WHERE trial_id = ?", trial_id, err);
	if (!rc)
		rc = profile_rows_insert(db, trial_id, &profile_columns, NULL, profile, 1,
					 sizeof(*profile), err);
	if (!rc)
		rc = profile_rows_insert(db, trial_id, &profile_function_columns, "function",
					 profile->functions, profile->function_count,
					 sizeof(*profile->functions), err);
	if (!rc)
		rc = profile_rows_insert(db, trial_id, &profile_frame_columns, "frame",
					 profile->frames, profile->frame_count,
					 sizeof(*profile->frames), err);
	if (!rc)
		rc = profile_rows_insert(db, trial_id, &instruction_columns, "instruction",
					 profile->instructions, profile->instruction_count,
					 sizeof(*profile->instructions), err);
	if (!rc)
		rc = profile_rows_insert(db, trial_id, &stall_columns, NULL, profile->stalls,
					 profile->stall_count, sizeof(*profile->stalls), err);
	return db_end(db, rc, err);
}

static void take_functions(struct statement *select, struct profile *profile)
{
	while (statement_next(select)) {
		struct profile_function function = {0};

		columns_take(select, &profile_function_columns, PART_RESULT, &function);
		profile->functions = xgrow(profile->functions, &profile->function_capacity,
					   profile->function_count + 1, sizeof(function));
		profile->functions[profile->function_count++] = function;
	}
}

static void take_frames(struct statement *select, struct profile *profile)
{
	while (statement_next(select)) {
		struct profile_frame frame = {0};

		columns_take(select, &profile_frame_columns, PART_RESULT, &frame);
		if (!frame.file)
			frame.file = xstrdup("");
		profile->frames = xgrow(profile->frames, &profile->frame_capacity,
					profile->frame_count + 1, sizeof(frame));
		profile->frames[profile->frame_count++] = frame;
	}
}

static void take_instructions(struct statement *select, struct profile *profile)
{
	while (statement_next(select))
		columns_take(select, &instruction_columns, PART_RESULT,
			     profile_instruction_add(profile, 0, 0));
}

static void take_stalls(struct statement *select, struct profile *profile)
{
	while (statement_next(select))
		columns_take(select, &stall_columns, PART_ALL, profile_stall_add(profile, 0, ""));
}

static int list_load(struct db *db, int64_t trial_id, const struct column_list *columns,
		     unsigned parts, const char *order,
		     void (*take)(struct statement *, struct profile *), struct profile *profile,
		     struct error *err)
{
	char *rest = xasprintf("WHERE trial_id = ? ORDER BY %s", order);
	struct statement select = columns_select(db, columns, parts, rest, err);

	bind_integer(&select, trial_id);
	if (!select.rc)
		take(&select, profile);
	free(rest);
	return statement_release(&select);
}

static int profile_rows_load(struct db *db, int64_t trial_id, struct profile *profile,
			     struct error *err)
{
	int rc = list_load(db, trial_id, &profile_function_columns, PART_RESULT, "function",
			   take_functions, profile, err);

	if (!rc)
		rc = list_load(db, trial_id, &profile_frame_columns, PART_RESULT, "frame",
			       take_frames, profile, err);
	if (!rc)
		rc = list_load(db, trial_id, &instruction_columns, PART_RESULT, "instruction",
			       take_instructions, profile, err);
	if (!rc)
		rc = list_load(db, trial_id, &stall_columns, PART_ALL, "instruction, reason",
			       take_stalls, profile, err);
	if (!rc)
		rc = profile_check(profile, err);
	return error_context(err, rc, "the profile of trial %lld", (long long)trial_id);
}

int db_profile_load(struct db *db, int64_t trial_id, struct profile **out, struct error *err)
{
	struct profile *profile = NULL;
	struct statement select;
	int rc = db_begin_read(db, err);

	*out = NULL;
	if (rc)
		return rc;
	select = columns_select(db, &profile_columns, PART_RESULT, "WHERE trial_id = ?", err);
	bind_integer(&select, trial_id);
	if (statement_next(&select)) {
		profile = profile_new();
		columns_take(&select, &profile_columns, PART_RESULT, profile);
	}
	rc = statement_release(&select);
	if (!rc && profile)
		rc = profile_rows_load(db, trial_id, profile, err);
	rc = db_end(db, rc, err);
	if (rc)
		profile_free(profile);
	else
		*out = profile;
	return rc;
}

int db_profiled_trials(struct db *db, int64_t run_id, int64_t **ids, size_t *count,
		       struct error *err)
{
	struct id_list list = {0};
	char *sql = xasprintf("SELECT profile.trial_id FROM profile JOIN trial"
			      " ON trial.id = profile.trial_id WHERE run_id = %lld ORDER BY 1",
			      (long long)run_id);
	int rc = db_select_ids(&list, db, sql, err);

	free(sql);
	if (rc)
		free(list.items);
	*ids = rc ? NULL : list.items;
	*count = rc ? 0 : list.count;
	return rc;
}

int db_emulated_lines_load(struct db *db, int64_t trial_id, struct line_count_list *out,
			   int64_t *run_id, struct error *err)
{
	struct text sql = TEXT_INIT;
	struct statement select;

	text_add(&sql, "SELECT its.run_id, file, line, ");
	columns_add_names(&sql, &line_columns, PART_RESULT, "");
	text_add(&sql, " FROM line JOIN trial AS its ON its.id = trial_id WHERE trial_id ="
		       " (SELECT trial.id FROM trial AS mine JOIN run AS of_mine ON of_mine.id = "
		       "mine.run_id"
		       "  JOIN trial ON trial.kernel = mine.kernel AND trial.variant = mine.variant"
		       "   AND trial.config = mine.config JOIN run ON run.id = trial.run_id"
		       "  WHERE mine.id = ? AND run.emulated"
		       "   AND coalesce(run.origin, '') = coalesce(of_mine.origin, '')"
		       "   AND EXISTS (SELECT 1 FROM line WHERE line.trial_id = trial.id)"
		       "  ORDER BY run.started_ns DESC, run.id DESC LIMIT 1) ORDER BY file, line");
	select = statement_prepare_text(db, &sql, err);
	*out = (struct line_count_list){0};
	*run_id = 0;
	bind_integer(&select, trial_id);
	while (statement_next(&select)) {
		const char *file;
		int64_t number;
		struct line_count *line;

		*run_id = take_integer(&select, 0);
		file = take_text(&select);
		number = take_integer(&select, 0);
		line = line_count_list_add(out, file && *file ? file : NULL, number);
		columns_take(&select, &line_columns, PART_RESULT, line);
	}
	return statement_release(&select);
}

int db_trial_median(struct db *db, int64_t trial_id, double *out, struct error *err)
{
	struct statement select = statement_prepare(
		db, "SELECT median_ns FROM trial WHERE id = ? AND status IN ('ok', 'unverified')",
		err);

	*out = NAN;
	bind_integer(&select, trial_id);
	if (statement_next(&select))
		*out = take_real(&select);
	return statement_release(&select);
}

/* ---- content ---- */

int db_content_keep(struct db *db, const char *hash, const void *bytes, size_t length,
		    struct error *err)
{
	const size_t most = ZSTD_compressBound(length);
	struct statement insert;
	size_t packed_bytes;
	int64_t kept = 0;
	void *packed;
	struct statement select =
		statement_prepare(db, "SELECT count(*) FROM content WHERE hash = ?", err);
	int rc;

	bind_text(&select, hash);
	if (statement_next(&select))
		kept = take_integer(&select, 0);
	rc = statement_release(&select);
	if (rc || kept)
		return rc;
	if (length > CONTENT_MOST_BYTES)
		return error_set(err, PL_EUNSUPPORTED, "content of %zu bytes is not kept", length);
	packed = xcalloc(1, most + 1);
	packed_bytes = ZSTD_compress(packed, most, bytes, length, PACK_LEVEL);
	if (ZSTD_isError(packed_bytes)) {
		free(packed);
		return error_set(err, PL_ENOMEM, "compressing %zu bytes: %s", length,
				 ZSTD_getErrorName(packed_bytes));
	}
	insert = statement_prepare(db, "INSERT INTO content (hash, bytes, packed) VALUES (?, ?, ?)",
				   err);
	bind_text(&insert, hash);
	bind_integer(&insert, (int64_t)length);
	bind_blob(&insert, packed, packed_bytes);
	rc = statement_finish(&insert);
	free(packed);
	return rc;
}

/* `packed` is untrusted: another program may have written it. */
static int unpack(const char *hash, const void *packed, size_t packed_bytes, int64_t length,
		  char **bytes, struct error *err)
{
	char own[HASH_TEXT_BYTES];
	size_t unpacked;

	if (length < 0 || (uint64_t)length > CONTENT_MOST_BYTES)
		return error_set(err, PL_ECORRUPT, "content %.12s has a length that cannot be",
				 hash);
	*bytes = xcalloc(1, (size_t)length + 1);
	unpacked = ZSTD_decompress(*bytes, (size_t)length, packed, packed_bytes);
	if (!ZSTD_isError(unpacked) && unpacked == (size_t)length) {
		hash_of(own, *bytes, unpacked);
		if (strcmp(own, hash) == 0)
			return 0;
	}
	free(*bytes);
	*bytes = NULL;
	return error_set(err, PL_ECORRUPT, "content %.12s is damaged", hash);
}

int db_content_load(struct db *db, const char *hash, char **bytes, size_t *length,
		    struct error *err)
{
	struct statement select =
		statement_prepare(db, "SELECT bytes, packed FROM content WHERE hash = ?", err);
	int64_t unpacked_bytes;
	const void *packed;
	size_t packed_bytes;
	int rc = 0, ended;

	*bytes = NULL;
	*length = 0;
	bind_text(&select, hash);
	if (statement_next(&select)) {
		unpacked_bytes = take_integer(&select, -1);
		packed = take_blob(&select, &packed_bytes);
		rc = unpack(hash, packed, packed_bytes, unpacked_bytes, bytes, err);
		*length = rc ? 0 : (size_t)unpacked_bytes;
	} else if (!select.rc) {
		rc = error_set(err, PL_ENOENT, "no content has the hash %.12s", hash);
	}
	ended = statement_release(&select);
	return rc ? rc : ended;
}

int db_run_file_set(struct db *db, int64_t run_id, const char *file, const char *hash,
		    const char *why, struct error *err)
{
	struct statement insert = statement_prepare(
		db, "INSERT OR REPLACE INTO run_file (run_id, file, hash, why) VALUES (?, ?, ?, ?)",
		err);

	bind_integer(&insert, run_id);
	bind_text(&insert, file);
	bind_text(&insert, hash);
	bind_text(&insert, why);
	return statement_finish(&insert);
}

int db_run_file_load(struct db *db, int64_t run_id, const char *file, char **hash, char **why,
		     struct error *err)
{
	struct statement select = statement_prepare(
		db, "SELECT hash, why FROM run_file WHERE run_id = ? AND file = ?", err);

	*hash = *why = NULL;
	bind_integer(&select, run_id);
	bind_text(&select, file);
	if (statement_next(&select)) {
		*hash = take_text_copy(&select);
		*why = take_text_copy(&select);
	}
	return statement_release(&select);
}

/* ---- merging ---- */

static int content_copy(struct db *from, struct db *into, const char *hash, struct error *err)
{
	char *bytes;
	size_t length;
	int rc = db_content_load(from, hash, &bytes, &length, err);

	/* what the other file lacks stays lacking */
	if (rc == PL_ENOENT)
		return 0;
	if (!rc)
		rc = db_content_keep(into, hash, bytes, length, err);
	free(bytes);
	return rc;
}

int db_contents_copy(struct db *from, int64_t from_run, struct db *into, struct error *err)
{
	struct string_list hashes = {0};
	char run[24];
	int rc;

	snprintf(run, sizeof(run), "%lld", (long long)from_run);
	rc = db_select_names(&hashes, from,
			     "SELECT hash FROM run_file WHERE run_id = ?1 UNION"
			     " SELECT code FROM profile_function JOIN trial"
			     " ON trial.id = trial_id WHERE run_id = ?1",
			     run, err);
	for (size_t i = 0; i < hashes.count && !rc; i++)
		rc = content_copy(from, into, hashes.items[i], err);
	string_list_release(&hashes);
	return rc;
}
