# scripts/mpi-rank: a shard and a GPU per rank, under mpirun and with the variables of other
# launchers.
. "$(dirname "$0")/../cli/lib.sh"
mpi_rank=$(cd "$(dirname "$0")/../../scripts" && pwd)/mpi-rank
cd "$work" || exit 1
command -v sqlite3 >/dev/null || skip 'sqlite3 is not installed'
fake_emulator
export PERFLAB
unset CUDA_VISIBLE_DEVICES
for name in $(env | sed -nE 's/^((OMPI|PMI|PMIX|MPI|MV2|PALS|SLURM)_[A-Z_]*)=.*/\1/p'); do
	unset "$name"
done
cases='reduce/shuffle reduce/sequential --block-sizes 64..512 --size 1024,4096 --backend ptx'
content='SELECT position, kernel, variant, config, status, flop, bytes_read FROM trial ORDER BY position;
	SELECT position, metric, value FROM trial JOIN counters ON trial_id = trial.id ORDER BY 1, 2'

# rank WORD…: runs mpi-rank with these variables and words; see `run`.
rank() {
	command_line="env $*"
	env "$@" >"$work/out" 2>"$work/err" </dev/null
	code=$?
}

# merged FOLDER: the shards of the folder are what one sweep stores.
merged() {
	run merge "$1"/shard-*.db --db "$1.db"
	expect_code 0
	sqlite3 "$1.db" "$content" | cmp -s - one.txt || complain 'not what one sweep stores'
}

# shellcheck disable=SC2086 # several words
{
	run sweep $cases --db one.db -q
	expect_code 0
	sqlite3 one.db "$content" >one.txt
	[ -s one.txt ] || complain 'nothing was measured'

	# ---- without a launcher, by their variables ----
	for n in 0 1 2; do
		rank PMI_RANK=$n PMI_SIZE=3 MPI_LOCALRANKID=$n "$mpi_rank" pmi $cases
		expect_code 0
		expect_err "rank $n of 3 measures on GPU $n into pmi/shard-$((n + 1)).db"
	done
	merged pmi
	for n in 0 1 2; do
		# the second node has one rank
		rank SLURM_PROCID=$n SLURM_STEP_NUM_TASKS=3 SLURM_LOCALID=$((n % 2)) \
			CUDA_VISIBLE_DEVICES=GPU-a,GPU-b "$mpi_rank" srun $cases
		expect_code 0
	done
	expect_err 'rank 2 of 3 measures on GPU GPU-a into'
	merged srun
	# a GPU that the launcher chose
	rank PALS_RANKID=0 PALS_SIZE=2 PALS_LOCAL_RANKID=1 CUDA_VISIBLE_DEVICES=5 "$mpi_rank" pals $cases
	expect_err 'on GPU 5 into'

	# ---- a run per rank ----
	for n in 0 1; do
		rank PERFLAB_EACH=1 MV2_COMM_WORLD_RANK=$n MV2_COMM_WORLD_SIZE=2 \
			MV2_COMM_WORLD_LOCAL_RANK=$n "$mpi_rank" each $cases
		expect_code 0
	done
	run merge each/shard-*.db --db each.db
	expect_code 0
	[ "$(sqlite3 each.db 'SELECT count(*) FROM run')" = 2 ] || complain 'not a run per rank'

	# ---- mistakes ----
	rank "$mpi_rank" none $cases
	expect_code 2
	expect_err 'no rank in the environment'
	rank PMI_RANK=0 PMI_SIZE=2 "$mpi_rank" none $cases
	expect_code 2
	expect_err 'rank 0 has no number on its node'
	rank PMI_RANK=0 PMI_SIZE=3 MPI_LOCALRANKID=0 "$mpi_rank" pmi $cases
	expect_code 2
	expect_err 'pmi/shard-1.db exists: name a new folder'
	rank PMI_RANK=2 PMI_SIZE=3 MPI_LOCALRANKID=2 CUDA_VISIBLE_DEVICES=0,1 "$mpi_rank" none $cases
	expect_code 2
	expect_err 'rank 2 has no GPU of its own'
	[ ! -e none ] || complain 'a refused rank made its folder'

	# ---- Open MPI ----
	command -v mpirun >/dev/null || finish_without 'mpirun is not installed: apt-get install openmpi-bin'
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
	command_line='mpirun'
	timeout "$(seconds_left)" mpirun --oversubscribe --mca btl self,tcp -n 4 "$mpi_rank" openmpi $cases \
		>"$work/out" 2>"$work/err" </dev/null
	code=$?
	expect_code 0
	for n in 0 1 2 3; do
		expect_err "rank $n of 4 measures on GPU $n into openmpi/shard-$((n + 1)).db"
	done
	merged openmpi
}
finish
