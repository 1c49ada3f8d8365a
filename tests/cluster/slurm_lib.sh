# Sourced by the tests of Slurm, after tests/cli/lib.sh: a Slurm of one node on this machine, with
# its own munged, ports, state and logs in $work/slurm. Needs root. Everything ends with the test.

# The Debian packages slurm-wlm and munge bring these programs.
need_slurm() {
	[ "$(id -u)" -eq 0 ] || skip 'Slurm is tested as root, which starts its daemons'
	for program in munged mungekey slurmctld slurmd sbatch; do
		command -v $program >/dev/null ||
			PATH=$PATH:/usr/sbin command -v $program >/dev/null ||
			skip "$program is not installed: apt-get install slurm-wlm munge"
	done
	PATH=$PATH:/usr/sbin
}

# free_ports COUNT: prints ports of the loopback that nobody uses.
free_ports() {
	python3 -c 'import socket, sys
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
print(*[one.getsockname()[1] for one in sockets])' "$1"
}

end_slurm() {
	# slurmd first: it ends the steps of its jobs.
	for daemon in slurmd slurmctld munged; do
		pid=$(cat "$slurm/$daemon.pid" 2>/dev/null) || continue
		kill "$pid" 2>/dev/null
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

# start_slurm: 8 processors, whatever the machine has, and two GPUs, which are other device files.
start_slurm() {
	slurm=$work/slurm
	mkdir -p "$slurm/state" "$slurm/spool"
	chmod 755 "$work" "$slurm"
	# shellcheck disable=SC2046 # two words
	set -- $(free_ports 2)
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
		AccountingStorageType=accounting_storage/none
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
	slurmctld -f "$SLURM_CONF" >"$work/out" 2>"$work/err" &&
		slurmd -N localhost -f "$SLURM_CONF" >"$work/out" 2>"$work/err" || {
		complain 'slurmctld or slurmd does not start'
		finish
	}
	cat "$slurm"/*.log >"$work/err" 2>/dev/null
	await 'the node of Slurm is idle' slurm_answers
}
