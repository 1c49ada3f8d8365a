-- The tables of a database of perflab, and their indexes. A change here needs a migration
-- (db/migrate.c). docs/schema-columns.md documents every column.
PRAGMA application_id = 1886151010; -- "plab"
PRAGMA user_version = 100;

-- A device is one row per uuid and name, whatever its driver knew of it at the time.
CREATE TABLE device (
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL,
	uuid TEXT,
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

-- `timed` to `warp_size` are traits of the backend; `device_ordinal` to `placements`, without
-- `origin`, are the settings. `settings` has them as JSON, made without JSON functions: SQLite
-- before 3.43 does not take those in the schema of a file that may be untrusted.
CREATE TABLE run (
	id INTEGER PRIMARY KEY,
	uid TEXT NOT NULL UNIQUE CHECK (length(uid) = 32),
	label TEXT,
	note TEXT,
	state TEXT NOT NULL CHECK (state IN ('running', 'finished', 'interrupted')),
	started_ns INTEGER NOT NULL,
	finished_ns INTEGER,
	backend TEXT NOT NULL,
	device_id INTEGER NOT NULL REFERENCES device,
	driver TEXT,
	cuda_driver TEXT,
	toolkit TEXT,
	cupti TEXT,
	version TEXT,
	source_revision TEXT,
	command TEXT,
	seed INTEGER NOT NULL,
	rounds INTEGER NOT NULL,
	timed INTEGER NOT NULL CHECK (timed IN (0, 1)),
	emulated INTEGER NOT NULL CHECK (emulated IN (0, 1)),
	vendor TEXT,
	warp_size INTEGER,
	device_ordinal INTEGER,
	cache TEXT CHECK (cache IN ('cold', 'hot')),
	min_samples INTEGER,
	max_time_ns INTEGER,
	precision REAL,
	timeout_ns INTEGER,
	metrics TEXT,
	emulated_chip TEXT,
	all_blocks INTEGER CHECK (all_blocks IN (0, 1)),
	jobs INTEGER,
	counter_dump TEXT,
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
	base_variant TEXT,
	origin TEXT,
	placements INTEGER
) STRICT;
CREATE INDEX run_by_label ON run (label, started_ns);
CREATE INDEX run_by_device ON run (device_id, backend, started_ns);

CREATE TABLE environment (
	run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	key TEXT NOT NULL,
	value TEXT NOT NULL,
	name TEXT AS (key) VIRTUAL,
	PRIMARY KEY (run_id, key)
) STRICT, WITHOUT ROWID;

-- A status is a row, not a word in a CHECK, which no ALTER TABLE changes.
CREATE TABLE trial_status (
	name TEXT PRIMARY KEY,
	meaning TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE trial (
	id INTEGER PRIMARY KEY,
	run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	position INTEGER NOT NULL,
	kernel TEXT NOT NULL,
	variant TEXT NOT NULL,
	config TEXT NOT NULL,
	status TEXT NOT NULL REFERENCES trial_status,
	reason TEXT,
	finished_ns INTEGER,
	counted_ns INTEGER,
	flop INTEGER,
	bytes_read INTEGER,
	bytes_written INTEGER,
	registers_per_thread INTEGER,
	shared_static_bytes INTEGER,
	shared_dynamic_bytes INTEGER,
	local_bytes_per_thread INTEGER,
	theoretical_occupancy_pct REAL,
	occupancy_limiter TEXT,
	code_hash TEXT,
	code_kind TEXT,
	sample_count INTEGER NOT NULL DEFAULT 0,
	median_ns REAL,
	mad_ns REAL,
	low_ns REAL,
	high_ns REAL,
	min_ns REAL,
	max_ns REAL,
	launch_hash TEXT,
	mean_ns REAL CHECK (mean_ns >= 0),
	UNIQUE (run_id, kernel, variant, config),
	CHECK ((status IN ('pending', 'ok')) = (reason IS NULL)),
	CHECK ((sample_count = 0) = (median_ns IS NULL))
) STRICT;
CREATE INDEX trial_by_case ON trial (kernel, variant, config, run_id);
CREATE INDEX trial_by_status ON trial (run_id, status);
CREATE INDEX trial_by_failure ON trial (run_id)
	WHERE status NOT IN ('ok', 'sampled', 'unverified', 'skipped', 'pending');

CREATE TABLE axis (
	trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
	name TEXT NOT NULL,
	value INTEGER NOT NULL,
	PRIMARY KEY (trial_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE round (
	trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
	round INTEGER NOT NULL CHECK (round >= 0),
	stored_ns INTEGER NOT NULL,
	sm_clock_hz REAL,
	memory_clock_hz REAL,
	temperature_c REAL,
	power_w REAL,
	throttle_reasons INTEGER,
	median_ns REAL,
	speedup REAL,
	same_buffers INTEGER CHECK (same_buffers IN (0, 1)),
	placements INTEGER,
	PRIMARY KEY (trial_id, round)
) STRICT, WITHOUT ROWID;

-- `base_ns` is the time of the base case that was taken beside the sample.
CREATE TABLE sample (
	trial_id INTEGER NOT NULL,
	round INTEGER NOT NULL,
	sequence INTEGER NOT NULL CHECK (sequence >= 0),
	time_ns REAL NOT NULL CHECK (time_ns >= 0),
	base_ns REAL CHECK (base_ns >= 0),
	PRIMARY KEY (trial_id, round, sequence),
	FOREIGN KEY (trial_id, round) REFERENCES round ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE metric (
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL,
	unit TEXT NOT NULL,
	source TEXT NOT NULL,
	UNIQUE (name, unit, source)
) STRICT;

CREATE TABLE counter (
	trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
	metric_id INTEGER NOT NULL REFERENCES metric,
	value REAL,
	reason TEXT,
	PRIMARY KEY (trial_id, metric_id),
	CHECK ((value IS NULL) <> (reason IS NULL))
) STRICT, WITHOUT ROWID;

-- The file '' is the PTX itself.
CREATE TABLE line (
	trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
	file TEXT NOT NULL,
	line INTEGER NOT NULL,
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

CREATE TABLE mark (
	run_id INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE,
	kind TEXT NOT NULL CHECK (kind IN ('good', 'bad')),
	why TEXT,
	marked_ns INTEGER NOT NULL
) STRICT;

CREATE TABLE comparison (
	trial_id INTEGER PRIMARY KEY REFERENCES trial ON DELETE CASCADE,
	base_trial_id INTEGER REFERENCES trial ON DELETE CASCADE,
	verdict TEXT NOT NULL,
	change REAL,
	low REAL,
	high REAL,
	p REAL,
	why TEXT
) STRICT;
CREATE INDEX comparison_by_base ON comparison (base_trial_id);

-- The base case is named by its variant and configuration, not by an id: shards of one sweep may
-- hold the two trials in different files.
CREATE TABLE speedup (
	trial_id INTEGER PRIMARY KEY REFERENCES trial ON DELETE CASCADE,
	base_variant TEXT NOT NULL,
	base_config TEXT,
	verdict TEXT,
	speedup REAL,
	low REAL,
	high REAL,
	p REAL,
	base_median_ns REAL,
	rounds INTEGER NOT NULL,
	same_buffers INTEGER CHECK (same_buffers IN (0, 1)),
	why TEXT,
	CHECK ((verdict IS NULL) = (speedup IS NULL))
) STRICT;

-- The newest trial and the newest timed trial of each case, so that no view looks through all of
-- them. The triggers maintain it. One case per origin: files of one name in different projects
-- are not the same case, and none of them is a built-in kernel.
CREATE TABLE newest (
	device_id INTEGER NOT NULL REFERENCES device,
	backend TEXT NOT NULL,
	origin TEXT NOT NULL,
	kernel TEXT NOT NULL,
	variant TEXT NOT NULL,
	config TEXT NOT NULL,
	trial_id INTEGER REFERENCES trial,
	timed_trial_id INTEGER REFERENCES trial,
	PRIMARY KEY (device_id, backend, origin, kernel, variant, config)
) STRICT, WITHOUT ROWID;
CREATE INDEX newest_by_trial ON newest (trial_id);
CREATE INDEX newest_by_timed_trial ON newest (timed_trial_id);

-- With which rules and roofs the rows of `limiter` were computed.
CREATE TABLE judgement (
	run_id INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE,
	rules INTEGER NOT NULL,
	roofs_run_id INTEGER REFERENCES run ON DELETE SET NULL
) STRICT;
CREATE INDEX judgement_by_roofs ON judgement (roofs_run_id);

CREATE TABLE limiter (
	trial_id INTEGER PRIMARY KEY REFERENCES trial ON DELETE CASCADE,
	limiter TEXT,
	roof_pct REAL,
	from_model INTEGER NOT NULL CHECK (from_model IN (0, 1)),
	precision TEXT,
	flop REAL,
	dram_pct REAL,
	l2_pct REAL,
	l1_pct REAL,
	shared_pct REAL,
	compute_pct REAL,
	model_precision TEXT,
	model_compute_pct REAL,
	summary TEXT NOT NULL,
	advice TEXT,
	notes TEXT,
	above_roof TEXT
) STRICT;

-- uid: of the run that was measured, which is another than that of the row if it is a shard. So
-- each part of each shard is merged once, however often its file is.
CREATE TABLE run_part (
	run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	uid TEXT NOT NULL,
	part TEXT NOT NULL,
	wall_ns INTEGER NOT NULL CHECK (wall_ns >= 0),
	PRIMARY KEY (run_id, uid, part)
) STRICT, WITHOUT ROWID;

-- Recordings of programs are not runs: a program chose the launches, so there are no cases and
-- no samples.
CREATE TABLE recording (
	id INTEGER PRIMARY KEY,
	uid TEXT NOT NULL UNIQUE,
	mode TEXT NOT NULL CHECK (mode IN ('list', 'record')),
	command TEXT NOT NULL,
	started_ns INTEGER NOT NULL,
	wall_ns INTEGER,
	bare_wall_ns INTEGER,
	exit_code INTEGER,
	label TEXT,
	host TEXT,
	version TEXT
) STRICT;

CREATE TABLE recorded_process (
	recording_id INTEGER NOT NULL REFERENCES recording ON DELETE CASCADE,
	pid INTEGER NOT NULL,
	program TEXT,
	launches INTEGER,
	dropped INTEGER,
	own_ns INTEGER,
	wall_ns INTEGER,
	why_not TEXT,
	PRIMARY KEY (recording_id, pid)
) STRICT, WITHOUT ROWID;

CREATE TABLE recorded_kernel (
	recording_id INTEGER NOT NULL REFERENCES recording ON DELETE CASCADE,
	number INTEGER NOT NULL,
	pid INTEGER NOT NULL,
	name TEXT NOT NULL,
	readable TEXT NOT NULL,
	device TEXT,
	uuid TEXT,
	grid_x INTEGER,
	grid_y INTEGER,
	grid_z INTEGER,
	block_x INTEGER,
	block_y INTEGER,
	block_z INTEGER,
	shared_bytes INTEGER,
	registers INTEGER,
	launches INTEGER NOT NULL,
	graph_launches INTEGER NOT NULL,
	total_ns INTEGER,
	median_ns INTEGER,
	min_ns INTEGER,
	max_ns INTEGER,
	PRIMARY KEY (recording_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE recorded_capture (
	recording_id INTEGER NOT NULL REFERENCES recording ON DELETE CASCADE,
	number INTEGER NOT NULL,
	pid INTEGER NOT NULL,
	path TEXT NOT NULL,
	name TEXT NOT NULL,
	readable TEXT NOT NULL,
	launch INTEGER,
	bytes INTEGER,
	file_bytes INTEGER,
	seconds REAL,
	lost TEXT,
	PRIMARY KEY (recording_id, number)
) STRICT, WITHOUT ROWID;
