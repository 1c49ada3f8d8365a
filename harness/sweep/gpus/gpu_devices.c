/* The GPUs that the words of --gpus name, and whether a request goes with several GPUs. */
#include <stdlib.h>
#include <string.h>

#include "harness/client/client.h"
#include "harness/sweep/gpus/gpus.h"

#define MIG_PREFIX "MIG-"
#define UUID_PREFIX "GPU-"
#define UUID_LENGTH 40
#define UUID_LEAST 8 /* a shorter beginning could be a slip */
#define VISIBLE_DEVICES "CUDA_VISIBLE_DEVICES"

static void add_gpu(void *context, int number, const struct device_info *info)
{
	struct gpu_devices *devices = context;

	devices->items = xgrow(devices->items, &devices->capacity, devices->count + 1,
			       sizeof(*devices->items));
	devices->items[devices->count++] = (struct gpu_device){number, *info};
}

static int no_such_gpu(const struct gpu_devices *all, const char *word, struct error *err)
{
	const char *visible = getenv(VISIBLE_DEVICES);
	const bool whole = strlen(word) == UUID_LENGTH;
	struct text list = TEXT_INIT;
	int rc;

	if (strncmp(word, MIG_PREFIX, strlen(MIG_PREFIX)) == 0)
		return error_set(err, PL_EUSAGE,
				 "--gpus: CUDA does not list the MIG slice \"%s\": it shows a "
				 "process one slice, and only if " VISIBLE_DEVICES
				 " names it; run perflab sweep once for each slice "
				 "with " VISIBLE_DEVICES "%s%s instead",
				 word,
				 whole ? "=" : " set to its whole UUID, which nvidia-smi -L lists,",
				 whole ? word : "");
	for (size_t i = 0; i < all->count; i++)
		text_addf(&list, "%s%d (%s)", i ? ", " : "", all->items[i].number,
			  all->items[i].info.uuid);
	if (visible)
		text_addf(&list,
			  "; " VISIBLE_DEVICES " is \"%s\", so CUDA shows no others, and numbers "
			  "these from 0",
			  visible);
	else
		text_add(&list, "; name them by number or UUID, separated by commas, or give all");
	rc = error_set(err, PL_EUSAGE, "--gpus: no GPU is \"%s\": there is %s", word, list.data);
	text_release(&list);
	return rc;
}

/* Finds the GPU that a word names. */
static int find_gpu(size_t *out, const struct gpu_devices *all, const char *word, struct error *err)
{
	struct error ignored = {0};
	const bool is_number = *word && strspn(word, "0123456789") == strlen(word);
	const size_t length = strlen(word);
	int64_t number = -1;
	size_t found = 0;

	if (is_number && parse_i64(&number, word, &ignored))
		return no_such_gpu(all, word, err);
	for (size_t i = 0; i < all->count; i++) {
		const struct gpu_device *gpu = &all->items[i];
		const bool named = !is_number && strncmp(gpu->info.uuid, word, length) == 0;

		if (named && length < UUID_LEAST)
			return error_set(err, PL_EUSAGE,
					 "--gpus: \"%s\" is too short for a UUID: give at least %d "
					 "characters of it",
					 word, UUID_LEAST);
		if (named || (is_number && gpu->number == number)) {
			*out = i;
			found++;
		}
	}
	if (found > 1)
		return error_set(
			err, PL_EUSAGE,
			"--gpus: %zu GPUs have a UUID that begins with \"%s\": give more of "
			"it",
			found, word);
	return found ? 0 : no_such_gpu(all, word, err);
}

static int check_words(const char *words, struct error *err)
{
	struct string_list list = {0}, seen = {0};
	int rc = 0;

	if (!*words)
		return error_set(err, PL_EUSAGE,
				 "--gpus is empty: give all, or numbers or UUIDs separated by "
				 "commas");
	if (words[strcspn(words, " \t\r\n")])
		return error_set(err, PL_EUSAGE,
				 "--gpus \"%s\" has a space: separate numbers or UUIDs by commas "
				 "alone",
				 words);
	string_list_split(&list, words, ',');
	for (size_t i = 0; i < list.count && !rc; i++) {
		const char *word = list.items[i];
		/* whether a GPU may have this number, or a UUID that begins so */
		const bool names_gpu = word[strspn(word, "0123456789")] == '\0' ||
				       strncmp(word, UUID_PREFIX, strlen(UUID_PREFIX)) == 0 ||
				       strncmp(word, MIG_PREFIX, strlen(MIG_PREFIX)) == 0;

		if (!*word)
			rc = error_set(err, PL_EUSAGE,
				       "--gpus \"%s\" has an empty word: give all, or numbers or "
				       "UUIDs separated by commas",
				       words);
		else if (list.count > 1 && strcmp(word, GPUS_ALL) == 0)
			rc = error_set(err, PL_EUSAGE,
				       "--gpus \"%s\" has all and more: all is every GPU", words);
		else if (string_list_has(&seen, word))
			rc = error_set(err, PL_EUSAGE, "--gpus names \"%s\" twice", word);
		else if (strcmp(word, GPUS_ALL) != 0 && !names_gpu)
			rc = error_set(err, PL_EUSAGE,
				       "--gpus: \"%s\" is neither a number nor a UUID (GPU-...): "
				       "give these, separated by commas, or give all",
				       word);
		string_list_add(&seen, word);
	}
	string_list_release(&list);
	string_list_release(&seen);
	return rc;
}

static int choose_named(struct gpu_devices *out, const struct gpu_devices *all, const char *words,
			struct error *err)
{
	struct string_list list = {0};
	const char **names = xcalloc(all->count + 1, sizeof(*names));
	int rc = check_words(words, err);

	string_list_split(&list, words, ',');
	for (size_t i = 0; i < list.count && !rc; i++) {
		size_t found = 0;

		rc = find_gpu(&found, all, list.items[i], err);
		if (!rc && names[found])
			rc = error_set(err, PL_EUSAGE,
				       "--gpus names GPU %d twice, as \"%s\" and as \"%s\"",
				       all->items[found].number, names[found], list.items[i]);
		if (!rc)
			names[found] = list.items[i];
	}
	for (size_t i = 0; i < all->count && !rc; i++)
		if (names[i])
			add_gpu(out, all->items[i].number, &all->items[i].info);
	free(names);
	string_list_release(&list);
	return rc;
}

/* The cases of a sweep cannot be split over GPUs of several models. */
static int check_equal(const struct gpu_devices *devices, struct error *err)
{
	const struct gpu_device *first = &devices->items[0];

	for (size_t i = 1; i < devices->count; i++) {
		const struct gpu_device *other = &devices->items[i];
		const struct device_info *a = &first->info, *b = &other->info;

		if (strcmp(a->name, b->name) != 0 || a->sm_count != b->sm_count ||
		    a->cc_major != b->cc_major || a->cc_minor != b->cc_minor)
			return error_set(
				err, PL_EUSAGE,
				"--gpus: GPU %d is %s (%lld SMs) and GPU %d is %s (%lld SMs): "
				"times "
				"of different models do not make one result; name equal GPUs, or "
				"measure every case on each of them with --spread",
				first->number, first->info.name, (long long)first->info.sm_count,
				other->number, other->info.name, (long long)other->info.sm_count);
	}
	return 0;
}

int gpu_devices_list(struct gpu_devices *out, const char *backend, struct error *err)
{
	int rc = worker_devices(backend, add_gpu, out, err);

	return rc || out->count ? rc : error_set(err, PL_EUNSUPPORTED, "--gpus: there is no GPU");
}

int gpu_devices_choose(struct gpu_devices *out, const struct gpu_devices *all, const char *words,
		       bool equal, struct error *err)
{
	int rc = 0;

	if (strcmp(words, GPUS_ALL) != 0)
		rc = choose_named(out, all, words, err);
	for (size_t i = 0; strcmp(words, GPUS_ALL) == 0 && i < all->count; i++)
		add_gpu(out, all->items[i].number, &all->items[i].info);
	if (!rc && out->count > GPU_SLOTS_MOST / 2)
		rc = error_set(err, PL_EUSAGE, "--gpus: %zu GPUs are more than %d", out->count,
			       GPU_SLOTS_MOST / 2);
	return rc || !equal ? rc : check_equal(out, err);
}

/* ---- the request ---- */

int gpus_check_request(const struct sweep_request *request, const struct gpus_request *gpus,
		       struct error *err)
{
	static const struct {
		const char *option, *remedy;
	} refused[] = {
		{"device", "give the device to --gpus, or leave --gpus out"},
		{"shard", "split over GPUs on each machine without shards, or give each GPU a "
			  "shard with --device"},
		{"decide", "sweep with --gpus first, then continue each run with --resume RUN "
			   "--decide"},
		{"resume", "continue each run of the sweep with --resume RUN, without --gpus"},
	};
	const char *const backend = request->backend;

	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		if (string_list_has(&request->given, refused[i].option))
			return error_set(err, PL_EUSAGE, "--gpus does not go with --%s: %s",
					 refused[i].option, refused[i].remedy);
	if (strcmp(backend, BACKEND_AUTO) != 0 && !backend_traits_of(backend).timed)
		return error_set(err, PL_EUSAGE,
				 "--gpus does not go with --backend %s, which uses no GPU: leave "
				 "one of them out",
				 backend);
	return check_words(gpus->gpus, err);
}

const char *backend_of_gpus(const struct sweep_request *request)
{
	return strcmp(request->backend, BACKEND_AUTO) == 0 ? BACKEND_CUDA : request->backend;
}

int gpus_check(const struct sweep_request *request, const struct gpus_request *gpus,
	       struct text *said, struct error *err)
{
	const bool shown = strcmp(gpus->gpus, GPUS_ALL) == 0 && getenv("CUDA_VISIBLE_DEVICES");
	struct gpu_devices all = {0}, chosen = {0};
	struct error why = {0};
	int rc = gpus_check_request(request, gpus, err);

	if (!rc && gpu_devices_list(&all, backend_of_gpus(request), &why)) {
		text_addf(said, "--gpus %s is not checked, because no GPU can be asked: %s",
			  gpus->gpus, why.text);
	} else if (!rc) {
		rc = gpu_devices_choose(&chosen, &all, gpus->gpus, !gpus->spread, err);
		text_addf(said,
			  "%s %s%zu %s%s:", gpus->spread ? "every case on each of" : "split over",
			  shown ? "the " : "", chosen.count, chosen.count == 1 ? "GPU" : "GPUs",
			  shown ? " that CUDA_VISIBLE_DEVICES shows" : "");
	}
	for (size_t i = 0; i < chosen.count; i++)
		text_addf(said, "%s %d (%s, %s)", i ? "," : "", chosen.items[i].number,
			  chosen.items[i].info.name, chosen.items[i].info.uuid);
	free(chosen.items);
	free(all.items);
	return rc;
}
