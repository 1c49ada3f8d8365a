/* Names and descriptions of textures. See texture.h. */
#include "kernels/texture.h"

#include <inttypes.h>
#include <string.h>

static const char *const address_names[] = {
#define X(symbol, name) name,
	TEXTURE_ADDRESS_LIST(X)
#undef X
};

const char *texture_address_name(enum texture_address address)
{
	return address_names[address];
}

bool texture_address_parse(enum texture_address *out, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(address_names); i++)
		if (!strcmp(address_names[i], name)) {
			*out = (enum texture_address)i;
			return true;
		}
	return false;
}

void case_texture_describe(struct text *out, const struct case_texture *texture)
{
	const struct texture_reading *reading = &texture->reading;

	text_addf(out, " %s", reading->surface ? "surface" : "texture");
	for (size_t i = 0; i < texture->dimensions; i++)
		text_addf(out, "%s%" PRId64, i ? "x" : " ", texture->sizes[i]);
	text_addf(out, " x%d%s%s", reading->channels, reading->layered ? " layered" : "",
		  reading->cube ? " cube" : "");
	if (reading->surface)
		return;
	text_addf(out, "%s%s%s%s", reading->fetch ? " fetch" : "", reading->linear ? " linear" : "",
		  reading->normalized ? " normalized" : "",
		  reading->normalized_float ? " normalized_float" : "");
	for (size_t i = 0; i < texture->dimensions; i++)
		text_addf(out, " %s", texture_address_name(reading->address[i]));
}
