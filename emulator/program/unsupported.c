/* The list of features that the emulator cannot run: each once per function, with its number of
 * uses. */
#include "emulator/program/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mangled.h"

#define FEATURE_NAME_BYTES 160
#define MAX_FEATURES 200 /* different features that are listed */

void unsupported_features_release(struct unsupported_features *unsupported)
{
	for (size_t i = 0; i < unsupported->count; i++) {
		free(unsupported->items[i].name);
		free(unsupported->items[i].place);
	}
	free(unsupported->items);
	*unsupported = (struct unsupported_features){0};
}

void unsupported_features_text(struct text *out, const struct unsupported_features *unsupported)
{
	for (size_t i = 0; i < unsupported->count; i++) {
		const struct unsupported_feature *feature = &unsupported->items[i];

		text_addf(out, "%s%s%s%s", i ? ", " : "", feature->what, *feature->what ? " " : "",
			  feature->name);
		if (feature->count > 1)
			text_addf(out, " (%s, %u times)", feature->place, feature->count);
		else
			text_addf(out, " (%s)", feature->place);
	}
}

bool unsupported_features_are_undefined(const struct unsupported_features *unsupported)
{
	for (size_t i = 0; i < unsupported->count; i++) {
		if (strncmp(unsupported->items[i].what, UNDEFINED, strlen(UNDEFINED)) != 0)
			return false;
	}
	return unsupported->count > 0;
}

/* Returns the new row of a feature, which has no place yet. NULL: its row was there. */
static struct unsupported_feature *feature_add(struct function_decoding *decoding, const char *what,
					       const char *name)
{
	struct unsupported_features *unsupported = decoding->all->unsupported;
	const char *function = decoding->source->name;
	struct unsupported_feature *feature;
	char shown[FEATURE_NAME_BYTES + 4];

	decoding->unsupported = decoding->any_unsupported = true;
	if (unsupported->count >= MAX_FEATURES) {
		what = "and";
		name = "more";
	}
	snprintf(shown, sizeof(shown), "%.*s%s", FEATURE_NAME_BYTES, name,
		 strlen(name) > FEATURE_NAME_BYTES ? "…" : "");
	for (size_t i = 0; i < unsupported->count; i++) {
		feature = &unsupported->items[i];
		if (feature->function == function && strcmp(feature->what, what) == 0 &&
		    strcmp(feature->name, shown) == 0) {
			feature->count++;
			return NULL;
		}
	}
	unsupported->items = xgrow(unsupported->items, &unsupported->capacity,
				   unsupported->count + 1, sizeof(*unsupported->items));
	feature = &unsupported->items[unsupported->count++];
	*feature = (struct unsupported_feature){
		.function = function,
		.what = what,
		.name = xstrdup(shown),
		.count = 1,
	};
	return feature;
}

void decode_unsupported(struct function_decoding *decoding, const char *what, const char *name)
{
	struct unsupported_feature *feature;
	struct text place = TEXT_INIT;

	if (!decoding->at) {
		decode_unsupported_at(decoding, what, name, decoding->source->line);
		return;
	}
	feature = feature_add(decoding, what, name);
	if (!feature)
		return;
	source_place_text(&place, decoding->all->program->module, decoding->at);
	feature->place = text_detach(&place);
}

void decode_undefined(struct function_decoding *decoding, const char *kind, const char *name)
{
	struct text readable = TEXT_INIT, shown = TEXT_INIT;

	mangled_readable(&readable, name);
	readable_shorten(&shown, readable.data, 60);
	decode_unsupported(decoding, kind, shown.data);
	text_release(&shown);
	text_release(&readable);
}

void decode_unsupported_at(struct function_decoding *decoding, const char *what, const char *name,
			   uint32_t line)
{
	struct unsupported_feature *feature = feature_add(decoding, what, name);

	if (feature)
		feature->place = xasprintf("line %u of the PTX", line);
}

void decode_invalid(struct function_decoding *decoding, const char *format, ...)
{
	char words[256];
	va_list args;

	if (decoding->rc || decoding->unsupported)
		return;
	va_start(args, format);
	vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	decoding->rc =
		error_set(decoding->all->err, PL_EPARSE, "line %u, %.80s: %s",
			  decoding->at ? decoding->at->line : decoding->source->line,
			  decoding->at ? decoding->at->mnemonic : decoding->source->name, words);
}
