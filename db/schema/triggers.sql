-- The triggers that maintain `newest`. A trial that has ended becomes the newest of its case,
-- unless a newer run has another. When one is gone or taken back, the newest of the others takes
-- its place.

CREATE TRIGGER newest_of_inserted AFTER INSERT ON trial WHEN NEW.status NOT IN ('pending',
	'skipped') BEGIN
	INSERT INTO newest (device_id, backend, origin, kernel, variant, config, trial_id)
		SELECT device_id, backend, coalesce(run.origin, ''), NEW.kernel,
			NEW.variant, NEW.config, NEW.id
		FROM run WHERE id = NEW.run_id AND NEW.status NOT IN ('pending', 'skipped')
		ON CONFLICT DO UPDATE SET trial_id = excluded.trial_id
		WHERE (newest.trial_id IS NULL OR (SELECT (mine.started_ns,
			mine.id) >= (its.started_ns, its.id)
			FROM run AS mine, trial JOIN run AS its ON its.id = trial.run_id
			WHERE mine.id = NEW.run_id AND trial.id = newest.trial_id));
	UPDATE newest SET timed_trial_id = NEW.id
		WHERE (device_id, backend, origin) = (SELECT device_id, backend,
			coalesce(run.origin, '')
				FROM run WHERE id = NEW.run_id)
			AND kernel = NEW.kernel AND variant = NEW.variant AND config = NEW.config
			AND NEW.status IN ('ok', 'unverified') AND NEW.median_ns > 0
				AND (newest.timed_trial_id IS NULL OR (SELECT (mine.started_ns,
					mine.id) >= (its.started_ns, its.id)
			FROM run AS mine, trial JOIN run AS its ON its.id = trial.run_id
			WHERE mine.id = NEW.run_id AND trial.id = newest.timed_trial_id));
END;

CREATE TRIGGER newest_of_updated AFTER UPDATE OF status, median_ns ON trial BEGIN
	INSERT INTO newest (device_id, backend, origin, kernel, variant, config, trial_id)
		SELECT device_id, backend, coalesce(run.origin, ''), NEW.kernel,
			NEW.variant, NEW.config, NEW.id
		FROM run WHERE id = NEW.run_id AND NEW.status NOT IN ('pending', 'skipped')
		ON CONFLICT DO UPDATE SET trial_id = excluded.trial_id
		WHERE (newest.trial_id IS NULL OR (SELECT (mine.started_ns,
			mine.id) >= (its.started_ns, its.id)
			FROM run AS mine, trial JOIN run AS its ON its.id = trial.run_id
			WHERE mine.id = NEW.run_id AND trial.id = newest.trial_id));
	UPDATE newest SET timed_trial_id = NEW.id
		WHERE (device_id, backend, origin) = (SELECT device_id, backend,
			coalesce(run.origin, '')
				FROM run WHERE id = NEW.run_id)
			AND kernel = NEW.kernel AND variant = NEW.variant AND config = NEW.config
			AND NEW.status IN ('ok', 'unverified') AND NEW.median_ns > 0
				AND (newest.timed_trial_id IS NULL OR (SELECT (mine.started_ns,
					mine.id) >= (its.started_ns, its.id)
			FROM run AS mine, trial JOIN run AS its ON its.id = trial.run_id
			WHERE mine.id = NEW.run_id AND trial.id = newest.timed_trial_id));
END;

CREATE TRIGGER newest_of_taken_back AFTER UPDATE OF status, median_ns ON trial
WHEN OLD.status NOT IN ('pending', 'skipped') BEGIN
	UPDATE newest SET trial_id = (SELECT trial.id FROM trial JOIN run ON run.id = trial.run_id
		WHERE trial.kernel = newest.kernel AND trial.variant = newest.variant
			AND trial.config = newest.config AND run.device_id = newest.device_id
			AND run.backend = newest.backend
				AND coalesce(run.origin, '') = newest.origin
			AND trial.status NOT IN ('pending', 'skipped')
		ORDER BY run.started_ns DESC, run.id DESC LIMIT 1),
		timed_trial_id = (SELECT trial.id FROM trial JOIN run ON run.id = trial.run_id
		WHERE trial.kernel = newest.kernel AND trial.variant = newest.variant
			AND trial.config = newest.config AND run.device_id = newest.device_id
			AND run.backend = newest.backend
				AND coalesce(run.origin, '') = newest.origin
			AND trial.status IN ('ok', 'unverified') AND trial.median_ns > 0
		ORDER BY run.started_ns DESC, run.id DESC LIMIT 1)
		WHERE trial_id = OLD.id OR timed_trial_id = OLD.id;
	DELETE FROM newest WHERE trial_id IS NULL;
END;

CREATE TRIGGER newest_of_deleted AFTER DELETE ON trial BEGIN
	UPDATE newest SET trial_id = (SELECT trial.id FROM trial JOIN run ON run.id = trial.run_id
		WHERE trial.kernel = newest.kernel AND trial.variant = newest.variant
			AND trial.config = newest.config AND run.device_id = newest.device_id
			AND run.backend = newest.backend
				AND coalesce(run.origin, '') = newest.origin
			AND trial.status NOT IN ('pending', 'skipped')
		ORDER BY run.started_ns DESC, run.id DESC LIMIT 1),
		timed_trial_id = (SELECT trial.id FROM trial JOIN run ON run.id = trial.run_id
		WHERE trial.kernel = newest.kernel AND trial.variant = newest.variant
			AND trial.config = newest.config AND run.device_id = newest.device_id
			AND run.backend = newest.backend
				AND coalesce(run.origin, '') = newest.origin
			AND trial.status IN ('ok', 'unverified') AND trial.median_ns > 0
		ORDER BY run.started_ns DESC, run.id DESC LIMIT 1)
		WHERE trial_id = OLD.id OR timed_trial_id = OLD.id;
	DELETE FROM newest WHERE trial_id IS NULL;
END;
