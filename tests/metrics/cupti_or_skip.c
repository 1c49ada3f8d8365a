#include "tests/metrics/cupti_or_skip.h"

#include "metrics/cupti/cupti_session.h"

#include <stdio.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_ADDRESS_SANITIZER 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define UNDER_ADDRESS_SANITIZER 1
#endif
#ifndef UNDER_ADDRESS_SANITIZER
#define UNDER_ADDRESS_SANITIZER 0
#endif

void cupti_or_skip(void)
{
	struct error err = {0};

	if (UNDER_ADDRESS_SANITIZER) {
		printf("skipped: CUPTI opens libnvperf_host.so with RTLD_DEEPBIND, at which "
		       "AddressSanitizer ends the program\n");
		exit(77);
	}
	if (cupti_load(NULL, &err) == 0)
		return;
	printf("skipped: %s\n", err.text);
	exit(77);
}
