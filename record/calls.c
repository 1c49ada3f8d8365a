/* The table of the driver's functions. See calls.h. */
#include "record/calls.h"

const struct driver_call driver_calls[DRIVER_CALL_COUNT] = {
#define CALL(symbol, name, version, role, declared, given) \
	{CUPTI_DRIVER_TRACE_CBID_##symbol, #symbol, name, version, role},
#include "record/calls.def"
};

const unsigned char call_roles[CUPTI_DRIVER_TRACE_CBID_SIZE] = {
#define CALL(symbol, name, version, role, declared, given) \
	[CUPTI_DRIVER_TRACE_CBID_##symbol] = role,
#include "record/calls.def"
};

bool call_is_per_thread(CUpti_CallbackId id)
{
	for (size_t i = 0; i < DRIVER_CALL_COUNT; i++)
		if (driver_calls[i].id == id)
			return has_suffix(driver_calls[i].symbol, "_ptsz");
	return false;
}
