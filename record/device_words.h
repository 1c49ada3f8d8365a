/* device_words: what a GPU is called. Internal to record/. */
#ifndef RECORD_DEVICE_WORDS_H
#define RECORD_DEVICE_WORDS_H

#include "record/driver.h"

#define RECORD_DEVICES_MOST 64

struct device_words {
	char name[256];
	char uuid[48]; /* "GPU-…", of a slice (MIG) "MIG-…" */
	int cc_major, cc_minor;
};

/* False: there is no such device. */
bool record_device_words(struct device_words *out, const struct record_driver *driver,
			 CUdevice device);

#endif
