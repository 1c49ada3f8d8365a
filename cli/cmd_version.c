/* perflab version: prints the version. */
#include "cli/command.h"
#include "harness/origin/origin.h"
#include "perflab_config.h"

static int run_version(struct invocation *call, struct error *err)
{
	(void)call;
	(void)err;
	printf("perflab %s%s%s (%s)\n", PERFLAB_VERSION, host_build_revision() ? " " : "",
	       host_build_revision() ? host_build_revision() : "", PERFLAB_BUILD_TYPE);
	return 0;
}

const struct command command_version = {
	.name = "version",
	.summary = "print the version of perflab",
	.operands = "",
	.description = "Prints the version, the source revision and the build type.",
	.run = run_version,
};
