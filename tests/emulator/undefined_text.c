/* Writes the programs of undefined_program.h as PTX. */
#include "undefined_program.h"

#include <inttypes.h>
#include <string.h>

static const char head[] =
	".version 8.5\n"
	".target sm_90\n"
	".address_size 64\n"
	".func (.param .b32 o) f0(.param .b32 x, .param .b32 y)\n{\n.reg .b32 %r<4>;\n"
	"ld.param.b32 %r1, [x];\nst.param.b32 [o], %r1;\nret;\n}\n"
	".func (.param .b32 o) f1(.param .b32 x, .param .b32 y)\n{\n.reg .b32 %r<4>;\n"
	".local .align 4 .b8 l[4];\n"
	"ld.param.b32 %r1, [x];\nst.local.b32 [l], %r1;\nld.local.b32 %r2, [l];\n"
	"st.param.b32 [o], %r2;\nret;\n}\n"
	".func (.param .b32 o) f2(.param .b32 x, .param .b32 y)\n{\n.reg .b32 %r<4>;\n"
	"ld.param.b32 %r1, [x];\nld.param.b32 %r2, [y];\nprmt.b32 %r3, %r1, %r2, 0x5410;\n"
	"st.param.b32 [o], %r3;\nret;\n}\n"
	".func (.param .b32 o) f3(.param .b32 x, .param .b32 y)\n{\n.reg .b32 %r<4>;\n"
	".reg .pred %p<2>;\n"
	"ld.param.b32 %r1, [x];\nand.b32 %r1, %r1, 1;\nsetp.ne.u32 %p1, %r1, 0;\n"
	"mov.b32 %r2, 7;\n"
	"@!%p1 bra OVER;\n"
	"ld.param.b32 %r2, [y];\n"
	"OVER:\nst.param.b32 [o], %r2;\nret;\n}\n";
const uint32_t undefined_branch_line = 38;

static const char registers[] = ".reg .pred %p<6>;\n.reg .b16 %h<4>;\n.reg .b32 %r<10>;\n"
				".reg .b64 %d<4>;\n.reg .f32 %f<6>;\n.reg .b64 %a<9>;\n"
				".reg .b64 %g<9>;\n.reg .b32 %t<12>;\n.reg .b64 %u<4>;\n"
				".reg .pred %q<12>;\n.reg .b32 %c<8>;\n.reg .b32 %b<8>;\n";

/* Where the slots are. `threads` of a block; %t1 is the thread, %t2 the one in the grid. */
static void add_bases(struct text *out, const struct undefined_program *program)
{
	const unsigned threads = 32 * program->warps;

	text_addf(out, ".local .align 16 .b8 loc[%d];\n.shared .align 16 .b8 sh[%u];\n",
		  UNDEFINED_SLOT, threads * UNDEFINED_SLOT);
	text_addf(out,
		  "mov.u32 %%r0, %%tid.x;\nmov.u32 %%t0, %%ctaid.x;\n"
		  "mad.lo.u32 %%t0, %%t0, %u, %%r0;\nmov.u64 %%a0, loc;\ncvta.local.u64 %%g0, "
		  "%%a0;\n",
		  threads);
	for (int i = 0; i < 3; i++)
		text_addf(out,
			  "add.u32 %%t1, %%r0, %d;\nrem.u32 %%t1, %%t1, %u;\n"
			  "mul.wide.u32 %%u0, %%t1, %d;\nmov.u64 %%a%d, sh;\n"
			  "add.u64 %%a%d, %%a%d, %%u0;\ncvta.shared.u64 %%g%d, %%a%d;\n",
			  i == 2 ? 32 : i, threads, UNDEFINED_SLOT, BASE_SHARED + i,
			  BASE_SHARED + i, BASE_SHARED + i, BASE_SHARED + i, BASE_SHARED + i);
	text_add(out, "ld.param.u64 %u1, [out];\nld.param.u64 %u2, [in];\n");
	text_addf(out,
		  "add.u32 %%t1, %%r0, 1;\nrem.u32 %%t1, %%t1, %u;\n"
		  "sub.u32 %%t2, %%t0, %%r0;\nadd.u32 %%t1, %%t1, %%t2;\n"
		  "add.u32 %%t2, %%t0, %u;\nrem.u32 %%t2, %%t2, %u;\n",
		  threads, threads, threads * program->blocks);
	for (int i = 0; i < 4; i++) {
		const int base = BASE_OUT + i;

		text_addf(out,
			  "mul.wide.u32 %%u0, %%t%d, %d;\nadd.u64 %%a%d, %%u%d, %%u0;\n"
			  "mov.u64 %%g%d, %%a%d;\n",
			  i % 3, UNDEFINED_SLOT, base, base == BASE_IN ? 2 : 1, base, base);
	}
}

struct writer {
	struct text *out;
	uint32_t line; /* the next one */
	size_t counted;
	unsigned labels, depth;
};

/* ---- operands ---- */

static void add_operand(struct text *out, const struct undefined_operand *operand)
{
	if (operand->immediate)
		text_addf(out, "%" PRId64, operand->value);
	else
		text_addf(out, "%%%c%u", "phrdf"[operand->of], operand -> index);
}

static void add_operands(struct text *out, const struct undefined_operand *operands, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		if (i)
			text_add(out, ", ");
		add_operand(out, &operands[i]);
	}
}

static void add_group(struct text *out, const struct undefined_operand *operands, unsigned count)
{
	text_add(out, "{");
	add_operands(out, operands, count);
	text_add(out, "}");
}

static void add_place(struct text *out, const struct undefined_node *node)
{
	text_addf(out, "[%%%c%d+%" PRId64 "]", node->generic ? 'g' : 'a', node->base, node->offset);
}

static const char *space_suffix(const struct undefined_node *node)
{
	static const char *const names[] = {".local", ".shared", ".global", ".global"};

	return node->generic ? "" : names[node->space];
}

/* ---- operations ---- */

static void add_simple(struct text *out, const struct undefined_node *node)
{
	static const struct {
		const char *name;
		unsigned sources;
	} simple[] = {
#define X(symbol, name, sources, result, narrow) {name, sources},
		SIMPLE_LIST(X)
#undef X
	};
	const char *name = simple[node->op].name, *width = strstr(name, "%u");

	if (width)
		text_addf(out, "%.*s%u%s ", (int)(width - name), name, class_bits[node->of],
			  width + 2);
	else
		text_addf(out, "%s ", name);
	add_operands(out, node->d, 1);
	text_add(out, ", ");
	add_operands(out, node->s, simple[node->op].sources);
	text_add(out, ";\n");
}

static void add_access(struct text *out, const struct undefined_node *node)
{
	const bool load = node->op == DO_LOAD;

	text_addf(out, "%s%s", load ? "ld" : "st", space_suffix(node));
	if (node->count > 1)
		text_addf(out, ".v%u", node->count);
	text_addf(out, ".%c%u ", load ? node->is_signed ? 's' : 'u' : 'b', 8 * node->bytes);
	if (!load) {
		add_place(out, node);
		text_add(out, ", ");
	}
	if (node->count > 1)
		add_group(out, load ? node->d : node->s, node->count);
	else
		add_operand(out, load ? node->d : node->s);
	if (load) {
		text_add(out, ", ");
		add_place(out, node);
	}
	text_add(out, ";\n");
}

static void add_address(struct text *out, const struct undefined_node *node)
{
	text_add(out, "and.b32 %t0, ");
	add_operand(out, &node->s[0]);
	text_addf(out,
		  ", %" PRId64 ";\ncvt.u64.u32 %%u0, %%t0;\nadd.s64 %%a%d, %%a%d, %%u0;\n"
		  "add.s64 %%g%d, %%g%d, %%u0;\n",
		  node->mask, BASE_COMPUTED, node->base, BASE_COMPUTED, node->base);
}

static void add_atomic(struct text *out, const struct undefined_node *node)
{
	text_addf(out, "%s%s.add.u32 ", node->op == DO_ATOMIC ? "atom" : "red", space_suffix(node));
	if (node->op == DO_ATOMIC) {
		add_operand(out, &node->d[0]);
		text_add(out, ", ");
	}
	add_place(out, node);
	text_add(out, ", ");
	add_operand(out, &node->s[0]);
	text_add(out, ";\n");
}

static void add_copy(struct text *out, const struct undefined_node *node)
{
	text_addf(out, "cp.async.ca.shared.global [%%a%d+%" PRId64 "], ", BASE_SHARED, node->mask);
	add_place(out, node);
	text_addf(out, ", %u;\ncp.async.wait_all;\n", node->bytes);
}

static const char *const shuffles[] = {"idx", "up", "down", "bfly"};

static void add_shuffle(struct text *out, const struct undefined_node *node)
{
	text_add(out, "activemask.b32 %t0;\nvote.sync.ballot.b32 %t1, ");
	add_operand(out, &node->s[2]);
	text_add(out, ", %t0;\n@");
	add_operand(out, &node->s[2]);
	text_addf(out, " shfl.sync.%s.b32 ", shuffles[node->count]);
	add_operand(out, &node->d[0]);
	text_add(out, "|");
	add_operand(out, &node->d[1]);
	text_add(out, ", ");
	add_operands(out, node->s, 2);
	text_addf(out, ", %" PRId64 ", %%t1;\n", node->mask);
}

static void add_call(struct text *out, const struct undefined_node *node)
{
	text_add(out, "{ .param .b32 x; .param .b32 y; .param .b32 o;\nst.param.b32 [x], ");
	add_operand(out, &node->s[0]);
	text_add(out, ";\nst.param.b32 [y], ");
	add_operand(out, &node->s[1]);
	text_addf(out, ";\ncall (o), f%" PRId64 ", (x, y);\nld.param.b32 ", node->mask);
	add_operand(out, &node->d[0]);
	text_add(out, ", [o]; }\n");
}

static void add_product(struct text *out, const struct undefined_node *node)
{
	const bool small = node->op == DO_MMA8, half = node->op == DO_MMA_HALF;
	const unsigned a = small ? 1 : 4, b = small ? 1 : 2, c = small ? 2 : 4;

	for (unsigned i = 0; half && i < a + b; i++) {
		text_addf(out, "and.b32 %%t%u, ", i);
		add_operand(out, &node->s[i]);
		text_add(out, ", 0x04000400;\n");
	}
	text_addf(out, "mma.sync.aligned.%s ",
		  small  ? "m8n8k16.row.col.s32.s8.s8.s32"
		  : half ? "m16n8k16.row.col.f32.f16.f16.f32"
			 : "m16n8k32.row.col.s32.s8.s8.s32");
	add_group(out, node->d, c);
	text_add(out, ", ");
	if (half) {
		text_add(out, "{%t0, %t1, %t2, %t3}, {%t4, %t5}");
	} else {
		add_group(out, node->s, a);
		text_add(out, ", ");
		add_group(out, node->s + a, b);
	}
	text_add(out, ", ");
	add_group(out, node->s + a + b, c);
	text_add(out, ";\n");
}

static void add_matrices(struct text *out, const struct undefined_node *node)
{
	const bool load = node->op == DO_LDMATRIX;

	text_addf(out, "%s.sync.aligned.m8n8.x%u%s.shared.b16 ", load ? "ldmatrix" : "stmatrix",
		  node->count, node->is_signed ? ".trans" : "");
	if (load) {
		add_group(out, node->d, node->count);
		text_add(out, ", ");
	}
	add_place(out, node);
	if (!load) {
		text_add(out, ", ");
		add_group(out, node->s, node->count);
	}
	text_add(out, ";\n");
}

static void add_warp_wide(struct text *out, const struct undefined_node *node)
{
	const bool vote = node->op == DO_VOTE;

	text_addf(out, "activemask.b32 %%t0;\n%s ",
		  vote ? "vote.sync.ballot.b32" : "redux.sync.add.s32");
	add_operand(out, &node->d[0]);
	text_add(out, ", ");
	add_operand(out, &node->s[0]);
	text_add(out, ", %t0;\n");
}

static void add_conversion(struct text *out, const struct undefined_node *node)
{
	text_addf(out, "cvt%s.%c%u.%c%u ", node->saturates ? ".sat" : "",
		  node->to_signed ? 's' : 'u', node->to_bits, node->is_signed ? 's' : 'u',
		  node->from_bits);
	add_operand(out, &node->d[0]);
	text_add(out, ", ");
	add_operand(out, &node->s[0]);
	text_add(out, ";\n");
}

static void add_plain(struct text *out, const struct undefined_node *node)
{
	switch (node->op) {
	case DO_CVT:
		add_conversion(out, node);
		break;
	case DO_PACK:
	case DO_UNPACK:
		text_addf(out, "mov.b%u ", class_bits[node->of]);
		if (node->op == DO_PACK)
			add_operand(out, &node->d[0]);
		else
			add_group(out, node->d, 2);
		text_add(out, ", ");
		if (node->op == DO_PACK)
			add_group(out, node->s, 2);
		else
			add_operand(out, &node->s[0]);
		text_add(out, ";\n");
		break;
	case DO_LOAD:
	case DO_STORE:
		add_access(out, node);
		break;
	case DO_ADDRESS:
		add_address(out, node);
		break;
	case DO_ATOMIC:
	case DO_REDUCE:
		add_atomic(out, node);
		break;
	case DO_COPY:
		add_copy(out, node);
		break;
	case DO_SHUFFLE:
		add_shuffle(out, node);
		break;
	case DO_VOTE:
	case DO_REDUX:
		add_warp_wide(out, node);
		break;
	case DO_CALL:
		add_call(out, node);
		break;
	case DO_MMA8:
	case DO_MMA16:
	case DO_MMA_HALF:
		add_product(out, node);
		break;
	case DO_LDMATRIX:
	case DO_STMATRIX:
		add_matrices(out, node);
		break;
	case DO_MOVMATRIX:
		text_add(out, "movmatrix.sync.aligned.m8n8.trans.b16 ");
		add_operand(out, &node->d[0]);
		text_add(out, ", ");
		add_operand(out, &node->s[0]);
		text_add(out, ";\n");
		break;
	default:
		add_simple(out, node);
	}
}

/* ---- the tree ---- */

static uint32_t current_line(struct writer *writer)
{
	for (; writer->counted < writer->out->length; writer->counted++)
		writer->line += writer->out->data[writer->counted] == '\n';
	return writer->line;
}

static void add_nodes(struct writer *writer, struct undefined_node *nodes, size_t count);

static void add_choice(struct writer *writer, struct undefined_node *node)
{
	const unsigned label = writer->labels++;

	text_addf(writer->out, "@%s%%p%u bra ELSE%u;\n", node->guard_not ? "" : "!", node->guard,
		  label);
	add_nodes(writer, node->then, node->then_count);
	text_addf(writer->out, "bra END%u;\nELSE%u:\n", label, label);
	add_nodes(writer, node->otherwise, node->else_count);
	text_addf(writer->out, "END%u:\n", label);
}

static void add_loop(struct writer *writer, struct undefined_node *node)
{
	const unsigned label = writer->labels++, depth = writer->depth++;

	text_addf(writer->out, "and.b32 %%b%u, ", depth);
	add_operand(writer->out, &node->s[0]);
	text_addf(writer->out, ", 3;\nmov.b32 %%c%u, 0;\nLOOP%u:\n", depth, label);
	add_nodes(writer, node->then, node->then_count);
	text_addf(writer->out, "add.u32 %%c%u, %%c%u, 1;\nsetp.lt.u32 %%q%u, %%c%u, %%b%u;\n",
		  depth, depth, depth, depth, depth);
	node->line = current_line(writer);
	text_addf(writer->out, "@%%q%u bra LOOP%u;\n", depth, label);
	writer->depth--;
}

static void add_nodes(struct writer *writer, struct undefined_node *nodes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		nodes[i].line = current_line(writer);
		if (nodes[i].op == DO_IF) {
			add_choice(writer, &nodes[i]);
			continue;
		}
		if (nodes[i].op == DO_LOOP) {
			add_loop(writer, &nodes[i]);
			continue;
		}
		if (nodes[i].guarded)
			text_addf(writer->out, "@%s%%p%u ", nodes[i].guard_not ? "!" : "",
				  nodes[i].guard);
		add_plain(writer->out, &nodes[i]);
	}
}

static void add_launch(struct writer *writer, struct undefined_program *program, unsigned number)
{
	for (unsigned i = 0; i < program->segment_count[number]; i++) {
		struct undefined_segment *segment = &program->segments[number][i];

		if (i)
			text_add(writer->out, "bar.sync 0;\n");
		add_nodes(writer, segment->nodes, segment->count);
	}
	text_add(writer->out, "ret;\n");
}

void undefined_text(struct text *out, struct undefined_program *program)
{
	struct writer writer = {.out = out, .line = 1, .counted = out->length};

	text_add(out, head);
	text_add(out, ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n");
	text_add(out, registers);
	add_bases(out, program);
	text_addf(out,
		  "ld.global.u32 %%t0, [%%a%d];\nadd.u32 %%t1, %%t0, 1;\n"
		  "st.global.u32 [%%a%d], %%t1;\nsetp.ne.u32 %%q0, %%t0, 0;\n@%%q0 bra SECOND;\n",
		  BASE_IN, BASE_IN);
	add_launch(&writer, program, 0);
	text_add(out, "SECOND:\n");
	add_launch(&writer, program, 1);
	text_add(out, "}\n");
}
