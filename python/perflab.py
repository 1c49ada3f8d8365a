"""Reads the database of perflab.

    import perflab
    with perflab.open("perflab.db") as db:
        cases = db.cases("last")
    print(cases[0]["kernel"], cases[0]["median_ns"])

This file needs nothing but Python 3.8 or newer: install it with pip, or copy it.

Every function returns Rows: a list of dictionaries, which pandas and polars take as it is.

    pandas.DataFrame(cases)
    polars.DataFrame(cases.by_column())

- None means: not measured, or not known. It is never 0.
- Names that begin with `model_` come from the work model. Names that begin with `ptx_` are counts
  of the emulator. Both are no measurements.
- Units end the name: _ns, _bytes, _hz, _pct, _per_s. docs/schema.md explains every column.

The module never changes what a file holds, and it reads the files of other people: it runs no
statement that writes, and no code that a file brings.
"""
import difflib
import os
import sqlite3
import urllib.parse

__all__ = ["Database", "Error", "Rows", "open"]
__version__ = "1.0.0"

# The versions of the schema (PRAGMA user_version) that this module reads.
SCHEMA_OLDEST = 22
SCHEMA_NEWEST = 100
APPLICATION_ID = 1886151010  # "plab"

# Columns of `results` that hold JSON. cases() and counters() give their contents as columns and rows.
JSON_COLUMNS = ("axes", "counters", "environment")
# The columns of runs(), in SQL.
RUN_COLUMNS = (
    ("run_id", "run", "id"), ("uid", "run", "uid"), ("label", "run", "label"),
    ("note", "run", "note"), ("state", "run", "state"), ("started_ns", "run", "started_ns"),
    ("finished_ns", "run", "finished_ns"), ("backend", "run", "backend"),
    ("device", "device", "name"), ("device_uuid", "device", "uuid"), ("driver", "run", "driver"),
    ("version", "run", "version"), ("source_revision", "run", "source_revision"),
    ("origin", "run", "origin"), ("command", "run", "command"), ("timed", "run", "timed"),
    ("emulated", "run", "emulated"), ("cache", "run", "cache"), ("rounds", "run", "rounds"))

# The actions that SQLite may take for a statement: select, read, call a function, recurse, and
# begin or end a transaction.
READING = {21, 20, 31, 33, 22}


# What sqlite3 raises for a statement or a file that it does not accept. A ValueError may be a
# message of SQLite about a damaged file, with bytes that are not UTF-8.
FAILURES = (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError)

UNREADABLE = "%s cannot be read: %s; check that you may read the file and its folder"


class Error(Exception):
    """The file cannot be read, or something that was asked for is not in it."""


class Rows(list):
    """A list of dictionaries that all have the same keys, in the order of `columns`."""

    def __init__(self, columns, rows=()):
        super().__init__(rows)
        self.columns = tuple(columns)

    def by_column(self):
        """The same as a dictionary of lists, one list per column."""
        return {name: [row[name] for row in self] for name in self.columns}


def open(path=None):
    """Opens a database to read it. Without a path: $PERFLAB_DB, else perflab.db."""
    return Database(path or os.environ.get("PERFLAB_DB") or "perflab.db")


class Database:
    """An open database. Close it, or use it in a `with` statement."""

    def __init__(self, path):
        self.path = os.fspath(path)
        self._shown = os.fsdecode(self.path)
        self._connection = None
        try:
            self._connection = _connect(self.path, self._shown)
            self.schema_version = _identify(self._connection, self._shown)
        except FAILURES as error:
            self.close()
            raise _explain(error, self._shown) from error
        except Error:
            self.close()
            raise
        self._refused = False  # whether _authorize() refused something
        self._connection.set_authorizer(self._authorize)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def close(self):
        """Closes the file. Rows that were read stay valid."""
        if self._connection:
            self._connection.close()
        self._connection = None

    def runs(self):
        """All runs, the oldest first: what was measured when, on which device, with which mark."""
        chosen = ["%s.%s AS %s" % (table, column, name) for name, table, column in RUN_COLUMNS]
        chosen += ["strftime('%Y-%m-%dT%H:%M:%SZ', run.started_ns / 1000000000, 'unixepoch')"
                   " AS started_at",
                   "(SELECT kind FROM mark WHERE mark.run_id = run.id) AS mark",
                   "(SELECT count(*) FROM trial WHERE trial.run_id = run.id) AS cases"]
        return self.query("SELECT %s FROM run JOIN device ON device.id = run.device_id"
                          " ORDER BY run.started_ns, run.id" % ", ".join(chosen))

    def cases(self, run=None, counters=()):
        """One row per case of a run, or of all runs, with a column `axis_NAME` for each axis.

        `counters` adds a column for each of these metrics, a name or several; True adds all that
        the run has.
        """
        where, parameters = self._selection(run)
        columns = [_quote(name) for name in self._columns_of("results") if name not in JSON_COLUMNS]
        rows = self.query("SELECT %s FROM results%s ORDER BY run_id, trial_id"
                          % (", ".join(columns), where), parameters)
        of_run = " WHERE trial_id IN (SELECT id FROM trial%s)" % where
        _widen(rows, self.query("SELECT trial_id, 'axis_' || name AS name, value FROM axis" + of_run,
                                parameters))
        if counters:
            values = self.query("SELECT trial_id, metric AS name, value FROM counters" + of_run,
                                parameters)
            _widen(rows, self._wanted(values, counters))
        return rows

    def counters(self, run=None, trial_id=None):
        """One row per case and metric: `name`, and a `value` or the `reason` why there is none."""
        where, parameters = self._selection(run, trial_id)
        return self.query("SELECT * FROM result_counters%s ORDER BY trial_id, name" % where,
                          parameters)

    def samples(self, run=None, trial_id=None):
        """One row per timed execution: `time_ns`, with its `round` and its `sequence` in it."""
        return self._rows(*self._select_samples(run, trial_id))

    def each_sample(self, run=None, trial_id=None):
        """The same one after the other, for more samples than fit into memory."""
        columns, rows = self._execute(*self._select_samples(run, trial_id))
        return (dict(zip(columns, row)) for row in rows)

    def query(self, sql, parameters=()):
        """The rows of an SQL statement that reads; docs/schema.md describes the views."""
        return self._rows(sql, parameters)

    def run_id(self, run):
        """The id of a run: its id, "last", "last-good", a label, or the start of its uid."""
        newest = "SELECT id FROM run%s ORDER BY started_ns DESC, id DESC LIMIT 1"
        text = str(run)
        if text == "last":
            found = self._first(newest % "")
        elif text == "last-good":
            found = self._first(
                newest % " WHERE id IN (SELECT run_id FROM mark WHERE kind = 'good')")
        else:
            number = text.isascii() and text.isdigit() and len(text) < 19
            found = number and self._first(
                "SELECT id FROM run WHERE id = ?", (int(text),))
            found = found or self._first(newest % " WHERE label = ?", (text,))
            if not found and len(text) >= 4:
                found = self._first(newest % " WHERE substr(uid, 1, length(?)) = lower(?)",
                                    (text, text))
        if not found:
            labels = [row["label"] for row in self.query("SELECT label FROM run")
                      if row["label"]]
            near = difflib.get_close_matches(text, labels, 1)
            raise Error("%s has no run %r: give an id of runs(), a label, the start of a uid,"
                        " 'last' or 'last-good'%s" % (
                            self._shown, run, "; did you mean %r?" % near[0] if near else ""))
        return found[0]

    # ---- how it reads ----

    def _selection(self, run, trial_id=None):
        """A WHERE clause and its parameters."""
        terms, parameters = [], []
        if run is not None:
            terms.append("run_id = ?")
            parameters.append(self.run_id(run))
        if trial_id is not None:
            terms.append("trial_id = ?")
            # also an integer of numpy, which sqlite3 does not take
            parameters.append(trial_id.__index__() if hasattr(trial_id, "__index__") else trial_id)
        return (" WHERE " + " AND ".join(terms) if terms else ""), parameters

    def _select_samples(self, run, trial_id):
        where, parameters = self._selection(run, trial_id)
        return "SELECT * FROM result_samples%s ORDER BY trial_id, round, sequence" % where, parameters

    def _wanted(self, rows, names):
        """The rows of the named counters."""
        if names is True:
            return rows
        names = (names,) if isinstance(names, str) else tuple(names)
        known = {row["name"] for row in rows}
        for name in names:
            if name not in known:
                near = difflib.get_close_matches(name, known, 1)
                raise Error("%s has no counter %r here; %s" % (
                    self._shown, name, "did you mean %s?" % near[0] if near
                    else "counters() lists those that there are"))
        return [row for row in rows if row["name"] in names]

    def _columns_of(self, table):
        return self._execute("SELECT * FROM %s LIMIT 0" % _quote(table))[0]

    def _first(self, sql, parameters=()):
        return next(self._execute(sql, parameters)[1], None)

    def _rows(self, sql, parameters=()):
        columns, rows = self._execute(sql, parameters)
        return Rows(columns, (dict(zip(columns, row)) for row in rows))

    def _execute(self, sql, parameters=()):
        """The names of the columns, and an iterator over tuples."""
        if not self._connection:
            raise Error("%s was closed: open it again, or read within the `with` statement"
                        % self._shown)
        try:
            cursor = self._connection.execute(sql, parameters)
        except FAILURES as error:
            raise self._failure(error) from error
        return _unique([column[0] for column in cursor.description or ()]), self._each(cursor)

    def _each(self, cursor):
        try:
            yield from cursor
        except FAILURES as error:
            raise self._failure(error) from error

    def _authorize(self, action, first, second, database, view):
        """Called by SQLite for each action of a statement."""
        if action in READING:
            return sqlite3.SQLITE_OK
        self._refused = True
        return sqlite3.SQLITE_DENY

    def _failure(self, error):
        """The Error for what SQLite raised."""
        refused, self._refused = self._refused, False
        # Ctrl-C within _authorize() looks like a refusal.
        if "not authorized" in str(error) and not refused:
            error = sqlite3.OperationalError("interrupted")
        return _explain(error, self._shown)


def _connect(path, shown):
    """A connection that cannot change the file."""
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        raise Error("%s does not exist: `perflab sweep` creates it, or give another path"
                    % shown) from None
    except OSError as error:
        raise Error(UNREADABLE % (shown, error.strerror)) from error
    if os.path.isdir(path):
        raise Error("%s is a folder, not a database: give the path of a file in it" % shown)
    if not os.path.isfile(path):
        raise Error("%s is not a regular file: give the path of a database" % shown)
    # Like perflab, open for writing where that is allowed: only such a connection removes the
    # files NAME-wal and NAME-shm when it closes. query_only and the authorizer prevent changes.
    uri = "file:" + urllib.parse.quote(os.path.abspath(os.fsencode(path)))
    if not os.access(path, os.W_OK) or not os.access(os.path.dirname(os.path.abspath(path)), os.W_OK):
        # Without write access SQLite can only read a file that no one else has open.
        modes = ["?mode=ro", "?immutable=1"]
        if os.path.exists(os.fsdecode(path) + "-wal"):
            modes.pop()
    else:
        modes = ["?mode=rw"]
    for mode in modes:
        connection = sqlite3.connect(uri + mode, uri=True, timeout=10, isolation_level=None)
        # Names of untrusted files may hold bytes that are not UTF-8.
        connection.text_factory = lambda text: text.decode("utf-8", "replace")
        try:
            # SQLite then returns to Python at times, so that Ctrl-C ends a long query.
            connection.set_progress_handler(lambda: 0, 1000000)
            connection.execute("PRAGMA query_only = ON")
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            return connection
        except sqlite3.OperationalError:
            connection.close()
            if mode == modes[-1]:
                raise
    raise Error("%s cannot be opened: give another path" % shown)


def _identify(connection, shown):
    """The version of the schema, if this is a database of perflab that the module can read."""
    application, version, objects = (connection.execute(sql).fetchone()[0] for sql in (
        "PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_master"))
    if not application and not objects:
        raise Error("%s is empty: no sweep was stored in it; give another path" % shown)
    if application != APPLICATION_ID:
        raise Error("%s is another application's database, not perflab's: give another path" % shown)
    if version > SCHEMA_NEWEST:
        raise Error("%s has schema version %d and this perflab.py knows up to %d: use the"
                    " perflab.py of the newer perflab" % (shown, version, SCHEMA_NEWEST))
    if version < SCHEMA_OLDEST:
        raise Error("%s has schema version %d and this perflab.py reads %d and newer: convert it"
                    " with scripts/convert-database from perflab's source"
                    % (shown, version, SCHEMA_OLDEST))
    return version


def _explain(error, shown):
    """An Error that says what is wrong with the file or the statement."""
    text = str(error)
    if "file is not a database" in text:
        return Error("%s is not a SQLite database: give another path" % shown)
    if "malformed" in text or isinstance(error, UnicodeDecodeError):
        return Error("%s is damaged: %s; restore a copy, or save what can be read with"
                     " `sqlite3 FILE .recover`" % (shown, text))
    if "unable to open" in text or "disk I/O" in text:
        return Error(UNREADABLE % (shown, text))
    if "is locked" in text:
        return Error("%s is locked by another program: try again when that has ended" % shown)
    if "syntax error" in text or "incomplete input" in text:
        return Error("the statement is not valid SQL: %s" % text)
    if text == "interrupted":
        return Error("%s: the query was interrupted" % shown)
    if "not authorized" in text or "readonly" in text or "prohibited" in text:
        return Error("the statement does more than read: %s" % text)
    if "no such" in text:
        return Error("%s: %s; docs/schema.md lists views and columns" % (shown, text))
    return Error("%s: %s" % (shown, text))


def _quote(name):
    return '"%s"' % name.replace('"', '""')


def _unique(names):
    """Names for the columns of a statement: a second `a` becomes `a_2`."""
    used = []
    for name in names:
        number, candidate = 1, name
        while candidate in used:
            number += 1
            candidate = "%s_%d" % (name, number)
        used.append(candidate)
    return tuple(used)


def _widen(rows, narrow):
    """Adds columns from rows of trial_id, name and value. A column that is there stays."""
    names = [name for name in dict.fromkeys(row["name"] for row in narrow)
             if name not in rows.columns]
    values = {}
    for row in narrow:
        values.setdefault(row["trial_id"], {})[row["name"]] = row["value"]
    for row in rows:
        found = values.get(row["trial_id"], {})
        for name in names:
            row[name] = found.get(name)
    rows.columns += tuple(names)
