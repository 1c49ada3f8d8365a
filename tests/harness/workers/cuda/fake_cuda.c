/*
 * A libcuda with two GPUs, of which the second one has two slices (MIG). It shows what
 * CUDA_VISIBLE_DEVICES names when it is initialised, as the real one does: indices, the beginnings
 * of UUIDs, or one slice; nothing from the first name on that means no device. A test finds it
 * before the real one. $FAKE_CUDA_SHOWS_ALL: the variable comes too late, because someone has
 * initialised the driver before.
 */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 2

static const struct fake_gpu {
	const char *name;
	unsigned char last; /* byte of the UUID */
} gpus[MOST] = {{"NVIDIA H200", 0x00}, {"NVIDIA H200", 0x01}},
  slices[] = {{"NVIDIA H200 MIG 1g.18gb", 0xff},
	      /* of a driver that does not name the profile */
	      {"NVIDIA H200", 0xfe}};

static const struct fake_gpu *shown[MOST];
static int shown_count;

static void uuid_text(char out[48], const char *prefix, const struct fake_gpu *gpu)
{
	snprintf(out, 48, "%s00112233-4455-6677-8899-aabbccddee%02x", prefix, gpu->last);
}

/* The slice that a word names, else the GPU. */
static const struct fake_gpu *find_device(const char *word, size_t length)
{
	char uuid[48];

	for (size_t i = 0; i < sizeof(slices) / sizeof(slices[0]); i++) {
		uuid_text(uuid, "MIG-", &slices[i]);
		if (strlen(uuid) == length && strncmp(uuid, word, length) == 0)
			return &slices[i];
	}
	for (int i = 0; i < MOST; i++) {
		uuid_text(uuid, "GPU-", &gpus[i]);
		if (length > 4 && length < sizeof(uuid) && strncmp(uuid, word, length) == 0)
			return &gpus[i];
	}
	return length == 1 && *word >= '0' && *word < '0' + MOST ? &gpus[*word - '0'] : NULL;
}

CUresult cuInit(unsigned flags)
{
	const char *visible = getenv("FAKE_CUDA_SHOWS_ALL") ? NULL : getenv("CUDA_VISIBLE_DEVICES");

	(void)flags;
	shown_count = 0;
	for (int i = 0; i < MOST && !visible; i++)
		shown[shown_count++] = &gpus[i];
	while (visible && *visible && shown_count < MOST) {
		const size_t length = strcspn(visible, ",");

		shown[shown_count] = find_device(visible, length);
		if (!shown[shown_count])
			break;
		for (int i = 0; i < shown_count; i++)
			if (shown[i] == shown[shown_count])
				return CUDA_ERROR_INVALID_DEVICE;
		shown_count++;
		visible += length + (visible[length] == ',');
	}
	return shown_count ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}

CUresult cuDriverGetVersion(int *version)
{
	*version = 13000;
	return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult result, const char **out)
{
	(void)result;
	*out = "a fake error";
	return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult result, const char **out)
{
	(void)result;
	*out = "CUDA_ERROR";
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count)
{
	*count = shown_count;
	return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *out, int ordinal)
{
	*out = ordinal;
	return ordinal < shown_count ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceGetName(char *out, int length, CUdevice device)
{
	snprintf(out, (size_t)length, "%s", shown[device]->name);
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(CUuuid *out, CUdevice device)
{
	for (int i = 0; i < 15; i++)
		out->bytes[i] = (char)(0x11 * i);
	out->bytes[15] = (char)shown[device]->last;
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *out, CUdevice_attribute what, CUdevice device)
{
	(void)device;
	*out = what == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9 : 0;
	return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem(size_t *out, CUdevice device)
{
	(void)device;
	*out = (size_t)1 << 30;
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char *out, int length, CUdevice device)
{
	(void)device;
	snprintf(out, (size_t)length, "0000:3b:00.0");
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags)
{
	(void)device;
	(void)flags;
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device)
{
	(void)device;
	*out = (CUcontext)(void *)&shown;
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
	(void)device;
	return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
	(void)context;
	return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *out, unsigned flags)
{
	(void)flags;
	*out = (CUstream)(void *)&shown;
	return CUDA_SUCCESS;
}

CUresult cuStreamDestroy(CUstream stream)
{
	(void)stream;
	return CUDA_SUCCESS;
}
