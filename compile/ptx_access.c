/*
 * Follows the parameters of each kernel in a PTX text to the addresses of its stores and loads. The
 * order of the instructions does not matter: a register may hold what any instruction puts there.
 * So a parameter that reaches no store is never stored through, and one that leaves the kernel, by
 * a call or in memory, is not known.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile_parts.h"

#define ACCESS_PARAMETERS 64 /* bits of a mask */
#define ACCESS_ROUNDS 64     /* until nothing changes; code of compilers needs about three */
#define ACCESS_WORDS 256     /* of one instruction */

/* Places beside the registers: the address of a store, that of a load, and what cannot be followed.
 */
enum { PLACE_STORED, PLACE_READ, PLACE_ESCAPED, PLACE_COUNT };

struct access_place {
	const char *name; /* not ended by NUL */
	size_t length;
	uint64_t from; /* the parameters that may be in it */
};

struct access_edge {
	uint32_t to, from;
};

struct access_word {
	uint32_t place;
	uint32_t operand; /* from 0 */
	bool address;     /* within square brackets */
};

struct access_flow {
	struct access_place *places;
	uint32_t *slots; /* of a hash table: a place, or 0 */
	struct access_edge *edges;
	size_t place_count, place_capacity, slot_count, edge_count, edge_capacity;
	struct access_place parameters[ACCESS_PARAMETERS]; /* without `from` */
	size_t parameter_count;
	struct access_word words[ACCESS_WORDS];
	size_t word_count;
	uint64_t loaded; /* the parameters that the instruction loads */
	struct compiled_dimensions dimensions;
	bool unknown;
};

/* ---- registers ---- */

static size_t place_hash(const char *name, size_t length)
{
	uint64_t hash = 14695981039346656037U;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)name[i]) * 1099511628211U;
	return (size_t)(hash ^ hash >> 32);
}

static uint32_t *place_slot(const struct access_flow *flow, const char *name, size_t length)
{
	size_t at = place_hash(name, length) & (flow->slot_count - 1);

	for (;; at = (at + 1) & (flow->slot_count - 1)) {
		const struct access_place *place = &flow->places[flow->slots[at]];

		if (!flow->slots[at] ||
		    (place->length == length && !memcmp(place->name, name, length)))
			return &flow->slots[at];
	}
}

static void flow_grow(struct access_flow *flow)
{
	free(flow->slots);
	flow->slot_count = flow->slot_count ? 2 * flow->slot_count : 1024;
	flow->slots = xcalloc(flow->slot_count, sizeof(*flow->slots));
	for (size_t i = PLACE_COUNT; i < flow->place_count; i++)
		*place_slot(flow, flow->places[i].name, flow->places[i].length) = (uint32_t)i;
}

static uint32_t flow_place(struct access_flow *flow, const char *name, size_t length)
{
	uint32_t *slot;

	if (2 * flow->place_count >= flow->slot_count)
		flow_grow(flow);
	slot = place_slot(flow, name, length);
	if (*slot)
		return *slot;
	*slot = (uint32_t)flow->place_count;
	flow->places = xgrow(flow->places, &flow->place_capacity, flow->place_count + 1,
			     sizeof(*flow->places));
	flow->places[flow->place_count] = (struct access_place){name, length, 0};
	return (uint32_t)flow->place_count++;
}

static void flow_begin(struct access_flow *flow)
{
	flow->place_count = flow->edge_count = flow->parameter_count = 0;
	flow->unknown = false;
	flow->dimensions = (struct compiled_dimensions){0};
	flow->places =
		xgrow(flow->places, &flow->place_capacity, PLACE_COUNT, sizeof(*flow->places));
	while (flow->place_count < PLACE_COUNT)
		flow->places[flow->place_count++] = (struct access_place){"", 0, 0};
	if (flow->slot_count)
		memset(flow->slots, 0, flow->slot_count * sizeof(*flow->slots));
}

static void flow_edge(struct access_flow *flow, uint32_t to, uint32_t from)
{
	flow->edges = xgrow(flow->edges, &flow->edge_capacity, flow->edge_count + 1,
			    sizeof(*flow->edges));
	flow->edges[flow->edge_count++] = (struct access_edge){to, from};
}

/* ---- instructions ---- */

static bool opcode_is(const struct ptx_scan *opcode, const char *base)
{
	size_t length = strlen(base);

	return opcode->length >= length && !memcmp(opcode->token, base, length) &&
	       (opcode->length == length || opcode->token[length] == '.');
}

/* A parameter by its name is its value in a load, and its address anywhere else. */
static bool take_parameter(struct access_flow *flow, const struct ptx_scan *scan, bool loads)
{
	for (size_t i = 0; i < flow->parameter_count; i++) {
		if (flow->parameters[i].length != scan->length ||
		    memcmp(flow->parameters[i].name, scan->token, scan->length) != 0)
			continue;
		flow->loaded |= UINT64_C(1) << i;
		flow->unknown |= !loads;
		return true;
	}
	return false;
}

static void take_dimension(struct access_flow *flow, const struct ptx_scan *scan)
{
	struct compiled_dimensions *used = &flow->dimensions;

	used->thread_y |= ptx_scan_is(scan, "%tid.y");
	used->thread_z |= ptx_scan_is(scan, "%tid.z");
	used->block_y |= ptx_scan_is(scan, "%ctaid.y");
	used->block_z |= ptx_scan_is(scan, "%ctaid.z");
}

static void take_word(struct access_flow *flow, const struct ptx_scan *scan, uint32_t operand,
		      bool address)
{
	const char *dot = memchr(scan->token, '.', scan->length); /* v.x, %tid.x */
	size_t length = dot ? (size_t)(dot - scan->token) : scan->length;

	if (!length || isdigit((unsigned char)*scan->token))
		return;
	take_dimension(flow, scan);
	if (flow->word_count == ACCESS_WORDS) {
		flow->unknown = true;
		return;
	}
	flow->words[flow->word_count++] =
		(struct access_word){flow_place(flow, scan->token, length), operand, address};
}

/* Reads the operands behind an opcode, to the ';'. */
static void take_operands(struct access_flow *flow, struct ptx_scan *scan, bool loads)
{
	uint32_t operand = 0;
	int brackets = 0, braces = 0;

	flow->word_count = 0;
	flow->loaded = 0;
	for (; scan->length && !ptx_scan_is(scan, ";"); ptx_scan_next(scan)) {
		brackets += ptx_scan_is(scan, "[") - ptx_scan_is(scan, "]");
		braces += ptx_scan_is(scan, "{") - ptx_scan_is(scan, "}");
		operand += ptx_scan_is(scan, ",") && !brackets && !braces;
		if (ptx_word_byte(*scan->token) && !take_parameter(flow, scan, loads && brackets))
			take_word(flow, scan, operand, brackets > 0);
	}
}

/* What a load puts into its result came from memory, except for a parameter. */
static void flow_load(struct access_flow *flow)
{
	for (size_t i = 0; i < flow->word_count; i++)
		if (flow->words[i].address)
			flow_edge(flow, PLACE_READ, flow->words[i].place);
		else if (!flow->words[i].operand)
			flow->places[flow->words[i].place].from |= flow->loaded;
}

/* An instruction with an address, of which only the operands before `written` are written, and
 * those from `read` on are read. */
static void flow_store(struct access_flow *flow, uint32_t written, uint32_t read)
{
	for (size_t i = 0; i < flow->word_count; i++) {
		const struct access_word *word = &flow->words[i];

		if (!word->address) {
			flow_edge(flow, PLACE_ESCAPED, word->place);
			continue;
		}
		if (word->operand < written)
			flow_edge(flow, PLACE_STORED, word->place);
		if (word->operand >= read)
			flow_edge(flow, PLACE_READ, word->place);
	}
}

static void flow_compute(struct access_flow *flow)
{
	for (size_t i = 0; i < flow->word_count && !flow->words[i].operand; i++)
		for (size_t k = i + 1; k < flow->word_count; k++)
			if (flow->words[k].operand)
				flow_edge(flow, flow->words[i].place, flow->words[k].place);
}

static void flow_escape(struct access_flow *flow)
{
	for (size_t i = 0; i < flow->word_count; i++)
		flow_edge(flow, PLACE_ESCAPED, flow->words[i].place);
}

static bool has_address(const struct access_flow *flow)
{
	for (size_t i = 0; i < flow->word_count; i++)
		if (flow->words[i].address)
			return true;
	return false;
}

/* Reads an instruction, from its opcode to the ';'. */
static void flow_instruction(struct access_flow *flow, struct ptx_scan *scan)
{
	const struct ptx_scan opcode = *scan;
	const bool loads = opcode_is(&opcode, "ld") || opcode_is(&opcode, "ldu") ||
			   opcode_is(&opcode, "ldmatrix") || opcode_is(&opcode, "wmma.load");

	ptx_scan_next(scan);
	take_operands(flow, scan, opcode_is(&opcode, "ld.param"));
	if (loads)
		flow_load(flow);
	else if (opcode_is(&opcode, "call"))
		flow_escape(flow);
	else if (opcode_is(&opcode, "cp.async.ca") || opcode_is(&opcode, "cp.async.cg"))
		flow_store(flow, 1, 1);
	else if (opcode_is(&opcode, "st") || opcode_is(&opcode, "wmma.store"))
		flow_store(flow, UINT32_MAX, UINT32_MAX);
	else if (has_address(flow) && !opcode_is(&opcode, "prefetch") &&
		 !opcode_is(&opcode, "prefetchu"))
		flow_store(flow, UINT32_MAX, 0);
	else if (!has_address(flow) && !opcode_is(&opcode, "setp"))
		flow_compute(flow);
}

/* ---- a kernel ---- */

/* Reads the names in "(.param .u64 .ptr .align 1 NAME, .param .align 4 .b8 NAME[24])". */
static void take_parameter_names(struct access_flow *flow, struct ptx_scan *scan)
{
	struct access_place last = {"", 0, 0};
	bool array = false;

	for (bool more = true; more; ptx_scan_next(scan)) {
		more = scan->length && !ptx_scan_is(scan, ")");
		array |= ptx_scan_is(scan, "[");
		if (!more || ptx_scan_is(scan, ",")) {
			if (flow->parameter_count < ACCESS_PARAMETERS)
				flow->parameters[flow->parameter_count++] = last;
			else
				flow->unknown = true;
			array = false;
		} else if (!array && ptx_word_byte(*scan->token)) {
			last = (struct access_place){scan->token, scan->length, 0};
		}
	}
}

/* A line ".loc 1 2 3" has no ';'. */
static void skip_directive(struct ptx_scan *scan)
{
	const bool line_only = ptx_scan_is(scan, ".loc");
	const size_t line = scan->line;

	while (scan->length && !ptx_scan_is(scan, ";") && !(line_only && scan->line != line))
		ptx_scan_next(scan);
}

static bool scan_is_label(const struct ptx_scan *scan)
{
	const char *c = scan->next;

	while (isspace((unsigned char)*c))
		c++;
	return c[0] == ':' && c[1] != ':';
}

/* Reads a body, from behind its '{' to its '}'. */
static void flow_body(struct access_flow *flow, struct ptx_scan *scan)
{
	for (size_t depth = 1; scan->length && depth;) {
		if (ptx_scan_is(scan, "{")) {
			depth++;
		} else if (ptx_scan_is(scan, "}")) {
			depth--;
		} else if (ptx_scan_is(scan, "@")) {
			ptx_scan_next(scan); /* the guard, perhaps behind '!' */
			if (ptx_scan_is(scan, "!"))
				ptx_scan_next(scan);
		} else if (*scan->token == '.') {
			skip_directive(scan);
			if (!ptx_scan_is(scan, ";"))
				continue;
		} else if (ptx_word_byte(*scan->token) && !scan_is_label(scan)) {
			flow_instruction(flow, scan);
		}
		ptx_scan_next(scan);
	}
}

static void flow_spread(struct access_flow *flow)
{
	bool changed = true;

	for (size_t round = 0; changed && !flow->unknown; round++) {
		changed = false;
		for (size_t i = 0; i < flow->edge_count; i++) {
			uint64_t *to = &flow->places[flow->edges[i].to].from;
			const uint64_t more = *to | flow->places[flow->edges[i].from].from;

			changed |= more != *to;
			*to = more;
		}
		flow->unknown = round == ACCESS_ROUNDS;
	}
}

static enum pointer_access flow_access(const struct access_flow *flow, uint64_t bit)
{
	const bool escaped = flow->places[PLACE_ESCAPED].from & bit;

	if (!(flow->places[PLACE_STORED].from & bit))
		return escaped ? POINTER_UNKNOWN : POINTER_NEVER_WRITTEN;
	return escaped || (flow->places[PLACE_READ].from & bit) ? POINTER_WRITTEN
								: POINTER_ONLY_WRITTEN;
}

static struct compiled_entry *entry_named(struct compiled_entry *entries, size_t count,
					  const struct ptx_scan *scan)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(entries[i].name) == scan->length &&
		    !memcmp(entries[i].name, scan->token, scan->length))
			return &entries[i];
	return NULL;
}

/* Reads a kernel, from its name to its '}' or the ';' of a declaration. */
static void access_read_kernel(struct access_flow *flow, struct ptx_scan *scan,
			       struct compiled_entry *entries, size_t count)
{
	struct compiled_entry *entry = entry_named(entries, count, scan);

	flow_begin(flow);
	ptx_scan_next(scan);
	if (ptx_scan_is(scan, "(")) {
		ptx_scan_next(scan);
		take_parameter_names(flow, scan);
	}
	while (scan->length && !ptx_scan_is(scan, "{") && !ptx_scan_is(scan, ";"))
		ptx_scan_next(scan);
	if (!entry || !ptx_scan_is(scan, "{"))
		return;
	ptx_scan_next(scan);
	flow_body(flow, scan);
	entry->dimensions = flow->dimensions;
	flow_spread(flow);
	for (size_t i = 0; i < entry->parameter_count && !flow->unknown &&
			   flow->parameter_count >= entry->parameter_count;
	     i++)
		entry->access[i] = flow_access(flow, UINT64_C(1) << i);
}

void ptx_access_read(struct compiled_entry *entries, size_t count, const char *text)
{
	struct access_flow *flow = xcalloc(1, sizeof(*flow));
	struct ptx_scan scan = {.next = text, .line = 1};

	for (size_t i = 0; i < count; i++) {
		free(entries[i].access);
		entries[i].access =
			xcalloc(entries[i].parameter_count + 1, sizeof(*entries[i].access));
	}
	for (ptx_scan_next(&scan); scan.length;) {
		const bool kernel = ptx_scan_is(&scan, ".entry");

		ptx_scan_next(&scan);
		if (kernel)
			access_read_kernel(flow, &scan, entries, count);
	}
	free(flow->places);
	free(flow->slots);
	free(flow->edges);
	free(flow);
}

int compiled_access_read(struct compiled *compiled, struct error *err)
{
	char *text = NULL;
	size_t length;
	int rc = compiled->ptx ? read_file(&text, &length, compiled->ptx, COMPILE_IMAGE_LIMIT, err)
			       : 0;

	if (!rc)
		ptx_access_read(compiled->entries, compiled->entry_count, text ? text : "");
	free(text);
	return rc;
}
