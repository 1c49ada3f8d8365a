-- The tables of a database of perflab, and their indexes. Each column is described beside its name,
-- the launch facts, times and states of devices in metrics/fields.h. A new column needs nothing
-- else: a file that lacks it gets it when it is next written (db/migrate.c). So it may be NULL or has
-- a default. A column begins a line with one tab, and an empty line ends a statement.
PRAGMA application_id = 1886151010; -- "plab"
PRAGMA user_version = 100;

CREATE TABLE device (
	-- The devices that were measured or emulated.
	-- One row per uuid and name, whatever the driver knew of it at the time. A run updates the
	-- facts that it knows and leaves the others. The versions of its software are in run.
	id INTEGER PRIMARY KEY, -- number of the device in this file
	name TEXT NOT NULL,
	uuid TEXT,
	-- As the driver describes it: `perflab query device --columns`.
	chip TEXT,
	cc_major INTEGER,
	cc_minor INTEGER,
	sm_count INTEGER,
	max_threads_per_sm INTEGER,
	max_threads_per_block INTEGER,
	max_blocks_per_sm INTEGER,
	registers_per_sm INTEGER,
	shared_bytes_per_sm INTEGER,
	shared_bytes_per_block INTEGER,
	l2_bytes INTEGER,
	memory_bytes INTEGER,
	sm_clock_max_hz INTEGER,
	memory_clock_max_hz INTEGER,
	memory_bus_bits INTEGER
) STRICT;

CREATE UNIQUE INDEX device_by_identity ON device (uuid, name);

-- settings is made without JSON functions: SQLite before 3.43 does not take those in the schema of
-- a file that may be untrusted.
CREATE TABLE run (
	-- One row per run.
	-- It has the versions of the software, the traits of the backend, and the settings.
	id INTEGER PRIMARY KEY, -- number of the run in this file
	uid TEXT NOT NULL UNIQUE CHECK (length(uid) = 32),
		-- 32 hex digits, the same in every file that holds this run
	label TEXT,
		-- --label; several runs may share one, and the newest is meant; `perflab mark`
		-- changes it
	note TEXT, -- free text; `perflab mark` changes it
	state TEXT NOT NULL CHECK (state IN ('running', 'finished', 'interrupted')),
		-- a killed sweep stays running here, and `perflab list runs` shows it as
		-- interrupted
	started_ns INTEGER NOT NULL, -- wall clock, ns since 1970 UTC, as all times of day
	finished_ns INTEGER, -- NULL while running
	backend TEXT NOT NULL,
		-- cuda, ptx (the emulator), or the program that an imported run comes from
	device_id INTEGER NOT NULL REFERENCES device, -- device.id
	-- The versions of the software: `perflab query run --columns`.
	driver TEXT,
	cuda_driver TEXT,
	toolkit TEXT,
	cupti TEXT,
	version TEXT, -- version of perflab
	source_revision TEXT,
		-- full commit of the measured kernels: of built-in ones that of perflab, of a
		-- user's that of their repository, of an imported run --revision. -dirty: tracked
		-- files were changed. NULL: no git repository, or git could not tell within 30 s.
		-- --resume refuses a build of another commit. perflab_revision and working_revision
		-- in environment have the other commits
	command TEXT, -- command line as typed
	seed INTEGER NOT NULL,
		-- seed of inputs and order; 64 bits, printed unsigned by `printf('%llu', seed)`
	rounds INTEGER NOT NULL, -- number of rounds asked for; 0 for an emulated run
	-- Traits of the backend.
	timed INTEGER NOT NULL CHECK (timed IN (0, 1)), -- 1: the backend measures times
	emulated INTEGER NOT NULL CHECK (emulated IN (0, 1)),
		-- 1: the backend counts PTX and reads no hardware counters
	vendor TEXT, -- vendor of the device, such as NVIDIA; NULL: none or unknown
	warp_size INTEGER, -- lanes of a warp; NULL: unknown
	-- The settings, which --resume needs. NULL: the run has none, because it was imported.
	device_ordinal INTEGER, -- --device
	cache TEXT CHECK (cache IN ('cold', 'hot')),
		-- --cache: the state of the L2 cache before each sample
	min_samples INTEGER, -- --min-samples: samples that each case gets at least
	max_time_ns INTEGER, -- --max-time: device time for timing one case, over all rounds
	precision REAL,
		-- --precision: timing of a case stops when the interval of its median is within ±
		-- this ratio
	timeout_ns INTEGER, -- --timeout: limit for one phase of one case
	metrics TEXT,
		-- --metrics: the metrics asked for, in order, separated by commas; empty: none
	emulated_chip TEXT,
		-- --chip: chip with the limits that the emulator uses; NULL: the default of the
		-- backend
	all_blocks INTEGER CHECK (all_blocks IN (0, 1)),
		-- 1: the emulator runs every block (`--blocks all`)
	jobs INTEGER,
		-- --jobs: emulators that run side by side, or processors for inputs and oracles
		-- beside a device; 0: one per processor
	counter_dump TEXT, -- --counter-dump: folder for counter-data images; NULL: none
	settings TEXT GENERATED ALWAYS AS (
		CASE WHEN coalesce(device_ordinal, cache, min_samples, max_time_ns, precision, timeout_ns,
			metrics, emulated_chip, all_blocks, jobs, counter_dump) IS NOT NULL
		THEN '{' || rtrim(coalesce('"device":' || device_ordinal || ',', '') ||
			iif(min_samples + max_time_ns + precision + timeout_ns IS NULL, '',
				printf('"seed":"%llu",', seed)) || -- a string: many JSON readers keep 53 bits
			coalesce('"cache":' || '"' || cache || '"' || ',', '') ||
			coalesce('"min_samples":' || min_samples || ',', '') ||
			coalesce('"max_time_ns":' || max_time_ns || ',', '') ||
			CASE WHEN precision IS NULL THEN ''
				ELSE printf('"precision":%!.17g,', precision) END ||
			iif(min_samples + max_time_ns + precision + timeout_ns IS NULL, '',
				'"rounds":' || iif(emulated, 3, rounds) || ',') ||
			coalesce('"timeout_ns":' || timeout_ns || ',', '') ||
			coalesce('"metrics":' || '[' || iif(metrics = '', '', replace(
				('"' || replace(replace(replace(replace(replace(metrics,
				'\', '\\'), '"', '\"'), char(9), '\t'), char(10), '\n'), char(13), '\r') || '"'),
				',', '","')) || ']' || ',', '') ||
			coalesce('"chip":' ||
				('"' || replace(replace(replace(replace(replace(emulated_chip,
				'\', '\\'), '"', '\"'), char(9), '\t'), char(10), '\n'), char(13), '\r') || '"')
				|| ',', iif(min_samples + max_time_ns + precision + timeout_ns IS NULL, '',
				'"chip":null,')) ||
			coalesce('"all_blocks":' ||
				CASE all_blocks WHEN 0 THEN 'false' WHEN 1 THEN 'true' END || ',', '') ||
			coalesce('"jobs":' || jobs || ',', '') ||
			coalesce('"counter_dump":' ||
				('"' || replace(replace(replace(replace(replace(counter_dump,
				'\', '\\'), '"', '\"'), char(9), '\t'), char(10), '\n'), char(13), '\r') || '"')
				|| ',', iif(min_samples + max_time_ns + precision + timeout_ns IS NULL, '',
				'"counter_dump":null,')), ',') || '}'
		END) VIRTUAL,
		-- the settings as JSON, without members that are NULL in a run with incomplete
		-- settings
	base_variant TEXT,
		-- --baseline: the variant beside which the others are measured; NULL: none
	origin TEXT,
		-- where the kernels of a user come from: the remote repository without credentials
		-- and the path in it (github.com/a/b:src/saxpy.cu), or the absolute path of a file
		-- that is in none. A file that was moved within its repository keeps its origin.
		-- NULL: built in or imported
	placements INTEGER
		-- --placements: over how many placements of the data in physical memory a round
		-- spreads its samples, if the data can be moved; round.placements has the number;
		-- NULL: stored before version 16, by a perflab that left the data where it was, or
		-- imported
) STRICT;

CREATE INDEX run_by_label ON run (label, started_ns);

CREATE INDEX run_by_device ON run (device_id, backend, started_ns);

CREATE TABLE environment (
	-- Facts about the machine of a run: host, clocks, persistence mode.
	-- One row per fact. Some are about the run:
	-- working_revision: the commit of the folder in which perflab ran, if that is another
	-- repository or commit than perflab's own.
	-- gpus.group, gpus.mode, gpus.count, gpus.processors, gpus.interference: of a sweep on
	-- several GPUs. gpus.absent.N: GPU N of the sweep has no run: its UUID, and why.
	-- gpus.failed: why the run lost its GPU. gpus.lost.KERNEL/VARIANT/CONFIG: the case with
	-- which the GPU was lost for the first time, and why.
	-- source.1, source.1.hash: of a user's files: paths, and hashes of the contents. files.1,
	-- files.annotation.1, files.compile_flag.1, files.standard, files.compiler, files.axis.1
	-- (values of an axis, which may declare it), files.folder (in which perflab ran): the words
	-- with which they were given, for --resume and `perflab nsight`.
	-- source.check.KERNEL/VARIANT: how a variant is verified, with its tolerance.
	-- ptx_compiler: the driver compiled PTX, and why: there was no ptxas, or it refused
	-- built-in PTX.
	-- gpu.other_processes: the number of other processes that used the GPU when the worker was
	-- opened, or woken. worker.waited: how long before the run `perflab watch` had opened the
	-- worker, which it wakes before it measures.
	-- decide.first_rounds: with --decide, the number of rounds before the first interim
	-- analysis. decide.base: the uid of the run that it was compared with last. decide.outcome:
	-- what came of it. decide.rounds_used: if the control moved, the number of rounds that were
	-- kept. decide.control_moved: by how much it moved, relative to 1. decide.control: what
	-- --resume needs of the control: the number of the first round that is not checked by it,
	-- then for each control case its place in the plan, from 0, and the number of its own first
	-- round that is not checked (8 0:8 5:11).
	-- shards, sweep, sweep_uid, sweep_cases: of a run that is made of shards.
	run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	key TEXT NOT NULL, -- a fact of the machine or of the run
	value TEXT NOT NULL, -- always text
	name TEXT AS (key) VIRTUAL, -- the same as key
	PRIMARY KEY (run_id, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE trial_status (
	-- How a trial can end.
	-- A status is a row, not a word in a CHECK, which no ALTER TABLE changes. A newer perflab
	-- may add rows.
	name TEXT PRIMARY KEY, -- value of trial.status
	meaning TEXT NOT NULL -- one line
) STRICT, WITHOUT ROWID;

CREATE TABLE trial (
	-- One row per case of a run.
	-- The rows exist from the start of the run, with the status pending.
	id INTEGER PRIMARY KEY, -- number of the trial in this file
	run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	position INTEGER NOT NULL, -- position in the plan, from 0
	kernel TEXT NOT NULL, -- such as reduce
	variant TEXT NOT NULL, -- such as shuffle
	config TEXT NOT NULL, -- with sorted keys: block=256,n=16777216
	status TEXT NOT NULL REFERENCES trial_status, -- a row of trial_status
	reason TEXT, -- why the status is neither ok nor pending
	finished_ns INTEGER, -- NULL while pending, and for a case that the plan skipped
	counted_ns INTEGER, -- when the counters were stored; NULL: not yet
	flop INTEGER, -- floating-point operations of the work model
	bytes_read INTEGER, -- compulsory bytes read, from the work model
	bytes_written INTEGER, -- compulsory bytes written, from the work model
	-- The facts of the largest launch, the one with the most threads, and the times are
	-- described by `perflab query trial --columns`.
	registers_per_thread INTEGER,
	shared_static_bytes INTEGER,
	shared_dynamic_bytes INTEGER,
	local_bytes_per_thread INTEGER,
	theoretical_occupancy_pct REAL,
	occupancy_limiter TEXT,
	code_hash TEXT,
	instructions_hash TEXT,
	code_kind TEXT,
	sample_count INTEGER NOT NULL DEFAULT 0, -- samples in all rounds
	median_ns REAL,
	mad_ns REAL,
	session_low_ns REAL,
	session_high_ns REAL,
	min_ns REAL,
	max_ns REAL,
	launch_hash TEXT,
		-- hash of everything that was launched except the code and the run's seed: image
		-- name, grids, arguments, buffers and fills, in hex: of a user's kernel 64 digits
		-- (BLAKE2b), of built-in kernels and of earlier versions 16. Equal code hash,
		-- launch hash and seed mean equal work
	mean_ns REAL CHECK (mean_ns >= 0),
		-- mean that an imported file gives in place of samples; NULL: none
	UNIQUE (run_id, kernel, variant, config),
	CHECK ((status IN ('pending', 'ok')) = (reason IS NULL)),
	CHECK ((sample_count = 0) = (median_ns IS NULL))
) STRICT;

CREATE INDEX trial_by_case ON trial (kernel, variant, config, run_id);

CREATE INDEX trial_by_status ON trial (run_id, status);

CREATE INDEX trial_by_failure ON trial (run_id)
	WHERE status NOT IN ('ok', 'sampled', 'unverified', 'skipped', 'pending');

CREATE TABLE axis (
	-- The values of each trial's axes.
	-- One row per axis of a trial: the values that trial.config holds as text.
	trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
	name TEXT NOT NULL, -- such as block
	value INTEGER NOT NULL, -- such as 256
	PRIMARY KEY (trial_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE round (
	-- The median and the device state of each round.
	-- NULL: the value was not measured.
	trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
	round INTEGER NOT NULL CHECK (round >= 0), -- number of the round, from 0
	stored_ns INTEGER NOT NULL, -- wall clock
	-- The state of the device: `perflab query round --columns`.
	sm_clock_hz REAL,
	memory_clock_hz REAL,
	temperature_c REAL,
	power_w REAL,
	throttle_reasons INTEGER,
	event_ns REAL,
	launch_ns REAL,
	median_ns REAL, -- median of the round's samples
	speedup REAL,
		-- exp of the mean of the middle half of ln(base_ns / time_ns) over the samples of
		-- the round; NULL: measured without a base case
	same_buffers INTEGER CHECK (same_buffers IN (0, 1)),
		-- 1: case and base case used the same device memory; NULL: measured without a base
		-- case
	placements INTEGER,
		-- over how many placements of the data in physical memory the samples are spread;
		-- NULL: not known
	PRIMARY KEY (trial_id, round)
) STRICT, WITHOUT ROWID;

CREATE TABLE sample (
	-- Every timed execution.
	-- One row per sample: the raw samples are kept.
	trial_id INTEGER NOT NULL,
	round INTEGER NOT NULL, -- round.round
	sequence INTEGER NOT NULL CHECK (sequence >= 0),
		-- order in which the samples were taken, from 0 in each round
	time_ns REAL NOT NULL CHECK (time_ns >= 0),
		-- device time of the whole operation, without round.event_ns
	base_ns REAL CHECK (base_ns >= 0),
		-- device time of the base case's operation, taken beside this sample; NULL:
		-- measured without a base case
	PRIMARY KEY (trial_id, round, sequence),
	FOREIGN KEY (trial_id, round) REFERENCES round ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE metric (
	-- Name, unit and source of the metrics in counter.
	-- All runs share the metrics, which remain when a run is deleted.
	id INTEGER PRIMARY KEY, -- number of the metric in this file
	name TEXT NOT NULL,
		-- name in the catalogue (`perflab list metrics`), or a CUPTI name that was asked
		-- for
	unit TEXT NOT NULL, -- unit of the values: byte, percent, ns …
	source TEXT NOT NULL,
		-- the CUPTI metric, emulated PTX, derived: FORMULA, occupancy calculator, or plan
		-- for a value known without counting; ", sampled: 5 of 65536 blocks" follows if the
		-- emulator executed only some blocks, and ", taken over from run 1a2b3c4d" if
		-- --take-counters copied the value; what is derived from it does not say so
	UNIQUE (name, unit, source)
) STRICT;

CREATE TABLE counter (
	-- Values of metrics, one per trial and metric.
	-- The view result_counters adds the names, which are stored once in metric.
	trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
	metric_id INTEGER NOT NULL REFERENCES metric, -- metric.id
	value REAL, -- NULL if there is a reason
	reason TEXT, -- NULL if there is a value
	PRIMARY KEY (trial_id, metric_id),
	CHECK ((value IS NULL) <> (reason IS NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE line (
	-- What the emulator counted at source lines.
	-- One row per source line of a trial's kernel. `perflab report --lines` shows it.
	trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
	file TEXT NOT NULL,
		-- name as the compiler gives it; empty: line is a line of the PTX itself
	line INTEGER NOT NULL,
	-- The counts: `perflab query line --columns`.
	instructions INTEGER NOT NULL,
	lanes INTEGER NOT NULL,
	branches INTEGER NOT NULL,
	divergent INTEGER NOT NULL,
	requests INTEGER NOT NULL,
	sectors INTEGER NOT NULL,
	shared_requests INTEGER NOT NULL,
	wavefronts INTEGER NOT NULL,
	conflicts INTEGER NOT NULL,
	PRIMARY KEY (trial_id, file, line)
) STRICT, WITHOUT ROWID;

CREATE TABLE profile (
	-- How the instructions of a trial were sampled and counted.
	-- One row per trial whose instructions were asked for (`perflab sweep --lines`).
	trial_id INTEGER PRIMARY KEY REFERENCES trial ON DELETE CASCADE,
	period_cycles INTEGER, -- NULL: not sampled
	launches INTEGER,
	samples INTEGER,
	dropped INTEGER,
	buffer_full INTEGER CHECK (buffer_full IN (0, 1)),
	why_no_samples TEXT, -- NULL: sampled
	why_no_counts TEXT -- NULL: counted
) STRICT;

CREATE TABLE profile_function (
	-- The functions of machine code that a trial executed.
	trial_id INTEGER NOT NULL REFERENCES profile ON DELETE CASCADE,
	function INTEGER NOT NULL, -- number, from 0
	name TEXT NOT NULL, -- as in the machine code: mangled
	code TEXT, -- content.hash of its cubin; NULL: of a library, or compiled by the driver
	PRIMARY KEY (trial_id, function)
) STRICT, WITHOUT ROWID;

CREATE TABLE profile_frame (
	-- The positions in the source of the instructions of a trial.
	-- One row per line and call by which it was inlined.
	trial_id INTEGER NOT NULL REFERENCES profile ON DELETE CASCADE,
	frame INTEGER NOT NULL, -- number, from 0
	file TEXT NOT NULL, -- name as the compiler gives it
	line INTEGER NOT NULL, -- number of the line in the file
	inlined TEXT, -- mangled name of the inlined function that the line is in; NULL: none
	caller INTEGER, -- frame of the call that was inlined; NULL: none
	samples INTEGER, -- of its instructions; NULL: not sampled
	share REAL, -- of the samples of the trial: 0.25 is a quarter
	low REAL, -- 95 % interval of the share in another sampling, lower end
	high REAL, -- 95 % interval of the share in another sampling, upper end
	PRIMARY KEY (trial_id, frame)
) STRICT, WITHOUT ROWID;

CREATE TABLE instruction (
	-- What was counted and sampled at the instructions of a trial.
	-- One row per instruction of machine code that was executed or sampled. NULL: the hardware
	-- counts no such thing for the instruction, or nothing was counted.
	trial_id INTEGER NOT NULL REFERENCES profile ON DELETE CASCADE,
	instruction INTEGER NOT NULL, -- number, from 0
	function INTEGER NOT NULL, -- profile_function.function
	pc INTEGER NOT NULL, -- bytes from the beginning of the function
	frame INTEGER, -- profile_frame.frame; NULL: not known
	executed INTEGER,
	lanes INTEGER,
	requests INTEGER,
	sectors INTEGER,
	ideal_sectors INTEGER,
	local_sectors INTEGER,
	shared_requests INTEGER,
	wavefronts INTEGER,
	ideal_wavefronts INTEGER,
	branches INTEGER,
	divergent INTEGER,
	samples INTEGER,
	first_samples INTEGER,
	varies INTEGER CHECK (varies IN (0, 1)),
	PRIMARY KEY (trial_id, instruction)
) STRICT, WITHOUT ROWID;

CREATE TABLE stall (
	-- Why warps were waiting at the instructions of a trial.
	-- One row per instruction and reason with samples.
	trial_id INTEGER NOT NULL REFERENCES profile ON DELETE CASCADE,
	instruction INTEGER NOT NULL, -- instruction.instruction
	reason TEXT NOT NULL,
		-- as CUPTI names it: long_scoreboard waits for global memory, selected issued
	samples INTEGER NOT NULL, -- samples of warps at it, with this reason
	not_issued INTEGER NOT NULL,
		-- those of them in cycles in which the scheduler issued nothing
	PRIMARY KEY (trial_id, instruction, reason)
) STRICT, WITHOUT ROWID;

CREATE TABLE content (
	-- Source text and machine code that runs keep, each once.
	hash TEXT PRIMARY KEY, -- BLAKE2b of the bytes, in hex
	bytes INTEGER NOT NULL, -- length
	packed BLOB NOT NULL -- the bytes, compressed by zstd
) STRICT;

CREATE TABLE run_file (
	-- The source files that the lines of a run are in.
	run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	file TEXT NOT NULL, -- name as the compiler gives it
	hash TEXT, -- content.hash of its text; NULL: not kept
	why TEXT, -- why it is not kept; NULL: it is
	PRIMARY KEY (run_id, file),
	CHECK ((hash IS NULL) <> (why IS NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE mark (
	-- Runs that were marked good or bad.
	-- One row per run that somebody marked with `perflab mark`.
	run_id INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE,
	kind TEXT NOT NULL CHECK (kind IN ('good', 'bad')),
		-- last-good is the newest run marked good
	why TEXT, -- reason, as the user gave it
	marked_ns INTEGER NOT NULL -- wall clock
) STRICT;

CREATE TABLE comparison (
	-- The stored verdicts on trials.
	-- One row per trial with a verdict on its change, which perflab computes when the run ends.
	trial_id INTEGER PRIMARY KEY REFERENCES trial ON DELETE CASCADE,
	base_trial_id INTEGER REFERENCES trial ON DELETE CASCADE,
		-- trial.id of the baseline; NULL: there is none
	verdict TEXT NOT NULL,
		-- regressed, improved, unchanged, same code (equal machine code, launch, data and
		-- toolchain), inconclusive, new (no baseline) or failed; a newer perflab may add
		-- words
	change REAL,
		-- relative change of the time, computed from the rounds: 0.02 is 2 % slower; NULL:
		-- there is none
	low REAL, -- 95 % interval of the change, lower end
	high REAL, -- 95 % interval of the change, upper end
	p REAL,
		-- probability of at least this difference if nothing changed, adjusted for all
		-- comparisons of the run
	why TEXT, -- explanation of the verdict, where one is needed
	time_verdict TEXT,
		-- verdict by the times alone, which that of equal code does not follow; NULL: the
		-- times were not compared, or by an earlier version
	covers TEXT
		-- what the interval covers: rounds (with samples and placements), or sessions (with
		-- those and earlier runs of the card); never another card. NULL: no interval
) STRICT;

CREATE INDEX comparison_by_base ON comparison (base_trial_id);

CREATE TABLE speedup (
	-- The stored speed-ups and verdicts on trials beside their base cases.
	-- One row per trial that has a base variant, computed when the run ends. The base case is
	-- named by its variant and configuration, not by an id: shards of one sweep may hold the
	-- two trials in different files. Its samples beside the case are in sample.base_ns; its own
	-- trial was measured alone.
	trial_id INTEGER PRIMARY KEY REFERENCES trial ON DELETE CASCADE,
	base_variant TEXT NOT NULL, -- variant of the base case
	base_config TEXT, -- configuration of the base case; NULL: the base variant has no such case
	verdict TEXT,
		-- faster, slower, same or inconclusive; NULL: not measured, or not yet; a newer
		-- perflab may add words
	speedup REAL,
		-- time of the base case divided by the time of the case, over all rounds: above 1
		-- the case is faster
	low REAL, -- 95 % interval of the speed-up, lower end
	high REAL, -- 95 % interval of the speed-up, upper end
	p REAL,
		-- probability of at least this difference if there were none, adjusted for all
		-- pairs of the run
	base_median_ns REAL, -- median of the base case's samples beside this case, over all rounds
	rounds INTEGER NOT NULL, -- rounds with a pair
	same_buffers INTEGER CHECK (same_buffers IN (0, 1)),
		-- 1: both operations used the same device memory in all rounds
	why TEXT, -- why there is no speed-up
	CHECK ((verdict IS NULL) = (speedup IS NULL))
) STRICT;

CREATE TABLE newest (
	-- The newest trial and the newest timed trial of each case.
	-- So no view looks through all trials. Triggers on trial maintain it; do not write to it.
	-- One case per origin: files of one name in different projects are not the same case, and
	-- none of them is a built-in kernel.
	device_id INTEGER NOT NULL REFERENCES device, -- device.id
	backend TEXT NOT NULL, -- run.backend
	origin TEXT NOT NULL, -- run.origin; empty: the kernels are not of a user
	kernel TEXT NOT NULL, -- trial.kernel
	variant TEXT NOT NULL, -- trial.variant
	config TEXT NOT NULL, -- trial.config
	trial_id INTEGER REFERENCES trial, -- newest trial with any status but pending and skipped
	timed_trial_id INTEGER REFERENCES trial,
		-- newest trial that is timed, with the status ok or unverified; NULL: none
	PRIMARY KEY (device_id, backend, origin, kernel, variant, config)
) STRICT, WITHOUT ROWID;

CREATE INDEX newest_by_trial ON newest (trial_id);

CREATE INDEX newest_by_timed_trial ON newest (timed_trial_id);

CREATE TABLE judgement (
	-- Which rules and roofs decided about the limiters of a run.
	-- One row per run whose limiters are stored, or whose baselines changed.
	run_id INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE,
	rules INTEGER NOT NULL,
		-- version of the rules; below 0: the mark of an older run changed the baselines of
		-- the run, and perflab judges it again when it next stores or marks a run
	roofs_run_id INTEGER REFERENCES run ON DELETE SET NULL
		-- run.id of the run that measured the roofs; NULL: none were known
) STRICT;

CREATE INDEX judgement_by_roofs ON judgement (roofs_run_id);

CREATE TABLE limiter (
	-- The stored limiters of trials, and their shares of the roofs.
	-- One row per trial that was judged. perflab computes it when the run ends, when runs are
	-- merged, and for a run that was judged without roofs, when its device has some.
	trial_id INTEGER PRIMARY KEY REFERENCES trial ON DELETE CASCADE,
	limiter TEXT,
		-- dram, l2, l1, shared, compute, issue, latency, grid or launch; NULL: unknown, and
		-- summary says why
	roof_pct REAL,
		-- share of its roof; without one, of the nearest roof; NULL: no roof was measured
	from_model INTEGER NOT NULL CHECK (from_model IN (0, 1)),
		-- 1: limiter and share follow from the work model
	precision TEXT, -- precision with the most counted operations; NULL: none were counted
	flop REAL, -- counted operations of that precision
	dram_pct REAL, -- counted DRAM bytes over the median, relative to the measured roof
	l2_pct REAL, -- the same for the L2 cache
	l1_pct REAL, -- the same for the L1 cache
	shared_pct REAL, -- the same for shared memory
	compute_pct REAL,
		-- counted operations over the median, relative to the measured roof of precision;
		-- NULL: not counted, or most of the operations of the work model were not
	model_precision TEXT,
		-- precision of the work model, where it stands in for missing counters
	model_compute_pct REAL,
		-- operations of the work model over the median, relative to the measured roof of
		-- that precision, likewise
	summary TEXT NOT NULL, -- the verdict in one sentence
	advice TEXT, -- what to try, one sentence a line
	notes TEXT, -- further findings, one a line: the rule, a colon, the numbers
	above_roof TEXT -- a rate that no kernel can reach, so something is wrong; NULL: none
) STRICT;

CREATE TABLE run_part (
	-- The wall time of the parts of each run.
	-- Written when the run ends, also if it was interrupted, and added to when the run is
	-- resumed.
	run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	uid TEXT NOT NULL,
		-- run.uid of the run that was measured: of a shard, if the run was merged from
		-- shards
	part TEXT NOT NULL, -- name of the part
	wall_ns INTEGER NOT NULL CHECK (wall_ns >= 0), -- wall time
	PRIMARY KEY (run_id, uid, part)
) STRICT, WITHOUT ROWID;

CREATE TABLE recording (
	-- One row per program that `perflab record` ran or read.
	-- Recordings are not runs: a program chose the launches, so there are no cases and no
	-- samples. `perflab merge` copies recordings that the other file does not have. Deleting a
	-- row deletes what belongs to it.
	id INTEGER PRIMARY KEY, -- number of the recording in this file
	uid TEXT NOT NULL UNIQUE, -- 32 hex digits, the same in every database
	mode TEXT NOT NULL CHECK (mode IN ('list', 'record')),
		-- list: the launches were timed; record: captures were written
	command TEXT NOT NULL, -- as a shell reads it
	started_ns INTEGER NOT NULL, -- wall clock
	wall_ns INTEGER, -- of the command, with the recorder
	bare_wall_ns INTEGER, -- of the command without the recorder (--overhead)
	exit_code INTEGER, -- of the command; 128 and the number of a signal that ended it
	label TEXT, -- --label
	host TEXT, -- name of the host
	version TEXT -- version of perflab
) STRICT;

CREATE TABLE recorded_process (
	-- The processes of a recorded program.
	-- One row per process that loaded the recorder. What a process says at its end is NULL if
	-- it crashed, was killed or called _exit().
	recording_id INTEGER NOT NULL REFERENCES recording ON DELETE CASCADE, -- recording.id
	pid INTEGER NOT NULL, -- number of the process
	program TEXT, -- its command line
	launches INTEGER,
		-- in the mode record at least so many: after the last capture none is counted
	dropped INTEGER, -- launches whose times CUPTI lost
	own_ns INTEGER, -- processor time of the recorder
	wall_ns INTEGER, -- from the first use of CUDA to the end
	why_not TEXT, -- why the recorder could not work in it
	PRIMARY KEY (recording_id, pid)
) STRICT, WITHOUT ROWID;

CREATE TABLE recorded_kernel (
	-- The launches of a recorded program, one row per kernel and shape.
	-- One row per kernel, device and launch shape of a process. A recording of the mode record
	-- has one row per kernel, without shapes and times.
	recording_id INTEGER NOT NULL REFERENCES recording ON DELETE CASCADE, -- recording.id
	number INTEGER NOT NULL, -- from 1 within the recording
	pid INTEGER NOT NULL, -- recorded_process.pid
	name TEXT NOT NULL, -- mangled name
	readable TEXT NOT NULL, -- name as C++ writes it
	device TEXT, -- name of the device
	uuid TEXT, -- uuid of the device
	grid_x INTEGER, -- blocks in x
	grid_y INTEGER, -- blocks in y
	grid_z INTEGER, -- blocks in z
	block_x INTEGER, -- threads in x
	block_y INTEGER, -- threads in y
	block_z INTEGER, -- threads in z
	shared_bytes INTEGER, -- dynamic shared memory of a block
	registers INTEGER, -- registers of a thread
	launches INTEGER NOT NULL,
		-- in the mode list with those by graphs; in the mode record at least so many, as in
		-- recorded_process
	graph_launches INTEGER NOT NULL, -- by CUDA graphs
	total_ns INTEGER, -- device time of all launches
	median_ns INTEGER, -- device time of a launch
	min_ns INTEGER, -- of the shortest launch
	max_ns INTEGER, -- of the longest launch
	PRIMARY KEY (recording_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE recorded_capture (
	-- The captures that a recording took.
	recording_id INTEGER NOT NULL REFERENCES recording ON DELETE CASCADE, -- recording.id
	number INTEGER NOT NULL, -- from 1 within the recording
	pid INTEGER NOT NULL, -- recorded_process.pid
	path TEXT NOT NULL, -- path of the file when it was written
	name TEXT NOT NULL, -- mangled name of the kernel
	readable TEXT NOT NULL, -- name of the kernel as C++ writes it
	launch INTEGER, -- which one of the kernel in its process, from 1
	bytes INTEGER, -- size without compression
	file_bytes INTEGER, -- size of the file
	seconds REAL, -- how long the launch was held
	lost TEXT, -- what a replay cannot have, one phrase a line
	PRIMARY KEY (recording_id, number)
) STRICT, WITHOUT ROWID;
