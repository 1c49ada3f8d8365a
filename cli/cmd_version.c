/* perflab version: what this program is. */
#include "cli/command.h"
#include "harness/session/host.h"
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
	.summary = "print the version of this program",
	.operands = "",
	.description = "Prints version, source revision and build type.",
	.run = run_version,
};
