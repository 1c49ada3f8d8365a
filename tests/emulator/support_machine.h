/* What tests of the machine share: a PTX kernel executed on both sets of handlers. */
#ifndef TESTS_EMULATOR_SUPPORT_MACHINE_H
#define TESTS_EMULATOR_SUPPORT_MACHINE_H

#include "emulator/emulator.h"
#include "emulator/tensor_map.h"

/* cmocka.h needs these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define MACHINE_HEADER ".version 8.0\n.target sm_90\n.address_size 64\n"
#define MACHINE_REGISTERS                                             \
	".reg .pred %p<10>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<20>;\n" \
	".reg .f32 %f<10>;\n"
/*
 * An entry k with the given statements, after MACHINE_PROLOGUE instructions that leave in %rd1
 * out, in %rd2 in, in %r2 n, in %r1 %tid.x and in %rd3 the address of out[%tid.x].
 */
#define MACHINE_ENTRY(body)                                                                        \
	".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n" MACHINE_REGISTERS \
	"ld.param.u64 %rd1, [out];\nld.param.u64 %rd2, [in];\nld.param.u32 %r2, [n];\n"            \
	"mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd3, %rd1, %rd3;\n" body "}\n"
#define MACHINE_KERNEL(body) MACHINE_HEADER MACHINE_ENTRY(body)
#define MACHINE_PROLOGUE 6
/* MACHINE_KERNEL with a tensor map as the last parameter, whose generic address is in %rd9. */
#define MACHINE_MAP_KERNEL(body)                                                        \
	MACHINE_HEADER                                                                  \
	".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n, "            \
	".param .align 128 .b8 map[128])\n{\n" MACHINE_REGISTERS                        \
	"ld.param.u64 %rd1, [out];\nld.param.u64 %rd2, [in];\nld.param.u32 %r2, [n];\n" \
	"mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd3, %rd1, %rd3;\n" \
	"mov.b64 %rd9, map;\ncvta.param.u64 %rd9, %rd9;\n" body "}\n"

struct machine_case {
	const char *ptx;
	/* NULL: k, as MACHINE_ENTRY has it. Else a kernel (float *out, long long n); it alone is
	 * decoded, with what it calls. */
	const char *entry;
	int64_t grid[3], block[3]; /* zeroes: 1 */
	int64_t cluster[3];        /* as in struct emulated_launch */
	int64_t shared_bytes;
	uint32_t n;
	size_t out_words; /* 0: as many as threads of a block */
	const uint32_t *in;
	size_t in_words;
	uint64_t max_instructions; /* 0: a million */
	int64_t end_ns;            /* as in struct emulated_launch */
	const int64_t *blocks;
	size_t block_count;
	int64_t checked_blocks;
	bool check_global;
	int64_t check_most_bytes;
	bool out_unwritten; /* out is no memory that the host has filled */
	bool out_unread;    /* nobody asks whether it holds undefined values */
	bool cooperative;
	int64_t resident_blocks;
	/* The map of MACHINE_MAP_KERNEL, or of an entry with its parameters. Its address counts
	 * from `in`, or from `out`. */
	const struct tensor_map *map;
	bool map_of_out;
	int64_t sm_count; /* as in struct emulated_launch */
	int launches;     /* 0: 1; launches of the same emulation, after which leaks are findings */
};

struct machine_result {
	uint32_t *out;
	struct emulated_counts counts;
	struct line_count_list lines;
	struct finding_list findings, notes;
	struct text printed;
};

/*
 * Parses, decodes and launches; all of it must succeed, and do the same on every set of handlers
 * that is here. Release the result.
 */
struct machine_result machine_run(const struct machine_case *work);
/* Runs a launch that must be refused. Returns its code; the message is in *err. */
int machine_refused(const struct machine_case *work, struct error *err);
void machine_release(struct machine_result *result);

/* Exactly one finding, of that kind, at that place, whose text has those words. */
void assert_finding(const struct machine_result *result, enum finding_kind kind, uint32_t ptx_line,
		    const char *words);
/* Both findings have one kind and place, and were reported equally often. The texts may differ. */
void assert_same_finding(const struct finding *a, const struct finding *b);
/* The PTX line (from 1) that begins with these words, spaces apart. */
uint32_t line_with(const char *ptx, const char *words);

#endif
