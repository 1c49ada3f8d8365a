/* The table of the driver's functions. See calls.h. */
#include "record/calls.h"

const struct driver_call driver_calls[DRIVER_CALL_COUNT] = {
#define CALL(symbol, name, version, role, declared, given) \
	{CUPTI_DRIVER_TRACE_CBID_##symbol, #symbol, name, version, role},
#include "record/calls.def"
};

static const unsigned char roles[CUPTI_DRIVER_TRACE_CBID_SIZE] = {
#define CALL(symbol, name, version, role, declared, given) \
	[CUPTI_DRIVER_TRACE_CBID_##symbol] = role,
#include "record/calls.def"
};

enum call_role call_role_of(CUpti_CallbackId id)
{
	return id < ARRAY_SIZE(roles) ? (enum call_role)roles[id] : CALL_OTHER;
}

bool call_is_per_thread(CUpti_CallbackId id)
{
	for (size_t i = 0; i < DRIVER_CALL_COUNT; i++)
		if (driver_calls[i].id == id)
			return has_suffix(driver_calls[i].symbol, "_ptsz");
	return false;
}

bool call_loads_code(enum call_role role)
{
	return role == CALL_MODULE_IMAGE || role == CALL_MODULE_FILE ||
	       role == CALL_LIBRARY_IMAGE || role == CALL_LIBRARY_FILE;
}
