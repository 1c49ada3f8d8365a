/*
 * ptx_image: the PTX of the image of a case ("reduce/shuffle"). Each worker finds
 * an image under share/perflab/ptx and parses and decodes it once. Internal to
 * harness/workers/ptx/.
 */
#ifndef HARNESS_WORKERS_PTX_PTX_IMAGE_H
#define HARNESS_WORKERS_PTX_PTX_IMAGE_H

#include "base/hash.h"
#include "emulator/emulator.h"
#include "kernels/kernels.h"

/*
 * The resources that ptxas allocated for an entry. The PTX files of the tree
 * record them in lines "// perflab: entry NAME sm_90 registers 13 shared 128
 * local 0". -1: not recorded.
 */
struct entry_resources {
	int64_t registers_per_thread;
	int64_t shared_static_bytes, local_bytes_per_thread;
};

struct ptx_image {
	char *name;
	struct ptx_module *module;
	char code_hash[HASH_TEXT_BYTES]; /* of the PTX without comments and line information */
	char code_kind[16];              /* "ptx compute_90" */
	char *text;                      /* the file, for ptx_image_resources() */
	/* Decoded programs: of one entry, or of the whole module (entry NULL) for cases that launch
	 * several entries, which share module variables. */
	struct ptx_image_program {
		char *entry;
		struct ptx_program *program; /* NULL: it cannot run; see `gaps` */
		char *gaps; /* why: "needs features that the emulator lacks: opcode …" */
	} * programs;
	size_t program_count, program_capacity;
};

struct ptx_image_cache {
	char *folder; /* NULL: share/perflab/ptx of the installation */
	struct ptx_image **images;
	size_t count, capacity;
};

void ptx_image_cache_release(struct ptx_image_cache *cache);
/*
 * The program of all launches of a case. If the emulator lacks a feature, returns
 * 0 with *program NULL and the reason in *gaps. The cache owns all of them.
 * PL_ENOENT names the file; PL_EPARSE the error in it.
 */
int ptx_image_program(struct ptx_image_cache *cache, const struct launch_case *work,
		      const struct ptx_image **image, const struct ptx_program **program,
		      const char **gaps, struct error *err);
/* As recorded for the compute capability, else for another one, else -1. */
struct entry_resources ptx_image_resources(const struct ptx_image *image, const char *entry,
					   int cc_major, int cc_minor);

#endif
