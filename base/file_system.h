/*
 * file_system: what holds a file, for programs that share it with other machines. On a network file
 * system, machines do not share memory maps, and locks hold only as far as its mount lets them.
 */
#ifndef BASE_FILE_SYSTEM_H
#define BASE_FILE_SYSTEM_H

#include <stdbool.h>

struct file_system {
	/* "NFS". NULL: no other machine writes it, as far as is known. Static. */
	const char *name;
	/* What keeps the locks of this machine from other machines: the mount option
	 * "local_lock=all", or a type of mount such as "fuse.sshfs". NULL: nothing that is known.
	 * Static. */
	const char *local_locks;
};

/* Finds the file system of an existing file or folder. If the system does not tell, it counts as
 * one of this machine. */
void file_system_of(struct file_system *out, const char *path);

#endif
