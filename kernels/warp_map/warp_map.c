/*
 * warp_map: how a block of any shape is divided into warps. Every thread writes
 * its lane, the first thread of its warp, and the number of threads in the
 * warp.
 */
#include <string.h>

#include "kernels/table.h"

/* As in warp_map.cuh. */
#define LANES_SHIFT 8
#define FIRST_SHIFT 16
#define WARP 32
/* The oracle copies whole blocks, which have at least this many threads in all. */
#define COPIED 1024

struct map {
	uint32_t *place;
	int64_t block;
};

/* The places repeat after a block. */
static void map_range(void *context, int64_t begin, int64_t end)
{
	const struct map *map = context;
	const int64_t span = map->block * ((COPIED + map->block - 1) / map->block);

	for (int64_t i = begin; i < end && i < begin + span; i++) {
		int64_t linear = i % map->block, lane = linear % WARP, first = linear - lane;
		int64_t lanes = map->block - first < WARP ? map->block - first : WARP;

		map->place[i] = (uint32_t)(lane | lanes << LANES_SHIFT | first << FIRST_SHIFT);
	}
	for (int64_t i = begin + span; i < end; i += span)
		memcpy(map->place + i, map->place + begin,
		       (size_t)(end - i < span ? end - i : span) * sizeof(*map->place));
}

static int compute_map(const struct oracle_run *run)
{
	int64_t n;
	struct map map = {oracle_result(run, "place", &n), oracle_axis(run, "block", 1)};

	if (!map.place)
		return PL_EUSAGE;
	parallel_for(n, ORACLE_GRAIN, map_range, &map);
	return 0;
}

static const struct kernel_oracle oracle_map = {"warp_map/map", "block,n", compute_map};

#define PLACE ARG_OF_BUFFER("place")
#define BLOCKS .grid = {"ceil_div(n, block)"}

static const struct kernel_variant variants[] = {
	VARIANT("line", "threads_per_instruction",
		"a block along x is cut into warps of 32; a short last warp costs as much as a "
		"full one",
		LAUNCHES({.entry = "warp_map_line", BLOCKS, .block = {"block"}, ARGS(PLACE, N)})),
	VARIANT("plane", "threads_per_instruction",
		"rows of a block are laid end to end: a warp can span several rows",
		AXES({"columns", "8", "threads in one row of the block"}),
		CONSTRAINTS({"block % columns == 0",
			     "block must be a multiple of columns: it consists of whole rows"}),
		LAUNCHES({.entry = "warp_map_plane",
			  BLOCKS,
			  .block = {"columns", "block / columns"},
			  ARGS(PLACE, N)})),
	VARIANT("volume", "threads_per_instruction",
		"x runs fastest, then y, then z: a warp is two layers of 4 x 4 threads",
		CONSTRAINTS({"block % 16 == 0",
			     "block must be a multiple of 16: it consists of layers of 4 x 4"}),
		LAUNCHES({.entry = "warp_map_volume",
			  BLOCKS,
			  .block = {"4", "4", "block / 16"},
			  ARGS(PLACE, N)})),
	VARIANT("rows_of_forty", "threads_per_instruction",
		"40 x 2 threads take three warps: 16 of the 96 lanes never work",
		AXES({"block", "80", "threads in one block, in rows of 40"}),
		CONSTRAINTS({"block % 40 == 0",
			     "block must be a multiple of 40: it consists of whole rows"}),
		LAUNCHES({.entry = "warp_map_rows_of_forty",
			  BLOCKS,
			  .block = {"40", "block / 40"},
			  ARGS(PLACE, N)})),
};

const struct kernel kernel_warp_map = {
	.name = "warp_map",
	.summary = "how blocks of one, two and three dimensions are divided into warps",
	AXES(AXIS_BLOCK, {"n", "2^24", "threads that write where they are"}),
	.small_size = "2^16",
	BUFFERS({"place", ELEMENT_U32, "n", BUFFER_OUT, FILL_NONE, 0.0, 0.0}),
	.work = {.bytes_written = "4 * n"},
	/* Results are integers. */
	.tolerance_rel = 0.0,
	.oracle = &oracle_map,
	OWN_VARIANTS(variants),
};
