/* Asks the driver for the names of a GPU. See device_words.h. */
#include "record/device_words.h"

#include <stdio.h>
#include <string.h>

static void write_uuid(char *out, size_t room, const CUuuid *uuid)
{
	size_t length = (size_t)snprintf(out, room, "GPU-");

	for (size_t i = 0; i < sizeof(uuid->bytes); i++)
		length += (size_t)snprintf(out + length, room - length, "%s%02x",
					   i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
					   (unsigned)(unsigned char)uuid->bytes[i]);
}

bool record_device_words(struct device_words *out, const struct record_driver *driver,
			 CUdevice device)
{
	CUuuid uuid;

	*out = (struct device_words){0};
	if (driver->cuDeviceGetName(out->name, (int)sizeof(out->name) - 1, device) !=
		    CUDA_SUCCESS ||
	    driver->cuDeviceGetUuid(&uuid, device) != CUDA_SUCCESS)
		return false;
	write_uuid(out->uuid, sizeof(out->uuid), &uuid);
	driver->cuDeviceGetAttribute(&out->cc_major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
				     device);
	driver->cuDeviceGetAttribute(&out->cc_minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
				     device);
	return true;
}
