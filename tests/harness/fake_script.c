/* What FAKE_WORKER_SCRIPT makes a fake worker do, and the log of what it was asked. */
#include "fake_script.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- the script ---- */

static bool script_has(const char *script, const char *action, const char *name)
{
	size_t length = strlen(action);

	while (script && *script) {
		size_t item = strcspn(script, ";");

		if (!strncmp(script, action, length)) {
			const char *wanted = script + length + 1;

			if (length == item)
				return true;
			if (script[length] == ':' && name &&
			    !strncmp(name, wanted, item - length - 1))
				return true;
		}
		script += item + (script[item] == ';');
	}
	return false;
}

bool scripted(const char *action, const char *name)
{
	const char *path = getenv("FAKE_WORKER_SCRIPT_FILE");
	char *text = NULL;
	size_t length;
	bool has = script_has(getenv("FAKE_WORKER_SCRIPT"), action, name);

	if (!has && path && !read_file(&text, &length, path, 4096, NULL))
		has = script_has(text, action, name);
	free(text);
	return has;
}

bool first_time(void)
{
	const char *state = getenv("FAKE_WORKER_STATE");
	int fd = state ? open(state, O_CREAT | O_EXCL | O_WRONLY, 0600) : -1;

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

void note(const char *request, const char *name)
{
	const char *path = getenv("FAKE_WORKER_LOG");
	FILE *file = path ? fopen(path, "a") : NULL;

	if (!file)
		return;
	fprintf(file, "%d %s %s\n", (int)getpid(), request, name);
	fclose(file);
}

char *case_name(const struct launch_case *work)
{
	struct text name = TEXT_INIT;

	text_addf(&name, "%s/%s/", work->kernel, work->variant);
	axes_text(&name, work->axes, work->axis_count);
	return text_detach(&name);
}

void say(const char *bytes)
{
	/* Raw, past the loop. What cannot be sent any more need not be. */
	(void)!send(WORKER_SOCKET_FD, bytes, strlen(bytes), MSG_NOSIGNAL);
}

static void die(int signal_number)
{
	const struct rlimit none = {0, 0};

	setrlimit(RLIMIT_CORE, &none);
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

void hang(void)
{
	for (;;)
		pause();
}

/* ---- a GPU that dies ---- */

static char *grave_of(int device)
{
	const char *state = getenv("FAKE_WORKER_STATE");

	return state ? xasprintf("%s.dead.%d", state, device) : NULL;
}

bool gpu_is_dead(int device)
{
	char *grave = grave_of(device);
	const bool dead = grave && access(grave, F_OK) == 0;

	free(grave);
	return dead;
}

void gpu_die(int device)
{
	char *grave = grave_of(device);
	const int fd = grave ? open(grave, O_CREAT | O_WRONLY, 0600) : -1;

	if (fd >= 0)
		close(fd);
	free(grave);
	crash();
}

void gpu_may_die(int device, const char *request)
{
	char *grave = grave_of(device), *action = xasprintf("gpu_dies_%s", request), number[12];
	char *go = xasprintf("%s.go", grave ? getenv("FAKE_WORKER_STATE") : "");

	snprintf(number, sizeof(number), "%d", device);
	if (grave && scripted(action, number)) {
		while (scripted("gpu_dies_last", NULL) && access(go, F_OK) != 0)
			poll(NULL, 0, 5);
		gpu_die(device);
	}
	free(grave);
	free(action);
	free(go);
}

/* How many workers have had such a request, by the log: at most `most`, which is at most three. */
static int asked(const char *wanted, int most)
{
	FILE *file = fopen(getenv("FAKE_WORKER_LOG"), "r");
	int seen[3] = {0};
	char request[32];
	int pid;
	int count = 0;

	while (file && count < most && fscanf(file, "%d %31s %*[^\n]", &pid, request) == 2) {
		bool known = false;

		for (int i = 0; i < count; i++)
			known |= seen[i] == pid;
		if (!known && !strcmp(request, wanted))
			seen[count++] = pid;
	}
	if (file)
		fclose(file);
	return count;
}

void meet(const char *name)
{
	while (scripted("meet_three", name) && asked("emulate", 3) < 3)
		poll(NULL, 0, 1);
}

void await_ready(const char *name)
{
	for (int ms = 0; ms < 5000 && scripted("await_ready", name) && !asked("ready", 1); ms++)
		poll(NULL, 0, 1);
}

/* ---- faults ---- */

static void say_flood(void)
{
	char block[65537];

	memset(block, 'x', sizeof(block) - 1);
	block[sizeof(block) - 1] = '\0';
	for (int i = 0; i < 300; i++)
		say(block);
	hang();
}

static void say_half(void)
{
	say("{\"reply\": \"samples\", \"id\": ");
	_exit(0);
}

/* Sends phases of the third case without end. test_sweep.c uses the third case for faults. */
static void say_phases(void)
{
	for (;;)
		say("{\"reply\":\"phase\",\"id\":2,\"phase\":\"verify\",\"pass\":null}\n");
}

/* To the terminal of whoever runs it, as far as a worker can reach that. */
static void print_escapes(void)
{
	fputs("a line\n\x1b]0;title\x07\x1b[2J\xc2\x9b"
	      "31m\xe2\x80\xae"
	      "dlo\xff\rworker\n",
	      stdout);
	fputs("\x1b[31merror\n", stderr);
	fflush(stdout);
}

static void print_lines(void)
{
	for (int i = 0; i < 3000; i++)
		printf("line %d\n", i);
	fflush(stdout);
}

/* One line of 64 MiB. */
static void print_flood(void)
{
	char block[65536];

	memset(block, 'y', sizeof(block));
	for (int i = 0; i < 1024; i++)
		fwrite(block, 1, sizeof(block), stdout);
	fflush(stdout);
}

static void print_and_die(void)
{
	fputs("the last words", stderr);
	die(SIGKILL);
}

static void stop(void)
{
	raise(SIGSTOP);
}

void crash(void)
{
	die(SIGSEGV);
}

void killed(void)
{
	die(SIGKILL);
}

static void leave(void)
{
	_exit(3);
}

/* What can go wrong while a case is verified: by a deed, by words, or by a status. */
static const struct {
	const char *name;
	void (*deed)(void);
	const char *words;
	int code;                 /* the operation returns this error */
	enum trial_status status; /* or ends so */
} actions[] = {
	{.name = "crash", .deed = crash},
	{.name = "abort", .deed = abort},
	{.name = "kill", .deed = killed},
	{.name = "exit", .deed = leave},
	{.name = "hang", .deed = hang},
	{.name = "half", .deed = say_half},
	{.name = "flood", .deed = say_flood},
	{.name = "print_escapes", .deed = print_escapes},
	{.name = "print_lines", .deed = print_lines},
	{.name = "print_flood", .deed = print_flood},
	{.name = "print_and_die", .deed = print_and_die},
	{.name = "stop", .deed = stop},
	{.name = "lie_phases", .deed = say_phases},
	{.name = "lie_json", .words = "this is no JSON\n"},
	{.name = "lie_array", .words = "[1, 2]\n"},
	{.name = "lie_reply", .words = "{\"reply\": \"gossip\", \"id\": 2, \"round\": 0}\n"},
	{.name = "lie_type",
	 .words = "{\"reply\": \"samples\", \"id\": \"zero\", \"time_ns\": [1]}\n"},
	{.name = "lie_done", .words = "{\"reply\": \"done\", \"status\": \"fine\"}\n"},
	{.name = "lie_pending",
	 .words = "{\"reply\": \"done\", \"status\": \"pending\", \"reason\": \"wait\"}\n"},
	{.name = "lie_negative_part",
	 .words = "{\"reply\": \"times\", \"id\": 2, \"parts\": {\"samples\": -1}}\n"},
	{.name = "oom", .code = PL_ENOMEM},
	{.name = "device_error", .code = PL_EDEVICE},
	{.name = "fail", .code = PL_EUSAGE},
	{.name = "mismatch", .status = TRIAL_MISMATCH},
	{.name = "race", .status = TRIAL_FAULT},
	{.name = "sample", .status = TRIAL_SAMPLED},
	{.name = "unverified", .status = TRIAL_UNVERIFIED},
	{.name = "missing_opcode", .status = TRIAL_SKIPPED},
};

int misbehave(const char *name, enum trial_status *status, struct text *reason, struct error *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(actions); i++) {
		if (!scripted(actions[i].name, name))
			continue;
		if (actions[i].deed)
			actions[i].deed();
		if (actions[i].words)
			say(actions[i].words);
		if (actions[i].code)
			return error_set(err, actions[i].code, "scripted: %s", actions[i].name);
		if (actions[i].status) {
			*status = actions[i].status;
			text_addf(reason, "scripted: %s", actions[i].name);
		}
	}
	return 0;
}
