/* Reads of bytes that nobody has written. See written_bytes.h. */
#include "emulator/machine/memory/written_bytes.h"

/* Whether a lane reads a byte that nobody has written, and uses it. */
static bool reads_unwritten(const struct global_request *request, unsigned lane)
{
	const struct instruction *at = request->at;
	const uint64_t offset = request->offset[lane];

	if (written_all(request->in, offset, request->bytes))
		return false;
	for (unsigned i = 0; i < request->bytes; i++) {
		if (!written_all(request->in, offset + i, 1) &&
		    !(at->operation == OP_LOAD && at->unread >> i / at->width & 1))
			return true;
	}
	return false;
}

void written_check(const struct global_request *request)
{
	if (request->consecutive &&
	    written_all(request->in, request->offset[0], (uint64_t)LANES * request->bytes))
		return;
	for (uint32_t rest = request->mask; rest; rest &= rest - 1)
		if (reads_unwritten(request, (unsigned)__builtin_ctz(rest)))
			*request->warp->block->launch->may_be_undefined = true;
}

void written_note(const struct global_request *request)
{
	if (request->consecutive) {
		written_add(request->in, request->offset[0], (uint64_t)LANES * request->bytes);
		return;
	}
	for (uint32_t rest = request->mask; rest; rest &= rest - 1)
		written_add(request->in, request->offset[__builtin_ctz(rest)], request->bytes);
}
