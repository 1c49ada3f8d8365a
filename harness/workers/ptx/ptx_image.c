/* The images of PTX files. */
#include "harness/workers/ptx/ptx_image.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void ptx_image_free(struct ptx_image *image)
{
	if (!image)
		return;
	for (size_t i = 0; i < image->program_count; i++) {
		ptx_program_free(image->programs[i].program);
		free(image->programs[i].entry);
		free(image->programs[i].gaps);
	}
	free(image->programs);
	ptx_module_free(image->module);
	free(image->text);
	free(image->name);
	free(image);
}

void ptx_image_cache_release(struct ptx_image_cache *cache)
{
	for (size_t i = 0; i < cache->count; i++)
		ptx_image_free(cache->images[i]);
	free(cache->images);
	free(cache->folder);
	*cache = (struct ptx_image_cache){0};
}

static int ptx_image_path(struct text *path, const struct ptx_image_cache *cache, const char *name,
			  struct error *err)
{
	int rc;

	if (name[0] == '/') { /* a user's */
		text_add(path, name);
		return 0;
	}
	if (cache->folder) {
		text_addf(path, "%s/%s.ptx", cache->folder, name);
		return 0;
	}
	rc = install_path(path, "share/perflab/ptx/", err);
	if (rc == 0)
		text_addf(path, "%s.ptx", name);
	return rc;
}

/* Returns true for lines that do not change the code: comments and line information. */
static bool is_about_source(const char *line, size_t length)
{
	static const char *const begins[] = {"//", ".loc", ".file"};

	while (length && (*line == ' ' || *line == '\t')) {
		line++;
		length--;
	}
	if (!length)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(begins); i++)
		if (length >= strlen(begins[i]) && !memcmp(line, begins[i], strlen(begins[i])))
			return true;
	return false;
}

static void hash_code(char out[HASH_TEXT_BYTES], const char *text)
{
	static const char section[] = "\t.section\t.debug_";
	struct hash hash;
	bool debug = false; /* within a debug section, up to its closing brace */

	hash_begin(&hash);
	for (const char *line = text; *line;) {
		size_t length = strcspn(line, "\n");
		bool code = !is_about_source(line, length);

		debug |= !strncmp(line, section, strlen(section));
		code &= !debug;
		debug &= line[strspn(line, " \t")] != '}';
		if (code)
			hash_add_piece(&hash, line, length);
		line += length + (line[length] == '\n');
	}
	hash_end(out, &hash);
}

static int ptx_image_read(struct ptx_image *image, const char *path, struct error *err)
{
	const char *target;
	size_t length = 0;
	int rc = read_file(&image->text, &length, path, PTX_MAX_TEXT_BYTES, err);

	if (rc == PL_ENOENT)
		return error_set(err, PL_ENOENT,
				 "no PTX for %s: %s does not exist; install all of perflab",
				 image->name, path);
	if (rc)
		return rc;
	rc = ptx_module_parse(&image->module, image->text, length, err);
	if (rc)
		return error_context(err, rc, "%s", path);
	hash_code(image->code_hash, image->text);
	target = image->module->target;
	if (!strncmp(target, "sm_", 3) || !strncmp(target, "compute_", 8))
		target = strchr(target, '_') + 1;
	snprintf(image->code_kind, sizeof(image->code_kind), "ptx compute_%.3s", target);
	return 0;
}

static int ptx_image_find(struct ptx_image_cache *cache, const char *name, struct ptx_image **out,
			  struct error *err)
{
	struct text path = TEXT_INIT;
	struct ptx_image *image;
	int rc;

	for (size_t i = 0; i < cache->count; i++) {
		if (!strcmp(cache->images[i]->name, name)) {
			*out = cache->images[i];
			return 0;
		}
	}
	image = xcalloc(1, sizeof(*image));
	image->name = xstrdup(name);
	rc = ptx_image_path(&path, cache, name, err);
	if (rc == 0)
		rc = ptx_image_read(image, path.data, err);
	text_release(&path);
	if (rc) {
		ptx_image_free(image);
		return rc;
	}
	cache->images = xgrow(cache->images, &cache->capacity, cache->count + 1, sizeof(image));
	cache->images[cache->count++] = image;
	*out = image;
	return 0;
}

static int ptx_image_decode(struct ptx_image *image, const char *entry,
			    struct ptx_image_program *out, struct error *err)
{
	struct unsupported_features gaps = {0};
	struct error why = {0};
	struct text text = TEXT_INIT;
	int rc = ptx_program_decode(&out->program, image->module, entry, &gaps, &why);

	if (rc == PL_EUNSUPPORTED && gaps.count) {
		const bool undefined = unsupported_features_are_undefined(&gaps);

		if (!undefined)
			text_add(&text, "needs features that the emulator lacks: ");
		unsupported_features_text(&text, &gaps);
		if (undefined)
			text_add(&text,
				 ": declared but not defined in this file, and perflab links "
				 "no other one: #include the file that defines it");
		out->gaps = text_detach(&text);
		rc = 0;
	} else if (rc) {
		error_set(err, rc, "%s.ptx: %s", image->name, why.text);
	}
	unsupported_features_release(&gaps);
	return rc;
}

int ptx_image_program(struct ptx_image_cache *cache, const struct launch_case *work,
		      const struct ptx_image **out_image, const struct ptx_program **program,
		      const char **gaps, struct error *err)
{
	const char *entry = work->launches[0].entry; /* of all launches; NULL: they use several */
	struct ptx_image_program *found = NULL;
	struct ptx_image *image = NULL;
	int rc;

	if (launch_case_library(work)) {
		*out_image = NULL;
		*program = NULL;
		*gaps = "needs features that the emulator lacks: a library that runs on GPUs only";
		return 0;
	}
	for (size_t i = 1; i < work->launch_count; i++)
		if (strcmp(work->launches[i].entry, work->launches[0].entry) != 0)
			entry = NULL;
	rc = ptx_image_find(cache, work->image, &image, err);
	for (size_t i = 0; rc == 0 && i < image->program_count; i++) {
		const char *other = image->programs[i].entry;

		if (entry && other ? !strcmp(entry, other) : entry == other)
			found = &image->programs[i];
	}
	if (rc == 0 && !found) {
		struct ptx_image_program fresh = {0};

		rc = ptx_image_decode(image, entry, &fresh, err);
		if (rc == 0) {
			fresh.entry = entry ? xstrdup(entry) : NULL;
			image->programs = xgrow(image->programs, &image->program_capacity,
						image->program_count + 1, sizeof(fresh));
			found = &image->programs[image->program_count++];
			*found = fresh;
		}
	}
	if (rc)
		return rc;
	*out_image = image;
	*program = found->program;
	*gaps = found->gaps;
	return 0;
}

struct entry_resources ptx_image_resources(const struct ptx_image *image, const char *entry,
					   int cc_major, int cc_minor)
{
	static const char begin[] = "// perflab: entry ";
	struct entry_resources found = {-1, -1, -1};
	const size_t length = strlen(entry);
	bool exact = false;

	for (const char *line = image->text; line && !exact; line = strchr(line, '\n')) {
		struct entry_resources said;
		int capability = 0;

		line += *line == '\n';
		/* mangled names can be long */
		if (strncmp(line, begin, strlen(begin)) != 0 ||
		    strncmp(line + strlen(begin), entry, length) != 0 ||
		    sscanf(line + strlen(begin) + length,
			   " sm_%d registers %" SCNd64 " shared %" SCNd64 " local %" SCNd64,
			   &capability, &said.registers_per_thread, &said.shared_static_bytes,
			   &said.local_bytes_per_thread) != 4)
			continue;
		exact = capability == 10 * cc_major + cc_minor;
		if (exact || found.registers_per_thread < 0)
			found = said;
	}
	return found;
}
