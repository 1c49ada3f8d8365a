/* The kind of the file system of a file, from statfs(2) and the options of its mount. */
#include "base/file_system.h"

#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>

#include "base/base.h"

#define MOUNTS_BYTES_MOST (4 << 20)
#define BEEGFS_SETTINGS "/proc/fs/beegfs/*/config"

static const struct {
	uint32_t magic; /* f_type of statfs(2) */
	const char *name;
} network_kinds[] = {
	{0x6969, "NFS"},       {0x517b, "SMB"},      {0xff534d42, "CIFS"},   {0xfe534d42, "SMB"},
	{0x01021997, "9P"},    {0x65735546, "FUSE"}, {0x0bd00bd0, "Lustre"}, {0x47504653, "GPFS"},
	{0x00c36400, "Ceph"},  {0x5346414f, "AFS"},  {0x19830326, "BeeGFS"}, {0x013661, "GFS2"},
	{0x7461636f, "OCFS2"},
};

/* Mounts of FUSE that hold the files of this machine only. */
static const char *const local_types[] = {"fuseblk", "fuse.fuse-overlayfs"};

/* Types of mounts that do not pass locks on, or keep old contents for a while. */
static const char *const types_without_locks[] = {
	"afs",         "fuse.sshfs",     "fuse.s3fs",   "fuse.gcsfuse",
	"fuse.rclone", "fuse.curlftpfs", "fuse.goofys", "fuse.mount-s3",
	"fuse.davfs",  "fuse.davfs2",
};

/* Options of mounts of NFS, Lustre and CIFS. */
static const char *const options_without_locks[] = {
	"nolock", "local_lock=all", "local_lock=posix", "localflock", "nobrl",
};

static const char *network_kind_of(uint32_t magic)
{
	for (size_t i = 0; i < ARRAY_SIZE(network_kinds); i++)
		if (network_kinds[i].magic == magic)
			return network_kinds[i].name;
	return NULL;
}

static const char *word_known(const char *word, size_t length, const char *const *known,
			      size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(known[i]) == length && strncmp(known[i], word, length) == 0)
			return known[i];
	return NULL;
}

/* Takes what follows " - " in a line of mountinfo: the type, the source and the options. */
static void mount_take(struct file_system *out, const char *words)
{
	const size_t type = strcspn(words, " \n");
	const char *options = words + type;

	if (word_known(words, type, local_types, ARRAY_SIZE(local_types))) {
		*out = (struct file_system){0};
		return;
	}
	out->local_locks =
		word_known(words, type, types_without_locks, ARRAY_SIZE(types_without_locks));
	options += strspn(options, " ");
	options += strcspn(options, " \n"); /* the source */
	while (!out->local_locks && (*options == ' ' || *options == ',')) {
		const size_t length = strcspn(++options, ",\n");

		out->local_locks = word_known(options, length, options_without_locks,
					      ARRAY_SIZE(options_without_locks));
		options += length;
	}
}

/* The last mount of a device hides those before it. */
static const char *find_mount(const char *mounts, dev_t device)
{
	const char *found = NULL;

	for (const char *line = mounts; line; line = strchr(line, '\n')) {
		unsigned major_number, minor_number;
		const char *words;

		line += *line == '\n';
		words = strstr(line, " - ");
		if (words && sscanf(line, "%*u %*u %u:%u ", &major_number, &minor_number) == 2 &&
		    makedev(major_number, minor_number) == device)
			found = words + strlen(" - ");
	}
	return found;
}

/* BeeGFS keeps locks on the machine unless its client is configured otherwise. Which settings
 * belong to a mount is not looked up: all must pass them on. */
static bool beegfs_shares_locks(void)
{
	glob_t files = {0};
	bool all = glob(BEEGFS_SETTINGS, 0, NULL, &files) == 0;

	for (size_t i = 0; all && i < files.gl_pathc; i++) {
		char *text = NULL;
		size_t length;

		all = read_file(&text, &length, files.gl_pathv[i], MOUNTS_BYTES_MOST, NULL) == 0 &&
		      strstr(text, "tuneUseGlobalFileLocks = 1\n");
		free(text);
	}
	globfree(&files);
	return all;
}

void file_system_of(struct file_system *out, const char *path)
{
	struct statfs status;
	struct stat file;
	char *mounts = NULL;
	size_t length;
	const char *mount;

	*out = (struct file_system){0};
	if (statfs(path, &status))
		return;
	out->name = network_kind_of((uint32_t)status.f_type);
	if (!out->name || stat(path, &file) ||
	    read_file(&mounts, &length, "/proc/self/mountinfo", MOUNTS_BYTES_MOST, NULL))
		return;
	mount = find_mount(mounts, file.st_dev);
	if (mount)
		mount_take(out, mount);
	if (out->name && strcmp(out->name, "BeeGFS") == 0 && !beegfs_shares_locks())
		out->local_locks = "tuneUseGlobalFileLocks is off";
	free(mounts);
}
