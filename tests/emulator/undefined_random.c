/* Makes random programs of undefined_program.h. */
#include "undefined_program.h"

#include <stdlib.h>
#include <string.h>

/* What the threads of a block do to slots between two barriers. */
enum segment_mode {
	MODE_OWN,    /* read and write their own */
	MODE_READ,   /* read all */
	MODE_MATRIX, /* stmatrix to shared memory */
	MODE_REDUCE, /* red to those of others */
};

struct maker {
	uint64_t state;
	enum segment_mode mode;
	bool across;          /* nobody writes `out` in this launch, so all may read all of it */
	unsigned risk, holes; /* per cent: uses of any register; registers left unwritten */
	unsigned depth, nodes;
};
#define MOST_NODES 70
#define MOST_DEPTH 3

static unsigned below(struct maker *maker, unsigned count)
{
	maker->state = maker->state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (unsigned)((maker->state >> 33) % count);
}

static bool chance(struct maker *maker, unsigned per_cent)
{
	return below(maker, 100) < per_cent;
}

struct node_list {
	struct undefined_node *items;
	size_t count, capacity;
};

static struct undefined_node *add_node(struct maker *maker, struct node_list *list,
				       enum undefined_op op, enum undefined_class of)
{
	struct undefined_node *node;

	list->items = xgrow(list->items, &list->capacity, list->count + 1, sizeof(*list->items));
	node = &list->items[list->count++];
	*node = (struct undefined_node){.op = op, .of = of, .count = 1};
	maker->nodes++;
	return node;
}

/* ---- operands ---- */

/* Registers 0 and 1 of each class are written once, at the beginning, and have no undefined bits.
 */
#define CLEAN_REGISTERS 2

static struct undefined_operand any_register(struct maker *maker, enum undefined_class of)
{
	return (struct undefined_operand){.of = of, .index = below(maker, class_registers[of])};
}

static struct undefined_operand target(struct maker *maker, enum undefined_class of)
{
	return (struct undefined_operand){
		.of = of,
		.index = CLEAN_REGISTERS + below(maker, class_registers[of] - CLEAN_REGISTERS)};
}

/* A register whose value is used. */
static struct undefined_operand used(struct maker *maker, enum undefined_class of)
{
	if (chance(maker, maker->risk))
		return any_register(maker, of);
	return (struct undefined_operand){.of = of, .index = below(maker, CLEAN_REGISTERS)};
}

static struct undefined_operand constant(struct maker *maker, enum undefined_class of)
{
	static const int64_t values[] = {0,      1,      2,      3,      4,      7,    8,
					 15,     16,     24,     31,     0xff,   0xf0, -1,
					 0xff00, 0xffff, 0x5410, 0x3210, 0xb3a8, 32};
	const int64_t value = of == CLASS_F ? 0 : values[below(maker, ARRAY_SIZE(values))];

	return (struct undefined_operand){.immediate = true, .of = of, .value = value};
}

static void take_group(struct maker *maker, struct undefined_operand *out, enum undefined_class of,
		       unsigned count)
{
	const unsigned span = class_registers[of] - CLEAN_REGISTERS, first = below(maker, span);

	for (unsigned i = 0; i < count; i++)
		out[i] = (struct undefined_operand){.of = of,
						    .index = CLEAN_REGISTERS + (first + i) % span};
}

static void maybe_guard(struct maker *maker, struct undefined_node *node)
{
	node->guarded = chance(maker, 12);
	node->guard = used(maker, CLASS_P).index;
	node->guard_not = chance(maker, 50);
}

/* ---- operations of a lane ---- */

static const struct {
	unsigned sources;
	enum undefined_class result;
	unsigned narrow;
} simple[] = {
#define X(symbol, name, sources, result, narrow) {sources, result, narrow},
	SIMPLE_LIST(X)
#undef X
};

static enum undefined_class class_for(struct maker *maker, enum undefined_op op)
{
	if (op >= DO_PMOV)
		return CLASS_P;
	if (op == DO_MOV || op == DO_SELP)
		return CLASS_H + below(maker, 4);
	if (op >= DO_SHF_L)
		return CLASS_R;
	if (op >= DO_BFE_U)
		return CLASS_R + below(maker, 2);
	return chance(maker, 50) ? CLASS_R : CLASS_H + below(maker, 3);
}

static void add_simple(struct maker *maker, struct node_list *list, enum undefined_op op)
{
	const enum undefined_class of = class_for(maker, op);
	struct undefined_node *node = add_node(maker, list, op, of);
	const unsigned sources = simple[op].sources;

	node->d[0] = target(maker, simple[op].result == CLASS_COUNT ? of : simple[op].result);
	for (unsigned i = 0; i < sources; i++) {
		const enum undefined_class from = simple[op].narrow >> i & 1 ? CLASS_R : of;
		const bool fixed = of != CLASS_P && i && chance(maker, 60);

		node->s[i] = fixed ? constant(maker, from) : any_register(maker, from);
	}
	if (op == DO_SELP)
		node->s[2] = any_register(maker, CLASS_P);
	if (op == DO_LOP3)
		node->s[3] = (struct undefined_operand){
			.immediate = true, .of = CLASS_R, .value = below(maker, 256)};
	maybe_guard(maker, node);
}

static void add_conversion(struct maker *maker, struct node_list *list)
{
	struct undefined_node *node = add_node(maker, list, DO_CVT, CLASS_R);
	const enum undefined_class from = CLASS_H + below(maker, 3), to = CLASS_H + below(maker, 3);

	node->from_bits = class_bits[from] >> below(maker, 2);
	node->to_bits = class_bits[to] >> below(maker, 2);
	node->is_signed = chance(maker, 50);
	node->to_signed = chance(maker, 50);
	/* PTX has no saturation to a type that holds all values. */
	node->saturates = to < from && chance(maker, 40);
	if (node->saturates) {
		node->to_bits = class_bits[to];
		node->from_bits = class_bits[from];
	}
	node->d[0] = target(maker, to);
	node->s[0] = any_register(maker, from);
	maybe_guard(maker, node);
}

static void add_packing(struct maker *maker, struct node_list *list)
{
	const enum undefined_class of = CLASS_R + below(maker, 2);
	struct undefined_node *node =
		add_node(maker, list, chance(maker, 50) ? DO_PACK : DO_UNPACK, of);

	if (node->op == DO_PACK) {
		node->d[0] = target(maker, of);
		node->s[0] = any_register(maker, of - 1);
		node->s[1] = any_register(maker, of - 1);
	} else {
		take_group(maker, node->d, of - 1, 2);
		node->s[0] = any_register(maker, of);
	}
	maybe_guard(maker, node);
}

/* ---- memory ---- */

static bool may_access(const struct maker *maker, enum undefined_base base, bool write)
{
	switch (base) {
	case BASE_LOCAL:
		return true;
	case BASE_IN:
		return !write;
	case BASE_SHARED:
		return maker->mode == MODE_OWN || (maker->mode == MODE_READ && !write);
	case BASE_SHARED_NEXT:
	case BASE_SHARED_WARP:
		return maker->mode == MODE_READ && !write;
	case BASE_OUT:
		if (write)
			return !maker->across &&
			       (maker->mode == MODE_OWN || maker->mode == MODE_MATRIX);
		return maker->across || maker->mode != MODE_REDUCE;
	case BASE_OUT_NEXT:
		return !write && (maker->across || maker->mode == MODE_READ);
	default:
		return !write && maker->across;
	}
}

static const enum undefined_space spaces[] = {IN_LOCAL, IN_SHARED, IN_SHARED, IN_SHARED,
					      IN_OUT,   IN_OUT,    IN_OUT,    IN_IN};

static enum undefined_base take_base(struct maker *maker, bool write)
{
	for (;;) {
		const enum undefined_base base = below(maker, BASE_COMPUTED);

		if (may_access(maker, base, write))
			return base;
	}
}

/* The first word of a slot of `in` is not data. */
static int64_t take_offset(struct maker *maker, enum undefined_base base, unsigned bytes)
{
	const unsigned first = base == BASE_IN ? 16 : 0;

	return first + bytes * below(maker, (UNDEFINED_SLOT - first) / bytes);
}

/* Where the next access is; it may add an operation that computes the address. */
struct chosen_place {
	enum undefined_base base;
	enum undefined_space space;
	int64_t offset;
};

static struct chosen_place choose_place(struct maker *maker, struct node_list *list,
					enum undefined_base base, unsigned bytes)
{
	struct chosen_place place = {base, spaces[base], take_offset(maker, base, bytes)};
	struct undefined_node *node;

	if (chance(maker, 75))
		return place;
	node = add_node(maker, list, DO_ADDRESS, CLASS_D);
	node->s[0] = used(maker, CLASS_R);
	node->base = base;
	node->mask = bytes << below(maker, 2) & 16 ? 16 : bytes;
	place.base = BASE_COMPUTED;
	if (place.offset + node->mask + bytes > UNDEFINED_SLOT)
		place.offset = base == BASE_IN ? 16 : 0;
	return place;
}

static void set_place(struct maker *maker, struct undefined_node *node, struct chosen_place place)
{
	node->base = place.base;
	node->space = place.space;
	node->offset = place.offset;
	node->generic = chance(maker, 25);
}

static void add_access(struct maker *maker, struct node_list *list, bool write)
{
	static const unsigned char shapes[][2] = {{1, 1}, {2, 1}, {4, 1}, {4, 1}, {8, 1},
						  {2, 2}, {4, 2}, {4, 4}, {8, 2}, {2, 4}};
	const unsigned shape = below(maker, ARRAY_SIZE(shapes));
	const unsigned bytes = shapes[shape][0], count = shapes[shape][1];
	const struct chosen_place place =
		choose_place(maker, list, take_base(maker, write), bytes * count);
	struct undefined_node *node = add_node(maker, list, write ? DO_STORE : DO_LOAD, CLASS_R);
	enum undefined_class of = bytes == 8 ? CLASS_D : bytes == 4 ? CLASS_R : CLASS_H;

	if (bytes < 4 && chance(maker, 50))
		of = CLASS_R;
	set_place(maker, node, place);
	node->bytes = bytes;
	node->count = count;
	node->is_signed = chance(maker, 40);
	if (write)
		for (unsigned i = 0; i < count; i++)
			node->s[i] = any_register(maker, of);
	else
		take_group(maker, node->d, of, count);
	maybe_guard(maker, node);
}

static void add_atomic(struct maker *maker, struct node_list *list)
{
	static const enum undefined_base others[] = {BASE_SHARED_NEXT, BASE_SHARED_WARP,
						     BASE_OUT_NEXT};
	const bool reduce = maker->mode == MODE_REDUCE;
	enum undefined_base base = BASE_LOCAL;
	struct chosen_place place;
	struct undefined_node *node;

	if (reduce)
		base = others[below(maker, maker->across ? 2 : 3)];
	else if (maker->mode == MODE_OWN)
		base = maker->across || chance(maker, 50) ? BASE_SHARED : BASE_OUT;
	if (base == BASE_LOCAL)
		return;
	place = choose_place(maker, list, base, 4);
	node = add_node(maker, list, reduce ? DO_REDUCE : DO_ATOMIC, CLASS_R);
	set_place(maker, node, place);
	node->d[0] = target(maker, CLASS_R);
	node->s[0] = used(maker, CLASS_R);
	maybe_guard(maker, node);
}

static void add_copy(struct maker *maker, struct node_list *list)
{
	const unsigned bytes = 4u << below(maker, 3);
	const bool out = may_access(maker, BASE_OUT, false) && chance(maker, 50);
	struct chosen_place place;
	struct undefined_node *node;

	if (maker->mode != MODE_OWN)
		return;
	place = choose_place(maker, list, out ? BASE_OUT : BASE_IN, bytes);
	node = add_node(maker, list, DO_COPY, CLASS_R);
	set_place(maker, node, place);
	node->generic = false;
	node->bytes = bytes;
	node->mask = take_offset(maker, BASE_SHARED, bytes);
}

/* ---- operations of several lanes ---- */

static void add_shuffle(struct maker *maker, struct node_list *list)
{
	struct undefined_node *node = add_node(maker, list, DO_SHUFFLE, CLASS_R);
	static const int64_t clamps[] = {31, 0, 0x1807, 0x181f};

	node->d[0] = target(maker, CLASS_R);
	node->d[1] = target(maker, CLASS_P);
	node->s[0] = any_register(maker, CLASS_R);
	node->s[1] = chance(maker, 60) ? constant(maker, CLASS_R) : used(maker, CLASS_R);
	node->s[2] = used(maker, CLASS_P);
	node->count = below(maker, 4);
	node->mask = clamps[below(maker, ARRAY_SIZE(clamps))];
}

static void add_wide(struct maker *maker, struct node_list *list, enum undefined_op op)
{
	struct undefined_node *node = add_node(maker, list, op, CLASS_R);

	node->d[0] = target(maker, CLASS_R);
	node->s[0] = used(maker, op == DO_VOTE ? CLASS_P : CLASS_R);
}

static void add_call(struct maker *maker, struct node_list *list)
{
	struct undefined_node *node = add_node(maker, list, DO_CALL, CLASS_R);

	node->mask = below(maker, FUNCTION_COUNT);
	node->d[0] = target(maker, CLASS_R);
	node->s[0] = any_register(maker, CLASS_R);
	node->s[1] = any_register(maker, CLASS_R);
	if (node->mask == FUNCTION_BRANCHES)
		node->s[0] = used(maker, CLASS_R);
}

static void add_product(struct maker *maker, struct node_list *list)
{
	struct undefined_node *node = add_node(maker, list, DO_MMA8 + below(maker, 3), CLASS_R);
	const bool small = node->op == DO_MMA8;
	const unsigned factors = small ? 2 : 6, sums = small ? 2 : 4;
	const enum undefined_class of = node->op == DO_MMA_HALF ? CLASS_F : CLASS_R;

	for (unsigned i = 0; i < factors; i++)
		node->s[i] = any_register(maker, CLASS_R);
	for (unsigned i = 0; i < sums; i++)
		node->s[factors + i] = any_register(maker, of);
	take_group(maker, node->d, of, sums);
}

static void add_matrices(struct maker *maker, struct node_list *list)
{
	struct undefined_node *node;

	if (maker->mode != MODE_READ && maker->mode != MODE_MATRIX) {
		node = add_node(maker, list, DO_MOVMATRIX, CLASS_R);
		node->d[0] = target(maker, CLASS_R);
		node->s[0] = any_register(maker, CLASS_R);
		return;
	}
	node = add_node(maker, list, maker->mode == MODE_READ ? DO_LDMATRIX : DO_STMATRIX, CLASS_R);
	node->count = 1u << below(maker, 3);
	node->is_signed = chance(maker, 50);
	node->base = BASE_SHARED;
	node->space = IN_SHARED;
	node->offset = take_offset(maker, BASE_SHARED, 16);
	take_group(maker, node->d, CLASS_R, node->count);
	for (unsigned i = 0; i < node->count; i++)
		node->s[i] = any_register(maker, CLASS_R);
}

/* ---- lists of operations ---- */

static struct node_list make_list(struct maker *maker, unsigned most);

static void add_choice(struct maker *maker, struct node_list *list)
{
	const unsigned guard = used(maker, CLASS_P).index;
	struct node_list then, otherwise;
	struct undefined_node *node;

	maker->depth++;
	then = make_list(maker, 6);
	otherwise = make_list(maker, chance(maker, 50) ? 4 : 1);
	maker->depth--;
	node = add_node(maker, list, DO_IF, CLASS_P);
	node->guard = guard;
	node->guard_not = chance(maker, 50);
	node->then = then.items;
	node->then_count = then.count;
	node->otherwise = otherwise.items;
	node->else_count = otherwise.count;
}

static void add_loop(struct maker *maker, struct node_list *list)
{
	const struct undefined_operand bound =
		chance(maker, 30) ? constant(maker, CLASS_R) : used(maker, CLASS_R);
	struct node_list body;
	struct undefined_node *node;

	maker->depth++;
	body = make_list(maker, 5);
	maker->depth--;
	node = add_node(maker, list, DO_LOOP, CLASS_R);
	node->s[0] = bound;
	node->then = body.items;
	node->then_count = body.count;
}

static void add_any(struct maker *maker, struct node_list *list)
{
	const unsigned choice = below(maker, 100);

	if (choice < 40)
		add_simple(maker, list, below(maker, SIMPLE_COUNT));
	else if (choice < 46)
		add_conversion(maker, list);
	else if (choice < 51)
		add_packing(maker, list);
	else if (choice < 71)
		add_access(maker, list, chance(maker, 50));
	else if (choice < 74)
		add_atomic(maker, list);
	else if (choice < 76)
		add_copy(maker, list);
	else if (choice < 81)
		add_shuffle(maker, list);
	else if (choice < 83)
		add_wide(maker, list, DO_VOTE + below(maker, 2));
	else if (choice < 86)
		add_call(maker, list);
	else if (choice < 91 && maker->depth < MOST_DEPTH)
		add_choice(maker, list);
	else if (choice < 93 && maker->depth < MOST_DEPTH)
		add_loop(maker, list);
	else if (choice < 97 && !maker->depth)
		add_product(maker, list);
	else if (!maker->depth)
		add_matrices(maker, list);
}

static struct node_list make_list(struct maker *maker, unsigned most)
{
	struct node_list list = {0};
	const unsigned count = below(maker, most + 1);

	for (unsigned i = 0; i < count && maker->nodes < MOST_NODES; i++)
		add_any(maker, &list);
	return list;
}

/* ---- the beginning ---- */

static void add_data(struct maker *maker, struct node_list *list, struct undefined_operand to)
{
	struct undefined_node *node;

	if (to.of == CLASS_P) {
		node = add_node(maker, list, DO_SETP_LT, CLASS_R);
		node->s[0] = (struct undefined_operand){.of = CLASS_R, .index = to.index % 2};
		node->s[1] = constant(maker, CLASS_R);
	} else if (to.of == CLASS_F || chance(maker, 30)) {
		node = add_node(maker, list, DO_MOV, to.of);
		node->s[0] = constant(maker, to.of);
	} else {
		node = add_node(maker, list, DO_LOAD, CLASS_R);
		node->base = BASE_IN;
		node->space = IN_IN;
		node->bytes = class_bits[to.of] / 8;
		node->offset = take_offset(maker, BASE_IN, node->bytes);
	}
	node->d[0] = to;
	if (to.index >= CLEAN_REGISTERS && chance(maker, 20)) {
		node->guarded = true;
		node->guard = below(maker, CLEAN_REGISTERS);
	}
}

/* Predicates come last, for they are comparisons of others. */
static void add_registers(struct maker *maker, struct node_list *list)
{
	static const enum undefined_class order[] = {CLASS_R, CLASS_P, CLASS_H, CLASS_D, CLASS_F};

	for (unsigned i = 0; i < ARRAY_SIZE(order); i++)
		for (unsigned k = order[i] == CLASS_R ? 1 : 0; k < class_registers[order[i]]; k++) {
			struct undefined_operand to = {.of = order[i], .index = k};

			if (order[i] == CLASS_R && k >= CLEAN_REGISTERS)
				break;
			if (k < CLEAN_REGISTERS || !chance(maker, maker->holes))
				add_data(maker, list, to);
		}
	for (unsigned k = CLEAN_REGISTERS; k < class_registers[CLASS_R]; k++)
		if (!chance(maker, maker->holes))
			add_data(maker, list,
				 (struct undefined_operand){.of = CLASS_R, .index = k});
}

static void add_slots(struct maker *maker, struct node_list *list)
{
	static const enum undefined_base bases[] = {BASE_LOCAL, BASE_SHARED, BASE_OUT};

	for (unsigned i = 0; i < ARRAY_SIZE(bases); i++)
		for (unsigned k = 0; may_access(maker, bases[i], true) && k < 4; k++) {
			struct undefined_node *node;

			if (chance(maker, maker->holes))
				continue;
			node = add_node(maker, list, DO_STORE, CLASS_R);
			node->base = bases[i];
			node->space = spaces[bases[i]];
			node->bytes = node->count = 4;
			node->offset = 16 * k;
			for (unsigned n = 0; n < 4; n++)
				node->s[n] = chance(maker, 20) ? any_register(maker, CLASS_R)
							       : (struct undefined_operand){
									 .of = CLASS_R, .index = 1};
		}
}

static void make_launch(struct maker *maker, struct undefined_program *program, unsigned number)
{
	program->segment_count[number] = 1 + below(maker, MOST_SEGMENTS);
	maker->across = number == 1 && chance(maker, 50);
	for (unsigned i = 0; i < program->segment_count[number]; i++) {
		struct node_list list = {0}, rest;

		maker->mode = i ? below(maker, 4) : MODE_OWN;
		maker->nodes = 0;
		if (!i) {
			add_registers(maker, &list);
			add_slots(maker, &list);
		}
		maker->nodes = 0;
		rest = make_list(maker, 24);
		for (size_t k = 0; k < rest.count; k++)
			*add_node(maker, &list, DO_MOV, CLASS_R) = rest.items[k];
		free(rest.items);
		program->segments[number][i].nodes = list.items;
		program->segments[number][i].count = list.count;
	}
}

void undefined_random(struct undefined_program *out, uint64_t seed)
{
	static const unsigned risks[] = {0, 3, 8, 15, 40}, holes[] = {2, 10, 20, 35, 50};
	struct maker maker = {.state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1};

	below(&maker, 2);
	memset(out, 0, sizeof(*out));
	out->seed = seed;
	out->warps = 1 + below(&maker, UNDEFINED_WARPS);
	out->blocks = 1 + below(&maker, UNDEFINED_BLOCKS);
	out->launches = chance(&maker, 30) ? 2 : 1;
	maker.risk = risks[below(&maker, ARRAY_SIZE(risks))];
	maker.holes = holes[below(&maker, ARRAY_SIZE(holes))];
	for (unsigned i = 0; i < out->launches; i++)
		make_launch(&maker, out, i);
	for (size_t i = 0; i < ARRAY_SIZE(out->in); i++)
		if (i % UNDEFINED_WORDS)
			out->in[i] =
				below(&maker, 3) ? below(&maker, 1u << 31) * 2 : below(&maker, 64);
}
