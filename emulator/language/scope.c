/* Scopes: each name means its latest declaration in the current scope or in one around it. */
#include "emulator/language/parser.h"

#include <stdio.h>
#include <string.h>

void scope_enter(struct parser *parser)
{
	if (parser->depth == PTX_MAX_SCOPES) {
		parser_error(parser, "more than %d nested scopes", PTX_MAX_SCOPES);
		return;
	}
	parser->scopes[++parser->depth] = (struct scope){
		.serial = ++parser->scope_serial,
		.changes = parser->change_count,
		.uses = parser->use_count,
	};
}

void scope_leave(struct parser *parser)
{
	const struct scope *scope = &parser->scopes[parser->depth];
	size_t kept = scope->uses;

	/* A label may follow the branches to it. All labels of this scope are known now. */
	for (size_t i = scope->uses; i < parser->use_count; i++) {
		const struct name_use *use = &parser->uses[i];

		if (use->name->binding.meaning == NAME_LABEL &&
		    use->name->binding.scope == scope->serial)
			*use->where = use->name->binding.text;
		else
			parser->uses[kept++] = *use;
	}
	parser->use_count = kept;
	while (parser->change_count > scope->changes) {
		const struct name_change *change = &parser->changes[--parser->change_count];

		change->name->binding = change->before;
	}
	parser->depth--;
	if (parser->depth == 0)
		parser->use_count = 0;
}

static const char *unique_text(struct parser *parser, struct name *name)
{
	char number[16];
	char *text;
	int length = snprintf(number, sizeof(number), ".%u", ++parser->unique_serial);

	text = parser_allocate(parser, 1, name->length + (size_t)length + 1);
	if (!text)
		return name->text;
	memcpy(text, name->text, name->length);
	memcpy(text + name->length, number, (size_t)length + 1);
	return text;
}

const char *scope_declare(struct parser *parser, struct name *name, enum name_meaning meaning,
			  size_t index)
{
	const struct scope *scope = &parser->scopes[parser->depth];
	const char *text = name->text;
	struct name_change *change;

	if (name->binding.meaning != NAME_FREE && name->binding.scope == scope->serial &&
	    parser->depth) {
		parser_error(parser, "%.60s is declared twice", name->text);
		return NULL;
	}
	if (meaning != NAME_REGISTER && parser->depth) {
		if (name->used_in == parser->function_serial ||
		    (parser->depth > 1 && name->binding.meaning != NAME_FREE))
			text = unique_text(parser, name);
		name->used_in = parser->function_serial;
	}
	if (parser->depth) {
		change = parser_append(parser, &parser->changes, &parser->change_count,
				       &parser->change_capacity, sizeof(*change));
		if (!change)
			return NULL;
		*change = (struct name_change){.name = name, .before = name->binding};
	}
	name->binding = (struct name_binding){
		.meaning = meaning,
		.index = (uint32_t)index,
		.scope = scope->serial,
		.text = text,
	};
	return text;
}

const char *scope_rename(struct parser *parser, struct name *name)
{
	name->binding.text = unique_text(parser, name);
	return name->binding.text;
}

void scope_use(struct parser *parser, const char **where, struct name *name)
{
	const struct name_binding *binding = &name->binding;
	struct name_use *use;

	*where = name->text;
	if (binding->meaning == NAME_VARIABLE || binding->meaning == NAME_FUNCTION ||
	    (binding->meaning == NAME_LABEL &&
	     binding->scope == parser->scopes[parser->depth].serial)) {
		*where = binding->text;
		return;
	}
	use = parser_append(parser, &parser->uses, &parser->use_count, &parser->use_capacity,
			    sizeof(*use));
	if (use)
		*use = (struct name_use){.where = where, .name = name};
}
