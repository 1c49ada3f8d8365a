# Sourced by the tests of Slurm, after tests/cli/lib.sh: a Slurm of one node on this machine, with
# its own munged, accounting, ports, state and logs in $work/slurm. Needs root. Everything ends with
# the test.

# The Debian packages slurm-wlm and munge bring these programs.
need_slurm() {
	[ "$(id -u)" -eq 0 ] || skip 'Slurm is tested as root, which starts its daemons'
	for program in munged mungekey slurmctld slurmd sbatch; do
		command -v $program >/dev/null ||
			PATH=$PATH:/usr/sbin command -v $program >/dev/null ||
			skip "$program is not installed: apt-get install slurm-wlm munge"
	done
	PATH=$PATH:/usr/sbin
	# Why this Slurm has no accounting; empty if it has.
	without_accounting=
	for program in slurmdbd mariadbd mariadb-install-db my_print_defaults; do
		command -v $program >/dev/null ||
			without_accounting="no accounting, because $program is not installed: apt-get install slurmdbd mariadb-server-core mariadb-client-core"
	done
}

# free_ports COUNT: prints ports of the loopback that nobody uses.
free_ports() {
	python3 -c 'import socket, sys
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
print(*[one.getsockname()[1] for one in sockets])' "$1"
}

end_slurm() {
	# slurmd first: it ends the steps of its jobs.
	for daemon in slurmd slurmctld slurmdbd mariadbd munged; do
		pid=$(cat "$slurm/$daemon.pid" 2>/dev/null) || continue
		signal=TERM
		case $daemon in
		slurmdbd | mariadbd) signal=KILL ;; # their data end with the test
		esac
		kill -s $signal "$pid" 2>/dev/null
		for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
			is_gone "$pid" && break
			sleep 0.1
		done
		is_gone "$pid" || kill -9 "$pid"
	done
	# What is left of the jobs has the folder of this Slurm in its environment.
	for environment in $(grep -lsxzF "SLURM_CONF=$SLURM_CONF" /proc/[0-9]*/environ); do
		process=$(basename "$(dirname "$environment")")
		[ "$process" = $$ ] || kill -9 "$process" 2>/dev/null
	done
	rm -rf "$work"
}

slurm_answers() {
	sinfo -h -o %t >"$slurm/sinfo" 2>&1 && grep -qx idle "$slurm/sinfo"
}

# start_mariadb: a database server that only root reaches, by a socket in a private folder. It has no
# port, and nothing has to survive a crash of it.
start_mariadb() {
	mkdir -m 700 "$slurm/mariadb"
	cat >"$slurm/mariadb/my.cnf" <<-END
		[mariadbd]
		user=root
		datadir=$slurm/mariadb/data
		socket=$slurm/mariadb/socket
		pid-file=$slurm/mariadbd.pid
		skip-networking
		skip-name-resolve
		innodb-log-file-size=4M
		innodb-flush-log-at-trx-commit=0
	END
	mariadb-install-db --defaults-file="$slurm/mariadb/my.cnf" --auth-root-authentication-method=normal \
		--skip-test-db >"$work/out" 2>"$work/err" || {
		complain 'mariadb-install-db fails'
		finish
	}
	mariadbd --defaults-file="$slurm/mariadb/my.cnf" >"$slurm/mariadbd.log" 2>&1 &
	await_of $! 'MariaDB has its socket' mariadb_listens
}

mariadb_listens() {
	tail -n 15 "$slurm/mariadbd.log" >"$work/err"
	[ -S "$slurm/mariadb/socket" ]
}

slurmdbd_answers() {
	sacctmgr -n list cluster >"$work/out" 2>"$work/err"
}

# start_accounting PORT: slurmdbd with its own MariaDB, and the cluster registered there.
start_accounting() {
	start_mariadb
	cat >"$slurm/slurmdbd.conf" <<-END
		AuthType=auth/munge
		AuthInfo=socket=$slurm/munge.socket
		DbdHost=localhost
		DbdAddr=127.0.0.1
		DbdPort=$1
		SlurmUser=root
		PidFile=$slurm/slurmdbd.pid
		LogFile=$slurm/slurmdbd.log
		StorageType=accounting_storage/mysql
		StorageHost=localhost
		StorageUser=root
		StorageLoc=perflab
	END
	chmod 600 "$slurm/slurmdbd.conf" # slurmdbd demands it
	# slurmdbd has no option for the socket; the client library of MariaDB has this variable.
	MYSQL_UNIX_PORT="$slurm/mariadb/socket" slurmdbd >"$work/out" 2>"$work/err" || {
		complain 'slurmdbd does not start'
		finish
	}
	await 'slurmdbd answers' slurmdbd_answers
	sacctmgr -i add cluster perflab >"$work/out" 2>"$work/err" &&
		[ "$(sacctmgr -n -P list cluster format=cluster)" = perflab ] || {
		complain 'sacctmgr cannot register the cluster'
		finish
	}
}

# start_slurm: 8 processors, whatever the machine has, and two GPUs, which are other device files.
start_slurm() {
	slurm=$work/slurm
	mkdir -p "$slurm/state" "$slurm/spool"
	chmod 755 "$work" "$slurm"
	# shellcheck disable=SC2046 # two words
	set -- $(free_ports 3)
	storage=none
	[ -n "$without_accounting" ] || storage=slurmdbd
	cat >"$slurm/slurm.conf" <<-END
		ClusterName=perflab
		SlurmctldHost=localhost(127.0.0.1)
		SlurmctldPort=$1
		SlurmdPort=$2
		SlurmUser=root
		AuthInfo=socket=$slurm/munge.socket
		StateSaveLocation=$slurm/state
		SlurmdSpoolDir=$slurm/spool
		SlurmctldPidFile=$slurm/slurmctld.pid
		SlurmdPidFile=$slurm/slurmd.pid
		SlurmctldLogFile=$slurm/slurmctld.log
		SlurmdLogFile=$slurm/slurmd.log
		CommunicationParameters=NoAddrCache
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		JobAcctGatherType=jobacct_gather/none
		AccountingStorageType=accounting_storage/$storage
		AccountingStorageHost=127.0.0.1
		AccountingStoragePort=$3
		AccountingStoragePass=$slurm/munge.socket
		JobCompType=jobcomp/filetxt
		JobCompLoc=$slurm/completed
		MailProg=/bin/true
		SchedulerType=sched/builtin
		SelectType=select/cons_tres
		SelectTypeParameters=CR_CPU
		SlurmdParameters=config_overrides
		KillWait=5
		MinJobAge=3600
		ReturnToService=2
		GresTypes=gpu
		NodeName=localhost NodeAddr=127.0.0.1 CPUs=8 Gres=gpu:2 State=UNKNOWN
		PartitionName=all Nodes=localhost Default=YES MaxTime=INFINITE State=UP
	END
	cat >"$slurm/gres.conf" <<-'END'
		NodeName=localhost Name=gpu File=/dev/null
		NodeName=localhost Name=gpu File=/dev/zero
	END
	export SLURM_CONF="$slurm/slurm.conf"
	trap end_slurm EXIT
	trap 'exit 1' INT TERM
	command_line='the daemons of Slurm'
	mungekey -c -k "$slurm/munge.key" >"$work/out" 2>"$work/err" || complain 'mungekey fails'
	munged --force -S "$slurm/munge.socket" --key-file="$slurm/munge.key" \
		--pid-file="$slurm/munged.pid" --log-file="$slurm/munged.log" \
		--seed-file="$slurm/munge.seed" >"$work/out" 2>"$work/err" || {
		complain 'munged does not start'
		finish
	}
	[ -n "$without_accounting" ] || start_accounting "$3"
	slurmctld -f "$SLURM_CONF" >"$work/out" 2>"$work/err" &&
		slurmd -N localhost -f "$SLURM_CONF" >"$work/out" 2>"$work/err" || {
		complain 'slurmctld or slurmd does not start'
		finish
	}
	cat "$slurm"/*.log >"$work/err" 2>/dev/null
	await 'the node of Slurm is idle' slurm_answers
}

# accounted LINE…: at its end, the test expects these records in the accounting: the job or the task,
# its state and its exit code. The records of one task are in the order of its starts.
accounted() {
	printf '%s\n' "$@" >>"$work/accounted"
}

# slurmctld tells the database of starts and ends by different ways, seconds later and in any order.
sacct_shows_it() {
	sacct -X -n -P --duplicates -j "$jobs" -o JobID,Start,State,ExitCode >"$work/records" 2>"$work/err"
	LC_ALL=C sort -t '|' -k 1,1 -k 2,2 "$work/records" | cut -d '|' -f 1,3,4 | tr '|' ' ' >"$work/shown"
	diff "$work/expected" "$work/shown" >"$work/out"
}

# expect_accounting: sacct shows what the calls of accounted have named, of these jobs, and no more.
expect_accounting() {
	LC_ALL=C sort -s -t ' ' -k 1,1 "$work/accounted" >"$work/expected"
	jobs=$(sed 's/[_ ].*//' "$work/expected" | sort -u | tr '\n' ,)
	command_line="sacct --duplicates -j $jobs"
	await 'it shows what became of the jobs' sacct_shows_it
}
