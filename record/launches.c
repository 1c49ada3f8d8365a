#include "record/launches.h"

#include <stdlib.h>
#include <string.h>

#define PARAMETERS_MOST_BYTES 32764

/* ---- calls ---- */

static void take_attribute(struct launch_call *out, const CUlaunchAttribute *attribute)
{
	const CUlaunchAttributeValue *value = &attribute->value;

	switch (attribute->id) {
	case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
		out->launch.cluster[0] = value->clusterDim.x;
		out->launch.cluster[1] = value->clusterDim.y;
		out->launch.cluster[2] = value->clusterDim.z;
		break;
	case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
		out->launch.cooperative = value->cooperative != 0;
		break;
	case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
		out->launch.carveout = value->sharedMemCarveout;
		break;
	/* These order launches, and a replay has one. */
	case CU_LAUNCH_ATTRIBUTE_IGNORE:
	case CU_LAUNCH_ATTRIBUTE_PRIORITY:
	case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
		break;
	case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
		if (value->programmaticStreamSerializationAllowed)
			string_list_add(
				&out->lost,
				"the launch could begin before the one before it had ended");
		break;
	case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
		if (value->accessPolicyWindow.num_bytes)
			string_list_add(&out->lost,
					"the launch asked for lines of the L2 cache to persist");
		break;
	default: {
		char *text = xasprintf("the launch has attribute %d of CUlaunchAttributeID",
				       (int)attribute->id);

		string_list_add(&out->lost, text);
		free(text);
	}
	}
}

static void take_ex(struct launch_call *out, const cuLaunchKernelEx_params *given)
{
	const CUlaunchConfig *config = given->config;

	out->api = "cuLaunchKernelEx";
	out->function = given->f;
	out->stream = config->hStream;
	out->parameters = given->kernelParams;
	out->extra = given->extra;
	out->launch.grid[0] = config->gridDimX;
	out->launch.grid[1] = config->gridDimY;
	out->launch.grid[2] = config->gridDimZ;
	out->launch.block[0] = config->blockDimX;
	out->launch.block[1] = config->blockDimY;
	out->launch.block[2] = config->blockDimZ;
	out->launch.shared_bytes = config->sharedMemBytes;
	for (unsigned i = 0; config->attrs && i < config->numAttrs; i++)
		take_attribute(out, &config->attrs[i]);
}

/* The parameters of a cooperative launch are those of a plain one, without `extra`. */
_Static_assert(offsetof(cuLaunchKernel_params, kernelParams) ==
		       offsetof(cuLaunchCooperativeKernel_params, kernelParams),
	       "the parameters of both launches begin in the same way");

static void take_plain(struct launch_call *out, const cuLaunchKernel_params *given,
		       bool cooperative)
{
	out->api = cooperative ? "cuLaunchCooperativeKernel" : "cuLaunchKernel";
	out->function = given->f;
	out->stream = given->hStream;
	out->parameters = given->kernelParams;
	out->extra = cooperative ? NULL : given->extra;
	out->launch.grid[0] = given->gridDimX;
	out->launch.grid[1] = given->gridDimY;
	out->launch.grid[2] = given->gridDimZ;
	out->launch.block[0] = given->blockDimX;
	out->launch.block[1] = given->blockDimY;
	out->launch.block[2] = given->blockDimZ;
	out->launch.shared_bytes = given->sharedMemBytes;
	out->launch.cooperative = cooperative;
}

/* The structs of the _ptsz forms are the same. */
bool launch_call_decode(struct launch_call *out, CUpti_CallbackId id,
			const CUpti_CallbackData *data)
{
	const enum call_role role = call_role_of(id);

	*out = (struct launch_call){.launch = {.cluster = {1, 1, 1}, .carveout = -1}};
	if (!call_launches(role))
		return false;
	if (role == CALL_LAUNCH_EX)
		take_ex(out, data->functionParams);
	else
		take_plain(out, data->functionParams, role == CALL_LAUNCH_COOPERATIVE);
	out->per_thread = call_is_per_thread(id);
	return true;
}

const void *launch_call_function(CUpti_CallbackId id, const CUpti_CallbackData *data)
{
	const enum call_role role = call_role_of(id);

	if (role == CALL_LAUNCH_EX)
		return ((const cuLaunchKernelEx_params *)data->functionParams)->f;
	return call_launches(role) ? ((const cuLaunchKernel_params *)data->functionParams)->f
				   : NULL;
}

void launch_call_release(struct launch_call *call)
{
	string_list_release(&call->lost);
}

/* ---- functions ---- */

int launched_function_find(struct launched_function *out, const void *handle, struct error *err)
{
	struct launched_function found = {.function = (CUfunction)(uintptr_t)handle};
	CUkernel kernel = (CUkernel)(uintptr_t)handle;
	CUresult result = driver.cuFuncGetModule(&found.module, found.function);

	/* The runtime and libraries launch a CUkernel in place of a CUfunction. */
	if (result != CUDA_SUCCESS) {
		result = driver.cuKernelGetFunction(&found.function, kernel);
		if (result == CUDA_SUCCESS)
			result = driver.cuFuncGetModule(&found.module, found.function);
		if (driver.cuKernelGetLibrary(&found.library, kernel) != CUDA_SUCCESS)
			found.library = NULL;
	}
	if (result == CUDA_SUCCESS)
		result = driver.cuFuncGetName(&found.name, found.function);
	if (result != CUDA_SUCCESS)
		return record_driver_check(result, err, "finding the function");
	*out = found;
	return 0;
}

const char *launched_function_name(const void *handle)
{
	CUfunction function = (CUfunction)(uintptr_t)handle;
	CUmodule module;
	const char *name = NULL;
	const bool is_function = driver.cuFuncGetModule(&module, function) == CUDA_SUCCESS;
	const CUresult result = is_function ? driver.cuFuncGetName(&name, function)
					    : driver.cuKernelGetName(&name, (CUkernel)function);

	return result == CUDA_SUCCESS ? name : NULL;
}

/* ---- parameters ---- */

static int find_parameters(struct capture_info *info, CUfunction function, struct error *err)
{
	size_t capacity = 0;

	for (;;) {
		size_t offset, bytes;
		CUresult result =
			driver.cuFuncGetParamInfo(function, info->parameter_count, &offset, &bytes);

		if (result == CUDA_ERROR_INVALID_VALUE)
			return 0; /* it was the last */
		if (result != CUDA_SUCCESS)
			return record_driver_check(result, err,
						   "finding the parameters of the kernel");
		if (bytes > PARAMETERS_MOST_BYTES || offset > PARAMETERS_MOST_BYTES - bytes)
			return error_set(err, PL_EUSAGE, "the kernel takes over %d bytes",
					 PARAMETERS_MOST_BYTES);
		info->parameters = xgrow(info->parameters, &capacity, info->parameter_count + 1,
					 sizeof(*info->parameters));
		info->parameters[info->parameter_count++] =
			(struct capture_parameter){offset, bytes};
		if (offset + bytes > info->parameter_bytes)
			info->parameter_bytes = offset + bytes;
	}
}

/* The packed buffer of a call with `extra`; NULL: there is none. */
static const void *packed_buffer(void **extra, size_t *bytes)
{
	const void *buffer = NULL;

	*bytes = 0;
	for (; extra && *extra != CU_LAUNCH_PARAM_END; extra += 2) {
		if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
			buffer = extra[1];
		else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
			memcpy(bytes, extra[1], sizeof(*bytes));
		else
			return NULL;
	}
	return buffer;
}

int launch_parameters_read(struct capture_info *info, const struct launched_function *function,
			   const struct launch_call *call, struct error *err)
{
	size_t packed_bytes;
	const unsigned char *packed = packed_buffer(call->extra, &packed_bytes);
	int rc = find_parameters(info, function->function, err);

	if (rc)
		return rc;
	info->parameter_data = xcalloc(info->parameter_bytes + 1, 1);
	for (size_t i = 0; i < info->parameter_count; i++) {
		const struct capture_parameter *parameter = &info->parameters[i];

		if (call->parameters)
			memcpy(info->parameter_data + parameter->offset, call->parameters[i],
			       parameter->bytes);
		else if (packed && parameter->offset + parameter->bytes <= packed_bytes)
			memcpy(info->parameter_data + parameter->offset, packed + parameter->offset,
			       parameter->bytes);
		else
			return error_set(
				err, PL_EUSAGE,
				"the launch passes fewer parameters than the kernel takes");
	}
	return 0;
}
