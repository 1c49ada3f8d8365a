-- A database of schema version 22, the last one before perflab 1.0, by .dump of the sqlite3 shell: what
-- make_database.c stored, brought to that version by its perflab. The view `mine` is a user's.
PRAGMA application_id = 1886151010;
PRAGMA user_version = 22;
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
CREATE TABLE environment (
	run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	key TEXT NOT NULL,
	value TEXT NOT NULL, name TEXT AS (key) VIRTUAL,
	PRIMARY KEY (run_id, key)
) STRICT, WITHOUT ROWID;
INSERT INTO environment VALUES(1,'hostname','bench-01');
INSERT INTO environment VALUES(1,'persistence_mode','on');
INSERT INTO environment VALUES(2,'hostname','bench-02');
INSERT INTO environment VALUES(2,'persistence_mode','on');
INSERT INTO environment VALUES(3,'hostname','bench-01');
INSERT INTO environment VALUES(3,'persistence_mode','on');
INSERT INTO environment VALUES(4,'hostname','bench-01');
INSERT INTO environment VALUES(4,'persistence_mode','on');
INSERT INTO environment VALUES(4,'process','here 1');
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
INSERT INTO axis VALUES(9,'block',256);
INSERT INTO axis VALUES(9,'n',16777216);
INSERT INTO axis VALUES(10,'block',512);
INSERT INTO axis VALUES(10,'n',16777216);
INSERT INTO axis VALUES(11,'block',96);
INSERT INTO axis VALUES(11,'n',16777216);
INSERT INTO axis VALUES(12,'block',256);
INSERT INTO axis VALUES(12,'n',1048576);
CREATE TABLE round (
	trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
	round INTEGER NOT NULL CHECK (round >= 0),
	stored_ns INTEGER NOT NULL,
	sm_clock_hz REAL,
	memory_clock_hz REAL,
	temperature_c REAL,
	power_w REAL,
	throttle_reasons INTEGER, median_ns REAL, speedup REAL, same_buffers INTEGER CHECK (same_buffers IN (0, 1)), placements INTEGER,
	PRIMARY KEY (trial_id, round)
) STRICT, WITHOUT ROWID;
INSERT INTO round VALUES(1,0,1795444574296194542,1980000000.0,NULL,41.0,NULL,4,1004.4999999999999999,1.25,1,NULL);
INSERT INTO round VALUES(1,1,1795444574296278723,1980000000.0,NULL,41.0,NULL,NULL,2004.5,1.2600000000000000088,1,NULL);
INSERT INTO round VALUES(2,0,1795444574296729426,1980000000.0,NULL,41.0,NULL,4,1004.4999999999999999,1.25,1,NULL);
INSERT INTO round VALUES(5,0,1795444574305482226,1980000000.0,NULL,41.0,NULL,4,1004.4999999999999999,1.25,1,2);
INSERT INTO round VALUES(5,1,1795444574305544320,1980000000.0,NULL,41.0,NULL,NULL,2004.5,1.2600000000000000088,1,2);
INSERT INTO round VALUES(6,0,1795444574305981031,1980000000.0,NULL,41.0,NULL,4,1004.4999999999999999,1.25,1,NULL);
INSERT INTO round VALUES(13,0,1795444574322749525,1700000000.0,0.0,0.0,0.0,NULL,250.0,NULL,NULL,NULL);
INSERT INTO round VALUES(14,0,1795444574323184381,1700000000.0,0.0,0.0,0.0,NULL,200.0,NULL,NULL,NULL);
INSERT INTO round VALUES(15,0,1795444574323533776,1700000000.0,0.0,0.0,0.0,NULL,250.0,NULL,NULL,NULL);
INSERT INTO round VALUES(16,0,1795444574323860347,1700000000.0,0.0,0.0,0.0,NULL,100.0,NULL,NULL,NULL);
INSERT INTO round VALUES(17,0,1795444574324177066,1700000000.0,0.0,0.0,0.0,NULL,100.0,NULL,NULL,NULL);
INSERT INTO round VALUES(18,0,1795444574324490687,1700000000.0,0.0,0.0,0.0,NULL,100.0,NULL,NULL,NULL);
INSERT INTO round VALUES(19,0,1795444574324823038,1700000000.0,0.0,0.0,0.0,NULL,100.0,NULL,NULL,NULL);
INSERT INTO round VALUES(20,0,1795444574325185909,1700000000.0,0.0,0.0,0.0,NULL,1000.0,NULL,NULL,NULL);
CREATE TABLE sample (
	trial_id INTEGER NOT NULL,
	round INTEGER NOT NULL,
	sequence INTEGER NOT NULL CHECK (sequence >= 0),
	time_ns REAL NOT NULL CHECK (time_ns >= 0), base_ns REAL CHECK (base_ns >= 0),
	PRIMARY KEY (trial_id, round, sequence),
	FOREIGN KEY (trial_id, round) REFERENCES round ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
INSERT INTO sample VALUES(1,0,0,1000.0,1250.0);
INSERT INTO sample VALUES(1,0,1,1001.0,1251.25);
INSERT INTO sample VALUES(1,0,2,1002.0,1252.5);
INSERT INTO sample VALUES(1,0,3,1003.0,1253.7499999999999999);
INSERT INTO sample VALUES(1,0,4,1004.0,1255.0);
INSERT INTO sample VALUES(1,0,5,1005.0,1256.25);
INSERT INTO sample VALUES(1,0,6,1006.0,1257.5);
INSERT INTO sample VALUES(1,0,7,1007.0,1258.7499999999999999);
INSERT INTO sample VALUES(1,0,8,1008.0,1260.0);
INSERT INTO sample VALUES(1,0,9,1009.0,1261.25);
INSERT INTO sample VALUES(1,1,0,2000.0,2520.0);
INSERT INTO sample VALUES(1,1,1,2001.0,2521.2600000000002181);
INSERT INTO sample VALUES(1,1,2,2002.0,2522.5199999999999818);
INSERT INTO sample VALUES(1,1,3,2003.0,2523.7800000000002);
INSERT INTO sample VALUES(1,1,4,2004.0,2525.0399999999999635);
INSERT INTO sample VALUES(1,1,5,2005.0,2526.3000000000001819);
INSERT INTO sample VALUES(1,1,6,2006.0,2527.5599999999999454);
INSERT INTO sample VALUES(1,1,7,2007.0,2528.8200000000001636);
INSERT INTO sample VALUES(1,1,8,2008.0,2530.0799999999999273);
INSERT INTO sample VALUES(1,1,9,2009.0,2531.3400000000001455);
INSERT INTO sample VALUES(2,0,0,1000.0,1250.0);
INSERT INTO sample VALUES(2,0,1,1001.0,1251.25);
INSERT INTO sample VALUES(2,0,2,1002.0,1252.5);
INSERT INTO sample VALUES(2,0,3,1003.0,1253.7499999999999999);
INSERT INTO sample VALUES(2,0,4,1004.0,1255.0);
INSERT INTO sample VALUES(2,0,5,1005.0,1256.25);
INSERT INTO sample VALUES(2,0,6,1006.0,1257.5);
INSERT INTO sample VALUES(2,0,7,1007.0,1258.7499999999999999);
INSERT INTO sample VALUES(2,0,8,1008.0,1260.0);
INSERT INTO sample VALUES(2,0,9,1009.0,1261.25);
INSERT INTO sample VALUES(5,0,0,1000.0,1250.0);
INSERT INTO sample VALUES(5,0,1,1001.0,1251.25);
INSERT INTO sample VALUES(5,0,2,1002.0,1252.5);
INSERT INTO sample VALUES(5,0,3,1003.0,1253.7499999999999999);
INSERT INTO sample VALUES(5,0,4,1004.0,1255.0);
INSERT INTO sample VALUES(5,0,5,1005.0,1256.25);
INSERT INTO sample VALUES(5,0,6,1006.0,1257.5);
INSERT INTO sample VALUES(5,0,7,1007.0,1258.7499999999999999);
INSERT INTO sample VALUES(5,0,8,1008.0,1260.0);
INSERT INTO sample VALUES(5,0,9,1009.0,1261.25);
INSERT INTO sample VALUES(5,1,0,2000.0,2520.0);
INSERT INTO sample VALUES(5,1,1,2001.0,2521.2600000000002181);
INSERT INTO sample VALUES(5,1,2,2002.0,2522.5199999999999818);
INSERT INTO sample VALUES(5,1,3,2003.0,2523.7800000000002);
INSERT INTO sample VALUES(5,1,4,2004.0,2525.0399999999999635);
INSERT INTO sample VALUES(5,1,5,2005.0,2526.3000000000001819);
INSERT INTO sample VALUES(5,1,6,2006.0,2527.5599999999999454);
INSERT INTO sample VALUES(5,1,7,2007.0,2528.8200000000001636);
INSERT INTO sample VALUES(5,1,8,2008.0,2530.0799999999999273);
INSERT INTO sample VALUES(5,1,9,2009.0,2531.3400000000001455);
INSERT INTO sample VALUES(6,0,0,1000.0,1250.0);
INSERT INTO sample VALUES(6,0,1,1001.0,1251.25);
INSERT INTO sample VALUES(6,0,2,1002.0,1252.5);
INSERT INTO sample VALUES(6,0,3,1003.0,1253.7499999999999999);
INSERT INTO sample VALUES(6,0,4,1004.0,1255.0);
INSERT INTO sample VALUES(6,0,5,1005.0,1256.25);
INSERT INTO sample VALUES(6,0,6,1006.0,1257.5);
INSERT INTO sample VALUES(6,0,7,1007.0,1258.7499999999999999);
INSERT INTO sample VALUES(6,0,8,1008.0,1260.0);
INSERT INTO sample VALUES(6,0,9,1009.0,1261.25);
INSERT INTO sample VALUES(13,0,0,247.49999999999999999,NULL);
INSERT INTO sample VALUES(13,0,1,247.74999999999999999,NULL);
INSERT INTO sample VALUES(13,0,2,248.0,NULL);
INSERT INTO sample VALUES(13,0,3,248.25,NULL);
INSERT INTO sample VALUES(13,0,4,248.49999999999999999,NULL);
INSERT INTO sample VALUES(13,0,5,248.74999999999999999,NULL);
INSERT INTO sample VALUES(13,0,6,249.0,NULL);
INSERT INTO sample VALUES(13,0,7,249.25,NULL);
INSERT INTO sample VALUES(13,0,8,249.49999999999999998,NULL);
INSERT INTO sample VALUES(13,0,9,249.74999999999999999,NULL);
INSERT INTO sample VALUES(13,0,10,250.0,NULL);
INSERT INTO sample VALUES(13,0,11,250.24999999999997157,NULL);
INSERT INTO sample VALUES(13,0,12,250.50000000000000001,NULL);
INSERT INTO sample VALUES(13,0,13,250.74999999999997158,NULL);
INSERT INTO sample VALUES(13,0,14,251.0,NULL);
INSERT INTO sample VALUES(13,0,15,251.24999999999997157,NULL);
INSERT INTO sample VALUES(13,0,16,251.5,NULL);
INSERT INTO sample VALUES(13,0,17,251.74999999999997158,NULL);
INSERT INTO sample VALUES(13,0,18,252.0,NULL);
INSERT INTO sample VALUES(13,0,19,252.24999999999997157,NULL);
INSERT INTO sample VALUES(13,0,20,252.5,NULL);
INSERT INTO sample VALUES(14,0,0,198.0,NULL);
INSERT INTO sample VALUES(14,0,1,198.19999999999998863,NULL);
INSERT INTO sample VALUES(14,0,2,198.40000000000000568,NULL);
INSERT INTO sample VALUES(14,0,3,198.59999999999999431,NULL);
INSERT INTO sample VALUES(14,0,4,198.80000000000001137,NULL);
INSERT INTO sample VALUES(14,0,5,199.0,NULL);
INSERT INTO sample VALUES(14,0,6,199.19999999999998862,NULL);
INSERT INTO sample VALUES(14,0,7,199.40000000000000567,NULL);
INSERT INTO sample VALUES(14,0,8,199.59999999999999431,NULL);
INSERT INTO sample VALUES(14,0,9,199.80000000000001136,NULL);
INSERT INTO sample VALUES(14,0,10,200.0,NULL);
INSERT INTO sample VALUES(14,0,11,200.19999999999998864,NULL);
INSERT INTO sample VALUES(14,0,12,200.40000000000000568,NULL);
INSERT INTO sample VALUES(14,0,13,200.5999999999999659,NULL);
INSERT INTO sample VALUES(14,0,14,200.80000000000001137,NULL);
INSERT INTO sample VALUES(14,0,15,200.99999999999997157,NULL);
INSERT INTO sample VALUES(14,0,16,201.19999999999998864,NULL);
INSERT INTO sample VALUES(14,0,17,201.39999999999997726,NULL);
INSERT INTO sample VALUES(14,0,18,201.5999999999999943,NULL);
INSERT INTO sample VALUES(14,0,19,201.79999999999998295,NULL);
INSERT INTO sample VALUES(14,0,20,202.0,NULL);
INSERT INTO sample VALUES(15,0,0,247.49999999999999999,NULL);
INSERT INTO sample VALUES(15,0,1,247.74999999999999999,NULL);
INSERT INTO sample VALUES(15,0,2,248.0,NULL);
INSERT INTO sample VALUES(15,0,3,248.25,NULL);
INSERT INTO sample VALUES(15,0,4,248.49999999999999999,NULL);
INSERT INTO sample VALUES(15,0,5,248.74999999999999999,NULL);
INSERT INTO sample VALUES(15,0,6,249.0,NULL);
INSERT INTO sample VALUES(15,0,7,249.25,NULL);
INSERT INTO sample VALUES(15,0,8,249.49999999999999998,NULL);
INSERT INTO sample VALUES(15,0,9,249.74999999999999999,NULL);
INSERT INTO sample VALUES(15,0,10,250.0,NULL);
INSERT INTO sample VALUES(15,0,11,250.24999999999997157,NULL);
INSERT INTO sample VALUES(15,0,12,250.50000000000000001,NULL);
INSERT INTO sample VALUES(15,0,13,250.74999999999997158,NULL);
INSERT INTO sample VALUES(15,0,14,251.0,NULL);
INSERT INTO sample VALUES(15,0,15,251.24999999999997157,NULL);
INSERT INTO sample VALUES(15,0,16,251.5,NULL);
INSERT INTO sample VALUES(15,0,17,251.74999999999997158,NULL);
INSERT INTO sample VALUES(15,0,18,252.0,NULL);
INSERT INTO sample VALUES(15,0,19,252.24999999999997157,NULL);
INSERT INTO sample VALUES(15,0,20,252.5,NULL);
INSERT INTO sample VALUES(16,0,0,99.0,NULL);
INSERT INTO sample VALUES(16,0,1,99.099999999999994317,NULL);
INSERT INTO sample VALUES(16,0,2,99.200000000000002845,NULL);
INSERT INTO sample VALUES(16,0,3,99.299999999999997157,NULL);
INSERT INTO sample VALUES(16,0,4,99.400000000000005686,NULL);
INSERT INTO sample VALUES(16,0,5,99.499999999999999998,NULL);
INSERT INTO sample VALUES(16,0,6,99.599999999999994319,NULL);
INSERT INTO sample VALUES(16,0,7,99.700000000000002838,NULL);
INSERT INTO sample VALUES(16,0,8,99.799999999999997159,NULL);
INSERT INTO sample VALUES(16,0,9,99.900000000000005687,NULL);
INSERT INTO sample VALUES(16,0,10,100.0,NULL);
INSERT INTO sample VALUES(16,0,11,100.09999999999999432,NULL);
INSERT INTO sample VALUES(16,0,12,100.20000000000000284,NULL);
INSERT INTO sample VALUES(16,0,13,100.29999999999998295,NULL);
INSERT INTO sample VALUES(16,0,14,100.40000000000000568,NULL);
INSERT INTO sample VALUES(16,0,15,100.49999999999998578,NULL);
INSERT INTO sample VALUES(16,0,16,100.59999999999999432,NULL);
INSERT INTO sample VALUES(16,0,17,100.69999999999998863,NULL);
INSERT INTO sample VALUES(16,0,18,100.79999999999999715,NULL);
INSERT INTO sample VALUES(16,0,19,100.89999999999999147,NULL);
INSERT INTO sample VALUES(16,0,20,101.0,NULL);
INSERT INTO sample VALUES(17,0,0,99.0,NULL);
INSERT INTO sample VALUES(17,0,1,99.099999999999994317,NULL);
INSERT INTO sample VALUES(17,0,2,99.200000000000002845,NULL);
INSERT INTO sample VALUES(17,0,3,99.299999999999997157,NULL);
INSERT INTO sample VALUES(17,0,4,99.400000000000005686,NULL);
INSERT INTO sample VALUES(17,0,5,99.499999999999999998,NULL);
INSERT INTO sample VALUES(17,0,6,99.599999999999994319,NULL);
INSERT INTO sample VALUES(17,0,7,99.700000000000002838,NULL);
INSERT INTO sample VALUES(17,0,8,99.799999999999997159,NULL);
INSERT INTO sample VALUES(17,0,9,99.900000000000005687,NULL);
INSERT INTO sample VALUES(17,0,10,100.0,NULL);
INSERT INTO sample VALUES(17,0,11,100.09999999999999432,NULL);
INSERT INTO sample VALUES(17,0,12,100.20000000000000284,NULL);
INSERT INTO sample VALUES(17,0,13,100.29999999999998295,NULL);
INSERT INTO sample VALUES(17,0,14,100.40000000000000568,NULL);
INSERT INTO sample VALUES(17,0,15,100.49999999999998578,NULL);
INSERT INTO sample VALUES(17,0,16,100.59999999999999432,NULL);
INSERT INTO sample VALUES(17,0,17,100.69999999999998863,NULL);
INSERT INTO sample VALUES(17,0,18,100.79999999999999715,NULL);
INSERT INTO sample VALUES(17,0,19,100.89999999999999147,NULL);
INSERT INTO sample VALUES(17,0,20,101.0,NULL);
INSERT INTO sample VALUES(18,0,0,99.0,NULL);
INSERT INTO sample VALUES(18,0,1,99.099999999999994317,NULL);
INSERT INTO sample VALUES(18,0,2,99.200000000000002845,NULL);
INSERT INTO sample VALUES(18,0,3,99.299999999999997157,NULL);
INSERT INTO sample VALUES(18,0,4,99.400000000000005686,NULL);
INSERT INTO sample VALUES(18,0,5,99.499999999999999998,NULL);
INSERT INTO sample VALUES(18,0,6,99.599999999999994319,NULL);
INSERT INTO sample VALUES(18,0,7,99.700000000000002838,NULL);
INSERT INTO sample VALUES(18,0,8,99.799999999999997159,NULL);
INSERT INTO sample VALUES(18,0,9,99.900000000000005687,NULL);
INSERT INTO sample VALUES(18,0,10,100.0,NULL);
INSERT INTO sample VALUES(18,0,11,100.09999999999999432,NULL);
INSERT INTO sample VALUES(18,0,12,100.20000000000000284,NULL);
INSERT INTO sample VALUES(18,0,13,100.29999999999998295,NULL);
INSERT INTO sample VALUES(18,0,14,100.40000000000000568,NULL);
INSERT INTO sample VALUES(18,0,15,100.49999999999998578,NULL);
INSERT INTO sample VALUES(18,0,16,100.59999999999999432,NULL);
INSERT INTO sample VALUES(18,0,17,100.69999999999998863,NULL);
INSERT INTO sample VALUES(18,0,18,100.79999999999999715,NULL);
INSERT INTO sample VALUES(18,0,19,100.89999999999999147,NULL);
INSERT INTO sample VALUES(18,0,20,101.0,NULL);
INSERT INTO sample VALUES(19,0,0,99.0,NULL);
INSERT INTO sample VALUES(19,0,1,99.099999999999994317,NULL);
INSERT INTO sample VALUES(19,0,2,99.200000000000002845,NULL);
INSERT INTO sample VALUES(19,0,3,99.299999999999997157,NULL);
INSERT INTO sample VALUES(19,0,4,99.400000000000005686,NULL);
INSERT INTO sample VALUES(19,0,5,99.499999999999999998,NULL);
INSERT INTO sample VALUES(19,0,6,99.599999999999994319,NULL);
INSERT INTO sample VALUES(19,0,7,99.700000000000002838,NULL);
INSERT INTO sample VALUES(19,0,8,99.799999999999997159,NULL);
INSERT INTO sample VALUES(19,0,9,99.900000000000005687,NULL);
INSERT INTO sample VALUES(19,0,10,100.0,NULL);
INSERT INTO sample VALUES(19,0,11,100.09999999999999432,NULL);
INSERT INTO sample VALUES(19,0,12,100.20000000000000284,NULL);
INSERT INTO sample VALUES(19,0,13,100.29999999999998295,NULL);
INSERT INTO sample VALUES(19,0,14,100.40000000000000568,NULL);
INSERT INTO sample VALUES(19,0,15,100.49999999999998578,NULL);
INSERT INTO sample VALUES(19,0,16,100.59999999999999432,NULL);
INSERT INTO sample VALUES(19,0,17,100.69999999999998863,NULL);
INSERT INTO sample VALUES(19,0,18,100.79999999999999715,NULL);
INSERT INTO sample VALUES(19,0,19,100.89999999999999147,NULL);
INSERT INTO sample VALUES(19,0,20,101.0,NULL);
INSERT INTO sample VALUES(20,0,0,990.0,NULL);
INSERT INTO sample VALUES(20,0,1,991.0,NULL);
INSERT INTO sample VALUES(20,0,2,992.0,NULL);
INSERT INTO sample VALUES(20,0,3,993.0,NULL);
INSERT INTO sample VALUES(20,0,4,994.0,NULL);
INSERT INTO sample VALUES(20,0,5,995.0,NULL);
INSERT INTO sample VALUES(20,0,6,996.0,NULL);
INSERT INTO sample VALUES(20,0,7,997.0,NULL);
INSERT INTO sample VALUES(20,0,8,998.0,NULL);
INSERT INTO sample VALUES(20,0,9,999.0,NULL);
INSERT INTO sample VALUES(20,0,10,1000.0,NULL);
INSERT INTO sample VALUES(20,0,11,1000.9999999999998862,NULL);
INSERT INTO sample VALUES(20,0,12,1002.0,NULL);
INSERT INTO sample VALUES(20,0,13,1002.9999999999998863,NULL);
INSERT INTO sample VALUES(20,0,14,1004.0,NULL);
INSERT INTO sample VALUES(20,0,15,1004.9999999999998862,NULL);
INSERT INTO sample VALUES(20,0,16,1006.0,NULL);
INSERT INTO sample VALUES(20,0,17,1006.9999999999998863,NULL);
INSERT INTO sample VALUES(20,0,18,1008.0,NULL);
INSERT INTO sample VALUES(20,0,19,1008.9999999999998863,NULL);
INSERT INTO sample VALUES(20,0,20,1010.0,NULL);
CREATE TABLE trial_status (
	name TEXT PRIMARY KEY,
	meaning TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO trial_status VALUES('crashed','the worker died: a signal, an abort, or a broken protocol');
INSERT INTO trial_status VALUES('device_error','the device reported an error, such as an illegal address');
INSERT INTO trial_status VALUES('failed','anything else; the reason says what');
INSERT INTO trial_status VALUES('fault','an emulator found an error in the kernel, such as a race');
INSERT INTO trial_status VALUES('mismatch','a result differs from the expected one; never timed');
INSERT INTO trial_status VALUES('ok','verified, and timed where the backend has a clock');
INSERT INTO trial_status VALUES('out_of_memory','the device or the host had not enough memory');
INSERT INTO trial_status VALUES('pending','planned, not finished');
INSERT INTO trial_status VALUES('sampled','counted on some of its blocks by an emulator; not verified');
INSERT INTO trial_status VALUES('skipped','a constraint does not hold; the reason names it');
INSERT INTO trial_status VALUES('timeout','ran longer than --timeout; its worker was ended');
INSERT INTO trial_status VALUES('unverified','timed or counted like an ok one, but its result was compared with nothing');
CREATE TABLE IF NOT EXISTS "trial" (
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
	max_ns REAL, launch_hash TEXT, mean_ns REAL CHECK (mean_ns >= 0),
	UNIQUE (run_id, kernel, variant, config),
	CHECK ((status IN ('pending', 'ok')) = (reason IS NULL)),
	CHECK ((sample_count = 0) = (median_ns IS NULL))
) STRICT;
INSERT INTO trial VALUES(1,1,0,'reduce','shuffle','block=256,n=16777216','ok',NULL,1795444574296623861,1795444574296317167,16777215,67108864,4,32,128,0,0,100.0,'warps','0123456789abcdef','cubin sm_90',20,1504.5,500.0,1005.0,2004.0,1000.0,2009.0,'fedcba9876543210',NULL);
INSERT INTO trial VALUES(2,1,1,'reduce','shuffle','block=512,n=16777216','timeout','ran longer than 2 s',1795444574297042761,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,10,1004.4999999999999999,2.5,1001.0,1008.0,1000.0,1009.0,NULL,NULL);
INSERT INTO trial VALUES(3,1,2,'reduce','shuffle','block=96,n=16777216','skipped','block is not a power of two',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO trial VALUES(4,1,3,'stream','copy','block=256,n=1048576','pending',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO trial VALUES(5,2,0,'reduce','shuffle','block=256,n=16777216','ok',NULL,1795444574305883848,1795444574305579890,16777215,67108864,4,32,128,0,0,100.0,'warps','0123456789abcdef','cubin sm_90',20,1504.5,500.0,1005.0,2004.0,1000.0,2009.0,'fedcba9876543210',1500.5);
INSERT INTO trial VALUES(6,2,1,'reduce','shuffle','block=512,n=16777216','timeout','ran longer than 2 s',1795444574306225611,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,10,1004.4999999999999999,2.5,1001.0,1008.0,1000.0,1009.0,NULL,NULL);
INSERT INTO trial VALUES(7,2,2,'reduce','shuffle','block=96,n=16777216','skipped','block is not a power of two',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO trial VALUES(8,2,3,'stream','copy','block=256,n=1048576','pending',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO trial VALUES(9,3,0,'reduce','shuffle','block=256,n=16777216','sampled','5 of 65536 blocks were executed',1795444574313709294,1795444574313237827,16777215,67108864,4,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,'fedcba9876543210',NULL);
INSERT INTO trial VALUES(10,3,1,'reduce','shuffle','block=512,n=16777216','pending',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO trial VALUES(11,3,2,'reduce','shuffle','block=96,n=16777216','skipped','block is not a power of two',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO trial VALUES(12,3,3,'stream','copy','block=256,n=1048576','pending',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO trial VALUES(13,4,0,'ceilings','dram_copy','block=256','ok',NULL,1795444574323075828,NULL,0,500000,500000,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,21,250.0,1.25,248.74999999999999999,251.24999999999997157,247.49999999999999999,252.5,NULL,NULL);
INSERT INTO trial VALUES(14,4,1,'ceilings','dram_copy','block=512','ok',NULL,1795444574323447833,NULL,0,500000,500000,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,21,200.0,1.0,199.0,200.99999999999997157,198.0,202.0,NULL,NULL);
INSERT INTO trial VALUES(15,4,2,'ceilings','dram_read','block=256','ok',NULL,1795444574323779455,NULL,0,1000000,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,21,250.0,1.25,248.74999999999999999,251.24999999999997157,247.49999999999999999,252.5,NULL,NULL);
INSERT INTO trial VALUES(16,4,3,'ceilings','l2_read','block=256','ok',NULL,1795444574324095770,NULL,0,800000,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,21,100.0,0.5,99.499999999999999998,100.49999999999998578,99.0,101.0,NULL,NULL);
INSERT INTO trial VALUES(17,4,4,'ceilings','shared_read','block=256','ok',NULL,1795444574324406838,NULL,0,3200000,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,21,100.0,0.5,99.499999999999999998,100.49999999999998578,99.0,101.0,NULL,NULL);
INSERT INTO trial VALUES(18,4,5,'ceilings','f32_fma','block=256','ok',NULL,1795444574324742734,NULL,6400000,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,21,100.0,0.5,99.499999999999999998,100.49999999999998578,99.0,101.0,NULL,NULL);
INSERT INTO trial VALUES(19,4,6,'ceilings','tensor_f16_wgmma','block=384','ok',NULL,1795444574325100223,NULL,64000000,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,21,100.0,0.5,99.499999999999999998,100.49999999999998578,99.0,101.0,NULL,NULL);
INSERT INTO trial VALUES(20,4,7,'stream','triad','block=256','ok',NULL,1795444574325546635,1795444574325238562,4000,600,400,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,21,1000.0,5.0,995.0,1004.9999999999998862,990.0,1010.0,NULL,NULL);
INSERT INTO trial VALUES(21,4,8,'stream','broken','block=256','failed','left out',1795444574325799256,NULL,4000,600,400,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE metric (
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL,
	unit TEXT NOT NULL,
	source TEXT NOT NULL,
	UNIQUE (name, unit, source)
) STRICT;
INSERT INTO metric VALUES(1,'dram_read_bytes','byte','dram__bytes_read.sum');
INSERT INTO metric VALUES(2,'achieved_occupancy_pct','percent','sm__warps_active.avg.pct_of_peak_sustained_active');
INSERT INTO metric VALUES(3,'branch_efficiency_pct','percent','derived: 100 * uniform / all');
INSERT INTO metric VALUES(4,'ptx_warp_instructions','instruction','emulated PTX, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(5,'ptx_lane_instructions','instruction','emulated PTX, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(6,'ptx_branches','instruction','emulated PTX, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(7,'ptx_divergent_branches','instruction','emulated PTX, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(8,'ptx_global_load_requests','request','emulated PTX, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(9,'ptx_global_load_sectors','sector','emulated PTX, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(10,'ptx_global_load_bytes','byte','emulated PTX, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(11,'ptx_global_store_requests','request','emulated PTX, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(12,'ptx_global_store_sectors','sector','emulated PTX, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(13,'ptx_global_store_bytes','byte','emulated PTX, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(14,'ptx_global_atomic_requests','request','emulated PTX, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(15,'ptx_global_atomic_sectors','sector','emulated PTX, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(16,'ptx_global_reduction_requests','request','emulated PTX, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(17,'ptx_global_reduction_sectors','sector','emulated PTX, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(18,'ptx_atomic_lanes','instruction','emulated PTX, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(19,'ptx_atomic_serialised','instruction','emulated PTX, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(20,'ptx_local_load_requests','request','emulated PTX, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(21,'ptx_local_store_requests','request','emulated PTX, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(22,'ptx_shared_load_requests','request','emulated PTX, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(23,'ptx_shared_store_requests','request','emulated PTX, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(24,'ptx_shared_atomic_requests','request','emulated PTX, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(25,'ptx_shared_load_wavefronts','wavefront','emulated PTX, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(26,'ptx_shared_store_wavefronts','wavefront','emulated PTX, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(27,'ptx_shared_bank_conflicts','wavefront','emulated PTX, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(28,'ptx_async_copy_requests','request','emulated PTX, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(29,'ptx_async_copy_sectors','sector','emulated PTX, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(30,'ptx_async_copy_wavefronts','wavefront','emulated PTX, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(31,'ptx_barriers','instruction','emulated PTX, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(32,'ptx_f16_flop','flop','emulated PTX, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(33,'ptx_f32_flop','flop','emulated PTX, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(34,'ptx_f64_flop','flop','emulated PTX, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(35,'ptx_special_operations','instruction','emulated PTX, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(36,'ptx_blocks_executed','block','emulated PTX, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(37,'ptx_blocks_total','block','emulated PTX, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(38,'ptx_compulsory_read_bytes','byte','emulated PTX, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(39,'ptx_compulsory_written_bytes','byte','emulated PTX, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(40,'ptx_theoretical_occupancy_pct','percent','occupancy calculator');
INSERT INTO metric VALUES(41,'ptx_relative_error','1','verification');
INSERT INTO metric VALUES(42,'ptx_warp_execution_efficiency_pct','percent','derived: 100 * ptx_lane_instructions / (32 * ptx_warp_instructions), sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(43,'ptx_branch_efficiency_pct','percent','derived: 100 * (ptx_branches - ptx_divergent_branches) / ptx_branches, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(44,'ptx_load_sectors_per_request','sector/request','derived: ptx_global_load_sectors / ptx_global_load_requests, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(45,'ptx_store_sectors_per_request','sector/request','derived: ptx_global_store_sectors / ptx_global_store_requests, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(46,'ptx_shared_conflicts_per_request','wavefront/request','derived: ptx_shared_bank_conflicts / (ptx_shared_load_requests + ptx_shared_store_requests + ptx_shared_atomic_requests), sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(47,'ptx_atomic_contention','instruction/request','derived: ptx_atomic_serialised / (ptx_global_atomic_requests + ptx_global_reduction_requests + ptx_shared_atomic_requests), sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(48,'ptx_f32_f64_flop','flop','derived: ptx_f32_flop + ptx_f64_flop, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(49,'ptx_compulsory_bytes','byte','derived: ptx_compulsory_read_bytes + ptx_compulsory_written_bytes, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(50,'ptx_compulsory_intensity','flop/byte','derived: ptx_f32_f64_flop / ptx_compulsory_bytes, sampled: 5 of 65536 blocks');
INSERT INTO metric VALUES(51,'dram_bytes','','test');
INSERT INTO metric VALUES(52,'l2_from_l1_bytes','','test');
INSERT INTO metric VALUES(53,'l1_bytes','','test');
INSERT INTO metric VALUES(54,'shared_bytes','','test');
INSERT INTO metric VALUES(55,'flop_f32','','test');
INSERT INTO metric VALUES(56,'flop_f64','','test');
CREATE TABLE IF NOT EXISTS "counter" (
	trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
	metric_id INTEGER NOT NULL REFERENCES metric,
	value REAL,
	reason TEXT,
	PRIMARY KEY (trial_id, metric_id),
	CHECK ((value IS NULL) <> (reason IS NULL))
) STRICT, WITHOUT ROWID;
INSERT INTO counter VALUES(1,1,67108864.0,NULL);
INSERT INTO counter VALUES(1,2,93.500000000000000003,NULL);
INSERT INTO counter VALUES(1,3,NULL,'the kernel has no branches');
INSERT INTO counter VALUES(5,1,67108864.0,NULL);
INSERT INTO counter VALUES(5,2,93.500000000000000003,NULL);
INSERT INTO counter VALUES(5,3,NULL,'the kernel has no branches');
INSERT INTO counter VALUES(9,4,NULL,'the emulator did not count it');
INSERT INTO counter VALUES(9,5,NULL,'the emulator did not count it');
INSERT INTO counter VALUES(9,6,NULL,'the emulator did not count it');
INSERT INTO counter VALUES(9,7,NULL,'the emulator did not count it');
INSERT INTO counter VALUES(9,8,4.0,NULL);
INSERT INTO counter VALUES(9,9,16.0,NULL);
INSERT INTO counter VALUES(9,10,NULL,'the emulator did not count it');
INSERT INTO counter VALUES(9,11,NULL,'the emulator did not count it');
INSERT INTO counter VALUES(9,12,NULL,'the emulator did not count it');
INSERT INTO counter VALUES(9,13,NULL,'the emulator did not count it');
INSERT INTO counter VALUES(9,14,NULL,'the emulator did not count it');
INSERT INTO counter VALUES(9,15,NULL,'the emulator did not count it');
INSERT INTO counter VALUES(9,16,NULL,'the emulator did not count it');
INSERT INTO counter VALUES(9,17,NULL,'the emulator did not count it');
INSERT INTO counter VALUES(9,18,NULL,'the emulator did not count it');
INSERT INTO counter VALUES(9,19,NULL,'the emulator did not count it');
INSERT INTO counter VALUES(9,20,NULL,'the emulator did not count it');
INSERT INTO counter VALUES(9,21,NULL,'the emulator did not count it');
INSERT INTO counter VALUES(9,22,NULL,'the emulator did not count it');
INSERT INTO counter VALUES(9,23,NULL,'the emulator did not count it');
INSERT INTO counter VALUES(9,24,NULL,'the emulator did not count it');
INSERT INTO counter VALUES(9,25,NULL,'the emulator did not count it');
INSERT INTO counter VALUES(9,26,NULL,'the emulator did not count it');
INSERT INTO counter VALUES(9,27,NULL,'the emulator did not count it');
INSERT INTO counter VALUES(9,28,NULL,'the emulator did not count it');
INSERT INTO counter VALUES(9,29,NULL,'the emulator did not count it');
INSERT INTO counter VALUES(9,30,NULL,'the emulator did not count it');
INSERT INTO counter VALUES(9,31,NULL,'the emulator did not count it');
INSERT INTO counter VALUES(9,32,NULL,'the emulator did not count it');
INSERT INTO counter VALUES(9,33,NULL,'the emulator did not count it');
INSERT INTO counter VALUES(9,34,NULL,'the emulator did not count it');
INSERT INTO counter VALUES(9,35,NULL,'the emulator did not count it');
INSERT INTO counter VALUES(9,36,5.0,NULL);
INSERT INTO counter VALUES(9,37,65536.0,NULL);
INSERT INTO counter VALUES(9,38,NULL,'the emulator did not count it');
INSERT INTO counter VALUES(9,39,NULL,'the emulator did not count it');
INSERT INTO counter VALUES(9,40,NULL,'the emulator did not count it');
INSERT INTO counter VALUES(9,41,NULL,'the emulator did not count it');
INSERT INTO counter VALUES(9,42,NULL,'needs ptx_lane_instructions: the emulator did not count it');
INSERT INTO counter VALUES(9,43,NULL,'needs ptx_branches: the emulator did not count it');
INSERT INTO counter VALUES(9,44,4.0,NULL);
INSERT INTO counter VALUES(9,45,NULL,'needs ptx_global_store_sectors: the emulator did not count it');
INSERT INTO counter VALUES(9,46,NULL,'needs ptx_shared_bank_conflicts: the emulator did not count it');
INSERT INTO counter VALUES(9,47,NULL,'needs ptx_atomic_serialised: the emulator did not count it');
INSERT INTO counter VALUES(9,48,NULL,'needs ptx_f32_flop: the emulator did not count it');
INSERT INTO counter VALUES(9,49,NULL,'needs ptx_compulsory_read_bytes: the emulator did not count it');
INSERT INTO counter VALUES(9,50,NULL,'needs ptx_f32_f64_flop: needs ptx_f32_flop: the emulator did not count it');
INSERT INTO counter VALUES(20,51,2000.0,NULL);
INSERT INTO counter VALUES(20,52,1000.0,NULL);
INSERT INTO counter VALUES(20,53,4000.0,NULL);
INSERT INTO counter VALUES(20,54,0.0,NULL);
INSERT INTO counter VALUES(20,55,4000.0,NULL);
INSERT INTO counter VALUES(20,56,0.0,NULL);
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
INSERT INTO line VALUES(9,'kernels/reduce/shuffle.cu',14,4,128,0,0,4,16,0,0,0);
CREATE TABLE mark (
	run_id INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE,
	kind TEXT NOT NULL CHECK (kind IN ('good', 'bad')),
	why TEXT,
	marked_ns INTEGER NOT NULL
) STRICT;
INSERT INTO mark VALUES(1,'good','the release',1795444574302820062);
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
INSERT INTO comparison VALUES(5,1,'regressed',0.030999999999999999777,0.021999999999999998723,0.040000000000000000832,0.00040000000000000001916,NULL);
INSERT INTO comparison VALUES(6,NULL,'failed',NULL,NULL,NULL,NULL,'ran longer than 2 s');
CREATE TABLE IF NOT EXISTS "run" (
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
		CASE WHEN coalesce(device_ordinal, cache, min_samples, max_time_ns, precision,
			timeout_ns, metrics, emulated_chip, all_blocks, jobs, counter_dump) IS NOT NULL
		THEN '{' || rtrim(coalesce('"device":' || device_ordinal || ',', '') ||
			iif(min_samples + max_time_ns + precision + timeout_ns IS NULL, '', printf('"seed":"%llu",', seed)) ||
			coalesce('"cache":' || '"' || cache || '"' || ',', '') ||
			coalesce('"min_samples":' || min_samples || ',', '') ||
			coalesce('"max_time_ns":' || max_time_ns || ',', '') ||
			CASE WHEN precision IS NULL THEN '' ELSE printf('"precision":%!.17g,', precision) END ||
			iif(min_samples + max_time_ns + precision + timeout_ns IS NULL, '', '"rounds":' || iif(emulated, 3, rounds) || ',') ||
			coalesce('"timeout_ns":' || timeout_ns || ',', '') ||
			coalesce('"metrics":' || '[' || iif(metrics = '', '', replace(('"' || replace(replace(replace(replace(replace(metrics, '\', '\\'), '"', '\"'), char(9), '\t'), char(10), '\n'), char(13), '\r') || '"'), ',', '","')) || ']' || ',', '') ||
			coalesce('"chip":' || ('"' || replace(replace(replace(replace(replace(emulated_chip, '\', '\\'), '"', '\"'), char(9), '\t'), char(10), '\n'), char(13), '\r') || '"') || ',', iif(min_samples + max_time_ns + precision + timeout_ns IS NULL, '', '"chip":null,')) ||
			coalesce('"all_blocks":' || CASE all_blocks WHEN 0 THEN 'false' WHEN 1 THEN 'true' END || ',', '') ||
			coalesce('"jobs":' || jobs || ',', '') ||
			coalesce('"counter_dump":' || ('"' || replace(replace(replace(replace(replace(counter_dump, '\', '\\'), '"', '\"'), char(9), '\t'), char(10), '\n'), char(13), '\r') || '"') || ',', iif(min_samples + max_time_ns + precision + timeout_ns IS NULL, '', '"counter_dump":null,')), ',') || '}'
	END) VIRTUAL
, base_variant TEXT, origin TEXT, placements INTEGER) STRICT;
INSERT INTO run VALUES(1,'7caf3c9ddc08560d3aa559f10db563ef','nightly','after the driver''s update; ''quoted'' and "quoted"','finished',1763700000123456789,1795444574297136706,'cuda',1,'580.159.04','13.0','13.0','13.0.1','0.1.0','c51c0df','perflab sweep reduce --block-sizes 64..1024',-81985529216486896,3,1,0,'NVIDIA',32,1,'cold',20,500000000,0.002500000000000000052,60000000000,'dram_read_bytes,sm__inst_executed.sum','GA100',1,2,'images','sequential',NULL,NULL);
INSERT INTO run VALUES(2,'c2a26aeeb6f7229941fbf28a7da6cd8e','nightly','after the driver''s update; ''quoted'' and "quoted"','finished',1763700000123456790,1795444574306301082,'cuda',1,'580.159.04','13.0','13.0','13.0.1','0.1.0','c51c0df','perflab sweep reduce --block-sizes 64..1024',-81985529216486896,3,1,0,'NVIDIA',32,1,'cold',20,500000000,0.002500000000000000052,60000000000,'dram_read_bytes,sm__inst_executed.sum','GA100',1,2,'images','sequential',NULL,5);
INSERT INTO run VALUES(3,'8949ea51f3652df2a6c0948af739fdd5','laptop','after the driver''s update; ''quoted'' and "quoted"','finished',1763700000123456788,1795444574313786518,'ptx',1,'580.159.04','13.0','13.0','13.0.1','0.1.0','c51c0df','perflab sweep reduce --block-sizes 64..1024',-81985529216486896,3,0,1,NULL,32,1,'cold',20,500000000,0.002500000000000000052,60000000000,'dram_read_bytes,sm__inst_executed.sum','GA100',1,2,'images','sequential',NULL,NULL);
INSERT INTO run VALUES(4,'f8e07fc173378a5a2b6ac48480d13ac1','ceilings','after the driver''s update; ''quoted'' and "quoted"','finished',1,1795444574325845646,'cuda',1,'580.159.04','13.0','13.0','13.0.1','0.1.0','c51c0df','perflab sweep reduce --block-sizes 64..1024',-81985529216486896,3,1,0,'NVIDIA',32,1,'cold',20,500000000,0.002500000000000000052,60000000000,'dram_read_bytes,sm__inst_executed.sum','GA100',1,2,'images','sequential',NULL,NULL);
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
INSERT INTO speedup VALUES(1,'sequential','block=256,n=16777216','faster',1.2549999999999998934,1.25,1.2600000000000000088,9.9999999999999995472e-07,1887.5,2,1,NULL);
INSERT INTO speedup VALUES(2,'sequential',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,'sequential has no case with block=512');
INSERT INTO speedup VALUES(5,'sequential','block=256,n=16777216','faster',1.2549999999999998934,1.25,1.2600000000000000088,9.9999999999999995472e-07,1887.5,2,1,NULL);
INSERT INTO speedup VALUES(6,'sequential',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,'sequential has no case with block=512');
INSERT INTO speedup VALUES(9,'sequential','block=256,n=16777216',NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO speedup VALUES(10,'sequential',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,'sequential has no case with block=512');
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
INSERT INTO newest VALUES(1,'cuda','','ceilings','dram_copy','block=256',13,13);
INSERT INTO newest VALUES(1,'cuda','','ceilings','dram_copy','block=512',14,14);
INSERT INTO newest VALUES(1,'cuda','','ceilings','dram_read','block=256',15,15);
INSERT INTO newest VALUES(1,'cuda','','ceilings','f32_fma','block=256',18,18);
INSERT INTO newest VALUES(1,'cuda','','ceilings','l2_read','block=256',16,16);
INSERT INTO newest VALUES(1,'cuda','','ceilings','shared_read','block=256',17,17);
INSERT INTO newest VALUES(1,'cuda','','ceilings','tensor_f16_wgmma','block=384',19,19);
INSERT INTO newest VALUES(1,'cuda','','reduce','shuffle','block=256,n=16777216',5,5);
INSERT INTO newest VALUES(1,'cuda','','reduce','shuffle','block=512,n=16777216',6,NULL);
INSERT INTO newest VALUES(1,'cuda','','stream','broken','block=256',21,NULL);
INSERT INTO newest VALUES(1,'cuda','','stream','triad','block=256',20,20);
INSERT INTO newest VALUES(1,'ptx','','reduce','shuffle','block=256,n=16777216',9,NULL);
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
INSERT INTO recording VALUES(1,'d03ef28138c7f532f1190c606e6219ef','list','./train --steps 3',1795229445000000000,4000000000,3900000000,0,'step','bench-01','0.1.0');
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
INSERT INTO recorded_process VALUES(1,12,'./train --steps 3',12,1,70000,3500000000,NULL);
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
INSERT INTO recorded_kernel VALUES(1,1,12,'_Z7softmaxPf','softmax(float*)','NVIDIA H200','GPU-1',1,2,3,32,16,8,128,40,4,0,1000,250,200,400);
INSERT INTO recorded_kernel VALUES(1,2,12,'_Z7softmaxPf','softmax(float*)','NVIDIA H200','GPU-1',2,3,4,32,16,8,128,40,4,1,2000,500,200,800);
INSERT INTO recorded_kernel VALUES(1,3,12,'saxpy','saxpy','NVIDIA H200','GPU-1',3,4,5,32,16,8,128,40,4,2,3000,750,200,1200);
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
INSERT INTO recorded_capture VALUES(1,1,12,'/tmp/softmax.capture','_Z7softmaxPf','softmax(float*)',3,88080384,22334668,0.125,'a texture');
CREATE TABLE judgement (
	run_id INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE,
	rules INTEGER NOT NULL,
	roofs_run_id INTEGER REFERENCES run ON DELETE SET NULL
) STRICT;
INSERT INTO judgement VALUES(2,3,1);
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
INSERT INTO limiter VALUES(5,'dram',91.499999999999999996,0,'f32',16777215.0,91.499999999999999996,40.25,NULL,0.0,3.5,NULL,NULL,'91.5 % of DRAM','read less',NULL,NULL);
CREATE TABLE run_part (
	run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	uid TEXT NOT NULL,
	part TEXT NOT NULL,
	wall_ns INTEGER NOT NULL CHECK (wall_ns >= 0),
	PRIMARY KEY (run_id, uid, part)
) STRICT, WITHOUT ROWID;
INSERT INTO run_part VALUES(2,'0123456789abcdef0123456789abcdef','compile',99);
INSERT INTO run_part VALUES(2,'0123456789abcdef0123456789abcdef','sampling',123456789);
CREATE INDEX trial_by_case ON trial (kernel, variant, config, run_id);
CREATE INDEX trial_by_status ON trial (run_id, status);
CREATE UNIQUE INDEX device_by_identity ON device (uuid, name);
CREATE INDEX comparison_by_base ON comparison (base_trial_id);
CREATE INDEX run_by_label ON run (label, started_ns);
CREATE INDEX run_by_device ON run (device_id, backend, started_ns);
CREATE INDEX trial_by_failure ON trial (run_id) WHERE status NOT IN ('ok', 'sampled', 'unverified', 'skipped', 'pending');
CREATE INDEX newest_by_trial ON newest (trial_id);
CREATE INDEX newest_by_timed_trial ON newest (timed_trial_id);
CREATE INDEX judgement_by_roofs ON judgement (roofs_run_id);
CREATE VIEW emulated AS SELECT
	trial.id AS trial_id,
	trial.run_id,
	run.label,
	strftime('%Y-%m-%dT%H:%M:%SZ', run.started_ns / 1000000000, 'unixepoch') AS started_at,
	run.started_ns,
	device.name AS device,
	trial.kernel,
	trial.variant,
	trial.config,
	(SELECT value FROM axis WHERE trial_id = trial.id AND name = 'block') AS block,
	(SELECT value FROM axis WHERE trial_id = trial.id AND name = 'n') AS n,
	trial.status,
	trial.reason,
	trial.theoretical_occupancy_pct,
	trial.occupancy_limiter,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'ptx_warp_execution_efficiency_pct') AS ptx_warp_execution_efficiency_pct,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'ptx_branch_efficiency_pct') AS ptx_branch_efficiency_pct,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'ptx_load_sectors_per_request') AS ptx_load_sectors_per_request,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'ptx_store_sectors_per_request') AS ptx_store_sectors_per_request,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'ptx_shared_conflicts_per_request') AS ptx_shared_conflicts_per_request,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'ptx_atomic_contention') AS ptx_atomic_contention,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'ptx_f32_f64_flop') AS ptx_f32_f64_flop,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'ptx_compulsory_bytes') AS ptx_compulsory_bytes,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'ptx_blocks_executed') AS ptx_blocks_executed,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'ptx_blocks_total') AS ptx_blocks_total
FROM trial JOIN run ON run.id = trial.run_id JOIN device ON device.id = run.device_id
WHERE run.emulated;
CREATE TRIGGER newest_of_inserted AFTER INSERT ON trial WHEN NEW.status NOT IN ('pending', 'skipped') BEGIN
	INSERT INTO newest (device_id, backend, origin, kernel, variant, config, trial_id)
		SELECT device_id, backend, coalesce(run.origin, ''), NEW.kernel, NEW.variant, NEW.config, NEW.id
		FROM run WHERE id = NEW.run_id AND NEW.status NOT IN ('pending', 'skipped')
		ON CONFLICT DO UPDATE SET trial_id = excluded.trial_id
		WHERE (newest.trial_id IS NULL OR (SELECT (mine.started_ns, mine.id) >= (its.started_ns, its.id)
			FROM run AS mine, trial JOIN run AS its ON its.id = trial.run_id
			WHERE mine.id = NEW.run_id AND trial.id = newest.trial_id));
	UPDATE newest SET timed_trial_id = NEW.id
		WHERE (device_id, backend, origin) = (SELECT device_id, backend, coalesce(run.origin, '')
				FROM run WHERE id = NEW.run_id)
			AND kernel = NEW.kernel AND variant = NEW.variant AND config = NEW.config
			AND NEW.status IN ('ok', 'unverified') AND NEW.median_ns > 0 AND (newest.timed_trial_id IS NULL OR (SELECT (mine.started_ns, mine.id) >= (its.started_ns, its.id)
			FROM run AS mine, trial JOIN run AS its ON its.id = trial.run_id
			WHERE mine.id = NEW.run_id AND trial.id = newest.timed_trial_id));
END;
CREATE TRIGGER newest_of_updated AFTER UPDATE OF status, median_ns ON trial BEGIN
	INSERT INTO newest (device_id, backend, origin, kernel, variant, config, trial_id)
		SELECT device_id, backend, coalesce(run.origin, ''), NEW.kernel, NEW.variant, NEW.config, NEW.id
		FROM run WHERE id = NEW.run_id AND NEW.status NOT IN ('pending', 'skipped')
		ON CONFLICT DO UPDATE SET trial_id = excluded.trial_id
		WHERE (newest.trial_id IS NULL OR (SELECT (mine.started_ns, mine.id) >= (its.started_ns, its.id)
			FROM run AS mine, trial JOIN run AS its ON its.id = trial.run_id
			WHERE mine.id = NEW.run_id AND trial.id = newest.trial_id));
	UPDATE newest SET timed_trial_id = NEW.id
		WHERE (device_id, backend, origin) = (SELECT device_id, backend, coalesce(run.origin, '')
				FROM run WHERE id = NEW.run_id)
			AND kernel = NEW.kernel AND variant = NEW.variant AND config = NEW.config
			AND NEW.status IN ('ok', 'unverified') AND NEW.median_ns > 0 AND (newest.timed_trial_id IS NULL OR (SELECT (mine.started_ns, mine.id) >= (its.started_ns, its.id)
			FROM run AS mine, trial JOIN run AS its ON its.id = trial.run_id
			WHERE mine.id = NEW.run_id AND trial.id = newest.timed_trial_id));
END;
CREATE TRIGGER newest_of_taken_back AFTER UPDATE OF status, median_ns ON trial
WHEN OLD.status NOT IN ('pending', 'skipped') BEGIN
	UPDATE newest SET trial_id = (SELECT trial.id FROM trial JOIN run ON run.id = trial.run_id
		WHERE trial.kernel = newest.kernel AND trial.variant = newest.variant
			AND trial.config = newest.config AND run.device_id = newest.device_id
			AND run.backend = newest.backend AND coalesce(run.origin, '') = newest.origin
			AND trial.status NOT IN ('pending', 'skipped')
		ORDER BY run.started_ns DESC, run.id DESC LIMIT 1),
		timed_trial_id = (SELECT trial.id FROM trial JOIN run ON run.id = trial.run_id
		WHERE trial.kernel = newest.kernel AND trial.variant = newest.variant
			AND trial.config = newest.config AND run.device_id = newest.device_id
			AND run.backend = newest.backend AND coalesce(run.origin, '') = newest.origin
			AND trial.status IN ('ok', 'unverified') AND trial.median_ns > 0
		ORDER BY run.started_ns DESC, run.id DESC LIMIT 1)
		WHERE trial_id = OLD.id OR timed_trial_id = OLD.id;
	DELETE FROM newest WHERE trial_id IS NULL;
END;
CREATE TRIGGER newest_of_deleted AFTER DELETE ON trial BEGIN
	UPDATE newest SET trial_id = (SELECT trial.id FROM trial JOIN run ON run.id = trial.run_id
		WHERE trial.kernel = newest.kernel AND trial.variant = newest.variant
			AND trial.config = newest.config AND run.device_id = newest.device_id
			AND run.backend = newest.backend AND coalesce(run.origin, '') = newest.origin
			AND trial.status NOT IN ('pending', 'skipped')
		ORDER BY run.started_ns DESC, run.id DESC LIMIT 1),
		timed_trial_id = (SELECT trial.id FROM trial JOIN run ON run.id = trial.run_id
		WHERE trial.kernel = newest.kernel AND trial.variant = newest.variant
			AND trial.config = newest.config AND run.device_id = newest.device_id
			AND run.backend = newest.backend AND coalesce(run.origin, '') = newest.origin
			AND trial.status IN ('ok', 'unverified') AND trial.median_ns > 0
		ORDER BY run.started_ns DESC, run.id DESC LIMIT 1)
		WHERE trial_id = OLD.id OR timed_trial_id = OLD.id;
	DELETE FROM newest WHERE trial_id IS NULL;
END;
CREATE VIEW ceilings AS WITH named AS (
	SELECT trial.*, run.device_id, run.started_ns,
		CASE WHEN trial.variant GLOB 'tensor_*'
			THEN substr(trial.variant, 1, 6 + instr(substr(trial.variant, 8) || '_', '_'))
			ELSE substr(trial.variant, 1, instr(trial.variant || '_', '_') - 1)
		END AS name_of
	FROM trial JOIN run ON run.id = trial.run_id
	WHERE trial.kernel = 'ceilings' AND run.label = 'ceilings' AND trial.status = 'ok'
		AND run.origin IS NULL
		AND trial.median_ns > 0
), worked AS (
	SELECT *, 'bandwidth' AS kind, 'byte/s' AS unit, bytes_read + bytes_written AS work
	FROM named WHERE name_of IN ('dram', 'l2', 'l1', 'shared')
	UNION ALL SELECT *, 'rate', 'flop/s', flop
	FROM named WHERE name_of IN ('f64', 'f32', 'f16', 'bf16', 'tensor_f64', 'tensor_tf32',
		'tensor_f16', 'tensor_bf16', 'tensor_f8')
), ranked AS (
	SELECT *, row_number() OVER (PARTITION BY device_id, variant
		ORDER BY started_ns DESC, run_id DESC, work / median_ns DESC, id) AS place
	FROM worked WHERE work > 0
) SELECT
	ranked.device_id,
	device.name AS device,
	ranked.variant AS name,
	ranked.kind,
	ranked.name_of AS "of",
	ranked.work * 1e9 / ranked.median_ns AS per_s,
	ranked.work * 1e9 / ranked.high_ns AS low_per_s,
	ranked.work * 1e9 / ranked.low_ns AS high_per_s,
	ranked.unit,
	(SELECT avg(sm_clock_hz) FROM round WHERE trial_id = ranked.id) AS sm_clock_hz,
	ranked.config,
	strftime('%Y-%m-%dT%H:%M:%SZ', ranked.finished_ns / 1000000000, 'unixepoch')
		AS measured_at,
	ranked.run_id,
	ranked.id AS trial_id
FROM ranked JOIN device ON device.id = ranked.device_id WHERE place = 1;
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
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'achieved_occupancy_pct') AS achieved_occupancy_pct,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'branch_efficiency_pct') AS branch_efficiency_pct,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'threads_per_instruction') AS threads_per_instruction,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'dram_read_bytes') AS dram_read_bytes,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'dram_write_bytes') AS dram_write_bytes,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'dram_bytes_per_s') AS dram_bytes_per_s,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'dram_throughput_pct') AS dram_throughput_pct,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'flop_f32_f64') AS flop_f32_f64,
	run.timed,
	run.emulated,
	run.vendor,
	run.warp_size,
	run.cache,
	run.origin
FROM trial JOIN run ON run.id = trial.run_id JOIN device ON device.id = run.device_id;
CREATE VIEW regressions AS SELECT
	device.name AS device,
	newest.backend,
	newest.kernel,
	newest.variant,
	newest.config,
	comparison.verdict,
	100 * comparison.change AS change_pct,
	100 * comparison.low AS low_pct,
	100 * comparison.high AS high_pct,
	comparison.p,
	comparison.why,
	head.status,
	base.status AS base_status,
	head.median_ns,
	base.median_ns AS base_median_ns,
	strftime('%Y-%m-%dT%H:%M:%SZ', head_run.started_ns / 1000000000, 'unixepoch')
		AS started_at,
	strftime('%Y-%m-%dT%H:%M:%SZ', base_run.started_ns / 1000000000, 'unixepoch')
		AS base_started_at,
	head_run.source_revision,
	base_run.source_revision AS base_source_revision,
	head_run.label,
	base_run.label AS base_label,
	head.run_id,
	base.run_id AS base_run_id,
	comparison.trial_id,
	comparison.base_trial_id,
	head_run.origin
FROM newest JOIN comparison ON comparison.trial_id = newest.trial_id
JOIN trial AS head ON head.id = newest.trial_id
JOIN run AS head_run ON head_run.id = head.run_id
JOIN device ON device.id = newest.device_id
LEFT JOIN trial AS base ON base.id = comparison.base_trial_id
LEFT JOIN run AS base_run ON base_run.id = base.run_id;
CREATE VIEW history AS SELECT
	device.name AS device,
	run.backend,
	trial.kernel,
	trial.variant,
	trial.config,
	strftime('%Y-%m-%dT%H:%M:%SZ', run.started_ns / 1000000000, 'unixepoch')
		AS started_at,
	run.started_ns,
	run.source_revision,
	run.label,
	mark.kind AS mark,
	trial.status,
	trial.median_ns,
	trial.low_ns,
	trial.high_ns,
	comparison.verdict,
	100 * comparison.change AS change_pct,
	comparison.why,
	run.driver,
	trial.code_hash,
	run.device_id,
	trial.run_id,
	trial.id AS trial_id,
	run.origin
FROM trial JOIN run ON run.id = trial.run_id JOIN device ON device.id = run.device_id
LEFT JOIN mark ON mark.run_id = run.id
LEFT JOIN comparison ON comparison.trial_id = trial.id
WHERE trial.status NOT IN ('pending', 'skipped');
CREATE VIEW failures AS SELECT
	device.name AS device,
	run.backend,
	trial.kernel,
	trial.variant,
	trial.config,
	trial.status,
	trial.reason,
	EXISTS (SELECT * FROM newest WHERE newest.trial_id = trial.id) AS is_newest,
	strftime('%Y-%m-%dT%H:%M:%SZ', run.started_ns / 1000000000, 'unixepoch')
		AS started_at,
	run.started_ns,
	run.source_revision,
	run.label,
	trial.run_id,
	trial.id AS trial_id,
	run.origin
FROM trial JOIN run ON run.id = trial.run_id JOIN device ON device.id = run.device_id
WHERE trial.status NOT IN ('ok', 'sampled', 'unverified', 'skipped', 'pending');
CREATE VIEW speedups AS SELECT
	device.name AS device,
	run.backend,
	head.kernel,
	head.variant,
	head.config,
	speedup.base_variant,
	speedup.base_config,
	speedup.verdict,
	speedup.speedup,
	speedup.low,
	speedup.high,
	speedup.p,
	head.median_ns,
	speedup.base_median_ns,
	speedup.rounds,
	speedup.same_buffers,
	head.code_hash = base.code_hash AS same_code,
	speedup.why,
	head.status,
	base.status AS base_status,
	strftime('%Y-%m-%dT%H:%M:%SZ', run.started_ns / 1000000000, 'unixepoch') AS started_at,
	run.started_ns,
	run.label,
	head.run_id,
	speedup.trial_id,
	base.id AS base_trial_id,
	run.origin
FROM speedup JOIN trial AS head ON head.id = speedup.trial_id
JOIN run ON run.id = head.run_id JOIN device ON device.id = run.device_id
LEFT JOIN trial AS base ON base.run_id = head.run_id AND base.kernel = head.kernel
	AND base.variant = speedup.base_variant AND base.config = speedup.base_config;
CREATE VIEW program_kernels AS SELECT
	recording.id AS recording_id,
	strftime('%Y-%m-%dT%H:%M:%SZ', recording.started_ns / 1000000000, 'unixepoch')
		AS started_at,
	recording.started_ns,
	recording.label,
	recording.command,
	kernel.device,
	kernel.readable AS kernel,
	kernel.name,
	1.0 * sum(kernel.total_ns) / nullif(sum(sum(kernel.total_ns))
		OVER (PARTITION BY recording.id), 0) AS share,
	sum(kernel.total_ns) AS total_ns,
	sum(kernel.launches) AS launches,
	sum(kernel.graph_launches) AS graph_launches,
	CASE WHEN count(*) = 1 THEN max(kernel.median_ns) END AS median_ns,
	min(kernel.min_ns) AS min_ns,
	max(kernel.max_ns) AS max_ns,
	count(*) AS shapes
FROM recording JOIN recorded_kernel AS kernel ON kernel.recording_id = recording.id
WHERE recording.mode = 'list'
GROUP BY recording.id, kernel.name, kernel.uuid, kernel.device;
CREATE VIEW mine AS SELECT kernel, count(*) AS cases FROM trial GROUP BY kernel;
CREATE VIEW roofline AS WITH roofs AS (
	SELECT device_id,
		max(per_s) FILTER (WHERE "of" = 'dram') AS dram_roof,
		max(per_s) FILTER (WHERE "of" = 'l2') AS l2_roof,
		max(per_s) FILTER (WHERE "of" = 'l1') AS l1_roof,
		max(per_s) FILTER (WHERE "of" = 'shared') AS shared_roof
	FROM ceilings GROUP BY device_id
), rates AS (
	SELECT device_id, "of", max(per_s) AS per_s FROM ceilings WHERE kind = 'rate'
	GROUP BY device_id, "of"
), counted AS MATERIALIZED (
	SELECT trial.*, newest.device_id, newest.backend,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'dram_bytes') AS dram_bytes,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'l2_from_l1_bytes') AS l2_bytes,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'l1_bytes') AS l1_bytes,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'shared_bytes') AS shared_bytes,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'flop_f64') AS f64,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'flop_f32') AS f32,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'flop_tensor_f64') AS tensor_f64,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'flop_tensor_tf32') AS tensor_tf32,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'flop_tensor_f16') AS tensor_f16,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'flop_tensor_bf16') AS tensor_bf16,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'flop_tensor_f8') AS tensor_f8
	FROM newest JOIN trial ON trial.id = newest.timed_trial_id
), most AS MATERIALIZED (
	SELECT *, max(coalesce(f64, 0), coalesce(f32, 0), coalesce(tensor_f64, 0),
		coalesce(tensor_tf32, 0), coalesce(tensor_f16, 0), coalesce(tensor_bf16, 0),
		coalesce(tensor_f8, 0)) AS most_flop
	FROM counted
), told AS (
	SELECT *,
		CASE WHEN most_flop <= 0 THEN 'f32' WHEN f64 = most_flop THEN 'f64'
			WHEN f32 = most_flop THEN 'f32' WHEN tensor_f64 = most_flop THEN 'tensor_f64'
			WHEN tensor_tf32 = most_flop THEN 'tensor_tf32'
			WHEN tensor_f16 = most_flop THEN 'tensor_f16'
			WHEN tensor_bf16 = most_flop THEN 'tensor_bf16' ELSE 'tensor_f8' END AS precision,
		CASE WHEN most_flop > 0 THEN most_flop WHEN f64 = 0 AND f32 = 0 THEN 0.0 END AS counted_flop
	FROM most
), placed AS (
	SELECT told.id, told.run_id, told.status, told.device_id, told.backend, told.kernel, told.variant,
		told.config, told.median_ns, told.precision, told.counted_flop AS flop,
		told.bytes_read + told.bytes_written AS needed_bytes,
		told.dram_bytes, told.l2_bytes, told.l1_bytes, told.shared_bytes,
		dram_roof, l2_roof, l1_roof, shared_roof,
		rates.per_s AS flop_roof,
		100e9 * told.dram_bytes / told.median_ns / dram_roof AS dram_pct,
		100e9 * told.l2_bytes / told.median_ns / l2_roof AS l2_pct,
		100e9 * told.l1_bytes / told.median_ns / l1_roof AS l1_pct,
		100e9 * told.shared_bytes / told.median_ns / shared_roof AS shared_pct,
		100e9 * told.counted_flop / told.median_ns / rates.per_s AS flop_pct
	FROM told LEFT JOIN roofs ON roofs.device_id = told.device_id
	LEFT JOIN rates ON rates.device_id = told.device_id AND rates."of" = told.precision
) SELECT
	device.name AS device,
	placed.backend,
	placed.kernel,
	placed.variant,
	placed.config,
	placed.median_ns,
	placed.precision,
	placed.flop,
	placed.flop * 1e9 / placed.median_ns AS flop_per_s,
	placed.flop_roof AS roof_flop_per_s,
	placed.flop_pct,
	placed.dram_bytes,
	placed.flop / nullif(placed.dram_bytes, 0) AS dram_intensity,
	placed.dram_bytes * 1e9 / placed.median_ns AS dram_bytes_per_s,
	placed.dram_roof AS dram_roof_bytes_per_s,
	placed.dram_pct,
	placed.l2_bytes,
	placed.flop / nullif(placed.l2_bytes, 0) AS l2_intensity,
	placed.l2_bytes * 1e9 / placed.median_ns AS l2_bytes_per_s,
	placed.l2_roof AS l2_roof_bytes_per_s,
	placed.l2_pct,
	placed.l1_bytes,
	placed.flop / nullif(placed.l1_bytes, 0) AS l1_intensity,
	placed.l1_bytes * 1e9 / placed.median_ns AS l1_bytes_per_s,
	placed.l1_roof AS l1_roof_bytes_per_s,
	placed.l1_pct,
	placed.shared_bytes,
	placed.flop / nullif(placed.shared_bytes, 0) AS shared_intensity,
	placed.shared_bytes * 1e9 / placed.median_ns AS shared_bytes_per_s,
	placed.shared_roof AS shared_roof_bytes_per_s,
	placed.shared_pct,
	placed.needed_bytes,
	placed.dram_bytes / nullif(placed.needed_bytes, 0) AS waste,
	(SELECT name FROM (SELECT 'dram' AS name, placed.dram_pct AS pct
		UNION ALL SELECT 'l2', placed.l2_pct UNION ALL SELECT 'l1', placed.l1_pct
		UNION ALL SELECT 'shared', placed.shared_pct
		UNION ALL SELECT placed.precision, placed.flop_pct)
		WHERE pct > 0 ORDER BY pct DESC LIMIT 1) AS nearest_roof,
	placed.status,
	placed.run_id,
	placed.id AS trial_id
FROM placed JOIN device ON device.id = placed.device_id;
CREATE VIEW above_roof AS WITH candidate AS (
	SELECT newest.device_id, newest.backend, newest.origin,
		CASE timed.status WHEN 'ok' THEN timed.id ELSE coalesce(
			(SELECT trial.id FROM trial JOIN run ON run.id = trial.run_id
		WHERE trial.kernel = newest.kernel AND trial.variant = newest.variant
			AND trial.config = newest.config AND run.device_id = newest.device_id
			AND run.backend = newest.backend AND coalesce(run.origin, '') = newest.origin
			AND trial.status = 'ok' AND trial.median_ns > 0
		ORDER BY run.started_ns DESC, run.id DESC LIMIT 1), timed.id) END AS trial_id
	FROM newest JOIN trial AS timed ON timed.id = newest.timed_trial_id
), roofs AS (
	SELECT device_id, "of", max(per_s) AS per_s, high_per_s FROM ceilings GROUP BY device_id, "of"
	UNION ALL SELECT device_id, 'any rate', max(per_s), high_per_s
	FROM ceilings JOIN device ON device.id = device_id
	WHERE kind = 'rate' AND (device_id, CASE
			WHEN cc_major > 8 OR (cc_major = 8 AND cc_minor >= 9) THEN 'tensor_f8'
			WHEN cc_major >= 7 THEN 'tensor_f16' WHEN cc_major > 0 THEN 'f16' END)
		IN (SELECT device_id, "of" FROM ceilings)
	GROUP BY device_id
), judged AS (
	SELECT trial.*, device_id, backend, origin, cache, device.name AS device,
		CASE WHEN device.l2_bytes > 0 THEN device.l2_bytes END AS l2_size,
		(SELECT value FROM counters WHERE trial_id = trial.id AND metric = 'dram_bytes') AS dram_bytes,
		(SELECT value FROM counters WHERE trial_id = trial.id AND metric = 'l2_from_l1_bytes') AS l2_bytes,
		(SELECT value FROM counters WHERE trial_id = trial.id AND metric = 'l1_bytes') AS l1_bytes,
		(SELECT value FROM counters WHERE trial_id = trial.id AND metric = 'shared_bytes') AS shared_bytes
	FROM trial JOIN run ON run.id = trial.run_id JOIN device ON device.id = run.device_id
	WHERE trial.id IN (SELECT timed_trial_id FROM newest UNION SELECT trial_id FROM candidate)
), counted AS (
	SELECT id, substr(metric, 6) AS precision, value, row_number() OVER (PARTITION BY id
		ORDER BY value DESC, metric NOT GLOB 'flop_f64', metric GLOB 'flop_tensor_*') AS place,
		sum(value) OVER (PARTITION BY id) AS all_flop
	FROM judged JOIN counters ON trial_id = id
	WHERE value > 0 AND metric IN ('flop_f64', 'flop_f32', 'flop_tensor_f64', 'flop_tensor_tf32',
		'flop_tensor_f16', 'flop_tensor_bf16', 'flop_tensor_f8')
), modelled AS (
	SELECT id, substr(metric, 12) AS precision FROM judged
	JOIN counters ON trial_id = id AND metric GLOB 'model_flop_*' AND value > 0
	WHERE coalesce((SELECT max(all_flop) FROM counted WHERE counted.id = judged.id), 0)
		< 0.5 * judged.flop
), quantities AS (
	SELECT id, 'dram' AS quantity, 'dram' AS roof, dram_bytes AS amount FROM judged
	UNION ALL SELECT id, 'l2', 'l2', l2_bytes FROM judged
	UNION ALL SELECT id, 'l1', 'l1', l1_bytes FROM judged
	UNION ALL SELECT id, 'shared', 'shared', shared_bytes FROM judged
	UNION ALL SELECT id, precision, precision, value FROM counted WHERE place = 1
	UNION ALL SELECT id, 'model dram', 'dram', CASE WHEN cache = 'cold'
			THEN bytes_read + max(0, bytes_written - coalesce(l2_size, bytes_written))
			ELSE max(0, bytes_read + bytes_written - 2 * l2_size) END
		FROM judged WHERE kernel <> 'ceilings'
	UNION ALL SELECT id, 'model l2', 'l2', max(bytes_read, bytes_written)
		FROM judged WHERE kernel <> 'ceilings'
	UNION ALL SELECT judged.id, 'model flop', coalesce(modelled.precision, 'any rate'), judged.flop
		FROM judged LEFT JOIN modelled ON modelled.id = judged.id WHERE kernel <> 'ceilings'
) SELECT
	judged.device,
	judged.backend,
	judged.kernel,
	judged.variant,
	judged.config,
	quantity,
	amount * 1e9 / judged.median_ns AS per_s,
	amount * 1e9 / judged.high_ns AS low_per_s,
	roofs.per_s AS roof_per_s,
	roofs.high_per_s AS roof_high_per_s,
	judged.median_ns,
	judged.status,
	judged.origin,
	judged.run_id,
	judged.id AS trial_id
FROM quantities JOIN judged USING (id)
JOIN roofs ON roofs.device_id = judged.device_id AND roofs."of" = roof
WHERE amount > 0 AND CASE
	WHEN judged.high_ns > 0 AND roofs.high_per_s > 0
		THEN amount * 1e9 / judged.high_ns > 1.03 * roofs.high_per_s
	ELSE amount * 1e9 / judged.median_ns > 1.10 * roofs.per_s END;
CREATE VIEW counters AS SELECT
	counter.trial_id,
	metric.name AS metric,
	metric.unit,
	metric.source,
	counter.value,
	counter.reason,
	metric.name
FROM counter JOIN metric ON metric.id = counter.metric_id;
CREATE VIEW results AS WITH metric_head AS MATERIALIZED (
	SELECT id, '"' || metric.name || '":' AS head FROM metric
	WHERE metric.name NOT GLOB '*[^] -!#-[^-~]*'
)
SELECT
	run.id AS run_id,
	run.label,
	strftime('%Y-%m-%dT%H:%M:%SZ', run.started_ns / 1000000000, 'unixepoch') AS started_at,
	device.name AS device,
	run.backend,
	trial.kernel,
	trial.variant,
	trial.config,
	(SELECT value FROM axis WHERE trial_id = trial.id AND axis.name = 'block') AS block,
	(SELECT value FROM axis WHERE trial_id = trial.id AND axis.name = 'n') AS n,
	'{' || coalesce((SELECT group_concat(printf('"%s":%d', axis.name, axis.value)) FROM axis WHERE trial_id = trial.id AND axis.name NOT GLOB '*[^] -!#-[^-~]*'), '') || '}' AS axes,
	trial.status,
	trial.reason,
	CASE WHEN NOT EXISTS (SELECT 1 FROM environment
			WHERE run_id = run.id AND environment.key = 'imported_from')
		THEN CASE trial.status WHEN 'ok' THEN 1 WHEN 'unverified' THEN 0
			WHEN 'sampled' THEN 0 WHEN 'mismatch' THEN 0 END END AS verified,
	trial.status NOT IN ('ok', 'sampled', 'unverified', 'skipped', 'pending') AS failed,
	trial.id IN (SELECT newest.trial_id FROM newest) AS is_newest,
	trial.id IN (SELECT best.trial_id FROM best) AS is_best,
	CASE WHEN trial.status IN ('ok', 'unverified') THEN trial.median_ns END AS median_ns,
	CASE WHEN trial.status IN ('ok', 'unverified') THEN trial.low_ns END AS low_ns,
	CASE WHEN trial.status IN ('ok', 'unverified') THEN trial.high_ns END AS high_ns,
	CASE WHEN trial.status IN ('ok', 'unverified') THEN trial.mad_ns END AS mad_ns,
	CASE WHEN trial.status IN ('ok', 'unverified') THEN trial.min_ns END AS min_ns,
	CASE WHEN trial.status IN ('ok', 'unverified') THEN trial.max_ns END AS max_ns,
	trial.mean_ns,
	trial.sample_count,
	CASE WHEN NOT limiter.from_model THEN limiter.limiter END AS limiter,
	CASE WHEN NOT limiter.from_model THEN limiter.roof_pct END AS limiter_pct,
	CASE WHEN limiter.trial_id IS NOT NULL THEN limiter.summary
		WHEN trial.status NOT IN ('ok', 'unverified', 'sampled')
			THEN 'not judged: the case is ' || trial.status
		ELSE 'not judged yet: perflab judges it when it next stores a run' END AS summary,
	limiter.advice,
	limiter.notes,
	limiter.above_roof,
	limiter.dram_pct,
	limiter.l2_pct,
	limiter.l1_pct,
	limiter.shared_pct,
	limiter.compute_pct,
	limiter.precision,
	limiter.flop AS counted_flop,
	limiter.flop * 1e9 / trial.median_ns AS counted_flop_per_s,
	limiter.flop / nullif(CASE WHEN NOT run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND metric_id IN (SELECT id FROM metric WHERE metric.name = 'dram_bytes')) END, 0) AS dram_intensity,
	(SELECT roof FROM (SELECT 'dram' AS roof, limiter.dram_pct AS pct
		UNION ALL SELECT 'l2', limiter.l2_pct UNION ALL SELECT 'l1', limiter.l1_pct
		UNION ALL SELECT 'shared', limiter.shared_pct
		UNION ALL SELECT limiter.precision, limiter.compute_pct)
		WHERE pct > 0 ORDER BY pct DESC LIMIT 1) AS nearest_roof,
	judgement.roofs_run_id,
	judgement.rules,
	trial.theoretical_occupancy_pct,
	trial.occupancy_limiter,
	trial.registers_per_thread,
	trial.local_bytes_per_thread,
	trial.shared_static_bytes + trial.shared_dynamic_bytes AS shared_bytes_per_block,
	trial.code_hash,
	CASE WHEN NOT run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND metric_id IN (SELECT id FROM metric WHERE metric.name = 'achieved_occupancy_pct')) END AS achieved_occupancy_pct,
	CASE WHEN NOT run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND metric_id IN (SELECT id FROM metric WHERE metric.name = 'branch_efficiency_pct')) END AS branch_efficiency_pct,
	CASE WHEN NOT run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND metric_id IN (SELECT id FROM metric WHERE metric.name = 'threads_per_instruction')) END AS threads_per_instruction,
	CASE WHEN NOT run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND metric_id IN (SELECT id FROM metric WHERE metric.name = 'instructions')) END AS instructions,
	CASE WHEN NOT run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND metric_id IN (SELECT id FROM metric WHERE metric.name = 'dram_bytes_per_s')) END AS dram_bytes_per_s,
	CASE WHEN NOT run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND metric_id IN (SELECT id FROM metric WHERE metric.name = 'dram_throughput_pct')) END AS dram_throughput_pct,
	CASE WHEN NOT run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND metric_id IN (SELECT id FROM metric WHERE metric.name = 'dram_bytes')) END AS dram_bytes,
	CASE WHEN NOT run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND metric_id IN (SELECT id FROM metric WHERE metric.name = 'dram_read_bytes')) END AS dram_read_bytes,
	CASE WHEN NOT run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND metric_id IN (SELECT id FROM metric WHERE metric.name = 'dram_write_bytes')) END AS dram_write_bytes,
	CASE WHEN NOT run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND metric_id IN (SELECT id FROM metric WHERE metric.name = 'l2_from_l1_bytes')) END AS l2_from_l1_bytes,
	CASE WHEN NOT run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND metric_id IN (SELECT id FROM metric WHERE metric.name = 'l1_bytes')) END AS l1_bytes,
	CASE WHEN NOT run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND metric_id IN (SELECT id FROM metric WHERE metric.name = 'shared_bytes')) END AS shared_bytes,
	(CASE WHEN NOT run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND metric_id IN (SELECT id FROM metric WHERE metric.name = 'shared_load_bank_conflicts')) END)
		+ (CASE WHEN NOT run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND metric_id IN (SELECT id FROM metric WHERE metric.name = 'shared_store_bank_conflicts')) END) AS bank_conflicts,
	100.0 * ((CASE WHEN NOT run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND metric_id IN (SELECT id FROM metric WHERE metric.name = 'shared_load_bank_conflicts')) END)
		+ (CASE WHEN NOT run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND metric_id IN (SELECT id FROM metric WHERE metric.name = 'shared_store_bank_conflicts')) END))
		/ nullif((CASE WHEN NOT run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND metric_id IN (SELECT id FROM metric WHERE metric.name = 'shared_load_wavefronts')) END)
		+ (CASE WHEN NOT run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND metric_id IN (SELECT id FROM metric WHERE metric.name = 'shared_store_wavefronts')) END), 0) AS bank_conflict_pct,
	CASE WHEN NOT run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND metric_id IN (SELECT id FROM metric WHERE metric.name = 'global_load_sectors_per_request')) END AS global_load_sectors_per_request,
	CASE WHEN NOT run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND metric_id IN (SELECT id FROM metric WHERE metric.name = 'global_store_sectors_per_request')) END AS global_store_sectors_per_request,
	CASE WHEN run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND +metric_id IN (SELECT id FROM metric WHERE metric.name = 'ptx_branch_efficiency_pct')) END AS ptx_branch_efficiency_pct,
	CASE WHEN run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND +metric_id IN (SELECT id FROM metric WHERE metric.name = 'ptx_warp_execution_efficiency_pct')) END AS ptx_warp_execution_efficiency_pct,
	CASE WHEN run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND +metric_id IN (SELECT id FROM metric WHERE metric.name = 'ptx_load_sectors_per_request')) END AS ptx_load_sectors_per_request,
	CASE WHEN run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND +metric_id IN (SELECT id FROM metric WHERE metric.name = 'ptx_store_sectors_per_request')) END AS ptx_store_sectors_per_request,
	CASE WHEN run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND +metric_id IN (SELECT id FROM metric WHERE metric.name = 'ptx_shared_bank_conflicts')) END AS ptx_shared_bank_conflicts,
	100.0 * (CASE WHEN run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND +metric_id IN (SELECT id FROM metric WHERE metric.name = 'ptx_shared_bank_conflicts')) END)
		/ nullif((CASE WHEN run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND +metric_id IN (SELECT id FROM metric WHERE metric.name = 'ptx_shared_load_wavefronts')) END)
		+ (CASE WHEN run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND +metric_id IN (SELECT id FROM metric WHERE metric.name = 'ptx_shared_store_wavefronts')) END), 0) AS ptx_bank_conflict_pct,
	CASE WHEN run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND +metric_id IN (SELECT id FROM metric WHERE metric.name = 'ptx_warp_instructions')) END AS ptx_warp_instructions,
	CASE WHEN run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND +metric_id IN (SELECT id FROM metric WHERE metric.name = 'ptx_compulsory_bytes')) END AS ptx_compulsory_bytes,
	'{' || coalesce((SELECT group_concat(head || counter.value) FROM counter JOIN metric_head ON metric_head.id = counter.metric_id
		WHERE counter.trial_id = trial.id AND abs(counter.value) < 9e999), '') || '}' AS counters,
	CASE WHEN limiter.from_model THEN limiter.limiter END AS model_limiter,
	CASE WHEN limiter.from_model THEN limiter.roof_pct END AS model_limiter_pct,
	limiter.model_precision,
	limiter.model_compute_pct,
	trial.flop AS model_flop,
	trial.bytes_read + trial.bytes_written AS model_bytes,
	trial.flop * 1e9 / CASE WHEN trial.status IN ('ok', 'unverified') THEN trial.median_ns END AS model_flop_per_s,
	(trial.bytes_read + trial.bytes_written) * 1e9 / CASE WHEN trial.status IN ('ok', 'unverified') THEN trial.median_ns END
		AS model_bytes_per_s,
	comparison.verdict AS change,
	100 * comparison.change AS change_pct,
	100 * comparison.low AS change_low_pct,
	100 * comparison.high AS change_high_pct,
	comparison.why AS change_why,
	base.run_id AS base_run_id,
	base.median_ns AS base_median_ns,
	speedup.base_variant,
	speedup.speedup,
	speedup.low AS speedup_low,
	speedup.high AS speedup_high,
	speedup.verdict AS speedup_verdict,
	run.driver,
	run.cuda_driver,
	run.toolkit,
	(SELECT value FROM environment WHERE run_id = run.id AND environment.key = 'host') AS host,
	(SELECT value FROM environment WHERE run_id = run.id AND environment.key = 'gpu.persistence_mode') AS persistence_mode,
	(SELECT value FROM environment WHERE run_id = run.id AND environment.key = 'gpu.ecc') AS ecc,
	CAST((SELECT value FROM environment WHERE run_id = run.id AND environment.key = 'gpu.power_limit_w') AS REAL) AS power_limit_w,
	(SELECT avg(sm_clock_hz) FROM round WHERE trial_id = trial.id) AS sm_clock_hz,
	(SELECT avg(memory_clock_hz) FROM round WHERE trial_id = trial.id) AS memory_clock_hz,
	(SELECT max(temperature_c) FROM round WHERE trial_id = trial.id) AS temperature_c,
	(SELECT avg(power_w) FROM round WHERE trial_id = trial.id) AS power_w,
	(SELECT sum(throttle_reasons <> 0) FROM round WHERE trial_id = trial.id) AS throttled_rounds,
	'{' || coalesce((SELECT group_concat(CASE WHEN (environment.key || environment.value) NOT GLOB '*[^] -!#-[^-~]*' THEN printf('"%s":"%s"', environment.key, environment.value)
	WHEN environment.key || environment.value NOT GLOB '*[' || char(1) || '-' || char(8) || char(11)
		|| char(12) || char(14) || '-' || char(31) || ']*'
	THEN '"' || replace(replace(replace(replace(replace(environment.key, '\', '\\'),
		'"', '\"'), char(10), '\n'), char(13), '\r'), char(9), '\t') || '":"'
		|| replace(replace(replace(replace(replace(environment.value, '\', '\\'),
		'"', '\"'), char(10), '\n'), char(13), '\r'), char(9), '\t') || '"' END) FROM environment WHERE run_id = run.id), '') || '}' AS environment,
	run.cache,
	run.timed,
	run.emulated,
	(SELECT kind FROM mark WHERE mark.run_id = run.id) AS mark,
	run.source_revision,
	run.origin,
	run.version,
	run.started_ns,
	trial.id AS trial_id
FROM trial JOIN run ON run.id = trial.run_id JOIN device ON device.id = run.device_id
LEFT JOIN limiter ON limiter.trial_id = trial.id
LEFT JOIN judgement ON judgement.run_id = run.id
LEFT JOIN comparison ON comparison.trial_id = trial.id
LEFT JOIN trial AS base ON base.id = comparison.base_trial_id
LEFT JOIN speedup ON speedup.trial_id = trial.id;
CREATE VIEW result_counters AS SELECT
	run.id AS run_id,
	run.label,
	strftime('%Y-%m-%dT%H:%M:%SZ', run.started_ns / 1000000000, 'unixepoch') AS started_at,
	device.name AS device,
	run.backend,
	trial.kernel,
	trial.variant,
	trial.config,
	(SELECT value FROM axis WHERE trial_id = trial.id AND axis.name = 'block') AS block,
	(SELECT value FROM axis WHERE trial_id = trial.id AND axis.name = 'n') AS n,
	trial.status,
	trial.id IN (SELECT newest.trial_id FROM newest) AS is_newest,
	metric.name,
	counter.value,
	metric.unit,
	counter.reason,
	metric.source,
	run.origin,
	run.started_ns,
	trial.id AS trial_id
FROM counter JOIN metric ON metric.id = counter.metric_id
JOIN trial ON trial.id = counter.trial_id JOIN run ON run.id = trial.run_id
JOIN device ON device.id = run.device_id;
CREATE VIEW result_rounds AS SELECT
	run.id AS run_id,
	run.label,
	strftime('%Y-%m-%dT%H:%M:%SZ', run.started_ns / 1000000000, 'unixepoch') AS started_at,
	device.name AS device,
	run.backend,
	trial.kernel,
	trial.variant,
	trial.config,
	(SELECT value FROM axis WHERE trial_id = trial.id AND axis.name = 'block') AS block,
	(SELECT value FROM axis WHERE trial_id = trial.id AND axis.name = 'n') AS n,
	trial.status,
	trial.id IN (SELECT newest.trial_id FROM newest) AS is_newest,
	round.round,
	round.median_ns,
	round.sm_clock_hz,
	round.memory_clock_hz,
	round.temperature_c,
	round.power_w,
	round.throttle_reasons,
	round.speedup,
	run.origin,
	run.started_ns,
	trial.id AS trial_id
FROM round JOIN trial ON trial.id = round.trial_id JOIN run ON run.id = trial.run_id
JOIN device ON device.id = run.device_id;
CREATE VIEW result_samples AS SELECT
	run.id AS run_id,
	run.label,
	strftime('%Y-%m-%dT%H:%M:%SZ', run.started_ns / 1000000000, 'unixepoch') AS started_at,
	device.name AS device,
	run.backend,
	trial.kernel,
	trial.variant,
	trial.config,
	(SELECT value FROM axis WHERE trial_id = trial.id AND axis.name = 'block') AS block,
	(SELECT value FROM axis WHERE trial_id = trial.id AND axis.name = 'n') AS n,
	trial.status,
	trial.id IN (SELECT newest.trial_id FROM newest) AS is_newest,
	sample.round,
	sample.sequence,
	sample.time_ns,
	sample.base_ns,
	run.origin,
	run.started_ns,
	trial.id AS trial_id
FROM sample JOIN trial ON trial.id = sample.trial_id JOIN run ON run.id = trial.run_id
JOIN device ON device.id = run.device_id;
CREATE VIEW result_lines AS SELECT
	run.id AS run_id,
	run.label,
	strftime('%Y-%m-%dT%H:%M:%SZ', run.started_ns / 1000000000, 'unixepoch') AS started_at,
	device.name AS device,
	run.backend,
	trial.kernel,
	trial.variant,
	trial.config,
	(SELECT value FROM axis WHERE trial_id = trial.id AND axis.name = 'block') AS block,
	(SELECT value FROM axis WHERE trial_id = trial.id AND axis.name = 'n') AS n,
	trial.status,
	trial.id IN (SELECT newest.trial_id FROM newest) AS is_newest,
	line.file,
	line.line,
	line.instructions,
	line.branches,
	line.divergent,
	line.requests,
	line.sectors,
	1.0 * line.sectors / nullif(line.requests, 0) AS sectors_per_request,
	line.shared_requests,
	line.wavefronts,
	line.conflicts,
	run.origin,
	run.started_ns,
	trial.id AS trial_id
FROM line JOIN trial ON trial.id = line.trial_id JOIN run ON run.id = trial.run_id
JOIN device ON device.id = run.device_id;
CREATE VIEW run_times AS SELECT
	run.id AS run_id,
	run.label,
	strftime('%Y-%m-%dT%H:%M:%SZ', run.started_ns / 1000000000, 'unixepoch') AS started_at,
	device.name AS device,
	run.backend,
	run_part.part,
	sum(run_part.wall_ns) / 1e9 AS seconds,
	100.0 * sum(run_part.wall_ns) / nullif((SELECT sum(every.wall_ns)
		FROM run_part AS every WHERE every.run_id = run.id), 0) AS wall_pct,
	run.started_ns
FROM run_part JOIN run ON run.id = run_part.run_id JOIN device ON device.id = run.device_id
GROUP BY run.id, run_part.part;
CREATE VIEW gpu_nights AS WITH night_run AS MATERIALIZED (
	SELECT run.id, device.name, device.uuid, run.device_ordinal,
		date(run.started_ns / 1000000000 - 43200, 'unixepoch') AS night,
		device.name || char(10) || coalesce(device.cc_major, '')
			|| char(10) || coalesce(device.cc_minor, '')
			|| char(10) || coalesce(device.sm_count, '') || char(10) || run.backend
			|| char(10) || coalesce(run.origin, '')
			|| char(10) || coalesce(run.cache, '') AS context
	FROM run JOIN device ON device.id = run.device_id
	WHERE run.state = 'finished' AND coalesce(run.timed, 1) AND NOT coalesce(run.emulated, 0)
		AND device.uuid IS NOT NULL AND NOT (run.label IS 'ceilings' AND run.origin IS NULL)
), timed AS MATERIALIZED (
	SELECT own.id AS run_id, own.uuid, own.night, trial.median_ns,
		own.context || char(10) || trial.kernel || char(10) || trial.variant
			|| char(10) || trial.config || char(10) || trial.code_hash
			|| char(10) || coalesce(trial.launch_hash, '') AS work
	FROM night_run AS own JOIN trial ON trial.run_id = own.id
	WHERE trial.status IN ('ok', 'unverified') AND trial.median_ns > 0
		AND trial.median_ns < 9e999
		AND trial.code_hash IS NOT NULL
), counted AS MATERIALIZED (
	SELECT night, work, count(*) AS count, count(DISTINCT uuid) AS gpus
	FROM timed GROUP BY night, work
), placed AS (
	SELECT night, work, median_ns,
		row_number() OVER (PARTITION BY night, work ORDER BY median_ns) AS place
	FROM timed
), middle AS MATERIALIZED (
	SELECT placed.night, placed.work, avg(placed.median_ns) AS median_ns
	FROM placed JOIN counted ON counted.night = placed.night AND counted.work = placed.work
	WHERE placed.place IN ((counted.count + 1) / 2, (counted.count + 2) / 2)
		AND counted.gpus >= 3
	GROUP BY placed.night, placed.work
), run_time AS MATERIALIZED (
	SELECT timed.run_id, count(*) AS cases, count(middle.median_ns) AS compared,
		sum(timed.median_ns / middle.median_ns) AS ratios
	FROM timed LEFT JOIN middle ON middle.night = timed.night AND middle.work = timed.work
	GROUP BY timed.run_id
), run_state AS MATERIALIZED (
	SELECT trial.run_id,
		avg(iif(round.sm_clock_hz > 0 AND round.sm_clock_hz < 9e999,
			round.sm_clock_hz, NULL)) AS sm_clock_hz,
		avg(iif(round.memory_clock_hz > 0 AND round.memory_clock_hz < 9e999,
			round.memory_clock_hz, NULL)) AS memory_clock_hz,
		avg(iif(round.power_w > 0 AND round.power_w < 9e999, round.power_w, NULL))
			AS power_w,
		avg(iif(abs(round.temperature_c) < 9e999, round.temperature_c, NULL))
			AS temperature_c
	FROM trial JOIN round ON round.trial_id = trial.id GROUP BY trial.run_id
), night_of_gpu AS (
	SELECT own.name, own.uuid, own.device_ordinal, own.night, max(own.id) AS run_id,
		count(*) AS runs, sum(run_time.cases) AS cases, sum(run_time.compared) AS compared,
		sum(run_time.ratios) AS ratios, avg(run_state.sm_clock_hz) AS sm_clock_hz,
		avg(run_state.memory_clock_hz) AS memory_clock_hz, avg(run_state.power_w) AS power_w,
		avg(run_state.temperature_c) AS temperature_c
	FROM night_run AS own LEFT JOIN run_time ON run_time.run_id = own.id
	LEFT JOIN run_state ON run_state.run_id = own.id
	GROUP BY own.uuid, own.night
) SELECT
	name AS device,
	uuid,
	(SELECT value FROM environment WHERE environment.run_id = night_of_gpu.run_id
		AND key = 'host') AS host,
	device_ordinal,
	night,
	runs,
	coalesce(cases, 0) AS cases,
	coalesce(compared, 0) AS compared_cases,
	ratios / compared AS time_ratio,
	sm_clock_hz,
	memory_clock_hz,
	power_w,
	temperature_c,
	run_id
FROM night_of_gpu;
CREATE VIEW environment_changes AS WITH told AS (
	SELECT run_id, key, value FROM environment
	WHERE key NOT IN ('process', 'gpu.temperature_c', 'counter_passes', 'shards', 'sweep',
		'sweep_uid', 'sweep_cases', 'source_path', 'perflab_revision', 'worker.waited')
		AND key NOT GLOB 'source.*' AND key NOT GLOB 'files.*' AND key NOT GLOB 'decide.*'
		AND key NOT IN ('gpus.group', 'gpus.failed') AND key NOT GLOB 'gpus.interference*'
		AND key NOT GLOB 'gpus.absent.*' AND key NOT GLOB 'gpus.lost.*'
	UNION ALL SELECT id, 'driver', driver FROM run WHERE driver IS NOT NULL
	UNION ALL SELECT id, 'cuda_driver', cuda_driver FROM run WHERE cuda_driver IS NOT NULL
	UNION ALL SELECT id, 'toolkit', toolkit FROM run WHERE toolkit IS NOT NULL
	UNION ALL SELECT id, 'cupti', cupti FROM run WHERE cupti IS NOT NULL
	UNION ALL SELECT id, 'version', version FROM run WHERE version IS NOT NULL
), followed AS (
	SELECT *, lag(id) OVER (PARTITION BY device_id, backend ORDER BY started_ns, id)
		AS previous_id
	FROM run
), changed AS (
	SELECT followed.id, told.key, before.value AS was, told.value AS became
	FROM followed JOIN told ON told.run_id = followed.id
	LEFT JOIN told AS before ON before.run_id = followed.previous_id AND before.key = told.key
	WHERE followed.previous_id IS NOT NULL AND before.value IS NOT told.value
	UNION ALL SELECT followed.id, before.key, before.value, NULL
	FROM followed JOIN told AS before ON before.run_id = followed.previous_id
	LEFT JOIN told ON told.run_id = followed.id AND told.key = before.key
	WHERE told.key IS NULL
) SELECT
	device.name AS device,
	followed.backend,
	strftime('%Y-%m-%dT%H:%M:%SZ', followed.started_ns / 1000000000, 'unixepoch')
		AS started_at,
	followed.started_ns,
	followed.label,
	changed.key,
	changed.was,
	changed.became,
	followed.id AS run_id,
	followed.previous_id AS previous_run_id
FROM changed JOIN followed ON followed.id = changed.id
JOIN device ON device.id = followed.device_id;
CREATE VIEW best AS WITH candidate AS (
	SELECT newest.device_id, newest.backend, newest.origin,
		CASE timed.status WHEN 'ok' THEN timed.id ELSE coalesce(
			(SELECT trial.id FROM trial JOIN run ON run.id = trial.run_id
		WHERE trial.kernel = newest.kernel AND trial.variant = newest.variant
			AND trial.config = newest.config AND run.device_id = newest.device_id
			AND run.backend = newest.backend AND coalesce(run.origin, '') = newest.origin
			AND trial.status = 'ok' AND trial.median_ns > 0
		ORDER BY run.started_ns DESC, run.id DESC LIMIT 1), timed.id) END AS trial_id
	FROM newest JOIN trial AS timed ON timed.id = newest.timed_trial_id
), sized AS (
	SELECT trial.*, candidate.device_id, candidate.backend, candidate.origin, size.value AS n,
		block.value AS block, coalesce(replace(',' || trial.config || ',',
			',block=' || block.value || ',', ','), ',' || trial.config || ',') AS problem
	FROM candidate JOIN trial ON trial.id = candidate.trial_id
	LEFT JOIN axis AS size ON size.trial_id = trial.id AND size.name = 'n'
	LEFT JOIN axis AS block ON block.trial_id = trial.id AND block.name = 'block'
	WHERE candidate.trial_id NOT IN (SELECT trial_id FROM above_roof)
), worked AS (
	SELECT *, first_value(flop) OVER most AS most_flop,
		first_value(bytes_read) OVER most AS most_read,
		first_value(bytes_written) OVER most AS most_written
	FROM sized WINDOW most AS (
		PARTITION BY device_id, backend, origin, kernel, variant, problem
		ORDER BY bytes_read + bytes_written DESC, flop DESC)
), ranked AS (
	SELECT *, row_number() OVER (
		PARTITION BY device_id, backend, origin, kernel, n, most_flop, most_read, most_written,
			CASE WHEN most_flop IS NULL THEN problem END
		ORDER BY status <> 'ok', median_ns, id) AS place
	FROM worked
) SELECT
	device.name AS device,
	ranked.backend,
	ranked.kernel,
	ranked.n,
	ranked.variant,
	ranked.config,
	ranked.block,
	ranked.median_ns,
	ranked.low_ns,
	ranked.high_ns,
	ranked.flop * 1e9 / ranked.median_ns AS flop_per_s,
	(ranked.bytes_read + ranked.bytes_written) * 1e9 / ranked.median_ns AS bytes_per_s,
	ranked.status,
	nullif(ranked.origin, '') AS origin,
	ranked.run_id,
	ranked.id AS trial_id
FROM ranked JOIN device ON device.id = ranked.device_id WHERE place = 1;
COMMIT;
