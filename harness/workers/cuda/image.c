/* Loads images, and hashes their machine code. */
#include "harness/workers/cuda/resources.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void cuda_image_cache_init(struct cuda_image_cache *cache, const struct device *device)
{
	*cache = (struct cuda_image_cache){.device = device};
}

void cuda_image_cache_forget(struct cuda_image_cache *cache, const char *but)
{
	size_t kept = 0;

	for (size_t i = 0; i < cache->count; i++) {
		if (but && strcmp(cache->images[i]->name, but) == 0) {
			cache->images[kept++] = cache->images[i];
			continue;
		}
		cache->device->driver.cuModuleUnload(cache->images[i]->module);
		free(cache->images[i]->name);
		free(cache->images[i]);
	}
	cache->count = kept;
}

void cuda_image_cache_release(struct cuda_image_cache *cache)
{
	cuda_image_cache_forget(cache, NULL);
	free(cache->images);
	*cache = (struct cuda_image_cache){0};
}

static int find_file(struct text *path, const char *name, const char *file, struct error *err)
{
	char *relative;
	int rc;

	if (file || name[0] == '/') {
		text_add(path, file ? file : name);
		return 0;
	}
	relative = xasprintf("share/perflab/ptx/%s.ptx", name);
	rc = install_path(path, relative, err);
	if (!rc && access(path->data, R_OK))
		rc = error_set(err, PL_ENOENT,
			       "there is no image '%s' (%s): install all of perflab", name,
			       path->data);
	free(relative);
	return rc;
}

static int load_module(const struct device *device, struct cuda_image *image, const char *bytes,
		       const char *path, struct error *err)
{
	char log[512] = "";
	CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *values[] = {log, (void *)(uintptr_t)sizeof(log)};
	int rc;

	rc = cuda_check(&device->driver,
			device->driver.cuModuleLoadDataEx(&image->module, bytes,
							  ARRAY_SIZE(options), options, values),
			err, "loading");
	log[strcspn(log, "\n")] = '\0';
	return error_context(err, rc, "%s%s%s", path, log[0] ? ": " : "", log);
}

int cuda_image_load(struct cuda_image_cache *cache, const char *name, const char *file,
		    const char *arch, const struct cuda_image **out, struct error *err)
{
	struct cuda_image *image = NULL;
	struct text path = TEXT_INIT;
	const char *suffix;
	char *bytes = NULL;
	size_t length = 0;
	int rc;

	for (size_t i = 0; i < cache->count; i++) {
		if (strcmp(cache->images[i]->name, name) == 0) {
			*out = cache->images[i];
			return 0;
		}
	}
	image = xcalloc(1, sizeof(*image));
	image->name = xstrdup(name);
	rc = find_file(&path, name, file, err);
	if (rc)
		goto out;
	suffix = strrchr(path.data, '.');
	snprintf(image->code_kind, sizeof(image->code_kind), "%s%s%s", suffix ? suffix + 1 : "",
		 *arch ? " " : "", arch);
	rc = read_file(&bytes, &length, path.data, CUDA_IMAGE_LIMIT_BYTES, err);
	if (rc)
		goto out;
	if (has_suffix(path.data, ".cubin"))
		rc = cubin_hash(image->code_hash, image->instructions_hash, bytes, length, err);
	else
		hash_of(image->code_hash, bytes, length);
	if (rc == 0)
		rc = load_module(cache->device, image, bytes, path.data, err);
	if (rc)
		goto out;
	cache->images = xgrow(cache->images, &cache->capacity, cache->count + 1, sizeof(image));
	cache->images[cache->count++] = image;
	*out = image;
	image = NULL;
out:
	if (image)
		free(image->name);
	free(image);
	free(bytes);
	text_release(&path);
	return rc;
}

int cuda_image_function(const struct cuda_image_cache *cache, const struct cuda_image *image,
			const char *entry, CUfunction *out, struct error *err)
{
	int rc = cuda_check(&cache->device->driver,
			    cache->device->driver.cuModuleGetFunction(out, image->module, entry),
			    err, entry);

	return error_context(err, rc, "image %s", image->name);
}

/* ---- the hash of the machine code of a cubin ---- */

/* Returns whether [offset, offset + size) is within a file of `length` bytes. */
static bool inside(uint64_t offset, uint64_t size, size_t length)
{
	return offset <= length && size <= length - offset;
}

static bool section_at(const char *bytes, size_t length, const Elf64_Ehdr *header, size_t index,
		       Elf64_Shdr *out)
{
	uint64_t offset = header->e_shoff + (uint64_t)index * sizeof(*out);

	if (header->e_shoff > length || !inside(offset, sizeof(*out), length))
		return false;
	memcpy(out, bytes + offset, sizeof(*out));
	return true;
}

/* Whether a section says what kernels do: code, constants, values of variables, and where one
 * refers to another. */
static bool is_code(const char *name, size_t length)
{
	static const char *const begins[] = {".text.",      ".nv.constant",      ".nv.global",
					     ".rel.text.",  ".rel.nv.constant",  ".rel.nv.global",
					     ".rela.text.", ".rela.nv.constant", ".rela.nv.global"};

	for (size_t i = 0; i < ARRAY_SIZE(begins); i++)
		if (length >= strlen(begins[i]) && memcmp(name, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

int cubin_hash(char code[HASH_TEXT_BYTES], char instructions[HASH_TEXT_BYTES], const char *bytes,
	       size_t length, struct error *err)
{
	struct hash hash, of_instructions;
	Elf64_Ehdr header;
	Elf64_Shdr names;
	size_t hashed = 0;

	if (length < sizeof(header) || memcmp(bytes, ELFMAG, SELFMAG) != 0 ||
	    bytes[EI_CLASS] != ELFCLASS64)
		return error_set(err, PL_EPARSE, "not a cubin: no 64-bit ELF header");
	memcpy(&header, bytes, sizeof(header));
	if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shstrndx >= header.e_shnum ||
	    !section_at(bytes, length, &header, header.e_shstrndx, &names) ||
	    !inside(names.sh_offset, names.sh_size, length))
		return error_set(err, PL_EPARSE,
				 "damaged cubin: its section table is outside of the file");
	hash_begin(&hash);
	hash_begin(&of_instructions);
	for (size_t i = 0; i < header.e_shnum; i++) {
		Elf64_Shdr section;
		const char *name;
		size_t name_length;

		if (!section_at(bytes, length, &header, i, &section) ||
		    section.sh_name >= names.sh_size)
			return error_set(err, PL_EPARSE,
					 "damaged cubin: section %zu is outside of the file", i);
		name = bytes + names.sh_offset + section.sh_name;
		name_length = strnlen(name, names.sh_size - section.sh_name);
		if (!is_code(name, name_length))
			continue;
		if (section.sh_type != SHT_NOBITS &&
		    !inside(section.sh_offset, section.sh_size, length))
			return error_set(
				err, PL_EPARSE,
				"damaged cubin: the code of section %zu is outside of the file", i);
		hash_add_piece(&hash, name, name_length);
		if (section.sh_type == SHT_NOBITS)
			hash_add_piece(&hash, &section.sh_size, sizeof(section.sh_size));
		else
			hash_add_piece(&hash, bytes + section.sh_offset, section.sh_size);
		if (memcmp(name, ".text.", 6) != 0)
			continue;
		hash_add_piece(&of_instructions, name, name_length);
		hash_add_piece(&of_instructions, bytes + section.sh_offset,
			       section.sh_type == SHT_NOBITS ? 0 : section.sh_size);
		hashed++;
	}
	if (!hashed)
		return error_set(err, PL_EPARSE, "the cubin has no machine code");
	hash_end(code, &hash);
	hash_end(instructions, &of_instructions);
	return 0;
}
