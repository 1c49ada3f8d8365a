/*
 * image: the PTX of a case's image ("reduce/shuffle"), found under
 * share/perflab/ptx, parsed and decoded once a worker. Internal to harness/workers/ptx/.
 */
#ifndef HARNESS_WORKERS_PTX_PTX_IMAGE_H
#define HARNESS_WORKERS_PTX_PTX_IMAGE_H

#include "emulator/emulator.h"
#include "kernels/kernels.h"

/*
 * What ptxas took for an entry: the PTX files of the tree say it in lines
 * "// perflab: entry NAME sm_90 registers 13 shared 128 local 0". -1: not said.
 */
struct entry_resources {
	int64_t registers_per_thread;
	int64_t shared_static_bytes, local_bytes_per_thread;
};

struct ptx_image {
	char *name;
	struct ptx_module *module;
	char code_hash[24]; /* of the PTX without comments and source lines */
	char code_kind[16]; /* "ptx compute_90" */
	char *text;         /* of the file, for the resources */
	/* Decoded forms: of one entry, or of the whole module (entry NULL) where a case launches
	 * several, which share module variables. */
	struct ptx_image_program {
		char *entry;
		struct ptx_program *program; /* NULL: it has gaps */
		char *gaps;                  /* "opcode …, register …" */
	} * programs;
	size_t program_count, program_capacity;
};

struct ptx_image_cache {
	char *folder; /* NULL: share/perflab/ptx of the installation */
	struct ptx_image **images;
	size_t count, capacity;
};

void ptx_image_cache_release(struct ptx_image_cache *cache);
/* The image stays the cache's. PL_ENOENT names the file; PL_EPARSE what is wrong in it. */
int ptx_image_load(struct ptx_image_cache *cache, const char *name, const struct ptx_image **out,
		   struct error *err);
/*
 * The program of all launches of a case. 0 with *program NULL when the
 * emulator lacks something: *gaps says what. Both stay the image's.
 */
int ptx_image_program(struct ptx_image_cache *cache, const struct launch_case *work,
		      const struct ptx_image **image, const struct ptx_program **program,
		      const char **gaps, struct error *err);
/* As ptxas for the compute capability, else for any, else not known. */
struct entry_resources ptx_image_resources(const struct ptx_image *image, const char *entry,
					   int cc_major, int cc_minor);

#endif
