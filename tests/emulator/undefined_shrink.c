/* Shrinks programs of undefined_program.h. */
#include "undefined_program.h"

#include <stdlib.h>
#include <string.h>

static void release_nodes(struct undefined_node *nodes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		release_nodes(nodes[i].then, nodes[i].then_count);
		release_nodes(nodes[i].otherwise, nodes[i].else_count);
	}
	free(nodes);
}

void undefined_release(struct undefined_program *program)
{
	for (unsigned i = 0; i < 2; i++)
		for (unsigned k = 0; k < MOST_SEGMENTS; k++)
			release_nodes(program->segments[i][k].nodes, program->segments[i][k].count);
}

struct shrinker {
	struct undefined_program *program;
	bool (*fails)(void *context, struct undefined_program *program);
	void *context;
	bool changed;
};

static bool still_fails(struct shrinker *shrinker)
{
	return shrinker->fails(shrinker->context, shrinker->program);
}

static void shrink_nodes(struct shrinker *shrinker, struct undefined_node *nodes, size_t *count)
{
	for (size_t i = *count; i-- > 0;) {
		const struct undefined_node kept = nodes[i];
		const size_t behind = --*count - i;

		memmove(&nodes[i], &nodes[i + 1], behind * sizeof(*nodes));
		if (still_fails(shrinker)) {
			release_nodes(kept.then, kept.then_count);
			release_nodes(kept.otherwise, kept.else_count);
			shrinker->changed = true;
			continue;
		}
		memmove(&nodes[i + 1], &nodes[i], behind * sizeof(*nodes));
		nodes[i] = kept;
		++*count;
		shrink_nodes(shrinker, nodes[i].then, &nodes[i].then_count);
		shrink_nodes(shrinker, nodes[i].otherwise, &nodes[i].else_count);
	}
}

static void shrink_number(struct shrinker *shrinker, unsigned *number)
{
	while (*number > 1) {
		--*number;
		if (still_fails(shrinker)) {
			shrinker->changed = true;
			continue;
		}
		++*number;
		return;
	}
}

void undefined_shrink(struct undefined_program *program,
		      bool (*fails)(void *context, struct undefined_program *program),
		      void *context)
{
	struct shrinker shrinker = {program, fails, context, true};

	while (shrinker.changed) {
		shrinker.changed = false;
		shrink_number(&shrinker, &program->launches);
		shrink_number(&shrinker, &program->blocks);
		for (unsigned i = 0; i < program->launches; i++)
			for (unsigned k = 0; k < program->segment_count[i]; k++)
				shrink_nodes(&shrinker, program->segments[i][k].nodes,
					     &program->segments[i][k].count);
	}
}
