#!/usr/bin/env python3
"""Tests scripts/convert-database on a database of each schema version before 1.0.

old_databases.tar.xz has version_N.sql, a dump of a file of version N, and version_N.txt: the rows of
every table and view after the migrations of the last perflab that had them. Columns that tables have
gained since must be NULL.

usage: test_convert_database.py SOURCE-FOLDER
"""

import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT = sys.argv[1]
VERSIONS = range(1, 23)
SCHEMA = "SELECT type, name, sql FROM sqlite_schema WHERE name NOT IN ('mine') ORDER BY type, name"


def convert(old, new):
    return subprocess.run([sys.executable, os.path.join(ROOT, "scripts", "convert-database"), old,
                           new], text=True, capture_output=True, check=False)


def query(path, sql):
    db = sqlite3.connect(path, isolation_level=None)
    # as stored: an untrusted file may hold text that is not UTF-8
    db.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
    try:
        return db.execute(sql).fetchall()
    finally:
        db.close()


def columns_of(lines):
    """{name: columns} of the tables and views in a dump."""
    heads = (re.fullmatch(r"(?:table|view) (\w+) \((.*)\)", line) for line in lines)
    return {head.group(1): head.group(2).split(", ") for head in heads if head}


def dump(path, known):
    """The rows of every table and view, as text. New tables, views and columns of a table count only if
    they have values."""
    lines = []
    for name, kind in query(path, "SELECT name, type FROM sqlite_schema WHERE type IN ('table',"
                            " 'view') AND name NOT LIKE 'sqlite_%' ORDER BY type, name"):
        columns = [row[0] for row in query(path, "SELECT name FROM pragma_table_xinfo('%s')" % name)]
        for column in [column for column in columns if column not in known.get(name, columns)]:
            if kind == "table" and query(path, 'SELECT count("%s") FROM "%s"' % (column, name)) == [(0,)]:
                columns.remove(column)
        if name not in known and query(path, 'SELECT count(*) FROM "%s"' % name) == [(0,)]:
            continue
        lines.append("%s %s (%s)" % (kind, name, ", ".join(columns)))
        wanted = ", ".join('"%s"' % column for column in columns)
        lines += sorted(repr(row) for row in query(path, 'SELECT %s FROM "%s"' % (wanted, name)))
    return lines


class Convert(unittest.TestCase):
    maxDiff = 2000

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        archive = os.path.join(os.path.dirname(os.path.abspath(__file__)), "old_databases.tar.xz")
        with tarfile.open(archive) as file:
            for member in file.getmembers():
                with open(os.path.join(cls.folder, member.name), "wb") as out:
                    out.write(file.extractfile(member).read())

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def restore(self, version, name="old.db", sql=""):
        path = self.path(name)
        if os.path.exists(path):
            os.unlink(path)
        db = sqlite3.connect(path, isolation_level=None)
        db.create_function("of_user", 1, str, deterministic=True)
        with open(self.path("version_%d.sql" % version), encoding="utf-8") as file:
            db.executescript(file.read() + sql)
        db.close()
        return path

    def converted(self, old, left_out=""):
        new = self.path("new.db")
        if os.path.exists(new):
            os.unlink(new)
        result = convert(old, new)
        self.assertEqual((result.returncode, result.stderr), (0, left_out))
        self.assertEqual(query(new, "PRAGMA integrity_check"), [("ok",)])
        self.assertFalse(os.path.exists(new + ".partial"))
        return new

    def refused(self, old, says, new=None):
        new = new or self.path("refused.db")
        there = os.path.exists(new)
        result = convert(old, new)
        self.assertEqual(result.returncode, 3)
        self.assertRegex(result.stderr, "^convert-database: .*%s" % says)
        self.assertEqual(result.stderr.count("\n"), 1)
        self.assertEqual(os.path.exists(new), there)
        self.assertFalse(os.path.exists(new + ".partial"))

    def test_every_version(self):
        fresh = self.path("fresh.db")
        db = sqlite3.connect(fresh, isolation_level=None)
        for name in ("tables", "triggers", "views"):
            with open(os.path.join(ROOT, "db/schema/%s.sql" % name), encoding="utf-8") as file:
                db.executescript(file.read())
        db.close()
        for version in VERSIONS:
            with self.subTest(version=version):
                old = self.restore(version)
                with open(old, "rb") as file:
                    before = file.read()
                new = self.converted(old)
                with open(self.path("version_%d.txt" % version), encoding="utf-8",
                          errors="surrogateescape") as file:
                    expected = file.read().splitlines()
                self.assertEqual(dump(new, columns_of(expected)), expected)
                self.assertEqual(query(new, SCHEMA), query(fresh, SCHEMA))
                for pragma in ("PRAGMA user_version", "PRAGMA application_id"):
                    self.assertEqual(query(new, pragma), query(fresh, pragma))
                with open(old, "rb") as file:
                    self.assertEqual(file.read(), before)

    def test_settings_of_any_text(self):
        """Before version 7 the settings of a run were JSON text."""
        texts = (
            ("", "cache", None), ("hot", "cache", None), ('{"cache":"hot"', "cache", None),
            ("[1]", "cache", None), ('"cache"', "cache", None), ('{"cache":"warm"}', "cache", None),
            ('{"cache":true}', "cache", None), ('{"cache":"hot"}', "cache", "hot"),
            ('{"min_samples":7}', "min_samples", 7), ('{"min_samples":-7}', "min_samples", -7),
            ('{"min_samples":"7"}', "min_samples", None), ('{"min_samples":7.5}', "min_samples", None),
            ('{"min_samples":[7]}', "min_samples", None), ('{"min_samples":null}', "min_samples", None),
            ('{"min_samples":99999999999999999999}', "min_samples", None),
            ('{"precision":0.01}', "precision", 0.01), ('{"precision":1}', "precision", 1.0),
            ('{"precision":1e999}', "precision", None), ('{"precision":"0.01"}', "precision", None),
            ('{"metrics":[]}', "metrics", ""), ('{"metrics":["b","a"]}', "metrics", "b,a"),
            ('{"metrics":["a",1]}', "metrics", None), ('{"metrics":{"a":"b"}}', "metrics", None),
            ('{"metrics":"a"}', "metrics", None), ('{"all_blocks":true}', "all_blocks", 1),
            ('{"all_blocks":false}', "all_blocks", 0), ('{"all_blocks":1}', "all_blocks", None),
            ('{"counter_dump":"a \\"b\\" \\\\ \\n"}', "counter_dump", 'a "b" \\ \n'),
            ('{"counter_dump":3}', "counter_dump", None), ('{"chip":"GH100"}', "emulated_chip", "GH100"),
            ('{"device":3,"jobs":2}', "device_ordinal", 3), ('{"device":3,"jobs":2}', "jobs", 2))
        old = self.restore(6)
        for number, (text, _, _) in enumerate(texts, 100):
            query(old, "INSERT INTO run (id, uid, state, started_ns, backend, device_id, settings, seed,"
                  " rounds) VALUES (%d, printf('%%032x', %d), 'finished', 1, 'cuda', 1, '%s', 1, 1)"
                  % (number, number, text.replace("'", "''")))
        new = self.converted(old)
        for number, (text, column, value) in enumerate(texts, 100):
            found = query(new, "SELECT %s FROM run WHERE id = %d" % (column, number))
            self.assertEqual(found, [(value,)], text)
        self.assertEqual(query(new, "SELECT count(*) FROM run WHERE settings IS NOT NULL"
                               " AND NOT json_valid(settings)"), [(0,)])

    def test_what_the_user_added(self):
        old = self.restore(6, sql="""
            CREATE TABLE notes (id INTEGER PRIMARY KEY, run_id REFERENCES run, text);
            INSERT INTO notes VALUES (7, 2, 'mine');
            CREATE UNIQUE INDEX my_uid ON run (uid, label);
            CREATE INDEX my_function ON run (upper(label));
            CREATE VIEW caches AS SELECT id, json_extract(settings, '$.cache') AS cache FROM run;
            CREATE VIEW broken AS SELECT missing FROM nowhere;
            CREATE TRIGGER my_trigger AFTER UPDATE OF note ON run BEGIN
                INSERT OR REPLACE INTO environment VALUES (NEW.id, 'noted', 'yes'); END;
            CREATE INDEX my_other ON run (of_user(label));""")
        new = self.converted(old, "convert-database: left out: index my_other (no such function:"
                             " of_user)\n")
        self.assertEqual(query(new, "SELECT * FROM notes"), [(7, 2, "mine")])
        self.assertEqual(query(new, "SELECT cache FROM caches WHERE id = 2"), [("hot",)])
        self.assertEqual(query(new, "SELECT cases FROM mine WHERE kernel = 'reduce'"), [(9,)])
        names = [name for name, in query(new, "SELECT name FROM sqlite_schema")]
        for name in ("my_uid", "my_function", "my_trigger", "broken"):
            self.assertIn(name, names)
        query(new, "UPDATE run SET note = 'x' WHERE id = 2")
        self.assertEqual(query(new, "SELECT count(*) FROM environment WHERE key = 'noted'"), [(1,)])

    def test_a_log_beside_the_file(self):
        """What a program that was ended left in the -wal file is part of the database."""
        old = self.restore(17, "logged.db")
        query(old, "PRAGMA journal_mode = WAL")
        child = os.fork()
        if child == 0:
            sqlite3.connect(old, isolation_level=None).execute("UPDATE run SET note = 'logged'")
            os._exit(0)
        os.waitpid(child, 0)
        self.assertGreater(os.path.getsize(old + "-wal"), 0)
        self.assertEqual(query(self.converted(old), "SELECT DISTINCT note FROM run"), [("logged",)])

    def test_refusals(self):
        old = self.restore(3)
        self.refused(self.path("none.db"), "No such file.*none.db")
        self.refused(old, "new.db exists: give another name", self.restore(3, "new.db"))
        self.refused(old, "No such file or directory", self.path("none/new.db"))
        with open(self.path("text.db"), "w", encoding="utf-8") as file:
            file.write("not a database\n" * 100)
        self.refused(self.path("text.db"), "text.db cannot be read: file is not a database")
        open(self.path("empty.db"), "w", encoding="utf-8").close()
        self.refused(self.path("empty.db"), "empty.db is not a database of perflab")
        self.refused(self.restore(3, sql="PRAGMA application_id = 1;"), "not a database of perflab")
        for version in (-1, 0, 23, 100):
            self.refused(self.restore(3, sql="PRAGMA user_version = %d;" % version),
                         "has schema version %d" % version)
        self.refused(self.restore(3, sql="PRAGMA foreign_keys = OFF; DELETE FROM trial WHERE id = 5;"),
                     "is damaged .rows refer to missing rows.: restore a copy")
        self.refused(self.restore(14, sql="DROP TABLE sample;"), "damaged .table sample is missing")
        self.refused(self.restore(6, sql="CREATE TABLE limiter (mine);"),
                     "has a table limiter that is not perflab's: rename it")

    def test_bytes_that_are_wrong(self):
        """A damaged file is converted or refused, and never ends the script otherwise."""
        with open(self.restore(14), "rb") as file:
            whole = file.read()
        for place in range(100, len(whole), len(whole) // 12):
            bad = self.path("bad.db")
            with open(bad, "wb") as file:
                file.write(whole[:place] + b"\xff" * 60 + whole[place + 60:])
            result = convert(bad, self.path("from_bad.db"))
            self.assertIn(result.returncode, (0, 3), result.stderr)
            self.assertNotIn("Traceback", result.stderr)
            if result.returncode == 0:
                os.unlink(self.path("from_bad.db"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
