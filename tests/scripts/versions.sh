#!/bin/sh
# What states a version agrees with the code.
# versions.sh PROJECT
cd "$1" || exit 1
failures=0

# same FOUND EXPECTED WHERE
same() {
	[ "$1" ] && [ "$1" = "$2" ] && return
	echo "$3: \"$1\", expected \"$2\""
	failures=$((failures + 1))
}

# part FILE EXPRESSION: the first match of a group
part() {
	sed -n "s/$2/\1/p" "$1" | head -n 1
}

version=$(part CMakeLists.txt '^project(perflab VERSION \([0-9.]*\) .*')
same "$(part python/perflab.py '^__version__ = "\(.*\)"')" "$version" python/perflab.py
same "$(part CITATION.cff '^version: \(.*\)')" "$version" CITATION.cff
same "$(part CHANGELOG.md '^## \[\([^]]*\)\].*')" "$version" CHANGELOG.md

schema=$(part db/schema/tables.sql '^PRAGMA user_version = \([0-9]*\);.*')
same "$(part db/statement.h '^#define DB_SCHEMA_VERSION \([0-9]*\)$')" "$schema" db/statement.h
same "$(part python/perflab.py '^SCHEMA_NEWEST = \([0-9]*\)$')" "$schema" python/perflab.py
same "$(part docs/schema-reference.md '.*schema version \([0-9]*\) (.*')" "$schema" docs/schema-reference.md
same "$(part docs/compatibility.md '.*writes schema version \([0-9]*\)\..*')" "$schema" docs/compatibility.md
same "$((schema / 100))" "${version%%.*}" 'the hundreds of the schema version'
oldest=$(part db/statement.h '^#define DB_SCHEMA_OLDEST \([0-9]*\)$')
same "$(part python/perflab.py '^SCHEMA_OLDEST = \([0-9]*\)$')" "$oldest" python/perflab.py
same "$(part docs/compatibility.md '.*A file of schema version \([0-9]*\)\*\*, the last.*')" "$oldest" docs/compatibility.md
same "$(part scripts/convert-database '^NEWEST_OLD = \([0-9]*\)$')" "$oldest" scripts/convert-database

protocol=$(part harness/protocol/messages.h '^#define WORKER_PROTOCOL_VERSION \([0-9]*\)$')
same "$(part docs/worker-protocol.md '^# The worker protocol, version \([0-9]*\)$')" "$protocol" docs/worker-protocol.md
same "$(part docs/compatibility.md '^| worker protocol, version \([0-9]*\) .*')" "$protocol" docs/compatibility.md
capture=$(part capture/capture.h '^#define CAPTURE_VERSION \([0-9]*\)$')
same "$(part docs/capture-format.md '^# The format of captures, version \([0-9]*\)$')" "$capture" docs/capture-format.md
same "$(part docs/compatibility.md '^| captures, version \([0-9]*\) .*')" "$capture" docs/compatibility.md
exit $((failures > 0))
