/* Loads profiles, and the source text and machine code that a run keeps. */
#include <stdlib.h>
#include <string.h>

#include "compile/disassemble.h"
#include "harness/judge/judge.h"
#include "harness/runs/runs.h"

/* The text of a file of the run, in lines that end with NUL. */
struct kept_text {
	char *file;
	char *why; /* NULL: there is text */
	char *bytes;
	char **lines;
	size_t line_count;
};

/* Machine code that was disassembled. */
struct kept_code {
	char *hash;
	struct disassembly *text; /* NULL: there is none */
};

struct profile_data {
	struct db *db;
	int64_t run_id;
	int64_t *trials;                  /* with a profile */
	struct profile **profiles;        /* NULL: damaged */
	char **damage;                    /* what is wrong with it; NULL: nothing */
	struct line_count_list *emulated; /* of the same cases */
	int64_t *emulated_runs;           /* 0: none */
	size_t count;
	struct kept_text *texts;
	size_t text_count, text_capacity;
	struct kept_code *codes;
	size_t code_count, code_capacity;
	struct error why_no_sass;
};

/* ---- profiles ---- */

int profile_data_load(struct profile_data **out, struct db *db, const struct run *run,
		      struct error *err)
{
	struct profile_data *data = xcalloc(1, sizeof(*data));
	int64_t *ids = NULL;
	size_t count = 0;
	int rc = db_profiled_trials(db, run->id, &ids, &count, err);

	data->db = db;
	data->run_id = run->id;
	data->trials = xcalloc(count + 1, sizeof(*data->trials));
	data->profiles = xcalloc(count + 1, sizeof(struct profile *));
	data->damage = xcalloc(count + 1, sizeof(char *));
	data->emulated = xcalloc(count + 1, sizeof(*data->emulated));
	data->emulated_runs = xcalloc(count + 1, sizeof(*data->emulated_runs));
	for (size_t i = 0; i < count && !rc; i++) {
		struct error damage = {0};

		if (!run_trial(run, ids[i]))
			continue;
		data->trials[data->count] = ids[i];
		rc = db_profile_load(db, ids[i], &data->profiles[data->count], &damage);
		if (rc == PL_ECORRUPT) {
			data->damage[data->count++] = xstrdup(damage.text);
			rc = 0;
			continue;
		}
		if (rc)
			error_set(err, rc, "%s", damage.text);
		else
			rc = db_emulated_lines_load(db, ids[i], &data->emulated[data->count],
						    &data->emulated_runs[data->count], err);
		data->count += data->profiles[data->count] != NULL;
	}
	free(ids);
	if (rc)
		profile_data_free(data);
	else
		*out = data;
	return rc;
}

void profile_data_free(struct profile_data *data)
{
	if (!data)
		return;
	for (size_t i = 0; i < data->count; i++)
		profile_free(data->profiles[i]);
	for (size_t i = 0; i < data->count; i++)
		free(data->damage[i]);
	for (size_t i = 0; i < data->count; i++)
		line_count_list_release(&data->emulated[i]);
	free(data->damage);
	free(data->emulated);
	free(data->emulated_runs);
	for (size_t i = 0; i < data->text_count; i++) {
		free(data->texts[i].file);
		free(data->texts[i].why);
		free(data->texts[i].bytes);
		free(data->texts[i].lines);
	}
	for (size_t i = 0; i < data->code_count; i++) {
		free(data->codes[i].hash);
		disassembly_free(data->codes[i].text);
	}
	free(data->trials);
	free(data->profiles);
	free(data->texts);
	free(data->codes);
	free(data);
}

const struct profile *profile_data_of(const struct profile_data *data, const struct trial *trial)
{
	for (size_t i = 0; i < data->count; i++)
		if (data->trials[i] == trial->id)
			return data->profiles[i];
	return NULL;
}

const char *profile_data_damage(const struct profile_data *data, const struct trial *trial)
{
	for (size_t i = 0; i < data->count; i++)
		if (data->trials[i] == trial->id)
			return data->damage[i];
	return NULL;
}

const struct line_count_list *profile_data_emulated(const struct profile_data *data,
						    const struct trial *trial, int64_t *run_id)
{
	for (size_t i = 0; i < data->count; i++)
		if (data->trials[i] == trial->id && data->emulated_runs[i]) {
			*run_id = data->emulated_runs[i];
			return &data->emulated[i];
		}
	return NULL;
}

/* ---- source text ---- */

static void load_text(struct profile_data *data, struct kept_text *text)
{
	struct error err = {0};
	char *hash = NULL;

	if (run_source_load(data->db, data->run_id, text->file, &hash, &text->bytes, &text->why,
			    &err))
		text->why = xasprintf("cannot be read: %s", err.text);
	else if (!hash && !text->why)
		text->why = xstrdup("is not kept with the run (--no-source)");
	free(hash);
	if (text->bytes)
		text->lines = text_split_lines(text->bytes, &text->line_count);
}

static const struct kept_text *kept_text_of(struct profile_data *data, const char *file)
{
	struct kept_text *text;

	for (size_t i = 0; i < data->text_count; i++)
		if (strcmp(data->texts[i].file, file) == 0)
			return &data->texts[i];
	data->texts = xgrow(data->texts, &data->text_capacity, data->text_count + 1,
			    sizeof(*data->texts));
	text = &data->texts[data->text_count++];
	*text = (struct kept_text){.file = xstrdup(file)};
	load_text(data, text);
	return text;
}

const char *profile_data_line(void *data, const char *file, int64_t line)
{
	const struct kept_text *text = kept_text_of(data, file);

	return line < 1 || (uint64_t)line > text->line_count ? NULL : text->lines[line - 1];
}

const char *profile_data_why(void *data, const char *file)
{
	return kept_text_of(data, file)->why;
}

/* ---- machine code ---- */

static const struct disassembly *kept_code_of(struct profile_data *data, const char *hash)
{
	struct kept_code *code;
	char *bytes = NULL;
	size_t length;

	for (size_t i = 0; i < data->code_count; i++)
		if (strcmp(data->codes[i].hash, hash) == 0)
			return data->codes[i].text;
	data->codes = xgrow(data->codes, &data->code_capacity, data->code_count + 1,
			    sizeof(*data->codes));
	code = &data->codes[data->code_count++];
	*code = (struct kept_code){.hash = xstrdup(hash)};
	data->why_no_sass = (struct error){0};
	if (!db_content_load(data->db, hash, &bytes, &length, &data->why_no_sass))
		disassemble(&code->text, bytes, length, &data->why_no_sass);
	free(bytes);
	return code->text;
}

const char *profile_data_sass(void *data, const struct profile *profile, size_t instruction)
{
	const struct profile_instruction *at = &profile->instructions[instruction];
	const struct profile_function *function = &profile->functions[at->function];
	const struct disassembly *text =
		*function->code ? kept_code_of(data, function->code) : NULL;

	return text ? disassembly_at(text, function->name, (uint64_t)at->pc) : NULL;
}

const char *profile_data_why_no_sass(void *data)
{
	const struct profile_data *of = data;

	return of->why_no_sass.text[0] ? of->why_no_sass.text : NULL;
}
