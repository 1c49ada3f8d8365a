/*
 * fault: kernels that go wrong on purpose, each in one way, to show that a
 * sweep survives them and reports what happened. They run only when named.
 */
#include "kernels/table.h"

static int compute_zeroes(const struct oracle_run *run)
{
	int64_t n;
	float *out = oracle_result(run, "out", &n);

	for (int64_t i = 0; out && i < n; i++)
		out[i] = 0.0f;
	return out ? 0 : PL_EUSAGE;
}

static const struct kernel_oracle zeroes = {"fault/zeroes", "n", compute_zeroes};

#define OUT ARG_OF_BUFFER("out")
#define FAULT(label, teaches)                                            \
	TABLE_ROW(.name = #label, .lesson = teaches, .metric = "status", \
		  LAUNCHES({.entry = "fault_" #label, ONE_A_THREAD, ARGS(OUT, N)}))

static const struct kernel_variant variants[] = {
	FAULT(none, "nothing goes wrong: cases after a fault must still be measured"),
	FAULT(illegal_address,
	      "a wild pointer makes the context unusable: device_error, then a new worker"),
	FAULT(misaligned, "a misaligned access makes the context unusable as well: device_error"),
	FAULT(trap, "a trap aborts the kernel: device_error"),
	FAULT(assertion, "an assert() that fails aborts the kernel as well: device_error"),
	FAULT(endless_loop, "--timeout ends a kernel that never ends: timeout"),
	FAULT(wrong_result, "one wrong element in n: mismatch, never timed"),
	FAULT(not_a_number, "a NaN is never a right result: mismatch"),
	FAULT(unwritten, "an element that was not written: mismatch"),
	FAULT(out_of_bounds, "one element past the end lands in a guard zone: mismatch"),
	FAULT(race, "a missing barrier that does no harm: ok on a GPU, a fault on the emulator"),
	FAULT(uninitialised,
	      "a read of unwritten shared memory: ok on a GPU, a fault on the emulator"),
};

const struct kernel kernel_fault = {
	.name = "fault",
	.summary = "kernels that go wrong on purpose, to show that a sweep survives them",
	.on_request = true,
	AXES({"block", "256", "threads in one block"}, {"n", "2^16", "elements"}),
	BUFFERS({"out", ELEMENT_F32, "n", BUFFER_OUT}),
	.work = {.bytes_written = "4 * n"},
	.oracle = &zeroes,
	OWN_VARIANTS(variants),
};
