-- A database of schema version 1, as it was before version 2, by .dump of the sqlite3 shell. The view
-- `mine` is a user's.
PRAGMA application_id = 1886151010;
PRAGMA user_version = 1;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
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
INSERT INTO device VALUES(1,'NVIDIA H200','GPU-0b1c','GH100',9,0,132,2048,1024,32,65536,233472,49152,62914560,150000000000,1980000000,3201000000,6144);
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
	settings TEXT,
	seed INTEGER NOT NULL,
	rounds INTEGER NOT NULL
) STRICT;
INSERT INTO run VALUES(1,'ee68bee8d82d2a50a47e2c75afd79d57','nightly','after the driver''s update; ''quoted'' and "quoted"','finished',1763700000123456789,1795274354205445614,'cuda',1,'580.159.04','13.0','13.0','13.0.1','0.1.0','c51c0df','perflab sweep reduce --block-sizes 64..1024','{"cache":"cold"}',-81985529216486896,3);
INSERT INTO run VALUES(2,'28a1dd7351108e33af5336ddef7e851e','nightly','after the driver''s update; ''quoted'' and "quoted"','finished',1763700000123456790,1795274354206652218,'cuda',1,'580.159.04','13.0','13.0','13.0.1','0.1.0','c51c0df','perflab sweep reduce --block-sizes 64..1024','{"cache":"cold"}',-81985529216486896,3);
CREATE TABLE environment (
	run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	key TEXT NOT NULL,
	value TEXT NOT NULL,
	PRIMARY KEY (run_id, key)
) STRICT, WITHOUT ROWID;
INSERT INTO environment VALUES(1,'hostname','bench-01');
INSERT INTO environment VALUES(1,'persistence_mode','on');
INSERT INTO environment VALUES(2,'hostname','bench-02');
INSERT INTO environment VALUES(2,'persistence_mode','on');
CREATE TABLE trial (
	id INTEGER PRIMARY KEY,
	run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	position INTEGER NOT NULL,
	kernel TEXT NOT NULL,
	variant TEXT NOT NULL,
	config TEXT NOT NULL,
	status TEXT NOT NULL CHECK (status IN ('pending', 'ok', 'skipped', 'mismatch',
		'timeout', 'crashed', 'device_error', 'out_of_memory', 'failed')),
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
	UNIQUE (run_id, kernel, variant, config),
	CHECK ((status IN ('pending', 'ok')) = (reason IS NULL)),
	CHECK ((sample_count = 0) = (median_ns IS NULL))
) STRICT;
INSERT INTO trial VALUES(1,1,0,'reduce','shuffle','block=256,n=16777216','ok',NULL,1795274354205318852,1795274354205196214,16777215,67108864,4,32,128,0,0,100.0,'warps','0123456789abcdef','cubin sm_90',20,1504.5,500.0,1005.0,2004.0,1000.0,2009.0);
INSERT INTO trial VALUES(2,1,1,'reduce','shuffle','block=512,n=16777216','timeout','ran longer than 2 s',1795274354205424846,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,10,1004.4999999999999999,2.5,1001.0,1008.0,1000.0,1009.0);
INSERT INTO trial VALUES(3,1,2,'reduce','shuffle','block=96,n=16777216','skipped','block is not a power of two',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO trial VALUES(4,1,3,'stream','copy','block=256,n=1048576','pending',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO trial VALUES(5,2,0,'reduce','shuffle','block=256,n=16777216','ok',NULL,1795274354206544819,1795274354206471348,16777215,67108864,4,32,128,0,0,100.0,'warps','0123456789abcdef','cubin sm_90',20,1504.5,500.0,1005.0,2004.0,1000.0,2009.0);
INSERT INTO trial VALUES(6,2,1,'reduce','shuffle','block=512,n=16777216','timeout','ran longer than 2 s',1795274354206637316,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,10,1004.4999999999999999,2.5,1001.0,1008.0,1000.0,1009.0);
INSERT INTO trial VALUES(7,2,2,'reduce','shuffle','block=96,n=16777216','skipped','block is not a power of two',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO trial VALUES(8,2,3,'stream','copy','block=256,n=1048576','pending',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO trial VALUES(9,2,10,'stream','copy','n=0','pending',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO trial VALUES(10,2,11,'stream','copy','n=1','ok',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO trial VALUES(11,2,12,'stream','copy','n=2','skipped','because of skipped',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO trial VALUES(12,2,13,'stream','copy','n=3','mismatch','because of mismatch',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO trial VALUES(13,2,14,'stream','copy','n=4','timeout','because of timeout',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO trial VALUES(14,2,15,'stream','copy','n=5','crashed','because of crashed',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO trial VALUES(15,2,16,'stream','copy','n=6','device_error','because of device_error',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO trial VALUES(16,2,17,'stream','copy','n=7','out_of_memory','because of out_of_memory',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO trial VALUES(17,2,18,'stream','copy','n=8','failed','because of failed',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE axis (
	trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
	name TEXT NOT NULL,
	value INTEGER NOT NULL,
	PRIMARY KEY (trial_id, name)
) STRICT, WITHOUT ROWID;
INSERT INTO axis VALUES(1,'block',256);
INSERT INTO axis VALUES(1,'n',16777216);
INSERT INTO axis VALUES(2,'block',512);
INSERT INTO axis VALUES(2,'n',16777216);
INSERT INTO axis VALUES(3,'block',96);
INSERT INTO axis VALUES(3,'n',16777216);
INSERT INTO axis VALUES(4,'block',256);
INSERT INTO axis VALUES(4,'n',1048576);
INSERT INTO axis VALUES(5,'block',256);
INSERT INTO axis VALUES(5,'n',16777216);
INSERT INTO axis VALUES(6,'block',512);
INSERT INTO axis VALUES(6,'n',16777216);
INSERT INTO axis VALUES(7,'block',96);
INSERT INTO axis VALUES(7,'n',16777216);
INSERT INTO axis VALUES(8,'block',256);
INSERT INTO axis VALUES(8,'n',1048576);
CREATE TABLE round (
	trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
	round INTEGER NOT NULL CHECK (round >= 0),
	stored_ns INTEGER NOT NULL,
	sm_clock_hz REAL,
	memory_clock_hz REAL,
	temperature_c REAL,
	power_w REAL,
	throttle_reasons INTEGER,
	PRIMARY KEY (trial_id, round)
) STRICT, WITHOUT ROWID;
INSERT INTO round VALUES(1,0,1795274354205110673,1980000000.0,NULL,41.0,NULL,4);
INSERT INTO round VALUES(1,1,1795274354205161961,1980000000.0,NULL,41.0,NULL,NULL);
INSERT INTO round VALUES(2,0,1795274354205367261,1980000000.0,NULL,41.0,NULL,4);
INSERT INTO round VALUES(5,0,1795274354206392341,1980000000.0,NULL,41.0,NULL,4);
INSERT INTO round VALUES(5,1,1795274354206440180,1980000000.0,NULL,41.0,NULL,NULL);
INSERT INTO round VALUES(6,0,1795274354206585725,1980000000.0,NULL,41.0,NULL,4);
CREATE TABLE sample (
	trial_id INTEGER NOT NULL,
	round INTEGER NOT NULL,
	sequence INTEGER NOT NULL CHECK (sequence >= 0),
	time_ns REAL NOT NULL CHECK (time_ns >= 0),
	PRIMARY KEY (trial_id, round, sequence),
	FOREIGN KEY (trial_id, round) REFERENCES round ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
INSERT INTO sample VALUES(1,0,0,1000.0);
INSERT INTO sample VALUES(1,0,1,1001.0);
INSERT INTO sample VALUES(1,0,2,1002.0);
INSERT INTO sample VALUES(1,0,3,1003.0);
INSERT INTO sample VALUES(1,0,4,1004.0);
INSERT INTO sample VALUES(1,0,5,1005.0);
INSERT INTO sample VALUES(1,0,6,1006.0);
INSERT INTO sample VALUES(1,0,7,1007.0);
INSERT INTO sample VALUES(1,0,8,1008.0);
INSERT INTO sample VALUES(1,0,9,1009.0);
INSERT INTO sample VALUES(1,1,0,2000.0);
INSERT INTO sample VALUES(1,1,1,2001.0);
INSERT INTO sample VALUES(1,1,2,2002.0);
INSERT INTO sample VALUES(1,1,3,2003.0);
INSERT INTO sample VALUES(1,1,4,2004.0);
INSERT INTO sample VALUES(1,1,5,2005.0);
INSERT INTO sample VALUES(1,1,6,2006.0);
INSERT INTO sample VALUES(1,1,7,2007.0);
INSERT INTO sample VALUES(1,1,8,2008.0);
INSERT INTO sample VALUES(1,1,9,2009.0);
INSERT INTO sample VALUES(2,0,0,1000.0);
INSERT INTO sample VALUES(2,0,1,1001.0);
INSERT INTO sample VALUES(2,0,2,1002.0);
INSERT INTO sample VALUES(2,0,3,1003.0);
INSERT INTO sample VALUES(2,0,4,1004.0);
INSERT INTO sample VALUES(2,0,5,1005.0);
INSERT INTO sample VALUES(2,0,6,1006.0);
INSERT INTO sample VALUES(2,0,7,1007.0);
INSERT INTO sample VALUES(2,0,8,1008.0);
INSERT INTO sample VALUES(2,0,9,1009.0);
INSERT INTO sample VALUES(5,0,0,1000.0);
INSERT INTO sample VALUES(5,0,1,1001.0);
INSERT INTO sample VALUES(5,0,2,1002.0);
INSERT INTO sample VALUES(5,0,3,1003.0);
INSERT INTO sample VALUES(5,0,4,1004.0);
INSERT INTO sample VALUES(5,0,5,1005.0);
INSERT INTO sample VALUES(5,0,6,1006.0);
INSERT INTO sample VALUES(5,0,7,1007.0);
INSERT INTO sample VALUES(5,0,8,1008.0);
INSERT INTO sample VALUES(5,0,9,1009.0);
INSERT INTO sample VALUES(5,1,0,2000.0);
INSERT INTO sample VALUES(5,1,1,2001.0);
INSERT INTO sample VALUES(5,1,2,2002.0);
INSERT INTO sample VALUES(5,1,3,2003.0);
INSERT INTO sample VALUES(5,1,4,2004.0);
INSERT INTO sample VALUES(5,1,5,2005.0);
INSERT INTO sample VALUES(5,1,6,2006.0);
INSERT INTO sample VALUES(5,1,7,2007.0);
INSERT INTO sample VALUES(5,1,8,2008.0);
INSERT INTO sample VALUES(5,1,9,2009.0);
INSERT INTO sample VALUES(6,0,0,1000.0);
INSERT INTO sample VALUES(6,0,1,1001.0);
INSERT INTO sample VALUES(6,0,2,1002.0);
INSERT INTO sample VALUES(6,0,3,1003.0);
INSERT INTO sample VALUES(6,0,4,1004.0);
INSERT INTO sample VALUES(6,0,5,1005.0);
INSERT INTO sample VALUES(6,0,6,1006.0);
INSERT INTO sample VALUES(6,0,7,1007.0);
INSERT INTO sample VALUES(6,0,8,1008.0);
INSERT INTO sample VALUES(6,0,9,1009.0);
CREATE TABLE counter (
	trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
	metric TEXT NOT NULL,
	unit TEXT NOT NULL,
	source TEXT NOT NULL,
	value REAL,
	reason TEXT,
	PRIMARY KEY (trial_id, metric),
	CHECK ((value IS NULL) <> (reason IS NULL))
) STRICT, WITHOUT ROWID;
INSERT INTO counter VALUES(1,'achieved_occupancy_pct','percent','sm__warps_active.avg.pct_of_peak_sustained_active',93.500000000000000003,NULL);
INSERT INTO counter VALUES(1,'branch_efficiency_pct','percent','derived: 100 * uniform / all',NULL,'the kernel has no branches');
INSERT INTO counter VALUES(1,'dram_read_bytes','byte','dram__bytes_read.sum',67108864.0,NULL);
INSERT INTO counter VALUES(5,'achieved_occupancy_pct','percent','sm__warps_active.avg.pct_of_peak_sustained_active',93.500000000000000003,NULL);
INSERT INTO counter VALUES(5,'branch_efficiency_pct','percent','derived: 100 * uniform / all',NULL,'the kernel has no branches');
INSERT INTO counter VALUES(5,'dram_read_bytes','byte','dram__bytes_read.sum',67108864.0,NULL);
INSERT INTO counter VALUES(5,'dram_write_bytes','byte','dram__bytes_write.sum',4096.4999999999999998,NULL);
INSERT INTO counter VALUES(8,'dram_read_bytes','byte','dram__bytes_op_read.sum',NULL,'it''s another chip');
CREATE INDEX run_by_label ON run (label, started_ns);
CREATE INDEX run_by_device ON run (device_id);
CREATE INDEX trial_by_case ON trial (kernel, variant, config, run_id);
CREATE INDEX trial_by_status ON trial (run_id, status);
CREATE VIEW trials AS SELECT
	trial.id AS trial_id,
	trial.run_id,
	run.uid AS run_uid,
	run.label,
	strftime('%Y-%m-%dT%H:%M:%SZ', run.started_ns / 1000000000, 'unixepoch') AS started_at,
	run.started_ns,
	run.backend,
	device.name AS device,
	trial.kernel,
	trial.variant,
	trial.config,
	(SELECT value FROM axis WHERE trial_id = trial.id AND name = 'block') AS block,
	(SELECT value FROM axis WHERE trial_id = trial.id AND name = 'n') AS n,
	trial.status,
	trial.reason,
	strftime('%Y-%m-%dT%H:%M:%SZ', trial.finished_ns / 1000000000, 'unixepoch')
		AS finished_at,
	trial.sample_count,
	trial.median_ns,
	trial.mad_ns,
	trial.low_ns,
	trial.high_ns,
	trial.flop,
	trial.bytes_read + trial.bytes_written AS bytes,
	trial.flop * 1e9 / trial.median_ns AS flop_per_s,
	(trial.bytes_read + trial.bytes_written) * 1e9 / trial.median_ns AS bytes_per_s,
	trial.registers_per_thread,
	trial.theoretical_occupancy_pct,
	trial.occupancy_limiter,
	(SELECT value FROM counter WHERE trial_id = trial.id
		AND metric = 'achieved_occupancy_pct') AS achieved_occupancy_pct,
	(SELECT value FROM counter WHERE trial_id = trial.id
		AND metric = 'branch_efficiency_pct') AS branch_efficiency_pct,
	(SELECT value FROM counter WHERE trial_id = trial.id
		AND metric = 'threads_per_instruction') AS threads_per_instruction,
	(SELECT value FROM counter WHERE trial_id = trial.id
		AND metric = 'dram_read_bytes') AS dram_read_bytes,
	(SELECT value FROM counter WHERE trial_id = trial.id
		AND metric = 'dram_write_bytes') AS dram_write_bytes,
	(SELECT value FROM counter WHERE trial_id = trial.id
		AND metric = 'dram_bytes_per_s') AS dram_bytes_per_s,
	(SELECT value FROM counter WHERE trial_id = trial.id
		AND metric = 'dram_throughput_pct') AS dram_throughput_pct,
	(SELECT value FROM counter WHERE trial_id = trial.id
		AND metric = 'flop_f32_f64') AS flop_f32_f64
FROM trial JOIN run ON run.id = trial.run_id JOIN device ON device.id = run.device_id;
CREATE VIEW best AS WITH newest AS (
	SELECT trial.*, run.device_id, run.backend, axis.value AS n, row_number() OVER (
		PARTITION BY run.device_id, run.backend, trial.kernel, trial.variant,
			trial.config
		ORDER BY run.started_ns DESC, run.id DESC) AS age
	FROM trial JOIN run ON run.id = trial.run_id
	LEFT JOIN axis ON axis.trial_id = trial.id AND axis.name = 'n'
	WHERE trial.status = 'ok'
), ranked AS (
	SELECT *, row_number() OVER (
		PARTITION BY device_id, backend, kernel, n, flop, bytes_read, bytes_written
		ORDER BY median_ns, id) AS place
	FROM newest WHERE age = 1 AND median_ns IS NOT NULL
) SELECT
	device.name AS device,
	ranked.backend,
	ranked.kernel,
	ranked.n,
	ranked.variant,
	ranked.config,
	(SELECT value FROM axis WHERE trial_id = ranked.id AND name = 'block') AS block,
	ranked.median_ns,
	ranked.low_ns,
	ranked.high_ns,
	ranked.flop * 1e9 / ranked.median_ns AS flop_per_s,
	(ranked.bytes_read + ranked.bytes_written) * 1e9 / ranked.median_ns AS bytes_per_s,
	ranked.run_id,
	ranked.id AS trial_id
FROM ranked JOIN device ON device.id = ranked.device_id WHERE place = 1;
CREATE VIEW mine AS SELECT kernel, count(*) AS cases FROM trial GROUP BY kernel;
COMMIT;
