# Databases on file systems that other machines write. No network file system can be mounted here,
# so a preloaded library shows perflab the files of this machine as such, and refuses locks.
. "$(dirname "$0")/../cli/lib.sh"
command -v sqlite3 >/dev/null || skip 'sqlite3 is not installed'
[ -f "$NETWORK_SHIM" ] || skip 'the library that is preloaded is not built'
case $(stat -f -c %T "$work") in
v9fs | fuse* | nfs* | smb* | cifs | lustre | gpfs | ceph | beegfs) skip "$work is on a network file system itself" ;;
esac
fake_emulator

# on MAGIC OPTIONS WORD…: runs perflab, with every file on a mount of that kind.
on() {
	magic=$1 mount=$2
	shift 2
	sed "s/ - .*/ - $mount/" /proc/self/mountinfo >"$work/mounts"
	export LD_PRELOAD="$NETWORK_SHIM" SHIM_MAGIC="$magic" SHIM_MOUNTS="$work/mounts"
	run "$@"
	unset LD_PRELOAD SHIM_MAGIC SHIM_MOUNTS
}

nfs=6969
nfs_mount='nfs4 server:\/export rw,vers=4.2,local_lock=none,addr=10.0.0.1'

sweep='sweep reduce --block-sizes 64..512 --size 1024 --backend ptx -q'

# journal FILE: how the file is opened by the next program.
journal() {
	sqlite3 "$1" 'PRAGMA journal_mode'
}

runs() {
	sqlite3 "$1" 'SELECT count(*) FROM run'
}

# ---- a rollback journal instead of the shared memory of WAL mode ----
# shellcheck disable=SC2086 # several words
{
	run $sweep --db local.db
	expect_code 0
	[ "$(journal local.db)" = wal ] || complain 'a local database is not in WAL mode'
	on $nfs "$nfs_mount" $sweep --db nfs.db
	expect_code 0
	[ "$(journal nfs.db)" = delete ] || complain 'a database on NFS is in WAL mode'
	# a database that a local program left in WAL mode
	cp local.db moved.db
	on $nfs "$nfs_mount" report last --db moved.db
	expect_code 0
	on $nfs "$nfs_mount" $sweep --db moved.db
	expect_code 0
	[ "$(journal moved.db)" = delete ] || complain 'it is still in WAL mode'
	[ "$(runs moved.db)" = 2 ] || complain 'a run is lost'
}

# While another program has it open in WAL mode, it is refused: it shares memory with that.
cp local.db open.db
mkfifo commands
sqlite3 open.db <commands >sqlite.txt 2>&1 &
reader=$!
exec 3>commands
echo 'BEGIN; SELECT count(*) FROM run;' >&3
await_of $reader 'the other program reads' test -s sqlite.txt
export PERFLAB_DB_TIMEOUT=100ms
# shellcheck disable=SC2086
on $nfs "$nfs_mount" $sweep --db open.db
expect_code 3
expect_err 'open.db has been locked by another process, perhaps of another machine,'
on $nfs "$nfs_mount" report last --db open.db
expect_code 3
unset PERFLAB_DB_TIMEOUT
exec 3>&-
end_of $reader

# ---- two writers at once: one waits for the other ----
# shellcheck disable=SC2086
for name in a b c d; do
	run $sweep --label $name --db $name.db
done
export LD_PRELOAD="$NETWORK_SHIM" SHIM_MAGIC=$nfs
writers=
for name in a b c d; do
	"$PERFLAB" merge $name.db --db all.db -q >$name.txt 2>&1 &
	writers="$writers $!"
done
unset LD_PRELOAD SHIM_MAGIC
command_line='perflab merge, four at once'
for writer in $writers; do
	end_of "$writer"
	expect_code 0
done
[ "$(runs all.db)" = 4 ] || complain "not four runs: $(cat ?.txt)"
[ "$(sqlite3 all.db 'PRAGMA integrity_check')" = ok ] || complain 'the database is damaged'
[ "$(journal all.db)" = delete ] || complain 'it is in WAL mode'

# ---- without locks between machines nothing is written ----
# shellcheck disable=SC2086
without_locks() {
	name=$1 reason=$2 magic=$3 mount=$4
	on "$magic" "$mount" $sweep --db new.db
	expect_code 3
	expect_one_line
	expect_err "new.db is on $name without locks between machines ($reason), so two writers"
	[ ! -e new.db ] || complain 'a file was made'
	on "$magic" "$mount" merge a.db --db b.db
	expect_code 3
	expect_err "b.db is on $name without locks between machines ($reason)"
	on "$magic" "$mount" report last --db a.db
	expect_code 0
}
without_locks NFS nolock $nfs 'nfs server:\/export rw,vers=3,nolock,addr=10.0.0.1'
without_locks NFS local_lock=all $nfs 'nfs4 server:\/export rw,local_lock=all'
without_locks Lustre localflock 0bd00bd0 'lustre mgs:\/scratch rw,localflock'
without_locks CIFS nobrl ff534d42 'cifs \/\/server\/share rw,nobrl'
without_locks FUSE fuse.sshfs 65735546 'fuse.sshfs user@server:\/home rw,user_id=0'

# BeeGFS tells in its settings whether it passes locks on.
beegfs='beegfs_nodev \/mnt\/beegfs rw,cfgFile=\/etc\/beegfs\/beegfs-client.conf'
export SHIM_BEEGFS="$work/settings"
without_locks BeeGFS 'tuneUseGlobalFileLocks is off' 19830326 "$beegfs"
printf 'tuneRemoteFSync = 1\ntuneUseGlobalFileLocks = 0\n' >settings
without_locks BeeGFS 'tuneUseGlobalFileLocks is off' 19830326 "$beegfs"
printf 'tuneRemoteFSync = 1\ntuneUseGlobalFileLocks = 1\n' >settings
# shellcheck disable=SC2086
on 19830326 "$beegfs" $sweep --db beegfs.db
expect_code 0
[ "$(journal beegfs.db)" = delete ] || complain 'a database on BeeGFS is in WAL mode'
unset SHIM_BEEGFS

# Locks of the server can fail only when they are tried.
export SHIM_LOCKS=37 # ENOLCK
# shellcheck disable=SC2086
on 0bd00bd0 'lustre mgs:\/scratch rw' $sweep --db a.db
expect_code 3
expect_one_line
expect_err 'a.db is on Lustre, which refuses locks (No locks available), so two writers could damage it'
unset SHIM_LOCKS

# What one machine shares with none is a local file system.
# shellcheck disable=SC2086
on 65735546 'fuse.fuse-overlayfs fuse-overlayfs rw' $sweep --db overlay.db
expect_code 0
[ "$(journal overlay.db)" = wal ] || complain 'fuse-overlayfs counts as a network file system'

# ---- read-only ----
# root may write every file, so nobody reads
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	mkdir shelf
	cp local.db shelf/local.db
	chmod 755 "$work" shelf
	chmod 444 shelf/local.db
	cat >as-nobody <<-END
		#!/bin/sh
		exec setpriv --reuid 65534 --clear-groups "$PERFLAB" "\$@"
	END
	chmod +x as-nobody
	real=$PERFLAB PERFLAB=$work/as-nobody
	on $nfs "$nfs_mount" report last --db shelf/local.db
	expect_code 0
	PERFLAB=$real
fi
finish
