/* Reads of bytes that nobody has written. See written_bytes.h. */
#include "emulator/machine/written_bytes.h"

#include "emulator/machine/global_report.h"

/* Whether a lane reads a byte that nobody has written, and uses it. */
static bool reads_unwritten(const struct global_request *request, unsigned lane, uint64_t *byte)
{
	const struct instruction *at = request->at;
	const uint64_t offset = request->offset[lane];

	if (written_all(request->in, offset, request->bytes))
		return false;
	for (unsigned i = 0; i < request->bytes; i++) {
		*byte = offset + i;
		if (!written_all(request->in, *byte, 1) &&
		    !(at->operation == OP_LOAD && at->unread >> i / at->width & 1))
			return true;
	}
	return false;
}

void written_check(const struct global_request *request)
{
	const struct instruction *at = request->at;
	const bool exchanges = at->operation == OP_ATOMIC && at->kind == ATOMIC_EXCH;
	uint64_t byte;

	if (request->consecutive &&
	    written_all(request->in, request->offset[0], (uint64_t)LANES * request->bytes))
		return;
	for (uint32_t rest = request->mask; rest && !exchanges; rest &= rest - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(rest);

		if (reads_unwritten(request, lane, &byte)) {
			global_report_unwritten(request, lane, byte);
			return;
		}
	}
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
